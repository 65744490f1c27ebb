//! Random schedules of a session on any state. The held ticks match a list, and the results match a
//! game that never rolled back.

use isostep_core::Tick;
use isostep_core::digest::Digest;
use isostep_core::state::State;
use proptest::prelude::*;

/// A game for schedules.
pub(crate) trait Game: State {
    fn fresh() -> Self;
    fn step(&mut self, input: u8);
}

#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Plays a tick.
    Play(u8),
    /// Rolls back by this many ticks and resimulates them, the first one with another input.
    Again(u8, u8),
    /// Rolls back to one of the pinned ticks and stays there.
    BackToPin(u8),
    Pin(u8),
    Unpin(u8),
    DropCaches,
}

pub(crate) fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        8 => any::<u8>().prop_map(Act::Play),
        4 => any::<(u8, u8)>().prop_map(|(back, input)| Act::Again(back, input)),
        1 => any::<u8>().prop_map(Act::BackToPin),
        1 => any::<u8>().prop_map(Act::Pin),
        1 => any::<u8>().prop_map(Act::Unpin),
        1 => Just(Act::DropCaches),
    ];
    prop::collection::vec(act, 1..60)
}

/// Expected held ticks with their pins, in order.
struct Oracle {
    capacity: usize,
    held: Vec<(u32, u32)>,
}

impl Oracle {
    fn trim(&mut self) {
        while self.held.iter().filter(|held| held.1 == 0).count() > self.capacity {
            let oldest = self.held.iter().position(|held| held.1 == 0).unwrap();
            self.held.remove(oldest);
        }
    }

    fn save(&mut self, tick: u32) {
        let pins = self.held.iter().find(|held| held.0 == tick).map_or(0, |held| held.1);
        self.held.retain(|held| held.0 < tick);
        self.held.push((tick, pins));
        // The tick being saved is never the one dropped.
        self.trim();
    }

    fn pick(&self, choice: u8) -> Option<u32> {
        let at = (choice as usize).checked_rem(self.held.len())?;
        Some(self.held[at].0)
    }
}

/// Runs a schedule; the reference is the digests of a game without rollback.
pub(crate) fn play<G: Game>(capacity: usize, acts: &[Act]) {
    let mut game = G::fresh();
    let mut slots = game.slots(capacity);
    let mut oracle = Oracle { capacity, held: Vec::new() };
    let mut inputs: Vec<u8> = Vec::new();
    game.save(&mut slots, Tick(0)).unwrap();
    oracle.save(0);
    for act in acts {
        let now = inputs.len() as u32;
        match *act {
            Act::Play(input) => {
                inputs.push(input);
                game.step(input);
                game.save(&mut slots, Tick(now + 1)).unwrap();
                oracle.save(now + 1);
            }
            Act::Again(back, input) => {
                let to = now.saturating_sub(u32::from(back) % (capacity as u32 + 1));
                let held = oracle.held.iter().any(|held| held.0 == to);
                assert_eq!(game.load(&mut slots, Tick(to)).is_ok(), held, "loading {to} at {now}");
                if !held {
                    continue;
                }
                oracle.held.retain(|held| held.0 <= to);
                if let Some(first) = inputs.get_mut(to as usize) {
                    *first = input;
                }
                for tick in to..now {
                    game.step(inputs[tick as usize]);
                    game.save(&mut slots, Tick(tick + 1)).unwrap();
                    oracle.save(tick + 1);
                }
            }
            Act::BackToPin(choice) => {
                let pinned: Vec<u32> =
                    oracle.held.iter().filter(|held| held.1 > 0).map(|held| held.0).collect();
                if let Some(at) = (choice as usize).checked_rem(pinned.len()) {
                    let to = pinned[at];
                    game.load(&mut slots, Tick(to)).unwrap();
                    oracle.held.retain(|held| held.0 <= to);
                    inputs.truncate(to as usize);
                }
            }
            Act::Pin(choice) => {
                if let Some(tick) = oracle.pick(choice) {
                    game.pin(&mut slots, Tick(tick)).unwrap();
                    oracle.held.iter_mut().find(|held| held.0 == tick).unwrap().1 += 1;
                }
            }
            Act::Unpin(choice) => {
                if let Some(tick) = oracle.pick(choice) {
                    let held = oracle.held.iter_mut().find(|held| held.0 == tick).unwrap();
                    let had = held.1 > 0;
                    held.1 = held.1.saturating_sub(1);
                    oracle.trim();
                    assert_eq!(game.unpin(&mut slots, Tick(tick)), had);
                }
            }
            Act::DropCaches => game.drop_caches(&mut slots),
        }
        let newest = inputs.len() as u32 + 2;
        for tick in 0..newest {
            let held = oracle.held.iter().any(|held| held.0 == tick);
            assert_eq!(game.holds(&slots, Tick(tick)).is_ok(), held, "tick {tick} after {act:?}");
        }
    }
    let straight = straight::<G>(&inputs);
    for (tick, _) in oracle.held {
        let digest = game.digest(&slots, Tick(tick)).unwrap();
        assert_eq!(digest, straight[tick as usize], "tick {tick} of {}", inputs.len());
    }
}

fn straight<G: Game>(inputs: &[u8]) -> Vec<Digest> {
    let mut game = G::fresh();
    let mut slots = game.slots(1);
    let mut digests = Vec::new();
    for tick in 0..=inputs.len() {
        game.save(&mut slots, Tick(tick as u32)).unwrap();
        digests.push(game.digest(&slots, Tick(tick as u32)).unwrap());
        if let Some(input) = inputs.get(tick) {
            game.step(*input);
        }
    }
    digests
}
