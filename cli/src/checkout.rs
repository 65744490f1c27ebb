//! The checkout of Isostep that a folder lies in: what is not published yet is built from there.

use std::path::{Path, PathBuf};

/// Whether a folder is a checkout: whether its `Cargo.toml` is that of the crate `isostep`.
pub(crate) fn is_checkout(folder: &Path) -> bool {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim_end() == "name = \"isostep\"")
}

/// The nearest checkout at this folder or above it.
pub(crate) fn above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| is_checkout(folder)).map(Path::to_owned)
}
