//! Goldens of the scenes: the digest tree of each scene at doubling ticks, in every size, one file per scene.
//!
//! - `row.rs`: one line: size, tick, bytes, digests; computed from a world.
//! - `file.rs`: a file of lines: its text, and the errors of a malformed one.
//! - `compare.rs`: a scene compared with its file: the first tick and the sections that differ.
//! - `dump.rs`: a whole state in a file, for finding the differing entity and field on another machine.
//!
//! Scenes run without players, from the seed [`SEED`].

mod compare;
mod dump;
mod file;
mod row;

pub use compare::{Part, SceneDifference, compare};
pub use dump::{Dump, DumpError};
pub use file::{ParseSceneError, SceneGolden};
pub use row::Row;

use crate::scenes::{NAMES, Size, Spec};

/// Seed of everything random in the goldens.
pub const SEED: u64 = 1;

/// Last tick of a size's lines.
pub const fn last_tick(size: Size) -> u32 {
    match size {
        Size::Small => 600,
        Size::Full => 10_000,
    }
}

/// Ticks of a size's lines: the start, 1 and its doubles, and the last.
pub fn ticks(size: Size) -> impl Iterator<Item = u32> {
    let last = last_tick(size);
    let doubles = (0..).map(|power| 1 << power).take_while(move |tick| *tick < last);
    core::iter::once(0).chain(doubles).chain([last])
}

/// Scene of a golden; `None` if it does not exist.
pub fn spec(name: &str, size: Size) -> Option<Spec> {
    Spec::named(name, size, SEED)
}

/// Path of a scene's golden in the repository.
pub fn path(name: &str) -> String {
    format!("scenes/goldens/scenes/{name}.txt")
}

/// Committed text of a scene's golden.
pub fn committed(name: &str) -> Option<&'static str> {
    macro_rules! texts {
        ($($scene:literal)*) => {
            match name {
                $($scene => Some(include_str!(concat!("../../goldens/scenes/", $scene, ".txt"))),)*
                _ => None,
            }
        };
    }
    texts!("pyramid" "stacks" "bin" "arena" "cradle" "rack" "dominoes" "tumbler" "storm" "sleepers" "far" "extremes" "rods")
}

/// Computes a scene's golden in all sizes, to the last tick of each.
pub fn compute(name: &str) -> Option<SceneGolden> {
    let name = NAMES.into_iter().find(|known| *known == name)?;
    let rows = Size::ALL.into_iter().flat_map(|size| {
        spec(name, size).into_iter().flat_map(move |spec| rows(spec, last_tick(size)))
    });
    Some(SceneGolden { name, rows: rows.collect() })
}

/// Plays a scene and returns the golden's lines up to a tick.
fn rows(spec: Spec, until: u32) -> impl Iterator<Item = Row> {
    let mut scene = spec.play();
    ticks(spec.size()).take_while(move |tick| *tick <= until).map(move |tick| {
        while scene.world.tick().0 < tick {
            scene.step();
        }
        Row::of(spec.size(), &scene.world)
    })
}
