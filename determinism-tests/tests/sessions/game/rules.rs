//! The step of the game: commands and presses become changes of the world, events of the world become points.

use super::super::pad::{BUILD, FIRE, GRAB, JUMP, PULL, Pad, SWITCH};
use super::super::rng::mixed;
use super::build::{
    PATH, fighter_place, load_place, pickup_def, platform_place, pulled_place, rider_place,
    roller_place, roller_speed, spawn_bullet, support_place, wall_def,
};
use super::{Bullet, SCENERY, Skirmish, THINGS, WALLS};
use isostep_core::world::{BodyId, Command, CommandError, Event};
use isostep_core::{Real, Transform, Vec3, real};
use isostep_rollback::{InputStatus, Inputs, PlayerId, PlayerInput, Simulation, Tick};

/// Limits on bullets and walls; new ones replace the oldest.
const MAX_BULLETS: usize = 5;
const MAX_WALLS: usize = 5;
/// Distance from the middle beyond which bodies are put back, metres.
const EDGE: Real = real!(9);

impl Simulation for Skirmish {
    type Input = Pad;

    fn step(&mut self, tick: Tick, inputs: &Inputs<Pad>) {
        let seat_input = |(player, input): (PlayerId, PlayerInput<Pad>)| SeatInput {
            value: input.value,
            previous: input.previous,
            present: input.status != InputStatus::Disconnected,
            orders: inputs.commands(player).map(<[u8]>::to_vec).collect(),
        };
        self.advance(tick, &inputs.iter().map(seat_input).collect::<Vec<_>>());
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> Pad {
        let at = self.place_of(player).to_bits().map(|bits| bits as u64);
        let keys = [u64::from(tick.0 / 8), u64::from(player.0), at[0] >> 31];
        let bits = mixed(&[self.settings.seed, keys[0], keys[1], keys[2]]);
        let press = mixed(&[bits, u64::from(tick.0), at[2]]);
        let act = if press.is_multiple_of(9) { 1 << ((press >> 8) % 6) } else { 0 };
        Pad { lean: (bits % 9) as u8, act }
    }
}

/// Input of a seat for a tick, as the rules read it.
#[derive(Clone, Debug)]
pub(in super::super) struct SeatInput {
    pub(in super::super) value: Pad,
    /// Input of the tick before.
    pub(in super::super) previous: Pad,
    /// False if the seat is empty.
    pub(in super::super) present: bool,
    pub(in super::super) orders: Vec<Vec<u8>>,
}

impl Skirmish {
    /// Computes a tick. Simulators without a session call this directly.
    pub(in super::super) fn advance(&mut self, tick: Tick, inputs: &[SeatInput]) {
        self.local.calls += 1;
        self.apply_commands(inputs);
        let steps = if self.board.hurry.1 > 0 { self.board.hurry.0 } else { 1 };
        for number in 0..steps {
            self.answer();
            if number == 0 {
                self.play(tick, inputs);
                self.corrupt();
            }
            self.lead_platform();
            if self.local.naive {
                self.world.drop_scratch();
                self.world.drop_step_records();
            }
            self.world.step();
            let events = self.world.events();
            self.board.chronicle =
                events.fold(self.board.chronicle, |hash, event| noted(hash, &event));
        }
        self.board.hurry.1 = self.board.hurry.1.saturating_sub(1);
    }

    fn place_of(&self, player: PlayerId) -> Vec3 {
        let body = self.board.fighters.get(usize::from(player.0)).map(|fighter| fighter.body);
        let body = body.and_then(|body| self.world.body(body));
        body.map_or(Vec3::ZERO, |body| body.position())
    }

    /// Counts refused commands.
    pub(super) fn attempt<T>(&mut self, done: Result<T, CommandError>) -> Option<T> {
        self.board.refused += u32::from(done.is_err());
        done.ok()
    }

    /// Handles events of the last world step: hits, pickups. Then advances all counters.
    fn answer(&mut self) {
        let events: Vec<Event> = self.world.events().collect();
        for event in events {
            match event {
                Event::ContactBegan(pair) => self.hit(pair.bodies),
                Event::SensorEntered(pair) => self.enter(pair.bodies),
                _ => (),
            }
        }
        self.age_bullets();
        for number in 0..self.board.pickups.len() {
            self.restock(number);
        }
        self.recover();
    }

    /// Despawns a bullet that touched something; scores if that is another player.
    fn hit(&mut self, bodies: [BodyId; 2]) {
        for (body, other) in [(bodies[0], bodies[1]), (bodies[1], bodies[0])] {
            let at = self.board.bullets.iter().position(|bullet| bullet.body == body);
            let Some(at) = at else { continue };
            let Bullet { owner, .. } = self.board.bullets.remove(at);
            let gone = self.world.despawn(body);
            self.attempt(gone);
            let victim = self.board.fighters.iter().position(|fighter| fighter.body == other);
            if victim.is_some_and(|victim| victim != usize::from(owner)) {
                self.board.fighters[usize::from(owner)].score += 10;
            }
        }
    }

    fn enter(&mut self, [sensor, visitor]: [BodyId; 2]) {
        let pickup = self.board.pickups.iter().position(|pickup| pickup.body == Some(sensor));
        let fighter = self.board.fighters.iter().position(|fighter| fighter.body == visitor);
        // The roller scores nothing; its entry shows in the event hash.
        if let (Some(pickup), Some(fighter)) = (pickup, fighter) {
            self.board.fighters[fighter].score += 1;
            self.take(pickup, fighter);
        }
    }

    /// Despawns a pickup; it respawns after 0, 1 or 3 ticks.
    fn take(&mut self, pickup: usize, fighter: usize) {
        let Some(body) = self.board.pickups[pickup].body.take() else { return };
        let gone = self.world.despawn(body);
        self.attempt(gone);
        self.board.pickups[pickup].ticks_left = [0, 1, 3][fighter % 3];
        self.board.pickups[pickup].taken += 1;
    }

    fn restock(&mut self, number: usize) {
        if self.board.pickups[number].body.is_some() {
            return;
        }
        if self.board.pickups[number].ticks_left > 0 {
            self.board.pickups[number].ticks_left -= 1;
            return;
        }
        let made = self.world.spawn_in(THINGS, pickup_def(number));
        self.board.pickups[number].body = self.attempt(made);
    }

    fn age_bullets(&mut self) {
        self.board.bullets.iter_mut().for_each(|bullet| bullet.ticks_left -= 1);
        let (gone, left) = self.board.bullets.drain(..).partition(|bullet| bullet.ticks_left == 0);
        self.board.bullets = left;
        let gone: Vec<Bullet> = gone;
        for bullet in gone {
            let done = self.world.despawn(bullet.body);
            self.attempt(done);
        }
    }

    /// Puts back bodies that left the floor.
    fn recover(&mut self) {
        for seat in 0..self.board.fighters.len() {
            self.put_back(self.board.fighters[seat].body, fighter_place(seat as u8), Vec3::ZERO);
        }
        for number in 0..self.board.supports.len() {
            self.put_back(self.board.supports[number].load, load_place(number), Vec3::ZERO);
        }
        self.put_back(self.board.platform.rider, rider_place(), Vec3::ZERO);
        self.put_back(self.board.roller, roller_place(), roller_speed());
    }

    fn put_back(&mut self, body: BodyId, place: Vec3, velocity: Vec3) {
        let Some(at) = self.world.body(body).map(|body| body.position()) else { return };
        if at.y > -real!(3) && at.x.abs() < EDGE && at.z.abs() < EDGE {
            return;
        }
        let moved = self.world.teleport(body, Transform::at(place));
        self.attempt(moved);
        let still = self.world.set_velocity(body, velocity);
        self.attempt(still);
    }

    fn lead_platform(&mut self) {
        let platform = &mut self.board.platform;
        platform.at += platform.direction;
        if platform.at.abs() >= PATH {
            platform.direction = -platform.at.signum();
        }
        let (body, pose) = (platform.body, Transform::at(platform_place(platform.at)));
        let led = self.world.move_to(body, pose);
        self.attempt(led);
    }

    fn play(&mut self, tick: Tick, inputs: &[SeatInput]) {
        for (seat, input) in inputs.iter().enumerate() {
            let present = input.present;
            if self.board.fighters[seat].enabled != present {
                self.board.fighters[seat].enabled = present;
                let command = Command::SetEnabled(self.board.fighters[seat].body, present);
                let done = self.world.command(command);
                self.attempt(done);
            }
            if present {
                self.walk(seat, input);
                self.act(seat, self.received(tick, seat, input.value.act));
            }
        }
    }

    fn walk(&mut self, seat: usize, input: &SeatInput) {
        let body = self.board.fighters[seat].body;
        let Some(mass) = self.world.body(body).map(|body| body.mass()) else { return };
        let mut push = Vec3::ZERO;
        if input.value.lean > 0 {
            self.board.fighters[seat].aim = input.value.lean;
            push = direction(input.value.lean) * real!(0.5);
        }
        // An edge between two inputs: a press of two ticks gives one jump.
        if input.value.act & JUMP != 0 && input.previous.act & JUMP == 0 {
            push += Vec3::Y * real!(3);
        }
        // The stick was released.
        if input.value.lean == 0 && input.previous.lean != 0 {
            push -= direction(input.previous.lean) * real!(0.25);
        }
        if !push.is_zero() {
            let pushed = self.world.apply_impulse(body, push * mass);
            self.attempt(pushed);
        }
    }

    fn act(&mut self, seat: usize, act: u8) {
        if act & FIRE != 0 {
            self.fire(seat);
        }
        if act & PULL != 0 && !self.board.supports.is_empty() {
            self.pull(seat % self.board.supports.len());
        }
        if act & BUILD != 0 {
            self.build();
        }
        if act & GRAB != 0 && !self.board.pickups.is_empty() {
            self.take(seat % self.board.pickups.len(), seat);
            self.restock(seat % self.board.pickups.len());
        }
        if act & SWITCH != 0 {
            let platform = &mut self.board.platform;
            platform.direction = match platform.direction {
                0 => {
                    if platform.at > 0 {
                        -1
                    } else {
                        1
                    }
                }
                _ => 0,
            };
        }
    }

    fn fire(&mut self, seat: usize) {
        let (from, aim) = (self.place_of(PlayerId(seat as u8)), self.board.fighters[seat].aim);
        if self.board.bullets.len() == MAX_BULLETS {
            let gone = self.world.despawn(self.board.bullets.remove(0).body);
            self.attempt(gone);
        }
        if let Some(body) = spawn_bullet(&mut self.world, seat as u8, from, direction(aim)) {
            self.board.bullets.push(Bullet { body, owner: seat as u8, ticks_left: 40 });
        }
    }

    /// Teleports a support away from under its crate, or back.
    fn pull(&mut self, number: usize) {
        let support = &mut self.board.supports[number];
        support.away = !support.away;
        let place = if support.away { pulled_place(number) } else { support_place(number) };
        let body = support.body;
        let moved = self.world.teleport(body, Transform::at(place));
        self.attempt(moved);
    }

    fn build(&mut self) {
        if self.board.walls.len() == MAX_WALLS {
            let gone = self.world.despawn(self.board.walls.remove(0));
            self.attempt(gone);
        }
        let number = self.board.built;
        // Into the page after the posts, or a page of its own.
        let stream = if number.is_multiple_of(3) { SCENERY } else { WALLS + (number % 11) as u8 };
        let made = self.world.spawn_in(stream, wall_def(number));
        self.board.built += 1;
        if let Some(wall) = self.attempt(made) {
            self.board.walls.push(wall);
        }
    }
}

/// Unit vector (nearly) of an eighth of a turn.
fn direction(lean: u8) -> Vec3 {
    let (x, z) = [(4, 0), (3, 3), (0, 4), (-3, 3), (-4, 0), (-3, -3), (0, -4), (3, -3)]
        [usize::from(lean + 7) % 8];
    Vec3::new(Real::ratio(x, 4), Real::ZERO, Real::ratio(z, 4))
}

/// Adds an event, with the ids and numbers in it, to a hash.
pub(super) fn noted(hash: u64, event: &Event) -> u64 {
    let (kind, [a, b], more) = match *event {
        Event::ContactBegan(pair) => (1, pair.bodies, [0; 2]),
        Event::ContactPersisted(pair) => (2, pair.bodies, [0; 2]),
        Event::ContactEnded(pair) => (3, pair.bodies, [0; 2]),
        Event::Impact(impact) => {
            (4, impact.pair.bodies, [impact.speed.to_bits(), impact.impulse.to_bits()])
        }
        Event::SensorEntered(pair) => (5, pair.bodies, [0; 2]),
        Event::SensorStayed(pair) => (6, pair.bodies, [0; 2]),
        Event::SensorLeft(pair) => (7, pair.bodies, [0; 2]),
        Event::FellAsleep(body) => (8, [body; 2], [0; 2]),
        Event::Woke(body) => (9, [body; 2], [0; 2]),
        Event::LeftWorld(body) => (10, [body; 2], [0; 2]),
        Event::Saturated(body) => (11, [body; 2], [0; 2]),
        _ => return mixed(&[hash, 12]),
    };
    mixed(&[hash, kind, a.to_bits(), b.to_bits(), more[0] as u64, more[1] as u64])
}
