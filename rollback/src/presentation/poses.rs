//! `Poses`: where to draw each body. Fed by samples of each tick, asked by each frame.
//!
//! Invariant: rows are sorted by key and are exactly the bodies of the last tick. A correction begins only in `tick`, where
//! the path that was drawn and the path that is true are compared on the same tick; only `frame` lets it fade.

use super::correction::{Correction, Smoothing, alike, between};
use super::half::{part_of, seconds};
use super::sample::{Motion, Sample};
use crate::session::RunReport;
use crate::tick::Tick;
use core::time::Duration;
use isostep_core::{Real, Transform};

/// A body in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Where to draw it.
    pub pose: Transform,
    /// What was drawn of it in the frame before has nothing to do with this: it appeared, or jumped on purpose. For
    /// motion blur, trails and reports.
    pub cut: bool,
}

#[derive(Clone, Copy, Debug)]
struct Row<K> {
    key: K,
    /// The tick before and this one; with one pose alone it is hidden.
    previous: Option<Transform>,
    current: Transform,
    motion: Motion,
    /// The newest jump that is known.
    jumped: Option<Tick>,
    correction: Correction,
    /// The correction began after the last frame: its age counts from its tick and not from the frame.
    fresh: bool,
    cut: bool,
    drawn: Option<Drawn>,
    /// The last call of `tick` that had it.
    pass: u64,
}

/// Where to draw bodies that are simulated by ticks, drawn by frames and corrected by rollbacks.
///
/// # The calls, in order
/// 1. *Set up*: [`new`](Self::new) with the length of a tick, [`smoothing`](Self::smoothing).
/// 2. *Feed*: [`tick`](Self::tick) after each [`Plan::run`](crate::Plan::run), with what it returned and all bodies that
///    are drawn, also when nothing was new. Who is not among them is gone.
/// 3. *Draw*: [`frame`](Self::frame) once for each picture, then [`get`](Self::get) or [`iter`](Self::iter).
///
/// A body is drawn between its last two ticks, so one that just appeared is hidden until its second tick
/// ([`Sample::shown_at_once`]). After a rollback the newly computed path is compared with the old one on the tick that
/// both have, and the difference fades ([`Smoothing`]). A body that [jumped](Sample::jumped) is drawn at its new
/// place at once; so is one whose jump a rollback added, moved or took back.
///
/// ```
/// use core::time::Duration;
/// use isostep_core::{Transform, Vec3, real};
/// use isostep_rollback::presentation::{Poses, Sample};
/// use isostep_rollback::{RunReport, Tick};
///
/// let mut poses = Poses::new(Duration::from_millis(16));
/// for tick in 0..3 {
///     let place = Transform::at(Vec3::from_ints(tick, 0, 0));
///     poses.tick(Tick(tick as u32), RunReport { new: 1, resimulated: 0 }, [Sample::new("cart", place)]);
/// }
/// poses.frame(real!(0.25), Duration::from_millis(7));
/// assert_eq!(poses.get("cart").unwrap().pose.translation.x, real!(1.25));
/// ```
#[derive(Clone, Debug)]
pub struct Poses<K> {
    tick_length: Duration,
    smoothing: Smoothing,
    rows: Vec<Row<K>>,
    last: Option<Tick>,
    pass: u64,
}

/// What a call of `tick` knows besides the samples.
#[derive(Clone, Copy)]
struct Pass {
    number: u64,
    /// By how many ticks the present went on; negative if it went back.
    steps: i64,
    /// The first tick whose step was computed.
    from: Tick,
    rolled_back: bool,
    tick_length: Duration,
}

impl<K: Ord + Copy> Poses<K> {
    /// No bodies yet. The length of a tick is the simulation's, whatever the pace.
    pub fn new(tick_length: Duration) -> Self {
        let smoothing = Smoothing::default();
        Self { tick_length, smoothing, rows: Vec::new(), last: None, pass: 0 }
    }

    /// How errors fade, unless a [`Sample`] says otherwise.
    #[must_use]
    pub fn smoothing(mut self, smoothing: Smoothing) -> Self {
        self.smoothing = smoothing;
        self
    }

    /// Takes what the bodies are after a plan was run: the tick that the simulation is at now, what
    /// [`Plan::run`](crate::Plan::run) returned, and a sample of each body that is drawn.
    ///
    /// Samples may come in any order; in that of their keys it is quickest. Of two with one key the first counts.
    pub fn tick(
        &mut self,
        tick: Tick,
        ran: RunReport,
        samples: impl IntoIterator<Item = Sample<K>>,
    ) {
        self.pass += 1;
        let last = self.last.unwrap_or(tick);
        let pass = Pass {
            number: self.pass,
            steps: i64::from(tick.0) - i64::from(last.0),
            from: tick - ran.new.saturating_add(ran.resimulated),
            rolled_back: ran.resimulated > 0,
            tick_length: self.tick_length,
        };
        self.last = Some(tick);
        let mut guess = 0;
        for sample in samples {
            let smoothing = sample.smoothing.unwrap_or(self.smoothing);
            match self.find(guess, sample.key) {
                Ok(at) => {
                    let row = &mut self.rows[at];
                    if row.pass != pass.number {
                        row.take(&sample, &smoothing, pass);
                    }
                    guess = at + 1;
                }
                Err(at) => {
                    self.rows.insert(at, Row::new(&sample, pass.number));
                    guess = at + 1;
                }
            }
        }
        self.rows.retain(|row| row.pass == pass.number);
    }

    /// Makes a picture: `alpha` of the way from the tick before to the present one (0 to 1), `elapsed` after the picture
    /// before.
    pub fn frame(&mut self, alpha: Real, elapsed: Duration) {
        let since_tick = part_of(self.tick_length, alpha);
        for row in &mut self.rows {
            row.correction.pass(if row.fresh { since_tick } else { elapsed });
            row.fresh = false;
            row.drawn = row.path(alpha).map(|path| {
                let pose = row.correction.apply(path);
                Drawn { pose, cut: core::mem::take(&mut row.cut) }
            });
        }
    }

    /// A body in the last frame; `None` if it is gone, hidden, or was not there yet.
    pub fn get(&self, key: K) -> Option<Drawn> {
        self.rows[self.find(0, key).ok()?].drawn
    }

    /// All bodies of the last frame that are not hidden, in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (K, Drawn)> + '_ {
        self.rows.iter().filter_map(|row| Some((row.key, row.drawn?)))
    }

    /// Where a body is on its way from the tick before to the present one, without smoothing.
    pub fn pose(&self, key: K, alpha: Real) -> Option<Transform> {
        self.rows[self.find(0, key).ok()?].path(alpha)
    }

    /// Whether a body is drawn where it is, with no error left to fade.
    pub fn is_exact(&self, key: K) -> bool {
        self.find(0, key).is_ok_and(|at| self.rows[at].correction == Correction::None)
    }

    /// How many bodies there are, hidden ones included.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Forgets all bodies: after a match, or when another state was loaded. What comes next appears anew.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.last = None;
    }

    /// The place of a key, or where it belongs. Samples mostly come in order, so a guess is tried first.
    fn find(&self, guess: usize, key: K) -> Result<usize, usize> {
        if self.rows.get(guess).is_some_and(|row| row.key == key) {
            return Ok(guess);
        }
        self.rows.binary_search_by(|row| row.key.cmp(&key))
    }
}

impl<K: Copy> Row<K> {
    fn new(sample: &Sample<K>, pass: u64) -> Self {
        Self {
            key: sample.key,
            previous: sample.before.or(sample.at_once.then_some(sample.now)),
            current: sample.now,
            motion: sample.motion,
            jumped: sample.jumped,
            correction: Correction::None,
            fresh: false,
            cut: true,
            drawn: None,
            pass,
        }
    }

    fn path(&self, alpha: Real) -> Option<Transform> {
        self.previous.map(|previous| between(previous, self.current, alpha))
    }

    fn take(&mut self, sample: &Sample<K>, smoothing: &Smoothing, pass: Pass) {
        self.pass = pass.number;
        let length = seconds(pass.tick_length);
        // Where the old path would be on the tick that the new one starts from.
        let skipped = i32::try_from(pass.steps - 1).unwrap_or(0).max(0);
        let old = match skipped {
            0 => self.current,
            ticks => self.motion.project(self.current, length * ticks),
        };
        let previous = match sample.before {
            // Nothing new: it stays where it is, and the way here was drawn already.
            _ if pass.steps == 0 => sample.now,
            Some(before) => before,
            None if !pass.rolled_back && pass.steps == 1 => self.current,
            None => sample.motion.project(sample.now, -length),
        };
        if self.fresh {
            let ticks = u32::try_from(pass.steps).unwrap_or(0);
            self.correction.pass(pass.tick_length.saturating_mul(ticks));
        }
        if self.has_jumped(sample.jumped, pass.from) {
            self.previous = Some(sample.now);
            self.correction = Correction::None;
            self.cut = true;
        } else {
            let is_drawn = self.previous.is_some();
            self.previous = match pass.steps {
                0 if !is_drawn => sample.before,
                _ => Some(previous),
            };
            if is_drawn && !alike(old, previous) {
                let drawn = (self.correction.apply(old), self.correction.motion(old, self.motion));
                self.correction = Correction::begin(smoothing, drawn, (previous, sample.motion));
                self.fresh = true;
            }
        }
        self.current = sample.now;
        self.motion = sample.motion;
    }

    /// Whether a jump is new, or one that was drawn is no more. What lies before the computed ticks can't have changed.
    fn has_jumped(&mut self, jumped: Option<Tick>, from: Tick) -> bool {
        let known = self.jumped;
        match jumped {
            Some(_) => self.jumped = jumped,
            None => self.jumped = known.filter(|&tick| tick < from),
        }
        self.jumped != known
    }
}
