//! Digests of states: BLAKE3 digests, the walk that computes them for any serde value, and the tree
//! that locates differences.
//!
//! - [`Digest`] and [`ShortDigest`]: 32 bytes, and the first 16 of them for the network.
//! - [`GameId`]: the id of a game by its name.
//! - [`Digest::of_value`]: a walk over any `Serialize` value, by field.
//! - `DigestTree`: world → section → page, compared level by level by two machines that share no
//!   memory.

pub(crate) mod differ;
mod game_id;
mod leaf;
mod names;
mod page;
pub(crate) mod sink;
pub(crate) mod tree;
pub(crate) mod tree_codec;
mod walk;

pub use differ::FieldDifference;
pub use game_id::GameId;
pub use leaf::{Refusal, WalkError};
pub use names::{Digest, ParseDigestError, ShortDigest};
pub(crate) use page::{PageLeaf, page_digest, page_leaves};
pub(crate) use tree::DigestTree;
pub use walk::{Floats, Unordered, floats, unordered};
