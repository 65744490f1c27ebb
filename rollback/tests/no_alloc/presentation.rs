//! Once warm, presenting allocates nothing.

use crate::common::{FRAME, TICK, at};
use crate::counting;
use isostep_core::real;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, World, WorldDef};
use isostep_rollback::presentation::{EffectConfig, EffectJournal, Poses, Sample, WorldReader};
use isostep_rollback::{RunReport, Tick};

#[test]
fn warm_poses_allocate_nothing() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let sphere = Shape::sphere(real!(0.5)).unwrap();
    let stone = world.spawn(BodyDef::dynamic().shape(sphere)).unwrap();
    let (mut of_world, mut poses) = (Poses::new(TICK), Poses::new(TICK));
    let mut reader = WorldReader::new();
    let mut warm = 0;
    for tick in 0..200u32 {
        world.teleport(stone, at(tick as i32)).unwrap();
        world.step();
        if tick == 100 {
            warm = counting::count();
        }
        let before = counting::count();
        // Half of the bodies come and go.
        let ran = RunReport { new: 1, resimulated: tick % 3 };
        let keys = (0..64u32).filter(|key| tick < 50 || (key + tick) % 8 < 4);
        poses.tick(Tick(tick), ran, keys.map(|key| Sample::new(key, at((tick % 5) as i32))));
        of_world.tick(Tick(tick), ran, reader.read(Tick(tick), ran, &world));
        poses.frame(real!(0.5), FRAME);
        of_world.frame(real!(0.5), FRAME);
        assert!(tick < 100 || counting::count() == before, "tick {tick}, {warm} before");
    }
}

#[test]
fn a_journal_allocates_only_when_it_is_made() {
    let mut journal = EffectJournal::new(EffectConfig::default());
    let before = counting::count();
    for tick in 0..500u32 {
        for again in tick.saturating_sub(tick % 7)..=tick {
            let effects = (0..8u32).filter(|cause| (cause * 7 + again + tick / 3) % 5 == 0);
            journal.tick(Tick(again), effects.map(|cause| (cause, "clang")));
        }
        journal.confirm(Tick(tick.saturating_sub(8)));
        if tick % 3 == 0 {
            while journal.poll().is_some() {}
        }
    }
    assert_eq!((counting::count() - before, journal.lost()), (0, 0));
}
