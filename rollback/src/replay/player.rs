//! Playing a recording: step, seek, and a live session from any tick of it.

use super::cursor::Cursor;
use super::error::ReplayError;
use super::reader::Replay;
use super::source::Source;
use crate::inputs::Inputs;
use crate::session::{Session, SessionConfig};
use crate::simulation::Simulation;
use crate::tick::Tick;
use isostep_core::digest::Digest;
use isostep_core::state::Snapshot;

/// Plays a recording.
///
/// The pace is the caller's: [`step`](Self::step) makes the next tick whenever the caller wants it; not calling it is a
/// pause, calling it twice is double speed. [`seek`](Self::seek) goes to any tick, also backwards: it restores the nearest
/// keyframe and computes the rest. For a screen, with a clock, and backwards without jerks: [`Playback`](super::Playback).
///
/// ```
/// use isostep_rollback::replay::{Player, Recorder, RecorderConfig, Replay};
/// use isostep_rollback::{Inputs, NewestWins, PlayerId, Session, SessionConfig, Simulation, Tick, Time};
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
/// const GAME: [u8; 16] = *b"count, version 1";
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
    /// A player at the first tick. The game is one with the settings of the match; its state is replaced. Settings that are in
    /// files can be compared before, by [`Info::check_assets`](super::Info::check_assets).
    ///
    /// # Errors
    /// When the recording is of another game or other inputs, the game has other settings, or the first state can't be read.
    pub fn new(mut replay: Replay<R>, game_id: [u8; 16], game: S) -> Result<Self, ReplayError> {
        let cursor = Cursor::open(&mut replay, game_id, game, 0)?;
        Ok(Self { replay, cursor })
    }

    /// The tick of the state.
    pub const fn tick(&self) -> Tick {
        self.cursor.tick()
    }

    /// The game in that state.
    pub const fn game(&self) -> &S {
        &self.cursor.game
    }

    /// The game with the states that it holds: that of the tick, once its [`digest`](Self::digest) was asked for.
    pub(crate) const fn state(&self) -> (&S, &S::Slots) {
        (&self.cursor.game, &self.cursor.slots)
    }

    /// The recording.
    pub const fn replay(&self) -> &Replay<R> {
        &self.replay
    }

    /// The recording, to read digests, inputs and seats from: that takes from its source.
    pub const fn replay_mut(&mut self) -> &mut Replay<R> {
        &mut self.replay
    }

    /// What the last step was given. Of the step before a keyframe that was sought, only
    /// values and statuses are known: no previous ones, no commands.
    pub const fn inputs(&self) -> &Inputs<S::Input> {
        self.cursor.inputs()
    }

    /// Makes the next tick; `false` at the end.
    ///
    /// # Errors
    /// When its inputs are missing or damaged. The game is as it was.
    pub fn step(&mut self) -> Result<bool, ReplayError> {
        self.cursor.step(&mut self.replay)
    }

    /// Goes to a tick, forwards or backwards.
    ///
    /// # Errors
    /// When the tick is not in the recording, lies in a gap, or what leads to it is damaged.
    pub fn seek(&mut self, tick: Tick) -> Result<(), ReplayError> {
        self.cursor.seek(&mut self.replay, tick)
    }

    /// Becomes the state of a keyframe.
    pub(super) fn restore(&mut self, tick: Tick) -> Result<(), ReplayError> {
        self.cursor.restore(&mut self.replay, tick)
    }

    /// The digest of the state.
    ///
    /// # Errors
    /// When the state can't be saved or digested.
    pub fn digest(&mut self) -> Result<Digest, ReplayError> {
        self.cursor.digest()
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
        let seats = self.cursor.resumed(&self.replay);
        let config = config.start(self.cursor.tick());
        let mut game = self.cursor.game;
        let session = Session::resume(config, &mut game, &seats)?;
        Ok((session, game))
    }

    /// Gives back the recording and the game.
    pub fn into_parts(self) -> (Replay<R>, S) {
        (self.replay, self.cursor.game)
    }
}

impl<S: Simulation, R> core::fmt::Debug for Player<S, R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Player").field("tick", &self.cursor.tick()).finish_non_exhaustive()
    }
}
