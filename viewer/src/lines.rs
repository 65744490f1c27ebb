//! Debug lines of a world for a page: which of them its switches stand for, and lines as bytes or numbers.

use isostep_core::world::{BodyKind, DebugDraw, DebugLine, DebugTopic, World};
use isostep_core::{Real, Vec3};
use serde_json::Value;

/// Switches of the pages: names, and the topics that they stand for.
const SWITCHES: [(&str, &[DebugTopic]); 7] = [
    ("shapes", &[DebugTopic::Shapes]),
    ("contacts", &[DebugTopic::Contacts, DebugTopic::Normals, DebugTopic::Impulses]),
    ("bounds", &[DebugTopic::Bounds]),
    ("islands", &[DebugTopic::Islands, DebugTopic::Joints]),
    ("sleep", &[DebugTopic::Sleep]),
    ("centres", &[DebugTopic::Centers]),
    ("sensors", &[DebugTopic::Sensors]),
];

/// Error of a list of switches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a switch of debug lines: use shapes, contacts, bounds, islands, sleep, centres or sensors"
)]
pub struct NoSuchSwitch(pub String);

/// Switches that are on. With none of them, no line is computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Names, in the order of the pages.
    names: Vec<&'static str>,
}

impl Switches {
    /// Parses names with commas between them; empty for none.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn read(list: &str) -> Result<Self, NoSuchSwitch> {
        let mut chosen = [false; SWITCHES.len()];
        for name in list.split(',').filter(|name| !name.is_empty()) {
            let at = SWITCHES.iter().position(|switch| switch.0 == name);
            chosen[at.ok_or_else(|| NoSuchSwitch(name.chars().take(40).collect()))?] = true;
        }
        let on = SWITCHES.iter().zip(chosen).filter(|(_, chosen)| *chosen);
        Ok(Self { names: on.map(|(switch, _)| switch.0).collect() })
    }

    /// The names, with commas between them.
    pub fn text(&self) -> String {
        self.names.join(",")
    }

    /// Computes the lines of a world.
    pub fn lines(&self, world: &World) -> Vec<DebugLine> {
        let mut lines = Vec::new();
        if !self.names.is_empty() {
            let on = SWITCHES.iter().filter(|(name, _)| self.names.contains(name));
            let topics = on.flat_map(|(_, topics)| topics.iter().copied());
            // Marks of a size that is visible when the whole field is.
            let draw = DebugDraw::new(topics).mark(Real::ratio(3, 10)).impulse_scale(scale(world));
            world.debug_lines(&draw, |line| lines.push(line));
        }
        lines
    }
}

/// Metres for an impulse of 1 N·s. Masses differ from game to game: the weight of an average body during a sixtieth of a second
/// has a metre.
fn scale(world: &World) -> Real {
    let masses = world.bodies().filter(|(_, body)| body.kind() == BodyKind::Dynamic);
    let (sum, count) = masses
        .fold((0.0, 0.0), |(sum, count), (_, body)| (sum + body.mass().to_f64(), count + 1.0));
    let scale = 60.0 / (9.81 * (sum / f64::max(count, 1.0)).max(0.01));
    Real::from_f64(scale.min(100.0)).unwrap_or(Real::ONE)
}

/// Lines as numbers: both ends in millimetres, and the colour as one number, red first.
pub(crate) fn numbers(lines: &[DebugLine]) -> Value {
    let millimetres = |v: Vec3| v.to_array().map(|c| (c.to_f64() * 1000.0).round() as i64);
    let line = |line: &DebugLine| {
        let ([a, b, c], [d, e, f]) = (millimetres(line.start), millimetres(line.end));
        [a, b, c, d, e, f, i64::from(u32::from_be_bytes(line.color))]
    };
    lines.iter().flat_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_core::real;
    use isostep_core::shape::Shape;
    use isostep_core::world::{BodyDef, WorldDef};

    #[test]
    fn switches_have_one_order_and_no_duplicates() {
        for list in ["contacts,bounds", "bounds,contacts", ",bounds,,contacts,bounds"] {
            assert_eq!(Switches::read(list).unwrap().text(), "contacts,bounds");
        }
        assert_eq!(Switches::read("").unwrap(), Switches::default());
        let all = SWITCHES.map(|switch| switch.0).join(",");
        assert_eq!(Switches::read(&all).unwrap().text(), all);
    }

    #[test]
    fn unknown_switches_are_refused() {
        for list in ["mood", "contacts,mood", "Contacts", "contacts bounds"] {
            assert!(Switches::read(list).is_err(), "{list}");
        }
        let long = "x".repeat(5000);
        assert!(Switches::read(&long).unwrap_err().to_string().len() < 200);
    }

    /// Each topic belongs to a switch: a new one without a switch fails here.
    #[test]
    fn switches_stand_for_all_topics() {
        let mut topics: Vec<_> = SWITCHES.iter().flat_map(|switch| switch.1).copied().collect();
        topics.sort();
        assert_eq!(topics, DebugTopic::ALL);
    }

    #[test]
    fn the_weight_of_a_body_is_a_metre_whatever_its_mass() {
        for mass in [real!(0.5), real!(80), real!(20000)] {
            let mut world = World::new(WorldDef::default()).unwrap();
            world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
            let ball = Shape::sphere(real!(0.5)).unwrap();
            let ball = BodyDef::dynamic().at(Vec3::Y * real!(0.5)).mass(mass).shape(ball);
            world.spawn(ball).unwrap();
            (0..20).for_each(|_| _ = world.step());
            let lines = Switches::read("contacts").unwrap().lines(&world);
            let pushes = lines.iter().filter(|line| line.topic == DebugTopic::Impulses);
            let lengths: Vec<_> =
                pushes.map(|line| (line.end - line.start).length().to_f64()).collect();
            assert!(matches!(lengths[..], [length] if (length - 1.0).abs() < 0.1), "{lengths:?}");
        }
    }

    #[test]
    fn lines_are_seven_numbers_each() {
        let mut world = World::new(WorldDef::default()).unwrap();
        let half = Vec3::new(real!(1), real!(2), real!(0.5));
        let slab = BodyDef::fixed().at(Vec3::new(real!(0.25), real!(0), real!(-3)));
        world.spawn(slab.shape(Shape::cuboid(half).unwrap())).unwrap();
        assert_eq!(Switches::default().lines(&world), []);
        let lines = Switches::read("shapes").unwrap().lines(&world);
        let numbers = numbers(&lines);
        let numbers: Vec<_> =
            numbers.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect();
        assert_eq!(numbers.len(), 12 * 7);
        // The first edge, along x from the least corner; the colour of fixed bodies.
        assert_eq!(numbers[..6], [-750, -2000, -3500, 1250, -2000, -3500]);
        assert_eq!(numbers[6] as u32, u32::from_be_bytes(lines[0].color));
        assert_eq!(numbers[6] & 0xff, 255, "opaque");
    }
}
