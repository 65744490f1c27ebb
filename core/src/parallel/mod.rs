//! Threads whose number never shows: work is cut by its place, never by who is free, results land in places that are known
//! beforehand, and what is put together is put together in order.
//!
//! [`Threads::new`] starts threads of its own, which stay awake through a step; a [`Pool`] that a game has already can be
//! shared instead (with the feature `rayon`, one of rayon's).

mod workers;

use core::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use workers::Workers;

/// Pieces of this many items are worked on as one, whatever the number of threads, so that sums of pieces are the same.
const PIECE: usize = 64;

/// Contacts of a step from which on several threads are faster than one.
const CROWD: usize = 200;

/// Threads that can be asked to help. Nothing depends on whether they do: what they leave undone, the one who asks does.
pub trait Pool: Send + Sync {
    /// How many threads work at once, the one that asks included.
    fn count(&self) -> usize;

    /// Calls `work` on the calling thread, and at the same time on as many others as can; each call returns when nothing is
    /// left to do. Returns when all of these calls have.
    fn share(&self, work: &(dyn Fn() + Sync));

    /// Work is about to come: threads that sleep may wake now and stay awake.
    fn expect(&self) {}

    /// No more work for a while; once for each [`Pool::expect`].
    fn rest(&self) {}
}

/// Who does the work of a step: the thread that asks for it, or a pool of several.
///
/// Its methods are for games, too: they give the same result with any number of threads.
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

    /// The calling thread, and as many of its own as make this many. They spin while a step is under way and for a short
    /// while after it, then sleep; they end with the last copy of this.
    ///
    /// # Errors
    /// When the system refuses them, or has none.
    pub fn new(count: usize) -> std::io::Result<Self> {
        if count <= 1 {
            return Ok(Self::ONE);
        }
        Workers::start(count - 1).map(|workers| Self::with_pool(Arc::new(workers)))
    }

    /// A pool that others use, too.
    #[must_use]
    pub fn with_pool(pool: Arc<dyn Pool>) -> Self {
        Self { pool: Some(pool), eager: false }
    }

    /// The same, which share even the steps that one would finish sooner: to see that the number of threads shows nowhere.
    #[must_use]
    pub fn eager(self) -> Self {
        Self { eager: true, ..self }
    }

    /// Whether so many contacts are work for several.
    pub(crate) const fn pays(&self, contacts: usize) -> bool {
        self.eager || contacts >= CROWD
    }

    /// How many threads there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.count().max(1))
    }

    /// Does something with every item, given its place. Pieces of the slice may be worked on at once.
    pub fn for_each<T: Send>(&self, items: &mut [T], each: impl Fn(usize, &mut T) + Sync) {
        self.share(items.chunks_mut(PIECE).enumerate(), |(piece, items)| {
            items.iter_mut().enumerate().for_each(|(i, item)| each(piece * PIECE + i, item));
        });
    }

    /// Puts together what `map` makes of every item, strictly in order: pieces of 64 from left to right, then the pieces
    /// from left to right. So `combine` may be any function; it need not be associative to give the same result with any
    /// number of threads. `identity` begins each piece, and the whole.
    pub fn reduce<T: Sync, R: Send>(
        &self,
        items: &[T],
        identity: impl Fn() -> R + Sync,
        map: impl Fn(usize, &T) -> R + Sync,
        combine: impl Fn(R, R) -> R + Sync,
    ) -> R {
        let mut pieces: Vec<Option<R>> = Vec::new();
        pieces.resize_with(items.len().div_ceil(PIECE), || None);
        self.share(pieces.iter_mut().enumerate(), |(piece, sum)| {
            let from = piece * PIECE;
            let items = items[from..].iter().take(PIECE).enumerate();
            *sum = Some(items.fold(identity(), |sum, (i, item)| combine(sum, map(from + i, item))));
        });
        pieces.into_iter().flatten().fold(identity(), &combine)
    }

    /// Does something with every item, several at once; who is free takes the next one.
    pub(crate) fn share<I: Iterator + Send>(&self, mut items: I, each: impl Fn(I::Item) + Sync) {
        let pool = match &self.pool {
            Some(pool) if items.size_hint().0 != 1 => pool,
            _ => return items.for_each(each),
        };
        // Not held while somebody works, so a panic there poisons nothing.
        let items = Mutex::new(&mut items);
        let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
        pool.share(&|| core::iter::from_fn(next).for_each(&each));
        // Whatever the pool did, all of it is done now.
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

/// While it lives, threads that have nothing to do stay awake.
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
