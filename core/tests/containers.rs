//! `Id`, `IdPool` and `SlotMap`: random histories against naive models, with saving and loading in
//! between, since ids must not depend on whether a world was ever saved.

use isostep_core::data::{Id, SlotMap};
use isostep_core::internals::{IdPool, InvalidPool, PoolFull};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug)]
enum Format {
    Json,
    Postcard,
}

fn reload<T: Serialize + DeserializeOwned>(value: &T, format: Format) -> T {
    match format {
        Format::Json => serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap(),
        Format::Postcard => postcard::from_bytes(&postcard::to_stdvec(value).unwrap()).unwrap(),
    }
}

#[derive(Clone, Debug)]
enum Op {
    Add(u16),
    /// Removes one of all ids ever seen, most of which are stale.
    Remove(prop::sample::Index),
    Write(prop::sample::Index, u16),
    Reload(Format),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        5 => any::<u16>().prop_map(Op::Add),
        5 => any::<prop::sample::Index>().prop_map(Op::Remove),
        1 => (any::<prop::sample::Index>(), any::<u16>()).prop_map(|(i, v)| Op::Write(i, v)),
        1 => prop_oneof![Just(Format::Json), Just(Format::Postcard)].prop_map(Op::Reload),
    ];
    prop::collection::vec(op, 0..120)
}

/// Model of the documented rules for ids, without regard to speed.
struct Model {
    first: u32,
    end: u32,
    live: BTreeMap<u32, (Id, u16)>,
    uses: BTreeMap<u32, u32>,
    seen: Vec<Id>,
}

impl Model {
    fn new(first: u32, end: u32) -> Self {
        Self { first, end, live: BTreeMap::new(), uses: BTreeMap::new(), seen: Vec::new() }
    }

    fn next_index(&self) -> Option<u32> {
        (self.first..self.end).find(|index| !self.live.contains_key(index))
    }

    /// Records a new id after checking that it is the one that the rules demand.
    fn add(&mut self, id: Id, value: u16) {
        let index = self.next_index().expect("room in the model");
        let uses = self.uses.entry(index).or_default();
        *uses += 1;
        assert_eq!(format!("{id:?}"), format!("{index}v{uses}"));
        assert!(!self.seen.contains(&id), "{id} was allocated before");
        self.live.insert(index, (id, value));
        self.seen.push(id);
    }

    fn remove(&mut self, id: Id) -> Option<u16> {
        if self.live.get(&id.index())?.0 != id {
            return None;
        }
        self.live.remove(&id.index()).map(|(_, value)| value)
    }

    fn get(&self, id: Id) -> Option<u16> {
        self.live.values().find(|(live, _)| *live == id).map(|(_, value)| *value)
    }
}

fn assert_map_follows(map: &mut SlotMap<u16>, model: &Model) {
    let expected: Vec<(Id, u16)> = model.live.values().copied().collect();
    assert_eq!(map.len() as usize, expected.len());
    assert_eq!(map.is_empty(), expected.is_empty());
    assert!(map.iter().map(|(id, v)| (id, *v)).eq(expected.clone()));
    assert!(map.iter_mut().map(|(id, v)| (id, *v)).eq(expected.clone()));
    assert!(map.values().copied().eq(expected.iter().map(|(_, v)| *v)));
    assert!(map.values_mut().map(|v| *v).eq(expected.iter().map(|(_, v)| *v)));
    for &id in &model.seen {
        assert_eq!(map.get(id).copied(), model.get(id));
        assert_eq!(map.get_mut(id).copied(), model.get(id));
        assert_eq!(map.contains(id), model.get(id).is_some());
    }
}

proptest! {
    #[test]
    fn slot_map_matches_its_model_across_saves(ops in ops()) {
        let mut map = SlotMap::new();
        let mut never_saved = SlotMap::new();
        let mut model = Model::new(0, u32::MAX);
        for op in ops {
            match op {
                Op::Add(value) => {
                    let id = map.insert(value).unwrap();
                    prop_assert_eq!(never_saved.insert(value), Ok(id));
                    model.add(id, value);
                }
                Op::Remove(pick) if !model.seen.is_empty() => {
                    let id = *pick.get(&model.seen);
                    let removed = map.remove(id);
                    prop_assert_eq!(removed, never_saved.remove(id));
                    prop_assert_eq!(removed, model.remove(id));
                }
                Op::Write(pick, value) if !model.live.is_empty() => {
                    let index = *pick.get(&model.live.keys().copied().collect::<Vec<_>>());
                    let entry = model.live.get_mut(&index).unwrap();
                    entry.1 = value;
                    map[entry.0] = value;
                    never_saved[entry.0] = value;
                }
                Op::Reload(format) => map = reload(&map, format),
                Op::Remove(_) | Op::Write(..) => {}
            }
            prop_assert_eq!(&map, &never_saved);
            assert_map_follows(&mut map, &model);
        }
    }

    #[test]
    fn id_pool_matches_its_model_in_any_range(
        first in prop_oneof![0..10u32, any::<u32>(), u32::MAX - 12..u32::MAX],
        width in 1..9u32,
        ops in ops(),
    ) {
        let first = first.min(u32::MAX - width);
        let end = first + width;
        let mut pool = IdPool::in_range(first..end).unwrap();
        let mut model = Model::new(first, end);
        for op in ops {
            match op {
                Op::Add(value) => match pool.allocate() {
                    Ok(id) => model.add(id, value),
                    Err(full) => {
                        prop_assert_eq!(full, PoolFull { first, last: end - 1 });
                        prop_assert_eq!(model.next_index(), None);
                    }
                },
                Op::Remove(pick) if !model.seen.is_empty() => {
                    let id = *pick.get(&model.seen);
                    prop_assert_eq!(pool.free(id), model.remove(id).is_some());
                }
                Op::Reload(format) => {
                    let loaded = reload(&pool, format);
                    prop_assert_eq!(&loaded, &pool);
                    pool = loaded;
                }
                Op::Remove(_) | Op::Write(..) => {}
            }
            prop_assert_eq!(pool.range(), first..end);
            prop_assert_eq!(pool.len() as usize, model.live.len());
            prop_assert_eq!(pool.is_empty(), model.live.is_empty());
            prop_assert!(pool.iter().eq(model.live.values().map(|(id, _)| *id)));
            for index in first.saturating_sub(2)..=end.saturating_add(1) {
                prop_assert_eq!(pool.at(index), model.live.get(&index).map(|(id, _)| *id));
            }
            for &id in &model.seen {
                prop_assert_eq!(pool.is_live(id), model.get(id).is_some());
            }
        }
    }

    #[test]
    fn ids_round_trip_as_bits_and_order_by_index_then_generation(a: u64, b: u64) {
        // Ids have odd generations.
        let [a, b] = [a, b].map(|bits| Id::from_bits(bits | 1 << 32).unwrap());
        prop_assert_eq!(Id::from_bits(a.to_bits()), Ok(a));
        prop_assert_eq!(u64::from(a), a.to_bits());
        let rank = |id: Id| (id.index(), id.to_bits() >> 32);
        prop_assert_eq!(a.cmp(&b), rank(a).cmp(&rank(b)));
    }
}

#[test]
fn freed_index_is_reused_with_a_new_generation() {
    let mut pool = IdPool::new();
    let old = pool.allocate().unwrap();
    pool.free(old);
    let new = pool.allocate().unwrap();
    assert_eq!((old.index(), old < new), (new.index(), true));
}

#[test]
fn an_id_of_another_range_is_not_live() {
    let mut low = IdPool::in_range(0..10).unwrap();
    let mut high = IdPool::in_range(10..20).unwrap();
    let (a, b) = (low.allocate().unwrap(), high.allocate().unwrap());
    assert!(!low.is_live(b) && !low.free(b) && !high.is_live(a) && !high.free(a));
}

#[test]
fn ranges_that_hold_no_index_are_refused() {
    for (first, end) in [(0, 0), (5, 5), (6, 5), (u32::MAX, u32::MAX), (u32::MAX, 0)] {
        assert_eq!(
            IdPool::in_range(first..end).unwrap_err(),
            InvalidPool::EmptyRange { first, end },
        );
    }
}

/// A pool in which index 5 was allocated and freed as often as this generation implies.
fn worn_pool(generation: u32) -> IdPool {
    let mut pool = IdPool::in_range(5..7).unwrap();
    pool.allocate().unwrap();
    let mut saved = serde_json::to_value(&pool).unwrap();
    saved["generations"][0] = generation.into();
    serde_json::from_value(saved).unwrap()
}

const LAST_BUT_ONE_FREED: u32 = u32::MAX - 3;

#[test]
fn an_index_can_be_used_2_pow_31_minus_1_times() {
    let last = worn_pool(LAST_BUT_ONE_FREED).allocate().unwrap();
    assert_eq!(last.to_string(), format!("5v{}", (1u32 << 31) - 1));
}

#[test]
fn an_exhausted_index_retires_instead_of_repeating_an_id() {
    let mut pool = worn_pool(LAST_BUT_ONE_FREED);
    let last = pool.allocate().unwrap();
    assert!(pool.free(last) && !pool.is_live(last) && !pool.free(last));
    let loaded = [Format::Json, Format::Postcard].map(|format| reload(&pool, format));
    for mut pool in loaded.into_iter().chain([pool]) {
        assert_eq!(pool.allocate().map(Id::index), Ok(6));
        assert_eq!(pool.allocate(), Err(PoolFull { first: 5, last: 6 }));
        assert_eq!(pool.len(), 1);
    }
}

#[test]
fn a_stale_id_panics_as_an_index_and_is_none_from_get() {
    let mut map = SlotMap::new();
    let id = map.insert(1).unwrap();
    map.remove(id);
    assert_eq!(map.get(id), None);
    assert!(std::panic::catch_unwind(|| map[id]).is_err());
}

#[test]
fn values_that_json_writes_as_null_round_trip() {
    let mut map = SlotMap::new();
    let gone = map.insert(None).unwrap();
    map.insert(None).unwrap();
    map.insert(Some(7)).unwrap();
    map.remove(gone);
    for format in [Format::Json, Format::Postcard] {
        assert_eq!(reload(&map, format), map);
    }
    let mut units = SlotMap::new();
    units.insert(()).unwrap();
    for format in [Format::Json, Format::Postcard] {
        assert_eq!(reload(&units, format), units);
    }
}

#[test]
fn ids_are_saved_as_numbers_and_work_as_keys_of_maps() {
    let mut pool = IdPool::new();
    let ids: BTreeSet<Id> = (0..3).map(|_| pool.allocate().unwrap()).collect();
    let owners: BTreeMap<Id, u32> = ids.iter().map(|id| (*id, id.index())).collect();
    assert_eq!(serde_json::to_string(&ids).unwrap(), "[4294967296,4294967297,4294967298]");
    for format in [Format::Json, Format::Postcard] {
        assert_eq!(reload(&owners, format), owners);
    }
}

/// The reason in the documentation of `SlotMap` for not using the crate.
#[test]
fn slotmap_crate_allocates_other_ids_after_a_reload() {
    type Theirs = slotmap::SlotMap<slotmap::DefaultKey, u32>;
    let mut theirs = Theirs::new();
    let mut ours = SlotMap::new();
    let keys: Vec<_> = (0..3).map(|v| theirs.insert(v)).collect();
    let ids: Vec<_> = (0..3).map(|v| ours.insert(v).unwrap()).collect();
    for slot in [2, 0, 1] {
        theirs.remove(keys[slot]);
        ours.remove(ids[slot]);
    }
    let mut their_copy = reload(&theirs, Format::Json);
    let mut our_copy = reload(&ours, Format::Json);
    let next = |map: &mut Theirs| [7, 8, 9].map(|v| map.insert(v));
    assert_ne!(next(&mut theirs), next(&mut their_copy));
    let next = |map: &mut SlotMap<u32>| [7, 8, 9].map(|v| map.insert(v).unwrap());
    assert_eq!(next(&mut ours), next(&mut our_copy));
}

#[test]
#[should_panic(expected = "the id 0v1 is stale")]
fn indexing_with_a_stale_id_names_it() {
    let mut map = SlotMap::new();
    let gone = map.insert(1).unwrap();
    map.remove(gone);
    map.insert(2).unwrap();
    let _ = map[gone];
}
