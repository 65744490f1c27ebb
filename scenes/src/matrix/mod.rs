//! The matrix: every scene in every way in which this target can compute it, and whether it comes out as it does everywhere.
//!
//! Two things are compared. *Straight*: a scene alone, tick by tick, with its golden. *Played*: a scene that two players nudge, in
//! every way of [`Check`](isostep_rollback::check::Check), with every width of lanes and number of threads, each with the straight
//! one, and that with the digest of its last tick in `goldens/played.txt`.
//!
//! A target prints a line for each cell; the table of all targets is put together from those lines.

mod cell;
mod played;
mod table;

pub use cell::{Cell, ParseCellError};
pub use played::{digests_of, mint as mint_played};
pub use table::Table;

use crate::scene_golden::{self, Part, Row, SceneGolden};
use crate::scenes::{NAMES, Size};

/// How far the cells go, in ticks; none at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Small scenes, straight.
    pub small: u32,
    /// Full scenes, straight.
    pub full: u32,
    /// Small scenes, played in every way.
    pub played: u32,
}

impl Extent {
    /// What a build without optimisation can do in little time.
    pub const SLOW: Self = Self { small: 256, full: 0, played: 40 };
    /// What an emulated machine can do in little time.
    pub const QUICK: Self = Self { small: 600, full: 0, played: 120 };
    /// What an optimised build on this machine can do in little time.
    pub const NATIVE: Self = Self { full: 10_000, ..Self::QUICK };
    /// Everything.
    pub const LONG: Self = Self { small: 600, full: 10_000, played: 600 };
}

/// What a matrix reports to while it runs.
pub struct Progress<'a> {
    /// Nanoseconds since whenever; a constant if there is no clock.
    pub clock: &'a mut dyn FnMut() -> u64,
    /// Is told what is done now.
    pub status: &'a mut dyn FnMut(&str),
    /// Gets each cell when it is done.
    pub cell: &'a mut dyn FnMut(Cell),
}

/// Computes all cells of this target, or those of one scene.
///
/// # Errors
/// When a committed golden can't be read.
pub fn run(extent: Extent, only: Option<&str>, progress: &mut Progress<'_>) -> Result<(), String> {
    for name in NAMES.into_iter().filter(|name| only.is_none_or(|only| only == *name)) {
        for (size, until) in [(Size::Small, extent.small), (Size::Full, extent.full)] {
            if until > 0 {
                (progress.status)(&format!("{name}, {}, straight", size.name()));
                let text = scene_golden::committed(name).unwrap_or_default();
                let golden = SceneGolden::parse(name, &scene_golden::path(name), text)
                    .map_err(|error| error.to_string())?;
                straight(&golden, Part { size, until }, progress);
            }
        }
        if extent.played > 0 {
            played::run(name, extent.played, progress)?;
        }
    }
    Ok(())
}

fn straight(golden: &SceneGolden, part: Part, progress: &mut Progress<'_>) {
    let start = (progress.clock)();
    let found = scene_golden::compare(golden, part);
    let nanos = (progress.clock)().wrapping_sub(start);
    let is_of = |row: &&Row| row.size == part.size && row.tick <= part.until;
    let (ticks, digest, difference) = match &found {
        // A golden without lines would be equal to anything.
        Ok(0) => (0, "-".to_owned(), Some("the golden has no line of it; mint it anew".to_owned())),
        Ok(_) => {
            let last = golden.rows.iter().rfind(is_of);
            last.map_or((0, "-".to_owned(), None), |row| (row.tick, row.root.to_string(), None))
        }
        Err(difference) => {
            let row = &difference.computed;
            (row.tick, row.root.to_string(), Some(difference.to_string()))
        }
    };
    (progress.cell)(Cell {
        target: String::new(),
        variant: "default".to_owned(),
        way: "golden".to_owned(),
        scene: format!("{} {}", golden.name, part.size.name()),
        ticks,
        digest,
        nanos,
        difference,
    });
}
