//! Differences between machines: the width of `usize`, the byte order. The other machine is
//! simulated here.

use super::{assert_printed, pad};
use isostep::check::{Check, CompareError, Comparison, Digests, TickPath};
use isostep::{Inputs, NewestWins, Simulation, Tick};
use serde::{Deserialize, Serialize};

fn here(name: u32) -> u32 {
    u32::from_ne_bytes(name.to_le_bytes())
}

fn right(name: u32) -> u32 {
    u32::from_le_bytes(name.to_le_bytes())
}

fn elsewhere(name: u32) -> u32 {
    here(name).swap_bytes()
}

#[derive(Clone, Serialize, Deserialize)]
struct Names {
    sum: u64,
    #[serde(skip, default = "how")]
    hash: fn(u32) -> u32,
}

fn how() -> fn(u32) -> u32 {
    here
}

impl Simulation for Names {
    type Input = NewestWins<i8>;
    fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
        self.sum += u64::from((self.hash)(tick.0));
    }
}

fn digests_with(hash: fn(u32) -> u32) -> Digests {
    let check = Check::new(1, move || Names { sum: 0, hash });
    digests(check.script(|tick, inputs| inputs.set_next(&[pad(tick)])))
}

fn digests<S: Simulation>(check: Check<'_, S>) -> Digests {
    let report = check.game("names, version 1").ticks(600).paths(&[TickPath::Straight]).run();
    report.digests().clone()
}

fn compare(here: &str, there: &str) -> Result<Comparison, Box<dyn std::error::Error>> {
    let here: Digests = serde_json::from_str(here)?;
    let there: Digests = serde_json::from_str(there)?;
    Ok(here.compare(&there)?)
}

#[test]
fn byte_order_shows_in_digests() -> Result<(), Box<dyn std::error::Error>> {
    let (one, other) = (digests_with(here), digests_with(elsewhere));
    let (one, other) = (serde_json::to_string(&one)?, serde_json::to_string(&other)?);
    let found = compare(&one, &other)?;
    assert_printed("Bytes and `usize`", &found.to_string());
    let fine = serde_json::to_string(&digests_with(right))?;
    assert!(compare(&fine, &fine)?.is_equal());
    let letter = compare(&one, "{}").unwrap_err();
    assert!(letter.downcast_ref::<CompareError>().is_some(), "{letter}");
    assert_printed("Between machines", &format!("{}\n{letter}", compare(&one, &one)?));
    Ok(())
}
