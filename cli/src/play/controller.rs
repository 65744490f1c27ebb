//! Controller of a seat: the keyboard, or a bot that uses eight directions like a keyboard. Both
//! read only their own machine's state, and their inputs take the normal path through the network.

use super::Peer;
use isostep_rollback::{PlayerId, Simulation, Stick, Tick};
use isostep_scenes::games::tumble::rules::Move;

/// Keys of player one as last sent by the page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Keys {
    pub(crate) stick: Stick,
    /// Bit 0 jumps, bit 1 shoves.
    pub(crate) held: u64,
    /// Pressed since the last tick, even if released by now.
    pub(crate) tapped: u64,
}

/// Input source of one seat.
#[derive(Debug, Default)]
pub(crate) struct Controller {
    last: Move,
    /// `None` until the first key: a bot plays.
    keys: Option<Keys>,
}

impl Controller {
    pub(crate) fn set_keys(&mut self, stick: Stick, held: u64) {
        let tapped = self.keys.map_or(0, |keys| keys.tapped) | held;
        self.keys = Some(Keys { stick, held, tapped });
    }

    /// Input for the next tick.
    pub(crate) fn sample(&mut self, peer: &Peer, tick: Tick, player: PlayerId) -> Move {
        self.last = match &mut self.keys {
            Some(keys) => {
                let down = keys.held | std::mem::take(&mut keys.tapped);
                // Two buttons; the page's control has no others.
                let buttons = self.last.buttons.next(down).unwrap_or_default();
                Move { stick: keys.stick, buttons }
            }
            None => peer.bot(tick, player),
        };
        self.last
    }
}
