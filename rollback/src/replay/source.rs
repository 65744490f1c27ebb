//! Sources of a recording's bytes: a slice, or anything that reads and seeks.

use super::error::ReplayError;
use std::io::{Read, Seek, SeekFrom};

/// Random access to bytes. A recording reads a block at a time, so an hour needs no more memory than its longest block
/// and its index.
pub trait Source {
    /// Returns the number of bytes.
    ///
    /// # Errors
    /// If they can't be read.
    fn length(&mut self) -> Result<u64, ReplayError>;

    /// Fills `into` from an offset on, within the length.
    ///
    /// # Errors
    /// If they can't be read.
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), ReplayError>;
}

impl Source for &[u8] {
    fn length(&mut self) -> Result<u64, ReplayError> {
        Ok(self.len() as u64)
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), ReplayError> {
        let start = usize::try_from(offset).ok();
        let bytes = start.and_then(|start| self.get(start..)?.get(..into.len()));
        let bytes = bytes.ok_or_else(|| ReplayError::Read("it ended early".to_owned()))?;
        into.copy_from_slice(bytes);
        Ok(())
    }
}

/// A file, or anything else that reads and seeks.
#[derive(Debug)]
pub struct Stream<T>(pub T);

impl<T: Read + Seek> Source for Stream<T> {
    fn length(&mut self) -> Result<u64, ReplayError> {
        self.0.seek(SeekFrom::End(0)).map_err(|error| ReplayError::Read(error.to_string()))
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), ReplayError> {
        let found = self.0.seek(SeekFrom::Start(offset));
        let read = found.and_then(|_| self.0.read_exact(into));
        read.map_err(|error| ReplayError::Read(error.to_string()))
    }
}
