//! Encoding of digest trees for files and network. Decoding is total: any bytes give a tree or an
//! error.

use super::names::Digest;
use super::tree::{DigestTree, Section};
use crate::bytes::Reader;

/// Limit of the sections in a decoded tree; a world has a handful.
pub const MAX_SECTIONS: u32 = 1024;
/// Limit of the pages in a decoded section: 32 million bodies at 32 per page, 36 MB.
pub const MAX_PAGES: u32 = 1 << 20;

/// Error of decoding a digest tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The bytes end before the tree does.
    #[error("the digest tree ends too early, at byte {at}; request it again")]
    Truncated {
        /// Offset of the missing byte.
        at: usize,
    },
    /// Bytes are left after the tree.
    #[error("{extra} bytes follow the digest tree; pass exactly one encoded tree")]
    Trailing {
        /// The number of extra bytes.
        extra: usize,
    },
    /// A count beyond [`MAX_SECTIONS`] or [`MAX_PAGES`].
    #[error("the digest tree claims {count} entries, and the limit is {limit}; reject the sender")]
    TooMany {
        /// The count found.
        count: u32,
        /// The largest allowed count.
        limit: u32,
    },
    /// A section name is not UTF-8.
    #[error("a section name in the digest tree is not UTF-8; request the tree again")]
    Name,
    /// Sections or pages are not in strictly ascending order.
    #[error("the digest tree is not in ascending order at byte {at}; request it again")]
    Order {
        /// Offset of the entry.
        at: usize,
    },
}

/// Reader that knows its offset.
struct TreeReader<'a> {
    left: Reader<'a>,
    length: usize,
}

impl<'a> TreeReader<'a> {
    const fn at(&self) -> usize {
        self.length - self.left.len()
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], TreeError> {
        self.left.take(count).ok_or(TreeError::Truncated { at: self.at() })
    }

    fn u32(&mut self) -> Result<u32, TreeError> {
        self.left.u32().ok_or(TreeError::Truncated { at: self.at() })
    }

    fn count(&mut self, limit: u32) -> Result<u32, TreeError> {
        let count = self.u32()?;
        if count > limit { Err(TreeError::TooMany { count, limit }) } else { Ok(count) }
    }

    /// Bytes per page.
    const PAGE: usize = 36;

    fn section(&mut self) -> Result<Section, TreeError> {
        let count = self.count(MAX_PAGES)? as usize;
        let at = self.at();
        // Read before any allocation, so that a false count cannot allocate more than the bytes
        // sent.
        let pages = self.take(count * Self::PAGE)?.chunks_exact(Self::PAGE).map(|page| {
            let (number, digest) = page.split_at(4);
            let number = number.try_into().map_or(0, u32::from_le_bytes);
            (number, Digest::from_bytes(digest.try_into().unwrap_or_default()))
        });
        let pages: Vec<_> = pages.collect();
        if pages.is_sorted_by(|a, b| a.0 < b.0) {
            Ok(Section { pages })
        } else {
            Err(TreeError::Order { at })
        }
    }
}

impl DigestTree {
    /// Appends the tree as bytes.
    #[doc(hidden)]
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut put = |bytes: &[u8]| out.extend_from_slice(bytes);
        put(&(self.sections.len() as u32).to_le_bytes());
        for (name, section) in &self.sections {
            put(&(name.len() as u32).to_le_bytes());
            put(name.as_bytes());
            put(&(section.pages.len() as u32).to_le_bytes());
            for (number, digest) in &section.pages {
                put(&number.to_le_bytes());
                put(&digest.to_bytes());
            }
        }
    }

    /// Decodes a tree. Allocates no more than the length of the bytes.
    ///
    /// # Errors
    /// If the bytes are not exactly the [`encode`](Self::encode) output of a tree within the
    /// limits.
    #[doc(hidden)]
    pub fn decode(bytes: &[u8]) -> Result<Self, TreeError> {
        let mut reader = TreeReader { left: Reader::new(bytes), length: bytes.len() };
        let mut tree = Self::new();
        let mut last: Option<&str> = None;
        for _ in 0..reader.count(MAX_SECTIONS)? {
            let length = reader.u32()? as usize;
            let at = reader.at();
            let name = core::str::from_utf8(reader.take(length)?).map_err(|_| TreeError::Name)?;
            if last.is_some_and(|last| last >= name) {
                return Err(TreeError::Order { at });
            }
            last = Some(name);
            let section = reader.section()?;
            tree.sections.insert(name.to_owned(), section);
        }
        match reader.left.len() {
            0 => Ok(tree),
            extra => Err(TreeError::Trailing { extra }),
        }
    }
}
