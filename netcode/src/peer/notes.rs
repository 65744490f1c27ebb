//! Messages between peers on the reliable channel (`WIRE.md`, section 5): the last tick, its digest, addresses, and inputs
//! of departed machines.

use crate::address::Address;
use crate::crypto::MachineId;
use isostep_core::digest::Digest;
use isostep_core::internals::Reader;
use isostep_rollback::{PlayerId, Tick};

/// A message of one peer to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note<'a> {
    /// The match must not end before this tick.
    Last(Tick),
    /// The sender has confirmed this tick and computes no later one.
    Done(Tick, Digest),
    /// Address of another machine, as the sender sees it.
    Address(MachineId, Address),
    /// First missing tick of a seat whose machine has departed; [`NONE_MISSING`] if the seat has another occupant there.
    Held(PlayerId, Tick),
    /// Forwarded tick of such a seat: the input and the command pieces.
    Input(PlayerId, Tick, &'a [u8]),
}

/// A departed machine's inputs are not needed: its seat has another occupant.
pub(super) const NONE_MISSING: Tick = Tick(u32::MAX);

mod kind {
    pub(super) const LAST: u8 = 0;
    pub(super) const DONE: u8 = 1;
    pub(super) const ADDRESS: u8 = 2;
    pub(super) const HELD: u8 = 3;
    pub(super) const INPUT: u8 = 4;
}

impl<'a> Note<'a> {
    pub(super) fn write(self) -> Vec<u8> {
        match self {
            Self::Last(tick) => [&[kind::LAST][..], &tick.0.to_le_bytes()].concat(),
            Self::Done(tick, digest) => {
                [&[kind::DONE][..], &tick.0.to_le_bytes(), &digest.to_bytes()].concat()
            }
            Self::Address(machine, address) => {
                [&[kind::ADDRESS, machine.0][..], &address.to_bytes()].concat()
            }
            Self::Held(player, tick) => {
                [&[kind::HELD, player.0][..], &tick.0.to_le_bytes()].concat()
            }
            Self::Input(player, tick, record) => {
                [&[kind::INPUT, player.0][..], &tick.0.to_le_bytes(), record].concat()
            }
        }
    }

    /// Reads a message; `None` if it is malformed or of a later version.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut from = Reader::new(bytes);
        let note = match from.u8()? {
            kind::LAST => Self::Last(Tick(from.u32()?)),
            kind::DONE => Self::Done(Tick(from.u32()?), Digest::from_bytes(from.array()?)),
            kind::ADDRESS => {
                Self::Address(MachineId(from.u8()?), Address::from_bytes(from.array()?)?)
            }
            kind::HELD => Self::Held(PlayerId(from.u8()?), Tick(from.u32()?)),
            kind::INPUT => {
                return Some(Self::Input(PlayerId(from.u8()?), Tick(from.u32()?), from.rest()));
            }
            _ => return None,
        };
        from.rest().is_empty().then_some(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_survive_their_encoding_and_nothing_else_is_read() {
        let addresses = [
            Address::Node(7),
            Address::Socket("10.1.2.3:7000".parse().expect("an address")),
            Address::Socket("[2001:db8::1]:65535".parse().expect("an address")),
        ];
        let mut notes = vec![Note::Last(Tick(600)), Note::Done(Tick(600), Digest::of(b"state"))];
        notes.extend(addresses.map(|address| Note::Address(MachineId(3), address)));
        notes.push(Note::Held(PlayerId(31), Tick(1 << 31)));
        for note in notes {
            let bytes = note.write();
            assert_eq!(Note::read(&bytes), Some(note));
            assert_eq!(Note::read(&bytes[..bytes.len() - 1]), None, "{note:?} cut");
            assert_eq!(Note::read(&[&bytes[..], &[0]].concat()), None, "{note:?} with a rest");
        }
        assert_eq!(Note::read(&[5, 0, 0, 0, 0]), None);
        let input = Note::Input(PlayerId(2), Tick(600), b"input");
        assert_eq!(input.write(), b"\x04\x02\x58\x02\x00\x00input");
        assert_eq!(Note::read(&input.write()), Some(input));
        assert_eq!(Note::read(&input.write()[..5]), None);
        let mut kind = Note::Address(MachineId(0), Address::Node(1)).write();
        kind[2] = 2;
        assert_eq!(Note::read(&kind), None);
    }
}
