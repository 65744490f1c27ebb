//! A warm network allocates nothing.

use crate::counting;
use isostep_rollback::Time;
use isostep_rollback::internals::Timers;
use isostep_rollback::sim_network::{LinkConfig, SimNetwork};

#[test]
fn a_warm_network_allocates_nothing() {
    let mut network = SimNetwork::new(1);
    network.set_all_links(LinkConfig::severe()).unwrap();
    let nodes = [network.add_node(), network.add_node(), network.add_node()];
    let mut timers = Timers::new();
    let mut bytes = Vec::with_capacity(2000);
    // Chance moves the number in flight, so the first part sends twice as much.
    let mut run = |ticks: std::ops::Range<u64>, copies: usize| {
        for tick in ticks {
            let now = Time::from_millis(tick * 16);
            nodes.iter().for_each(|node| timers.set(now, *node));
            while let Some((now, node)) = timers.pop(now) {
                while network.receive(now, node, &mut bytes).unwrap().is_some() {}
                let others = nodes.into_iter().filter(|other| *other != node);
                others.for_each(|to| {
                    (0..copies).for_each(|_| network.send(now, node, to, &[3; 50]).unwrap());
                });
            }
        }
    };
    run(0..100, 2);
    let before = counting::count();
    run(100..1000, 1);
    assert_eq!(counting::count(), before);
}
