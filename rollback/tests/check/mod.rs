//! The check itself: what it goes through, what it tells, and lists of digests from anywhere.

mod digests;
mod engine;
