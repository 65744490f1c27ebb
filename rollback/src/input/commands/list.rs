//! The whole commands of one player and tick, in one buffer.

use core::fmt;

/// A list of byte strings in one buffer: what a [`CommandAssembler`](super::CommandAssembler) gives for a tick.
///
/// ```
/// use isostep_rollback::Commands;
/// let mut commands = Commands::default();
/// commands.push(b"buy bow");
/// commands.push(b"");
/// assert_eq!(commands.iter().collect::<Vec<_>>(), [&b"buy bow"[..], b""]);
/// ```
#[derive(Default, PartialEq, Eq)]
pub struct Commands {
    bytes: Vec<u8>,
    /// Where each ends in `bytes`.
    ends: Vec<usize>,
}

impl Commands {
    /// Adds one to the end.
    pub fn push(&mut self, command: &[u8]) {
        self.bytes.extend_from_slice(command);
        self.ends.push(self.bytes.len());
    }

    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The commands, in the order in which they were sent.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.bytes[core::mem::replace(&mut start, end)..end])
    }
}

/// `clone_from` reuses the memory it has.
impl Clone for Commands {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), ends: self.ends.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.bytes.clone_from(&source.bytes);
        self.ends.clone_from(&source.ends);
    }
}

/// As a list of byte strings.
impl fmt::Debug for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
