//! GAME frames, except for the coded stream of inputs (`WIRE.md`, section 6).

use super::frame_type::GAME;
use isostep_core::digest::ShortDigest;
use isostep_core::internals::Reader;

mod part {
    pub(super) const STAMP: u8 = 0x01;
    pub(super) const FULL: u8 = 0x02;
    pub(super) const PACE: u8 = 0x04;
    pub(super) const DIGEST: u8 = 0x08;
    pub(super) const INPUTS: u8 = 0x10;
    pub(super) const MULTI_SEAT: u8 = 0x20;
    pub(super) const ALL: u8 = 0x3f;
}

/// Value of the spread if no statistics are available.
const UNMEASURED: u16 = u16::MAX;

/// Newest tick of the sender, and its send time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stamp {
    /// Low bits of both.
    Short {
        made: u8,
        sent: u8,
    },
    Full {
        made: u32,
        sent: u32,
    },
}

/// Pacing report: delay and clock rate of the sender, and its arrival statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    pub(crate) delay: u8,
    pub(crate) rate: i16,
    pub(crate) measured: Option<ArrivalStats>,
}

/// Arrival statistics of the receiver's ticks, measured by the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArrivalStats {
    pub(crate) median: u32,
    /// Less than [`UNMEASURED`].
    pub(crate) spread: u16,
    pub(crate) tick_advantage: i16,
}

/// Decoded GAME frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Game<'a> {
    pub(crate) stamp: Stamp,
    pub(crate) pace: Option<Pace>,
    /// Low 16 bits of a tick, and its digest.
    pub(crate) digest: Option<(u16, ShortDigest)>,
    /// Coded stream of inputs, and whether it has seat lists.
    pub(crate) inputs: Option<(&'a [u8], bool)>,
}

impl Pace {
    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let (delay, rate) = (from.u8()?, i16::from_le_bytes(from.array()?));
        let (median, spread) = (from.u32()?, from.u16()?);
        let tick_advantage = i16::from_le_bytes(from.array()?);
        let some = spread != UNMEASURED;
        if !some && (median, tick_advantage) != (0, 0) {
            return None;
        }
        let measured = some.then_some(ArrivalStats { median, spread, tick_advantage });
        Some(Self { delay, rate, measured })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let nothing = ArrivalStats { median: 0, spread: UNMEASURED, tick_advantage: 0 };
        let ArrivalStats { median, spread, tick_advantage } = self.measured.unwrap_or(nothing);
        out.push(self.delay);
        out.extend_from_slice(&self.rate.to_le_bytes());
        out.extend_from_slice(&median.to_le_bytes());
        out.extend_from_slice(&spread.to_le_bytes());
        out.extend_from_slice(&tick_advantage.to_le_bytes());
    }
}

impl<'a> Game<'a> {
    pub(crate) fn read(frame: &'a [u8]) -> Option<Self> {
        let mut from = Reader::new(frame);
        let kind = from.u8()?;
        let has = |part: u8| kind & part != 0;
        let sane = kind & !part::ALL == GAME
            && has(part::STAMP) != has(part::FULL)
            && (has(part::INPUTS) || !has(part::MULTI_SEAT));
        if !sane {
            return None;
        }
        let stamp = if has(part::STAMP) {
            Stamp::Short { made: from.u8()?, sent: from.u8()? }
        } else {
            Stamp::Full { made: from.u32()?, sent: from.u32()? }
        };
        let pace = if has(part::PACE) { Some(Pace::read(&mut from)?) } else { None };
        let digest = if has(part::DIGEST) {
            Some((from.u16()?, ShortDigest::from_bytes(from.array()?)))
        } else {
            None
        };
        let rest = from.rest();
        let inputs = has(part::INPUTS).then_some((rest, has(part::MULTI_SEAT)));
        (inputs.is_some() || rest.is_empty()).then_some(Self { stamp, pace, digest, inputs })
    }

    /// Writes the frame. If `inputs` is set, the coded stream follows.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.push(GAME);
        match self.stamp {
            Stamp::Short { made, sent } => {
                out[start] |= part::STAMP;
                out.extend_from_slice(&[made, sent]);
            }
            Stamp::Full { made, sent } => {
                out[start] |= part::FULL;
                out.extend_from_slice(&made.to_le_bytes());
                out.extend_from_slice(&sent.to_le_bytes());
            }
        }
        if let Some(pace) = &self.pace {
            out[start] |= part::PACE;
            pace.write(out);
        }
        if let Some((tick, digest)) = self.digest {
            out[start] |= part::DIGEST;
            out.extend_from_slice(&tick.to_le_bytes());
            out.extend_from_slice(&digest.to_bytes());
        }
        if let Some((stream, multi_seat)) = self.inputs {
            out[start] |= part::INPUTS | if multi_seat { part::MULTI_SEAT } else { 0 };
            out.extend_from_slice(stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stamps() -> impl Strategy<Value = Stamp> {
        prop_oneof![
            any::<(u8, u8)>().prop_map(|(made, sent)| Stamp::Short { made, sent }),
            any::<(u32, u32)>().prop_map(|(made, sent)| Stamp::Full { made, sent }),
        ]
    }

    fn paces() -> impl Strategy<Value = Pace> {
        let measured = (any::<u32>(), 0..UNMEASURED, any::<i16>()).prop_map(
            |(median, spread, tick_advantage)| ArrivalStats { median, spread, tick_advantage },
        );
        (any::<(u8, i16)>(), proptest::option::of(measured))
            .prop_map(|((delay, rate), measured)| Pace { delay, rate, measured })
    }

    proptest! {
        #[test]
        fn a_frame_round_trips(
            stamp in stamps(),
            pace in proptest::option::of(paces()),
            digest in proptest::option::of(any::<(u16, [u8; 16])>()),
            inputs in proptest::option::of((proptest::collection::vec(any::<u8>(), 0..20), any::<bool>())),
        ) {
            let digest = digest.map(|(tick, bytes)| (tick, ShortDigest::from_bytes(bytes)));
            let inputs = inputs.as_ref().map(|(stream, multi_seat)| (&stream[..], *multi_seat));
            let game = Game { stamp, pace, digest, inputs };
            let mut frame = Vec::new();
            game.write(&mut frame);
            prop_assert!(frame[0] >= GAME);
            prop_assert_eq!(Game::read(&frame), Some(game));
        }

        #[test]
        fn any_bytes_are_decoded_or_rejected(frame in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Some(game) = Game::read(&frame) {
                let mut again = Vec::new();
                game.write(&mut again);
                prop_assert_eq!(again, frame);
            }
        }
    }
}
