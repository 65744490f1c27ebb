//! Complete commands of one player and tick, in one buffer.

use core::fmt;

/// List of byte strings in one buffer: the commands of a tick from a [`CommandAssembler`](super::CommandAssembler).
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
    /// End of each command in `bytes`.
    ends: Vec<usize>,
}

impl Commands {
    /// Appends a command.
    #[doc(hidden)]
    pub fn push(&mut self, command: &[u8]) {
        self.bytes.extend_from_slice(command);
        self.ends.push(self.bytes.len());
    }

    /// Empties the list and keeps its memory.
    #[doc(hidden)]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Returns true if there are no commands.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of commands.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the commands, in the order of sending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.bytes[core::mem::replace(&mut start, end)..end])
    }
}

/// `clone_from` reuses the memory.
impl Clone for Commands {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), ends: self.ends.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.bytes.clone_from(&source.bytes);
        self.ends.clone_from(&source.ends);
    }
}

/// Prints a list of byte strings.
impl fmt::Debug for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
