//! Compressed states: packed whole (a keyframe) or as the difference from a baseline (a delta).
//!
//! ```text
//! bytes ──align with the baseline, XOR──▶ rows ──transpose──▶ byte planes ──▶ blocks: zero | LZ | modelled | stored
//! ```
//!
//! - The caller splits the bytes into [`Segments`]. A page or table that grew does not shift later
//!   ones, and rows with a key are compared with the baseline's row of the same key at any
//!   position.
//! - Rows are stored by column, high bytes first. A state consists mostly of numbers without
//!   repetitions for LZ. Their redundancy is the distribution of each byte, and whether the next
//!   higher byte is zero. Each column therefore uses an adaptive model and a range coder;
//!   repetitive columns use LZ4. Each block uses the smallest encoding.
//! - Unpacking is total and bounded. Every block has a digest, so damage is detected and located
//!   before decoding.
//!
//! The codec was chosen by measurement on the bin of 1,000 bodies (`benches/NOTES.md`). Modelled
//! columns are smaller than zstd at level 19 at a quarter of its time or less. They are safe Rust
//! without a C compiler, which zstd needs for each target.

mod align;
mod block;
mod error;
mod layout;
mod lz;
mod model;
mod plan;
mod segments;
mod varint;

pub use error::{PackError, UnpackError};
pub use layout::{Packed, inspect};
pub use segments::{Segment, Segments};

use crate::digest::ShortDigest;
use layout::Header;
use plan::Plan;

/// Trade-off between speed and size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// LZ4 only: about half a gigabyte per second, a quarter more bytes.
    Fast,
    /// The smallest encoding: about 30 MB per second.
    #[default]
    Small,
}

/// Bytes and their segments.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// The segments; their total length is the length of the bytes.
    pub segments: &'a Segments,
}

/// An unpacked image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacked {
    /// The original bytes.
    pub bytes: Vec<u8>,
    /// The original segments, so that the image can be a baseline.
    pub segments: Segments,
}

impl Unpacked {
    /// The image, for use as a baseline.
    pub fn image(&self) -> Image<'_> {
        Image { bytes: &self.bytes, segments: &self.segments }
    }
}

impl Image<'_> {
    /// The digest of bytes and segments. A delta refers to its baseline by this digest.
    pub fn digest(&self) -> ShortDigest {
        let mut hasher = blake3::Hasher::new();
        let mut table = Vec::new();
        self.segments.encode(&mut table);
        hasher.update(&(table.len() as u64).to_le_bytes());
        hasher.update(&table);
        hasher.update(self.bytes);
        crate::digest::Digest::from(hasher.finalize()).short()
    }
}

/// Packs bytes, whole or against a baseline. `layout` is the caller's hash of the meaning of the
/// bytes; unpacking requires the same value.
///
/// # Errors
/// If the segments do not fit the bytes.
///
/// ```
/// use isostep_core::internals::pack::{Effort, Image, Segment, Segments, pack, unpack};
/// // Sixty rows of eight bytes, each with a key in its first two.
/// let rows = |keys: std::ops::Range<u16>| -> Vec<u8> {
///     keys.flat_map(|key| [key.to_le_bytes(), [7, 7], (key * 31).to_le_bytes(), [0, 1]].concat()).collect()
/// };
/// let cut = |bytes: &[u8]| Segments::from_iter([Segment::rows(0, bytes.len() as u32, 8).keyed(2)]);
/// let (old, new) = (rows(10..70), rows(5..65));
/// let (old_cut, new_cut) = (cut(&old), cut(&new));
/// let baseline = Image { bytes: &old, segments: &old_cut };
/// let image = Image { bytes: &new, segments: &new_cut };
///
/// let delta = pack(1, image, Some(baseline), Effort::Small)?;
/// assert_eq!(unpack(&delta, 1, Some(baseline), 1_000)?.bytes, new);
/// assert!(unpack(&delta, 1, None, 1_000).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack(
    layout: u64,
    image: Image<'_>,
    baseline: Option<Image<'_>>,
    effort: Effort,
) -> Result<Vec<u8>, PackError> {
    image.segments.check(image.bytes.len())?;
    if let Some(baseline) = baseline {
        baseline.segments.check(baseline.bytes.len())?;
    }
    let mut rows = image.bytes.to_vec();
    let (plan, spans) = Plan::make(image, baseline);
    if plan.len() > plan::most_bytes(image.bytes.len()) {
        return Err(PackError::TooManySegments { count: image.segments.len() });
    }
    if let Some(baseline) = baseline {
        align::xor(&mut rows, baseline.bytes, &spans);
    }
    let mut bodies = Vec::new();
    let mut table = Vec::new();
    let mut planes = Vec::new();
    let mut start = 0;
    for group in image.segments.groups() {
        let end = start + group.bytes();
        block::transpose(&rows[start..end], group, &mut planes);
        for range in group.blocks() {
            table.push(block::write(&planes, range, group.rows, effort, table.len(), &mut bodies));
        }
        start = end;
    }
    let header = Header {
        layout,
        length: image.bytes.len() as u32,
        digest: image.digest(),
        baseline: baseline.map(|baseline| baseline.digest()),
        plan,
        table,
    };
    let mut out = header.encode();
    out.extend_from_slice(&bodies);
    Ok(out)
}

/// Unpacks untrusted bytes. The result is no longer than `limit`. Working memory is a small
/// multiple of `limit` and of the packed length: `limit` for the columns, and up to eight times
/// `limit` and 512 KB for a malicious plan.
///
/// # Errors
/// If the bytes are not a pack, are damaged, have another layout, need another baseline or exceed
/// the limit. No input panics.
pub fn unpack(
    packed: &[u8],
    layout: u64,
    baseline: Option<Image<'_>>,
    limit: usize,
) -> Result<Unpacked, UnpackError> {
    let (header, bodies) = Header::decode(packed, layout, limit)?;
    let baseline = match (header.baseline, baseline) {
        (None, _) => None,
        (Some(needed), None) => return Err(UnpackError::NoBaseline { needed }),
        (Some(needed), Some(baseline)) => {
            let given = baseline.digest();
            if given != needed {
                return Err(UnpackError::WrongBaseline { needed, given });
            }
            // A baseline with this digest passed the same check when it was packed.
            baseline.segments.check(baseline.bytes.len()).map_err(|_| UnpackError::Plan)?;
            Some(baseline)
        }
    };
    let length = header.length as usize;
    let (segments, spans) = Plan::read(&header.plan, length, baseline)?;
    let mut bytes = vec![0; length];
    let mut planes = Vec::new();
    let mut reader = block::Reader::new(&header.table, bodies);
    let mut start = 0;
    for group in segments.groups() {
        let end = start + group.bytes();
        planes.clear();
        planes.resize(group.bytes(), 0);
        for range in group.blocks() {
            reader.read(&mut planes, range, group.rows)?;
        }
        block::untranspose(&planes, group, &mut bytes[start..end]);
        start = end;
    }
    reader.finish()?;
    if let Some(baseline) = baseline {
        align::xor(&mut bytes, baseline.bytes, &spans);
    }
    let unpacked = Unpacked { bytes, segments };
    if unpacked.image().digest() == header.digest {
        Ok(unpacked)
    } else {
        Err(UnpackError::Content)
    }
}
