//! The primitives of `core/src/parallel/sync.rs`, from loom. [`weakened`] makes one of them weaker than the pool asks for, to show
//! that the models notice.

use core::time::Duration;
pub(crate) use loom::cell::UnsafeCell;
pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};
pub(crate) use loom::sync::{Arc, Mutex};
pub(crate) use loom::thread::{self, JoinHandle};
use std::sync::OnceLock;

/// Each spin is a yield: only other threads can end the wait.
pub(crate) const TURNS: u32 = 1;

/// Environment variable with the operation to weaken.
pub(crate) const WEAKEN: &str = "POOL_MODEL_WEAKEN";

/// Returns whether this process weakens the operation.
fn weakened(operation: &str) -> bool {
    static ASKED: OnceLock<Option<String>> = OnceLock::new();
    #[allow(clippy::disallowed_methods, reason = "a test that starts itself")]
    let asked = ASKED.get_or_init(|| std::env::var(WEAKEN).ok());
    asked.as_deref() == Some(operation)
}

fn ordering(operation: &str, ordering: Ordering) -> Ordering {
    if weakened(operation) { Ordering::Relaxed } else { ordering }
}

pub(crate) fn fence(ordering: Ordering) {
    if !weakened("fence") {
        loom::sync::atomic::fence(ordering);
    }
}

/// The type of the gate: opened, joined, left, and found empty.
pub(crate) struct AtomicU64(loom::sync::atomic::AtomicU64);

impl AtomicU64 {
    pub(crate) fn new(value: u64) -> Self {
        Self(loom::sync::atomic::AtomicU64::new(value))
    }

    pub(crate) fn load(&self, order: Ordering) -> u64 {
        self.0.load(ordering("empty", order))
    }

    pub(crate) fn store(&self, value: u64, order: Ordering) {
        self.0.store(value, ordering("open", order));
    }

    pub(crate) fn fetch_and(&self, value: u64, order: Ordering) -> u64 {
        self.0.fetch_and(value, order)
    }

    pub(crate) fn fetch_sub(&self, value: u64, order: Ordering) -> u64 {
        self.0.fetch_sub(value, ordering("leave", order))
    }

    pub(crate) fn compare_exchange_weak(
        &self,
        old: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        self.0.compare_exchange_weak(old, new, ordering("join", success), failure)
    }
}

/// A clock that shows a long time: an idle worker parks at once, if no work is expected.
pub(crate) struct Instant;

impl Instant {
    pub(crate) fn now() -> Self {
        Self
    }

    #[allow(clippy::unused_self, reason = "called as the method of the standard library")]
    pub(crate) fn elapsed(&self) -> Duration {
        Duration::MAX
    }
}
