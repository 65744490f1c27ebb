//! Fourth phase: the order of contacts. Greedy colours over contacts sorted by key, anew each tick: contacts of one
//! colour share no dynamic body, and what colour one gets depends on its own cluster only.

use super::{Scratch, StepReport};

/// Colours that fit a mask; contacts beyond go last, one after the other.
const COLOURS: usize = 64;

/// Contacts by colour.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// Places of contacts, by colour and then by key.
    pub(super) contacts: Vec<u32>,
    colours: Vec<u8>,
    masks: Vec<u64>,
}

pub(super) fn run(scratch: &mut Scratch, report: &mut StepReport) {
    let (order, bodies) = (&mut scratch.order, &scratch.bodies.list);
    order.masks.clear();
    order.masks.resize(bodies.len(), 0);
    order.colours.clear();
    let mut counts = [0u32; COLOURS + 1];
    for contact in &scratch.contacts {
        let dynamic = contact.bodies.map(|body| bodies[body as usize].dynamic);
        let [a, b] = contact.bodies.map(|body| body as usize);
        let used = u64::from(dynamic[0]).wrapping_neg() & order.masks[a]
            | u64::from(dynamic[1]).wrapping_neg() & order.masks[b];
        let colour = used.trailing_ones() as usize;
        if colour < COLOURS {
            order.masks[a] |= 1 << colour;
            order.masks[b] |= 1 << colour;
        }
        counts[colour] += 1;
        order.colours.push(colour as u8);
    }
    report.colours = counts.iter().filter(|count| **count > 0).count() as u32;
    let mut next = [0u32; COLOURS + 1];
    for colour in 1..=COLOURS {
        next[colour] = next[colour - 1] + counts[colour - 1];
    }
    order.contacts.clear();
    order.contacts.resize(scratch.contacts.len(), 0);
    for (contact, colour) in order.colours.iter().enumerate() {
        let place = &mut next[usize::from(*colour)];
        order.contacts[*place as usize] = contact as u32;
        *place += 1;
    }
}
