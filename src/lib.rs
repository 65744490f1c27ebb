//! Multiplayer games in which every machine computes the same world, bit for bit, on every tick.
//!
//! This crate re-exports the few names a game needs; the parts live in crates of their own:
//!
//! - `isostep-core` (its modules [`math`], [`data`], [`shape`], [`world`], [`state`] and [`digest`]): fixed-point numbers,
//!   deterministic containers, the physics world, the interface between a state and a session, and digests of states.
//! - `isostep-rollback` ([`rollback`]): inputs by tick, sessions that predict and roll back, desyncs that are explained, and
//!   a network in virtual time to try games on.
//!   [`check`] runs a game through every way to a tick, and names what comes out otherwise.
//! - `isostep-netcode` ([`netcode`]): encrypted connections, transports, and a [`Peer`](netcode::Peer) that plays a match over them.
//! - `isostep-derive`: `#[derive(State, Snapshot)]` for a game of several parts, `#[derive(Input)]` for an input of several.
//!
//! Examples on the pages of these modules say `isostep_core::…` and `isostep_rollback::…`, where the items live. In a game write
//! `isostep::…`: everything of the core is under the same path here, and all of the others is in [`rollback`] and [`netcode`].
//!
//! Start with the README of the repository and its example; the guide is in the folder `docs/`, and `isostep new` makes a game.
//!
//! # Features
//! - `netcode` (on unless switched off): everything that has to do with a network.
//! - `ggrs`, `laminar`: adapters for what they have.
//! - `rayon`: steps on the threads of a pool of rayon's (`World::set_threads`); they have threads of their own without it.
//! - `glam`, `mint`: conversions between our vectors and theirs, for rendering. `[f32; 3]` and `[f32; 4]` need no feature.

#![forbid(unsafe_code)]

pub use isostep_core::shape::Shape;
pub use isostep_core::state::Snapshot;
pub use isostep_core::world::{
    BodyDef, BodyId, BodyKind, Combine, Command, CommandError, Event, Filter, Layers, Material,
    ResimMode, ShapeDef, World, WorldDef,
};
pub use isostep_core::{
    HistoryError, Id, Quat, Real, Rng, SlotMap, State, StepReport, Transform, Vec3, data, digest,
    math, parallel, real, shape, state, world,
};
pub use isostep_derive::{Input, Snapshot, State};
#[cfg(feature = "netcode")]
#[doc(inline)]
pub use isostep_netcode as netcode;
#[doc(inline)]
pub use isostep_rollback as rollback;
#[doc(inline)]
pub use isostep_rollback::check;
pub use isostep_rollback::{
    Button, Buttons, Input, Inputs, Mode, NewestWins, PeerId, PlayerId, Session, SessionConfig,
    Simulation, Stick, Tick, Time,
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
