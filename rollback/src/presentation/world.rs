//! Samples of a world's bodies: pose on the tick before as computed now, velocity, and teleports in the ticks that were
//! just stepped.

use super::sample::Sample;
use crate::Tick;
use crate::session::RunReport;
use isostep_core::world::{BodyId, Command, World};

/// Creates [`Sample`]s of the bodies of a [`World`] that a game steps once a tick. Read-only.
///
/// Everything is exact: the pose on the tick before comes from the world's history after the rollback, and teleports
/// from the commands of each stepped tick. Filter the samples for drawn bodies, and adapt them by [`Iterator::map`]:
/// [`Sample::smoothed`], [`Sample::shown_at_once`].
///
/// ```
/// use core::time::Duration;
/// use isostep_core::{Transform, Vec3, real, shape::Shape, world::{BodyDef, World, WorldDef}};
/// use isostep_rollback::presentation::{Poses, WorldReader};
/// use isostep_rollback::{RunReport, Tick};
///
/// let mut world = World::new(WorldDef::default())?;
/// let stone = world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?))?;
/// let (mut poses, mut reader) = (Poses::new(Duration::from_millis(16)), WorldReader::new());
/// for tick in 0..3 {
///     if tick == 2 {
///         world.teleport(stone, Transform::at(Vec3::from_ints(50, 9, 0)))?;
///     }
///     world.step();
///     let (tick, report) = (Tick(tick + 1), RunReport { new: 1, resimulated: 0 });
///     poses.tick(tick, report, reader.read(tick, report, &world));
/// }
/// poses.frame(real!(0.5), Duration::from_millis(7));
/// let drawn = poses.get(stone).unwrap();
/// assert!(drawn.cut && drawn.pose.translation.x == real!(50));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct WorldReader {
    /// Newest jump of each body that jumped in the stepped ticks, sorted.
    jumps: Vec<(BodyId, Tick)>,
}

impl WorldReader {
    /// Creates a reader.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a sample of each body, in id order, after a plan was run: the current tick and the report of
    /// [`Plan::run`](crate::Plan::run).
    pub fn read<'a>(
        &'a mut self,
        tick: Tick,
        report: RunReport,
        world: &'a World,
    ) -> impl Iterator<Item = Sample<BodyId>> + 'a {
        self.find_jumps(tick, report, world);
        let before = world.tick().previous().and_then(|tick| world.past(tick).ok());
        let jumps = &self.jumps;
        world.bodies().map(move |(id, body)| {
            let pose = body.pose();
            let arm = pose.translation - body.center_of_mass();
            let spin = body.angular_velocity();
            let mut sample =
                Sample::new(id, pose).velocity(body.velocity() + spin.cross(arm)).spin(spin);
            sample.before = before.and_then(|past| past.body(id)).map(|body| body.pose());
            sample.jumped =
                jumps.binary_search_by_key(&id, |jump| jump.0).ok().map(|at| jumps[at].1);
            sample
        })
    }

    fn find_jumps(&mut self, tick: Tick, report: RunReport, world: &World) {
        self.jumps.clear();
        let computed = report.new.saturating_add(report.resimulated).min(world.tick().0);
        for ago in (0..computed).rev() {
            let Ok(past) = world.past(world.tick() - ago) else { continue };
            for command in past.commands() {
                let Command::Teleport(body, _) = *command else { continue };
                // The step to a tick is that of the tick before.
                let step = tick - ago - 1;
                match self.jumps.binary_search_by_key(&body, |jump| jump.0) {
                    Ok(at) => self.jumps[at].1 = step,
                    Err(at) => self.jumps.insert(at, (body, step)),
                }
            }
        }
    }
}
