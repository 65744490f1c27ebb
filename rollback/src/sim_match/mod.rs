//! Simulated match: several machines play over a simulated network in virtual time, determined by one seed. Use it to
//! test a game on bad links.

use crate::Tick;
use crate::exchange::{Exchange, ExchangeError};
use crate::player::{Occupant, PeerId, PlayerId};
use crate::session::{RunError, RunReport, Session, SessionConfig, SessionError, SessionEvent};
use crate::sim_network::internals::{SimEvent, Timers, VirtualClock};
use crate::sim_network::{LinkConfig, LinkError, NodeId, SimNetwork};
use crate::simulation::Simulation;
use crate::time::Time;
use core::time::Duration;
use isostep_core::digest::Digest;
use isostep_core::state::StateError;

/// Error of a simulated match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SimMatchError {
    /// A session can't start.
    #[error("machine {machine}: {error}")]
    Session {
        /// The machine.
        machine: usize,
        /// The error.
        error: SessionError,
    },
    /// Running a session failed.
    #[error("machine {machine}: {error}")]
    Run {
        /// The machine.
        machine: usize,
        /// The error.
        error: RunError,
    },
    /// The settings of a mesh have seats already.
    #[error(
        "the settings have {seats} seats; remove them, since `mesh` seats one player at each machine"
    )]
    Seats {
        /// Number of seats.
        seats: usize,
    },
    /// The settings of a link are invalid.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A state can't be digested.
    #[error("machine {machine}: {error}")]
    State {
        /// The machine.
        machine: usize,
        /// The error.
        error: StateError,
    },
    /// The machines do not reach the same tick: the inputs of a player do not arrive.
    #[error(
        "machine {machine} has confirmed tick {tick} and machine {ahead} tick {ahead_tick}, and no more inputs arrive; check that \
         every two machines with players are connected, and `Machine::refused`"
    )]
    Unsettled {
        /// The machine that has confirmed the least.
        machine: usize,
        /// Its newest confirmed tick.
        tick: Tick,
        /// The machine that is the furthest ahead.
        ahead: usize,
        /// Its newest confirmed tick.
        ahead_tick: Tick,
    },
    /// The states of two machines differ.
    #[error("machines 0 and {machine} differ on tick {tick}")]
    Disagree {
        /// The machine that differs from machine 0.
        machine: usize,
        /// The tick.
        tick: Tick,
    },
}

/// Ticks of true time in a part of [`SimMatch::settle`].
const SETTLE_TICKS: u32 = 60;

/// One machine of a simulated match.
pub struct Machine<S: Simulation> {
    /// Session of the machine.
    pub session: Session<S>,
    /// Game of the machine.
    pub game: S,
    /// Clock of the machine.
    pub clock: VirtualClock,
    /// Report of the last plan.
    pub report: RunReport,
    /// Events of the session, oldest first. [`SimMatch::run`] polls them.
    pub events: Vec<SessionEvent>,
    /// Errors of received datagrams, oldest first.
    pub refused: Vec<ExchangeError>,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// The machine is suspended: it neither ticks nor receives.
    pub suspended: bool,
    /// Follow the tick rate of the session.
    pub paced: bool,
    links: Vec<(NodeId, Exchange)>,
    /// Local time of the next tick.
    due: Time,
}

/// Machines that play one match over a [`SimNetwork`].
///
/// *Build* with [`mesh`](Self::mesh), or [`new`](Self::new) and [`add`](Self::add); configure links through
/// [`network`](Self::network) and drift through [`Machine::clock`]. *Play* with [`run`](Self::run), and inspect the
/// [`machines`](Self::machines) in between. *Check* with [`agree`](Self::agree) at the end.
///
/// ```
/// use isostep_rollback::{SimMatch, Inputs, LinkConfig, NewestWins, SessionConfig, Simulation, Tick};
///
/// #[derive(Clone, Default, serde::Serialize)]
/// struct Tug { rope: i64 }
/// impl Simulation for Tug {
///     type Input = NewestWins<i8>;
///     fn step(&mut self, _tick: Tick, inputs: &Inputs<Self::Input>) {
///         for (player, input) in inputs.iter() {
///             self.rope += i64::from(input.value.0) * i64::from(player.0 + 1);
///         }
///     }
/// }
///
/// let config = SessionConfig::new().delay(2);
/// let mut sim = SimMatch::mesh(7, 3, &config, LinkConfig::wifi(), |_| Tug::default())?;
/// sim.run(120, |_, player, tick| NewestWins((tick.0 as i8 / 7).wrapping_mul(player.0 as i8 + 1)))?;
/// sim.settle()?;
/// assert!(sim.agree()?.0 > Tick(100));
/// # Ok::<(), isostep_rollback::sim_match::SimMatchError>(())
/// ```
pub struct SimMatch<S: Simulation> {
    network: SimNetwork,
    timers: Timers<NodeId>,
    machines: Vec<Machine<S>>,
    nodes: Vec<NodeId>,
    now: Time,
    datagram: Vec<u8>,
}

impl<S: Simulation> Machine<S> {
    /// Returns the newest tick that the machine has computed and confirmed.
    fn reached(&self) -> Tick {
        self.session.confirmed_tick().min(self.session.current_tick())
    }

    /// Returns the local time between two ticks.
    fn tick_length(&self) -> Duration {
        let length = self.session.config().duration_of(1);
        let rate = if self.paced { self.session.rate_ppm() } else { 0 };
        let nanos = length.as_nanos() * 1_000_000 / (1_000_000 + i128::from(rate)).max(1) as u128;
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

impl<S: Simulation> SimMatch<S> {
    /// Creates a match without machines.
    pub fn new(seed: u64) -> Self {
        Self {
            network: SimNetwork::new(seed),
            timers: Timers::new(),
            machines: Vec::new(),
            nodes: Vec::new(),
            now: Time::ZERO,
            datagram: Vec::new(),
        }
    }

    /// Creates a match of `players`, each on its own machine, connected as a mesh by such links. `config` must have no
    /// seats.
    ///
    /// # Errors
    /// If a session can't start or the link is invalid.
    pub fn mesh(
        seed: u64,
        players: u8,
        config: &SessionConfig,
        link: LinkConfig,
        mut game: impl FnMut(u8) -> S,
    ) -> Result<Self, SimMatchError> {
        if config.seats() > 0 {
            return Err(SimMatchError::Seats { seats: config.seats() });
        }
        let mut sim = Self::new(seed);
        for own in 0..players {
            let seat = |config: SessionConfig, player| {
                config.seat(if player == own {
                    Occupant::Local
                } else {
                    Occupant::Remote(PeerId(player))
                })
            };
            let config = (0..players).fold(config.clone(), seat);
            sim.add(config, game(own))?;
        }
        for a in 0..players {
            (0..a).for_each(|b| sim.connect(usize::from(a), usize::from(b)));
        }
        sim.network.set_all_links(link)?;
        Ok(sim)
    }

    /// Adds a machine. Its number, counted from 0, is its peer id on the others.
    ///
    /// # Errors
    /// If its session can't start.
    pub fn add(&mut self, config: SessionConfig, mut game: S) -> Result<usize, SimMatchError> {
        let machine = self.machines.len();
        let session = Session::start(config, &mut game)
            .map_err(|error| SimMatchError::Session { machine, error })?;
        Ok(self.add_session(session, game))
    }

    /// Adds a machine with a session that has been started, such as one that joins late
    /// ([`Session::start_with`]). Its number, counted from 0, is its peer id on the others.
    pub fn add_session(&mut self, session: Session<S>, game: S) -> usize {
        let machine = self.machines.len();
        let node = self.network.add_node();
        self.nodes.push(node);
        self.machines.push(Machine {
            session,
            game,
            clock: VirtualClock::exact(),
            report: RunReport::default(),
            events: Vec::new(),
            refused: Vec::new(),
            sent_bytes: 0,
            suspended: false,
            paced: true,
            links: Vec::new(),
            due: Time::ZERO,
        });
        self.timers.set(self.now, node);
        machine
    }

    /// Connects two machines with players.
    pub fn connect(&mut self, a: usize, b: usize) {
        self.link(a, b, Exchange::new);
        self.link(b, a, Exchange::new);
    }

    /// Connects a spectator to its host, which confirms all inputs: the spectator needs
    /// [`Authority::Bundle`](crate::Authority::Bundle).
    pub fn connect_spectator(&mut self, host: usize, spectator: usize) {
        self.link(host, spectator, Exchange::to_spectator);
        self.link(spectator, host, Exchange::to_host);
    }

    fn link(&mut self, from: usize, to: usize, exchange: fn(PeerId) -> Exchange) {
        let peer = PeerId(to as u8);
        let node = self.nodes[to];
        let machine = &mut self.machines[from];
        // Fails only for numbers beyond the limit, and a match has fewer machines.
        let _ = machine.session.add_peer(peer);
        machine.links.push((node, exchange(peer)));
    }

    /// Returns the network, to change links.
    pub const fn network(&mut self) -> &mut SimNetwork {
        &mut self.network
    }

    /// Returns the machines.
    pub fn machines(&self) -> &[Machine<S>] {
        &self.machines
    }

    /// Returns the machines, to give commands, change clocks or inject faults.
    pub fn machines_mut(&mut self) -> &mut [Machine<S>] {
        &mut self.machines
    }

    /// Returns the true time.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Plays for this many ticks of true time. `input` is called for each local player: machine, player, current tick.
    ///
    /// Events of the sessions move to [`Machine::events`], so [`Session::poll_event`] returns none afterwards.
    ///
    /// # Errors
    /// If running a session fails.
    pub fn run(
        &mut self,
        ticks: u32,
        mut input: impl FnMut(usize, PlayerId, Tick) -> S::Input,
    ) -> Result<(), SimMatchError> {
        let Some(machine) = self.machines.first() else { return Ok(()) };
        let end = self.now + machine.session.config().duration_of(ticks);
        let mut bytes = core::mem::take(&mut self.datagram);
        let mut result = Ok(());
        // Events at the end belong to the next call.
        let last = end - Duration::from_nanos(1);
        while let Some(event) = self.timers.next_event(&mut self.network, last, &mut bytes) {
            match event {
                SimEvent::Wake { at, key } => {
                    self.now = at;
                    result = self.tick(at, key, &mut input);
                    if result.is_err() {
                        break;
                    }
                }
                SimEvent::Packet(delivery) => {
                    self.now = delivery.at;
                    self.deliver(delivery.from, delivery.to, &bytes);
                }
            }
        }
        self.datagram = bytes;
        if result.is_ok() {
            self.now = end;
        }
        result
    }

    /// Delivers everything: makes all links perfect, plays for a second with default inputs, and then stops the machines
    /// that are ahead until all have computed and confirmed the same tick. They continue with the next
    /// [`run`](Self::run).
    ///
    /// If the inputs of a suspended machine are missing, the others return to the newest tick that all of them have
    /// confirmed; one that has confirmed more stays there. A spectator with a buffer may stay behind by the length of the
    /// buffer.
    ///
    /// # Errors
    /// If running a session fails, or no machine is suspended and the players do not reach the same tick.
    pub fn settle(&mut self) -> Result<(), SimMatchError> {
        self.network.set_all_links(LinkConfig::perfect())?;
        self.run(SETTLE_TICKS, |_, _, _| S::Input::default())?;
        let stops: Vec<_> = self.machines.iter().map(|machine| machine.session.last()).collect();
        let newest = self.running().map(|(_, machine)| machine.session.target()).max();
        let settled = self.stop_at(newest.unwrap_or_default())?;
        if !settled {
            self.stop_at(self.reached())?;
        }
        for (machine, stop) in self.machines.iter_mut().zip(stops) {
            machine.session.stop_at(stop);
        }
        self.check_settled()
    }

    /// Checks that all machines but buffering spectators have confirmed the same tick.
    fn check_settled(&self) -> Result<(), SimMatchError> {
        let players = self.running().filter(|(_, machine)| machine.session.config().buffer == 0);
        let confirmed = |(number, machine): (usize, &Machine<S>)| (machine.reached(), number);
        let reached: Vec<_> = players.map(confirmed).collect();
        let ends = reached.iter().min().zip(reached.iter().max_by_key(|(tick, _)| *tick));
        match ends {
            Some((&(tick, machine), &(ahead_tick, ahead)))
                if tick < ahead_tick && !self.machines.iter().any(|machine| machine.suspended) =>
            {
                Err(SimMatchError::Unsettled { machine, tick, ahead, ahead_tick })
            }
            _ => Ok(()),
        }
    }

    /// Plays with default inputs until all machines that are not suspended have stopped at a tick and confirmed it, or make no progress.
    /// Returns true if all have.
    fn stop_at(&mut self, tick: Tick) -> Result<bool, SimMatchError> {
        for machine in &mut self.machines {
            machine.session.stop_at(Some(tick));
        }
        let ticks = |sim: &Self| {
            let session = |(_, machine): (usize, &Machine<S>)| {
                (machine.session.current_tick(), machine.session.confirmed_tick())
            };
            sim.running().map(session).collect::<Vec<_>>()
        };
        loop {
            let before = ticks(self);
            if before.iter().all(|&(current, confirmed)| current == tick && confirmed >= tick) {
                return Ok(true);
            }
            self.run(SETTLE_TICKS, |_, _, _| S::Input::default())?;
            if ticks(self) == before {
                return Ok(false);
            }
        }
    }

    /// Returns the machines that are not suspended, with their numbers.
    fn running(&self) -> impl Iterator<Item = (usize, &Machine<S>)> {
        (0..).zip(&self.machines).filter(|(_, machine)| !machine.suspended)
    }

    /// Returns the newest tick that all machines that are not suspended have computed and confirmed.
    fn reached(&self) -> Tick {
        self.running().map(|(_, machine)| machine.reached()).min().unwrap_or_default()
    }

    /// Checks that all machines that are not suspended have equal states on the newest tick that all have confirmed. Returns the tick
    /// and its digest.
    ///
    /// # Errors
    /// If two differ, or one no longer holds that tick: call [`settle`](Self::settle) first.
    pub fn agree(&self) -> Result<(Tick, Digest), SimMatchError> {
        let tick = self.reached();
        let mut agreed = None;
        for (machine, Machine { session, game, .. }) in self.running() {
            let digest = game
                .digest(session.slots(), tick)
                .map_err(|error| SimMatchError::State { machine, error })?;
            if *agreed.get_or_insert(digest) != digest {
                return Err(SimMatchError::Disagree { machine, tick });
            }
        }
        Ok((tick, agreed.unwrap_or_else(|| Digest::of(&[]))))
    }

    fn tick(
        &mut self,
        at: Time,
        node: NodeId,
        input: &mut impl FnMut(usize, PlayerId, Tick) -> S::Input,
    ) -> Result<(), SimMatchError> {
        let Some(index) = self.nodes.iter().position(|&known| known == node) else {
            return Ok(());
        };
        let machine = &mut self.machines[index];
        machine.due += machine.tick_length();
        let next = machine.clock.true_time_of(machine.due).max(at + Duration::from_nanos(1));
        self.timers.set(next, node);
        if machine.suspended {
            return Ok(());
        }
        let session = &mut machine.session;
        for player in (0..session.players()).map(|player| PlayerId(player as u8)) {
            if session.occupant(player) == Some(Occupant::Local) {
                let sample = input(index, player, session.current_tick());
                // Fails only if no local player holds the seat.
                let _ = session.local_input(player, sample);
            }
        }
        let now = machine.clock.local_time(at);
        let ran = session.advance(now).run(&mut machine.game);
        machine.report = ran.map_err(|error| SimMatchError::Run { machine: index, error })?;
        while let Some(event) = session.poll_event() {
            machine.events.push(event);
        }
        for (to, exchange) in &mut machine.links {
            let mut datagram = core::mem::take(&mut self.datagram);
            match exchange.write(session, &mut datagram) {
                Ok(()) => {
                    machine.sent_bytes += datagram.len() as u64;
                    // Time is monotonic here, and both nodes exist.
                    let _ = self.network.send(at, node, *to, &datagram);
                }
                Err(error) => machine.refused.push(error),
            }
            self.datagram = datagram;
        }
        Ok(())
    }

    fn deliver(&mut self, from: NodeId, to: NodeId, bytes: &[u8]) {
        let Some(index) = self.nodes.iter().position(|&known| known == to) else { return };
        let machine = &mut self.machines[index];
        if machine.suspended {
            return;
        }
        let now = machine.clock.local_time(self.now);
        let link = machine.links.iter_mut().find(|link| link.0 == from);
        let Some((_, exchange)) = link else { return };
        if let Err(error) = exchange.read(now, &mut machine.session, bytes) {
            machine.refused.push(error);
        }
    }
}

impl<S: Simulation> core::fmt::Debug for SimMatch<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let machines: Vec<_> = self.machines.iter().map(|machine| &machine.session).collect();
        let mut sim = f.debug_struct("SimMatch");
        sim.field("now", &self.now).field("machines", &machines).finish_non_exhaustive()
    }
}
