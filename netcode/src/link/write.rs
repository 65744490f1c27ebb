//! What goes out: a stamp, a digest that is new, acknowledgements and windows.

use super::{
    FULL_FRAME, KNOWN, Link, LinkError, MAX_TICKS, ORDER_OF_COUNTS, ORDER_OF_TICKS, distance, fold,
    seats, tick_micros,
};
use crate::wire::Game;
use crate::wire::window::Packer;
use isostep_rollback::{PlayerId, Session, Simulation, Tick, Time};

impl Link {
    /// Writes the next frame; `out` is replaced. Nothing is written, and `false` returned, before the session's first
    /// [`advance`](Session::advance).
    ///
    /// # Errors
    /// When the session does not know the peer, or the peer has not acknowledged for so long that what it lacks is no longer
    /// kept.
    pub fn write<S: Simulation>(
        &mut self,
        now: Time,
        session: &Session<S>,
        out: &mut Vec<u8>,
    ) -> Result<bool, LinkError> {
        out.clear();
        let Some(report) = session.margin_report(self.peer) else { return Ok(false) };
        let (ours, theirs) = self.masks(session);
        let digest = session.digest().filter(|(tick, _)| self.told_digest < Some(*tick));
        self.told_digest = self.told_digest.max(digest.map(|(tick, _)| tick));
        // The usual case needs no list: one seat here and one there.
        let lists = ours.count_ones() != 1 || theirs.count_ones() != 1;
        let (stamp, pace) = self.stamp(now, &report, tick_micros(session));
        let game = Game {
            stamp,
            pace,
            digest: digest.map(|(tick, digest)| (tick.0 as u16, digest)),
            inputs: Some((&[], lists)),
        };
        game.write(out);
        let mut packer = Packer::new(out);
        if lists {
            packer.bits(theirs & 0xffff, 16);
            packer.bits(theirs >> 16, 16);
        }
        for player in seats(theirs) {
            let received = session.received_from(player, self.peer).unwrap_or_default();
            packer.uint(fold(distance(received, report.made)), ORDER_OF_TICKS);
        }
        self.write_windows(session, ours, report.made, lists, &mut packer)?;
        packer.finish();
        Ok(true)
    }

    /// The seats that are ours, and those that are the peer's.
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
        lists: bool,
        packer: &mut Packer<'_>,
    ) -> Result<(), LinkError> {
        let players = session.players().max(1);
        self.turn = (self.turn + 1) % players;
        let mut written = 0;
        for player in seats(ours.rotate_right(self.turn as u32)) {
            let player = PlayerId((player.0 + self.turn as u8) % 32);
            let Some(next) = session.local_next(player) else { continue };
            let acknowledged = self.acknowledged[usize::from(player.0)];
            let mut from = session.local_from(player, acknowledged).unwrap_or(next).min(next);
            if from < next && !session.has_logged(from) {
                // A peer that came after our player had left the seat never asks for its inputs.
                if session.local_from(player, next).is_some() {
                    return Err(LinkError::LostTouch { peer: self.peer, tick: from });
                }
                from = next;
            }
            let window = |tick: Tick| session.record(player, tick);
            let mut count = 0;
            for tick in (from.0..next.0).map(Tick).take(MAX_TICKS as usize) {
                let Some((input, pieces)) = window(tick) else { break };
                if written > FULL_FRAME {
                    break;
                }
                written += input.len() + pieces.len();
                count += 1;
            }
            if lists {
                if count == 0 {
                    continue;
                }
                packer.flag(true, 1 << 15);
                packer.bits(u32::from(player.0), 5);
            }
            packer.uint(fold(distance(from, made)), ORDER_OF_TICKS);
            packer.uint(count, ORDER_OF_COUNTS);
            let start = session.config().first_tick();
            let known = from.0.saturating_sub(KNOWN).max(start.0)..from.0;
            let known: &mut dyn Iterator<Item = &[u8]> =
                &mut known.filter_map(|tick| Some(window(Tick(tick))?.0));
            let mut learned: [&[u8]; KNOWN as usize] = [&[]; KNOWN as usize];
            let mut length = 0;
            for input in known {
                learned[length] = input;
                length += 1;
            }
            if lists {
                packer.bits(length as u32, 3);
            }
            let ticks = (from.0..from.0 + count).filter_map(|tick| window(Tick(tick)));
            packer.window(session.codec().width(), learned[..length].iter().copied(), ticks);
        }
        if lists {
            packer.flag(false, 1 << 15);
        }
        Ok(())
    }
}
