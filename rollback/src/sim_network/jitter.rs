//! `Jitter`: distribution of the delay around the latency. Each distribution is computed in integers and bounded.

use core::time::Duration;
use isostep_core::Rng;
use serde::{Deserialize, Serialize};

/// Distribution of a link's delay around its latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Jitter {
    /// No jitter.
    #[default]
    None,
    /// Uniform within ±`spread`.
    Uniform {
        /// Maximum deviation.
        spread: Duration,
    },
    /// Approximately normal with a standard deviation of a third of `spread`, clamped at ±`spread` (which affects one
    /// packet in 500). Computed as the sum of twelve uniform numbers less six (Irwin–Hall).
    Normal {
        /// Maximum deviation: three standard deviations.
        spread: Duration,
    },
    /// Heavy tail, never early: later by `scale` × (1 / √U − 1) for a uniform U, clamped at `most`. This is a Lomax
    /// distribution of shape 2: half of the packets are later by 0.41 `scale` or more, one in a hundred by 9, one in
    /// ten thousand by 99; `scale` on average without clamping.
    Pareto {
        /// Scale of the delays.
        scale: Duration,
        /// Maximum delay beyond the latency.
        most: Duration,
    },
}

impl Jitter {
    /// Returns the maximum by which a packet is earlier than the latency.
    #[doc(hidden)]
    pub fn max_early(&self) -> Duration {
        match *self {
            Self::None | Self::Pareto { .. } => Duration::ZERO,
            Self::Uniform { spread } | Self::Normal { spread } => spread,
        }
    }

    /// Returns the maximum by which a packet is later than the latency.
    #[doc(hidden)]
    pub fn max_late(&self) -> Duration {
        match *self {
            Self::None => Duration::ZERO,
            Self::Uniform { spread } | Self::Normal { spread } => spread,
            Self::Pareto { most, .. } => most,
        }
    }

    /// Returns the scale of a heavy tail, which is validated too.
    pub(super) fn scale(&self) -> Duration {
        match *self {
            Self::Pareto { scale, .. } => scale,
            _ => Duration::ZERO,
        }
    }

    /// Draws one packet's deviation in nanoseconds. Durations are validated to be at most an hour, 2⁴² ns.
    pub(super) fn draw(&self, rng: &mut Rng) -> i64 {
        match *self {
            Self::None => 0,
            Self::Uniform { spread } => {
                let spread = nanos(spread);
                let values = 2 * spread as u128 + 1;
                ((rng.next_u64() as u128 * values) >> 64) as i64 - spread
            }
            Self::Normal { spread } => {
                let spread = nanos(spread);
                // The sum less its mean, in 2⁻³² of a standard deviation.
                let sum: i64 = (0..12).map(|_| i64::from(rng.next_u32())).sum();
                let deviations = i128::from(sum - (6 << 32));
                let nanos = (deviations * i128::from(spread) / 3) >> 32;
                (nanos as i64).clamp(-spread, spread)
            }
            Self::Pareto { scale, most } => {
                let (scale, most) = (nanos(scale), nanos(most));
                // √U in 2⁻³²; zero would be an infinite delay.
                let root = rng.next_u64().isqrt().max(1);
                let late = ((scale as u128) << 32) / root as u128 - scale as u128;
                late.min(most as u128) as i64
            }
        }
    }
}

/// Nanoseconds of a duration of at most an hour.
pub(super) fn nanos(span: Duration) -> i64 {
    i64::try_from(span.as_nanos()).unwrap_or(i64::MAX)
}
