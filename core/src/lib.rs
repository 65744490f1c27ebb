//! The deterministic core of Isostep: fixed-point math, containers and the physics world.
//!
//! Every function depends only on its arguments: the same bits on every platform, in debug and
//! release builds, with any thread count. It uses no floats, no hash maps and no clock.
//!
//! - [`math`]: fixed-point numbers, vectors, rotations.
//! - [`world`]: bodies, contacts, steps and rollback; [`shape`]: collision shapes and mass.
//! - [`data`]: ids, slot map, random numbers.
//! - [`digest`]: digests of states, and the location of differences.
//! - [`parallel`]: worker threads with results independent of their number.
//! - [`state`]: the interface between a game's state and a rollback session.

mod broad;
mod bytes;
mod collide;
pub mod data;
mod debug_draw;
pub mod digest;
mod history;
pub mod math;
mod pack;
pub mod parallel;
mod query;
pub mod shape;
pub mod state;
mod step;
mod tick;
pub mod world;

#[doc(hidden)]
pub mod internals {
    //! Parts for the other crates of this repository and its tests.
    //!
    //! Not covered by semver: anything here may change in any release. The same holds for methods that the documentation hides.
    pub use crate::bytes::{Reader, put_varint, unzigzag, zigzag};
    pub use crate::data::bit_set::BitSet;
    pub use crate::data::fixed_vec::{CapacityExceeded, FixedVec};
    pub use crate::data::id::{IdPool, InvalidPool, PoolFull};
    pub use crate::data::sort::sort_by_key;
    pub use crate::data::tournament::Tournament;
    pub use crate::data::union_find::UnionFind;
    pub use crate::digest::differ::{diff, leaves};
    pub use crate::digest::sink::encode;
    pub use crate::digest::tree::{
        DigestTree, PageDifference, Presence, Section, SectionDifference,
    };
    pub use crate::digest::tree_codec::{MAX_PAGES, MAX_SECTIONS, TreeError};
    pub use crate::history::History;
    pub use crate::math::aabb::{Aabb, InvertedBox};
    pub use crate::math::lane::{Lane, Q20, Q22, Q24, Q30, Wide};
    pub use crate::math::mat3::{Mat3, Sym3};
    pub use crate::shape::mass::MassProperties;
    pub use crate::state::world::WorldSlots;
    pub use crate::step::Lanes;
    pub use crate::world::explain::{ExplainError, FieldValue, RowDifference};
    pub use crate::world::islands::Islands;
    pub use crate::world::registry::StateSection;
    pub use crate::world::rewind::HistoryReport;

    pub mod pack {
        //! Compressed states.
        pub use crate::pack::{
            Effort, Image, PackError, Packed, Segment, Segments, UnpackError, Unpacked, inspect,
            pack, unpack,
        };
    }
}

#[cfg(feature = "test-internals")]
#[doc(hidden)]
pub mod test_internals {
    //! Fault injection, for tests that must detect a broken rule.
    pub use crate::step::{Fault, Rule};
}

#[cfg(feature = "bench-internals")]
#[doc(hidden)]
pub mod bench_internals {
    //! Crate-private parts for benches.
    pub use crate::broad::bench::Broad;
}

pub use data::{Id, Rng, SlotMap};
pub use history::HistoryError;
pub use math::{Quat, Real, Transform, Vec3};
pub use state::State;
pub use step::{Phase, StepReport};
pub use tick::Tick;
