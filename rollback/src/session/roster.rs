//! Roster: the occupant of each seat, by tick. All machines apply the same changes; agreeing on them is outside this
//! crate.

use super::{FeedError, MAX_PEERS, Session, SessionEvent, new_local};
use crate::Tick;
use crate::pace::DelayControl;
use crate::player::{Occupant, PeerId, PlayerId};
use crate::simulation::Simulation;

impl<S: Simulation> Session<S> {
    /// Changes the occupant of a seat from a tick on: a player joins, leaves (`Empty`), is replaced by a bot or
    /// returns. Later changes of the seat, and inputs of the previous occupant for these ticks, are dropped. If the
    /// tick was stepped already, the session rolls back to it.
    ///
    /// Every machine must use the same tick. Choose one that no machine has confirmed. If the seat stays with its
    /// machine, choose one for which that machine has sent no input: inputs in flight could not be distinguished.
    ///
    /// # Errors
    /// If there is no such seat, the peer's number is out of range, or the tick is confirmed already.
    pub fn seat(
        &mut self,
        tick: Tick,
        player: PlayerId,
        occupant: Occupant,
    ) -> Result<(), FeedError> {
        self.seat_of(player)?;
        if let Occupant::Remote(peer) = occupant {
            self.add_peer(peer)?;
        }
        self.update_confirmed();
        // A seat without a human may still change on ticks that the inputs of others have not reached.
        let confirmed = self.confirmed.min(self.target);
        if tick < confirmed {
            return Err(FeedError::TooLate { tick, confirmed });
        }
        self.confirmed = confirmed;
        let local = (occupant == Occupant::Local).then(|| new_local(&self.config, tick));
        let seat = &mut self.seats[player.index()];
        seat.change(tick, occupant);
        // The previous local player continues to its last tick; the next one takes over then.
        if let Some(local) = local
            && !seat.has_unsent_before(tick)
        {
            seat.local = Some(local);
            let bounds = self.config.adaptive;
            self.pacing.delays[player.index()] =
                bounds.map(|bounds| DelayControl::new(bounds, self.config.delay));
        }
        self.mark_mispredicted(tick);
        self.advance_seat_frontier(player);
        self.update_confirmed();
        self.events.push(SessionEvent::Seated { player, tick, occupant });
        Ok(())
    }

    /// Adds a peer without a seat, such as a spectator, to the digest comparison.
    ///
    /// # Errors
    /// If its number is out of range.
    #[doc(hidden)]
    pub fn add_peer(&mut self, peer: PeerId) -> Result<(), FeedError> {
        if peer.index() >= MAX_PEERS {
            return Err(FeedError::UnknownPeer { peer });
        }
        self.register_peer(peer);
        Ok(())
    }

    pub(super) fn register_peer(&mut self, peer: PeerId) {
        self.checks.add_peer(peer);
        self.desyncs.add_peer(peer);
        self.pacing.add_peer(peer);
    }

    /// Removes a peer that has left; its digests and acknowledgements are no longer waited for.
    #[doc(hidden)]
    pub fn remove_peer(&mut self, peer: PeerId) {
        self.checks.remove_peer(peer);
        self.desyncs.remove_peer(peer);
        self.pacing.remove_peer(peer);
        self.forget_acknowledged(peer);
    }
}
