//! Values from outside of the state: clocks, randomness, statics, threads.

use super::{assert_shown, pad, report};
use isostep::check::{Check, Report};
use isostep::parallel::Threads;
use isostep::{Inputs, NewestWins, Rng, Simulation, Tick};
use serde::{Deserialize, Serialize};

mod time {
    use super::*;
    use std::time::{SystemTime, UNIX_EPOCH};

    #[derive(Clone, Default, Serialize, Deserialize)]
    struct Round {
        now: u32,
    }

    impl Simulation for Round {
        type Input = NewestWins<i8>;
        fn step(&mut self, _: Tick, _: &Inputs<Self::Input>) {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            self.now = since.map_or(0, |since| since.subsec_nanos());
        }
    }

    mod right {
        use super::*;

        #[derive(Clone, Default, Serialize, Deserialize)]
        pub(super) struct Round {
            now: u32,
        }

        impl Simulation for Round {
            type Input = NewestWins<i8>;
            fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
                self.now = tick.0 * 1000 / 60; // milliseconds, at 60 ticks a second
            }
        }
    }

    #[test]
    fn reading_a_clock_is_located() {
        assert_shown("Time", &report(Round::default), &report(right::Round::default));
    }
}

mod chance {
    use super::*;
    use std::hash::{BuildHasher, Hasher, RandomState};

    #[derive(Clone, Default, Serialize, Deserialize)]
    struct Dice {
        rolled: u64,
    }

    impl Simulation for Dice {
        type Input = NewestWins<i8>;
        fn step(&mut self, _: Tick, _: &Inputs<Self::Input>) {
            self.rolled = RandomState::new().build_hasher().finish(); // or rand::random()
        }
    }

    mod right {
        use super::*;

        #[derive(Clone, Default, Serialize, Deserialize)]
        pub(super) struct Dice {
            seed: u64,
            rolled: u64,
        }

        impl Simulation for Dice {
            type Input = NewestWins<i8>;
            fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
                let (entity, purpose) = (0, 1); // the entity and the purpose of the draw
                let mut rng = Rng::keyed(self.seed, u64::from(tick.0), entity, purpose);
                self.rolled = rng.next_u64();
            }
        }
    }

    #[test]
    fn an_unseeded_rng_is_located() {
        assert_shown("Randomness", &report(Dice::default), &report(right::Dice::default));
    }
}

mod shared {
    use super::*;
    use core::sync::atomic::{AtomicU32, Ordering};

    static NEXT: AtomicU32 = AtomicU32::new(0);

    #[derive(Clone, Default, Serialize, Deserialize)]
    struct Spawner {
        newest: u32,
    }

    impl Simulation for Spawner {
        type Input = NewestWins<i8>;
        fn step(&mut self, _: Tick, _: &Inputs<Self::Input>) {
            self.newest = NEXT.fetch_add(1, Ordering::Relaxed); // a static, shared by all games
        }
    }

    mod right {
        use super::*;

        #[derive(Clone, Default, Serialize, Deserialize)]
        pub(super) struct Spawner {
            next: u32,
            newest: u32,
        }

        impl Simulation for Spawner {
            type Input = NewestWins<i8>;
            fn step(&mut self, _: Tick, _: &Inputs<Self::Input>) {
                self.newest = self.next; // a field of the state
                self.next += 1;
            }
        }
    }

    #[test]
    fn a_static_is_located() {
        let (wrong, right) = (report(Spawner::default), report(right::Spawner::default));
        assert_shown("Data outside of the state", &wrong, &right);
    }
}

mod threads {
    use super::*;
    use isostep::State;

    #[derive(State)]
    struct Heat {
        cells: Vec<i64>,
        sum: i64,
        #[state(scratch)]
        threads: usize,
    }

    impl Simulation for Heat {
        type Input = NewestWins<i8>;
        fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
            self.cells.push(i64::from(tick.0 * 7 % 13));
            let share = self.cells.len().div_ceil(self.threads.max(1)); // divided by the number of threads
            self.sum = std::thread::scope(|scope| {
                let part = |cells: &[i64]| cells.iter().sum::<i64>() / 10;
                let parts: Vec<_> = self
                    .cells
                    .chunks(share)
                    .map(|cells| scope.spawn(move || part(cells)))
                    .collect();
                parts.into_iter().filter_map(|part| part.join().ok()).sum()
            });
        }
    }

    mod right {
        use super::*;

        #[derive(State)]
        pub(super) struct Heat {
            pub(super) cells: Vec<i64>,
            pub(super) sum: i64,
            #[state(scratch)]
            pub(super) threads: Threads,
        }

        impl Simulation for Heat {
            type Input = NewestWins<i8>;
            fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
                self.cells.push(i64::from(tick.0 * 7 % 13));
                let sum = |a, b| a + b;
                self.sum = self.threads.reduce(&self.cells, || 0, |_, cell| *cell, sum) / 10;
            }
        }
    }

    fn run<'a, S: Simulation<Input = NewestWins<i8>> + 'a>(
        make: impl Fn(usize) -> S + Copy + 'a,
    ) -> Report {
        Check::new(1, move || make(1))
            .first_variant("1 thread")
            .variant("4 threads", move || make(4))
            .script(|tick, inputs| inputs.set_next(&[pad(tick)]))
            .ticks(100)
            .run()
    }

    #[test]
    fn a_thread_count_dependency_is_located() {
        let wrong = run(|threads| Heat { cells: Vec::new(), sum: 0, threads });
        let right = run(|_| right::Heat { cells: Vec::new(), sum: 0, threads: Threads::ONE });
        assert_shown("Threads", &wrong, &right);
    }
}
