//! Spawns and commands, with their results in the log.

use super::{Driver, MAX_BODIES, Outcome};
use crate::log::Call;
use crate::oracle::encoded;
use crate::rays;
use crate::script::{CommandArgs, SpawnArgs};
use isostep_core::world::{BodyDef, BodyId, Command};
use isostep_core::{Real, Vec3};

impl Driver<'_> {
    /// A body that lives, by number; great numbers select any that was ever spawned.
    pub(super) fn body(&self, number: u8) -> Option<BodyId> {
        let nth = usize::from(number);
        let any = || (!self.ids.is_empty()).then(|| self.ids[nth % self.ids.len()]);
        if number >= 240 {
            return any();
        }
        let count = self.actor.world.bodies().count();
        if count == 0 {
            any()
        } else {
            self.actor.world.bodies().nth(nth % count).map(|body| body.0)
        }
    }

    /// Gives a command and logs it.
    pub(super) fn command(&mut self, command: Command) -> Option<BodyId> {
        let result = match &command {
            Command::Spawn(stream, def) => {
                self.actor.world.spawn_in(*stream, (**def).clone()).map(Some)
            }
            other => self.actor.world.command(other.clone()),
        };
        self.note(|| format!("{command:?} -> {result:?}"));
        self.count(result.is_ok());
        if let Ok(spawned) = result {
            self.remember(&command, spawned);
        }
        self.actor.calls.push(Call::Command(command, result));
        result.ok().flatten()
    }

    /// Keeps the definition of a spawned body, or the id of one that was despawned.
    fn remember(&mut self, command: &Command, spawned: Option<BodyId>) {
        match (command, spawned) {
            (Command::Spawn(stream, def), Some(id)) => {
                let known = self.defs.insert(id, (*stream, (**def).clone())).is_some();
                self.ids.extend((!known).then_some(id));
            }
            (Command::SpawnWithId(_, def), Some(id)) => {
                // Streams have 65,536 indices each.
                let stream = (id.to_bits() as u32 >> 16) as u8;
                let known = self.defs.insert(id, (stream, (**def).clone())).is_some();
                self.ids.extend((!known).then_some(id));
            }
            (Command::Despawn(id), _) => self.gone.push(*id),
            _ => {}
        }
    }

    pub(super) fn spawn(&mut self, stream: u8, def: BodyDef) {
        if self.actor.world.bodies().count() < MAX_BODIES {
            self.command(Command::Spawn(stream, Box::new(def)));
        }
    }

    /// Spawns many of a kind, in rows at some distance so that not all of them touch.
    pub(super) fn burst(&mut self, args: SpawnArgs, count: u8) {
        let def = args.def(self.offset);
        for n in 0..=i32::from(count % 40) {
            let aside = Vec3::new(Real::ratio(n % 8, 1), Real::ZERO, Real::from_int(n / 8 * 2));
            let mut def = def.clone();
            def.pose.translation += aside;
            self.spawn(args.stream(), def);
        }
    }

    pub(super) fn command_by(&mut self, args: CommandArgs) {
        if let Some(body) = self.body(args.body) {
            let command = args.resolve(body, &self.actor.world, self.offset);
            let spawns = matches!(command, Command::SpawnWithId(..));
            if !spawns || self.actor.world.bodies().count() < MAX_BODIES {
                self.command(command);
            }
        }
    }

    pub(super) fn despawn(&mut self, body: u8) {
        if let Some(body) = self.body(body) {
            self.command(Command::Despawn(body));
        }
    }

    /// Spawns a body that is gone again; it gets the same index if that is the lowest free one.
    pub(super) fn respawn(&mut self, which: u8) {
        let gone = self.gone.iter().rev().nth(usize::from(which) % 4).or(self.gone.last());
        if let Some((stream, def)) = gone.and_then(|id| self.defs.get(id)).cloned() {
            self.spawn(stream, def);
        }
    }

    /// Despawns a body and spawns it again on the same tick: another body of the same definition, with the same index.
    pub(super) fn replace(&mut self, body: u8) {
        let before = self.gone.len();
        self.despawn(body);
        if self.gone.len() > before {
            self.respawn(0);
        }
    }

    pub(super) fn cycle(&mut self, body: u8, ticks: u8) -> Outcome {
        let before = self.gone.len();
        self.despawn(body);
        if self.gone.len() > before {
            (0..ticks % 4).try_for_each(|_| self.step())?;
            self.respawn(0);
        }
        Ok(())
    }

    pub(super) fn encode(&mut self) {
        self.note(|| "encode".to_owned());
        self.count(true);
        let digest = encoded(&self.actor.world);
        self.actor.calls.push(Call::Encoded(digest, rays::now(&self.actor.world)));
    }
}
