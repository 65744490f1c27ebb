//! Kinds of rows that few bodies have, on the list `marks` that exists for these tests.

use super::rich::mark;
use super::snapshots::restored;
use isostep_core::Rng;
use isostep_core::Tick;
use isostep_core::internals::StateSection;
use isostep_core::world::{BodyId, ResimMode, SnapshotError, World};
use isostep_scenes::scene_golden::{Row, SceneGolden, committed, path};
use isostep_scenes::scenes::{self, Size};

fn stacks() -> (World, Vec<BodyId>) {
    let world = scenes::build("stacks", 1).unwrap().world;
    let ids = world.bodies().map(|(id, _)| id).collect();
    (world, ids)
}

/// Page numbers of the marks.
fn pages(world: &World) -> Vec<u32> {
    let tree = world.digest_tree();
    tree.get("marks")
        .map_or_else(Vec::new, |marks| marks.pages().iter().map(|page| page.0).collect())
}

#[test]
fn a_list_without_rows_adds_nothing() {
    let ((mut with, ids), (mut without, _)) = (stacks(), stacks());
    for data in [mark(5), mark(0), 0] {
        with.set_user_data(ids[40], data).unwrap();
        with.step();
        without.step();
        let marked = data == mark(5);
        assert_eq!(pages(&with), if marked { vec![ids[40].page()] } else { vec![] });
        assert_eq!(with.digest() == without.digest(), data == 0);
    }
    let tick = with.tick();
    assert_eq!(with.snapshot(tick, None), without.snapshot(tick, None));
    assert_eq!(with.digest_tree().sections().count(), 6);
}

#[test]
fn marks_end_with_their_body() {
    let (mut world, ids) = stacks();
    for id in &ids[30..50] {
        world.set_user_data(*id, mark(7)).unwrap();
    }
    world.step();
    let marked = pages(&world);
    assert!(marked.len() > 1);
    let last = *marked.last().unwrap();
    for id in ids[30..50].iter().filter(|id| id.page() == last) {
        world.despawn(*id).unwrap();
    }
    world.step();
    assert_eq!(pages(&world), marked[..marked.len() - 1]);
    world.rewind(world.tick() - 1).unwrap();
    assert_eq!(pages(&world), marked);
}

/// Marks differ between the timelines, appear, and disappear; pages of marks come and go.
#[test]
fn resimulated_marks_are_those_of_a_straight_run() {
    let act = |world: &mut World, ids: &[BodyId], seed: u64| {
        let mut rng = Rng::new(seed << 32 | u64::from(world.tick().0));
        for _ in 0..rng.below(3).unwrap() {
            let id = ids[rng.below(ids.len() as u32).unwrap() as usize];
            world.set_user_data(id, mark(rng.below(3).unwrap())).unwrap();
        }
        world.step();
    };
    let ((mut straight, ids), (mut world, _)) = (stacks(), stacks());
    straight.commit();
    world.commit();
    world.set_resim_mode(ResimMode::Verify);
    for round in 0..30u32 {
        // Wrong commands first, then the right ones.
        for _ in 0..6 {
            act(&mut world, &ids, 100 + u64::from(round));
        }
        world.rewind(Tick(round * 4)).unwrap();
        for _ in 0..4 {
            act(&mut world, &ids, 1);
            act(&mut straight, &ids, 1);
            assert_eq!(world.digest_tree(), straight.digest_tree(), "tick {}", world.tick());
        }
        assert_eq!(world.resim_difference(), None);
        assert_eq!(world.digest_tree(), world.digest_tree_anew(world.tick()).unwrap());
    }
    assert!(pages(&straight).len() > 1);
}

#[test]
fn deltas_predict_marks() {
    let (mut world, ids) = stacks();
    for (id, seed) in ids.iter().zip(1..) {
        world.set_user_data(*id, mark(seed)).unwrap();
    }
    world.step();
    let before = world.tick();
    world.set_user_data(ids[3], mark(900)).unwrap();
    world.set_user_data(ids[4], mark(0)).unwrap();
    world.despawn(ids[5]).unwrap();
    world.step();
    let now = world.tick();
    let (key, delta) =
        (world.snapshot(now, None).unwrap(), world.snapshot(now, Some(before)).unwrap());
    assert!(delta.len() * 3 < key.len(), "{} of {}", delta.len(), key.len());
    let mut other = restored(&world.snapshot(before, None).unwrap());
    other.restore(&delta).unwrap();
    assert_eq!(other.digest_tree(), world.digest_tree());
    assert_eq!(restored(&key).digest_tree(), world.digest_tree());
}

#[test]
fn invalid_marks_are_refused() {
    let (mut world, ids) = stacks();
    world.set_user_data(ids[3], mark(6)).unwrap();
    world.set_user_data(ids[4], mark(6)).unwrap();
    world.commit();
    let tables = world.snapshot_tables(world.tick(), None).unwrap();
    let length = 4 + 70 * 4;
    let first = tables.bytes.len() - 2 * length;
    let refusal = |at: usize, byte: u8| {
        let mut tables = tables.clone();
        tables.bytes[first + at] = byte;
        restored(&world.snapshot(world.tick(), None).unwrap()).restore_tables(&tables, None)
    };
    let row = |row, what| Err(SnapshotError::Row { table: "marks", row, what });
    assert_eq!(refusal(4, 0), row(0, "its first number is zero"));
    assert_eq!(refusal(length + 2, 99), row(1, "its body does not exist"));
    assert_eq!(refusal(0, ids[4].to_bits() as u8), row(1, "it is not in order"));
    assert_eq!(refusal(4, 2), Ok(()));
}

#[test]
fn a_differing_number_of_a_mark_is_named() {
    let (mut world, ids) = stacks();
    world.set_user_data(ids[40], mark(6)).unwrap();
    let mut other = world.clone();
    world.set_user_data(ids[40], mark(7)).unwrap();
    world.commit();
    other.commit();
    let (ours, theirs) = (world.digest_tree(), other.digest_tree());
    let differing = ours.diff(&theirs).find(|page| page.section == "marks").unwrap();
    let (tick, page) = (world.tick(), differing.page);
    let theirs = other.page_bytes(tick, StateSection::Marks, page).unwrap();
    let found = world.explain(tick, StateSection::Marks, page, &theirs).unwrap();
    let shown = found[2].to_string();
    assert_eq!(shown, format!("mark of {}, numbers[2]: 9 here (0x9), 6 there (0x6)", ids[40]));
    assert_eq!(found.len(), 70);
    let gone = world.explain(tick, StateSection::Marks, page, &[]).unwrap();
    assert_eq!((gone.len(), &*gone[0].field), (1, "exists"));
}

#[test]
fn a_subset_of_bodies_keeps_its_marks() {
    let (mut world, ids) = stacks();
    world.set_user_data(ids[3], mark(6)).unwrap();
    world.set_user_data(ids[4], mark(6)).unwrap();
    let alone = world.solo(&ids[..4]);
    let marks = |world: &World, ids: &[BodyId]| {
        let rows = world.rows_among(ids);
        rows.into_iter().filter(|(name, _)| name.contains("Marks")).collect::<Vec<_>>()
    };
    assert_eq!(marks(&world, &ids).len(), 2);
    assert_eq!(marks(&alone, &ids[..4]), marks(&world, &ids)[..1]);
}

#[test]
fn a_golden_with_marks_has_a_column_for_them() {
    let text = committed("cradle").unwrap();
    let mut golden = SceneGolden::parse("cradle", &path("cradle"), text).unwrap();
    let (mut world, ids) = stacks();
    world.set_user_data(ids[3], mark(6)).unwrap();
    world.commit();
    let tick = golden.rows[0].tick;
    golden.rows[0] = Row { tick, ..Row::of(Size::Small, &world) };
    let text = golden.to_string();
    assert!(text.lines().next().unwrap().contains("marks"));
    assert_eq!(SceneGolden::parse("cradle", &path("cradle"), &text), Ok(golden));
    let empty = text.replacen(text.lines().nth(1).unwrap().rsplit(' ').next().unwrap(), "-", 1);
    let refused = SceneGolden::parse("cradle", &path("cradle"), &empty).unwrap_err();
    assert!(refused.to_string().contains("a column without a digest"), "{refused}");
}
