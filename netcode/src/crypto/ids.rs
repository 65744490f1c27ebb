//! Ids of matches and machines, and hex text of ids and keys.

use crate::entropy::Entropy;
use core::fmt;
pub use isostep_core::digest::GameId;

/// Maximum number of machines in a match.
pub const MAX_MACHINES: usize = 8;

/// Id of a match. It binds tokens and rosters to one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchId(pub [u8; 16]);

impl MatchId {
    /// Generates a unique id.
    pub fn random(entropy: &mut (impl Entropy + ?Sized)) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        Self(bytes)
    }
}

/// Id of a machine in a match, less than [`MAX_MACHINES`], assigned by the matchmaker. By
/// convention, machine 0 is the host, whose address the others know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MachineId(pub u8);

impl fmt::Display for MachineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "machine {}", self.0)
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

/// Writes two lower-case hex digits per byte.
pub(super) fn write_hex(out: &mut impl fmt::Write, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
}

/// Fills `out` from hex text; returns false if the length or a digit is wrong.
pub(super) fn read_hex(text: &[u8], out: &mut [u8]) -> bool {
    let digit = |letter: u8| char::from(letter).to_digit(16).map(|digit| digit as u8);
    text.len() == out.len() * 2
        && text.as_chunks::<2>().0.iter().zip(out).all(|(pair, byte)| {
            let (Some(high), Some(low)) = (digit(pair[0]), digit(pair[1])) else { return false };
            *byte = high << 4 | low;
            true
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips() {
        let mut bytes = [0; 16];
        assert!(read_hex(b"000102030405060708090a0b0c0d0eFf", &mut bytes));
        assert_eq!(MatchId(bytes).to_string(), "000102030405060708090a0b0c0d0eff");
        for wrong in [&b"000102030405060708090a0b0c0d0ef"[..], b"000102030405060708090a0b0c0d0e+f"]
        {
            assert!(!read_hex(wrong, &mut bytes));
        }
    }

    #[test]
    fn a_machine_id_displays_its_number() {
        assert_eq!(MachineId(3).to_string(), "machine 3");
    }
}
