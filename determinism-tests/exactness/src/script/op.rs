//! Operations of a script and their encoding: a byte that selects the kind by weight, then its arguments.

use super::{CommandArgs, RECORD, SpawnArgs};

/// A call to the world under test, or a short sequence of calls.
///
/// Numbers are resolved when the call is made: a body is one of those that live, a tick one of those that are held, and so
/// on. Some values of each select what does not exist, so that the call must be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `step`, 1 to 21 times; more for greater numbers.
    Step(u8),
    /// `spawn_in`.
    Spawn(SpawnArgs),
    /// Several spawns of the same definition in a row, to fill pages.
    Burst(SpawnArgs, u8),
    /// `command` with any variant but spawn.
    Command(CommandArgs),
    /// `despawn`.
    Despawn(u8),
    /// Spawns a body that was despawned again, with the same definition.
    Respawn(u8),
    /// Despawns a body, steps 0 to 3 times, and spawns it again.
    Cycle(u8, u8),
    /// `rewind` to a tick of the window, or beyond it.
    Rewind(u8),
    /// Repeats the commands that the abandoned timeline had on the present tick, with a change.
    Again(u8),
    /// Rewinds by some ticks and steps to where it was, repeating the commands of each tick with changes.
    Rollback(u8, u8, u8),
    /// `discard_commands`.
    Discard,
    /// `commit`.
    Commit,
    /// `set_history`.
    History(u8),
    /// `pin`.
    Pin(u8),
    /// `unpin`.
    Unpin(u8),
    /// `rewind` to a pinned tick.
    RewindToPin(u8),
    /// `drop_scratch`.
    DropScratch,
    /// `drop_step_records`.
    DropStepRecords,
    /// `set_resim_mode`.
    Mode(u8),
    /// `set_lanes`.
    Lanes(u8),
    /// `set_threads`.
    Threads(u8),
    /// `snapshot` of a held tick, whole or as a delta against another; a fresh world must be able to restore it.
    Snapshot(u8, u8),
    /// `restore` of one of the last snapshots of any timeline.
    Restore(u8),
    /// `restore` of a damaged snapshot.
    RestoreDamaged(u8, u8),
    /// Clones the world; the clone is the other world from now on.
    Clone,
    /// Goes on with the other world.
    Swap,
    /// Makes an empty world with other settings the other world.
    Fresh(u8),
    /// `State::slots`: the world gets the ring of a session.
    Slots(u8),
    /// `State::save`.
    Save(u8),
    /// `State::load`.
    Load(u8),
    /// `State::pin`.
    SlotPin(u8),
    /// `State::unpin`.
    SlotUnpin(u8),
    /// `State::drop_caches`.
    DropCaches,
    /// Reads every held tick: its digest and events must be those that were seen before.
    Look,
    /// `encode`, which has the commands of the present tick, too.
    Encode,
    /// Steps past the held window, drops caches, gives a command, steps on and rewinds to before the command: a misprediction
    /// right after caches were rebuilt. The first number selects how often it steps and which caches are dropped.
    Mispredict(u8, CommandArgs),
    /// Spawns two boxes without weight that drift apart slowly, steps until they sleep, and takes a ball back that hits one of
    /// them. The first number selects the gap between them, which may pass the contact margin just as they fall asleep; the
    /// second one selects the place and the speed.
    Drift(u8, u8),
}

/// Names of the kinds and how many of 256 bytes select each, in the order of [`Op::kind`]. Byte 0 is a step, so that
/// scripts become simpler when their bytes become smaller.
pub const KINDS: [(&str, u8); 37] = [
    ("Step", 43),
    ("Spawn", 24),
    ("Burst", 3),
    ("Command", 34),
    ("Despawn", 6),
    ("Respawn", 6),
    ("Cycle", 6),
    ("Rewind", 18),
    ("Again", 8),
    ("Rollback", 16),
    ("Discard", 4),
    ("Commit", 2),
    ("History", 6),
    ("Pin", 3),
    ("Unpin", 1),
    ("RewindToPin", 3),
    ("DropScratch", 6),
    ("DropStepRecords", 5),
    ("Mode", 6),
    ("Lanes", 2),
    ("Threads", 1),
    ("Snapshot", 6),
    ("Restore", 5),
    ("RestoreDamaged", 1),
    ("Clone", 4),
    ("Swap", 4),
    ("Fresh", 1),
    ("Slots", 4),
    ("Save", 5),
    ("Load", 5),
    ("SlotPin", 2),
    ("SlotUnpin", 1),
    ("DropCaches", 2),
    ("Look", 5),
    ("Encode", 2),
    ("Mispredict", 3),
    ("Drift", 3),
];

impl Op {
    /// Place of its kind in [`KINDS`].
    pub const fn kind(&self) -> usize {
        match self {
            Self::Step(_) => 0,
            Self::Spawn(_) => 1,
            Self::Burst(..) => 2,
            Self::Command(_) => 3,
            Self::Despawn(_) => 4,
            Self::Respawn(_) => 5,
            Self::Cycle(..) => 6,
            Self::Rewind(_) => 7,
            Self::Again(_) => 8,
            Self::Rollback(..) => 9,
            Self::Discard => 10,
            Self::Commit => 11,
            Self::History(_) => 12,
            Self::Pin(_) => 13,
            Self::Unpin(_) => 14,
            Self::RewindToPin(_) => 15,
            Self::DropScratch => 16,
            Self::DropStepRecords => 17,
            Self::Mode(_) => 18,
            Self::Lanes(_) => 19,
            Self::Threads(_) => 20,
            Self::Snapshot(..) => 21,
            Self::Restore(_) => 22,
            Self::RestoreDamaged(..) => 23,
            Self::Clone => 24,
            Self::Swap => 25,
            Self::Fresh(_) => 26,
            Self::Slots(_) => 27,
            Self::Save(_) => 28,
            Self::Load(_) => 29,
            Self::SlotPin(_) => 30,
            Self::SlotUnpin(_) => 31,
            Self::DropCaches => 32,
            Self::Look => 33,
            Self::Encode => 34,
            Self::Mispredict(..) => 35,
            Self::Drift(..) => 36,
        }
    }

    /// Decodes an operation; every record is one.
    pub fn decode([code, a, b, c, d, e]: [u8; RECORD]) -> Self {
        let mut left = code;
        let mut kind = 0;
        while left >= KINDS[kind].1 {
            left -= KINDS[kind].1;
            kind += 1;
        }
        match kind {
            0 => Self::Step(a),
            1 => Self::Spawn(SpawnArgs::decode([a, b, c, d, e])),
            // The count takes the place of the motion: a crowd starts at rest.
            2 => Self::Burst(SpawnArgs::decode([a, b, c, d, 0]), e),
            3 => Self::Command(CommandArgs { what: a, body: b, x: c, y: d, z: e }),
            4 => Self::Despawn(a),
            5 => Self::Respawn(a),
            6 => Self::Cycle(a, b),
            7 => Self::Rewind(a),
            8 => Self::Again(a),
            9 => Self::Rollback(a, b, c),
            10 => Self::Discard,
            11 => Self::Commit,
            12 => Self::History(a),
            13 => Self::Pin(a),
            14 => Self::Unpin(a),
            15 => Self::RewindToPin(a),
            16 => Self::DropScratch,
            17 => Self::DropStepRecords,
            18 => Self::Mode(a),
            19 => Self::Lanes(a),
            20 => Self::Threads(a),
            21 => Self::Snapshot(a, b),
            22 => Self::Restore(a),
            23 => Self::RestoreDamaged(a, b),
            24 => Self::Clone,
            25 => Self::Swap,
            26 => Self::Fresh(a),
            27 => Self::Slots(a),
            28 => Self::Save(a),
            29 => Self::Load(a),
            30 => Self::SlotPin(a),
            31 => Self::SlotUnpin(a),
            32 => Self::DropCaches,
            33 => Self::Look,
            34 => Self::Encode,
            35 => Self::Mispredict(a, CommandArgs { what: b, body: c, x: d, y: e, z: 0 }),
            _ => Self::Drift(a, b),
        }
    }

    /// A record that decodes to this operation.
    pub fn encode(&self) -> [u8; RECORD] {
        let code = KINDS[..self.kind()].iter().map(|kind| kind.1).sum();
        let [a, b, c, d, e] = match *self {
            Self::Spawn(args) => args.encode(),
            Self::Burst(args, count) => {
                let [a, b, c, d, _] = args.encode();
                [a, b, c, d, count]
            }
            Self::Command(CommandArgs { what, body, x, y, z }) => [what, body, x, y, z],
            Self::Mispredict(a, CommandArgs { what, body, x, y, z: _ }) => [a, what, body, x, y],
            Self::Rollback(a, b, c) => [a, b, c, 0, 0],
            Self::Cycle(a, b)
            | Self::Snapshot(a, b)
            | Self::RestoreDamaged(a, b)
            | Self::Drift(a, b) => [a, b, 0, 0, 0],
            Self::Step(a)
            | Self::Despawn(a)
            | Self::Respawn(a)
            | Self::Rewind(a)
            | Self::Again(a)
            | Self::History(a)
            | Self::Pin(a)
            | Self::Unpin(a)
            | Self::RewindToPin(a)
            | Self::Mode(a)
            | Self::Lanes(a)
            | Self::Threads(a)
            | Self::Restore(a)
            | Self::Fresh(a)
            | Self::Slots(a)
            | Self::Save(a)
            | Self::Load(a)
            | Self::SlotPin(a)
            | Self::SlotUnpin(a) => [a, 0, 0, 0, 0],
            Self::Discard
            | Self::Commit
            | Self::DropScratch
            | Self::DropStepRecords
            | Self::Clone
            | Self::Swap
            | Self::DropCaches
            | Self::Look
            | Self::Encode => [0; 5],
        };
        [code, a, b, c, d, e]
    }

    /// Number of steps that [`Self::Step`] with this argument takes.
    pub const fn steps(argument: u8) -> u32 {
        match argument {
            0..128 => 1,
            128..192 => 2 + (argument as u32 - 128) / 16,
            192.. => 6 + (argument as u32 - 192) / 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_fill_a_byte_and_records_come_back() {
        assert_eq!(KINDS.iter().map(|kind| u32::from(kind.1)).sum::<u32>(), 256);
        for code in 0..=255 {
            for args in [[0; 5], [1, 2, 3, 4, 5], [255, 254, 253, 252, 251]] {
                let [a, b, c, d, e] = args;
                let op = Op::decode([code, a, b, c, d, e]);
                assert_eq!(Op::decode(op.encode()), op);
            }
        }
    }
}
