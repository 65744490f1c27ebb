//! Worker threads that spin during a step and park when idle. The pause between two phases of a
//! step is a few microseconds; waking a parked thread takes longer than most phases. The threads
//! therefore spin while work is expected and for a short time after it.
//!
//! Work is lent to the workers for one call. Each worker that joins is counted, no worker joins
//! after the gate is closed, and the lender waits until every joined worker has left. The borrow
//! ends where the compiler cannot see it, so this file needs `unsafe`.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the pool itself: scheduling never affects results, and the clock only decides when to park"
)]

use super::Pool;
use super::sync::{
    Arc, AtomicBool, AtomicU32, AtomicU64, Instant, JoinHandle, Mutex, Ordering, TURNS, UnsafeCell,
    fence, spin_loop, thread,
};
use core::any::Any;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;

/// Spinning time after the last work. Longer than the pause between two steps of a rollback,
/// shorter than a tick.
const SPIN_TIME: Duration = Duration::from_micros(100);

/// Lent work. Valid while the gate is open or counts a joined worker, regardless of the lifetime in
/// the type.
type Lent = *const (dyn Fn() + Sync);

/// Count of joined workers in the low bits, `OPEN` while workers may join, the loan number above.
struct Gate(AtomicU64);

const OPEN: u64 = 1 << 31;
const LOAN: u64 = 1 << 32;
const JOINED: u64 = OPEN - 1;

struct Common {
    gate: Gate,
    lent: UnsafeCell<Option<Lent>>,
    /// Set during a loan, by the lending thread. Not a mutex, which a panic in the work would poison.
    lending: AtomicBool,
    /// Panic payload of a worker.
    panicked: Mutex<Option<Box<dyn Any + Send>>>,
    /// Number of pending `expect` calls.
    expected: AtomicU32,
    asleep: AtomicU32,
    over: AtomicBool,
}

// SAFETY: the thread that set `lending` writes `lent` while the gate is closed and empty, and workers
// that joined through the open gate read it; the gate's acquire and release order the two. Its target
// is `Sync`.
#[allow(unsafe_code, reason = "see above")]
unsafe impl Sync for Common {}
// SAFETY: only joined workers dereference the pointer, and its target is `Sync`, so any thread may.
#[allow(unsafe_code, reason = "see above")]
unsafe impl Send for Common {}

/// The worker threads of a [`Threads`](super::Threads).
pub(super) struct Workers {
    common: Arc<Common>,
    handles: Vec<JoinHandle<()>>,
}

impl Workers {
    pub(super) fn start(count: usize) -> std::io::Result<Self> {
        let common = Arc::new(Common {
            gate: Gate(AtomicU64::new(0)),
            lent: UnsafeCell::new(None),
            lending: AtomicBool::new(false),
            panicked: Mutex::new(None),
            expected: AtomicU32::new(0),
            asleep: AtomicU32::new(0),
            over: AtomicBool::new(false),
        });
        let mut workers = Self { common, handles: Vec::with_capacity(count) };
        for number in 1..=count {
            let common = Arc::clone(&workers.common);
            let name = format!("isostep-{number}");
            // On an error the threads started so far end with `workers`.
            workers.handles.push(thread::Builder::new().name(name).spawn(move || common.serve())?);
        }
        Ok(workers)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // `unpark` and `join` order this store before the worker's next load.
        self.common.over.store(true, Ordering::Relaxed);
        for handle in self.handles.drain(..) {
            handle.thread().unpark();
            // A worker catches the panics of lent work, so it never panics itself.
            let _ = handle.join();
        }
    }
}

impl Pool for Workers {
    fn count(&self) -> usize {
        self.handles.len() + 1
    }

    fn share(&self, work: &(dyn Fn() + Sync)) {
        // A loan is under way, by another world or by the work itself: the caller works alone.
        let Some(_lending) = self.common.start_lending() else { return work() };
        // Left behind if the lender of the last loan panicked as well.
        drop(self.common.take_panic());
        self.expect();
        let loan = Loan { workers: self };
        self.common.lend(work);
        work();
        drop(loan);
        if let Some(panic) = self.common.take_panic() {
            resume_unwind(panic);
        }
    }

    fn expect(&self) {
        self.common.expected.fetch_add(1, Ordering::Relaxed);
        // Of this fence and the one in `sleep`, one is first: either this thread sees a sleeper, or the
        // sleeper sees that work is expected.
        fence(Ordering::SeqCst);
        if self.common.asleep.load(Ordering::Relaxed) > 0 {
            self.handles.iter().for_each(|handle| handle.thread().unpark());
        }
    }

    fn rest(&self) {
        self.common.expected.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Ends a loan on drop, also if the lender panics.
struct Loan<'a> {
    workers: &'a Workers,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        self.workers.common.take_back();
        self.workers.rest();
    }
}

/// Allows the next loan on drop, also if the work panics.
struct Lending<'a>(&'a Common);

impl Drop for Lending<'_> {
    fn drop(&mut self) {
        self.0.lending.store(false, Ordering::Release);
    }
}

impl Common {
    /// Returns `None` while another loan is under way.
    fn start_lending(&self) -> Option<Lending<'_>> {
        (!self.lending.swap(true, Ordering::Acquire)).then(|| Lending(self))
    }

    /// Lends work to all spinning workers, until [`Common::take_back`].
    fn lend(&self, work: &(dyn Fn() + Sync)) {
        #[allow(unsafe_code, reason = "the gate bounds the use of the pointer, not its lifetime")]
        // SAFETY: only joined workers dereference the pointer, and `take_back`, which runs before
        // the borrow ends, returns after all of them have left.
        let work = unsafe { core::mem::transmute::<&(dyn Fn() + Sync), Lent>(work) };
        #[allow(unsafe_code, reason = "only the lender writes, while no worker can join")]
        // SAFETY: this thread set `lending`, and the gate has been closed and empty since the last loan.
        self.lent.with_mut(|lent| unsafe { *lent = Some(work) });
        let loan = (self.gate.0.load(Ordering::Relaxed) / LOAN + 1) * LOAN;
        self.gate.0.store(loan | OPEN, Ordering::Release);
    }

    /// Closes the gate and waits until every joined worker has left.
    fn take_back(&self) {
        // The load that finds the gate empty acquires all that workers released.
        self.gate.0.fetch_and(!OPEN, Ordering::Relaxed);
        let mut turn = 0;
        while self.gate.0.load(Ordering::Acquire) & JOINED > 0 {
            wait(&mut turn);
        }
    }

    /// Main loop of a worker.
    fn serve(&self) {
        let mut done = 0;
        while !self.over.load(Ordering::Relaxed) {
            let gate = self.gate.0.load(Ordering::Relaxed);
            if gate & OPEN == 0 || gate / LOAN == done {
                self.idle(done);
                continue;
            }
            let joined = self.gate.0.compare_exchange_weak(
                gate,
                gate + 1,
                Ordering::Acquire,
                Ordering::Relaxed,
            );
            if joined.is_ok() {
                done = gate / LOAN;
                self.work();
                self.gate.0.fetch_sub(1, Ordering::Release);
            }
        }
    }

    fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        self.panicked.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn work(&self) {
        #[allow(unsafe_code, reason = "a joined worker may dereference the pointer")]
        // SAFETY: this worker joined through the open gate after the pointer was written, and the lender waits until it leaves.
        let work = self.lent.with(|lent| unsafe { (*lent).map(|work| &*work) });
        let Some(work) = work else { return };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            *self.panicked.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
        }
    }

    /// Waits for the next loan: spins at first, parks if none is expected for a while.
    fn idle(&self, done: u64) {
        let news = || {
            let gate = self.gate.0.load(Ordering::Relaxed);
            (gate & OPEN > 0 && gate / LOAN != done) || self.over.load(Ordering::Relaxed)
        };
        let mut turn = 0;
        let mut since = None;
        while !news() {
            wait(&mut turn);
            if self.expected.load(Ordering::Relaxed) > 0 {
                since = None;
            } else if turn == 0 && since.get_or_insert_with(Instant::now).elapsed() > SPIN_TIME {
                return self.sleep();
            }
        }
    }

    fn sleep(&self) {
        self.asleep.fetch_add(1, Ordering::Relaxed);
        // A later `expect` sees the counter and unparks this thread; an unpark before `park` is not lost.
        fence(Ordering::SeqCst);
        if self.expected.load(Ordering::Relaxed) == 0 && !self.over.load(Ordering::Relaxed) {
            thread::park();
        }
        self.asleep.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One spin, with a yield after every `TURNS` spins.
fn wait(turn: &mut u32) {
    spin_loop();
    *turn += 1;
    if *turn == TURNS {
        *turn = 0;
        thread::yield_now();
    }
}
