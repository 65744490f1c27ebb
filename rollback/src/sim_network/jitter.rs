//! `Jitter`: how much a packet's delay differs from the latency. Each distribution is computed from whole numbers alone
//! and has bounds that no draw exceeds.

use core::time::Duration;
use isostep_core::Rng;
use serde::{Deserialize, Serialize};

/// The distribution of a link's delays around its latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Jitter {
    /// Every packet takes the latency.
    #[default]
    None,
    /// From `spread` less to `spread` more, each nanosecond as likely as any other.
    Uniform {
        /// The most a packet is early or late.
        spread: Duration,
    },
    /// Like a normal distribution with a third of `spread` as its standard deviation, clipped at `spread` on both sides
    /// (which meets one packet in 500). The sum of twelve uniform numbers less six (Irwin–Hall) stands for the normal.
    Normal {
        /// The most a packet is early or late: three standard deviations.
        spread: Duration,
    },
    /// Heavy tail, never early: later by `scale` × (1 / √U − 1) for a uniform U, clipped at `most`. That is a Pareto
    /// distribution of shape 2 moved to zero (Lomax): half of the packets are later by 0.41 `scale` or more, one in a
    /// hundred by 9, one in ten thousand by 99; `scale` on average if nothing is clipped.
    Pareto {
        /// The size of the delays.
        scale: Duration,
        /// The most a packet is late.
        most: Duration,
    },
}

impl Jitter {
    /// The most by which a packet is earlier than the latency.
    pub fn max_early(&self) -> Duration {
        match *self {
            Self::None | Self::Pareto { .. } => Duration::ZERO,
            Self::Uniform { spread } | Self::Normal { spread } => spread,
        }
    }

    /// The most by which a packet is later than the latency.
    pub fn max_late(&self) -> Duration {
        match *self {
            Self::None => Duration::ZERO,
            Self::Uniform { spread } | Self::Normal { spread } => spread,
            Self::Pareto { most, .. } => most,
        }
    }

    /// The scale of a heavy tail, which has to be in range as well.
    pub(super) fn scale(&self) -> Duration {
        match *self {
            Self::Pareto { scale, .. } => scale,
            _ => Duration::ZERO,
        }
    }

    /// One packet's difference in nanoseconds. The configuration was checked: no duration exceeds an hour, 2⁴² ns.
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
                // √U in 2⁻³²; zero would be a delay without end.
                let root = rng.next_u64().isqrt().max(1);
                let late = ((scale as u128) << 32) / root as u128 - scale as u128;
                late.min(most as u128) as i64
            }
        }
    }
}

/// Nanoseconds of a duration that was checked to be at most an hour.
pub(super) fn nanos(span: Duration) -> i64 {
    i64::try_from(span.as_nanos()).unwrap_or(i64::MAX)
}
