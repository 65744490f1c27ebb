//! One tick, as a list of phases. Each is a file; they run in the order of [`Phase`].
//!
//! ```text
//!  slot t, with this tick's commands
//!    │
//!  gather ──────── bodies that are not at rest, into columns by place
//!    │
//!  broad phase ─── pairs of shapes whose bounds overlap ◀─────────────────┐
//!    │                                                                    │ pairs of who woke
//!  narrow phase ── their contacts: kept, or made anew ──────▶ wake ───────┘ until nobody wakes
//!    │               (pairs with a sensor wait)
//!  islands ────── bodies that contacts join; colours order the contacts inside
//!    │
//!  prepare ─────── batches of islands; their contacts, eight side by side, in packs of coefficients
//!    │
//!  solve ───────── for each batch: damp, gravity, warm start, then
//!    │               8 × ( impacts ─▶ gravity and carried force ─▶ one pass over the packs ─▶ move )
//!    │               and one relax pass at the end
//!  sleep ───────── islands that have been slow for long enough lose their motion
//!    │
//!  write ───────── poses and velocities into pages ─────────────┐
//!  record ──────── contacts into pages; which began, ended, hit │
//!  sensors ─────── who is inside, who came, who left            ├──▶ slot t + 1
//!  events ──────── all that in order ───────────────────────────┘
//! ```
//!
//! **What a phase may read.** Up to the wake phase everything is a function of the rows of a pair's two bodies and the
//! pair's own row. From the islands on, everything is a function of one island and the static and kinematic bodies
//! that it touches: a batch has rows of its own (`batches.rs`), and a debug build panics when a contact would read across.
//! So a body's next state depends on nothing but its island, and an island can be simulated alone, anew, or on another thread.
//!
//! **What rests costs nothing.** A sleeping island is in no column, its rows stay in pages that slots share, and its
//! leaves in the tree are passed over until something active overlaps them. The wake phase is a least fixpoint: which
//! sleepers wake does not depend on the order in which they are found.
//!
//! **What stays.** Everything in [`Scratch`] can be thrown away between two ticks, or between commands and the step,
//! without changing a bit.

mod arms;
mod batches;
mod block;
mod bodies;
mod broad;
mod contacts;
mod crowd;
mod events;
mod gather;
mod history_bounds;
mod impact;
mod inertia;
mod islands;
mod keep;
pub(crate) mod lanes;
mod narrow;
#[cfg(feature = "test-internals")]
mod plant;
mod prepare;
mod record;
mod resim;
mod rows;
mod rules;
mod scalar_contact;
mod sensors;
mod shapes;
mod sleep;
mod solve;
mod spin;
mod supports;
mod sweep;
mod wake;
mod write;

pub use lanes::Lanes;
#[cfg(feature = "test-internals")]
pub use plant::Plant;
#[cfg(feature = "test-internals")]
pub use rules::Rule;

use crate::data::BitSet;
use crate::math::Real;
use crate::parallel::Threads;
use crate::world::frame::Frame;
use crate::world::rows::PairKey;
use crate::world::timeline::{Entry, StepRecord, Timeline};
use crate::world::{EventRow, World};
pub(crate) use broad::MARGIN;
use resim::Begin;

/// The parts of a step, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Rows of moving bodies into compact columns.
    Gather,
    /// Which shapes might touch.
    BroadPhase,
    /// Where they touch.
    NarrowPhase,
    /// Which sleepers that wakes, and what these touch.
    Wake,
    /// Which bodies move together, and in which order their contacts are solved.
    Islands,
    /// Coefficients of the solver's rows.
    Prepare,
    /// Warm start, substeps, relax.
    Solve,
    /// Which islands fall asleep.
    Sleep,
    /// New poses and velocities into pages.
    Write,
    /// Contacts into pages, and which of them began or ended.
    Record,
    /// What is inside which sensor.
    Sensors,
    /// What there is to tell, in order.
    Events,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Self; 12] = [
        Self::Gather,
        Self::BroadPhase,
        Self::NarrowPhase,
        Self::Wake,
        Self::Islands,
        Self::Prepare,
        Self::Solve,
        Self::Sleep,
        Self::Write,
        Self::Record,
        Self::Sensors,
        Self::Events,
    ];
}

/// What a step did. Not state: it counts what this call computed, which is less when a tick is computed again
/// ([`again`](Self::again)). What happened in the tick is in [`World::events`](crate::world::World::events).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// Bodies that were not at rest when the step began: dynamic ones that don't sleep, kinematic ones with a velocity.
    pub bodies: u32,
    /// Bodies that woke in the step.
    pub woken: u32,
    /// Bodies that fell asleep at its end.
    pub slept: u32,
    /// Groups of dynamic bodies that contacts join.
    pub islands: u32,
    /// Pairs of shapes whose bounds overlap.
    pub pairs: u32,
    /// Contacts between them.
    pub contacts: u32,
    /// Points of all contacts.
    pub points: u32,
    /// Contacts whose shapes overlapped or pushed each other.
    pub touching: u32,
    /// Shapes inside sensors, where one of the two is awake, moving or changed.
    pub sensed: u32,
    /// Events of the step.
    pub events: u32,
    /// Contacts kept from the last tick because their bodies hardly moved.
    pub kept: u32,
    /// Groups of contacts that share no dynamic body.
    pub colours: u32,
    /// The deepest overlap, metres, as a negative separation; zero if there is none.
    pub deepest: Real,
    /// Bodies that were held at the end of the world.
    pub limited: u32,
    /// Whether this was a tick of an old future that was computed again, so that the counts above are of what may differ.
    pub again: bool,
    /// Bodies that differed or were simulated because of others, and came out as they were in the old future.
    pub reconverged: u32,
    /// Pages of bodies and contacts that the new slot shares with the one before, or has from the old future.
    pub pages_shared: u32,
    /// Pages of the new slot.
    pub pages: u32,
    /// Nanoseconds by phase, if a clock was given.
    pub nanoseconds: [u64; Phase::ALL.len()],
}

/// What can be rebuilt from the state at any time.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Bodies whose shapes in the broad phase are out of date.
    pub(crate) changed: Vec<u32>,
    /// Bodies that began or ceased to move, woke or fell asleep since the broad phase last ran.
    pub(crate) stirred: Vec<u32>,
    supports: supports::Supports,
    shared: gather::Shared,
    broad: broad::Broad,
    bodies: bodies::Bodies,
    shapes: shapes::Shapes,
    places: gather::Places,
    /// Pairs that might touch, without sensors.
    met: Vec<narrow::Met>,
    pieces: Vec<narrow::Piece>,
    contacts: Vec<contacts::Contact>,
    /// Their keys and the places of their bodies, for those who need no more of them.
    ends: Vec<narrow::Met>,
    crowd: crowd::Crowd,
    /// Pairs of shapes of which one is a sensor.
    sensing: Vec<(u32, u32)>,
    /// Bodies that are not what they were in the old future, and rest: the next slot gets them as they are.
    copied: BitSet,
    /// Bodies that had a contact with one that is computed again.
    neighbours: BitSet,
    /// Overlaps of the old future.
    others: Vec<PairKey>,
    /// Sleepers that wake in this tick as they did in the old future.
    rising: BitSet,
    diff: resim::Diff,
    resim: resim::Buffers,
    pub(crate) rules: rules::Rules,
    woken: Vec<u32>,
    slept: Vec<u32>,
    islands: islands::Islands,
    batches: batches::Batches,
    arms: arms::ArmCache,
    solver: solve::Buffers,
    /// What becomes of each body that the step moves, by place.
    moved: Vec<write::Moved>,
    /// Who computes this step: none but the calling thread unless there is enough to do.
    threads: Threads,
    /// How wide the solver's kernels are.
    pub(crate) lanes: lanes::Chosen,
    /// Ticks before this one are computed in scalar lanes, because a state is distrusted.
    pub(crate) scalar_until: u32,
    record: record::Buffers,
    sensors: sensors::Buffers,
    events: Vec<EventRow>,
    sort_events: Vec<EventRow>,
    /// The last tick's rows are written over.
    #[cfg(feature = "bench-internals")]
    pub(crate) in_place: bool,
    /// Every contact is made anew. Not scratch at all, but only benches set it, to see what keeping saves.
    #[cfg(feature = "bench-internals")]
    pub(crate) never_keep: bool,
}

/// Entries of `changed` and `stirred` beyond which the broad phase is cheaper to rebuild.
const MAX_LISTED: usize = 1 << 16;

impl Scratch {
    #[cfg(feature = "test-internals")]
    pub(crate) const fn plant(&mut self, plant: Plant) {
        self.islands.plant = Some(plant);
    }

    #[cfg(feature = "test-internals")]
    pub(crate) fn disorder(&mut self, seed: u64) {
        self.batches.disorder.random = Some(crate::Rng::new(seed));
    }

    /// Follows the world to a tick of the ring. Caches that are not valid for it are dropped; `world/arrive.rs` says why
    /// nothing else can be stale.
    pub(crate) fn rewind(&mut self, timeline: &Timeline, to: u32) {
        self.supports.rewind(to);
        self.broad.rewind(to, &mut self.rules);
        for tick in to + 1..=timeline.newest() {
            match &timeline.entry(tick).step_record {
                Some(step_record) => self.changed.extend_from_slice(&step_record.changed),
                // The bodies that were changed then are unknown.
                None => self.broad = broad::Broad::default(),
            }
        }
        // Rewinding again and again without a step must not make the lists ever longer.
        if self.changed.len() + self.stirred.len() > MAX_LISTED {
            self.broad = broad::Broad::default();
        }
        if !self.broad.is_ready() {
            self.changed.clear();
            self.stirred.clear();
        }
    }

    /// Dynamic bodies that the last step computed, each with the least of its island.
    pub(crate) fn computed(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let places = self.islands.places();
        places.map(|(place, label)| (self.bodies.list[place as usize].index, label))
    }

    /// Whether a sleeper may lean on this body, which is not dynamic.
    pub(crate) fn may_bear_sleepers(&self, index: u32) -> bool {
        self.supports.may_have(index)
    }

    #[cfg(feature = "bench-internals")]
    const fn keeps(&self) -> bool {
        !self.never_keep
    }

    #[cfg(not(feature = "bench-internals"))]
    #[allow(clippy::unused_self, reason = "benches have a switch here")]
    const fn keeps(&self) -> bool {
        true
    }
}

/// Computes the slot of the next tick.
pub(crate) fn run(world: &mut World, clock: Option<&mut dyn FnMut() -> u64>) -> StepReport {
    let mut timer = Timer::new(clock);
    let mut report = StepReport::default();
    let mut scratch = core::mem::take(&mut world.scratch);
    scratch.events.clear();
    // As many as in the last step, about.
    let crowded = world.threads.pays(scratch.contacts.len());
    scratch.threads = if crowded { world.threads.clone() } else { Threads::ONE };
    let threads = scratch.threads.clone();
    let _awake = threads.expect();
    let Entry { frame: mut next, step_record, pending_dirty } =
        core::mem::take(world.timeline.entry_mut(world.tick + 1));
    let known = step_record.is_some();
    let mut step_record = step_record.unwrap_or_default();
    match resim::begin(world, &mut scratch, known.then_some(&step_record)) {
        Begin::Same => {
            // All but the ids: a body that came and went in the old future left its generation there.
            next.match_pages(&world.work, &mut world.store);
            // The same commands for each body, but perhaps in another order.
            core::mem::swap(&mut step_record.commands, &mut world.commands);
            core::mem::swap(&mut step_record.spawned, &mut world.spawned);
            scratch.islands.clear();
            report.again = true;
        }
        begin => {
            let again = begin == Begin::Again;
            scratch.diff.on = again;
            report.again = again;
            find_contacts(
                world,
                &mut scratch,
                again.then_some((&step_record, &next)),
                &mut timer,
                &mut report,
            );
            solve_islands(world, &mut scratch, &mut timer, &mut report);
            if again {
                resim::begin_next(world, &mut scratch, &mut next);
            } else {
                next.share_from(&world.work, &mut world.store);
            }
            #[cfg(feature = "bench-internals")]
            if scratch.in_place {
                let tick = world.tick;
                world.timeline.entry_mut(tick).frame.release_hot(&mut world.store);
                world.work.release_hot(&mut world.store);
            }
            write_slot(world, &mut scratch, &mut next, &mut timer, &mut report);
            resim::remember(world, &mut scratch, &mut step_record);
            if again {
                resim::end(world, &mut scratch, &next, &mut report);
            }
        }
    }
    (report.pages, report.pages_shared) = next.count_pages(&world.store);
    let old_future = report.again && world.tick + 1 < world.timeline.newest();
    if !old_future {
        world.dirty.clear();
    }
    let pending_dirty = if old_future { pending_dirty } else { cleared(pending_dirty) };
    *world.timeline.entry_mut(world.tick + 1) =
        Entry { frame: next, step_record: Some(step_record), pending_dirty };
    if !report.again {
        world.timeline.extend_to(world.tick + 1);
    }
    world.scratch = scratch;
    report
}

fn cleared(mut set: BitSet) -> BitSet {
    set.clear();
    set
}

/// The first phases: who has contacts with whom.
fn find_contacts(
    world: &World,
    scratch: &mut Scratch,
    old: Option<(&StepRecord, &Frame)>,
    timer: &mut Timer<'_>,
    report: &mut StepReport,
) {
    if let Some(old) = old {
        resim::expand(world, scratch, old, report);
        timer.end(Phase::Wake, report);
        return;
    }
    scratch.copied.clear();
    scratch.neighbours.clear();
    gather::run(world, scratch, report);
    timer.end(Phase::Gather, report);
    broad::run(world, scratch, report);
    timer.end(Phase::BroadPhase, report);
    narrow::run(world, scratch, report);
    timer.end(Phase::NarrowPhase, report);
    wake::run(world, scratch, report);
    timer.end(Phase::Wake, report);
}

/// The phases that see one island at a time.
fn solve_islands(
    world: &World,
    scratch: &mut Scratch,
    timer: &mut Timer<'_>,
    report: &mut StepReport,
) {
    islands::run(world, scratch, report);
    timer.end(Phase::Islands, report);
    solve::prepare(world, scratch);
    timer.end(Phase::Prepare, report);
    solve::run(world, scratch);
    record::take_impulses(scratch);
    timer.end(Phase::Solve, report);
    sleep::run(world, scratch, report);
    timer.end(Phase::Sleep, report);
}

/// The phases that write the next slot.
fn write_slot(
    world: &mut World,
    scratch: &mut Scratch,
    next: &mut Frame,
    timer: &mut Timer<'_>,
    report: &mut StepReport,
) {
    write::run(world, scratch, next, report);
    timer.end(Phase::Write, report);
    record::run(world, scratch, next, report);
    timer.end(Phase::Record, report);
    sensors::run(world, scratch, next, report);
    timer.end(Phase::Sensors, report);
    events::run(world, scratch, next, report);
    timer.end(Phase::Events, report);
}

/// Times phases if there is a clock.
struct Timer<'a> {
    clock: Option<&'a mut dyn FnMut() -> u64>,
    last: u64,
}

impl<'a> Timer<'a> {
    fn new(mut clock: Option<&'a mut dyn FnMut() -> u64>) -> Self {
        let last = clock.as_mut().map_or(0, |clock| clock());
        Self { clock, last }
    }

    fn end(&mut self, phase: Phase, report: &mut StepReport) {
        if let Some(clock) = &mut self.clock {
            let now = clock();
            report.nanoseconds[phase as usize] = now.wrapping_sub(self.last);
            self.last = now;
        }
    }
}
