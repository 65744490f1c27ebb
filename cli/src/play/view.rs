//! Views of a match after a tick: every machine's world and its cost.

use isostep_core::Transform;
use isostep_core::world::DebugLine;

/// Comparison of digests on the newest tick that all machines have digested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Verdict {
    /// No common tick yet.
    #[default]
    Unknown = 0,
    Agree = 1,
    Differ = 2,
}

/// Views of all machines after a tick.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Ticks of the true clock since the start of the match.
    pub(crate) number: u32,
    /// Time of the tick for all machines together, microseconds.
    pub(crate) micros: u32,
    pub(crate) compared: u32,
    pub(crate) verdict: Verdict,
    /// Ticks in the recording.
    pub(crate) recorded: u32,
    pub(crate) peers: Vec<PeerFrame>,
    /// Packets sent since the last frame.
    pub(crate) packets: Vec<Packet>,
}

/// A packet between two machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Machine indices.
    pub(crate) from: u8,
    pub(crate) to: u8,
    /// Time of flight from now on; `None` if the packet is lost.
    pub(crate) millis: Option<u16>,
}

/// View of one machine. Counters cover this frame only.
#[derive(Debug, Default)]
pub(crate) struct PeerFrame {
    pub(crate) present: u32,
    pub(crate) confirmed: u32,
    /// Predicted ticks.
    pub(crate) lead: u32,
    /// Depth of the rollback, ticks.
    pub(crate) depth: u32,
    /// Resimulated ticks.
    pub(crate) again: u64,
    /// Resimulated bodies, summed over those ticks.
    pub(crate) redone: u32,
    /// 1 if the machine stalled, else 0.
    pub(crate) stalls: u64,
    pub(crate) sent_bytes: u64,
    /// Input delay of its player, ticks.
    pub(crate) delay: u32,
    /// Rate of the clock in thousandths of a hertz, with drift and dilation. A machine that stalls plays fewer ticks.
    pub(crate) millihertz: u32,
    /// False while the machine is disconnected.
    pub(crate) connected: bool,
    /// Simulation time, microseconds.
    pub(crate) micros: u32,
    /// Points by player.
    pub(crate) score: Vec<i32>,
    /// First bytes of its digest of the compared tick.
    pub(crate) digest: [u8; 8],
    /// Resimulated bodies, each with the lowest body of its island.
    pub(crate) groups: Vec<(u8, u8)>,
    pub(crate) bodies: Vec<Body>,
    /// Confirmed poses of bodies that are elsewhere now.
    pub(crate) ghosts: Vec<(u8, Transform)>,
    /// Debug lines of its current tick.
    pub(crate) lines: Vec<DebugLine>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) pose: Transform,
    pub(crate) asleep: bool,
}
