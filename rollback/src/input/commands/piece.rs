//! Payloads in bytes: a row of pieces, each a header byte, a length and that many bytes.
//!
//! | header bit | the piece |
//! | --- | --- |
//! | 0 | is the first of its command |
//! | 1 | is the last of its command |
//!
//! The length takes seven bits a byte, low ones first, in as few bytes as possible. A piece that is not the first of its
//! command opens the payload, and one that is not the last closes it. Only a whole command may be empty. So every row of
//! pieces has one form, and what a machine checks before it passes a payload on is what all others accept.

const FIRST: u8 = 1;
const LAST: u8 = 2;

/// Why bytes are not a payload. The sender is broken or hostile: refuse its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// Longer than a tick may carry.
    #[error("a payload of {found} bytes, with a budget of {budget}")]
    OverBudget {
        /// How long it is.
        found: usize,
        /// How long it may be.
        budget: usize,
    },
    /// A header with bits that mean nothing.
    #[error("a piece with header {0:#04x}")]
    Header(u8),
    /// It ends within a piece.
    #[error("a payload that ends within a piece")]
    Truncated,
    /// A length in more bytes than it needs, or beyond any payload.
    #[error("a piece with a malformed length")]
    Length,
    /// A piece without bytes that is not a whole command.
    #[error("a piece without bytes")]
    EmptyPiece,
    /// A continuation that does not open the payload, or something after a piece that is to be continued.
    #[error("a piece out of place")]
    OutOfPlace,
}

/// Checks a payload from outside before it is accepted.
///
/// # Errors
/// When it is longer than the budget or not a row of pieces.
///
/// ```
/// use isostep_rollback::{PayloadError, check_payload};
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

/// A part of a command, or the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) first: bool,
    pub(super) last: bool,
    pub(super) bytes: &'a [u8],
}

impl<'a> Piece<'a> {
    /// The most bytes of a command that a piece can carry in this much room; `None` when not even a header fits.
    pub(super) fn room(room: usize) -> Option<usize> {
        let bytes = room.checked_sub(2)?;
        // Beyond 127 the length takes a second byte, beyond any budget a third.
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

    /// Takes one from the front.
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
