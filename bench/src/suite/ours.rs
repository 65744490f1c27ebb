//! Our engine in the scenes.

use super::staging::{players, sleepless};
use crate::engine::{Engine, Observation, Staging};
use crate::interleave::micros;
use crate::paths::ComputePath;
use isostep_core::Phase;
use isostep_core::world::{BodyId, BodyKind, World};
use isostep_core::{Real, StepReport, Vec3, real};
use isostep_scenes::scenes::Scene;
use isostep_scenes::scenes::rest::RestScene;
use std::time::Instant;

/// Velocity difference between the old and the new timeline, m/s: too small to change the scene,
/// but its bits differ.
const NUDGE: Real = real!(0.0000152587890625);
/// Depth of a restore, ticks.
const BACK: u32 = 8;

/// Ticks of which the minimum is taken for a save.
pub const SAVES: u32 = 5;

/// Cost of saving a tick, microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Saves {
    /// Time of the writing phases (bodies, contacts) in excess of a world without history. Negative where the difference is below
    /// the noise.
    pub more: f64,
    /// Whole time of these phases, most of which any engine has: an upper bound of a save.
    pub all: f64,
}

/// Minimum time of the writing phases over a few ticks.
#[cfg(feature = "internals")]
fn least_writing(scene: &mut Scene) -> f64 {
    let writing = |scene: &mut Scene| {
        scene.act();
        let start = Instant::now();
        let mut clock = || start.elapsed().as_nanos() as u64;
        let spent = scene.world.step_timed(Some(&mut clock)).nanoseconds;
        (spent[Phase::Write as usize] + spent[Phase::Record as usize]) as f64 / 1e3
    };
    (0..SAVES).map(|_| writing(scene)).fold(f64::INFINITY, f64::min)
}

/// A scene in our world.
pub struct Ours {
    scene: Scene,
    name: String,
    path: ComputePath,
    /// Moving bodies that no script drives.
    loose: Vec<BodyId>,
    last: StepReport,
    bytes: Vec<u8>,
    /// Nanoseconds by phase, over all ticks since loading.
    phases: [u64; Phase::ALL.len()],
    /// Microseconds of all phases.
    total: f64,
    ticks: u32,
    /// The same scene in a world without history.
    #[cfg(feature = "internals")]
    twin: Option<Scene>,
}

impl Ours {
    /// Loads a scene; `None` if the name is unknown.
    pub fn new(name: &str) -> Option<Self> {
        Self::by_path(name, ComputePath::default_path())
    }

    /// Loads a scene on a compute path; `None` also if this machine does not support it.
    pub fn by_path(name: &str, path: ComputePath) -> Option<Self> {
        Self::of_scene(name, sleepless(name)?, path)
    }

    /// A scene that must come to rest; its bodies may sleep.
    pub(super) fn resting(scene: &RestScene) -> Option<Self> {
        Self::of_scene(scene.name, scene.scene(), ComputePath::default_path())
    }

    fn of_scene(name: &str, mut scene: Scene, path: ComputePath) -> Option<Self> {
        if !path.select(&mut scene.world) {
            return None;
        }
        let steered = players(name);
        let loose = scene
            .world
            .bodies()
            .enumerate()
            .filter(|(i, (_, body))| body.kind() == BodyKind::Dynamic && !steered.contains(i));
        let loose = loose.map(|(_, (id, _))| id).collect();
        Some(Self {
            scene,
            name: name.to_owned(),
            path,
            loose,
            last: StepReport::default(),
            bytes: Vec::new(),
            phases: [0; Phase::ALL.len()],
            total: 0.0,
            ticks: 0,
            #[cfg(feature = "internals")]
            twin: None,
        })
    }

    /// The world.
    pub const fn world(&self) -> &World {
        &self.scene.world
    }

    /// Report of the last step.
    pub const fn last(&self) -> &StepReport {
        &self.last
    }

    /// Mean microseconds a step by phase, since loading.
    pub fn phases(&self) -> [f64; Phase::ALL.len()] {
        self.phases.map(|sum| sum as f64 / 1e3 / f64::from(self.ticks.max(1)))
    }

    /// Mean microseconds a step, since loading.
    pub fn mean_step(&self) -> f64 {
        self.total / f64::from(self.ticks.max(1))
    }

    fn step_once(&mut self) -> f64 {
        self.scene.act();
        let start = Instant::now();
        let mut clock = || start.elapsed().as_nanos() as u64;
        self.last = self.scene.world.step_timed(Some(&mut clock));
        let time = start.elapsed().as_secs_f64() * 1e6;
        for (sum, nanoseconds) in self.phases.iter_mut().zip(self.last.nanoseconds) {
            *sum += nanoseconds;
        }
        self.total += time;
        self.ticks += 1;
        time
    }

    /// Measures saving of the next ticks; `None` in a build without phase times.
    ///
    /// Both worlds run the same ticks, one after the other in alternating order, and end in the
    /// same bits. The minimum of a few ticks counts: interruptions only ever add time, and would
    /// dominate a difference of two sums.
    #[cfg(feature = "internals")]
    pub fn saves(&mut self) -> Option<Saves> {
        let mut twin = self.twin.take().unwrap_or_else(|| self.without_history());
        let first = (self.scene.world.tick().0 / SAVES).is_multiple_of(2);
        let (with, without) = if first {
            let with = least_writing(&mut self.scene);
            (with, least_writing(&mut twin))
        } else {
            let without = least_writing(&mut twin);
            (least_writing(&mut self.scene), without)
        };
        self.twin = Some(twin);
        Some(Saves { more: with - without, all: with })
    }

    /// Returns `None`: this build has no phase times.
    #[cfg(not(feature = "internals"))]
    pub fn saves(&mut self) -> Option<Saves> {
        let _ = (&self.name, SAVES);
        None
    }

    /// The same world with the minimum history: new rows replace those of the last ticks.
    #[cfg(feature = "internals")]
    #[allow(clippy::missing_panics_doc, reason = "it was built before")]
    fn without_history(&self) -> Scene {
        let mut twin = sleepless(&self.name).expect("it was built before");
        twin.world = self.scene.world.clone();
        twin.world.set_history(1);
        twin.world.write_in_place(true);
        twin
    }

    /// One tick with a small change of every velocity.
    fn nudged_step(&mut self, nudge: Real) {
        self.scene.act();
        let world = &mut self.scene.world;
        for &id in &self.loose {
            if let Some(velocity) = world.body(id).map(|body| body.velocity()) {
                // Slow bodies stay below the speed limit.
                let _ = world.set_velocity(id, velocity + Vec3::X * nudge);
            }
        }
        world.step();
    }

    /// Bytes of a delta against the previous tick, and the time to encode it.
    pub fn delta(&self) -> Option<(f64, usize)> {
        let (now, mut size) = (self.scene.world.tick(), 0);
        let time = micros(|| {
            size = self.scene.world.snapshot(now, now.previous()).map_or(0, |bytes| bytes.len());
        });
        (size > 0).then_some((time, size))
    }
}

impl Engine for Ours {
    fn name(&self) -> String {
        "Isostep".to_owned()
    }

    fn load(&mut self, staging: &Staging) {
        if let Some(anew) = Self::by_path(&staging.name, self.path) {
            *self = anew;
        }
    }

    fn step(&mut self, ticks: u32) -> f64 {
        (0..ticks).map(|_| self.step_once()).sum()
    }

    fn settle(&mut self, ticks: u32) -> (u32, bool) {
        for step in 1..=ticks {
            self.step_once();
            let mut bodies = self.loose.iter().filter_map(|id| self.scene.world.body(*id));
            if bodies.all(|body| body.is_asleep()) {
                return (step, true);
            }
        }
        (ticks, false)
    }

    /// Excess of the writing phases over a world without history; see [`Saves`].
    fn save(&mut self) -> f64 {
        self.saves().map_or(0.0, |saves| saves.more)
    }

    /// A restore selects another frame of the history. Work that it defers to the next steps counts
    /// for rollbacks.
    fn restore(&mut self) -> f64 {
        for _ in 0..BACK {
            self.scene.step();
        }
        let now = self.scene.world.tick();
        micros(|| self.scene.world.rewind(now - BACK))
    }

    fn rollback(&mut self, depth: u32) -> f64 {
        let now = self.scene.world.tick();
        for _ in 0..depth {
            self.nudged_step(NUDGE);
        }
        micros(|| {
            // The tick is still held.
            let _ = self.scene.world.rewind(now);
            for _ in 0..depth {
                self.nudged_step(-NUDGE);
            }
        })
    }

    fn encode(&mut self) -> Option<(f64, usize)> {
        let now = self.scene.world.tick();
        let time = micros(|| self.bytes = self.scene.world.snapshot(now, None).unwrap_or_default());
        (!self.bytes.is_empty()).then_some((time, self.bytes.len()))
    }

    fn decode(&mut self) -> Option<f64> {
        let mut other = self.scene.world.clone();
        let mut read = Ok(());
        let time = micros(|| read = other.restore(&self.bytes));
        read.is_ok().then_some(time)
    }

    fn observe(&mut self) -> Observation {
        let mut seen =
            Observation { deepest: -self.last.deepest.to_f64(), ..Observation::default() };
        for body in self.loose.iter().filter_map(|id| self.scene.world.body(*id)) {
            seen.places.push(body.position().to_array().map(Real::to_f64));
            let unit = f64::from(1 << 30);
            seen.turns.push(body.rotation().to_bits().map(|c| f64::from(c) / unit));
            let velocity = body.velocity().to_array().map(Real::to_f64);
            seen.speeds.push(velocity.iter().map(|v| v * v).sum::<f64>().sqrt());
        }
        seen
    }
}

#[cfg(all(test, feature = "internals"))]
mod tests {
    use super::*;

    /// Precondition of the comparison: both must write the same rows.
    #[test]
    fn a_world_without_history_computes_the_same_ticks() {
        for name in ["arena", "stacks"] {
            let mut ours = Ours::new(name).unwrap();
            ours.step(40);
            ours.saves().unwrap();
            ours.saves().unwrap();
            let twin = ours.twin.as_ref().unwrap();
            assert_eq!(twin.world.tick().0, 50);
            assert_eq!(twin.world.digest(), ours.world().digest(), "{name}");
            let held = |world: &World| world.tick().since(*world.history().start()) + 1;
            assert!(held(&twin.world) < 3 && held(ours.world()) > 30);
        }
    }
}
