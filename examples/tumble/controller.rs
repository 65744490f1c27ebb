//! Controller of this machine's seat: the page's keys, or a bot while they are idle.

use crate::rules::{Move, Tumble};
use isostep::{Buttons, PlayerId, Stick, Tick, Time};
use std::time::Duration;

/// Idle time after which the bot takes over until the next key.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Keys as last sent by the page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Keys {
    pub stick: Stick,
    /// Bit 0 jumps, bit 1 shoves.
    pub held: u64,
    /// Pressed since the last read, even if released by now.
    pub tapped: u64,
}

/// Input source of the seat.
#[derive(Debug, Default)]
pub struct Controller {
    last: Move,
    keys: Keys,
    touched: Option<Time>,
}

impl Controller {
    /// Returns true if a human plays.
    pub fn is_human(&self, now: Time) -> bool {
        self.touched.is_some_and(|touched| now.since(touched) < IDLE_TIMEOUT)
    }

    /// Takes the page's keys.
    pub fn touch(&mut self, now: Time, keys: Keys) {
        let holds = keys.stick != Stick::CENTRE || keys.held | keys.tapped != 0;
        if holds || keys != self.keys {
            self.touched = Some(now);
        }
        self.keys = Keys { tapped: self.keys.tapped | keys.tapped, ..keys };
    }

    /// Input for the next tick.
    pub fn next(&mut self, now: Time, game: &Tumble, tick: Tick, player: PlayerId) -> Move {
        self.last = if self.is_human(now) {
            let down = self.keys.held | std::mem::take(&mut self.keys.tapped);
            // Two buttons; further bits are ignored.
            let buttons: Buttons<2> = self.last.buttons.next(down & 0b11).unwrap_or_default();
            Move { stick: self.keys.stick, buttons }
        } else {
            game.think(tick, player)
        };
        self.last
    }
}
