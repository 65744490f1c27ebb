//! What the page may ask for: JSON from anywhere, read and checked before the stage sees it. The same settings stand
//! in the page's address, so that a link reproduces a match.

use isostep_rollback::sim_network::{Bursts, Jitter, LinkConfig};
use isostep_rollback::{Mode, SessionConfig};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Most machines.
pub(crate) const MAX_PLAYERS: u8 = 4;
/// Greatest seed: what a number of the page holds exactly.
pub(crate) const MAX_SEED: u64 = (1 << 53) - 1;
/// Furthest prediction, in ticks: half a second.
const MAX_PREDICT: u32 = 30;
/// Longest input delay on offer, in ticks.
const MAX_DELAY: u32 = 8;
/// Longest latency and jitter on offer, one way.
const MAX_MILLIS: u32 = 300;
/// Greatest loss on offer.
const MAX_LOSS_PERCENT: u32 = 30;
/// All links at once, and every direction between four machines.
const MAX_LINKS: usize = 1 + 4 * 3;

/// What a match is set up with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    /// 2 to 4, each at a machine of their own.
    pub(crate) players: u8,
    /// How many ticks a machine may predict; 0 for lockstep.
    pub(crate) predict: u32,
    /// Input delay, in ticks.
    pub(crate) delay: u32,
    /// Later ones override earlier ones.
    pub(crate) links: Vec<Link>,
}

/// How one direction fares, or all that no other entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Link {
    /// From which machine to which; all links if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) way: Option<(u8, u8)>,
    /// Milliseconds, one way.
    pub(crate) latency: u32,
    /// Milliseconds earlier or later, at most.
    pub(crate) jitter: u32,
    /// Per cent of packets.
    pub(crate) loss: u32,
    /// Whether some are lost in bursts besides.
    pub(crate) bursts: bool,
}

impl Default for Settings {
    /// A connection across a country: rollbacks to see, and nothing that hurts.
    fn default() -> Self {
        let link = Link { way: None, latency: 60, jitter: 10, loss: 2, bursts: false };
        Self { seed: 1, players: 2, predict: 12, delay: 1, links: vec![link] }
    }
}

/// Where a planted fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Spot {
    /// The ball's velocity along x.
    Velocity,
    /// The first player's goals.
    Score,
}

/// What the page may ask for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Control {
    /// A new match.
    Restart { settings: Settings },
    /// Other links from now on.
    Links { links: Vec<Link> },
    /// Another input delay from now on.
    Delay { ticks: u32 },
    /// What player one's keys are now.
    Keys { x: i8, y: i8, jump: bool, kick: bool },
    /// Nothing goes to or from a machine for two seconds.
    Partition { machine: u8 },
    /// A machine computes one bit wrong: once, or whenever it computes that tick.
    Plant { machine: u8, spot: Spot, lasting: bool },
}

/// Why a control is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ControlError {
    #[error("not a control: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{what} is {value}: at least {least}, at most {most}")]
    Range { what: &'static str, value: u64, least: u64, most: u64 },
    #[error("a link goes from machine {from} to machine {to}: they are 0 to 3, and two")]
    Way { from: u8, to: u8 },
}

impl Control {
    pub(crate) fn read(json: &[u8]) -> Result<Self, ControlError> {
        let control: Self = serde_json::from_slice(json)?;
        match &control {
            Self::Restart { settings } => settings.check()?,
            Self::Links { links } => check_links(links)?,
            Self::Delay { ticks } => within("delay", *ticks, 0, MAX_DELAY)?,
            Self::Keys { x, y, .. } => {
                within("x", x.unsigned_abs(), 0, 127_u8)?;
                within("y", y.unsigned_abs(), 0, 127_u8)?;
            }
            Self::Partition { machine } | Self::Plant { machine, .. } => {
                within("machine", *machine, 0, MAX_PLAYERS - 1)?;
            }
        }
        Ok(control)
    }
}

fn within<T: Into<u64> + Copy>(
    what: &'static str,
    value: T,
    least: T,
    most: T,
) -> Result<(), ControlError> {
    let (value, least, most) = (value.into(), least.into(), most.into());
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(ControlError::Range { what, value, least, most })
}

fn check_links(links: &[Link]) -> Result<(), ControlError> {
    within("the number of links", links.len() as u64, 1, MAX_LINKS as u64)?;
    for link in links {
        within("latency", link.latency, 0, MAX_MILLIS)?;
        within("jitter", link.jitter, 0, MAX_MILLIS)?;
        within("loss", link.loss, 0, MAX_LOSS_PERCENT)?;
        if let Some((from, to)) = link.way
            && (from == to || from.max(to) >= MAX_PLAYERS)
        {
            return Err(ControlError::Way { from, to });
        }
    }
    Ok(())
}

impl Settings {
    fn check(&self) -> Result<(), ControlError> {
        within("seed", self.seed, 0, MAX_SEED)?;
        within("players", self.players, 2, MAX_PLAYERS)?;
        within("predict", self.predict, 0, MAX_PREDICT)?;
        within("delay", self.delay, 0, MAX_DELAY)?;
        check_links(&self.links)
    }

    /// Without seats.
    pub(crate) fn session(&self) -> SessionConfig {
        let mode = match self.predict {
            0 => Mode::Lockstep,
            max => Mode::Rollback { max },
        };
        SessionConfig::new().mode(mode).delay(self.delay)
    }
}

impl Link {
    pub(crate) fn config(self) -> LinkConfig {
        let millis = |millis: u32| Duration::from_millis(millis.into());
        // One packet in sixteen meets a bad spell, which lasts for about four and loses every other.
        let bursts = Bursts {
            enter_ppm: 15_000,
            leave_ppm: 235_000,
            good_loss_ppm: 0,
            bad_loss_ppm: 500_000,
        };
        LinkConfig {
            // No packet arrives before it was sent.
            latency: millis(self.latency.max(self.jitter)),
            jitter: match self.jitter {
                0 => Jitter::None,
                spread => Jitter::Normal { spread: millis(spread) },
            },
            loss_ppm: self.loss * 10_000,
            bursts: self.bursts.then_some(bursts),
            ..LinkConfig::perfect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_as_they_were() {
        let mut settings = Settings { seed: MAX_SEED, players: 4, ..Settings::default() };
        settings.links.push(Link { way: Some((3, 0)), ..settings.links[0] });
        let json = serde_json::to_string(&settings).unwrap();
        let control = Control::read(format!(r#"{{"do":"restart","settings":{json}}}"#).as_bytes());
        assert_eq!(control.unwrap(), Control::Restart { settings });
    }

    #[test]
    fn every_control_is_understood() {
        for json in [
            r#"{"do":"keys","x":-127,"y":127,"jump":true,"kick":false}"#,
            r#"{"do":"delay","ticks":8}"#,
            r#"{"do":"partition","machine":3}"#,
            r#"{"do":"plant","machine":0,"spot":"score","lasting":true}"#,
            r#"{"do":"links","links":[{"latency":300,"jitter":300,"loss":30,"bursts":true}]}"#,
        ] {
            assert!(Control::read(json.as_bytes()).is_ok(), "{json}");
        }
    }

    #[test]
    fn bad_values_are_refused() {
        let settings = |change: &str| {
            let links = r#""links":[{"latency":1,"jitter":1,"loss":1,"bursts":false}]"#;
            format!(r#"{{"do":"restart","settings":{{{change},{links}}}}}"#)
        };
        let link = |change: &str| format!(r#"{{"do":"links","links":[{{{change}}}]}}"#);
        for json in [
            String::new(),
            "null".to_owned(),
            "[".repeat(4000),
            r#"{"do":"nothing"}"#.to_owned(),
            r#"{"do":"keys","x":-128,"y":0,"jump":false,"kick":false}"#.to_owned(),
            r#"{"do":"keys","x":1e9,"y":0,"jump":false,"kick":false}"#.to_owned(),
            r#"{"do":"delay","ticks":9}"#.to_owned(),
            r#"{"do":"delay","ticks":-1}"#.to_owned(),
            r#"{"do":"delay","ticks":1,"more":2}"#.to_owned(),
            r#"{"do":"partition","machine":4}"#.to_owned(),
            r#"{"do":"plant","machine":0,"spot":"mood","lasting":true}"#.to_owned(),
            r#"{"do":"links","links":[]}"#.to_owned(),
            link(r#""latency":301,"jitter":0,"loss":0,"bursts":false"#),
            link(r#""latency":0,"jitter":0,"loss":31,"bursts":false"#),
            link(r#""latency":0,"jitter":0,"loss":0,"bursts":1"#),
            link(r#""way":[1,1],"latency":0,"jitter":0,"loss":0,"bursts":false"#),
            link(r#""way":[0,4],"latency":0,"jitter":0,"loss":0,"bursts":false"#),
            settings(r#""seed":9007199254740992,"players":2,"predict":8,"delay":0"#),
            settings(r#""seed":1,"players":1,"predict":8,"delay":0"#),
            settings(r#""seed":1,"players":5,"predict":8,"delay":0"#),
            settings(r#""seed":1,"players":2,"predict":31,"delay":0"#),
        ] {
            assert!(Control::read(json.as_bytes()).is_err(), "{json}");
        }
        let fine = settings(r#""seed":1,"players":2,"predict":8,"delay":0"#);
        assert!(Control::read(fine.as_bytes()).is_ok());
    }

    #[test]
    fn every_link_on_offer_can_be_set_up() {
        for (latency, jitter) in [(0, 0), (0, 300), (300, 300), (300, 0)] {
            let link = Link { way: None, latency, jitter, loss: 30, bursts: true };
            assert_eq!(link.config().validate(), Ok(()));
        }
    }
}
