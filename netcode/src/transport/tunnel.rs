//! An endpoint and its transport as one thing that carries datagrams between machines, protected: for sessions that are not ours.

use super::{Transport, TransportError};
use crate::crypto::MachineId;
use crate::endpoint::Endpoint;
use isostep_rollback::Time;

/// An [`Endpoint`] with the [`Transport`] that it uses. Call [`pump`](Self::pump) once for each frame, before and after the session is
/// driven; events are polled from [`endpoint_mut`](Self::endpoint_mut).
///
/// With feature `ggrs` it is a `Datagrams`, so that sessions of ggrs run over our encrypted connections.
#[derive(Debug)]
pub struct Tunnel<T> {
    endpoint: Endpoint,
    transport: T,
    now: Time,
    bytes: Vec<u8>,
}

/// Most datagrams that one call takes.
const MAX_DATAGRAMS_PER_CALL: usize = 16_384;

impl<T: Transport> Tunnel<T> {
    /// Both together.
    pub const fn new(endpoint: Endpoint, transport: T) -> Self {
        Self { endpoint, transport, now: Time::ZERO, bytes: Vec::new() }
    }

    /// Takes what has arrived, does what time asks for, and sends.
    ///
    /// # Errors
    /// When the transport failed; the next call goes on.
    pub fn pump(&mut self, now: Time) -> Result<(), TransportError> {
        self.now = self.now.max(now);
        for _ in 0..MAX_DATAGRAMS_PER_CALL {
            match self.transport.receive(now, &mut self.bytes)? {
                Some(from) => self.endpoint.handle_datagram(now, from, &self.bytes),
                None => break,
            }
        }
        self.endpoint.handle_timeout(now);
        while let Some(to) = self.endpoint.poll_transmit(now, &mut self.bytes) {
            self.transport.send(now, to, &self.bytes)?;
        }
        Ok(())
    }

    /// Sends bytes that may be lost, with the next [`pump`](Self::pump).
    pub fn send(&mut self, to: MachineId, bytes: &[u8]) {
        self.endpoint.send_datagram(self.now, to, bytes);
    }

    /// The next bytes that arrived, and from whom; `into` is replaced.
    pub fn receive(&mut self, into: &mut Vec<u8>) -> Option<MachineId> {
        self.endpoint.poll_datagram(into)
    }

    /// The connections.
    pub const fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.endpoint
    }
}

#[cfg(feature = "ggrs")]
impl<T: Transport> super::Datagrams for Tunnel<T> {
    fn send_datagram(&mut self, to: u8, bytes: &[u8]) {
        self.send(MachineId(to), bytes);
    }

    fn poll_datagram(&mut self, into: &mut Vec<u8>) -> Option<u8> {
        self.receive(into).map(|machine| machine.0)
    }
}
