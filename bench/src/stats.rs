//! What samples say: a median with its spread, and the ratio of two that were taken side by side.
//!
//! The machines this runs on are noisy. A median shrugs off what other programs did for a moment, the least sample is the
//! quietest moment there was, and ratios of neighbouring rounds stay put while times wander.

use serde::{Deserialize, Serialize};

/// The sample below which a share `q` of the others lies, by nearest rank; `None` without samples.
pub fn quantile(samples: &[f64], q: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * q.clamp(0.0, 1.0)).round() as usize).copied()
}

/// What was measured of one contender.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Half of the samples are below.
    #[serde(deserialize_with = "or_never")]
    pub median: f64,
    /// A tenth of the samples is below.
    #[serde(deserialize_with = "or_never")]
    pub p10: f64,
    /// Nine tenths are.
    #[serde(deserialize_with = "or_never")]
    pub p90: f64,
    /// The quietest moment.
    #[serde(deserialize_with = "or_never")]
    pub least: f64,
    /// How many there were; one is a value that does not vary, such as a size.
    pub samples: u32,
}

/// JSON has no infinity, which is what never takes: it is written as null.
fn or_never<'de, D: serde::Deserializer<'de>>(number: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(number)?.unwrap_or(f64::INFINITY))
}

impl Spread {
    /// Of samples; `None` without any.
    pub fn of(samples: &[f64]) -> Option<Self> {
        Some(Self {
            median: quantile(samples, 0.5)?,
            p10: quantile(samples, 0.1)?,
            p90: quantile(samples, 0.9)?,
            least: quantile(samples, 0.0)?,
            samples: samples.len() as u32,
        })
    }

    /// Of a value that was counted, not timed.
    pub const fn exact(value: f64) -> Self {
        Self { median: value, p10: value, p90: value, least: value, samples: 1 }
    }
}

/// Ours divided by theirs: the median over rounds taken side by side, with its spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Half of the rounds are below.
    pub median: f64,
    /// A tenth of the rounds is below.
    pub p10: f64,
    /// Nine tenths are.
    pub p90: f64,
    /// Our quietest moment divided by theirs.
    pub quiet: f64,
}

impl Ratio {
    /// Of rounds: the sample at one place of `ours` was taken beside that of `theirs`. `None` when there are none, or theirs
    /// are zero.
    pub fn of(ours: &[f64], theirs: &[f64]) -> Option<Self> {
        let ratios: Vec<f64> =
            ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
        let ratio = Self {
            median: quantile(&ratios, 0.5)?,
            p10: quantile(&ratios, 0.1)?,
            p90: quantile(&ratios, 0.9)?,
            quiet: quantile(ours, 0.0)? / quantile(theirs, 0.0)?,
        };
        [ratio.median, ratio.p90, ratio.quiet].iter().all(|r| r.is_finite()).then_some(ratio)
    }

    /// Of two values that were counted, not timed.
    pub fn exact(ours: f64, theirs: f64) -> Option<Self> {
        Self::of(&[ours], &[theirs])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_core::Rng;

    fn draws(seed: u64) -> Vec<f64> {
        let mut rng = Rng::keyed(seed, 1, 2, 3);
        let count = 1 + rng.next_u64() % 60;
        (0..count).map(|_| (rng.next_u64() % 1000) as f64 / 8.0).collect()
    }

    /// The definition, by counting: at least so many samples are not above it, and at least the others not below.
    fn is_at_rank(samples: &[f64], value: f64, q: f64) -> bool {
        let rank = ((samples.len() - 1) as f64 * q).round() as usize;
        let below = samples.iter().filter(|s| **s < value).count();
        let above = samples.iter().filter(|s| **s > value).count();
        below <= rank && above < samples.len() - rank && samples.contains(&value)
    }

    #[test]
    fn a_quantile_has_its_rank_among_the_samples() {
        for seed in 0..300 {
            let samples = draws(seed);
            for q in [0.0, 0.1, 0.5, 0.9, 1.0] {
                let value = quantile(&samples, q).unwrap();
                assert!(is_at_rank(&samples, value, q), "seed {seed}, {q}: {value} of {samples:?}");
            }
        }
    }

    #[test]
    fn a_ratio_is_of_neighbours_and_not_of_medians() {
        // The machine was three times slower in the second half for both: their medians differ by that, rounds do not.
        let ours = [1.0, 1.0, 3.0, 3.0, 3.0];
        let theirs = [2.0, 2.0, 6.0, 6.0, 6.0];
        let ratio = Ratio::of(&ours, &theirs).unwrap();
        assert_eq!(ratio, Ratio { median: 0.5, p10: 0.5, p90: 0.5, quiet: 0.5 });
        let wild = Ratio::of(&[4.0, 1.0, 1.0], &[1.0, 1.0, 2.0]).unwrap();
        assert_eq!((wild.p10, wild.median, wild.p90, wild.quiet), (0.5, 1.0, 4.0, 1.0));
    }

    #[test]
    fn no_samples_give_no_statistics() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Ratio::of(&[], &[]), None);
        assert_eq!(Ratio::exact(1.0, 0.0), None);
    }
}
