//! Synchronisation primitives of the worker pool, in one place so that a model can replace them: `core/tests/pool_model`
//! compiles `workers.rs` with the primitives of loom, which explores interleavings and reorderings.
#![allow(
    clippy::disallowed_types,
    reason = "the pool itself: the clock only decides when to park, which never affects results"
)]

pub(super) use core::hint::spin_loop;
pub(super) use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
pub(super) use std::sync::{Arc, Mutex};
pub(super) use std::thread::{self, JoinHandle};
pub(super) use std::time::Instant;

/// Spins before a thread yields, in case there are more threads than cores.
pub(super) const TURNS: u32 = 128;

/// Cell whose accesses have a beginning and an end, which a model can check for overlap.
pub(super) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(super) const fn new(value: T) -> Self {
        Self(core::cell::UnsafeCell::new(value))
    }

    #[inline]
    pub(super) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    #[inline]
    pub(super) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}
