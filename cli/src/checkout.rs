//! Finds the checkout of Isostep around a folder: unpublished crates are built from it.

use std::path::{Path, PathBuf};

/// Returns true if the folder's `Cargo.toml` is that of the crate `isostep`. The command's own manifest has a program of that name.
pub(crate) fn is_checkout(folder: &Path) -> bool {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let lines = manifest.lines().map(str::trim_end).skip_while(|line| *line != "[package]").skip(1);
    lines.take_while(|line| !line.starts_with('[')).any(|line| line == "name = \"isostep\"")
}

/// Returns the nearest checkout at or above a folder.
pub(crate) fn above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| is_checkout(folder)).map(Path::to_owned)
}
