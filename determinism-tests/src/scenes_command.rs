//! The command `scenes`: compares, mints and explains the goldens of the scenes, down to the field.

use crate::{USAGE, misuse, profile};
use isostep_scenes::scene_golden::{self, Dump, Part, SceneGolden};
use isostep_scenes::scenes::{NAMES, Size};
use std::process::ExitCode;

/// Command line options.
#[derive(Default)]
struct Options<'a> {
    mint: bool,
    small: bool,
    full: bool,
    scene: Option<&'a str>,
    /// Folder of the goldens, if not the repository's.
    goldens: Option<&'a str>,
    dump: Option<(u32, &'a str)>,
    against: Option<&'a str>,
}

pub(crate) fn run(arguments: &[&str]) -> ExitCode {
    let Some(options) = Options::read(arguments) else { return misuse(USAGE) };
    if let Some(name) = options.scene
        && !NAMES.contains(&name)
    {
        return misuse(&format!("there is no scene {name}; there are {}", NAMES.join(", ")));
    }
    match options {
        Options { against: Some(_), dump: Some(_), .. } => misuse(USAGE),
        Options { against: Some(file), .. } => explain(file),
        Options { dump: Some((tick, file)), .. } => options.dump(tick, file),
        Options { mint: true, .. } => options.mint(),
        _ => options.compare(),
    }
}

impl<'a> Options<'a> {
    fn read(arguments: &[&'a str]) -> Option<Self> {
        let mut options = Self::default();
        let mut left = arguments.iter().copied();
        while let Some(argument) = left.next() {
            match argument {
                "--mint" => options.mint = true,
                "--small" => options.small = true,
                "--full" => options.full = true,
                "--scene" => options.scene = Some(left.next()?),
                "--goldens" => options.goldens = Some(left.next()?),
                "--dump" => options.dump = Some((left.next()?.parse().ok()?, left.next()?)),
                "--against-dump" => options.against = Some(left.next()?),
                _ => return None,
            }
        }
        Some(options)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().filter(|name| self.scene.is_none_or(|scene| scene == *name))
    }

    fn parts(&self) -> Vec<Part> {
        let chosen = [(self.small, Size::Small), (self.full, Size::Full)];
        let chosen: Vec<Part> =
            chosen.into_iter().filter(|(is, _)| *is).map(|(_, size)| Part::whole(size)).collect();
        if chosen.is_empty() { Part::USUAL.to_vec() } else { chosen }
    }

    fn path(&self, name: &str) -> String {
        match self.goldens {
            Some(folder) => format!("{folder}/{name}.txt"),
            None => scene_golden::path(name),
        }
    }

    /// Golden of a scene: from the folder, or built in.
    fn golden(&self, name: &str) -> Result<SceneGolden, String> {
        let path = self.path(name);
        let text = match self.goldens {
            Some(_) => {
                std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?
            }
            None => scene_golden::committed(name).unwrap_or_default().to_owned(),
        };
        SceneGolden::parse(name, &path, &text).map_err(|error| error.to_string())
    }

    fn compare(&self) -> ExitCode {
        // Reads all files before computing, so that a bad one fails at once.
        let goldens: Result<Vec<_>, _> = self.names().map(|name| self.golden(name)).collect();
        let goldens = match goldens {
            Ok(goldens) => goldens,
            Err(error) => return misuse(&error),
        };
        let mut differing = 0;
        for (golden, part) in goldens
            .iter()
            .flat_map(|golden| self.parts().into_iter().map(move |part| (golden, part)))
        {
            match scene_golden::compare(golden, part) {
                Ok(lines) => println!(
                    "{:<10} {:<5}  {lines:>2} lines to tick {:>5}: equal",
                    golden.name,
                    part.size.name(),
                    part.until
                ),
                Err(difference) => {
                    differing += 1;
                    println!("{difference}");
                }
            }
        }
        let (arch, profile) = (std::env::consts::ARCH, profile());
        if differing == 0 {
            println!("scenes: equal to the goldens ({arch} {profile})");
            ExitCode::SUCCESS
        } else {
            println!("scenes: {differing} differ ({arch} {profile})");
            ExitCode::FAILURE
        }
    }

    fn mint(&self) -> ExitCode {
        if self.small || self.full {
            return misuse("a golden has all sizes; mint it without --small and --full");
        }
        for name in self.names() {
            let path = self.path(name);
            let text =
                scene_golden::compute(name).map(|golden| golden.to_string()).unwrap_or_default();
            if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
                println!("{path} stays as it was");
            } else if let Err(error) = std::fs::write(&path, text) {
                return misuse(&format!("{path}: {error}; run this from the repository's root"));
            } else {
                println!("wrote {path}; its commit says SIM and why");
            }
        }
        ExitCode::SUCCESS
    }

    fn dump(&self, tick: u32, file: &str) -> ExitCode {
        let size = if self.full { Size::Full } else { Size::Small };
        let spec = self.scene.and_then(|name| scene_golden::spec(name, size));
        let Some(spec) = spec.filter(|_| !(self.small && self.full)) else {
            return misuse("--dump wants --scene NAME, and --small or --full");
        };
        let dump = Dump::play(spec, tick).map_err(|error| error.to_string());
        let written = dump.and_then(|dump| {
            std::fs::write(file, dump.to_bytes()).map_err(|error| format!("{file}: {error}"))
        });
        match written {
            Ok(()) => {
                println!("wrote {spec} on tick {tick} to {file}");
                ExitCode::SUCCESS
            }
            Err(error) => misuse(&error),
        }
    }
}

/// Limit on printed fields.
const SHOWN: usize = 20;

fn explain(file: &str) -> ExitCode {
    let read = std::fs::read(file).map_err(|error| error.to_string());
    let explained = read.and_then(|bytes| {
        let dump = Dump::from_bytes(&bytes).map_err(|error| error.to_string())?;
        let found = dump.explain().map_err(|error| error.to_string())?;
        Ok((dump, found))
    });
    let (dump, found) = match explained {
        Ok(explained) => explained,
        Err(error) => return misuse(&format!("{file}: {error}")),
    };
    let (spec, tick) = (dump.spec(), dump.tick());
    if found.is_empty() {
        println!("{spec}, tick {tick}: the same here as in {file}");
        return ExitCode::SUCCESS;
    }
    println!("{spec}, tick {tick}: {} fields differ (there: {file})", found.len());
    found.iter().take(SHOWN).for_each(|difference| println!("  {difference}"));
    if found.len() > SHOWN {
        println!("  … and {} more", found.len() - SHOWN);
    }
    ExitCode::FAILURE
}
