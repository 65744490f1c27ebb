//! A state as pages that outlive it, and the order in which differences are reported: causes before effects.

use crate::Tick;
use crate::simulation::Simulation;
use isostep_core::internals::DigestTree;
use isostep_core::state::{StateDifference, StateError};

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
                simulation.explain(slots, tick, "", section, *page, bytes, left, &mut found)?;
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
