//! Inputs of the rows of eight contacts: the parts that need 64 bits or a square root, computed lane by lane.

use super::pack::{Eight, Eights, WIDTH};

/// Inputs of the row kernels. Empty lanes and missing points are zero.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Stage {
    /// Arms of each point from both centres of mass, over the bounding sizes.
    pub(crate) arms: [[Eights<30>; 2]; 4],
    /// Mean arm.
    pub(crate) center: [Eights<30>; 2],
    /// Scaled inverse inertia of both bodies, by row, or its root if they are slender.
    pub(crate) inertia: [[Eights<22>; 3]; 2],
    /// Largest component of Wᵀ·j, with W the root of the inertia; zero unless slender.
    pub(crate) limit: [Eights<20>; 2],
    /// Mass fractions of both bodies.
    pub(crate) mass_fractions: [Eight<30>; 2],
    /// Radius of the twist row, for both bodies.
    pub(crate) twist: [Eight<30>; 2],
    /// Radius of the rolling rows.
    pub(crate) roll: [Eight<30>; 2],
    /// The last tick's friction and rolling impulse in world directions.
    pub(crate) friction: Eights<20>,
    pub(crate) rolling: Eights<20>,
}

const _: () = assert!(WIDTH == 8, "a stage has eight lanes");
