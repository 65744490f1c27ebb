//! One tick, as a list of phases. Each is a file; they run in the order of [`Phase`].
//!
//! ```text
//! slot t + commands ─▶ gather ─▶ broad phase ─▶ narrow phase ─▶ colours ─▶ prepare ─▶ solve ─▶ write ─▶ slot t+1
//!                      columns    pairs          contacts        order      blocks     8 substeps  pages
//! ```
//!
//! Everything in [`Scratch`] can be thrown away between two ticks without changing a bit.

mod block;
mod bodies;
mod broad;
mod colours;
mod contacts;
mod gather;
mod kernel;
mod narrow;
mod prepare;
mod solve;
mod write;

use crate::math::Real;
use crate::world::World;

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
    /// In which order contacts are solved.
    Colours,
    /// Coefficients of the solver's rows.
    Prepare,
    /// Warm start, substeps, relax.
    Solve,
    /// New poses, velocities and contacts into pages.
    Write,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Self; 7] = [
        Self::Gather,
        Self::BroadPhase,
        Self::NarrowPhase,
        Self::Colours,
        Self::Prepare,
        Self::Solve,
        Self::Write,
    ];
}

/// What a step did. Not state: it counts work, and later work may be less for the same result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// Bodies that may move: dynamic and kinematic ones.
    pub bodies: u32,
    /// Pairs of shapes whose bounds overlap.
    pub pairs: u32,
    /// Contacts between them.
    pub contacts: u32,
    /// Points of all contacts.
    pub points: u32,
    /// Contacts kept from the last tick because their bodies hardly moved.
    pub kept: u32,
    /// Groups of contacts that share no dynamic body.
    pub colours: u32,
    /// The deepest overlap, metres, as a negative separation; zero if there is none.
    pub deepest: Real,
    /// Bodies that were held at the end of the world.
    pub limited: u32,
    /// Nanoseconds by phase, if a clock was given.
    pub nanoseconds: [u64; Phase::ALL.len()],
}

/// What can be rebuilt from the state at any time.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Bodies whose shapes in the broad phase are out of date.
    pub(crate) changed: Vec<u32>,
    broad: broad::Broad,
    bodies: bodies::Bodies,
    places: gather::Places,
    last: narrow::Last,
    contacts: Vec<contacts::Contact>,
    order: colours::Order,
    blocks: Vec<block::Block>,
    solver: solve::Buffers,
    write: write::Buffers,
    /// Every contact is made anew. Not scratch at all, but only benches set it, to see what keeping saves.
    #[cfg(feature = "bench-internals")]
    pub(crate) never_keep: bool,
}

impl Scratch {
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

/// Computes the next tick in the world's working slot.
pub(crate) fn run(world: &mut World, clock: Option<&mut dyn FnMut() -> u64>) -> StepReport {
    let mut timer = Timer::new(clock);
    let mut report = StepReport::default();
    let mut scratch = core::mem::take(&mut world.scratch);
    gather::run(world, &mut scratch, &mut report);
    timer.end(Phase::Gather, &mut report);
    broad::run(world, &mut scratch, &mut report);
    timer.end(Phase::BroadPhase, &mut report);
    narrow::run(world, &mut scratch, &mut report);
    timer.end(Phase::NarrowPhase, &mut report);
    colours::run(&mut scratch, &mut report);
    timer.end(Phase::Colours, &mut report);
    solve::prepare(world, &mut scratch);
    timer.end(Phase::Prepare, &mut report);
    solve::run(world, &mut scratch);
    timer.end(Phase::Solve, &mut report);
    write::run(world, &mut scratch, &mut report);
    timer.end(Phase::Write, &mut report);
    world.scratch = scratch;
    report
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
