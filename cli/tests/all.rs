//! Every integration test of the command in one binary, so that the crates are linked once.

mod bench;
mod check;
mod demo;
mod desk;
mod guide;
mod lab;
mod manners;
mod matches;
mod new;
mod replays;
mod served;
mod viewer;
