//! A machine that computes something else: explained by name on both sides, over the wire.

use super::harness::{SECOND, SIZES, Setup};
use super::links::{bad_link, good_link};
use super::machine::Machine;
use isostep_rollback::{Blame, LinkConfig, PeerId, Tick};

#[test]
fn a_flipped_bit_is_explained_on_both_sides() {
    for link in [LinkConfig::perfect(), good_link(), bad_link()] {
        for tick in [0, 15, 16, 100, 127, 128] {
            let mut setup = Setup::new(u64::from(tick), 2, link);
            setup.fault = Some((1, Tick(tick)));
            let mut mesh = setup.mesh();
            mesh.play(6 * SECOND);
            let reports: Vec<_> = mesh.machines.iter().map(|machine| machine.reports()).collect();
            let [ours, theirs] = &reports[..] else { panic!("two machines") };
            let ([ours], [theirs]) = (&ours[..], &theirs[..]) else {
                panic!("tick {tick}: {ours:?} {theirs:?}");
            };
            assert_eq!((ours.peer, theirs.peer), (PeerId(1), PeerId(0)));
            for report in [ours, theirs] {
                assert_eq!(report.tick, Tick(tick + 1), "the state after the step: {report}");
                let name = (report.entity.as_str(), report.field.as_str());
                assert_eq!(name, ("treasure", "[1]"), "{report}");
            }
            assert_eq!((&ours.local, &ours.remote), (&theirs.remote, &theirs.local));
            assert_eq!(mesh.machines.iter().map(Machine::left).sum::<usize>(), 0);
        }
    }
}

#[test]
fn all_machines_name_the_one_that_differs() {
    for (peers, seeds) in SIZES.into_iter().filter(|(peers, _)| *peers > 2) {
        for seed in 0..seeds {
            let mut setup = Setup::new(seed, peers, bad_link());
            setup.fault = Some((1, Tick(140)));
            let mut mesh = setup.mesh();
            mesh.play(6 * SECOND);
            for (place, machine) in mesh.machines.iter().enumerate() {
                let reports = machine.reports();
                assert!(!reports.is_empty(), "machine {place} says nothing");
                let us = place == 1;
                let blamed = if us { vec![] } else { vec![PeerId(1)] };
                let blame = Blame::Minority { peers: blamed, local: us };
                for report in reports {
                    assert_eq!((report.tick, &report.blame), (Tick(141), &blame), "{report}");
                }
            }
        }
    }
}
