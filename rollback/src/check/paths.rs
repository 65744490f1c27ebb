//! Paths to a tick that every simulation supports. Those that need snapshots are in `snapshots.rs`.

use super::runner::{Instance, Runner, Stop};
use super::script::{Kind, Prediction};
use crate::Tick;
use crate::simulation::Simulation;
use core::fmt;
use isostep_core::Rng;

/// Path to a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TickPath {
    /// Every tick once, in order. The reference.
    Straight,
    /// Two games stepped in turn: neither may affect the other.
    Interleaved,
    /// As in a networked match: predict, roll back when wrong, resimulate. Caches may be used.
    RolledBack,
    /// The same, with caches dropped at each rollback.
    FullResim,
    /// Before each tick, caches are dropped and the state is loaded from its own save.
    Reloaded,
    /// At intervals, written as a snapshot and restored into a new game. Needs
    /// [`Snapshot`](isostep_core::state::Snapshot).
    Encoded,
    /// Recorded from a session and played from the file, also from its keyframes. Needs
    /// [`Snapshot`](isostep_core::state::Snapshot).
    Recorded,
}

impl TickPath {
    /// All paths, in the order of the report.
    #[doc(hidden)]
    pub const ALL: [Self; 7] = [
        Self::Straight,
        Self::Interleaved,
        Self::RolledBack,
        Self::FullResim,
        Self::Reloaded,
        Self::Encoded,
        Self::Recorded,
    ];

    /// Returns the name in the report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Straight => "straight",
            Self::Interleaved => "interleaved",
            Self::RolledBack => "rolled back",
            Self::FullResim => "full resim",
            Self::Reloaded => "reloaded",
            Self::Encoded => "encoded",
            Self::Recorded => "recorded",
        }
    }

    /// Returns true if the path needs [`Snapshot`](isostep_core::state::Snapshot).
    #[doc(hidden)]
    pub const fn needs_snapshots(self) -> bool {
        matches!(self, Self::Encoded | Self::Recorded)
    }

    /// Returns the likely cause if this path differs and none before it in [`ALL`](Self::ALL) does.
    #[doc(hidden)]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Straight => {
                "the construction of the game affects the state: results joined in order of thread completion, vector instructions with \
                 other rounding; or randomness, a clock or an address"
            }
            Self::Interleaved => {
                "the step reads something besides state and inputs: a static, a hash map's order, an address, a clock, random \
                 numbers without a seed"
            }
            Self::RolledBack | Self::FullResim => {
                "the step reads something that is not saved and loaded (scratch, a `#[state(fixed)]` field that changes, data \
                 outside of the state, a past tick of a world), or the status of an input"
            }
            Self::Reloaded => {
                "the step depends on scratch: scratch must be a function of the state"
            }
            Self::Encoded | Self::Recorded => {
                "a field is not in the snapshot (`#[serde(skip)]`, a `#[state(fixed)]` field that changes), or does not \
                 round-trip; or the step reads a past tick of a world, which no snapshot has"
            }
        }
    }
}

impl fmt::Display for TickPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

pub(super) fn draw(rng: &mut Rng, bound: u32) -> u32 {
    rng.below(bound.max(1)).unwrap_or(0)
}

impl<S: Simulation> Runner<'_, S> {
    pub(super) fn straight(self) -> Result<(), Stop> {
        let mut instance = Instance::new((self.make)(), self.script, 2)?;
        instance.show([Tick(0)], self.observer)?;
        while instance.tick.0 < self.script.len() {
            instance.step(None)?;
            instance.show([instance.tick], self.observer)?;
        }
        Ok(())
    }

    pub(super) fn interleaved(self) -> Result<(), Stop> {
        let (first, second) = ((self.make)(), (self.make)());
        let mut instances =
            [Instance::new(first, self.script, 2)?, Instance::new(second, self.script, 2)?];
        for tick in (0..=self.script.len()).map(Tick) {
            for instance in &mut instances {
                if tick.0 > 0 {
                    instance.step(None)?;
                }
                instance.show([tick], self.observer)?;
            }
        }
        Ok(())
    }

    pub(super) fn reloaded(self) -> Result<(), Stop> {
        let mut instance = Instance::new((self.make)(), self.script, 2)?;
        for tick in (0..=self.script.len()).map(Tick) {
            if tick.0 > 0 {
                instance.step(None)?;
            }
            instance.load(tick)?;
            instance.drop_caches();
            instance.show([tick], self.observer)?;
        }
        Ok(())
    }

    /// Like a session: the current tick is ahead of the confirmed tick, and some ticks are confirmed at a time.
    pub(super) fn rolled_back(self, drop_caches: bool) -> Result<(), Stop> {
        let Self { script, depth, .. } = self;
        let depth = depth.max(1);
        let mut rng = Rng::keyed(self.seed, 0, 0, 0x6368_6563_6b01);
        let mut instance = Instance::new((self.make)(), script, depth as usize + 2)?;
        instance.show([Tick(0)], self.observer)?;
        let mut known = Tick(0);
        while known.0 < script.len() {
            let lead = (1 + draw(&mut rng, depth)).min(script.len() - known.0);
            let was = known;
            if instance.tick == known && draw(&mut rng, 4) == 0 {
                // Right predictions need no rollback.
                let right = Prediction { since: known, seats: u32::MAX, kind: Kind::Right };
                ahead(&mut instance, known + lead, &right)?;
                known = instance.tick;
            } else {
                let wrong = prediction(&mut rng, known, script);
                ahead(&mut instance, known + lead, &wrong)?;
                let current = instance.tick;
                let all = current.since(known);
                let come = if draw(&mut rng, 3) == 0 { all } else { 1 + draw(&mut rng, all) };
                instance.load(known)?;
                if drop_caches {
                    instance.drop_caches();
                }
                known += come;
                while instance.tick < known {
                    instance.step(None)?;
                }
                ahead(&mut instance, current, &prediction(&mut rng, known, script))?;
            }
            instance.show((was.0 + 1..=known.0).map(Tick), self.observer)?;
        }
        Ok(())
    }
}

/// Steps with predicted inputs.
fn ahead<S: Simulation>(
    instance: &mut Instance<'_, S>,
    to: Tick,
    prediction: &Prediction,
) -> Result<(), Stop> {
    while instance.tick < to {
        instance.step(Some(prediction))?;
    }
    Ok(())
}

/// Draws a prediction of some seats, likely a wrong one.
fn prediction<I: crate::input::Input>(
    rng: &mut Rng,
    since: Tick,
    script: &super::script::ScriptedInputs<I>,
) -> Prediction {
    let all = u32::MAX.checked_shl(script.players as u32).map_or(u32::MAX, |none| !none);
    let seats = match rng.next_u32() & all {
        0 => all,
        some => some,
    };
    let kind = match draw(rng, 2) {
        0 => Kind::Held,
        _ => Kind::Later(1 + draw(rng, script.len())),
    };
    Prediction { since, seats, kind }
}
