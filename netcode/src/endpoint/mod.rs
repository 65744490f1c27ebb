//! Sans-IO endpoint: the connections of one machine to its peers. Input: datagrams and time. Output: datagrams, frames and
//! events.
//!
//! `initiate` and `respond` are the two sides of the handshake. `cookie` and `limits` bound the cost of unauthenticated packets.
//! `lifecycle` opens and closes connections. An established connection is a [`Connection`](crate::connection).

/// Borrows the fields one by one; a method would borrow all of `self`.
macro_rules! context {
    ($self:ident, $now:expr) => {
        crate::connection::Context {
            now: $now,
            key: $self.config.credentials.key(),
            entropy: &mut *$self.entropy,
            send_queue: &mut $self.send_queue,
            game: &mut $self.game,
            datagrams: &mut $self.datagrams,
            events: &mut $self.events,
            counters: &mut $self.counters,
            plain: &mut $self.plain,
        }
    };
}

mod config;
mod cookie;
mod events;
mod fuzz_hook;
mod initiate;
mod lifecycle;
mod limits;
mod respond;

pub use config::{EndpointConfig, EndpointError};
pub use events::{CloseReason, ConnectError, Counters, Event, close_code};

use crate::address::Address;
use crate::connection::queue::{ReceiveQueue, SendQueue};
use crate::connection::{Connection, MessageError};
use crate::crypto::internals::TokenExpectation;
use crate::crypto::{MAX_MACHINES, MachineId};
use crate::entropy::Entropy;
use crate::wire::{Frame, Header, PROTOCOL_VERSION, frame_type, is_knock, packet_type};
use cookie::Cookies;
use core::time::Duration;
use initiate::OutgoingHandshake;
use isostep_rollback::Time;
use limits::Limits;
use respond::HalfOpen;
use std::collections::VecDeque;

/// Destination of a message: its first byte.
mod destination {
    pub(super) const SESSION: u8 = 0;
    pub(super) const GAME: u8 = 1;
    pub(super) const PEER: u8 = 2;
}

/// Maximum number of queued events.
const MAX_QUEUED_EVENTS: usize = 1024;

/// Target of a connection id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    /// Id of a handshake that is not complete.
    HalfOpen(MachineId),
    Connecting(MachineId),
    Established(MachineId),
}

/// Message that was received on the reliable channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Message for [`Session::message`](isostep_rollback::Session::message).
    Session(Vec<u8>),
    /// Message of the game.
    Game(Vec<u8>),
    /// Message of a [`Peer`](crate::Peer) to another one.
    Peer(Vec<u8>),
}

/// Connections of one machine to all peers of a match. Sans-IO: the caller passes received datagrams and the time, and sends
/// the datagrams that it polls.
///
/// # Call order
/// 1. *Configure*: [`new`](Self::new); [`connect`](Self::connect) for each peer whose address is known. One side of each
///    pair suffices.
/// 2. *Feed*: [`handle_datagram`](Self::handle_datagram) for each datagram, [`handle_timeout`](Self::handle_timeout) when
///    [`poll_timeout`](Self::poll_timeout) is due or once per frame; [`send_game`](Self::send_game),
///    [`send_datagram`](Self::send_datagram), [`send_message`](Self::send_message), [`close`](Self::close).
/// 3. *Drain* after each of them, until empty: [`poll_transmit`](Self::poll_transmit) for datagrams to send,
///    [`poll_event`](Self::poll_event) for events, [`poll_game`](Self::poll_game), [`poll_datagram`](Self::poll_datagram)
///    and [`poll_message`](Self::poll_message) for received data.
///
/// Arbitrary datagrams cause no panic and use bounded memory. Dropped packets are [counted](Self::counters).
///
/// ```
/// use isostep_netcode::crypto::{Credentials, GameId, MachineId};
/// use isostep_netcode::{Address, Endpoint, EndpointConfig, Event, SeededEntropy};
/// use isostep_rollback::Time;
///
/// let mut ends: Vec<Endpoint> = (0..2)
///     .map(|machine| {
///         let credentials = Credentials::insecure(MachineId(machine), 2, GameId::named("doc")).expect("two machines");
///         let config = EndpointConfig::new(credentials, 0);
///         Endpoint::new(config, Box::new(SeededEntropy::new(machine.into()))).expect("good credentials")
///     })
///     .collect();
/// for (own, other) in [(0, 1), (1, 0)] {
///     ends[own].connect(Time::ZERO, MachineId(other as u8), Address::Node(other as u64))?;
/// }
/// // Exchange datagrams.
/// let mut datagram = Vec::new();
/// for millis in 0..100 {
///     let now = Time::from_millis(millis);
///     for (from, to) in [(0, 1), (1, 0)] {
///         ends[from].handle_timeout(now);
///         while ends[from].poll_transmit(now, &mut datagram).is_some() {
///             ends[to].handle_datagram(now, Address::Node(from as u64), &datagram);
///         }
///     }
/// }
/// assert!(ends.iter().all(|end| end.connected().count() == 1));
/// # Ok::<(), isostep_netcode::EndpointError>(())
/// ```
pub struct Endpoint {
    config: EndpointConfig,
    entropy: Box<dyn Entropy + Send>,
    cookies: Cookies,
    limits: Limits,
    peers: [PeerState; MAX_MACHINES],
    /// Closed connections that still send CLOSE frames.
    closing: Vec<Connection>,
    /// Messages that were received completely before their connection closed.
    unpolled: VecDeque<(MachineId, Vec<u8>)>,
    routes: Box<[Option<Route>; 256]>,
    send_queue: SendQueue,
    game: ReceiveQueue,
    datagrams: ReceiveQueue,
    events: VecDeque<Event>,
    counters: Counters,
    plain: Vec<u8>,
    is_shut_down: bool,
}

/// State of one peer.
#[derive(Default)]
struct PeerState {
    outgoing: Option<OutgoingHandshake>,
    half_open: Option<HalfOpen>,
    connection: Option<Connection>,
}

impl Endpoint {
    /// Creates an endpoint without connections.
    ///
    /// # Errors
    /// The token or roster of this machine is invalid: expired, another protocol version, a wrong signature.
    pub fn new(
        config: EndpointConfig,
        mut entropy: Box<dyn Entropy + Send>,
    ) -> Result<Self, EndpointError> {
        let expected = expectation(&config, Time::ZERO);
        config.credentials.token().verify(config.credentials.matchmaker(), &expected)?;
        config.credentials.roster().verify(config.credentials.matchmaker(), &expected)?;
        let mut secret = [0; 32];
        entropy.fill(&mut secret);
        let mut events = VecDeque::new();
        if config.credentials.is_insecure() {
            events.push_back(Event::Insecure);
        }
        Ok(Self {
            config,
            entropy,
            cookies: Cookies::new(secret),
            limits: Limits::new(),
            peers: Default::default(),
            closing: Vec::new(),
            unpolled: VecDeque::new(),
            routes: Box::new([None; 256]),
            send_queue: SendQueue::default(),
            game: ReceiveQueue::default(),
            datagrams: ReceiveQueue::default(),
            events,
            counters: Counters::default(),
            plain: Vec::new(),
            is_shut_down: false,
        })
    }

    /// Handles a received datagram. Any bytes from any address are safe.
    pub fn handle_datagram(&mut self, now: Time, from: Address, bytes: &[u8]) {
        let from = from.canonical();
        self.counters.received += 1;
        self.counters.received_bytes += bytes.len() as u64;
        if self.is_insecure_remote(from) {
            self.counters.unrecognized += 1;
            return;
        }
        let known = match bytes.first() {
            Some(0..0x80) => self.handle_data(now, from, bytes),
            Some(&packet_type::HELLO) => self.handle_hello(now, from, bytes),
            Some(&packet_type::COOKIE) => self.handle_cookie(now, from, bytes),
            Some(&packet_type::VERSIONS) => self.handle_versions(from, bytes),
            Some(&packet_type::INIT) => self.handle_init(now, from, bytes),
            Some(&packet_type::ACCEPT) => self.handle_accept(now, from, bytes),
            // A KNOCK has no effect here: it opens the sender's NAT.
            Some(&packet_type::KNOCK) => is_knock(bytes).then_some(()),
            _ => None,
        };
        if known.is_none() {
            self.counters.unrecognized += 1;
        }
        // Without polling, the oldest events are dropped.
        while self.events.len() > MAX_QUEUED_EVENTS {
            self.events.pop_front();
            self.counters.overflowed += 1;
        }
    }

    fn handle_data(&mut self, now: Time, from: Address, bytes: &[u8]) -> Option<()> {
        let (header, sealed) = Header::read(bytes)?;
        match self.routes[usize::from(header.id)] {
            Some(Route::Established(machine)) => {
                let mut ctx = context!(self, now);
                let connection = self.peers[usize::from(machine.0)].connection.as_mut()?;
                if let Ok(Some(reason)) = connection.receive(&mut ctx, from, header, sealed) {
                    self.terminate(now, machine, reason);
                }
            }
            Some(Route::HalfOpen(machine)) => self.confirm(now, machine, from, header, sealed),
            Some(Route::Connecting(_)) | None => self.counters.unknown_connection += 1,
        }
        Some(())
    }

    /// Handles timers. Call it when [`poll_timeout`](Self::poll_timeout) is due; earlier and later calls are harmless.
    pub fn handle_timeout(&mut self, now: Time) {
        for machine in (0..MAX_MACHINES).map(|machine| MachineId(machine as u8)) {
            self.initiate_timeout(now, machine);
            self.respond_timeout(now, machine);
            let place = &mut self.peers[usize::from(machine.0)];
            if let Some(connection) = &mut place.connection {
                let mut ctx = context!(self, now);
                if let Some(reason) = connection.handle_timeout(&mut ctx, self.config.idle_timeout)
                {
                    self.terminate(now, machine, reason);
                }
            }
        }
        let mut ctx = context!(self, now);
        self.closing
            .retain_mut(|connection| connection.handle_timeout(&mut ctx, Duration::MAX).is_none());
    }

    /// Returns the time of the next timer.
    pub fn poll_timeout(&self) -> Option<Time> {
        let places = self.peers.iter().flat_map(|place| {
            [
                place.outgoing.as_ref().map(OutgoingHandshake::next_timeout),
                place.half_open.as_ref().map(HalfOpen::next_timeout),
                place
                    .connection
                    .as_ref()
                    .map(|connection| connection.next_timeout(self.config.idle_timeout)),
            ]
        });
        let closing = self.closing.iter().map(|connection| connection.next_timeout(Duration::MAX));
        places.flatten().chain(closing).min()
    }

    /// Returns the destination of the next datagram to send; `datagram` is replaced by it.
    pub fn poll_transmit(&mut self, now: Time, datagram: &mut Vec<u8>) -> Option<Address> {
        if self.send_queue.is_empty() {
            for place in &mut self.peers {
                if let Some(connection) = &mut place.connection {
                    connection.flush(&mut context!(self, now));
                }
            }
        }
        self.send_queue.pop(datagram)
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns the sender of the next received GAME frame; `frame` is replaced by it.
    #[doc(hidden)]
    pub fn poll_game(&mut self, frame: &mut Vec<u8>) -> Option<MachineId> {
        self.game.pop(frame)
    }

    /// Returns the sender of the next received datagram; `datagram` is replaced by it.
    pub fn poll_datagram(&mut self, datagram: &mut Vec<u8>) -> Option<MachineId> {
        self.datagrams.pop(datagram)
    }

    /// Returns the next message of the reliable channel and its sender. Messages that were complete when a connection
    /// closed are still returned.
    pub fn poll_message(&mut self) -> Option<(MachineId, Message)> {
        while let Some((machine, message)) = self.next_message() {
            match message.split_first() {
                Some((&destination::SESSION, rest)) => {
                    return Some((machine, Message::Session(rest.to_vec())));
                }
                Some((&destination::GAME, rest)) => {
                    return Some((machine, Message::Game(rest.to_vec())));
                }
                Some((&destination::PEER, rest)) => {
                    return Some((machine, Message::Peer(rest.to_vec())));
                }
                _ => self.counters.malformed += 1,
            }
        }
        None
    }

    fn next_message(&mut self) -> Option<(MachineId, Vec<u8>)> {
        let places = (0..).map(MachineId).zip(&mut self.peers);
        let mut connections =
            places.filter_map(|(machine, place)| Some((machine, place.connection.as_mut()?)));
        let message = self.unpolled.pop_front();
        message.or_else(|| {
            connections.find_map(|(machine, connection)| Some((machine, connection.pop_message()?)))
        })
    }

    /// Sends a GAME frame, with other due frames in the same packet. Does nothing without a connection.
    ///
    /// The first byte of `frame` is `0x80` or more. Frames beyond 16 packets are dropped and counted.
    #[doc(hidden)]
    pub fn send_game(&mut self, now: Time, machine: MachineId, frame: &[u8]) {
        if frame.first().is_some_and(|&first| first >= frame_type::GAME) {
            self.send(now, machine, frame);
        }
    }

    /// Sends an unreliable, unordered datagram. Does nothing without a connection; datagrams beyond 16 packets are
    /// dropped and counted.
    pub fn send_datagram(&mut self, now: Time, machine: MachineId, bytes: &[u8]) {
        let mut frame = self.datagrams.buffer();
        Frame::Datagram(bytes).write(&mut frame);
        self.send(now, machine, &frame);
    }

    fn send(&mut self, now: Time, machine: MachineId, frame: &[u8]) {
        let mut ctx = context!(self, now);
        let place = self.peers.get_mut(usize::from(machine.0));
        let sent = place.and_then(|place| Some(place.connection.as_mut()?.send(&mut ctx, frame)));
        if sent == Some(false) {
            self.counters.overflowed += 1;
        }
    }

    /// Sends a message of the game on the reliable, ordered channel. Messages do not reach the simulation.
    ///
    /// # Errors
    /// No connection, message too long, or send queue full.
    pub fn send_message(&mut self, machine: MachineId, message: &[u8]) -> Result<(), MessageError> {
        self.push_message(machine, destination::GAME, message)
    }

    /// Like [`send_message`](Self::send_message), for messages of [`Session::poll_message`](isostep_rollback::Session::poll_message).
    ///
    /// # Errors
    /// As [`send_message`](Self::send_message).
    #[doc(hidden)]
    pub fn send_session_message(
        &mut self,
        machine: MachineId,
        message: &[u8],
    ) -> Result<(), MessageError> {
        self.push_message(machine, destination::SESSION, message)
    }

    /// Like [`send_message`](Self::send_message), for messages of a [`Peer`](crate::Peer) to another one.
    pub(crate) fn send_peer_message(
        &mut self,
        machine: MachineId,
        message: &[u8],
    ) -> Result<(), MessageError> {
        self.push_message(machine, destination::PEER, message)
    }

    /// Returns true if a machine is connected and has acknowledged all messages.
    pub(crate) fn is_delivered(&self, machine: MachineId) -> bool {
        self.connection(machine).is_some_and(Connection::is_delivered)
    }

    fn push_message(
        &mut self,
        machine: MachineId,
        destination: u8,
        bytes: &[u8],
    ) -> Result<(), MessageError> {
        let connection =
            self.peers.get_mut(usize::from(machine.0)).and_then(|place| place.connection.as_mut());
        connection.ok_or(MessageError::NotConnected { machine })?.push_message(destination, bytes)
    }

    /// Id of this machine.
    pub fn machine(&self) -> MachineId {
        self.config.credentials.machine()
    }

    /// Ids of the other machines in the roster.
    pub fn peers(&self) -> impl Iterator<Item = MachineId> + '_ {
        self.config.credentials.roster().machines().filter(|machine| *machine != self.machine())
    }

    /// Ids of the connected machines.
    pub fn connected(&self) -> impl Iterator<Item = MachineId> + '_ {
        let places = (0..).map(MachineId).zip(&self.peers);
        places.filter(|(_, place)| place.connection.is_some()).map(|(machine, _)| machine)
    }

    fn connection(&self, machine: MachineId) -> Option<&Connection> {
        self.peers.get(usize::from(machine.0))?.connection.as_ref()
    }

    /// Smoothed round-trip time to a peer, without the ack delay.
    #[doc(alias = "ping")]
    pub fn rtt(&self, machine: MachineId) -> Option<Duration> {
        self.connection(machine)?.rtt()
    }

    /// Time of the last packet from a peer.
    pub fn last_received(&self, machine: MachineId) -> Option<Time> {
        Some(self.connection(machine)?.last_received())
    }

    /// Address of a peer.
    pub fn remote_address(&self, machine: MachineId) -> Option<Address> {
        Some(self.connection(machine)?.address())
    }

    /// MTU to a peer, in bytes of UDP payload.
    #[doc(hidden)]
    pub fn mtu(&self, machine: MachineId) -> Option<usize> {
        Some(self.connection(machine)?.mtu())
    }

    /// Key epoch: number of rekeys of a connection.
    #[doc(hidden)]
    pub fn key_epoch(&self, machine: MachineId) -> Option<u64> {
        Some(self.connection(machine)?.epoch())
    }

    /// Packet counters.
    pub const fn counters(&self) -> Counters {
        let dropped = self.send_queue.dropped() + self.game.dropped() + self.datagrams.dropped();
        Counters { overflowed: self.counters.overflowed + dropped, ..self.counters }
    }

    /// Returns true if development keys are in use.
    #[doc(hidden)]
    pub const fn is_insecure(&self) -> bool {
        self.config.credentials.is_insecure()
    }
}

/// Expected contents of a peer's token at `now`.
fn expectation(config: &EndpointConfig, now: Time) -> TokenExpectation {
    TokenExpectation {
        game: config.parameters.game,
        match_id: config.credentials.token().spec().match_id,
        protocol: PROTOCOL_VERSION,
        unix_now: config.unix_at_zero.saturating_add(now.nanos() / 1_000_000_000),
    }
}

impl core::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let connected: Vec<_> = self.connected().collect();
        let mut endpoint = f.debug_struct("Endpoint");
        endpoint
            .field("machine", &self.machine())
            .field("connected", &connected)
            .finish_non_exhaustive()
    }
}
