//! Window: the inputs of consecutive ticks that the peer may not have, compressed.
//!
//! Windows and the small numbers around them share one range coder stream, the last part of a packet or of a block of a
//! recording. Both sides must use the same known ticks before a window; the better those predict, the smaller it is.

mod coder;
mod model;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod traces;

use self::coder::{Coder, Decoder, Encoder, Known};
use self::model::{Model, Track};

/// Maximum width of a tick's input.
pub const INPUT_BYTES_MAX: usize = 64;
/// Maximum length of a tick's command pieces.
pub const PIECES_BYTES_MAX: usize = 16383;
/// Known ticks before a window that both sides train on: two save 10 to 20 % of moving axes against one, four another
/// 10 %, eight another 4 % for twice the work.
pub const KNOWN_TICKS: usize = 4;
/// Exp-Golomb order of the length of pieces.
const LENGTH_ORDER: u32 = 4;

/// Writes windows to the end of a packet: [`Packer::new`], any of the others in any order, [`Packer::finish`].
///
/// ```
/// use isostep_rollback::internals::window::{Packer, Unpacker};
///
/// let known: [&[u8]; 1] = [&[0, 0]];
/// let mut packet = vec![];
/// let mut packer = Packer::new(&mut packet);
/// packer.window(2, known, [(&[0u8, 0][..], &[][..]), (&[4, 0], &[])]);
/// packer.finish();
/// assert_eq!(packet.len(), 1);
///
/// let mut unpacker = Unpacker::new(&packet);
/// let mut ticks = vec![];
/// unpacker.window(2, known, 2, &mut vec![], |_, input, _| ticks.push(input.to_vec())).unwrap();
/// unpacker.finish().unwrap();
/// assert_eq!(ticks, [[0, 0], [4, 0]]);
/// ```
pub struct Packer<'a> {
    encoder: Encoder<'a>,
    model: Model,
}

impl<'a> Packer<'a> {
    /// Creates a packer that appends to `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { encoder: Encoder::new(out), model: Model::NEW }
    }

    /// Writes a flag that is set in about `chance` of 65536 cases (1 to 65535).
    pub fn flag(&mut self, yes: bool, chance: u16) {
        self.encoder.ask(chance.wrapping_neg(), yes);
    }

    /// Writes the low `count` bits of `value`, at most 16.
    pub fn bits(&mut self, value: u32, count: u32) {
        self.encoder.bits(value & ((1 << count) - 1), count);
    }

    /// Writes a number: `order + 1` bits if it is below 2^`order`, and two more for each doubling.
    pub fn uint(&mut self, value: u32, order: u32) {
        self.encoder.uint(value, order);
    }

    /// Writes the `ticks` (input of `width` bytes, command pieces) that follow the known ones, oldest first,
    /// [`KNOWN_TICKS`] if there are so many. Without a known tick, all bytes before were zero.
    ///
    /// # Panics
    ///
    /// If `width` is above [`INPUT_BYTES_MAX`], a tick has another width, or pieces are longer than
    /// [`PIECES_BYTES_MAX`].
    pub fn window<'t>(
        &mut self,
        width: usize,
        known: impl IntoIterator<Item = &'t [u8]>,
        ticks: impl IntoIterator<Item = (&'t [u8], &'t [u8])>,
    ) {
        let mut input = [0; INPUT_BYTES_MAX];
        let input = &mut input[..width];
        let mut track = self.model.begin(input, known);
        for (tick, pieces) in ticks {
            input.copy_from_slice(tick);
            self.model.tick(&mut self.encoder, &mut track, input);
            assert!(pieces.len() <= PIECES_BYTES_MAX, "pieces of {} bytes", pieces.len());
            if self.model.pieces(&mut self.encoder, !pieces.is_empty()) {
                self.encoder.uint(pieces.len() as u32 - 1, LENGTH_ORDER);
                pieces.iter().for_each(|&byte| {
                    self.encoder.bits(u32::from(byte), 8);
                });
            }
        }
    }

    /// Writes the remaining bytes.
    pub fn finish(self) {
        self.encoder.finish();
    }
}

/// Reads a [`Packer`]'s bytes, by the same calls in the same order. `None` means malformed; stop reading.
pub struct Unpacker<'a> {
    decoder: Decoder<'a>,
    model: Model,
}

impl<'a> Unpacker<'a> {
    /// Creates an unpacker of `bytes`, the rest of a packet.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { decoder: Decoder::new(bytes), model: Model::NEW }
    }

    /// See [`Packer::flag`].
    pub fn flag(&mut self, chance: u16) -> Option<bool> {
        let yes = self.decoder.ask(chance.wrapping_neg(), false);
        self.decoder.ok().then_some(yes)
    }

    /// See [`Packer::bits`].
    pub fn bits(&mut self, count: u32) -> Option<u32> {
        let value = self.decoder.bits(0, count);
        self.decoder.ok().then_some(value)
    }

    /// See [`Packer::uint`].
    pub fn uint(&mut self, order: u32) -> Option<u32> {
        let value = u32::try_from(self.decoder.uint(0, order)).ok()?;
        self.decoder.ok().then_some(value)
    }

    /// Passes the `count` ticks of a window to `sink`: index, input, pieces. `scratch` holds pieces. The work is
    /// bounded by `count`, `width` and the number of bytes. Ticks before a malformed one have been passed when this
    /// returns `None`.
    ///
    /// # Panics
    ///
    /// If `width` is above [`INPUT_BYTES_MAX`] or a known tick has another width; never because of the bytes.
    pub fn window<'t>(
        &mut self,
        width: usize,
        known: impl IntoIterator<Item = &'t [u8]>,
        count: usize,
        scratch: &mut Vec<u8>,
        mut sink: impl FnMut(usize, &[u8], &[u8]),
    ) -> Option<()> {
        let mut input = [0; INPUT_BYTES_MAX];
        let input = &mut input[..width];
        let mut track = self.model.begin(input, known);
        for index in 0..count {
            self.model.tick(&mut self.decoder, &mut track, input);
            scratch.clear();
            if self.model.pieces(&mut self.decoder, false) {
                let length = self.decoder.uint(0, LENGTH_ORDER);
                if length >= PIECES_BYTES_MAX as u64 {
                    return None;
                }
                for _ in 0..=length {
                    scratch.push(self.decoder.bits(0, 8) as u8);
                }
            }
            if !self.decoder.ok() {
                return None;
            }
            sink(index, input, scratch);
        }
        Some(())
    }

    /// Checks that all bytes were read.
    pub fn finish(self) -> Option<()> {
        self.decoder.finish()
    }
}

impl Model {
    /// Trains on the known ticks: the first one sets the previous input, the others adapt the model.
    fn begin<'t>(&mut self, input: &mut [u8], known: impl IntoIterator<Item = &'t [u8]>) -> Track {
        let mut known = known.into_iter();
        let mut track = Track::new(known.next().unwrap_or(&[]));
        for tick in known {
            input.copy_from_slice(tick);
            self.tick(&mut Known, &mut track, input);
        }
        track
    }
}
