//! The command `scenes` from outside: output and exit codes for equal, different and unreadable
//! goldens.

use isostep_scenes::scene_golden;
use std::path::PathBuf;
use std::process::Command;

/// A folder with the golden of a quick scene.
fn folder(name: &str, change: impl Fn(&str) -> String) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    let text = scene_golden::committed("cradle").expect("a scene of the list");
    std::fs::write(folder.join("cradle.txt"), change(text)).expect("a file for tests");
    folder
}

/// Runs the command; returns exit code and output.
fn scenes(arguments: &[&str]) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_isostep-determinism-tests");
    let output = Command::new(program).arg("scenes").args(arguments).output().expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).expect("text"))
}

fn compare(folder: &str) -> (Option<i32>, String) {
    scenes(&["--scene", "cradle", "--small", "--goldens", folder])
}

#[test]
fn an_equal_golden_exits_with_0() {
    let folder = folder("equal", str::to_owned);
    let (code, text) = compare(&folder.display().to_string());
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("cradle     small  12 lines to tick   600: equal"), "{text}");
}

#[test]
fn a_golden_of_another_simulation_exits_with_1_and_names_tick_and_section() {
    // The line of the small size at tick 128, with another digest of its bodies.
    let changed = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut words: Vec<&str> = lines[9].split_whitespace().collect();
        assert_eq!(words[..2], ["small", "128"]);
        words[6] = "0123456789abcdef";
        lines[9] = words.join(" ");
        lines.join("\n")
    };
    let (code, text) = compare(&folder("changed", changed).display().to_string());
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("cradle small differs on tick 128 in bodies; tick 64 is equal"),
        "{text}"
    );
}

#[test]
fn a_golden_that_cannot_be_read_exits_with_2_and_names_file_and_line() {
    let folder =
        folder("corrupt", |text| text.replacen("  64  ", "  6x  ", 1)).display().to_string();
    let (code, text) = compare(&folder);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains(&format!("{folder}/cradle.txt, line 9: the tick `6x`")), "{text}");
    let (code, text) = scenes(&["--scene", "rack", "--goldens", &folder]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains(&format!("{folder}/rack.txt: ")), "{text}");
}

#[test]
fn a_dump_is_compared_field_by_field() {
    let folder = folder("dump", str::to_owned);
    let file = folder.join("state").display().to_string();
    let (code, text) = scenes(&["--scene", "storm", "--small", "--dump", "40", &file]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = scenes(&["--against-dump", &file]);
    assert_eq!(code, Some(0), "{text}");
    // A dump with one changed bit, near the end of the last page of bodies.
    let mut bytes = std::fs::read(&file).expect("just written");
    let dump = scene_golden::Dump::from_bytes(&bytes).expect("just written");
    assert_eq!((dump.spec().to_string(), dump.tick()), ("storm small".to_owned(), 40));
    let contacts = bytes.windows(8).position(|piece| piece == b"contacts").expect("a section");
    bytes[contacts - 3] ^= 1;
    std::fs::write(&file, &bytes).expect("a file for tests");
    let (code, text) = scenes(&["--against-dump", &file]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("storm small, tick 40: 1 fields differ") && text.contains("  body "),
        "{text}"
    );
    std::fs::write(&file, b"nonsense").expect("a file for tests");
    let (code, text) = scenes(&["--against-dump", &file]);
    assert_eq!((code, text.contains("this is no dump of a scene")), (Some(2), true), "{text}");
}

#[test]
fn malformed_arguments_exit_with_2() {
    for arguments in [
        &["--scene", "nowhere"][..],
        &["--scene"],
        &["--dump", "5", "file"],
        &["--scene", "rack", "--dump", "601", "file"],
        &["--mint", "--small"],
        &["--against-dump", "no such file"],
        &["--fast"],
    ] {
        let (code, text) = scenes(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
    }
}
