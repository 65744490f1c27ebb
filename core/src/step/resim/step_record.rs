//! Step record of a tick: what a later resimulation of it compares with.

use super::{Buffers, make_room};
use crate::step::Scratch;
use crate::step::edges::Edges;
use crate::world::World;
use crate::world::timeline::StepRecord;

/// Writes the step record: islands, static edges, woken bodies and commands, for a later resimulation of this tick.
pub(in crate::step) fn write_step_record(
    world: &mut World,
    scratch: &mut Scratch,
    step_record: &mut StepRecord,
) {
    let Scratch { islands, bodies, contacts, ends, crowd, joints, resim, diff, woken, .. } =
        scratch;
    let Buffers { seen, pairs, .. } = resim;
    if diff.on {
        let StepRecord { labels, members, .. } = step_record;
        labels.remove(seen.iter(), members, pairs);
        step_record.static_edges.retain(|a, b| !seen.contains(a) && !seen.contains(b));
        step_record.woken_by_contact.retain(|index| !seen.contains(*index));
    } else {
        step_record.members.clear();
        step_record.labels.clear();
        step_record.static_edges.clear();
        step_record.woken_by_contact.clear();
    }
    make_room(&mut step_record.woken_by_contact, woken.len());
    step_record.woken_by_contact.extend_from_slice(woken);
    make_room(step_record.members.list(), islands.members.len());
    make_room(step_record.labels.list(), islands.members.len());
    make_room(step_record.static_edges.list(), contacts.len());
    for island in &islands.list {
        for &place in &islands.members[island.members.clone()] {
            step_record.members.push(island.label, bodies.list[place].index);
        }
    }
    let moved = islands.labels.iter().zip(&bodies.list);
    for (label, body) in moved {
        if let Some(label) = label.get() {
            step_record.labels.push(body.index, label);
        }
    }
    for edge in (Edges { contacts: ends, crowd, joints }).iter() {
        let [a, b] = edge.bodies.map(|place| &bodies.list[place]);
        if a.dynamic != b.dynamic {
            let (support, body) = if a.dynamic { (b, a) } else { (a, b) };
            step_record.static_edges.push(support.index, body.index);
        }
    }
    step_record.members.sort(pairs);
    step_record.labels.sort(pairs);
    step_record.static_edges.sort(pairs);
    // The step is done with the world's lists: the step record takes them.
    core::mem::swap(&mut step_record.commands, &mut world.commands);
    core::mem::swap(&mut step_record.spawned, &mut world.spawned);
    core::mem::swap(&mut step_record.woken, &mut world.pending.woken);
    core::mem::swap(&mut step_record.slept, &mut world.pending.slept);
    core::mem::swap(&mut step_record.changed, &mut world.pending.changed);
    make_room(&mut world.commands, 0);
    make_room(&mut world.spawned, 0);
    make_room(&mut world.pending.woken, 0);
    make_room(&mut world.pending.changed, 0);
}
