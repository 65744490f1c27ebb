//! Validates packets before ggrs sees them: those that would make it panic or use unbounded memory are refused. The
//! guard learns the progress of the match from outgoing packets.

use super::packet::{Form, Packet, PacketError};
use super::setup::{GgrsSetup, GgrsSetupError};
use core::hash::Hash;
use ggrs::{Message, NonBlockingSocket};
use std::collections::VecDeque;

/// Inputs that ggrs keeps for a player; it panics when there are more.
const QUEUE: i64 = 128;
/// Outgoing pings that are kept. ggrs sends five a second to each peer.
const PINGS: usize = 512;
/// Checksum intervals for which ggrs keeps a peer's checksums.
const CHECKSUMS: i64 = 32;

/// Datagram transport of a [`GuardedSocket`].
pub trait Datagrams<A> {
    /// Sends a datagram; it may be lost.
    fn send(&mut self, bytes: &[u8], to: &A);

    /// Returns the next received datagram.
    fn receive(&mut self) -> Option<(A, Vec<u8>)>;

    /// Called when a datagram was refused. No action is needed; a sender that continues may be worth disconnecting.
    fn refused(&mut self, from: &A, error: PacketError) {
        let _ = (from, error);
    }
}

/// Decides which packets are passed on to ggrs.
#[derive(Clone, Debug)]
pub struct Guard {
    form: Form,
    /// `None` for a spectator, which accepts inputs for any frame.
    reach: Option<Reach>,
    checksum_every: i64,
    /// Outgoing pings, in milliseconds of ggrs's clock.
    pings: VecDeque<u128>,
}

/// Progress of a player's machine, and the allowed distance of others.
#[derive(Clone, Debug)]
struct Reach {
    window: i64,
    delay: i64,
    /// Last frame with a sent local input; -1 at first.
    sent: i64,
    /// By player: the frame after which the player is disconnected.
    gone: Vec<Option<i64>>,
    local: Vec<bool>,
}

impl Guard {
    /// Creates a guard for a machine whose players' inputs are of type `I`.
    ///
    /// # Errors
    /// If the setup is invalid, or the inputs can't be encoded.
    pub fn player<I: crate::Input>(setup: &GgrsSetup) -> Result<Self, GgrsSetupError> {
        let mut guard = Self::spectator::<I>(setup)?;
        guard.reach = Some(Reach {
            window: setup.max_prediction as i64,
            delay: setup.input_delay as i64,
            sent: -1,
            gone: vec![None; setup.players],
            local: (0..setup.players).map(|player| setup.local.contains(&player)).collect(),
        });
        Ok(guard)
    }

    /// Creates a guard for a spectator.
    ///
    /// # Errors
    /// As [`player`](Self::player).
    pub fn spectator<I: crate::Input>(setup: &GgrsSetup) -> Result<Self, GgrsSetupError> {
        setup.check()?;
        let width = bincode::serialized_size(&I::default())
            .map_err(|error| GgrsSetupError::Input { reason: error.to_string() })?;
        Ok(Self {
            form: Form { players: setup.players, width: width as usize },
            reach: None,
            checksum_every: i64::from(setup.checksum_every),
            pings: VecDeque::with_capacity(PINGS),
        })
    }

    /// Observes an outgoing packet.
    pub fn outgoing(&mut self, bytes: &[u8]) {
        match self.form.read(bytes) {
            Ok(Packet::Ping(ping)) if self.pings.back() != Some(&ping) => {
                if self.pings.len() == PINGS {
                    self.pings.pop_front();
                }
                self.pings.push_back(ping);
            }
            Ok(Packet::Inputs { connections, start, count }) => {
                let Some(reach) = &mut self.reach else { return };
                reach.sent = reach.sent.max(i64::from(start) + count as i64 - 1);
                for (gone, connection) in reach.gone.iter_mut().zip(connections) {
                    if connection.gone {
                        let last = i64::from(connection.last_frame);
                        *gone = Some(gone.map_or(last, |gone| gone.min(last)));
                    }
                }
            }
            _ => (),
        }
    }

    /// Decodes a packet, if ggrs can process it.
    ///
    /// # Errors
    /// If it can't; nothing changes.
    pub fn incoming(&mut self, bytes: &[u8]) -> Result<Message, PacketError> {
        let packet = self.form.read(bytes)?;
        self.check(&packet)?;
        let message = bincode::deserialize(bytes).map_err(|_| PacketError::Encoding)?;
        if let (Packet::Inputs { connections, .. }, Some(reach)) = (packet, &mut self.reach) {
            for (gone, connection) in reach.gone.iter_mut().zip(connections) {
                if connection.gone {
                    let last = i64::from(connection.last_frame);
                    *gone = Some(gone.map_or(last, |gone| gone.min(last)));
                }
            }
        }
        Ok(message)
    }

    fn check(&self, packet: &Packet) -> Result<(), PacketError> {
        match packet {
            Packet::Pong(pong) if !self.pings.contains(pong) => Err(PacketError::UnknownPing),
            Packet::Checksum(_) if self.checksum_every == 0 || self.reach.is_none() => {
                Err(PacketError::NoChecksums)
            }
            Packet::Checksum(frame) => {
                let Some(reach) = &self.reach else { return Ok(()) };
                let frame = i64::from(*frame);
                reach.not_too_far_ahead(frame)?;
                let limit = reach.sent - CHECKSUMS * self.checksum_every - QUEUE;
                if frame < limit.max(0) {
                    return Err(PacketError::TooFarBack { frame, limit: limit.max(0) });
                }
                Ok(())
            }
            Packet::Inputs { connections, start, count } => {
                let last = i64::from(*start) + *count as i64 - 1;
                let Some(reach) = &self.reach else {
                    let limit = i64::from(i32::MAX);
                    let fits = last < limit;
                    return if fits {
                        Ok(())
                    } else {
                        Err(PacketError::TooFarAhead { frame: last, limit })
                    };
                };
                reach.not_too_far_ahead(last)?;
                reach.can_go_back(connections)
            }
            _ => Ok(()),
        }
    }
}

impl Reach {
    /// Peers wait for local inputs, so none is further ahead of them than its window and delay. This machine is as far
    /// ahead of the confirmed frame, and from there on ggrs keeps everything.
    fn not_too_far_ahead(&self, frame: i64) -> Result<(), PacketError> {
        let limit = self.sent + QUEUE - 2 - self.window - self.delay;
        if frame > limit { Err(PacketError::TooFarAhead { frame, limit }) } else { Ok(()) }
    }

    /// When a player disconnects, ggrs rolls back to the frame after its last input.
    fn can_go_back(&self, connections: &[super::packet::Connection]) -> Result<(), PacketError> {
        let current = self.sent - self.delay + 1;
        let oldest = current - self.window - 1;
        for (player, connection) in connections.iter().enumerate() {
            let frame = i64::from(connection.last_frame);
            let is_known = self.gone[player].is_some_and(|gone| gone <= frame);
            if connection.gone && !is_known && !self.local[player] && frame < oldest {
                return Err(PacketError::TooFarBack { frame, limit: oldest });
            }
        }
        Ok(())
    }
}

/// Socket for ggrs sessions over [`Datagrams`] that passes on only packets accepted by its [`Guard`].
#[derive(Debug)]
pub struct GuardedSocket<D> {
    datagrams: D,
    guard: Guard,
}

impl<D> GuardedSocket<D> {
    /// Creates a socket over a transport.
    pub const fn new(datagrams: D, guard: Guard) -> Self {
        Self { datagrams, guard }
    }
}

impl<A, D> NonBlockingSocket<A> for GuardedSocket<D>
where
    A: Clone + Eq + Hash + Send + Sync,
    D: Datagrams<A> + Send + Sync,
{
    fn send_to(&mut self, message: &Message, to: &A) {
        // Messages are plain data; one that could not be encoded would be lost, as datagrams may be.
        let Ok(bytes) = bincode::serialize(message) else { return };
        self.guard.outgoing(&bytes);
        self.datagrams.send(&bytes, to);
    }

    fn receive_all_messages(&mut self) -> Vec<(A, Message)> {
        let mut messages = Vec::new();
        while let Some((from, bytes)) = self.datagrams.receive() {
            match self.guard.incoming(&bytes) {
                Ok(message) => messages.push((from, message)),
                Err(error) => self.datagrams.refused(&from, error),
            }
        }
        messages
    }
}
