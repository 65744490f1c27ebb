//! Owns the promise that a warm world steps without allocating: a step must not wait for an allocator.
#![allow(
    unsafe_code,
    reason = "counting allocations takes a global allocator, and its trait is unsafe"
)]

use isostep_core::{Rng, Vec3, real};
use isostep_determinism_tests::scenes::{self, Scene};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Passes everything on to the system and counts, thread by thread, since tests run side by side.
struct Counting;

thread_local! {
    static COUNT: Cell<u32> = const { Cell::new(0) };
}

fn count_one() {
    // A thread that is ending has no counter any more, and nobody asks for it.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call goes to `System` unchanged; the counter neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_one();
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Ticks of 300 after 300 to warm up that allocated, with how often.
fn allocating_ticks(scene: &mut Scene) -> Vec<(u32, u32)> {
    let ids: Vec<_> = scene.world.bodies().map(|(id, _)| id).collect();
    let mut found = Vec::with_capacity(300);
    for tick in 0..600 {
        let before = COUNT.get();
        scene.act();
        // Somebody is kicked every tenth tick, so that contacts come and go.
        if tick % 10 == 0 {
            let mut rng = Rng::keyed(1, u64::from(tick), 0, 0);
            let kicked = ids[rng.below(ids.len() as u32).unwrap() as usize];
            // Static bodies refuse, which must cost no memory either.
            let _ = scene.world.set_velocity(kicked, rng.direction() * real!(2));
        }
        scene.world.step();
        let count = COUNT.get() - before;
        if tick >= 300 && count > 0 {
            found.push((tick, count));
        }
    }
    found
}

#[test]
fn the_allocator_counts() {
    let before = COUNT.get();
    drop(std::hint::black_box(vec![Vec3::ZERO; 3]));
    assert_eq!(COUNT.get() - before, 1);
}

#[test]
fn a_warm_arena_allocates_nothing() {
    assert_eq!(allocating_ticks(&mut scenes::arena(3)), []);
}

#[test]
fn warm_stacks_allocate_nothing() {
    assert_eq!(allocating_ticks(&mut scenes::stacks(4, 5)), []);
}

#[test]
fn a_resting_pyramid_allocates_nothing() {
    let mut scene = scenes::pyramid(10);
    let mut warm = 0;
    for tick in 0..600 {
        if tick == 300 {
            warm = COUNT.get();
        }
        scene.step();
    }
    assert_eq!(COUNT.get() - warm, 0);
}
