//! Peer: transport, endpoint, links, session and tick clock behind four calls per frame.
//!
//! `config` has its settings, `events` its events; `meeting` exchanges addresses before the match, `finish` agrees on its
//! end, with the messages of `notes` and the inputs of `departed` machines; `udp` is a peer over UDP.

mod config;
mod departed;
mod events;
mod finish;
mod meeting;
mod notes;
#[cfg(all(feature = "udp", not(target_family = "wasm")))]
mod udp;

pub use config::{PeerConfig, PeerError, Seat};
pub use events::PeerEvent;
pub use finish::Finish;
#[cfg(all(feature = "udp", not(target_family = "wasm")))]
pub use udp::UdpPeerError;

use crate::address::Address;
use crate::connection::MessageError;
use crate::crypto::{MAX_MACHINES, MachineId};
use crate::endpoint::{ConnectError, Counters, Endpoint, Event, Message, close_code};
use crate::entropy::Entropy;
use crate::link::Link;
use crate::transport::Transport;
use core::time::Duration;
use finish::Finishing;
use isostep_rollback::FrameTicks;
use isostep_rollback::{
    CommandFeedError, FeedError, Occupant, PeerId, PlayerId, RunError, RunReport, Session,
    Simulation, TickClock, Time,
};
use notes::Note;
use std::collections::VecDeque;

/// Maximum number of datagrams handled per frame: a flood must not delay the tick.
const MAX_DATAGRAMS_PER_FRAME: usize = 16_384;
/// Maximum number of queued events.
const MAX_QUEUED_EVENTS: usize = 4096;
/// Delay before a failed attempt to connect is repeated.
const RECONNECT_DELAY: Duration = Duration::from_millis(500);
/// A machine counts as present if a packet was received within this time. PINGs are sent twice as often.
const PRESENT_WITHIN: Duration = Duration::from_secs(1);

/// One machine of a match. It plays with the other machines of its roster over any [`Transport`].
///
/// # Call order per frame
/// 1. [`begin_frame`](Self::begin_frame) receives, and returns the number of due ticks.
/// 2. For each due tick, [`local_input`](Self::local_input) and [`tick`](Self::tick).
/// 3. [`end_frame`](Self::end_frame) sends.
/// 4. [`poll_event`](Self::poll_event) and [`poll_message`](Self::poll_message) until empty.
///
/// At the end [`finish_at`](Self::finish_at), and [`leave`](Self::leave) after [`PeerEvent::Finished`].
///
/// Ticks are due once all machines are connected. Time is an argument: the same calls run over UDP in real time, and over
/// a [`SimTransport`](crate::transport::SimTransport) in virtual time.
///
/// ```
/// use isostep_netcode::crypto::{Credentials, GameId, MachineId};
/// use isostep_netcode::transport::SimTransport;
/// use isostep_netcode::{Address, Peer, PeerConfig, SeededEntropy};
/// use isostep_rollback::{Inputs, NewestWins, PlayerId, SimNetwork, Simulation, Tick, Time};
///
/// #[derive(Clone, Default, serde::Serialize)]
/// struct Tug { rope: i32 }
/// impl Simulation for Tug {
///     type Input = NewestWins<i8>;
///     fn step(&mut self, _tick: Tick, inputs: &Inputs<Self::Input>) {
///         self.rope += inputs.iter().map(|(_, input)| i32::from(input.value.0)).sum::<i32>();
///     }
/// }
///
/// let mut machines = Vec::new();
/// for (machine, transport) in (0..).zip(SimTransport::nodes(SimNetwork::new(1), 2)) {
///     let other = 1 - machine;
///     let credentials = Credentials::insecure(MachineId(machine), 2, GameId::named("tug"))?;
///     let config = PeerConfig::new(credentials, 0).address(MachineId(other), Address::Node(other.into()));
///     let mut game = Tug::default();
///     let entropy = Box::new(SeededEntropy::new(machine.into()));
///     machines.push((Peer::new(config, &mut game, transport, entropy)?, game));
/// }
/// for millis in 0..2000 {
///     let now = Time::from_millis(millis);
///     for (player, (peer, game)) in (0..).map(PlayerId).zip(&mut machines) {
///         for _ in 0..peer.begin_frame(now).ticks {
///             peer.local_input(player, NewestWins(if player.0 == 0 { 2 } else { -1 }))?;
///             peer.tick(now, game)?;
///         }
///         peer.end_frame(now);
///     }
/// }
/// assert!(machines[0].0.session().confirmed_tick() > Tick(90));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Peer<S: Simulation, T: Transport> {
    endpoint: Endpoint,
    session: Session<S>,
    links: Vec<(MachineId, Link)>,
    /// Known addresses by machine id.
    addresses: [Option<Address>; MAX_MACHINES],
    /// Machines whose address this machine was configured with; no introduction replaces it.
    configured: [bool; MAX_MACHINES],
    /// Machines that were last reported as awaited.
    awaited: Vec<MachineId>,
    /// Times of the next attempts to connect.
    reconnect_at: [Option<Time>; MAX_MACHINES],
    /// Last reported connect error per machine; repeated errors are not reported again.
    reported: [Option<ConnectError>; MAX_MACHINES],
    transport: T,
    clock: TickClock,
    started: bool,
    finishing: Finishing,
    /// Set if a tick was computed and not sent yet.
    unsent_tick: bool,
    events: VecDeque<PeerEvent>,
    messages: VecDeque<(MachineId, Vec<u8>)>,
    buffer: Vec<u8>,
}

impl<S: Simulation, T: Transport> Peer<S, T> {
    /// Creates a peer. It connects from its first frame on. `game` is in its initial state. `entropy` is
    /// `Box::new(OsEntropy)` in a real match, and seeded in tests.
    ///
    /// # Errors
    /// The credentials are invalid, the settings are inconsistent, or the state of the game cannot be saved.
    pub fn new(
        config: PeerConfig,
        game: &mut S,
        transport: T,
        entropy: Box<dyn Entropy + Send>,
    ) -> Result<Self, PeerError> {
        let session_config = config.session_config()?;
        let tick_length = session_config.duration_of(1);
        let mut session = Session::start(session_config, game)?;
        let (width, schema) = (session.codec().width() as u16, session.codec().schema());
        let settings = config.endpoint.inputs(width, schema, session.fingerprint());
        let endpoint = Endpoint::new(settings, entropy)?;
        let mut addresses = [None; MAX_MACHINES];
        for (machine, address) in config.addresses {
            // Report invalid addresses now, not in the first frame.
            endpoint.check_connect(machine, address)?;
            *addresses
                .get_mut(usize::from(machine.0))
                .ok_or(PeerError::UnknownMachine { machine })? = Some(address);
        }
        let configured = addresses.map(|address| address.is_some());
        let others: Vec<MachineId> = endpoint.peers().collect();
        let mut reconnect_at = [None; MAX_MACHINES];
        for machine in &others {
            // Machines without a seat are spectators and receive everything. A session has room for all machines of a
            // roster.
            let _ = session.add_peer(PeerId(machine.0));
            reconnect_at[usize::from(machine.0)] = Some(Time::ZERO);
        }
        let links =
            others.into_iter().map(|machine| (machine, Link::new(PeerId(machine.0)))).collect();
        Ok(Self {
            endpoint,
            session,
            links,
            addresses,
            configured,
            awaited: Vec::new(),
            reconnect_at,
            reported: Default::default(),
            transport,
            clock: TickClock::new(tick_length),
            started: false,
            finishing: Finishing::default(),
            unsent_tick: false,
            events: VecDeque::new(),
            messages: VecDeque::new(),
            buffer: Vec::new(),
        })
    }

    /// Handles received datagrams and timers; returns the number of due ticks. It is 0 until all machines are
    /// connected.
    pub fn begin_frame(&mut self, now: Time) -> FrameTicks {
        self.receive(now);
        self.endpoint.handle_timeout(now);
        self.connect_due(now);
        self.handle_events(now);
        self.handle_messages(now);
        if !self.is_ticking() {
            self.transmit(now);
            self.report_awaited(now);
            // The tick clock starts with the match.
            if !self.awaited.is_empty() {
                return FrameTicks { ticks: 0, ..self.clock.clone().frame(now) };
            }
            self.started = true;
            self.push_event(PeerEvent::Started);
        }
        self.clock.set_rate_ppm(self.session.rate_ppm());
        self.clock.frame(now)
    }

    /// Sets the input of a local player; see [`Session::local_input`].
    ///
    /// # Errors
    /// The seat has no local player.
    pub fn local_input(&mut self, player: PlayerId, input: S::Input) -> Result<(), FeedError> {
        self.session.local_input(player, input)
    }

    /// Adds a command of a local player; see [`Session::command`].
    ///
    /// # Errors
    /// As [`Session::command`].
    pub fn command(&mut self, player: PlayerId, command: &[u8]) -> Result<(), CommandFeedError> {
        self.session.command(player, command)
    }

    /// Advances the session by one tick. Does nothing before the match starts.
    ///
    /// # Errors
    /// The state of the game cannot be saved or loaded.
    pub fn tick(&mut self, now: Time, game: &mut S) -> Result<RunReport, RunError> {
        if !self.is_ticking() {
            return Ok(RunReport::default());
        }
        self.unsent_tick = true;
        self.stop_session();
        let report = self.session.advance(now).run(game);
        while let Some(event) = self.session.poll_event() {
            self.finishing.note_session(now, &event);
            self.push_event(PeerEvent::Session(event));
        }
        self.finish(now, game);
        report
    }

    /// Sends all due packets.
    pub fn end_frame(&mut self, now: Time) {
        if core::mem::take(&mut self.unsent_tick) {
            self.send_frames(now);
        }
        self.transmit(now);
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<PeerEvent> {
        self.events.pop_front()
    }

    /// Returns the next message from a machine. Messages do not reach the simulation.
    pub fn poll_message(&mut self) -> Option<(MachineId, Vec<u8>)> {
        self.messages.pop_front()
    }

    /// Sends a message to a machine on the reliable, ordered channel: chat, map choice, anything outside of the simulation.
    ///
    /// # Errors
    /// No connection, message too long, or send queue full.
    pub fn send_message(&mut self, to: MachineId, message: &[u8]) -> Result<(), MessageError> {
        self.endpoint.send_message(to, message)
    }

    /// Closes all connections. Unacknowledged messages are lost; received ones can still be polled. Call
    /// [`begin_frame`](Self::begin_frame) and [`end_frame`](Self::end_frame) for another half second, so that the CLOSE
    /// frames arrive.
    pub fn leave(&mut self, now: Time) {
        self.reconnect_at = [None; MAX_MACHINES];
        self.endpoint.shut_down(now);
        self.transmit(now);
    }

    /// Returns the machines that are missing at a time: not connected yet, or without a packet for a second. The match starts once
    /// there are none.
    pub fn missing(&self, now: Time) -> impl Iterator<Item = MachineId> + '_ {
        let machines = self.links.iter().map(|(machine, _)| *machine);
        machines.filter(move |machine| !self.is_present(now, *machine))
    }

    /// Returns the time of the next tick or timer. A program without a frame rate may sleep until then.
    pub fn next_due(&self, now: Time) -> Time {
        let tick = now + if self.is_ticking() { self.clock.until_next() } else { RECONNECT_DELAY };
        self.endpoint.poll_timeout().map_or(tick, |timer| timer.min(tick))
    }

    /// Returns the session.
    pub const fn session(&self) -> &Session<S> {
        &self.session
    }

    /// Returns the session, for settings that change rarely: delays, predictors.
    pub const fn session_mut(&mut self) -> &mut Session<S> {
        &mut self.session
    }

    /// Returns the endpoint with its connections.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Returns the transport.
    pub const fn transport_mut(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Returns the packet counters of the endpoint.
    pub const fn counters(&self) -> Counters {
        self.endpoint.counters()
    }

    /// Returns true once all machines were connected and ticks started.
    pub const fn has_started(&self) -> bool {
        self.started
    }

    /// Returns the seats of this machine.
    pub fn local_players(&self) -> impl Iterator<Item = PlayerId> + '_ {
        let players = (0..self.session.players()).map(|player| PlayerId(player as u8));
        players.filter(|player| self.session.occupant(*player) == Some(Occupant::Local))
    }

    fn receive(&mut self, now: Time) {
        let mut bytes = core::mem::take(&mut self.buffer);
        for _ in 0..MAX_DATAGRAMS_PER_FRAME {
            match self.transport.receive(now, &mut bytes) {
                Ok(Some(from)) => self.endpoint.handle_datagram(now, from, &bytes),
                Ok(None) => break,
                Err(error) => self.push_event(PeerEvent::Transport { error: error.to_string() }),
            }
            while let Some(machine) = self.endpoint.poll_game(&mut bytes) {
                self.receive_frame(now, machine, &bytes);
            }
        }
        self.buffer = bytes;
    }

    /// Handles a GAME frame.
    fn receive_frame(&mut self, now: Time, machine: MachineId, frame: &[u8]) {
        let Some((_, link)) = self.links.iter_mut().find(|link| link.0 == machine) else { return };
        if let Err(error) = link.read(now, &mut self.session, frame) {
            self.push_event(PeerEvent::LinkError { machine, error });
        }
    }

    /// Sends a GAME frame and pending session messages to each machine.
    fn send_frames(&mut self, now: Time) {
        let mut bytes = core::mem::take(&mut self.buffer);
        for index in 0..self.links.len() {
            let (machine, link) = &mut self.links[index];
            let machine = *machine;
            match link.write(now, &self.session, &mut bytes) {
                Ok(true) => self.endpoint.send_game(now, machine, &bytes),
                Ok(false) => (),
                Err(error) => {
                    // Unrecoverable: the missing inputs are gone.
                    self.endpoint.close(now, machine, close_code::IDLE_TIMEOUT, "");
                    self.push_event(PeerEvent::LinkError { machine, error });
                }
            }
            while let Some(message) = self.session.poll_message(PeerId(machine.0)) {
                // If the message cannot be sent, the desync analysis ends; the match continues.
                let _ = self.endpoint.send_session_message(machine, &message);
            }
        }
        self.buffer = bytes;
    }

    fn transmit(&mut self, now: Time) {
        let mut bytes = core::mem::take(&mut self.buffer);
        while let Some(to) = self.endpoint.poll_transmit(now, &mut bytes) {
            if let Err(error) = self.transport.send(now, to, &bytes) {
                self.push_event(PeerEvent::Transport { error: error.to_string() });
            }
        }
        self.buffer = bytes;
    }

    /// Returns true if a machine is connected and not interrupted. A crashed machine stays connected until the idle
    /// timeout, and the match must not start with it.
    fn is_present(&self, now: Time, machine: MachineId) -> bool {
        self.endpoint
            .last_received(machine)
            .is_some_and(|received| now.since(received) < PRESENT_WITHIN)
    }

    /// Starts due attempts to connect.
    fn connect_due(&mut self, now: Time) {
        for machine in (0..MAX_MACHINES).map(|machine| MachineId(machine as u8)) {
            let place = usize::from(machine.0);
            let Some(address) = self.addresses[place] else { continue };
            if self.reconnect_at[place].is_some_and(|at| at <= now) {
                self.reconnect_at[place] = None;
                // The preconditions were checked in `new`.
                let _ = self.endpoint.connect(now, machine, address);
            }
        }
    }

    fn handle_events(&mut self, now: Time) {
        while let Some(event) = self.endpoint.poll_event() {
            let event = match event {
                Event::Insecure => PeerEvent::Insecure,
                Event::Connected { machine, .. } => {
                    // The machine may have left before.
                    let _ = self.session.add_peer(PeerId(machine.0));
                    self.reported[usize::from(machine.0)] = None;
                    self.reconnect_at[usize::from(machine.0)] = None;
                    self.finishing.reconnected(machine);
                    self.introduce(machine);
                    PeerEvent::Connected { machine }
                }
                Event::ConnectFailed { machine, reason } => {
                    self.reconnect_at[usize::from(machine.0)] = Some(now + RECONNECT_DELAY);
                    if !self.is_unreported(machine, &reason) {
                        continue;
                    }
                    PeerEvent::ConnectFailed { machine, reason }
                }
                Event::Refused { machine, reason, .. } => {
                    if machine.is_some_and(|machine| !self.is_unreported(machine, &reason)) {
                        continue;
                    }
                    PeerEvent::Refused { machine, reason }
                }
                Event::Interrupted { machine } => PeerEvent::Interrupted { machine },
                Event::Resumed { machine } => PeerEvent::Resumed { machine },
                Event::Closed { machine, reason } => {
                    // Before the match starts, a machine may reconnect.
                    if !self.started {
                        self.reconnect_at[usize::from(machine.0)] = Some(now + RECONNECT_DELAY);
                    }
                    self.finishing.note_left(machine);
                    // Digests of the machine are no longer awaited, and nothing is sent to it.
                    self.session.remove_peer(PeerId(machine.0));
                    // What arrived before the close counts.
                    self.handle_messages(now);
                    if self.finishing.may_leave(machine) {
                        continue;
                    }
                    PeerEvent::Left { machine, reason }
                }
                event => PeerEvent::Connection(event),
            };
            self.push_event(event);
        }
    }

    /// Returns true if the error was not reported yet. A timeout after a refusal is not reported.
    fn is_unreported(&mut self, machine: MachineId, reason: &ConnectError) -> bool {
        let reported = &mut self.reported[usize::from(machine.0)];
        let refused = reported.is_some() && matches!(reason, ConnectError::TimedOut { .. });
        let is_new = !refused && reported.as_ref() != Some(reason);
        if is_new {
            *reported = Some(reason.clone());
        }
        is_new
    }

    fn handle_messages(&mut self, now: Time) {
        while let Some((machine, message)) = self.endpoint.poll_message() {
            match message {
                Message::Peer(message) => match Note::read(&message) {
                    Some(Note::Last(tick)) => self.finishing.note_last(machine, tick),
                    Some(Note::Done(tick, digest)) => {
                        self.finishing.note_done(machine, tick, digest);
                    }
                    Some(Note::Address(other, address)) => self.meet(now, other, address),
                    Some(Note::Held(player, tick)) => {
                        self.finishing.note_held(machine, player, tick);
                    }
                    Some(Note::Input(player, tick, record)) => {
                        self.take_forwarded(machine, player, tick, record);
                    }
                    // Of a later version.
                    None => (),
                },
                Message::Game(message) => self.messages.push_back((machine, message)),
                Message::Session(message) => {
                    if let Err(error) = self.session.message(PeerId(machine.0), &message) {
                        self.push_event(PeerEvent::LinkError { machine, error: error.into() });
                    }
                }
            }
        }
    }

    fn push_event(&mut self, event: PeerEvent) {
        if self.events.len() == MAX_QUEUED_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }
}

impl<S: Simulation, T: Transport> core::fmt::Debug for Peer<S, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut peer = f.debug_struct("Peer");
        peer.field("endpoint", &self.endpoint)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}
