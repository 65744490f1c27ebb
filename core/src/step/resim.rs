//! Incremental resimulation of one tick: finds the bodies that may differ from the old timeline and simulates only
//! those.
//!
//! D is the set of dirty bodies: their state or commands differ. S contains the old and the new island of each body of
//! D. Only S is simulated, into the old frame of the next tick. An island of the new timeline without a body of D has
//! only edges that existed before, so it lies inside one old island. If that one has a dirty body, it is in S; otherwise
//! both are equal and the old next state is right. Rows that come out equal make their bodies clean again.
//!
//! `rules.rs` names the rules; docs/incremental-rollback.md gives the argument.

use super::crowd::EdgeCursor;
use super::gather::{self, place_of};
use super::rules::Rule;
use super::{Scratch, StepReport, broad, narrow, wake};
use crate::data::{IndexSet, PairBuffers, sort_by_key};
use crate::world::frame::{Frame, Place, Store, index_at};
use crate::world::rows::{BodyIndex, BodyKind, Overlap, PAGE_ROWS, body_of};
use crate::world::timeline::{IslandLabel, StepRecord};
use crate::world::{Command, World};

/// A full step is cheaper if more than one body in this many active bodies is dirty.
const FULL_STEP_DIVISOR: u32 = 2;

/// Differences between the rows that a step writes and the old rows.
#[derive(Debug, Default)]
pub(crate) struct Diff {
    /// True during an incremental resimulation: old rows exist to compare with.
    pub(crate) on: bool,
    rows: IndexSet<BodyIndex>,
    pairs: Vec<(BodyIndex, BodyIndex)>,
}

impl Diff {
    #[inline]
    pub(crate) fn mark(&mut self, body: BodyIndex) {
        if self.on {
            self.rows.insert(body);
        }
    }

    pub(crate) fn mark_pair(&mut self, bodies: [BodyIndex; 2]) {
        if self.on {
            self.pairs.push(bodies.into());
        }
    }
}

/// Buffers, reused to avoid allocation.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Bodies of S: the dirty ones and those that joined.
    seen: IndexSet<BodyIndex>,
    /// Labels of islands already added.
    islands: IndexSet<IslandLabel>,
    /// Bodies of S whose pairs are still to be found.
    fresh: Vec<BodyIndex>,
    queue: Vec<BodyIndex>,
    named: [Vec<Named>; 2],
    sort_named: Vec<Named>,
    pairs: PairBuffers,
}

impl Buffers {
    /// Reserves the initial capacity.
    pub(super) fn reserve(&mut self) {
        self.seen.reserve(MIN_ROOM as u32);
        self.islands.reserve(MIN_ROOM as u32);
    }
}

/// Body that a command names, and the position of the command.
type Named = (BodyIndex, u32);

/// Kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// There is no old timeline, its step record is missing, or too many bodies differ.
    Full,
    /// Some bodies may differ from the old timeline.
    Incremental,
    /// Nothing differs: the old frame of the next tick is kept.
    Unchanged,
}

/// Decides the kind of a step; `old` and `next` are the step record and the old frame of the next tick.
pub(super) fn begin(
    world: &mut World,
    scratch: &mut Scratch,
    old: Option<&StepRecord>,
    next: &Frame,
) -> Begin {
    if world.tick == world.timeline.newest() {
        return Begin::Full;
    }
    // Gravity is an input of every island.
    let same_gravity = world.work.gravity == next.gravity || !scratch.rules.holds(Rule::Gravity);
    if let Some(old) = old.filter(|_| same_gravity) {
        find_dirty(world, scratch, old);
        if world.dirty.is_empty() {
            return Begin::Unchanged;
        }
        if !prefers_full_step(world) {
            return Begin::Incremental;
        }
    }
    world.timeline.drop_after(world.tick);
    Begin::Full
}

/// Collects the dirty bodies of a resimulated tick.
fn find_dirty(world: &mut World, scratch: &mut Scratch, old: &StepRecord) {
    let World { dirty, timeline, tick, commands, spawned, pending, .. } = world;
    let pending_dirty = &mut timeline.entry_mut(*tick).pending_dirty;
    if !pending_dirty.is_empty() && scratch.rules.holds(Rule::PendingDirty) {
        dirty.union_with(pending_dirty);
    }
    pending_dirty.clear();
    // Commands change or wake few bodies, so all of them are dirty. Comparing the changes costs more than it saves.
    let slept = old.slept.iter().chain(pending.slept.iter());
    for index in old.woken.iter().chain(&pending.woken).copied().chain(slept) {
        if scratch.rules.holds(Rule::Woken) {
            dirty.insert(index);
        }
    }
    for index in old.changed.iter().chain(&pending.changed) {
        dirty.insert(*index);
    }
    if commands[..] == old.commands[..] && spawned[..] == old.spawned[..] {
        return;
    }
    if !scratch.rules.holds(Rule::Commands) {
        return;
    }
    let Buffers { named: [new_named, old_named], sort_named, .. } = &mut scratch.resim;
    commanded_bodies(commands, new_named, sort_named);
    commanded_bodies(&old.commands, old_named, sort_named);
    let (mut a, mut b) = (&new_named[..], &old_named[..]);
    while let Some(body) = [a.first(), b.first()].into_iter().flatten().map(|n| n.0).min() {
        let take = |list: &mut &[Named]| {
            let (of_body, rest) = list.split_at(list.iter().take_while(|n| n.0 == body).count());
            *list = rest;
            of_body.len()
        };
        let (left, right) = (a, b);
        let (left, right) = (&left[..take(&mut a)], &right[..take(&mut b)]);
        let same = left.len() == right.len()
            && left
                .iter()
                .zip(right)
                .all(|(l, r)| commands[l.1 as usize] == old.commands[r.1 as usize]);
        if !same {
            dirty.insert(body);
        }
    }
}

/// Lists the bodies that commands name, each with the position of the command, sorted by body. Spawned bodies are in
/// `changed` instead.
fn commanded_bodies(commands: &[Command], out: &mut Vec<Named>, sort: &mut Vec<Named>) {
    out.clear();
    out.extend(
        commands.iter().zip(0..).filter_map(|(command, place)| Some((command.body()?, place))),
    );
    sort_by_key(out, sort, |entry| u64::from(entry.0.get()));
}

/// Returns whether so many bodies are dirty that a full step costs no more.
fn prefers_full_step(world: &World) -> bool {
    let active: u32 = world
        .work
        .streams
        .iter()
        .flat_map(|stream| &stream.active)
        .map(|page| page.count_ones())
        .sum();
    world.dirty.len() > active / FULL_STEP_DIVISOR + 8
}

/// Runs gather to wake for the dirty bodies and their islands.
pub(super) fn expand(
    world: &World,
    scratch: &mut Scratch,
    (old, next): (&StepRecord, &Frame),
    report: &mut StepReport,
) {
    gather::clear(world, scratch);
    scratch.contacts.clear();
    scratch.ends.clear();
    scratch.crowd.clear();
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
        narrow::add(world, scratch, report);
        while let Some(places) = edges.next(scratch) {
            for place in places {
                let body = &scratch.bodies.list[place];
                if !body.dynamic {
                    continue;
                }
                if !body.awake {
                    let mut woken = core::mem::take(&mut scratch.woken);
                    let from = woken.len();
                    wake::wake(world, scratch, body.index, &mut woken);
                    buffers.queue.extend_from_slice(&woken[from..]);
                    scratch.woken = woken;
                } else if body.read_only && scratch.rules.holds(Rule::NewIslands) {
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
        let place = place_of(world, scratch, index);
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

/// Gives the old frame of the next tick the ids, pages and commanded changes of this timeline.
pub(super) fn begin_next(world: &mut World, scratch: &mut Scratch, next: &mut Frame) {
    let World { work, store, dirty, .. } = world;
    mark_replaced(work, store, dirty, scratch, next);
    forget_pages(work, store, scratch, next);
    next.match_pages(work, store);
    for index in dirty.iter() {
        if !work.has_page(index) {
            // Only the old timeline has this page, and its next frame has it too.
            scratch.diff.mark(index);
            continue;
        }
        if next.take_commanded_rows(work, store, index) {
            scratch.diff.mark(index);
        }
        next.mark_active(store, index);
    }
    // The step writes the bodies that it moves; the others keep their rows.
    let Scratch { copied, diff, .. } = scratch;
    for index in copied.iter().filter(|index| work.has_page(*index)) {
        let row = *work.hot(store, index);
        if *next.hot(store, index) != row {
            *next.hot_mut(store, index) = row;
            next.mark_active(store, index);
            diff.mark(index);
        }
    }
}

/// Marks bodies whose generation or page the old frame lacks. A comparison of rows does not show either.
fn mark_replaced(
    work: &Frame,
    store: &Store,
    dirty: &IndexSet<BodyIndex>,
    scratch: &mut Scratch,
    next: &Frame,
) {
    let Scratch { diff, rules, .. } = scratch;
    for index in dirty.iter() {
        let ids = (work.id_at(index), next.id_at(index));
        if let (Some(new), Some(old)) = ids
            && new != old
            && rules.holds(Rule::Generations)
        {
            diff.mark(index);
        }
    }
    // Pages that the old frame lacks are about to be shared with it, so a comparison would find equal rows.
    for (s, stream) in work.streams.iter().enumerate() {
        let known = next.streams.get(s).map_or(0, |stream| stream.cold.len());
        for (p, &page) in stream.cold.iter().enumerate().skip(known) {
            let live = store.cold.get(page).live;
            if live != 0 && rules.holds(Rule::NewPages) {
                (0..PAGE_ROWS).filter(|row| live >> row & 1 == 1).for_each(|row| {
                    diff.mark(index_at(s, p, row));
                });
            }
        }
    }
}

/// Removes bodies whose pages only the old timeline has from the sensors that overlap them, before the pages are
/// dropped.
fn forget_pages(work: &Frame, store: &mut Store, scratch: &mut Scratch, next: &mut Frame) {
    for index in scratch.copied.iter().filter(|index| !work.has_page(*index)) {
        let mut at = 0;
        while let Some(seen) = next.contact_page(store, index)
            && let Some(&Overlap { own, other, senses }) = seen.overlaps_of(index).get(at)
        {
            let mirrored = Overlap { own: other, other: own, senses: !senses };
            let page = next.contact_page_mut(store, body_of(other));
            if let Ok(place) = page.overlaps.binary_search(&mirrored) {
                page.overlaps.remove(place);
                scratch.diff.mark_pair([body_of(own), body_of(other)]);
            }
            at += 1;
        }
    }
}

/// Writes the step record: islands, static edges, woken bodies and commands, for a later resimulation of this tick.
pub(super) fn write_step_record(
    world: &mut World,
    scratch: &mut Scratch,
    step_record: &mut StepRecord,
) {
    let Scratch { islands, bodies, contacts, resim, diff, woken, .. } = scratch;
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
    for contact in contacts {
        let [a, b] = contact.bodies.map(|place| &bodies.list[place]);
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

/// Reserves room for `more` entries, rounded up to a power of two. Each held tick has its own list, and each of them
/// would otherwise grow to its peak separately.
pub(super) fn make_room<T>(list: &mut Vec<T>, more: usize) {
    let most = list.len() + more;
    if list.capacity() < most.max(MIN_ROOM) {
        list.reserve(most.next_power_of_two().max(MIN_ROOM) - list.len());
    }
}

/// Initial capacity of lists, those of held ticks among them.
pub(super) const MIN_ROOM: usize = 256;

/// Computes the dirty bodies of the next tick.
pub(super) fn end(world: &mut World, scratch: &mut Scratch, next: &Frame, report: &mut StepReport) {
    let simulated = scratch.resim.seen.len();
    world.dirty.clear();
    world.dirty.union_with(&scratch.diff.rows);
    for (a, b) in scratch.diff.pairs.drain(..) {
        let kind = |body: BodyIndex, of: BodyKind| {
            [&world.work, next].iter().any(|frame| {
                let Place { stream, page, row } = Place::of(body);
                let page = frame.streams.get(stream).and_then(|stream| stream.cold.get(page));
                page.is_some_and(|page| world.store.cold.get(*page).rows[row].kind == of)
            })
        };
        let is = |of: BodyKind| [a, b].map(|body| (body, kind(body, of)));
        let dynamic = is(BodyKind::Dynamic);
        let any = dynamic.iter().any(|(_, is)| *is);
        for (body, is) in if any { dynamic } else { is(BodyKind::Kinematic) } {
            if is && scratch.rules.holds(Rule::ContactRows) {
                world.dirty.insert(body);
            }
        }
    }
    scratch.diff.rows.clear();
    report.reconverged = simulated.saturating_sub(world.dirty.len());
}
