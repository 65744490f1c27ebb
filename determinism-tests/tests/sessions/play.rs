//! Plays a script in virtual time: machines tick by their own clocks, datagrams travel over the
//! simulated network, and the checker runs after every advance of a machine.

use super::checker::Failure;
use super::game::Skirmish;
use super::links::Profile;
use super::machine::{Machine, config};
use super::reference::Reference;
use super::rng::Rng;
use super::script::{MachineSetup, Script, To};
use super::seat_history::{Holder, Seat};
use super::stats::Stats;
use core::time::Duration;
use isostep_rollback::internals::SimEvent;
use isostep_rollback::internals::{Exchange, ExchangeError, Timers};
use isostep_rollback::{
    Authority, NodeId, Occupant, PeerId, PlayerId, Session, SessionConfig, SimNetwork, Tick, Time,
};

/// A seat change that some machines do not know yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notice {
    pub(super) at: u32,
    pub(super) machine: usize,
    pub(super) seat: u8,
    pub(super) tick: Tick,
    pub(super) who: Holder,
}

pub(super) struct Match {
    pub(super) script: Script,
    pub(super) rng: Rng,
    pub(super) network: SimNetwork,
    timers: Timers<NodeId>,
    /// Node of each machine.
    pub(super) nodes: Vec<NodeId>,
    pub(super) machines: Vec<Machine>,
    pub(super) seats: Vec<Seat>,
    pub(super) reference: Reference,
    pub(super) notices: Vec<Notice>,
    pub(super) now: Time,
    /// Ticks of true time so far.
    pub(super) wall: u32,
    pub(super) glitches: u32,
    /// Machine that loses some of its players' samples: a fault for the checker to find.
    pub(super) loses_presses: Option<usize>,
    pub(super) stats: Stats,
}

/// One tick of true time.
pub(super) const TICK: Duration = Duration::from_nanos(1_000_000_000 / 60);

impl Match {
    pub(super) fn new(script: &Script) -> Self {
        let mut game = Self {
            rng: Rng::keyed(&[script.seed, 0xD1CE]),
            network: SimNetwork::new(script.seed),
            timers: Timers::new(),
            nodes: Vec::new(),
            machines: Vec::new(),
            seats: Vec::new(),
            reference: Reference::new(script.settings),
            notices: Vec::new(),
            now: Time::ZERO,
            wall: 0,
            glitches: 0,
            loses_presses: None,
            stats: Stats::default(),
            script: script.clone(),
        };
        game.network.set_all_links(script.profile.config()).expect("a sound link");
        let count = script.machines.len();
        for to in &script.seats {
            let who = match *to {
                To::Machine(machine) => Holder::Machine(usize::from(machine) % count),
                To::Bot => Holder::Bot,
                To::Empty => Holder::Empty,
            };
            let delay =
                if let Holder::Machine(machine) = who { script.machines[machine].delay } else { 0 };
            game.seats.push(Seat::new(who, delay));
        }
        for (machine, setup) in script.machines.iter().enumerate() {
            let config =
                game.seated(config(setup, script.digest_every, script.budget), machine, Tick(0));
            game.start(*setup, config);
            (0..machine).for_each(|other| game.connect(machine, other));
        }
        for &(host, buffer, setup) in &script.spectators {
            let config = game.watching(&setup, buffer, Tick(0));
            let spectator = game.start(setup, config);
            game.watch(usize::from(host) % count, spectator);
        }
        game
    }

    /// Adds the seats as a machine sees them on a tick.
    pub(super) fn seated(
        &self,
        config: SessionConfig,
        machine: usize,
        tick: Tick,
    ) -> SessionConfig {
        let seats = self.seats.iter().map(|seat| seat.who(tick).seen_by(machine));
        seats.fold(config, SessionConfig::seat)
    }

    /// Settings of a spectator: all humans are at its host, which confirms.
    pub(super) fn watching(&self, setup: &MachineSetup, buffer: u32, tick: Tick) -> SessionConfig {
        let config = config(setup, self.script.digest_every, self.script.budget);
        let config = config.authority(Authority::Bundle).delay(0).spectate(buffer);
        self.seated(config, usize::MAX, tick)
    }

    fn start(&mut self, setup: MachineSetup, config: SessionConfig) -> usize {
        let mut game = Skirmish::new(self.script.settings);
        let session = Session::start(config, &mut game).expect("sound settings");
        self.add(setup, session, game)
    }

    pub(super) fn add(
        &mut self,
        setup: MachineSetup,
        session: Session<Skirmish>,
        game: Skirmish,
    ) -> usize {
        let node = self.network.add_node();
        let mut machine = Machine::new(setup, session, game, node);
        machine.due = machine.clock.local_time(self.now);
        machine.came = self.wall;
        self.nodes.push(node);
        self.machines.push(machine);
        self.timers.set(self.now, node);
        self.machines.len() - 1
    }

    pub(super) fn connect(&mut self, a: usize, b: usize) {
        self.link(a, b, Exchange::new);
        self.link(b, a, Exchange::new);
    }

    pub(super) fn watch(&mut self, host: usize, spectator: usize) {
        self.link(host, spectator, Exchange::to_spectator);
        self.link(spectator, host, Exchange::to_host);
        self.machines[spectator].host = Some(host);
    }

    fn link(&mut self, from: usize, to: usize, exchange: fn(PeerId) -> Exchange) {
        let (machine, peer) = (&mut self.machines[from], PeerId(to as u8));
        machine.session.add_peer(peer).expect("few machines");
        machine.links.push((to, exchange(peer)));
    }

    pub(super) fn unlink(&mut self, a: usize, b: usize) {
        for (from, to) in [(a, b), (b, a)] {
            self.machines[from].links.retain(|link| link.0 != to);
            self.machines[from].session.remove_peer(PeerId(to as u8));
        }
    }

    /// Plays the whole script, then lets all packets arrive.
    pub(super) fn play(&mut self) -> Result<(), Failure> {
        let happenings = self.script.happenings.clone();
        let mut happenings = happenings.into_iter().peekable();
        while self.wall < self.script.length {
            while let Some((_, happening)) = happenings.next_if(|next| next.0 <= self.wall) {
                self.happen(happening)?;
            }
            self.tell_due()?;
            self.run_tick()?;
        }
        self.settle()
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.network.set_all_links(Profile::Perfect.config()).expect("a sound link");
        self.machines.iter_mut().for_each(|machine| machine.wakes = 0);
        let alive = || self.machines.iter().filter(|machine| machine.alive);
        let goal =
            alive().map(|machine| machine.session.current_tick()).max().unwrap_or_default() + 50;
        for _ in 0..MAX_SETTLING {
            self.tell_due()?;
            self.run_tick()?;
            if self.machines.iter().all(|machine| !machine.alive || machine.settled() >= goal) {
                return Ok(());
            }
        }
        let stuck = |(_, machine): &(usize, &Machine)| machine.alive && machine.settled() < goal;
        let (machine, stuck) = self.machines.iter().enumerate().find(stuck).expect("one is behind");
        let seats = (0..).map(PlayerId).zip(&self.seats);
        let known = seats.map(|(seat, truth)| (stuck.session.received(seat), truth.spans.clone()));
        let what = format!(
            "does not reach tick {goal}: {:?}; inputs and holders: {:?}",
            stuck.session,
            known.collect::<Vec<_>>()
        );
        Err(Failure::new(machine, stuck.settled(), what))
    }

    /// Plays one tick of true time.
    fn run_tick(&mut self) -> Result<(), Failure> {
        let end = self.now + TICK;
        let last = end - Duration::from_nanos(1);
        let mut bytes = Vec::new();
        while let Some(event) = self.timers.next_event(&mut self.network, last, &mut bytes) {
            match event {
                SimEvent::Wake { at, key } => {
                    self.now = at;
                    self.tick(at, key)?;
                }
                SimEvent::Packet(delivery) => {
                    self.now = delivery.at;
                    self.deliver(delivery.from, delivery.to, &bytes)?;
                }
            }
        }
        self.now = end;
        self.wall += 1;
        Ok(())
    }

    fn tick(&mut self, at: Time, node: NodeId) -> Result<(), Failure> {
        let index = node.index();
        let machine = &mut self.machines[index];
        if !machine.alive {
            return Ok(());
        }
        machine.due += machine.tick_length();
        let next = machine.clock.true_time_of(machine.due).max(at + Duration::from_nanos(1));
        self.timers.set(next, node);
        if machine.wakes > self.wall {
            return Ok(());
        }
        let making = self.machines[index].making();
        self.press(index, making);
        self.advance(index, at)?;
        self.note_presses(index, making);
        self.check(index)?;
        self.send(index, at)
    }

    /// Gives the players' samples of a machine: once a tick, or not at all, or twice.
    fn press(&mut self, index: usize, making: Tick) {
        for (player, truth) in (0..).map(PlayerId).zip(&mut self.seats) {
            let machine = &mut self.machines[index];
            if machine.session.occupant(player) != Some(Occupant::Local) {
                continue;
            }
            for _ in 0..self.rng.pick(&[0, 1, 1, 1, 1, 1, 1, 2]) {
                let pad =
                    machine.setup.style.sample(self.script.seed, index, player, machine.samples);
                machine.samples += 1;
                truth.sample(index, making, pad);
                if self.loses_presses != Some(index) || !machine.samples.is_multiple_of(16) {
                    machine.session.local_input(player, pad).expect("the player sits here");
                }
            }
        }
    }

    /// Records the ticks to which an advance that computes `making` gave inputs.
    fn note_presses(&mut self, index: usize, making: Tick) {
        let machine = &self.machines[index];
        for (player, truth) in (0..).map(PlayerId).zip(&mut self.seats) {
            if let (true, Some(delay)) = (machine.setup.adaptive, machine.session.delay(player)) {
                truth.set_delay(index, delay);
            }
            truth.advance(index, making);
        }
    }

    fn advance(&mut self, index: usize, at: Time) -> Result<(), Failure> {
        let machine = &mut self.machines[index];
        let now = machine.clock.local_time(at);
        // A dropped plan changes nothing; but the delay may change once more.
        if !machine.setup.adaptive && self.rng.one_in(40) {
            drop(machine.session.advance(now));
        }
        let plan = machine.session.advance(now);
        machine.plan = format!("{plan:?}");
        let ran = plan.run(&mut machine.game);
        let tick = machine.session.current_tick();
        ran.map_err(|error| Failure::new(index, tick, format!("can't go on: {error}")))?;
        machine.measure_ring();
        machine.flush_recordings();
        Ok(())
    }

    fn send(&mut self, index: usize, at: Time) -> Result<(), Failure> {
        let mut datagram = Vec::new();
        let machine = &mut self.machines[index];
        let mut lost = None;
        for (to, exchange) in &mut machine.links {
            match exchange.write(&mut machine.session, &mut datagram) {
                Ok(()) => {
                    let sent = self.network.send(at, machine.node, self.nodes[*to], &datagram);
                    sent.expect("time does not go back");
                }
                Err(error) => lost = Some((*to, error)),
            }
        }
        let Some((to, error)) = lost else { return Ok(()) };
        let other = &mut self.machines[to];
        match error {
            // A late machine has not yet reported the first tick for which it needs inputs.
            ExchangeError::InputsDiscarded { .. } if self.wall < other.came + TIMEOUT => Ok(()),
            // A spectator that was away too long has to rejoin.
            ExchangeError::InputsDiscarded { .. } if other.host.is_some() => {
                other.alive = false;
                Ok(())
            }
            error => Err(Failure::new(index, Tick(0), format!("can't write to {to}: {error}"))),
        }
    }

    fn deliver(&mut self, from: NodeId, to: NodeId, bytes: &[u8]) -> Result<(), Failure> {
        let machine = &mut self.machines[to.index()];
        if !machine.alive || machine.wakes > self.wall {
            return Ok(());
        }
        let now = machine.clock.local_time(self.now);
        let link = machine.links.iter_mut().find(|link| link.0 == from.index());
        let Some((_, exchange)) = link else { return Ok(()) };
        match exchange.read(now, &mut machine.session, bytes) {
            Ok(()) | Err(ExchangeError::Damaged | ExchangeError::UnknownProtocol { .. }) => Ok(()),
            Err(error) => {
                let what = format!("refuses a datagram of {}: {error}", from.index());
                Err(Failure::new(to.index(), machine.session.current_tick(), what))
            }
        }
    }
}

/// True ticks in which a late machine may lack inputs that are no longer kept.
const TIMEOUT: u32 = 90;
/// True ticks after which a match that does not settle counts as stuck.
const MAX_SETTLING: u32 = 900;
