//! Two peers in memory: real connections, encryption and sessions over a simulated network, in
//! virtual time. Ten seconds of play take a moment, and the seed determines which packets are lost.
//!
//! `cargo run --release -p isostep-examples --example two_peers`

use isostep::netcode::crypto::{Credentials, GameId, MachineId};
use isostep::netcode::transport::SimTransport;
use isostep::netcode::{Address, Peer, PeerConfig, SeededEntropy};
use isostep::rollback::{LinkConfig, SimNetwork};
use isostep::{Inputs, NewestWins, PlayerId, SessionConfig, Simulation, State, Tick, Time};
use std::error::Error;

const LAST: Tick = Tick(500);

/// A rope that two players pull.
#[derive(Clone, Default, serde::Serialize)]
struct Tug {
    rope: i64,
}

impl Simulation for Tug {
    type Input = NewestWins<i8>;

    fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
        self.rope += inputs.iter().map(|(_, input)| i64::from(input.value.0)).sum::<i64>();
    }
}

struct Machine {
    peer: Peer<Tug, SimTransport>,
    game: Tug,
    me: PlayerId,
    /// Digest of the last tick, once it is confirmed.
    last: Option<String>,
}

impl Machine {
    fn new(slot: u8, transport: SimTransport) -> Result<Self, Box<dyn Error>> {
        let credentials = Credentials::insecure(MachineId(slot), 2, GameId::named("tug"))?;
        let other = 1 - slot;
        let config = PeerConfig::new(credentials, 0)
            .session(SessionConfig::new().delay(2))
            .address(MachineId(other), Address::Node(other.into()));
        let mut game = Tug::default();
        let entropy = Box::new(SeededEntropy::new(slot.into()));
        let peer = Peer::new(config, &mut game, transport, entropy)?;
        Ok(Self { peer, game, me: PlayerId(slot), last: None })
    }

    /// The calls of a frame.
    fn frame(&mut self, now: Time) -> Result<(), Box<dyn Error>> {
        for _ in 0..self.peer.begin_frame(now).ticks {
            let pull = self.peer.session().current_tick().0 / 20 % 3;
            let pull = if self.me.0 == 0 { pull as i8 } else { -(pull as i8) };
            self.peer.local_input(self.me, NewestWins(pull))?;
            self.peer.tick(now, &mut self.game)?;
        }
        self.peer.end_frame(now);
        let session = self.peer.session();
        if self.last.is_none() && session.current_tick().min(session.confirmed_tick()) >= LAST {
            self.last = Some(self.game.digest(session.slots(), LAST)?.to_string());
        }
        Ok(())
    }
}

/// Plays a match; returns both digests of the last tick, and the number of rollbacks.
fn play(seed: u64) -> Result<([String; 2], u64), Box<dyn Error>> {
    let transports = SimTransport::nodes(SimNetwork::new(seed), 2);
    transports[0].network().borrow_mut().set_all_links(LinkConfig::wifi())?;
    let nodes = (0..).zip(transports);
    let mut machines = nodes
        .map(|(slot, transport)| Machine::new(slot, transport))
        .collect::<Result<Vec<_>, _>>()?;
    // A frame a millisecond.
    for now in (0..20_000).map(Time::from_millis) {
        machines.iter_mut().try_for_each(|machine| machine.frame(now))?;
    }
    let rollbacks = machines.iter().map(|machine| machine.peer.session().stats().rollbacks).sum();
    let mut last = machines.into_iter().map(|machine| machine.last.ok_or("it got too late"));
    let mut next = || last.next().ok_or("two machines")?;
    Ok(([next()?, next()?], rollbacks))
}

fn main() -> Result<(), Box<dyn Error>> {
    let ([one, two], rollbacks) = play(7)?;
    println!("tick {LAST}, {rollbacks} rollbacks\n  here:  {one}\n  there: {two}");
    Ok(())
}

#[test]
fn both_ends_agree_after_rollbacks() {
    let ([one, two], rollbacks) = play(7).expect("it plays");
    assert_eq!(one, two);
    assert!(rollbacks > 0, "nothing was put to the test");
}
