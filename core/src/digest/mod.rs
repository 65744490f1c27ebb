//! Digests of states: BLAKE3 digests, the walk that computes them for any serde value, and the tree
//! that locates differences.
//!
//! - [`Digest`] and [`ShortDigest`]: 32 bytes, and the first 16 of them for the network.
//! - [`Digest::of_value`], [`leaves`], [`diff`]: a walk over any `Serialize` value, by field.
//! - [`DigestTree`]: world → section → page, compared level by level by two machines that share no
//!   memory.

mod differ;
mod leaf;
mod names;
mod page;
mod sink;
mod tree;
mod tree_codec;
mod walk;

pub use differ::{FieldDifference, diff, leaves};
pub use leaf::{Refusal, WalkError};
pub use names::{Digest, ParseDigestError, ShortDigest};
pub(crate) use page::{PageLeaf, page_digest, page_leaves};
pub use sink::encode;
pub use tree::{DigestTree, PageDifference, Presence, Section, SectionDifference};
pub use tree_codec::{MAX_PAGES, MAX_SECTIONS, TreeError};
pub use walk::{Floats, Unordered, floats, unordered};
