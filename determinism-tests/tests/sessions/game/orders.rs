//! Session commands: bytes that players send rarely and that change bodies in ways that inputs do not.

use super::super::rng::{Rng, mixed};
use super::build::{block_def, crate_def, load_place};
use super::rules::SeatInput;
use super::{BLOCKS, Skirmish, THINGS};
use isostep_core::world::{BodyId, BodyKind, Command, Filter, Material};
use isostep_core::{Real, Transform, Vec3, real};

/// Returns the bytes of a random order; some are longer than a tick carries.
pub(in super::super) fn random_order(rng: &mut Rng) -> Vec<u8> {
    // Frequent, because only several world steps per tick make a session's ring grow.
    let kind = if rng.one_in(3) { 0 } else { rng.below(12) as u8 };
    let mut order = vec![kind, rng.below(256) as u8, rng.below(256) as u8];
    if rng.one_in(4) {
        let more = rng.between(10, 150);
        order.extend((0..more).map(|_| rng.below(256) as u8));
    }
    order
}

impl Skirmish {
    pub(super) fn apply_commands(&mut self, inputs: &[SeatInput]) {
        for (seat, input) in (0u64..).zip(inputs) {
            for order in &input.orders {
                let hash = mixed(&[self.board.chronicle, seat, order.len() as u64]);
                self.board.chronicle =
                    order.iter().fold(hash, |hash, &byte| mixed(&[hash, byte.into()]));
                if let &[kind, which, how, ..] = order.as_slice() {
                    self.order(kind, usize::from(which), how);
                }
            }
        }
    }

    fn order(&mut self, kind: u8, which: usize, how: u8) {
        if kind == 0 {
            self.board.hurry = (2 + how % 3, 1 + which as u8 % 20);
            return;
        }
        let supports = self.board.supports.len();
        let number = which % supports.max(1);
        let target = match self.board.supports.get(number) {
            Some(support) => support.load,
            None => self.board.platform.rider,
        };
        match kind {
            1 => self.respawn_crate(number),
            10 | 11 => self.lay_block(how),
            2 => {
                let moved = self.world.teleport(target, Transform::at(load_place(number)));
                self.attempt(moved);
            }
            _ => {
                for command in changes(kind, target, how) {
                    let done = self.world.command(command);
                    self.attempt(done);
                }
            }
        }
    }

    /// Spawns a fixed block, often as the first body of its stream; despawns the oldest of more
    /// than four.
    fn lay_block(&mut self, how: u8) {
        if self.board.blocks.len() == 4 {
            let gone = self.world.despawn(self.board.blocks.remove(0));
            self.attempt(gone);
        }
        let made = self.world.spawn_in(BLOCKS + how % 8, block_def(how));
        if let Some(block) = self.attempt(made) {
            self.board.blocks.push(block);
        }
    }

    /// Replaces a crate by a new one, whose id may differ only in its generation.
    fn respawn_crate(&mut self, number: usize) {
        if number >= self.board.supports.len() {
            return;
        }
        let gone = self.world.despawn(self.board.supports[number].load);
        self.attempt(gone);
        let made = self.world.spawn_in(THINGS, crate_def(load_place(number)));
        if let Some(load) = self.attempt(made) {
            self.board.supports[number].load = load;
        }
    }
}

/// Commands that an order applies to a body.
fn changes(kind: u8, body: BodyId, how: u8) -> Vec<Command> {
    match kind {
        3 => vec![Command::SetKind(
            body,
            [BodyKind::Dynamic, BodyKind::Kinematic, BodyKind::Fixed][usize::from(how % 3)],
        )],
        4 => vec![Command::SetGravityScale(body, Real::ratio(i32::from(how % 5), 2))],
        5 => {
            let friction = Real::ratio(i32::from(how % 8), 8);
            vec![Command::SetMaterial(body, 0, Material { friction, ..Material::default() })]
        }
        6 => vec![Command::SetEnabled(body, how.is_multiple_of(2))],
        7 => {
            let spin = Vec3::new(Real::ZERO, Real::from_int(i32::from(how % 9) - 4), real!(1));
            vec![Command::SetAngularVelocity(body, spin), Command::Wake(body)]
        }
        8 => vec![
            Command::SetFilter(body, 0, Filter { layer: how % 2, ..Filter::default() }),
            Command::SetUserData(body, u64::from(how)),
        ],
        _ => vec![
            Command::SetCanSleep(body, how.is_multiple_of(2)),
            Command::SetKind(body, BodyKind::Dynamic),
        ],
    }
}
