//! The matrix: every scene on every path that this target supports, compared with the results of
//! all targets.
//!
//! Two things are compared. *Straight*: a scene alone, tick by tick, with its golden. *Played*: a
//! scene nudged by two players, on every path of [`Check`](isostep_rollback::check::Check), with
//! every lane width and thread count. Each is compared with the straight run, and that with the
//! digest of its last tick in `goldens/played.txt`.
//!
//! A target prints a line for each cell; the table of all targets is assembled from those lines.

mod cell;
mod played;
mod table;

pub use cell::{Cell, ParseCellError};
pub use played::{digests_of, mint as mint_played};
pub use table::Table;

use crate::scene_golden::{self, Part, Row, SceneGolden};
use crate::scenes::{NAMES, Size};

/// Length of the runs, in ticks; zero disables a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Small scenes, straight.
    pub small: u32,
    /// Full scenes, straight.
    pub full: u32,
    /// Small scenes, played on every path.
    pub played: u32,
}

impl Extent {
    /// For unoptimised builds.
    pub const SLOW: Self = Self { small: 256, full: 0, played: 40 };
    /// For emulated machines.
    pub const QUICK: Self = Self { small: 600, full: 0, played: 120 };
    /// For optimised native builds.
    pub const NATIVE: Self = Self { full: 10_000, ..Self::QUICK };
    /// The full extent.
    pub const LONG: Self = Self { small: 600, full: 10_000, played: 600 };
}

/// Receiver of a matrix's progress and results.
pub struct Progress<'a> {
    /// Nanoseconds from any origin; constant if there is no clock.
    pub clock: &'a mut dyn FnMut() -> u64,
    /// Receives a description of the current step.
    pub status: &'a mut dyn FnMut(&str),
    /// Receives each finished cell.
    pub cell: &'a mut dyn FnMut(Cell),
}

/// Computes all cells of this target, or those of one scene.
///
/// # Errors
/// If a committed golden can't be read.
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
        // A golden without lines would equal anything.
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
        path: "golden".to_owned(),
        scene: format!("{} {}", golden.name, part.size.name()),
        ticks,
        digest,
        nanos,
        difference,
    });
}
