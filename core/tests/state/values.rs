//! Values that are `Clone + Serialize`.

use super::differences;
use super::schedule::{self, Game, acts};
use isostep_core::Tick;
use isostep_core::digest::{Digest, Unordered};
use isostep_core::state::{State, StateError};
use isostep_core::{HistoryError, Real, real};
use proptest::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Debug, Serialize)]
struct Player {
    health: u32,
    speed: Real,
    items: Vec<u8>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[allow(clippy::option_option, reason = "values that look alike")]
struct Match {
    round: u32,
    scores: Vec<u32>,
    players: Vec<Player>,
    names: BTreeMap<String, Option<Option<u8>>>,
    mode: Mode,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
enum Mode {
    Menu,
    Wait {},
    Over {},
    Play { left: u32 },
}

fn sample() -> Match {
    let player = Player { health: 100, speed: real!(0.5), items: vec![1, 2] };
    Match {
        round: 3,
        scores: vec![1, 2],
        players: vec![player.clone(), player],
        names: [("ann".to_owned(), None), ("bob".to_owned(), Some(Some(1)))].into(),
        mode: Mode::Menu,
    }
}

/// The differences of two values, as lines.
fn lines<T: Clone + Serialize>(mut ours: T, mut theirs: T) -> Vec<String> {
    let (mut a, mut b) = (ours.slots(1), theirs.slots(1));
    ours.save(&mut a, Tick(7)).unwrap();
    theirs.save(&mut b, Tick(7)).unwrap();
    differences((&ours, &a), (&theirs, &b), 7).iter().map(ToString::to_string).collect()
}

fn changed(change: impl FnOnce(&mut Match)) -> Vec<String> {
    let mut theirs = sample();
    change(&mut theirs);
    lines(sample(), theirs)
}

#[test]
fn a_difference_names_entity_and_field_and_both_values() {
    assert_eq!(changed(|m| m.round = 4), ["state, round: 3 here, 4 there"]);
    assert_eq!(changed(|m| m.scores[1] = 9), ["scores, [1]: 2 here, 9 there"]);
    let health = changed(|m| m.players[1].health = 90);
    assert_eq!(health, ["players[1], health: 100 here, 90 there"]);
    let items = changed(|m| m.players[0].items[1] = 5);
    assert_eq!(items, ["players[0], items[1]: 2 here, 5 there"]);
    let speed = changed(|m| m.players[1].speed = real!(0.75));
    assert_eq!(speed, [r#"players[1], speed: "0.5" here, "0.75" there"#]);
    let play = changed(|m| m.mode = Mode::Play { left: 2 });
    assert_eq!(
        play,
        ["state, mode: Menu here, (nothing) there", "mode, Play.left: (nothing) here, 2 there"]
    );
}

#[test]
fn a_field_missing_on_one_side_is_named() {
    let more = changed(|m| m.scores.push(5));
    assert_eq!(more, ["scores, [2]: (nothing) here, 5 there"]);
    let none = changed(|m| m.scores.clear());
    assert_eq!(
        none,
        [
            "scores, [0]: 1 here, (nothing) there",
            "scores, [1]: 2 here, (nothing) there",
            "state, scores: (nothing) here, (empty) there"
        ]
    );
    assert_eq!(lines(vec![1u8], vec![1, 2]), ["state, [1]: (nothing) here, 2 there"]);
    let pages = lines(vec![vec![1u8]], vec![vec![1], vec![7]]);
    assert_eq!(pages, ["state[1], [0]: (nothing) here, 7 there"]);
}

#[test]
fn different_values_with_equal_text_show_raw_bytes() {
    #[derive(Clone, Serialize)]
    #[serde(untagged)]
    enum Number {
        Small(u8),
        Large(u16),
    }
    let found = lines(Number::Small(5), Number::Large(5));
    assert_eq!(found, ["state, value: 5 (raw 4105) here, 5 (raw 420500) there"]);
    let nested = changed(|m| *m.names.get_mut("ann").unwrap() = Some(None));
    assert_eq!(nested, [r#"names, ["ann"]: None (raw 06) here, None (raw 1006) there"#]);
    let variants = lines(Mode::Wait {}, Mode::Over {});
    assert_eq!(variants.len(), 1, "{variants:?}");
}

#[test]
fn sorted_tables_are_compared_by_key() {
    #[allow(clippy::disallowed_types, reason = "what Unordered is for")]
    let table = |pairs: &[(u8, u32)]| -> Unordered<std::collections::HashMap<u8, u32>> {
        Unordered(pairs.iter().copied().collect())
    };
    assert_eq!(
        lines(table(&[(1, 2), (3, 4)]), table(&[(3, 5), (1, 2)])),
        ["state, [3]: 4 here, 5 there"]
    );
    let inside = lines((0u8, table(&[(1, 2), (3, 4)])), (0u8, table(&[(3, 5), (1, 2)])));
    assert_eq!(inside, ["1, [3]: 4 here, 5 there"]);
}

#[test]
fn a_name_goes_in_front() {
    let (mut ours, mut theirs) = (sample(), sample());
    theirs.round = 4;
    theirs.players[0].health = 1;
    let (mut a, mut b) = (ours.slots(1), theirs.slots(1));
    ours.save(&mut a, Tick(0)).unwrap();
    theirs.save(&mut b, Tick(0)).unwrap();
    let explain = |name: &str, section: &str, page| {
        let (mut bytes, mut found) = (Vec::new(), Vec::new());
        let ours_too = theirs.page(&b, Tick(0), name, section, page, &mut bytes).unwrap();
        let known = ours.explain(&a, Tick(0), name, section, page, &bytes, 9, &mut found).unwrap();
        assert_eq!(ours_too, known);
        known.then(|| found.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    assert_eq!(explain("hud", "hud", 0).unwrap(), ["hud, round: 3 here, 4 there"]);
    assert_eq!(explain("hud", "hud", 2).unwrap(), ["hud.players[0], health: 100 here, 1 there"]);
    assert_eq!(explain("hud", "state", 0), None);
    assert_eq!(explain("", "hud", 0), None);
    assert_eq!(explain("", "state", 9).unwrap(), [""; 0]);

    let (mut one, mut two) = (1u32, 2u32);
    let (mut a, mut b) = (one.slots(1), two.slots(1));
    one.save(&mut a, Tick(0)).unwrap();
    two.save(&mut b, Tick(0)).unwrap();
    let (mut bytes, mut found) = (Vec::new(), Vec::new());
    two.page(&b, Tick(0), "hud.round", "hud.round", 0, &mut bytes).unwrap();
    one.explain(&a, Tick(0), "hud.round", "hud.round", 0, &bytes, 9, &mut found).unwrap();
    one.explain(&a, Tick(0), "round", "round", 0, &bytes, 9, &mut found).unwrap();
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["hud, round: 1 here, 2 there", "state, round: 1 here, 2 there"]);
}

#[test]
fn differences_are_limited() {
    let (mut ours, mut theirs) = (vec![vec![0u8; 50]], vec![vec![1u8; 50]]);
    let (mut a, mut b) = (ours.slots(1), theirs.slots(1));
    ours.save(&mut a, Tick(0)).unwrap();
    theirs.save(&mut b, Tick(0)).unwrap();
    let mut bytes = Vec::new();
    theirs.page(&b, Tick(0), "", "state", 0, &mut bytes).unwrap();
    for limit in [0, 1, 49, 50, 1000] {
        let mut found = Vec::new();
        ours.explain(&a, Tick(0), "", "state", 0, &bytes, limit, &mut found).unwrap();
        assert_eq!(found.len(), limit.min(50));
    }
}

#[test]
fn an_unhashable_field_is_named() {
    let mut game = (1u8, 0.5);
    let mut slots = game.slots(2);
    game.save(&mut slots, Tick(0)).unwrap();
    let error = game.digest(&slots, Tick(0)).unwrap_err();
    assert!(error.to_string().starts_with("`1` is a float"), "{error}");
    let mut tree = isostep_core::internals::DigestTree::new();
    let error = game.tree(&slots, Tick(0), "hud", &mut tree).unwrap_err();
    assert!(error.to_string().starts_with("`hud.1` is a float"), "{error}");
}

#[test]
fn a_tick_that_is_not_held_is_an_error() {
    let mut game = sample();
    let mut slots = game.slots(2);
    assert_eq!(game.load(&mut slots, Tick(0)), Err(StateError::History(HistoryError::Empty)));
    for tick in 5..9 {
        game.save(&mut slots, Tick(tick)).unwrap();
    }
    let too_old = StateError::History(HistoryError::TooOld { oldest: Tick(7) });
    assert_eq!(game.load(&mut slots, Tick(6)), Err(too_old.clone()));
    assert_eq!(game.digest(&slots, Tick(6)), Err(too_old.clone()));
    assert_eq!(game.pin(&mut slots, Tick(6)), Err(too_old));
    assert!(!game.unpin(&mut slots, Tick(6)));
    game.load(&mut slots, Tick(7)).unwrap();
    let not_yet = StateError::History(HistoryError::NotYet { newest: Tick(7) });
    assert_eq!(game.load(&mut slots, Tick(8)), Err(not_yet));
}

#[test]
fn empty_states_are_states() {
    let mut nothing = ();
    let mut slots = nothing.slots(0);
    nothing.save(&mut slots, Tick(3)).unwrap();
    nothing.load(&mut slots, Tick(3)).unwrap();
    assert!(nothing.digest(&slots, Tick(3)).is_ok());
    assert_eq!(lines((), ()), [""; 0]);
    assert_eq!(lines(Vec::<u8>::new(), Vec::new()), [""; 0]);
    assert_eq!(
        lines(Vec::new(), vec![1u8]),
        ["state, value: (empty) here, (nothing) there", "state, [0]: (nothing) here, 1 there"]
    );
}

#[test]
fn a_digest_of_parts_depends_on_names_and_order() {
    let [a, b] = [b"a", b"b"].map(|bytes| Digest::of(bytes));
    let all = [
        Digest::of_parts(&[("x", a), ("y", b)]),
        Digest::of_parts(&[("y", a), ("x", b)]),
        Digest::of_parts(&[("y", b), ("x", a)]),
        Digest::of_parts(&[("x", a)]),
        Digest::of_parts(&[]),
    ];
    for (i, left) in all.iter().enumerate() {
        assert!(all[i + 1..].iter().all(|right| left != right));
    }
}

impl Game for Match {
    fn fresh() -> Self {
        sample()
    }

    fn step(&mut self, input: u8) {
        self.round = self.round.wrapping_mul(31).wrapping_add(u32::from(input));
        self.scores.push(self.round);
        self.scores.truncate(usize::from(input % 8));
        self.players[usize::from(input % 2)].speed += real!(0.25);
    }
}

fn player() -> impl Strategy<Value = Player> {
    let items = prop::collection::vec(0u8..2, 0..3);
    (0u32..2, 0i32..2, items).prop_map(|(health, speed, items)| Player {
        health,
        speed: Real::from_int(speed),
        items,
    })
}

fn matches() -> impl Strategy<Value = Match> {
    let names = prop::collection::btree_map("[ab.]{0,2}", any::<Option<Option<bool>>>(), 0..3);
    let mode = prop_oneof![
        Just(Mode::Menu),
        Just(Mode::Wait {}),
        Just(Mode::Over {}),
        (0u32..2).prop_map(|left| Mode::Play { left })
    ];
    let scores = prop::collection::vec(0u32..2, 0..3);
    let players = prop::collection::vec(player(), 0..3);
    (0u32..2, scores, players, names, mode).prop_map(|(round, scores, players, names, mode)| {
        Match {
            round,
            scores,
            players,
            names: names.into_iter().map(|(name, x)| (name, x.map(|x| x.map(u8::from)))).collect(),
            mode,
        }
    })
}

proptest! {
    #[test]
    fn a_rolled_back_value_equals_one_without_rollback(acts in acts(), capacity in 1usize..6) {
        schedule::play::<Match>(capacity, &acts);
    }

    /// `differences` asserts that every differing page has at least one difference.
    #[test]
    fn digests_and_differences_agree_with_equality(mut a in matches(), mut b in matches()) {
        let (mut slots_a, mut slots_b) = (a.slots(1), b.slots(1));
        a.save(&mut slots_a, Tick(0)).unwrap();
        b.save(&mut slots_b, Tick(0)).unwrap();
        prop_assert_eq!(a == b, a.digest(&slots_a, Tick(0)) == b.digest(&slots_b, Tick(0)));
        prop_assert_eq!(a == b, differences((&a, &slots_a), (&b, &slots_b), 0).is_empty());
        let (all, other) = (vec![a.clone(), b.clone()], vec![b, a.clone()]);
        prop_assert_eq!(all == other, lines(all, other).is_empty());
    }
}
