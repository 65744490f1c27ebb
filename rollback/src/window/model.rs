//! Probability model of a tick of input, given the ticks before it: the decisions, in order, and their probabilities.
//!
//! One function, [`Model::tick`], serves writer, reader and training. Probabilities persist over the stream of windows,
//! the recent changes of a byte ([`Track`]) over a window. `SPEC.md` is the specification.

use super::INPUT_BYTES_MAX;
use super::coder::{Chance, Coder};

/// Bytes of input with probabilities of their own; byte 16 shares those of byte 0.
const SLOTS: usize = 16;
/// Errors from here on are coded as eight plain bits, unless they are a power of two (a button).
const RAW_FROM: u32 = 32;
/// The same for a byte whose last change was coded so.
const RAW_FROM_WILD: u32 = 8;

#[derive(Clone, Debug)]
pub(super) struct Model {
    /// Any byte changed. Context: a byte changed in the last tick (1) and in the one before (2).
    active: [Chance; 4],
    slots: [Slot; SLOTS],
    /// A byte at rest changed by the carry of the byte below.
    carried: Chance,
    /// The last step was reversed. Context: the byte moves.
    back: [Chance; 2],
    /// Coded as eight plain bits. Context: the byte moves (1), and its last change was coded so (2).
    raw: [Chance; 4],
    /// The magnitude of the error has more than 1, 2, ... 7 bits. Context: the byte moves.
    longer: [[Chance; 7]; 2],
    /// A magnitude of 3, 4 or 5 bits is a power of two. Context: the byte moves.
    power: [[Chance; 3]; 2],
    /// The error is positive. Context: the last step was none, up, down; for a power of two in a byte at rest, the bit
    /// that it may have toggled was clear, set.
    up: [Chance; 5],
    /// The tick has pieces of commands.
    pieces: Chance,
}

/// Probabilities of one byte of the input.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The byte changed. Context: see [`context_of_change`].
    changed: [Chance; 7],
    /// The step is that of the last tick. Context: the byte below carries.
    again: [Chance; 2],
}

/// Recent changes of the bytes of one window.
#[derive(Clone, Debug)]
pub(super) struct Track {
    /// Changes of the whole input, as `Past::lately` for a byte.
    active: u8,
    past: [Past; INPUT_BYTES_MAX],
}

#[derive(Clone, Copy, Debug)]
struct Past {
    value: u8,
    /// Bit set: changed in the last tick (1) and in the one before (2).
    lately: u8,
    /// Last change, of any age.
    step: i8,
    /// The last change took eight plain bits; correct predictions do not count.
    wild: bool,
}

impl Track {
    /// Starts a window after a tick with this input.
    pub(super) fn new(input: &[u8]) -> Self {
        let mut past = [Past { value: 0, lately: 0, step: 0, wild: false }; INPUT_BYTES_MAX];
        past.iter_mut().zip(input).for_each(|(past, &value)| past.value = value);
        Self { active: 0, past }
    }
}

const fn chances<const N: usize>(yes: [u8; N]) -> [Chance; N] {
    let mut all = [Chance::of(128); N];
    let mut i = 0;
    while i < N {
        all[i] = Chance::of(yes[i]);
        i += 1;
    }
    all
}

fn context_of_change(lately: u8, carry: i8, any: bool) -> usize {
    if carry != 0 {
        usize::from(4 + (lately & 1))
    } else if lately == 0 && any {
        6
    } else {
        usize::from(lately)
    }
}

impl Model {
    /// Initial probabilities in 1/256 "yes", from a search over traces like those of the tests, moderated.
    pub(super) const NEW: Self = Self {
        active: chances([28, 110, 40, 226]),
        slots: [Slot {
            changed: chances([112, 136, 124, 236, 208, 240, 20]),
            again: chances([100, 36]),
        }; SLOTS],
        carried: Chance::of(190),
        back: chances([112, 52]),
        raw: chances([40, 8, 208, 196]),
        longer: [
            chances([192, 192, 160, 168, 132, 180, 64]),
            chances([88, 136, 80, 32, 24, 100, 100]),
        ],
        power: [chances([210, 210, 192]), chances([76, 96, 24])],
        up: chances([136, 120, 140, 236, 40]),
        pieces: Chance::of(1),
    };

    /// Codes the presence of command pieces with a tick.
    #[inline]
    pub(super) fn pieces<C: Coder>(&mut self, coder: &mut C, some: bool) -> bool {
        coder.learn(&mut self.pieces, some)
    }

    /// Codes one tick, from `input` or into it; a reader passes in the tick before.
    #[inline]
    pub(super) fn tick<C: Coder>(&mut self, coder: &mut C, track: &mut Track, input: &mut [u8]) {
        let past = &mut track.past[..input.len()];
        let active = past.iter().zip(&*input).any(|(past, value)| past.value != *value);
        let active = coder.learn(&mut self.active[usize::from(track.active)], active);
        track.active = (track.active << 1 | u8::from(active)) & 3;
        if active {
            self.bytes(coder, past, input);
        } else {
            for (past, value) in past.iter_mut().zip(input) {
                past.lately = past.lately << 1 & 3;
                *value = past.value;
            }
        }
    }

    /// Codes the bytes of a tick of which at least one changed.
    fn bytes<C: Coder>(&mut self, coder: &mut C, past: &mut [Past], input: &mut [u8]) {
        let width = input.len();
        let mut carry = 0;
        let mut any = false;
        for (i, (past, value)) in past.iter_mut().zip(input).enumerate() {
            let context = context_of_change(past.lately, carry, any);
            // If no other byte changed, the last one did, and needs no decision.
            let changed = (i + 1 == width && !any)
                || coder.learn(&mut self.slots[i % SLOTS].changed[context], *value != past.value);
            if changed {
                any = true;
                let step = value.wrapping_sub(past.value) as i8;
                let step = self.step(coder, i % SLOTS, past, carry, step);
                // A byte that wraps may be the low byte of a number, and carries into the next.
                carry = (i16::from(past.value) + i16::from(step)).div_euclid(256) as i8;
                past.value = past.value.wrapping_add(step as u8);
                past.step = step;
            } else {
                carry = 0;
            }
            past.lately = (past.lately << 1 | u8::from(changed)) & 3;
            *value = past.value;
        }
    }

    /// Codes the change of a byte that changed.
    #[inline]
    fn step<C: Coder>(
        &mut self,
        coder: &mut C,
        slot: usize,
        past: &mut Past,
        carry: i8,
        step: i8,
    ) -> i8 {
        let moves = past.lately & 1 == 1;
        let set = usize::from(moves);
        let expected = if moves { past.step } else { 0 };
        let back = past.step.wrapping_neg();
        let error = step.wrapping_sub(expected);
        let magnitude = u32::from(error.unsigned_abs());

        if past.wild {
            let hit = if moves { error == 0 } else { carry != 0 && step == carry };
            let raw = magnitude >= RAW_FROM_WILD && !hit && step != back;
            if coder.learn(&mut self.raw[2 + set], raw) {
                return coder.bits(u32::from(step as u8), 8) as i8;
            }
        }
        if moves {
            let chance = &mut self.slots[slot].again[usize::from(carry != 0)];
            if coder.learn(chance, error == 0) {
                return expected;
            }
        } else if carry != 0 && coder.learn(&mut self.carried, step == carry) {
            return carry;
        }
        if past.step != 0 && coder.learn(&mut self.back[set], step == back) {
            return back;
        }
        if !past.wild {
            let raw = magnitude >= RAW_FROM && !magnitude.is_power_of_two();
            if coder.learn(&mut self.raw[set], raw) {
                past.wild = true;
                return coder.bits(u32::from(step as u8), 8) as i8;
            }
        }
        past.wild = false;
        expected.wrapping_add(self.error(coder, *past, moves, error))
    }

    /// Codes a non-zero prediction error: its length, the bits below its highest bit, its sign.
    #[inline]
    fn error<C: Coder>(&mut self, coder: &mut C, past: Past, moves: bool, error: i8) -> i8 {
        let set = usize::from(moves);
        let magnitude = u32::from(error.unsigned_abs());
        let mut length = 0;
        while length < 7
            && coder.learn(&mut self.longer[set][length], magnitude >> (length + 1) != 0)
        {
            length += 1;
        }
        let below = magnitude & ((1 << length) - 1);
        let rest = match length {
            1 => coder.bits(below, 1),
            2..5 if !coder.learn(&mut self.power[set][length - 2], below == 0) => {
                coder.bits(below, length as u32)
            }
            7 => return i8::MIN,
            _ => 0,
        };
        let context = if rest == 0 && !moves {
            3 + usize::from(past.value >> length & 1)
        } else {
            past.step.signum().rem_euclid(3) as usize
        };
        let magnitude = (1 << length | rest) as i8;
        if coder.learn(&mut self.up[context], error > 0) { magnitude } else { -magnitude }
    }
}
