//! Synthetic inputs of players and games, for sizes.

use isostep_core::Rng;

pub(super) const TRACES: [Trace; 8] = [
    ("held pad", pad),
    ("press counters", presses),
    ("sweeping stick", sweep),
    ("mouse angles", angles),
    ("mouse deltas", deltas),
    ("tick number", number),
    ("random", random),
    ("idle", idle),
];

/// A name, and a function from one input to the next.
pub(super) type Trace = (&'static str, fn(&mut State));

/// A player: bytes of input, two axes with speeds, and a timer.
pub(super) struct State {
    pub(super) input: Vec<u8>,
    place: [i32; 2],
    speed: [i32; 2],
    timer: u32,
    rng: Rng,
}

/// Returns the first `length` inputs of a trace.
pub(super) fn inputs(trace: Trace, seed: u64, length: usize) -> Vec<Vec<u8>> {
    let mut state =
        State { input: vec![0; 4], place: [0; 2], speed: [0; 2], timer: 0, rng: Rng::new(seed) };
    (0..length)
        .map(|_| {
            trace.1(&mut state);
            state.input.clone()
        })
        .collect()
}

impl State {
    fn below(&mut self, bound: u32) -> u32 {
        self.rng.below(bound).expect("not empty")
    }

    fn around(&mut self, reach: i32) -> i32 {
        self.below(2 * reach as u32 + 1) as i32 - reach
    }
}

/// Buttons, a zero byte, a stick; one tick in eight a button or the stick jumps.
fn pad(state: &mut State) {
    if state.below(8) != 0 {
        return;
    }
    if state.below(2) == 0 {
        state.input[0] ^= 1 << state.below(8);
        return;
    }
    for axis in 2..4 {
        state.input[axis] = if state.below(3) == 0 { 0 } else { state.around(127) as u8 };
    }
}

/// A button held for a while, and its press counter that is not zero for one tick.
fn presses(state: &mut State) {
    state.input[1] = 0;
    if state.timer > 0 {
        state.timer -= 1;
        if state.timer == 0 {
            state.input[0] = 0;
        }
    } else if state.below(8) == 0 {
        let button = state.below(4);
        state.input[0] = 1 << button;
        state.input[1] = 1 << (2 * button);
        state.timer = 2 + state.below(8);
    }
}

/// Buttons, and a stick that moves by up to six units a tick.
fn sweep(state: &mut State) {
    if state.below(40) == 0 {
        state.input[0] ^= 1 << state.below(8);
    }
    for axis in 0..2 {
        let speed = (state.speed[axis] + state.around(1)).clamp(-6, 6);
        let place = state.place[axis] + speed;
        state.place[axis] = place.clamp(-127, 127);
        state.speed[axis] = if place == state.place[axis] { speed } else { -speed / 2 };
        state.input[1 + axis] = state.place[axis] as u8;
    }
}

/// Mouse motion that accelerates, decelerates and rests.
fn look(state: &mut State) {
    if state.below(30) == 0 {
        state.input[0] ^= 1 << state.below(3);
    }
    if state.below(60) == 0 {
        state.timer ^= 1;
        state.speed = [0; 2];
    }
    if state.timer == 0 {
        state.speed[0] = (state.speed[0] + state.around(8)).clamp(-600, 600);
        state.speed[1] = (state.speed[1] + state.around(3)).clamp(-100, 100);
    }
}

/// Buttons and two angles of 16 bits.
fn angles(state: &mut State) {
    look(state);
    for axis in 0..2 {
        state.place[axis] += state.speed[axis];
    }
    words(state, state.place);
}

/// Buttons and mouse deltas, 16 bits in both directions.
fn deltas(state: &mut State) {
    look(state);
    words(state, state.speed);
}

fn words(state: &mut State, values: [i32; 2]) {
    state.input.truncate(1);
    for value in values {
        state.input.extend_from_slice(&(value as u16).to_le_bytes());
    }
}

fn number(state: &mut State) {
    state.place[0] += 1;
    state.input = (0x1_2fa0 + state.place[0]).to_le_bytes().to_vec();
}

fn random(state: &mut State) {
    state.input = state.rng.next_u32().to_le_bytes().to_vec();
}

fn idle(state: &mut State) {
    state.input = vec![0x11, 0, 0x7f, 3];
}
