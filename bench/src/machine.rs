//! Machine and build of a report.

use crate::paths::compute_paths;
use serde::{Deserialize, Serialize};

/// The machine and the build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Version of Isostep.
    pub version: String,
    /// Name of the processor, if the system provides it.
    pub processor: String,
    /// Number of hardware threads.
    pub threads: u32,
    /// Operating system and architecture.
    pub system: String,
    /// True if assertions were on, which makes times meaningless.
    pub debug: bool,
    /// True for a short run.
    pub quick: bool,
    /// Measured compute paths.
    pub paths: Vec<String>,
    /// Peers with version.
    pub peers: Vec<String>,
    /// Duration of the run, seconds.
    pub seconds: u64,
}

impl About {
    /// Describes this machine and this build.
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
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| "unknown processor".to_owned(), |(_, name)| name.trim().to_owned())
}
