//! Replay cursor: a game at a tick of a recording, with the inputs and partial commands that the next step needs, and
//! optionally the last states to step back to.

use super::error::ReplayError;
use super::format::{SeatKind, name};
use super::reader::Replay;
use super::source::Source;
use crate::input::{CommandAssembler, Commands, InputCodec};
use crate::inputs::{InputStatus, Inputs};
use crate::player::PlayerId;
use crate::session::ResumedSeat;
use crate::simulation::Simulation;
use crate::{GameId, Tick};
use isostep_core::digest::Digest;
use isostep_core::state::Snapshot;
use std::collections::VecDeque;

/// Maximum bytes of commands in checkpoints, so that long ones do not accumulate.
const MAX_CHECKPOINT_BYTES: usize = 1 << 20;

/// Data beside a held state.
struct Checkpoint<I> {
    tick: Tick,
    inputs: Inputs<I>,
    seats: Vec<(SeatKind, Option<Vec<u8>>)>,
    change: usize,
    /// Bytes of commands.
    bytes: usize,
}

/// A game at a tick of a recording.
pub(super) struct Cursor<S: Simulation> {
    pub(super) game: S,
    pub(super) slots: S::Slots,
    codec: InputCodec<S::Input>,
    tick: Tick,
    inputs: Inputs<S::Input>,
    seats: Vec<(SeatKind, CommandAssembler)>,
    /// Index of the next seat change.
    change: usize,
    /// The state is one of the recording; false after a failed read.
    whole: bool,
    /// Number of held states, the current one included.
    keep: usize,
    /// Consecutive ticks up to the current one.
    checkpoints: VecDeque<Checkpoint<S::Input>>,
    checkpoint_bytes: usize,
}

impl<S: Simulation> Cursor<S> {
    /// Returns the tick of the state.
    pub(super) const fn tick(&self) -> Tick {
        self.tick
    }
}

impl<S: Simulation + Snapshot> Cursor<S> {
    fn new(mut game: S, keep: usize) -> Result<Self, ReplayError> {
        Ok(Self {
            slots: game.slots(keep.max(2)),
            game,
            codec: InputCodec::new()?,
            tick: Tick(0),
            inputs: Inputs::new(0),
            seats: Vec::new(),
            change: 0,
            whole: false,
            keep,
            checkpoints: VecDeque::new(),
            checkpoint_bytes: 0,
        })
    }

    /// Opens a cursor at the first tick of a recording of this game.
    pub(super) fn open<R: Source>(
        replay: &mut Replay<R>,
        game_id: GameId,
        game: S,
        keep: usize,
    ) -> Result<Self, ReplayError> {
        let mut cursor = Self::new(game, keep)?;
        replay.info().check(game_id, &cursor.codec)?;
        match cursor.restore(replay, replay.first()) {
            // The block passed its checksum, so the settings of the game differ.
            Err(ReplayError::Keyframe { .. }) => {
                let assets = replay.info().assets.iter();
                let assets = assets.map(|(name, _)| name.clone()).collect();
                Err(ReplayError::OtherSettings { assets })
            }
            done => done.map(|()| cursor),
        }
    }

    /// Returns the inputs of the last step.
    pub(super) const fn inputs(&self) -> &Inputs<S::Input> {
        &self.inputs
    }

    /// Returns the oldest held tick.
    pub(super) fn oldest(&self) -> Tick {
        self.checkpoints.front().map_or(self.tick, |checkpoint| checkpoint.tick)
    }

    /// Returns the number of held states.
    pub(super) fn held(&self) -> usize {
        self.checkpoints.len()
    }

    /// Returns true if stepping from here to a tick passes no keyframe.
    pub(super) fn leads_to<R: Source>(&self, replay: &Replay<R>, tick: Tick) -> bool {
        let keyframe = replay.keyframe_before(tick).unwrap_or_else(|| replay.first());
        self.whole && (keyframe..=tick).contains(&self.tick)
    }

    /// Steps the next tick; returns false at the end.
    pub(super) fn step<R: Source>(&mut self, replay: &mut Replay<R>) -> Result<bool, ReplayError> {
        let tick = self.tick;
        if !self.whole {
            return Err(ReplayError::Keyframe { tick });
        }
        if tick >= replay.last() {
            return Ok(false);
        }
        replay.load_inputs(tick)?;
        self.follow_changes(replay, tick);
        for index in 0..self.seats.len() {
            // Partially gathered inputs belong to no tick.
            self.whole = false;
            self.gather(replay, index, tick)?;
        }
        self.whole = true;
        self.game.step(tick, &self.inputs);
        self.tick = tick.next();
        self.save_checkpoint()
    }

    fn follow_changes<R: Source>(&mut self, replay: &Replay<R>, tick: Tick) {
        while let Some(change) = replay.seat_changes().get(self.change) {
            if change.tick > tick {
                break;
            }
            if let (true, Some(limits)) = (change.tick == tick, replay.info().commands()) {
                self.seats[change.player.index()] = (change.kind, CommandAssembler::new(limits));
            }
            self.change += 1;
        }
    }

    fn gather<R: Source>(
        &mut self,
        replay: &mut Replay<R>,
        index: usize,
        tick: Tick,
    ) -> Result<(), ReplayError> {
        let player = PlayerId(index as u8);
        let (kind, assembler) = &mut self.seats[index];
        let commands = &mut self.inputs.commands[index];
        let (value, status) = match kind {
            SeatKind::Human => {
                let none = ReplayError::Input { player, tick };
                let bytes = replay.input(player, tick)?.ok_or(none.clone())?;
                let value = self.codec.read(bytes.input).map_err(|_| none.clone())?;
                assembler.tick(bytes.pieces, commands).map_err(|_| none)?;
                (value, InputStatus::Confirmed)
            }
            SeatKind::Bot => {
                commands.clear();
                (self.game.bot(tick, player), InputStatus::Bot)
            }
            SeatKind::Empty => {
                commands.clear();
                (S::Input::default(), InputStatus::Disconnected)
            }
        };
        let input = &mut self.inputs.players[index];
        input.previous = input.value;
        input.value = value;
        input.status = status;
        Ok(())
    }

    /// Seeks to a tick of the recording, by a held state, by steps, or from the nearest keyframe.
    pub(super) fn seek<R: Source>(
        &mut self,
        replay: &mut Replay<R>,
        tick: Tick,
    ) -> Result<(), ReplayError> {
        let (first, last) = (replay.first(), replay.last());
        if tick < first || tick > last {
            return Err(ReplayError::NoSuchTick { tick, first, last });
        }
        if self.back_to(tick)? {
            return Ok(());
        }
        if !self.leads_to(replay, tick) {
            self.restore(replay, replay.keyframe_before(tick).unwrap_or(first))?;
        }
        while self.tick < tick {
            self.step(replay)?;
        }
        Ok(())
    }

    /// Loads a held state. Returns false if it is not held.
    pub(super) fn back_to(&mut self, tick: Tick) -> Result<bool, ReplayError> {
        if !self.whole || tick < self.oldest() || tick > self.tick {
            return Ok(false);
        }
        if tick == self.tick {
            return Ok(true);
        }
        if self.game.holds(&self.slots, tick).is_err() {
            return Ok(false);
        }
        self.game.load(&mut self.slots, tick)?;
        while let Some(later) = self.checkpoints.pop_back_if(|checkpoint| checkpoint.tick > tick) {
            self.checkpoint_bytes -= later.bytes;
        }
        let Some(checkpoint) = self.checkpoints.back() else { return Ok(false) };
        for (seat, (kind, pending)) in self.seats.iter_mut().zip(&checkpoint.seats) {
            seat.0 = *kind;
            // It was pending under the same limits.
            let _ = seat.1.resume(pending.as_deref());
        }
        self.inputs.clone_from(&checkpoint.inputs);
        self.change = checkpoint.change;
        self.tick = tick;
        Ok(true)
    }

    /// Holds the current state, if states are held. Returns true, for `step`.
    fn save_checkpoint(&mut self) -> Result<bool, ReplayError> {
        if self.keep == 0 {
            return Ok(true);
        }
        self.game.save(&mut self.slots, self.tick)?;
        let pending =
            |seat: &(SeatKind, CommandAssembler)| (seat.0, seat.1.pending().map(<[u8]>::to_vec));
        let seats: Vec<_> = self.seats.iter().map(pending).collect();
        let halves = seats.iter().flat_map(|seat| &seat.1).map(Vec::len);
        let commands = self.inputs.commands.iter().flat_map(Commands::iter);
        let bytes = halves.chain(commands.map(<[u8]>::len)).sum();
        let (tick, inputs, change) = (self.tick, self.inputs.clone(), self.change);
        self.checkpoints.push_back(Checkpoint { tick, inputs, seats, change, bytes });
        self.checkpoint_bytes += bytes;
        while self.checkpoints.len() > self.keep
            || self.checkpoint_bytes > MAX_CHECKPOINT_BYTES && self.checkpoints.len() > 1
        {
            let oldest = self.checkpoints.pop_front();
            self.checkpoint_bytes -= oldest.map_or(0, |checkpoint| checkpoint.bytes);
        }
        Ok(true)
    }

    /// Restores a keyframe.
    pub(super) fn restore<R: Source>(
        &mut self,
        replay: &mut Replay<R>,
        tick: Tick,
    ) -> Result<(), ReplayError> {
        let keyframe = replay.keyframe(tick)?;
        let limits = replay.info().commands().ok_or(ReplayError::Header)?;
        let wrong = ReplayError::Keyframe { tick };
        let mut seats = Vec::with_capacity(keyframe.seats.len());
        let mut inputs = Inputs::new(keyframe.seats.len());
        for (seat, input) in keyframe.seats.iter().zip(&mut inputs.players) {
            let mut assembler = CommandAssembler::new(limits);
            assembler.resume(seat.pending.as_deref()).map_err(|_| wrong.clone())?;
            input.value = self.codec.read(&seat.previous).map_err(|_| wrong.clone())?;
            input.status = match seat.kind {
                SeatKind::Human => InputStatus::Confirmed,
                SeatKind::Bot => InputStatus::Bot,
                SeatKind::Empty => InputStatus::Disconnected,
            };
            seats.push((seat.kind, assembler));
        }
        self.whole = false;
        self.checkpoints.clear();
        self.checkpoint_bytes = 0;
        self.tick = tick;
        self.game.restore(&keyframe.state)?;
        self.slots = self.game.slots(self.keep.max(2));
        self.seats = seats;
        self.inputs = inputs;
        self.change = replay.seat_changes().partition_point(|change| change.tick < tick);
        if name(self.digest()?) != keyframe.digest {
            return Err(wrong);
        }
        self.whole = true;
        self.save_checkpoint().map(drop)
    }

    /// Returns the digest of the state.
    pub(super) fn digest(&mut self) -> Result<Digest, ReplayError> {
        self.game.save(&mut self.slots, self.tick)?;
        Ok(self.game.digest(&self.slots, self.tick)?)
    }

    /// Returns the seats of a session that continues from here.
    pub(super) fn resumed<R: Source>(&self, replay: &Replay<R>) -> Vec<ResumedSeat<S::Input>> {
        let tick = self.tick;
        let changes = &replay.seat_changes()[self.change..];
        let leaves = |index| {
            let mut changes = changes.iter().take_while(|change| change.tick <= tick);
            changes.any(|change| change.tick == tick && change.player.index() == index)
        };
        let seats = self.seats.iter().zip(&self.inputs.players).enumerate();
        seats
            .map(|(index, ((kind, assembler), input))| ResumedSeat {
                used: input.value,
                stays: *kind == SeatKind::Human && !leaves(index),
                pending: assembler.pending().map(<[u8]>::to_vec),
            })
            .collect()
    }
}
