//! The state as bytes, with this tick's commands applied: all pages of all sections. Used to compare worlds that have commands
//! and are not yet stepped.

use super::World;
use super::page_bytes::{PageBodies, State};
use super::registry::{PageKind, StateSection};
use super::rows::ContactPage;

/// Precedes a force, in place of the number of a section.
const FORCE: u8 = u8::MAX;

impl World {
    /// Appends the state as bytes, with this tick's commands applied. The same on every machine.
    #[doc(hidden)]
    pub fn encode(&self, out: &mut Vec<u8>) {
        let Self { def, tick, work: frame, store, .. } = self;
        let state = State { def, tick: *tick, frame, store };
        for (number, section) in (0u8..).zip(StateSection::ALL) {
            let single = matches!(section, StateSection::World | StateSection::Events);
            let pages = state.pages().map(|place| place.number);
            let pages = core::iter::once(0).filter(|_| single).chain(pages.filter(|_| !single));
            for page in pages {
                let start = out.len();
                out.push(number);
                out.extend_from_slice(&page.to_le_bytes());
                if section == StateSection::Contacts && !self.pending.void.is_empty() {
                    self.encode_contacts(page, out);
                } else {
                    state.put_page(section, page, out);
                }
                // A page without rows is omitted.
                if out.len() == start + 5 {
                    out.truncate(start);
                }
            }
        }
        // Forces are no rows: they act in the next step only.
        for force in self.pending.forces.iter() {
            out.push(FORCE);
            out.extend_from_slice(&force.body.get().to_le_bytes());
            for bits in force.force.to_bits().into_iter().chain(force.torque.to_bits()) {
                out.extend_from_slice(&bits.to_le_bytes());
            }
        }
    }

    /// Appends a page of contacts without those that a command invalidated.
    fn encode_contacts(&self, page: u32, out: &mut Vec<u8>) {
        let first = super::frame::first_of_page(page);
        let Some(contacts) = self.work.contact_page(&self.store, first) else { return };
        let counts = |row: &&super::rows::ContactRow| !self.pending.is_void(row.key);
        let rows = contacts.rows.iter().filter(counts).copied().collect();
        let left = ContactPage { rows, overlaps: contacts.overlaps.clone() };
        let at = PageBodies { first, live: 0 };
        if left.covers(at).is_some() {
            left.put(at, out);
        }
    }
}
