//! A machine's game: Tumble with fault injection and cost counters. Sessions, recordings and
//! digests see plain Tumble; finding the fault is the session's task.

use super::work::Work;
use crate::settings::FaultTarget;
use isostep_core::digest::Digest;
use isostep_core::internals::DigestTree;
use isostep_core::state::{RestoreError, Snapshot, State, StateDifference, StateError};
use isostep_core::world::{BodyId, ResimMode};
use isostep_core::{Real, Vec3};
use isostep_rollback::{Inputs, PlayerId, Simulation, Tick};
use isostep_scenes::games::tumble::rules::{Move, Tumble};

/// The flipped bit of a velocity: 4 mm/s. The next contact could round away less.
const VELOCITY_BIT: i64 = 1 << 24;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// Step that goes wrong.
    pub(crate) tick: Tick,
    pub(crate) target: FaultTarget,
}

#[derive(Debug)]
pub(crate) struct Peer {
    tumble: Tumble,
    /// A memory error: removed when the machine drops its caches and resimulates.
    glitch: Option<Fault>,
    /// A program error: permanent.
    flaw: Option<Fault>,
    work: Work,
}

impl Peer {
    pub(crate) fn new(tumble: Tumble) -> Self {
        let work = Work::new(tumble.cast.bodies.iter().copied());
        Self { tumble, glitch: None, flaw: None, work }
    }

    pub(crate) const fn tumble(&self) -> &Tumble {
        &self.tumble
    }

    /// Returns the work since the last call.
    pub(crate) fn take_work(&mut self) -> Work {
        self.work.take()
    }

    pub(crate) const fn set_resim_mode(&mut self, mode: ResimMode) {
        self.tumble.world.set_resim_mode(mode);
    }

    pub(crate) const fn inject(&mut self, fault: Fault, always: bool) {
        if always {
            self.flaw = Some(fault);
        } else {
            self.glitch = Some(fault);
        }
    }

    fn flip_bit(&mut self, target: FaultTarget) {
        match target {
            FaultTarget::Score => self.tumble.players[0].points ^= 1,
            FaultTarget::Velocity => {
                let Tumble { world, cast, .. } = &mut self.tumble;
                // The crate that was dropped last.
                let Some(&last) = cast.bodies.last() else { return };
                let Some(body) = world.body(last) else { return };
                let velocity = body.velocity();
                let x = Real::from_bits(velocity.x.to_bits() ^ VELOCITY_BIT);
                // The speed limit applies to steps, not to set velocities.
                let _ = world.set_velocity(last, Vec3 { x, ..velocity });
            }
        }
    }
}

impl Simulation for Peer {
    type Input = Move;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Move>) {
        for fault in [self.glitch, self.flaw].into_iter().flatten() {
            if fault.tick == tick {
                self.flip_bit(fault.target);
            }
        }
        let begun = Work::begin();
        self.tumble.step(tick, inputs);
        self.work.end(begun);
        self.work.stepped(tick, &self.tumble.world);
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> Move {
        self.tumble.bot(tick, player)
    }

    fn body_name(&self, body: BodyId) -> Option<String> {
        self.tumble.body_name(body)
    }
}

/// Delegates to Tumble and measures the calls that take time.
impl State for Peer {
    type Slots = <Tumble as State>::Slots;

    fn slots(&mut self, capacity: usize) -> Self::Slots {
        self.tumble.slots(capacity)
    }

    fn ready(&self, slots: &Self::Slots, tick: Tick) -> Result<(), StateError> {
        self.tumble.ready(slots, tick)
    }

    fn holds(&self, slots: &Self::Slots, tick: Tick) -> Result<(), StateError> {
        self.tumble.holds(slots, tick)
    }

    fn save(&mut self, slots: &mut Self::Slots, tick: Tick) -> Result<(), StateError> {
        let begun = Work::begin();
        let saved = self.tumble.save(slots, tick);
        self.work.end(begun);
        saved
    }

    fn load(&mut self, slots: &mut Self::Slots, tick: Tick) -> Result<(), StateError> {
        let begun = Work::begin();
        let loaded = self.tumble.load(slots, tick);
        self.work.end(begun);
        loaded
    }

    fn pin(&mut self, slots: &mut Self::Slots, tick: Tick) -> Result<(), StateError> {
        self.tumble.pin(slots, tick)
    }

    fn unpin(&mut self, slots: &mut Self::Slots, tick: Tick) -> bool {
        self.tumble.unpin(slots, tick)
    }

    fn drop_caches(&mut self, slots: &mut Self::Slots) {
        self.glitch = None;
        self.tumble.drop_caches(slots);
    }

    fn digest(&self, slots: &Self::Slots, tick: Tick) -> Result<Digest, StateError> {
        let begun = Work::begin();
        let digest = self.tumble.digest(slots, tick);
        self.work.end(begun);
        digest
    }

    fn tree(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        name: &str,
        tree: &mut DigestTree,
    ) -> Result<(), StateError> {
        self.tumble.tree(slots, tick, name, tree)
    }

    fn page(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        name: &str,
        section: &str,
        page: u32,
        out: &mut Vec<u8>,
    ) -> Result<bool, StateError> {
        self.tumble.page(slots, tick, name, section, page, out)
    }

    fn explain(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        name: &str,
        section: &str,
        page: u32,
        theirs: &[u8],
        limit: usize,
        out: &mut Vec<StateDifference>,
    ) -> Result<bool, StateError> {
        self.tumble.explain(slots, tick, name, section, page, theirs, limit, out)
    }
}

impl Snapshot for Peer {
    fn snapshot(
        &self,
        slots: &Self::Slots,
        tick: Tick,
        out: &mut Vec<u8>,
    ) -> Result<(), StateError> {
        self.tumble.snapshot(slots, tick, out)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.tumble.restore(bytes)
    }
}
