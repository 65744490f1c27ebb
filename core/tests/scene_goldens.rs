//! Scenes against their committed goldens, and the report of each kind of mismatch.

use isostep_core::{Rng, Vec3};
use isostep_scenes::scene_golden::{
    Dump, DumpError, Part, SceneGolden, committed, compare, path, spec,
};
use isostep_scenes::scenes::{NAMES, Size};

fn golden(name: &str) -> SceneGolden {
    let text = committed(name).expect("a scene of the list");
    SceneGolden::parse(name, &path(name), text).unwrap_or_else(|error| panic!("{error}"))
}

fn assert_as_committed(part: Part) {
    let differences = NAMES.iter().filter_map(|name| compare(&golden(name), part).err());
    let shown: Vec<String> = differences.map(|found| found.to_string()).collect();
    assert!(shown.is_empty(), "scenes changed:\n{}", shown.join("\n"));
}

#[test]
fn small_scenes_come_out_as_committed() {
    assert_as_committed(Part::USUAL[0]);
}

#[test]
fn full_scenes_begin_as_committed() {
    assert_as_committed(Part::USUAL[1]);
}

#[test]
fn a_golden_survives_its_own_text() {
    for name in NAMES {
        let golden = golden(name);
        assert_eq!(golden.to_string(), committed(name).unwrap_or_default());
        assert_eq!(golden.rows.len(), 12 + 16, "small to 600, full to 10,000");
    }
}

#[test]
fn a_broken_file_names_its_line() {
    let text = committed("cradle").expect("a scene of the list");
    let lines: Vec<&str> = text.lines().collect();
    let broken = |at: usize, with: &[&str]| {
        let all = [&lines[..at], with, &lines[at + 1..]].concat().join("\n");
        SceneGolden::parse("cradle", &path("cradle"), &all).expect_err("it is broken").to_string()
    };
    let digit = lines[3].replace("small", "large");
    let short = &lines[5][..lines[5].len() - 1];
    let late = lines[4].replacen('4', "5", 1);
    for (at, with, expected) in [
        (0, &["size tick"][..], "line 1: it is not the names of the columns"),
        (3, &[digit.as_str()], "line 4: there is no size `large`"),
        (5, &[short], "line 6: the digest of events"),
        (4, &[late.as_str()], "line 5: it is not the line of small at tick 4"),
        (7, &[], "line 8: it is not the line of small at tick 32"),
        (7, &["nonsense"], "line 8: it has 1 columns, not 10"),
        (28, &[], "line 29: the line of full at tick 10000 is missing"),
        (28, &[lines[28], lines[28]], "line 30: it is one too many"),
    ] {
        let text = broken(at, with);
        assert!(text.starts_with(&path("cradle")) && text.contains(expected), "{text}");
    }
}

#[test]
fn a_difference_names_tick_and_section() {
    let mut golden = golden("rack");
    let part = Part::whole(Size::Small);
    assert_eq!(compare(&golden, part), Ok(12));
    let row = golden.rows.iter_mut().find(|row| row.tick == 64).expect("a line of the small size");
    row.sections[4] = row.sections[4].map(|digest| digest ^ 1);
    let found = compare(&golden, part).expect_err("it was changed").to_string();
    let expected = "rack small differs on tick 64 in contacts; tick 32 is equal\n";
    assert!(found.starts_with(expected), "{found}");
}

/// Another state differs in one velocity. The explanation names body and field, with both values.
#[test]
fn a_dump_names_entity_and_field() {
    let spec = spec("arena", Size::Small).expect("a scene of the list");
    let right = Dump::play(spec, 30).expect("it is early");
    assert_eq!(Dump::from_bytes(&right.to_bytes()), Ok(right.clone()));
    assert_eq!(right.explain().expect("pages"), []);

    let mut other = spec.play();
    for _ in 0..30 {
        other.step();
    }
    let (body, velocity) = {
        let (id, body) = other.world.bodies().last().expect("a body");
        (id, body.velocity())
    };
    other.world.set_velocity(body, velocity + Vec3::Z).expect("it is slow");
    other.world.commit();
    let found = Dump::of(spec, &other.world).and_then(|dump| dump.explain()).expect("pages");
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(
        shown.len() == 1 && shown[0].starts_with(&format!("body {body}, velocity.z: ")),
        "{shown:?}"
    );
}

#[test]
fn broken_dumps_are_refused_or_harmless() {
    let spec = spec("cradle", Size::Small).expect("a scene of the list");
    let bytes = Dump::play(spec, 8).expect("it is early").to_bytes();
    let (cut, longer) = (&bytes[..bytes.len() - 1], [&bytes[..], &[0]].concat());
    for broken in [cut, &longer] {
        assert_eq!(Dump::from_bytes(broken), Err(DumpError::Damaged));
    }
    assert_eq!(Dump::from_bytes(b"isostep dump 9\n"), Err(DumpError::NoDump));
    let (mut read, mut explained) = (0, 0);
    for seed in 0..2000 {
        let mut rng = Rng::new(seed);
        let mut broken = bytes.clone();
        let at = rng.below(broken.len() as u32).expect("not empty") as usize;
        broken[at] ^= 1 << rng.below(8).expect("not empty");
        broken.truncate(broken.len() - rng.below(3).expect("not empty") as usize);
        if let Ok(dump) = Dump::from_bytes(&broken) {
            read += 1;
            explained += usize::from(dump.explain() != Ok(Vec::new()));
        }
    }
    // A flipped bit of the seed has no effect, because a cradle has no random part.
    assert!(read > 100 && explained * 100 > read * 98, "{explained} of {read}");
}
