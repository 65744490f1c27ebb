//! Finds the checkout of Isostep around a folder: unpublished crates are built from it.

use std::path::{Path, PathBuf};

/// Returns true if the folder's `Cargo.toml` is that of the crate `isostep`.
pub(crate) fn is_checkout(folder: &Path) -> bool {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim_end() == "name = \"isostep\"")
}

/// Returns the nearest checkout at or above a folder.
pub(crate) fn above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| is_checkout(folder)).map(Path::to_owned)
}
