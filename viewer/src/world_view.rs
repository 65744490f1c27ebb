//! View of any game with a world: every shape of every body. Bodies that are not fixed move, sensors are translucent.

use crate::scene::{Drawable, InputText, Kind, View};
use isostep_core::shape::Geometry;
use isostep_core::world::{BodyKind, World};
use isostep_core::{Real, real};
use isostep_rollback::Simulation;

/// Space around the bodies, and the most that is shown of a large level, metres.
const AROUND: Real = real!(2);
const FARTHEST: Real = real!(60);

/// View with the function that returns a game's world.
pub(crate) struct WorldView<S>(pub(crate) fn(&S) -> &World);

impl<S: Simulation + 'static> View<S> for WorldView<S> {
    fn drawables(&self, game: &S) -> Vec<Drawable> {
        let mut drawables = Vec::new();
        for (id, body) in (self.0)(game).bodies() {
            for (_, def) in body.shapes() {
                if matches!(def.shape.geometry(), Geometry::HalfSpace) {
                    continue;
                }
                let kind = match body.kind() {
                    _ if def.sensor => Kind::Goal,
                    BodyKind::Fixed => Kind::Block,
                    _ => Kind::Prop,
                };
                let pose = body.pose() * def.pose;
                let (shape, asleep) = (def.shape, body.is_asleep());
                drawables.push(Drawable { body: id, kind, side: None, shape, pose, asleep });
            }
        }
        // Poses of frames are those of the first things.
        drawables.sort_by_key(|thing| !thing.kind.moves());
        drawables
    }

    fn world<'a>(&self, game: &'a S) -> &'a World {
        (self.0)(game)
    }

    fn score(&self, _: &S) -> Vec<i32> {
        Vec::new()
    }

    fn sides(&self, _: &S) -> usize {
        4
    }

    fn buttons(&self) -> &'static [&'static str] {
        &[]
    }

    fn input(&self, input: S::Input) -> InputText {
        InputText { text: format!("{input:?}"), ..InputText::default() }
    }

    fn half_sides(&self, game: &S) -> [Real; 2] {
        let places = self.drawables(game).into_iter().map(|thing| thing.pose.translation);
        places.fold([AROUND * 2; 2], |[x, z], at| {
            [(x, at.x), (z, at.z)].map(|(half, at)| half.max((at.abs() + AROUND).min(FARTHEST)))
        })
    }

    fn has_command(&self) -> bool {
        false
    }

    fn has_ground(&self, game: &S) -> bool {
        let is_half_space = |geometry: &Geometry| matches!(geometry, Geometry::HalfSpace);
        let mut bodies = (self.0)(game).bodies();
        bodies
            .any(|(_, body)| body.shapes().any(|(_, shape)| is_half_space(shape.shape.geometry())))
    }
}
