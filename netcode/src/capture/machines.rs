//! Matches for captures: endpoints, links and sessions in virtual time.

use super::net::{Capture, Net, UNIX, others};
use crate::crypto::{Credentials, MachineId};
use crate::endpoint::{Endpoint, EndpointConfig};
use crate::link::Link;
use core::time::Duration;
use isostep_core::Rng;
use isostep_rollback::{
    Input, Inputs, LinkConfig, NewestWins, PeerId, PlayerId, Session, SessionConfig, Simulation,
    Tick, Time,
};
use std::collections::BTreeMap;

/// Input of plain bytes: buttons, a stick with two axes, a counter.
pub(super) trait Pad: Input {
    const WIDTH: usize;
    fn of(bytes: &[u8]) -> Self;
    fn sum(self) -> u64;
}

macro_rules! pads {
    ($($n:literal)+) => {$(
        impl Pad for [NewestWins<u8>; $n] {
            const WIDTH: usize = $n;
            fn of(bytes: &[u8]) -> Self {
                core::array::from_fn(|place| NewestWins(bytes[place]))
            }
            fn sum(self) -> u64 {
                self.iter().fold(0, |sum, byte| sum << 8 | u64::from(byte.0))
            }
        }
    )+};
}

pads! { 4 6 }

/// Game whose state depends on all its inputs and commands.
#[derive(Clone, Default, serde::Serialize)]
pub(super) struct Arena<P> {
    sum: u64,
    pad: core::marker::PhantomData<P>,
}

impl<P: Pad> Simulation for Arena<P> {
    type Input = P;

    fn step(&mut self, tick: Tick, inputs: &Inputs<P>) {
        for (player, input) in inputs.iter() {
            let commands = inputs.commands(player).flatten();
            let said = commands
                .fold(u64::from(tick.0), |sum, &byte| sum.wrapping_mul(3) ^ u64::from(byte));
            self.sum = (self.sum ^ input.value.sum() ^ said).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }
}

/// Settings of a match.
pub(super) struct MatchSetup {
    pub(super) seed: u64,
    pub(super) network: LinkConfig,
    /// Machine of each seat.
    pub(super) seats: &'static [u8],
    pub(super) start: u32,
    pub(super) ticks: u32,
    pub(super) key_lifetime: Option<Duration>,
    pub(super) max_mtu: usize,
    /// Initial clock of machine 1; the other clocks start at zero.
    pub(super) clock: Time,
}

/// One machine.
pub(super) struct Machine<P: Pad> {
    pub(super) end: Endpoint,
    pub(super) session: Session<Arena<P>>,
    pub(super) ticks: u32,
    game: Arena<P>,
    links: BTreeMap<MachineId, Link>,
    seats: Vec<PlayerId>,
    /// Offset of its clock.
    ahead: Duration,
    next: Time,
    rng: Rng,
    pads: Vec<[u8; 8]>,
}

impl<P: Pad> Machine<P> {
    fn new(setup: &MatchSetup, net: &Net, credentials: &Credentials) -> Self {
        let id = credentials.machine();
        let seat = |config: SessionConfig, &of: &u8| {
            if of == id.0 { config.local() } else { config.remote(PeerId(of)) }
        };
        let config = SessionConfig::new().delay(2).digest_every(16).start(Tick(setup.start));
        let config = setup.seats.iter().fold(config.start_together(true), seat);
        let mut game = Arena { sum: 0, pad: core::marker::PhantomData };
        let session = Session::start(config, &mut game).expect("sound settings");
        let ahead = if id.0 == 1 { setup.clock.since(Time::ZERO) } else { Duration::ZERO };
        let codec = session.codec();
        let mut config = EndpointConfig::new(credentials.clone(), UNIX - ahead.as_secs())
            .inputs(codec.width() as u16, codec.schema(), session.fingerprint())
            .max_mtu(setup.max_mtu);
        if let Some(lifetime) = setup.key_lifetime {
            config = config.key_lifetime(lifetime);
        }
        let mut end = net.endpoint(config, setup.seed + u64::from(id.0));
        let machines = credentials.roster().machines().len() as u8;
        for other in others(id.0, machines) {
            end.connect(Time::ZERO + ahead, other, net.address(other.0)).expect("a known machine");
        }
        let seats = (0..).map(PlayerId).zip(setup.seats).filter(|(_, of)| **of == id.0);
        let seats: Vec<_> = seats.map(|(seat, _)| seat).collect();
        Self {
            end,
            session,
            ticks: 0,
            game,
            links: others(id.0, machines)
                .map(|other| (other, Link::new(PeerId(other.0))))
                .collect(),
            pads: vec![[0; 8]; seats.len()],
            seats,
            ahead,
            next: Time::from_millis(3 * u64::from(id.0)),
            rng: Rng::new(setup.seed + u64::from(id.0)),
        }
    }

    pub(super) fn clock(&self, now: Time) -> Time {
        now + self.ahead
    }

    /// Samples the inputs: occasional button presses, a stick that is pushed and released, a counter.
    fn sample(&mut self) {
        let tick = u64::from(self.ticks);
        for (seat, pad) in self.seats.iter().zip(&mut self.pads) {
            let roll = self.rng.below(256).expect("some");
            if roll < 20 {
                pad[0] ^= 1 << (roll % 4);
            }
            let pushed = tick / 24 % 2 == u64::from(seat.0) % 2;
            for axis in 1..3 {
                let to = if pushed { 90 - 60 * (axis as i8 - 1) } else { 0 };
                let step = (to - pad[axis] as i8).clamp(-18, 18);
                pad[axis] = (pad[axis] as i8 + step) as u8;
            }
            if roll > 128 {
                pad[3] = pad[3].wrapping_add((roll % 7) as u8);
            }
            if tick.is_multiple_of(10) {
                pad[5] = roll as u8;
            }
            self.session.local_input(*seat, P::of(pad)).expect("a local seat");
        }
    }

    /// Advances by a tick if it is due, and sends frames.
    fn play(&mut self, now: Time) {
        let clock = self.clock(now);
        let mut frame = Vec::new();
        if self.next <= now {
            let length = self.session.config().duration_of(1);
            let rate = i64::from(self.session.rate_ppm());
            let nanos = length.as_nanos() as i64;
            self.next += Duration::from_nanos((nanos - nanos * rate / 1_000_000) as u64);
            self.sample();
            self.session.advance(clock).run(&mut self.game).expect("it runs");
            self.ticks += 1;
            for (&id, link) in &mut self.links {
                // Frames count from the first one of a connection.
                let connected = self.end.connected().any(|other| other == id);
                let written =
                    connected && link.write(clock, &self.session, &mut frame).expect("in touch");
                if written {
                    self.end.send_game(clock, id, &frame);
                }
            }
        }
        self.end.handle_timeout(clock);
    }

    fn take(&mut self, now: Time, from: crate::Address, bytes: &[u8]) {
        let clock = self.clock(now);
        self.end.handle_datagram(clock, from, bytes);
        let mut frame = Vec::new();
        while let Some(id) = self.end.poll_game(&mut frame) {
            let link = self.links.get_mut(&id).expect("a known machine");
            link.read(clock, &mut self.session, &frame).expect("of an honest peer");
        }
        while self.end.poll_message().is_some() || self.end.poll_datagram(&mut frame).is_some() {}
    }
}

/// Plays a match; `script` is called once per millisecond and machine.
pub(super) fn play<P: Pad>(
    setup: &MatchSetup,
    all: &[Credentials],
    mut script: impl FnMut(Time, &mut Net, &mut Machine<P>),
) -> Capture {
    let mut net = Net::new(setup.seed, all.len() as u8, setup.network);
    let mut machines: Vec<_> = all.iter().map(|one| Machine::new(setup, &net, one)).collect();
    let mut bytes = Vec::new();
    let mut last = None;
    for millis in 0.. {
        let now = Time::from_millis(millis);
        while let Some((to, from)) = net.arrived(now, &mut bytes) {
            machines[usize::from(to)].take(now, from, &bytes);
        }
        for machine in &mut machines {
            machine.play(now);
            script(now, &mut net, machine);
            let clock = machine.clock(now);
            net.transmit(now, &mut machine.end, clock);
        }
        // Half a second more for CLOSE frames.
        if machines.iter().all(|machine| machine.ticks >= setup.ticks) {
            last = last.or(Some(millis + 500));
        }
        if last == Some(millis) {
            break;
        }
    }
    for machine in &machines {
        let confirmed = machine.session.confirmed_tick().since(Tick(setup.start));
        assert!(confirmed + 20 > setup.ticks.min(150), "it was played: {confirmed}");
    }
    let tick = machines[0].session.config().duration_of(1).as_micros() as u32;
    net.capture(all, P::WIDTH, (tick, setup.start), setup.seats)
}
