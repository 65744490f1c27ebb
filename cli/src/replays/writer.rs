//! A thread that appends to a file, so that no tick waits for the disk. When the disk is full or gone, the match goes on; who
//! started the writer hears of it at the end, or before through [`FileWriter::failed`].

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

/// Blocks that may wait for the disk; more wait in the recorder.
const WAITING: usize = 64;

pub(crate) struct FileWriter {
    /// `None` once the thread has failed.
    sender: Option<SyncSender<Vec<u8>>>,
    thread: JoinHandle<io::Result<()>>,
    /// A block that had no viewer.
    held: Option<Vec<u8>>,
}

impl FileWriter {
    /// Makes the file, or empties it.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut file = File::create(path)?;
        let (sender, receiver) = sync_channel::<Vec<u8>>(WAITING);
        let thread = std::thread::Builder::new().name("recording".to_owned()).spawn(move || {
            // Every block goes to the system at once: a crash of the game loses none of them.
            receiver.iter().try_for_each(|block| file.write_all(&block))?;
            file.sync_all().or_else(|error| match error.kind() {
                // Pipes and devices can't be synced.
                io::ErrorKind::InvalidInput => Ok(()),
                _ => Err(error),
            })
        })?;
        Ok(Self { sender: Some(sender), thread, held: None })
    }

    /// Whether nothing is written any more.
    pub(crate) const fn failed(&self) -> bool {
        self.sender.is_none()
    }

    /// Hands over blocks as long as there is viewer for them. Never waits.
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
            // Nobody will write them; the recorder need not keep them.
            while next().is_some() {}
        }
    }

    /// Hands over what is left, waits for the disk, and tells how it went.
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
        ended.unwrap_or_else(|_| Err(io::Error::other("the writing thread broke")))
    }
}
