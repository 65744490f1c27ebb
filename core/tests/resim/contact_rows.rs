//! A contact row that differs alone, without a difference in its bodies. Random games hardly ever have one: impulses that
//! differ move bodies. Here all axes of a body are locked, so its impulses move nothing.

use isostep_core::digest::Digest;
use isostep_core::shape::Shape;
use isostep_core::world::{BodyDef, BodyId, Material, World, WorldDef};
use isostep_core::{Real, Tick, Vec3, real};

/// The tick that is mispredicted, and the newest one.
const WRONG: Tick = Tick(3);
const END: Tick = Tick(8);

/// A box that overlaps the ground by 16 mm.
fn locked_box() -> (World, BodyId) {
    let mut world = World::new(WorldDef::default()).unwrap();
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    let shape = Shape::cuboid(Vec3::splat(Real::HALF)).unwrap();
    let place = Vec3::Y * real!(0.484375);
    let body = BodyDef::dynamic().at(place).shape(shape);
    let body = world.spawn(body.lock_rotation().lock_translation([true; 3])).unwrap();
    world.commit();
    (world, body)
}

/// Steps to the newest tick, and returns the digest of every tick on the way.
fn play(world: &mut World) -> Vec<Digest> {
    let mut digests = Vec::new();
    while world.tick() < END {
        world.step();
        digests.push(world.digest());
    }
    digests
}

/// Returns the digests after a mispredicted tick: its only command sets the material that the box has, so that the contact
/// loses its impulses.
fn after_misprediction(change: impl Fn(&mut World)) -> Vec<Digest> {
    let (mut world, body) = locked_box();
    change(&mut world);
    while world.tick() < WRONG {
        world.step();
    }
    world.set_material(body, 0, Material::default()).unwrap();
    let wrong = play(&mut world);
    world.rewind(WRONG).unwrap();
    let right = play(&mut world);
    assert_ne!(wrong, right, "the scene is void if the impulses do not differ");
    right
}

fn never_mispredicted() -> Vec<Digest> {
    let (mut world, body) = locked_box();
    let digests = play(&mut world);
    assert_eq!(world.body(body).unwrap().velocity(), Vec3::ZERO);
    assert_eq!(world.body(body).unwrap().position(), Vec3::Y * real!(0.484375));
    digests[WRONG.0 as usize..].to_vec()
}

#[test]
fn a_contact_row_that_differs_alone_is_resimulated() {
    assert_eq!(after_misprediction(|_| ()), never_mispredicted());
}

#[cfg(feature = "test-internals")]
#[test]
fn contact_rows_are_needed() {
    use isostep_core::test_internals::Rule;
    let without = after_misprediction(|world| world.switch_off(Rule::ContactRows));
    assert_ne!(without, never_mispredicted());
}
