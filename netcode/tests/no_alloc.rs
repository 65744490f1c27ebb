//! Warm peers allocate nothing, from the datagram to the state and back.

#[path = "../../core/tests/no_alloc/counting.rs"]
mod counting;

use isostep_netcode::crypto::{Credentials, GameId, MachineId};
use isostep_netcode::{Address, Peer, PeerConfig, SeededEntropy, Transport, TransportError};
use isostep_rollback::{Inputs, Mode, NewestWins, PlayerId, SessionConfig, Simulation, Tick, Time};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

const PEERS: u8 = 4;

#[derive(Clone, Default, serde::Serialize)]
struct Sum {
    of: [u64; PEERS as usize],
}

impl Simulation for Sum {
    type Input = NewestWins<u32>;
    fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
        for (player, input) in inputs.iter() {
            let of = &mut self.of[usize::from(player.0)];
            *of = of.wrapping_mul(31).wrapping_add(u64::from(input.value.0));
        }
    }
}

/// Datagram in flight: arrival time, source, destination.
type Flying = (Time, u8, u8, Vec<u8>);

/// Datagrams in flight, and free buffers.
type Shared = (VecDeque<Flying>, Vec<Vec<u8>>);

/// Transport with latency and reused buffers.
struct Wire {
    own: u8,
    millis: u64,
    shared: Rc<RefCell<Shared>>,
}

impl Transport for Wire {
    fn send(&mut self, now: Time, to: Address, bytes: &[u8]) -> Result<(), TransportError> {
        let to = to.node().ok_or(TransportError::Unreachable { to })?;
        let (flying, spare) = &mut *self.shared.borrow_mut();
        let mut copy = spare.pop().expect("enough buffers");
        copy.extend_from_slice(bytes);
        let comes = now + core::time::Duration::from_millis(self.millis);
        flying.push_back((comes, self.own, to as u8, copy));
        Ok(())
    }

    fn receive(
        &mut self,
        now: Time,
        into: &mut Vec<u8>,
    ) -> Result<Option<Address>, TransportError> {
        let (flying, spare) = &mut *self.shared.borrow_mut();
        let came = flying.iter().position(|(comes, _, to, _)| *to == self.own && *comes <= now);
        let Some((_, from, _, mut bytes)) = came.and_then(|place| flying.remove(place)) else {
            return Ok(None);
        };
        into.clear();
        into.extend_from_slice(&bytes);
        bytes.clear();
        spare.push(bytes);
        Ok(Some(Address::Node(from.into())))
    }
}

fn machines(millis: u64) -> Vec<(Peer<Sum, Wire>, Sum)> {
    let spare = (0..4096).map(|_| Vec::with_capacity(1500)).collect();
    let shared = Rc::new(RefCell::new((VecDeque::with_capacity(4096), spare)));
    let machine = |own| {
        let credentials =
            Credentials::insecure(MachineId(own), PEERS, GameId::named("sum")).unwrap();
        let session = SessionConfig::new().delay(1).mode(Mode::Rollback { max: 12 });
        let mut config = PeerConfig::new(credentials, 0).session(session);
        for other in (0..PEERS).filter(|other| *other != own) {
            config = config.address(MachineId(other), Address::Node(other.into()));
        }
        let mut game = Sum::default();
        let wire = Wire { own, millis, shared: Rc::clone(&shared) };
        let entropy = Box::new(SeededEntropy::new(own.into()));
        (Peer::new(config, &mut game, wire, entropy).unwrap(), game)
    };
    (0..PEERS).map(machine).collect()
}

/// Frames after the warm-up that allocated, and how often.
fn allocating_frames(millis: u64) -> Vec<(u64, u32)> {
    let mut machines = machines(millis);
    let mut found = Vec::with_capacity(2000);
    for frame in 0..2000u64 {
        let now = Time::from_nanos(frame * 16_666_667);
        let count = counting::count();
        for (own, (peer, game)) in (0..).zip(&mut machines) {
            for _ in 0..peer.begin_frame(now).ticks {
                let input = NewestWins((frame as u32 / 3).wrapping_mul(own + 7));
                peer.local_input(PlayerId(own as u8), input).unwrap();
                peer.tick(now, game).unwrap();
            }
            peer.end_frame(now);
            while peer.poll_event().is_some() {}
        }
        let count = counting::count() - count;
        // MTU probing takes some seconds, and arrival statistics cover six.
        if frame >= 800 && count > 0 {
            found.push((frame, count));
        }
    }
    let session = machines[0].0.session();
    assert!(session.confirmed_tick() > Tick(1900), "they play");
    assert_eq!(session.stats().rollbacks > 100, millis > 20, "late packets roll back");
    assert!(session.stats().compared > 300, "digests are compared");
    found
}

#[test]
fn warm_peers_allocate_nothing() {
    assert_eq!(allocating_frames(5), []);
}

#[test]
fn warm_peers_that_roll_back_allocate_nothing() {
    assert_eq!(allocating_frames(60), []);
}
