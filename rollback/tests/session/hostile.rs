//! Bytes from anywhere: no panic, nothing that grows without end, and the match goes on.

use super::game::{Game, pad};
use super::model::mixed;
use isostep_rollback::internals::{Exchange, ExchangeError};
use isostep_rollback::{Mode, PeerId, PlayerId, Session, SessionConfig, Tick, Time};
use proptest::collection::vec;
use proptest::prelude::*;

/// One end of a match of two.
struct End {
    session: Session<Game>,
    game: Game,
    exchange: Exchange,
    own: PlayerId,
}

impl End {
    fn new(own: u8) -> Self {
        let config = SessionConfig::new().mode(Mode::Rollback { max: 12 }).digest_every(4);
        let config = match own {
            0 => config.local().remote(PeerId(0)),
            _ => config.remote(PeerId(0)).local(),
        };
        let mut game = Game::default();
        let session = Session::start(config, &mut game).expect("a sound setup");
        Self { session, game, exchange: Exchange::new(PeerId(0)), own: PlayerId(own) }
    }

    fn tick(&mut self) {
        let present = self.session.current_tick().0;
        let sample = pad(mixed(&[u64::from(self.own.0), u64::from(present) / 3]));
        self.session.local_input(self.own, sample).expect("a local player");
        if present.is_multiple_of(20) {
            self.session.command(self.own, &[present as u8; 100]).expect("few wait");
        }
        self.session.advance(Time::ZERO).run(&mut self.game).expect("it runs");
        while self.session.poll_event().is_some() {}
    }

    fn write(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.exchange.write(&mut self.session, &mut bytes).expect("not out of touch");
        bytes
    }

    fn read(&mut self, bytes: &[u8]) {
        self.exchange.read(Time::ZERO, &mut self.session, bytes).expect("a sound datagram");
    }
}

/// Two ends that have played for a while, and what they last said to each other.
fn pair(ticks: u32, fault: bool) -> ([End; 2], [Vec<u8>; 2]) {
    let (mut a, mut b) = (End::new(0), End::new(1));
    if fault {
        b.game.fault.on(Tick(10));
    }
    let mut last = [Vec::new(), Vec::new()];
    for tick in 0..ticks {
        a.tick();
        b.tick();
        last = [a.write(), b.write()];
        // The last ones stay on the way.
        if tick + 1 < ticks {
            b.read(&last[0]);
            a.read(&last[1]);
        }
    }
    ([a, b], last)
}

fn assert_goes_on([mut a, mut b]: [End; 2]) {
    let before = a.session.confirmed_tick();
    for _ in 0..60 {
        a.tick();
        b.tick();
        let (from_a, from_b) = (a.write(), b.write());
        b.read(&from_a);
        a.read(&from_b);
    }
    assert!(a.session.confirmed_tick() >= before + 50, "{:?}", a.session);
    assert_eq!(a.session.stats().conflicts + b.session.stats().conflicts, 0);
    assert_eq!(a.session.digest(), b.session.digest());
}

/// Every way to cut the bytes off, every bit flipped, and some bytes too many.
fn damaged(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let cuts = (0..bytes.len()).map(|length| bytes[..length].to_vec());
    let flips = (0..8 * bytes.len()).map(|bit| {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    });
    cuts.chain(flips).chain([[bytes, &[0; 3]].concat(), [bytes, bytes].concat()])
}

#[test]
fn every_cut_and_every_flipped_bit_of_a_datagram_is_refused() {
    for ticks in [1, 2, 21, 60] {
        let ([a, mut b], last) = pair(ticks, false);
        for bytes in damaged(&last[0]) {
            let read = b.exchange.read(Time::ZERO, &mut b.session, &bytes);
            assert!(read.is_err(), "{bytes:?}");
        }
        assert_goes_on([a, b]);
    }
}

/// Messages that the examination of a difference hands out, from both ends, as they come.
fn messages() -> (Vec<Vec<u8>>, [End; 2]) {
    let (mut ends, _) = pair(12, true);
    let mut found = Vec::new();
    for _ in 0..60 {
        for at in 0..2 {
            ends[at].tick();
            let mut sent = Vec::new();
            while let Some(message) = ends[at].session.poll_message(PeerId(0)) {
                sent.push(message);
            }
            let bytes = ends[at].write();
            ends[1 - at].read(&bytes);
            for message in sent {
                // Some come when all is said.
                let _ = ends[1 - at].session.message(PeerId(0), &message);
                found.push(message);
            }
        }
    }
    (found, ends)
}

#[test]
fn every_cut_and_every_flipped_bit_of_a_message_is_borne() {
    let (messages, _) = messages();
    assert!(messages.len() >= 4, "{} messages", messages.len());
    for message in &messages {
        // One that has a case open and waits for an answer, and one that knows of nothing.
        for fault in [true, false] {
            let (mut ends, _) = pair(20, fault);
            let mut answers = 0;
            for (number, bytes) in damaged(message).enumerate() {
                let _ = ends[0].session.message(PeerId(0), &bytes);
                if number % 50 == 0 {
                    ends[0].tick();
                }
                while ends[0].session.poll_message(PeerId(0)).is_some() {
                    answers += 1;
                }
            }
            assert!(answers < 40, "{answers} answers");
            let present = ends[0].session.current_tick();
            let next = ends[0].session.received(PlayerId(1)).expect("a seat");
            for tick in 0..20 {
                let fed = ends[0].session.remote_inputs(PlayerId(1), next + tick, &[pad(0)]);
                fed.expect("in order");
                ends[0].tick();
            }
            assert!(ends[0].session.current_tick() > present, "it goes on");
        }
    }
}

/// A datagram that was cut off within its checksum passed the check, and its sender was accused of playing another game.
#[test]
fn a_datagram_that_is_cut_off_anywhere_is_damaged() {
    let ([_, mut b], last) = pair(5, false);
    for length in 1..last[0].len() {
        let read = b.exchange.read(Time::ZERO, &mut b.session, &last[0][..length]);
        assert_eq!(read, Err(ExchangeError::Damaged), "{length} bytes");
    }
}

#[test]
fn a_flood_of_messages_gets_few_answers() {
    let (messages, _) = messages();
    let (mut ends, _) = pair(20, true);
    for _ in 0..1000 {
        for message in &messages {
            let _ = ends[0].session.message(PeerId(0), message);
        }
    }
    for _ in 0..20 {
        ends[0].tick();
    }
    let answers = core::iter::from_fn(|| ends[0].session.poll_message(PeerId(0))).count();
    assert!(answers < 20, "{answers} answers");
}

/// The checksum, as a sender computes it who means harm.
fn signed(parts: &[u8]) -> Vec<u8> {
    let mut sum = u32::MAX;
    for &byte in parts {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xEDB8_8320 * (sum & 1));
        }
    }
    [&[0x15], (!sum).to_le_bytes().as_slice(), parts].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_no_harm(blobs in vec(vec(any::<u8>(), 0..200), 1..20)) {
        let ([a, mut b], _) = pair(5, false);
        for bytes in &blobs {
            prop_assert!(b.exchange.read(Time::ZERO, &mut b.session, bytes).is_err());
            let _ = b.session.message(PeerId(0), bytes);
        }
        assert_goes_on([a, b]);
    }

    /// Well signed parts of any content may put in wrong words of their own sender, and nothing worse.
    #[test]
    fn parts_of_any_content_are_borne(parts in vec((1..7u8, vec(any::<u8>(), 0..60)), 1..12)) {
        let ([_, mut b], _) = pair(5, false);
        for (kind, body) in parts {
            let bytes = signed(&[&[3, kind], body.as_slice()].concat());
            let _ = b.exchange.read(Time::ZERO, &mut b.session, &bytes);
            b.tick();
            let mut out = Vec::new();
            let _ = b.exchange.write(&mut b.session, &mut out);
            prop_assert!(out.len() < 1200);
        }
        prop_assert_eq!(b.session.received(PlayerId(1)), b.session.local_next(PlayerId(1)));
    }

    #[test]
    fn flipped_bits_behind_a_good_checksum_are_borne(flips in vec(any::<u16>(), 1..6)) {
        let ([_, mut b], last) = pair(21, true);
        let mut parts = last[0][5..].to_vec();
        for flip in flips {
            let bit = usize::from(flip) % (8 * parts.len());
            parts[bit / 8] ^= 1 << (bit % 8);
        }
        let _ = b.exchange.read(Time::ZERO, &mut b.session, &signed(&parts));
        for _ in 0..5 {
            b.tick();
            b.write();
        }
    }
}
