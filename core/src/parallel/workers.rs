//! Threads that wait for work with open eyes. Between two phases of a step there are a few microseconds; to wake a thread that
//! sleeps takes longer than most phases. So they spin while work is expected and a little longer, and sleep after that.
//!
//! A piece of work is lent to them for one call: whoever joins is counted, nobody joins after the gate is closed, and the
//! lender waits until all who joined have left. This file has the only `unsafe` of it: a borrow whose end the compiler
//! can't see.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the ordered pool itself: who works when shows nowhere, and the clock decides when to sleep, nothing else"
)]

use super::Pool;
use core::any::Any;
use core::cell::UnsafeCell;
use core::hint::spin_loop;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// How long threads stay awake after the last work: the steps of a rollback follow each other faster than that, ticks don't.
const PATIENCE: Duration = Duration::from_micros(100);

/// Turns of waiting after which a thread lets others run, in case there are more threads than cores.
const TURNS: u32 = 128;

/// Work that is lent: borrowed for as long as the gate counts somebody, whatever the type says.
type Lent = *const (dyn Fn() + Sync);

/// Counts who joined in the low bits; `OPEN` while one may join; above it the number of the loan.
struct Gate(AtomicU64);

const OPEN: u64 = 1 << 31;
const LOAN: u64 = 1 << 32;
const JOINED: u64 = OPEN - 1;

struct Common {
    gate: Gate,
    lent: UnsafeCell<Option<Lent>>,
    /// Held while something is lent.
    lender: Mutex<()>,
    /// What a worker panicked with.
    panicked: Mutex<Option<Box<dyn Any + Send>>>,
    /// How many expect to lend soon.
    expected: AtomicU32,
    asleep: AtomicU32,
    over: AtomicBool,
}

// SAFETY: `lent` is written by who holds `lender` while the gate is closed and empty, and read by those who joined through the
// open gate; the gate's acquire and release order the two. What it points to is `Sync`.
#[allow(unsafe_code, reason = "see above")]
unsafe impl Sync for Common {}
// SAFETY: the pointer is only followed by those who joined, on whatever thread.
#[allow(unsafe_code, reason = "see above")]
unsafe impl Send for Common {}

/// Threads of our own.
pub(super) struct Workers {
    common: Arc<Common>,
    handles: Vec<JoinHandle<()>>,
}

impl Workers {
    pub(super) fn start(count: usize) -> std::io::Result<Self> {
        let common = Arc::new(Common {
            gate: Gate(AtomicU64::new(0)),
            lent: UnsafeCell::new(None),
            lender: Mutex::new(()),
            panicked: Mutex::new(None),
            expected: AtomicU32::new(0),
            asleep: AtomicU32::new(0),
            over: AtomicBool::new(false),
        });
        let mut workers = Self { common, handles: Vec::with_capacity(count) };
        for number in 1..=count {
            let common = Arc::clone(&workers.common);
            let name = format!("isostep-{number}");
            // On an error those that were started end with `workers`.
            workers.handles.push(thread::Builder::new().name(name).spawn(move || common.serve())?);
        }
        Ok(workers)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.common.over.store(true, Ordering::SeqCst);
        for handle in self.handles.drain(..) {
            handle.thread().unpark();
            // A worker catches what it is lent panics with; it can't fail.
            let _ = handle.join();
        }
    }
}

impl Pool for Workers {
    fn count(&self) -> usize {
        self.handles.len() + 1
    }

    fn share(&self, work: &(dyn Fn() + Sync)) {
        // Lent already, by another world or by the work itself: then the caller works alone.
        let _lender = match self.common.lender.try_lock() {
            Ok(lender) => lender,
            // The lock guards no data, and `Loan` closes the gate on unwinding: a panic breaks nothing.
            Err(TryLockError::Poisoned(lender)) => lender.into_inner(),
            Err(TryLockError::WouldBlock) => return work(),
        };
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
        self.common.expected.fetch_add(1, Ordering::SeqCst);
        if self.common.asleep.load(Ordering::SeqCst) > 0 {
            self.handles.iter().for_each(|handle| handle.thread().unpark());
        }
    }

    fn rest(&self) {
        self.common.expected.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Ends a loan, also when the lender panics.
struct Loan<'a> {
    workers: &'a Workers,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        self.workers.common.take_back();
        self.workers.rest();
    }
}

impl Common {
    /// Lends work to all who are awake, until [`Common::take_back`].
    fn lend(&self, work: &(dyn Fn() + Sync)) {
        #[allow(
            unsafe_code,
            reason = "the type of a pointer says how long it may be followed; here the gate does"
        )]
        // SAFETY: the pointer is followed by those alone who joined, and `take_back`, which comes before the borrow ends,
        // returns when all of them have left.
        let work = unsafe { core::mem::transmute::<&(dyn Fn() + Sync), Lent>(work) };
        #[allow(unsafe_code, reason = "the lender alone writes, while nobody can join")]
        // SAFETY: `lender` is held, and the gate has been closed and empty since the last loan.
        unsafe {
            *self.lent.get() = Some(work);
        }
        let loan = (self.gate.0.load(Ordering::Relaxed) / LOAN + 1) * LOAN;
        self.gate.0.store(loan | OPEN, Ordering::Release);
    }

    /// Closes the gate and waits until all who joined have left.
    fn take_back(&self) {
        self.gate.0.fetch_and(!OPEN, Ordering::AcqRel);
        let mut turn = 0;
        while self.gate.0.load(Ordering::Acquire) & JOINED > 0 {
            wait(&mut turn);
        }
    }

    /// What a worker does as long as it lives.
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
                Ordering::AcqRel,
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
        #[allow(unsafe_code, reason = "who joined may follow the pointer")]
        // SAFETY: we joined through the open gate after the pointer was written, and the lender waits until we have left.
        let work = unsafe { (*self.lent.get()).map(|work| &*work) };
        let Some(work) = work else { return };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            *self.panicked.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
        }
    }

    /// Waits for the next loan, asleep if none is expected for a while.
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
            } else if turn == 0 && since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                return self.sleep();
            }
        }
    }

    fn sleep(&self) {
        self.asleep.fetch_add(1, Ordering::SeqCst);
        // Whoever expects work after this sees that somebody sleeps, and wakes us; a wake that comes before `park` is kept.
        if self.expected.load(Ordering::SeqCst) == 0 && !self.over.load(Ordering::SeqCst) {
            thread::park();
        }
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }
}

/// One turn of waiting.
fn wait(turn: &mut u32) {
    spin_loop();
    *turn += 1;
    if *turn == TURNS {
        *turn = 0;
        thread::yield_now();
    }
}
