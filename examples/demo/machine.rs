//! One machine of the demo's match: it plays on with a guess of the other player's stick, and plays again
//! what it guessed wrong.
//!
//! Rollback at its plainest: a copy of the whole state for each tick of the window. The real loop, with saves
//! that cost only what moved, will take this file's place.

use crate::game::{Game, PLAYERS, Stick};
use std::collections::VecDeque;

/// Ticks a machine may run ahead of the last one that it knows everything about.
pub const WINDOW: usize = 16;

pub struct Machine {
    player: usize,
    game: Game,
    /// The state before each tick that is not confirmed yet, oldest first.
    saves: VecDeque<Game>,
    /// Both players' sticks by tick, as far as they are known.
    known: Vec<[Option<Stick>; PLAYERS]>,
    /// What each tick was played with.
    played: Vec<[Stick; PLAYERS]>,
    /// States after confirmed ticks that nobody has looked at yet, oldest first.
    finished: VecDeque<Game>,
    /// A tick on which this machine computes one bit wrong, each time it plays it.
    pub fault: Option<usize>,
    pub rollbacks: u32,
    pub replayed_ticks: u32,
}

impl Machine {
    pub fn new(player: usize, game: Game) -> Self {
        Self {
            player,
            game,
            saves: VecDeque::new(),
            known: Vec::new(),
            played: Vec::new(),
            finished: VecDeque::new(),
            fault: None,
            rollbacks: 0,
            replayed_ticks: 0,
        }
    }

    /// The next tick to be played.
    pub fn tick(&self) -> usize {
        self.played.len()
    }

    /// Ticks before this one are known in full and played with what is known.
    fn confirmed(&self) -> usize {
        self.tick() - self.saves.len()
    }

    /// Whether one more tick fits the window.
    pub fn may_advance(&self) -> bool {
        self.saves.len() < WINDOW
    }

    /// The state after the next confirmed tick, each one once and in order.
    pub fn take_finished(&mut self) -> Option<Game> {
        self.finished.pop_front()
    }

    /// Whether there is a confirmed tick to take.
    pub fn has_finished(&self) -> bool {
        !self.finished.is_empty()
    }

    /// Learns what a player did on a tick.
    pub fn learn(&mut self, player: usize, tick: usize, stick: Stick) {
        if self.known.len() <= tick {
            self.known.resize(tick + 1, [None; PLAYERS]);
        }
        self.known[tick][player] = Some(stick);
    }

    /// Plays again from the first wrong guess, forgets what is confirmed, then plays one tick on.
    pub fn advance(&mut self, own: Stick) {
        self.learn(self.player, self.tick(), own);
        self.replay_wrong_guesses();
        while self
            .known
            .get(self.confirmed())
            .is_some_and(|sticks| sticks.iter().all(Option::is_some))
            && !self.saves.is_empty()
        {
            self.saves.pop_front();
            self.finished.push_back(self.saves.front().unwrap_or(&self.game).clone());
        }
        self.play(self.tick());
    }

    fn replay_wrong_guesses(&mut self) {
        let wrong =
            (self.confirmed()..self.tick()).find(|&tick| self.guess(tick) != self.played[tick]);
        let Some(first) = wrong else { return };
        let end = self.tick();
        self.game = self.saves[first - self.confirmed()].clone();
        self.saves.truncate(first - self.confirmed());
        self.played.truncate(first);
        (first..end).for_each(|tick| self.play(tick));
        self.rollbacks += 1;
        self.replayed_ticks += (end - first) as u32;
    }

    fn play(&mut self, tick: usize) {
        let sticks = self.guess(tick);
        self.saves.push_back(self.game.clone());
        self.game.step(sticks);
        if self.fault == Some(tick) {
            self.game.flip_a_bit();
        }
        self.played.push(sticks);
    }

    /// What is known of a tick, and where nothing is, what the player last did.
    fn guess(&self, tick: usize) -> [Stick; PLAYERS] {
        std::array::from_fn(|player| {
            let mut known = self.known[..self.known.len().min(tick + 1)].iter().rev();
            known.find_map(|sticks| sticks[player]).unwrap_or_default()
        })
    }
}
