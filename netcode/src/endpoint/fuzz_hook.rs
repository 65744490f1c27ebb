//! Fuzz hook behind packet protection: injects the frames that a malicious peer with valid keys can send.

use super::Endpoint;
use crate::crypto::MachineId;
use isostep_rollback::Time;

impl Endpoint {
    /// Handles a payload as if it arrived in an authenticated packet of the peer. Does nothing without a connection.
    #[doc(hidden)]
    pub fn handle_payload(&mut self, now: Time, machine: MachineId, payload: &[u8]) {
        let place = self.peers.get_mut(usize::from(machine.0));
        let Some(connection) = place.and_then(|place| place.connection.as_mut()) else { return };
        let from = connection.address();
        let mut ctx = context!(self, now);
        let over = connection.handle_payload(&mut ctx, from, payload);
        connection.schedule_flush(&ctx);
        if let Some(reason) = over {
            self.terminate(now, machine, reason);
        }
    }
}
