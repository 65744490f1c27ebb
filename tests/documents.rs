//! The documents match the repository: named paths exist, and links resolve.

use std::path::{Path, PathBuf};

const DOCUMENTS: [&str; 29] = [
    "README.md",
    "ARCHITECTURE.md",
    "DETERMINISM.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benches/README.md",
    "docs/choosing-delay.md",
    "docs/determinism-rules.md",
    "docs/SUMMARY.md",
    "docs/solver.md",
    "docs/start.md",
    "docs/first-game.md",
    "docs/world.md",
    "docs/how-rollback-works.md",
    "docs/incremental-rollback.md",
    "docs/what-it-costs.md",
    "docs/over-a-network.md",
    "docs/lab.md",
    "docs/replays.md",
    "docs/names.md",
    "docs/coming-from-ggrs.md",
    "docs/coming-from-rapier.md",
    "docs/coming-from-bevy-ggrs.md",
    "docs/glossary.md",
    "docs/rendering.md",
    "WIRE.md",
    "REPLAY.md",
    "netcode/tests/wire/README.md",
    "benches/NOTES.md",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(document: &str) -> String {
    std::fs::read_to_string(root().join(document))
        .unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// Candidate paths: pieces in backticks with a slash, and the first words of the tree's lines.
fn named_paths(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            let word = line.split_whitespace().next().unwrap_or_default();
            paths.extend(is_path(word).then(|| word.to_owned()));
        } else {
            let quoted = line.split('`').skip(1).step_by(2);
            paths.extend(quoted.filter(|piece| is_path(piece)).map(str::to_owned));
        }
    }
    paths
}

fn is_path(piece: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "./-_".contains(c);
    piece.chars().all(plain) && (piece.contains('/') || piece.rsplit('.').next() == Some("toml"))
}

/// Targets of Markdown links within the repository.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

fn missing(base: &Path, paths: Vec<String>) -> Vec<String> {
    paths.into_iter().filter(|path| !base.join(path).exists()).collect()
}

/// Anchor of a heading, as GitHub and mdBook form it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().chars();
    let kept = kept.filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Links whose file or heading does not exist.
fn broken(file: &Path, text: &str) -> Vec<String> {
    let resolves = |target: &String| {
        let (path, heading) = target.split_once('#').unwrap_or((target, ""));
        let folder = file.parent().expect("a file has a folder");
        let to = if path.is_empty() { file.to_owned() } else { folder.join(path) };
        let has_heading = || {
            let text = std::fs::read_to_string(&to).unwrap_or_default();
            text.lines().any(|line| line.starts_with('#') && anchor(line) == heading)
        };
        to.exists() && (heading.is_empty() || has_heading())
    };
    links(text).into_iter().filter(|target| !resolves(target)).collect()
}

#[test]
fn every_path_in_the_map_exists() {
    let paths = named_paths(&read("ARCHITECTURE.md"));
    assert!(paths.len() > 20, "the map names almost nothing: {paths:?}");
    assert_eq!(missing(&root(), paths), Vec::<String>::new());
}

#[test]
fn every_path_in_the_other_documents_exists() {
    for document in DOCUMENTS {
        assert_eq!(
            missing(&root(), named_paths(&read(document))),
            Vec::<String>::new(),
            "in {document}"
        );
    }
}

#[test]
fn every_link_resolves() {
    for document in DOCUMENTS {
        let file = root().join(document);
        assert_eq!(broken(&file, &read(document)), Vec::<String>::new(), "in {document}");
    }
}

/// Items in the second column of the tables of docs/names.md.
fn own_names(text: &str) -> Vec<&str> {
    let cells = text.lines().filter_map(|line| line.split('|').nth(2));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

/// Sources of a crate, joined.
fn sources(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push_str(&std::fs::read_to_string(path).expect("a source file"));
        }
    }
}

/// Returns whether the sources define an item, a method, a field or a variant of this name.
fn is_defined(name: &str, sources: &str) -> bool {
    let item = ["fn ", "struct ", "enum ", "trait "];
    item.iter().any(|kind| {
        let text = format!("{kind}{name}");
        sources.match_indices(&text).any(|(at, _)| !sources[at + text.len()..].starts_with(is_word))
    }) || sources.lines().any(|line| {
        let rest = line.trim_start().strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['(', ' ', ',']) && line.starts_with("    "))
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[test]
fn every_own_name_beside_other_libraries_is_defined() {
    let mut all = String::new();
    for folder in ["core/src", "rollback/src", "netcode/src"] {
        sources(&root().join(folder), &mut all);
    }
    let text = read("docs/names.md");
    let names = own_names(&text);
    assert!(names.len() > 60, "the page names almost nothing: {names:?}");
    let parts = names.into_iter().flat_map(|name| name.split("::"));
    let missing: Vec<_> = parts.filter(|part| !is_defined(part, &all)).collect();
    assert_eq!(missing, Vec::<&str>::new());
    assert!(!is_defined("advance_frames", &all));
}

#[test]
fn a_missing_path_is_found() {
    let text = "see `core/src/nowhere.rs`\n```\nnowhere/  x\n```\n`cargo test`";
    assert_eq!(missing(&root(), named_paths(text)), ["core/src/nowhere.rs", "nowhere/"]);
    let text = "[a](GONE.md) [b](README.md#gone) [c](README.md#licence) [d](#gone) [e](WIRE.md)";
    assert_eq!(broken(&root().join("README.md"), text), ["GONE.md", "README.md#gone", "#gone"]);
    assert_eq!(anchor("## What `Peer` does, and why"), "what-peer-does-and-why");
}

/// Readers of the guide depend on the crate `isostep` alone.
#[test]
fn examples_import_the_facade() {
    let mut texts: Vec<_> = DOCUMENTS[..].iter().map(|name| (*name, read(name))).collect();
    for folder in ["examples", "examples/drawing/src"] {
        let mut text = String::new();
        sources(&root().join(folder), &mut text);
        texts.push((folder, text));
    }
    for (name, text) in texts {
        let inner = ["isostep_core::", "isostep_rollback::", "isostep_netcode::"];
        let found: Vec<_> = text
            .lines()
            .filter(|line| {
                line.trim_start().starts_with("use ") && inner.iter().any(|it| line.contains(it))
            })
            .collect();
        assert_eq!(found, Vec::<&str>::new(), "in {name}");
    }
}

/// The part from the coder to the end of the examples.
fn windows(text: &str) -> (&str, &str) {
    let (rules, examples) = text
        .split_once("### Range coder")
        .and_then(|(_, rest)| rest.split_once("### Examples"))
        .expect("the coder, then examples");
    (rules, examples.split("```").nth(1).expect("a block of examples"))
}

#[test]
fn the_windows_are_the_same_in_both_documents() {
    let (wire, spec) = (read("WIRE.md"), read("rollback/src/window/SPEC.md"));
    assert!(
        windows(&wire).0.contains("### Probabilities") && windows(&wire).0.contains("### Window")
    );
    assert_eq!(windows(&wire), windows(&spec));
    assert!(read("REPLAY.md").contains("[WIRE.md](WIRE.md), section 7"), "it says where they are");
    assert!(wire.contains("\n## 7. Coded stream of inputs\n"), "and they are there");
}

#[test]
fn every_module_is_on_the_map() {
    let map = read("ARCHITECTURE.md");
    let rooms = ["core/src", "rollback/src", "netcode/src"].into_iter().flat_map(|home| {
        let rooms = std::fs::read_dir(root().join(home)).expect("the folder exists");
        rooms.map(move |entry| (home, entry.expect("a readable entry").file_name()))
    });
    for (home, room) in rooms {
        let room = format!("{home}/{}", room.to_string_lossy());
        if root().join(&room).is_file()
            || map.contains(&format!("`{room}/`"))
            || map.contains(&format!("{room}/mod.rs"))
        {
            continue;
        }
        let files = std::fs::read_dir(root().join(&room)).expect("a folder");
        for file in files.map(|entry| entry.expect("a readable entry").file_name()) {
            let path = format!("{room}/{}", file.to_string_lossy());
            assert!(path.ends_with("mod.rs") || map.contains(&path), "{path} is not on the map");
        }
    }
}

/// CI compares the README with the demo's output.
#[test]
fn the_guide_shows_the_desync_that_the_readme_shows() {
    let guide = read("docs/how-rollback-works.md");
    let shown: Vec<_> = guide.lines().filter(|line| line.starts_with("Desync on ")).collect();
    assert_eq!(shown.len(), 1);
    assert!(read("README.md").lines().any(|line| line == shown[0]), "{shown:?}");
}

#[test]
fn the_summary_has_every_page_of_the_guide() {
    let summary = links(&read("docs/SUMMARY.md"));
    let pages = std::fs::read_dir(root().join("docs")).expect("the folder exists");
    for page in pages.map(|entry| entry.expect("a readable entry").file_name()) {
        let page = page.to_string_lossy().into_owned();
        let is_page = page.split('.').next_back() == Some("md") && page != "SUMMARY.md";
        assert_eq!(summary.contains(&page), is_page, "{page}");
    }
}

/// Test folders whose files are modules of one binary, `all.rs`, or binaries that the manifest
/// names.
const TESTED: [&str; 7] = [
    "",
    "cli/",
    "core/",
    "determinism-tests/",
    "determinism-tests/exactness/",
    "netcode/",
    "rollback/",
];

/// Rust files, and folders with Rust files, by module name.
fn modules(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    let modules = paths.filter(|path| {
        path.extension().is_some_and(|extension| extension == "rs")
            || ["main.rs", "mod.rs"].iter().any(|file| path.join(file).exists())
    });
    let stem = |path: PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    modules.map(stem).collect()
}

/// Modules of a folder that its root file does not declare: their tests would not run.
fn undeclared(folder: &Path, root: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(root)).expect("a root file");
    let declared = |module: &String| {
        let declaration = format!("mod {module};");
        let visible =
            ["", "pub ", "pub(crate) "].map(|visibility| format!("{visibility}{declaration}"));
        text.lines().any(|line| visible.iter().any(|declaration| declaration == line))
    };
    let name = root.trim_end_matches(".rs");
    modules(folder).into_iter().filter(|module| module != name && !declared(module)).collect()
}

/// Without this, an undeclared file would never be compiled.
#[test]
fn every_test_file_is_part_of_a_binary() {
    for home in TESTED {
        let (folder, manifest) =
            (root().join(format!("{home}tests")), read(&format!("{home}Cargo.toml")));
        assert!(manifest.contains("\nautotests = false\n"), "{home}Cargo.toml");
        let binary =
            |module: &String| manifest.contains(&format!("[[test]]\nname = \"{module}\"\n"));
        assert!(binary(&"all".to_owned()), "{home}Cargo.toml");
        let lost: Vec<_> =
            undeclared(&folder, "all.rs").into_iter().filter(|module| !binary(module)).collect();
        assert_eq!(lost, Vec::<String>::new(), "in {home}tests");
        for module in modules(&folder) {
            for root in ["main.rs", "mod.rs"]
                .into_iter()
                .filter(|root| folder.join(&module).join(root).exists())
            {
                let lost = undeclared(&folder.join(&module), root);
                assert_eq!(lost, Vec::<String>::new(), "in {home}tests/{module}");
            }
        }
    }
}

/// Files below a folder that contain `unsafe` code, tests aside.
fn unsafe_files(folder: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(root().join(folder)).expect("the folder exists") {
        let name = entry.expect("a readable entry").file_name();
        let path = format!("{folder}/{}", name.to_string_lossy());
        if root().join(&path).is_dir() {
            unsafe_files(&path, found);
        } else if !path.ends_with("tests.rs") {
            let code = read(&path);
            let mut lines =
                code.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
            if lines.any(|line| {
                ["unsafe {", "unsafe impl", "unsafe fn"].iter().any(|it| line.contains(it))
            }) {
                found.push(path);
            }
        }
    }
}

/// The map said that the lanes have the only `unsafe` of core, while the worker pool had some.
#[test]
fn the_map_lists_every_file_of_core_with_unsafe() {
    let mut found = Vec::new();
    unsafe_files("core/src", &mut found);
    found.sort();
    let map = read("ARCHITECTURE.md");
    let (_, list) = map.split_once("Files of core with `unsafe`").expect("the map lists them");
    let mut listed = named_paths(list.split("\n\n").next().expect("a paragraph"));
    listed.sort();
    assert_eq!(listed, found);
}
