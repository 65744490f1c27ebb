//! What a report was measured with.

use crate::paths::compute_paths;
use serde::{Deserialize, Serialize};

/// The machine and the build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Version of Isostep.
    pub version: String,
    /// The processor's own name, if the system tells.
    pub processor: String,
    /// How many threads it runs at once.
    pub threads: u32,
    /// Operating system and architecture.
    pub system: String,
    /// Whether assertions were on: then times mean nothing.
    pub debug: bool,
    /// Whether this was a short run.
    pub quick: bool,
    /// The ways to compute that were measured.
    pub paths: Vec<String>,
    /// Who stands beside, with version.
    pub peers: Vec<String>,
    /// How long the run took, whole seconds.
    pub seconds: u64,
}

impl About {
    /// This machine and this build.
    pub fn here(quick: bool) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            processor: processor(),
            threads,
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            debug: cfg!(debug_assertions),
            quick,
            paths: compute_paths().iter().map(ToString::to_string).collect(),
            peers: Vec::new(),
            seconds: 0,
        }
    }
}

fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| "unknown processor".to_owned(), |(_, name)| name.trim().to_owned())
}
