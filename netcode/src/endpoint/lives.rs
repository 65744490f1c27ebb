//! Connections that begin and end: what follows a finished handshake, goodbyes, and ids that lead to them.

use super::{CloseReason, Endpoint, Event, Id, close_code};
use crate::address::Address;
use crate::connection::{Agreed, Connection};
use crate::crypto::{MAX_SLOTS, Slot};
use isostep_rollback::Time;

impl Endpoint {
    /// Ends a connection, or an attempt at one. The other side is told `code` and up to 200 bytes of text.
    pub fn close(&mut self, now: Time, slot: Slot, code: u16, text: &str) {
        self.forget_handshakes(slot);
        let place = self.slots.get_mut(usize::from(slot.0));
        let Some(mut live) = place.and_then(|place| place.live.take()) else { return };
        self.ids[usize::from(live.our_id())] = None;
        self.keep_last_words(slot, &mut live);
        live.close(&mut context!(self, now), code, text);
        self.leaving.push(live);
        self.events.push_back(Event::Closed { slot, reason: CloseReason::Said });
    }

    /// Ends all connections, and lets nobody in any more.
    pub fn shut_down(&mut self, now: Time) {
        self.over = true;
        for slot in (0..MAX_SLOTS).map(|slot| Slot(slot as u8)) {
            self.close(now, slot, close_code::SHUTDOWN, "");
        }
    }

    /// A connection is over: by time, by the other side's word, or by what it did.
    pub(super) fn end(&mut self, now: Time, slot: Slot, reason: CloseReason) {
        let Some(mut live) = self.slots[usize::from(slot.0)].live.take() else { return };
        self.ids[usize::from(live.our_id())] = None;
        self.keep_last_words(slot, &mut live);
        let code = match reason {
            CloseReason::Silence { .. } => Some(close_code::SILENCE),
            CloseReason::Replaced => Some(close_code::REPLACED),
            CloseReason::Broken => Some(close_code::BROKEN),
            CloseReason::Said | CloseReason::Peer { .. } => None,
        };
        if let Some(code) = code {
            live.close(&mut context!(self, now), code, "");
            self.leaving.push(live);
        }
        self.events.push_back(Event::Closed { slot, reason });
    }

    /// A handshake is finished.
    pub(super) fn establish(&mut self, now: Time, agreed: Agreed) {
        let (slot, address) = (agreed.slot, agreed.address);
        self.end(now, slot, CloseReason::Replaced);
        self.ids[usize::from(agreed.our_id)] = Some(Id::Live(slot));
        let mut live = Connection::new(now, agreed);
        if let Some(lifetime) = self.config.key_lifetime {
            live.set_key_lifetime(lifetime);
        }
        self.slots[usize::from(slot.0)].live = Some(live);
        self.events.push_back(Event::Connected { slot, address });
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
        self.slots.iter().any(|place| {
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
    /// each slot that nobody polls.
    fn keep_last_words(&mut self, slot: Slot, live: &mut Connection) {
        self.last_words.retain(|word| word.0 != slot);
        while let Some(message) = live.pop_message() {
            self.last_words.push_back((slot, message));
        }
    }
}
