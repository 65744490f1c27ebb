//! Payload encoding: a sequence of pieces, each a header byte, a length and that many bytes.
//!
//! | header bit | the piece |
//! | --- | --- |
//! | 0 | is the first of its command |
//! | 1 | is the last of its command |
//!
//! The length is a varint in as few bytes as possible. A piece that continues a command is the first of its payload;
//! one that is continued is the last. Only a complete command may be empty. So every sequence of pieces has one
//! encoding, and a payload that one machine validates is accepted by all others.

const FIRST: u8 = 1;
const LAST: u8 = 2;

/// Error of a malformed payload. The sender is broken or hostile: refuse its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The payload exceeds the budget.
    #[error("a payload of {found} bytes exceeds the budget of {budget}")]
    OverBudget {
        /// Its length.
        found: usize,
        /// The budget.
        budget: usize,
    },
    /// A header with unknown bits.
    #[error("a piece has the unknown header {0:#04x}")]
    Header(u8),
    /// The payload ends within a piece.
    #[error("the payload is truncated within a piece")]
    Truncated,
    /// A length that is not minimal, or beyond any payload.
    #[error("a piece has a malformed length")]
    Length,
    /// An empty piece that is not a complete command.
    #[error("a piece is empty")]
    EmptyPiece,
    /// A continuation that is not first in its payload, or a piece after one that is continued.
    #[error("a continued piece is out of order")]
    OutOfPlace,
}

/// Validates an untrusted payload.
///
/// # Errors
/// If it exceeds the budget or is malformed.
///
/// ```
/// use isostep_rollback::internals::{PayloadError, check_payload};
/// assert_eq!(check_payload(&[3, 2, b'h', b'i'], 64), Ok(()));
/// assert_eq!(check_payload(&[3, 2, b'h'], 64), Err(PayloadError::Truncated));
/// ```
pub fn check_payload(payload: &[u8], budget: usize) -> Result<(), PayloadError> {
    if payload.len() > budget {
        return Err(PayloadError::OverBudget { found: payload.len(), budget });
    }
    let mut rest = payload;
    while !rest.is_empty() {
        let opens = rest.len() == payload.len();
        let piece = Piece::take(&mut rest)?;
        if piece.bytes.is_empty() && !(piece.first && piece.last) {
            return Err(PayloadError::EmptyPiece);
        }
        if !(piece.first || opens) || !(piece.last || rest.is_empty()) {
            return Err(PayloadError::OutOfPlace);
        }
    }
    Ok(())
}

/// A part of a command, or a complete one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) first: bool,
    pub(super) last: bool,
    pub(super) bytes: &'a [u8],
}

impl<'a> Piece<'a> {
    /// Returns the maximum number of command bytes in a piece of this size; `None` if a header does not fit.
    pub(super) fn room(room: usize) -> Option<usize> {
        let bytes = room.checked_sub(2)?;
        // Above 127 bytes the length takes a second byte; a third would exceed any budget.
        Some(if bytes <= 127 { bytes } else { bytes - 1 })
    }

    pub(super) fn put(self, out: &mut Vec<u8>) {
        let header = if self.first { FIRST } else { 0 } | if self.last { LAST } else { 0 };
        out.push(header);
        let len = self.bytes.len();
        if len > 127 {
            out.extend([len as u8 | 0x80, (len >> 7) as u8]);
        } else {
            out.push(len as u8);
        }
        out.extend_from_slice(self.bytes);
    }

    /// Reads one from the front.
    pub(super) fn take(rest: &mut &'a [u8]) -> Result<Self, PayloadError> {
        let mut byte = || {
            let (&byte, after) = rest.split_first().ok_or(PayloadError::Truncated)?;
            *rest = after;
            Ok(byte)
        };
        let header = byte()?;
        if header > FIRST | LAST {
            return Err(PayloadError::Header(header));
        }
        let mut len = usize::from(byte()?);
        if len > 127 {
            let high = usize::from(byte()?);
            if high == 0 || high > 127 {
                return Err(PayloadError::Length);
            }
            len = len & 0x7f | high << 7;
        }
        let (bytes, after) = rest.split_at_checked(len).ok_or(PayloadError::Truncated)?;
        *rest = after;
        Ok(Self { first: header & FIRST != 0, last: header & LAST != 0, bytes })
    }
}
