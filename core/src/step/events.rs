//! Last phase: what the other phases had to tell, in the order of kinds and keys.

use super::{Scratch, StepReport};
use crate::data::sort_by_key;
use crate::world::{EventRow, World};

/// Events that there is room for from the start.
const MIN_ROOM: usize = 256;

pub(super) fn run(world: &mut World, scratch: &mut Scratch, report: &mut StepReport) {
    let Scratch { events, sort_events, .. } = scratch;
    let count = events.len();
    for list in [&mut *events, sort_events, &mut world.work.events] {
        make_room(list, count);
    }
    sort_by_key(events, sort_events, |event| event.key.0);
    sort_by_key(events, sort_events, |event| event.kind as u64);
    world.work.events.clone_from(events);
    report.events = count as u32;
}

/// Generous, because how much there is to tell changes from tick to tick more than anything else, and lists change hands
/// between slots: each would have to grow to its peak.
fn make_room(list: &mut Vec<EventRow>, count: usize) {
    if list.capacity() < count.max(MIN_ROOM) {
        let room = (2 * count).next_power_of_two().max(MIN_ROOM);
        list.reserve_exact(room - list.len());
    }
}
