//! Who sits where, from which tick on. Every machine is told the same ticks; agreeing on them is not this crate's work.

use super::{FeedError, MAX_PEERS, Session, SessionEvent, new_local};
use crate::pace::DelayControl;
use crate::player::{Occupant, PeerId, PlayerId};
use crate::simulation::Simulation;
use crate::tick::Tick;

impl<S: Simulation> Session<S> {
    /// Seats somebody from a tick on: a player joins, leaves (`Nobody`), is replaced by a bot or comes back. What was planned
    /// for the seat on later ticks is void, and so are inputs of whoever sat there before. If the tick was computed
    /// already, the state rolls back to it.
    ///
    /// Every machine must be told the same tick. Take one that no machine has confirmed yet; and if the seat stays with its
    /// machine, one for which that has sent nothing: what is still on its way could not be told apart.
    ///
    /// # Errors
    /// When there is no such seat, the peer's number is too great, or the tick is confirmed here.
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
        // A seat that needs nobody's word may still change on ticks that the others' inputs have not reached.
        let confirmed = self.confirmed.min(self.target);
        if tick < confirmed {
            return Err(FeedError::TooLate { tick, confirmed });
        }
        self.confirmed = confirmed;
        let local = (occupant == Occupant::Local).then(|| new_local(&self.config, tick));
        let seat = &mut self.seats[player.index()];
        seat.change(tick, occupant);
        // Whoever still plays here goes on to their last tick; the next one takes over then.
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

    /// Lets a peer that holds no seat take part in comparing digests: a spectator.
    ///
    /// # Errors
    /// When its number is too great.
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

    /// Stops waiting for a peer's digests: it has gone.
    pub fn remove_peer(&mut self, peer: PeerId) {
        self.checks.remove_peer(peer);
        self.desyncs.remove_peer(peer);
        self.pacing.remove_peer(peer);
    }
}
