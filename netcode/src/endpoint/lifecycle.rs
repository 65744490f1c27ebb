//! Lifecycle of connections: establishment after a handshake, close and shutdown, connection ids.

use super::{CloseReason, Endpoint, Event, Route, close_code};
use crate::address::Address;
use crate::connection::{Connection, Negotiated};
use crate::crypto::{MAX_MACHINES, MachineId};
use isostep_rollback::Time;

impl Endpoint {
    /// Closes a connection, or aborts an attempt to connect. The peer receives `code` and up to 200 bytes of `text`.
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

    /// Closes all connections and refuses new ones.
    pub fn shut_down(&mut self, now: Time) {
        self.is_shut_down = true;
        for machine in (0..MAX_MACHINES).map(|machine| MachineId(machine as u8)) {
            self.close(now, machine, close_code::SHUTDOWN, "");
        }
    }

    /// Removes a connection that timed out, was closed by the peer, was replaced, or violated the protocol.
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

    /// Installs the connection of a completed handshake.
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

    /// Allocates an unused connection id.
    pub(super) fn allocate_cid(&mut self, route: Route) -> u8 {
        let mut byte = [0];
        loop {
            // Terminates: at most 24 of 256 ids are in use.
            self.entropy.fill(&mut byte);
            let entry = &mut self.routes[usize::from(byte[0])];
            if entry.is_none() {
                *entry = Some(route);
                return byte[0];
            }
        }
    }

    /// Returns true for the address of a current attempt or connection.
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

    /// Keeps messages that were received completely before the connection closed. Per machine at most the queue of one
    /// connection is kept.
    fn keep_unpolled(&mut self, machine: MachineId, connection: &mut Connection) {
        self.unpolled.retain(|message| message.0 != machine);
        while let Some(message) = connection.pop_message() {
            self.unpolled.push_back((machine, message));
        }
    }
}
