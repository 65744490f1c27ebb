//! A way past the seal, for fuzzing: what a peer with keys and bad intentions can send.

use super::Endpoint;
use crate::crypto::MachineId;
use isostep_rollback::Time;

impl Endpoint {
    /// Takes frames as if they had come in a packet of that peer that opened. Without a connection they go nowhere.
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
