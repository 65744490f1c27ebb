//! In which ways this build can compute a step: instructions and threads. The bits are the same on all of them.

use serde::{Deserialize, Serialize};

/// One way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputePath {
    /// Which instructions: `scalar`, or the name of a set of lanes.
    pub lanes: String,
    /// How many threads.
    pub threads: u32,
}

impl core::fmt::Display for ComputePath {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let plural = if self.threads == 1 { "" } else { "s" };
        write!(f, "{}, {} thread{plural}", self.lanes, self.threads)
    }
}

/// All ways that this machine and build have, the default one first.
///
/// The world computes in scalar code on one thread. When it learns others, they are listed here and rows come for each.
pub fn compute_paths() -> Vec<ComputePath> {
    vec![ComputePath { lanes: "scalar".to_owned(), threads: 1 }]
}
