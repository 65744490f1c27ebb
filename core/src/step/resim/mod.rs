//! Incremental resimulation of one tick: finds the bodies that may differ from the old timeline and simulates only
//! those.
//!
//! D is the set of dirty bodies: their state or commands differ. S contains the old and the new island of each body of
//! D. Only S is simulated, into the old frame of the next tick. An island of the new timeline without a body of D has
//! only edges that existed before, so it lies inside one old island. If that one has a dirty body, it is in S; otherwise
//! both are equal and the old next state is right. Rows that come out equal make their bodies clean again.
//!
//! This file finds D and compares what the step wrote; `expand.rs` finds S, `next_frame.rs` prepares the old frame, and
//! `step_record.rs` records the tick. `rules.rs` names the rules; docs/incremental-rollback.md gives the argument.

mod expand;
mod joints;
mod next_frame;
mod step_record;

use super::rules::Rule;
use super::{Scratch, StepReport};
use crate::data::{IndexSet, PairBuffers, sort_by_key};
use crate::world::frame::{Frame, Place};
use crate::world::registry::joints::JointRow;
use crate::world::rows::{BodyIndex, BodyKind};
use crate::world::timeline::{IslandLabel, StepRecord};
use crate::world::{Command, World};

pub(super) use expand::expand;
pub(super) use next_frame::begin_next;
pub(super) use step_record::write_step_record;

/// A full step is cheaper if more than one body in this many active bodies is dirty.
const FULL_STEP_DIVISOR: u32 = 2;

/// Differences between the rows that a step writes and the old rows.
#[derive(Debug, Default)]
pub(crate) struct Diff {
    /// True during an incremental resimulation: old rows exist to compare with.
    pub(crate) on: bool,
    rows: IndexSet<BodyIndex>,
    pairs: Vec<(BodyIndex, BodyIndex)>,
    joints: Vec<(BodyIndex, BodyIndex)>,
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

    pub(crate) fn mark_joint(&mut self, bodies: [BodyIndex; 2]) {
        if self.on {
            self.joints.push(bodies.into());
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
    joints: Vec<JointRow>,
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
    let named = |(command, place): (&Command, u32)| command.bodies().map(move |body| (body, place));
    out.extend(commands.iter().zip(0..).flat_map(named));
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
    let World { work, store, dirty, .. } = world;
    let kind = |body: BodyIndex, of: BodyKind| {
        [&*work, next].iter().any(|frame| {
            let Place { stream, page, row } = Place::of(body);
            let page = frame.streams.get(stream).and_then(|stream| stream.cold.get(page));
            page.is_some_and(|page| store.cold.get(*page).rows[row].kind == of)
        })
    };
    let Scratch { diff, rules, .. } = scratch;
    for (a, b) in diff.pairs.drain(..) {
        let is = |of: BodyKind| [a, b].map(|body| (body, kind(body, of)));
        let dynamic = is(BodyKind::Dynamic);
        let any = dynamic.iter().any(|(_, is)| *is);
        for (body, is) in if any { dynamic } else { is(BodyKind::Kinematic) } {
            if is && rules.holds(Rule::ContactRows) {
                dirty.insert(body);
            }
        }
    }
    // The row of a joint without a dynamic body depends on commands only, and is kept in order by its first body.
    for (a, b) in diff.joints.drain(..) {
        let dynamic = [a, b].map(|body| (body, kind(body, BodyKind::Dynamic)));
        let any = dynamic.iter().any(|(_, is)| *is);
        for (body, is) in if any { dynamic } else { [(a, true), (b, false)] } {
            if is && rules.holds(Rule::JointRows) {
                dirty.insert(body);
            }
        }
    }
    scratch.diff.rows.clear();
    report.reconverged = simulated.saturating_sub(world.dirty.len());
}
