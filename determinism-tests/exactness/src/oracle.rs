//! The oracle: a fresh world that replays a log and compares every state with what the world under test had.
//!
//! The path of the first branch is one straight replay. Where the log branches, a clone goes on with the other branch, so
//! that every state that was seen is judged and the work grows with the number of states only.

use crate::log::{Call, Edge, Log};
use crate::rays;
use isostep_core::HistoryError;
use isostep_core::digest::Digest;
use isostep_core::internals::Lanes;
use isostep_core::world::{Command, SnapshotError, World, WorldDef};

/// Parts of the judgement that can be left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checks {
    /// The oracle makes refused calls again.
    pub(crate) repeat_refused: bool,
    /// Every state with a number divisible by this goes through a snapshot, and the restored world takes the next step,
    /// too; 0 for none.
    pub(crate) snapshots: usize,
}

/// A state in which the world under test was wrong, or the oracle disagrees with itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) node: usize,
    pub(crate) what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The state.
    State,
    /// The events, with the same state.
    Events,
    /// The hits of rays, with the same state or after calls that led to the same state.
    Rays,
    /// The result of a call.
    Call { call: String, here: String, there: String },
    /// The encoded state between two calls.
    Encoded { after: usize },
    /// The snapshot of the state is refused.
    Refused(SnapshotError),
    /// The snapshot of the state restores to another one.
    Restored,
    /// A world that was restored from the snapshot of the state before takes another step.
    Continued,
    /// A present tick that is not held.
    NotHeld(HistoryError),
}

/// Amount of work.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Judged {
    pub(crate) replayed: u64,
    pub(crate) snapshots: u64,
}

/// Replays a whole log.
pub(crate) fn judge(log: &Log, checks: Checks) -> Result<Judged, Difference> {
    let mut judged = Judged::default();
    // A node to be judged, the state before it, and a world that was restored from that state.
    let mut open: Vec<(usize, Option<World>, Option<World>)> = Vec::new();
    let roots = (0..log.nodes.len()).filter(|node| log.nodes[*node].parent.is_none());
    open.extend(roots.map(|root| (root, None, None)));
    open.reverse();
    while let Some((number, world, restored)) = open.pop() {
        let differs = |what| Difference { node: number, what };
        let node = &log.nodes[number];
        let mut world = advance(world, &node.edge, checks, true).map_err(differs)?;
        judged.replayed += u64::from(matches!(node.edge, Edge::Step(_)));
        if world.digest() != node.digest {
            return Err(differs(What::State));
        }
        if !world.events().eq(node.events.iter().copied()) {
            return Err(differs(What::Events));
        }
        // Without scratch, a ray tests all shapes.
        world.drop_scratch();
        if rays::now(&world) != node.hits {
            return Err(differs(What::Rays));
        }
        if let Some(restored) = restored {
            let restored = advance(Some(restored), &node.edge, checks, false).map_err(differs)?;
            if restored.digest() != node.digest {
                return Err(differs(What::Continued));
            }
        }
        let mut restored = None;
        if checks.snapshots != 0 && number.is_multiple_of(checks.snapshots) {
            judged.snapshots += 1;
            restored = Some(round_trip(&world, node.digest).map_err(differs)?);
        }
        for child in node.children.iter().copied().skip(1).rev() {
            open.push((child, Some(world.clone()), restored.clone()));
        }
        if let Some(first) = node.children.first() {
            open.push((*first, Some(world), restored));
        }
    }
    Ok(judged)
}

/// The world at a node, replayed from the root by one world that is never cloned.
pub(crate) fn replay(log: &Log, to: usize, checks: Checks) -> Result<World, Difference> {
    let mut path: Vec<_> = log.path(to).collect();
    path.reverse();
    let mut world = None;
    for node in path {
        let differs = |what| Difference { node, what };
        world = Some(advance(world, &log.nodes[node].edge, checks, true).map_err(differs)?);
    }
    world.ok_or(Difference { node: to, what: What::State })
}

/// Takes a transition. A plain world drops all that it can before every call.
fn advance(world: Option<World>, edge: &Edge, checks: Checks, plain: bool) -> Result<World, What> {
    let mut world = match (world, edge) {
        (_, Edge::New(def)) => World::with_history((**def).clone(), 2)
            .expect("the world under test has this definition"),
        (Some(world), _) => world,
        (None, _) => unreachable!("a transition from nothing makes a new world"),
    };
    let drop_held = |world: &mut World| {
        if plain {
            world.set_lanes(Lanes::Scalar);
            world.drop_scratch();
            world.drop_step_records();
        }
    };
    let (Edge::Step(calls) | Edge::Commit(calls)) = edge else { return Ok(world) };
    for (place, call) in calls.iter().enumerate() {
        drop_held(&mut world);
        match call {
            Call::Command(_, Err(_)) if !checks.repeat_refused => {}
            Call::Command(command, expected) => {
                let result = world.command(command.clone());
                if result != *expected {
                    return Err(What::Call {
                        call: format!("{command:?}"),
                        here: format!("{expected:?}"),
                        there: format!("{result:?}"),
                    });
                }
            }
            Call::Encoded(expected, hits) => {
                if encoded(&world) != *expected {
                    return Err(What::Encoded { after: place });
                }
                if rays::now(&world) != *hits {
                    return Err(What::Rays);
                }
            }
        }
    }
    drop_held(&mut world);
    match edge {
        Edge::New(_) => {}
        Edge::Step(_) => drop(world.step()),
        Edge::Commit(_) => world.commit(),
    }
    Ok(world)
}

/// A fresh world that was given these commands, tick by tick, and stepped after each list; with nothing kept between calls.
///
/// # Panics
/// If the definition or a command is refused.
pub fn straight(def: WorldDef, ticks: &[Vec<Command>]) -> World {
    let mut world = World::with_history(def, 2).expect("the definition is legal");
    world.set_lanes(Lanes::Scalar);
    for commands in ticks {
        for command in commands {
            world.drop_scratch();
            if let Err(error) = world.command(command.clone()) {
                panic!("tick {}: {command:?} is refused: {error}", world.tick());
            }
        }
        world.drop_scratch();
        world.drop_step_records();
        world.step();
    }
    world
}

/// A digest of the encoded state.
pub(crate) fn encoded(world: &World) -> Digest {
    let mut bytes = Vec::new();
    world.encode(&mut bytes);
    Digest::of(&bytes)
}

/// A world that was restored from the snapshot of another one.
fn round_trip(world: &World, digest: Digest) -> Result<World, What> {
    let bytes = world.snapshot(world.tick(), None).map_err(What::NotHeld)?;
    let mut restored = World::with_history(WorldDef::default(), 2).expect("the default is legal");
    restored.restore(&bytes).map_err(What::Refused)?;
    if restored.digest() == digest { Ok(restored) } else { Err(What::Restored) }
}
