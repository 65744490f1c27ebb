//! What goes out: samples of local players become ticks, and whoever sends asks here what to tell the others.

use super::input_log::{Insertion, Known};
use super::seat::Seat;
use super::{Authority, Session};
use crate::input::put_tick;
use crate::player::{PeerId, PlayerId};
use crate::simulation::Simulation;
use crate::tick::Tick;

impl<S: Simulation> Session<S> {
    /// The inputs of a local player from a tick on, as they are to be sent: tick, input, pieces of commands.
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

    /// A tick of a seat as bytes, if it came or went that way: the input, and the pieces of commands with it.
    pub fn record(&self, player: PlayerId, tick: Tick) -> Option<(&[u8], &[u8])> {
        let entry = self.seats.get(player.index())?.log.known(tick)?;
        Some((entry.bytes.get(..self.codec.width())?, &entry.payload))
    }

    /// Appends one of these ticks as bytes.
    pub(crate) fn put_local(&self, player: PlayerId, tick: Tick, out: &mut Vec<u8>) {
        let seat = self.seats.get(player.index());
        let Some(entry) = seat.and_then(|seat| seat.log.known(tick)) else { return };
        if entry.bytes.is_empty() {
            // A relay decided otherwise.
            put_tick(&self.codec, entry.value, &entry.payload, out);
        } else {
            out.extend_from_slice(&entry.bytes);
        }
    }

    /// Whether a tick is confirmed, and came with these bytes.
    pub(super) fn knows_bytes(&mut self, player: PlayerId, tick: Tick, bytes: &[u8]) -> bool {
        let seat = self.seats.get(player.index());
        let entry = seat.and_then(|seat| seat.log.confirmed(tick));
        let known = entry.is_some_and(|entry| entry.bytes == bytes);
        self.stats.duplicates += u64::from(known);
        known
    }

    /// Notes with which bytes a tick came.
    pub(super) fn note_bytes(&mut self, player: PlayerId, tick: Tick, bytes: &[u8]) {
        if let Some(seat) = self.seats.get_mut(player.index()) {
            seat.log.note_bytes(tick, bytes);
        }
    }

    /// The first tick of a local player that has no input yet; `None` if no local player sits there.
    pub fn local_next(&self, player: PlayerId) -> Option<Tick> {
        Some(self.seats.get(player.index())?.local.as_ref()?.next)
    }

    /// The first tick from `from` on that is a local player's: who joined later has nothing to say of earlier ones.
    pub fn local_from(&self, player: PlayerId, from: Tick) -> Option<Tick> {
        self.seats.get(player.index())?.next_local(from)
    }

    /// Whether a seat is a peer's or was: it wants to know what of its inputs has arrived.
    pub fn was_held_by(&self, player: PlayerId, peer: PeerId) -> bool {
        self.seats.get(player.index()).is_some_and(|seat| seat.was_held_by(peer))
    }

    /// What is confirmed for a seat on a tick, with its pieces of commands; `None` while it is not, when the log no longer
    /// has it, and where nobody outside plays.
    pub fn confirmed_input(&self, player: PlayerId, tick: Tick) -> Option<(S::Input, &[u8])> {
        let seat = self.seats.get(player.index())?;
        let entry = seat.log.confirmed(tick).filter(|_| seat.occupant(tick).is_human())?;
        Some((entry.value, entry.payload.as_slice()))
    }

    /// Up to which tick everything of a player has arrived, or needs not to because nobody outside plays.
    pub fn received(&self, player: PlayerId) -> Option<Tick> {
        Some(self.seats.get(player.index())?.log.frontier)
    }

    /// Returns the tick up to which all inputs of a peer for a seat have arrived: the tick to acknowledge to it. Ticks on
    /// which others hold the seat do not count, since the peer may be seated on them yet. `None` if the seat neither is nor
    /// was nor will be the peer's.
    pub fn received_from(&self, player: PlayerId, peer: PeerId) -> Option<Tick> {
        let seat = self.seats.get(player.index()).filter(|seat| seat.was_held_by(peer))?;
        // Nothing before the start is needed.
        Some(seat.received_from(peer).unwrap_or_default().max(self.config.start))
    }

    /// Whether the log still has the inputs of a tick.
    pub fn has_logged(&self, tick: Tick) -> bool {
        tick >= self.floor()
    }

    /// Turns samples of local players into ticks, as far as the present has come.
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

    /// The next input of whoever sits here: one leaves, and another may come.
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

    /// A local player's input for a tick, with the commands that fit.
    fn commit_local(&mut self, player: PlayerId, tick: Tick, value: S::Input, known: Known) {
        let Seat { log, local, .. } = &mut self.seats[player.index()];
        let Some(local) = local else { return };
        local.payload.clear();
        // Refused only out of order.
        let _ = local.queue.fill(tick, &mut local.payload);
        let insertion = log.insert(tick, value, &local.payload, known, self.present);
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
