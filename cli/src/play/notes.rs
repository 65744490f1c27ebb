//! What happened in a match, for a page and for a terminal.

use super::PARTITION;
use crate::settings::Spot;
use crate::shown::Shown;
use isostep_rollback::{Blame, DesyncReport, SessionEvent};
use isostep_scenes::games::tumble::rules::Tumble;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;

/// Something to tell. Machines are counted from 0, and named from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub(crate) enum Note {
    Planted {
        machine: usize,
        tick: u32,
        spot: Spot,
        always: bool,
    },
    Cut {
        machine: usize,
        seconds: u64,
    },
    Differ {
        machine: usize,
        peer: usize,
        tick: u32,
    },
    Desync(Box<Found>),
    Repaired {
        machine: usize,
        tick: u32,
    },
    Agreed {
        machine: usize,
        peer: usize,
        tick: u32,
    },
    /// The recording got too long, or the match too fast for it.
    Tape {
        why: String,
    },
}

/// What two machines found to differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Found {
    pub(crate) machine: usize,
    pub(crate) peer: usize,
    pub(crate) tick: u32,
    pub(crate) entity: String,
    /// What the entity is to somebody who watches.
    pub(crate) thing: Option<String>,
    pub(crate) field: String,
    /// The values at both.
    pub(crate) local: String,
    pub(crate) remote: String,
    /// Whether a machine found it out by itself: then the values are what is right, and what was there.
    pub(crate) itself: bool,
    pub(crate) blame: String,
    /// Entity, field and values of what else differs.
    pub(crate) more: Vec<[String; 4]>,
}

fn name(machine: usize) -> String {
    format!("machine {}", machine + 1)
}

impl Note {
    /// An event for the eye, if it is one.
    pub(super) fn of(machine: usize, event: &SessionEvent, game: &Tumble) -> Option<Self> {
        Some(match event {
            SessionEvent::DigestsDiffer { peer, tick } => {
                Self::Differ { machine, peer: peer.0.into(), tick: tick.0 }
            }
            SessionEvent::Desync(report) => {
                Self::Desync(Box::new(Found::new(machine, report, game)))
            }
            SessionEvent::Repaired { from } => Self::Repaired { machine, tick: from.0 },
            SessionEvent::Resynced { peer, tick } => {
                Self::Agreed { machine, peer: peer.0.into(), tick: tick.0 }
            }
            _ => return None,
        })
    }

    pub(super) const fn cut(machine: usize) -> Self {
        Self::Cut { machine, seconds: PARTITION.as_secs() }
    }

    /// With its text.
    pub(crate) fn json(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        value["text"] = json!(self.to_string());
        value
    }
}

impl Found {
    fn new(machine: usize, report: &DesyncReport, game: &Tumble) -> Self {
        let DesyncReport { peer, tick, entity, field, local, remote, more, blame } = report;
        let peer = usize::from(peer.0);
        let text = match blame {
            Blame::Local => format!("{} found itself wrong", name(machine)),
            Blame::Remote => format!("{} says that it was wrong", name(peer)),
            Blame::Minority { peers, local: us } => {
                let mut who: Vec<_> = peers.iter().map(|peer| name(peer.0.into())).collect();
                who.extend(us.then(|| name(machine)));
                format!("{}, outvoted by the others", who.join(" and "))
            }
            _ => "nobody can tell: it is one word against another".to_owned(),
        };
        let more = more.iter().map(|it| [&it.entity, &it.field, &it.local, &it.remote]);
        Self {
            machine,
            peer,
            tick: tick.0,
            entity: entity.clone(),
            thing: thing_of(entity, game),
            field: field.clone(),
            local: local.clone(),
            remote: remote.clone(),
            itself: *blame == Blame::Local,
            blame: text,
            more: more.map(|it| it.map(Clone::clone)).collect(),
        }
    }
}

/// What a body of a report is to somebody who watches.
fn thing_of(entity: &str, game: &Tumble) -> Option<String> {
    let (_, id) = entity.split_once("body ")?;
    Some(game.things().find(|thing| thing.body.to_string() == id)?.told())
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Planted { machine, tick, spot, always } => {
                let what = match spot {
                    Spot::Velocity => "a crate’s velocity",
                    Spot::Score => "player 1’s points",
                };
                let often = if *always { "whenever it computes that tick" } else { "once" };
                write!(f, "tick {tick}: a bit of {what} goes wrong at {}, {often}", name(*machine))
            }
            Self::Cut { machine, seconds } => {
                write!(f, "{} is cut off for {seconds} s", name(*machine))
            }
            Self::Differ { machine, peer, tick } => {
                let (machine, peer) = (name(*machine), name(*peer));
                write!(f, "tick {tick}: {machine} and {peer} have different digests")
            }
            Self::Desync(found) => found.fmt(f),
            Self::Repaired { machine, tick } => {
                write!(f, "{} computed anew from tick {tick} and is right again", name(*machine))
            }
            Self::Agreed { machine, peer, tick } => {
                write!(f, "tick {tick}: {} and {} agree again", name(*machine), name(*peer))
            }
            Self::Tape { why } => f.write_str(why),
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { machine, peer, tick, entity, thing, field, local, remote, blame, .. } = self;
        write!(f, "desync on tick {tick}: {entity}")?;
        if let Some(thing) = thing {
            write!(f, " ({thing})")?;
        }
        let (here, there) = if self.itself {
            ("computed anew".to_owned(), "before".to_owned())
        } else {
            (format!("at {}", name(*machine)), format!("at {}", name(*peer)))
        };
        write!(f, ", {field}: {local} {here}, {remote} {there}; {blame}")
    }
}
