//! Player of a recording: step, seek, and a live session from any tick.

use super::cursor::Cursor;
use super::error::ReplayError;
use super::reader::Replay;
use super::source::Source;
use crate::inputs::Inputs;
use crate::session::{Session, SessionConfig};
use crate::simulation::Simulation;
use crate::{GameId, Tick};
use isostep_core::digest::Digest;
use isostep_core::state::Snapshot;

/// Plays a recording.
///
/// The caller sets the pace: each [`step`](Self::step) makes the next tick. [`seek`](Self::seek) goes to any tick, also
/// backwards: it restores the nearest keyframe and steps from there. For a display, with a clock and smooth reverse,
/// use [`Playback`](super::Playback).
///
/// ```
/// use isostep_rollback::replay::{Player, Recorder, RecorderConfig, Replay};
/// use isostep_rollback::{GameId, Inputs, NewestWins, PlayerId, Session, SessionConfig, Simulation, Tick, Time};
///
/// #[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
/// struct Count { sum: i32 }
/// impl Simulation for Count {
///     type Input = NewestWins<i8>;
///     fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
///         self.sum += i32::from(inputs.value(PlayerId(0)).0);
///     }
/// }
///
/// const GAME: GameId = GameId(*b"count, version 1");
/// let mut game = Count::default();
/// let mut session = Session::start(SessionConfig::new().local(), &mut game)?;
/// let mut recorder = Recorder::start(RecorderConfig::new(GAME), &session, &game)?;
/// for tick in 0..100 {
///     session.local_input(PlayerId(0), NewestWins(1))?;
///     session.advance(Time::from_millis(tick * 17)).run(&mut game)?;
///     recorder.record(&session, &game);
/// }
/// recorder.finish(&session, &game);
/// let file: Vec<u8> = std::iter::from_fn(|| recorder.poll_bytes()).flatten().collect();
///
/// let mut player = Player::new(Replay::open(&file[..])?, GAME, Count::default())?;
/// player.seek(Tick(60))?;
/// player.step()?;
/// assert_eq!((player.tick(), player.game().sum), (Tick(61), 61));
/// player.seek(Tick(3))?;
/// assert_eq!(player.game().sum, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Player<S: Simulation, R> {
    pub(super) replay: Replay<R>,
    pub(super) cursor: Cursor<S>,
}

impl<S: Simulation + Snapshot, R: Source> Player<S, R> {
    /// Creates a player at the first tick. The game has the settings of the match; its state is replaced. Compare
    /// settings in files first, with [`Info::check_assets`](super::Info::check_assets).
    ///
    /// # Errors
    /// If the recording is of another game or other inputs, the game has other settings, or the first state can't be
    /// read.
    pub fn new(mut replay: Replay<R>, game_id: GameId, game: S) -> Result<Self, ReplayError> {
        let cursor = Cursor::open(&mut replay, game_id, game, 0)?;
        Ok(Self { replay, cursor })
    }

    /// Returns the tick of the state.
    pub const fn tick(&self) -> Tick {
        self.cursor.tick()
    }

    /// Returns the game in that state.
    pub const fn game(&self) -> &S {
        &self.cursor.game
    }

    /// Returns the game with its held states: that of the tick, once its [`digest`](Self::digest) was computed.
    pub(crate) const fn state(&self) -> (&S, &S::Slots) {
        (&self.cursor.game, &self.cursor.slots)
    }

    /// Returns the recording.
    pub const fn replay(&self) -> &Replay<R> {
        &self.replay
    }

    /// Returns the recording, to read digests, inputs and seats, which reads from its source.
    #[doc(hidden)]
    pub const fn replay_mut(&mut self) -> &mut Replay<R> {
        &mut self.replay
    }

    /// Returns the inputs of the last step. After a seek to a keyframe only values and statuses are known: no previous
    /// inputs, no commands.
    pub const fn inputs(&self) -> &Inputs<S::Input> {
        self.cursor.inputs()
    }

    /// Steps the next tick; returns false at the end.
    ///
    /// # Errors
    /// If its inputs are missing or damaged. The game is unchanged.
    pub fn step(&mut self) -> Result<bool, ReplayError> {
        self.cursor.step(&mut self.replay)
    }

    /// Seeks to a tick, forwards or backwards.
    ///
    /// # Errors
    /// If the tick is not in the recording, is in a gap, or a block before it is damaged.
    pub fn seek(&mut self, tick: Tick) -> Result<(), ReplayError> {
        self.cursor.seek(&mut self.replay, tick)
    }

    /// Restores a keyframe.
    pub(super) fn restore(&mut self, tick: Tick) -> Result<(), ReplayError> {
        self.cursor.restore(&mut self.replay, tick)
    }

    /// Returns the digest of the state.
    ///
    /// # Errors
    /// If the state can't be saved or digested.
    pub fn digest(&mut self) -> Result<Digest, ReplayError> {
        self.cursor.digest()
    }

    /// Branches a live session from here, with new inputs, and returns it with its game. The settings define the seats;
    /// their start becomes this tick.
    ///
    /// It continues the recorded session: the first step has the recorded previous inputs; a seat that stays human
    /// continues from its last input, which predictions and held inputs repeat; and a partial command completes if the
    /// rest arrives with [`remote_ticks`](Session::remote_ticks). A local player has to send it again.
    ///
    /// # Errors
    /// If the settings are invalid.
    pub fn branch(self, config: SessionConfig) -> Result<(Session<S>, S), ReplayError> {
        let seats = self.cursor.resumed(&self.replay);
        let config = config.start(self.cursor.tick());
        let mut game = self.cursor.game;
        let session = Session::resume(config, &mut game, &seats)?;
        Ok((session, game))
    }

    /// Returns the recording and the game.
    pub fn into_parts(self) -> (Replay<R>, S) {
        (self.replay, self.cursor.game)
    }
}

impl<S: Simulation, R> core::fmt::Debug for Player<S, R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Player").field("tick", &self.cursor.tick()).finish_non_exhaustive()
    }
}
