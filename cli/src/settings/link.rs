//! Link quality in one direction, as the four numbers of the sliders; and profiles, after those of
//! [`LinkConfig`].

use super::SettingError;
use isostep_rollback::sim_network::{Bursts, Jitter, LinkConfig};
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// Limit on latency and jitter, one way.
const MAX_MILLIS: u32 = 300;
/// Limit on loss.
const MAX_LOSS_PERCENT: u32 = 30;
/// Limit on burst loss.
const MAX_BURSTS_PERCENT: u32 = 20;
/// Probability, at each packet, that a loss burst ends: a burst lasts about four packets.
const LEAVE_PPM: u32 = 235_000;

/// Link quality in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Link {
    /// One-way latency, milliseconds.
    pub(crate) latency: u32,
    /// Maximum deviation from it, milliseconds.
    pub(crate) jitter: u32,
    /// Independent packet loss, per cent.
    pub(crate) loss: u32,
    /// Additional packet loss in bursts, per cent.
    pub(crate) bursts: u32,
}

const fn link(latency: u32, jitter: u32, loss: u32, bursts: u32) -> Link {
    Link { latency, jitter, loss, bursts }
}

/// Named links.
pub(crate) const PROFILES: [(&str, Link); 5] = [
    ("perfect", link(0, 0, 0, 0)),
    ("lan", link(1, 0, 0, 0)),
    ("wifi", link(50, 20, 1, 0)),
    ("mobile", link(100, 50, 2, 3)),
    ("severe", link(200, 80, 10, 5)),
];

impl Link {
    /// Parses a profile name or four numbers.
    pub(super) fn read(name: &'static str, text: &str) -> Result<Self, SettingError> {
        if let Some((_, link)) = PROFILES.iter().find(|profile| profile.0 == text) {
            return Ok(*link);
        }
        let wanted = || {
            let names = PROFILES.map(|profile| profile.0).join(", ");
            format!(
                "{names}, or LATENCY,JITTER,LOSS,BURSTS: at most {MAX_MILLIS} ms, {MAX_MILLIS} ms, \
                 {MAX_LOSS_PERCENT} % and {MAX_BURSTS_PERCENT} %"
            )
        };
        let wrong = || SettingError::Value { name, value: text.to_owned(), wanted: wanted() };
        let limits = [MAX_MILLIS, MAX_MILLIS, MAX_LOSS_PERCENT, MAX_BURSTS_PERCENT];
        let mut numbers = [0; 4];
        let mut words = text.split(',');
        for (number, limit) in numbers.iter_mut().zip(limits) {
            let word = words.next().ok_or_else(wrong)?;
            *number = word.parse().ok().filter(|number| *number <= limit).ok_or_else(wrong)?;
        }
        let [latency, jitter, loss, bursts] = numbers;
        if words.next().is_some() { Err(wrong()) } else { Ok(link(latency, jitter, loss, bursts)) }
    }

    pub(crate) fn config(self) -> LinkConfig {
        let millis = |millis: u32| Duration::from_millis(millis.into());
        // A burst loses every other packet, so it must cover twice the loss.
        let bad = 20_000 * self.bursts;
        let enter_ppm = (u64::from(LEAVE_PPM) * u64::from(bad) / u64::from(1_000_000 - bad)) as u32;
        let bursts =
            Bursts { enter_ppm, leave_ppm: LEAVE_PPM, good_loss_ppm: 0, bad_loss_ppm: 500_000 };
        LinkConfig {
            // A packet can't arrive before it was sent.
            latency: millis(self.latency.max(self.jitter)),
            jitter: match self.jitter {
                0 => Jitter::None,
                spread => Jitter::Normal { spread: millis(spread) },
            },
            loss_ppm: self.loss * 10_000,
            bursts: (self.bursts > 0).then_some(bursts),
            ..LinkConfig::perfect()
        }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = PROFILES.iter().find(|profile| profile.1 == *self) {
            return f.write_str(name);
        }
        let Self { latency, jitter, loss, bursts } = self;
        write!(f, "{latency},{jitter},{loss},{bursts}")
    }
}
