//! The command `matrix`: prints this target's cells, a line each, and compares them.

use isostep_scenes::matrix::{self, Extent, Progress};
use isostep_scenes::scenes::NAMES;
use std::process::ExitCode;

const PLAYED: &str = "scenes/goldens/played.txt";

/// Runs the command; `None` if the arguments are not its own.
pub(crate) fn run(arguments: &[&str]) -> Option<ExitCode> {
    let (mut extent, mut only) = (Extent::QUICK, None);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match *argument {
            "--mint" => return Some(mint()),
            "--slow" => extent = Extent::SLOW,
            "--native" => extent = Extent::NATIVE,
            "--long" => extent = Extent::LONG,
            "--scene" => only = Some(*arguments.next().filter(|name| NAMES.contains(name))?),
            _ => return None,
        }
    }
    Some(compute(extent, only))
}

#[allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a program outside the simulation: it reads the clock for its table"
)]
fn compute(extent: Extent, only: Option<&str>) -> ExitCode {
    let start = std::time::Instant::now();
    let (mut equal, mut different) = (0, 0);
    let mut progress = Progress {
        clock: &mut || start.elapsed().as_nanos() as u64,
        status: &mut |_| (),
        cell: &mut |cell| {
            *if cell.difference.is_none() { &mut equal } else { &mut different } += 1;
            println!("{cell}");
        },
    };
    let done = matrix::run(extent, only, &mut progress);
    let arch = std::env::consts::ARCH;
    match done {
        Err(error) => super::misuse(&error),
        Ok(()) if different == 0 && equal > 0 => {
            println!("matrix: equal to the golden ({arch}, {equal} cells)");
            ExitCode::SUCCESS
        }
        Ok(()) => {
            println!("differs:\n  {different} of {} cells, see above", equal + different);
            ExitCode::FAILURE
        }
    }
}

fn mint() -> ExitCode {
    match matrix::mint_played() {
        Ok(golden) => super::mint(PLAYED, &golden),
        Err(error) => super::misuse(&error),
    }
}
