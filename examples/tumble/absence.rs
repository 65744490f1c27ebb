//! Who has left for good: a bot takes the seat, on every machine from the same tick on.
//!
//! Machines may have heard different amounts of whoever left. So each tells the others how far it got, the longest counts, and
//! who has it hands the rest on. All of that are messages beside the match; only when everything is known is the seat changed.

use crate::messages::Message;
use crate::rules::Tumble;
use isostep::netcode::crypto::Slot;
use isostep::netcode::{Peer, Transport};
use isostep::rollback::Occupant;
use isostep::{PeerId, PlayerId, Tick};

/// One who left.
struct Absence {
    slot: Slot,
    /// The first tick that each of those who stay has no input for, as far as they said; this machine among them.
    heard: Vec<(Slot, Tick)>,
    /// Whether this machine lost it, too. Until then it may still hear more.
    left: bool,
    seated: bool,
}

/// All who left.
#[derive(Default)]
pub struct Absences(Vec<Absence>);

impl Absences {
    /// Whether a bot sits, or soon will, where this machine's player sat.
    pub fn has(&self, slot: Slot) -> bool {
        self.0.iter().any(|absence| absence.slot == slot && absence.left)
    }

    /// This machine lost one.
    pub fn left<T: Transport>(&mut self, peer: &mut Peer<Tumble, T>, slot: Slot) {
        let mine = (peer.endpoint().slot(), received(peer, slot));
        let absence = self.of(slot);
        if !std::mem::replace(&mut absence.left, true) {
            absence.heard.push(mine);
            broadcast(peer, &Message::Gone { slot: slot.0, heard: mine.1.0 });
        }
    }

    /// Another machine lost one, and had heard so much.
    pub fn heard(&mut self, from: Slot, slot: Slot, heard: Tick) {
        let absence = self.of(slot);
        absence.heard.retain(|it| it.0 != from);
        absence.heard.push((from, heard));
    }

    /// Seats bots where all who stay have said how far they got, and this machine has everything.
    pub fn settle<T: Transport>(&mut self, peer: &mut Peer<Tumble, T>) {
        let here = peer.endpoint().slot();
        let gone: Vec<Slot> = self.0.iter().filter(|it| it.left).map(|it| it.slot).collect();
        for absence in self.0.iter_mut().filter(|it| it.left && !it.seated) {
            let stays = |slot: &Slot| !gone.contains(slot);
            let said = |slot: Slot| absence.heard.iter().any(|it| it.0 == slot);
            if !peer.endpoint().others().filter(stays).all(said) {
                continue;
            }
            let heard = absence.heard.iter().filter(|it| stays(&it.0));
            let Some(until) = heard.clone().map(|it| it.1).max() else { continue };
            let player = PlayerId(absence.slot.0);
            let first = heard.clone().find(|it| it.1 == until).map(|it| it.0);
            if first == Some(here) {
                heard.for_each(|&(slot, from)| forward_inputs(peer, slot, player, from..until));
            }
            // Whoever lacks something gets it from the one who has it all, and comes here again.
            if received(peer, absence.slot) >= until {
                // Too late only if that tick is confirmed, which needs the input that nobody has.
                absence.seated = peer.session_mut().seat(until, player, Occupant::Bot).is_ok();
            }
        }
    }

    /// What another machine had heard of one who left.
    pub fn take<T: Transport>(
        &self,
        peer: &mut Peer<Tumble, T>,
        slot: Slot,
        tick: Tick,
        record: &[Vec<u8>; 2],
    ) {
        if self.has(slot) {
            let [input, pieces] = record;
            // What makes no sense is as good as nothing.
            let _ = peer.session_mut().remote_record(
                PeerId(slot.0),
                PlayerId(slot.0),
                tick,
                input,
                pieces,
            );
        }
    }

    fn of(&mut self, slot: Slot) -> &mut Absence {
        let at = self.0.iter().position(|it| it.slot == slot).unwrap_or_else(|| {
            self.0.push(Absence { slot, heard: Vec::new(), left: false, seated: false });
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}

/// The first tick of a machine's player that is not here.
fn received<T: Transport>(peer: &Peer<Tumble, T>, slot: Slot) -> Tick {
    peer.session().received(PlayerId(slot.0)).unwrap_or_default()
}

/// Sends a machine what it lacks.
fn forward_inputs<T: Transport>(
    peer: &mut Peer<Tumble, T>,
    to: Slot,
    player: PlayerId,
    ticks: std::ops::Range<Tick>,
) {
    for tick in (ticks.start.0..ticks.end.0).map(Tick) {
        let Some((input, pieces)) = peer.session().record(player, tick) else { continue };
        let record = [input.to_vec(), pieces.to_vec()];
        let word = Message::Past { slot: player.0, tick: tick.0, record };
        let _ = peer.send_message(to, &word.to_bytes());
    }
}

/// Tells all who are there.
pub fn broadcast<T: Transport>(peer: &mut Peer<Tumble, T>, word: &Message) {
    let bytes = word.to_bytes();
    for slot in peer.endpoint().connected().collect::<Vec<_>>() {
        // Whoever has just left needs no word of it; the events tell.
        let _ = peer.send_message(slot, &bytes);
    }
}
