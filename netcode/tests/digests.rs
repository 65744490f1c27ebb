//! Peers compare digests at any latency.
//!
//! Regression: at low latency none were compared. The state after a step belongs to the next tick, and its digest was decoded
//! as one of 65,536 ticks earlier. The only symptom was a counter that stayed at 1.

use isostep_netcode::crypto::{Credentials, GameId, MachineId};
use isostep_netcode::transport::SimTransport;
use isostep_netcode::{Address, Peer, PeerConfig, SeededEntropy};
use isostep_rollback::{
    Inputs, LinkConfig, NewestWins, PlayerId, SessionConfig, SimNetwork, Simulation, Tick, Time,
};
use std::time::Duration;

#[derive(Clone, Default, serde::Serialize)]
struct Tug {
    rope: i32,
}

impl Simulation for Tug {
    type Input = NewestWins<i8>;
    fn step(&mut self, _tick: Tick, inputs: &Inputs<Self::Input>) {
        self.rope += inputs.iter().map(|(_, input)| i32::from(input.value.0)).sum::<i32>();
    }
}

/// Number of digests that each of two machines compared in five seconds, at a given latency.
fn compared(latency: Duration, delay: u32) -> Vec<u64> {
    let mut network = SimNetwork::new(1);
    network.set_all_links(LinkConfig { latency, ..LinkConfig::perfect() }).expect("a good link");
    let mut machines = Vec::new();
    for (id, transport) in (0..).zip(SimTransport::nodes(network, 2)) {
        let other = 1 - id;
        let credentials = Credentials::insecure(MachineId(id), 2, GameId::named("tug"));
        let config = PeerConfig::new(credentials.expect("two machines"), 0)
            .session(SessionConfig::new().delay(delay))
            .address(MachineId(other), Address::Node(other.into()));
        let mut game = Tug::default();
        let entropy = Box::new(SeededEntropy::new(id.into()));
        let peer = Peer::new(config, &mut game, transport, entropy).expect("a good set-up");
        machines.push((peer, game));
    }
    for millis in 0..5000 {
        let now = Time::from_millis(millis);
        for (player, (peer, game)) in (0..).map(PlayerId).zip(&mut machines) {
            for _ in 0..peer.begin_frame(now).ticks {
                let pull = NewestWins((millis / 100 % 5) as i8 - 2);
                peer.local_input(player, pull).expect("a seat of this machine");
                peer.tick(now, game).expect("a state that can be saved");
            }
            peer.end_frame(now);
        }
    }
    machines.iter().map(|(peer, _)| peer.session().stats().compared).collect()
}

/// 300 ticks less the handshake, one digest per 16 ticks.
#[test]
fn digests_are_compared_at_any_latency() {
    for (millis, delay) in [(0, 0), (0, 3), (1, 1), (1, 8), (40, 0), (40, 4), (90, 2)] {
        let compared = compared(Duration::from_millis(millis), delay);
        assert!(
            compared.iter().all(|&count| count >= 15),
            "{millis} ms, delay {delay}: {compared:?}"
        );
    }
}
