//! Worker threads with results independent of their number: work is split by index, results are
//! written to places fixed in advance, and reductions run in order.
//!
//! [`Threads::new`] starts its own threads, which spin during a step. A game can share an existing
//! [`Pool`] instead (with the feature `rayon`, a rayon pool).

mod sync;
mod workers;

use core::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use workers::Workers;

/// Items per chunk. Fixed for every number of threads, so that chunk sums are the same.
const CHUNK: usize = 64;

/// Contacts in a step from which on several threads are faster than one.
const MIN_SHARED_CONTACTS: usize = 200;

/// Threads that share work. Results do not depend on them: the caller finishes all work that the
/// pool leaves.
pub trait Pool: Send + Sync {
    /// The number of threads, including the calling one.
    fn count(&self) -> usize;

    /// Calls `work` on the calling thread and, at the same time, on any number of others. Each call
    /// returns once no work is left. `share` returns after all calls have returned.
    fn share(&self, work: &(dyn Fn() + Sync));

    /// Announces work: parked threads may wake now and stay awake.
    fn expect(&self) {}

    /// Ends one [`Pool::expect`]: no more work follows for a while.
    fn rest(&self) {}
}

/// The threads of a step: the calling thread alone, or a pool.
///
/// Games can use the methods too. They give the same result with any number of threads.
///
/// ```
/// use isostep_core::parallel::Threads;
///
/// let threads = Threads::new(2)?;
/// let mut heights = [3u64, 1, 2];
/// threads.for_each(&mut heights, |place, height| *height += place as u64);
/// let text = threads.reduce(&heights, String::new, |_, h| h.to_string(), |a, b| a + &b);
/// assert_eq!(text, "324");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Threads {
    pool: Option<Arc<dyn Pool>>,
    eager: bool,
}

impl Threads {
    /// The calling thread alone.
    pub const ONE: Self = Self { pool: None, eager: false };

    /// The calling thread and `count - 1` new worker threads. They spin during a step and for a
    /// short while after it, then park. They end with the last clone of this value.
    ///
    /// # Errors
    /// If the system cannot start a thread or does not support threads.
    pub fn new(count: usize) -> std::io::Result<Self> {
        if count <= 1 {
            return Ok(Self::ONE);
        }
        Workers::start(count - 1).map(|workers| Self::with_pool(Arc::new(workers)))
    }

    /// Shares an existing pool.
    #[must_use]
    pub fn with_pool(pool: Arc<dyn Pool>) -> Self {
        Self { pool: Some(pool), eager: false }
    }

    /// Shares even steps that one thread would finish sooner. For tests of independence from the
    /// number of threads.
    #[must_use]
    #[doc(hidden)]
    pub fn eager(self) -> Self {
        Self { eager: true, ..self }
    }

    /// Returns `true` if a step with this many contacts is worth sharing.
    pub(crate) const fn pays(&self, contacts: usize) -> bool {
        self.eager || contacts >= MIN_SHARED_CONTACTS
    }

    /// The number of threads.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.count().max(1))
    }

    /// Calls `each` with the index and a reference to every item. Chunks of the slice may run in
    /// parallel.
    pub fn for_each<T: Send>(&self, items: &mut [T], each: impl Fn(usize, &mut T) + Sync) {
        self.share(items.chunks_mut(CHUNK).enumerate(), |(chunk, items)| {
            items.iter_mut().enumerate().for_each(|(i, item)| each(chunk * CHUNK + i, item));
        });
    }

    /// Maps every item and combines the results strictly in order: chunks of 64 from left to right,
    /// then the chunk results from left to right. `combine` need not be associative to give the
    /// same result with any number of threads. `identity` starts each chunk and the whole.
    pub fn reduce<T: Sync, R: Send>(
        &self,
        items: &[T],
        identity: impl Fn() -> R + Sync,
        map: impl Fn(usize, &T) -> R + Sync,
        combine: impl Fn(R, R) -> R + Sync,
    ) -> R {
        let mut sums: Vec<Option<R>> = Vec::new();
        sums.resize_with(items.len().div_ceil(CHUNK), || None);
        self.share(sums.iter_mut().enumerate(), |(chunk, sum)| {
            let from = chunk * CHUNK;
            let items = items[from..].iter().take(CHUNK).enumerate();
            *sum = Some(items.fold(identity(), |sum, (i, item)| combine(sum, map(from + i, item))));
        });
        sums.into_iter().flatten().fold(identity(), &combine)
    }

    /// Calls `each` for every item, several at once. An idle thread takes the next item.
    pub(crate) fn share<I: Iterator + Send>(&self, mut items: I, each: impl Fn(I::Item) + Sync) {
        let pool = match &self.pool {
            Some(pool) if items.size_hint().0 != 1 => pool,
            _ => return items.for_each(each),
        };
        // The lock is not held during `each`, so a panic there does not poison it.
        let items = Mutex::new(&mut items);
        let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
        pool.share(&|| core::iter::from_fn(next).for_each(&each));
        // Finishes the items that the pool left.
        core::iter::from_fn(next).for_each(&each);
    }

    /// Keeps the threads awake until the guard is dropped.
    pub(crate) fn expect(&self) -> Expecting<'_> {
        let pool = self.pool.as_deref();
        if let Some(pool) = pool {
            pool.expect();
        }
        Expecting(pool)
    }
}

/// Guard that keeps idle threads awake.
pub(crate) struct Expecting<'a>(Option<&'a dyn Pool>);

impl Drop for Expecting<'_> {
    fn drop(&mut self) {
        if let Some(pool) = self.0 {
            pool.rest();
        }
    }
}

#[cfg(feature = "rayon")]
impl Pool for rayon::ThreadPool {
    fn count(&self) -> usize {
        self.current_num_threads()
    }

    fn share(&self, work: &(dyn Fn() + Sync)) {
        self.in_place_scope(|scope| {
            for _ in 1..self.current_num_threads() {
                scope.spawn(|_| work());
            }
            work();
        });
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} threads", self.count())
    }
}

#[cfg(test)]
mod tests;
