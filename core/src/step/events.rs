//! Last phase: sorts the events of the other phases by kind and key.

use super::resim::make_room;
use super::{Scratch, StepReport};
use crate::data::sort_by_key;
use crate::world::frame::Frame;
use crate::world::rows::BodyIndex;
use crate::world::{EventRow, World};

pub(super) fn run(world: &World, scratch: &mut Scratch, next: &mut Frame, report: &mut StepReport) {
    if scratch.diff.on && scratch.rules.holds(super::rules::Rule::Events) {
        // Events of the old timeline that this step does not decide are kept.
        let Scratch { events, bodies, places, copied, .. } = scratch;
        let decides = |body: BodyIndex| {
            let place = places.get(body);
            copied.contains(body)
                || world.pending.changed_set.contains(body)
                || place.is_some_and(|place| bodies.list[place].is_moved())
        };
        let named = |event: &EventRow| event.bodies.iter().any(|id| decides(BodyIndex::of(*id)));
        events.extend(next.events.iter().filter(|event| !named(event)));
    }
    let Scratch { events, sort_events, .. } = scratch;
    let count = events.len();
    for list in [&mut *events, sort_events] {
        make_room(list, count.saturating_sub(list.len()));
    }
    sort_by_key(events, sort_events, |event| event.key.0);
    sort_by_key(events, sort_events, |event| event.kind as u64);
    next.events.clear();
    make_room(&mut next.events, count);
    next.events.extend_from_slice(events);
    report.events = count as u32;
}
