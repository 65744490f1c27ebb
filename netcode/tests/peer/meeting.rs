//! Introductions: a machine that is connected to two others introduces them, whichever addresses were configured.
//!
//! A machine that had been configured with the addresses of both others once kept silent, as if all machines had been. The
//! others never met, and it played alone until it stalled.

use super::harness::{SECOND, Setup};
use super::links::{bad_link, good_link};
use isostep_netcode::PeerEvent;
use isostep_rollback::LinkConfig;

/// Known addresses of three machines, (who, whose). Each has a machine that both others connect to.
const KNOWN: [&[(u8, u8)]; 7] = [
    &[(1, 0), (2, 0)],
    &[(0, 1), (0, 2)],
    &[(0, 1), (0, 2), (1, 0), (2, 0)],
    &[(1, 0), (1, 2)],
    &[(0, 1), (2, 1)],
    &[(0, 2), (2, 1)],
    &[(0, 1), (0, 2), (1, 2), (1, 0), (2, 0)],
];

fn check(seed: u64, machines: u8, link: LinkConfig, known: &[(u8, u8)]) {
    let mut setup = Setup::new(seed, machines, link);
    setup.known = Some(known.to_vec());
    let mut mesh = setup.mesh();
    mesh.run(6 * SECOND);
    for (place, machine) in mesh.machines.iter().enumerate() {
        let joined = |event: &PeerEvent| matches!(event, PeerEvent::Connected { .. });
        assert_eq!(machine.count(joined), usize::from(machines) - 1, "{place} with {known:?}");
        assert_eq!(machine.left(), 0, "{place} with {known:?}");
    }
    mesh.start();
    mesh.settle_and_check();
    assert!(mesh.check_agreement().0 > 2 * SECOND);
}

#[test]
fn a_common_machine_introduces_the_others_whichever_addresses_it_was_given() {
    for known in KNOWN {
        for seed in 0..3 {
            check(seed, 3, if seed == 0 { good_link() } else { bad_link() }, known);
        }
    }
    // One machine was given the addresses of all others, and those of three know its own.
    check(7, 5, good_link(), &[(2, 0), (2, 1), (2, 3), (2, 4), (0, 2), (1, 2), (4, 2)]);
}
