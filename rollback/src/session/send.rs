//! Sending: assigns local samples to ticks, and hands out inputs and acknowledgements.

use super::input_log::{Insertion, Known};
use super::seat::Seat;
use super::{Authority, Session};
use crate::Tick;
use crate::input::put_tick;
use crate::player::{PeerId, PlayerId};
use crate::simulation::Simulation;

impl<S: Simulation> Session<S> {
    /// Returns the inputs of a local player from a tick on, to be sent: tick, input, command pieces.
    #[doc(hidden)]
    pub fn local_window(
        &self,
        player: PlayerId,
        from: Tick,
    ) -> impl Iterator<Item = (Tick, S::Input, &[u8])> + '_ {
        let seat = self.seats.get(player.index());
        let local = seat.and_then(|seat| Some((seat, seat.local.as_ref()?.next)));
        let window = local.into_iter().flat_map(move |(seat, next)| {
            (from.0..next.0).map(Tick).map_while(|tick| Some((tick, seat.log.known(tick)?)))
        });
        window.map(|(tick, entry)| (tick, entry.value, entry.payload.as_slice()))
    }

    /// Returns an encoded tick of a seat, if it was sent or received: the input and the command pieces.
    pub fn record(&self, player: PlayerId, tick: Tick) -> Option<(&[u8], &[u8])> {
        let entry = self.seats.get(player.index())?.log.known(tick)?;
        Some((entry.bytes.get(..self.codec.width())?, &entry.payload))
    }

    /// Appends an encoded local tick.
    pub(crate) fn put_local(&self, player: PlayerId, tick: Tick, out: &mut Vec<u8>) {
        let seat = self.seats.get(player.index());
        let Some(entry) = seat.and_then(|seat| seat.log.known(tick)) else { return };
        if entry.bytes.is_empty() {
            // A relay has overridden it.
            put_tick(&self.codec, entry.value, &entry.payload, out);
        } else {
            out.extend_from_slice(&entry.bytes);
        }
    }

    /// Returns true if a tick is confirmed with these bytes.
    pub(super) fn knows_bytes(&mut self, player: PlayerId, tick: Tick, bytes: &[u8]) -> bool {
        let seat = self.seats.get(player.index());
        let entry = seat.and_then(|seat| seat.log.confirmed(tick));
        let known = entry.is_some_and(|entry| entry.bytes == bytes);
        self.stats.duplicates += u64::from(known);
        known
    }

    /// Records the encoding of a received tick.
    pub(super) fn note_bytes(&mut self, player: PlayerId, tick: Tick, bytes: &[u8]) {
        if let Some(seat) = self.seats.get_mut(player.index()) {
            seat.log.note_bytes(tick, bytes);
        }
    }

    /// Returns the first tick of a local player without an input; `None` if no local player holds the seat.
    #[doc(hidden)]
    pub fn local_next(&self, player: PlayerId) -> Option<Tick> {
        Some(self.seats.get(player.index())?.local.as_ref()?.next)
    }

    /// Returns the first local tick at or after `from`: a player who joined later has no inputs for earlier ticks.
    #[doc(hidden)]
    pub fn local_from(&self, player: PlayerId, from: Tick) -> Option<Tick> {
        self.seats.get(player.index())?.next_local(from)
    }

    /// Returns true if a peer holds or held a seat, and so needs acknowledgements for it.
    #[doc(hidden)]
    pub fn was_held_by(&self, player: PlayerId, peer: PeerId) -> bool {
        self.seats.get(player.index()).is_some_and(|seat| seat.was_held_by(peer))
    }

    /// Returns the confirmed input of a seat on a tick, with its command pieces. `None` while it is unconfirmed, when
    /// it is older than the log, and for bots and empty seats.
    pub fn confirmed_input(&self, player: PlayerId, tick: Tick) -> Option<(S::Input, &[u8])> {
        let seat = self.seats.get(player.index())?;
        let entry = seat.log.confirmed(tick).filter(|_| seat.occupant(tick).is_human())?;
        Some((entry.value, entry.payload.as_slice()))
    }

    /// Returns the tick up to which all inputs of a seat have arrived. Ticks of bots and empty seats need none.
    pub fn received(&self, player: PlayerId) -> Option<Tick> {
        Some(self.seats.get(player.index())?.log.frontier)
    }

    /// Returns the tick up to which all inputs of a peer for a seat have arrived: the tick to acknowledge to it. Ticks
    /// of other occupants do not count, since the peer may still be seated on them. `None` if the seat never belongs to
    /// the peer.
    #[doc(hidden)]
    pub fn received_from(&self, player: PlayerId, peer: PeerId) -> Option<Tick> {
        let seat = self.seats.get(player.index()).filter(|seat| seat.was_held_by(peer))?;
        // Ticks before the start are not needed.
        Some(seat.received_from(peer).unwrap_or_default().max(self.config.start))
    }

    /// Returns true if the log still has the inputs of a tick.
    #[doc(hidden)]
    pub fn has_logged(&self, tick: Tick) -> bool {
        tick >= self.floor()
    }

    /// Assigns samples of local players to ticks, up to the target and the input delay.
    pub(super) fn emit_local(&mut self) {
        let known = match self.config.authority {
            Authority::Owner => Known::Confirmed,
            Authority::Bundle => Known::Proposed,
        };
        for index in 0..self.seats.len() {
            let player = PlayerId(index as u8);
            while let Some((tick, value)) = self.next_local_tick(player) {
                self.commit_local(player, tick, value, known);
            }
            self.advance_seat_frontier(player);
        }
    }

    /// Returns the next local input. One local player may follow another.
    fn next_local_tick(&mut self, player: PlayerId) -> Option<(Tick, S::Input)> {
        let seat = &mut self.seats[player.index()];
        let next = seat.local.as_ref()?.next;
        let joins = seat.next_local(next)?;
        if joins != next {
            seat.local = Some(super::new_local(&self.config, joins));
        }
        let Seat { log, local, .. } = seat;
        let local = local.as_mut()?;
        while log.confirmed(local.next).is_some() && local.skip(self.target) {}
        local.emit(self.target)
    }

    /// Commits a local player's input for a tick, with the commands that fit.
    fn commit_local(&mut self, player: PlayerId, tick: Tick, value: S::Input, known: Known) {
        let Seat { log, local, .. } = &mut self.seats[player.index()];
        let Some(local) = local else { return };
        local.payload.clear();
        // Fails only out of order.
        let _ = local.queue.fill(tick, &mut local.payload);
        let insertion = log.insert(tick, value, &local.payload, known, self.current);
        local.bytes.clear();
        put_tick(&self.codec, value, &local.payload, &mut local.bytes);
        log.note_bytes(tick, &local.bytes);
        if known == Known::Proposed {
            local.commands.clear();
            let _ = local.proposed.tick(&local.payload, &mut local.commands);
            log.propose_commands(tick, &local.commands);
        } else {
            local.queue.confirmed_through(tick);
        }
        if insertion == (Insertion::New { wrong: true }) {
            self.mark_mispredicted(tick);
        }
    }
}
