//! Work of a machine's simulation in a frame: time, and resimulated bodies by island.

use isostep_core::world::{BodyId, World};
use isostep_rollback::Tick;
use std::cell::Cell;
use std::time::Instant;

/// Number of tracked bodies: the moving ones, which come first among the drawables.
pub(crate) const BODIES: usize = 64;

#[derive(Debug)]
pub(crate) struct Work {
    /// Number of each body, by id.
    numbers: Vec<(BodyId, u8)>,
    /// First tick that was never computed.
    reached: Tick,
    /// Simulation time. A cell, because reading a state takes time as well.
    nanos: Cell<u64>,
    /// Resimulated bodies, summed over ticks.
    redone: u32,
    /// Resimulated bodies, one bit each.
    bodies: u64,
    /// For each body the lowest body of its island; islands of several ticks are merged.
    least: [u8; BODIES],
}

impl Work {
    pub(super) fn new(bodies: impl Iterator<Item = BodyId>) -> Self {
        let mut numbers: Vec<_> = bodies.zip(0..BODIES as u8).collect();
        numbers.sort();
        let nanos = Cell::new(0);
        Self { numbers, reached: Tick(0), nanos, redone: 0, bodies: 0, least: Self::alone() }
    }

    fn alone() -> [u8; BODIES] {
        std::array::from_fn(|body| body as u8)
    }

    pub(super) fn begin() -> Instant {
        Instant::now()
    }

    pub(super) fn end(&self, begun: Instant) {
        self.nanos.set(self.nanos.get() + begun.elapsed().as_nanos() as u64);
    }

    /// Records a computed tick.
    pub(super) fn stepped(&mut self, tick: Tick, world: &World) {
        if tick >= self.reached {
            self.reached = tick.next();
            return;
        }
        for (body, island) in world.computed() {
            self.redone += 1;
            let (Some(body), Some(island)) = (self.number(body), self.number(island)) else {
                continue;
            };
            self.bodies |= 1 << body;
            self.join(body, island);
        }
    }

    fn number(&self, body: BodyId) -> Option<u8> {
        let at = self.numbers.binary_search_by_key(&body, |number| number.0).ok()?;
        Some(self.numbers[at].1)
    }

    /// Merges two islands. Relabels all bodies, which are few.
    fn join(&mut self, a: u8, b: u8) {
        let [a, b] = [a, b].map(|body| self.least[usize::from(body)]);
        let (keep, drop) = (a.min(b), a.max(b));
        if keep != drop {
            self.least.iter_mut().filter(|least| **least == drop).for_each(|least| *least = keep);
        }
    }

    /// Returns the work since the last call and resets it.
    pub(super) fn take(&mut self) -> Self {
        let (redone, bodies) = (self.redone, self.bodies);
        let taken = Self {
            numbers: Vec::new(),
            reached: self.reached,
            nanos: Cell::new(self.nanos.take()),
            redone,
            bodies,
            least: self.least,
        };
        (self.redone, self.bodies) = (0, 0);
        if bodies != 0 {
            self.least = Self::alone();
        }
        taken
    }

    pub(crate) fn micros(&self) -> u32 {
        u32::try_from(self.nanos.get() / 1000).unwrap_or(u32::MAX)
    }

    pub(crate) const fn redone(&self) -> u32 {
        self.redone
    }

    /// Resimulated bodies, each with the lowest body of its island.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        let bodies = (0..BODIES as u8).filter(|body| self.bodies >> body & 1 == 1);
        bodies.map(|body| (body, self.least[usize::from(body)]))
    }
}
