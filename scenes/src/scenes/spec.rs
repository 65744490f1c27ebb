//! List of the scenes and their sizes.

use super::{
    Scene, arena, arena_of, bin, cradle, dominoes, extremes, far, pyramid, rack, rack_of, rods,
    sleepers, stacks, storm, storm_of, tumbler, tumbler_of,
};
use core::fmt;
use isostep_core::real;

/// Names of all scenes.
pub const NAMES: [&str; 13] = [
    "pyramid", "stacks", "bin", "arena", "cradle", "rack", "dominoes", "tumbler", "storm",
    "sleepers", "far", "extremes", "rods",
];

/// Size of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// At most 70 bodies: fast without optimisation and under emulation.
    Small,
    /// Size of the benches: up to 1000 bodies.
    Full,
}

impl Size {
    /// All sizes, smallest first.
    pub const ALL: [Self; 2] = [Self::Small, Self::Full];

    /// Name of the size.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Full => "full",
        }
    }

    /// Size by name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.name() == name)
    }
}

/// Name, size and seed of a scene.
///
/// ```
/// use isostep_scenes::scenes::{Size, Spec};
/// let spec = Spec::named("cradle", Size::Small, 1).expect("there is such a scene");
/// assert_eq!(spec.to_string(), "cradle small");
/// let mut scene = spec.build();
/// scene.step();
/// assert_eq!(scene.world.tick().0, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    name: &'static str,
    size: Size,
    seed: u64,
}

impl Spec {
    /// Scene by name, if it exists; the seed determines its random parts.
    pub fn named(name: &str, size: Size, seed: u64) -> Option<Self> {
        let name = NAMES.into_iter().find(|known| *known == name)?;
        Some(Self { name, size, seed })
    }

    /// All scenes of a size.
    pub fn all(size: Size, seed: u64) -> impl Iterator<Item = Self> {
        NAMES.into_iter().map(move |name| Self { name, size, seed })
    }

    /// Name of the scene.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Size of the scene.
    pub const fn size(self) -> Size {
        self.size
    }

    /// Seed of everything random in it.
    pub const fn seed(self) -> u64 {
        self.seed
    }

    /// Builds the scene before its first step, which spawns all bodies.
    pub fn build(self) -> Scene {
        let Self { name, size, seed } = self;
        match (name, size) {
            ("pyramid", Size::Small) => pyramid(8),
            ("pyramid", Size::Full) => pyramid(20),
            ("stacks", Size::Small) => stacks(4, 4),
            ("stacks", Size::Full) => stacks(10, 5),
            ("bin", Size::Small) => bin(4, seed),
            ("bin", Size::Full) => bin(10, seed),
            ("arena", Size::Small) => arena_of(5, seed),
            ("arena", Size::Full) => arena(seed),
            ("cradle", Size::Small) => cradle(&[2]),
            ("cradle", Size::Full) => cradle(&[1, 2, 3]),
            ("rack", Size::Small) => rack_of(3, real!(6)),
            ("rack", Size::Full) => rack(real!(6)),
            ("dominoes", Size::Small) => dominoes(20),
            ("dominoes", Size::Full) => dominoes(60),
            ("tumbler", Size::Small) => tumbler_of(30, seed),
            ("tumbler", Size::Full) => tumbler(seed),
            ("storm", Size::Small) => storm_of(12, seed),
            ("storm", Size::Full) => storm(seed),
            ("sleepers", Size::Small) => sleepers(40, seed),
            ("sleepers", Size::Full) => sleepers(300, seed),
            ("far", size) => far(size, seed),
            ("extremes", size) => extremes(size, seed),
            ("rods", Size::Small) => rods(2, seed),
            ("rods", Size::Full) => rods(12, seed),
            _ => unreachable!("a spec has a name of the list, and a test builds them all"),
        }
    }

    /// Builds the scene as a game: its bodies exist from the start, so that a session can return to
    /// tick 0. From the first step on it equals [`build`](Self::build).
    pub fn play(self) -> Scene {
        let mut scene = self.build();
        scene.world.commit();
        scene
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.size.name())
    }
}

/// Builds a scene by name in its full size; the seed determines its random parts.
pub fn build(name: &str, seed: u64) -> Option<Scene> {
    Spec::named(name, Size::Full, seed).map(Spec::build)
}
