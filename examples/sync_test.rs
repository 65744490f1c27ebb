//! A sync test: every tick is resimulated on every path that a session may take to it. A state that
//! is not saved completely is found, and the field is named.
//!
//! `cargo run --release -p isostep-examples --example sync_test`

use isostep::rollback::{SyncError, SyncReport, SyncTest};
use isostep::{Inputs, NewestWins, PlayerId, Simulation, Tick};
use std::cell::Cell;

/// A race on a straight road.
#[derive(Clone, Default, serde::Serialize)]
struct Race {
    place: i64,
    speed: i64,
    /// Enables the fault: fuel that is not part of the saved state.
    #[serde(skip)]
    leak: bool,
}

thread_local! {
    static FUEL: Cell<i64> = const { Cell::new(40) };
}

impl Simulation for Race {
    type Input = NewestWins<i8>;

    fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
        let pedal = i64::from(inputs.value(PlayerId(0)).0);
        if self.leak && pedal > 0 {
            FUEL.set(FUEL.get() - 1);
        }
        let empty = self.leak && FUEL.get() < 0;
        self.speed += if empty { 0 } else { pedal };
        self.place += self.speed;
    }
}

fn test(leak: bool) -> Result<SyncReport, SyncError> {
    let mut race = Race { leak, ..Race::default() };
    // The script should use everything that players can do, about as often.
    SyncTest::new(1).run(&mut race, 120, |tick, inputs| {
        inputs.set_next(&[NewestWins((tick.0 / 7 % 5) as i8 - 2)]);
    })
}

fn main() -> Result<(), SyncError> {
    let report = test(false)?;
    println!("a race: {} ticks in {} steps, all of them equal", report.ticks, report.steps);
    if let Err(error) = test(true) {
        println!("with fuel that is not in the state: {error}");
    }
    Ok(())
}

#[test]
fn only_the_fault_is_found() {
    assert!(test(false).is_ok());
    let found = test(true).expect_err("it is found").to_string();
    assert!(found.contains("state, speed: "), "{found}");
}
