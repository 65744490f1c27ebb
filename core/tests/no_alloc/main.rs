//! Warm containers do not allocate: a step of the simulation must not wait for an allocator.

mod counting;
mod queries;
mod scattered;
mod steps;

use isostep_core::Tick;
use isostep_core::data::SlotMap;
use isostep_core::internals::{BitSet, FixedVec, IdPool, UnionFind, sort_by_key};
use isostep_core::state::State;
use isostep_core::world::{World, WorldDef};
use std::hint::black_box;

fn allocations(work: impl FnOnce()) -> u32 {
    let before = counting::count();
    work();
    counting::count() - before
}

/// Scattered keys, independent of the crate's own generator.
fn scattered(count: u64) -> Vec<u64> {
    (0..count).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect()
}

#[test]
fn every_way_to_allocate_is_counted() {
    let mut list = Vec::new();
    assert_eq!(allocations(|| list.push(black_box(1u8))), 1);
    assert_eq!(allocations(|| list.reserve_exact(1000)), 1);
    let zeroed = || drop(black_box(vec![0u64; 100]));
    assert_eq!(allocations(zeroed), 1);
}

#[test]
fn sorting_with_a_warm_scratch_allocates_nothing() {
    let keys = scattered(1000);
    let (mut items, mut scratch) = (keys.clone(), Vec::new());
    sort_by_key(&mut items, &mut scratch, |key| *key);
    let again = allocations(|| {
        for len in [1000, 999, 500, 49, 48, 1, 0] {
            items.copy_from_slice(&keys);
            sort_by_key(&mut items[..len], &mut scratch, |key| *key);
        }
    });
    assert_eq!(again, 0);
}

#[test]
fn a_scratch_is_warm_after_one_sort_of_the_same_length() {
    let mut items: Vec<u64> = (0..1000).collect();
    let mut scratch = Vec::new();
    sort_by_key(&mut items, &mut scratch, |key| *key);
    items.reverse();
    let reversed = allocations(|| sort_by_key(&mut items, &mut scratch, |key| *key));
    assert_eq!(reversed, 0);
}

#[test]
fn warm_groups_allocate_nothing() {
    let mut groups = UnionFind::new();
    groups.reset(1000);
    let again = allocations(|| {
        for len in [1000, 10, 1000] {
            groups.reset(len);
            for member in 1..len {
                groups.union(member, member / 2);
            }
            assert!((0..len).all(|member| groups.find(member) == 0));
        }
    });
    assert_eq!(again, 0);
}

#[test]
fn a_set_with_a_bound_never_allocates_below_it() {
    for bound in [1, 64, 65, 4096, 4097, 300_000] {
        let mut set = BitSet::with_bound(bound);
        let work = || {
            for round in 0..3 {
                for member in (0..bound).step_by(7).chain([bound - 1]) {
                    set.insert(member);
                }
                assert_eq!(set.iter().last(), Some(bound - 1));
                set.remove(bound - 1);
                if round < 2 {
                    set.clear();
                }
            }
        };
        assert_eq!(allocations(work), 0);
    }
}

#[test]
fn a_cleared_set_keeps_its_memory() {
    let mut set: BitSet = [3, 70_000].into_iter().collect();
    set.clear();
    let again = allocations(|| {
        set.insert(70_000);
        set.insert(5);
    });
    assert_eq!(again, 0);
}

#[test]
fn slot_map_allocates_nothing_within_its_former_capacity() {
    let mut map = SlotMap::new();
    let mut ids: Vec<_> = (0..1000u32).map(|v| map.insert(v).unwrap()).collect();
    // The set of free indices grows to its final size once.
    for &id in &ids {
        assert!(map.remove(id).is_some());
    }
    let again = allocations(|| {
        for _ in 0..3 {
            for (id, value) in ids.iter_mut().zip(0..) {
                *id = map.insert(value).unwrap();
            }
            assert_eq!(map.iter().map(|(id, _)| id.index()).max(), Some(999));
            map.iter_mut().for_each(|(_, value)| *value += 1);
            for &id in ids.iter().rev() {
                assert!(map.remove(id).is_some());
            }
        }
    });
    assert_eq!(again, 0);
}

#[test]
fn id_pool_allocates_nothing_within_its_former_capacity() {
    let mut pool = IdPool::in_range(500..1500).unwrap();
    let ids: Vec<_> = (0..1000).map(|_| pool.allocate().unwrap()).collect();
    for &id in &ids {
        assert!(pool.free(id));
    }
    let again = allocations(|| {
        for _ in 0..1000 {
            pool.allocate().unwrap();
        }
        assert!(pool.allocate().is_err());
    });
    assert_eq!(again, 0);
}

#[test]
fn fixed_vec_never_allocates() {
    let work = || {
        let mut list = FixedVec::<u64, 16>::new();
        while list.push(black_box(1)).is_ok() {}
        let copy = black_box(list);
        list.swap_remove(3);
        list.pop();
        list.clear();
        assert_ne!(list, copy);
    };
    assert_eq!(allocations(work), 0);
}

#[test]
fn a_value_without_lists_is_saved_loaded_and_hashed_without_allocating() {
    #[derive(Clone, serde::Serialize)]
    struct Game {
        round: u32,
        scores: [(u64, Option<i8>); 4],
        over: bool,
    }
    let mut game = Game { round: 0, scores: [(1, None); 4], over: false };
    let mut slots = game.slots(8);
    let mut play = |from: u32| {
        for tick in from..from + 100 {
            game.round = tick;
            game.save(&mut slots, Tick(tick)).unwrap();
            game.pin(&mut slots, Tick(tick)).unwrap();
            black_box(game.digest(&slots, Tick(tick)).unwrap());
            if tick % 7 == 0 && tick > from + 7 {
                game.load(&mut slots, Tick(tick - 5)).unwrap();
            }
            game.unpin(&mut slots, Tick(game.round));
        }
    };
    play(0);
    assert_eq!(allocations(|| play(100)), 0);
}

#[test]
fn a_world_is_saved_and_loaded_without_allocating() {
    let mut world = World::with_history(WorldDef::default(), 2).unwrap();
    let mut slots = world.slots(8);
    let mut play = |from: u32| {
        for tick in from..from + 300 {
            for _ in 0..tick % 4 {
                world.step();
            }
            world.save(&mut slots, Tick(tick)).unwrap();
            if tick % 50 == 49 {
                world.load(&mut slots, Tick(tick - 7)).unwrap();
            }
        }
    };
    play(0);
    assert_eq!(allocations(|| play(300)), 0);
}
