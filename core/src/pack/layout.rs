//! Header of a pack, before its blocks. All numbers are little-endian.
//!
//! ```text
//! 0  "IPAK"                       25  kind: u8 (0 keyframe, 1 delta)
//! 4  version: u8                  26  layout: u64
//! 5  header length: u32           34  length: u32
//! 9  digest of the header: 16     38  digest of the image: 16
//! 25 the header                   54  digest of the baseline: 16, zero for a keyframe
//!                                 70  plan: codec u8 (1 stored, 2 LZ), length u32, packed length u32, bytes
//!                                     count of blocks: u32
//!                                     each: codec u8; unless zero: packed length u32, digest 16
//!    the blocks, back to back
//! ```

use super::block::{Codec, Entry};
use super::error::UnpackError;
use super::{lz, plan};
use crate::bytes::Reader;
use crate::digest::{Digest, ShortDigest};

const MAGIC: [u8; 4] = *b"IPAK";
const VERSION: u8 = 1;

/// The header fields of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The caller's hash of the meaning of the bytes.
    pub layout: u64,
    /// Unpacked length.
    pub length: u32,
    /// [`Image::digest`](super::Image::digest) of the unpacked image.
    pub digest: ShortDigest,
    /// Digest of the required baseline; `None` for a keyframe.
    pub baseline: Option<ShortDigest>,
}

/// Reads the header of a pack without unpacking it.
///
/// # Errors
/// If the bytes are not a pack, or its header is damaged.
pub fn inspect(packed: &[u8]) -> Result<Packed, UnpackError> {
    Ok(front(packed)?.0)
}

pub(super) struct Header {
    pub(super) layout: u64,
    pub(super) length: u32,
    pub(super) digest: ShortDigest,
    pub(super) baseline: Option<ShortDigest>,
    /// The unpacked plan.
    pub(super) plan: Vec<u8>,
    pub(super) table: Vec<Entry>,
}

/// Reader with an error that states how many bytes are missing.
struct Cursor<'a>(Reader<'a>);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], UnpackError> {
        let left = self.0.len();
        let missing = || UnpackError::Truncated { missing: (count - left) as u64 };
        self.0.take(count).ok_or_else(missing)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], UnpackError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn u8(&mut self) -> Result<u8, UnpackError> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Result<u32, UnpackError> {
        self.array().map(u32::from_le_bytes)
    }
}

/// Checks the header and reads its fixed part. Also returns the rest of the header and the bytes
/// after it.
fn front(packed: &[u8]) -> Result<(Packed, Cursor<'_>, &[u8]), UnpackError> {
    let mut cursor = Cursor(Reader::new(packed));
    if !MAGIC.starts_with(&packed[..packed.len().min(MAGIC.len())]) {
        return Err(UnpackError::Magic);
    }
    cursor.take(MAGIC.len())?;
    let found = cursor.u8()?;
    if found != VERSION {
        return Err(UnpackError::Version { found, known: VERSION });
    }
    let header_length = cursor.u32()? as usize;
    let digest = ShortDigest::from_bytes(cursor.array()?);
    let header = cursor.take(header_length)?;
    if Digest::of(header).short() != digest {
        return Err(UnpackError::Header);
    }
    let mut inner = Cursor(Reader::new(header));
    let kind = inner.u8()?;
    let layout = u64::from_le_bytes(inner.array()?);
    let length = inner.u32()?;
    let digest = ShortDigest::from_bytes(inner.array()?);
    let baseline = ShortDigest::from_bytes(inner.array()?);
    let baseline = match kind {
        0 => None,
        1 => Some(baseline),
        _ => return Err(UnpackError::Header),
    };
    Ok((Packed { layout, length, digest, baseline }, inner, cursor.0.rest()))
}

impl Header {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut header = vec![u8::from(self.baseline.is_some())];
        header.extend(self.layout.to_le_bytes());
        header.extend(self.length.to_le_bytes());
        header.extend(self.digest.to_bytes());
        header.extend(self.baseline.unwrap_or_default().to_bytes());
        let packed = lz::compress(&self.plan);
        let (codec, plan) = if packed.len() < self.plan.len() {
            (Codec::Lz, &packed)
        } else {
            (Codec::Stored, &self.plan)
        };
        header.push(codec as u8);
        header.extend((self.plan.len() as u32).to_le_bytes());
        header.extend((plan.len() as u32).to_le_bytes());
        header.extend_from_slice(plan);
        header.extend((self.table.len() as u32).to_le_bytes());
        for entry in &self.table {
            header.push(entry.codec as u8);
            if entry.codec != Codec::Zero {
                header.extend(entry.length.to_le_bytes());
                header.extend(entry.digest.to_bytes());
            }
        }
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        out.extend((header.len() as u32).to_le_bytes());
        out.extend(Digest::of(&header).short().to_bytes());
        out.extend_from_slice(&header);
        out
    }

    /// Decodes the header. Also returns the blocks behind it.
    pub(super) fn decode(
        packed: &[u8],
        layout: u64,
        limit: usize,
    ) -> Result<(Self, &[u8]), UnpackError> {
        let (fixed, mut inner, bodies) = front(packed)?;
        if fixed.layout != layout {
            return Err(UnpackError::Layout { found: fixed.layout, expected: layout });
        }
        if fixed.length as usize > limit {
            let (length, limit) = (u64::from(fixed.length), limit as u64);
            return Err(UnpackError::TooLong { length, limit });
        }
        let plan = Self::plan(&mut inner, limit)?;
        let count = inner.u32()? as usize;
        // A block takes at least one byte, so a false count cannot allocate more than the bytes
        // sent.
        if count > inner.0.len() {
            return Err(UnpackError::Plan);
        }
        let mut table = Vec::with_capacity(count);
        for _ in 0..count {
            let codec = Codec::from_byte(inner.u8()?).ok_or(UnpackError::Plan)?;
            let mut entry = Entry { codec, length: 0, digest: ShortDigest::default() };
            if codec != Codec::Zero {
                entry.length = inner.u32()?;
                entry.digest = ShortDigest::from_bytes(inner.array()?);
            }
            table.push(entry);
        }
        if !inner.0.is_empty() {
            return Err(UnpackError::Plan);
        }
        let Packed { layout, length, digest, baseline } = fixed;
        Ok((Self { layout, length, digest, baseline, plan, table }, bodies))
    }

    fn plan(inner: &mut Cursor<'_>, limit: usize) -> Result<Vec<u8>, UnpackError> {
        let codec = Codec::from_byte(inner.u8()?);
        let length = inner.u32()? as usize;
        let packed_length = inner.u32()? as usize;
        let packed = inner.take(packed_length)?;
        if length > plan::most_bytes(limit) {
            return Err(UnpackError::Plan);
        }
        match codec {
            Some(Codec::Stored) if length == packed_length => Ok(packed.to_vec()),
            Some(Codec::Lz) => {
                let mut plan = vec![0; length];
                lz::decompress(packed, &mut plan).ok_or(UnpackError::Plan)?;
                Ok(plan)
            }
            _ => Err(UnpackError::Plan),
        }
    }
}
