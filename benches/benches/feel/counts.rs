//! Counters of a match after settling, and settings as points between delay and rollback.

use isostep_rollback::internals::DEPTHS;

/// Sums over machines and seeds.
#[derive(Clone)]
pub(crate) struct Counts {
    /// Ticks of true time.
    pub(crate) time: u64,
    /// New ticks.
    pub(crate) ticks: u64,
    /// Ticks that were due and not computed.
    pub(crate) stalls: u64,
    /// Input delay, summed over ticks of true time.
    pub(crate) delay: u64,
    /// Rollbacks by depth.
    pub(crate) depths: [u64; DEPTHS],
}

impl Default for Counts {
    fn default() -> Self {
        Self { time: 0, ticks: 0, stalls: 0, delay: 0, depths: [0; DEPTHS] }
    }
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.time += other.time;
        self.ticks += other.ticks;
        self.stalls += other.stalls;
        self.delay += other.delay;
        self.depths.iter_mut().zip(other.depths).for_each(|(sum, count)| *sum += count);
    }

    fn per_100(&self, count: u64) -> f64 {
        count as f64 * 100.0 / self.ticks.max(1) as f64
    }

    /// Mean input delay, ticks.
    pub(crate) fn mean_delay(&self) -> f64 {
        self.delay as f64 / self.time.max(1) as f64
    }

    fn rollback_count(&self) -> u64 {
        self.depths.iter().sum()
    }

    fn again_count(&self) -> u64 {
        (0..).zip(self.depths).map(|(depth, count)| depth * count).sum()
    }

    /// Rollbacks per hundred ticks.
    pub(crate) fn rollbacks(&self) -> f64 {
        self.per_100(self.rollback_count())
    }

    /// Resimulated ticks per hundred.
    pub(crate) fn again(&self) -> f64 {
        self.per_100(self.again_count())
    }

    /// Stalled ticks per hundred.
    pub(crate) fn stalled(&self) -> f64 {
        self.per_100(self.stalls)
    }

    /// Computed ticks per hundred of true time.
    pub(crate) fn pace(&self) -> f64 {
        self.ticks as f64 * 100.0 / self.time.max(1) as f64
    }

    pub(crate) fn mean_depth(&self) -> f64 {
        self.again_count() as f64 / self.rollback_count().max(1) as f64
    }

    /// 99th percentile of rollback depth.
    pub(crate) fn depth_p99(&self) -> u32 {
        self.exceeded_by(self.rollback_count() / 100)
    }

    /// 99th percentile of rollback depth over all ticks, most of which have none.
    pub(crate) fn depth_p99_of_ticks(&self) -> u32 {
        self.exceeded_by(self.ticks / 100)
    }

    /// Smallest depth that at most this many rollbacks exceed.
    fn exceeded_by(&self, most: u64) -> u32 {
        let mut deeper = self.rollback_count();
        let reached = |count: &u64| {
            deeper -= count;
            deeper <= most
        };
        self.depths.iter().position(reached).unwrap_or(0) as u32
    }
}

/// One method with one setting.
#[derive(Clone)]
pub(crate) struct Point {
    /// Fixed delay, or accepted rollback depth.
    pub(crate) setting: u32,
    pub(crate) counts: Counts,
}

/// One method with each of its settings.
#[derive(Clone)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// Name of the setting.
    pub(crate) setting: &'static str,
    pub(crate) points: Vec<Point>,
}

impl Series {
    /// Resimulated ticks at a mean delay, interpolated.
    pub(crate) fn again_at(&self, delay: f64) -> Option<f64> {
        self.between(delay, |point| (point.counts.mean_delay(), point.counts.again()))
    }

    /// Rollbacks per hundred ticks at a mean delay.
    pub(crate) fn rollbacks_at(&self, delay: f64) -> Option<f64> {
        self.between(delay, |point| (point.counts.mean_delay(), point.counts.rollbacks()))
    }

    /// 99th percentile of rollback depth over all ticks at a mean delay.
    pub(crate) fn depth_at(&self, delay: f64) -> Option<f64> {
        let depth = |point: &Point| f64::from(point.counts.depth_p99_of_ticks());
        self.between(delay, |point| (point.counts.mean_delay(), depth(point)))
    }

    /// Mean delay at a number of resimulated ticks.
    pub(crate) fn delay_at(&self, again: f64) -> Option<f64> {
        self.between(again, |point| (point.counts.again(), point.counts.mean_delay()))
    }

    fn between(&self, at: f64, place: impl Fn(&Point) -> (f64, f64)) -> Option<f64> {
        self.points.windows(2).find_map(|pair| {
            let ((x0, y0), (x1, y1)) = (place(&pair[0]), place(&pair[1]));
            let inside = x0.min(x1) <= at && at <= x0.max(x1);
            let share = (at - x0) / (x1 - x0);
            inside.then_some(if share.is_finite() { y0 + (y1 - y0) * share } else { y0 })
        })
    }
}

/// The same methods over all profiles, each weighted equally.
pub(crate) fn together(profiles: &[Vec<Series>]) -> Vec<Series> {
    let mut sums: Vec<Series> = Vec::new();
    for series in profiles {
        for (place, series) in series.iter().enumerate() {
            let Some(sum) = sums.get_mut(place) else {
                sums.push(series.clone());
                continue;
            };
            let points = sum.points.iter_mut().zip(&series.points);
            points.for_each(|(sum, point)| sum.counts.add(&point.counts));
        }
    }
    sums
}
