//! Makes the calls of a script and keeps the log.
//!
//! - `actor.rs`: a world under test, with what must be known of it: its place in the log, commands of the present tick, pins.
//! - `time.rs`: steps, rewinds and rollbacks; `held.rs`: which ticks are held, and how they are computed.
//! - `change.rs`: spawns and commands.
//! - `copies.rs`: snapshots, restores, clones.
//! - `session.rs`: the ring of a session.

mod actor;
mod change;
mod copies;
mod held;
mod session;
mod time;

use crate::log::Log;
use crate::script::{KINDS, Op, Script};
use actor::Actor;
use copies::Kept;
use isostep_core::Vec3;
use isostep_core::world::{BodyDef, BodyId, World};
use std::collections::BTreeMap;

/// Most steps of a script.
const MAX_STEPS: u32 = 160;
/// Most bodies of a world.
const MAX_BODIES: usize = 90;

/// Counts over scripts.
#[derive(Clone, Debug)]
pub struct Stats {
    /// Scripts.
    pub scripts: u64,
    /// Steps of worlds under test.
    pub steps: u64,
    /// Steps of the oracle.
    pub replayed: u64,
    /// Rewinds that went back by at least a tick, rollbacks and loads of sessions included.
    pub rewinds: u64,
    /// Restores of snapshots.
    pub restores: u64,
    /// Snapshots that were written and restored, of the world under test and of the oracle.
    pub snapshots: u64,
    /// Operations by kind: accepted and refused. An operation of several calls counts as refused if one of them was; one
    /// that had nothing to act on counts as neither.
    pub ops: [[u64; 2]; KINDS.len()],
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            scripts: 0,
            steps: 0,
            replayed: 0,
            rewinds: 0,
            restores: 0,
            snapshots: 0,
            ops: [[0; 2]; KINDS.len()],
        }
    }
}

impl Stats {
    /// Adds the counts of others.
    pub fn add(&mut self, other: &Self) {
        self.scripts += other.scripts;
        self.steps += other.steps;
        self.replayed += other.replayed;
        self.rewinds += other.rewinds;
        self.restores += other.restores;
        self.snapshots += other.snapshots;
        for (sum, more) in self.ops.iter_mut().zip(other.ops) {
            sum[0] += more[0];
            sum[1] += more[1];
        }
    }
}

/// Settings of a run that are no part of a script.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Of how many states one goes through a snapshot in the oracle; 0 for none, and then refused snapshots of the world
    /// under test are no failure.
    pub snapshots: usize,
    /// Rules that are switched off in worlds under test.
    #[cfg(feature = "faults")]
    pub off: Vec<isostep_core::test_internals::Rule>,
}

impl Default for Machine {
    fn default() -> Self {
        Self::with_snapshots(1)
    }
}

impl Machine {
    /// Settings with which one of so many states goes through a snapshot.
    pub const fn with_snapshots(snapshots: usize) -> Self {
        Self {
            snapshots,
            #[cfg(feature = "faults")]
            off: Vec::new(),
        }
    }

    /// Has a world under test obey the settings.
    #[allow(clippy::unused_self, reason = "without faults there is nothing to set")]
    pub(crate) fn prepare(&self, world: &mut World) {
        #[cfg(feature = "faults")]
        for rule in &self.off {
            world.switch_off(*rule);
        }
        let _ = world;
    }
}

/// A script that runs.
pub(crate) struct Driver<'a> {
    machine: &'a Machine,
    script: &'a Script,
    offset: Vec3,
    pub(crate) log: Log,
    pub(crate) actor: Actor,
    other: Option<Actor>,
    kept: Vec<Kept>,
    /// Every id that a spawn returned, with stream and definition of the last body that had it.
    defs: BTreeMap<BodyId, (u8, BodyDef)>,
    ids: Vec<BodyId>,
    /// Bodies that were despawned, last one last.
    gone: Vec<BodyId>,
    steps_left: u32,
    /// Results of the calls of the present operation.
    accepted: u32,
    refused: u32,
    pub(crate) stats: Stats,
    /// Calls as text, if wanted.
    pub(crate) trace: Option<Vec<String>>,
    /// Ends the run when this state is reached for the first time.
    pub(crate) stop_at: Option<usize>,
}

/// A promise of a call that was not kept, or the state that was looked for.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Broken(String),
    Reached,
}

pub(crate) type Outcome = Result<(), Stop>;

/// Ends the run unless a promise is kept.
fn ensure(kept: bool, text: impl FnOnce() -> String) -> Outcome {
    if kept { Ok(()) } else { Err(Stop::Broken(text())) }
}

impl<'a> Driver<'a> {
    /// A driver before the first operation, with the bodies of the scene.
    pub(crate) fn new(script: &'a Script, machine: &'a Machine) -> Self {
        let scene = script.scene;
        let mut log = Log::default();
        let mut actor = Actor::new(scene.world(), scene.history_length(), &mut log);
        machine.prepare(&mut actor.world);
        Self {
            machine,
            script,
            offset: scene.offset_vector(),
            log,
            actor,
            other: None,
            kept: Vec::new(),
            defs: BTreeMap::new(),
            ids: Vec::new(),
            gone: Vec::new(),
            steps_left: MAX_STEPS,
            accepted: 0,
            refused: 0,
            stats: Stats::default(),
            trace: None,
            stop_at: None,
        }
    }

    /// Runs the whole script.
    pub(crate) fn run(&mut self) -> Outcome {
        let scene = self.script.scene;
        self.set_mode(scene.machine);
        self.set_lanes(scene.machine >> 2 & 1);
        // Threads cost much more than small worlds gain, so one in 16 scripts starts with them.
        self.set_threads(if scene.machine >> 4 == 15 { scene.machine >> 2 & 3 } else { 0 });
        let (bodies, commit) = scene.start();
        for (stream, def) in bodies {
            self.spawn(stream, def);
        }
        if commit {
            self.commit()?;
        }
        for op in &self.script.ops {
            (self.accepted, self.refused) = (0, 0);
            self.note(|| format!("-- {op:?}"));
            self.operate(*op)?;
            let count = &mut self.stats.ops[op.kind()];
            if self.refused != 0 {
                count[1] += 1;
            } else if self.accepted != 0 {
                count[0] += 1;
            }
        }
        // Commands of the last tick take effect, too.
        self.step()?;
        self.actor.verified()?;
        self.other.as_ref().map_or(Ok(()), Actor::verified)
    }

    fn operate(&mut self, op: Op) -> Outcome {
        match op {
            Op::Step(n) => (0..Op::steps(n)).try_for_each(|_| self.step()),
            Op::Spawn(args) => {
                self.spawn(args.stream(), args.def(self.offset));
                Ok(())
            }
            Op::Burst(args, count) => {
                self.burst(args, count);
                Ok(())
            }
            Op::Command(args) => {
                self.command_by(args);
                Ok(())
            }
            Op::Despawn(body) => {
                self.despawn(body);
                Ok(())
            }
            Op::Respawn(which) => {
                self.respawn(which);
                Ok(())
            }
            Op::Cycle(body, ticks) => self.cycle(body, ticks),
            Op::Rewind(to) => self.rewind_by(to),
            Op::Again(how) => {
                self.again(how);
                Ok(())
            }
            Op::Rollback(back, how, which) => self.rollback(back, how, which),
            Op::Discard => self.discard(),
            Op::Commit => self.commit(),
            Op::History(n) => self.set_history(n),
            Op::Pin(n) => self.pin(n),
            Op::Unpin(n) => self.unpin(n),
            Op::RewindToPin(n) => self.rewind_to_pin(n),
            Op::DropScratch => self.drop_scratch(),
            Op::DropStepRecords => self.drop_step_records(),
            Op::Mode(n) => {
                self.set_mode(n);
                Ok(())
            }
            Op::Lanes(n) => {
                self.set_lanes(n);
                Ok(())
            }
            Op::Threads(n) => {
                self.set_threads(n);
                Ok(())
            }
            Op::Snapshot(tick, base) => self.snapshot(tick, base),
            Op::Restore(which) => self.restore(which),
            Op::RestoreDamaged(which, at) => self.restore_damaged(which, at),
            Op::Clone => {
                self.clone_world();
                Ok(())
            }
            Op::Swap => {
                self.swap();
                Ok(())
            }
            Op::Fresh(n) => {
                self.fresh(n);
                Ok(())
            }
            Op::Slots(n) => self.slots(n),
            Op::Save(n) => self.save(n),
            Op::Load(n) => self.load(n),
            Op::SlotPin(n) => self.slot_pin(n),
            Op::SlotUnpin(n) => self.slot_unpin(n),
            Op::DropCaches => self.drop_caches(),
            Op::Look => self.look(),
            Op::Encode => {
                self.encode();
                Ok(())
            }
            Op::Mispredict(how, args) => self.mispredict(how, args),
            Op::Drift(gap, how) => self.drift(gap, how),
        }
    }

    /// Counts the result of a call.
    fn count(&mut self, accepted: bool) {
        if accepted { self.accepted += 1 } else { self.refused += 1 }
    }

    /// Adds a line to the trace.
    fn note(&mut self, line: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.push(line());
        }
    }
}
