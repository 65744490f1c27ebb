//! Scratch of a step: caches and buffers that can be rebuilt from the state at any time. Phases receive the parts that they read and write
//! ([`Split`], [`solve::Solving`]).

use super::edges::Edges;
#[cfg(feature = "test-internals")]
use super::fault::Fault;
use super::index::BodyPlace;
use super::narrow::{self, Narrow};
use super::{
    anchors, arms, batches, bodies, broad, contacts, crowd, gather, islands, joints, lanes,
};
use super::{record, resim, rules, sensors, shapes, solve, supports, write};
use crate::Tick;
use crate::data::{Column, IndexSet};
use crate::parallel::Threads;
use crate::world::EventRow;
use crate::world::rows::{BodyIndex, PairKey, ShapeKey};
use crate::world::timeline::{IslandLabel, Timeline};

/// Caches and buffers of a step. All of it can be rebuilt from the state at any time.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Bodies whose shapes in the broad phase are out of date.
    pub(crate) changed: Vec<BodyIndex>,
    /// Bodies that became active or inactive since the broad phase last ran.
    pub(crate) activity_changed: Vec<BodyIndex>,
    pub(super) supports: supports::Supports,
    pub(super) shared: gather::Shared,
    pub(super) broad: broad::Broad,
    pub(super) bodies: bodies::Bodies,
    pub(super) shapes: shapes::Shapes,
    pub(super) places: gather::Places,
    pub(super) narrow: narrow::Buffers,
    pub(super) contacts: contacts::ContactColumn,
    /// Pair keys and body places of the contacts, for phases that need no more of them.
    pub(super) ends: narrow::Ends,
    pub(super) crowd: crowd::Crowd,
    pub(super) joints: joints::Joints,
    pub(super) anchors: anchors::Anchors,
    /// Dirty bodies at rest. Their rows are copied to the next frame unchanged.
    pub(super) copied: IndexSet<BodyIndex>,
    /// Bodies that had a contact with a simulated body on the last tick.
    pub(super) neighbours: IndexSet<BodyIndex>,
    /// Sensor overlaps of the old timeline.
    pub(super) others: Vec<PairKey>,
    /// Sleeping bodies that a contact woke at this tick in the old timeline.
    pub(super) woken_in_old: IndexSet<BodyIndex>,
    pub(super) diff: resim::Diff,
    pub(super) resim: resim::Buffers,
    pub(crate) rules: rules::Rules,
    pub(super) woken: Vec<BodyIndex>,
    pub(super) slept: Vec<BodyPlace>,
    pub(super) islands: islands::Islands,
    pub(super) batches: batches::Batches,
    pub(super) arms: arms::ArmCache,
    pub(super) solver: solve::Buffers,
    /// New row of each body that the step moves, by place.
    pub(super) moved: Column<BodyPlace, write::Moved>,
    /// Worker threads of this step: only the calling thread unless there is enough work.
    pub(super) threads: Threads,
    /// SIMD width of the solver's kernels.
    pub(crate) lanes: lanes::Chosen,
    /// Ticks before this one use scalar lanes, because a state is suspected to be wrong.
    pub(crate) scalar_until: Tick,
    pub(super) record: record::Buffers,
    pub(super) sensors: sensors::Buffers,
    pub(super) events: Vec<EventRow>,
    pub(super) sort_events: Vec<EventRow>,
    /// Lets the step overwrite the rows of the last tick.
    #[cfg(feature = "bench-internals")]
    pub(crate) in_place: bool,
    /// Disables contact recycling. This changes results; only benches set it, to measure what recycling saves.
    #[cfg(feature = "bench-internals")]
    pub(crate) never_recycle: bool,
}

/// Parts of [`Scratch`] for the phases that find contacts.
pub(super) struct Split<'a> {
    pub(super) narrow: Narrow<'a>,
    /// Pairs that the broad phase has found last.
    pub(super) pairs: &'a [(ShapeKey, ShapeKey)],
    pub(super) joints: &'a joints::Joints,
    pub(super) islands: &'a mut islands::Islands,
}

/// Number of entries of `changed` and `activity_changed` beyond which a rebuild of the broad phase is cheaper.
const MAX_LISTED: usize = 1 << 16;

impl Scratch {
    /// Columns to which phases add bodies.
    pub(super) const fn columns(&mut self) -> gather::Columns<'_> {
        let Self { bodies, shapes, places, shared, .. } = self;
        gather::Columns { bodies, shapes, places, shared }
    }

    /// Parts for the phases that find contacts.
    pub(super) fn split(&mut self) -> Split<'_> {
        let recycles = self.recycles();
        let Self { bodies, shapes, places, shared, broad, narrow, islands, joints, .. } = self;
        let Self { contacts, ends, crowd, threads, .. } = self;
        let columns = gather::Columns { bodies, shapes, places, shared };
        let narrow = Narrow { columns, contacts, ends, crowd, buffers: narrow, threads, recycles };
        Split { narrow, pairs: &broad.pairs, joints, islands }
    }

    /// The edges that the step has found so far.
    pub(super) const fn edges(&self) -> Edges<'_> {
        Edges { contacts: &self.ends, crowd: &self.crowd, joints: &self.joints }
    }

    /// Parts for the solver at this tick.
    pub(super) fn solving(&mut self, now: Tick) -> solve::Solving<'_> {
        let lanes = if now < self.scalar_until { lanes::Chosen::SCALAR } else { self.lanes };
        let tick = self.shared.tick;
        let Self { bodies, contacts, joints, islands, batches, arms, solver, threads, .. } = self;
        let buffers = solver;
        solve::Solving {
            bodies,
            contacts,
            joints,
            islands,
            batches,
            arms,
            buffers,
            threads,
            tick,
            lanes,
        }
    }

    /// Gives lists and sets that are short in most steps a capacity that a small world never exceeds, so that its rare steps
    /// with many entries do not allocate.
    pub(super) fn reserve(&mut self) {
        for set in [&mut self.copied, &mut self.neighbours, &mut self.woken_in_old] {
            set.reserve(resim::MIN_ROOM as u32);
        }
        resim::make_room(&mut self.woken, 0);
        resim::make_room(&mut self.slept, 0);
        self.broad.reserve();
        self.record.reserve();
        self.resim.reserve();
    }

    #[cfg(feature = "test-internals")]
    pub(crate) const fn inject_fault(&mut self, fault: Fault) {
        self.islands.fault = Some(fault);
    }

    #[cfg(feature = "test-internals")]
    pub(crate) fn disorder(&mut self, seed: u64) {
        self.batches.disorder.random = Some(crate::Rng::new(seed));
    }

    /// Drops caches that are not valid for tick `to` of the ring. `world/arrive.rs` gives the reason why no other cache
    /// can be stale.
    pub(crate) fn rewind(&mut self, timeline: &Timeline, to: Tick) {
        self.supports.rewind(to);
        self.broad.rewind(to, &mut self.rules);
        for tick in timeline.ticks().filter(|tick| *tick > to) {
            match &timeline.entry(tick).step_record {
                Some(step_record) => self.changed.extend_from_slice(&step_record.changed),
                // Without a step record the changed bodies are unknown.
                None => self.broad = broad::Broad::default(),
            }
        }
        // Repeated rewinds without a step must not let the lists grow without bound.
        if self.changed.len() + self.activity_changed.len() > MAX_LISTED {
            self.broad = broad::Broad::default();
        }
        if !self.broad.is_ready() {
            self.changed.clear();
            self.activity_changed.clear();
        }
    }

    /// Dynamic bodies that the last step simulated, each with the label of its island.
    pub(crate) fn computed(&self) -> impl Iterator<Item = (BodyIndex, IslandLabel)> + '_ {
        let places = self.islands.places();
        places.map(|(place, label)| (self.bodies.list[place].index, label))
    }

    /// Notes that a body which was put to sleep by command may have a contact with this body.
    pub(crate) fn add_support(&mut self, index: BodyIndex) {
        self.supports.add(index);
    }

    /// Returns whether a sleeping body may have a contact with this fixed or kinematic body.
    pub(crate) fn may_support_sleeping(&self, index: BodyIndex) -> bool {
        self.supports.may_have(index)
    }

    #[cfg(feature = "bench-internals")]
    pub(super) const fn recycles(&self) -> bool {
        !self.never_recycle
    }

    #[cfg(not(feature = "bench-internals"))]
    #[allow(clippy::unused_self, reason = "benches have a switch here")]
    pub(super) const fn recycles(&self) -> bool {
        true
    }
}
