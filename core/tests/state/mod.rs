//! States as a session uses them: values and worlds, saved, loaded, digested and compared.

mod pages;
mod schedule;
mod values;
mod worlds;

use isostep_core::Tick;
use isostep_core::internals::DigestTree;
use isostep_core::state::{State, StateDifference};

/// The differences that two machines find in a tick: by trees, then pages, then fields.
fn differences<S: State>(
    ours: (&S, &S::Slots),
    theirs: (&S, &S::Slots),
    tick: u32,
) -> Vec<StateDifference> {
    let tree = |(state, slots): (&S, &S::Slots)| {
        let mut tree = DigestTree::new();
        state.tree(slots, Tick(tick), "", &mut tree).unwrap();
        tree
    };
    let (our_tree, their_tree) = (tree(ours), tree(theirs));
    let mut found = Vec::new();
    for at in our_tree.diff(&their_tree) {
        let mut bytes = Vec::new();
        assert!(theirs.0.page(theirs.1, Tick(tick), "", at.section, at.page, &mut bytes).unwrap());
        let before = found.len();
        let known =
            ours.0.explain(ours.1, Tick(tick), "", at.section, at.page, &bytes, 100, &mut found);
        assert!(known.unwrap());
        assert!(found.len() > before, "{at:?} differs, and nothing in it");
    }
    found
}
