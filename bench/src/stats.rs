//! Statistics of samples: a median with its spread, and the ratio of two interleaved series.
//!
//! The machines this runs on are noisy. The median ignores short disturbances, the minimum is the
//! quietest sample, and ratios of neighbouring rounds are stable while times drift.

use serde::{Deserialize, Serialize};

/// Quantile `q` of the samples by nearest rank; `None` without samples.
pub fn quantile(samples: &[f64], q: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * q.clamp(0.0, 1.0)).round() as usize).copied()
}

/// Statistics of one contender.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Median.
    #[serde(deserialize_with = "or_never")]
    pub median: f64,
    /// 10th percentile.
    #[serde(deserialize_with = "or_never")]
    pub p10: f64,
    /// 90th percentile.
    #[serde(deserialize_with = "or_never")]
    pub p90: f64,
    /// Minimum.
    #[serde(deserialize_with = "or_never")]
    pub least: f64,
    /// Number of samples; one for a value without variance, such as a size.
    pub samples: u32,
}

/// Reads null as infinity, which JSON lacks.
fn or_never<'de, D: serde::Deserializer<'de>>(number: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(number)?.unwrap_or(f64::INFINITY))
}

impl Spread {
    /// Computes the statistics of samples; `None` without any.
    pub fn of(samples: &[f64]) -> Option<Self> {
        Some(Self {
            median: quantile(samples, 0.5)?,
            p10: quantile(samples, 0.1)?,
            p90: quantile(samples, 0.9)?,
            least: quantile(samples, 0.0)?,
            samples: samples.len() as u32,
        })
    }

    /// Statistics of a counted value.
    pub const fn exact(value: f64) -> Self {
        Self { median: value, p10: value, p90: value, least: value, samples: 1 }
    }
}

/// Ours divided by theirs: median over interleaved rounds, with its spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Median of the rounds.
    pub median: f64,
    /// 10th percentile of the rounds.
    pub p10: f64,
    /// 90th percentile of the rounds.
    pub p90: f64,
    /// Our minimum divided by theirs.
    pub quiet: f64,
}

impl Ratio {
    /// Computes the ratio of rounds; samples at the same index were taken side by side. `None`
    /// without samples, or if theirs are zero.
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

    /// Ratio of two counted values.
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

    /// Definition of a quantile by counting: at least this many samples are not above it, and at
    /// least the others not below.
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
        // Both were three times slower in the second half: their medians differ by that, the ratios
        // of rounds do not.
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
