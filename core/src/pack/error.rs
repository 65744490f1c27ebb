//! What can go wrong with packing (the caller's segments) and unpacking (anything).

use crate::digest::ShortDigest;

/// Why bytes can't be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The segments are not as long as the bytes together.
    #[error("the segments cover {covered} bytes of {length}; they must cover all")]
    Cover {
        /// Sum of the segments.
        covered: u64,
        /// Bytes there are.
        length: u64,
    },
    /// A segment is not made of whole rows, or its key is longer than a row.
    #[error("segment {id} is not made of whole rows, or its key is longer than a row")]
    Rows {
        /// The segment.
        id: u32,
    },
    /// Two segments have the same id.
    #[error("two segments have the id {id}")]
    IdTwice {
        /// Their id.
        id: u32,
    },
    /// More than 4 GB.
    #[error("{length} bytes are too many; a pack holds less than 4 GB")]
    TooLong {
        /// Bytes there are.
        length: u64,
    },
    /// The table of segments outweighs the bytes.
    #[error("{count} segments for so few bytes; leave out empty ones")]
    TooManySegments {
        /// Segments there are.
        count: usize,
    },
}

/// Why bytes can't be unpacked. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// They do not begin like a pack.
    #[error("this is no packed state: it does not begin with IPAK")]
    Magic,
    /// Another version of the format.
    #[error("the pack has format version {found}; this build reads {known}")]
    Version {
        /// Version found.
        found: u8,
        /// Version of this build.
        known: u8,
    },
    /// The bytes end too early.
    #[error("the pack is cut off: {missing} bytes are missing")]
    Truncated {
        /// At least so many.
        missing: u64,
    },
    /// Bytes follow the pack.
    #[error("{extra} bytes follow the pack")]
    Trailing {
        /// How many.
        extra: u64,
    },
    /// The header is damaged.
    #[error("the header of the pack is damaged; ask for it again")]
    Header,
    /// The bytes mean something else than the caller expects.
    #[error(
        "the pack has layout {found:#018x} and {expected:#018x} is expected: another build or game wrote it"
    )]
    Layout {
        /// Layout found.
        found: u64,
        /// Layout asked for.
        expected: u64,
    },
    /// The result would be too long.
    #[error("the pack claims {length} bytes where {limit} are the most")]
    TooLong {
        /// Claimed length.
        length: u64,
        /// The caller's limit.
        limit: u64,
    },
    /// It is a delta and there is no baseline.
    #[error("the pack is a delta against {needed}; give that baseline or ask for a keyframe")]
    NoBaseline {
        /// Digest of the baseline.
        needed: ShortDigest,
    },
    /// It is a delta against something else.
    #[error("the pack is a delta against {needed}, not against {given}; ask for a keyframe")]
    WrongBaseline {
        /// Digest of the right baseline.
        needed: ShortDigest,
        /// Digest of the one given.
        given: ShortDigest,
    },
    /// Segments, alignment or block table contradict themselves.
    #[error("the plan of the pack contradicts itself")]
    Plan,
    /// A block is damaged.
    #[error("block {block} of the pack is damaged; ask for it again")]
    Block {
        /// Its number.
        block: u32,
    },
    /// Every block is sound and the whole is not what was packed.
    #[error("the unpacked bytes do not have the digest that the pack names")]
    Content,
}
