//! The sync test: one machine, no network, every tick computed again in every way a session may come to it. What does not
//! come out the same is reference_ticks.

use crate::check::apply_bots;
use crate::input::Input;
use crate::inputs::{InputStatus, Inputs};
use crate::pages::Pages;
use crate::player::PlayerId;
use crate::simulation::Simulation;
use crate::tick::Tick;
use core::fmt;
use isostep_core::digest::Digest;
use isostep_core::state::{StateDifference, StateError};
use std::collections::VecDeque;

/// How a tick was come to again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncPath {
    /// Gone back, and computed again from the same inputs, as guesses that turn out to be right.
    Resimulated,
    /// Gone back, computed from guessed inputs, gone back once more and computed from the right ones.
    Mispredicted,
    /// Gone back, and computed again with nothing remembered. Only now and then: between, what is remembered may go wrong.
    CachesDropped,
}

impl SyncPath {
    const ALL: [Self; 3] = [Self::Resimulated, Self::Mispredicted, Self::CachesDropped];
}

/// What came out otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncDifference {
    /// The first tick whose state differs.
    pub tick: Tick,
    /// How many ticks it was gone back from the present.
    pub depth: u32,
    /// How it was come to.
    pub path: SyncPath,
    /// What differs, with the new value as `local` and the first one as `remote`; at most 16 fields.
    pub fields: Vec<StateDifference>,
}

impl fmt::Display for SyncDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, depth, path, fields } = self;
        let path = match path {
            SyncPath::Resimulated => "computed again",
            SyncPath::Mispredicted => "computed again after a wrong guess",
            SyncPath::CachesDropped => "computed again with nothing remembered",
        };
        write!(f, "tick {tick}, {path} from {depth} ticks before, differs")?;
        for (i, StateDifference { entity, field, local, remote }) in fields.iter().enumerate() {
            let and = if i == 0 { ":" } else { ";" };
            write!(f, "{and} {entity}, {field}: {remote} at first, {local} then")?;
        }
        Ok(())
    }
}

/// Why a sync test ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// A tick did not come out the same.
    #[error("{0}")]
    Differs(Box<SyncDifference>),
    /// A state can't be saved, loaded or digested.
    #[error("on tick {tick}: {error}")]
    State {
        /// The tick.
        tick: Tick,
        /// Why.
        error: StateError,
    },
}

/// What a sync test has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// Ticks of the match.
    pub ticks: u32,
    /// Steps in all: how often the match was computed, about.
    pub steps: u64,
}

/// Steps a simulation and computes every tick again: gone back by every depth up to a limit, after right and wrong guesses,
/// and with nothing remembered. The first field that differs is reference_ticks.
///
/// It finds what the rules of determinism forbid and one machine can see: state that is not saved, caches that leak,
/// results that depend on how a tick was come to, on addresses, on time or on a hash map's order. What only differs between
/// machines it can't see.
///
/// ```
/// use core::sync::atomic::{AtomicU32, Ordering};
/// use isostep_rollback::{Inputs, NewestWins, PlayerId, Simulation, SyncTest, Tick};
///
/// static STEPS: AtomicU32 = AtomicU32::new(0); // not in the state, and yet it decides
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
///     inputs.follow(&[NewestWins(tick.0 as u8 / 20)]);
/// });
/// let text = found.unwrap_err().to_string();
/// assert!(text.contains("state, boost: "), "{text}");
/// ```
#[derive(Clone, Debug)]
pub struct SyncTest {
    players: usize,
    depth: u32,
    bots: Vec<PlayerId>,
}

/// The state of a tick as it was at first.
struct First {
    tick: Tick,
    digest: Digest,
    pages: Pages,
}

impl SyncTest {
    /// A test for so many players, that goes back by 1 to 8 ticks.
    pub const fn new(players: usize) -> Self {
        Self { players, depth: 8, bots: Vec::new() }
    }

    /// Goes back by 1 to this many ticks; each costs as many steps.
    #[must_use]
    pub const fn depth(mut self, ticks: u32) -> Self {
        self.depth = ticks;
        self
    }

    /// Has [`Simulation::bot`] play this seat, instead of what the script says for it. A bot is never guessed: it is asked anew, with
    /// the state as it is then, whenever a tick is computed. To have what bots do guessed too, as a player's, play them once,
    /// keep what they did, and have the script follow that.
    #[must_use]
    pub fn bot(mut self, player: PlayerId) -> Self {
        self.bots.push(player);
        self
    }

    /// Plays so many ticks. `script` sets the inputs of each, given those of the tick before: call
    /// [`Inputs::follow`], and [`Inputs::push_command`] if you like.
    ///
    /// # Errors
    /// When something differs, or a state can't be kept.
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

/// What a step is made of.
#[derive(Clone, Copy, PartialEq)]
enum Prediction {
    /// What is known.
    None,
    /// The same, but nobody knows yet.
    Right,
    /// What one might guess if `since` is the first tick that is not known.
    Wrong { since: Tick },
}

/// Ticks between those that are computed with nothing remembered: a cache that is dropped all the time never goes wrong.
const DROP_CACHES_EVERY: u32 = 16;

/// A test under way.
struct Run<'a, S: Simulation> {
    simulation: &'a mut S,
    slots: &'a mut S::Slots,
    test: &'a SyncTest,
    /// The inputs of the last ticks, by tick.
    log: VecDeque<(Tick, Inputs<S::Input>)>,
    /// What the last states were at first.
    firsts: VecDeque<First>,
    steps: u64,
}

fn at(tick: Tick) -> impl Fn(StateError) -> SyncError {
    move |error| SyncError::State { tick, error }
}

impl<S: Simulation> Run<'_, S> {
    fn save(&mut self, tick: Tick) -> Result<(), SyncError> {
        self.simulation.save(self.slots, tick.0).map_err(at(tick))
    }

    fn note(&mut self, tick: Tick, inputs: &Inputs<S::Input>) {
        if self.log.len() > self.test.depth as usize {
            self.log.pop_front();
        }
        self.log.push_back((tick, inputs.clone()));
    }

    /// Makes a step from the inputs that were noted, or from guesses.
    fn step(&mut self, tick: Tick, prediction: Prediction) -> Result<(), SyncError> {
        let find = |wanted: Tick| self.log.iter().position(|entry| entry.0 == wanted);
        let Some(index) = find(tick) else { return Ok(()) };
        let mut inputs = self.log[index].1.clone();
        if prediction != Prediction::None {
            inputs.players.iter_mut().for_each(|input| input.status = InputStatus::Predicted);
        }
        if let Prediction::Wrong { since } = prediction {
            let last = since.0.checked_sub(1).and_then(|last| find(Tick(last)));
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

    /// Notes what a state is, to compare with.
    fn first(&mut self, tick: Tick) -> Result<(), SyncError> {
        let digest = self.simulation.digest(self.slots, tick.0).map_err(at(tick))?;
        let pages = Pages::of(self.simulation, self.slots, tick.0).map_err(at(tick))?;
        if self.firsts.len() > self.test.depth as usize {
            self.firsts.pop_front();
        }
        self.firsts.push_back(First { tick, digest, pages });
        Ok(())
    }

    /// Comes to the present in every way.
    fn replay(&mut self, present: Tick) -> Result<(), SyncError> {
        for depth in 1..=self.test.depth.min(present.0) {
            let from = present - depth;
            for path in SyncPath::ALL {
                if path == SyncPath::CachesDropped && !present.0.is_multiple_of(DROP_CACHES_EVERY) {
                    continue;
                }
                self.load(from)?;
                let mut prediction = Prediction::None;
                match path {
                    SyncPath::Resimulated => prediction = Prediction::Right,
                    SyncPath::Mispredicted => {
                        for tick in (from.0..present.0).map(Tick) {
                            self.step(tick, Prediction::Wrong { since: from })?;
                        }
                        self.load(from)?;
                    }
                    SyncPath::CachesDropped => self.simulation.drop_caches(self.slots),
                }
                for tick in (from.0..present.0).map(Tick) {
                    self.step(tick, prediction)?;
                    self.compare(tick.next(), depth, path)?;
                }
            }
        }
        Ok(())
    }

    fn load(&mut self, tick: Tick) -> Result<(), SyncError> {
        self.simulation.load(self.slots, tick.0).map_err(at(tick))
    }

    fn compare(&self, tick: Tick, depth: u32, path: SyncPath) -> Result<(), SyncError> {
        /// More would not be read.
        const MOST: usize = 16;
        let digest = self.simulation.digest(self.slots, tick.0).map_err(at(tick))?;
        let Some(first) = self.firsts.iter().find(|first| first.tick == tick) else {
            return Ok(());
        };
        if first.digest == digest {
            return Ok(());
        }
        let fields = first.pages.explain(self.simulation, self.slots, tick.0, MOST);
        let fields = fields.map_err(at(tick))?;
        Err(SyncError::Differs(Box::new(SyncDifference { tick, depth, path, fields })))
    }
}
