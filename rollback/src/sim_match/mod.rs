//! Several machines that play one match over a simulated network, in virtual time: a whole match in a test, decided by one
//! seed. Use it to try your own game on bad links.

use crate::exchange::{Exchange, ExchangeError};
use crate::player::{Occupant, PeerId, PlayerId};
use crate::session::{RunError, RunReport, Session, SessionConfig, SessionError, SessionEvent};
use crate::sim_network::{
    LinkConfig, LinkError, NodeId, SimEvent, SimNetwork, Timers, VirtualClock,
};
use crate::simulation::Simulation;
use crate::tick::Tick;
use crate::time::Time;
use core::time::Duration;
use isostep_core::digest::Digest;
use isostep_core::state::StateError;

/// Why a fleet can't be built or go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SimMatchError {
    /// A session can't start.
    #[error("machine {machine}: {error}")]
    Session {
        /// Which.
        machine: usize,
        /// Why.
        error: SessionError,
    },
    /// A plan could not be carried out.
    #[error("machine {machine}: {error}")]
    Run {
        /// Which.
        machine: usize,
        /// Why.
        error: RunError,
    },
    /// The settings for a mesh have seats already.
    #[error(
        "the settings have {seats} seats already; `mesh` seats one player at each machine by itself"
    )]
    Seats {
        /// How many.
        seats: usize,
    },
    /// A link can't be set up so.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A state can't be digested.
    #[error("machine {machine}: {error}")]
    State {
        /// Which.
        machine: usize,
        /// Why.
        error: StateError,
    },
    /// Two machines have different states.
    #[error("machines 0 and {machine} differ on tick {tick}")]
    Disagree {
        /// The other one.
        machine: usize,
        /// The tick.
        tick: Tick,
    },
}

/// One machine of a fleet.
pub struct Machine<S: Simulation> {
    /// Its view of the match.
    pub session: Session<S>,
    /// Its game.
    pub game: S,
    /// Its clock.
    pub clock: VirtualClock,
    /// What its last plan did.
    pub report: RunReport,
    /// What its session told, oldest first.
    pub events: Vec<SessionEvent>,
    /// What it refused of what came over the network, oldest first.
    pub refused: Vec<ExchangeError>,
    /// Bytes that it sent.
    pub sent_bytes: u64,
    /// Whether its clock runs: a laptop that is closed ticks no more, and hears nothing.
    pub awake: bool,
    /// Whether its ticks follow each other at the rate that its session wants.
    pub paced: bool,
    links: Vec<(NodeId, Exchange)>,
    /// When its next tick is due, by its own clock.
    due: Time,
}

/// Machines that play one match over a [`SimNetwork`].
///
/// *Build* with [`mesh`](Self::mesh), or [`new`](Self::new) and [`add`](Self::add); make links bad through
/// [`network`](Self::network) and clocks drift through [`Machine::clock`]. *Play* with [`run`](Self::run), and look at the
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
/// let mut fleet = SimMatch::mesh(7, 3, &config, LinkConfig::wifi(), |_| Tug::default())?;
/// fleet.run(120, |_, player, tick| NewestWins((tick.0 as i8 / 7).wrapping_mul(player.0 as i8 + 1)))?;
/// fleet.settle()?;
/// assert!(fleet.agree()?.0 > Tick(100));
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
    /// How long it takes to the next tick, by its own clock.
    fn tick_length(&self) -> Duration {
        let length = self.session.config().duration_of(1);
        let rate = if self.paced { self.session.rate_ppm() } else { 0 };
        let nanos = length.as_nanos() * 1_000_000 / (1_000_000 + i128::from(rate)).max(1) as u128;
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

impl<S: Simulation> SimMatch<S> {
    /// No machines yet.
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

    /// A match of `players`, each at a machine of their own, all connected by such links. `config` has no seats yet.
    ///
    /// # Errors
    /// When a session can't start or the link makes no sense.
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
        let mut fleet = Self::new(seed);
        for own in 0..players {
            let seat = |config: SessionConfig, player| {
                config.seat(if player == own {
                    Occupant::Local
                } else {
                    Occupant::Remote(PeerId(player))
                })
            };
            let config = (0..players).fold(config.clone(), seat);
            fleet.add(config, game(own))?;
        }
        for a in 0..players {
            (0..a).for_each(|b| fleet.connect(usize::from(a), usize::from(b)));
        }
        fleet.network.set_all_links(link)?;
        Ok(fleet)
    }

    /// Adds a machine; the others know it as the peer with its number, counted from 0.
    ///
    /// # Errors
    /// When its session can't start.
    pub fn add(&mut self, config: SessionConfig, mut game: S) -> Result<usize, SimMatchError> {
        let machine = self.machines.len();
        let session = Session::start(config, &mut game)
            .map_err(|error| SimMatchError::Session { machine, error })?;
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
            awake: true,
            paced: true,
            links: Vec::new(),
            due: Time::ZERO,
        });
        self.timers.set(self.now, node);
        Ok(machine)
    }

    /// Lets two machines with players talk.
    pub fn connect(&mut self, a: usize, b: usize) {
        self.link(a, b, Exchange::new);
        self.link(b, a, Exchange::new);
    }

    /// Lets a machine watch what another one knows.
    pub fn watch(&mut self, host: usize, spectator: usize) {
        self.link(host, spectator, Exchange::to_spectator);
        self.link(spectator, host, Exchange::to_host);
    }

    fn link(&mut self, from: usize, to: usize, exchange: fn(PeerId) -> Exchange) {
        let peer = PeerId(to as u8);
        let node = self.nodes[to];
        let machine = &mut self.machines[from];
        // Only numbers beyond the limit are refused, and a match has fewer machines.
        let _ = machine.session.add_peer(peer);
        machine.links.push((node, exchange(peer)));
    }

    /// The network, to change links while they play.
    pub const fn network(&mut self) -> &mut SimNetwork {
        &mut self.network
    }

    /// The machines.
    pub fn machines(&self) -> &[Machine<S>] {
        &self.machines
    }

    /// The machines, to give commands, drift clocks or plant faults.
    pub fn machines_mut(&mut self) -> &mut [Machine<S>] {
        &mut self.machines
    }

    /// What time it is, truly.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Plays for this many ticks of true time. `input` is asked for each local player of each machine: machine, player, and
    /// the tick that is made.
    ///
    /// # Errors
    /// When a plan could not be carried out.
    pub fn run(
        &mut self,
        ticks: u32,
        mut input: impl FnMut(usize, PlayerId, Tick) -> S::Input,
    ) -> Result<(), SimMatchError> {
        let Some(machine) = self.machines.first() else { return Ok(()) };
        let end = self.now + machine.session.config().duration_of(ticks);
        let mut bytes = core::mem::take(&mut self.datagram);
        let mut result = Ok(());
        // What is due at the end belongs to the ticks after.
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

    /// Lets everything arrive: links become perfect, and everybody plays on for a second, holding what they hold.
    ///
    /// # Errors
    /// When a plan could not be carried out.
    pub fn settle(&mut self) -> Result<(), SimMatchError> {
        self.network.set_all_links(LinkConfig::perfect())?;
        self.run(60, |_, _, _| S::Input::default())
    }

    /// Checks that every machine that is awake has the same state on the newest tick that all have confirmed; the tick and
    /// its digest.
    ///
    /// # Errors
    /// When two differ, or one no longer holds that tick: [`settle`](Self::settle) first.
    pub fn agree(&self) -> Result<(Tick, Digest), SimMatchError> {
        let awake = || (0..).zip(&self.machines).filter(|machine| machine.1.awake);
        let reached = awake().map(|(_, machine)| {
            machine.session.confirmed_tick().min(machine.session.current_tick())
        });
        let tick = reached.min().unwrap_or_default();
        let mut agreed = None;
        for (machine, Machine { session, game, .. }) in awake() {
            let digest = game
                .digest(session.slots(), tick.0)
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
        if !machine.awake {
            return Ok(());
        }
        let session = &mut machine.session;
        for player in (0..session.players()).map(|player| PlayerId(player as u8)) {
            if session.occupant(player) == Some(Occupant::Local) {
                let sample = input(index, player, session.current_tick());
                // Only somebody who does not sit here is refused.
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
                    // Time does not go back here, and both nodes exist.
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
        if !machine.awake {
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
        let mut fleet = f.debug_struct("SimMatch");
        fleet.field("now", &self.now).field("machines", &machines).finish_non_exhaustive()
    }
}
