//! Steps, rewinds and rollbacks.

use super::{Driver, Outcome, Stop, ensure};
use crate::log::{Edge, Node, accepted};
use crate::rays;
use crate::script::CommandArgs;
use isostep_core::Tick;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, Command};
use isostep_core::{Real, Vec3};
use std::collections::BTreeMap;

/// Most steps before a misprediction: a quarter of a script's.
const MAX_SETTLE: u32 = 40;
/// Most steps until two drifting boxes sleep, and until the ball has hit one of them.
const MAX_DRIFT: u32 = 20;
const MAX_HIT: u32 = 3;

impl Driver<'_> {
    /// A step, unless there were too many.
    pub(super) fn step(&mut self) -> Outcome {
        if self.steps_left == 0 {
            return Ok(());
        }
        self.steps_left -= 1;
        self.stats.steps += 1;
        self.actor.world.step();
        self.count(true);
        let calls = core::mem::take(&mut self.actor.calls);
        self.arrive(Edge::Step(calls))?;
        let actor = &mut self.actor;
        let held = actor.world.tick().next() - actor.length as u32;
        actor.floor = actor.floor.max(held);
        let held = *actor.world.history().start();
        ensure(held <= actor.floor, || {
            format!("tick {} must be held; the oldest is {held}", actor.floor)
        })
    }

    /// Notes the state that a step or a commit led to.
    fn arrive(&mut self, edge: Edge) -> Outcome {
        let world = &self.actor.world;
        let known = self.log.nodes.len();
        let node = Node {
            parent: Some(self.actor.node),
            children: Vec::new(),
            edge,
            tick: world.tick(),
            digest: world.digest(),
            events: world.events().collect(),
            hits: rays::now(world),
        };
        self.actor.node = self.log.add(node);
        let tick = self.actor.world.tick();
        let verb = if matches!(self.log.nodes[self.actor.node].edge, Edge::Step(_)) {
            "step"
        } else {
            "commit"
        };
        let number = self.actor.node;
        self.note(|| format!("{verb} -> tick {tick}, state {number}"));
        let reached = self.actor.node == known && self.stop_at == Some(known);
        if reached { Err(Stop::Reached) } else { Ok(()) }
    }

    pub(super) fn commit(&mut self) -> Outcome {
        self.actor.world.commit();
        self.count(true);
        let calls = core::mem::take(&mut self.actor.calls);
        self.actor.starts_here();
        self.arrive(Edge::Commit(calls))
    }

    pub(super) fn discard(&mut self) -> Outcome {
        self.note(|| "discard_commands".to_owned());
        self.actor.world.discard_commands();
        self.actor.calls.clear();
        self.count(true);
        self.actor.matches(&self.log, "discard_commands")
    }

    pub(super) fn rewind_by(&mut self, to: u8) -> Outcome {
        let (oldest, now) = self.actor.world.history().into_inner();
        let held = now.since(oldest);
        let tick = match to {
            0..200 => now - (1 + u32::from(to) % held.max(1)).min(held),
            200..216 => now,
            216..232 => oldest,
            232..244 => oldest - (1 + u32::from(to) - 232),
            244.. => now + (u32::from(to) - 243),
        };
        self.rewind(tick)
    }

    /// `rewind`, which must go to every tick that is held and change nothing otherwise.
    pub(super) fn rewind(&mut self, tick: Tick) -> Outcome {
        let held = self.actor.world.history().contains(&tick);
        let expected =
            held || self.actor.pins.contains_key(&tick) && tick <= self.actor.world.tick();
        let result = self.actor.world.rewind(tick);
        self.note(|| format!("rewind({tick}) -> {result:?}"));
        self.count(result.is_ok());
        ensure(result.is_ok() || !expected, || format!("rewind({tick}) is refused: {result:?}"))?;
        if result.is_ok() {
            if let Some(session) = &mut self.actor.session {
                session.reliable = false;
            }
            return self.went_back(tick, held, "rewind");
        }
        self.actor.matches(&self.log, "a refused rewind")
    }

    /// The world went back to a tick of its own path.
    pub(super) fn went_back(&mut self, tick: Tick, in_ring: bool, after: &str) -> Outcome {
        let Some(node) = self.log.at(self.actor.node, tick) else {
            return Err(Stop::Broken(format!("{after} to tick {tick}, which never was")));
        };
        self.stats.rewinds += u64::from(node != self.actor.node);
        self.actor.old = self.abandoned(node);
        let actor = &mut self.actor;
        actor.node = node;
        actor.calls.clear();
        actor.pins.retain(|pin, _| *pin <= tick);
        if !in_ring {
            actor.floor = tick;
        }
        actor.matches(&self.log, after)
    }

    /// Accepted commands after a node of the path, by tick.
    fn abandoned(&self, since: usize) -> BTreeMap<Tick, Vec<Command>> {
        let mut old = BTreeMap::new();
        for number in self.log.path(self.actor.node).take_while(|node| *node != since) {
            let node = &self.log.nodes[number];
            if let Edge::Step(calls) = &node.edge {
                old.insert(node.tick - 1, accepted(calls));
            }
        }
        let now = self.log.nodes[self.actor.node].tick;
        old.insert(now, accepted(&self.actor.calls));
        old
    }

    /// Gives the commands that the abandoned timeline had on this tick, or on the next one that had any, with a change.
    pub(super) fn again(&mut self, how: u8) {
        let now = self.actor.world.tick();
        let later = self.actor.old.range(now..).find(|(_, commands)| !commands.is_empty());
        let tick = later.map_or(now, |(tick, _)| *tick);
        self.repeat(tick, how);
    }

    /// Gives the commands that the abandoned timeline had on a tick, changed in one of eight ways.
    fn repeat(&mut self, now: Tick, how: u8) {
        let of = |tick: Tick| self.actor.old.get(&tick).cloned().unwrap_or_default();
        let which = usize::from(how >> 3);
        let commands = match how & 7 {
            4 => Vec::new(),
            5 => {
                let mut commands = of(now);
                if !commands.is_empty() {
                    commands.remove(which % commands.len());
                }
                commands
            }
            6 if which % 2 == 0 => now.previous().map(of).unwrap_or_default(),
            6 => of(now + 1),
            _ => of(now),
        };
        for command in commands {
            self.command(command);
        }
        if how & 7 == 7
            && let Some(body) = self.body(how >> 3)
        {
            self.command(Command::SetVelocity(body, Vec3::from_ints(1, 2, 0)));
        }
        if how & 7 == 3 {
            self.replace(how >> 3);
        }
    }

    /// Goes back and computes the ticks again. Each tick's commands are repeated: unchanged, or in a way that depends on the
    /// tick.
    pub(super) fn rollback(&mut self, back: u8, how: u8, which: u8) -> Outcome {
        let (oldest, now) = self.actor.world.history().into_inner();
        if oldest == now {
            return Ok(());
        }
        let back = (1 + u32::from(back) % now.since(oldest)).min(12).min(now.since(oldest));
        self.rewind(now - back)?;
        for n in 0..back {
            let changed = back == 1 || n == u32::from(which) % back || how >= 192;
            let tick = self.actor.world.tick();
            self.repeat(tick, if changed { how.wrapping_add(n as u8) } else { 0 });
            self.step()?;
        }
        Ok(())
    }

    /// Steps until no tick from before is held, drops caches, and takes a wrong command back. The first six bits of `how`
    /// select the number of steps, the others the caches.
    pub(super) fn mispredict(&mut self, how: u8, wrong: CommandArgs) -> Outcome {
        let settle = (self.actor.length as u32 + u32::from(how & 15)).min(MAX_SETTLE);
        (0..settle).try_for_each(|_| self.step())?;
        if how & 64 == 0 {
            self.drop_scratch()?;
        }
        if how & 128 != 0 {
            self.drop_step_records()?;
        }
        let before = self.actor.world.tick();
        self.command_by(wrong);
        (0..=(how >> 4 & 3)).try_for_each(|_| self.step())?;
        self.rewind(before)
    }

    /// Lets two boxes drift apart until they sleep, and takes a ball that hit the first of them back. The gap at the start is up
    /// to 24 mm. The low four bits of `how` select the speed, up to the greatest sleep threshold; the others the place.
    pub(super) fn drift(&mut self, gap: u8, how: u8) -> Outcome {
        let side = Real::HALF;
        let cube = Shape::cuboid(Vec3::splat(side / 2)).expect("within limits");
        let ball = Shape::sphere(side / 4).expect("within limits");
        let floating = |shape, x: Real, speed: Real| {
            let high = Vec3::from_ints(0, 8 + i32::from(how >> 4), 0);
            let def = BodyDef::dynamic().at(self.offset + high + Vec3::X * x).shape(shape);
            BodyDef { gravity_scale: Real::ZERO, velocity: Vec3::X * speed, ..def }
        };
        let apart = side + Real::ratio(3 * i32::from(gap), 32_000);
        let pair = [
            floating(cube, Real::ZERO, Real::ZERO),
            floating(cube, apart, Real::ratio(i32::from(how & 15), 150)),
        ];
        let wrong = floating(ball, -side, Real::ONE);
        let known = self.ids.len();
        pair.into_iter().for_each(|def| self.spawn(0, def));
        for _ in 0..MAX_DRIFT {
            self.step()?;
            let asleep = |id: &BodyId| self.actor.world.body(*id).is_some_and(|it| it.is_asleep());
            if self.ids[known..].iter().any(asleep) {
                break;
            }
        }
        let before = self.actor.world.tick();
        self.spawn(0, wrong);
        (0..MAX_HIT).try_for_each(|_| self.step())?;
        self.rewind(before)
    }
}
