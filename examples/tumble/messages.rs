//! What machines say beside the match: messages that the simulation never sees.

use serde::{Deserialize, Serialize};

/// A message, sent as JSON.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// What the player at this machine is called.
    Name(String),
    /// This machine is certain of the last tick.
    Done,
    /// A machine has left; all its inputs before tick `heard` are here.
    Gone { slot: u8, heard: u32 },
    /// An input of one that has left, and the pieces of commands with it.
    Past { slot: u8, tick: u32, record: [Vec<u8>; 2] },
}

impl Message {
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("numbers and strings are always JSON")
    }

    /// `None` if it makes no sense: then it is as good as not said.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}
