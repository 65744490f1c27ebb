//! Seat kinds of a recording by tick, iterated forwards: every change is read once.

use super::error::ReplayError;
use super::format::SeatKind;
use super::reader::Replay;
use super::source::Source;
use crate::Tick;
use crate::player::PlayerId;

/// Seat kinds at a tick.
#[derive(Debug)]
pub(super) struct Seats {
    at: Tick,
    kinds: Vec<SeatKind>,
    /// Index of the next change.
    next: usize,
}

impl Seats {
    /// Starts at the first tick, before its changes.
    pub(super) fn new<R: Source>(replay: &mut Replay<R>) -> Result<Self, ReplayError> {
        let mut seats = Self { at: replay.first(), kinds: Vec::new(), next: 0 };
        seats.read(replay, seats.at)?;
        Ok(seats)
    }

    fn read<R: Source>(&mut self, replay: &mut Replay<R>, tick: Tick) -> Result<(), ReplayError> {
        let keyframe = replay.keyframe(tick)?;
        self.kinds = keyframe.seats.iter().map(|seat| seat.kind).collect();
        self.next = replay.seat_changes().partition_point(|change| change.tick < tick);
        Ok(())
    }

    /// Advances to a tick. Changes in a gap were not recorded: the seat kinds then come from the keyframe after it.
    pub(super) fn follow<R: Source>(
        &mut self,
        replay: &mut Replay<R>,
        tick: Tick,
        jumped: bool,
    ) -> Result<(), ReplayError> {
        if jumped && let Some(keyframe) = replay.keyframe_before(tick).filter(|&it| it > self.at) {
            self.read(replay, keyframe)?;
        }
        while let Some(change) = replay.seat_changes().get(self.next)
            && change.tick <= tick
        {
            self.kinds[change.player.index()] = change.kind;
            self.next += 1;
        }
        self.at = tick;
        Ok(())
    }

    /// Returns the first seat whose kinds differ, with both kinds.
    pub(super) fn divergence(&self, other: &Self) -> Option<(PlayerId, SeatKind, SeatKind)> {
        let seats = (0..).map(PlayerId).zip(self.kinds.iter().zip(&other.kinds));
        seats.map(|(player, (&a, &b))| (player, a, b)).find(|(_, a, b)| a != b)
    }
}
