//! Steps a world: a ball knocks over a stack of boxes, and the final digest is the same on every
//! machine.
//!
//! `cargo run --release -p isostep-examples --example world`

use isostep::{BodyDef, Event, Real, Shape, Vec3, World, WorldDef, real};
use std::error::Error;

const TICKS: u32 = 180;

/// A floor, five stacked boxes, and a ball that rolls towards them.
fn build() -> Result<World, Box<dyn Error>> {
    let mut world = World::new(WorldDef::default())?; // gravity, 60 ticks a second
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE))?;
    let brick = Shape::cuboid(Vec3::splat(real!(0.5)))?;
    for storey in 0..5 {
        let at = Vec3::new(real!(0), real!(0.5) + Real::from_int(storey), real!(0));
        world.spawn(BodyDef::dynamic().at(at).shape(brick))?;
    }
    let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.75))?);
    world.spawn(ball.at(Vec3::from_ints(-8, 1, 0)).velocity(Vec3::X * 20))?;
    world.commit(); // all this was there from the start
    Ok(world)
}

/// Steps the world and prints a line each half second; returns the number of impacts.
fn run(world: &mut World) -> usize {
    let mut impacts = 0;
    for _ in 0..TICKS {
        let report = world.step();
        impacts += world.events().filter(|event| matches!(event, Event::Impact(_))).count();
        if world.tick().0.is_multiple_of(30) {
            let highest = world.bodies().map(|(_, body)| body.position().y).max();
            let highest = highest.unwrap_or_default();
            println!(
                "tick {:>3}: {} contacts, the highest body at {highest} m",
                world.tick(),
                report.contacts
            );
        }
    }
    impacts
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut world = build()?;
    let impacts = run(&mut world);
    println!("{impacts} impacts; tick {} has the digest {}", world.tick(), world.digest());
    Ok(())
}

#[test]
fn the_stack_falls_the_same_way_each_time() {
    let [mut one, mut two] = [(); 2].map(|()| build().expect("it is well-formed"));
    assert!(run(&mut one) > 0);
    run(&mut two);
    assert_eq!(one.digest(), two.digest());
    let standing = one.bodies().filter(|(_, body)| body.position().y > real!(4)).count();
    assert_eq!(standing, 0, "nothing is where the fifth box was");
}
