//! Our side: peers over a network in memory.

use crate::traces::Trace;
use crate::{Pad, Sent, TICK, WINDOW};
use isostep_netcode::crypto::{Credentials, GameId, Slot};
use isostep_netcode::transport::SimTransport;
use isostep_netcode::{Address, Peer, PeerConfig, SeededEntropy};
use isostep_rollback::{
    Inputs, LinkConfig, Mode, PlayerId, SessionConfig, SimNetwork, Simulation, Tick, Time,
};
use std::time::Duration;

/// A game that does nothing.
#[derive(Clone, serde::Serialize)]
pub(crate) struct Nothing;

impl Simulation for Nothing {
    type Input = Pad;
    fn step(&mut self, _: Tick, _: &Inputs<Pad>) {}
}

/// A match.
pub(crate) struct Ours {
    peers: Vec<Peer<Nothing, SimTransport>>,
    game: Nothing,
    now: Time,
}

impl Ours {
    pub(crate) fn new(players: usize, delay: u32, digest_every: u32, one_way: Duration) -> Self {
        let transports = SimTransport::nodes(SimNetwork::new(1), players);
        let link = LinkConfig { latency: one_way, ..LinkConfig::perfect() };
        transports[0].network().borrow_mut().set_all_links(link).expect("a latency");
        let session = SessionConfig::new()
            .delay(delay)
            .digest_every(digest_every)
            .tick_length(TICK)
            .mode(Mode::Rollback { max: WINDOW - 1 });
        let mut game = Nothing;
        let peer = |(own, transport): (usize, SimTransport)| {
            let credentials =
                Credentials::insecure(Slot(own as u8), players as u8, GameId::named("bench"));
            let config = PeerConfig::new(credentials.expect("a slot"), 0).session(session.clone());
            let others = (0..players).filter(|&other| other != own);
            let config = others.fold(config, |config, other| {
                config.address(Slot(other as u8), Address::Node(other as u64))
            });
            let entropy = Box::new(SeededEntropy::new(own as u64));
            Peer::new(config, &mut game, transport, entropy).expect("sound")
        };
        let peers = transports.into_iter().enumerate().map(peer).collect();
        let mut all = Self { peers, game, now: Time::ZERO };
        while !all.peers.iter().all(Peer::has_started) {
            all.tick(Trace::Pad);
        }
        all
    }

    /// A frame of every machine, one after another.
    pub(crate) fn tick(&mut self, trace: Trace) {
        self.now += TICK;
        for (own, peer) in self.peers.iter_mut().enumerate() {
            for _ in 0..peer.begin_frame(self.now).ticks {
                let tick = peer.session().present().0;
                let input = trace.input(own, tick);
                peer.local_input(PlayerId(own as u8), input).expect("sits here");
                peer.tick(self.now, &mut self.game).expect("nothing can't go wrong");
            }
            peer.end_frame(self.now);
            while peer.poll_event().is_some() {}
        }
    }

    pub(crate) fn sent(&self) -> Sent {
        let counters = self.peers.iter().map(Peer::counters);
        counters.fold(Sent::default(), |sent, counters| Sent {
            packets: sent.packets + counters.sent,
            bytes: sent.bytes + counters.sent_bytes,
        })
    }
}
