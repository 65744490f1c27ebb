//! Inputs of the arena, and a script of human-like inputs.

use isostep_core::Rng;
use isostep_derive::Input;
use isostep_rollback::{Button, Buttons, PlayerId, Stick, Tick};
use serde::{Deserialize, Serialize};

/// Jumps, if pressed while the player is grounded.
pub const JUMP: Button<2> = Button::at::<0>();
/// Kicks near bodies.
pub const KICK: Button<2> = Button::at::<1>();

/// Purpose of the random numbers.
const WALK: u64 = 2;
const TAP: u64 = 3;

/// Input of one player for one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Input)]
#[input(crate = isostep_rollback)]
pub struct ArenaInput {
    /// Walking direction: +x, +z.
    pub stick: Stick,
    /// [`JUMP`] and [`KICK`].
    pub buttons: Buttons<2>,
}

/// Command that selects one of the [`LOADOUTS`](super::LOADOUTS).
pub const fn choose_loadout(number: u8) -> [u8; 2] {
    [LOADOUT, number]
}

/// First byte of that command.
pub(super) const LOADOUT: u8 = b'L';

/// Scripted input: holds a direction for 10 to 40 ticks and buttons for 2 to 6 ticks; jumps rarely
/// and kicks often.
pub fn arena_input(seed: u64, player: PlayerId, tick: Tick) -> ArenaInput {
    let before = tick.0.checked_sub(1).map_or(0, |before| held(seed, player, before));
    let buttons = Buttons::none().next(before).and_then(|was| was.next(held(seed, player, tick.0)));
    ArenaInput { stick: stick(seed, player, tick.0), buttons: buttons.unwrap_or_default() }
}

/// Two directions in each 50 ticks; the change is 10 to 40 ticks after the start.
fn stick(seed: u64, player: PlayerId, tick: u32) -> Stick {
    let mut rng = Rng::keyed(seed, u64::from(tick / 50), u64::from(player.0), WALK);
    let mut draw = |below: u32| rng.below(below).unwrap_or(0);
    let change = 10 + draw(31);
    let leanings = [draw(9), draw(9)];
    let (x, y) = match leanings[usize::from(tick % 50 >= change)] {
        0 => (127, 0),
        1 => (-127, 0),
        2 => (0, 127),
        3 => (0, -127),
        4 => (90, 90),
        5 => (90, -90),
        6 => (-90, 90),
        7 => (-90, -90),
        _ => (0, 0),
    };
    Stick::from_steps(x, y).unwrap_or_default()
}

/// Held buttons: each at most once in 32 ticks.
fn held(seed: u64, player: PlayerId, tick: u32) -> u64 {
    let mut rng = Rng::keyed(seed, u64::from(tick / 32), u64::from(player.0), TAP);
    let mut bits = 0;
    for (button, chance) in [(0, 1), (1, 3)] {
        let mut draw = |below: u32| rng.below(below).unwrap_or(0);
        let (wanted, start, length) = (draw(4) < chance, draw(26), 2 + draw(5));
        let down = wanted && (start..start + length).contains(&(tick % 32));
        bits |= u64::from(down) << button;
    }
    bits
}
