//! A world under test, and what follows from the calls to it: its place in the log, the commands of the present tick, which
//! ticks it must hold.

use super::session::Session;
use super::{Outcome, ensure};
use crate::log::{Call, Edge, Log, Node};
use crate::rays;
use isostep_core::Tick;
use isostep_core::world::{Command, World, WorldDef};
use std::collections::BTreeMap;

/// A world under test.
pub(crate) struct Actor {
    pub(crate) world: World,
    /// Its state after the last step.
    pub(crate) node: usize,
    /// Calls since then.
    pub(crate) calls: Vec<Call>,
    /// Pinned ticks, and how often.
    pub(super) pins: BTreeMap<Tick, u32>,
    /// Accepted commands of the timeline that the last rewind abandoned, by the tick they were given on.
    pub(super) old: BTreeMap<Tick, Vec<Command>>,
    /// The oldest tick that must be held.
    pub(super) floor: Tick,
    /// Ticks that are held when there are enough.
    pub(super) length: usize,
    pub(super) session: Option<Session>,
}

impl Actor {
    /// A new world, with a root of the log.
    pub(super) fn new(def: WorldDef, length: usize, log: &mut Log) -> Self {
        let world = World::with_history(def.clone(), length).expect("scenes are legal");
        let node = log.add(Node {
            parent: None,
            children: Vec::new(),
            edge: Edge::New(Box::new(def)),
            tick: Tick(0),
            digest: world.digest(),
            events: Vec::new(),
            hits: Vec::new(),
        });
        Self {
            world,
            node,
            calls: Vec::new(),
            pins: BTreeMap::new(),
            old: BTreeMap::new(),
            floor: Tick(0),
            length,
            session: None,
        }
    }

    /// A clone, which has the commands of the present tick but no history.
    pub(super) fn cloned(&self) -> Self {
        let world = self.world.clone();
        Self {
            floor: world.tick(),
            world,
            node: self.node,
            calls: self.calls.clone(),
            pins: BTreeMap::new(),
            old: self.old.clone(),
            length: self.length,
            session: None,
        }
    }

    /// Drops what a restore or a commit makes the world drop.
    pub(super) fn starts_here(&mut self) {
        self.pins.clear();
        self.session = None;
        self.floor = self.world.tick();
    }

    /// The world is in the state of its node: tick, digest and events.
    pub(super) fn matches(&self, log: &Log, after: &str) -> Outcome {
        let node = &log.nodes[self.node];
        ensure(self.world.tick() == node.tick, || {
            format!("{after}: the tick is {}, not {}", self.world.tick(), node.tick)
        })?;
        ensure(self.world.digest() == node.digest, || {
            format!("{after}: the digest at tick {} is not the one seen before", node.tick)
        })?;
        let same = self.world.events().eq(node.events.iter().copied());
        ensure(same, || {
            format!("{after}: the events of tick {} are not those seen before", node.tick)
        })?;
        let same = self.world.past(node.tick).is_ok_and(|past| rays::then(past) == node.hits);
        ensure(same, || {
            format!("{after}: rays at tick {} do not hit what they hit before", node.tick)
        })
    }

    /// `ResimMode::Verify` saw no difference.
    pub(super) fn verified(&self) -> Outcome {
        let found = self.world.resim_difference();
        ensure(found.is_none(), || format!("ResimMode::Verify reports {found:?}"))
    }
}
