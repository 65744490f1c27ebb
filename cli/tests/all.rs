//! All integration tests of the command in one binary, so that the crates are linked once.

mod bench;
mod check;
mod conventions;
mod demo;
mod guide;
mod lab;
mod matches;
mod new;
mod replays;
mod server;
mod viewer;
mod work_dir;
