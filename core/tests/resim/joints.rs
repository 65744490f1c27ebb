//! Scenes that need the rules about joints: a rollback after a command about a joint, beside a world that had the command from the start.

use isostep_core::shape::Shape;
use isostep_core::test_internals::Rule;
use isostep_core::world::{BodyDef, BodyId, Command, JointDef, JointId, World, WorldDef};
use isostep_core::{Real, Tick, Vec3, real};

/// A floor, two balls that hang apart from each other, with a rod between them and one from the floor to the second.
struct Scene {
    world: World,
    balls: [BodyId; 2],
    between: JointId,
    to_floor: JointId,
}

fn scene() -> Scene {
    let mut world = World::new(WorldDef::default()).unwrap();
    let floor = world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    let ball =
        BodyDef::dynamic().shape(Shape::sphere(Real::HALF).unwrap()).gravity_scale(real!(0.5));
    let balls =
        [3, 7].map(|x| world.spawn_in(3, ball.clone().at(Vec3::from_ints(x, 20, 0))).unwrap());
    let between = world.add_joint(JointDef::rod(balls[0], balls[1], real!(3))).unwrap();
    let rod = JointDef::rod(floor, balls[1], real!(25)).disabled();
    let to_floor = world.add_joint(rod).unwrap();
    world.commit();
    Scene { world, balls, between, to_floor }
}

/// Commands of both timelines on tick 2, and of the new one on tick 4.
type Change = fn(&Scene) -> [Vec<Command>; 2];

fn give(world: &mut World, commands: &[Command]) {
    for command in commands {
        world.command(command.clone()).unwrap();
    }
}

/// Returns whether a rollback over the second command comes to another state than a straight run.
fn differs(change: Change, off: Option<Rule>) -> bool {
    let run = |rolls_back: bool| {
        let mut scene = scene();
        if let Some(rule) = off.filter(|_| rolls_back) {
            scene.world.switch_off(rule);
        }
        let [early, late] = change(&scene);
        let world = &mut scene.world;
        let mut wrong = rolls_back;
        loop {
            match world.tick().0 {
                12 if wrong => {
                    world.rewind(Tick(4)).unwrap();
                    wrong = false;
                    continue;
                }
                12 => break world.digest(),
                2 => give(world, &early),
                4 if !wrong => give(world, &late),
                _ => {}
            }
            let report = world.step();
            assert!(!rolls_back || wrong || report.incremental);
        }
    };
    run(true) != run(false)
}

#[test]
fn each_rule_about_joints_has_a_scene() {
    let scenes: [(Rule, Change); 3] = [
        // The bodies come out the same: the joint is disabled.
        (Rule::JointRows, |scene| {
            [vec![], vec![Command::SetJointLength(scene.to_floor, real!(22))]]
        }),
        // Until then the joint has no effect, so that its bodies are in two islands, and the command names only one of them.
        (Rule::JointEdges, |scene| {
            let enable = |on| vec![Command::SetEnabled(scene.balls[0], on)];
            [enable(false), enable(true)]
        }),
        // The row is in the page of the floor.
        (Rule::CommandedJoints, |scene| {
            [
                vec![],
                vec![Command::RemoveJoint(scene.to_floor), Command::RemoveJoint(scene.between)],
            ]
        }),
    ];
    for (rule, change) in scenes {
        assert!(!differs(change, None), "without a fault, the scene of {rule:?} differs");
        assert!(differs(change, Some(rule)), "nothing notices that {rule:?} is switched off");
    }
}
