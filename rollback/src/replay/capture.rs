//! Captures a session for the recorder: one tick of all seats, and keyframes.

use super::error::ReplayError;
use super::format::{SeatKind, kind, name};
use super::keyframe::{Keyframe, SeatFrame};
use super::recorder::{Recorder, SeatCapture};
use crate::Tick;
use crate::input::CommandAssembler;
use crate::player::{Occupant, PlayerId};
use crate::session::Session;
use crate::simulation::Simulation;
use isostep_core::state::Snapshot;

impl<S: Simulation + Snapshot> Recorder<S> {
    /// Captures the inputs of the next tick. Returns false if the session no longer has them.
    pub(super) fn take_tick(&mut self, session: &Session<S>) -> bool {
        let tick = self.next;
        // Occupants are not in the log either, and a tick is captured completely or not at all.
        if tick < session.log_from() {
            return false;
        }
        self.take_roster(session, tick);
        if self.lost {
            return true;
        }
        let known = |(player, seat): (u8, &SeatCapture)| {
            seat.kind != SeatKind::Human
                || session.confirmed_input(PlayerId(player), tick).is_some()
        };
        if !(0..).zip(&self.seats).all(known) {
            return false;
        }
        for at in 0..self.seats.len() {
            let player = PlayerId(at as u8);
            if self.seats[at].kind != SeatKind::Human {
                continue;
            }
            let Some((value, pieces)) = session.confirmed_input(player, tick) else { return false };
            let codec = self.codec;
            // The session validated the value when it was fed.
            self.taken.push(at, pieces, |out| _ = codec.append(value, out));
            let _ = self.seats[at].assembler.tick(pieces, &mut self.commands);
        }
        self.taken.count += 1;
        self.stats.ticks += 1;
        self.next = tick.next();
        true
    }

    /// Writes seat changes of a tick. A player who follows another is a change: the partial command of the first is
    /// dropped.
    fn take_roster(&mut self, session: &Session<S>, tick: Tick) {
        for at in 0..self.seats.len() {
            let Some((since, occupant)) = session.occupancy(PlayerId(at as u8), tick) else {
                continue;
            };
            let kind = SeatKind::from(occupant);
            if kind == self.seats[at].kind && (since <= self.seats[at].since || since != tick) {
                continue;
            }
            self.flush();
            self.put(kind::ROSTER, tick, 0, &[at as u8, kind.to_byte()]);
            let limits = session.config().command_limits();
            self.seats[at] = SeatCapture { kind, since, assembler: CommandAssembler::new(limits) };
            let humans = self.humans();
            self.taken.begin(tick, humans);
        }
    }

    /// Begins, or begins again, with the state of a tick.
    pub(super) fn begin_at(
        &mut self,
        tick: Tick,
        session: &Session<S>,
        game: &S,
    ) -> Result<(), ReplayError> {
        game.holds(session.slots(), tick)?;
        let seats =
            (0..session.players()).map(|at| Self::read_seat(PlayerId(at as u8), tick, session));
        self.seats = seats.collect();
        self.next = tick;
        let humans = self.humans();
        self.taken.begin(tick, humans);
        self.digests_from(tick);
        let was = core::mem::take(&mut self.lost);
        let done = self.put_keyframe(session, game);
        self.lost |= was && done.is_err();
        self.due = false;
        done
    }

    /// Captures a seat on a tick, with its partial command.
    fn read_seat(player: PlayerId, tick: Tick, session: &Session<S>) -> SeatCapture {
        let before = Tick(tick.0.saturating_sub(1));
        let occupancy = session.occupancy(player, before.max(session.log_from()).min(tick));
        let (since, occupant) = occupancy.unwrap_or((tick, Occupant::Empty));
        let assembler = session.partial_commands(player, since, tick);
        SeatCapture { kind: occupant.into(), since, assembler }
    }

    /// Writes a keyframe: everything that the next step depends on.
    pub(super) fn put_keyframe(
        &mut self,
        session: &Session<S>,
        game: &S,
    ) -> Result<(), ReplayError> {
        let tick = self.next;
        let before = tick.previous();
        let mut seats = Vec::with_capacity(self.seats.len());
        for (player, seat) in (0..).map(PlayerId).zip(&self.seats) {
            let mut previous = Vec::with_capacity(self.codec.width());
            self.codec.append(session.used_input(player, before), &mut previous)?;
            let pending = seat.assembler.pending().map(<[u8]>::to_vec);
            seats.push(SeatFrame { kind: seat.kind, previous, pending });
        }
        let mut state = Vec::new();
        game.snapshot(session.slots(), tick, &mut state)?;
        let digest = name(game.digest(session.slots(), tick)?);
        let payload = Keyframe { seats, digest, state }.encode();
        self.put(kind::KEYFRAME, tick, 0, &payload);
        Ok(())
    }
}
