//! Sending side: stamp, new digest, acknowledgements and input windows.

use super::{
    COUNT_ORDER, KNOWN_TICKS, Link, LinkError, MAX_TICKS, TARGET_FRAME_BYTES, TICK_ORDER, distance,
    seats, tick_micros, zigzag,
};
use crate::wire::Game;
use crate::wire::window::Packer;
use isostep_rollback::{PlayerId, Session, Simulation, Tick, Time};

impl Link {
    /// Writes the next frame; `out` is replaced. Returns `false` and writes nothing before the session's first
    /// [`advance`](Session::advance).
    ///
    /// # Errors
    /// The session does not know the peer, or the peer lacks inputs that are no longer stored.
    pub fn write<S: Simulation>(
        &mut self,
        now: Time,
        session: &Session<S>,
        out: &mut Vec<u8>,
    ) -> Result<bool, LinkError> {
        out.clear();
        let Some(report) = session.margin_report(self.peer) else { return Ok(false) };
        let (ours, theirs) = self.masks(session);
        let digest = session.digest().filter(|(tick, _)| self.sent_digest < Some(*tick));
        self.sent_digest = self.sent_digest.max(digest.map(|(tick, _)| tick));
        // The common case of one seat per side needs no seat lists.
        let multi_seat = ours.count_ones() != 1 || theirs.count_ones() != 1;
        let (stamp, pace) = self.stamp(now, &report, tick_micros(session));
        let game = Game {
            stamp,
            pace,
            digest: digest.map(|(tick, digest)| (tick.0 as u16, digest)),
            inputs: Some((&[], multi_seat)),
        };
        game.write(out);
        let mut packer = Packer::new(out);
        if multi_seat {
            packer.bits(theirs & 0xffff, 16);
            packer.bits(theirs >> 16, 16);
        }
        for player in seats(theirs) {
            let received = session.received_from(player, self.peer).unwrap_or_default();
            packer.uint(zigzag(distance(received, report.made)), TICK_ORDER);
        }
        self.write_windows(session, ours, report.made, multi_seat, &mut packer)?;
        packer.finish();
        Ok(true)
    }

    /// Bit masks of local seats, and of the peer's seats.
    fn masks<S: Simulation>(&mut self, session: &Session<S>) -> (u32, u32) {
        let players = session.players();
        self.acknowledged.resize(players, session.config().first_tick());
        let mask = |of: &dyn Fn(PlayerId) -> bool| {
            let of = (0..players).filter(|&place| of(PlayerId(place as u8)));
            of.fold(0, |mask, place| mask | 1 << place)
        };
        let ours = mask(&|player| session.local_next(player).is_some());
        (ours, mask(&|player| session.was_held_by(player, self.peer)))
    }

    fn write_windows<S: Simulation>(
        &mut self,
        session: &Session<S>,
        ours: u32,
        made: Tick,
        multi_seat: bool,
        packer: &mut Packer<'_>,
    ) -> Result<(), LinkError> {
        let players = session.players().max(1);
        self.first_seat = (self.first_seat + 1) % players;
        let mut written = 0;
        for player in seats(ours.rotate_right(self.first_seat as u32)) {
            let player = PlayerId((player.0 + self.first_seat as u8) % 32);
            let Some(next) = session.local_next(player) else { continue };
            let acknowledged = self.acknowledged[usize::from(player.0)];
            let mut from = session.local_from(player, acknowledged).unwrap_or(next).min(next);
            if from < next && !session.has_logged(from) {
                // A peer that joined after the local player left the seat does not need its inputs.
                if session.local_from(player, next).is_some() {
                    return Err(LinkError::InputsDiscarded { peer: self.peer, tick: from });
                }
                from = next;
            }
            let window = |tick: Tick| session.record(player, tick);
            let mut count = 0;
            for tick in (from.0..next.0).map(Tick).take(MAX_TICKS as usize) {
                let Some((input, pieces)) = window(tick) else { break };
                if written > TARGET_FRAME_BYTES {
                    break;
                }
                written += input.len() + pieces.len();
                count += 1;
            }
            if multi_seat {
                if count == 0 {
                    continue;
                }
                packer.flag(true, 1 << 15);
                packer.bits(u32::from(player.0), 5);
            }
            packer.uint(zigzag(distance(from, made)), TICK_ORDER);
            packer.uint(count, COUNT_ORDER);
            let start = session.config().first_tick();
            let known = from.0.saturating_sub(KNOWN_TICKS).max(start.0)..from.0;
            let known: &mut dyn Iterator<Item = &[u8]> =
                &mut known.filter_map(|tick| Some(window(Tick(tick))?.0));
            let mut learned: [&[u8]; KNOWN_TICKS as usize] = [&[]; KNOWN_TICKS as usize];
            let mut length = 0;
            for input in known {
                learned[length] = input;
                length += 1;
            }
            if multi_seat {
                packer.bits(length as u32, 3);
            }
            let ticks = (from.0..from.0 + count).filter_map(|tick| window(Tick(tick)));
            packer.window(session.codec().width(), learned[..length].iter().copied(), ticks);
        }
        if multi_seat {
            packer.flag(false, 1 << 15);
        }
        Ok(())
    }
}
