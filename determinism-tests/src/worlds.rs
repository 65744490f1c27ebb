//! The scenes' golden: size and digest of each world at ticks that double, so that a failure says how soon.

use crate::golden::{Golden, Line};
use crate::scenes::{self, Scene};
use isostep_core::real;

/// The committed results.
pub const GOLDEN: &str = include_str!("../goldens/scenes.txt");

/// The last tick that the golden covers.
const LAST_TICK: u32 = 256;

/// The scenes of the golden by name: what is in the bin is fewer than in the bench, for the sake of slow builds.
fn all() -> Vec<(&'static str, Scene)> {
    vec![
        ("pyramid", scenes::pyramid(20)),
        ("stacks", scenes::stacks(10, 5)),
        ("bin", scenes::bin(6, 1)),
        ("arena", scenes::arena(1)),
        ("cradle", scenes::cradle(&[1, 2, 3])),
        ("rack", scenes::rack(real!(6))),
        ("dominoes", scenes::dominoes(60)),
        ("tumbler", scenes::tumbler(1)),
        ("storm", scenes::storm(1)),
        ("sleepers", scenes::sleepers(300, 1)),
    ]
}

/// Steps every scene and takes digests at ticks 1, 2, 4 and so on; `count` is the state's size in bytes.
pub fn compute() -> Golden {
    let mut lines = Vec::new();
    let mut bytes = Vec::new();
    for (name, mut scene) in all() {
        for tick in 1..=LAST_TICK {
            scene.step();
            if tick.is_power_of_two() {
                bytes.clear();
                scene.world.encode(&mut bytes);
                let mut hasher = blake3::Hasher::new();
                hasher.update(&bytes);
                lines.push(Line::new(&format!("{name}@{tick}"), bytes.len() as u64, &hasher));
            }
        }
    }
    Golden { lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_come_out_as_committed() {
        let expected: Golden = GOLDEN.parse().expect("the committed golden");
        let differences = expected.differences(&compute());
        let shown: Vec<_> = differences.iter().map(ToString::to_string).collect();
        assert!(shown.is_empty(), "scenes changed:\n{}", shown.join("\n"));
    }
}
