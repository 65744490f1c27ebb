//! Tree walk: sections, groups of pages, pages, bytes. Both machines see both sets of digests at each level, so both
//! choose the same branch.

use super::super::{Session, SessionEvent};
use super::message::Message;
use super::report::{Blame, CHANGED, DesyncReport, MISFIT, UNREADABLE};
use super::{Case, MAX_MESSAGE};
use crate::Tick;
use crate::pages::{MAX_PER_SECTION, explain, rank};
use crate::player::PeerId;
use crate::simulation::Simulation;
use isostep_core::digest::ShortDigest;
use isostep_core::internals::{DigestTree, Section};
use isostep_core::state::{StateDifference, StateError};
use std::collections::{BTreeMap, BTreeSet};

/// Pages in a group: two levels of it cover two million bodies.
const GROUP_PAGES: u32 = 256;
/// Maximum number of sections to descend into.
const MAX_WALKED: usize = 3;
/// Maximum number of differences in a report.
pub(super) const MAX_DIFFERENCES: usize = 16;

/// Level that both machines have reached.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Level {
    Sections,
    Groups,
    Pages,
    Page(u32),
}

/// A walk down the digest trees of one tick.
#[derive(Debug)]
pub(super) struct Walk {
    tick: Tick,
    level: Level,
    tree: DigestTree,
    section: String,
    /// Differing sections that follow the current one.
    rest: Vec<String>,
    group: u32,
    found: Vec<StateDifference>,
    /// The peer's recheck found the peer at fault.
    their_fault: bool,
}

/// Action after a message.
enum Next {
    Send(Message),
    Found(Vec<StateDifference>),
    Stuck(&'static str),
}

impl Walk {
    fn new(tick: Tick, tree: DigestTree, their_fault: bool) -> Self {
        Self {
            tick,
            level: Level::Sections,
            tree,
            section: String::new(),
            rest: Vec::new(),
            group: 0,
            found: Vec::new(),
            their_fault,
        }
    }

    /// Descends into the next section, if there is one.
    fn next_section(&mut self) -> Option<Next> {
        self.section = self.rest.pop()?;
        self.level = Level::Groups;
        Some(Next::Send(Message::Groups { tick: self.tick, digests: self.groups() }))
    }

    /// Continues with the next section, or ends; `None` if nothing was found.
    fn go_on(&mut self) -> Option<Next> {
        let next = self.next_section();
        next.or_else(|| {
            let found = core::mem::take(&mut self.found);
            (!found.is_empty()).then_some(Next::Found(found))
        })
    }

    fn sections(&self) -> Vec<(String, ShortDigest)> {
        let digests = self.tree.section_digests().into_iter();
        digests.map(|(name, digest)| (name, digest.short())).collect()
    }

    fn pages(&self) -> &[(u32, isostep_core::digest::Digest)] {
        self.tree.get(&self.section).map_or(&[], Section::pages)
    }

    fn groups(&self) -> Vec<(u32, ShortDigest)> {
        let groups = self.pages().chunk_by(|a, b| a.0 / GROUP_PAGES == b.0 / GROUP_PAGES);
        let digest = |pages: &[_]| Section::new(pages.iter().copied()).digest().short();
        groups.map(|pages| (pages[0].0 / GROUP_PAGES, digest(pages))).collect()
    }

    fn group_pages(&self) -> Vec<(u32, ShortDigest)> {
        let pages = self.pages().iter().filter(|page| page.0 / GROUP_PAGES == self.group);
        pages.map(|&(page, digest)| (page, digest.short())).collect()
    }
}

/// Returns the keys whose digests differ or that only one side has, ascending.
fn differences<K: Ord + Clone>(ours: &[(K, ShortDigest)], theirs: &[(K, ShortDigest)]) -> Vec<K> {
    let theirs: BTreeMap<&K, ShortDigest> = theirs.iter().map(|(key, it)| (key, *it)).collect();
    let ours: BTreeMap<&K, ShortDigest> = ours.iter().map(|(key, it)| (key, *it)).collect();
    let keys: BTreeSet<&K> = ours.keys().chain(theirs.keys()).copied().collect();
    let differs = |key: &&K| ours.get(*key) != theirs.get(*key);
    keys.into_iter().filter(differs).cloned().collect()
}

/// Returns the smallest differing key.
fn first_difference<K: Ord + Clone>(
    ours: &[(K, ShortDigest)],
    theirs: &[(K, ShortDigest)],
) -> Option<K> {
    differences(ours, theirs).into_iter().next()
}

impl<S: Simulation> Session<S> {
    pub(super) fn process_case(&mut self, peer: PeerId, simulation: &S) {
        let Some(case) = &self.desyncs.cases[peer.index()] else { return };
        let number = case.tick;
        let Some(report) = self.rechecked(number) else { return };
        if let Some(case) =
            self.desyncs.cases[peer.index()].as_mut().filter(|case| !case.recheck_sent)
        {
            case.recheck_sent = true;
            self.desyncs.send(peer, number, &report);
        }
        while let Some(case) = &mut self.desyncs.cases[peer.index()] {
            let Some(message) = case.inbox.pop_front() else { return };
            case.age = 0;
            match (case.walk.take(), message) {
                (None, Message::Rechecked { from, fault, trail }) => {
                    // The peer's digest message for this tick may have been lost, and the digest is a vote.
                    let at = number.since(from).checked_sub(1);
                    if let Some(digest) = at.and_then(|at| trail.get(at as usize)) {
                        self.checks.record_report(peer, number, *digest);
                    }
                    self.compare_trails(peer, number, from, fault, &trail, simulation);
                }
                (Some(mut walk), message) => match self.descend(&mut walk, message, simulation) {
                    Ok(Next::Send(message)) => {
                        self.desyncs.send(peer, number, &message);
                        if let Some(case) = &mut self.desyncs.cases[peer.index()] {
                            case.walk = Some(walk);
                        }
                    }
                    Ok(Next::Found(found)) => self.close_case(peer, &walk, found),
                    Ok(Next::Stuck(why)) => self.give_up(peer, why),
                    Err(_) => self.give_up(peer, UNREADABLE),
                },
                (None, _) => self.give_up(peer, MISFIT),
            }
        }
    }

    /// Finds the first differing tick, or closes the case if there is none.
    fn compare_trails(
        &mut self,
        peer: PeerId,
        number: Tick,
        from: Tick,
        their_fault: bool,
        theirs: &[ShortDigest],
        simulation: &S,
    ) {
        let Some(recheck) = &self.desyncs.recheck else { return };
        let digest = |trail: &[ShortDigest], from: Tick, tick: Tick| {
            trail.get(tick.since(from) as usize - 1).copied()
        };
        let first = recheck.from.max(from).next();
        let mut common = (first.0..=number.0).map(Tick).map(|tick| {
            (tick, digest(&recheck.trail, recheck.from, tick), digest(theirs, from, tick))
        });
        let differs = common.find(|(_, ours, theirs)| ours != theirs);
        let Some((tick, ours, theirs)) = differs else {
            // The machine at fault has repaired itself.
            self.desyncs.cases[peer.index()] = None;
            if their_fault {
                self.events.push(SessionEvent::PeerRepaired { peer });
            }
            return;
        };
        if ours.is_none() || theirs.is_none() {
            self.give_up(peer, MISFIT);
            return;
        }
        let mut tree = DigestTree::new();
        if simulation.tree(&self.slots, tick, "", &mut tree).is_err() {
            self.give_up(peer, UNREADABLE);
            return;
        }
        let walk = Walk::new(tick, tree, their_fault);
        self.desyncs.send(peer, number, &Message::Sections { tick, digests: walk.sections() });
        if let Some(case) = &mut self.desyncs.cases[peer.index()] {
            case.walk = Some(walk);
        }
    }

    /// Descends one level.
    fn descend(
        &self,
        walk: &mut Walk,
        message: Message,
        simulation: &S,
    ) -> Result<Next, StateError> {
        const SAME: Next = Next::Stuck(CHANGED);
        let tick = walk.tick;
        Ok(match (walk.level.clone(), message) {
            (Level::Sections, Message::Sections { tick: at, digests }) if at == tick => {
                walk.rest = differences(&walk.sections(), &digests);
                walk.rest.sort_by_key(|section| rank(section));
                walk.rest.truncate(MAX_WALKED);
                walk.rest.reverse();
                walk.next_section().unwrap_or(SAME)
            }
            (Level::Groups, Message::Groups { tick: at, digests }) if at == tick => {
                let Some(group) = first_difference(&walk.groups(), &digests) else {
                    return Ok(SAME);
                };
                walk.group = group;
                walk.level = Level::Pages;
                Next::Send(Message::Pages { tick, digests: walk.group_pages() })
            }
            (Level::Pages, Message::Pages { tick: at, digests }) if at == tick => {
                let Some(page) = first_difference(&walk.group_pages(), &digests) else {
                    return Ok(SAME);
                };
                walk.level = Level::Page(page);
                let mut bytes = Vec::new();
                simulation.page(&self.slots, tick, "", &walk.section, page, &mut bytes)?;
                // The header has a kind, the case, the tick and a flag.
                let bytes = (bytes.len() + 8 <= MAX_MESSAGE).then_some(bytes);
                Next::Send(Message::Page { tick, bytes })
            }
            (Level::Page(page), Message::Page { tick: at, bytes: Some(theirs) }) if at == tick => {
                let Walk { section, found, .. } = walk;
                let most = MAX_PER_SECTION;
                explain(simulation, &self.slots, tick, (section, page), &theirs, most, found)?;
                walk.go_on().unwrap_or(SAME)
            }
            (Level::Page(_), Message::Page { tick: at, bytes: None }) if at == tick => {
                walk.found.push(StateDifference {
                    entity: walk.section.clone(),
                    field: "page".to_owned(),
                    local: "too long to send".to_owned(),
                    remote: "too long to send".to_owned(),
                });
                walk.go_on().unwrap_or(SAME)
            }
            _ => Next::Stuck(MISFIT),
        })
    }

    fn close_case(&mut self, peer: PeerId, walk: &Walk, found: Vec<StateDifference>) {
        let Some(Case { tick, .. }) = self.desyncs.cases[peer.index()].take() else { return };
        let blame = if walk.their_fault { Blame::Remote } else { self.blame(tick) };
        self.checks.set_differs(peer, Some(tick));
        let report = DesyncReport::new(peer, walk.tick, found, blame);
        self.events.push(SessionEvent::Desync(Box::new(report)));
    }

    /// Closes a case without a field, at the compared tick whose digests differ.
    pub(super) fn give_up(&mut self, peer: PeerId, reason: &'static str) {
        let Some(Case { tick, .. }) = self.desyncs.cases[peer.index()].take() else { return };
        self.checks.set_differs(peer, Some(tick));
        let theirs = self.checks.reports(tick).find(|report| report.0 == peer);
        let digests = (self.checks.own(tick), theirs.map(|report| report.1));
        let blame = self.blame(tick);
        let report = DesyncReport::unexplained(peer, tick, digests, reason, blame);
        self.events.push(SessionEvent::Desync(Box::new(report)));
    }

    fn blame(&self, tick: Tick) -> Blame {
        self.checks
            .own(tick)
            .map_or(Blame::Unknown, |ours| Blame::by_majority(ours, self.checks.reports(tick)))
    }
}
