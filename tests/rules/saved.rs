//! Values that are not saved or not equal on all machines: scratch, missing fields, predictions.

use super::{assert_shown, report};
use isostep::rollback::InputStatus;
use isostep::{Inputs, NewestWins, PlayerId, Simulation, Snapshot, State, Tick};
use serde::{Deserialize, Serialize};

mod scratch {
    use super::*;

    #[derive(State, Snapshot)]
    struct Camp {
        food: u64,
        #[state(scratch)]
        days: u64,
    }

    impl Simulation for Camp {
        type Input = NewestWins<i8>;
        fn step(&mut self, _: Tick, _: &Inputs<Self::Input>) {
            self.days += 1; // neither saved nor loaded
            self.food += self.days / 10;
        }
    }

    mod right {
        use super::*;

        #[derive(State, Snapshot)]
        pub(super) struct Camp {
            pub(super) food: u64,
            pub(super) days: u64,
            #[state(scratch)]
            pub(super) meals: Vec<u64>,
        }

        impl Simulation for Camp {
            type Input = NewestWins<i8>;
            fn step(&mut self, _: Tick, _: &Inputs<Self::Input>) {
                self.days += 1; // state: saved and loaded
                self.meals.clear(); // scratch: recomputed from the state before it is read
                self.meals.extend((1..=3).map(|meal| (self.days + meal) / 30));
                self.food += self.meals.iter().sum::<u64>();
            }
        }
    }

    #[test]
    fn scratch_that_affects_results_is_located() {
        let wrong = report(|| Camp { food: 0, days: 0 });
        let right = report(|| right::Camp { food: 0, days: 0, meals: Vec::new() });
        assert_shown("Scratch", &wrong, &right);
    }
}

mod missing {
    use super::*;

    #[derive(Clone, Default, Serialize, Deserialize)]
    struct Car {
        place: i64,
        #[serde(skip)] // in no snapshot, and in no digest
        speed: i64,
    }

    impl Simulation for Car {
        type Input = NewestWins<i8>;
        fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
            self.speed += i64::from(inputs.value(PlayerId(0)).0);
            self.place += self.speed;
        }
    }

    mod right {
        use super::*;

        #[derive(Clone, Default, Serialize, Deserialize)]
        pub(super) struct Car {
            place: i64,
            speed: i64,
        }

        impl Simulation for Car {
            type Input = NewestWins<i8>;
            fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
                self.speed += i64::from(inputs.value(PlayerId(0)).0);
                self.place += self.speed;
            }
        }
    }

    #[test]
    fn an_unsaved_field_is_located_by_its_effect() {
        assert_shown("Missing fields", &report(Car::default), &report(right::Car::default));
    }
}

mod guess {
    use super::*;

    #[derive(Clone, Default, Serialize, Deserialize)]
    struct Duel {
        lagged: u32,
    }

    impl Simulation for Duel {
        type Input = NewestWins<i8>;
        fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
            let status = inputs.get(PlayerId(0)).status;
            self.lagged += u32::from(status == InputStatus::Predicted); // differs between machines
        }
    }

    mod right {
        use super::*;

        #[derive(Clone, Default, Serialize, Deserialize)]
        pub(super) struct Duel {
            alone: u32,
        }

        impl Simulation for Duel {
            type Input = NewestWins<i8>;
            fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
                let status = inputs.get(PlayerId(0)).status;
                self.alone += u32::from(status == InputStatus::Disconnected); // equal on all machines
            }
        }
    }

    #[test]
    fn reading_predictions_is_located() {
        assert_shown("Predicted inputs", &report(Duel::default), &report(right::Duel::default));
    }
}

/// `fixed` fields are compared, but neither saved nor loaded: one that changes is found by
/// rollbacks, by snapshots, and by opening a recording in the middle, for any seed.
#[test]
fn a_changed_fixed_field_is_found_on_every_rollback_path() {
    use isostep::check::{Check, TickPath};

    #[derive(State, Snapshot)]
    struct Sled {
        place: i32,
        #[state(fixed)]
        speed: i32,
    }

    impl Simulation for Sled {
        type Input = NewestWins<i8>;
        fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
            self.speed += i32::from(inputs.value(PlayerId(0)).0);
            self.place += self.speed;
        }
    }

    for seed in 0..8 {
        let script = |tick, inputs: &mut Inputs<_>| inputs.set_next(&[super::pad(tick)]);
        let check = Check::new(1, || Sled { place: 0, speed: 0 }).script(script).ticks(100);
        let report = check.seed(seed).run_with_snapshots();
        let found: Vec<TickPath> = report.findings().map(|row| row.path).collect();
        for path in [TickPath::RolledBack, TickPath::Encoded, TickPath::Recorded] {
            assert!(found.contains(&path), "seed {seed}, {path}: {report}");
        }
    }
}
