//! How the machine plays Tumble: it gets between somebody and the middle, runs at them, and shoves outwards. It decides from
//! the state alone and goes in eight directions, as fingers do: what changes rarely is guessed well.

use super::bodies::KNOWN;
use super::rules::{JUMP, Move, REACH, SHOVE, SHOVE_REST, Tumble, level};
use isostep::{Buttons, PlayerId, Real, Rng, Stick, Tick, Vec3, real};

/// What random numbers are for.
const FANCY: u64 = 7;
const SIDEWAYS: u64 = 8;
/// So many ticks pass before a shove that could be, between two jumps for fun and, where crates block the way, over them, about.
const REACTION: u32 = 8;
const JUMPS: u32 = 400;
const HOPS: u32 = 40;
/// Ticks that a way to the side lasts.
const SIDESTEP: u32 = 24;
/// Who wants to walk and is slower than this is stuck, m/s.
const SLOW: Real = Real::ONE;
/// They look so straight at whom they shove: the cosine of 40°.
const AIM: Real = real!(0.75);
/// How near to the edge bots go of their own will, metres.
const CAREFUL: Real = real!(0.875);
/// How far behind a target they want to be, metres.
const BEHIND: Real = real!(1.25);

impl Tumble {
    /// What a bot does on a tick.
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

    /// Now and then a little to the left or right for a while, around whatever is in the way.
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

    /// Who is to be pushed: somebody near and near the edge; or the middle, if all are out.
    fn target(&self, seat: usize, tick: Tick) -> Vec3 {
        let place = self.place(seat);
        let others = (0..self.players.len()).filter(|&it| it != seat && !self.players[it].out);
        // Each bot prefers another seat for some seconds, so that not all run at one.
        let fancied = (tick.0 / 400 + seat as u32 + 1) as usize % self.players.len();
        let cost = |&other: &usize| {
            let at = self.place(other);
            let bonus = if other == fancied { real!(4) } else { Real::ZERO };
            at.distance(place) - out(at) / 2 - bonus
        };
        others.min_by_key(cost).map_or(Vec3::ZERO, |other| level(self.place(other)))
    }

    /// Around the target to the side of the middle, then straight at it; and never over the edge.
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

/// How far out a place is: 0 in the middle, half a side at the edge.
fn out(place: Vec3) -> Real {
    place.x.abs().max(place.z.abs())
}

/// One of eight directions, or none where it is near enough.
fn eighth(way: Vec3) -> Stick {
    let size = way.length();
    if size < real!(0.25) {
        return Stick::CENTRE;
    }
    let axis = |along: Real| {
        let share = along / size;
        // The sine of 22.5°, about.
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
