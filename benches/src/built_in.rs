//! Peers of `isostep bench`: Rapier in this process, Rapier with its default features in another,
//! and ggrs.
//!
//! One process can't hold two builds of Rapier, because cargo unifies features. So `benches/peers`
//! is a separate workspace, built when first needed, and its program interleaves with ours through
//! pipes.

use crate::ggrs::{session, wire};
use crate::rapier::Rapier;
use isostep_bench::engine::{Engine, Remote};
use isostep_bench::suite::wire::Trace;
use isostep_bench::suite::{Match, Peers};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Rapier as this package builds it.
pub const RAPIER: &str = "Rapier 0.36, deterministic";
/// Ticks between two digests.
const DIGEST_EVERY: u32 = 16;

/// All peers.
pub struct BuiltIn {
    /// Program with Rapier's default features.
    other: Option<PathBuf>,
    notes: Vec<String>,
}

impl BuiltIn {
    /// Creates all peers. Rapier with its default features is optional, since building it may take
    /// minutes.
    pub fn new(with_default: bool, progress: &mut dyn FnMut(&str)) -> Self {
        let mut notes = Vec::new();
        let mut other = None;
        if with_default {
            progress("building Rapier with its default features (benches/peers)");
            match build() {
                Ok(program) => other = Some(program),
                Err(why) => notes.push(missing(&why)),
            }
        } else {
            notes.push(missing("a short run does not build it a second time"));
        }
        Self { other, notes }
    }
}

fn missing(why: &str) -> String {
    format!("Rapier with its default features was not measured: {why}")
}

/// Builds `benches/peers` beside this program; returns the path of its program.
fn build() -> Result<PathBuf, String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/Cargo.toml");
    if !manifest.exists() {
        return Err(format!(
            "{} is gone; build this program anew where the sources are",
            manifest.display()
        ));
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let beside = own.parent().and_then(Path::parent).unwrap_or_else(|| Path::new("target"));
    let target = beside.join("peers");
    let status = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(&manifest)
        .arg("--target-dir")
        .arg(&target)
        .status()
        .map_err(|error| format!("cargo can't be started: {error}"))?;
    if !status.success() {
        return Err(format!("cargo could not build {}", manifest.display()));
    }
    Ok(target.join("release").join(format!("isostep-peers{}", std::env::consts::EXE_SUFFIX)))
}

impl Peers for BuiltIn {
    fn engines(&mut self) -> Vec<Box<dyn Engine>> {
        let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Rapier::new(RAPIER))];
        match self.other.as_ref().map(|program| Remote::start(program)) {
            Some(Ok(remote)) => engines.push(Box::new(remote)),
            Some(Err(error)) => {
                self.notes.push(missing(&error.to_string()));
            }
            None => (),
        }
        engines
    }

    fn sessions(&mut self, players: usize, digest_every: u32) -> Vec<Box<dyn Match>> {
        use session::{Passing, Theirs};
        [Passing::Messages, Passing::Bytes]
            .map(|passing| -> Box<dyn Match> {
                Box::new(Theirs::new(players, 1, digest_every, passing))
            })
            .into()
    }

    fn wires(&mut self, players: usize, one_way: Duration, trace: Trace) -> Vec<Box<dyn Match>> {
        vec![Box::new(wire::Theirs::new(players, DIGEST_EVERY, one_way, trace))]
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
