//! Presentation: `poses` between ticks and across rollbacks, `smoothing` of errors, `world` the ready path for
//! bodies, `look` the camera.

mod common;
mod look;
mod poses;
mod smoothing;
mod world;
