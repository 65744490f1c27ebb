//! Compute paths of a step: lane width and threads. All give the same bits.

use isostep_core::internals::Lanes;
use isostep_core::parallel::Threads;
use isostep_core::world::World;

/// Thread count of the threaded path.
const SEVERAL: u32 = 2;

/// One compute path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputePath {
    /// Lane width.
    pub lanes: Lanes,
    /// Number of threads.
    pub threads: u32,
}

impl ComputePath {
    /// Default path of a world.
    pub fn default_path() -> Self {
        Self { lanes: Lanes::widest(), threads: 1 }
    }

    /// Stable key for programs: the lanes' name on one thread, else the thread count.
    pub fn key(self) -> String {
        match self.threads {
            1 => self.lanes.name().to_owned(),
            threads => format!("{threads}-threads"),
        }
    }

    /// Switches a world to this path. Returns false, and leaves the world unchanged, if this
    /// machine does not support it.
    pub fn select(self, world: &mut World) -> bool {
        let Ok(threads) = Threads::new(self.threads as usize) else { return false };
        if !world.set_lanes(self.lanes) {
            return false;
        }
        world.set_threads(threads);
        true
    }
}

impl core::fmt::Display for ComputePath {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let plural = if self.threads == 1 { "" } else { "s" };
        write!(f, "{}, {} thread{plural}", self.lanes.name(), self.threads)
    }
}

/// All measured paths: every lane width of this machine on one thread, narrowest first, then the
/// widest on two.
pub fn compute_paths() -> Vec<ComputePath> {
    let alone = Lanes::available().map(|lanes| ComputePath { lanes, threads: 1 });
    let several = ComputePath { threads: SEVERAL, ..ComputePath::default_path() };
    alone.chain([several]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_core::world::WorldDef;

    #[test]
    fn a_world_uses_every_listed_compute_path() {
        let paths = compute_paths();
        assert_eq!(paths.first().map(|path| path.key()).as_deref(), Some("scalar"));
        assert!(paths.contains(&ComputePath::default_path()));
        assert_eq!(paths.last().map(|path| path.key()).as_deref(), Some("2-threads"));
        for path in paths {
            let mut world = World::new(WorldDef::default()).unwrap();
            assert!(path.select(&mut world), "{path}");
            let now = ComputePath { lanes: world.lanes(), threads: world.threads().count() as u32 };
            assert_eq!(now, path);
        }
    }

    #[test]
    fn keys_name_what_differs_from_the_default() {
        let mut keys: Vec<String> = compute_paths().iter().map(|path| path.key()).collect();
        let all = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }
}
