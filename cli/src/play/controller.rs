//! Who plays at a machine: a keyboard, or a bot that goes in eight directions as fingers do. Both see only
//! what their own machine shows, and their inputs travel like anybody's.

use super::Peer;
use isostep_rollback::{PlayerId, Simulation, Stick, Tick};
use isostep_scenes::games::tumble::rules::Move;

/// The keys of player one as the page sent them last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Keys {
    pub(crate) stick: Stick,
    /// Bit 0 jumps, bit 1 shoves.
    pub(crate) held: u64,
    /// Went down since the last tick, though it may be up again.
    pub(crate) tapped: u64,
}

/// What somebody holds.
#[derive(Debug, Default)]
pub(crate) struct Controller {
    last: Move,
    /// Nobody has touched the keys yet: the controller plays by itself.
    keys: Option<Keys>,
}

impl Controller {
    pub(crate) fn set_keys(&mut self, stick: Stick, held: u64) {
        let tapped = self.keys.map_or(0, |keys| keys.tapped) | held;
        self.keys = Some(Keys { stick, held, tapped });
    }

    /// What goes into the next tick.
    pub(crate) fn sample(&mut self, peer: &Peer, tick: Tick, player: PlayerId) -> Move {
        self.last = match &mut self.keys {
            Some(keys) => {
                let down = keys.held | std::mem::take(&mut keys.tapped);
                // Two buttons, and the page's control has no others.
                let buttons = self.last.buttons.next(down).unwrap_or_default();
                Move { stick: keys.stick, buttons }
            }
            None => peer.bot(tick, player),
        };
        self.last
    }
}
