//! A simulated network that runs by the true time, while peers read clocks of their own.

use isostep_netcode::transport::SimTransport;
use isostep_netcode::{Address, Transport, TransportError};
use isostep_rollback::Time;
use std::cell::Cell;
use std::rc::Rc;

/// Transport that ignores the time argument and uses the network's clock.
pub(crate) struct Wire {
    pub(crate) sim: SimTransport,
    pub(crate) now: Rc<Cell<Time>>,
}

impl Transport for Wire {
    fn send(&mut self, _: Time, to: Address, bytes: &[u8]) -> Result<(), TransportError> {
        self.sim.send(self.now.get(), to, bytes)
    }

    fn receive(&mut self, _: Time, into: &mut Vec<u8>) -> Result<Option<Address>, TransportError> {
        self.sim.receive(self.now.get(), into)
    }
}
