//! ggrs sessions over encrypted, authenticated datagrams. A guard validates packets, so that an authenticated but
//! malicious peer cannot make ggrs panic. `ggrs_socket` is the reverse adapter.

use core::fmt;
use ggrs::{Message, NonBlockingSocket};
use isostep_rollback::ggrs::{Guard, PacketError};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Carries opaque datagrams between machines, encrypted and authenticated.
pub trait Datagrams {
    /// Sends a datagram to a machine. It may be lost.
    fn send_datagram(&mut self, to: u8, bytes: &[u8]);

    /// Returns the sender of the next received datagram; `into` is replaced by its bytes.
    fn poll_datagram(&mut self, into: &mut Vec<u8>) -> Option<u8>;
}

/// Maximum number of messages per call, so that a flood does not block the caller.
const MAX_MESSAGES_PER_CALL: usize = 1024;
/// Maximum number of stored refusals; the oldest are dropped.
const MAX_STORED_REFUSALS: usize = 64;

/// Socket for ggrs sessions; its addresses are machine ids.
///
/// ggrs takes ownership of its socket, so keep a clone. All clones share the socket.
///
/// - Create: [`new`](Self::new), with a [`Guard`] from the session setup; pass a clone to the ggrs session builder
/// - Drive: through the session; [`with`](Self::with) gives access to the datagrams between its calls
/// - Observe: [`poll_refused`](Self::poll_refused), [`refused`](Self::refused)
///
/// Packets that would make ggrs panic or use unbounded memory are refused, and reported as errors to poll. The
/// [guard](isostep_rollback::ggrs) documents them, and the one panic that it cannot prevent; drive the session with
/// [`GgrsGame`](isostep_rollback::ggrs::GgrsGame), which turns that panic into an error.
///
/// The datagrams must be `Send`, since the ggrs feature `sync-send` requires it and any crate may enable it (as `bevy_ggrs`
/// does). Use [`DatagramQueues`] for a carrier that is not.
pub struct EncryptedSocket<D> {
    shared: Arc<Mutex<Shared<D>>>,
}

struct Shared<D> {
    datagrams: D,
    guard: Guard,
    refused: VecDeque<(u8, PacketError)>,
    refusals: u64,
    buffer: Vec<u8>,
}

impl<D: Datagrams> EncryptedSocket<D> {
    /// Creates a socket over datagrams.
    pub fn new(datagrams: D, guard: Guard) -> Self {
        let refused = VecDeque::with_capacity(MAX_STORED_REFUSALS);
        let shared = Shared { datagrams, guard, refused, refusals: 0, buffer: Vec::new() };
        Self { shared: Arc::new(Mutex::new(shared)) }
    }

    /// Gives access to the datagrams, for example to move received ones. Do not use this socket or its session inside
    /// of `act`: that deadlocks.
    pub fn with<T>(&self, act: impl FnOnce(&mut D) -> T) -> T {
        act(&mut self.lock().datagrams)
    }

    /// Returns the next refused packet: its sender and the reason. The packet was authentic, so the sender is defective
    /// or malicious; consider closing its connection. The last 64 are stored.
    pub fn poll_refused(&self) -> Option<(u8, PacketError)> {
        self.lock().refused.pop_front()
    }

    /// Number of refused packets.
    pub fn refused(&self) -> u64 {
        self.lock().refusals
    }

    fn lock(&self) -> MutexGuard<'_, Shared<D>> {
        // Poisoning is ignored: every critical section leaves a consistent state.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Datagrams> Shared<D> {
    fn send(&mut self, message: &Message, to: u8) {
        self.buffer.clear();
        // Messages are plain data; one that fails to encode is dropped like a lost datagram.
        if bincode::serialize_into(&mut self.buffer, message).is_ok() {
            self.guard.outgoing(&self.buffer);
            self.datagrams.send_datagram(to, &self.buffer);
        }
    }

    fn receive(&mut self) -> Vec<(u8, Message)> {
        let mut messages = Vec::new();
        for _ in 0..MAX_MESSAGES_PER_CALL {
            let Some(from) = self.datagrams.poll_datagram(&mut self.buffer) else { break };
            match self.guard.incoming(&self.buffer) {
                Ok(message) => messages.push((from, message)),
                Err(error) => {
                    self.refusals += 1;
                    if self.refused.len() == MAX_STORED_REFUSALS {
                        self.refused.pop_front();
                    }
                    self.refused.push_back((from, error));
                }
            }
        }
        messages
    }
}

impl<D: Datagrams + Send> NonBlockingSocket<u8> for EncryptedSocket<D> {
    fn send_to(&mut self, message: &Message, to: &u8) {
        self.lock().send(message, *to);
    }

    fn receive_all_messages(&mut self) -> Vec<(u8, Message)> {
        self.lock().receive()
    }
}

/// Returns another handle to the same socket.
impl<D> Clone for EncryptedSocket<D> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<D> fmt::Debug for EncryptedSocket<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncryptedSocket").finish_non_exhaustive()
    }
}

/// Capacity of [`DatagramQueues`] per direction.
const MAX_QUEUED_DATAGRAMS: usize = 4096;

/// In-memory [`Datagrams`], for a carrier that cannot be moved into ggrs. Before a session call,
/// [`push_incoming`](Self::push_incoming) every received datagram; after it, [`pop_outgoing`](Self::pop_outgoing) until
/// empty. Beyond 4,096 per direction, datagrams are dropped.
#[derive(Clone, Debug, Default)]
pub struct DatagramQueues {
    arrived: VecDeque<(u8, Vec<u8>)>,
    leaving: VecDeque<(u8, Vec<u8>)>,
}

impl DatagramQueues {
    /// Queues a datagram that was received from a machine.
    pub fn push_incoming(&mut self, from: u8, bytes: &[u8]) {
        push(&mut self.arrived, from, bytes);
    }

    /// Returns the next datagram to send, and its destination.
    pub fn pop_outgoing(&mut self) -> Option<(u8, Vec<u8>)> {
        self.leaving.pop_front()
    }
}

impl Datagrams for DatagramQueues {
    fn send_datagram(&mut self, to: u8, bytes: &[u8]) {
        push(&mut self.leaving, to, bytes);
    }

    fn poll_datagram(&mut self, into: &mut Vec<u8>) -> Option<u8> {
        let (from, bytes) = self.arrived.pop_front()?;
        into.clear();
        into.extend_from_slice(&bytes);
        Some(from)
    }
}

fn push(queue: &mut VecDeque<(u8, Vec<u8>)>, machine: u8, bytes: &[u8]) {
    if queue.len() < MAX_QUEUED_DATAGRAMS {
        queue.push_back((machine, bytes.to_vec()));
    }
}
