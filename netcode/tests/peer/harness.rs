//! A mesh of peers in virtual time: each has a clock and a frame rate of its own, all share one simulated network, and one
//! seed decides everything.

use super::game::{Game, Pad, mixed};
use super::machine::Machine;
use super::statistics::Figures;
use super::wire::Wire;
use core::time::Duration;
use isostep_netcode::crypto::{Credentials, GameId, MachineId};
use isostep_netcode::transport::SimTransport;
use isostep_netcode::{Address, Peer, PeerConfig, Seat, SeededEntropy};
use isostep_rollback::internals::{Timers, VirtualClock};
use isostep_rollback::{LinkConfig, Mode, NodeId, SessionConfig, SimNetwork, Tick, Time};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Ticks in a second.
pub(crate) const SECOND: u32 = 60;

/// Number of machines, and number of seeds.
pub(crate) const SIZES: [(u8, u64); 3] = [(2, 4), (4, 2), (8, 1)];

/// Settings of a mesh; the defaults are those of a typical match.
pub(crate) struct Setup {
    pub(crate) seed: u64,
    pub(crate) peers: u8,
    pub(crate) link: LinkConfig,
    pub(crate) session: SessionConfig,
    pub(crate) seats: Vec<Seat>,
    pub(crate) frames_per_second: u64,
    pub(crate) key_lifetime: Option<Duration>,
    /// Start delay of each machine after the previous one, in an order drawn from `seed`.
    pub(crate) apart: Duration,
    /// The last machine has no seat, and watches from so many ticks behind.
    pub(crate) watcher: Option<u32>,
    /// Machine with a faulty game, and the tick of the fault.
    pub(crate) fault: Option<(usize, Tick)>,
    /// Only the address of machine 0 is known, to all others.
    pub(crate) star: bool,
    /// Known addresses, if not all are: the machine that knows one, and the machine of the address.
    pub(crate) known: Option<Vec<(u8, u8)>>,
}

impl Setup {
    pub(crate) fn new(seed: u64, peers: u8, link: LinkConfig) -> Self {
        Self {
            seed,
            peers,
            link,
            session: SessionConfig::new().delay(3).mode(Mode::Rollback { max: 12 }),
            seats: Vec::new(),
            frames_per_second: 60,
            key_lifetime: None,
            apart: Duration::from_millis(40),
            watcher: None,
            fault: None,
            star: false,
            known: None,
        }
    }

    pub(crate) fn session(mut self, session: SessionConfig) -> Self {
        self.session = session;
        self
    }

    pub(crate) fn frames(mut self, per_second: u64) -> Self {
        self.frames_per_second = per_second;
        self
    }

    fn config(&self, id: u8) -> PeerConfig {
        let credentials =
            Credentials::insecure(MachineId(id), self.peers, GameId::named("peer test"));
        let watches = self.watcher.filter(|_| id + 1 == self.peers);
        let session = self.session.clone();
        let session = watches.map_or(session.clone(), |behind| session.spectate(behind));
        let mut config = PeerConfig::new(credentials.expect("a good id"), 0)
            .session(session)
            .endpoint(|endpoint| match self.key_lifetime {
                Some(lifetime) => endpoint.key_lifetime(lifetime),
                None => endpoint,
            });
        let known = |other: &u8| match &self.known {
            Some(known) => known.contains(&(id, *other)),
            None => *other != id && (!self.star || *other == 0),
        };
        for other in (0..self.peers).filter(known) {
            config = config.address(MachineId(other), Address::Node(other.into()));
        }
        self.seats.iter().fold(config, |config, seat| config.seat(*seat))
    }

    /// Machine with a clock offset of up to a minute and a drift of up to 50 ppm.
    pub(crate) fn machine(&self, id: u8, transport: Wire) -> Machine {
        let chance = mixed(&[self.seed, u64::from(id)]);
        let fault =
            self.fault.and_then(|(machine, tick)| (machine == usize::from(id)).then_some(tick));
        let mut game = Game { fault, ..Game::default() };
        let entropy = Box::new(SeededEntropy::new(chance));
        let peer = Peer::new(self.config(id), &mut game, transport, entropy);
        let (offset, drift) = ((chance % 60_000) as i64 * 1_000_000, (chance >> 20) as i32 % 51);
        let clock = VirtualClock::new(offset, drift).expect("a small drift");
        Machine::new(peer.expect("a good setup"), game, clock, self.seed)
    }

    pub(crate) fn mesh(&self) -> Mesh {
        let mut network = SimNetwork::new(self.seed);
        network.set_all_links(self.link).expect("a good link");
        let transports = SimTransport::nodes(network, usize::from(self.peers));
        let network = Rc::clone(transports[0].network());
        let now = Rc::new(Cell::new(Time::ZERO));
        let wires = transports.into_iter().map(|sim| Wire { sim, now: Rc::clone(&now) });
        let machines: Vec<_> = (0..).zip(wires).map(|(id, wire)| self.machine(id, wire)).collect();
        let frame = Duration::from_nanos(1_000_000_000 / self.frames_per_second);
        let mut timers = Timers::new();
        for place in 0..machines.len() {
            let turn = (place as u64 + self.seed) % machines.len() as u64;
            let within = mixed(&[self.seed, place as u64, 7]) % frame.as_nanos() as u64;
            let start = Time::from_nanos(within) + self.apart * turn as u32;
            timers.set(start, place);
        }
        Mesh { machines, network, timers, now, frame, inputs: true }
    }
}

/// Peers that play one match.
pub(crate) struct Mesh {
    pub(crate) machines: Vec<Machine>,
    pub(crate) network: Rc<RefCell<SimNetwork>>,
    timers: Timers<usize>,
    pub(crate) now: Rc<Cell<Time>>,
    frame: Duration,
    /// False if players give no input.
    pub(crate) inputs: bool,
}

impl Mesh {
    /// Plays for so many ticks of true time.
    pub(crate) fn run(&mut self, ticks: u32) {
        let end = self.now.get() + Duration::from_nanos(1_000_000_000 / 60) * ticks;
        let last = end - Duration::from_nanos(1);
        while let Some((at, place)) = self.timers.pop(last) {
            self.now.set(at);
            let Some(machine) = self.machines.get_mut(place) else { continue };
            let due = machine.clock.local_time(at) + self.frame;
            let next = machine.clock.true_time_of(due).max(at + Duration::from_nanos(1));
            self.timers.set(next, place);
            machine.frame(at, self.inputs);
        }
        self.now.set(end);
    }

    /// Plays until all have started and their clocks have found each other.
    pub(crate) fn start(&mut self) {
        for _ in 0..60 {
            if self.machines.iter().all(|machine| machine.peer.has_started()) {
                self.run(SECOND);
                return;
            }
            self.run(SECOND / 4);
        }
        let events: Vec<_> = self.machines.iter().map(|machine| &machine.events).collect();
        panic!("they did not start: {events:#?}");
    }

    /// Plays for so many ticks, and counts.
    pub(crate) fn measure(&mut self, ticks: u32) -> Figures {
        self.measure_rounds(1, ticks, |_, _| ())
    }

    /// Plays for so many times so many ticks with something to do before each, and counts.
    pub(crate) fn measure_rounds(
        &mut self,
        rounds: u32,
        ticks: u32,
        mut act: impl FnMut(&mut Self, u32),
    ) -> Figures {
        let before: Vec<_> = self.machines.iter().map(Machine::figures).collect();
        for round in 0..rounds {
            act(self, round);
            self.run(ticks);
        }
        let ticks = rounds * ticks;
        let after = self.machines.iter().map(Machine::figures);
        let zero = Figures::default();
        after.zip(&before).fold(zero, |sum, (after, before)| sum.and(&after.since(before, ticks)))
    }

    /// Starts, plays, and counts.
    pub(crate) fn play(&mut self, ticks: u32) -> Figures {
        self.start();
        self.measure(ticks)
    }

    pub(crate) fn set_links(&self, link: LinkConfig) {
        self.network.borrow_mut().set_all_links(link).expect("a good link");
    }

    pub(crate) fn nodes(&mut self) -> Vec<NodeId> {
        self.machines.iter_mut().map(|machine| machine.peer.transport_mut().sim.node()).collect()
    }

    /// Lets everything arrive: links become perfect, and inputs stop.
    pub(crate) fn settle(&mut self) {
        self.set_links(LinkConfig::perfect());
        self.inputs = false;
        self.run(2 * SECOND);
    }

    /// Settles, and checks that all have the same state and history, and that nothing that was given was lost or doubled.
    pub(crate) fn settle_and_check(&mut self) {
        self.settle();
        self.check_agreement();
        for machine in &self.machines {
            machine.check_nothing_is_wrong();
        }
        let present = self.machines.iter().map(|machine| machine.history.len()).min().unwrap_or(0);
        for (place, machine) in self.machines.iter().enumerate() {
            let delayed = machine.peer.session().current_tick();
            assert!(delayed.0 as usize <= present + 20, "machine {place} waits at the end");
            for given in &machine.given {
                for other in &self.machines {
                    given.check_heard(&other.game.players, &other.history);
                }
            }
        }
    }

    /// All have the same state on the newest tick that all have confirmed, and the same inputs up to there.
    pub(crate) fn check_agreement(&self) -> Tick {
        let awake = || self.machines.iter().filter(|machine| machine.awake);
        let reached = awake().map(|machine| {
            let session = machine.peer.session();
            session.confirmed_tick().min(session.current_tick())
        });
        let tick = reached.min().expect("a machine");
        let digests: Vec<_> = awake().map(|machine| machine.digest(tick)).collect();
        assert!(
            digests.iter().all(|digest| *digest == digests[0]),
            "they differ on {tick}: {digests:?}"
        );
        let first: &Vec<Vec<Option<Pad>>> = &awake().next().expect("a machine").history;
        for machine in awake() {
            let common = first.len().min(machine.history.len());
            assert!(first[..common] == machine.history[..common], "other confirmed inputs");
            assert!(common >= tick.0 as usize);
        }
        tick
    }
}
