//! Compares the journal with naive models that keep whole timelines, over random rollbacks.

use super::{Cancel, EffectConfig, EffectEvent, EffectId, EffectJournal, Late};
use crate::Tick;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// One tick of a test: rollback depth, effects of each tick from there on (bits are causes), number of unconfirmed
/// ticks, and whether the journal is polled.
#[derive(Clone, Debug)]
struct Frame {
    depth: usize,
    effects: Vec<u8>,
    unconfirmed: usize,
    polled: bool,
}

fn frames() -> impl Strategy<Value = Vec<Frame>> {
    let sparse = prop_oneof![3 => Just(0u8), 1 => 0u8..8];
    let frame = (0usize..8, prop::collection::vec(sparse, 8), 0usize..10, any::<bool>());
    let frame = frame.prop_map(|(depth, effects, unconfirmed, polled)| Frame {
        depth,
        effects,
        unconfirmed,
        polled,
    });
    prop::collection::vec(frame, 1..60)
}

/// The current timeline, and its final part.
#[derive(Default)]
struct Timeline {
    ticks: Vec<u8>,
    confirmed: usize,
}

impl Timeline {
    /// Rolls back, resimulates, adds a tick and confirms, and feeds the journal.
    fn play(&mut self, frame: &Frame, journal: &mut EffectJournal<u8, (u32, u8)>) {
        let from = self.ticks.len().saturating_sub(frame.depth).max(self.confirmed);
        let end = self.ticks.len() + 1;
        self.ticks.truncate(from);
        for (tick, &effects) in (from..end).zip(&frame.effects) {
            self.ticks.push(effects);
            journal.tick(
                Tick(tick as u32),
                causes(effects).map(|cause| (cause, (tick as u32, cause))),
            );
        }
        let confirmed = self.ticks.len().saturating_sub(frame.unconfirmed);
        self.confirmed = self.confirmed.max(confirmed);
        journal.confirm(Tick(confirmed as u32));
    }

    fn all(&self) -> BTreeSet<(u32, u8)> {
        let ticks = (0..).zip(&self.ticks);
        ticks.flat_map(|(tick, &effects)| causes(effects).map(move |cause| (tick, cause))).collect()
    }
}

fn causes(effects: u8) -> impl Iterator<Item = u8> {
    (0..8).filter(move |cause| effects >> cause & 1 == 1)
}

/// Events polled so far, with the invariants.
#[derive(Default)]
struct Heard {
    playing: BTreeMap<EffectId, u8>,
    started: Vec<EffectId>,
    confirmed: Vec<u8>,
    cancelled: u32,
}

impl Heard {
    fn drain(&mut self, journal: &mut EffectJournal<u8, (u32, u8)>) {
        let mut last = Tick(0);
        while let Some(event) = journal.poll() {
            let (EffectEvent::Started { tick, .. }
            | EffectEvent::Confirmed { tick, .. }
            | EffectEvent::Cancelled { tick, .. }) = event;
            assert!(tick >= last, "out of order: {event:?} after tick {last}");
            last = tick;
            match event {
                EffectEvent::Started { id, cause, payload, .. } => {
                    assert_eq!(payload.1, cause);
                    assert!(!self.started.contains(&id), "started twice: {event:?}");
                    self.started.push(id);
                    self.playing.insert(id, cause);
                }
                EffectEvent::Confirmed { id, cause, .. } => {
                    assert_eq!(self.playing.remove(&id), Some(cause), "{event:?}");
                    self.confirmed.push(cause);
                }
                EffectEvent::Cancelled { id, cause, .. } => {
                    assert_eq!(self.playing.remove(&id), Some(cause), "{event:?}");
                    self.cancelled += 1;
                }
            }
        }
    }

    /// Ends a match: everything is confirmed.
    fn finish(&mut self, timeline: &Timeline, journal: &mut EffectJournal<u8, (u32, u8)>) {
        let end = timeline.ticks.len() as u32;
        (end..end + 9).for_each(|tick| journal.tick(Tick(tick), []));
        journal.confirm(Tick(end + 9));
        self.drain(journal);
        assert!(self.playing.is_empty() && journal.is_empty(), "{:?}", self.playing);
        assert_eq!(self.started.len(), self.confirmed.len() + self.cancelled as usize);
    }
}

fn config(tolerance: u32, cancel: Cancel) -> EffectConfig {
    EffectConfig { tolerance, cancel, late: Late::Start, capacity: 600 }
}

proptest! {
    /// Without tolerance the journal reports the set difference between playing and true effects at each poll.
    #[test]
    fn without_tolerance_it_tells_the_difference_between_two_timelines(frames in frames()) {
        let mut journal = EffectJournal::new(config(0, Cancel::AtOnce));
        let mut timeline = Timeline::default();
        let mut playing = BTreeSet::new();
        let mut over = BTreeSet::new();
        for frame in &frames {
            timeline.play(frame, &mut journal);
            if !frame.polled {
                continue;
            }
            let truth = timeline.all();
            let mut expected = BTreeSet::new();
            for &(tick, cause) in truth.difference(&over) {
                if playing.insert((tick, cause)) {
                    expected.insert((tick, cause, 0));
                }
                if (tick as usize) < timeline.confirmed {
                    expected.insert((tick, cause, 1));
                }
            }
            expected.extend(playing.difference(&truth).map(|&(tick, cause)| (tick, cause, 2)));
            for &(tick, cause, kind) in &expected {
                if kind > 0 {
                    playing.remove(&(tick, cause));
                }
                if kind == 1 {
                    over.insert((tick, cause));
                }
            }
            let mut polled = BTreeSet::new();
            while let Some(event) = journal.poll() {
                prop_assert!(polled.insert(match event {
                    EffectEvent::Started { tick, cause, .. } => (tick.0, cause, 0),
                    EffectEvent::Confirmed { tick, cause, .. } => (tick.0, cause, 1),
                    EffectEvent::Cancelled { tick, cause, .. } => (tick.0, cause, 2),
                }), "twice: {event:?}");
            }
            prop_assert_eq!(polled, expected);
        }
    }

    /// After any moves, each cause is confirmed as often as it occurred, and every start has one end.
    #[test]
    fn every_start_has_one_end_and_the_counts_are_true(
        frames in frames(),
        tolerance in 0u32..4,
        when_confirmed in any::<bool>(),
    ) {
        let cancel = if when_confirmed { Cancel::WhenConfirmed } else { Cancel::AtOnce };
        let mut journal = EffectJournal::new(config(tolerance, cancel));
        let (mut timeline, mut heard) = (Timeline::default(), Heard::default());
        for frame in &frames {
            timeline.play(frame, &mut journal);
            if frame.polled {
                heard.drain(&mut journal);
            }
        }
        heard.finish(&timeline, &mut journal);
        let mut truth: Vec<u8> = timeline.all().into_iter().map(|(_, cause)| cause).collect();
        truth.sort();
        heard.confirmed.sort();
        prop_assert_eq!(heard.confirmed, truth);
        prop_assert_eq!(journal.lost(), 0);
    }

    /// A cause that occurs once and is only moved by rollbacks is heard once and never cancelled.
    #[test]
    fn what_only_moves_within_the_tolerance_is_heard_once(
        bases in prop::collection::vec(0u32..40, 8),
        moves in prop::collection::vec((0u32..8, prop::collection::vec(0u32..3, 8)), 50),
        when_confirmed in any::<bool>(),
    ) {
        let cancel = if when_confirmed { Cancel::WhenConfirmed } else { Cancel::AtOnce };
        let mut journal = EffectJournal::new(config(2, cancel));
        let mut heard = Heard::default();
        let mut places = bases.clone();
        for (present, (depth, shifts)) in (0u32..).zip(&moves) {
            let from = present.saturating_sub(*depth);
            for (cause, place) in places.iter_mut().enumerate().filter(|place| *place.1 >= from) {
                *place = (bases[cause] + shifts[cause]).max(from);
            }
            for tick in from..=present {
                let now = (0..8u8).filter(|&cause| places[usize::from(cause)] == tick);
                journal.tick(Tick(tick), now.map(|cause| (cause, (tick, cause))));
            }
            journal.confirm(Tick(present.saturating_sub(8)));
            heard.drain(&mut journal);
        }
        let timeline = Timeline { ticks: vec![0; 50], confirmed: 0 };
        heard.finish(&timeline, &mut journal);
        prop_assert_eq!((heard.started.len(), heard.cancelled), (8, 0));
    }

    /// Memory stays bounded without polling.
    #[test]
    fn a_full_journal_refuses_and_keeps_its_promises(frames in frames(), capacity in 0usize..6) {
        let mut journal = EffectJournal::new(EffectConfig { capacity, ..config(1, Cancel::AtOnce) });
        let (mut timeline, mut heard) = (Timeline::default(), Heard::default());
        for frame in &frames {
            timeline.play(frame, &mut journal);
            prop_assert!(journal.len() <= capacity);
        }
        heard.drain(&mut journal);
        heard.finish(&timeline, &mut journal);
    }
}

#[test]
fn a_late_effect_starts_late_or_never() {
    for (late, expected) in
        [(Late::Start, Some(5)), (Late::DropAfter(5), Some(5)), (Late::DropAfter(4), None)]
    {
        let mut journal = EffectJournal::new(EffectConfig { late, ..EffectConfig::default() });
        (0..8).for_each(|tick| journal.tick(Tick(tick), []));
        journal.tick(Tick(2), [(1u8, ())]);
        (3..8).for_each(|tick| journal.tick(Tick(tick), []));
        let polled = journal.poll().map(|event| match event {
            EffectEvent::Started { late, .. } => late,
            _ => panic!("{event:?}"),
        });
        assert_eq!(polled, expected);
        journal.confirm(Tick(8));
        assert_eq!(journal.poll().is_some(), expected.is_some());
        assert!(journal.is_empty());
    }
}

#[test]
fn a_silent_effect_stays_silent_when_it_moves() {
    let late = Late::DropAfter(2);
    let mut journal = EffectJournal::new(EffectConfig { late, ..EffectConfig::default() });
    (0..8).for_each(|tick| journal.tick(Tick(tick), []));
    journal.tick(Tick(4), [(1u8, ())]);
    (5..8).for_each(|tick| journal.tick(Tick(tick), []));
    (4..8).for_each(|tick| journal.tick(Tick(tick), (tick == 6).then_some((1, ()))));
    assert_eq!(journal.poll(), None);
}

#[test]
fn a_confirmed_tick_that_is_computed_again_changes_nothing() {
    let mut journal = EffectJournal::new(EffectConfig::default());
    journal.tick(Tick(0), [(1u8, ())]);
    journal.tick(Tick(1), []);
    journal.confirm(Tick(2));
    while journal.poll().is_some() {}
    journal.tick(Tick(0), [(1u8, ()), (2, ())]);
    journal.tick(Tick(1), []);
    assert_eq!(journal.poll(), None);
}

#[test]
fn what_is_reported_twice_in_a_tick_is_one() {
    let mut journal = EffectJournal::new(EffectConfig::default());
    journal.effect(9u8, "no tick is open");
    journal.tick(Tick(0), [(1, "a"), (1, "b")]);
    assert!(matches!(journal.poll(), Some(EffectEvent::Started { payload: "a", .. })));
    assert_eq!(journal.poll(), None);
}
