//! Acknowledgements: local inputs that a playing peer has not acknowledged stay in the input log, since they have to be sent
//! again. The session stalls before they would be overwritten.

use super::{MAX_DELAY, MAX_PLAYERS, Session};
use crate::Tick;
use crate::player::{Occupant, PeerId, PlayerId};
use crate::simulation::Simulation;

/// Ticks that stay before the first unacknowledged one: inputs are encoded with the ticks before them.
const KEPT_BEFORE: u32 = 8;

/// Acknowledgements of one peer: for each seat, the first tick that it has not acknowledged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acknowledged {
    peer: PeerId,
    to: [Option<Tick>; MAX_PLAYERS],
    /// The least of these ticks.
    oldest: Tick,
}

impl<S: Simulation> Session<S> {
    /// Records that a peer has acknowledged the inputs of a local player before this tick. From then on inputs without
    /// its acknowledgement are kept as long as it holds a seat, until [`remove_peer`](Self::remove_peer).
    #[doc(hidden)]
    pub fn acknowledge(&mut self, peer: PeerId, player: PlayerId, tick: Tick) {
        let known = self.acknowledged.iter().position(|known| known.peer == peer);
        let known = known.unwrap_or_else(|| {
            self.acknowledged.push(Acknowledged { peer, to: [None; MAX_PLAYERS], oldest: tick });
            self.acknowledged.len() - 1
        });
        let Acknowledged { to, oldest, .. } = &mut self.acknowledged[known];
        if let Some(to) = to.get_mut(player.index()) {
            *to = (*to).max(Some(tick));
        }
        *oldest = to.iter().flatten().copied().min().unwrap_or(tick);
    }

    /// Returns a tick that is not after [`kept_from`](Self::kept_from), which looks at every seat.
    fn kept_from_at_least(&self) -> Option<Tick> {
        let oldest = self.acknowledged.iter().map(|known| known.oldest).min();
        oldest.map(|oldest| oldest - KEPT_BEFORE)
    }

    pub(super) fn forget_acknowledged(&mut self, peer: PeerId) {
        self.acknowledged.retain(|known| known.peer != peer);
    }

    /// Returns the oldest tick that the log has to keep for peers; `None` if all inputs are acknowledged.
    fn kept_from(&self) -> Option<Tick> {
        let plays = |peer| {
            let occupant = Occupant::Remote(peer);
            self.seats.iter().any(|seat| seat.occupant(self.target) == occupant)
        };
        let playing = self.acknowledged.iter().filter(|known| plays(known.peer));
        let missing = playing.flat_map(|known| {
            self.seats.iter().zip(known.to).filter_map(|(seat, to)| {
                let next = seat.local.as_ref()?.next;
                let first = seat.next_local(to?).filter(|first| *first < next)?;
                // After the local player has left the seat, acknowledgements may end early.
                seat.next_local(next).and(Some(first))
            })
        });
        // What the log has dropped already cannot be kept.
        let floor = self.floor();
        missing.filter(|first| *first >= floor).min().map(|first| first - KEPT_BEFORE)
    }

    /// Returns true if a new tick, with the inputs up to the longest delay, would overwrite unacknowledged inputs.
    pub(super) fn is_log_full(&self) -> bool {
        let room = self.config.log_length() - MAX_DELAY;
        let is_full = |kept: Tick| self.target.next().since(kept) > room;
        self.kept_from_at_least().is_some_and(is_full) && self.kept_from().is_some_and(is_full)
    }

    /// Moves the centre of the log to the newest tick that is confirmed and reached, as far as it keeps what it has to.
    pub(super) fn update_settled(&mut self) {
        let mut reached = self.confirmed.min(self.current);
        let most = |kept: Tick| kept + self.config.log_length() / 2;
        if self.kept_from_at_least().is_some_and(|kept| reached > most(kept)) {
            reached = self.kept_from().map_or(reached, |kept| reached.min(most(kept)));
        }
        self.settled = self.settled.max(reached);
    }
}
