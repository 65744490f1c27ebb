//! Events of a match, for the page and for the terminal.

use super::PARTITION;
use crate::drawable::DrawableGame;
use crate::settings::FaultTarget;
use isostep_rollback::{Blame, DesyncReport, SessionEvent};
use isostep_scenes::games::tumble::rules::Tumble;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;

/// An event. Machine indices start at 0, their printed numbers at 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub(crate) enum Note {
    BitFlip {
        machine: usize,
        tick: u32,
        target: FaultTarget,
        always: bool,
    },
    Cut {
        machine: usize,
        tick: u32,
        seconds: u64,
    },
    /// The end of a disconnect.
    Returned {
        machine: usize,
        tick: u32,
    },
    Differ {
        machine: usize,
        peer: usize,
        tick: u32,
    },
    Desync(Box<Difference>),
    Repaired {
        machine: usize,
        tick: u32,
    },
    Agreed {
        machine: usize,
        peer: usize,
        tick: u32,
    },
    /// The recording reached its size limit, or the match outran it.
    RecordingEnded {
        why: String,
    },
}

/// Difference between two machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Difference {
    pub(crate) machine: usize,
    pub(crate) peer: usize,
    pub(crate) tick: u32,
    pub(crate) entity: String,
    /// Index of its body among the drawables.
    pub(crate) body: Option<usize>,
    pub(crate) field: String,
    /// Values on both machines.
    pub(crate) local: String,
    pub(crate) remote: String,
    /// True if one machine found the fault by resimulation; then the values are the correct one and
    /// the stored one.
    pub(crate) itself: bool,
    pub(crate) blame: String,
    /// Entity, field and values of further differences.
    pub(crate) more: Vec<[String; 4]>,
}

fn name(machine: usize) -> String {
    format!("machine {}", machine + 1)
}

impl Note {
    /// Converts a session event; `None` if it is not shown.
    pub(super) fn of(machine: usize, event: &SessionEvent, game: &Tumble) -> Option<Self> {
        Some(match event {
            SessionEvent::DigestsDiffer { peer, tick } => {
                Self::Differ { machine, peer: peer.0.into(), tick: tick.0 }
            }
            SessionEvent::Desync(report) => {
                Self::Desync(Box::new(Difference::new(machine, report, game)))
            }
            SessionEvent::Repaired { from } => Self::Repaired { machine, tick: from.0 },
            SessionEvent::Resynced { peer, tick } => {
                Self::Agreed { machine, peer: peer.0.into(), tick: tick.0 }
            }
            _ => return None,
        })
    }

    pub(super) const fn cut(machine: usize, tick: u32) -> Self {
        Self::Cut { machine, tick, seconds: PARTITION.as_secs() }
    }

    /// JSON with the printed text.
    pub(crate) fn json(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        value["text"] = json!(self.to_string());
        value
    }
}

impl Difference {
    fn new(machine: usize, report: &DesyncReport, game: &Tumble) -> Self {
        let DesyncReport { peer, tick, entity, field, local, remote, more, blame, .. } = report;
        let peer = usize::from(peer.0);
        let text = match blame {
            Blame::Local => format!("{} found its own state wrong", name(machine)),
            Blame::Remote => format!("{} reports that it was wrong", name(peer)),
            Blame::Minority { peers, local: us } => {
                let mut who: Vec<_> = peers.iter().map(|peer| name(peer.0.into())).collect();
                who.extend(us.then(|| name(machine)));
                format!("{}, outvoted by the others", who.join(" and "))
            }
            _ => "undecided: two machines, two results".to_owned(),
        };
        let more = more.iter().map(|it| [&it.entity, &it.field, &it.local, &it.remote]);
        Self {
            machine,
            peer,
            tick: tick.0,
            entity: entity.clone(),
            body: body_of(entity, game),
            field: field.clone(),
            local: local.clone(),
            remote: remote.clone(),
            itself: *blame == Blame::Local,
            blame: text,
            more: more.map(|it| it.map(Clone::clone)).collect(),
        }
    }
}

/// Index of the body of an entity among the drawables: its own, or that of the player.
fn body_of(entity: &str, game: &Tumble) -> Option<usize> {
    if let Some(rest) = entity.strip_prefix("players[") {
        return rest.split_once(']')?.0.parse().ok();
    }
    // The id, followed by the name.
    let id = entity.split_once("body ")?.1.split(' ').next()?;
    game.drawables().position(|thing| thing.body.to_string() == id)
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BitFlip { machine, tick, target, always } => {
                let what = match target {
                    FaultTarget::Velocity => "a crate’s velocity",
                    FaultTarget::Score => "player 1’s points",
                };
                let often = if *always { "whenever it computes that tick" } else { "once" };
                write!(f, "tick {tick}: a bit of {what} is flipped on {}, {often}", name(*machine))
            }
            Self::Cut { machine, tick, seconds } => {
                write!(f, "tick {tick}: {} is disconnected for {seconds} s", name(*machine))
            }
            Self::Returned { machine, tick } => {
                write!(f, "tick {tick}: {} is connected again", name(*machine))
            }
            Self::Differ { machine, peer, tick } => {
                let (machine, peer) = (name(*machine), name(*peer));
                write!(f, "tick {tick}: {machine} and {peer} have different digests")
            }
            Self::Desync(found) => found.fmt(f),
            Self::Repaired { machine, tick } => {
                write!(f, "{} resimulated from tick {tick} and is correct again", name(*machine))
            }
            Self::Agreed { machine, peer, tick } => {
                write!(f, "tick {tick}: {} and {} agree again", name(*machine), name(*peer))
            }
            Self::RecordingEnded { why } => f.write_str(why),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { machine, peer, tick, entity, field, local, remote, blame, .. } = self;
        write!(f, "desync on tick {tick}: {entity}")?;
        let (here, there) = if self.itself {
            ("resimulated".to_owned(), "before".to_owned())
        } else {
            (format!("on {}", name(*machine)), format!("on {}", name(*peer)))
        };
        write!(f, ", {field}: {local} {here}, {remote} {there}; {blame}")
    }
}
