//! Makes a failing script small: removes operations, then lowers numbers, as long as it fails in the same way.

use crate::driver::Machine;
use crate::report::{Failure, check_with};
use crate::script::{RECORD, Script};

/// A smaller script that fails like this one, after at most so many runs.
pub fn shrink(failure: Box<Failure>, machine: &Machine, runs: usize) -> Box<Failure> {
    let mut shrinker = Shrinker { best: failure, machine, left: runs };
    loop {
        let before = shrinker.best.script.clone();
        shrinker.remove();
        shrinker.lower();
        if shrinker.left == 0 || shrinker.best.script == before {
            return shrinker.best;
        }
    }
}

struct Shrinker<'a> {
    best: Box<Failure>,
    machine: &'a Machine,
    left: usize,
}

impl Shrinker<'_> {
    /// Takes a script if it fails like the best so far.
    fn offer(&mut self, script: &Script) -> bool {
        if self.left == 0 || *script == self.best.script {
            return false;
        }
        self.left -= 1;
        match check_with(script, self.machine) {
            Err(failure) if manner(&failure.summary) == manner(&self.best.summary) => {
                self.best = failure;
                true
            }
            _ => false,
        }
    }

    /// Removes operations: halves first, then ever fewer at once.
    fn remove(&mut self) {
        let mut size = self.best.script.ops.len().next_power_of_two() / 2;
        while size > 0 {
            let mut end = self.best.script.ops.len();
            while end > 0 {
                let start = end.saturating_sub(size);
                let mut script = self.best.script.clone();
                script.ops.drain(start..end);
                self.offer(&script);
                end = start.min(self.best.script.ops.len());
            }
            size /= 2;
        }
    }

    /// Lowers each byte: to zero, without single bits, by one.
    fn lower(&mut self) {
        let mut at = 0;
        while at < self.best.script.to_bytes().len() {
            let now = self.best.script.to_bytes()[at];
            // The first byte of an operation is its kind.
            let tries: &[u8] = if at >= RECORD && at.is_multiple_of(RECORD) {
                &[0]
            } else {
                &[0, now & 0xf0, now & 0x0f, now & 0xfc, now & 0x7f, now / 2, now.wrapping_sub(1)]
            };
            for value in tries.iter().copied().filter(|value| *value < now) {
                let mut bytes = self.best.script.to_bytes();
                bytes[at] = value;
                if self.offer(&Script::from_bytes(&bytes)) {
                    break;
                }
            }
            at += 1;
        }
    }
}

/// The summary without its numbers.
fn manner(summary: &str) -> String {
    summary.chars().filter(|c| !c.is_ascii_digit()).take(80).collect()
}
