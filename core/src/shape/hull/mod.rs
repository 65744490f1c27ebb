//! Convex polyhedra: their hull in integers, and their faces and edges.

mod build;
mod topology;

#[cfg(test)]
mod tests;

pub(crate) use build::{MOST_VERTICES, Point, Polyhedron};
pub(crate) use topology::{Edge, Topology};
