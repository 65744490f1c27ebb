//! Delays, adaptive ones too, several players at one machine, and bots.

use super::game::Game;
use super::harness::{SECOND, SIZES, Setup};
use super::links::{bad_link, good_link};
use super::statistics::Figures;
use isostep_netcode::crypto::{Credentials, GameId, MachineId};
use isostep_netcode::transport::SimTransport;
use isostep_netcode::{Peer, PeerConfig, PeerError, Seat, SeededEntropy};
use isostep_rollback::{AdaptiveDelay, Authority, Mode, SessionConfig, SimNetwork};

fn play(name: &str, peers: u8, setups: impl Iterator<Item = Setup>) {
    let mut all = Figures::default();
    for setup in setups {
        let mut mesh = setup.mesh();
        all = all.and(&mesh.play(3 * SECOND));
        mesh.settle_and_check();
    }
    all.check(name, peers);
}

#[test]
fn input_delays_from_zero_to_six() {
    for delay in 0..=6 {
        let session = || SessionConfig::new().delay(delay).mode(Mode::Rollback { max: 14 });
        let setup = |seed| Setup::new(seed, 2, bad_link()).session(session());
        play(&format!("delay {delay}, 100 ± 20 ms"), 2, (0..3).map(setup));
    }
}

#[test]
fn adaptive_input_delay() {
    let bounds = AdaptiveDelay::new(0, 8, 3).expect("good bounds");
    for (peers, seeds) in SIZES {
        let session =
            || SessionConfig::new().adaptive_delay(bounds).mode(Mode::Rollback { max: 12 });
        let setup = |seed| Setup::new(seed, peers, bad_link()).session(session());
        play("adaptive delay, 100 ± 20 ms", peers, (0..seeds).map(setup));
    }
}

#[test]
fn several_players_per_machine_and_bots() {
    for (peers, seeds) in [(2, 4), (4, 2)] {
        let setup = |seed| {
            let mut setup = Setup::new(seed, peers, bad_link());
            setup.seats.push(Seat::Bot);
            for id in (0..peers).map(MachineId) {
                setup.seats.extend([Seat::Machine(id), Seat::Machine(id)]);
                // Machines need not have the same number of them.
                setup.seats.extend((id.0 == 1).then_some(Seat::Machine(id)));
            }
            setup.seats.push(Seat::Bot);
            setup
        };
        play("2 or 3 seats each, 2 bots", peers, (0..seeds).map(setup));
    }
}

#[test]
fn a_machine_without_a_seat_is_a_spectator() {
    let setup = |seed| {
        let mut setup = Setup::new(seed, 3, good_link());
        setup.seats = vec![Seat::Machine(MachineId(0)), Seat::Machine(MachineId(1)), Seat::Bot];
        setup.watcher = Some(6);
        setup
    };
    play("two play, one watches", 3, (0..3).map(setup));
}

/// The wire carries no bundles: such a session used to start and never confirmed a tick.
#[test]
fn bundle_authority_is_rejected() {
    let credentials = Credentials::insecure(MachineId(0), 2, GameId::named("seats"));
    let session = SessionConfig::new().authority(Authority::Bundle);
    let config = PeerConfig::new(credentials.expect("two machines"), 0).session(session);
    let mut transports = SimTransport::nodes(SimNetwork::new(1), 2);
    let transport = transports.swap_remove(0);
    let entropy = Box::new(SeededEntropy::new(1));
    let rejected = Peer::new(config, &mut Game::default(), transport, entropy);
    assert!(matches!(rejected, Err(PeerError::BundleAuthority)));
}
