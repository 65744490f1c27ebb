//! Compares a scene with its golden, up to the first tick that differs.

use super::row::{Columns, Row, SECTIONS};
use super::{SceneGolden, last_tick, rows, spec};
use crate::scenes::{Size, Spec};
use core::fmt;

/// Lines of the goldens to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Size.
    pub size: Size,
    /// Last tick.
    pub until: u32,
}

impl Part {
    /// All lines of a size.
    pub const fn whole(size: Size) -> Self {
        Self { size, until: last_tick(size) }
    }

    /// Default extent: the whole small size, and the start of the full one.
    pub const USUAL: [Self; 2] = [Self::whole(Size::Small), Self { size: Size::Full, until: 64 }];
}

/// First difference between a scene and its golden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneDifference {
    /// The scene.
    pub spec: Spec,
    /// Last equal tick before it, if any.
    pub equal: Option<u32>,
    /// Committed line.
    pub expected: Row,
    /// Computed line.
    pub computed: Row,
}

/// Plays a scene up to the end of a part, or to the first line that differs. Returns the number of equal lines.
///
/// # Errors
/// The first line that differs.
pub fn compare(golden: &SceneGolden, part: Part) -> Result<u32, Box<SceneDifference>> {
    let Some(spec) = spec(golden.name, part.size) else { return Ok(0) };
    let expected = golden.rows.iter().filter(|row| row.size == part.size);
    let (mut equal, mut count) = (None, 0);
    for (&expected, computed) in expected.zip(rows(spec, part.until)) {
        if expected != computed {
            return Err(Box::new(SceneDifference { spec, equal, expected, computed }));
        }
        equal = Some(computed.tick);
        count += 1;
    }
    Ok(count)
}

impl SceneDifference {
    /// Names of the sections that differ.
    pub fn sections(&self) -> Vec<&'static str> {
        let digests = self.expected.sections.iter().zip(self.computed.sections);
        let differing = SECTIONS.iter().zip(digests).filter(|(_, (a, b))| **a != *b);
        differing.map(|(section, _)| section.name()).collect()
    }
}

impl fmt::Display for SceneDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { spec, equal, expected, computed } = self;
        let tick = expected.tick;
        let sections = match &self.sections()[..] {
            [] => "no section, but the root or the size in bytes".to_owned(),
            names => names.join(", "),
        };
        write!(f, "{spec} differs on tick {tick} in {sections}")?;
        match equal {
            Some(equal) => writeln!(f, "; tick {equal} is equal")?,
            None => writeln!(f, ", before any step")?,
        }
        let columns = Columns::of([expected, computed]);
        let [header, expected, computed] =
            [Row::header(columns), expected.line(columns), computed.line(columns)];
        writeln!(f, "  {header}\n  {expected}  expected\n  {computed}  computed")?;
        let (name, size) = (spec.name(), spec.size().name());
        write!(
            f,
            "  for entity and field: where it is right, `scenes --scene {name} --{size} --dump {tick} FILE`; here, \
             `scenes --against-dump FILE`"
        )
    }
}
