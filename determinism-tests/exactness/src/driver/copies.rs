//! Snapshots and restores, clones, and a second world.

use super::actor::Actor;
use super::{Driver, Outcome, ensure};
use crate::script::Scene;
use isostep_core::world::{SnapshotError, World, WorldDef};

/// Snapshots that are kept for restores.
const KEPT: usize = 6;

/// A snapshot, with the state that it is of.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    bytes: Vec<u8>,
    node: usize,
    /// The state that it is a delta against, if it is one.
    base: Option<usize>,
}

impl Driver<'_> {
    /// Writes a snapshot of a held tick; another world must restore it to the same digest.
    pub(super) fn snapshot(&mut self, tick: u8, base: u8) -> Outcome {
        let (oldest, now) = self.actor.world.history().into_inner();
        let back = |argument: u8| now - u32::from(argument) % (now.since(oldest) + 1);
        let tick = back(tick);
        // An eighth asks for a tick that is not held.
        let base = match base {
            0..128 => None,
            128..224 => Some(back(base)),
            224.. => Some(now + 1),
        };
        let result = self.actor.world.snapshot(tick, base);
        self.count(result.is_ok());
        self.note(|| format!("snapshot({tick}, {base:?}) -> {:?}", result.as_ref().map(Vec::len)));
        let Ok(bytes) = result else {
            return ensure(base == Some(now + 1), || {
                format!("snapshot({tick}, {base:?}) is refused")
            });
        };
        let node_at = |tick| self.log.at(self.actor.node, tick);
        let (Some(node), base) = (node_at(tick), base.map(|base| (base, node_at(base)))) else {
            return ensure(false, || format!("snapshot of tick {tick}, which never was"));
        };
        self.stats.snapshots += 1;
        let mut fresh = World::with_history(WorldDef::default(), 2).expect("the default is legal");
        let mut restored = Ok(());
        if let Some((base, _)) = base {
            let keyframe = self.actor.world.snapshot(base, None);
            restored = fresh.restore(&keyframe.expect("it was the baseline just now"));
        }
        let restored = restored.and_then(|()| fresh.restore(&bytes));
        if restored.is_err() && self.machine.snapshots == 0 {
            return Ok(());
        }
        ensure(restored.is_ok(), || {
            let base = base.map(|base| base.0);
            format!("the world refuses its own snapshot({tick}, {base:?}): {restored:?}")
        })?;
        ensure(fresh.digest() == self.log.nodes[node].digest, || {
            format!("the snapshot of tick {tick} restores to another digest")
        })?;
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        let base = base.and_then(|base| base.1);
        self.kept.push(Kept { bytes, node, base });
        Ok(())
    }

    /// Restores one of the last snapshots. It may be of another timeline, or of another world.
    pub(super) fn restore(&mut self, which: u8) -> Outcome {
        if self.kept.is_empty() {
            return Ok(());
        }
        let Kept { bytes, node, base } = self.kept[usize::from(which) % self.kept.len()].clone();
        let expected = base.is_none_or(|base| {
            let base = &self.log.nodes[base];
            self.actor.world.digest_at(base.tick) == Ok(base.digest)
        });
        let result = self.actor.world.restore(&bytes);
        self.note(|| format!("restore(state {node}, base {base:?}) -> {result:?}"));
        self.count(result.is_ok());
        match result {
            Ok(()) => self.became(node, "restore"),
            Err(SnapshotError::Baseline(_) | SnapshotError::WrongBaseline { .. }) if !expected => {
                self.actor.matches(&self.log, "a refused restore")
            }
            Err(error) => ensure(false, || format!("restore of state {node} is refused: {error}")),
        }
    }

    /// Restores a snapshot with one bit changed, or with too little room. It must be refused, or the bit must not matter.
    pub(super) fn restore_damaged(&mut self, which: u8, at: u8) -> Outcome {
        if self.kept.is_empty() {
            return Ok(());
        }
        let Kept { mut bytes, node, .. } = self.kept[usize::from(which) % self.kept.len()].clone();
        let place = usize::from(at) * 7919 % bytes.len();
        bytes[place] ^= 1 << (at % 8);
        let result = if at >= 240 {
            self.actor.world.restore_within(&bytes, usize::from(at - 240))
        } else {
            self.actor.world.restore(&bytes)
        };
        self.note(|| format!("restore(damaged state {node}) -> {result:?}"));
        self.count(result.is_ok());
        match result {
            Ok(()) => self.became(node, "restore of a damaged snapshot"),
            Err(_) => self.actor.matches(&self.log, "a refused restore"),
        }
    }

    fn became(&mut self, node: usize, after: &str) -> Outcome {
        self.stats.restores += 1;
        self.actor.node = node;
        self.actor.calls.clear();
        self.actor.old.clear();
        self.actor.starts_here();
        self.actor.matches(&self.log, after)
    }

    pub(super) fn clone_world(&mut self) {
        self.note(|| "other = world.clone()".to_owned());
        let mut clone = self.actor.cloned();
        self.machine.prepare(&mut clone.world);
        self.other = Some(clone);
        self.count(true);
    }

    pub(super) fn swap(&mut self) {
        if let Some(other) = &mut self.other {
            core::mem::swap(other, &mut self.actor);
            self.note(|| "swap(world, other)".to_owned());
            self.count(true);
        }
    }

    /// Makes an empty world with other settings the other world, to restore into.
    pub(super) fn fresh(&mut self, argument: u8) {
        let scene = Scene { physics: argument, history: argument, ..self.script.scene };
        self.note(|| format!("other = World::with_history({scene:?})"));
        let mut actor = Actor::new(scene.world(), scene.history_length(), &mut self.log);
        self.machine.prepare(&mut actor.world);
        self.other = Some(actor);
        self.count(true);
    }
}
