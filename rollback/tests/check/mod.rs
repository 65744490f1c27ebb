//! The check itself: its paths, its reports, and lists of digests from any source.

mod digests;
mod engine;
