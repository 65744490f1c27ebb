//! `isostep check` from outside: results, refusals and exit codes.

use crate::work_dir::WorkDir;
use std::fs;

#[test]
fn this_machine_matches_the_goldens() {
    let dir = WorkDir::new("check");
    let (code, report) = dir.run("check", "--scene rack");
    assert_eq!(code, 0, "{report}");
    for word in ["recorded", "rolled back", "8 threads", "scalar", "golden", " 0 different"] {
        assert!(report.contains(word), "no {word} in:\n{report}");
    }
}

#[test]
fn cells_are_available_as_json() {
    let (code, report) = WorkDir::new("check-json").run("check", "--scene cradle --json");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON alone");
    assert_eq!((code, &report["equal"]), (0, &true.into()));
    let cells = report["cells"].as_array().expect("a list");
    assert!(cells.len() > 10 && cells.iter().all(|cell| cell["difference"].is_null()));
}

/// A machine's digests are equal to its own; a changed digest is reported with its tick.
#[test]
fn two_machines_are_compared_through_a_file() {
    let dir = WorkDir::new("check-emit");
    let (code, report) = dir.run("check", "--scene storm --emit here.json");
    assert_eq!(code, 0, "{report}");
    let (code, report) = dir.run("check", "--against here.json");
    assert_eq!(code, 0, "{report}");
    assert!(report.contains("storm small") && report.contains("all scenes are equal"), "{report}");

    let path = dir.0.join("here.json");
    let mut file: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let ticks = file["scenes"][0]["ticks"].as_array_mut().unwrap();
    let before = ticks[56].clone();
    ticks[57]["digest"] = before["digest"].clone();
    ticks[57]["sections"]["world.bodies"] = before["sections"]["world.bodies"].clone();
    fs::write(&path, file.to_string()).unwrap();
    let (code, report) = dir.run("check", "--against here.json");
    assert_eq!(code, 1, "{report}");
    assert!(report.contains("tick 57 is the first that differs, in world.bodies"), "{report}");
}

#[test]
fn unusable_files_are_refused_with_exit_code_2() {
    let dir = WorkDir::new("check-foreign");
    let (code, report) = dir.run("check", "--scene rack --emit good.json");
    assert_eq!(code, 0, "{report}");
    let good = fs::read_to_string(dir.0.join("good.json")).unwrap();
    let write = |name: &str, text: &str| fs::write(dir.0.join(name), text).unwrap();
    write("cut.json", &good[..good.len() / 2]);
    write("foreign.json", "{\"format\":\"a song\",\"version\":1,\"machine\":\"\",\"scenes\":[]}");
    write("later.json", &good.replacen("\"version\":1", "\"version\":7", 1));
    write("seed.json", &good.replacen("\"seed\":1", "\"seed\":2", 1));
    write("empty.json", "");
    for (file, word) in [
        ("cut.json", "choose another file"),
        ("foreign.json", "a song"),
        ("later.json", "version 7"),
        ("seed.json", "seed"),
        ("empty.json", "choose another file"),
        ("none.json", "can't be read"),
    ] {
        let (code, report) = dir.run("check", &format!("--against {file}"));
        assert_eq!(code, 2, "{file}: {report}");
        assert!(report.contains(word), "{file}: {report}");
    }
}

#[test]
fn impossible_requests_fail_before_computing() {
    let dir = WorkDir::new("check-misuse");
    for (arguments, word) in [
        ("--scene moon", "pyramid"),
        ("--emit no/such/folder/a.json", "choose another path"),
        ("--matrix", "in no checkout"),
        ("--matrix --scene rack", "cannot be used with"),
        ("aarch64", "--matrix"),
    ] {
        let (code, report) = dir.run("check", arguments);
        assert_eq!(code, 2, "{arguments}: {report}");
        assert!(report.contains(word), "{arguments}: {report}");
    }
}
