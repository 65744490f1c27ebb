//! A match as plain data: machines, seats, links, and timed events. Events refer to machines and
//! seats by numbers modulo their count, so that a script still plays with some of them removed.

use super::game::Settings;
use super::links::Profile;
use super::pad::{Guess, InputStyle};
use core::fmt;
use isostep_core::world::ResimMode;
use isostep_rollback::Mode;

/// Properties of one machine that others need not share.
#[derive(Clone, Copy, Debug)]
pub(super) struct MachineSetup {
    pub(super) mode: Mode,
    pub(super) delay: u32,
    /// Adaptive delay, from 0 to 6 ticks.
    pub(super) adaptive: bool,
    pub(super) always_roll_back: bool,
    pub(super) guess: Guess,
    pub(super) resim: ResimMode,
    /// Index into the lane widths; unsupported widths fall back to the widest.
    pub(super) lanes: u8,
    pub(super) drift_ppm: i32,
    pub(super) style: InputStyle,
}

/// Recording of a machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordingSetup {
    pub(super) keyframe_every: u32,
    pub(super) flush_every: u32,
    /// Ticks between two times that blocks are drained. With a short queue some are lost.
    pub(super) taken_every: u32,
    pub(super) queue_bytes: usize,
}

/// Holder of a seat, with a machine by any number.
#[derive(Clone, Copy, Debug)]
pub(super) enum To {
    Machine(u8),
    Bot,
    Empty,
}

/// Change of a machine's compute settings, which never affects results.
#[derive(Clone, Copy, Debug)]
pub(super) enum Knob {
    DropScratch,
    DropRecords,
    Lanes(u8),
    Resim(ResimMode),
    History(u8),
}

/// Corruption of one machine's state; see [`Fault`](super::game::Fault).
#[derive(Clone, Copy, Debug)]
pub(super) enum Glitch {
    Score,
    Push,
    Spawn,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ScriptEvent {
    Link {
        from: u8,
        to: u8,
        profile: Profile,
    },
    Cut {
        from: u8,
        to: u8,
        ticks: u32,
        both: bool,
    },
    Sleep {
        machine: u8,
        ticks: u32,
    },
    Delay {
        seat: u8,
        ticks: u32,
    },
    /// Changes a seat's holder. `sent` takes back ticks that the old one has sent; `late` informs
    /// the other machines later.
    Seat {
        seat: u8,
        to: To,
        ahead: u32,
        sent: bool,
        late: u32,
    },
    Order {
        seat: u8,
        bits: u64,
    },
    Tune {
        machine: u8,
        knob: Knob,
    },
    Record {
        machine: u8,
        tape: RecordingSetup,
    },
    Glitch {
        machine: u8,
        glitch: Glitch,
        after: u32,
    },
    /// Removes a machine; others take its seats.
    Crash {
        machine: u8,
        to: To,
    },
    /// Adds a machine from the recording of another, with a seat or as a spectator through a host.
    Join {
        donor: u8,
        seat: Option<u8>,
        setup: MachineSetup,
    },
    Progress {
        host: u8,
        buffer: u32,
        setup: MachineSetup,
    },
    /// Moves a spectator to another host.
    Rehost {
        spectator: u8,
        host: u8,
    },
}

/// A whole match.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) seed: u64,
    pub(super) settings: Settings,
    /// Ticks of true time before everything settles.
    pub(super) length: u32,
    pub(super) machines: Vec<MachineSetup>,
    /// Holders of the seats at the start.
    pub(super) seats: Vec<To>,
    pub(super) spectators: Vec<(u8, u32, MachineSetup)>,
    pub(super) profile: Profile,
    pub(super) digest_every: u32,
    /// Bytes of commands a tick carries.
    pub(super) budget: usize,
    pub(super) happenings: Vec<(u32, ScriptEvent)>,
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { settings, length, machines, seats, profile, digest_every, budget, .. } = self;
        writeln!(f, "{settings:?}")?;
        writeln!(
            f,
            "{length} ticks over {profile:?}, digests every {digest_every}, {budget} bytes of commands a tick"
        )?;
        writeln!(f, "seats: {seats:?}")?;
        for (machine, setup) in machines.iter().enumerate() {
            writeln!(f, "machine {machine}: {setup:?}")?;
        }
        for (host, buffer, setup) in &self.spectators {
            writeln!(f, "spectator of {host}, {buffer} ticks behind: {setup:?}")?;
        }
        for (at, happening) in &self.happenings {
            writeln!(f, "at {at}: {happening:?}")?;
        }
        Ok(())
    }
}
