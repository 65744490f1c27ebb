//! A seat: its occupants by tick, its input log, and the prediction of missing inputs.

use super::input_log::{InputHistory, InputLog, Known};
use super::local_player::LocalPlayer;
use super::resume::ResumedSeat;
use crate::Tick;
use crate::input::Input;
use crate::inputs::InputStatus;
use crate::player::{Occupant, PeerId};

/// Predicts inputs that have not arrived. Predictions may differ between machines and between calls: they only affect
/// the number of rollbacks.
///
/// ```
/// use isostep_rollback::{InputHistory, NewestWins, Predictor, Tick};
/// /// Linear extrapolation of the last two inputs.
/// struct Linear;
/// impl Predictor<NewestWins<i32>> for Linear {
///     fn predict(&mut self, known: &InputHistory<'_, NewestWins<i32>>, tick: Tick) -> NewestWins<i32> {
///         let Some((last, value)) = known.last() else { return NewestWins(0) };
///         let before = known.get(last - 1).unwrap_or(value);
///         NewestWins(value.0 + (value.0 - before.0) * tick.since(last) as i32)
///     }
/// }
/// ```
pub trait Predictor<I> {
    /// Predicts the input for `tick`.
    fn predict(&mut self, known: &InputHistory<'_, I>, tick: Tick) -> I;
}

/// One seat of the match.
pub(super) struct Seat<I> {
    /// Occupants by first tick; sorted, the first from the start.
    changes: Vec<(Tick, Occupant)>,
    pub(super) log: InputLog<I>,
    /// Present for a local player.
    pub(super) local: Option<LocalPlayer<I>>,
    pub(super) predictor: Option<Box<dyn Predictor<I> + Send>>,
}

impl<I: Input> Seat<I> {
    pub(super) fn new(start: Tick, occupant: Occupant, log: InputLog<I>) -> Self {
        Self { changes: vec![(start, occupant)], log, local: None, predictor: None }
    }

    /// Continues a recorded match; see [`InputLog::resume`].
    pub(super) fn resume(&mut self, start: Tick, from: &ResumedSeat<I>) {
        let Some(before) = start.previous() else { return };
        let stays = from.stays && self.occupant(start).is_human();
        self.log.resume(before, from.used, stays, from.pending.as_deref());
        if stays {
            // An occupant that starts on the first tick would have no history.
            self.changes[0].0 = before;
        }
        if let Some(local) = self.local.as_mut().filter(|_| stays) {
            local.last = from.used;
        }
    }

    /// Drops ticks before `floor` from the log.
    pub(super) fn drop_before(&mut self, floor: Tick) {
        while let Some(tick) = self.log.next_to_drop(floor) {
            let begins = self.span(tick).0 == tick;
            self.log.drop_oldest(begins);
        }
    }

    /// Returns the occupant on a tick, and its first tick.
    pub(super) fn span(&self, tick: Tick) -> (Tick, Occupant) {
        let at = self.changes.partition_point(|change| change.0 <= tick);
        self.changes[at.max(1) - 1]
    }

    pub(super) fn occupant(&self, tick: Tick) -> Occupant {
        self.span(tick).1
    }

    /// Returns the tick of the next change after this one.
    fn next_change(&self, tick: Tick) -> Option<Tick> {
        let at = self.changes.partition_point(|change| change.0 <= tick);
        self.changes.get(at).map(|change| change.0)
    }

    /// Returns the first local tick at or after this one.
    pub(super) fn next_local(&self, mut tick: Tick) -> Option<Tick> {
        while self.occupant(tick) != Occupant::Local {
            tick = self.next_change(tick)?;
        }
        Some(tick)
    }

    /// Returns true if a local player has an unassigned tick before this one.
    pub(super) fn has_unsent_before(&self, tick: Tick) -> bool {
        let next = self.local.as_ref().map(|local| local.next);
        next.is_some_and(|next| next < tick && self.occupant(next) == Occupant::Local)
    }

    /// Returns true if a peer holds the seat or held it, as far as changes are kept.
    pub(super) fn was_held_by(&self, peer: PeerId) -> bool {
        self.changes.iter().any(|change| change.1 == Occupant::Remote(peer))
    }

    /// Returns the end of the last received ticks of a peer.
    pub(super) fn received_from(&self, peer: PeerId) -> Option<Tick> {
        let frontier = self.log.frontier;
        let reached = self.changes.partition_point(|change| change.0 < frontier);
        let last = self.changes[..reached].iter().rposition(|it| it.1 == Occupant::Remote(peer))?;
        Some(self.changes.get(last + 1).map_or(frontier, |next| next.0.min(frontier)))
    }

    /// Returns the first unconfirmed tick; `None` if there is none at all.
    pub(super) fn confirmed_to(&self) -> Option<Tick> {
        let mut tick = self.log.frontier;
        while !self.occupant(tick).is_human() {
            tick = self.next_change(tick)?;
        }
        Some(tick)
    }

    /// Changes the occupant from a tick on, and drops later changes.
    pub(super) fn change(&mut self, tick: Tick, occupant: Occupant) {
        self.changes.retain(|change| change.0 < tick);
        self.changes.push((tick, occupant));
        // Inputs of the previous occupant do not apply to these ticks.
        self.log.discard_from(tick);
    }

    /// Drops changes that are no longer needed, so that a long match keeps few.
    pub(super) fn discard_changes(&mut self, before: Tick) {
        let keep = self.changes.partition_point(|change| change.0 <= before).max(1) - 1;
        self.changes.drain(..keep);
    }

    /// Advances the frontier over all confirmed ticks. Returns the first tick that was stepped with wrong commands.
    pub(super) fn advance_frontier(&mut self, current: Tick) -> Option<Tick> {
        let mut wrong = None;
        loop {
            let frontier = self.log.frontier;
            let (since, occupant) = self.span(frontier);
            if since == frontier {
                self.log.reset_commands();
            }
            if !occupant.is_human() {
                let Some(next) = self.next_change(frontier) else { return wrong };
                self.log.frontier = next;
                continue;
            }
            match self.log.confirm_next(current) {
                Some((tick, true)) => wrong = wrong.or(Some(tick)),
                Some(_) => (),
                None => return wrong,
            }
        }
    }

    /// Returns the input of a human for a tick: known, or predicted.
    pub(super) fn input_for(&mut self, tick: Tick) -> (I, InputStatus) {
        if let Some(entry) = self.log.known(tick) {
            let confirmed = entry.known == Known::Confirmed;
            let status = if confirmed { InputStatus::Confirmed } else { InputStatus::Predicted };
            return (entry.value, status);
        }
        let since = self.span(tick).0;
        let known = InputHistory::new(&self.log, tick, since);
        let value = match &mut self.predictor {
            Some(predictor) => predictor.predict(&known, tick),
            None => known.last().map_or_else(I::default, |(_, last)| I::hold(last)),
        };
        (value, InputStatus::Predicted)
    }
}
