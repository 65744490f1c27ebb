//! Decoder state of sessions: stamps of each direction, and inputs received by each machine.

use super::super::net::Capture;
use super::hex;
use crate::link::{PeerStamps, digest_tick};
use crate::wire::Game;
use crate::wire::window::Unpacker;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Exp-Golomb orders of tick distances and counts, and the maximum number of known ticks.
const TICK_ORDER: u32 = 4;
const COUNT_ORDER: u32 = 4;
const KNOWN_TICKS: u32 = 4;

/// Sessions of a capture.
pub(super) struct Sessions {
    /// By sender and receiver.
    stamps: BTreeMap<(u8, u8), Option<PeerStamps>>,
    /// By receiver and seat, then by tick.
    inputs: BTreeMap<(u8, u8), BTreeMap<u32, Vec<u8>>>,
    seats: Vec<u8>,
    width: usize,
    tick_micros: u32,
    start: u32,
}

impl Sessions {
    pub(super) fn new(capture: &Capture) -> Self {
        let Capture { seats, width, tick_micros, start, .. } = capture;
        Self {
            stamps: BTreeMap::new(),
            inputs: BTreeMap::new(),
            seats: seats.clone(),
            width: *width,
            tick_micros: *tick_micros,
            start: *start,
        }
    }

    /// Writes the lines of a frame.
    pub(super) fn frame(&mut self, direction: (u8, u8), frame: &[u8], out: &mut String) {
        let game = Game::read(frame).expect("of an honest peer");
        let stamps = self.stamps.entry(direction).or_default();
        let report = PeerStamps::take(stamps, game.stamp, game.pace, self.tick_micros)
            .expect("the first ones are full");
        let made = report.made.0;
        let mut line = format!("  GAME made={made} sent={}", report.sent);
        if let Some(pace) = game.pace {
            write!(line, " delay={} rate={}", pace.delay, pace.rate).expect("strings take all");
            if let Some(measured) = pace.measured {
                let (median, spread, advantage) =
                    (measured.median, measured.spread, measured.tick_advantage);
                write!(line, " middle={median} spread={spread} behind={advantage}")
                    .expect("strings take all");
            }
        }
        if let Some((end, digest)) = game.digest {
            let tick = digest_tick(report.made, end).expect("of an honest peer");
            write!(line, " digest={}:{}", tick.0, hex(&digest.to_bytes()))
                .expect("strings take all");
        }
        out.push_str(&line);
        out.push('\n');
        if let Some((stream, multi_seat)) = game.inputs {
            let mut stream = Unpacker::new(stream);
            if self
                .stream(direction, made, multi_seat, &mut stream, out)
                .expect("of an honest peer")
            {
                stream.finish().expect("nothing is left");
            }
        }
    }

    /// Decodes a stream; returns false if known ticks are missing.
    fn stream(
        &mut self,
        (from, to): (u8, u8),
        made: u32,
        multi_seat: bool,
        stream: &mut Unpacker<'_>,
        out: &mut String,
    ) -> Option<bool> {
        let seats = |machine: u8| {
            let seats = (0..).zip(&self.seats).filter(move |(_, of)| **of == machine);
            seats.map(|(seat, _)| seat).collect::<Vec<u8>>()
        };
        let (senders, receivers) = (seats(from), seats(to));
        let acknowledged = if multi_seat {
            let mask = stream.bits(16)? | stream.bits(16)? << 16;
            (0..32).filter(|seat| mask >> seat & 1 == 1).collect()
        } else {
            assert_eq!((senders.len(), receivers.len()), (1, 1));
            receivers
        };
        for seat in acknowledged {
            let tick = made.wrapping_add_signed(distance(stream)?);
            writeln!(out, "    RECEIVED seat={seat} tick={tick}").ok()?;
        }
        if !multi_seat {
            return self.window(to, senders[0], made, multi_seat, stream, out);
        }
        while stream.flag(1 << 15)? {
            let seat = stream.bits(5)? as u8;
            assert!(senders.contains(&seat));
            if !self.window(to, seat, made, multi_seat, stream, out)? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn window(
        &mut self,
        to: u8,
        seat: u8,
        made: u32,
        multi_seat: bool,
        stream: &mut Unpacker<'_>,
        out: &mut String,
    ) -> Option<bool> {
        let first = made.wrapping_add_signed(distance(stream)?);
        let count = stream.uint(COUNT_ORDER)?;
        let known =
            if multi_seat { stream.bits(3)? } else { (first - self.start).min(KNOWN_TICKS) };
        let inputs = self.inputs.entry((to, seat)).or_default();
        let known: Option<Vec<_>> =
            (first - known..first).map(|tick| inputs.get(&tick).cloned()).collect();
        let Some(known) = known else {
            out.push_str("    STALE\n");
            return Some(false);
        };
        let known = known.iter().map(Vec::as_slice);
        let sink = |index: usize, input: &[u8], pieces: &[u8]| {
            let tick = first + index as u32;
            write!(out, "    INPUT seat={seat} tick={tick} {}", hex(input)).expect("it takes all");
            if !pieces.is_empty() {
                write!(out, " pieces={}", hex(pieces)).expect("strings take all");
            }
            out.push('\n');
            inputs.insert(tick, input.to_vec());
        };
        stream.window(self.width, known, count as usize, &mut Vec::new(), sink)?;
        Some(true)
    }
}

fn distance(stream: &mut Unpacker<'_>) -> Option<i32> {
    let folded = stream.uint(TICK_ORDER)?;
    Some((folded >> 1) as i32 ^ -((folded & 1) as i32))
}
