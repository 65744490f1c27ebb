//! All runs of a check: the reference first, then each way of each variant against it. A difference is looked for again with
//! a reference beside it, to tell what it is.

use super::course::{Course, Found, Stop, Watch};
use super::paths::TickPath;
use super::report::{Difference, FieldDifference, Outcome, Row};
use super::tape::Tape;
use super::watch::{Against, Beside, Compare, Meter, Named, Note};
use crate::simulation::Simulation;
use crate::tick::Tick;
use std::collections::BTreeMap;

/// How often a difference is looked for again until it is taken for chance.
const TRIES: u32 = 4;

pub(super) type Make<'a, S> = Box<dyn Fn() -> S + 'a>;
/// How a path through bytes is gone, by games that can be written as bytes.
pub(super) type Bytes<S> = fn(Course<'_, S>, TickPath) -> Result<(), Stop>;

pub(super) struct Matrix<'m, 'a, S: Simulation> {
    variants: &'m [(String, Make<'a, S>)],
    tape: &'m Tape<S::Input>,
    bytes: Option<Bytes<S>>,
    pub(super) seed: u64,
    pub(super) depth: u32,
    pub(super) compare: Compare,
    pub(super) clock: Option<&'m mut (dyn FnMut() -> u64 + 'm)>,
    pub(super) meter: Meter<'m>,
    /// What all are compared with.
    named: BTreeMap<Tick, Named>,
    /// Whether that is whole.
    ready: bool,
}

impl<'m, 'a, S: Simulation> Matrix<'m, 'a, S> {
    pub(super) fn new(
        variants: &'m [(String, Make<'a, S>)],
        tape: &'m Tape<S::Input>,
        bytes: Option<Bytes<S>>,
    ) -> Self {
        Self {
            variants,
            tape,
            bytes,
            seed: 0,
            depth: 0,
            compare: Compare::EachTick,
            clock: None,
            meter: Meter::default(),
            named: BTreeMap::new(),
            ready: false,
        }
    }

    /// What was noted of the reference.
    pub(super) fn into_named(self) -> BTreeMap<Tick, Named> {
        self.named
    }

    /// The first variant, straight: what all others are compared with.
    pub(super) fn reference(&mut self) -> Row {
        let mut row = self.begin(0, TickPath::Straight);
        let started = self.now();
        let (last, compare) = (self.tape.len(), self.compare);
        let mut named = BTreeMap::new();
        let mut meter = core::mem::take(&mut self.meter);
        let mut watch = Note { compare, last, named: &mut named, meter: &mut meter };
        let done = self.go(0, TickPath::Straight, &mut watch);
        self.meter = meter;
        row.ticks = named.keys().next_back().copied().unwrap_or_default();
        row.digest = named.get(&Tick(last)).map(|named| named.digest);
        self.named = named;
        row.outcome = match done {
            Ok(()) => Outcome::Equal,
            Err(Stop::Refused { tick, error }) => Outcome::Refused { tick, error },
            // Nobody compares yet.
            Err(Stop::Differs(_)) => Outcome::NotRun,
        };
        self.ready = row.outcome == Outcome::Equal;
        self.end(&mut row, started);
        row
    }

    /// One way of one variant.
    pub(super) fn cell(&mut self, variant: usize, path: TickPath) -> Row {
        let mut row = self.begin(variant, path);
        if !self.ready {
            return row;
        }
        let started = self.now();
        let mut meter = core::mem::take(&mut self.meter);
        let mut watch = Against::new(&self.named, &mut meter);
        let done = self.go(variant, path, &mut watch);
        let Against { agreed, reached, newest, .. } = watch;
        self.meter = meter;
        row.ticks = reached;
        row.digest = newest.filter(|_| reached.0 == self.tape.len());
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

    /// Goes the way again, with a reference beside it, from the last tick that was the same.
    fn explain(
        &self,
        variant: usize,
        path: TickPath,
        agreed: Option<Tick>,
        first: Found,
    ) -> Difference {
        let told = |found: Found, agreed, reproduced| {
            let field = |(section, field)| FieldDifference { section, field };
            let Found { tick, sections, fields, more } = found;
            let fields = fields.into_iter().map(field).collect();
            Difference { agreed, tick, sections, fields, more, reproduced }
        };
        for _ in 0..TRIES {
            let mut watch = Beside::new(&*self.variants[0].1, self.tape, agreed);
            if let Err(Stop::Differs(found)) = self.go(variant, path, &mut watch) {
                let agreed = watch.agreed.until(found.tick);
                return told(found, agreed, true);
            }
        }
        told(first, agreed, false)
    }

    fn go(&self, variant: usize, path: TickPath, watch: &mut dyn Watch<S>) -> Result<(), Stop> {
        let make = &*self.variants[variant].1;
        let course = Course { make, tape: self.tape, seed: self.seed, depth: self.depth, watch };
        match path {
            TickPath::Straight => course.straight(),
            TickPath::Interleaved => course.interleaved(),
            TickPath::RolledBack => course.rolled_back(false),
            TickPath::FullResim => course.rolled_back(true),
            TickPath::Reloaded => course.reloaded(),
            TickPath::Encoded | TickPath::Recorded => {
                self.bytes.map_or(Ok(()), |go| go(course, path))
            }
        }
    }

    fn begin(&mut self, variant: usize, path: TickPath) -> Row {
        let variant = self.variants[variant].0.clone();
        self.meter.what = format!("{variant}, {path}");
        let (ticks, outcome) = (Tick(0), Outcome::NotRun);
        Row { variant, path, ticks, digest: None, nanos: 0, outcome }
    }

    fn end(&mut self, row: &mut Row, started: u64) {
        row.nanos = self.now().saturating_sub(started);
        self.meter.before += u64::from(self.tape.len());
    }

    fn now(&mut self) -> u64 {
        self.clock.as_mut().map_or(0, |clock| clock())
    }
}
