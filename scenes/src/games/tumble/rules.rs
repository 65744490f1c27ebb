//! The rules of Tumble, whole: two to eight players on a platform without walls shove each other and crates off it.
//!
//! Whoever falls gives a point to whoever pushed them last, and who falls all by themselves loses one. A crate pushes for
//! whoever pushed the crate. A round ends with the time or with enough points, whoever has most wins it, and the next begins.
//! `bodies` builds the platform and what is on it, `bot` is how the machine plays; the rest of this folder sends inputs and
//! draws.

use super::bodies::{Cast, KNOWN, PLAYER};
use isostep::world::ContactView;
use isostep::{
    Button, Buttons, Input, Inputs, PlayerId, Quat, Real, Rng, Simulation, Snapshot, State, Stick,
    Tick, Transform, Vec3, World, real,
};
use serde::{Deserialize, Serialize};

/// Metres a second: walking, jumping up, and what a shove adds along and upwards.
const WALK: Real = real!(5);
const JUMP_UP: Real = real!(5);
const SHOVE_ALONG: Real = real!(6.5);
const SHOVE_UP: Real = real!(2.5);
/// What legs change of a speed in a tick, m/s, on the ground and in the air.
const GRIP: Real = real!(0.4375);
const AIR_GRIP: Real = real!(0.078125);
/// A shove reaches so far from middle to middle.
pub const REACH: Real = real!(1.75);
/// The cosine of 60°: what is further aside is neither shoved nor leaned on, and what is steeper carries a player.
const AIM: Real = Real::HALF;
/// Who is below this height has fallen; a crate comes down again a little later.
pub const FALLEN: Real = real!(-4);
const CRATE_FALLEN: Real = real!(-12);
/// Crates come down so far from each other at least, to the side and upwards.
const CELL: Real = real!(1.875);
const LAYER: Real = real!(1.5);
/// Ticks: until the next shove, until somebody is back, how long a push counts, and parts of a round.
pub const SHOVE_REST: u32 = 30;
pub const BACK_AFTER: u32 = 75;
pub const PUSH_COUNTS: u32 = 240;
pub const READY: u32 = 90;
pub const OVER: u32 = 300;

pub const JUMP: Button<2> = Button::at::<0>();
pub const SHOVE: Button<2> = Button::at::<1>();

/// What a player does in a tick: where to walk (+x, +z), whether to jump and shove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Input)]
pub struct Move {
    pub stick: Stick,
    pub buttons: Buttons<2>,
}

/// What all machines set up alike: seats (2 to 8), crates, chance, and how long a round is, in ticks and in points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    pub players: u8,
    pub crates: u8,
    pub seed: u64,
    pub round_ticks: u32,
    pub points: i32,
}

/// Somebody pushed, with the body, by a shove or with a crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Push {
    pub by: PlayerId,
    pub tick: Tick,
}

/// Somebody fell: pushed, or by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fall {
    pub by: Option<PlayerId>,
    pub tick: Tick,
}

/// What is known of a player beside the body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Player {
    /// Points of this round, and rounds won.
    pub points: i32,
    pub wins: u32,
    /// Where the player looks: a level unit vector.
    pub facing: Vec3,
    /// The last shove and the last fall; who is out fell and is not back yet.
    pub shoved: Option<Tick>,
    pub fell: Option<Fall>,
    pub out: bool,
}

/// The parts of a round: crates come down and nobody moves; play; and a while in which falls don't count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    Ready,
    Play,
    Over { winner: Option<PlayerId> },
}

/// How the match stands: the round, from 1, and its part with the tick that it began with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Board {
    pub round: u32,
    pub phase: Phase,
    pub since: Tick,
}

/// A match. What the next tick depends on is all in here; the session saves it, hashes it and goes back to it.
#[derive(Debug, State, Snapshot)]
pub struct Tumble {
    pub world: World,
    pub players: Vec<Player>,
    /// Who pushed each of the bodies last.
    pub pushed: Vec<Option<Push>>,
    pub board: Board,
    #[state(fixed)]
    pub cast: Cast,
}

impl Tumble {
    /// Everybody and everything to where rounds begin: nothing of the last one is left but who won.
    pub fn begin_round(&mut self, tick: Tick) {
        self.board = Board { round: self.board.round + 1, phase: Phase::Ready, since: tick };
        for seat in 0..self.players.len() {
            self.players[seat] = Player { wins: self.players[seat].wins, ..Player::default() };
            self.put_player(seat, Real::ZERO);
        }
        // Cells side by side, and layers above each other: no two crates begin inside one another.
        let side = self.middle() * 2;
        let row = (side / CELL).floor_to_int().max(1);
        let cell = side / row;
        let first = self.chance(tick, 0).below(row as u32).unwrap_or(0) as i32;
        for (crate_number, number) in (first..).zip(self.players.len()..self.pushed.len()) {
            let [x, z] = [crate_number % row, crate_number / row % row];
            let corner = Vec3::new(cell * x, LAYER * (2 + crate_number / (row * row)), cell * z);
            let middle = corner - level(Vec3::splat(self.middle() - cell / 2));
            self.drop_crate(number, tick, middle, (cell - CELL) / 2);
        }
    }

    /// Half a side of the square that crates come down on; who begins a round stands outside of it.
    fn middle(&self) -> Real {
        self.cast.half * 2 / 5
    }

    fn chance(&self, tick: Tick, number: usize) -> Rng {
        Rng::keyed(self.cast.settings.seed, tick.0.into(), number as u64, 0)
    }

    /// Where a seat begins and comes back: on a ring.
    pub fn start(&self, seat: usize) -> Vec3 {
        let (sin, cos) = (Real::TAU * seat as i32 / self.players.len() as i32).sin_cos();
        let ring = self.cast.half * Real::ratio(65, 100);
        Vec3::new(-cos * ring, PLAYER[0] + PLAYER[1], sin * ring)
    }

    fn put_player(&mut self, seat: usize, above: Real) {
        let place = self.start(seat);
        self.players[seat].facing = -level(place).normalize_or(Vec3::X);
        self.players[seat].out = false;
        self.put(seat, Transform::at(place + Vec3::Y * above));
    }

    /// From a place or not far beside it, turned somehow.
    fn drop_crate(&mut self, number: usize, tick: Tick, from: Vec3, beside: Real) {
        let mut rng = self.chance(tick, number);
        let mut along = |most: Real| rng.between(-most, most).expect("from less to more");
        let place = from + Vec3::new(along(beside), Real::ZERO, along(beside));
        let turn = Quat::from_rotation_vector(Vec3::Y * along(Real::ONE));
        self.put(number, Transform::new(place, turn));
    }

    /// The parts of a round follow each other.
    fn keep_time(&mut self, tick: Tick) {
        let (spent, settings) = (tick.since(self.board.since), self.cast.settings);
        let enough = self.players.iter().any(|player| player.points >= settings.points);
        let next = match self.board.phase {
            Phase::Ready if spent >= READY => Phase::Play,
            Phase::Play if enough || spent >= settings.round_ticks => {
                let winner = self.leader();
                winner.iter().for_each(|seat| self.players[usize::from(seat.0)].wins += 1);
                Phase::Over { winner }
            }
            Phase::Over { .. } if spent >= OVER => return self.begin_round(tick),
            _ => return,
        };
        (self.board.phase, self.board.since) = (next, tick);
    }

    /// Who has more points than anybody else.
    pub fn leader(&self) -> Option<PlayerId> {
        let most = self.players.iter().map(|player| player.points).max()?;
        let mut leaders = (0..).zip(&self.players).filter(|it| it.1.points == most);
        let leader = PlayerId(leaders.next()?.0);
        leaders.next().is_none().then_some(leader)
    }

    /// Who is too low has fallen, and that counts; who was out for long enough comes back, and so do crates.
    fn fall_and_return(&mut self, tick: Tick) {
        for seat in 0..self.players.len() {
            let (low, player) = (self.place(seat).y < FALLEN, &mut self.players[seat]);
            if player.out && player.fell.is_none_or(|it| tick.since(it.tick) >= BACK_AFTER) {
                self.put_player(seat, Real::ONE);
            } else if low && !player.out {
                let push = self.pushed[seat].filter(|it| tick.since(it.tick) <= PUSH_COUNTS);
                let by = push.map(|push| push.by);
                (player.fell, player.out) = (Some(Fall { by, tick }), true);
                match by {
                    _ if self.board.phase != Phase::Play => (),
                    Some(by) => self.players[usize::from(by.0)].points += 1,
                    None => player.points -= 1,
                }
            }
        }
        for number in self.players.len()..self.pushed.len() {
            if self.place(number).y < CRATE_FALLEN {
                self.drop_crate(number, tick, Vec3::Y * 9, self.middle());
            }
        }
    }

    /// Who stands on something, a bit a seat; and who pushes what by leaning against it, or with a crate.
    fn read_contacts(&mut self, tick: Tick, moves: &[Move]) -> u32 {
        let (mut standing, seats) = (0, self.players.len());
        // They were put into the world in this order, so their ids rise.
        let number = |body| self.cast.bodies.binary_search(&body).ok();
        for contact in self.world.contacts().filter(ContactView::is_touching) {
            let ([first, second], normal) = (contact.bodies().map(number), contact.normal());
            for (this, that, towards) in [(first, second, normal), (second, first, -normal)] {
                let Some(this) = this else { continue };
                if this < seats && towards.y < -AIM {
                    standing |= 1 << this;
                }
                let Some(that) = that else { continue };
                let push = if this < seats {
                    let leans = direction(moves[this].stick).dot(towards) > AIM;
                    leans.then_some(Push { by: PlayerId(this as u8), tick })
                } else {
                    self.pushed[this].filter(|push| that < seats && usize::from(push.by.0) != that)
                };
                // An old push that a crate hands on does not hide a newer one.
                if push.is_some_and(|new| self.pushed[that].is_none_or(|old| old.tick <= new.tick))
                {
                    self.pushed[that] = push;
                }
            }
        }
        standing
    }

    fn act(&mut self, seat: usize, tick: Tick, input: Move, stands: bool) {
        let body = self.world.body(self.cast.bodies[seat]).expect(KNOWN);
        let (velocity, mass) = (body.velocity(), body.mass());
        let wanted = direction(input.stick);
        self.players[seat].facing = wanted.normalize_or(self.players[seat].facing);
        // Legs add to a speed and don't set it, so that shoves count; in the air nobody brakes.
        let grip = if stands { GRIP } else { AIR_GRIP };
        let idle = !stands && wanted.is_zero();
        let missing = if idle { Vec3::ZERO } else { wanted * WALK - level(velocity) };
        let too_much = missing.length() > grip;
        let mut change = if too_much { missing.normalize_or(Vec3::ZERO) * grip } else { missing };
        if stands && input.buttons.pressed(JUMP) {
            change.y = JUMP_UP - velocity.y.max(Real::ZERO);
        }
        // Whoever is too fast already is not pushed further.
        let _ = self.world.apply_impulse(self.cast.bodies[seat], change * mass);
        let rested = self.players[seat].shoved.is_none_or(|last| tick.since(last) >= SHOVE_REST);
        if rested && input.buttons.pressed(SHOVE) {
            self.shove(seat, tick);
        }
    }

    /// Pushes everybody and everything before a player away.
    fn shove(&mut self, seat: usize, tick: Tick) {
        self.players[seat].shoved = Some(tick);
        let (facing, from) = (self.players[seat].facing, self.place(seat));
        for number in (0..self.pushed.len()).filter(|&number| number != seat) {
            let away = self.place(number) - from;
            if away.length() <= REACH && away.normalize_or(facing).dot(facing) > AIM {
                let id = self.cast.bodies[number];
                let speed = facing * SHOVE_ALONG + Vec3::Y * SHOVE_UP;
                let mass = self.world.body(id).expect(KNOWN).mass();
                let _ = self.world.apply_impulse(id, speed * mass);
                self.pushed[number] = Some(Push { by: PlayerId(seat as u8), tick });
            }
        }
    }
}

/// Where a stick leans, no further than one.
pub fn direction(stick: Stick) -> Vec3 {
    let lean = Vec3::new(stick.x(), Real::ZERO, stick.y());
    if lean.length() > Real::ONE { lean.normalize_or(Vec3::ZERO) } else { lean }
}

/// Without its height.
pub fn level(vector: Vec3) -> Vec3 {
    Vec3 { y: Real::ZERO, ..vector }
}

impl Simulation for Tumble {
    type Input = Move;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Move>) {
        self.keep_time(tick);
        self.fall_and_return(tick);
        let ready = self.board.phase == Phase::Ready;
        let free = |(player, seat): (&Player, _)| {
            if ready || player.out { Move::default() } else { inputs.value(PlayerId(seat)) }
        };
        let moves: Vec<Move> = self.players.iter().zip(0..).map(free).collect();
        let standing = self.read_contacts(tick, &moves);
        for (seat, &input) in moves.iter().enumerate() {
            self.act(seat, tick, input, standing >> seat & 1 == 1);
        }
        self.world.step();
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> Move {
        self.think(tick, player)
    }
}
