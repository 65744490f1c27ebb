//! What comes in: margins, digests, acknowledgements and windows, each checked before the session gets it.

use super::pace::Heard;
use super::{
    KNOWN, Link, LinkError, MAX_TICKS, ORDER_OF_COUNTS, ORDER_OF_TICKS, seats, tick_micros, unfold,
};
use crate::wire::Game;
use crate::wire::window::Unpacker;
use isostep_rollback::{PlayerId, Session, Simulation, Tick, Time};

/// The nearest tick with this end, of two the lower. The step made last leads to the state of the tick after it.
pub(crate) fn digest_tick(made: Tick, end: u16) -> Option<Tick> {
    let off = end.wrapping_sub(made.0 as u16) as i16;
    made.0.checked_add_signed(off.into()).map(Tick)
}

impl Link {
    /// Takes a frame of the peer. It may be anything.
    ///
    /// # Errors
    /// When it is not one, or the session refuses what it says.
    pub fn read<S: Simulation>(
        &mut self,
        now: Time,
        session: &mut Session<S>,
        frame: &[u8],
    ) -> Result<(), LinkError> {
        let game = Game::read(frame).ok_or(LinkError::Malformed)?;
        self.heard_at = Some(now);
        // Before the first full stamp nothing can be told.
        let Some(report) =
            Heard::take(&mut self.heard, game.stamp, game.pace, tick_micros(session))
        else {
            return Ok(());
        };
        session.margins(now, self.peer, report)?;
        if let Some((end, digest)) = game.digest {
            let tick = digest_tick(report.made, end).ok_or(LinkError::Malformed)?;
            session.remote_digest(self.peer, tick, digest)?;
        }
        let Some((stream, lists)) = game.inputs else { return Ok(()) };
        let mut unpacker = Unpacker::new(stream);
        self.read_received(session, report.made, lists, &mut unpacker)
            .ok_or(LinkError::Malformed)?;
        if lists {
            while unpacker.flag(1 << 15).ok_or(LinkError::Malformed)? {
                let player = unpacker.bits(5).ok_or(LinkError::Malformed)?;
                let player = PlayerId(player as u8);
                if !self.read_window(session, player, report.made, lists, &mut unpacker)? {
                    return Ok(());
                }
            }
        } else {
            let theirs = |player: &PlayerId| session.was_held_by(*player, self.peer);
            let player = (0..session.players()).map(|place| PlayerId(place as u8)).find(theirs);
            let player = player.ok_or(LinkError::Malformed)?;
            if !self.read_window(session, player, report.made, lists, &mut unpacker)? {
                return Ok(());
            }
        }
        unpacker.finish().ok_or(LinkError::Malformed)
    }

    fn read_received<S: Simulation>(
        &mut self,
        session: &Session<S>,
        made: Tick,
        lists: bool,
        from: &mut Unpacker<'_>,
    ) -> Option<()> {
        let players = session.players();
        self.acknowledged.resize(players, session.config().first_tick());
        let mask = if lists {
            from.bits(16)? | from.bits(16)? << 16
        } else {
            let ours =
                (0..players).find(|&place| session.local_next(PlayerId(place as u8)).is_some());
            1 << ours?
        };
        for player in seats(mask) {
            let off = unfold(from.uint(ORDER_OF_TICKS)?);
            let tick = Tick(made.0.wrapping_add_signed(off));
            let next = session.local_next(player).unwrap_or_default();
            if let Some(acknowledged) = self.acknowledged.get_mut(usize::from(player.0)) {
                // Nobody has more than was sent.
                if tick <= next {
                    *acknowledged = (*acknowledged).max(tick);
                }
            }
        }
        Some(())
    }

    /// Reads a window; `false` if it builds on ticks that are no longer kept, so that nothing behind it can be read.
    fn read_window<S: Simulation>(
        &mut self,
        session: &mut Session<S>,
        player: PlayerId,
        made: Tick,
        lists: bool,
        from: &mut Unpacker<'_>,
    ) -> Result<bool, LinkError> {
        let wrong = || LinkError::Malformed;
        let off = unfold(from.uint(ORDER_OF_TICKS).ok_or_else(wrong)?);
        let first = made.0.wrapping_add_signed(off);
        let count =
            from.uint(ORDER_OF_COUNTS).filter(|count| *count <= MAX_TICKS).ok_or_else(wrong)?;
        let start = session.config().first_tick().0;
        let learned = if lists {
            from.bits(3).filter(|count| *count <= KNOWN).ok_or_else(wrong)?
        } else {
            first.saturating_sub(start).min(KNOWN)
        };
        let width = session.codec().width();
        if first < start || first.checked_add(count).is_none() || learned > first - start {
            return Err(wrong());
        }
        let mut known = [[0; crate::wire::window::INPUT_BYTES_MAX]; KNOWN as usize];
        for (input, tick) in known.iter_mut().zip(first - learned..first) {
            let Some((bytes, _)) = session.record(player, Tick(tick)) else { return Ok(false) };
            input[..width].copy_from_slice(bytes);
        }
        let known = known[..learned as usize].iter().map(|input| &input[..width]);
        let mut pieces = core::mem::take(&mut self.pieces);
        let mut result = Ok(());
        let peer = self.peer;
        let read =
            from.window(width, known, count as usize, &mut pieces, |index, input, pieces| {
                let tick = Tick(first + index as u32);
                if result.is_ok() {
                    result = session.remote_record(peer, player, tick, input, pieces);
                }
            });
        self.pieces = pieces;
        result?;
        read.ok_or_else(wrong)?;
        Ok(true)
    }
}
