//! Observers of a run: one records the reference, one compares digests, and one steps a reference beside the run and
//! compares fields.

use super::runner::{Found, Instance, Observer, Stop, refused};
use super::script::ScriptedInputs;
use crate::Tick;
use crate::pages::{MAX_PER_SECTION, rank};
use crate::simulation::Simulation;
use isostep_core::digest::ShortDigest;
use isostep_core::internals::DigestTree;
use isostep_core::state::{StateDifference, StateError};
use std::collections::BTreeMap;

/// Maximum number of fields in a difference.
const MAX_FIELDS: usize = 16;

/// Digests of the reference on a tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReferenceTick {
    pub(super) digest: ShortDigest,
    pub(super) sections: BTreeMap<String, ShortDigest>,
}

/// Ticks to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compare {
    /// All ticks.
    #[default]
    EachTick,
    /// Multiples of this, and the last tick.
    Every(u32),
    /// 0, 1, 2, 4, 8 and so on, and the last tick.
    Doubling,
}

impl Compare {
    pub(super) const fn wants(self, tick: Tick, last: u32) -> bool {
        if tick.0 == last {
            return true;
        }
        match self {
            Self::EachTick => true,
            Self::Every(ticks) => ticks > 0 && tick.0.is_multiple_of(ticks),
            Self::Doubling => tick.0 & tick.0.wrapping_sub(1) == 0,
        }
    }
}

/// Progress callback: ticks done, ticks in total, name of the run.
pub(super) type ProgressFn<'a> = dyn FnMut(u64, u64, &str) + 'a;

/// Progress of a check.
#[derive(Default)]
pub(super) struct Progress<'a> {
    pub(super) callback: Option<&'a mut ProgressFn<'a>>,
    pub(super) run: String,
    /// Ticks of completed runs, and of all runs.
    pub(super) before: u64,
    pub(super) total: u64,
}

impl Progress<'_> {
    fn reached(&mut self, tick: Tick) {
        if let Some(callback) = &mut self.callback {
            callback(self.before + u64::from(tick.0), self.total, &self.run);
        }
    }
}

fn digest<S: Simulation>(tick: Tick, game: &S, slots: &S::Slots) -> Result<ShortDigest, Stop> {
    let digest = game.digest(slots, tick).map_err(refused::<StateError>(tick))?;
    Ok(digest.short())
}

fn tree<S: Simulation>(tick: Tick, game: &S, slots: &S::Slots) -> Result<DigestTree, Stop> {
    let mut tree = DigestTree::new();
    game.tree(slots, tick, "", &mut tree).map_err(refused::<StateError>(tick))?;
    Ok(tree)
}

fn sections(tree: &DigestTree) -> BTreeMap<String, ShortDigest> {
    tree.section_digests().into_iter().map(|(name, digest)| (name, digest.short())).collect()
}

/// Returns the names of differing sections, causes before effects.
pub(super) fn differing_sections(
    ours: &BTreeMap<String, ShortDigest>,
    theirs: &BTreeMap<String, ShortDigest>,
) -> Vec<String> {
    let mut names: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
    names.sort();
    names.dedup();
    names.retain(|name| ours.get(*name) != theirs.get(*name));
    names.sort_by_key(|name| rank(name));
    names.into_iter().cloned().collect()
}

/// Records the digests of the reference.
pub(super) struct ReferenceRecorder<'a, 'm> {
    pub(super) compare: Compare,
    pub(super) last: u32,
    pub(super) reference_ticks: &'a mut BTreeMap<Tick, ReferenceTick>,
    pub(super) progress: &'a mut Progress<'m>,
}

impl<S: Simulation> Observer<S> for ReferenceRecorder<'_, '_> {
    fn observe(&mut self, tick: Tick, game: &S, slots: &S::Slots) -> Result<(), Stop> {
        self.progress.reached(tick);
        if self.compare.wants(tick, self.last) {
            let digest = digest(tick, game, slots)?;
            let sections = sections(&tree(tick, game, slots)?);
            self.reference_ticks.insert(tick, ReferenceTick { digest, sections });
        }
        Ok(())
    }
}

/// Ticks that compared equal. A tick may be observed twice and be equal only once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Agreed {
    newest: Option<Tick>,
    /// The previous value of `newest`.
    before: Option<Tick>,
}

impl Agreed {
    fn record(&mut self, tick: Tick) {
        if self.newest != Some(tick) {
            self.before = self.newest.replace(tick);
        }
    }

    /// Returns the newest equal tick before `tick`.
    pub(super) fn until(self, tick: Tick) -> Option<Tick> {
        let earlier = |agreed: &Tick| *agreed < tick;
        self.newest.filter(earlier).or_else(|| self.before.filter(earlier))
    }
}

/// Compares digests with those of the reference.
pub(super) struct DigestComparator<'a, 'm> {
    reference_ticks: &'a BTreeMap<Tick, ReferenceTick>,
    progress: &'a mut Progress<'m>,
    pub(super) agreed: Agreed,
    /// Newest tick reached.
    pub(super) reached: Tick,
    /// Its digest, if it was compared.
    pub(super) newest: Option<ShortDigest>,
}

impl<'a, 'm> DigestComparator<'a, 'm> {
    pub(super) const fn new(
        reference_ticks: &'a BTreeMap<Tick, ReferenceTick>,
        progress: &'a mut Progress<'m>,
    ) -> Self {
        Self {
            reference_ticks,
            progress,
            agreed: Agreed { newest: None, before: None },
            reached: Tick(0),
            newest: None,
        }
    }
}

impl<S: Simulation> Observer<S> for DigestComparator<'_, '_> {
    fn observe(&mut self, tick: Tick, game: &S, slots: &S::Slots) -> Result<(), Stop> {
        self.progress.reached(tick);
        self.reached = tick;
        let Some(expected) = self.reference_ticks.get(&tick) else { return Ok(()) };
        let digest = digest(tick, game, slots)?;
        self.newest = Some(digest);
        if digest == expected.digest {
            self.agreed.record(tick);
            return Ok(());
        }
        let sections = differing_sections(&sections(&tree(tick, game, slots)?), &expected.sections);
        Err(Stop::Differs(Found { tick, sections, fields: Vec::new(), more: false }))
    }
}

/// Steps a reference beside the run, and compares the fields of every tick after `after`.
pub(super) struct FieldComparator<'a, S: Simulation> {
    make: &'a dyn Fn() -> S,
    script: &'a ScriptedInputs<S::Input>,
    after: Option<Tick>,
    pub(super) agreed: Agreed,
    reference: Option<Instance<'a, S>>,
}

impl<'a, S: Simulation> FieldComparator<'a, S> {
    pub(super) fn new(
        make: &'a dyn Fn() -> S,
        script: &'a ScriptedInputs<S::Input>,
        after: Option<Tick>,
    ) -> Self {
        let agreed = Agreed { newest: after, before: None };
        Self { make, script, after, agreed, reference: None }
    }

    /// Returns the reference at a tick.
    fn at(&mut self, tick: Tick) -> Result<&Instance<'a, S>, Stop> {
        let instance = match self.reference.take() {
            Some(instance) if instance.tick <= tick => instance,
            _ => Instance::new((self.make)(), self.script, 2)?,
        };
        let instance = self.reference.insert(instance);
        while instance.tick < tick {
            instance.step(None)?;
        }
        Ok(instance)
    }
}

impl<S: Simulation> Observer<S> for FieldComparator<'_, S> {
    fn observe(&mut self, tick: Tick, game: &S, slots: &S::Slots) -> Result<(), Stop> {
        if self.after.is_some_and(|after| tick <= after) {
            return Ok(());
        }
        let instance = self.at(tick)?;
        if digest(tick, game, slots)? == digest(tick, &instance.game, &instance.slots)? {
            self.agreed.record(tick);
            return Ok(());
        }
        let (ours, theirs) =
            (tree(tick, game, slots)?, tree(tick, &instance.game, &instance.slots)?);
        let sections = differing_sections(&sections(&ours), &sections(&theirs));
        let fields = explain(tick, (game, slots), instance, (&ours, &theirs), &sections);
        let (fields, more) = fields.map_err(refused::<StateError>(tick))?;
        Err(Stop::Differs(Found { tick, sections, fields, more }))
    }
}

/// Returns the fields that differ from the reference, with the run's value as `local`, and true if there are more.
fn explain<S: Simulation>(
    tick: Tick,
    (game, slots): (&S, &S::Slots),
    reference: &Instance<'_, S>,
    (ours, theirs): (&DigestTree, &DigestTree),
    sections: &[String],
) -> Result<(Vec<(String, StateDifference)>, bool), StateError> {
    let (mut found, mut more): (Vec<(String, StateDifference)>, bool) = (Vec::new(), false);
    for section in sections {
        let most = (found.len() + MAX_PER_SECTION).min(MAX_FIELDS);
        let pages: Vec<u32> = ours
            .diff(theirs)
            .filter(|difference| difference.section == section)
            .map(|difference| difference.page)
            .collect();
        for page in pages {
            let left = most.saturating_sub(found.len());
            let (mut bytes, mut fields) = (Vec::new(), Vec::new());
            let Instance { game: other, slots: held, .. } = reference;
            other.page(held, tick, "", section, page, &mut bytes)?;
            // One more than needed, to detect further differences.
            let at = (section.as_str(), page);
            crate::pages::explain(game, slots, tick, at, &bytes, left + 1, &mut fields)?;
            more |= fields.len() > left;
            fields.truncate(left);
            found.extend(fields.into_iter().map(|field| (section.clone(), field)));
        }
    }
    Ok((found, more))
}
