//! Lists of digests: written, read, compared; and everything that can't be.

use isostep_core::digest::Digest;
use isostep_rollback::check::Compare;
use isostep_rollback::check::{Check, CompareError, Digests};
use isostep_rollback::internals::Side;
use isostep_rollback::{Inputs, NewestWins, PlayerId, Simulation, Tick};

#[derive(Clone, Default, serde::Serialize)]
struct Sum {
    sum: u64,
    pub last: u8,
}

impl Simulation for Sum {
    type Input = NewestWins<u8>;
    fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
        self.last = inputs.value(PlayerId(0)).0;
        self.sum += u64::from(self.last);
    }
}

fn check<'a>() -> Check<'a, Sum> {
    let script = |tick: Tick, inputs: &mut Inputs<_>| inputs.set_next(&[NewestWins(tick.0 as u8)]);
    Check::new(1, Sum::default).game("sums").script(script).script_name("counting").ticks(40)
}

fn list() -> Digests {
    check().run().digests().clone()
}

#[test]
fn a_list_goes_through_json() {
    let here = list();
    assert_eq!(here.ticks.len(), 41);
    let text = serde_json::to_string(&here).unwrap();
    let there: Digests = serde_json::from_str(&text).unwrap();
    assert_eq!(here, there);
    let found = here.compare(&there).unwrap();
    assert_eq!((found.ticks, found.is_equal()), (41, true));
    assert_eq!(found.to_string(), "41 ticks are the same");
}

#[test]
fn lists_with_some_ticks_in_common_are_compared_by_those() {
    let sparse = check().compare(Compare::Every(15)).run().digests().clone();
    let ticks: Vec<u32> = sparse.ticks.iter().map(|digests| digests.tick.0).collect();
    assert_eq!(ticks, [0, 15, 30, 40]);
    assert_eq!(list().compare(&sparse).unwrap().ticks, 4);
    let longer = check().ticks(90).run().digests().clone();
    assert_eq!(longer.compare(&sparse).unwrap().ticks, 4);
}

#[test]
fn the_first_tick_and_its_sections_are_told() {
    let here = list();
    let mut there = here.clone();
    let other = Digest::of(b"something else").short();
    for tick in &mut there.ticks[17..] {
        tick.digest = other;
        tick.sections.insert("state".to_owned(), other);
    }
    // Sections that only one of them has count, too; and the order of ticks in a file does not.
    there.ticks[17].sections.insert("more".to_owned(), other);
    there.ticks.reverse();
    for (left, right) in [(&here, &there), (&there, &here)] {
        let parting = left.compare(right).unwrap().divergence.unwrap();
        assert_eq!((parting.tick, parting.agreed), (Tick(17), Some(Tick(16))));
        assert_eq!(parting.sections, ["more", "state"]);
    }
}

#[test]
fn what_can_not_be_compared_says_why() {
    let here = list();
    let error_of = |change: fn(&mut Digests)| {
        let mut there = here.clone();
        change(&mut there);
        here.compare(&there).unwrap_err()
    };
    let foreign: Digests = serde_json::from_str(r#"{"name": "a letter", "version": 7}"#).unwrap();
    assert_eq!(here.compare(&foreign), Err(CompareError::NotADigestList { side: Side::Right }));
    assert_eq!(foreign.compare(&here), Err(CompareError::NotADigestList { side: Side::Left }));
    let newer = error_of(|there| there.version = 2);
    assert_eq!(newer, CompareError::Version { side: Side::Right, found: 2, known: 1 });
    assert_eq!(error_of(|there| there.ticks.clear()), CompareError::NothingInCommon);
    let texts = [
        (
            error_of(|there| there.game = "chess".to_owned()),
            "the game differs: \"sums\" on the left, \"chess\"",
        ),
        (
            error_of(|there| there.script.clear()),
            "the script differs: \"counting\" on the left, \"\"",
        ),
        (error_of(|there| there.seed = 9), "the seed differs: \"1\" on the left, \"9\""),
        (
            error_of(|there| there.players = 2),
            "the number of players differs: \"1\" on the left, \"2\"",
        ),
        (error_of(|there| there.isostep = "9.0.0".to_owned()), "the version of Isostep differs: "),
    ];
    for (error, text) in texts {
        assert!(error.to_string().starts_with(text), "{error}");
    }
    let machine = here.compare(&Digests { machine: "a toaster".to_owned(), ..here.clone() });
    assert!(machine.unwrap().is_equal(), "machines are what is compared");
}
