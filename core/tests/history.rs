//! `History`: it holds the same states as a plain map, reports its ticks, and reuses storage.

use isostep_core::HistoryError;
use isostep_core::Tick;
use isostep_core::internals::History;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Debug)]
enum Action {
    Save { ahead: u32, back: u32 },
    Pin(u32),
    Unpin(u32),
    Clear,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => (1..4u32, 0..1u32).prop_map(|(ahead, back)| Action::Save { ahead, back }),
        2 => (0..1u32, 0..12u32).prop_map(|(ahead, back)| Action::Save { ahead, back }),
        2 => (0..60u32).prop_map(Action::Pin),
        2 => (0..60u32).prop_map(Action::Unpin),
        1 => Just(Action::Clear),
    ]
}

/// Model of a history: tick → (state, pins).
#[derive(Default)]
struct Model(BTreeMap<u32, (u32, u32)>);

impl Model {
    fn trim(&mut self, capacity: usize) {
        let loose: Vec<u32> =
            self.0.iter().filter(|(_, slot)| slot.1 == 0).map(|(tick, _)| *tick).collect();
        for tick in loose.iter().rev().skip(capacity) {
            self.0.remove(tick);
        }
    }

    fn expected(&self, tick: u32) -> Result<u32, HistoryError> {
        let before = self.0.range(..tick).next_back().map(|(tick, _)| *tick);
        let after = self.0.range(tick..).next().map(|(tick, _)| *tick);
        match (self.0.get(&tick), before, after) {
            (Some((state, _)), ..) => Ok(*state),
            (None, None, None) => Err(HistoryError::Empty),
            (None, None, Some(oldest)) => Err(HistoryError::TooOld { oldest: Tick(oldest) }),
            (None, Some(newest), None) => Err(HistoryError::NotYet { newest: Tick(newest) }),
            (None, Some(before), Some(after)) => {
                Err(HistoryError::NotHeld { before: Tick(before), after: Tick(after) })
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_history_matches_a_map(
        capacity in 0..6usize,
        actions in proptest::collection::vec(action(), 0..60),
    ) {
        let mut history = History::new(capacity);
        let mut model = Model::default();
        for (number, action) in (0..).zip(actions) {
            match action {
                Action::Save { ahead, back } => {
                    let newest = model.0.keys().next_back().copied().unwrap_or(5);
                    let tick = (newest + ahead).saturating_sub(back);
                    history.save(Tick(tick), &number);
                    let pins = model.0.get(&tick).map_or(0, |slot| slot.1);
                    model.0.retain(|held, _| *held < tick);
                    // The saved tick always stays; others make room for it.
                    model.trim(capacity.max(1) - 1);
                    model.0.insert(tick, (number, pins));
                }
                Action::Pin(tick) => {
                    let expected = model.expected(tick).map(|_| ());
                    prop_assert_eq!(history.pin(Tick(tick)), expected);
                    if let Some(slot) = model.0.get_mut(&tick) {
                        slot.1 += 1;
                    }
                }
                Action::Unpin(tick) => {
                    let slot = model.0.get_mut(&tick);
                    let had = slot.as_ref().is_some_and(|slot| slot.1 > 0);
                    if let Some(slot) = slot {
                        slot.1 = slot.1.saturating_sub(1);
                    }
                    model.trim(capacity.max(1));
                    prop_assert_eq!(history.unpin(Tick(tick)), had);
                }
                Action::Clear => {
                    history.clear();
                    model.0.clear();
                }
            }
            let ticks = model.0.keys().copied().map(Tick).collect::<Vec<_>>();
            prop_assert_eq!(history.ticks().collect::<Vec<_>>(), ticks);
            let pinned = model.0.iter().filter(|(_, slot)| slot.1 > 0);
            let pinned: Vec<_> = pinned.map(|(tick, _)| Tick(*tick)).collect();
            prop_assert_eq!(history.pinned().collect::<Vec<_>>(), pinned);
            for tick in 0..80 {
                prop_assert_eq!(history.get(Tick(tick)).copied(), model.expected(tick));
            }
        }
    }
}

/// A state that counts its copies.
struct Counted(Rc<Cell<(u32, u32)>>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        let (fresh, reused) = self.0.get();
        self.0.set((fresh + 1, reused));
        Self(Rc::clone(&self.0))
    }

    fn clone_from(&mut self, _: &Self) {
        let (fresh, reused) = self.0.get();
        self.0.set((fresh, reused + 1));
    }
}

#[test]
fn storage_is_reused_after_the_first_round() {
    let count = Rc::new(Cell::new((0, 0)));
    let state = Counted(Rc::clone(&count));
    let mut history = History::new(8);
    (0..8).for_each(|tick| history.save(Tick(tick), &state));
    assert_eq!(count.get(), (8, 0));
    (8..100).for_each(|tick| history.save(Tick(tick), &state));
    // A rollback of five ticks, followed by resimulation.
    (95..105).for_each(|tick| history.save(Tick(tick), &state));
    assert_eq!(count.get().0, 8);
    // A pin takes one buffer out of the ring for good.
    history.pin(Tick(100)).unwrap();
    (105..200).for_each(|tick| history.save(Tick(tick), &state));
    assert_eq!(count.get().0, 9);
    assert!(history.unpin(Tick(100)) && !history.unpin(Tick(100)));
    (200..300).for_each(|tick| history.save(Tick(tick), &state));
    assert_eq!(count.get().0, 9);
}

#[test]
fn saving_a_tick_again_drops_the_old_timeline_pins_included() {
    let mut history = History::new(10);
    (0..10).for_each(|tick| history.save(Tick(tick), &tick));
    history.pin(Tick(5)).unwrap();
    history.pin(Tick(8)).unwrap();
    history.save(Tick(5), &500);
    assert_eq!(history.get(Tick(5)), Ok(&500));
    assert_eq!(history.get(Tick(6)), Err(HistoryError::NotYet { newest: Tick(5) }));
    assert_eq!(history.pinned().collect::<Vec<_>>(), [Tick(5)]);
}

#[test]
fn messages_say_what_to_do() {
    let mut history = History::new(2);
    assert_eq!(
        history.get(Tick(3)).unwrap_err().to_string(),
        "the history is empty; save a tick first"
    );
    (3..9).for_each(|tick| history.save(Tick(tick), &()));
    let message = history.get(Tick(3)).unwrap_err().to_string();
    assert!(message.contains("oldest is 7") && message.contains("pin"), "{message}");
    assert_eq!((history.oldest(), history.newest()), (Some(Tick(7)), Some(Tick(8))));
    assert_eq!(history.capacity(), 2);
    assert_eq!(format!("{history:?}"), "History { capacity: 2, ticks: [7, 8], pinned: [], .. }");
}
