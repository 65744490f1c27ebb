//! What eight contacts bring to their pack: the parts that take 64 bits or a root, found one by one.

use super::pack::{Eight, Eights, WIDTH};

/// Inputs of the kernels that make rows. Lanes and points that are not there are zero.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Stage {
    /// Arms of each point from both centres of mass, over the bounding sizes.
    pub(crate) arms: [[Eights<30>; 2]; 4],
    /// Their mean.
    pub(crate) center: [Eights<30>; 2],
    /// Scaled inverse inertia of both bodies, by row, or its root if they are slender.
    pub(crate) inertia: [[Eights<22>; 3]; 2],
    /// Largest component that the root's transpose may make of an arm; zero unless slender.
    pub(crate) limit: [Eights<20>; 2],
    /// What each body takes of an impulse's speed.
    pub(crate) mass_fractions: [Eight<30>; 2],
    /// Radius of the row against twisting, for both bodies.
    pub(crate) twist: [Eight<30>; 2],
    /// Radius of the rows against rolling.
    pub(crate) roll: [Eight<30>; 2],
    /// The last tick's friction and rolling impulse in world directions.
    pub(crate) friction: Eights<20>,
    pub(crate) rolling: Eights<20>,
}

const _: () = assert!(WIDTH == 8, "a stage has eight lanes");
