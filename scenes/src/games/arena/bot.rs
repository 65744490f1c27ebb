//! Bots of the arena: they run behind the ball and kick it towards the other goal.

use super::input::{ArenaInput, JUMP, KICK};
use super::{Arena, Team};
use isostep_core::{Real, Rng, Vec3, real};
use isostep_rollback::{Buttons, PlayerId, Stick, Tick};

/// Purpose of the random numbers.
const MOOD: u64 = 4;
/// Distance that bots keep behind the ball, metres.
const BEHIND: Real = real!(1.25);
/// Distance at which bots kick, metres.
const REACH: Real = real!(1.75);

impl Arena {
    /// Input of a bot, from the state and a generator keyed by it.
    pub(super) fn chase(&self, tick: Tick, player: PlayerId) -> ArenaInput {
        let mut rng = Rng::keyed(self.settings.seed, tick.0.into(), player.0.into(), MOOD);
        let seat = self.cast.players.get(usize::from(player.0));
        let body = seat.and_then(|&id| self.world.body(id));
        let (Some(body), Some(ball)) = (body, self.world.body(self.cast.ball)) else {
            return ArenaInput::default();
        };
        let own_goal = Vec3::X * self.cast.half[0] * Team::of(player).side();
        let (place, ball) = (body.center_of_mass(), ball.center_of_mass());
        let wanted = ball + (own_goal - ball).normalize_or(Vec3::X) * BEHIND;
        let offset = wanted - place;
        let offset = Vec3::new(offset.x, Real::ZERO, offset.z);
        let offset =
            if offset.length() > Real::ONE { offset.normalize_or(Vec3::ZERO) } else { offset };
        let mut stick = Stick::from_steps(steps(offset.x), steps(offset.z)).unwrap_or_default();
        let mut buttons = Buttons::none();
        if place.distance(ball) < REACH && rng.chance(1, 4).unwrap_or(false) {
            buttons = buttons.press(KICK);
            let to_goal = (-own_goal - ball).normalize_or(Vec3::X);
            stick = Stick::from_steps(steps(to_goal.x), steps(to_goal.z)).unwrap_or_default();
        }
        if rng.chance(1, 120).unwrap_or(false) {
            buttons = buttons.press(JUMP);
        }
        ArenaInput { stick, buttons }
    }
}

/// Converts −1 to 1 into stick steps.
fn steps(axis: Real) -> i8 {
    (axis.clamp(-Real::ONE, Real::ONE) * 127).round().floor_to_int() as i8
}
