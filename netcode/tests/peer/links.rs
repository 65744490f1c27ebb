//! Links that lose, delay, double, reorder and damage.

use super::harness::{SECOND, SIZES, Setup};
use super::statistics::Figures;
use core::time::Duration;
use isostep_rollback::LinkConfig;
use isostep_rollback::sim_network::{Corruption, Jitter};
use proptest::prelude::*;

/// 100 ms ± 20 ms one way, each twentieth packet lost.
pub(crate) fn bad_link() -> LinkConfig {
    LinkConfig {
        latency: Duration::from_millis(100),
        jitter: Jitter::Uniform { spread: Duration::from_millis(20) },
        loss_ppm: 50_000,
        ..LinkConfig::perfect()
    }
}

/// A good line within a continent.
pub(crate) fn good_link() -> LinkConfig {
    LinkConfig { latency: Duration::from_millis(25), ..LinkConfig::perfect() }
}

fn play(name: &str, link: LinkConfig) {
    for (peers, seeds) in SIZES {
        let mut all = Figures::default();
        for seed in 0..seeds {
            let mut mesh = Setup::new(seed, peers, link).mesh();
            all = all.and(&mesh.play(4 * SECOND));
            mesh.settle_and_check();
        }
        all.check(name, peers);
    }
}

#[test]
fn perfect_links() {
    play("clean, 25 ms", good_link());
    play("perfect", LinkConfig::perfect());
}

#[test]
fn twenty_percent_loss() {
    play("20 % loss, 25 ms", LinkConfig { loss_ppm: 200_000, ..good_link() });
}

#[test]
fn high_latency_with_jitter_and_loss() {
    play("100 ± 20 ms, 5 % loss", bad_link());
}

#[test]
fn duplication_and_reordering() {
    let link = LinkConfig {
        latency: Duration::from_millis(50),
        jitter: Jitter::Uniform { spread: Duration::from_millis(45) },
        reorder_ppm: 300_000,
        reorder_delay: Duration::from_millis(60),
        duplicate_ppm: 300_000,
        ..LinkConfig::perfect()
    };
    play("reordered, doubled", link);
}

#[test]
fn corrupted_packets_are_dropped() {
    let corruption = Some(Corruption { ppm: 100_000, max_bit_flips: 8, cut_ppm: 250_000 });
    let link = LinkConfig { corruption, ..good_link() };
    play("10 % damaged", link);
    let mut mesh = Setup::new(1, 2, link).mesh();
    mesh.play(SECOND);
    let counters = mesh.machines[0].peer.counters();
    assert!(counters.decrypt_failed > 0, "{counters:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Any link that lets most packets through, any two or three machines.
    #[test]
    fn random_links_within_limits(
        seed in 0u64..1000, peers in 2u8..4, latency in 0u64..120, jitter in 0u64..40, loss in 0u32..150_000,
        doubled in 0u32..500_000, held_back in 0u32..300_000, damaged in 0u32..100_000,
    ) {
        let link = LinkConfig {
            latency: Duration::from_millis(latency),
            jitter: Jitter::Uniform { spread: Duration::from_millis(jitter.min(latency)) },
            loss_ppm: loss,
            duplicate_ppm: doubled,
            reorder_ppm: held_back,
            reorder_delay: Duration::from_millis(30),
            corruption: Some(Corruption { ppm: damaged, max_bit_flips: 20, cut_ppm: 300_000 }),
            ..LinkConfig::perfect()
        };
        let mut mesh = Setup::new(seed, peers, link).mesh();
        // The pacing may still converge, so the confirmation rate is not checked.
        mesh.play(2 * SECOND);
        mesh.settle_and_check();
    }
}
