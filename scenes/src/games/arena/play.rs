//! Step of the arena: goals of the last tick, then the players' actions, then the world.

use super::build::{KICK_OFF, start};
use super::input::{ArenaInput, JUMP, KICK, LOADOUT};
use super::{Arena, Kind, LOADOUTS, Team};
use isostep_core::world::{BodyId, ContactView, Event};
use isostep_core::{Real, Transform, Vec3, real};
use isostep_rollback::{Inputs, PlayerId, Simulation, Stick, Tick};

/// Walking speed, m/s.
const WALK_SPEED: Real = real!(5);
/// Maximum change of a walking player's speed in a tick, m/s, on the ground and in the air.
const GRIP: Real = real!(0.5);
const AIR_GRIP: Real = real!(0.0625);
/// Jump speed, m/s: about 1.25 m high.
const JUMP_SPEED: Real = real!(5);
/// Ticks between two jumps.
const JUMP_REST: u16 = 12;
/// Kick range between centres, metres.
const KICK_REACH: Real = real!(2);
/// Upward share of a kick.
const KICK_LIFT: Real = real!(0.25);
/// Minimum y of a contact normal that supports a player.
const STANDING: Real = real!(0.5);

impl Simulation for Arena {
    type Input = ArenaInput;

    fn step(&mut self, _tick: Tick, inputs: &Inputs<ArenaInput>) {
        self.count_goals();
        self.respawn_strays();
        let standing = self.read_contacts();
        for index in 0..self.players.len() {
            let player = PlayerId(index as u8);
            for command in inputs.commands(player) {
                self.apply_command(index, command);
            }
            self.act(index, inputs.value(player), standing >> index & 1 == 1);
        }
        self.world.step();
    }

    fn bot(&self, tick: Tick, player: PlayerId) -> ArenaInput {
        self.chase(tick, player)
    }

    fn body_name(&self, body: BodyId) -> Option<String> {
        self.drawables().find(|drawable| drawable.body == body).map(|drawable| {
            match drawable.kind {
                Kind::Player(player) => player.to_string(),
                Kind::Ball => "the ball".to_owned(),
                Kind::Prop => "a prop".to_owned(),
                Kind::Goal(_) => "a goal".to_owned(),
                Kind::Wall => "a wall".to_owned(),
            }
        })
    }
}

impl Arena {
    /// Scores a ball that entered a goal in the last step and returns it to the middle.
    fn count_goals(&mut self) {
        let ball = self.cast.ball;
        let scored = self.world.events().find_map(|event| match event {
            Event::SensorEntered(pair) if pair.bodies[1] == ball => {
                self.cast.goals.iter().position(|&goal| goal == pair.bodies[0])
            }
            _ => None,
        });
        let Some(goal) = scored else { return };
        self.board.goals[1 - goal] += 1;
        let team = [Team::Red, Team::Blue][goal];
        if let Some(shooter) = self.board.last_touch.take().filter(|&it| Team::of(it) == team) {
            self.players[usize::from(shooter.0)].goals += 1;
        }
        self.put_back(ball, KICK_OFF);
    }

    /// Returns bodies that left the field to their start.
    fn respawn_strays(&mut self) {
        let [half_x, half_z] = self.cast.half;
        let players = self.settings.size.players;
        let starts = (0..players).map(|it| start(PlayerId(it), players, self.cast.half));
        let bodies = self.cast.players.iter().copied().zip(starts);
        let props = self.cast.props.iter().map(|prop| (prop.0, KICK_OFF * 2));
        let all = bodies.chain([(self.cast.ball, KICK_OFF)]).chain(props);
        let stray = |(body, _): &(BodyId, Vec3)| {
            self.world.body(*body).is_some_and(|body| {
                let place = body.center_of_mass();
                place.x.abs() > half_x + Real::ONE || place.z.abs() > half_z + Real::ONE
            })
        };
        let strays: Vec<_> = all.filter(stray).collect();
        for (body, place) in strays {
            self.put_back(body, place);
        }
    }

    fn put_back(&mut self, body: BodyId, place: Vec3) {
        let known = "the cast lives as long as the arena";
        self.world.teleport(body, Transform::at(place)).expect(known);
        self.world.set_velocity(body, Vec3::ZERO).expect(known);
        self.world.set_angular_velocity(body, Vec3::ZERO).expect(known);
    }

    /// Reads contacts: returns grounded players, one bit each, and records touches of the ball.
    fn read_contacts(&mut self) -> u32 {
        let mut standing = 0;
        let mut touch = self.board.last_touch;
        let seat = |body| self.cast.players.iter().position(|&player| player == body);
        for contact in self.world.contacts().filter(ContactView::is_touching) {
            let up = contact.normal().y;
            for (this, other, up) in [(0, 1, -up), (1, 0, up)] {
                let Some(index) = seat(contact.bodies()[this]) else { continue };
                if up > STANDING {
                    standing |= 1 << index;
                }
                if contact.bodies()[other] == self.cast.ball {
                    touch = Some(PlayerId(index as u8));
                }
            }
        }
        self.board.last_touch = touch;
        standing
    }

    /// Applies a command. Unknown commands do nothing, on every machine.
    fn apply_command(&mut self, index: usize, command: &[u8]) {
        if let &[LOADOUT, number] = command
            && usize::from(number) < LOADOUTS.len()
        {
            self.players[index].loadout = number;
        }
    }

    fn act(&mut self, index: usize, input: ArenaInput, standing: bool) {
        let id = self.cast.players[index];
        let Some(body) = self.world.body(id) else { return };
        let (velocity, mass) = (body.velocity(), body.mass());
        let player = &mut self.players[index];
        player.kick_rest = player.kick_rest.saturating_sub(1);
        player.jump_rest = player.jump_rest.saturating_sub(1);
        let wanted = Vec3::new(input.stick.x(), Real::ZERO, input.stick.y()) * WALK_SPEED;
        // Walking adds to the velocity instead of setting it, so that pushes have an effect.
        // Players in the air don't brake.
        let level = Vec3::new(velocity.x, Real::ZERO, velocity.z);
        let (missing, grip) = if standing {
            (wanted - level, GRIP)
        } else if wanted.is_zero() {
            (Vec3::ZERO, AIR_GRIP)
        } else {
            (wanted - level, AIR_GRIP)
        };
        let mut change =
            if missing.length() > grip { missing.normalize_or(Vec3::ZERO) * grip } else { missing };
        if standing && input.buttons.pressed(JUMP) && player.jump_rest == 0 {
            player.jump_rest = JUMP_REST;
            change.y = JUMP_SPEED - velocity.y.max(Real::ZERO);
        }
        if !change.is_zero() {
            // Fails if the player is at the speed limit; then no push is needed.
            let _ = self.world.apply_impulse(id, change * mass);
        }
        if input.buttons.pressed(KICK) && self.players[index].kick_rest == 0 {
            self.kick(index, input.stick);
        }
    }

    /// Pushes near bodies away and along the stick: the ball first, then props in order.
    fn kick(&mut self, index: usize, aim: Stick) {
        let loadout = LOADOUTS[usize::from(self.players[index].loadout) % LOADOUTS.len()];
        self.players[index].kick_rest = loadout.rest_ticks;
        let Some(body) = self.world.body(self.cast.players[index]) else { return };
        let from = body.center_of_mass();
        let mut met = false;
        for at in 0..=self.cast.props.len() {
            let target = if at == 0 { self.cast.ball } else { self.cast.props[at - 1].0 };
            let Some(body) = self.world.body(target) else { continue };
            let away = body.center_of_mass() - from;
            if away.length() > KICK_REACH {
                continue;
            }
            let level = Vec3::new(away.x, Real::ZERO, away.z).normalize_or(Vec3::X);
            let level = (level + Vec3::new(aim.x(), Real::ZERO, aim.y())).normalize_or(level);
            let push = (level + Vec3::Y * KICK_LIFT) * loadout.kick * body.mass();
            // Fails if the body is at the speed limit; then no push is needed.
            met |= self.world.apply_impulse(target, push).is_ok();
            if at == 0 {
                self.board.last_touch = Some(PlayerId(index as u8));
            }
        }
        self.players[index].kicks += u32::from(met);
    }
}
