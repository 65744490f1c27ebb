//! `isostep new`: creates a small game for two to eight players to start from. The files in `template/` are
//! copied with `{{name}}`, `{{isostep}}` and `{{viewer}}` (the dependencies), `{{docs}}` (path of the guide) and
//! `{{ci}}` (Isostep in CI) replaced. Exit codes: 0 created, 2 refused; a refused project leaves no
//! files behind.
//!
//! The game depends on the first of these: the checkout named by `--path`, the one around the
//! folder, the one that this command was built from, and the version of this command on crates.io
//! if it was built from there.

use crate::checkout;
use clap::{Arg, ArgMatches, Command, value_parser};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Examples:
  isostep new marbles
  isostep new marbles --path ~/code/isostep      with a checkout of Isostep of your choice
  then: cd marbles && cargo test && cargo run -- together";

/// Template files by destination.
const FILES: [(&str, &str); 11] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    ("README.md", include_str!("template/README.md.txt")),
    (".gitignore", include_str!("template/gitignore.txt")),
    ("rustfmt.toml", include_str!("template/rustfmt.toml")),
    (".github/workflows/ci.yml", include_str!("template/ci.yml")),
    ("src/game.rs", include_str!("template/src/game.rs")),
    ("src/main.rs", include_str!("template/src/main.rs")),
    ("src/record.rs", include_str!("template/src/record.rs")),
    ("src/terminal.rs", include_str!("template/src/terminal.rs")),
    ("src/udp.rs", include_str!("template/src/udp.rs")),
    ("tests/game.rs", include_str!("template/tests/game.rs")),
];

/// Folder of this crate when it was built: in a checkout, or in cargo's copy of the registry.
const BUILT_FROM: &str = env!("CARGO_MANIFEST_DIR");

/// README section of a game that depends on a checkout.
const CI_WITH_PATH: &str = "
## Isostep in CI

Cargo.toml names Isostep by a path on your machine. For CI it has to lie in this repository: `git submodule add URL-OF-ISOSTEP isostep`, and in
Cargo.toml `isostep = { path = \"isostep\" }`.
";

/// Names reserved by Cargo or the compiler, or used by the template's dependencies.
const TAKEN: [&str; 12] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "game",
    "incremental",
    "isostep",
    "proc_macro",
    "serde",
    "std",
    "test",
];

/// Names of devices on Windows, which can't be those of folders there.
const DEVICES: [&str; 4] = ["aux", "con", "nul", "prn"];

/// Keywords of the language, which can't be crate names.
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Errors of `isostep new`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NewError {
    #[error("{name}: {why}; choose a name like tug-of-war")]
    Name { name: String, why: &'static str },
    #[error("{0} exists already: choose another name, or move it away")]
    Exists(String),
    #[error(
        "no checkout of Isostep: none is here or above, and the one that this command was built from ({BUILT_FROM}/..) is gone; say where one is with --path DIR, or install the command from crates.io once it is published"
    )]
    NoCheckout,
    #[error("--path {}: not a checkout of Isostep ({why}); give {}", path.display(), give.display())]
    NotACheckout { path: PathBuf, why: &'static str, give: PathBuf },
    #[error("--path {}: Cargo.toml can't hold this path; move the checkout to a path of plain text", .0.display())]
    NoText(PathBuf),
    #[error("{}: can't be written ({error}); free some space, or use another folder", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("the result can't be printed: {0}")]
    Print(#[from] io::Error),
}

pub(crate) fn command() -> Command {
    let path = Arg::new("path").long("path").value_name("DIR").value_parser(value_parser!(PathBuf));
    Command::new("new")
        .about("Creates a small game for two to eight players with tests, to start from")
        .long_about(
            "Makes a folder with a game for two to eight players: physics, a match over UDP or in one process, tests, and a determinism \
             check for CI. It builds and plays as it is; change it into your own.",
        )
        .arg(Arg::new("name").value_name("NAME").required(true).help("Name of the game, its crate and its folder"))
        .arg(path.help("Checkout of Isostep to depend on; by default the one around this folder, else the one this command was built from, else crates.io"))
        .after_help(EXAMPLE)
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<ExitCode, NewError> {
    let name = arguments.get_one::<String>("name").expect("clap requires it");
    let wrong = |why| NewError::Name { name: name.clone(), why };
    check_name(name).map_err(wrong)?;
    let here = std::env::current_dir()?;
    let folder = here.join(name);
    if folder.exists() {
        return Err(NewError::Exists(name.clone()));
    }
    let source = source(arguments.get_one::<PathBuf>("path"), &here, Path::new(BUILT_FROM))?;
    let (dependency, viewer, docs, ci) = match &source {
        Source::Checkout(checkout) => {
            let path = path_between(&folder, checkout);
            let path = path.to_str().filter(|path| !path.contains(char::is_control));
            let path = path.ok_or_else(|| NewError::NoText(checkout.clone()))?.replace('\\', "/");
            let quoted = path.replace('"', "\\\"");
            let dependency = format!("isostep = {{ path = \"{quoted}\" }}");
            let viewer =
                format!("isostep-viewer = {{ path = \"{quoted}/viewer\", optional = true }}");
            (dependency, viewer, format!("{path}/docs/SUMMARY.md"), CI_WITH_PATH)
        }
        Source::Registry => {
            let version = env!("CARGO_PKG_VERSION");
            let dependency = format!("isostep = \"{version}\"");
            let viewer = format!("isostep-viewer = {{ version = \"{version}\", optional = true }}");
            (dependency, viewer, "https://docs.rs/isostep".to_owned(), "")
        }
    };
    let texts = [
        ("{{name}}", &**name),
        ("{{isostep}}", &*dependency),
        ("{{viewer}}", &*viewer),
        ("{{docs}}", &*docs),
        ("{{ci}}", ci),
    ];
    write(&folder, &texts).inspect_err(|_| {
        // Safe to remove: this call created the folder.
        let _ = fs::remove_dir_all(&folder);
    })?;
    if let Source::Checkout(checkout) = &source {
        // Reuses the tested versions, which are already downloaded.
        let _ = fs::copy(checkout.join("Cargo.lock"), folder.join("Cargo.lock"));
    }
    let out = &mut io::stdout().lock();
    writeln!(
        out,
        "Created {name}: a game for two to eight players, with tests. Its Cargo.toml has {dependency}."
    )?;
    writeln!(out, "  cd {name}")?;
    writeln!(
        out,
        "  cargo test                 the rules, and that every machine computes the same"
    )?;
    writeln!(out, "  cargo run -- together      two players in one process, over a bad network")?;
    writeln!(out, "See its README.md for more.")?;
    Ok(ExitCode::SUCCESS)
}

/// Source of the game's dependency.
#[derive(Debug, PartialEq)]
enum Source {
    /// A checkout of the repository.
    Checkout(PathBuf),
    /// crates.io, with the version of this command.
    Registry,
}

/// Finds the source: the named checkout, the one around `here`, or the one or the registry that this
/// command was built from.
fn source(named: Option<&PathBuf>, here: &Path, built_from: &Path) -> Result<Source, NewError> {
    if let Some(path) = named {
        let found = checkout::is_checkout(path).then(|| path.canonicalize().ok()).flatten();
        return found.map(Source::Checkout).ok_or_else(|| not_a_checkout(path));
    }
    // Cargo unpacks crates of a registry into registry/src/INDEX/NAME-VERSION.
    let from_registry =
        built_from.ancestors().nth(2).is_some_and(|at| at.ends_with("registry/src"));
    if let Some(checkout) = checkout::above(here) {
        Ok(Source::Checkout(checkout))
    } else if from_registry {
        Ok(Source::Registry)
    } else {
        checkout::above(built_from).map(Source::Checkout).ok_or(NewError::NoCheckout)
    }
}

/// Says what is wrong with the folder of `--path`.
fn not_a_checkout(path: &Path) -> NewError {
    let clone = PathBuf::from("the folder that `git clone` created");
    let (why, give) = match path.canonicalize() {
        Err(_) => ("there is no such folder", clone),
        Ok(full) if !full.is_dir() => ("it is a file", clone),
        Ok(full) => match checkout::above(&full) {
            Some(checkout) => ("it is a folder inside of one", checkout),
            None if full.join("Cargo.toml").exists() => {
                ("its Cargo.toml is that of another package", clone)
            }
            None => ("its Cargo.toml is missing", clone),
        },
    };
    NewError::NotACheckout { path: path.to_owned(), why, give }
}

/// Returns whether a file of this name is a device on Windows.
fn is_device(name: &str) -> bool {
    let port = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    DEVICES.contains(&name) || port.is_some_and(|port| matches!(port.as_bytes(), [b'0'..=b'9']))
}

/// Checks that a name is valid for a crate, a folder and a game.
fn check_name(name: &str) -> Result<(), &'static str> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    if name.is_empty() || name.len() > 64 {
        Err("a crate's name has 1 to 64 letters")
    } else if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(plain) {
        Err("a crate's name is a lowercase letter, then lowercase letters, digits, - and _")
    } else if TAKEN.contains(&&*name.replace('-', "_")) || KEYWORDS.contains(&name) {
        Err("this name is reserved in Rust or by the template")
    } else if is_device(name) {
        Err("Windows reserves this name for a device")
    } else {
        Ok(())
    }
}

/// Path of the checkout in the project's manifest: relative if one contains the other or they share
/// a parent, since they move together; else absolute.
fn path_between(folder: &Path, checkout: &Path) -> PathBuf {
    let home = folder.parent().and_then(|parent| parent.canonicalize().ok());
    let checkout = checkout.canonicalize().unwrap_or_else(|_| checkout.to_owned());
    let steps = |down: &Path| "../".repeat(down.components().count() + 1);
    if let Some(home) = home {
        if let Ok(down) = home.strip_prefix(&checkout) {
            return PathBuf::from(steps(down).trim_end_matches('/'));
        }
        if let (Some(beside), Some(last)) = (checkout.parent(), checkout.file_name())
            && let Ok(down) = home.strip_prefix(beside)
        {
            return PathBuf::from(steps(down)).join(last);
        }
    }
    checkout
}

fn write(folder: &Path, texts: &[(&str, &str)]) -> Result<(), NewError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| NewError::Write { path, error }
    };
    for (file, text) in FILES {
        let path = folder.join(file);
        let parent = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(parent).map_err(failed(parent))?;
        let text =
            texts.iter().fold(text.to_owned(), |text, (key, value)| text.replace(key, value));
        fs::write(&path, text).map_err(failed(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_names_follow_crate_rules() {
        for good in
            ["marbles", "tug-of-war", "a", "game2", "my_game", "com", "com10", "comx", "console"]
        {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        let long = "a".repeat(65);
        for bad in [
            "",
            "2d",
            "Marbles",
            "a b",
            "../a",
            "a/b",
            "über",
            "-a",
            "fn",
            "core",
            "proc-macro",
            "isostep",
            "game",
            "con",
            "nul",
            "aux",
            "prn",
            "com1",
            "com9",
            "lpt1",
            "lpt9",
            &long,
        ] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_template_has_five_placeholders() {
        for (file, text) in FILES {
            let words = |word: &str| text.matches(word).count();
            assert_eq!(words("{{isostep}}"), usize::from(file == "Cargo.toml"), "{file}");
            assert_eq!(words("{{viewer}}"), usize::from(file == "Cargo.toml"), "{file}");
            assert_eq!(words("{{docs}}"), usize::from(file == "README.md"), "{file}");
            assert_eq!(words("{{ci}}"), usize::from(file == "README.md"), "{file}");
            assert!(text.lines().count() < 185, "{file} is no longer small");
        }
    }

    #[test]
    fn a_command_from_a_registry_depends_on_the_registry() {
        let nowhere = Path::new("/nowhere");
        let unpacked = Path::new("/home/a/.cargo/registry/src/index.crates.io-1/isostep-cli-0.1.0");
        assert_eq!(source(None, nowhere, unpacked).expect("a source"), Source::Registry);
    }

    #[test]
    fn a_command_from_a_checkout_depends_on_that_checkout() {
        let built = Path::new(BUILT_FROM);
        let checkout = built.parent().expect("the repository").to_owned();
        let found = source(None, Path::new("/nowhere"), built).expect("a source");
        assert_eq!(found, Source::Checkout(checkout));
    }

    #[test]
    fn without_its_checkout_a_command_asks_for_one() {
        let gone = source(None, Path::new("/nowhere"), Path::new("/gone/isostep/cli"));
        let error = gone.expect_err("nothing to depend on").to_string();
        assert!(error.contains("--path DIR") && error.contains("crates.io"), "{error}");
    }
}
