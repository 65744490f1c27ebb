//! Block of inputs: consecutive ticks of every human seat, as one stream of windows (`window/SPEC.md`).
//!
//! Seats do not change within a block: a roster record ends it.

use super::format::{Head, MAX_BLOCK_TICKS};
use crate::Tick;
use crate::player::PlayerId;
use crate::window::{Packer, Unpacker};
use core::ops::Range;
use isostep_core::internals::Reader;

/// Inputs of a seat in a block.
#[derive(Clone, Debug, Default)]
struct SeatTicks {
    /// Inputs of all ticks, concatenated.
    inputs: Vec<u8>,
    pieces: Vec<u8>,
    /// End of each tick's pieces.
    ends: Vec<u32>,
}

impl SeatTicks {
    fn clear(&mut self) {
        self.inputs.clear();
        self.pieces.clear();
        self.ends.clear();
    }

    fn push(&mut self, pieces: &[u8]) {
        self.pieces.extend_from_slice(pieces);
        self.ends.push(self.pieces.len() as u32);
    }

    fn range(&self, at: usize) -> Range<usize> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        start..self.ends[at] as usize
    }

    fn get(&self, width: usize, at: usize) -> (&[u8], &[u8]) {
        (&self.inputs[at * width..][..width], &self.pieces[self.range(at)])
    }
}

/// Ticks to encode into a block, or decoded from one.
#[derive(Clone, Debug)]
pub(super) struct InputBlock {
    width: usize,
    pub(super) first: Tick,
    pub(super) count: u32,
    /// Human seats, a bit each.
    humans: u32,
    seats: Vec<SeatTicks>,
}

impl InputBlock {
    pub(super) fn new(width: usize, seats: usize) -> Self {
        let seats = vec![SeatTicks::default(); seats];
        Self { width, first: Tick(0), count: 0, humans: 0, seats }
    }

    /// Clears the block, and sets its first tick and human seats.
    pub(super) fn begin(&mut self, first: Tick, humans: u32) {
        self.first = first;
        self.count = 0;
        self.humans = humans;
        self.seats.iter_mut().for_each(SeatTicks::clear);
    }

    /// Appends a human's input for the current tick.
    pub(super) fn push(&mut self, seat: usize, pieces: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        let seat = &mut self.seats[seat];
        write(&mut seat.inputs);
        seat.push(pieces);
    }

    pub(super) const fn end(&self) -> Tick {
        Tick(self.first.0.saturating_add(self.count))
    }

    /// Encodes the payload.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = self.humans.to_le_bytes().to_vec();
        let mut packer = Packer::new(&mut out);
        for (_, seat) in self.humans() {
            let ticks = (0..self.count as usize).map(|at| seat.get(self.width, at));
            packer.window(self.width, [], ticks);
        }
        packer.finish();
        out
    }

    fn humans(&self) -> impl Iterator<Item = (usize, &SeatTicks)> {
        let humans = self.humans;
        self.seats.iter().enumerate().filter(move |(seat, _)| humans >> seat & 1 == 1)
    }

    /// Decodes a block into this one; `None` if it is malformed.
    pub(super) fn decode(&mut self, head: Head, payload: &[u8]) -> Option<()> {
        let mut from = Reader::new(payload);
        let humans = from.u32()?;
        let count = u32::from(head.span);
        if count == 0 || count > MAX_BLOCK_TICKS || u64::from(humans) >> self.seats.len() != 0 {
            return None;
        }
        self.begin(head.tick, humans);
        let mut unpacker = Unpacker::new(from.rest());
        let mut scratch = Vec::new();
        for (index, seat) in self.seats.iter_mut().enumerate() {
            if humans >> index & 1 == 0 {
                continue;
            }
            let SeatTicks { inputs, .. } = seat;
            inputs.reserve(count as usize * self.width);
            unpacker.window(self.width, [], count as usize, &mut scratch, |_, input, pieces| {
                seat.inputs.extend_from_slice(input);
                seat.push(pieces);
            })?;
        }
        unpacker.finish()?;
        self.count = count;
        Some(())
    }

    /// Returns a human's input and command pieces; `None` for other seats, or if the tick is not in the block.
    pub(super) fn get(&self, player: PlayerId, tick: Tick) -> Option<(&[u8], &[u8])> {
        let seat = self.seats.get(player.index())?;
        if self.humans >> player.0 & 1 == 0 || tick < self.first || tick >= self.end() {
            return None;
        }
        Some(seat.get(self.width, tick.since(self.first) as usize))
    }
}
