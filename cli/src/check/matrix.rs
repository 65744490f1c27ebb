//! Checks other targets: builds the repository for each, runs it there, and collects the cells in
//! one table.

use super::{CheckError, code, local};
use crate::checkout;
use isostep_scenes::matrix::Table;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Script that builds and runs the other targets.
const DRIVER: &str = "determinism-tests/cross/run";

pub(super) fn run(targets: &[&String], long: bool, as_json: bool) -> Result<ExitCode, CheckError> {
    let folder = std::env::current_dir().ok();
    let root = folder.and_then(|folder| checkout::above(&folder)).ok_or(CheckError::NoCheckout)?;
    let folder = root.join("target/matrix");
    let failed = |error| CheckError::Write { path: folder.clone(), error };
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut driver = Command::new("bash");
    driver.arg(root.join(DRIVER)).arg("--cells").arg(&folder).current_dir(&root);
    if long {
        driver.arg("--long");
    }
    // The driver's own output is progress; its results are in files.
    driver.args(targets).stdin(Stdio::null()).stdout(std::io::stderr());
    let status = driver.status().map_err(CheckError::NoDriver)?;
    let table = collect(&folder).map_err(failed)?;
    local::print(&table, as_json)?;
    Ok(match status.code() {
        // The driver also compares numbers, recordings and injected faults, so its exit code counts
        // as well.
        Some(0) => code(table.is_equal()),
        Some(1) => code(false),
        _ => ExitCode::from(2),
    })
}

/// Reads the driver's results: `TARGET.cells`, or `TARGET.skipped` with the reason.
fn collect(folder: &Path) -> std::io::Result<Table> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    let mut table = Table::default();
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        // File names sort in the order of the runs: 01-x86_64-release.
        let target = stem.split_once('-').map_or(&*stem, |(_, name)| name);
        let text = fs::read_to_string(&path)?;
        if path.extension().is_some_and(|extension| extension == "skipped") {
            table.skipped.push((target.to_owned(), text.trim().to_owned()));
        } else {
            table.add(target, &text);
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_targets_form_a_table_in_run_order() {
        let folder = std::env::temp_dir().join(format!("isostep-matrix-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let line = "cell\tdefault\tstraight\tbin small\t120\t00ff\t5\tequal\n";
        fs::write(folder.join("02-aarch64-release.cells"), line).expect("written");
        fs::write(folder.join("01-x86_64-debug.cells"), line).expect("written");
        fs::write(folder.join("03-s390x-release.skipped"), "no compiler\n").expect("written");
        let table = collect(&folder).expect("read");
        fs::remove_dir_all(&folder).expect("removed");
        let targets: Vec<_> = table.cells.iter().map(|cell| &cell.target[..]).collect();
        assert_eq!(targets, ["x86_64-debug", "aarch64-release"]);
        assert_eq!(table.skipped, [("s390x-release".to_owned(), "no compiler".to_owned())]);
    }
}
