//! Any number of threads gives the same bits and events on every tick of every scene, also in resimulation. Miri and
//! `ThreadSanitizer` run the tests whose names begin with `small`, see `.ci/run sanitizers`.

use isostep_core::Tick;
use isostep_core::parallel::Threads;
use isostep_scenes::scenes::{self, Scene};

fn with_threads(name: &str, threads: &Threads) -> Scene {
    let mut scene = scenes::build(name, 2).expect("a scene of the list");
    scene.world.set_threads(threads.clone());
    scene
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let counts = [2, 3, 8].map(|count| Threads::new(count).expect("threads").eager());
    for name in scenes::NAMES {
        let ticks = if name == "bin" { 80 } else { 130 };
        let mut alone = with_threads(name, &Threads::ONE);
        let mut others = counts.each_ref().map(|threads| with_threads(name, threads));
        for tick in 1..=ticks {
            let report = alone.step();
            let digest = alone.digest();
            for other in &mut others {
                let threads = other.world.threads().count();
                assert_eq!(other.step(), report, "{name}, {threads} threads, tick {tick}");
                assert_eq!(other.digest(), digest, "{name}, {threads} threads, tick {tick}");
                assert!(other.world.events().eq(alone.world.events()), "{name}, tick {tick}");
            }
        }
    }
}

/// Rewinds and resimulates with another number of threads each time.
#[test]
fn threads_may_change_between_ticks() {
    let counts = [1, 2, 3, 8].map(|count| Threads::new(count).expect("threads").eager());
    for name in ["stacks", "tumbler", "dominoes"] {
        let mut scene = with_threads(name, &Threads::ONE);
        let mut digests = vec![scene.world.digest()];
        for tick in 1..=60u32 {
            scene.world.set_threads(counts[tick as usize % 4].clone());
            scene.step();
            digests.push(scene.world.digest());
        }
        scene.world.rewind(Tick(40)).expect("it is held");
        scene.world.drop_scratch();
        for tick in 41..=60u32 {
            scene.world.set_threads(counts[tick as usize / 3 % 4].clone());
            scene.step();
            assert_eq!(scene.world.digest(), digests[tick as usize], "{name}, tick {tick}");
        }
    }
}

#[test]
fn small_scenes_agree_on_two_threads() {
    let threads = Threads::new(2).expect("threads").eager();
    let ticks = if cfg!(miri) { 2 } else { 40 };
    let [mut alone, mut shared] = [(); 2].map(|()| scenes::stacks(2, 2));
    shared.world.set_threads(threads);
    for tick in 1..=ticks {
        assert_eq!(alone.step(), shared.step(), "tick {tick}");
        assert_eq!(alone.digest(), shared.digest(), "tick {tick}");
    }
}

/// A panic in shared work used to leave the pool with a poisoned lock, and every later step ran on one thread. The unit
/// tests of `parallel` show that its workers still take part; here the steps after it give the same bits.
#[test]
fn small_scenes_agree_after_a_panic_in_shared_work() {
    let threads = Threads::new(2).expect("threads").eager();
    let panics = std::panic::AssertUnwindSafe(|| {
        threads.for_each(&mut [0; 200], |place, _| assert!(place != 100, "injected"));
    });
    assert!(std::panic::catch_unwind(panics).is_err());
    let ticks = if cfg!(miri) { 1 } else { 40 };
    let [mut alone, mut shared] = [(); 2].map(|()| scenes::stacks(2, 2));
    shared.world.set_threads(threads);
    for tick in 1..=ticks {
        assert_eq!(alone.step(), shared.step(), "tick {tick}");
        assert_eq!(alone.digest(), shared.digest(), "tick {tick}");
    }
}
