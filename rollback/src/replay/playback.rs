//! Playback on a display: at any speed, forwards and backwards, with bounded work per call.
//!
//! Two games take turns. One is shown and holds its last states, so that stepping back is a load without computation.
//! Meanwhile the other one computes the ticks before those, a few steps at a time; then they swap.

use super::cursor::Cursor;
use super::error::ReplayError;
use super::reader::Replay;
use super::source::Source;
use crate::inputs::Inputs;
use crate::simulation::Simulation;
use crate::{GameId, Tick};
use core::num::NonZeroU32;
use isostep_core::digest::Digest;
use isostep_core::state::Snapshot;

/// Playback speed: a ratio, negative for backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    times: i32,
    over: NonZeroU32,
}

impl Speed {
    /// Paused.
    pub const PAUSED: Self = Self { times: 0, over: NonZeroU32::MIN };
    /// Real time.
    pub const NORMAL: Self = Self { times: 1, over: NonZeroU32::MIN };
    /// Real time, backwards.
    pub const REVERSE: Self = Self { times: -1, over: NonZeroU32::MIN };

    /// Creates a speed of `times` / `over`: `(1, 4)` is slow motion, `(-2, 1)` double speed backwards. `None` if `over`
    /// is 0.
    pub const fn new(times: i32, over: u32) -> Option<Self> {
        match NonZeroU32::new(over) {
            Some(over) => Some(Self { times, over }),
            None => None,
        }
    }
}

/// Limits of computation and memory of a [`Playback`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaybackConfig {
    /// Maximum number of steps in one [`advance`](Playback::advance), at least 1. Default 32: half a second at 60 ticks
    /// a second.
    pub max_steps: u32,
    /// States held by each of the two games, at least 1. Default 151, one more than the default distance of keyframes:
    /// with a larger distance use more, or playing backwards stalls to compute.
    pub held_ticks: u32,
}

impl Default for PlaybackConfig {
    /// 32 steps; 151 states: the default distance of keyframes, and one.
    fn default() -> Self {
        Self { max_steps: 32, held_ticks: 151 }
    }
}

/// Report of an [`advance`](Playback::advance).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advanced {
    /// Ticks shown.
    pub shown: u32,
    /// Ticks still due. The next call continues with them; [`skip_due`](Playback::skip_due) drops them.
    pub left: u32,
    /// The recording ends in this direction.
    pub ended: bool,
}

/// Plays a recording on a display.
///
/// - *Set up*: [`new`](Self::new), with two games that have the settings of the match.
/// - *Play*, once a frame: [`advance`](Self::advance) with the time since the last; [`set_speed`](Self::set_speed).
/// - *Navigate*: [`step`](Self::step), [`step_back`](Self::step_back), [`seek`](Self::seek).
/// - *Observe*: [`game`](Self::game), [`tick`](Self::tick), [`inputs`](Self::inputs).
///
/// At a gap, playing on in either direction returns [`ReplayError::Gap`]: seek to its `next`, or to its `tick`.
///
/// ```
/// use isostep_rollback::replay::{Playback, Recorder, RecorderConfig, Replay, Speed};
/// use isostep_rollback::{GameId, Inputs, NewestWins, PlayerId, Session, SessionConfig, Simulation, Tick, Time};
/// #[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
/// struct Count { sum: i32 }
/// impl Simulation for Count {
///     type Input = NewestWins<i8>;
///     fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
///         self.sum += i32::from(inputs.value(PlayerId(0)).0);
///     }
/// }
/// # const GAME: GameId = GameId(*b"count, version 1");
/// # let mut game = Count::default();
/// # let mut session = Session::start(SessionConfig::new().local(), &mut game)?;
/// # let mut recorder = Recorder::start(RecorderConfig::new(GAME), &session, &game)?;
/// # for tick in 0..60u64 {
/// #     session.local_input(PlayerId(0), NewestWins(1))?;
/// #     session.advance(Time::from_millis(tick * 17)).run(&mut game)?;
/// #     recorder.record(&session, &game);
/// # }
/// # recorder.finish(&session, &game);
/// # let file: Vec<u8> = std::iter::from_fn(|| recorder.poll_bytes()).flatten().collect();
///
/// let replay = Replay::open(&file[..])?; // a second, in which the sum rises by one a tick
/// let mut playback = Playback::new(replay, GAME, (Count::default(), Count::default()))?;
/// playback.advance(500_000_000)?; // nanoseconds
/// assert_eq!((playback.tick(), playback.game().sum), (Tick(30), 30));
/// playback.set_speed(Speed::new(-1, 2).expect("not over 0"));
/// playback.advance(100_000_000)?;
/// assert_eq!((playback.tick(), playback.game().sum), (Tick(27), 27));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Playback<S: Simulation, R> {
    replay: Replay<R>,
    config: PlaybackConfig,
    shown: Cursor<S>,
    other: Cursor<S>,
    /// Target tick of the other game.
    target: Option<Tick>,
    /// Tick that the other game can't reach.
    unreachable: Option<Tick>,
    speed: Speed,
    /// Elapsed nanoseconds times the numerator of the speed.
    credit: u128,
}

/// Result of moving by one tick.
enum Moved {
    Done,
    /// It needs more steps than are left.
    NotYet,
    /// There is no such tick.
    End,
}

impl<S: Simulation + Snapshot, R: Source> Playback<S, R> {
    /// Creates a playback at the first tick, at normal speed.
    ///
    /// # Errors
    /// As [`Player::new`](super::Player::new).
    pub fn new(replay: Replay<R>, game_id: GameId, games: (S, S)) -> Result<Self, ReplayError> {
        Self::with(replay, game_id, games, PlaybackConfig::default())
    }

    /// Creates a playback with other limits.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(
        mut replay: Replay<R>,
        game_id: GameId,
        games: (S, S),
        config: PlaybackConfig,
    ) -> Result<Self, ReplayError> {
        let keep = config.held_ticks.max(1) as usize;
        let shown = Cursor::open(&mut replay, game_id, games.0, keep)?;
        let other = Cursor::open(&mut replay, game_id, games.1, keep)?;
        let (target, unreachable) = (None, None);
        let speed = Speed::NORMAL;
        Ok(Self { replay, config, shown, other, target, unreachable, speed, credit: 0 })
    }

    /// Returns the shown tick.
    pub const fn tick(&self) -> Tick {
        self.shown.tick()
    }

    /// Returns the game in the state of that tick.
    pub const fn game(&self) -> &S {
        &self.shown.game
    }

    /// Returns the inputs of the step that led to it. After a seek to a keyframe only values and statuses are known: no
    /// previous inputs, no commands.
    pub const fn inputs(&self) -> &Inputs<S::Input> {
        self.shown.inputs()
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

    /// Returns the digest of the shown state.
    ///
    /// # Errors
    /// If the state can't be saved or digested.
    pub fn digest(&mut self) -> Result<Digest, ReplayError> {
        self.shown.digest()
    }

    /// Returns the speed.
    pub const fn speed(&self) -> Speed {
        self.speed
    }

    /// Returns the number of states held by both games.
    #[doc(hidden)]
    pub fn held(&self) -> usize {
        self.shown.held() + self.other.held()
    }

    /// Sets the speed.
    pub const fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
        self.credit = 0;
    }

    /// Drops ticks that are due: for a machine that is too slow for the speed.
    #[doc(hidden)]
    pub const fn skip_due(&mut self) {
        self.credit = 0;
    }

    /// Advances by some nanoseconds: shows the due ticks, as far as [`max_steps`](PlaybackConfig::max_steps) allows.
    ///
    /// # Errors
    /// If the next tick is missing or damaged. The last intact tick stays shown.
    pub fn advance(&mut self, nanos: u64) -> Result<Advanced, ReplayError> {
        let tick_nanos = self.replay.info().tick_length.as_nanos().max(1);
        let cost = tick_nanos * u128::from(self.speed.over.get());
        self.credit += u128::from(nanos) * u128::from(self.speed.times.unsigned_abs());
        // Bounded by the ticks of a match.
        self.credit = self.credit.min(cost * u128::from(u32::MAX));
        let due = (self.credit / cost) as u32;
        let mut steps = self.config.max_steps.max(1);
        let mut done = Advanced { left: due, ..Advanced::default() };
        while done.left > 0 && steps > 0 {
            let moved =
                if self.speed.times > 0 { self.step_forward() } else { self.go_back(&mut steps) };
            match moved.inspect_err(|_| self.credit = 0)? {
                Moved::Done => {
                    steps = steps.saturating_sub(1);
                    self.credit -= cost;
                    done.shown += 1;
                    done.left -= 1;
                }
                Moved::NotYet => break,
                Moved::End => {
                    self.credit = 0;
                    (done.left, done.ended) = (0, true);
                }
            }
        }
        Ok(done)
    }

    /// Shows the next tick; returns false at the end.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn step(&mut self) -> Result<bool, ReplayError> {
        Ok(matches!(self.step_forward()?, Moved::Done))
    }

    /// Shows the tick before; returns false at the start.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn step_back(&mut self) -> Result<bool, ReplayError> {
        let mut steps = u32::MAX;
        Ok(matches!(self.go_back(&mut steps)?, Moved::Done))
    }

    /// Shows any tick, at the cost of the steps from the nearest keyframe.
    ///
    /// # Errors
    /// As [`Player::seek`](super::Player::seek). The shown tick is unchanged, or one between.
    pub fn seek(&mut self, tick: Tick) -> Result<(), ReplayError> {
        let (first, last) = (self.replay.first(), self.replay.last());
        if tick < first || tick > last {
            return Err(ReplayError::NoSuchTick { tick, first, last });
        }
        if !self.shown.back_to(tick)? {
            // The shown game stays valid if this fails.
            self.target = None;
            if self.shown.leads_to(&self.replay, tick) {
                while self.shown.tick() < tick {
                    self.shown.step(&mut self.replay)?;
                }
            } else {
                self.other.seek(&mut self.replay, tick)?;
                core::mem::swap(&mut self.shown, &mut self.other);
            }
        }
        self.credit = 0;
        Ok(())
    }

    fn step_forward(&mut self) -> Result<Moved, ReplayError> {
        Ok(if self.shown.step(&mut self.replay)? { Moved::Done } else { Moved::End })
    }

    fn go_back(&mut self, steps: &mut u32) -> Result<Moved, ReplayError> {
        let tick = self.shown.tick();
        if tick <= self.replay.first() {
            return Ok(Moved::End);
        }
        let target = tick - 1;
        if self.shown.back_to(target)? {
            self.prepare(steps);
            return Ok(Moved::Done);
        }
        self.approach(target, u32::MAX, steps)?;
        if self.other.tick() != target {
            return Ok(Moved::NotYet);
        }
        core::mem::swap(&mut self.shown, &mut self.other);
        self.target = None;
        Ok(Moved::Done)
    }

    /// While held states are shown backwards, the other game computes the ticks before them, so that they are ready in
    /// time.
    fn prepare(&mut self, steps: &mut u32) {
        let (oldest, first) = (self.shown.oldest(), self.replay.first());
        if oldest <= first || self.unreachable == Some(oldest - 1) {
            return;
        }
        let target = oldest - 1;
        let keyframe = self.replay.keyframe_before(target).unwrap_or(first);
        let from = if self.target == Some(target) { self.other.tick() } else { keyframe };
        let shares = self.shown.tick().since(oldest).max(1);
        let share = target.since(from).div_ceil(shares).max(1);
        if self.approach(target, share, steps).is_err() {
            self.unreachable = Some(target);
            self.target = None;
        }
    }

    /// Steps the other game towards a tick, by at most `most` steps.
    fn approach(&mut self, target: Tick, most: u32, steps: &mut u32) -> Result<(), ReplayError> {
        if self.target != Some(target) {
            let first = self.replay.first();
            let keyframe = self.replay.keyframe_before(target).unwrap_or(first);
            self.other.restore(&mut self.replay, keyframe)?;
            self.target = Some(target);
        }
        for _ in 0..most {
            if *steps == 0 || self.other.tick() >= target {
                break;
            }
            *steps -= 1;
            self.other.step(&mut self.replay)?;
        }
        Ok(())
    }
}

impl<S: Simulation, R> core::fmt::Debug for Playback<S, R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Playback")
            .field("tick", &self.shown.tick())
            .field("speed", &self.speed)
            .finish_non_exhaustive()
    }
}
