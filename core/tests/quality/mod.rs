//! Quality of the simulation in numbers: stable stacks, friction, energy, and independence of position, other bodies and dropped
//! scratch. One program, so that it links once.
#![allow(
    clippy::disallowed_types,
    reason = "floats report and judge what the world computed; none goes back into it"
)]

mod commands;
mod common;
mod contact_points;
mod crowds;
mod endurance;
mod energy;
mod forces;
mod furniture;
mod ids;
mod impacts;
mod invariance;
mod joints;
mod kinds;
mod landing;
mod liveliness;
mod locality;
mod mass;
mod materials;
mod mirror;
mod refusals;
mod rest;
mod rotation;
mod seams;
mod settings;
mod shapes;
mod sizes;
mod slopes;
mod stacking;
mod sweeps;
