//! Sessions of ggrs over protected datagrams: encrypted and authenticated below, looked through by a guard above, so that
//! not even a legitimate peer with wrong packets makes ggrs panic. `ggrs_socket` is the other way round.

use core::fmt;
use ggrs::{Message, NonBlockingSocket};
use isostep_rollback::ggrs::{Guard, PacketError};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Something that carries opaque datagrams between machines, protected.
pub trait Datagrams {
    /// Sends a datagram to a machine, or loses it.
    fn send_datagram(&mut self, to: u8, bytes: &[u8]);

    /// The next datagram that has arrived and the machine that sent it; its bytes replace those of the buffer.
    fn poll_datagram(&mut self, into: &mut Vec<u8>) -> Option<u8>;
}

/// Messages that ggrs gets at once; the rest waits for the next time. A peer can't hold the caller by sending fast.
const MAX_MESSAGES_PER_CALL: usize = 1024;
/// Refusals that are remembered; with more, the oldest are forgotten.
const MAX_STORED_REFUSALS: usize = 64;

/// A socket for sessions of ggrs, whose addresses are machines.
///
/// ggrs takes its socket for good, so keep a clone: all clones are the same socket.
///
/// - make: [`new`](Self::new), with a [`Guard`] from the setup of the session; hand a clone to ggrs's builder
/// - use: through the session; [`with`](Self::with) reaches the datagrams below, to drive them between its calls
/// - observe: [`poll_refused`](Self::poll_refused), [`refused`](Self::refused)
///
/// Packets that would make ggrs panic, or keep memory without bound, are refused: each is an error to be polled. The
/// [guard](isostep_rollback::ggrs) says which, and which one panic no guard can see coming; drive the session with
/// [`GgrsGame`](isostep_rollback::ggrs::GgrsGame), which turns that one into an error.
///
/// The datagrams have to be `Send` because ggrs's feature `sync-send` asks for it, and any crate may switch it on (as
/// `bevy_ggrs` does). Something that is not goes behind [`DatagramQueues`].
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
    /// A socket over datagrams.
    pub fn new(datagrams: D, guard: Guard) -> Self {
        let refused = VecDeque::with_capacity(MAX_STORED_REFUSALS);
        let shared = Shared { datagrams, guard, refused, refusals: 0, buffer: Vec::new() };
        Self { shared: Arc::new(Mutex::new(shared)) }
    }

    /// Does something with the datagrams below, such as moving what has arrived. Don't use this socket or its session in
    /// there: they would wait for each other for ever.
    pub fn with<T>(&self, act: impl FnOnce(&mut D) -> T) -> T {
        act(&mut self.lock().datagrams)
    }

    /// The next packet that was refused: the machine that sent it, and why. Its sender is broken or hostile (the packet was
    /// authentic); one that goes on like this is worth dropping. The last 64 are remembered.
    pub fn poll_refused(&self) -> Option<(u8, PacketError)> {
        self.lock().refused.pop_front()
    }

    /// How many packets were refused so far.
    pub fn refused(&self) -> u64 {
        self.lock().refusals
    }

    fn lock(&self) -> MutexGuard<'_, Shared<D>> {
        // A panic of somebody who held it is theirs; nothing in here is left half done.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Datagrams> Shared<D> {
    fn send(&mut self, message: &Message, to: u8) {
        self.buffer.clear();
        // Messages are plain data; what could not be encoded would be lost, as datagrams are.
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

/// Another handle to the same socket.
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

/// Datagrams that may wait in one direction of [`DatagramQueues`].
const MAX_QUEUED_DATAGRAMS: usize = 4096;

/// [`Datagrams`] that wait in memory for somebody who moves them, when what carries them can't be given to ggrs: before a
/// call of the session [`push_incoming`](Self::push_incoming) with everything that came, after it [`pop_outgoing`](Self::pop_outgoing) until there is
/// nothing. Past 4,096 in one direction they are lost.
#[derive(Clone, Debug, Default)]
pub struct DatagramQueues {
    arrived: VecDeque<(u8, Vec<u8>)>,
    leaving: VecDeque<(u8, Vec<u8>)>,
}

impl DatagramQueues {
    /// Hands in a datagram that came from a machine.
    pub fn push_incoming(&mut self, from: u8, bytes: &[u8]) {
        push(&mut self.arrived, from, bytes);
    }

    /// Takes a datagram that is to go to a machine.
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
