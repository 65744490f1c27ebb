//! Values that differ between machines: floats, hash maps, addresses.

use super::{assert_shown, report};
use isostep::{Inputs, NewestWins, PlayerId, Real, Simulation, Tick};
use serde::{Deserialize, Serialize};

mod float {
    use super::*;

    #[derive(Clone, Default, Serialize, Deserialize)]
    struct Car {
        place: i64,
        speed: f32,
    }

    impl Simulation for Car {
        type Input = NewestWins<i8>;
        fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
            self.speed += f32::from(inputs.value(PlayerId(0)).0) * 0.1;
            self.place += self.speed as i64;
        }
    }

    mod right {
        use super::*;

        #[derive(Clone, Default, Serialize, Deserialize)]
        pub(super) struct Car {
            place: Real,
            speed: Real,
        }

        impl Simulation for Car {
            type Input = NewestWins<i8>;
            fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
                let pedal = Real::from_int(i32::from(inputs.value(PlayerId(0)).0));
                self.speed += pedal * Real::ratio(1, 10);
                self.place += self.speed;
            }
        }
    }

    #[test]
    fn a_float_in_the_state_is_refused() {
        assert_shown("Floats", &report(Car::default), &report(right::Car::default));
    }
}

mod hash_map {
    use super::*;
    use std::collections::{BTreeMap, HashMap};

    #[derive(Clone, Default, Serialize, Deserialize)]
    struct Auction {
        winner: u32,
    }

    impl Simulation for Auction {
        type Input = NewestWins<i8>;
        fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
            let bids: HashMap<u32, u32> = (0..9).map(|who| (who, who * tick.0 % 3)).collect();
            let best = bids.iter().max_by_key(|(_, bid)| **bid); // of equal bids the last in iteration order
            self.winner = best.map_or(0, |(who, _)| *who);
        }
    }

    mod right {
        use super::*;

        #[derive(Clone, Default, Serialize, Deserialize)]
        pub(super) struct Auction {
            winner: u32,
        }

        impl Simulation for Auction {
            type Input = NewestWins<i8>;
            fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
                let bids: BTreeMap<u32, u32> = (0..9).map(|who| (who, who * tick.0 % 3)).collect();
                let best = bids.iter().max_by_key(|(_, bid)| **bid); // of equal bids the one with the greatest key
                self.winner = best.map_or(0, |(who, _)| *who);
            }
        }
    }

    #[test]
    fn hash_map_iteration_is_located() {
        assert_shown("Hash maps", &report(Auction::default), &report(right::Auction::default));
    }
}

mod address {
    use super::*;

    #[derive(Clone, Default, Serialize, Deserialize)]
    struct Party {
        members: Vec<u32>,
        leader: u64,
    }

    impl Simulation for Party {
        type Input = NewestWins<i8>;
        fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
            self.members.push(tick.0);
            let lowest = self.members.iter().map(|member| std::ptr::from_ref(member).addr()).min();
            self.leader = lowest.unwrap_or(0) as u64; // its address, not its identity
        }
    }

    mod right {
        use super::*;

        #[derive(Clone, Default, Serialize, Deserialize)]
        pub(super) struct Party {
            members: Vec<u32>,
            leader: u32,
        }

        impl Simulation for Party {
            type Input = NewestWins<i8>;
            fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
                self.members.push(tick.0);
                let lowest = self.members.iter().copied().min();
                self.leader = lowest.unwrap_or(0);
            }
        }
    }

    #[test]
    fn an_address_that_affects_results_is_located() {
        assert_shown("Addresses", &report(Party::default), &report(right::Party::default));
    }
}
