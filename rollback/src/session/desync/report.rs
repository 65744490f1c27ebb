//! Result of the desync protocol: the differing fields and the machine at fault.

use crate::Tick;
use crate::player::PeerId;
use core::fmt;
use isostep_core::digest::ShortDigest;
use isostep_core::state::StateDifference;

/// Machine at fault in a desync.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blame {
    /// This machine: resimulation with caches dropped gives another result.
    Local,
    /// The peer: its own recheck changed its result.
    Remote,
    /// The machines whose result differs from that of the majority, of three or more.
    Minority {
        /// Peers in the minority.
        peers: Vec<PeerId>,
        /// This machine is in the minority.
        local: bool,
    },
    /// Undecided: both rechecks confirm their results, and there is no majority against either.
    Unknown,
}

impl Blame {
    /// Finds the minority among the local digest and those of the peers for the same tick.
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
            Self::Local => {
                f.write_str("the local state was wrong: resimulation gives another result")
            }
            Self::Remote => f.write_str("the peer was wrong, and has reported it"),
            Self::Unknown => f.write_str("the machine at fault is unknown"),
            Self::Minority { peers, local } => {
                f.write_str("the majority differs from ")?;
                if *local {
                    f.write_str("this machine")?;
                }
                for (i, peer) in peers.iter().enumerate() {
                    write!(f, "{}{peer}", if i > 0 || *local { ", " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

/// Difference between the states of two machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesyncReport {
    /// The peer whose state differs; after a local fault, a peer that noticed it.
    pub peer: PeerId,
    /// The first tick whose states differ, if all ticks since the last common state could be compared; otherwise the
    /// first compared one.
    pub tick: Tick,
    /// Entity of the field, such as `body 5v1` or `players[1]`.
    pub entity: String,
    /// Field, such as `velocity.x`.
    pub field: String,
    /// Local value; after a local fault, the repaired value.
    pub local: String,
    /// Value of the peer; after a local fault, the wrong value.
    pub remote: String,
    /// Further differences in the same part of the state.
    pub more: Vec<StateDifference>,
    /// Reason if no differing field was found. The entity is then `state`, the field `digest`, and the values are the two
    /// digests or `unknown`.
    pub unexplained: Option<&'static str>,
    /// Machine at fault.
    pub blame: Blame,
}

/// Reason of a report without a field: both machines now hold the same state of the tick whose digests differed.
pub(super) const CHANGED: &str = "the states that the machines hold by now are equal, so a resimulation has changed one; check \
    with SyncTest that the game keeps nothing outside of its state";
/// Reason of a report without a field: the peer compares another tick or another level.
pub(super) const MISFIT: &str = "the machines compare different states: a resimulation has changed one, or the peer runs another \
    version; check with SyncTest that the game keeps nothing outside of its state";
/// Reason of a report without a field.
pub(super) const UNREADABLE: &str = "the state of that tick cannot be read any more";
/// Reason of a report without a field.
pub(super) const UNANSWERED: &str = "the peer did not answer in time";

/// Value of a digest that is not known any more.
const UNKNOWN: &str = "unknown";

impl DesyncReport {
    pub(super) fn new(
        peer: PeerId,
        tick: Tick,
        mut found: Vec<StateDifference>,
        blame: Blame,
    ) -> Self {
        if found.is_empty() {
            return Self::unexplained(peer, tick, (None, None), CHANGED, blame);
        }
        let StateDifference { entity, field, local, remote } = found.remove(0);
        Self { peer, tick, entity, field, local, remote, more: found, unexplained: None, blame }
    }

    /// Creates a report without a field, with the local digest and that of the peer.
    pub(super) fn unexplained(
        peer: PeerId,
        tick: Tick,
        (ours, theirs): (Option<ShortDigest>, Option<ShortDigest>),
        reason: &'static str,
        blame: Blame,
    ) -> Self {
        // A resimulation may have made the local digest equal since.
        let differing = ours != theirs;
        let text = |digest: Option<ShortDigest>| {
            let digest = digest.filter(|_| differing);
            digest.map_or_else(|| UNKNOWN.to_owned(), |digest| digest.to_string())
        };
        Self {
            peer,
            tick,
            entity: "state".to_owned(),
            field: "digest".to_owned(),
            local: text(ours),
            remote: text(theirs),
            more: Vec::new(),
            unexplained: Some(reason),
            blame,
        }
    }
}

impl fmt::Display for DesyncReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { peer, tick, entity, field, local, remote, more, unexplained, blame } = self;
        if let Some(reason) = unexplained {
            write!(f, "tick {tick}: the digests of the state differed")?;
            if local != UNKNOWN && remote != UNKNOWN {
                write!(f, ", {local} here, {remote} at {peer}")?;
            }
            return write!(f, ", and no field was found: {reason}; {blame}");
        }
        write!(f, "tick {tick}: {entity}, {field}: ")?;
        match blame {
            Blame::Local => write!(f, "{remote} here, {local} is correct")?,
            _ => write!(f, "{local} here, {remote} at {peer}")?,
        }
        if !more.is_empty() {
            let fields = if more.len() == 1 { "field" } else { "fields" };
            write!(f, ", and {} more {fields}", more.len())?;
        }
        write!(f, "; {blame}")
    }
}
