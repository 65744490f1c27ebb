//! Connections that begin and end: what follows a finished handshake, goodbyes, and ids that lead to them.

use super::{CloseReason, Endpoint, Event, Route, close_code};
use crate::address::Address;
use crate::connection::{Connection, Negotiated};
use crate::crypto::{MAX_MACHINES, MachineId};
use isostep_rollback::Time;

impl Endpoint {
    /// Ends a connection, or an attempt at one. The other side is told `code` and up to 200 bytes of text.
    pub fn close(&mut self, now: Time, machine: MachineId, code: u16, text: &str) {
        self.abort_handshakes(machine);
        let place = self.peers.get_mut(usize::from(machine.0));
        let Some(mut connection) = place.and_then(|place| place.connection.take()) else { return };
        self.routes[usize::from(connection.local_cid())] = None;
        self.keep_unpolled(machine, &mut connection);
        connection.close(&mut context!(self, now), code, text);
        self.closing.push(connection);
        self.events.push_back(Event::Closed { machine, reason: CloseReason::LocallyClosed });
    }

    /// Ends all connections, and lets nobody in any more.
    pub fn shut_down(&mut self, now: Time) {
        self.is_shut_down = true;
        for machine in (0..MAX_MACHINES).map(|machine| MachineId(machine as u8)) {
            self.close(now, machine, close_code::SHUTDOWN, "");
        }
    }

    /// A connection is over: by time, by the other side's word, or by what it did.
    pub(super) fn terminate(&mut self, now: Time, machine: MachineId, reason: CloseReason) {
        let Some(mut connection) = self.peers[usize::from(machine.0)].connection.take() else {
            return;
        };
        self.routes[usize::from(connection.local_cid())] = None;
        self.keep_unpolled(machine, &mut connection);
        let code = match reason {
            CloseReason::IdleTimeout { .. } => Some(close_code::IDLE_TIMEOUT),
            CloseReason::Replaced => Some(close_code::REPLACED),
            CloseReason::ProtocolViolation => Some(close_code::PROTOCOL_VIOLATION),
            CloseReason::LocallyClosed | CloseReason::ClosedByPeer { .. } => None,
        };
        if let Some(code) = code {
            connection.close(&mut context!(self, now), code, "");
            self.closing.push(connection);
        }
        self.events.push_back(Event::Closed { machine, reason });
    }

    /// A handshake is finished.
    pub(super) fn establish(&mut self, now: Time, negotiated: Negotiated) {
        let (machine, address) = (negotiated.machine, negotiated.address);
        self.terminate(now, machine, CloseReason::Replaced);
        self.routes[usize::from(negotiated.local_cid)] = Some(Route::Established(machine));
        let mut connection = Connection::new(now, negotiated);
        if let Some(lifetime) = self.config.key_lifetime {
            connection.set_key_lifetime(lifetime);
        }
        self.peers[usize::from(machine.0)].connection = Some(connection);
        self.events.push_back(Event::Connected { machine, address });
    }

    /// A connection id that leads nowhere yet.
    pub(super) fn allocate_cid(&mut self, route: Route) -> u8 {
        let mut byte = [0];
        loop {
            // At most 24 of 256 are taken.
            self.entropy.fill(&mut byte);
            let entry = &mut self.routes[usize::from(byte[0])];
            if entry.is_none() {
                *entry = Some(route);
                return byte[0];
            }
        }
    }

    /// Whether a peer is expected there: it is called, or connected already.
    pub(super) fn is_expected(&self, address: Address) -> bool {
        self.peers.iter().any(|place| {
            place.outgoing.as_ref().is_some_and(|outgoing| outgoing.address() == address)
                || place
                    .connection
                    .as_ref()
                    .is_some_and(|connection| connection.address() == address)
        })
    }

    pub(super) fn is_insecure_remote(&self, address: Address) -> bool {
        let loopback =
            address.socket().is_none_or(|socket| socket.ip().to_canonical().is_loopback());
        self.config.credentials.is_insecure() && !self.config.beyond_loopback && !loopback
    }

    /// What has arrived whole is not lost because the connection ends. At most as much as one connection may hold is kept for
    /// each machine that nobody polls.
    fn keep_unpolled(&mut self, machine: MachineId, connection: &mut Connection) {
        self.unpolled.retain(|word| word.0 != machine);
        while let Some(message) = connection.pop_message() {
            self.unpolled.push_back((machine, message));
        }
    }
}
