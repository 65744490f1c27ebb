//! Datagram protocol between two sessions: unacknowledged inputs, acknowledgements, timing reports, digests, and pieces
//! of long messages. The bytes have a checksum against corruption and no encryption: for tests, tools and transports
//! that protect by themselves.

mod checksum;
mod pace;
mod reliable;

use crate::Tick;
use crate::input::{InputReadError, put_tick, take_tick};
use crate::player::{PeerId, PlayerId};
use crate::session::{FeedError, RecordError, Session};
use crate::simulation::Simulation;
use crate::time::Time;
use isostep_core::digest::ShortDigest;
use isostep_core::internals::Reader;
use reliable::Reliable;

/// First byte of every datagram.
const MAGIC: u8 = 0x15;
/// Bytes before the checksummed part: the magic byte and the checksum.
const HEADER: usize = 5;
/// Bytes beyond which no more ticks are added to a datagram. With all other parts it stays below 1,200.
const FULL: usize = 560;
/// Maximum number of ticks of one player in a datagram.
const MAX_TICKS: usize = 255;

/// Parts of a datagram.
mod part {
    pub(super) const WINDOW: u8 = 1;
    pub(super) const BUNDLE: u8 = 2;
    pub(super) const RECEIVED: u8 = 3;
    pub(super) const CONFIRMED: u8 = 4;
    pub(super) const DIGEST: u8 = 5;
    pub(super) const RELIABLE: u8 = 6;
    pub(super) const PACE: u8 = 7;
}

/// Role of the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A machine with players.
    Player,
    /// A spectator, which receives confirmed inputs.
    Spectator,
    /// The host of this spectator, which sends confirmed inputs.
    Host,
}

/// Error of reading a datagram. Parts before the malformed one were accepted; each part is validated on its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// Not a datagram of this protocol.
    #[error("not a datagram of this protocol; ignore it")]
    UnknownProtocol {
        /// First byte.
        first: Option<u8>,
    },
    /// The checksum differs: bits were flipped, or the end is missing.
    #[error("the datagram is corrupted; the peer repeats its contents")]
    Damaged,
    /// The peer's inputs have another width.
    #[error("inputs have {theirs} bytes at the peer and {ours} here; run the same game on both")]
    Width {
        /// Width of the peer.
        theirs: u8,
        /// Local width.
        ours: usize,
    },
    /// The peer has different settings.
    #[error(
        "{peer} has different settings: seats, digest interval, command limits, tick length and the input type must be the same \
         on all machines"
    )]
    Settings {
        /// The peer.
        peer: PeerId,
    },
    /// The datagram is truncated.
    #[error("the datagram is truncated within a part; run the same version on both")]
    Truncated,
    /// A part of an unknown kind.
    #[error("unknown part kind {kind}; run the same version on both")]
    UnknownPart {
        /// The kind.
        kind: u8,
    },
    /// An input is malformed.
    #[error(transparent)]
    Input(#[from] InputReadError),
    /// The session refused a part.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// The peer lacks inputs that are older than the log.
    #[error(
        "{peer} lacks inputs from tick {tick} on, which are no longer in the log; it must rejoin the match"
    )]
    InputsDiscarded {
        /// The peer.
        peer: PeerId,
        /// First missing tick.
        tick: Tick,
    },
}

impl From<RecordError> for ExchangeError {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Input(error) => Self::Input(error),
            RecordError::Feed(error) => Self::Feed(error),
        }
    }
}

/// Accepts the refusal of ticks beyond the input log: the peer is ahead, and repeats them until they are acknowledged.
fn repeated_later<T>(result: Result<T, ExchangeError>) -> Result<(), ExchangeError> {
    match result {
        Ok(_) | Err(ExchangeError::Feed(FeedError::FarFuture { .. })) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Exchange of datagrams with one peer.
///
/// *Send* with [`write`](Self::write) after each [`advance`](Session::advance), or at any other rate; *receive* with
/// [`read`](Self::read). Unacknowledged inputs are repeated in each datagram, so any datagram may be lost, late,
/// duplicated or reordered.
#[derive(Debug)]
pub struct Exchange {
    peer: PeerId,
    role: Role,
    /// By seat: the tick up to which the peer has acknowledged local inputs.
    acknowledged: Vec<Tick>,
    /// Seat whose inputs the last datagram began with: if not all fit, they take turns.
    turn: usize,
    /// Tick up to which a spectator has confirmed inputs.
    sent_to: Tick,
    reliable: Reliable,
}

impl Exchange {
    /// Creates an exchange with a machine that has players.
    pub fn new(peer: PeerId) -> Self {
        Self::with_role(peer, Role::Player)
    }

    /// Creates an exchange with a spectator, which receives confirmed inputs.
    pub fn to_spectator(peer: PeerId) -> Self {
        Self::with_role(peer, Role::Spectator)
    }

    /// Creates a spectator's exchange with its host. The session needs [`Authority::Bundle`](crate::Authority::Bundle).
    pub fn to_host(peer: PeerId) -> Self {
        Self::with_role(peer, Role::Host)
    }

    fn with_role(peer: PeerId, role: Role) -> Self {
        Self {
            peer,
            role,
            acknowledged: Vec::new(),
            turn: 0,
            sent_to: Tick(0),
            reliable: Reliable::default(),
        }
    }

    /// Returns the peer.
    pub const fn peer(&self) -> PeerId {
        self.peer
    }

    /// Writes the next datagram; `out` is replaced.
    ///
    /// # Errors
    /// If the session does not have the peer, or the peer lacks inputs that are older than the log.
    pub fn write<S: Simulation>(
        &mut self,
        session: &mut Session<S>,
        out: &mut Vec<u8>,
    ) -> Result<(), ExchangeError> {
        if !session.has_peer(self.peer) {
            return Err(FeedError::UnknownPeer { peer: self.peer }.into());
        }
        while let Some(message) = session.poll_message(self.peer) {
            self.reliable.push(message);
        }
        out.clear();
        out.push(MAGIC);
        // Space for the checksum.
        out.extend_from_slice(&[0; HEADER - 1]);
        out.push(session.codec().width() as u8);
        out.extend_from_slice(&session.fingerprint().to_le_bytes());
        match self.role {
            Role::Player => {
                self.write_windows(session, out)?;
                self.write_received(session, out);
            }
            Role::Spectator => self.write_bundle(session, out)?,
            Role::Host => {
                out.push(part::CONFIRMED);
                out.extend_from_slice(&session.confirmed_tick().0.to_le_bytes());
            }
        }
        if let Some(report) = session.margin_report(self.peer) {
            out.push(part::PACE);
            pace::write(&report, out);
        }
        if let Some((tick, digest)) = session.digest() {
            out.push(part::DIGEST);
            out.extend_from_slice(&tick.0.to_le_bytes());
            out.extend_from_slice(&digest.to_bytes());
        }
        if !self.reliable.is_idle() {
            out.push(part::RELIABLE);
            self.reliable.write(out);
        }
        let sum = checksum::of(&out[HEADER..]);
        out[1..HEADER].copy_from_slice(&sum.to_le_bytes());
        Ok(())
    }

    fn write_windows<S: Simulation>(
        &mut self,
        session: &Session<S>,
        out: &mut Vec<u8>,
    ) -> Result<(), ExchangeError> {
        let start = session.config().first_tick();
        let players = session.players();
        self.acknowledged.resize(players, start);
        self.turn = (self.turn + 1) % players.max(1);
        for place in (self.turn..players).chain(0..self.turn) {
            let player = PlayerId(place as u8);
            let Some(next) = session.local_next(player) else { continue };
            let Some(from) = session.local_from(player, self.acknowledged[place]) else { continue };
            if from >= next {
                continue;
            }
            // The next datagram starts with another seat.
            if out.len() > FULL {
                break;
            }
            if !session.has_logged(from) {
                // A peer that joined after the local player had left the seat never acknowledges its inputs.
                if session.local_from(player, next).is_none() {
                    continue;
                }
                return Err(ExchangeError::InputsDiscarded { peer: self.peer, tick: from });
            }
            out.push(part::WINDOW);
            out.push(player.0);
            out.extend_from_slice(&from.0.to_le_bytes());
            let count = out.len();
            out.push(0);
            for (tick, ..) in session.local_window(player, from).take(MAX_TICKS) {
                if out.len() > FULL && out[count] > 0 {
                    break;
                }
                session.put_local(player, tick, out);
                out[count] += 1;
            }
        }
        Ok(())
    }

    fn write_received<S: Simulation>(&self, session: &Session<S>, out: &mut Vec<u8>) {
        for player in (0..session.players()).map(|player| PlayerId(player as u8)) {
            let Some(received) = session.received_from(player, self.peer) else { continue };
            out.push(part::RECEIVED);
            out.push(player.0);
            out.extend_from_slice(&received.0.to_le_bytes());
        }
    }

    fn write_bundle<S: Simulation>(
        &mut self,
        session: &Session<S>,
        out: &mut Vec<u8>,
    ) -> Result<(), ExchangeError> {
        let from = self.sent_to.max(session.config().first_tick());
        // Ticks of bots are confirmed before they are stepped, but their occupant may change until then.
        let end = session.confirmed_tick().min(session.current_tick());
        if from >= end {
            return Ok(());
        }
        if !session.has_logged(from) {
            return Err(ExchangeError::InputsDiscarded { peer: self.peer, tick: from });
        }
        out.push(part::BUNDLE);
        out.push(session.players() as u8);
        out.extend_from_slice(&from.0.to_le_bytes());
        let count = out.len();
        out.push(0);
        for tick in (from.0..end.0).map(Tick).take(MAX_TICKS) {
            if out.len() > FULL && out[count] > 0 {
                break;
            }
            for player in (0..session.players()).map(|player| PlayerId(player as u8)) {
                let (value, payload) = session.confirmed_input(player, tick).unwrap_or_default();
                put_tick(session.codec(), value, payload, out);
            }
            out[count] += 1;
        }
        Ok(())
    }

    /// Reads a datagram of the peer. The bytes are not trusted.
    ///
    /// # Errors
    /// If the datagram is malformed, or the session refuses a part.
    pub fn read<S: Simulation>(
        &mut self,
        now: Time,
        session: &mut Session<S>,
        bytes: &[u8],
    ) -> Result<(), ExchangeError> {
        let mut from = Reader::new(bytes);
        let first = from.u8();
        if first != Some(MAGIC) {
            return Err(ExchangeError::UnknownProtocol { first });
        }
        let sum = from.u32().ok_or(ExchangeError::Damaged)?;
        if bytes.get(HEADER..).is_none_or(|rest| checksum::of(rest) != sum) {
            return Err(ExchangeError::Damaged);
        }
        let theirs = from.u8().ok_or(ExchangeError::Truncated)?;
        let ours = session.codec().width();
        if usize::from(theirs) != ours {
            return Err(ExchangeError::Width { theirs, ours });
        }
        if from.u32().ok_or(ExchangeError::Truncated)? != session.fingerprint() {
            return Err(ExchangeError::Settings { peer: self.peer });
        }
        while let Some(kind) = from.u8() {
            let read = match kind {
                part::WINDOW => self.read_window(session, &mut from)?,
                part::BUNDLE => self.read_bundle(session, &mut from)?,
                part::RECEIVED => self.read_received(session, &mut from),
                part::CONFIRMED => from.u32().map(|tick| {
                    self.sent_to = self.sent_to.max(Tick(tick)).min(session.confirmed_tick());
                }),
                part::DIGEST => {
                    let read = from.u32().zip(from.array().map(ShortDigest::from_bytes));
                    if let Some((tick, digest)) = read {
                        session.remote_digest(self.peer, Tick(tick), digest)?;
                    }
                    read.map(|_| ())
                }
                part::PACE => match pace::read(&mut from) {
                    Some(report) => Some(session.margins(now, self.peer, report)?),
                    None => None,
                },
                part::RELIABLE => self.reliable.read(&mut from),
                _ => return Err(ExchangeError::UnknownPart { kind }),
            };
            read.ok_or(ExchangeError::Truncated)?;
        }
        while let Some(message) = self.reliable.pop() {
            session.message(self.peer, &message)?;
        }
        Ok(())
    }

    fn read_window<S: Simulation>(
        &self,
        session: &mut Session<S>,
        from: &mut Reader<'_>,
    ) -> Result<Option<()>, ExchangeError> {
        let Some((player, first)) = from.u8().map(PlayerId).zip(from.u32().map(Tick)) else {
            return Ok(None);
        };
        let Some(count) = from.u8() else { return Ok(None) };
        let codec = *session.codec();
        for tick in (first.0..first.0.saturating_add(u32::from(count))).map(Tick) {
            let before = *from;
            let Some(record) = take_tick(codec.width(), from) else { return Ok(None) };
            repeated_later(
                session
                    .take_record(self.peer, player, tick, record, before.until(from))
                    .map_err(ExchangeError::from),
            )?;
        }
        Ok(Some(()))
    }

    fn read_bundle<S: Simulation>(
        &mut self,
        session: &mut Session<S>,
        from: &mut Reader<'_>,
    ) -> Result<Option<()>, ExchangeError> {
        let Some((seats, first)) = from.u8().map(usize::from).zip(from.u32()) else {
            return Ok(None);
        };
        let Some(count) = from.u8() else { return Ok(None) };
        let codec = *session.codec();
        if self.role != Role::Host || seats != session.players() {
            return Err(FeedError::BundleSize { inputs: seats, seats: session.players() }.into());
        }
        for tick in (first..first.saturating_add(u32::from(count))).map(Tick) {
            let mut bundle = Vec::with_capacity(seats);
            for _ in 0..seats {
                let Some((bytes, payload)) = take_tick(codec.width(), from) else {
                    return Ok(None);
                };
                bundle.push((codec.read(bytes)?, payload));
            }
            repeated_later(session.confirmed_bundle(tick, &bundle).map_err(ExchangeError::from))?;
        }
        Ok(Some(()))
    }

    fn read_received<S: Simulation>(
        &mut self,
        session: &mut Session<S>,
        from: &mut Reader<'_>,
    ) -> Option<()> {
        let player = PlayerId(from.u8()?);
        let tick = Tick(from.u32()?);
        self.acknowledged.resize(session.players(), session.config().first_tick());
        let next = session.local_next(player).unwrap_or_default();
        if let Some(acknowledged) = self.acknowledged.get_mut(usize::from(player.0)) {
            // The current occupant of the seat may have acknowledged more than was sent from here.
            *acknowledged = (*acknowledged).max(tick.min(next));
            session.acknowledge(self.peer, player, *acknowledged);
        }
        Some(())
    }
}
