//! What a session has to tell, and what it has counted.

use super::desync::DesyncReport;
use crate::player::{Occupant, PeerId, PlayerId};
use crate::tick::Tick;
use core::fmt;
use std::collections::VecDeque;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// The next tick has to wait for somebody's input.
    Stalled {
        /// The tick that waits.
        tick: Tick,
        /// The player whose input is missing the longest.
        waiting_for: PlayerId,
    },
    /// It goes on.
    Resumed {
        /// The tick that waited.
        tick: Tick,
        /// How many [`advance`](super::Session::advance)s had no new tick.
        after: u32,
    },
    /// [`Mode::Unbounded`](super::Mode::Unbounded) has more to compute again than it may at once.
    CatchingUp {
        /// How many ticks the state is behind the present.
        behind: u32,
    },
    /// Two different inputs were confirmed for one tick. The first one stays.
    Conflict {
        /// Whose.
        player: PlayerId,
        /// When.
        tick: Tick,
    },
    /// A relay confirmed something else than a local player had proposed; what was pressed goes into a later tick.
    Overridden {
        /// Whose.
        player: PlayerId,
        /// When.
        tick: Tick,
    },
    /// Somebody else takes a seat.
    Seated {
        /// The seat.
        player: PlayerId,
        /// From this tick on.
        tick: Tick,
        /// Who.
        occupant: Occupant,
    },
    /// A peer computed something else. The report comes as [`Desync`](Self::Desync) once both have looked closer.
    DigestsDiffer {
        /// Who.
        peer: PeerId,
        /// The first compared tick on which they differ.
        tick: Tick,
    },
    /// What differs, and who is to blame as far as that can be known.
    Desync(Box<DesyncReport>),
    /// The state of this machine was not what its own inputs lead to. It is now.
    Repaired {
        /// The last tick that was right.
        from: Tick,
    },
    /// A peer found its own state wrong and mended it.
    PeerRepaired {
        /// Who.
        peer: PeerId,
    },
    /// The digests of a peer agree again.
    Resynced {
        /// Who.
        peer: PeerId,
        /// The tick.
        tick: Tick,
    },
}

impl fmt::Display for SessionEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stalled { tick, waiting_for } => write!(f, "tick {tick} waits for {waiting_for}"),
            Self::Resumed { tick, after } => write!(f, "tick {tick} goes on after {after} ticks"),
            Self::CatchingUp { behind } => write!(f, "{behind} ticks behind, catching up"),
            Self::Conflict { player, tick } => {
                write!(f, "two different inputs of {player} for tick {tick}; the first one stays")
            }
            Self::Overridden { player, tick } => {
                write!(f, "an input of {player} for tick {tick} came too late for the relay")
            }
            Self::Seated { player, tick, occupant } => match occupant {
                Occupant::Local => write!(f, "{player} plays here from tick {tick} on"),
                Occupant::Remote(peer) => write!(f, "{player} plays at {peer} from tick {tick} on"),
                Occupant::Bot => write!(f, "a bot plays for {player} from tick {tick} on"),
                Occupant::Empty => write!(f, "nobody plays for {player} from tick {tick} on"),
            },
            Self::DigestsDiffer { peer, tick } => {
                write!(f, "{peer} computed something else by tick {tick}; looking closer")
            }
            Self::Desync(report) => report.fmt(f),
            Self::Repaired { from } => {
                write!(f, "this machine was wrong since tick {from}, and has mended it")
            }
            Self::PeerRepaired { peer } => write!(f, "{peer} was wrong, and has mended it"),
            Self::Resynced { peer, tick } => write!(f, "{peer} agrees again on tick {tick}"),
        }
    }
}

/// Events that wait to be polled. When nobody polls, the oldest make room.
#[derive(Debug, Default)]
pub(super) struct Events {
    queue: VecDeque<SessionEvent>,
    lost: u64,
}

/// Most events that wait.
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

/// Depths that [`Stats`] counts one by one; deeper ones count as the deepest.
pub const DEPTHS: usize = 64;

/// What a session has counted since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Calls of [`advance`](super::Session::advance) whose plan was run.
    pub advances: u64,
    /// New ticks.
    pub ticks: u64,
    /// Ticks that were computed again.
    pub resimulated_ticks: u64,
    /// New ticks for which at least one input was a guess.
    pub predicted: u64,
    /// How often it went back.
    pub rollbacks: u64,
    /// How often it went back by that many ticks.
    pub depths: [u32; DEPTHS],
    /// Advances that had no new tick.
    pub stalls: u64,
    /// Inputs that arrived again.
    pub duplicates: u64,
    /// Inputs for ticks that the log no longer has.
    pub stale: u64,
    /// Inputs that were refused because another one is confirmed for their tick.
    pub conflicts: u64,
    /// Digests that were compared with a peer's.
    pub compared: u64,
    /// Events that nobody polled in time.
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

    /// The depth that `percent` of a hundred rollbacks don't exceed; 0 if there was none.
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
