//! Checks of the fuzz targets for packs and worlds. Tests of core include this file, so it uses only core.

use isostep_core::Vec3;
use isostep_core::digest::Digest;
use isostep_core::internals::pack::{
    Effort, Image, Segment, Segments, inspect, pack, unpack as open,
};
use isostep_core::real;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, World, WorldDef};

/// Most bytes that an input may unpack to.
const LIMIT: usize = 1 << 16;

/// The layout of every pack that is tried.
pub const LAYOUT: u64 = 0x15_0573;

/// The baseline that deltas are tried against: rows of 8 bytes with keys, then plain bytes.
pub fn baseline() -> (Vec<u8>, Segments) {
    let rows = (0..40u16).flat_map(|key| {
        let [low, high] = (key * 3).to_le_bytes();
        [low, high, 1, 2, (key * 37) as u8, 0, 0, 0]
    });
    let bytes: Vec<u8> = rows.chain((0..100u8).map(|i| i.wrapping_mul(i))).collect();
    let segments = Segments::from_iter([Segment::rows(1, 320, 8).keyed(2), Segment::bytes(2, 100)]);
    (bytes, segments)
}

/// Unpacks any bytes, as they are and with their digests made right, so that damage passes the digests.
///
/// # Panics
/// When unpacking breaks a promise.
pub fn unpack(data: &[u8]) {
    try_one(data);
    let mut sealed = data.to_vec();
    seal(&mut sealed);
    try_one(&sealed);
}

fn try_one(data: &[u8]) {
    let (bytes, segments) = baseline();
    let baseline = Image { bytes: &bytes, segments: &segments };
    for baseline in [None, Some(baseline)] {
        let Ok(unpacked) = open(data, LAYOUT, baseline, LIMIT) else { continue };
        assert!(unpacked.bytes.len() <= LIMIT, "longer than the limit");
        let said = inspect(data).expect("what unpacks can be inspected");
        assert_eq!(said.digest, unpacked.image().digest());
        assert_eq!(said.length as usize, unpacked.bytes.len());
        let again = pack(LAYOUT, unpacked.image(), baseline, Effort::Small)
            .expect("what was unpacked can be packed");
        assert_eq!(open(&again, LAYOUT, baseline, LIMIT).as_ref(), Ok(&unpacked));
    }
}

/// A small world that snapshots are restored into: tick 3, and tick 2 as a baseline.
///
/// # Panics
/// Never: its definitions are within the limits.
pub fn world() -> World {
    let mut world = World::with_history(WorldDef::default(), 4).expect("a sound definition");
    let ball = Shape::sphere(real!(0.5)).expect("a sound radius");
    let place = Vec3::new(real!(0), real!(0.5), real!(0));
    for body in
        [BodyDef::fixed().shape(Shape::HALF_SPACE), BodyDef::dynamic().at(place).shape(ball)]
    {
        world.spawn(body).expect("a sound body");
    }
    for _ in 0..3 {
        world.step();
    }
    world
}

/// Restores any bytes as a snapshot, as they are and with their digests made right, and goes on with what is accepted.
///
/// # Panics
/// When restoring breaks a promise, or a world that was restored can't go on.
pub fn restore(data: &[u8]) {
    let mut sealed = data.to_vec();
    seal_snapshot(&mut sealed);
    thread_local! {
        static WORLD: World = world();
    }
    let mut world = WORLD.with(World::clone);
    for bytes in [data, &sealed] {
        let before = world.digest();
        if world.restore_within(bytes, LIMIT).is_err() {
            assert_eq!(world.digest(), before, "refused, and yet something changed");
            continue;
        }
        let tick = world.tick();
        let again = world.snapshot(tick, None).expect("the present is held");
        let digest = world.digest();
        world.restore(&again).expect("what was restored can be restored");
        assert_eq!(world.digest(), digest);
        world.step();
        world.step();
    }
}

/// Makes the digests in a snapshot right: its pack begins behind 6 bytes, or 26 if it is a delta.
pub fn seal_snapshot(snapshot: &mut [u8]) {
    let start = if snapshot.get(5) == Some(&0) { 6 } else { 26 };
    if let Some(packed) = snapshot.get_mut(start..) {
        seal(packed);
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    bytes.try_into().ok().map(|bytes| u32::from_le_bytes(bytes) as usize)
}

/// Makes the digests of blocks and header right, as far as the bytes have the shape of a pack.
pub fn seal(packed: &mut [u8]) {
    _ = seal_blocks(packed);
    _ = seal_header(packed);
}

fn seal_blocks(packed: &mut [u8]) -> Option<()> {
    let mut body = 25usize.checked_add(u32_at(packed, 5)?)?;
    let mut at = 79usize.checked_add(u32_at(packed, 75)?)?;
    let count = u32_at(packed, at)?;
    at += 4;
    for number in 0..count as u32 {
        if *packed.get(at)? == 0 {
            at += 1;
            continue;
        }
        let end = body.checked_add(u32_at(packed, at + 1)?)?;
        let stored = packed.get(body..end)?;
        let digest = Digest::of(&[&number.to_le_bytes()[..], stored].concat()).short();
        packed.get_mut(at + 5..at + 21)?.copy_from_slice(&digest.to_bytes());
        (at, body) = (at + 21, end);
    }
    Some(())
}

fn seal_header(packed: &mut [u8]) -> Option<()> {
    let end = 25usize.checked_add(u32_at(packed, 5)?)?;
    let digest = Digest::of(packed.get(25..end)?).short();
    packed[9..25].copy_from_slice(&digest.to_bytes());
    Some(())
}
