//! Messages of the desync protocol, as bytes. Lengths are checked before anything is allocated.

use crate::Tick;
use isostep_core::digest::ShortDigest;
use isostep_core::internals::Reader;

/// Maximum number of sections in a tree.
const MAX_SECTIONS: usize = 128;
/// Maximum length of a section's name, in bytes.
const MAX_NAME: usize = 128;
/// Maximum number of digests in one message.
pub(super) const MAX_DIGESTS: usize = 512;

/// A message of the desync protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// Result of the sender's recheck: the digest of each tick after `from`.
    Rechecked { from: Tick, fault: bool, trail: Vec<ShortDigest> },
    /// Digests of the sections of a tick's state.
    Sections { tick: Tick, digests: Vec<(String, ShortDigest)> },
    /// Digests of groups of pages of a section. A group's number is the page number divided by the group size.
    Groups { tick: Tick, digests: Vec<(u32, ShortDigest)> },
    /// Digests of the pages of one group.
    Pages { tick: Tick, digests: Vec<(u32, ShortDigest)> },
    /// The bytes of one page; `None` if there are too many.
    Page { tick: Tick, bytes: Option<Vec<u8>> },
}

impl Message {
    /// Encodes the message with the number of its case.
    pub(super) fn encode(&self, case: Tick) -> Vec<u8> {
        let (tag, tick) = match self {
            Self::Rechecked { from, .. } => (0, from),
            Self::Sections { tick, .. } => (1, tick),
            Self::Groups { tick, .. } => (2, tick),
            Self::Pages { tick, .. } => (3, tick),
            Self::Page { tick, .. } => (4, tick),
        };
        let mut out = vec![tag];
        out.extend_from_slice(&case.0.to_le_bytes());
        out.extend_from_slice(&tick.0.to_le_bytes());
        match self {
            Self::Rechecked { fault, trail, .. } => {
                out.push(u8::from(*fault));
                out.extend_from_slice(&(trail.len() as u16).to_le_bytes());
                trail.iter().for_each(|digest| out.extend_from_slice(&digest.to_bytes()));
            }
            Self::Sections { digests, .. } => {
                out.extend_from_slice(&(digests.len() as u16).to_le_bytes());
                for (name, digest) in digests {
                    out.extend_from_slice(&(name.len() as u16).to_le_bytes());
                    out.extend_from_slice(name.as_bytes());
                    out.extend_from_slice(&digest.to_bytes());
                }
            }
            Self::Groups { digests, .. } | Self::Pages { digests, .. } => {
                out.extend_from_slice(&(digests.len() as u16).to_le_bytes());
                for (number, digest) in digests {
                    out.extend_from_slice(&number.to_le_bytes());
                    out.extend_from_slice(&digest.to_bytes());
                }
            }
            Self::Page { bytes, .. } => {
                out.push(u8::from(bytes.is_some()));
                out.extend_from_slice(bytes.as_deref().unwrap_or_default());
            }
        }
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<(Tick, Self), &'static str> {
        const CUT: &str = "it is truncated";
        let mut from = Reader::new(bytes);
        let tag = from.u8().ok_or(CUT)?;
        let case = Tick(from.u32().ok_or(CUT)?);
        let tick = Tick(from.u32().ok_or(CUT)?);
        let message = match tag {
            0 => {
                let fault = match from.u8().ok_or(CUT)? {
                    0 => false,
                    1 => true,
                    _ => return Err("a flag is neither 0 nor 1"),
                };
                let count = usize::from(from.u16().ok_or(CUT)?);
                let mut trail = room(count, MAX_DIGESTS)?;
                for _ in 0..count {
                    trail.push(digest(&mut from).ok_or(CUT)?);
                }
                Self::Rechecked { from: tick, fault, trail }
            }
            1 => {
                let count = usize::from(from.u16().ok_or(CUT)?);
                let mut digests = room(count, MAX_SECTIONS)?;
                for _ in 0..count {
                    let length = usize::from(from.u16().ok_or(CUT)?);
                    if length > MAX_NAME {
                        return Err("a name is too long");
                    }
                    let name = core::str::from_utf8(from.take(length).ok_or(CUT)?);
                    let name = name.map_err(|_| "a name is not UTF-8")?.to_owned();
                    digests.push((name, digest(&mut from).ok_or(CUT)?));
                }
                Self::Sections { tick, digests }
            }
            2 | 3 => {
                let count = usize::from(from.u16().ok_or(CUT)?);
                let mut digests = room(count, MAX_DIGESTS)?;
                for _ in 0..count {
                    let number = from.u32().ok_or(CUT)?;
                    digests.push((number, digest(&mut from).ok_or(CUT)?));
                }
                if tag == 2 {
                    Self::Groups { tick, digests }
                } else {
                    Self::Pages { tick, digests }
                }
            }
            4 => {
                let bytes = match from.u8().ok_or(CUT)? {
                    0 => None,
                    1 => Some(from.rest().to_vec()),
                    _ => return Err("a flag is neither 0 nor 1"),
                };
                Self::Page { tick, bytes }
            }
            _ => return Err("its kind is unknown"),
        };
        if from.is_empty() { Ok((case, message)) } else { Err("it has trailing bytes") }
    }
}

fn room<T>(count: usize, most: usize) -> Result<Vec<T>, &'static str> {
    if count > most { Err("it has too many entries") } else { Ok(Vec::with_capacity(count)) }
}

fn digest(from: &mut Reader<'_>) -> Option<ShortDigest> {
    from.array().map(ShortDigest::from_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_core::digest::Digest;

    fn some() -> Vec<Message> {
        let digest = |text: &str| Digest::of(text.as_bytes()).short();
        vec![
            Message::Rechecked {
                from: Tick(7),
                fault: true,
                trail: vec![digest("a"), digest("b")],
            },
            Message::Sections { tick: Tick(8), digests: vec![("bodies".to_owned(), digest("c"))] },
            Message::Groups { tick: Tick(8), digests: vec![(3, digest("d"))] },
            Message::Pages { tick: Tick(8), digests: vec![(700, digest("e")), (701, digest("f"))] },
            Message::Page { tick: Tick(8), bytes: Some(vec![1, 2, 3]) },
            Message::Page { tick: Tick(8), bytes: None },
        ]
    }

    #[test]
    fn messages_come_back_as_they_were() {
        for message in some() {
            assert_eq!(Message::decode(&message.encode(Tick(9))), Ok((Tick(9), message)));
        }
    }

    #[test]
    fn every_cut_and_every_flip_is_an_answer() {
        for message in some() {
            let bytes = message.encode(Tick(9));
            for end in 0..bytes.len() {
                // Only the bytes of a page have no length prefix.
                let read = Message::decode(&bytes[..end]);
                assert!(read.is_err() || matches!(message, Message::Page { .. }), "{end}");
            }
            for bit in 0..bytes.len() * 8 {
                let mut bytes = bytes.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                let _ = Message::decode(&bytes);
            }
        }
    }
}
