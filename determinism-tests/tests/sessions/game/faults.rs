//! Faults of one machine. The permanent one must be found by the checker; the transient ones must
//! be found and repaired by the session itself.

use super::build::crate_def;
use super::{Skirmish, THINGS};
use isostep_core::{Vec3, real};
use isostep_rollback::Tick;

/// Fault of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Fault {
    /// From this tick on, the actions of a seat have no effect.
    IgnoresInput { from: Tick, seat: u8 },
    /// An extra point after this many steps of the machine.
    Score { call: u32 },
    /// An extra push.
    Push { call: u32 },
    /// An extra body.
    Spawn { call: u32 },
}

impl Skirmish {
    /// Returns the actions of a seat as this machine receives them.
    pub(super) fn received(&self, tick: Tick, seat: usize, act: u8) -> u8 {
        match self.local.fault {
            Some(Fault::IgnoresInput { from, seat: deaf })
                if usize::from(deaf) == seat && tick >= from =>
            {
                0
            }
            _ => act,
        }
    }

    /// Applies a transient fault once.
    pub(super) fn corrupt(&mut self) {
        let calls = self.local.calls;
        match self.local.fault {
            Some(Fault::Score { call }) if call == calls => self.board.fighters[0].score += 1,
            Some(Fault::Push { call }) if call == calls => {
                let pushed = self.world.apply_impulse(self.board.roller, Vec3::Y * real!(4));
                pushed.expect("the roller is always dynamic");
            }
            Some(Fault::Spawn { call }) if call == calls => {
                let made = self.world.spawn_in(THINGS, crate_def(Vec3::from_ints(0, 4, 0)));
                made.expect("a sound body");
            }
            _ => (),
        }
    }
}
