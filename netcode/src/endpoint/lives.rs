//! Connections that begin and end: what follows a finished handshake, goodbyes, and ids that lead to them.

use super::{CloseReason, Endpoint, Event, Id, close_code};
use crate::address::Address;
use crate::connection::{Agreed, Connection};
use crate::crypto::{MAX_MACHINES, MachineId};
use isostep_rollback::Time;

impl Endpoint {
    /// Ends a connection, or an attempt at one. The other side is told `code` and up to 200 bytes of text.
    pub fn close(&mut self, now: Time, machine: MachineId, code: u16, text: &str) {
        self.forget_handshakes(machine);
        let place = self.peers.get_mut(usize::from(machine.0));
        let Some(mut live) = place.and_then(|place| place.live.take()) else { return };
        self.ids[usize::from(live.our_id())] = None;
        self.keep_last_words(machine, &mut live);
        live.close(&mut context!(self, now), code, text);
        self.leaving.push(live);
        self.events.push_back(Event::Closed { machine, reason: CloseReason::LocallyClosed });
    }

    /// Ends all connections, and lets nobody in any more.
    pub fn shut_down(&mut self, now: Time) {
        self.over = true;
        for machine in (0..MAX_MACHINES).map(|machine| MachineId(machine as u8)) {
            self.close(now, machine, close_code::SHUTDOWN, "");
        }
    }

    /// A connection is over: by time, by the other side's word, or by what it did.
    pub(super) fn end(&mut self, now: Time, machine: MachineId, reason: CloseReason) {
        let Some(mut live) = self.peers[usize::from(machine.0)].live.take() else { return };
        self.ids[usize::from(live.our_id())] = None;
        self.keep_last_words(machine, &mut live);
        let code = match reason {
            CloseReason::IdleTimeout { .. } => Some(close_code::IDLE_TIMEOUT),
            CloseReason::Replaced => Some(close_code::REPLACED),
            CloseReason::ProtocolViolation => Some(close_code::PROTOCOL_VIOLATION),
            CloseReason::LocallyClosed | CloseReason::ClosedByPeer { .. } => None,
        };
        if let Some(code) = code {
            live.close(&mut context!(self, now), code, "");
            self.leaving.push(live);
        }
        self.events.push_back(Event::Closed { machine, reason });
    }

    /// A handshake is finished.
    pub(super) fn establish(&mut self, now: Time, agreed: Agreed) {
        let (machine, address) = (agreed.machine, agreed.address);
        self.end(now, machine, CloseReason::Replaced);
        self.ids[usize::from(agreed.our_id)] = Some(Id::Live(machine));
        let mut live = Connection::new(now, agreed);
        if let Some(lifetime) = self.config.key_lifetime {
            live.set_key_lifetime(lifetime);
        }
        self.peers[usize::from(machine.0)].live = Some(live);
        self.events.push_back(Event::Connected { machine, address });
    }

    /// A connection id that leads nowhere yet.
    pub(super) fn new_id(&mut self, leads_to: Id) -> u8 {
        let mut byte = [0];
        loop {
            // At most 24 of 256 are taken.
            self.entropy.fill(&mut byte);
            let entry = &mut self.ids[usize::from(byte[0])];
            if entry.is_none() {
                *entry = Some(leads_to);
                return byte[0];
            }
        }
    }

    /// Whether a peer is expected there: it is called, or connected already.
    pub(super) fn is_expected(&self, address: Address) -> bool {
        self.peers.iter().any(|place| {
            place.attempted.as_ref().is_some_and(|attempted| attempted.address() == address)
                || place.live.as_ref().is_some_and(|live| live.address() == address)
        })
    }

    pub(super) fn is_too_far(&self, address: Address) -> bool {
        let loopback =
            address.socket().is_none_or(|socket| socket.ip().to_canonical().is_loopback());
        self.config.credentials.is_insecure() && !self.config.beyond_loopback && !loopback
    }

    /// What has arrived whole is not lost because the connection ends. At most as much as one connection may hold is kept for
    /// each machine that nobody polls.
    fn keep_last_words(&mut self, machine: MachineId, live: &mut Connection) {
        self.last_words.retain(|word| word.0 != machine);
        while let Some(message) = live.pop_message() {
            self.last_words.push_back((machine, message));
        }
    }
}
