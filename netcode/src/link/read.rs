//! Receiving side: timing, digests, acknowledgements and input windows, each validated before it reaches the session.

use super::timing::PeerStamps;
use super::{
    COUNT_ORDER, KNOWN_TICKS, Link, LinkError, MAX_TICKS, TICK_ORDER, seats, tick_micros, unzigzag,
};
use crate::wire::Game;
use crate::wire::window::Unpacker;
use isostep_rollback::internals::{FeedError, RecordError};
use isostep_rollback::{PlayerId, Session, Simulation, Tick, Time};

/// Decodes a truncated digest tick: the nearest tick to `made`, of two the lower. It may be `made` + 1, the state after
/// the newest step.
pub(crate) fn digest_tick(made: Tick, end: u16) -> Option<Tick> {
    let off = end.wrapping_sub(made.0 as u16) as i16;
    made.0.checked_add_signed(off.into()).map(Tick)
}

impl Link {
    /// Handles a frame of the peer. Any bytes are safe.
    ///
    /// # Errors
    /// The frame is malformed, or the session rejects its contents.
    pub fn read<S: Simulation>(
        &mut self,
        now: Time,
        session: &mut Session<S>,
        frame: &[u8],
    ) -> Result<(), LinkError> {
        let game = Game::read(frame).ok_or(LinkError::Malformed)?;
        self.last_received = Some(now);
        // Short stamps cannot be completed before the first full stamp.
        let Some(report) =
            PeerStamps::take(&mut self.peer_stamps, game.stamp, game.pace, tick_micros(session))
        else {
            return Ok(());
        };
        session.margins(now, self.peer, report)?;
        if let Some((end, digest)) = game.digest {
            let tick = digest_tick(report.made, end).ok_or(LinkError::Malformed)?;
            session.remote_digest(self.peer, tick, digest)?;
        }
        let Some((stream, multi_seat)) = game.inputs else { return Ok(()) };
        let mut unpacker = Unpacker::new(stream);
        self.read_received(session, report.made, multi_seat, &mut unpacker)
            .ok_or(LinkError::Malformed)?;
        if multi_seat {
            while unpacker.flag(1 << 15).ok_or(LinkError::Malformed)? {
                let player = unpacker.bits(5).ok_or(LinkError::Malformed)?;
                let player = PlayerId(player as u8);
                if !self.read_window(session, player, report.made, multi_seat, &mut unpacker)? {
                    return Ok(());
                }
            }
        } else {
            let theirs = |player: &PlayerId| session.was_held_by(*player, self.peer);
            let player = (0..session.players()).map(|place| PlayerId(place as u8)).find(theirs);
            let player = player.ok_or(LinkError::Malformed)?;
            if !self.read_window(session, player, report.made, multi_seat, &mut unpacker)? {
                return Ok(());
            }
        }
        unpacker.finish().ok_or(LinkError::Malformed)
    }

    fn read_received<S: Simulation>(
        &mut self,
        session: &mut Session<S>,
        made: Tick,
        multi_seat: bool,
        from: &mut Unpacker<'_>,
    ) -> Option<()> {
        let players = session.players();
        self.acknowledged.resize(players, session.config().first_tick());
        let mask = if multi_seat {
            from.bits(16)? | from.bits(16)? << 16
        } else {
            let ours =
                (0..players).find(|&place| session.local_next(PlayerId(place as u8)).is_some());
            1 << ours?
        };
        for player in seats(mask) {
            let off = unzigzag(from.uint(TICK_ORDER)?);
            let tick = Tick(made.0.wrapping_add_signed(off));
            let next = session.local_next(player).unwrap_or_default();
            if let Some(acknowledged) = self.acknowledged.get_mut(usize::from(player.0)) {
                // Ignores acknowledgements of inputs that were not sent.
                if tick <= next {
                    *acknowledged = (*acknowledged).max(tick);
                    session.acknowledge(self.peer, player, *acknowledged);
                }
            }
        }
        Some(())
    }

    /// Reads a window; `false` if its known ticks are no longer stored, so that the rest of the stream cannot be
    /// decoded.
    fn read_window<S: Simulation>(
        &mut self,
        session: &mut Session<S>,
        player: PlayerId,
        made: Tick,
        multi_seat: bool,
        from: &mut Unpacker<'_>,
    ) -> Result<bool, LinkError> {
        let wrong = || LinkError::Malformed;
        let off = unzigzag(from.uint(TICK_ORDER).ok_or_else(wrong)?);
        let first = made.0.wrapping_add_signed(off);
        let count = from.uint(COUNT_ORDER).filter(|count| *count <= MAX_TICKS).ok_or_else(wrong)?;
        let start = session.config().first_tick().0;
        let learned = if multi_seat {
            from.bits(3).filter(|count| *count <= KNOWN_TICKS).ok_or_else(wrong)?
        } else {
            first.saturating_sub(start).min(KNOWN_TICKS)
        };
        let width = session.codec().width();
        if first < start || first.checked_add(count).is_none() || learned > first - start {
            return Err(wrong());
        }
        let mut known = [[0; crate::wire::window::INPUT_BYTES_MAX]; KNOWN_TICKS as usize];
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
                    result = match session.remote_record(peer, player, tick, input, pieces) {
                        // The peer is ahead, and repeats them until they are acknowledged.
                        Err(RecordError::Feed(FeedError::FarFuture { .. })) => Ok(()),
                        taken => taken,
                    };
                }
            });
        self.pieces = pieces;
        result?;
        read.ok_or_else(wrong)?;
        Ok(true)
    }
}
