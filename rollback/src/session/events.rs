//! Events and statistics of a session.

use super::desync::DesyncReport;
use crate::Tick;
use crate::player::{Occupant, PeerId, PlayerId};
use core::fmt;
use std::collections::VecDeque;

/// An event of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// The next tick waits for an input.
    Stalled {
        /// The waiting tick.
        tick: Tick,
        /// The player whose input is missing the longest.
        waiting_for: PlayerId,
    },
    /// The session advances again after a stall.
    StallEnded {
        /// The tick that waited.
        tick: Tick,
        /// Number of [`advance`](super::Session::advance) calls without a new tick.
        after: u32,
    },
    /// [`Mode::Unbounded`](super::Mode::Unbounded) has more ticks to resimulate than it may in one advance.
    CatchingUp {
        /// Ticks between the current tick and the target.
        behind: u32,
    },
    /// Two different inputs were confirmed for one tick. The first one is kept.
    Conflict {
        /// The seat.
        player: PlayerId,
        /// The tick.
        tick: Tick,
    },
    /// A relay confirmed another input than a local player proposed. Its presses are carried into a later tick.
    Overridden {
        /// The seat.
        player: PlayerId,
        /// The tick.
        tick: Tick,
    },
    /// The occupant of a seat changes.
    Seated {
        /// The seat.
        player: PlayerId,
        /// First tick of the change.
        tick: Tick,
        /// The new occupant.
        occupant: Occupant,
    },
    /// The digest of a peer differs. [`Desync`](Self::Desync) follows once both machines have compared their states.
    DigestsDiffer {
        /// The peer.
        peer: PeerId,
        /// The first compared tick whose digests differ.
        tick: Tick,
    },
    /// The differing fields and the machine at fault.
    Desync(Box<DesyncReport>),
    /// The state of this machine was wrong, and a recheck has repaired it.
    Repaired {
        /// The last correct tick before the fault.
        from: Tick,
    },
    /// A peer has found its own state wrong and repaired it.
    PeerRepaired {
        /// The peer.
        peer: PeerId,
    },
    /// The digests of a peer agree again.
    Resynced {
        /// The peer.
        peer: PeerId,
        /// The tick.
        tick: Tick,
    },
}

/// Audience of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Players: show it in the game.
    Players,
    /// Developers: write it to a log. It needs no action of players, or is part of normal operation.
    Developers,
}

impl SessionEvent {
    /// Returns whether the event is for players or for developers.
    pub const fn audience(&self) -> Audience {
        match self {
            Self::Seated { .. } | Self::Desync(_) => Audience::Players,
            Self::Stalled { .. }
            | Self::StallEnded { .. }
            | Self::CatchingUp { .. }
            | Self::Conflict { .. }
            | Self::Overridden { .. }
            | Self::DigestsDiffer { .. }
            | Self::Repaired { .. }
            | Self::PeerRepaired { .. }
            | Self::Resynced { .. } => Audience::Developers,
        }
    }
}

impl fmt::Display for SessionEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stalled { tick, waiting_for } => write!(f, "tick {tick} waits for {waiting_for}"),
            Self::StallEnded { tick, after } => {
                let plural = if *after == 1 { "" } else { "s" };
                write!(f, "tick {tick} continues after {after} tick{plural}")
            }
            Self::CatchingUp { behind } => write!(f, "{behind} ticks behind, catching up"),
            Self::Conflict { player, tick } => {
                write!(f, "two different inputs of {player} for tick {tick}; the first one is kept")
            }
            Self::Overridden { player, tick } => {
                write!(f, "the relay overrode the input of {player} for tick {tick}")
            }
            Self::Seated { player, tick, occupant } => match occupant {
                Occupant::Local => write!(f, "{player} is local from tick {tick} on"),
                Occupant::Remote(peer) => write!(f, "{player} is at {peer} from tick {tick} on"),
                Occupant::Bot => write!(f, "{player} is a bot from tick {tick} on"),
                Occupant::Empty => write!(f, "the seat of {player} is empty from tick {tick} on"),
            },
            Self::DigestsDiffer { peer, tick } => {
                write!(f, "the digest of {peer} differs on tick {tick}; comparing states")
            }
            Self::Desync(report) => report.fmt(f),
            Self::Repaired { from } => {
                write!(f, "the local state was wrong after tick {from}, and is repaired")
            }
            Self::PeerRepaired { peer } => {
                write!(f, "the state of {peer} was wrong, and is repaired")
            }
            Self::Resynced { peer, tick } => {
                write!(f, "the digest of {peer} agrees again on tick {tick}")
            }
        }
    }
}

/// Queue of events. When it is full, the oldest event is dropped.
#[derive(Debug, Default)]
pub(super) struct Events {
    queue: VecDeque<SessionEvent>,
    lost: u64,
}

/// Maximum number of queued events.
const MAX_WAITING: usize = 1024;

impl Events {
    pub(super) fn push(&mut self, event: SessionEvent) {
        if self.queue.len() == MAX_WAITING {
            self.queue.pop_front();
            self.lost += 1;
        }
        self.queue.push_back(event);
    }

    pub(super) fn pop(&mut self) -> Option<SessionEvent> {
        self.queue.pop_front()
    }

    pub(super) const fn lost(&self) -> u64 {
        self.lost
    }
}

/// Buckets of [`Stats::depths`]; deeper rollbacks count in the last one.
pub const DEPTHS: usize = 64;

/// Counters since the start of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Calls of [`advance`](super::Session::advance) whose plan was run.
    pub advances: u64,
    /// New ticks.
    pub ticks: u64,
    /// Resimulated ticks.
    pub resimulated_ticks: u64,
    /// New ticks with at least one predicted input.
    pub predicted: u64,
    /// Rollbacks.
    pub rollbacks: u64,
    /// Rollbacks by depth in ticks.
    pub depths: [u32; DEPTHS],
    /// Advances without a new tick.
    pub stalls: u64,
    /// Inputs that were known already.
    pub duplicates: u64,
    /// Inputs for ticks older than the log.
    pub stale: u64,
    /// Inputs for ticks beyond the log: the sender is far ahead, and repeats them.
    pub too_far: u64,
    /// Inputs refused because another input is confirmed for their tick.
    pub conflicts: u64,
    /// Digests compared with a peer's.
    pub compared: u64,
    /// Events dropped because the queue was full.
    pub events_lost: u64,
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            advances: 0,
            ticks: 0,
            resimulated_ticks: 0,
            predicted: 0,
            rollbacks: 0,
            depths: [0; DEPTHS],
            stalls: 0,
            duplicates: 0,
            stale: 0,
            too_far: 0,
            conflicts: 0,
            compared: 0,
            events_lost: 0,
        }
    }
}

impl Stats {
    pub(super) fn rolled_back(&mut self, depth: u32) {
        self.rollbacks += 1;
        self.depths[(depth as usize).min(DEPTHS - 1)] += 1;
    }

    /// Returns the depth that `percent` of the rollbacks do not exceed; 0 without rollbacks.
    #[doc(hidden)]
    pub fn depth_percentile(&self, percent: u32) -> u32 {
        let wanted = (self.rollbacks * u64::from(percent.min(100))).div_ceil(100);
        let mut seen = 0;
        for (depth, &count) in (0..).zip(&self.depths) {
            seen += u64::from(count);
            if seen >= wanted && seen > 0 {
                return depth;
            }
        }
        0
    }
}
