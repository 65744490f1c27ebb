//! An open recording: its index in memory, its blocks read on demand.

use super::error::ReplayError;
use super::format::{CHECK, HEAD, Head, SeatKind, kind};
use super::index::{Entry, Index, take_block};
use super::info::{Info, PREFIX};
use super::inputs::InputBlock;
use super::keyframe::Keyframe;
use super::records::{Gap, InputBytes, Pause, SeatChange};
use super::source::Source;
use crate::Tick;
use crate::player::PlayerId;

/// An open recording.
///
/// A truncated file opens as far as its blocks are intact; see [`is_finished`](Self::is_finished).
///
/// ```no_run
/// use isostep_rollback::replay::{Replay, Stream};
/// let file = std::fs::File::open("match.isoreplay")?;
/// let replay = Replay::open(Stream(std::io::BufReader::new(file)))?;
/// println!("{} seats, ticks {} to {}", replay.info().seats, replay.first(), replay.last());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Replay<R> {
    source: R,
    length: u64,
    info: Info,
    index: Index,
    changes: Vec<SeatChange>,
    pauses: Vec<Pause>,
    /// Void ranges: digests and keyframes after the first tick, up to the second.
    repairs: Vec<(Tick, Tick)>,
    /// Ticks of valid keyframes, in order.
    valid_keyframes: Vec<Tick>,
    bytes: Vec<u8>,
    inputs: InputBlock,
    digests: Option<(Entry, Vec<u8>)>,
}

impl<R: Source> Replay<R> {
    /// Opens a recording.
    ///
    /// # Errors
    /// If it is not a recording, is of a newer version, is damaged, or has no first state.
    pub fn open(mut source: R) -> Result<Self, ReplayError> {
        let length = source.length()?;
        let (info, start) = read_header(&mut source, length)?;
        let index = Index::of(&mut source, start)?;
        if index.keyframes.first().is_none_or(|first| first.head.tick != info.start) {
            return Err(ReplayError::Empty);
        }
        let inputs = InputBlock::new(usize::from(info.input_width), usize::from(info.seats));
        let mut replay = Self {
            source,
            length,
            info,
            index,
            changes: Vec::new(),
            pauses: Vec::new(),
            repairs: Vec::new(),
            valid_keyframes: Vec::new(),
            bytes: Vec::new(),
            inputs,
            digests: None,
        };
        for at in 0..replay.index.records.len() {
            replay.read_record(replay.index.records[at])?;
        }
        replay.join_repairs();
        let ticks = replay.index.keyframes.iter().map(|entry| entry.head.tick);
        replay.valid_keyframes = ticks.filter(|&tick| !replay.is_void(tick)).collect();
        Ok(replay)
    }

    fn read_record(&mut self, entry: Entry) -> Result<(), ReplayError> {
        let tick = entry.head.tick;
        let payload = self.payload(entry)?;
        let damaged = entry.damaged();
        match (entry.head.kind, payload) {
            (kind::ROSTER, &[seat, byte]) => {
                let kind = SeatKind::from_byte(byte).ok_or(damaged.clone())?;
                let before = self.changes.last();
                if seat >= self.info.seats || before.is_some_and(|before| before.tick > tick) {
                    return Err(damaged);
                }
                self.changes.push(SeatChange { tick, player: PlayerId(seat), kind });
            }
            (kind::PAUSE, payload) => {
                let bytes = payload.try_into().map_err(|_| damaged)?;
                self.pauses.push(Pause { tick, milliseconds: u64::from_le_bytes(bytes) });
            }
            (kind::REPAIR, []) => self.repairs.push((tick, entry.end())),
            _ => return Err(damaged),
        }
        Ok(())
    }

    /// Sorts and joins the void ranges.
    fn join_repairs(&mut self) {
        self.repairs.sort();
        self.repairs.dedup_by(|next, joined| {
            let touches = next.0 <= joined.1;
            if touches {
                joined.1 = joined.1.max(next.1);
            }
            touches
        });
    }

    /// Returns the header.
    pub const fn info(&self) -> &Info {
        &self.info
    }

    /// Returns the tick of the first state.
    pub const fn first(&self) -> Tick {
        self.info.start
    }

    /// Returns the tick of the last reachable state.
    pub fn last(&self) -> Tick {
        let inputs = self.index.inputs.last().map_or(self.info.start, Entry::end);
        let keyframes = self.index.keyframes.last().map_or(self.info.start, |it| it.head.tick);
        inputs.max(keyframes)
    }

    /// Returns the number of ticks with inputs.
    pub fn ticks(&self) -> u32 {
        self.index.inputs.iter().map(|block| u32::from(block.head.span)).sum()
    }

    /// Returns true if the file was finished and its index is valid.
    pub const fn is_finished(&self) -> bool {
        self.index.finished
    }

    /// Returns the number of unreadable bytes after the last intact block: a truncated file has some.
    pub const fn lost_bytes(&self) -> u64 {
        if self.index.finished { 0 } else { self.length - self.index.end }
    }

    /// Returns the seat changes after the start, in order.
    pub fn seat_changes(&self) -> &[SeatChange] {
        &self.changes
    }

    /// Returns the pauses of the match.
    pub fn pauses(&self) -> &[Pause] {
        &self.pauses
    }

    /// Returns the ticks of keyframes, in order.
    pub fn keyframes(&self) -> impl DoubleEndedIterator<Item = Tick> + '_ {
        self.valid_keyframes.iter().copied()
    }

    /// Returns the gaps, in order: no state within a gap can be reached.
    pub fn gaps(&self) -> impl Iterator<Item = Gap> + '_ {
        let mut from = Some(self.first());
        core::iter::from_fn(move || {
            let mut tick = from.take()?;
            while let Some(block) = covering(&self.index.inputs, tick) {
                tick = block.end();
            }
            if tick >= self.last() {
                return None;
            }
            from = self.keyframe_from(tick.next());
            Some(Gap { tick, next: from })
        })
    }

    /// Returns the ticks with a valid digest, in order; [`digest`](Self::digest) reads them.
    pub fn digest_ticks(&self) -> impl Iterator<Item = Tick> + '_ {
        // With an interval of 0 there is one.
        let every = usize::try_from(self.info.digest_every).ok().filter(|&every| every > 0);
        let ticks = self.index.digests.iter().flat_map(move |block| {
            let (first, span) = (block.head.tick, u32::from(block.head.span));
            let ticks = (0..span).step_by(every.unwrap_or(usize::MAX));
            // Bounded by the length of the block.
            ticks.take(block.head.length as usize / CHECK).map(move |since| first + since)
        });
        ticks.filter(|&tick| !self.is_void(tick))
    }

    /// Returns the first bytes of the digest of a tick's state, if they were recorded and not voided by a repair.
    ///
    /// # Errors
    /// If a block is damaged.
    pub fn digest(&mut self, tick: Tick) -> Result<Option<[u8; 8]>, ReplayError> {
        let every = self.info.digest_every;
        if self.is_void(tick) {
            return Ok(None);
        }
        let Some(entry) = covering(&self.index.digests, tick) else { return Ok(None) };
        if self.digests.as_ref().is_none_or(|(known, _)| *known != entry) {
            let payload = self.payload(entry)?.to_vec();
            self.digests = Some((entry, payload));
        }
        let since = tick.since(entry.head.tick);
        // Only 0 is a multiple of 0.
        if !since.is_multiple_of(every) {
            return Ok(None);
        }
        let at = since.checked_div(every).unwrap_or(0) as usize * CHECK;
        let bytes = self.digests.as_ref().and_then(|(_, bytes)| bytes.get(at..)?.first_chunk());
        bytes.copied().map(Some).ok_or_else(|| entry.damaged())
    }

    /// Returns a human's input on a tick; `None` for other seats.
    ///
    /// # Errors
    /// If the tick is missing, or its block is damaged.
    pub fn input(
        &mut self,
        player: PlayerId,
        tick: Tick,
    ) -> Result<Option<InputBytes<'_>>, ReplayError> {
        self.load_inputs(tick)?;
        let found = self.inputs.get(player, tick);
        Ok(found.map(|(input, pieces)| InputBytes { input, pieces }))
    }

    /// Reads the block of a tick, unless it is loaded.
    pub(super) fn load_inputs(&mut self, tick: Tick) -> Result<(), ReplayError> {
        if tick >= self.inputs.first && tick < self.inputs.end() {
            return Ok(());
        }
        let Some(entry) = covering(&self.index.inputs, tick) else {
            let next = self.keyframe_from(tick.next());
            let (first, last) = (self.first(), self.last());
            return Err(if tick >= first && tick < last {
                ReplayError::Gap { tick, next }
            } else {
                ReplayError::NoSuchTick { tick, first, last }
            });
        };
        // Clears a partially decoded block.
        self.inputs.begin(Tick(0), 0);
        let (width, seats) = (self.info.input_width, self.info.seats);
        let mut inputs = InputBlock::new(usize::from(width), usize::from(seats));
        let payload = self.payload(entry)?;
        let read = inputs.decode(entry.head, payload);
        read.ok_or_else(|| entry.damaged())?;
        self.inputs = inputs;
        Ok(())
    }

    /// Returns the kind of a seat on a tick; `None` if there is no such seat.
    ///
    /// # Errors
    /// If the keyframe before it is damaged.
    pub fn seat_kind(
        &mut self,
        player: PlayerId,
        tick: Tick,
    ) -> Result<Option<SeatKind>, ReplayError> {
        let from = self.keyframe_before(tick).unwrap_or(self.info.start);
        let keyframe = self.keyframe(from)?;
        let since = |change: &&SeatChange| change.tick >= from && change.tick <= tick;
        let mut changes = self.changes.iter().filter(since);
        let last = changes.rfind(|change| change.player == player);
        let first = keyframe.seats.get(player.index()).map(|seat| seat.kind);
        Ok(last.map(|change| change.kind).or(first))
    }

    /// Returns the newest keyframe at or before a tick.
    pub(super) fn keyframe_before(&self, tick: Tick) -> Option<Tick> {
        let at = self.valid_keyframes.partition_point(|&keyframe| keyframe <= tick);
        self.valid_keyframes[..at].last().copied()
    }

    /// Returns the oldest keyframe at or after a tick.
    pub(super) fn keyframe_from(&self, tick: Tick) -> Option<Tick> {
        self.valid_keyframes
            .get(self.valid_keyframes.partition_point(|&keyframe| keyframe < tick))
            .copied()
    }

    pub(super) fn keyframe(&mut self, tick: Tick) -> Result<Keyframe, ReplayError> {
        let found = self.index.keyframes.binary_search_by_key(&tick, |entry| entry.head.tick);
        let (first, last) = (self.first(), self.last());
        let at = found.map_err(|_| ReplayError::NoSuchTick { tick, first, last })?;
        let entry = self.index.keyframes[at];
        let (seats, width) = (usize::from(self.info.seats), usize::from(self.info.input_width));
        let keyframe = Keyframe::decode(self.payload(entry)?, seats, width);
        keyframe.ok_or_else(|| entry.damaged())
    }

    /// Returns the digest of the keyframe of a tick, if it has a valid one.
    pub(super) fn keyframe_digest(&mut self, tick: Tick) -> Result<Option<[u8; 8]>, ReplayError> {
        let found = self.index.keyframes.binary_search_by_key(&tick, |entry| entry.head.tick);
        if found.is_err() || self.is_void(tick) {
            return Ok(None);
        }
        Ok(Some(self.keyframe(tick)?.digest))
    }

    fn is_void(&self, tick: Tick) -> bool {
        let at = self.repairs.partition_point(|repair| repair.0 < tick);
        at > 0 && tick <= self.repairs[at - 1].1
    }

    /// Reads and checks the payload of a block.
    fn payload(&mut self, entry: Entry) -> Result<&[u8], ReplayError> {
        let damaged = entry.damaged();
        let head = take_block(&mut self.source, entry.offset, self.length, &mut self.bytes)?;
        if head != Some(entry.head) {
            return Err(damaged);
        }
        let end = self.bytes.len() - CHECK;
        self.bytes.get(HEAD..end).ok_or(damaged)
    }
}

/// Returns the block that covers a tick.
fn covering(entries: &[Entry], tick: Tick) -> Option<Entry> {
    let at = entries.partition_point(|entry| entry.head.tick <= tick);
    let entry = *entries.get(at.checked_sub(1)?)?;
    (tick < entry.end()).then_some(entry)
}

/// Reads the header, and returns the offset of the first block.
fn read_header<R: Source>(source: &mut R, length: u64) -> Result<(Info, u64), ReplayError> {
    let mut prefix = [0; PREFIX];
    let there = length.min(PREFIX as u64) as usize;
    source.read_at(0, &mut prefix[..there])?;
    if there < PREFIX {
        let begins = prefix[..there].iter().zip(&super::format::MAGIC).all(|(a, b)| a == b);
        return Err(if begins { ReplayError::Empty } else { ReplayError::NotARecording });
    }
    let total = PREFIX as u64 + u64::from(Info::length(&prefix)?) + CHECK as u64;
    if total > length {
        return Err(ReplayError::Empty);
    }
    let mut bytes = vec![0; total as usize];
    source.read_at(0, &mut bytes)?;
    Ok((Info::decode(&bytes)?, total))
}

const _: () = assert!(size_of::<Head>() <= 16, "an hour's index stays small");
