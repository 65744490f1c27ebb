//! A fault inside the core's step: a variant whose lanes round differently is found, and its fields
//! are located. Needs the feature `faults`.

use super::faults::difference;
use isostep_core::internals::Lanes;
use isostep_core::test_internals::Fault as CoreFault;
use isostep_core::world::ResimMode;
use isostep_determinism_tests::faults::{self, Fault, FaultyGame, PLAYERS};
use isostep_rollback::check::Check;

#[test]
fn a_lane_with_different_rounding_is_located() {
    let scalar = || {
        let mut game = FaultyGame::new(Fault::Nothing);
        assert!(game.world_mut().set_lanes(Lanes::Scalar));
        game
    };
    let skewed = || {
        let mut game = FaultyGame::new(Fault::Nothing);
        game.world_mut().inject_fault(CoreFault::SkewedLane);
        game
    };
    let full = || {
        let mut game = FaultyGame::new(Fault::Nothing);
        game.world_mut().set_resim_mode(ResimMode::Full);
        game
    };
    let report = Check::new(PLAYERS, scalar)
        .variant("wide lanes", || FaultyGame::new(Fault::Nothing))
        .variant("in full", full)
        .variant("a skewed lane", skewed)
        .script(faults::script)
        .ticks(60)
        .run();
    let variants: Vec<&str> = report.findings().map(|row| row.variant.as_str()).collect();
    assert!(variants.len() >= 2, "{report}");
    assert!(variants.iter().all(|variant| *variant == "a skewed lane"), "{report}");
    let first = difference(report.findings().next().unwrap());
    assert!(first.sections.iter().all(|section| section.starts_with("world.")), "{report}");
    assert!(!first.fields.is_empty(), "{report}");
}
