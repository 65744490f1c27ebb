//! The log of a script: commands that took effect, as a tree. A node is a state that the world under test had; the path
//! from the root to it is all that led there. A rewind goes back to an earlier node of the path and starts a branch.

use crate::rays::Hits;
use isostep_core::Tick;
use isostep_core::digest::Digest;
use isostep_core::world::{BodyId, Command, CommandError, Event, WorldDef};

/// A call between two steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// A command with its result.
    Command(Command, Result<Option<BodyId>, CommandError>),
    /// `encode`, with the digest of its bytes; and rays.
    Encoded(Digest, Hits),
}

/// The commands among calls that were accepted.
pub(crate) fn accepted(calls: &[Call]) -> Vec<Command> {
    let commands = calls.iter().filter_map(|call| match call {
        Call::Command(command, Ok(_)) => Some(command.clone()),
        _ => None,
    });
    commands.collect()
}

/// A transition between two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// A new world.
    New(Box<WorldDef>),
    /// Calls and a step.
    Step(Vec<Call>),
    /// Calls and a commit, which stays on the tick.
    Commit(Vec<Call>),
}

/// A state that the world under test had.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: Option<usize>,
    pub(crate) children: Vec<usize>,
    /// From the parent to here.
    pub(crate) edge: Edge,
    pub(crate) tick: Tick,
    /// As the world under test had them.
    pub(crate) digest: Digest,
    pub(crate) events: Vec<Event>,
    pub(crate) hits: Hits,
}

/// All states that were seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) nodes: Vec<Node>,
}

impl Log {
    /// Adds a state. If the same calls led from the same parent to the same state before, that node is meant.
    pub(crate) fn add(&mut self, node: Node) -> usize {
        if let Some(parent) = node.parent {
            let same = self.nodes[parent].children.iter().copied().find(|child| {
                let child = &self.nodes[*child];
                child.edge == node.edge
                    && child.digest == node.digest
                    && child.events == node.events
                    && child.hits == node.hits
            });
            if let Some(same) = same {
                return same;
            }
            let number = self.nodes.len();
            self.nodes[parent].children.push(number);
        }
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The nearest node of a tick on the path to a node.
    pub(crate) fn at(&self, from: usize, tick: Tick) -> Option<usize> {
        self.path(from).find(|node| self.nodes[*node].tick == tick)
    }

    /// A node and those before it, back to the root.
    pub(crate) fn path(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        core::iter::successors(Some(from), |node| self.nodes[*node].parent)
    }
}
