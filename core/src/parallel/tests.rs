use super::*;
use core::sync::atomic::{AtomicUsize, Ordering};

fn kinds() -> Vec<Threads> {
    // Miri runs one thread at a time, and each spinning thread costs.
    let counts: &[usize] = if cfg!(miri) { &[1, 2, 3] } else { &[1, 2, 3, 8] };
    let mut kinds: Vec<_> =
        counts.iter().map(|&count| Threads::new(count).expect("threads")).collect();
    kinds.push(Threads::with_pool(Arc::new(NeverWorks)));
    kinds.push(Threads::with_pool(Arc::new(WorksRepeatedly)));
    // Miri reports the epochs of crossbeam below rayon, not this crate.
    #[cfg(all(feature = "rayon", not(miri)))]
    kinds.push(Threads::with_pool(Arc::new(
        rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads"),
    )));
    kinds
}

/// A pool that never works.
struct NeverWorks;

impl Pool for NeverWorks {
    fn count(&self) -> usize {
        4
    }
    fn share(&self, _: &(dyn Fn() + Sync)) {}
}

/// A pool that calls the work again after it is done.
struct WorksRepeatedly;

impl Pool for WorksRepeatedly {
    fn count(&self) -> usize {
        0
    }
    fn share(&self, work: &(dyn Fn() + Sync)) {
        (0..5).for_each(|_| work());
    }
}

#[test]
fn for_each_visits_every_item_once_with_its_index() {
    for threads in kinds() {
        for count in [0, 1, 63, 64, 65, 1000] {
            let mut items: Vec<usize> = vec![0; count];
            threads.for_each(&mut items, |place, item| *item += place + 1);
            assert!(items.iter().enumerate().all(|(place, item)| *item == place + 1));
        }
    }
}

/// The fold is neither associative nor commutative, so only the exact order gives this sum.
#[test]
fn reduce_combines_in_order() {
    let items: Vec<u64> = (0..1000).map(|i| i * 7919 % 1009).collect();
    let fold = |sum: u64, item: u64| (sum ^ item).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let expected = items
        .chunks(64)
        .fold(1, |sum, piece| fold(sum, piece.iter().fold(1, |sum, item| fold(sum, *item + 3))));
    for threads in kinds() {
        let sum = threads.reduce(&items, || 1, |_, item| item + 3, fold);
        assert_eq!(sum, expected, "{threads:?}");
    }
}

/// Thousands of short loans, with pauses that let the workers park.
#[test]
fn share_completes_work_with_spinning_and_parked_workers() {
    for threads in kinds() {
        let mut items = [0u32; 40];
        for round in 1..=if cfg!(miri) { 30 } else { 3000 } {
            let expecting = (round % 3 == 0).then(|| threads.expect());
            threads.share(items.iter_mut(), |item| *item += 1);
            assert!(items.iter().all(|item| *item == round), "{threads:?}, round {round}");
            drop(expecting);
            if round % (if cfg!(miri) { 10 } else { 500 }) == 0 {
                std::thread::park_timeout(core::time::Duration::from_millis(2));
            }
        }
    }
}

#[test]
fn share_may_nest_and_run_from_several_threads() {
    const OUTER: usize = if cfg!(miri) { 70 } else { 200 };
    const INNER: usize = if cfg!(miri) { 66 } else { 100 };
    for threads in kinds() {
        let sum = AtomicUsize::new(0);
        let work = || {
            let mut outer = [0usize; OUTER];
            threads.for_each(&mut outer, |place, item| {
                let mut inner = [place; INNER];
                threads.for_each(&mut inner, |place, item| *item += place);
                *item = inner.iter().sum();
            });
            sum.fetch_add(outer.iter().sum(), Ordering::Relaxed);
        };
        std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(work))));
        let below = |count: usize| count * (count - 1) / 2;
        assert_eq!(sum.into_inner(), 3 * (below(OUTER) * INNER + OUTER * below(INNER)));
    }
}

#[test]
fn a_panic_in_the_work_reaches_the_caller_and_the_pool_still_works() {
    for threads in kinds() {
        let mut items = [0u32; 1000];
        let run = std::panic::AssertUnwindSafe(|| {
            threads.for_each(&mut items, |place, _| assert!(place != 700, "injected"));
        });
        assert!(std::panic::catch_unwind(run).is_err(), "{threads:?}");
        threads.for_each(&mut items, |place, item| *item = place as u32);
        assert!(items.iter().zip(0..).all(|(item, place)| *item == place), "{threads:?}");
    }
}

/// A panic in shared work used to poison the pool's lock, and the pool took a poisoned lock for a busy
/// one: every later step ran on the calling thread alone.
#[test]
fn workers_take_part_again_after_a_panic() {
    let workers = Workers::start(1).expect("threads");
    let panics = std::panic::AssertUnwindSafe(|| workers.share(&|| panic!("injected")));
    assert!(std::panic::catch_unwind(panics).is_err());
    // Each call waits for the other, for twenty seconds at most.
    let joined = AtomicUsize::new(0);
    workers.share(&|| {
        joined.fetch_add(1, Ordering::SeqCst);
        for _ in 0..20_000 {
            if joined.load(Ordering::SeqCst) == 2 {
                break;
            }
            std::thread::park_timeout(core::time::Duration::from_millis(1));
        }
    });
    assert_eq!(joined.into_inner(), 2, "the worker joins the work that follows a panic");
}
