//! `isostep check` from outside: what it finds, what it refuses, and with which exit code.

use crate::desk::Desk;
use std::fs;

#[test]
fn this_machine_is_as_the_goldens_say() {
    let desk = Desk::new("check");
    let (code, said) = desk.run("check", "--scene rack");
    assert_eq!(code, 0, "{said}");
    for word in ["recorded", "rolled back", "8 threads", "scalar", "golden", " 0 different"] {
        assert!(said.contains(word), "no {word} in:\n{said}");
    }
}

#[test]
fn cells_are_for_programs_too() {
    let (code, said) = Desk::new("check-json").run("check", "--scene cradle --json");
    let said: serde_json::Value = serde_json::from_str(&said).expect("JSON alone");
    assert_eq!((code, &said["equal"]), (0, &true.into()));
    let cells = said["cells"].as_array().expect("a list");
    assert!(cells.len() > 10 && cells.iter().all(|cell| cell["difference"].is_null()));
}

/// What one machine wrote is equal here; a digest that is another, is told with its tick.
#[test]
fn machines_that_never_meet_are_compared_by_a_file() {
    let desk = Desk::new("check-emit");
    let (code, said) = desk.run("check", "--scene storm --emit here.json");
    assert_eq!(code, 0, "{said}");
    let (code, said) = desk.run("check", "--against here.json");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("storm small") && said.contains("all scenes are equal"), "{said}");

    let path = desk.0.join("here.json");
    let mut file: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let ticks = file["scenes"][0]["ticks"].as_array_mut().unwrap();
    let before = ticks[56].clone();
    ticks[57]["digest"] = before["digest"].clone();
    ticks[57]["sections"]["world.bodies"] = before["sections"]["world.bodies"].clone();
    fs::write(&path, file.to_string()).unwrap();
    let (code, said) = desk.run("check", "--against here.json");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("tick 57 is the first that differs, in world.bodies"), "{said}");
}

#[test]
fn files_that_say_nothing_are_refused_with_exit_code_2() {
    let desk = Desk::new("check-foreign");
    let (code, said) = desk.run("check", "--scene rack --emit good.json");
    assert_eq!(code, 0, "{said}");
    let good = fs::read_to_string(desk.0.join("good.json")).unwrap();
    let write = |name: &str, text: &str| fs::write(desk.0.join(name), text).unwrap();
    write("cut.json", &good[..good.len() / 2]);
    write("foreign.json", "{\"format\":\"a song\",\"version\":1,\"machine\":\"\",\"scenes\":[]}");
    write("later.json", &good.replacen("\"version\":1", "\"version\":7", 1));
    write("seed.json", &good.replacen("\"seed\":1", "\"seed\":2", 1));
    write("empty.json", "");
    for (file, word) in [
        ("cut.json", "choose another one"),
        ("foreign.json", "a song"),
        ("later.json", "version 7"),
        ("seed.json", "seed"),
        ("empty.json", "choose another one"),
        ("none.json", "can't be read"),
    ] {
        let (code, said) = desk.run("check", &format!("--against {file}"));
        assert_eq!(code, 2, "{file}: {said}");
        assert!(said.contains(word), "{file}: {said}");
    }
}

#[test]
fn what_can_not_be_done_is_told_before_anything_is_computed() {
    let desk = Desk::new("check-misuse");
    for (arguments, word) in [
        ("--scene moon", "pyramid"),
        ("--emit no/such/folder/a.json", "choose another place"),
        ("--matrix", "no checkout"),
        ("--matrix --scene rack", "cannot be used with"),
        ("aarch64", "--matrix"),
    ] {
        let (code, said) = desk.run("check", arguments);
        assert_eq!(code, 2, "{arguments}: {said}");
        assert!(said.contains(word), "{arguments}: {said}");
    }
}
