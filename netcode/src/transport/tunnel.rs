//! Endpoint and transport combined: encrypted datagrams between machines, for other session types.

use super::{Transport, TransportError};
use crate::crypto::MachineId;
use crate::endpoint::Endpoint;
use isostep_rollback::Time;

/// An [`Endpoint`] with its [`Transport`]. Call [`pump`](Self::pump) each frame, before and after driving the session. Poll
/// events from [`endpoint_mut`](Self::endpoint_mut).
///
/// With feature `ggrs` it implements `Datagrams`, so that ggrs sessions run over encrypted connections.
#[derive(Debug)]
pub struct Tunnel<T> {
    endpoint: Endpoint,
    transport: T,
    now: Time,
    bytes: Vec<u8>,
}

/// Maximum number of datagrams handled per call.
const MAX_DATAGRAMS_PER_CALL: usize = 16_384;

impl<T: Transport> Tunnel<T> {
    /// Combines an endpoint and its transport.
    pub const fn new(endpoint: Endpoint, transport: T) -> Self {
        Self { endpoint, transport, now: Time::ZERO, bytes: Vec::new() }
    }

    /// Receives, handles timers, and sends.
    ///
    /// # Errors
    /// The transport failed. The next call continues.
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

    /// Sends an unreliable datagram with the next [`pump`](Self::pump).
    pub fn send(&mut self, to: MachineId, bytes: &[u8]) {
        self.endpoint.send_datagram(self.now, to, bytes);
    }

    /// Returns the sender of the next received datagram; `into` is replaced by its bytes.
    pub fn receive(&mut self, into: &mut Vec<u8>) -> Option<MachineId> {
        self.endpoint.poll_datagram(into)
    }

    /// The endpoint with its connections.
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
