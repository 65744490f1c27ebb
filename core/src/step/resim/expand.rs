//! The bodies that an incremental resimulation simulates: the dirty ones, their islands in the old timeline, and those that they
//! touch in the new one. Replaces the phases from gather to wake.

use super::{Buffers, make_room};
use crate::step::edges::{EdgeCursor, EdgeKind};
use crate::step::gather;
use crate::step::rules::Rule;
use crate::step::{Scratch, StepReport, broad, joints, narrow, wake};
use crate::world::World;
use crate::world::frame::Frame;
use crate::world::rows::BodyIndex;
use crate::world::timeline::StepRecord;

/// Runs gather to wake for the dirty bodies and their islands.
pub(in crate::step) fn expand(
    world: &World,
    scratch: &mut Scratch,
    (old, next): (&StepRecord, &Frame),
    report: &mut StepReport,
) {
    gather::clear(world, scratch);
    scratch.contacts.clear();
    scratch.ends.clear();
    scratch.crowd.clear();
    scratch.joints.clear();
    scratch.copied.clear();
    scratch.woken.clear();
    broad::widen(world, scratch, next);
    scratch.woken_in_old.clear();
    // A body asleep now but awake in the old timeline is already dirty, and joins S anyway.
    for &index in &old.woken_by_contact {
        if world.work.id_at(index).is_some() && !world.work.is_active(index) {
            scratch.woken_in_old.insert(index);
        }
    }
    let mut buffers = core::mem::take(&mut scratch.resim);
    buffers.seen.clear();
    buffers.islands.clear();
    buffers.queue.clear();
    for list in [&mut buffers.queue, &mut buffers.fresh] {
        make_room(list, 0);
    }
    make_room(&mut scratch.diff.pairs, 0);
    make_room(&mut buffers.sort_named, 0);
    for list in buffers.pairs.lists() {
        make_room(list, 0);
    }
    buffers.queue.extend(world.dirty.iter());
    let (mut edges, mut searched) = (EdgeCursor::default(), 0);
    loop {
        // A woken body may have joined as a sleeper. It has more pairs now.
        buffers.fresh.clear();
        for &index in &scratch.woken[searched..] {
            scratch.copied.remove(index);
            buffers.fresh.push(index);
        }
        searched = scratch.woken.len();
        while let Some(index) = buffers.queue.pop() {
            if buffers.seen.insert(index) {
                join(world, scratch, old, index, &mut buffers);
            }
        }
        if buffers.fresh.is_empty() {
            break;
        }
        broad::around(world, scratch, &buffers.fresh, report);
        narrow::add(world, scratch.split(), report);
        joints::around(world, scratch, &buffers.fresh);
        while let Some(edge) = edges.next(scratch.edges()) {
            let rule = match edge.kind {
                EdgeKind::Contact => Rule::NewIslands,
                EdgeKind::Joint => Rule::JointEdges,
            };
            for place in edge.bodies {
                let body = &scratch.bodies.list[place];
                if !body.dynamic {
                    continue;
                }
                if !body.awake {
                    if edge.kind == EdgeKind::Joint && !scratch.rules.holds(Rule::JointEdges) {
                        continue;
                    }
                    let index = body.index;
                    let mut woken = core::mem::take(&mut scratch.woken);
                    let from = woken.len();
                    wake::wake(world, &mut scratch.columns(), index, &mut woken);
                    buffers.queue.extend_from_slice(&woken[from..]);
                    scratch.woken = woken;
                } else if body.read_only && scratch.rules.holds(rule) {
                    let index = body.index;
                    buffers.queue.push(index);
                }
            }
        }
    }
    find_neighbours(world, scratch, &mut buffers);
    report.woken = scratch.woken.len() as u32;
    report.bodies = scratch.bodies.list.iter().filter(|body| body.is_moved()).count() as u32;
    scratch.resim = buffers;
}

/// Collects the bodies that had a contact with a body of S on the last tick. Such a contact may end now, and its row may
/// be in the other body's page.
fn find_neighbours(world: &World, scratch: &mut Scratch, buffers: &mut Buffers) {
    scratch.neighbours.clear();
    let Some(step_record) = &world.timeline.entry(world.tick).step_record else {
        // Without a step record any body may be a neighbour.
        for (id, _) in world.bodies() {
            scratch.neighbours.insert(id.index());
        }
        return;
    };
    buffers.islands.clear();
    for index in buffers.seen.iter() {
        if let Some(label) = step_record.label(index)
            && buffers.islands.insert(label)
        {
            for body in step_record.island(label) {
                scratch.neighbours.insert(body);
            }
        }
        for body in step_record.around(index) {
            scratch.neighbours.insert(body);
        }
    }
}

/// Adds a body to S, and queues its island and its static edges of the old timeline.
fn join(
    world: &World,
    scratch: &mut Scratch,
    old: &StepRecord,
    index: BodyIndex,
    buffers: &mut Buffers,
) {
    if let Some(label) = old.label(index)
        && scratch.rules.holds(Rule::OldIslands)
        && buffers.islands.insert(label)
    {
        buffers.queue.extend(old.island(label));
    }
    if old.around(index).next().is_some() && scratch.rules.holds(Rule::StaticEdges) {
        buffers.queue.extend(old.around(index));
    }
    scratch.woken_in_old.remove(index);
    let live = world.work.id_at(index).is_some();
    let active = live && world.work.is_active(index);
    if live {
        let place = scratch.columns().place_of(world, index);
        let body = &mut scratch.bodies.list[place];
        // A body woken earlier in this step is awake already.
        if active || body.woken {
            body.read_only = false;
        } else {
            // A sleeping island wakes as a whole, even if its bodies have no contact with each other any more. A body that
            // the old timeline woke through this one has no other connection to it.
            if body.dynamic && scratch.rules.holds(Rule::SleepingIslands) {
                buffers.queue.push(body.next);
            }
            scratch.copied.insert(index);
        }
        buffers.fresh.push(index);
    } else {
        scratch.copied.insert(index);
    }
}
