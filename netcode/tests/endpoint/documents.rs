//! Keys, tokens and rosters of a test match, and endpoints with them.
#![allow(dead_code, reason = "no test uses all of it")]

use isostep_netcode::PROTOCOL_VERSION;
use isostep_netcode::crypto::{
    Credentials, GameId, MachineId, MatchId, MatchSpec, Matchmaker, MatchmakerKey, StaticKey,
};
use isostep_netcode::{Endpoint, EndpointConfig, SeededEntropy};

/// Unix time at the start of every test.
pub(crate) const UNIX: u64 = 1_800_000_000;

/// Documents of a match.
#[derive(Clone)]
pub(crate) struct Match {
    pub(crate) maker: MatchmakerKey,
    pub(crate) keys: Vec<StaticKey>,
    pub(crate) spec: MatchSpec,
}

impl Match {
    pub(crate) fn new(machines: usize) -> Self {
        Self::seeded(machines, 1)
    }

    pub(crate) fn seeded(machines: usize, seed: u64) -> Self {
        let mut entropy = SeededEntropy::new(seed);
        let spec = MatchSpec {
            game: GameId::named("attack"),
            match_id: MatchId([9; 16]),
            protocol: PROTOCOL_VERSION,
            issued: UNIX - 10,
            expires: UNIX + 86_400,
        };
        Self {
            maker: MatchmakerKey::generate(&mut entropy),
            keys: (0..machines).map(|_| StaticKey::generate(&mut entropy)).collect(),
            spec,
        }
    }

    pub(crate) fn credentials(&self, machine: usize) -> Credentials {
        let holders: Vec<_> =
            (0..).map(MachineId).zip(self.keys.iter().map(StaticKey::public)).collect();
        let maker = Matchmaker::new(self.maker.clone());
        let (roster, tokens) = maker.issue(&self.spec, &holders).expect("a match that can be");
        Credentials::new(
            self.keys[machine].clone(),
            tokens[machine].clone(),
            roster,
            maker.public(),
        )
        .expect("they belong together")
    }

    pub(crate) fn config(&self, machine: usize) -> EndpointConfig {
        EndpointConfig::new(self.credentials(machine), UNIX).inputs(4, [7; 8], 11)
    }
}

pub(crate) fn endpoint(config: EndpointConfig, seed: u64) -> Endpoint {
    Endpoint::new(config, Box::new(SeededEntropy::new(seed))).expect("good credentials")
}
