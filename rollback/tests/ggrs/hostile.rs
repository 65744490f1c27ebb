//! Packets that make ggrs panic, with and without a guard. If ggrs is mended, a test here fails, and the tables in the
//! module's documentation are to be shortened.

use super::{Datagrams, End, GgrsGameError, Machine, Wire, machines, meet, press, tick};
use ggrs::{Message, NonBlockingSocket};
use isostep_core::Rng;
use isostep_rollback::Tick;
use std::sync::{Arc, Mutex};

/// As ggrs's own socket does it.
pub(crate) struct Plain(pub(crate) End);

impl NonBlockingSocket<u8> for Plain {
    fn send_to(&mut self, message: &Message, to: &u8) {
        self.0.send(&bincode::serialize(message).unwrap(), to);
    }

    fn receive_all_messages(&mut self) -> Vec<(u8, Message)> {
        let packets = std::iter::from_fn(|| self.0.receive());
        packets
            .filter_map(|(from, bytes)| Some((from, bincode::deserialize(&bytes).ok()?)))
            .collect()
    }
}

/// A match that has run for 60 ticks, and the number that its second machine's packets begin with.
fn running(wire: &Arc<Mutex<Wire>>, checksum_every: u32, guarded: bool) -> ([Machine; 2], [u8; 2]) {
    let mut machines = machines(wire, checksum_every, guarded);
    meet(&mut machines, || true);
    while machines[0].0.current_tick() < Tick(60) {
        (0..2).for_each(|own| _ = tick(own, &mut machines[own]));
    }
    tick(1, &mut machines[1]);
    let bytes = &wire.lock().unwrap().queues[0][0].1;
    let magic = [bytes[0], bytes[1]];
    (machines, magic)
}

/// An input packet of two players.
fn inputs(gone: bool, last_frame: i32, start: i32, packed: &[u8]) -> Vec<u8> {
    let mut bytes = vec![2, 0, 0, 0];
    bytes.extend(2u64.to_le_bytes());
    for player in 0..2 {
        bytes.push(u8::from(gone && player == 1));
        bytes.extend(last_frame.to_le_bytes());
    }
    bytes.push(0);
    bytes.extend(start.to_le_bytes());
    bytes.extend((-1i32).to_le_bytes());
    bytes.extend((packed.len() as u64).to_le_bytes());
    bytes.extend(packed);
    bytes
}

/// So many inputs of 4 bytes, packed as they are.
fn many(count: usize) -> Vec<u8> {
    let mut head = count * 6 * 2;
    let mut packed = Vec::new();
    while head > 127 {
        packed.push(head as u8 | 128);
        head >>= 7;
    }
    packed.push(head as u8);
    packed.extend([4, 0, 1, 2, 3, 4].repeat(count));
    packed
}

const ENDS_THE_PROCESS: &str = "a length of 2⁶⁰";

fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    // The reference of inputs from frame 60 on is known here.
    let start = 60;
    let mut pong = vec![5, 0, 0, 0];
    pong.extend(0u128.to_le_bytes());
    vec![
        ("a length that is cut off", inputs(false, 59, start, &[0x80])),
        (
            ENDS_THE_PROCESS,
            inputs(false, 59, start, &[0xfd, 255, 255, 255, 255, 255, 255, 255, 63]),
        ),
        ("200 inputs at once", inputs(false, 59, start, &many(200))),
        ("120 inputs at once", inputs(false, 59, start, &many(120))),
        ("a player who left long ago", inputs(true, 3, start, &many(1))),
        ("an answer to no ping", pong),
    ]
}

#[test]
fn a_guard_refuses_what_would_panic_ggrs() {
    for (name, packet) in hostile() {
        let wire = Wire::new(2);
        let (mut machines, magic) = running(&wire, 8, true);
        wire.lock().unwrap().queues[0].push_back((1, [&magic[..], &packet].concat()));
        while machines[0].0.current_tick() < Tick(100) {
            (0..2).for_each(|own| _ = tick(own, &mut machines[own]));
        }
        assert_eq!(wire.lock().unwrap().refused.len(), 1, "{name}");
    }
}

/// Overflow is seen only where it is checked, as it is in tests.
#[test]
fn ggrs_alone_panics_and_the_wrapper_tells() {
    // A length of 2⁶⁰ ends the process: no memory.
    for (name, packet) in hostile().into_iter().filter(|(name, _)| *name != ENDS_THE_PROCESS) {
        let wire = Wire::new(2);
        let (mut machines, magic) = running(&wire, 8, false);
        wire.lock().unwrap().queues[0].push_back((1, [&magic[..], &packet].concat()));
        let (game, session) = &mut machines[0];
        // Some of it takes effect with the next tick.
        let answers =
            [0, 1].map(|_| game.advance_p2p(session, &[(0, press(0, game.current_tick()))]));
        let panicked = |answer: &Result<_, _>| matches!(answer, Err(GgrsGameError::Panicked(_)));
        if name == "120 inputs at once" || name == "a player who left long ago" {
            // Not yet: the next ones would; and it takes a peer who has lied of the player from the start.
            assert!(answers.iter().all(Result::is_ok), "{name}: {answers:?}");
        } else {
            assert!(answers.iter().any(panicked), "{name}: {answers:?}");
            assert_eq!(game.fulfil::<u8>(Vec::new()), Err(GgrsGameError::Broken), "{name}");
        }
    }
}

#[test]
fn a_checksum_without_detection_is_refused() {
    let wire = Wire::new(2);
    let (mut machines, magic) = running(&wire, 0, true);
    let mut packet = [&magic[..], &[6, 0, 0, 0]].concat();
    packet.extend([0; 20]);
    wire.lock().unwrap().queues[0].push_back((1, packet));
    tick(0, &mut machines[0]);
    assert_eq!(wire.lock().unwrap().refused.len(), 1);
}

#[test]
fn no_damage_to_packets_panics_ggrs_behind_a_guard() {
    for seed in 0..40 {
        let wire = Wire::new(2);
        let mut machines = machines(&wire, 8, true);
        meet(&mut machines, || true);
        {
            let mut wire = wire.lock().unwrap();
            (wire.rng, wire.damage) = (Rng::new(seed), 20);
        }
        // A bit may say that a player left, or change an input: the machines may part, but not panic.
        for _ in 0..300 {
            (0..2).for_each(|own| _ = tick(own, &mut machines[own]));
        }
    }
}
