//! Messages beside the match; the simulation never sees them.

use serde::{Deserialize, Serialize};

/// A message, sent as JSON.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// Name of this machine's player.
    Name(String),
    /// This machine has confirmed the last tick.
    Done,
    /// A machine has left; the sender has all its inputs before tick `heard`.
    Gone { machine: u8, heard: u32 },
    /// An input of a departed player, with its command pieces.
    Past { machine: u8, tick: u32, record: [Vec<u8>; 2] },
}

impl Message {
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("numbers and strings are always JSON")
    }

    /// Parses a message; `None` if it is malformed.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}
