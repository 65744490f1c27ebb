//! `Poses`: the pose to draw for each body, from samples of each tick.
//!
//! Invariant: rows are sorted by key and are exactly the bodies of the last tick. A correction begins only in `tick`,
//! where the drawn path and the true path are compared on the same tick; only `frame` fades it.

use super::correction::{Correction, Smoothing, alike, between};
use super::half::{part_of, seconds};
use super::sample::{Motion, Sample};
use crate::Tick;
use crate::session::RunReport;
use core::time::Duration;
use isostep_core::{Real, Transform};

/// A body in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Pose to draw.
    pub pose: Transform,
    /// Discontinuous with the frame before: the body appeared or teleported. For motion blur, trails and reports.
    pub cut: bool,
}

#[derive(Clone, Copy, Debug)]
struct Row<K> {
    key: K,
    /// Pose on the tick before; without it the body is hidden.
    previous: Option<Transform>,
    current: Transform,
    motion: Motion,
    /// Newest known teleport.
    jumped: Option<Tick>,
    correction: Correction,
    /// The correction began after the last frame: its age counts from its tick, not from the frame.
    fresh: bool,
    cut: bool,
    drawn: Option<Drawn>,
    /// Last call of `tick` that included it.
    pass: u64,
}

/// Interpolates and smooths poses of bodies that are simulated by ticks, drawn by frames and corrected by rollbacks.
///
/// # The calls, in order
/// 1. *Set up*: [`new`](Self::new) with the length of a tick, [`smoothing`](Self::smoothing).
/// 2. *Feed*: [`tick`](Self::tick) after each [`Plan::run`](crate::Plan::run), with its report and all drawn bodies,
///    also when no tick was new. Other bodies are removed.
/// 3. *Draw*: [`frame`](Self::frame) once for each rendered frame, then [`get`](Self::get) or [`iter`](Self::iter).
///
/// A body is interpolated between its last two ticks, so one that just appeared is hidden until its second tick
/// ([`Sample::shown_at_once`]). After a rollback the new path is compared with the old one on a common tick, and the
/// difference fades ([`Smoothing`]). A body that [jumped](Sample::jumped) snaps to its new pose; so does one whose jump
/// a rollback added, moved or removed.
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

/// Parameters of a call of `tick`.
#[derive(Clone, Copy)]
struct Pass {
    number: u64,
    /// Advance of the current tick; negative if it went back.
    steps: i64,
    /// First stepped tick.
    from: Tick,
    rolled_back: bool,
    tick_length: Duration,
}

impl<K: Ord + Copy> Poses<K> {
    /// Creates an empty set. `tick_length` is that of the simulation, independent of the tick rate.
    pub fn new(tick_length: Duration) -> Self {
        let smoothing = Smoothing::default();
        Self { tick_length, smoothing, rows: Vec::new(), last: None, pass: 0 }
    }

    /// Sets the default smoothing; a [`Sample`] may override it.
    #[must_use]
    pub fn smoothing(mut self, smoothing: Smoothing) -> Self {
        self.smoothing = smoothing;
        self
    }

    /// Feeds the bodies after a plan was run: the current tick, the report of [`Plan::run`](crate::Plan::run), and a
    /// sample of each drawn body.
    ///
    /// Samples may have any order; key order is fastest. Of two samples with one key the first is used.
    pub fn tick(
        &mut self,
        tick: Tick,
        report: RunReport,
        samples: impl IntoIterator<Item = Sample<K>>,
    ) {
        self.pass += 1;
        let last = self.last.unwrap_or(tick);
        let pass = Pass {
            number: self.pass,
            steps: i64::from(tick.0) - i64::from(last.0),
            from: tick - report.new.saturating_add(report.resimulated),
            rolled_back: report.resimulated > 0,
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

    /// Computes a rendered frame: `alpha` is the fraction from the tick before to the current one (0 to 1), `elapsed`
    /// the time since the last rendered frame.
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

    /// Returns a body in the last frame; `None` if it is removed, hidden, or new.
    pub fn get(&self, key: K) -> Option<Drawn> {
        self.rows[self.find(0, key).ok()?].drawn
    }

    /// Returns all visible bodies of the last frame, in key order.
    pub fn iter(&self) -> impl Iterator<Item = (K, Drawn)> + '_ {
        self.rows.iter().filter_map(|row| Some((row.key, row.drawn?)))
    }

    /// Returns the interpolated pose of a body, without smoothing.
    pub fn pose(&self, key: K, alpha: Real) -> Option<Transform> {
        self.rows[self.find(0, key).ok()?].path(alpha)
    }

    /// Returns true if a body has no error left to smooth.
    #[doc(hidden)]
    pub fn is_exact(&self, key: K) -> bool {
        self.find(0, key).is_ok_and(|at| self.rows[at].correction == Correction::None)
    }

    /// Returns the number of bodies, hidden ones included.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there are no bodies.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Removes all bodies: after a match, or when another state was loaded.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.last = None;
    }

    /// Returns the index of a key, or its insertion point. Samples are mostly in order, so the expected index is tried
    /// first.
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
        // The old path, extrapolated to the tick on which the new one starts.
        let skipped = i32::try_from(pass.steps - 1).unwrap_or(0).max(0);
        let old = match skipped {
            0 => self.current,
            ticks => self.motion.project(self.current, length * ticks),
        };
        let previous = match sample.before {
            // No new tick: the body rests at its pose, and the motion to it was drawn already.
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

    /// Returns true if a jump is new, or a drawn one was removed. Ticks before the stepped ones can't have changed.
    fn has_jumped(&mut self, jumped: Option<Tick>, from: Tick) -> bool {
        let known = self.jumped;
        match jumped {
            Some(_) => self.jumped = jumped,
            None => self.jumped = known.filter(|&tick| tick < from),
        }
        self.jumped != known
    }
}
