//! Runs of a check: the reference first, then each path of each variant. A difference is reproduced beside the
//! reference, to find its fields.

use super::comparator::{
    Compare, DigestComparator, FieldComparator, Progress, ReferenceRecorder, ReferenceTick,
};
use super::paths::TickPath;
use super::report::{Difference, FieldDifference, Outcome, Row};
use super::runner::{Found, Observer, Runner, Stop};
use super::script::ScriptedInputs;
use crate::Tick;
use crate::simulation::Simulation;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Attempts to reproduce a difference before it is reported as random.
const TRIES: u32 = 4;

pub(super) type Make<'a, S> = Rc<dyn Fn() -> S + 'a>;
/// Runs a path that needs snapshots.
pub(super) type Bytes<S> = fn(Runner<'_, S>, TickPath) -> Result<(), Stop>;

pub(super) struct Matrix<'m, 'a, S: Simulation> {
    variants: &'m [(String, Make<'a, S>)],
    script: &'m ScriptedInputs<S::Input>,
    bytes: Option<Bytes<S>>,
    pub(super) seed: u64,
    pub(super) depth: u32,
    pub(super) compare: Compare,
    pub(super) clock: Option<&'m mut (dyn FnMut() -> u64 + 'm)>,
    pub(super) progress: Progress<'m>,
    /// Digests of the reference.
    reference_ticks: BTreeMap<Tick, ReferenceTick>,
    /// The reference is complete.
    ready: bool,
}

impl<'m, 'a, S: Simulation> Matrix<'m, 'a, S> {
    pub(super) fn new(
        variants: &'m [(String, Make<'a, S>)],
        script: &'m ScriptedInputs<S::Input>,
        bytes: Option<Bytes<S>>,
    ) -> Self {
        Self {
            variants,
            script,
            bytes,
            seed: 0,
            depth: 0,
            compare: Compare::EachTick,
            clock: None,
            progress: Progress::default(),
            reference_ticks: BTreeMap::new(),
            ready: false,
        }
    }

    /// Returns the digests of the reference.
    pub(super) fn into_reference_ticks(self) -> BTreeMap<Tick, ReferenceTick> {
        self.reference_ticks
    }

    /// Runs the reference: the first variant, straight.
    pub(super) fn reference(&mut self) -> Row {
        let mut row = self.begin(0, TickPath::Straight);
        let started = self.now();
        let (last, compare) = (self.script.len(), self.compare);
        let mut reference_ticks = BTreeMap::new();
        let mut progress = core::mem::take(&mut self.progress);
        let mut observer = ReferenceRecorder {
            compare,
            last,
            reference_ticks: &mut reference_ticks,
            progress: &mut progress,
        };
        let done = self.go(0, TickPath::Straight, &mut observer);
        self.progress = progress;
        row.ticks = reference_ticks.keys().next_back().copied().unwrap_or_default();
        row.digest = reference_ticks.get(&Tick(last)).map(|reference_ticks| reference_ticks.digest);
        self.reference_ticks = reference_ticks;
        row.outcome = match done {
            Ok(()) => Outcome::Equal,
            Err(Stop::Refused { tick, error }) => Outcome::Refused { tick, error },
            // The reference is not compared.
            Err(Stop::Differs(_)) => Outcome::NotRun,
        };
        self.ready = row.outcome == Outcome::Equal;
        self.end(&mut row, started);
        row
    }

    /// Runs one path of one variant.
    pub(super) fn cell(&mut self, variant: usize, path: TickPath) -> Row {
        let mut row = self.begin(variant, path);
        if !self.ready {
            return row;
        }
        let started = self.now();
        let mut progress = core::mem::take(&mut self.progress);
        let mut observer = DigestComparator::new(&self.reference_ticks, &mut progress);
        let done = self.go(variant, path, &mut observer);
        let DigestComparator { agreed, reached, newest, .. } = observer;
        self.progress = progress;
        row.ticks = reached;
        row.digest = newest.filter(|_| reached.0 == self.script.len());
        row.outcome = match done {
            Ok(()) => Outcome::Equal,
            Err(Stop::Refused { tick, error }) => Outcome::Refused { tick, error },
            Err(Stop::Differs(found)) => {
                let agreed = agreed.until(found.tick);
                Outcome::Differs(Box::new(self.explain(variant, path, agreed, found)))
            }
        };
        if let Outcome::Differs(difference) = &row.outcome {
            (row.ticks, row.digest) = (difference.tick, None);
        }
        self.end(&mut row, started);
        row
    }

    /// Repeats the run beside a reference, from the last equal tick.
    fn explain(
        &self,
        variant: usize,
        path: TickPath,
        agreed: Option<Tick>,
        first: Found,
    ) -> Difference {
        let difference = |found: Found, agreed, reproduced| {
            let field = |(section, field)| FieldDifference { section, field };
            let Found { tick, sections, fields, more } = found;
            let fields = fields.into_iter().map(field).collect();
            Difference { agreed, tick, sections, fields, more, reproduced }
        };
        for _ in 0..TRIES {
            let mut observer = FieldComparator::new(&*self.variants[0].1, self.script, agreed);
            if let Err(Stop::Differs(found)) = self.go(variant, path, &mut observer) {
                let agreed = observer.agreed.until(found.tick);
                return difference(found, agreed, true);
            }
        }
        difference(first, agreed, false)
    }

    fn go(
        &self,
        variant: usize,
        path: TickPath,
        observer: &mut dyn Observer<S>,
    ) -> Result<(), Stop> {
        let make = &*self.variants[variant].1;
        let runner =
            Runner { make, script: self.script, seed: self.seed, depth: self.depth, observer };
        match path {
            TickPath::Straight => runner.straight(),
            TickPath::Interleaved => runner.interleaved(),
            TickPath::RolledBack => runner.rolled_back(false),
            TickPath::FullResim => runner.rolled_back(true),
            TickPath::Reloaded => runner.reloaded(),
            TickPath::Encoded | TickPath::Recorded => {
                self.bytes.map_or(Ok(()), |go| go(runner, path))
            }
        }
    }

    fn begin(&mut self, variant: usize, path: TickPath) -> Row {
        let variant = self.variants[variant].0.clone();
        self.progress.run = format!("{variant}, {path}");
        let (ticks, outcome) = (Tick(0), Outcome::NotRun);
        Row { variant, path, ticks, digest: None, nanos: 0, outcome }
    }

    fn end(&mut self, row: &mut Row, started: u64) {
        row.nanos = self.now().saturating_sub(started);
        self.progress.before += u64::from(self.script.len());
    }

    fn now(&mut self) -> u64 {
        self.clock.as_mut().map_or(0, |clock| clock())
    }
}
