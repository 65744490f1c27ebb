//! Determinism check: runs a game on every path to a tick, and compares the states.
//!
//! ```text
//! script ─▶ inputs ─▶ reference run ─▶ each variant × each path, compared by digests ─▶ Report
//!                                        └ a difference: again, beside the reference, tick by tick and field by field
//! ```
//!
//! - `script.rs`: inputs and predictions. `runner.rs`: a game during a run.
//! - `paths.rs`, `snapshots.rs`: the paths. `comparator.rs`: recording and comparing states.
//! - `matrix.rs`: all runs.
//! - `report.rs`, `digests.rs`: results; digest lists for other machines.
//!
//! One machine can't detect differences between machines: compare [`Report::digests`] with those of another one.

pub(crate) mod comparator;
pub(crate) mod digests;
mod matrix;
mod paths;
pub(crate) mod report;
mod runner;
mod script;
mod snapshots;

pub use comparator::Compare;
pub use digests::{CompareError, Comparison, Digests, Divergence};
pub use paths::TickPath;
pub use report::{CheckError, Difference, Outcome, Report, Row};
pub(crate) use script::apply_bots;

use crate::Tick;
use crate::inputs::Inputs;
use crate::player::PlayerId;
use crate::simulation::Simulation;
use comparator::{Progress, ProgressFn};
use isostep_core::internals::Lanes;
use isostep_core::parallel::Threads;
use isostep_core::state::Snapshot;
use isostep_core::world::World;
use matrix::{Bytes, Make, Matrix};
use script::ScriptedInputs;
use std::rc::Rc;

type Script<'a, S> = Box<dyn FnMut(Tick, &mut Inputs<<S as Simulation>::Input>) + 'a>;

/// Runs a game on every path to a tick, and reports the first difference: tick, field, both values.
///
/// - *Set up*: [`new`](Self::new), then the inputs ([`script`](Self::script), [`bot`](Self::bot)), the length
///   ([`ticks`](Self::ticks)) and other constructions of the same game ([`variant`](Self::variant)).
/// - *Run*: [`run`](Self::run), or [`run_with_snapshots`](Self::run_with_snapshots) for two more paths.
/// - *Read*: the [`Report`], which prints as a table; [`Report::is_equal`] in a test.
///
/// ```
/// use isostep_rollback::check::{Check, TickPath};
/// use isostep_rollback::{Inputs, NewestWins, PlayerId, Simulation, Tick};
///
/// #[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
/// struct Race {
///     place: u32,
///     #[serde(skip)] // not in the snapshot, although the step reads it
///     speed: u32,
/// }
///
/// impl Simulation for Race {
///     type Input = NewestWins<u8>;
///     fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
///         self.speed += u32::from(inputs.value(PlayerId(0)).0);
///         self.place += self.speed;
///     }
/// }
///
/// let report = Check::new(1, Race::default)
///     .script(|tick, inputs| inputs.set_next(&[NewestWins((tick.0 / 5 % 3) as u8)]))
///     .ticks(100)
///     .run_with_snapshots();
/// assert!(!report.is_equal());
/// let wrong: Vec<TickPath> = report.findings().map(|row| row.path).collect();
/// assert_eq!(wrong, [TickPath::Encoded, TickPath::Recorded]);
/// assert!(report.to_string().contains("in state: state, place: "), "{report}");
/// ```
pub struct Check<'a, S: Simulation> {
    players: usize,
    bots: Vec<PlayerId>,
    variants: Vec<(String, Make<'a, S>)>,
    script: Option<Script<'a, S>>,
    ticks: u32,
    depth: u32,
    compare: Compare,
    paths: Vec<TickPath>,
    about: Digests,
    progress: Option<Box<ProgressFn<'a>>>,
    clock: Option<Box<dyn FnMut() -> u64 + 'a>>,
}

impl<S: Simulation> core::fmt::Debug for Check<'_, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let variants: Vec<&String> = self.variants.iter().map(|(name, _)| name).collect();
        f.debug_struct("Check")
            .field("about", &self.about)
            .field("ticks", &self.ticks)
            .field("variants", &variants)
            .field("paths", &self.paths)
            .finish_non_exhaustive()
    }
}

impl<'a, S: Simulation> Check<'a, S> {
    /// Creates a check with default inputs for 600 ticks. `make` creates the game before its first tick, the same each
    /// time; it is called for every run.
    pub fn new(players: usize, make: impl Fn() -> S + 'a) -> Self {
        Self {
            players,
            bots: Vec::new(),
            variants: vec![("as made".to_owned(), Rc::new(make))],
            script: None,
            ticks: 600,
            depth: 8,
            compare: Compare::EachTick,
            paths: TickPath::ALL.to_vec(),
            about: Digests { seed: 1, ..Digests::new() },
            progress: None,
            clock: None,
        }
    }

    /// Sets the script: it sets the inputs of each tick, given those of the tick before. It is called once for each
    /// tick, in order. Call [`Inputs::set_next`] in it, and optionally [`Inputs::push_command`]. Inputs should change
    /// about as often as in a match.
    #[must_use]
    pub fn script(mut self, script: impl FnMut(Tick, &mut Inputs<S::Input>) + 'a) -> Self {
        self.script = Some(Box::new(script));
        self
    }

    /// Sets the name of the script. Only digest lists with the same name are compared.
    #[must_use]
    pub fn script_name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.about.script);
        self
    }

    /// Sets the name of the game with all of its settings. Only digest lists with the same name are compared.
    #[must_use]
    pub fn game(mut self, name: &str) -> Self {
        name.clone_into(&mut self.about.game);
        self
    }

    /// Sets the number of ticks.
    #[must_use]
    pub const fn ticks(mut self, ticks: u32) -> Self {
        self.ticks = ticks;
        self
    }

    /// Sets the seed of prediction windows, mispredicted seats and encoded ticks. Default 1.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.about.seed = seed;
        self
    }

    /// Sets the maximum rollback depth, in ticks. Default 8.
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

    /// Sets the name of the first variant, made by [`new`](Self::new). Default "as made".
    #[must_use]
    pub fn first_variant(mut self, name: &str) -> Self {
        name.clone_into(&mut self.variants[0].0);
        self
    }

    /// Adds another construction of the same game that must give the same states: more threads, other vector
    /// instructions, no incremental resimulation.
    #[must_use]
    pub fn variant(mut self, name: &str, make: impl Fn() -> S + 'a) -> Self {
        self.variants.push((name.to_owned(), Rc::new(make)));
        self
    }

    /// Adds a variant for each SIMD width that this machine supports, and for 2 and 8 threads. `world` returns the game's
    /// world. A game with several worlds calls this for each of them.
    ///
    /// All of them give the same bits by themselves; the check finds a game that depends on something else beside the
    /// world, such as the order in which its own threads finish.
    #[must_use]
    pub fn worlds(mut self, world: impl Fn(&mut S) -> &mut World + Copy + 'a) -> Self
    where
        S: 'a,
    {
        let lanes = Lanes::available().map(|lanes| (format!("{} lanes", lanes.name()), lanes, 1));
        let threads =
            [2, 8].map(|threads| (format!("{threads} threads"), Lanes::widest(), threads));
        for (name, lanes, threads) in lanes.chain(threads) {
            // A target without threads has one.
            let Ok(threads) = Threads::new(threads) else { continue };
            let (make, threads) = (Rc::clone(&self.variants[0].1), threads.eager());
            let make = move || {
                let mut game = make();
                let world = world(&mut game);
                world.set_lanes(lanes);
                world.set_threads(threads.clone());
                game
            };
            self.variants.push((name, Rc::new(make)));
        }
        self
    }

    /// Sets the ticks to compare; all by default. If a difference is found between two of them, the first differing
    /// tick is searched for.
    #[must_use]
    pub const fn compare(mut self, compare: Compare) -> Self {
        self.compare = compare;
        self
    }

    /// Restricts the paths to these, beside the reference. All by default.
    #[must_use]
    pub fn paths(mut self, paths: &[TickPath]) -> Self {
        self.paths = paths.to_vec();
        self.paths.sort();
        self.paths.dedup();
        self
    }

    /// Sets a callback for each tick: ticks done, ticks in total, name of the run.
    #[doc(hidden)]
    #[must_use]
    pub fn on_progress(mut self, callback: impl FnMut(u64, u64, &str) + 'a) -> Self {
        self.progress = Some(Box::new(callback));
        self
    }

    /// Sets the clock that measures runs, in nanoseconds since any origin.
    #[must_use]
    pub fn clock(mut self, clock: impl FnMut() -> u64 + 'a) -> Self {
        self.clock = Some(Box::new(clock));
        self
    }

    /// Runs all paths but [`TickPath::Encoded`] and [`TickPath::Recorded`].
    pub fn run(self) -> Report {
        self.run_paths(None)
    }

    /// Runs all paths.
    pub fn run_with_snapshots(self) -> Report
    where
        S: Snapshot,
    {
        self.run_paths(Some(snapshots::through_bytes))
    }

    fn run_paths(mut self, bytes: Option<Bytes<S>>) -> Report {
        let mut nothing: Script<'a, S> = Box::new(|_, _| ());
        let script = self.script.as_mut().unwrap_or(&mut nothing);
        let inputs = ScriptedInputs::record(self.players, self.bots.clone(), self.ticks, script);
        self.about.players = self.players as u32;
        self.paths.retain(|path| bytes.is_some() || !path.needs_snapshots());
        let paths = self.paths.iter();
        let mut cells: Vec<(usize, TickPath)> = (0..self.variants.len())
            .flat_map(|variant| paths.clone().map(move |&path| (variant, path)))
            .collect();
        cells.retain(|cell| *cell != (0, TickPath::Straight));
        let runs = cells.len() as u64 + 1;
        let mut matrix = Matrix::new(&self.variants, &inputs, bytes);
        matrix.seed = self.about.seed;
        matrix.depth = self.depth;
        matrix.compare = self.compare;
        matrix.clock = self.clock.as_deref_mut().map(|clock| clock as _);
        let callback = self.progress.as_deref_mut().map(|callback| callback as _);
        matrix.progress =
            Progress { callback, total: runs * u64::from(self.ticks), ..Progress::default() };
        let mut rows = vec![matrix.reference()];
        rows.extend(cells.into_iter().map(|(variant, path)| matrix.cell(variant, path)));
        let reference_ticks = matrix.into_reference_ticks();
        self.about.fill(&reference_ticks);
        Report { rows, digests: self.about, ticks: self.ticks }
    }
}
