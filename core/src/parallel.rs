//! Threads whose number never shows: work is cut by its place, never by who is free, results land in places that are known
//! beforehand, and what is put together is put together in order.
//!
//! Without the feature `parallel` there is one kind of [`Threads`], which runs everything where it is called.

use core::fmt;
#[cfg(feature = "parallel")]
use std::sync::Arc;

/// Pieces of this many items are worked on as one, whatever the number of threads, so that sums of pieces are the same.
const PIECE: usize = 64;

/// Who does the work of a step: the thread that asks for it, or a pool of several.
///
/// Its methods are for games, too: they give the same result with any number of threads.
///
/// ```
/// use isostep_core::parallel::Threads;
///
/// let threads = Threads::ONE;
/// let mut heights = [3u64, 1, 2];
/// threads.for_each(&mut heights, |place, height| *height += place as u64);
/// let text = threads.reduce(&heights, String::new, |_, h| h.to_string(), |a, b| a + &b);
/// assert_eq!(text, "324");
/// ```
#[derive(Clone, Default)]
pub struct Threads {
    #[cfg(feature = "parallel")]
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Threads {
    /// The calling thread alone.
    pub const ONE: Self = Self {
        #[cfg(feature = "parallel")]
        pool: None,
    };

    /// A pool of this many threads of its own.
    ///
    /// # Errors
    /// When the system refuses them.
    #[cfg(feature = "parallel")]
    pub fn new(count: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        if count <= 1 {
            return Ok(Self::ONE);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
        Ok(Self::with_pool(Arc::new(pool)))
    }

    /// A pool that others use, too.
    #[cfg(feature = "parallel")]
    #[must_use]
    pub const fn with_pool(pool: Arc<rayon::ThreadPool>) -> Self {
        Self { pool: Some(pool) }
    }

    /// How many threads there are.
    #[must_use]
    #[cfg_attr(not(feature = "parallel"), allow(clippy::unused_self, reason = "there is one"))]
    pub fn count(&self) -> usize {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            return pool.current_num_threads();
        }
        1
    }

    /// Does something with every item, given its place. Pieces of the slice may be worked on at once.
    pub fn for_each<T: Send>(&self, items: &mut [T], each: impl Fn(usize, &mut T) + Sync) {
        self.run(|| split_each(self, items, 0, PIECE, &each));
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
        let mut pieces: Vec<(usize, Option<R>)> =
            (0..items.len().div_ceil(PIECE)).map(|piece| (piece * PIECE, None)).collect();
        let fold = |_: usize, piece: &mut (usize, Option<R>)| {
            let from = piece.0;
            let items = items[from..].iter().take(PIECE).enumerate();
            let sum = items.fold(identity(), |sum, (i, item)| combine(sum, map(from + i, item)));
            piece.1 = Some(sum);
        };
        self.each_piece(&mut pieces, fold);
        pieces.into_iter().filter_map(|piece| piece.1).fold(identity(), &combine)
    }

    /// Does something with every item, each of which is a piece of work of its own.
    pub(crate) fn each_piece<T: Send>(&self, items: &mut [T], each: impl Fn(usize, &mut T) + Sync) {
        self.run(|| split_each(self, items, 0, 1, &each));
    }

    /// Enters the pool, if there is one, so that what is split inside is shared by its threads.
    #[inline]
    #[cfg_attr(not(feature = "parallel"), allow(clippy::unused_self, reason = "there is one"))]
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.pool {
            return pool.install(work);
        }
        work()
    }

    /// Does two things, maybe at once.
    #[inline]
    #[cfg_attr(not(feature = "parallel"), allow(clippy::unused_self, reason = "there is one"))]
    pub(crate) fn both(&self, left: impl FnOnce() + Send, right: impl FnOnce() + Send) {
        #[cfg(feature = "parallel")]
        if self.pool.is_some() {
            rayon::join(left, right);
            return;
        }
        left();
        right();
    }
}

/// Halves the items until at most `piece` are left.
fn split_each<T: Send>(
    threads: &Threads,
    items: &mut [T],
    from: usize,
    piece: usize,
    each: &(impl Fn(usize, &mut T) + Sync),
) {
    if items.len() <= piece || threads.count() == 1 {
        for (i, item) in items.iter_mut().enumerate() {
            each(from + i, item);
        }
        return;
    }
    let middle = items.len() / 2;
    let (left, right) = items.split_at_mut(middle);
    threads.both(
        || split_each(threads, left, from, piece, each),
        || split_each(threads, right, from + middle, piece, each),
    );
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} threads", self.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds() -> Vec<Threads> {
        #[cfg(feature = "parallel")]
        return [1, 2, 3, 8].map(|count| Threads::new(count).expect("threads")).into();
        #[cfg(not(feature = "parallel"))]
        return vec![Threads::ONE];
    }

    #[test]
    fn every_item_is_met_once_with_its_place() {
        for threads in kinds() {
            for count in [0, 1, 63, 64, 65, 1000] {
                let mut items: Vec<usize> = vec![0; count];
                threads.for_each(&mut items, |place, item| *item += place + 1);
                assert!(items.iter().enumerate().all(|(place, item)| *item == place + 1));
            }
        }
    }

    /// Neither associative nor commutative: the order is all there is to it.
    #[test]
    fn what_is_put_together_is_so_in_order() {
        let items: Vec<u64> = (0..1000).map(|i| i * 7919 % 1009).collect();
        let fold = |sum: u64, item: u64| (sum ^ item).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let expected = items.chunks(64).fold(1, |sum, piece| {
            fold(sum, piece.iter().fold(1, |sum, item| fold(sum, *item + 3)))
        });
        for threads in kinds() {
            let sum = threads.reduce(&items, || 1, |_, item| item + 3, fold);
            assert_eq!(sum, expected, "{threads:?}");
        }
    }
}
