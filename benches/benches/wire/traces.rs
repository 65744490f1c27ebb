//! What players do.

use crate::Pad;
use isostep_determinism_tests::games::arena_input;
use isostep_rollback::{InputCodec, NewestWins, PlayerId, Tick};

/// A way to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trace {
    /// The arena's script: a stick that leans one way for a while, buttons that are tapped.
    Pad,
    /// Two angles of 16 bits that follow a hand: speeds that change by chance, now and then a rest.
    Mouse,
    /// Something random on every tick, which nobody can shorten.
    Noise,
}

impl Trace {
    pub(crate) const ALL: [Self; 3] = [Self::Pad, Self::Mouse, Self::Noise];

    pub(crate) fn input(self, player: usize, tick: u32) -> Pad {
        NewestWins(match self {
            Self::Pad => pad(player, tick),
            Self::Mouse => mouse(player, tick),
            Self::Noise => {
                tick.wrapping_mul(0x9E37_79B9).rotate_left(player as u32)
                    ^ tick.wrapping_mul(0x85EB_CA6B)
            }
        })
    }
}

/// The bytes of the arena's input, which are four.
fn pad(player: usize, tick: u32) -> u32 {
    let codec = InputCodec::new().expect("a fixed width");
    let mut bytes = Vec::new();
    let input = arena_input(1, PlayerId(player as u8), Tick(tick));
    codec.append(input, &mut bytes).expect("its own input");
    bytes.resize(4, 0);
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

/// Angles as the sums of slow waves: a hand that sweeps, with small steps from tick to tick.
fn mouse(player: usize, tick: u32) -> u32 {
    let wave = |length: u32, height: i64, shift: u32| {
        // A parabola there and one back: smooth, and no floats.
        let length = i64::from(length);
        let at = i64::from(tick + shift * player as u32) % (2 * length);
        let (at, sign) = if at < length { (at, 1) } else { (at - length, -1) };
        sign * height * at * (length - at) * 4 / (length * length)
    };
    let turn = wave(90, 6000, 7) + wave(41, 900, 3);
    let lift = wave(130, 2500, 5) + wave(53, 300, 11);
    (turn as u16 as u32) | (lift as u16 as u32) << 16
}
