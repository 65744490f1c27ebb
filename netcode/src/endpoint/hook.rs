//! A way past the seal, for fuzzing: what a peer with keys and bad intentions can send.

use super::Endpoint;
use crate::crypto::MachineId;
use isostep_rollback::Time;

impl Endpoint {
    /// Takes frames as if they had come in a packet of that peer that opened. Without a connection they go nowhere.
    #[doc(hidden)]
    pub fn handle_payload(&mut self, now: Time, machine: MachineId, payload: &[u8]) {
        let place = self.peers.get_mut(usize::from(machine.0));
        let Some(live) = place.and_then(|place| place.live.as_mut()) else { return };
        let from = live.address();
        let mut ctx = context!(self, now);
        let over = live.payload(&mut ctx, from, payload);
        live.hold(&ctx);
        if let Some(reason) = over {
            self.end(now, machine, reason);
        }
    }
}
