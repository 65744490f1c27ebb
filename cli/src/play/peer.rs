//! A machine's game: the arena, with a fault that can be planted in it, and a count of what it costs. To the session, to
//! recordings and in digests it is the arena and nothing else: what a fault does is for the session to find out.

use super::work::Work;
use crate::settings::Spot;
use isostep_core::digest::{Digest, DigestTree};
use isostep_core::state::{RestoreError, Snapshot, State, StateDifference, StateError};
use isostep_core::world::ResimMode;
use isostep_core::{Real, Vec3};
use isostep_determinism_tests::games::{Arena, ArenaInput};
use isostep_rollback::{Inputs, PlayerId, Simulation, Tick};

/// The bit that is flipped in a velocity: 4 mm/s. Less might be rounded away by the next contact.
const VELOCITY_BIT: i64 = 1 << 24;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// The step that goes wrong.
    pub(crate) tick: Tick,
    pub(crate) spot: Spot,
}

#[derive(Debug)]
pub(crate) struct Peer {
    arena: Arena,
    /// Gone once the machine doubts itself and computes anew: a bit that flipped in memory.
    glitch: Option<Fault>,
    /// There to stay: a program that computes otherwise.
    flaw: Option<Fault>,
    work: Work,
}

impl Peer {
    pub(crate) fn new(arena: Arena) -> Self {
        let work = Work::new(arena.things().map(|thing| thing.body));
        Self { arena, glitch: None, flaw: None, work }
    }

    pub(crate) const fn arena(&self) -> &Arena {
        &self.arena
    }

    /// What was done since the last call.
    pub(crate) fn take_work(&mut self) -> Work {
        self.work.take()
    }

    pub(crate) const fn set_resim_mode(&mut self, mode: ResimMode) {
        self.arena.world_mut().set_resim_mode(mode);
    }

    pub(crate) const fn plant(&mut self, fault: Fault, always: bool) {
        if always {
            self.flaw = Some(fault);
        } else {
            self.glitch = Some(fault);
        }
    }

    fn strike(&mut self, spot: Spot) {
        match spot {
            Spot::Score => self.arena.players_mut()[0].goals ^= 1,
            Spot::Velocity => {
                let ball = self.arena.ball();
                let world = self.arena.world_mut();
                let Some(body) = world.body(ball) else { return };
                let velocity = body.velocity();
                let x = Real::from_bits(velocity.x.to_bits() ^ VELOCITY_BIT);
                // The speed cap holds for steps, not for what is set.
                let _ = world.set_velocity(ball, Vec3 { x, ..velocity });
            }
        }
    }
}

impl Simulation for Peer {
    type Input = ArenaInput;

    fn step(&mut self, tick: Tick, inputs: &Inputs<ArenaInput>) {
        for fault in [self.glitch, self.flaw].into_iter().flatten() {
            if fault.tick == tick {
                self.strike(fault.spot);
            }
        }
        let begun = Work::begin();
        self.arena.step(tick, inputs);
        self.work.end(begun);
        self.work.stepped(tick, self.arena.world());
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> ArenaInput {
        self.arena.bot(tick, player)
    }
}

/// The arena's, with what takes time measured.
impl State for Peer {
    type Slots = <Arena as State>::Slots;

    fn slots(&mut self, capacity: usize) -> Self::Slots {
        self.arena.slots(capacity)
    }

    fn ready(&self, slots: &Self::Slots, tick: u32) -> Result<(), StateError> {
        self.arena.ready(slots, tick)
    }

    fn holds(&self, slots: &Self::Slots, tick: u32) -> Result<(), StateError> {
        self.arena.holds(slots, tick)
    }

    fn save(&mut self, slots: &mut Self::Slots, tick: u32) -> Result<(), StateError> {
        let begun = Work::begin();
        let saved = self.arena.save(slots, tick);
        self.work.end(begun);
        saved
    }

    fn load(&mut self, slots: &mut Self::Slots, tick: u32) -> Result<(), StateError> {
        let begun = Work::begin();
        let loaded = self.arena.load(slots, tick);
        self.work.end(begun);
        loaded
    }

    fn pin(&mut self, slots: &mut Self::Slots, tick: u32) -> Result<(), StateError> {
        self.arena.pin(slots, tick)
    }

    fn unpin(&mut self, slots: &mut Self::Slots, tick: u32) -> bool {
        self.arena.unpin(slots, tick)
    }

    fn distrust(&mut self, slots: &mut Self::Slots) {
        self.glitch = None;
        self.arena.distrust(slots);
    }

    fn digest(&self, slots: &Self::Slots, tick: u32) -> Result<Digest, StateError> {
        let begun = Work::begin();
        let digest = self.arena.digest(slots, tick);
        self.work.end(begun);
        digest
    }

    fn tree(
        &self,
        slots: &Self::Slots,
        tick: u32,
        name: &str,
        tree: &mut DigestTree,
    ) -> Result<(), StateError> {
        self.arena.tree(slots, tick, name, tree)
    }

    fn page(
        &self,
        slots: &Self::Slots,
        tick: u32,
        name: &str,
        section: &str,
        page: u32,
        out: &mut Vec<u8>,
    ) -> Result<bool, StateError> {
        self.arena.page(slots, tick, name, section, page, out)
    }

    fn explain(
        &self,
        slots: &Self::Slots,
        tick: u32,
        name: &str,
        section: &str,
        page: u32,
        theirs: &[u8],
        limit: usize,
        out: &mut Vec<StateDifference>,
    ) -> Result<bool, StateError> {
        self.arena.explain(slots, tick, name, section, page, theirs, limit, out)
    }
}

impl Snapshot for Peer {
    fn snapshot(
        &self,
        slots: &Self::Slots,
        tick: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), StateError> {
        self.arena.snapshot(slots, tick, out)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.arena.restore(bytes)
    }
}
