use proptest::prelude::*;

use super::traces::{TRACES, inputs};
use super::{KNOWN_TICKS, PIECES_BYTES_MAX, Packer, Unpacker};

type Tick = (Vec<u8>, Vec<u8>);

fn pack(width: usize, known: &[Vec<u8>], ticks: &[Tick]) -> Vec<u8> {
    let mut out = vec![];
    let mut packer = Packer::new(&mut out);
    packer.window(
        width,
        known.iter().map(Vec::as_slice),
        ticks.iter().map(|(input, pieces)| (&input[..], &pieces[..])),
    );
    packer.finish();
    out
}

fn unpack(width: usize, known: &[Vec<u8>], count: usize, bytes: &[u8]) -> Option<Vec<Tick>> {
    let mut ticks = vec![];
    let mut unpacker = Unpacker::new(bytes);
    let known = known.iter().map(Vec::as_slice);
    unpacker.window(width, known, count, &mut vec![], |index, input, pieces| {
        assert_eq!(index, ticks.len());
        ticks.push((input.to_vec(), pieces.to_vec()));
    })?;
    unpacker.finish()?;
    Some(ticks)
}

fn silent(inputs: &[Vec<u8>]) -> Vec<Tick> {
    inputs.iter().map(|input| (input.clone(), vec![])).collect()
}

/// Mean bytes of the rolling windows of `count` ticks after `known` ticks, in hundredths.
fn mean_size(trace: super::traces::Trace, seed: u64, known: usize, count: usize) -> usize {
    let inputs = inputs(trace, seed, 3000);
    let starts = 40..inputs.len() - count;
    let windows = starts.len();
    let total: usize = starts
        .map(|start| {
            let ticks = silent(&inputs[start..start + count]);
            pack(inputs[0].len(), &inputs[start - known..start], &ticks).len()
        })
        .sum();
    total * 100 / windows
}

/// Mean bytes of windows of 6, 8 and 12 ticks, in hundredths; `--nocapture` prints them for other numbers of
/// known ticks too.
#[test]
fn sizes_of_windows_stay_below_their_bounds() {
    let bounds = [
        [210, 275, 405],
        [215, 285, 410],
        [455, 585, 835],
        [410, 535, 780],
        [460, 600, 885],
        [105, 105, 110],
        [2640, 3500, 5210],
        [0, 0, 0],
    ];
    for (trace, bounds) in TRACES.into_iter().zip(bounds) {
        for known in [1, 2, KNOWN_TICKS, 8, 16] {
            let sizes = [6, 8, 12].map(|count| mean_size(trace, 1, known, count));
            println!("{:15} known {known:2}: {sizes:?}", trace.0);
            let fits = sizes.iter().zip(bounds).all(|(&size, bound)| size <= bound);
            assert!(known != KNOWN_TICKS || fits, "{}: {sizes:?}", trace.0);
        }
    }
}

#[test]
fn one_button_in_eight_ticks_takes_two_bytes() {
    for tick in 0..8 {
        let mut inputs = vec![vec![0, 0, 0, 0]; 8];
        inputs[tick..].iter_mut().for_each(|input| input[0] = 0x10);
        assert!(pack(4, &[vec![0; 4]], &silent(&inputs)).len() <= 2);
    }
}

/// The examples of the specification, in both directions.
#[test]
fn examples_of_the_specification_hold() {
    let text = include_str!("SPEC.md").split("```").nth(1).expect("a block of examples");
    let lines: Vec<_> = text.lines().skip(1).collect();
    assert!(lines.len() >= 8);
    for line in lines {
        let [known, ticks, stream] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("three columns: {line}");
        };
        let known: Vec<_> = known.split_whitespace().map(bytes).collect();
        let tick = |tick: &str| {
            let (input, pieces) = tick.split_once('+').unwrap_or((tick, ""));
            (bytes(input), bytes(pieces))
        };
        let ticks: Vec<_> = ticks.split_whitespace().map(tick).collect();
        let width = ticks[0].0.len();
        let packed = pack(width, &known, &ticks);
        assert_eq!(packed, bytes(stream.trim()), "{line}: {packed:02x?}");
        assert_eq!(unpack(width, &known, ticks.len(), &packed), Some(ticks));
    }
}

/// Probabilities persist over windows. A reader in Python, written from the specification, gave the same values.
#[test]
fn a_stream_of_numbers_and_windows_keeps_its_bytes() {
    let known = [bytes("0000"), bytes("0102")];
    let ticks = silent(&[bytes("0204"), bytes("0306"), bytes("0408")]);
    let mut out = vec![];
    let mut packer = Packer::new(&mut out);
    packer.uint(5, 3);
    packer.flag(true, 1000);
    for _ in 0..2 {
        let ticks = ticks.iter().map(|(input, pieces)| (&input[..], &pieces[..]));
        packer.window(2, known.iter().map(Vec::as_slice), ticks);
    }
    packer.uint(70_000, 0);
    packer.finish();
    assert_eq!(out, bytes("5ffffdb9b27a2e98"), "{out:02x?}");
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal");
    (0..hex.len()).step_by(2).map(digits).collect()
}

#[test]
fn bytes_after_the_end_are_malformed() {
    let idle = silent(&[vec![0; 4], vec![0; 4]]);
    assert_eq!(unpack(4, &[], 2, &[0; 4]), Some(idle));
    assert_eq!(unpack(4, &[], 2, &[0; 5]), None);
}

/// Trailing zero bytes are omitted, but not so many that a short packet could request megabytes.
#[test]
fn a_cut_packet_gives_no_long_pieces() {
    let tick = (vec![7; 4], vec![0; PIECES_BYTES_MAX]);
    let packed = pack(4, &[], &[tick]);
    assert!(packed.len() > PIECES_BYTES_MAX - 8);
    assert!(
        (16..packed.len() - 8).step_by(97).all(|cut| unpack(4, &[], 1, &packed[..cut]).is_none())
    );
}

fn tick(width: usize) -> impl Strategy<Value = Tick> {
    let byte = prop_oneof![4 => Just(0), 2 => 0..4u8, 1 => any::<u8>()];
    let pieces = prop_oneof![
        8 => Just(vec![]),
        2 => prop::collection::vec(any::<u8>(), 1..40),
        1 => (1..=PIECES_BYTES_MAX, any::<u8>()).prop_map(|(length, byte)| vec![byte; length]),
    ];
    (prop::collection::vec(byte, width), pieces)
}

fn window() -> impl Strategy<Value = (usize, Vec<Vec<u8>>, Vec<Tick>)> {
    (1..=64usize).prop_flat_map(|width| {
        let known = prop::collection::vec(tick(width).prop_map(|tick| tick.0), 0..6);
        (Just(width), known, prop::collection::vec(tick(width), 0..20))
    })
}

proptest! {
    #[test]
    fn windows_come_back((width, known, ticks) in window()) {
        let bytes = pack(width, &known, &ticks);
        prop_assert_eq!(unpack(width, &known, ticks.len(), &bytes), Some(ticks));
    }

    #[test]
    fn windows_and_numbers_share_a_stream(
        windows in prop::collection::vec((window(), any::<u32>(), 0..16u32, any::<bool>(), 1u16..), 0..4)
    ) {
        let mut out = vec![0xaa];
        let mut packer = Packer::new(&mut out);
        for ((width, known, ticks), number, order, flag, chance) in &windows {
            packer.uint(*number, *order);
            packer.flag(*flag, *chance);
            let ticks = ticks.iter().map(|(input, pieces)| (&input[..], &pieces[..]));
            packer.window(*width, known.iter().map(Vec::as_slice), ticks);
            packer.bits(*number, *order);
        }
        packer.finish();
        prop_assert_eq!(out[0], 0xaa);

        let mut scratch = vec![];
        let mut unpacker = Unpacker::new(&out[1..]);
        for ((width, known, ticks), number, order, flag, chance) in windows {
            prop_assert_eq!(unpacker.uint(order), Some(number));
            prop_assert_eq!(unpacker.flag(chance), Some(flag));
            let mut read = vec![];
            let known = known.iter().map(Vec::as_slice);
            unpacker.window(width, known, ticks.len(), &mut scratch, |_, input, pieces| {
                read.push((input.to_vec(), pieces.to_vec()));
            });
            prop_assert_eq!(read, ticks);
            prop_assert_eq!(unpacker.bits(order), Some(number & ((1 << order) - 1)));
        }
        prop_assert!(unpacker.finish().is_some());
    }

    /// For any corruption, the decoded pieces are no longer than the bytes.
    #[test]
    fn changed_bytes_are_safe_to_read(
        (width, known, ticks) in window(),
        cut in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        flip: u8,
    ) {
        let mut bytes = pack(width, &known, &ticks);
        bytes.truncate(cut.index(bytes.len() + 1));
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
        }
        if let Some(read) = unpack(width, &known, ticks.len(), &bytes) {
            prop_assert!(read.iter().map(|tick| tick.1.len()).sum::<usize>() <= bytes.len() + 8);
        }
    }

    #[test]
    fn any_bytes_are_safe_to_read(
        width in 1..=64usize,
        count in 0..=255usize,
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let _ = unpack(width, &[], count, &bytes);
    }
}
