//! Links of the matches: profiles of the simulated network, from good to hardly playable.

use super::rng::Rng;
use core::time::Duration;
use isostep_rollback::LinkConfig;
use isostep_rollback::sim_network::{Bursts, Jitter};

#[derive(Clone, Copy, Debug)]
pub(super) enum Profile {
    Perfect,
    Lan,
    Wifi,
    Mobile,
    Severe,
    /// Half of the packets arrive after later ones.
    Reordered,
    /// Bursts lose about eight packets each.
    Bursty,
    /// This one-way latency in milliseconds, plus or minus a third, and this loss in per cent.
    Plain {
        millis: u32,
        lost: u32,
    },
}

impl Profile {
    pub(super) fn roll(rng: &mut Rng) -> Self {
        match rng.below(12) {
            0 => Self::Perfect,
            1 => Self::Lan,
            2 | 3 => Self::Wifi,
            4 => Self::Mobile,
            5 => Self::Severe,
            6 | 7 => Self::Reordered,
            8 => Self::Bursty,
            _ => Self::Plain { millis: rng.between(10, 130), lost: rng.pick(&[0, 2, 10, 30]) },
        }
    }

    pub(super) fn config(self) -> LinkConfig {
        let ms = |millis: u32| Duration::from_millis(u64::from(millis));
        match self {
            Self::Perfect => LinkConfig::perfect(),
            Self::Lan => LinkConfig::lan(),
            Self::Wifi => LinkConfig::wifi(),
            Self::Mobile => LinkConfig::mobile(),
            Self::Severe => LinkConfig::severe(),
            Self::Reordered => LinkConfig {
                latency: ms(30),
                jitter: Jitter::Uniform { spread: ms(30) },
                reorder_ppm: 200_000,
                reorder_delay: ms(60),
                duplicate_ppm: 50_000,
                ..LinkConfig::perfect()
            },
            Self::Bursty => LinkConfig {
                latency: ms(40),
                bursts: Some(Bursts {
                    enter_ppm: 40_000,
                    leave_ppm: 120_000,
                    good_loss_ppm: 0,
                    bad_loss_ppm: 1_000_000,
                }),
                ..LinkConfig::perfect()
            },
            Self::Plain { millis, lost } => LinkConfig {
                latency: ms(millis),
                jitter: Jitter::Uniform { spread: ms(millis / 3) },
                loss_ppm: lost * 10_000,
                ..LinkConfig::perfect()
            },
        }
    }
}
