//! Random scripts: uniform bytes, so that nothing is favoured but by the weights of operations.

use crate::script::{RECORD, Script};
use isostep_core::Rng;

/// Fewest and most operations of a random script.
const OPS: (u32, u32) = (12, 120);

/// The script with a number in the sequence of a seed.
///
/// # Panics
/// Never: the ranges are not empty.
pub fn random(seed: u64, number: u64) -> Script {
    let mut rng = Rng::keyed(seed, number, 0, 0);
    let ops = OPS.0 + rng.below(OPS.1 - OPS.0 + 1).expect("not empty");
    let length = (ops as usize + 1) * RECORD;
    let bytes: Vec<u8> = (0..length).map(|_| rng.next_u32() as u8).collect();
    Script::from_bytes(&bytes)
}
