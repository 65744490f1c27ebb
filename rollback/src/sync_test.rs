//! Sync test: one machine, no network; every tick is resimulated on every path that a session may take, and the first
//! difference is reported.

use crate::Tick;
use crate::check::apply_bots;
use crate::input::Input;
use crate::inputs::{InputStatus, Inputs};
use crate::pages::Pages;
use crate::player::PlayerId;
use crate::simulation::Simulation;
use core::fmt;
use isostep_core::digest::Digest;
use isostep_core::state::{StateDifference, StateError};
use std::collections::VecDeque;

/// Path on which a tick was resimulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncPath {
    /// Only loaded. A `#[state(fixed)]` field changes, or a hand-written `State` does not restore everything.
    Loaded,
    /// Rolled back and resimulated with the same inputs, marked as predicted.
    Resimulated,
    /// Rolled back, resimulated with wrong predictions, rolled back again and resimulated with the right inputs.
    Mispredicted,
    /// Rolled back and resimulated with caches dropped. Only at intervals, so that caches have time to go wrong.
    CachesDropped,
}

impl SyncPath {
    /// Paths that step again.
    const STEPPED: [Self; 3] = [Self::Resimulated, Self::Mispredicted, Self::CachesDropped];
}

/// First difference of a sync test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncDifference {
    /// First tick whose state differs.
    pub tick: Tick,
    /// Rollback depth, in ticks.
    pub depth: u32,
    /// Path of the resimulation.
    pub path: SyncPath,
    /// Differing fields, with the new value as `local` and the first one as `remote`; at most 16.
    pub fields: Vec<StateDifference>,
}

impl fmt::Display for SyncDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, depth, path, fields } = self;
        write!(f, "tick {tick}, ")?;
        match path {
            SyncPath::Loaded => write!(f, "loaded {depth} ticks later, differs")?,
            SyncPath::Resimulated => write!(f, "resimulated from {depth} ticks before, differs")?,
            SyncPath::Mispredicted => {
                write!(f, "resimulated after a misprediction from {depth} ticks before, differs")?;
            }
            SyncPath::CachesDropped => {
                write!(f, "resimulated with caches dropped from {depth} ticks before, differs")?;
            }
        }
        for (i, StateDifference { entity, field, local, remote }) in fields.iter().enumerate() {
            let and = if i == 0 { ":" } else { ";" };
            write!(f, "{and} {entity}, {field}: {remote} at first, {local} then")?;
        }
        if *path == SyncPath::Loaded {
            f.write_str("; a field that changes must not be `#[state(fixed)]`")?;
        }
        Ok(())
    }
}

/// Error of a sync test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// A resimulated tick differs.
    #[error("{0}")]
    Differs(Box<SyncDifference>),
    /// A state can't be saved, loaded or digested.
    #[error("on tick {tick}: {error}")]
    State {
        /// The tick.
        tick: Tick,
        /// The error.
        error: StateError,
    },
}

/// Report of a sync test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// Ticks of the match.
    pub ticks: u32,
    /// Total number of steps.
    pub steps: u64,
}

/// Steps a simulation and resimulates every tick: with every rollback depth up to a limit, after right and wrong
/// predictions, and with caches dropped. The first differing field is reported.
///
/// It detects violations of the determinism rules that one machine can see: state that is not saved, stale caches,
/// results that depend on the path to a tick, on addresses, on time or on hash map order. It can't detect differences
/// between machines.
///
/// ```
/// use core::sync::atomic::{AtomicU32, Ordering};
/// use isostep_rollback::{Inputs, NewestWins, PlayerId, Simulation, SyncTest, Tick};
///
/// static STEPS: AtomicU32 = AtomicU32::new(0); // not in the state, although the step reads it
///
/// #[derive(Clone, Default, serde::Serialize)]
/// struct Race { place: u32, boost: bool }
///
/// impl Simulation for Race {
///     type Input = NewestWins<u8>;
///     fn step(&mut self, _tick: Tick, inputs: &Inputs<Self::Input>) {
///         self.place += u32::from(inputs.value(PlayerId(0)).0);
///         self.boost = STEPS.fetch_add(1, Ordering::Relaxed).is_multiple_of(50);
///     }
/// }
///
/// let found = SyncTest::new(1).run(&mut Race::default(), 100, |tick, inputs| {
///     inputs.set_next(&[NewestWins(tick.0 as u8 / 20)]);
/// });
/// let text = found.unwrap_err().to_string();
/// assert!(text.contains("state, boost: "), "{text}");
/// ```
#[doc(alias = "SyncTestSession")]
#[derive(Clone, Debug)]
pub struct SyncTest {
    players: usize,
    depth: u32,
    bots: Vec<PlayerId>,
}

/// The state of a tick at its first step.
struct First {
    tick: Tick,
    digest: Digest,
    pages: Pages,
}

impl SyncTest {
    /// Creates a test for some players, with rollback depths of 1 to 8 ticks.
    pub const fn new(players: usize) -> Self {
        Self { players, depth: 8, bots: Vec::new() }
    }

    /// Sets the maximum rollback depth, in ticks; each depth costs as many steps.
    #[must_use]
    pub const fn depth(mut self, ticks: u32) -> Self {
        self.depth = ticks;
        self
    }

    /// Has [`Simulation::bot`] play this seat, instead of the script. A bot is never predicted: it is called with the
    /// current state whenever a tick is stepped. To have its inputs mispredicted too, record them once and replay them
    /// in the script.
    #[must_use]
    pub fn bot(mut self, player: PlayerId) -> Self {
        self.bots.push(player);
        self
    }

    /// Runs the test. `script` sets the inputs of each tick, given those of the tick before: call [`Inputs::set_next`],
    /// and optionally [`Inputs::push_command`].
    ///
    /// # Errors
    /// If a state differs, or can't be saved, loaded or digested.
    pub fn run<S: Simulation>(
        &self,
        simulation: &mut S,
        ticks: u32,
        mut script: impl FnMut(Tick, &mut Inputs<S::Input>),
    ) -> Result<SyncReport, SyncError> {
        let mut slots = simulation.slots(self.depth as usize + 2);
        let mut run = Run {
            simulation,
            slots: &mut slots,
            test: self,
            log: VecDeque::new(),
            firsts: VecDeque::new(),
            steps: 0,
        };
        run.save(Tick(0))?;
        run.first(Tick(0))?;
        let mut inputs = Inputs::new(self.players);
        for tick in (0..ticks).map(Tick) {
            script(tick, &mut inputs);
            run.note(tick, &inputs);
            run.step(tick, Prediction::None)?;
            run.first(tick.next())?;
            run.replay(tick.next())?;
        }
        Ok(SyncReport { ticks, steps: run.steps })
    }
}

/// Inputs of a step.
#[derive(Clone, Copy, PartialEq)]
enum Prediction {
    /// Confirmed.
    None,
    /// Correct, but marked as predicted.
    Right,
    /// Held from the tick before `since`, the first unconfirmed tick.
    Wrong { since: Tick },
}

/// Ticks between resimulations with caches dropped: a cache that is always dropped never goes wrong.
const DROP_CACHES_EVERY: u32 = 16;

/// A running test.
struct Run<'a, S: Simulation> {
    simulation: &'a mut S,
    slots: &'a mut S::Slots,
    test: &'a SyncTest,
    /// Inputs of the last ticks.
    log: VecDeque<(Tick, Inputs<S::Input>)>,
    /// First states of the last ticks.
    firsts: VecDeque<First>,
    steps: u64,
}

fn at(tick: Tick) -> impl Fn(StateError) -> SyncError {
    move |error| SyncError::State { tick, error }
}

impl<S: Simulation> Run<'_, S> {
    fn save(&mut self, tick: Tick) -> Result<(), SyncError> {
        self.simulation.save(self.slots, tick).map_err(at(tick))
    }

    fn note(&mut self, tick: Tick, inputs: &Inputs<S::Input>) {
        if self.log.len() > self.test.depth as usize {
            self.log.pop_front();
        }
        self.log.push_back((tick, inputs.clone()));
    }

    /// Steps with the recorded inputs, or with predictions.
    fn step(&mut self, tick: Tick, prediction: Prediction) -> Result<(), SyncError> {
        let find = |wanted: Tick| self.log.iter().position(|entry| entry.0 == wanted);
        let Some(index) = find(tick) else { return Ok(()) };
        let mut inputs = self.log[index].1.clone();
        if prediction != Prediction::None {
            inputs.players.iter_mut().for_each(|input| input.status = InputStatus::Predicted);
        }
        if let Prediction::Wrong { since } = prediction {
            let last = since.previous().and_then(find);
            for (player, input) in inputs.players.iter_mut().enumerate() {
                let last =
                    last.map_or(S::Input::default(), |last| self.log[last].1.players[player].value);
                input.value = S::Input::hold(last);
            }
            inputs.commands.iter_mut().for_each(crate::input::Commands::clear);
        }
        apply_bots(self.simulation, tick, &self.test.bots, &mut inputs);
        self.simulation.step(tick, &inputs);
        self.steps += 1;
        self.save(tick.next())
    }

    /// Records the first state of a tick.
    fn first(&mut self, tick: Tick) -> Result<(), SyncError> {
        let digest = self.simulation.digest(self.slots, tick).map_err(at(tick))?;
        let pages = Pages::of(self.simulation, self.slots, tick).map_err(at(tick))?;
        if self.firsts.len() > self.test.depth as usize {
            self.firsts.pop_front();
        }
        self.firsts.push_back(First { tick, digest, pages });
        Ok(())
    }

    /// Resimulates up to the current tick on every path.
    fn replay(&mut self, current: Tick) -> Result<(), SyncError> {
        for depth in 1..=self.test.depth.min(current.0) {
            let from = current - depth;
            for path in SyncPath::STEPPED {
                if path == SyncPath::CachesDropped && !current.0.is_multiple_of(DROP_CACHES_EVERY) {
                    continue;
                }
                self.load(from)?;
                self.compare(from, depth, SyncPath::Loaded)?;
                let mut prediction = Prediction::None;
                match path {
                    SyncPath::Loaded => (),
                    SyncPath::Resimulated => prediction = Prediction::Right,
                    SyncPath::Mispredicted => {
                        for tick in (from.0..current.0).map(Tick) {
                            self.step(tick, Prediction::Wrong { since: from })?;
                        }
                        self.load(from)?;
                    }
                    SyncPath::CachesDropped => self.simulation.drop_caches(self.slots),
                }
                for tick in (from.0..current.0).map(Tick) {
                    self.step(tick, prediction)?;
                    self.compare(tick.next(), depth, path)?;
                }
            }
        }
        Ok(())
    }

    fn load(&mut self, tick: Tick) -> Result<(), SyncError> {
        self.simulation.load(self.slots, tick).map_err(at(tick))
    }

    fn compare(&self, tick: Tick, depth: u32, path: SyncPath) -> Result<(), SyncError> {
        /// Maximum number of reported fields.
        const MOST: usize = 16;
        let digest = self.simulation.digest(self.slots, tick).map_err(at(tick))?;
        let Some(first) = self.firsts.iter().find(|first| first.tick == tick) else {
            return Ok(());
        };
        if first.digest == digest {
            return Ok(());
        }
        let fields = first.pages.explain(self.simulation, self.slots, tick, MOST);
        let fields = fields.map_err(at(tick))?;
        Err(SyncError::Differs(Box::new(SyncDifference { tick, depth, path, fields })))
    }
}
