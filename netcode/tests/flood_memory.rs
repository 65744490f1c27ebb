//! Memory use under a flood of a hundred thousand invalid datagrams, measured by a counting allocator.
#![allow(unsafe_code, reason = "an allocator is unsafe by its nature; this one only counts")]

#[path = "endpoint/documents.rs"]
mod documents;
#[path = "endpoint/harness.rs"]
mod harness;
#[path = "endpoint/raw_peer.rs"]
#[allow(dead_code, reason = "only its packets are needed here")]
mod raw_peer;

use core::sync::atomic::{AtomicIsize, Ordering};
use harness::{World, junk, ms, node};
use isostep_core::Rng;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{Address, Endpoint};
use isostep_rollback::Time;
use raw_peer::{answer, hello, init};
use std::alloc::{GlobalAlloc, Layout, System};

/// Currently allocated bytes.
static LIVE: AtomicIsize = AtomicIsize::new(0);

struct Counting;

// SAFETY: all calls are forwarded to the system allocator with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The only test of this binary: allocations of other tests would be counted.
#[test]
fn a_flood_leaves_less_than_a_megabyte_behind() {
    let mut world = World::pair(1);
    let mut rng = Rng::new(1);
    world.play(50, 1);
    // Recordings of the harness do not belong to the endpoint.
    let forget = |world: &mut World| {
        world.sent = Vec::new();
        for node in &mut world.nodes {
            (node.events, node.game, node.datagrams) = (Vec::new(), Vec::new(), Vec::new());
        }
    };
    forget(&mut world);
    let (before, mut most) = (LIVE.load(Ordering::Relaxed), 0);
    for number in 0..100_000usize {
        let (now, from) = (world.now, node(100 + number));
        let end = &mut world.nodes[1].endpoint;
        let bytes = match number % 5 {
            0 => junk(&mut rng, number % 1500),
            1 => hello(1, (number as u64).to_le_bytes()),
            2 => init([1; 8], &[0; 20], &[1; 289]),
            3 => init([2; 8], &cookie_or_junk(end, now, from, number), &[1; 289]),
            _ => [&[0x20, number as u8, number as u8][..], &junk(&mut rng, 40)].concat(),
        };
        world.nodes[1].endpoint.handle_datagram(now, from, &bytes);
        if number % 250 == 0 {
            most = most.max(LIVE.load(Ordering::Relaxed) - before);
            world.tick(number as u32, 1);
            world.run(ms(16));
            forget(&mut world);
        }
    }
    world.run(ms(1000));
    forget(&mut world);
    let left = LIVE.load(Ordering::Relaxed) - before;
    assert_eq!(world.links(), 2);
    assert!(left.abs() < 1 << 20, "{left} bytes are left");
    assert!(most < 1 << 20, "{most} bytes at most");
    println!("{left} bytes left, {most} at most");
    assert_eq!(world.nodes[1].endpoint.remote_address(MachineId(0)), Some(node(0)));
}

/// Obtains a valid cookie now and then, while the endpoint replies.
fn cookie_or_junk(end: &mut Endpoint, now: Time, from: Address, number: usize) -> Vec<u8> {
    let mut cookie = Vec::new();
    if number % 50 == 3 {
        end.handle_datagram(now, from, &hello(1, [2; 8]));
        cookie = answer(now, end, from);
    }
    cookie.get(11..).map_or_else(|| vec![7; 20], <[u8]>::to_vec)
}
