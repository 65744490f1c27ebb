//! Errors of packing (wrong segments) and unpacking (untrusted bytes).

use crate::digest::ShortDigest;

/// Error of packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The total length of the segments is not the length of the bytes.
    #[error("the segments cover {covered} of {length} bytes; make them cover all bytes")]
    Cover {
        /// Total length of the segments.
        covered: u64,
        /// Length of the bytes.
        length: u64,
    },
    /// A segment is not made of whole rows, or its key is longer than a row.
    #[error(
        "segment {id} does not consist of whole rows, or its key is longer than a row; correct its length, row or key"
    )]
    Rows {
        /// The segment.
        id: u32,
    },
    /// Two segments have the same id.
    #[error("two segments have the id {id}; make ids unique")]
    IdTwice {
        /// Their id.
        id: u32,
    },
    /// More than 4 GB.
    #[error("{length} bytes are too many; a pack must be smaller than 4 GB")]
    TooLong {
        /// Length of the bytes.
        length: u64,
    },
    /// The segment table is larger than the bytes.
    #[error("{count} segments are too many for so few bytes; leave out empty segments")]
    TooManySegments {
        /// The number of segments.
        count: usize,
    },
}

/// Error of unpacking. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// The bytes do not start like a pack.
    #[error("the bytes are not a packed state: they do not start with IPAK")]
    Magic,
    /// Another version of the format.
    #[error(
        "the pack has format version {found}, and this build reads {known}; use a build that reads it"
    )]
    Version {
        /// Version of the pack.
        found: u8,
        /// Version that this build reads.
        known: u8,
    },
    /// The bytes end too early.
    #[error("the pack ends too early: at least {missing} bytes are missing; request it again")]
    Truncated {
        /// Lower bound of the missing bytes.
        missing: u64,
    },
    /// Bytes follow the pack.
    #[error("{extra} bytes follow the pack; pass exactly one pack")]
    Trailing {
        /// The number of extra bytes.
        extra: u64,
    },
    /// The header is damaged.
    #[error("the header of the pack is damaged; request it again")]
    Header,
    /// The bytes have another meaning than the caller expects.
    #[error(
        "the pack has layout {found:#018x}, not {expected:#018x}; another build or game wrote it"
    )]
    Layout {
        /// Layout of the pack.
        found: u64,
        /// Layout that the caller expects.
        expected: u64,
    },
    /// The result would exceed the limit.
    #[error(
        "the pack claims {length} bytes, and the limit is {limit}; raise the limit or reject the sender"
    )]
    TooLong {
        /// Claimed length.
        length: u64,
        /// The caller's limit.
        limit: u64,
    },
    /// The pack is a delta, and no baseline was given.
    #[error("the pack is a delta against {needed}; pass that baseline or request a keyframe")]
    NoBaseline {
        /// Digest of the baseline.
        needed: ShortDigest,
    },
    /// The pack is a delta against another baseline.
    #[error("the pack is a delta against {needed}, not against {given}; request a keyframe")]
    WrongBaseline {
        /// Digest of the right baseline.
        needed: ShortDigest,
        /// Digest of the given baseline.
        given: ShortDigest,
    },
    /// Segments, alignment or block table are inconsistent.
    #[error("the plan of the pack is inconsistent; request the pack again")]
    Plan,
    /// A block is damaged.
    #[error("block {block} of the pack is damaged; request it again")]
    Block {
        /// Number of the block.
        block: u32,
    },
    /// Every block is intact, but the whole is not the packed image.
    #[error("the unpacked bytes do not match the digest of the pack; request it again")]
    Content,
}
