//! Checks of the fuzz target for handshakes. Tests of netcode include this file.
//!
//! A handshake per input would be slow: several are held at their different stages, get each input, and go on to their ends once
//! they have had enough.

use super::peers::{Ends, address};
use super::reuse::{Reused, TargetSpec};
use std::cell::RefCell;
use std::sync::LazyLock;

/// Milliseconds into a handshake: before HELLO arrives, with INIT on its way, with the first data on its way, connected.
const STAGES: [u64; 4] = [0, 1, 2, 3];
/// Most inputs of those that were answered or cost curve arithmetic. Endpoints limit both, to 50 from an expected address at
/// once; a handshake that fails for that reason is none that an input has spoilt.
const MOST_COSTLY: usize = 30;
/// Steps of a handshake at which the last input comes again.
const AGAIN: usize = 6;
/// Milliseconds in which packets that were lost are sent again.
const PATIENCE: u64 = 700;

/// Handshakes at each of their stages.
pub struct Held {
    stages: Vec<Ends>,
    /// Inputs that were answered or cost curve arithmetic.
    costly: usize,
    last: Vec<u8>,
}

impl Held {
    fn new() -> Self {
        let stages = STAGES.map(|millis| {
            let mut ends = Ends::unconnected();
            ends.talk(millis);
            ends
        });
        Self { stages: stages.into(), costly: 0, last: Vec::new() }
    }

    /// Feeds bytes to both sides of each handshake, from the address of the other side; returns true if the handshakes
    /// accept more inputs.
    fn feed(&mut self, data: &[u8]) -> bool {
        let mut costly = false;
        for ends in &mut self.stages {
            for (from, to) in [(0, 1), (1, 0)] {
                let before = ends.both[to].counters();
                ends.both[to].handle_datagram(ends.now, address(from), data);
                let after = ends.both[to].counters();
                costly |= after.sent != before.sent
                    || after.invalid_handshakes != before.invalid_handshakes
                    || after.rate_limited != before.rate_limited;
            }
        }
        self.costly += usize::from(costly);
        self.last = data.to_vec();
        self.costly < MOST_COSTLY
    }

    /// Completes all handshakes, with the last input repeated at each step; returns the first stage whose handshake
    /// fails.
    fn go_on(self) -> Option<usize> {
        let last = self.last;
        self.stages.into_iter().position(|mut ends| {
            for _ in 0..AGAIN {
                for (from, to) in [(0, 1), (1, 0)] {
                    ends.both[to].handle_datagram(ends.now, address(from), &last);
                }
                ends.talk(1);
            }
            let mut millis = 0;
            while !ends.is_connected() && millis < PATIENCE {
                ends.talk(1);
                millis += 1;
            }
            !ends.is_connected()
        })
    }

    fn finish(self) {
        let spoilt = self.go_on();
        assert_eq!(spoilt, None, "unauthenticated bytes failed a handshake at this stage");
    }
}

/// Returns true for a COOKIE of the attempt of these handshakes: an observer can send one that is invalid, and delay
/// the handshake.
fn misleads(data: &[u8]) -> bool {
    static HELLO: LazyLock<Vec<u8>> = LazyLock::new(|| Ends::recorded().swap_remove(0));
    data.len() == 31 && data[..3] == [0x81, 1, 0] && data[3..11] == HELLO[7..15]
}

thread_local! {
    static HANDSHAKE: RefCell<Reused<Held>> = RefCell::default();
}

/// Feeds bytes to both sides at each stage of a handshake, from where the other side is; the handshake comes to its end, unless
/// they mislead it.
///
/// # Panics
/// When it does not.
pub fn handshake(data: &[u8]) {
    if misleads(data) {
        // Alone, so that it excuses no other input.
        let mut held = Held::new();
        held.feed(data);
        held.go_on();
        return;
    }
    let spec = TargetSpec {
        name: "handshake",
        max_inputs: 1000,
        make: Held::new,
        feed: Held::feed,
        finish: Held::finish,
    };
    HANDSHAKE.with_borrow_mut(|reused| reused.run(&spec, data));
}
