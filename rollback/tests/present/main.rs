//! What a renderer is told: `poses` between ticks and across rollbacks, `smoothing` of errors, `world` the ready path for
//! bodies, `look` the camera, `no_alloc` that all of it is free of allocations once warm.

mod common;
mod look;
mod no_alloc;
mod poses;
mod smoothing;
mod world;
