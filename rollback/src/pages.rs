//! A state as pages that outlive it, and the order in which differences are reported: causes before effects.

use crate::Tick;
use crate::simulation::Simulation;
use isostep_core::internals::DigestTree;
use isostep_core::state::{StateDifference, StateError};
use isostep_core::world::BodyId;

/// Maximum number of differences reported for one section, so that others are reported too.
pub(crate) const MAX_PER_SECTION: usize = 6;

/// All pages of a state.
#[derive(Debug, Default)]
pub(crate) struct Pages(Vec<(String, u32, Vec<u8>)>);

impl Pages {
    pub(crate) fn of<S: Simulation>(
        simulation: &S,
        slots: &S::Slots,
        tick: Tick,
    ) -> Result<Self, StateError> {
        let mut tree = DigestTree::new();
        simulation.tree(slots, tick, "", &mut tree)?;
        let mut sections: Vec<_> = tree.sections().collect();
        sections.sort_by_key(|(section, _)| rank(section));
        let mut pages = Vec::new();
        for (section, has) in sections {
            for &(page, _) in has.pages() {
                let mut bytes = Vec::new();
                simulation.page(slots, tick, "", section, page, &mut bytes)?;
                pages.push((section.to_owned(), page, bytes));
            }
        }
        Ok(Self(pages))
    }

    /// Returns the differences of a tick's state from these pages: its value as `local`, that of the pages as `remote`.
    pub(crate) fn explain<S: Simulation>(
        &self,
        simulation: &S,
        slots: &S::Slots,
        tick: Tick,
        most: usize,
    ) -> Result<Vec<StateDifference>, StateError> {
        let mut found = Vec::new();
        for pages in self.0.chunk_by(|a, b| a.0 == b.0) {
            let most = (found.len() + MAX_PER_SECTION).min(most);
            for (section, page, bytes) in pages {
                let left = most - found.len().min(most);
                explain(simulation, slots, tick, (section, *page), bytes, left, &mut found)?;
            }
        }
        Ok(found)
    }
}

/// Order of sections: settings before bodies and a game's own values, derived data last.
pub(crate) fn rank(section: &str) -> u8 {
    match section.rsplit('.').next() {
        Some("world" | "traits") => 0,
        Some("contacts") => 2,
        Some("events") => 3,
        _ => 1,
    }
}

/// Appends the differences between a page and another one's bytes, with the game's names of bodies.
pub(crate) fn explain<S: Simulation>(
    simulation: &S,
    slots: &S::Slots,
    tick: Tick,
    (section, page): (&str, u32),
    theirs: &[u8],
    limit: usize,
    found: &mut Vec<StateDifference>,
) -> Result<(), StateError> {
    let before = found.len();
    simulation.explain(slots, tick, "", section, page, theirs, limit, found)?;
    for difference in &mut found[before..] {
        name_bodies(&mut difference.entity, |body| simulation.body_name(body));
    }
    Ok(())
}

/// Inserts names behind the bodies of an entity: `arena.world body 7v1 (a crate)`.
fn name_bodies(entity: &mut String, name: impl Fn(BodyId) -> Option<String>) {
    // Words that precede a body in the entities of a world. A game's own ids have others.
    const BEFORE: [&str; 4] = ["body ", "contact ", " of ", "–"];
    let mut at = 0;
    while let Some(start) =
        BEFORE.iter().filter_map(|word| Some(at + entity[at..].find(word)? + word.len())).min()
    {
        at = start;
        let is_part = |c: char| c.is_ascii_digit() || c == 'v';
        let end = entity[at..].find(|c| !is_part(c)).map_or(entity.len(), |length| at + length);
        if let Some(name) = body(&entity[at..end]).and_then(&name) {
            let text = format!(" ({name})");
            entity.insert_str(end, &text);
            at = end + text.len();
        }
    }
}

/// Parses the text of a body's id, like `7v1`.
fn body(text: &str) -> Option<BodyId> {
    let (index, generation) = text.split_once('v')?;
    let index: u32 = index.parse().ok()?;
    let stream = u8::try_from(index >> 16).ok()?;
    BodyId::new(stream, index as u16, generation.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_a_world_get_their_names_and_other_ids_do_not() {
        let name = |body: BodyId| match (body.stream(), body.index_in_stream(), body.generation()) {
            (0, 7, 1) => Some("a crate".to_owned()),
            (2, 3, 4) => Some("the body of a player".to_owned()),
            _ => None,
        };
        for (entity, expected) in [
            ("body 7v1", "body 7v1 (a crate)"),
            ("arena.world body 7v1", "arena.world body 7v1 (a crate)"),
            ("mark of 131075v4", "mark of 131075v4 (the body of a player)"),
            ("contact 7v1–8v1", "contact 7v1 (a crate)–8v1"),
            ("contact 8v1 shape 2–7v1", "contact 8v1 shape 2–7v1 (a crate)"),
            ("body 7v2", "body 7v2"),
            ("body 16777216v1", "body 16777216v1"),
            ("body ", "body "),
            ("tanks[7v1]", "tanks[7v1]"),
        ] {
            let mut text = entity.to_owned();
            name_bodies(&mut text, name);
            assert_eq!(text, expected);
        }
    }
}
