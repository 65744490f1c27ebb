//! Models of the worker pool: its source, compiled with loom's primitives instead of the standard library's. Loom runs a model in
//! every interleaving up to a bound of preemptions, and with every value that the memory orderings allow a load to see. It reports
//! overlapping accesses to a cell that nothing orders, and waits that never end.
//!
//! A loan must order three things: the lender's writes before the worker's reads, the worker's writes before the lender's reads,
//! and the reads of one loan before the next. Cells in the lent work check the first two, the pool's own cell the third.

mod sync;
#[path = "../../src/parallel/workers.rs"]
mod workers;

use isostep_core::parallel::Pool;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::Command;
use workers::Workers;

/// Runs the model with at most this number of preemptions in an execution. Bugs of such code need two at most in practice.
fn model(preemptions: usize, run: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(run);
}

/// Work of two items on the lender's stack. The counter orders nothing.
struct Items {
    cells: [UnsafeCell<u32>; 2],
    next: AtomicUsize,
}

// SAFETY: loom checks the accesses to the cells.
#[allow(unsafe_code, reason = "see above")]
unsafe impl Sync for Items {}

impl Items {
    fn new(value: u32) -> Self {
        Self { cells: [UnsafeCell::new(value), UnsafeCell::new(value)], next: AtomicUsize::new(0) }
    }

    /// Adds one to each item that no other thread has taken.
    fn work(&self) {
        while let Some(cell) = self.cells.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            #[allow(unsafe_code, reason = "loom checks the access")]
            // SAFETY: the counter gives each item to one thread.
            cell.with_mut(|value| unsafe { *value += 1 });
        }
    }

    /// Returns the items after the loan.
    fn values(&self) -> [u32; 2] {
        #[allow(unsafe_code, reason = "loom checks the access")]
        // SAFETY: no worker is left.
        self.cells.each_ref().map(|cell| cell.with(|value| unsafe { *value }))
    }
}

/// Lends work to the pool and checks its results.
fn lend(pool: &Workers, value: u32) {
    let items = Items::new(value);
    pool.share(&|| items.work());
    assert_eq!(items.values(), [value + 1; 2]);
}

#[test]
fn a_loan_orders_the_work_of_lender_and_worker() {
    model(3, || {
        let pool = Workers::start(1).expect("a thread");
        lend(&pool, 0);
        lend(&pool, 5);
    });
}

#[test]
fn two_workers_leave_before_the_loan_ends() {
    model(1, || {
        let pool = Workers::start(2).expect("threads");
        lend(&pool, 3);
    });
}

/// A lender works alone while the other one lends, and leaves that loan as it is.
#[test]
fn two_threads_lend_at_the_same_time() {
    model(2, || {
        let pool = loom::sync::Arc::new(Workers::start(1).expect("a thread"));
        let other = loom::sync::Arc::clone(&pool);
        let lender = thread::spawn(move || lend(&other, 7));
        lend(&pool, 1);
        lend(&pool, 2);
        lender.join().expect("no panic");
    });
}

/// The lender waits in its work until the worker has joined. A worker that parked and was not woken would never join.
#[test]
fn a_parked_worker_wakes_for_the_next_loan() {
    model(2, || {
        let pool = Workers::start(1).expect("a thread");
        for _ in 0..2 {
            let joined = AtomicUsize::new(0);
            pool.share(&|| {
                joined.fetch_add(1, Ordering::Relaxed);
                while joined.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
            });
        }
    });
}

#[test]
fn a_panic_reaches_the_lender_and_the_pool_still_works() {
    model(2, || {
        let pool = Workers::start(1).expect("a thread");
        let calls = AtomicUsize::new(0);
        let panics = AssertUnwindSafe(|| {
            pool.share(&|| {
                // The first call panics, whichever thread it is on. Without the hook, which would print each.
                if calls.fetch_add(1, Ordering::Relaxed) == 0 {
                    resume_unwind(Box::new("injected"));
                }
            });
        });
        assert!(catch_unwind(panics).is_err());
        lend(&pool, 2);
    });
}

/// The models can fail: with one ordering of the gate relaxed, or without the fences, the model reports an error. Each runs in a
/// process of its own, because unwinding out of a model may abort.
///
/// The orderings of the flag `lending` are not in the list: the mutex around a panic's payload orders two loans as well.
#[test]
fn each_weakened_ordering_is_found() {
    let race = ("a_loan_orders_the_work_of_lender_and_worker", "Causality violation");
    let endless = ("a_parked_worker_wakes_for_the_next_loan", "maximum number of branches");
    let faults =
        [("open", race), ("join", race), ("leave", race), ("empty", race), ("fence", endless)];
    let own = std::env::current_exe().expect("a path");
    for (operation, (model, message)) in faults {
        let mut command = Command::new(&own);
        command.env(sync::WEAKEN, operation).args(["--exact", model]);
        let done = command.output().expect("a process");
        assert!(!done.status.success(), "{model} does not need the ordering of {operation}");
        let text = String::from_utf8_lossy(&done.stdout);
        assert!(text.contains(message), "{operation}: {text}");
    }
}
