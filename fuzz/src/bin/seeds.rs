//! Program that writes the inputs which mutation starts from: `seeds FOLDER` makes a folder in it for each target.

use isostep_core::internals::pack::{Effort, Image, Segment, Segments, pack};
use isostep_fuzz::{links, replays, seeds, sessions, worlds};
use std::path::Path;

/// Snapshots of every tick that the small world holds, whole and as deltas.
fn snapshots() -> Vec<Vec<u8>> {
    let mut world = worlds::world();
    world.step();
    let tick = world.tick();
    let ticks = (0..4).map(|back| tick - back);
    let pairs = ticks.flat_map(|of| [None, Some(tick - 2)].map(|against| (of, against)));
    pairs.filter_map(|(of, against)| world.snapshot(of, against).ok()).collect()
}

/// Packs of bytes that differ from the baseline in places, in rows, and in everything.
fn packs() -> Vec<Vec<u8>> {
    let (old, segments) = worlds::baseline();
    let mut changed = old.clone();
    for at in [3, 4, 90, 91, 200, 340, 341] {
        changed[at] = changed[at].wrapping_mul(7).wrapping_add(3);
    }
    let shifted = [&old[80..320], &old[..80], &old[320..]].concat();
    let tiny = (vec![1, 2], Segments::from_iter([Segment::bytes(0, 2)]));
    let images = [&old, &changed, &shifted].map(|bytes| (bytes.clone(), segments.clone()));
    let mut packs = Vec::new();
    for (bytes, segments) in images.into_iter().chain([tiny]) {
        let image = Image { bytes: &bytes, segments: &segments };
        let (old, segments) = worlds::baseline();
        for baseline in [None, Some(Image { bytes: &old, segments: &segments })] {
            let both = [Effort::Fast, Effort::Small];
            packs
                .extend(both.map(|how| pack(worlds::LAYOUT, image, baseline, how).expect("sound")));
        }
    }
    packs
}

fn main() {
    let folder = std::env::args().nth(1).expect("usage: seeds FOLDER");
    let lengths = [0, 1, 1100, 1177, 1178, 1450, 2400, 4000];
    let all = [
        ("packet", seeds::packets()),
        ("payload", seeds::payloads()),
        ("sealed", lengths.map(|length| vec![7; length]).to_vec()),
        ("handshake", seeds::handshakes()),
        ("frame", seeds::frames()),
        ("window", seeds::windows()),
        ("document", links::documents()),
        ("datagram", sessions::seeds()),
        ("explain", sessions::seeds()),
        ("replay", vec![replays::recording(true), replays::recording(false)]),
        ("restore", snapshots()),
        ("unpack", packs()),
    ];
    for (target, seeds) in all {
        let folder = Path::new(&folder).join(target);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        for (number, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number}")), seed)
                .expect("a place to write to");
        }
        println!(
            "{target}: {} seeds of up to {:?} bytes",
            seeds.len(),
            seeds.iter().map(Vec::len).max()
        );
    }
}
