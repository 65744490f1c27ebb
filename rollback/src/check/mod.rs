//! The check: a game is run through every way in which a machine comes to a tick, and everything must come out the same.
//!
//! ```text
//! script ─▶ tape ─▶ straight, noted ─▶ each variant × each way, compared by digests ─▶ Report
//!                                        └ a difference: again, beside the reference, tick by tick and field by field
//! ```
//!
//! - `script.rs`: inputs, and guesses of them. `runner.rs`: a game on its way.
//! - `paths.rs`, `snapshots.rs`: the ways. `comparator.rs`: who compares.
//! - `matrix.rs`: all of them in turn.
//! - `report.rs`, `digests.rs`: what was found; digests for machines that never meet.
//!
//! One machine can't see what only differs between machines: for that, take [`Report::digests`] to another one.

mod comparator;
mod digests;
mod matrix;
mod paths;
mod report;
mod runner;
mod script;
mod snapshots;

pub use comparator::Compare;
pub use digests::{CompareError, Comparison, Digests, Divergence, Side, TickDigests};
pub use paths::TickPath;
pub use report::{CheckError, Difference, FieldDifference, Outcome, Report, Row};
pub(crate) use script::apply_bots;

use crate::inputs::Inputs;
use crate::player::PlayerId;
use crate::simulation::Simulation;
use crate::tick::Tick;
use comparator::{Progress, ProgressFn};
use isostep_core::state::Snapshot;
use matrix::{Bytes, Make, Matrix};
use script::ScriptedInputs;

type Script<'a, S> = Box<dyn FnMut(Tick, &mut Inputs<<S as Simulation>::Input>) + 'a>;

/// Runs a game through every way in which a machine comes to a tick, and tells where something comes out otherwise: on which
/// tick, in which field, with both values.
///
/// - *Set up*: [`new`](Self::new), then who plays what ([`script`](Self::script), [`bot`](Self::bot)), for how long
///   ([`ticks`](Self::ticks)), in which other ways the same game can be made ([`variant`](Self::variant)).
/// - *Run*: [`run`](Self::run), or [`run_with_snapshots`](Self::run_with_snapshots) for two ways more.
/// - *Read*: the [`Report`], which is a table; [`Report::is_equal`] in a test.
///
/// ```
/// use isostep_rollback::check::{Check, TickPath};
/// use isostep_rollback::{Inputs, NewestWins, PlayerId, Simulation, Tick};
///
/// #[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
/// struct Race {
///     place: u32,
///     #[serde(skip)] // not in the snapshot, and yet it decides
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
///     .script(|tick, inputs| inputs.follow(&[NewestWins((tick.0 / 5 % 3) as u8)]))
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
    /// A check of a game for so many players, for 600 ticks in which nobody does anything, unless told otherwise. `make` makes
    /// the game as it is before its first tick, the same each time: it is called for every run.
    pub fn new(players: usize, make: impl Fn() -> S + 'a) -> Self {
        Self {
            players,
            bots: Vec::new(),
            variants: vec![("as made".to_owned(), Box::new(make))],
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

    /// What everybody does: sets the inputs of each tick, given those of the tick before. It is asked once for each tick, in
    /// order. Call [`Inputs::follow`], and [`Inputs::push_command`] if you like. Inputs should change about as often as in a
    /// match.
    #[must_use]
    pub fn script(mut self, script: impl FnMut(Tick, &mut Inputs<S::Input>) + 'a) -> Self {
        self.script = Some(Box::new(script));
        self
    }

    /// What the script is called. Digests are only compared with those of the same one.
    #[must_use]
    pub fn script_name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.about.script);
        self
    }

    /// What the game is called, with all of its settings. Digests are only compared with those of the same one.
    #[must_use]
    pub fn game(mut self, name: &str) -> Self {
        name.clone_into(&mut self.about.game);
        self
    }

    /// How many ticks are played.
    #[must_use]
    pub const fn ticks(mut self, ticks: u32) -> Self {
        self.ticks = ticks;
        self
    }

    /// Decides how far ahead guesses run, whose they are, and which ticks are written as bytes. 1 unless told otherwise.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.about.seed = seed;
        self
    }

    /// Furthest that is gone back, in ticks: 8 unless told otherwise.
    #[must_use]
    pub const fn depth(mut self, ticks: u32) -> Self {
        self.depth = ticks;
        self
    }

    /// Has [`Simulation::bot`] play this seat, instead of what the script says for it. A bot is never guessed: it is asked
    /// anew, with the state as it is then, whenever a tick is computed. To have what bots do guessed too, as a player's, play
    /// them once, keep what they did, and have the script follow that.
    #[must_use]
    pub fn bot(mut self, player: PlayerId) -> Self {
        self.bots.push(player);
        self
    }

    /// What the way in which [`new`](Self::new) makes the game is called: "as made" unless told otherwise.
    #[must_use]
    pub fn first_variant(mut self, name: &str) -> Self {
        name.clone_into(&mut self.variants[0].0);
        self
    }

    /// Another way of making the same game, that must not show: more threads, other vector instructions, no incremental
    /// computation.
    #[must_use]
    pub fn variant(mut self, name: &str, make: impl Fn() -> S + 'a) -> Self {
        self.variants.push((name.to_owned(), Box::new(make)));
        self
    }

    /// Which ticks are compared; all unless told otherwise. Where a difference shows between two of them, the first tick that
    /// differs is looked for.
    #[must_use]
    pub const fn compare(mut self, compare: Compare) -> Self {
        self.compare = compare;
        self
    }

    /// Goes these ways alone, beside the first variant's straight one. All unless told otherwise.
    #[must_use]
    pub fn paths(mut self, paths: &[TickPath]) -> Self {
        self.paths = paths.to_vec();
        self.paths.sort();
        self.paths.dedup();
        self
    }

    /// Is told after each tick how many are done, how many there are in all, and which run it is.
    #[must_use]
    pub fn on_progress(mut self, tell: impl FnMut(u64, u64, &str) + 'a) -> Self {
        self.progress = Some(Box::new(tell));
        self
    }

    /// Measures runs by this clock, which tells nanoseconds since whenever.
    #[must_use]
    pub fn clock(mut self, clock: impl FnMut() -> u64 + 'a) -> Self {
        self.clock = Some(Box::new(clock));
        self
    }

    /// Runs all but [`TickPath::Encoded`] and [`TickPath::Recorded`].
    pub fn run(self) -> Report {
        self.run_paths(None)
    }

    /// Runs all.
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
        let tell = self.progress.as_deref_mut().map(|tell| tell as _);
        matrix.progress =
            Progress { tell, total: runs * u64::from(self.ticks), ..Progress::default() };
        let mut rows = vec![matrix.reference()];
        rows.extend(cells.into_iter().map(|(variant, path)| matrix.cell(variant, path)));
        let reference_ticks = matrix.into_reference_ticks();
        self.about.fill(&reference_ticks);
        Report { rows, digests: self.about, ticks: self.ticks }
    }
}
