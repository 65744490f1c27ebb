//! Bots of Tumble: a bot moves between a target and the middle, runs at it, and shoves outwards. It
//! reads only the state and uses eight directions, like a keyboard: inputs that change rarely are
//! predicted well.

use super::bodies::KNOWN;
use super::rules::{JUMP, Move, REACH, SHOVE, SHOVE_REST, Tumble, level};
use isostep::{Buttons, PlayerId, Real, Rng, Stick, Tick, Vec3, real};

/// Purpose of the random numbers.
const FANCY: u64 = 7;
const SIDEWAYS: u64 = 8;
/// Mean number of ticks before a possible shove, between two random jumps, and between jumps over
/// blocking crates.
const REACTION: u32 = 8;
const JUMPS: u32 = 400;
const HOPS: u32 = 40;
/// Ticks of a sidestep.
const SIDESTEP: u32 = 24;
/// Speed below which a walking bot counts as stuck, m/s.
const SLOW: Real = Real::ONE;
/// Cosine of the largest angle at which bots shove: 40°.
const AIM: Real = real!(0.75);
/// Distance that bots keep from the edge, metres.
const CAREFUL: Real = real!(0.875);
/// Distance that bots keep behind a target, metres.
const BEHIND: Real = real!(1.25);

impl Tumble {
    /// Input of a bot for a tick.
    pub fn think(&self, tick: Tick, player: PlayerId) -> Move {
        let seat = usize::from(player.0);
        let Some(me) = self.players.get(seat).filter(|me| !me.out) else {
            return Move::default();
        };
        let mut rng = Rng::keyed(self.cast.settings.seed, tick.0.into(), player.0.into(), FANCY);
        let mut chance = |of: u32| rng.chance(1, of).unwrap_or(false);
        let place = level(self.place(seat));
        let target = self.target(seat, tick);
        let way = self.sidestep(self.way(place, target), player, tick);
        let mut buttons = Buttons::none();
        let rested = me.shoved.is_none_or(|last| tick.since(last) >= SHOVE_REST);
        let aim = target - place;
        let near = aim.length() < REACH && aim.normalize_or(me.facing).dot(me.facing) > AIM;
        let outwards = target.normalize_or(me.facing).dot(me.facing) > Real::ZERO;
        let stuck = self.speed(seat) < SLOW && way.length() > SLOW;
        if rested && (stuck || near && outwards) && chance(REACTION) {
            buttons = buttons.press(SHOVE);
        }
        if chance(if stuck { HOPS } else { JUMPS }) {
            buttons = buttons.press(JUMP);
        }
        Move { stick: eighth(way), buttons }
    }

    /// Turns left or right for a while now and then, to get around obstacles.
    fn sidestep(&self, way: Vec3, player: PlayerId, tick: Tick) -> Vec3 {
        let moment = (tick.0 + u32::from(player.0) * 5) / SIDESTEP;
        let mut rng = Rng::keyed(self.cast.settings.seed, moment.into(), player.0.into(), SIDEWAYS);
        let across = Vec3::new(-way.z, Real::ZERO, way.x);
        match rng.below(8) {
            Ok(0) => way + across,
            Ok(1) => way - across,
            _ => way,
        }
    }

    fn speed(&self, seat: usize) -> Real {
        let velocity = self.world.body(self.cast.bodies[seat]).expect(KNOWN).velocity();
        level(velocity).length()
    }

    /// Target of a bot: a near player close to the edge, or the middle if all are out.
    fn target(&self, seat: usize, tick: Tick) -> Vec3 {
        let place = self.place(seat);
        let others = (0..self.players.len()).filter(|&it| it != seat && !self.players[it].out);
        // Each bot prefers another seat for some seconds, so that they choose different targets.
        let fancied = (tick.0 / 400 + seat as u32 + 1) as usize % self.players.len();
        let cost = |&other: &usize| {
            let at = self.place(other);
            let bonus = if other == fancied { real!(4) } else { Real::ZERO };
            at.distance(place) - out(at) / 2 - bonus
        };
        others.min_by_key(cost).map_or(Vec3::ZERO, |other| level(self.place(other)))
    }

    /// Path to the target: around it to the side of the middle, then straight at it, and never over
    /// the edge.
    fn way(&self, place: Vec3, target: Vec3) -> Vec3 {
        let outwards = target.normalize_or(Vec3::X);
        let behind = target - outwards * BEHIND;
        let aligned = (target - place).normalize_or(outwards).dot(outwards) > Real::HALF;
        let goal = if aligned { target } else { behind };
        if out(place) > self.cast.half - CAREFUL && !aligned {
            return -place;
        }
        let limit = self.cast.half - CAREFUL / 2;
        goal.map(|along| along.clamp(-limit, limit)) - place
    }
}

/// Distance from the middle: 0 in the middle, half a side at the edge.
fn out(place: Vec3) -> Real {
    place.x.abs().max(place.z.abs())
}

/// Nearest of eight directions, or none if the target is close enough.
fn eighth(way: Vec3) -> Stick {
    let size = way.length();
    if size < real!(0.25) {
        return Stick::CENTRE;
    }
    let axis = |along: Real| {
        let share = along / size;
        // About the sine of 22.5°.
        if share.abs() < real!(0.375) {
            0
        } else if share.is_negative() {
            -90
        } else {
            90
        }
    };
    Stick::from_steps(axis(way.x), axis(way.z)).unwrap_or_default()
}
