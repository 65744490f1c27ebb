//! Digests identify states: equal states have equal digests whatever their past, and digests cached in pages are never stale.

use super::rich;
use super::snapshots::restored;
use isostep_core::Rng;
use isostep_core::Tick;
use isostep_core::internals::StateSection;
use isostep_core::world::ResimMode;
use isostep_scenes::scenes;

#[test]
fn cached_page_digests_are_never_stale() {
    let mut world = rich::world();
    let mut rng = Rng::new(7);
    for round in 0..300 {
        rich::play(&mut world, 1);
        if rng.below(4) == Ok(0) {
            let back = rng.below(6).unwrap().min(world.tick().since(*world.history().start()));
            world.rewind(world.tick() - back).unwrap();
        }
        if rng.below(20) == Ok(0) {
            world.drop_step_records();
            world.drop_scratch();
        }
        // Not on every tick, so that pages are reused several times between two checks.
        if rng.below(3) == Ok(0) {
            let (oldest, now) = world.history().into_inner();
            for tick in (oldest.0..=now.0).map(Tick) {
                // A restored world has no cached digests.
                let known = world.digest_tree_at(tick).unwrap();
                let anew = restored(&world.snapshot(tick, None).unwrap()).digest_tree();
                assert_eq!(known, anew, "round {round}, tick {tick}");
            }
        }
    }
}

#[test]
fn digests_do_not_depend_on_how_a_state_came_about() {
    let mut straight = rich::world();
    rich::play(&mut straight, 60);
    for mode in [ResimMode::Incremental, ResimMode::Full] {
        let mut back = rich::world();
        back.set_resim_mode(mode);
        rich::play(&mut back, 60);
        back.rewind(Tick(50)).unwrap();
        back.drop_scratch();
        let ids: Vec<_> = back.bodies().map(|(id, _)| id).collect();
        _ = back.despawn(ids[9]);
        back.step();
        back.step();
        assert_ne!(back.digest_at(Tick(52)), straight.digest_at(Tick(52)));
        back.rewind(Tick(50)).unwrap();
        back.drop_step_records();
        rich::play(&mut back, 10);
        assert_eq!(back.digest_tree(), straight.digest_tree(), "{mode:?}");
        assert_eq!(back.clone().digest(), straight.digest());
    }
}

#[test]
fn commands_that_were_not_stepped_are_not_in_the_digest() {
    let mut world = rich::world();
    rich::play(&mut world, 3);
    let before = world.digest();
    let ids: Vec<_> = world.bodies().map(|(id, _)| id).collect();
    world.despawn(ids[5]).unwrap();
    assert_eq!(world.digest(), before);
    world.step();
    assert_ne!(world.digest(), before);
}

#[test]
fn a_page_that_sleeps_keeps_its_digest() {
    let mut scene = scenes::build("stacks", 1).unwrap();
    for _ in 0..200 {
        scene.step();
    }
    let before = scene.world.digest_tree();
    scene.step();
    let after = scene.world.digest_tree();
    let differs: Vec<_> = before.diff(&after).map(|page| page.section).collect();
    assert_eq!(differs, ["world"], "only the tick counts on");
}

/// Other tests of this folder then cover every kind of row.
#[test]
fn every_section_has_a_page_in_the_rich_world() {
    let mut world = rich::world();
    let mut pages = rich::pages(&world);
    rich::play(&mut world, 30);
    pages.extend(rich::pages(&world));
    for section in StateSection::ALL {
        assert!(pages.iter().any(|page| page.0 == section), "the rich world has no {section:?}");
    }
}
