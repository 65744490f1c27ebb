//! Rules of Tumble: two to eight players on a platform without walls shove each other and crates
//! off it.
//!
//! A fall scores a point for the last pusher; a fall without a pusher costs a point. A crate pushes
//! on behalf of the player who pushed it last. A round ends by time or by points, the player with
//! the most points wins it, and the next round begins. `bodies` builds the platform, players and
//! crates; `bot` has the bots.

use super::bodies::{Cast, KNOWN, PLAYER};
use isostep::world::ContactView;
use isostep::{
    BodyId, Button, Buttons, Input, Inputs, PlayerId, Quat, Real, Rng, Simulation, Snapshot, State,
    Stick, Tick, Transform, Vec3, World, real,
};
use serde::{Deserialize, Serialize};

/// Speeds, m/s: walking, jumping, and the horizontal and vertical part of a shove.
const WALK: Real = real!(5);
const JUMP_UP: Real = real!(5);
const SHOVE_ALONG: Real = real!(6.5);
const SHOVE_UP: Real = real!(2.5);
/// Maximum change of a walking player's speed in a tick, m/s, on the ground and in the air.
const GRIP: Real = real!(0.4375);
const AIR_GRIP: Real = real!(0.078125);
/// Range of a shove between centres, metres.
pub const REACH: Real = real!(1.75);
/// Cosine of 60°: the limit for shoving or leaning on a body, and for a contact normal that
/// supports a player.
const AIM: Real = Real::HALF;
/// Height below which a player has fallen; a crate respawns at a lower one.
pub const FALLEN: Real = real!(-4);
const CRATE_FALLEN: Real = real!(-12);
/// Minimum distance between respawning crates, horizontal and vertical.
const CELL: Real = real!(1.875);
const LAYER: Real = real!(1.5);
/// Ticks: shove cooldown, respawn time, lifetime of a push, and phases of a round.
pub const SHOVE_REST: u32 = 30;
pub const BACK_AFTER: u32 = 75;
pub const PUSH_COUNTS: u32 = 240;
pub const READY: u32 = 90;
pub const OVER: u32 = 300;

pub const JUMP: Button<2> = Button::at::<0>();
pub const SHOVE: Button<2> = Button::at::<1>();

/// Input of one player for one tick: walking direction (+x, +z), jump, shove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Input)]
pub struct Move {
    pub stick: Stick,
    pub buttons: Buttons<2>,
}

/// Settings that all machines share: seats (2 to 8), crates, seed, and length of a round in ticks
/// and points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    pub players: u8,
    pub crates: u8,
    pub seed: u64,
    pub round_ticks: u32,
    pub points: i32,
}

/// A push of a player or crate by body, shove or crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Push {
    pub by: PlayerId,
    pub tick: Tick,
}

/// A fall, with its pusher if there was one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fall {
    pub by: Option<PlayerId>,
    pub tick: Tick,
}

/// State of a player beside the body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Player {
    /// Points of this round, and rounds won.
    pub points: i32,
    pub wins: u32,
    /// Facing direction: a horizontal unit vector.
    pub facing: Vec3,
    /// Last shove and last fall; `out` is true from the fall to the respawn.
    pub shoved: Option<Tick>,
    pub fell: Option<Fall>,
    pub out: bool,
}

/// Phases of a round: countdown without movement; play; and an interval in which falls don't count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    Ready,
    Play,
    Over { winner: Option<PlayerId> },
}

/// State of the match: round number, from 1, and phase with its first tick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Board {
    pub round: u32,
    pub phase: Phase,
    pub since: Tick,
}

/// A match. It holds everything that the next tick depends on; the session saves, hashes and
/// restores it.
#[derive(Debug, State, Snapshot)]
pub struct Tumble {
    pub world: World,
    pub players: Vec<Player>,
    /// Last push of each body.
    pub pushed: Vec<Option<Push>>,
    pub board: Board,
    #[state(fixed)]
    pub cast: Cast,
}

impl Tumble {
    /// Moves everything to its start; only the wins survive.
    pub fn begin_round(&mut self, tick: Tick) {
        self.board = Board { round: self.board.round + 1, phase: Phase::Ready, since: tick };
        for seat in 0..self.players.len() {
            self.players[seat] = Player { wins: self.players[seat].wins, ..Player::default() };
            self.put_player(seat, Real::ZERO);
        }
        // Cells and layers: no two crates start with an overlap.
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

    /// Half a side of the square on which crates land; players start outside of it.
    fn middle(&self) -> Real {
        self.cast.half * 2 / 5
    }

    fn chance(&self, tick: Tick, number: usize) -> Rng {
        Rng::keyed(self.cast.settings.seed, tick.0.into(), number as u64, 0)
    }

    /// Start and respawn position of a seat, on a ring.
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

    /// Drops a crate at or near a position, with a random rotation.
    fn drop_crate(&mut self, number: usize, tick: Tick, from: Vec3, beside: Real) {
        let mut rng = self.chance(tick, number);
        let mut along = |most: Real| rng.between(-most, most).expect("from less to more");
        let place = from + Vec3::new(along(beside), Real::ZERO, along(beside));
        let turn = Quat::from_rotation_vector(Vec3::Y * along(Real::ONE));
        self.put(number, Transform::new(place, turn));
    }

    /// Advances the phase of the round.
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

    /// The player with strictly more points than all others.
    pub fn leader(&self) -> Option<PlayerId> {
        let most = self.players.iter().map(|player| player.points).max()?;
        let mut leaders = (0..).zip(&self.players).filter(|it| it.1.points == most);
        let leader = PlayerId(leaders.next()?.0);
        leaders.next().is_none().then_some(leader)
    }

    /// Scores falls, and respawns players and crates.
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

    /// Reads contacts: returns grounded players, one bit a seat, and records pushes by leaning or
    /// through crates.
    fn read_contacts(&mut self, tick: Tick, moves: &[Move]) -> u32 {
        let (mut standing, seats) = (0, self.players.len());
        // Bodies were spawned in this order, so their ids ascend.
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
                // An old push transferred by a crate does not replace a newer one.
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
        // Walking adds to the velocity instead of setting it, so that shoves have an effect.
        // Players in the air don't brake.
        let grip = if stands { GRIP } else { AIR_GRIP };
        let idle = !stands && wanted.is_zero();
        let missing = if idle { Vec3::ZERO } else { wanted * WALK - level(velocity) };
        let too_much = missing.length() > grip;
        let mut change = if too_much { missing.normalize_or(Vec3::ZERO) * grip } else { missing };
        if stands && input.buttons.pressed(JUMP) {
            change.y = JUMP_UP - velocity.y.max(Real::ZERO);
        }
        // Fails if the player is at the speed limit; then no push is needed.
        let _ = self.world.apply_impulse(self.cast.bodies[seat], change * mass);
        let rested = self.players[seat].shoved.is_none_or(|last| tick.since(last) >= SHOVE_REST);
        if rested && input.buttons.pressed(SHOVE) {
            self.shove(seat, tick);
        }
    }

    /// Pushes all bodies in front of a player away.
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

/// Direction of a stick, at most of length one.
pub fn direction(stick: Stick) -> Vec3 {
    let lean = Vec3::new(stick.x(), Real::ZERO, stick.y());
    if lean.length() > Real::ONE { lean.normalize_or(Vec3::ZERO) } else { lean }
}

/// Horizontal part of a vector.
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

    fn body_name(&self, body: BodyId) -> Option<String> {
        let number = self.cast.bodies.iter().position(|known| *known == body);
        let seats = self.players.len();
        number.map(|number| match number + 1 {
            player if player <= seats => format!("player {player}"),
            _ => "a crate".to_owned(),
        })
    }
}
