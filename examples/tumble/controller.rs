//! Who plays at this machine's seat: the keys of the page, or a bot as long as nobody touches them.

use crate::rules::{Move, Tumble};
use isostep::{Buttons, PlayerId, Stick, Tick, Time};
use std::time::Duration;

/// Whoever touched nothing for so long has gone for tea; the bot plays until they are back.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// What the page said last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Keys {
    pub stick: Stick,
    /// Bit 0 jumps, bit 1 shoves.
    pub held: u64,
    /// Went down since this was read last, though it may be up again.
    pub tapped: u64,
}

/// What somebody holds.
#[derive(Debug, Default)]
pub struct Controller {
    last: Move,
    keys: Keys,
    touched: Option<Time>,
}

impl Controller {
    /// Whether a person plays.
    pub fn is_human(&self, now: Time) -> bool {
        self.touched.is_some_and(|touched| now.since(touched) < IDLE_TIMEOUT)
    }

    /// What the page says now.
    pub fn touch(&mut self, now: Time, keys: Keys) {
        let holds = keys.stick != Stick::CENTRE || keys.held | keys.tapped != 0;
        if holds || keys != self.keys {
            self.touched = Some(now);
        }
        self.keys = Keys { tapped: self.keys.tapped | keys.tapped, ..keys };
    }

    /// What goes into the next tick.
    pub fn next(&mut self, now: Time, game: &Tumble, tick: Tick, player: PlayerId) -> Move {
        self.last = if self.is_human(now) {
            let down = self.keys.held | std::mem::take(&mut self.keys.tapped);
            // Two buttons; what the page says of others means nothing.
            let buttons: Buttons<2> = self.last.buttons.next(down & 0b11).unwrap_or_default();
            Move { stick: self.keys.stick, buttons }
        } else {
            game.think(tick, player)
        };
        self.last
    }
}
