//! One tick as a list of phases. Each phase is a file; they run in the order of [`Phase`].
//!
//! ```text
//!  frame t, with this tick's commands
//!    │
//!  gather ──────── rows of active bodies into columns, in the order of their ids
//!    │
//!  broad phase ─── shape pairs with overlapping bounds ◀──────────────────┐
//!    │                                                                    │ pairs of woken bodies,
//!  narrow phase ── contacts: recycled, or a new manifold ───▶ wake ───────┘ until no body wakes
//!  islands ─────── dynamic bodies connected by contacts and joints; graph colouring orders both
//!    │
//!  prepare ─────── batches of islands; constraint rows of eight contacts in a pack
//!    │
//!  solve ───────── for each batch: damping, gravity, warm start, then
//!    │               substeps × ( impacts ─▶ gravity and carried impulse ─▶ one biased pass ─▶ integrate )
//!    │               and one relaxation pass at the end
//!  sleep ───────── islands below the sleep threshold for long enough fall asleep
//!    │
//!  write ───────── poses and velocities into pages ──────────────┐
//!  record ──────── contacts into pages; began, ended and impacts │
//!  sensors ─────── overlaps of final poses: entered, stayed, left ├──▶ frame t + 1
//!  events ──────── all events, sorted ───────────────────────────┘
//! ```
//!
//! **Locality.** Up to the wake phase, a result is a function of the rows of a pair's two bodies and of the pair's own
//! row. From the islands on, it is a function of one island and of the fixed and kinematic bodies in contact with it. A
//! batch has rows of its own (`batches.rs`), and a debug build panics when a contact reads a body of another island. So
//! a body's next state depends on its island only, and an island can be simulated alone, again, or on another thread.
//!
//! **Sleep.** A sleeping island is in no column. Its rows stay in pages that frames share, and the tree query skips its
//! leaves until an active body overlaps them. The wake phase is a least fixpoint, so its result does not depend on the
//! order of waking.
//!
//! **Scratch.** Dropping all of [`Scratch`] between two ticks, or between commands and the step, changes no bit.

mod anchors;
mod arms;
mod batches;
mod bodies;
mod bounds;
mod broad;
pub(crate) mod candidates;
mod constraint;
mod contacts;
mod crowd;
mod edges;
mod events;
#[cfg(feature = "test-internals")]
mod fault;
mod gather;
mod history_bounds;
mod impact;
mod index;
mod inertia;
mod islands;
mod joints;
pub(crate) mod lanes;
mod load_limit;
mod narrow;
mod prepare;
mod record;
mod recycle;
mod resim;
mod rod;
mod rows;
mod rules;
mod scalar_contact;
mod scratch;
mod sensors;
mod settle;
mod shapes;
mod sleep;
mod solve;
mod spin;
mod stillness;
mod supports;
mod sweep;
mod wake;
mod write;

#[cfg(feature = "test-internals")]
pub use fault::Fault;
pub use lanes::Lanes;
#[cfg(feature = "test-internals")]
pub use rules::Rule;

use crate::data::IndexSet;
use crate::math::Real;
use crate::parallel::Threads;
use crate::world::World;
use crate::world::frame::Frame;
use crate::world::rows::BodyIndex;
use crate::world::timeline::{Entry, StepRecord};
pub(crate) use bounds::{MARGIN, bounds_in};
use resim::Begin;
pub(crate) use scratch::Scratch;
pub(crate) use shapes::{At, Placed};

/// Phases of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Copies rows of active bodies into compact columns.
    Gather,
    /// Finds pairs of shapes with overlapping bounds.
    BroadPhase,
    /// Computes or recycles the contacts of these pairs.
    NarrowPhase,
    /// Wakes sleeping bodies that gained a contact, and finds their pairs.
    Wake,
    /// Finds islands and colours their contacts.
    Islands,
    /// Fills the constraint rows.
    Prepare,
    /// Warm start, substeps, relaxation.
    Solve,
    /// Puts islands to sleep.
    Sleep,
    /// Writes poses and velocities into pages.
    Write,
    /// Writes contacts into pages and finds those that began or ended.
    Record,
    /// Updates sensor overlaps, with the poses of the end of the tick.
    Sensors,
    /// Sorts the events.
    Events,
}

impl Phase {
    /// All phases, in order.
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

/// Counters of one step. They are not state: they count the work of this call, which is less in an incremental
/// resimulation ([`incremental`](Self::incremental)). [`World::events`](crate::world::World::events) lists what happened in the
/// tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// Bodies that were active when the step began: awake dynamic bodies, and kinematic bodies with a velocity.
    pub bodies: u32,
    /// Bodies that woke in the step, or by a command before it.
    pub woken: u32,
    /// Bodies that fell asleep at its end, or by a command before it.
    pub slept: u32,
    /// Islands: sets of dynamic bodies connected by contacts and joints.
    pub islands: u32,
    /// Pairs of shapes, neither of them a sensor, whose bounds overlap.
    pub pairs: u32,
    /// Contacts of these pairs.
    pub contacts: u32,
    /// Points of all contacts.
    pub points: u32,
    /// Contacts whose shapes overlapped or pushed each other.
    pub touching: u32,
    /// Overlaps of a sensor and a shape of which one is awake, moving or changed.
    pub sensor_overlaps: u32,
    /// Events of the step.
    pub events: u32,
    /// Contacts recycled from the last tick because their bodies hardly moved.
    pub recycled: u32,
    /// Colours of the contact graph. Contacts of one colour share no dynamic body.
    pub colours: u32,
    /// Deepest overlap as a separation, metres: negative, −0.01 for an overlap of 1 cm. Zero if there is none, never positive.
    pub deepest: Real,
    /// Bodies that were clamped to the world limit.
    pub clamped: u32,
    /// True if this step was an incremental resimulation of an old tick. The counts above then cover the simulated
    /// bodies only.
    pub incremental: bool,
    /// Simulated bodies whose new rows equal those of the old timeline.
    pub reconverged: u32,
    /// Pages of bodies and contacts that the new frame shares with the frame before, or keeps from the old timeline.
    pub pages_shared: u32,
    /// Pages of the new frame.
    pub pages: u32,
    /// Nanoseconds by phase, if a clock was given.
    pub nanoseconds: [u64; Phase::ALL.len()],
}

/// Computes the frame of the next tick.
pub(crate) fn run(world: &mut World, clock: Option<&mut dyn FnMut() -> u64>) -> StepReport {
    let mut timer = Timer::new(clock);
    let mut report = StepReport::default();
    world.take_placed();
    let mut scratch = core::mem::take(&mut world.scratch);
    scratch.events.clear();
    scratch.reserve();
    // The number of contacts of the last step is the estimate for this one.
    let crowded = world.threads.pays(scratch.contacts.len());
    scratch.threads = if crowded { world.threads.clone() } else { Threads::ONE };
    let threads = scratch.threads.clone();
    let _awake = threads.expect();
    let Entry { frame: mut next, step_record, pending_dirty } =
        core::mem::take(world.timeline.entry_mut(world.tick.next()));
    let known = step_record.is_some();
    let mut step_record = step_record.unwrap_or_default();
    match resim::begin(world, &mut scratch, known.then_some(&step_record), &next) {
        Begin::Unchanged => {
            // Ids may differ: a body spawned and despawned in the old timeline left its generation there.
            next.match_pages(&world.work, &mut world.store);
            // The commands of each body are equal, but their order among bodies may differ.
            core::mem::swap(&mut step_record.commands, &mut world.commands);
            core::mem::swap(&mut step_record.spawned, &mut world.spawned);
            scratch.islands.clear();
            report.incremental = true;
        }
        begin => {
            let again = begin == Begin::Incremental;
            scratch.diff.on = again;
            report.incremental = again;
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
            resim::write_step_record(world, &mut scratch, &mut step_record);
            if again {
                resim::end(world, &mut scratch, &next, &mut report);
            }
        }
    }
    (report.pages, report.pages_shared) = next.count_pages(&world.store);
    let old_future = report.incremental && world.tick.next() < world.timeline.newest();
    if !old_future {
        world.dirty.clear();
    }
    let pending_dirty = if old_future { pending_dirty } else { cleared(pending_dirty) };
    *world.timeline.entry_mut(world.tick.next()) =
        Entry { frame: next, step_record: Some(step_record), pending_dirty };
    if !report.incremental {
        world.timeline.extend_to(world.tick.next());
    }
    world.scratch = scratch;
    report
}

fn cleared(mut set: IndexSet<BodyIndex>) -> IndexSet<BodyIndex> {
    set.clear();
    set
}

/// Runs the phases up to wake: pairs, contacts and woken bodies.
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
    narrow::run(world, scratch.split(), report);
    joints::run(world, scratch);
    timer.end(Phase::NarrowPhase, report);
    wake::run(world, scratch, report);
    timer.end(Phase::Wake, report);
}

/// Runs the phases that are local to an island.
fn solve_islands(
    world: &World,
    scratch: &mut Scratch,
    timer: &mut Timer<'_>,
    report: &mut StepReport,
) {
    islands::run(world, scratch.split(), report);
    timer.end(Phase::Islands, report);
    let mut parts = scratch.solving(world.tick);
    solve::prepare(world, &mut parts);
    timer.end(Phase::Prepare, report);
    solve::run(world, &mut parts);
    record::take_impulses(&mut parts);
    solve::take_impulses(&mut parts);
    timer.end(Phase::Solve, report);
    sleep::run(world, scratch, report);
    timer.end(Phase::Sleep, report);
}

/// Runs the phases that write the next frame.
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
    joints::record(world, scratch, next);
    timer.end(Phase::Record, report);
    sensors::run(world, scratch, next, report);
    timer.end(Phase::Sensors, report);
    events::run(world, scratch, next, report);
    timer.end(Phase::Events, report);
}

/// Phase timer; does nothing without a clock.
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
