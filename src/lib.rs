//! Framework for deterministic multiplayer games with rollback: from the same inputs, every machine computes the same world, bit
//! for bit.
//!
//! This crate re-exports the items that games need. They are defined in these crates:
//!
//! - `isostep-core` (its modules [`math`], [`data`], [`shape`], [`world`], [`state`] and [`digest`]): fixed-point numbers,
//!   deterministic containers, the physics world, the interface between a state and a session, and digests of states.
//! - `isostep-rollback` ([`rollback`]): inputs by tick, sessions that predict and roll back, explanations of desyncs, and
//!   a simulated network for tests.
//!   [`check`] computes a game's ticks on every path (straight, rolled back, restored, …) and reports the first difference.
//! - `isostep-netcode` (`netcode`): encrypted connections, transports, and its `Peer`, a machine of a match.
//! - `isostep-derive`: `#[derive(State, Snapshot)]` for a game of several parts, `#[derive(Input)]` for an input of several.
//!
//! The documentation of these modules uses the paths `isostep_core::…` and `isostep_rollback::…`. In a game write `isostep::…`:
//! items of the core have the same path here; those of the others are in [`rollback`] and `netcode`.
//!
//! Start with the example in the README of the repository. The guide is in the folder `docs/`; `isostep new` creates a game.
//!
//! # Features
//! - `netcode` (default): connections, transports and peers.
//! - `ggrs`, `laminar`: adapters for sessions and sockets of ggrs, and for sockets of laminar.
//! - `rayon`: steps on a thread pool of rayon (`World::set_threads`). Without it worlds use threads of this crate.
//! - `glam`, `mint`: conversions to and from their vectors, for rendering. `[f32; 3]` and `[f32; 4]` need no feature.

#![forbid(unsafe_code)]

pub use isostep_core::shape::Shape;
pub use isostep_core::state::Snapshot;
pub use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Combine, Command, CommandError, Event, Filter, JointDef, JointId,
    Layers, Locks, Material, ResimMode, ShapeDef, World, WorldDef,
};
pub use isostep_core::{
    HistoryError, Id, Phase, Quat, Real, Rng, SlotMap, State, StepReport, Transform, Vec3, data,
    digest, math, parallel, real, shape, state, world,
};
/// ```
/// use isostep::{Button, Buttons, Input, Stick};
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, Input)]
/// struct Pad {
///     walk: Stick,
///     buttons: Buttons<2>,
/// }
///
/// const DASH: Button<2> = Button::at::<0>();
/// let tap = Pad { buttons: Buttons::none().press(DASH), ..Pad::default() };
/// assert!(Pad::merge(tap, Pad::default()).buttons.pressed(DASH));
/// ```
pub use isostep_derive::Input;
/// ```
/// use isostep::{Snapshot, State, Tick, World, WorldDef};
///
/// #[derive(State, Snapshot)]
/// struct Game {
///     world: World,
///     scores: Vec<u32>,
/// }
///
/// let mut game = Game { world: World::new(WorldDef::default())?, scores: vec![3, 4] };
/// let mut slots = game.slots(8);
/// game.save(&mut slots, Tick(7))?;
/// let mut bytes = Vec::new();
/// game.snapshot(&slots, Tick(7), &mut bytes)?;
/// let mut other = Game { world: World::new(WorldDef::default())?, scores: Vec::new() };
/// other.restore(&bytes)?;
/// assert_eq!(other.scores, [3, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use isostep_derive::Snapshot;
/// ```
/// use isostep::{BodyDef, BodyId, Shape, State, Tick, World, WorldDef, real};
///
/// #[derive(Clone, serde::Serialize)]
/// struct Hud { score: u32 }
///
/// #[derive(State)]
/// struct Game {
///     world: World,
///     hud: Hud,
///     #[state(fixed)]
///     ball: BodyId,
///     #[state(scratch)]
///     seen: Vec<BodyId>,
/// }
///
/// let mut world = World::new(WorldDef::default())?;
/// let ball = world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?))?;
/// world.commit();
/// let mut game = Game { world, hud: Hud { score: 0 }, ball, seen: Vec::new() };
/// let mut slots = game.slots(8);
/// game.save(&mut slots, Tick(0))?;
/// game.world.step();
/// game.hud.score += 1;
/// game.save(&mut slots, Tick(1))?;
/// game.load(&mut slots, Tick(0))?;
/// assert_eq!((game.world.tick(), game.hud.score), (Tick(0), 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// An enum is not supported:
///
/// ```compile_fail
/// #[derive(isostep::State)]
/// enum Mode { Menu, Play }
/// ```
pub use isostep_derive::State;
#[cfg(feature = "netcode")]
#[doc(inline)]
pub use isostep_netcode as netcode;
#[doc(inline)]
pub use isostep_rollback as rollback;
#[doc(inline)]
pub use isostep_rollback::check;
pub use isostep_rollback::{
    Button, Buttons, GameId, Input, Inputs, Mode, NewestWins, PeerId, PlayerId, Session,
    SessionConfig, Simulation, Stick, Tick, Time,
};

/// The README's example, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The guide to rollback.
#[cfg(doctest)]
#[doc = include_str!("../docs/how-rollback-works.md")]
struct HowRollbackWorks;

/// The guide's example.
#[cfg(doctest)]
#[doc = include_str!("../docs/choosing-delay.md")]
struct ChoosingDelay;

/// The guide to networks.
#[cfg(all(doctest, feature = "netcode"))]
#[doc = include_str!("../docs/over-a-network.md")]
struct OverANetwork;

/// The guide to recordings.
#[cfg(doctest)]
#[doc = include_str!("../docs/replays.md")]
struct Replays;

/// The guide's pages for users of other libraries.
#[cfg(all(doctest, feature = "netcode"))]
#[doc = include_str!("../docs/coming-from-ggrs.md")]
struct ComingFromGgrs;

/// The same for Rapier.
#[cfg(doctest)]
#[doc = include_str!("../docs/coming-from-rapier.md")]
struct ComingFromRapier;

/// The same for `bevy_ggrs`.
#[cfg(doctest)]
#[doc = include_str!("../docs/coming-from-bevy-ggrs.md")]
struct ComingFromBevyGgrs;
