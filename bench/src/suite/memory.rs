//! Memory of one more tick of history, by scene and by body.

use super::Ours;
use super::field::{SETTLE, laid};
use super::staging::SCENES;
use crate::engine::Engine;
use crate::report::{Report, Row, Section, Unit};
use crate::stats::Spread;
use isostep_core::world::World;
use isostep_core::{Real, Vec3};

/// Falling bricks without contacts.
const FALLING: usize = 1000;

pub(super) fn measure(report: &mut Report, progress: &mut dyn FnMut(&str)) {
    progress("memory");
    let mut rows = Vec::new();
    let (mut falling, _) = laid(FALLING, |i| {
        Vec3::new(Real::from_int(i % 32 * 4), Real::from_int(1000), Real::from_int(i / 32 * 4))
    });
    for _ in 0..SETTLE {
        falling.step();
    }
    let body = a_tick(&falling) / FALLING as f64;
    rows.push(exact("memory/body", "an awake body that touches nothing", body));
    for name in SCENES {
        let Some(mut ours) = Ours::new(name) else { continue };
        ours.step(2 * SETTLE);
        let (bodies, contacts) = (f64::from(ours.last().bodies), f64::from(ours.last().contacts));
        let bytes = a_tick(ours.world());
        let per_body = format!("{name}: a body, with its {:.1} contacts", contacts / bodies);
        rows.push(exact(&format!("memory/{name}"), &per_body, bytes / bodies));
        let contact = (bytes - body * bodies) / contacts.max(1.0);
        rows.push(exact(
            &format!("memory/{name}/contact"),
            &format!("{name}: of that, a contact"),
            contact,
        ));
    }
    let note =
        "Bytes of pages that a tick does not share with the one before, for each body awake."
            .to_owned();
    report.sections.push(Section { title: "Memory of a tick".to_owned(), note, rows });
}

fn a_tick(world: &World) -> f64 {
    world.history_report().newest_bytes as f64
}

fn exact(key: &str, name: &str, bytes: f64) -> Row {
    Row::new(key, name, Unit::Bytes, Spread::exact(bytes))
}
