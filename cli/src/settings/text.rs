//! Names and values of settings as text, shared by flags, URLs and the page's sliders.

use super::fault::{ScheduledFault, machine};
use super::link::Link;
use super::{MAX_CRATES, MAX_DELAY, MAX_DRIFT_PPM, MAX_FAULTS, MAX_PLAYERS, MAX_PREDICT, MAX_SEED};
use super::{Pace, Resim, SettingError, Settings};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// A setting.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// Placeholder of the value in help.
    pub(crate) value: &'static str,
    pub(crate) help: &'static str,
    /// True if it may be repeated with different values.
    pub(crate) many: bool,
    /// True if a change restarts the match.
    pub(crate) anew: bool,
}

const fn field(name: &'static str, value: &'static str, anew: bool, help: &'static str) -> Field {
    Field { name, value, help, many: false, anew }
}

const fn many(name: &'static str, value: &'static str, help: &'static str) -> Field {
    Field { name, value, help, many: true, anew: false }
}

/// All settings, in the order of output.
pub(crate) const FIELDS: [Field; 14] = [
    field("seed", "N", true, "Seed of the crates, the bots and the network"),
    field("players", "N", true, "Number of machines, 2 to 4"),
    field("crates", "N", true, "Number of crates, 0 to 60"),
    field(
        "mode",
        "MODE",
        true,
        "rollback predicts missing inputs and corrects them; lockstep waits for them",
    ),
    field("predict", "TICKS", true, "Limit on predicted ticks, 1 to 30"),
    field("delay", "TICKS", false, "Input delay in ticks, 0 to 12"),
    field("adaptive", "on|off", true, "Adapt the input delay to the network"),
    field(
        "dilation",
        "on|off",
        false,
        "Adjust tick lengths, so that all inputs arrive equally early",
    ),
    field(
        "resim",
        "WHAT",
        false,
        "Extent of resimulation: incremental (islands that may differ) or full",
    ),
    field(
        "net",
        "LINK",
        false,
        "Quality of all links: perfect, lan, wifi, mobile, severe, or LATENCY,JITTER,LOSS,BURSTS in ms, ms, %, %",
    ),
    many("link", "FROM-TO:LINK", "Quality of one direction, as in 1-2:mobile; may be repeated"),
    many("drift", "MACHINE:PPM", "Clock drift, −10000 to 10000, positive is fast; may be repeated"),
    many("cut", "MACHINE@TICK", "Disconnect a machine for 2 s; may be repeated"),
    many(
        "flip",
        "MACHINE@TICK[:TARGET[:always]]",
        "Flip a bit of a machine's state; may be repeated",
    ),
];

impl Settings {
    /// Sets a value by name. Values of `link`, `drift`, `cut` and `flip` accumulate; `same` removes
    /// a link's override.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<&'static Field, SettingError> {
        let field = FIELDS.iter().find(|field| field.name == name);
        let field = field.ok_or_else(|| SettingError::Name(name.to_owned()))?;
        let name = field.name;
        let wrong = |wanted: &str| SettingError::Value {
            name,
            value: value.to_owned(),
            wanted: wanted.to_owned(),
        };
        match name {
            "seed" => self.seed = number(name, value, 0..=MAX_SEED)?,
            "players" => {
                self.players = number(name, value, 2..=MAX_PLAYERS)?;
                self.trim();
            }
            "crates" => self.crates = number(name, value, 0..=MAX_CRATES)?,
            "mode" => {
                self.mode = match value {
                    "rollback" => Pace::Rollback,
                    "lockstep" => Pace::Lockstep,
                    _ => return Err(wrong("rollback or lockstep")),
                }
            }
            "predict" => self.predict = number(name, value, 1..=MAX_PREDICT)?,
            "delay" => self.delay = number(name, value, 0..=MAX_DELAY)?,
            "adaptive" => self.adaptive = switch(name, value)?,
            "dilation" => self.dilation = switch(name, value)?,
            "resim" => {
                self.resim = match value {
                    "incremental" => Resim::Incremental,
                    "full" => Resim::Full,
                    _ => return Err(wrong("incremental or full")),
                }
            }
            "net" => self.net = Link::read(name, value)?,
            "link" => self.set_link(name, value)?,
            "drift" => {
                let wanted = "MACHINE:PPM, as in 2:-300, within 10000";
                let (who, ppm) = value.split_once(':').ok_or_else(|| wrong(wanted))?;
                let who = machine(who).ok_or_else(|| wrong(wanted))?;
                let ppm: i32 = ppm.parse().map_err(|_| wrong(wanted))?;
                if ppm.unsigned_abs() > MAX_DRIFT_PPM.unsigned_abs() {
                    return Err(wrong(wanted));
                }
                self.drift[usize::from(who)] = ppm;
            }
            _ => {
                if self.faults.len() >= MAX_FAULTS {
                    return Err(wrong("at most 8 of cut and flip"));
                }
                self.note(ScheduledFault::read(name, value)?);
            }
        }
        Ok(field)
    }

    fn set_link(&mut self, name: &'static str, value: &str) -> Result<(), SettingError> {
        let wrong = || SettingError::Value {
            name,
            value: value.to_owned(),
            wanted: "FROM-TO:LINK, as in 1-2:wifi or 1-2:60,10,2,0; 1-2:same removes the override"
                .to_owned(),
        };
        let (direction, link) = value.split_once(':').ok_or_else(wrong)?;
        let (from, to) = direction.split_once('-').ok_or_else(wrong)?;
        let direction = machine(from)
            .zip(machine(to))
            .filter(|direction| direction.0 != direction.1)
            .ok_or_else(wrong)?;
        let link = if link == "same" { None } else { Some(Link::read(name, link)?) };
        self.links.retain(|link| link.0 != direction);
        self.links.extend(link.map(|link| (direction, link)));
        self.links.sort_by_key(|link| link.0);
        Ok(())
    }

    /// Names and values: players, mode and network always, others if they differ from their
    /// defaults.
    pub(crate) fn pairs(&self) -> Vec<(&'static str, String)> {
        let usual = Self::default();
        let mut words = Vec::new();
        let mut put = |name, value: &dyn Display| words.push((name, value.to_string()));
        put("seed", &self.seed);
        put("players", &self.players);
        if self.crates != usual.crates {
            put("crates", &self.crates);
        }
        let mode = if self.mode == Pace::Rollback { "rollback" } else { "lockstep" };
        put("mode", &mode);
        if self.predict != usual.predict {
            put("predict", &self.predict);
        }
        if self.delay != usual.delay {
            put("delay", &self.delay);
        }
        for (name, is, was) in [
            ("adaptive", self.adaptive, usual.adaptive),
            ("dilation", self.dilation, usual.dilation),
        ] {
            if is != was {
                put(name, &if is { "on" } else { "off" });
            }
        }
        if self.resim == Resim::Full {
            put("resim", &"full");
        }
        put("net", &self.net);
        for ((from, to), link) in &self.links {
            put("link", &format!("{}-{}:{link}", from + 1, to + 1));
        }
        for (machine, ppm) in (1..).zip(self.drift).filter(|clock| clock.1 != 0) {
            put("drift", &format!("{machine}:{ppm}"));
        }
        for fault in &self.faults {
            put(fault.name(), fault);
        }
        words
    }

    /// Query string of a URL. No value needs escaping.
    pub(crate) fn query(&self) -> String {
        let words = self.pairs();
        words.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
    }

    /// Command that plays the same match without a page.
    pub(crate) fn command(&self) -> String {
        let flags = self.pairs().into_iter().map(|(name, value)| format!(" --{name} {value}"));
        format!("isostep demo{}", flags.collect::<String>())
    }

    /// Parses the query string of a URL; missing settings have their defaults.
    pub(crate) fn from_query(query: &str) -> Result<Self, SettingError> {
        let mut settings = Self::default();
        for word in query.trim_start_matches('?').split('&').filter(|word| !word.is_empty()) {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            // The only characters in values that browsers may escape.
            let value = value.replace("%2C", ",").replace("%3A", ":").replace("%40", "@");
            settings.set(name, &value)?;
        }
        settings.check()?;
        Ok(settings)
    }
}

fn number<T: TryFrom<u64> + PartialOrd + Display>(
    name: &'static str,
    value: &str,
    range: RangeInclusive<T>,
) -> Result<T, SettingError> {
    let wanted = format!("a number, {} to {}", range.start(), range.end());
    let number = value.parse::<u64>().ok().and_then(|number| T::try_from(number).ok());
    let wrong = || SettingError::Value { name, value: value.to_owned(), wanted };
    number.filter(|number| range.contains(number)).ok_or_else(wrong)
}

fn switch(name: &'static str, value: &str) -> Result<bool, SettingError> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => {
            let wanted = "on or off".to_owned();
            Err(SettingError::Value { name, value: value.to_owned(), wanted })
        }
    }
}
