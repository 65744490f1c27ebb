//! Who plays at a machine: a keyboard, or somebody who looks at the screen and reacts like a person. Both see only
//! what their own machine shows, and their inputs travel like anybody's.

use super::Peer;
use isostep_determinism_tests::games::{ArenaInput, KICK};
use isostep_rollback::{Buttons, Input, PlayerId, Simulation, Stick, Tick};

/// Ticks between two decisions: nobody changes their mind sixty times a second.
const REACTION: u32 = 14;

/// The keys of player one as the page sent them last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Keys {
    pub(crate) stick: Stick,
    /// Bit 0 jumps, bit 1 kicks.
    pub(crate) held: u64,
    /// Went down since the last tick, though it may be up again.
    pub(crate) tapped: u64,
}

/// What somebody holds.
#[derive(Debug, Default)]
pub(crate) struct Hand {
    last: ArenaInput,
    /// Nobody has touched the keys yet: the hand plays by itself.
    keys: Option<Keys>,
}

impl Hand {
    pub(crate) fn set_keys(&mut self, stick: Stick, held: u64) {
        let tapped = self.keys.map_or(0, |keys| keys.tapped) | held;
        self.keys = Some(Keys { stick, held, tapped });
    }

    /// What goes into the next tick.
    pub(crate) fn sample(&mut self, peer: &Peer, tick: Tick, player: PlayerId) -> ArenaInput {
        self.last = match &mut self.keys {
            Some(keys) => {
                let down = keys.held | std::mem::take(&mut keys.tapped);
                // Two buttons, and the page's control has no others.
                let buttons = self.last.buttons.next(down).unwrap_or_default();
                ArenaInput { stick: keys.stick, buttons }
            }
            None => react(self.last, peer, tick, player),
        };
        self.last
    }
}

/// Decides now and then, in eight directions, and holds on to it in between.
fn react(last: ArenaInput, peer: &Peer, tick: Tick, player: PlayerId) -> ArenaInput {
    let held = Input::hold(last);
    // Seats decide at different times.
    if !(tick.0 + u32::from(player.0) * 5).is_multiple_of(REACTION) {
        // A kick is a tap.
        return ArenaInput { buttons: Buttons::none(), ..held };
    }
    let wish = peer.bot(tick, player);
    let [x, y] = wish.stick.to_steps();
    let eighth = |axis: i8, other: i8| match axis {
        // Less than half of the other axis: straight on.
        _ if i32::from(axis).abs() * 2 < i32::from(other).abs() => 0,
        0 => 0,
        axis if axis > 0 => 90,
        _ => -90,
    };
    let stick = Stick::from_steps(eighth(x, y), eighth(y, x)).unwrap_or_default();
    // Bots kick when chance says so; a person near the ball does.
    let near = peer.arena().body_of(player).and_then(|id| peer.arena().world().body(id));
    let ball = peer.arena().world().body(peer.arena().ball());
    let near = near.zip(ball).is_some_and(|(body, ball)| {
        body.center_of_mass().distance(ball.center_of_mass()) < isostep_core::real!(1.75)
    });
    let buttons = if near { Buttons::none().press(KICK) } else { wish.buttons };
    ArenaInput { stick, buttons }
}
