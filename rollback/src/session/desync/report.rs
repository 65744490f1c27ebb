//! The end of a disagreement: what differs, and whose result is in doubt.

use crate::player::PeerId;
use crate::tick::Tick;
use core::fmt;
use isostep_core::digest::ShortDigest;
use isostep_core::state::StateDifference;

/// Whose result was wrong, as far as that can be known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blame {
    /// Ours: computed again with nothing remembered, it came out otherwise.
    Local,
    /// The peer's: it said so itself.
    Remote,
    /// Of three or more machines, most have one result and these have another.
    Minority {
        /// Who of the peers.
        peers: Vec<PeerId>,
        /// Whether we are among them.
        local: bool,
    },
    /// Nobody can tell: both stand by their result, and no majority has another.
    Unknown,
}

impl Blame {
    /// Who is in the minority, if there is a majority: ours and what peers have said of the same tick.
    pub(super) fn by_majority(
        ours: ShortDigest,
        reports: impl Iterator<Item = (PeerId, ShortDigest)>,
    ) -> Self {
        let mut all: Vec<(Option<PeerId>, ShortDigest)> = vec![(None, ours)];
        all.extend(reports.map(|(peer, digest)| (Some(peer), digest)));
        let votes = |digest| all.iter().filter(|vote| vote.1 == digest).count();
        let Some(most) = all.iter().map(|vote| vote.1).max_by_key(|&digest| votes(digest)) else {
            return Self::Unknown;
        };
        if all.len() < 3 || votes(most) * 2 <= all.len() {
            return Self::Unknown;
        }
        let minority = all.iter().filter(|vote| vote.1 != most);
        Self::Minority { peers: minority.filter_map(|vote| vote.0).collect(), local: ours != most }
    }
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("we were wrong: computed again, it comes out otherwise"),
            Self::Remote => f.write_str("they were wrong, and say so"),
            Self::Unknown => f.write_str("nobody can tell who is wrong"),
            Self::Minority { peers, local } => {
                f.write_str("the others outvote ")?;
                if *local {
                    f.write_str("us")?;
                }
                for (i, peer) in peers.iter().enumerate() {
                    write!(f, "{}{peer}", if i > 0 || *local { ", " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

/// What two machines have differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesyncReport {
    /// Who has it otherwise. When we were wrong by ourselves, a peer that noticed.
    pub peer: PeerId,
    /// The first tick whose states differ, if all between it and the last common one could be compared; else the first
    /// that was.
    pub tick: Tick,
    /// What it belongs to, like `body 5v1` or `players[1]`.
    pub entity: String,
    /// Like `velocity.x`.
    pub field: String,
    /// What we have; when we were wrong by ourselves, what is right.
    pub local: String,
    /// What they have; when we were wrong by ourselves, what we had.
    pub remote: String,
    /// More that differs, in the same part of the state.
    pub more: Vec<StateDifference>,
    /// Whose result was wrong.
    pub blame: Blame,
}

impl DesyncReport {
    pub(super) fn new(
        peer: PeerId,
        tick: Tick,
        mut found: Vec<StateDifference>,
        blame: Blame,
    ) -> Self {
        let first = if found.is_empty() { None } else { Some(found.remove(0)) };
        let StateDifference { entity, field, local, remote } =
            first.unwrap_or_else(|| StateDifference {
                entity: "state".to_owned(),
                field: "digest".to_owned(),
                local: String::new(),
                remote: String::new(),
            });
        Self { peer, tick, entity, field, local, remote, more: found, blame }
    }
}

impl fmt::Display for DesyncReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { peer, tick, entity, field, local, remote, more, blame } = self;
        write!(f, "tick {tick}: {entity}, {field}: ")?;
        match blame {
            Blame::Local => write!(f, "{local} is right, {remote} was here")?,
            _ => write!(f, "{local} here, {remote} at {peer}")?,
        }
        if !more.is_empty() {
            write!(f, " (and {} more)", more.len())?;
        }
        write!(f, "; {blame}")
    }
}
