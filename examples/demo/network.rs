//! A network that is slow and uneven, and the same one for the same seed.

use crate::game::Stick;
use isostep::Rng;

/// What the random numbers are for.
const DELAY: u64 = 2;

/// What one machine sends another: a player's stick on a tick.
#[derive(Clone, Copy)]
pub struct Message {
    pub to: usize,
    pub from: usize,
    pub tick: usize,
    pub stick: Stick,
}

#[derive(Default)]
pub struct Network {
    seed: u64,
    sent: u64,
    in_flight: Vec<(usize, Message)>,
}

impl Network {
    pub fn new(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }

    /// Takes a message; it arrives 3 to 12 ticks later, and may overtake others.
    pub fn send(&mut self, now: usize, message: Message) {
        let delay = Rng::keyed(self.seed, now as u64, self.sent, DELAY).below(10).unwrap_or(0);
        self.sent += 1;
        self.in_flight.push((now + 3 + delay as usize, message));
    }

    /// Hands over what has arrived by now.
    pub fn receive(&mut self, now: usize) -> Vec<Message> {
        let (arrived, waiting) = self.in_flight.drain(..).partition(|(due, _)| *due <= now);
        self.in_flight = waiting;
        let arrived: Vec<(usize, Message)> = arrived;
        arrived.into_iter().map(|(_, message)| message).collect()
    }
}
