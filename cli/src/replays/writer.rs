//! A thread that appends to a file, so that no tick waits for the disk. If a write fails, the match
//! continues; the error is returned at the end and visible earlier through [`FileWriter::failed`].

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

/// Blocks queued for the disk; further blocks wait in the recorder.
const WAITING: usize = 64;

pub(crate) struct FileWriter {
    /// `None` once the thread has failed.
    sender: Option<SyncSender<Vec<u8>>>,
    thread: JoinHandle<io::Result<()>>,
    /// A block that did not fit into the queue.
    held: Option<Vec<u8>>,
}

impl FileWriter {
    /// Creates or truncates the file.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut file = File::create(path)?;
        let (sender, receiver) = sync_channel::<Vec<u8>>(WAITING);
        let thread = std::thread::Builder::new().name("recording".to_owned()).spawn(move || {
            // Writes every block at once: a crash of the game loses none of them.
            receiver.iter().try_for_each(|block| file.write_all(&block))?;
            file.sync_all().or_else(|error| match error.kind() {
                // Pipes and devices can't be synced.
                io::ErrorKind::InvalidInput => Ok(()),
                _ => Err(error),
            })
        })?;
        Ok(Self { sender: Some(sender), thread, held: None })
    }

    /// Returns true after a write error.
    pub(crate) const fn failed(&self) -> bool {
        self.sender.is_none()
    }

    /// Queues blocks until the queue is full. Never waits.
    pub(crate) fn pump(&mut self, mut next: impl FnMut() -> Option<Vec<u8>>) {
        while let Some(sender) = &self.sender
            && let Some(block) = self.held.take().or_else(&mut next)
        {
            match sender.try_send(block) {
                Ok(()) => (),
                Err(TrySendError::Full(block)) => {
                    self.held = Some(block);
                    return;
                }
                Err(TrySendError::Disconnected(_)) => self.sender = None,
            }
        }
        if self.failed() {
            // Discards the blocks, so that the recorder does not keep them.
            while next().is_some() {}
        }
    }

    /// Queues the remaining blocks, waits for the disk, and returns the result.
    pub(crate) fn finish(mut self, mut next: impl FnMut() -> Option<Vec<u8>>) -> io::Result<()> {
        if let Some(sender) = self.sender.take() {
            let left = core::iter::once(self.held.take()).flatten();
            for block in left.chain(core::iter::from_fn(&mut next)) {
                if sender.send(block).is_err() {
                    break;
                }
            }
        }
        let ended = self.thread.join();
        ended.unwrap_or_else(|_| Err(io::Error::other("the writer thread panicked")))
    }
}
