//! Assembles commands from the pieces of confirmed ticks, on receivers and on the sender. Its state is a function of
//! its payloads, so all machines agree.

use super::piece::Piece;
use super::{CommandConfig, CommandQueueError, Commands, PayloadError, check_payload};

/// Assembles the commands of one player.
///
/// Feed it the confirmed payload of every tick, in order, with an empty one for ticks without pieces. Each call gives
/// the commands that take effect on that tick. A command whose next piece is missing in the next tick is dropped, and
/// so is one that exceeds the limit; its later pieces are ignored. See [`CommandQueue`](super::CommandQueue) for an
/// example.
///
/// Late joiners need the partial command: [`pending`](Self::pending) on one machine, [`resume`](Self::resume) on the
/// other.
#[derive(Clone, Debug)]
pub struct CommandAssembler {
    config: CommandConfig,
    running: bool,
    /// Bytes of the partial command; at most `max_len`.
    bytes: Vec<u8>,
}

impl CommandAssembler {
    /// Creates an assembler without a partial command.
    pub const fn new(config: CommandConfig) -> Self {
        Self { config, running: false, bytes: Vec::new() }
    }

    /// Feeds the payload of the next tick; `out` becomes the commands of that tick.
    ///
    /// # Errors
    /// If the payload is malformed; nothing changes then, `out` included. [`check_payload`] detects the same earlier.
    pub fn tick(&mut self, payload: &[u8], out: &mut Commands) -> Result<(), PayloadError> {
        check_payload(payload, self.config.budget)?;
        out.clear();
        let mut rest = payload;
        let mut continues = false;
        while !rest.is_empty() {
            let piece = Piece::take(&mut rest)?;
            if piece.first {
                self.running = true;
                self.bytes.clear();
            }
            continues = !piece.last;
            self.take(piece, out);
        }
        // Only a payload that ends within a command has one to continue.
        self.running &= continues;
        Ok(())
    }

    fn take(&mut self, piece: Piece<'_>, out: &mut Commands) {
        let len = self.bytes.len() + piece.bytes.len();
        self.running &= len <= self.config.max_len;
        if !self.running {
            return;
        }
        if piece.first && piece.last {
            out.push(piece.bytes);
            return;
        }
        if len > self.bytes.capacity() {
            // Plain doubling would exceed the limit.
            let capacity = len.next_power_of_two().min(self.config.max_len);
            self.bytes.reserve_exact(capacity - self.bytes.len());
        }
        self.bytes.extend_from_slice(piece.bytes);
        if piece.last {
            out.push(&self.bytes);
        }
    }

    /// Returns the bytes of the partial command, which the next tick may continue.
    pub fn pending(&self) -> Option<&[u8]> {
        self.running.then_some(&self.bytes)
    }

    /// Continues from the [`pending`](Self::pending) bytes of another assembler.
    ///
    /// # Errors
    /// If they exceed the limit; nothing changes then.
    pub fn resume(&mut self, pending: Option<&[u8]>) -> Result<(), CommandQueueError> {
        let bytes = pending.unwrap_or_default();
        let (len, max) = (bytes.len(), self.config.max_len);
        if len > max {
            return Err(CommandQueueError::TooLong { len, max });
        }
        self.running = pending.is_some();
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_without_end_takes_no_more_memory_than_the_limit() {
        let config = CommandConfig::new(64, 1000, 2000).unwrap();
        let mut assembler = CommandAssembler::new(config);
        let mut out = Commands::default();
        let mut payload = vec![1, 62];
        payload.resize(64, 7);
        for _ in 0..100 {
            assembler.tick(&payload, &mut out).unwrap();
            payload[0] = 0;
            assert!(assembler.bytes.capacity() <= 1000 && out.is_empty());
        }
        assert_eq!(assembler.pending(), None);
        payload[0] = 2;
        assembler.tick(&payload, &mut out).unwrap();
        assert!(out.is_empty());
    }
}
