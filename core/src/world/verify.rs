//! `ResimMode::Verify`: a resimulated tick is also computed in full, by a world that shares nothing with the first but the state
//! before the tick's commands. Both results are compared.

use super::World;
use super::frame::Store;
use super::registry::StateSection;

/// A world that computes a tick in full, or the command that it could not repeat.
pub(super) type Full = Result<World, String>;

impl World {
    /// Returns a world at this tick that has applied this tick's commands itself. It shares no pages, no caches and no
    /// history with this one.
    pub(super) fn replay_commands(&self) -> Full {
        let mut store = Store::default();
        let (base, work) = (self.base(), self.base());
        let [base, work] = [base, work].map(|frame| frame.copy_into(&self.store, &mut store));
        let mut full = self.with_state(store, base, work);
        for (number, command) in self.commands.iter().enumerate() {
            if let Err(error) = full.command(command.clone()) {
                return Err(format!(
                    "tick {}: the full resimulation refused command {number}, which the world accepted: {error}",
                    self.tick
                ));
            }
        }
        if full.spawned == self.spawned {
            Ok(full)
        } else {
            Err(format!("tick {}: spawns got other body ids in the full resimulation", self.tick))
        }
    }

    /// Steps the other world and notes the first difference.
    pub(super) fn verify(&mut self, full: Full) {
        if self.resim_difference.is_some() {
            return;
        }
        self.resim_difference = match full {
            Ok(mut full) => {
                full.step();
                self.first_difference(&full)
            }
            Err(refused) => Some(refused),
        };
    }

    /// Returns the first field of the current tick's state that another world has differently.
    fn first_difference(&self, other: &Self) -> Option<String> {
        let (ours, theirs) = (self.digest_tree(), other.digest_tree());
        let page = ours.diff(&theirs).next()?;
        let tick = self.tick;
        let explained = StateSection::from_name(page.section).and_then(|section| {
            let theirs = other.page_bytes(tick, section, page.page).ok()?;
            self.explain(tick, section, page.page, &theirs).ok()?.into_iter().next()
        });
        let what = explained.map_or_else(|| format!("page {}", page.page), |row| row.to_string());
        Some(format!("tick {tick}, {}: {what} (here: incremental, there: full)", page.section))
    }
}
