//! Playing a recording: step, seek, and a live session from any tick of it.

use super::error::ReplayError;
use super::format::{Who, name};
use super::reader::Replay;
use super::source::Source;
use crate::input::{CommandAssembler, InputCodec};
use crate::inputs::{InputStatus, Inputs};
use crate::player::PlayerId;
use crate::session::{Resumed, Session, SessionConfig};
use crate::simulation::Simulation;
use crate::tick::Tick;
use isostep_core::digest::Digest;
use isostep_core::state::Snapshot;

/// Plays a recording.
///
/// The pace is the caller's: [`step`](Self::step) makes the next tick whenever the caller wants it; not calling it is a
/// pause, calling it twice is double speed. [`seek`](Self::seek) goes to any tick, also backwards: it restores the nearest
/// keyframe and computes the rest.
pub struct Player<S: Simulation, R> {
    pub(super) replay: Replay<R>,
    pub(super) game: S,
    pub(super) slots: S::Slots,
    codec: InputCodec<S::Input>,
    tick: Tick,
    inputs: Inputs<S::Input>,
    seats: Vec<(Who, CommandAssembler)>,
    /// The next of the seat changes.
    change: usize,
}

impl<S: Simulation + Snapshot, R: Source> Player<S, R> {
    /// A player at the first tick. The game is one with the settings of the match; its state is replaced. Settings that are in
    /// files can be compared before, by [`Info::check_assets`](super::Info::check_assets).
    ///
    /// # Errors
    /// When the recording is of another game or other inputs, the game has other settings, or the first state can't be read.
    pub fn new(replay: Replay<R>, game_id: [u8; 16], mut game: S) -> Result<Self, ReplayError> {
        let codec = InputCodec::new()?;
        replay.info().check(game_id, &codec)?;
        let slots = game.slots(2);
        let seats = usize::from(replay.info().seats);
        let first = replay.first();
        let mut player = Self {
            replay,
            game,
            slots,
            codec,
            tick: first,
            inputs: Inputs::new(seats),
            seats: Vec::new(),
            change: 0,
        };
        match player.restore(first) {
            // The block is as it was written: its check says so.
            Err(ReplayError::Keyframe { .. }) => {
                let assets = player.replay.info().assets.iter();
                let assets = assets.map(|(name, _)| name.clone()).collect();
                Err(ReplayError::OtherSettings { assets })
            }
            done => done.map(|()| player),
        }
    }

    /// The tick of the state.
    pub const fn tick(&self) -> Tick {
        self.tick
    }

    /// The game in that state.
    pub const fn game(&self) -> &S {
        &self.game
    }

    /// The recording.
    pub const fn replay(&self) -> &Replay<R> {
        &self.replay
    }

    /// What the last step was given.
    pub const fn inputs(&self) -> &Inputs<S::Input> {
        &self.inputs
    }

    /// Makes the next tick; `false` at the end.
    ///
    /// # Errors
    /// When its inputs are missing or damaged. The game is as it was.
    pub fn step(&mut self) -> Result<bool, ReplayError> {
        let tick = self.tick;
        if tick >= self.replay.last() {
            return Ok(false);
        }
        self.replay.load_inputs(tick)?;
        self.follow_changes(tick);
        for index in 0..self.seats.len() {
            self.gather(index, tick)?;
        }
        self.game.step(tick, &self.inputs);
        self.tick = tick.next();
        Ok(true)
    }

    fn follow_changes(&mut self, tick: Tick) {
        while let Some(change) = self.replay.seat_changes().get(self.change) {
            if change.tick > tick {
                break;
            }
            if let (true, Some(limits)) = (change.tick == tick, self.replay.info().commands()) {
                self.seats[change.player.index()] = (change.who, CommandAssembler::new(limits));
            }
            self.change += 1;
        }
    }

    fn gather(&mut self, index: usize, tick: Tick) -> Result<(), ReplayError> {
        let player = PlayerId(index as u8);
        let (who, assembler) = &mut self.seats[index];
        let commands = &mut self.inputs.commands[index];
        let (value, status) = match who {
            Who::Human => {
                let none = ReplayError::Input { player, tick };
                let bytes = self.replay.input(player, tick)?.ok_or(none.clone())?;
                let value = self.codec.read(bytes.input).map_err(|_| none.clone())?;
                assembler.tick(bytes.pieces, commands).map_err(|_| none)?;
                (value, InputStatus::Confirmed)
            }
            Who::Bot => {
                commands.clear();
                (self.game.bot(tick, player), InputStatus::Bot)
            }
            Who::Nobody => {
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

    /// Goes to a tick, forwards or backwards.
    ///
    /// # Errors
    /// When the tick is not in the recording, lies in a gap, or what leads to it is damaged.
    pub fn seek(&mut self, tick: Tick) -> Result<(), ReplayError> {
        let (first, last) = (self.replay.first(), self.replay.last());
        if tick < first || tick > last {
            return Err(ReplayError::NoSuchTick { tick, first, last });
        }
        let keyframe = self.replay.keyframe_before(tick).unwrap_or(first);
        if tick < self.tick || keyframe > self.tick {
            self.restore(keyframe)?;
        }
        while self.tick < tick {
            self.step()?;
        }
        Ok(())
    }

    /// Becomes the state of a keyframe.
    pub(super) fn restore(&mut self, tick: Tick) -> Result<(), ReplayError> {
        let keyframe = self.replay.keyframe(tick)?;
        let limits = self.replay.info().commands().ok_or(ReplayError::Header)?;
        let wrong = ReplayError::Keyframe { tick };
        let mut seats = Vec::with_capacity(keyframe.seats.len());
        let mut inputs = Inputs::new(keyframe.seats.len());
        for (seat, input) in keyframe.seats.iter().zip(&mut inputs.players) {
            let mut assembler = CommandAssembler::new(limits);
            assembler.resume(seat.pending.as_deref()).map_err(|_| wrong.clone())?;
            input.value = self.codec.read(&seat.previous).map_err(|_| wrong.clone())?;
            seats.push((seat.who, assembler));
        }
        self.game.restore(&keyframe.state)?;
        self.slots = self.game.slots(2);
        self.tick = tick;
        self.seats = seats;
        self.inputs = inputs;
        let changes = self.replay.seat_changes();
        self.change = changes.partition_point(|change| change.tick < tick);
        if name(self.digest()?) == keyframe.digest { Ok(()) } else { Err(wrong) }
    }

    /// The digest of the state.
    ///
    /// # Errors
    /// When the state can't be saved or digested.
    pub fn digest(&mut self) -> Result<Digest, ReplayError> {
        self.game.save(&mut self.slots, self.tick.0)?;
        Ok(self.game.digest(&self.slots, self.tick.0)?)
    }

    /// A live session that goes on from here with new inputs, and the game in it. The settings say who plays now; their start
    /// becomes this tick.
    ///
    /// It begins as the recorded session was: the first step has what the step before was given as its previous inputs; a
    /// seat that was a human's and still is goes on from there, so that guesses and held inputs repeat the last one; and a
    /// command of which a part had come is finished if the rest comes with [`remote_ticks`](Session::remote_ticks). A local
    /// player says it anew.
    ///
    /// # Errors
    /// When the settings contradict themselves.
    pub fn branch(self, config: SessionConfig) -> Result<(Session<S>, S), ReplayError> {
        let tick = self.tick;
        let changes = &self.replay.seat_changes()[self.change..];
        let leaves = |index| {
            let mut changes = changes.iter().take_while(|change| change.tick <= tick);
            changes.any(|change| change.tick == tick && change.player.index() == index)
        };
        let seats = self.seats.iter().zip(&self.inputs.players).enumerate();
        let seats: Vec<_> = seats
            .map(|(index, ((who, assembler), input))| Resumed {
                used: input.value,
                stays: *who == Who::Human && !leaves(index),
                pending: assembler.pending().map(<[u8]>::to_vec),
            })
            .collect();
        let mut game = self.game;
        let session = Session::resume(config.start(tick), &mut game, &seats)?;
        Ok((session, game))
    }

    /// Gives back the recording and the game.
    pub fn into_parts(self) -> (Replay<R>, S) {
        (self.replay, self.game)
    }
}

impl<S: Simulation, R> core::fmt::Debug for Player<S, R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Player").field("tick", &self.tick).finish_non_exhaustive()
    }
}
