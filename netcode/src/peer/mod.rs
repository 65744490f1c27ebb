//! A machine that plays: transport, connections, links, session and pacing behind the few calls of a frame.
//!
//! `config` is what it has to know, `events` what it tells.

mod config;
mod events;

pub use config::{PeerConfig, PeerError, Seat};
pub use events::PeerEvent;

use crate::address::Address;
use crate::connection::MessageError;
use crate::crypto::{MAX_SLOTS, Slot};
use crate::endpoint::{ConnectError, Counters, Endpoint, Event, Message, close_code};
use crate::entropy::Entropy;
use crate::link::Link;
use crate::transport::Transport;
use core::time::Duration;
use isostep_rollback::pace::FrameTicks;
use isostep_rollback::{
    CommandFeedError, FeedError, Occupant, PeerId, PlayerId, RunError, RunReport, Session,
    Simulation, TickClock, Time,
};
use std::collections::VecDeque;

/// Most datagrams that one frame takes: a flood must not keep a game from its tick.
const MOST_DATAGRAMS: usize = 16_384;
/// Most events that wait to be polled.
const MOST_EVENTS: usize = 4096;
/// Who could not be reached is called again after this time.
const CALL_AGAIN: Duration = Duration::from_millis(500);
/// Who is there was heard within this time; pings come twice as often.
const LATELY: Duration = Duration::from_secs(1);

/// A machine that plays a match with the others of its roster, over any [`Transport`].
///
/// # The calls of a frame, in order
/// 1. [`begin_frame`](Self::begin_frame) takes what has arrived and says how many ticks are due.
/// 2. For each of them [`local_input`](Self::local_input) and [`tick`](Self::tick).
/// 3. [`end_frame`](Self::end_frame) sends.
/// 4. [`poll_event`](Self::poll_event) and [`poll_message`](Self::poll_message) until there is nothing.
///
/// Ticks are due once all are there. Time is an argument: the same calls run over UDP and the real clock, and over a
/// [`SimTransport`](crate::transport::SimTransport) in virtual time.
///
/// ```
/// use isostep_netcode::crypto::{Credentials, GameId, Slot};
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
/// for (slot, transport) in (0..).zip(SimTransport::nodes(SimNetwork::new(1), 2)) {
///     let other = 1 - slot;
///     let credentials = Credentials::insecure(Slot(slot), 2, GameId::named("tug"))?;
///     let config = PeerConfig::new(credentials, 0).address(Slot(other), Address::Node(other.into()));
///     let mut game = Tug::default();
///     let entropy = Box::new(SeededEntropy::new(slot.into()));
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
    links: Vec<(Slot, Link)>,
    /// Where the others are, as far as was said.
    addresses: [Option<Address>; MAX_SLOTS],
    /// When somebody who could not be reached is called again.
    calls: [Option<Time>; MAX_SLOTS],
    /// Why each could not be reached or was refused, so that it is told once.
    told: [Option<ConnectError>; MAX_SLOTS],
    transport: T,
    clock: TickClock,
    started: bool,
    /// Whether a tick was made that nobody was told of.
    fresh: bool,
    events: VecDeque<PeerEvent>,
    messages: VecDeque<(Slot, Vec<u8>)>,
    bytes: Vec<u8>,
}

impl<S: Simulation, T: Transport> Peer<S, T> {
    /// A machine that calls the others from its first frame on. The game is in its first state. `entropy` is
    /// `Box::new(OsEntropy)` in a real match, and a seeded one in tests.
    ///
    /// # Errors
    /// When the credentials are not good, the settings contradict themselves, or the game's state can't be saved.
    pub fn new(
        config: PeerConfig,
        game: &mut S,
        transport: T,
        entropy: Box<dyn Entropy + Send>,
    ) -> Result<Self, PeerError> {
        let seated = config.seated()?;
        let tick_length = seated.duration_of(1);
        let mut session = Session::start(seated, game)?;
        let (width, schema) = (session.codec().width() as u16, session.codec().schema());
        let settings = config.endpoint.inputs(width, schema, session.fingerprint());
        let endpoint = Endpoint::new(settings, entropy)?;
        let mut addresses = [None; MAX_SLOTS];
        for (slot, address) in config.addresses {
            // What is wrong with addresses should show at once, and not when the first frame says what time it is.
            endpoint.may_connect(slot, address)?;
            *addresses.get_mut(usize::from(slot.0)).ok_or(PeerError::NoSuchSlot { slot })? =
                Some(address);
        }
        let silent =
            |slot: &Slot| *slot > endpoint.slot() && addresses[usize::from(slot.0)].is_none();
        if let Some(slot) = endpoint.others().find(silent) {
            return Err(PeerError::NoAddress { slot });
        }
        let others: Vec<Slot> = endpoint.others().collect();
        let mut calls = [None; MAX_SLOTS];
        for slot in &others {
            // Who has no seat watches, and is told everything too. A roster has fewer slots than a session has peers.
            let _ = session.add_peer(PeerId(slot.0));
            calls[usize::from(slot.0)] = Some(Time::ZERO);
        }
        let links = others.into_iter().map(|slot| (slot, Link::new(PeerId(slot.0)))).collect();
        Ok(Self {
            endpoint,
            session,
            links,
            addresses,
            calls,
            told: Default::default(),
            transport,
            clock: TickClock::new(tick_length),
            started: false,
            fresh: false,
            events: VecDeque::new(),
            messages: VecDeque::new(),
            bytes: Vec::new(),
        })
    }

    /// Takes what has arrived, and says how many ticks are due: none before all are there.
    pub fn begin_frame(&mut self, now: Time) -> FrameTicks {
        self.receive(now);
        self.endpoint.handle_timeout(now);
        self.call(now);
        self.take_events(now);
        self.take_messages();
        if !self.started {
            self.transmit(now);
            // The clock begins with the match.
            if !self.links.iter().all(|(slot, _)| self.is_there(now, *slot)) {
                return FrameTicks { ticks: 0, ..self.clock.clone().frame(now) };
            }
            self.started = true;
            self.tell(PeerEvent::Started);
        }
        self.clock.set_rate_ppm(self.session.rate_ppm());
        self.clock.frame(now)
    }

    /// What a local player does now; see [`Session::local_input`].
    ///
    /// # Errors
    /// When no local player sits there.
    pub fn local_input(&mut self, player: PlayerId, input: S::Input) -> Result<(), FeedError> {
        self.session.local_input(player, input)
    }

    /// A command of a local player; see [`Session::command`].
    ///
    /// # Errors
    /// As there.
    pub fn command(&mut self, player: PlayerId, command: &[u8]) -> Result<(), CommandFeedError> {
        self.session.command(player, command)
    }

    /// Makes one tick that is due. Before all are there nothing happens.
    ///
    /// # Errors
    /// When the game's state can't be saved or loaded.
    pub fn tick(&mut self, now: Time, game: &mut S) -> Result<RunReport, RunError> {
        if !self.started {
            return Ok(RunReport::default());
        }
        self.fresh = true;
        let ran = self.session.advance(now).run(game);
        while let Some(event) = self.session.poll_event() {
            self.tell(PeerEvent::Session(event));
        }
        ran
    }

    /// Sends what there is to send.
    pub fn end_frame(&mut self, now: Time) {
        if core::mem::take(&mut self.fresh) {
            self.speak(now);
        }
        self.transmit(now);
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<PeerEvent> {
        self.events.pop_front()
    }

    /// The next message of a machine to the game; it never touches the simulation.
    pub fn poll_message(&mut self) -> Option<(Slot, Vec<u8>)> {
        self.messages.pop_front()
    }

    /// Sends a message to a machine, which arrives whole and in order: chat, a choice of map, anything that the simulation does
    /// not see.
    ///
    /// # Errors
    /// When it is not there, the message is too long, or too much waits already.
    pub fn send_message(&mut self, to: Slot, message: &[u8]) -> Result<(), MessageError> {
        self.endpoint.send_message(to, message)
    }

    /// Says goodbye to all. Messages that the others have not acknowledged are lost; what had arrived here can still be polled.
    /// Go on with [`begin_frame`](Self::begin_frame) and [`end_frame`](Self::end_frame) for half a
    /// second, so that everybody hears it.
    pub fn leave(&mut self, now: Time) {
        self.calls = [None; MAX_SLOTS];
        self.endpoint.shut_down(now);
        self.transmit(now);
    }

    /// When something is due if nothing arrives: a tick or a timer. A program without a frame rate may sleep until then.
    pub fn next_due(&self, now: Time) -> Time {
        let tick = now + if self.started { self.clock.until_next() } else { CALL_AGAIN };
        self.endpoint.poll_timeout().map_or(tick, |timer| timer.min(tick))
    }

    /// The session.
    pub const fn session(&self) -> &Session<S> {
        &self.session
    }

    /// The session, for what is not a matter of every frame: delays, predictors.
    pub const fn session_mut(&mut self) -> &mut Session<S> {
        &mut self.session
    }

    /// The connections.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The transport.
    pub const fn transport_mut(&mut self) -> &mut T {
        &mut self.transport
    }

    /// What was counted of packets.
    pub const fn counters(&self) -> Counters {
        self.endpoint.counters()
    }

    /// Whether all were there once, and ticks are due.
    pub const fn has_started(&self) -> bool {
        self.started
    }

    /// The seats of this machine.
    pub fn local_players(&self) -> impl Iterator<Item = PlayerId> + '_ {
        let players = (0..self.session.players()).map(|player| PlayerId(player as u8));
        players.filter(|player| self.session.occupant(*player) == Some(Occupant::Local))
    }

    fn receive(&mut self, now: Time) {
        let mut bytes = core::mem::take(&mut self.bytes);
        for _ in 0..MOST_DATAGRAMS {
            match self.transport.receive(now, &mut bytes) {
                Ok(Some(from)) => self.endpoint.handle_datagram(now, from, &bytes),
                Ok(None) => break,
                Err(error) => self.tell(PeerEvent::Transport { error: error.to_string() }),
            }
            while let Some(slot) = self.endpoint.poll_game(&mut bytes) {
                self.hear(now, slot, &bytes);
            }
        }
        self.bytes = bytes;
    }

    /// A frame of another session.
    fn hear(&mut self, now: Time, slot: Slot, frame: &[u8]) {
        let Some((_, link)) = self.links.iter_mut().find(|link| link.0 == slot) else { return };
        if let Err(error) = link.read(now, &mut self.session, frame) {
            self.tell(PeerEvent::Broken { slot, error });
        }
    }

    /// Tells everybody what is new.
    fn speak(&mut self, now: Time) {
        let mut bytes = core::mem::take(&mut self.bytes);
        for index in 0..self.links.len() {
            let (slot, link) = &mut self.links[index];
            let slot = *slot;
            match link.write(now, &self.session, &mut bytes) {
                Ok(true) => self.endpoint.send_game(now, slot, &bytes),
                Ok(false) => (),
                Err(error) => {
                    // It can't go on, and would only lack more.
                    self.endpoint.close(now, slot, close_code::SILENCE, "");
                    self.tell(PeerEvent::Broken { slot, error });
                }
            }
            while let Some(message) = self.session.poll_message(PeerId(slot.0)) {
                // Where it can't go, the walk through a difference ends; the match does not.
                let _ = self.endpoint.send_session_message(slot, &message);
            }
        }
        self.bytes = bytes;
    }

    fn transmit(&mut self, now: Time) {
        let mut bytes = core::mem::take(&mut self.bytes);
        while let Some(to) = self.endpoint.poll_transmit(now, &mut bytes) {
            if let Err(error) = self.transport.send(now, to, &bytes) {
                self.tell(PeerEvent::Transport { error: error.to_string() });
            }
        }
        self.bytes = bytes;
    }

    /// Whether a machine is connected, and was heard lately: one that crashed is connected until the idle timeout, and the
    /// match must not begin with it.
    fn is_there(&self, now: Time, slot: Slot) -> bool {
        self.endpoint.last_heard(slot).is_some_and(|heard| now.since(heard) < LATELY)
    }

    /// Calls those who are not there.
    fn call(&mut self, now: Time) {
        for slot in (0..MAX_SLOTS).map(|slot| Slot(slot as u8)) {
            let place = usize::from(slot.0);
            let Some(address) = self.addresses[place] else { continue };
            if self.calls[place].is_some_and(|at| at <= now) {
                self.calls[place] = None;
                // Refused only for what was asked at the start.
                let _ = self.endpoint.connect(now, slot, address);
            }
        }
    }

    fn take_events(&mut self, now: Time) {
        while let Some(event) = self.endpoint.poll_event() {
            let event = match event {
                Event::Insecure => PeerEvent::Insecure,
                Event::Connected { slot, .. } => {
                    // It may have left before.
                    let _ = self.session.add_peer(PeerId(slot.0));
                    self.told[usize::from(slot.0)] = None;
                    PeerEvent::Joined { slot }
                }
                Event::Failed { slot, reason } => {
                    self.calls[usize::from(slot.0)] = Some(now + CALL_AGAIN);
                    if !self.is_news(slot, &reason) {
                        continue;
                    }
                    PeerEvent::NotReached { slot, reason }
                }
                Event::Refused { slot, reason, .. } => {
                    if slot.is_some_and(|slot| !self.is_news(slot, &reason)) {
                        continue;
                    }
                    PeerEvent::Refused { slot, reason }
                }
                Event::Quiet { slot } => PeerEvent::Quiet { slot },
                Event::Back { slot } => PeerEvent::Back { slot },
                Event::Closed { slot, reason } => {
                    // Before the match begins, who left may come again.
                    if !self.started {
                        self.calls[usize::from(slot.0)] = Some(now + CALL_AGAIN);
                    }
                    // Nobody waits for its digests, and nothing is written for it.
                    self.session.remove_peer(PeerId(slot.0));
                    PeerEvent::Left { slot, reason }
                }
                event => PeerEvent::Connection(event),
            };
            self.tell(event);
        }
    }

    /// Whether this was not told of a machine already. That it does not answer is no news of one that was refused.
    fn is_news(&mut self, slot: Slot, reason: &ConnectError) -> bool {
        let told = &mut self.told[usize::from(slot.0)];
        let refused = told.is_some() && matches!(reason, ConnectError::NoAnswer { .. });
        let news = !refused && told.as_ref() != Some(reason);
        if news {
            *told = Some(reason.clone());
        }
        news
    }

    fn take_messages(&mut self) {
        while let Some((slot, message)) = self.endpoint.poll_message() {
            match message {
                Message::Game(message) => self.messages.push_back((slot, message)),
                Message::Session(message) => {
                    if let Err(error) = self.session.message(PeerId(slot.0), &message) {
                        self.tell(PeerEvent::Broken { slot, error: error.into() });
                    }
                }
            }
        }
    }

    fn tell(&mut self, event: PeerEvent) {
        if self.events.len() == MOST_EVENTS {
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
