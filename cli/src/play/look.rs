//! What there is to see of a match after a tick: every machine's world, and what it cost.

use isostep_core::Transform;

/// Whether the machines agree on the newest tick that all have digested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Verdict {
    /// There is none yet.
    #[default]
    Unknown = 0,
    Agree = 1,
    Differ = 2,
}

/// What all machines see after a tick.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Ticks of the true clock since the start of the match.
    pub(crate) number: u32,
    /// What the tick took, for all machines together.
    pub(crate) micros: u32,
    pub(crate) compared: u32,
    pub(crate) verdict: Verdict,
    /// Ticks that the recording has.
    pub(crate) taped: u32,
    pub(crate) peers: Vec<PeerFrame>,
}

/// What one machine sees. Counts are of this frame.
#[derive(Debug, Default)]
pub(crate) struct PeerFrame {
    pub(crate) present: u32,
    pub(crate) confirmed: u32,
    /// Ticks that rest on guesses.
    pub(crate) lead: u32,
    /// How far it went back.
    pub(crate) depth: u32,
    /// Ticks computed again.
    pub(crate) again: u64,
    /// Bodies of all those ticks that were computed again.
    pub(crate) redone: u32,
    /// Whether it had to wait, 0 or 1.
    pub(crate) stalls: u64,
    pub(crate) sent_bytes: u64,
    /// Input delay of its player, ticks.
    pub(crate) delay: u32,
    /// Ticks a second by the true clock, in thousandths.
    pub(crate) millihertz: u32,
    /// What its simulation took.
    pub(crate) micros: u32,
    /// Points by player.
    pub(crate) score: Vec<i32>,
    /// The first bytes of its digest of the compared tick.
    pub(crate) digest: [u8; 8],
    /// Bodies that were computed again, each with the least of its island.
    pub(crate) groups: Vec<(u8, u8)>,
    pub(crate) bodies: Vec<Body>,
    /// Where bodies were on the confirmed tick, of those that are elsewhere by now.
    pub(crate) ghosts: Vec<(u8, Transform)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) pose: Transform,
    pub(crate) asleep: bool,
}
