//! Admission by token, and the errors on both sides of a refusal.

use super::documents::UNIX;
use super::harness::{Match, Weather, World, endpoint, ms, node};
use super::raw_peer::{ATTEMPT, answer, cookie, init, offer, shake};
use isostep_netcode::crypto::{
    Credentials, GameId, MachineId, MatchId, Matchmaker, MatchmakerKey, RosterError, StaticKey,
    TokenError,
};
use isostep_netcode::{
    ConnectError, Endpoint, EndpointConfig, EndpointError, Event, SeededEntropy,
};
use isostep_rollback::Time;

/// Connects machine 0 with other documents than machine 1 accepts; returns the errors of both.
fn refused(caller: EndpointConfig, host: EndpointConfig) -> (ConnectError, ConnectError) {
    let mut world = World::new(vec![endpoint(caller, 1), endpoint(host, 2)], Weather::default(), 1);
    world.connect(0, 1);
    world.run(ms(300));
    assert_eq!(world.links(), 0, "no connection was accepted");
    let reported = world.nodes[0].events.iter().find_map(|event| match event {
        Event::ConnectFailed { machine: MachineId(1), reason } => Some(reason.clone()),
        _ => None,
    });
    let host = world.nodes[1].events.iter().find_map(|event| match event {
        Event::Refused { reason, address, .. } if *address == node(0) => Some(reason.clone()),
        _ => None,
    });
    (reported.expect("the caller learns it"), host.expect("the host learns it"))
}

fn changed(change: impl FnOnce(&mut Match)) -> EndpointConfig {
    let mut played = Match::new(2);
    change(&mut played);
    played.config(0)
}

fn host() -> EndpointConfig {
    Match::new(2).config(1)
}

#[test]
fn a_token_of_another_matchmaker_is_refused() {
    let other =
        changed(|played| played.maker = MatchmakerKey::generate(&mut SeededEntropy::new(77)));
    let token = ConnectError::Token(TokenError::Signature);
    assert_eq!(refused(other, host()), (ConnectError::TokenRefused, token));
}

#[test]
fn a_token_of_another_match_is_refused() {
    let other = changed(|played| played.spec.match_id = MatchId([1; 16]));
    let token = ConnectError::Token(TokenError::Match);
    assert_eq!(refused(other, host()), (ConnectError::TokenRefused, token));
}

#[test]
fn a_token_of_another_game_is_refused() {
    let (ours, theirs) = (GameId::named("other"), GameId::named("attack"));
    let other = changed(|played| played.spec.game = ours);
    let expected =
        (ConnectError::Game { ours, theirs }, ConnectError::Game { ours: theirs, theirs: ours });
    assert_eq!(refused(other, host()), expected);
}

#[test]
fn token_expiry_uses_the_responder_clock() {
    let short = changed(|played| played.spec.expires = UNIX + 5);
    let late = EndpointConfig::new(Match::new(2).credentials(1), UNIX + 7).inputs(4, [7; 8], 11);
    let reported = ConnectError::Token(TokenError::Expired { since: 2 });
    assert_eq!(refused(short, late), (ConnectError::TokenExpired, reported));
}

#[test]
fn a_token_expires_while_the_responder_runs() {
    let played = Match::new(2);
    let mut short = played.clone();
    short.spec.expires = UNIX + 5;
    let ends = vec![endpoint(short.config(0), 1), endpoint(played.config(1), 2)];
    let mut world = World::new(ends, Weather::default(), 1);
    world.run(ms(4000));
    world.connect(0, 1);
    world.run(ms(100));
    assert_eq!(world.links(), 2, "still good");
    world.run(ms(2000));
    assert_eq!(world.links(), 2, "the connection stays");
    let now = world.now;
    world.nodes[0].endpoint.close(now, MachineId(1), 300, "");
    world.drain(0);
    world.run(ms(500));
    world.connect(0, 1);
    world.run(ms(100));
    let reason = ConnectError::TokenExpired;
    assert_eq!(
        world.nodes[0].events.last(),
        Some(&Event::ConnectFailed { machine: MachineId(1), reason })
    );
    assert_eq!(world.links(), 0);
}

#[test]
fn a_token_from_the_future_is_refused() {
    let future = changed(|played| played.spec.issued = UNIX + 50);
    let early = EndpointConfig::new(Match::new(2).credentials(1), UNIX - 11).inputs(4, [7; 8], 11);
    let reported = ConnectError::Token(TokenError::IssuedInFuture { ahead: 61 });
    assert_eq!(refused(future, early), (ConnectError::TokenRefused, reported));
}

/// Machine 2 has a token of the same matchmaker and match, but the responder's roster lists another key for its id.
#[test]
fn a_machine_id_that_differs_from_the_roster_is_refused() {
    let played = Match::new(3);
    let mut swapped = played.clone();
    swapped.keys.swap(0, 2);
    let (reported, host) = refused(swapped.config(0), played.config(1));
    assert_eq!(reported, ConnectError::TokenRefused);
    assert_eq!(host, ConnectError::Token(TokenError::NotInitiator { machine: MachineId(0) }));
}

#[test]
fn a_token_is_useless_without_its_key() {
    let played = Match::new(3);
    for (thief, machine) in [
        (StaticKey::generate(&mut SeededEntropy::new(5)), None),
        (played.keys[2].clone(), Some(MachineId(2))),
    ] {
        let (now, from) = (Time::from_millis(1), node(6));
        let mut host = endpoint(played.config(1), 2);
        let cookie = cookie(now, &mut host, from, ATTEMPT);
        let token = played.credentials(0).token().encode();
        let payload = [&token[..], &offer(&played)].concat();
        let (mut state, message) = shake(&thief, &played.keys[1], ATTEMPT, &payload);
        host.handle_datagram(now, from, &init(ATTEMPT, &cookie, &message));
        let reason = ConnectError::Token(TokenError::HolderMismatch);
        assert_eq!(host.poll_event(), Some(Event::Refused { machine, address: from, reason }));
        let mut said = [0; 100];
        state.read_message(&answer(now, &mut host, from)[9..], &mut said).expect("an answer");
        assert_eq!(said[0], 6, "the token is not for this holder");
        assert_eq!((host.connected().count(), host.counters().invalid_handshakes), (0, 1));
    }
}

/// The public half of a key does not suffice to write message 1.
#[test]
fn a_public_key_alone_does_not_connect() {
    let played = Match::new(2);
    let (now, from) = (Time::from_millis(1), node(6));
    let mut host = endpoint(played.config(1), 2);
    let cookie = cookie(now, &mut host, from, ATTEMPT);
    let payload = [&played.credentials(0).token().encode()[..], &offer(&played)].concat();
    let thief = StaticKey::generate(&mut SeededEntropy::new(5));
    let (_, mut message) = shake(&thief, &played.keys[1], ATTEMPT, &payload);
    message[32..64].copy_from_slice(&played.keys[0].public().0);
    host.handle_datagram(now, from, &init(ATTEMPT, &cookie, &message));
    assert_eq!((host.poll_event(), host.counters().invalid_handshakes), (None, 1));
    assert!(answer(now, &mut host, from).is_empty());
}

#[test]
fn an_init_copied_to_another_responder_is_not_answered() {
    let mut world = World::of(2, Weather::default(), 3);
    world.connect(0, 1);
    world.run(ms(100));
    let inits: Vec<_> = world.sent.iter().filter(|sent| sent.bytes[0] == 0x83).cloned().collect();
    let (events, sent) = (world.nodes[1].events.clone(), world.sent.len());
    for init in &inits {
        world.put(1, node(5), &init.bytes);
    }
    assert_eq!(world.nodes[1].endpoint.counters().invalid_cookies, inits.len() as u64);
    assert_eq!((world.nodes[1].events.clone(), world.sent.len()), (events, sent));
}

#[test]
fn an_endpoint_rejects_its_own_invalid_documents() {
    let made = |change: fn(&mut Match)| {
        let config = changed(change);
        Endpoint::new(config, Box::new(SeededEntropy::new(1))).map(drop)
    };
    assert_eq!(made(|_| ()), Ok(()));
    let expired = TokenError::Expired { since: 3 };
    assert_eq!(made(|played| played.spec.expires = UNIX - 3), Err(EndpointError::Token(expired)));
    let future = TokenError::IssuedInFuture { ahead: 61 };
    assert_eq!(made(|played| played.spec.issued = UNIX + 61), Err(EndpointError::Token(future)));
    let protocol = TokenError::Protocol { protocol: 2 };
    assert_eq!(made(|played| played.spec.protocol = 2), Err(EndpointError::Token(protocol)));
}

/// Documents that do not belong together do not form credentials.
#[test]
fn credentials_reject_mixed_documents() {
    let (played, other) = (Match::new(2), Match::seeded(2, 5));
    let own = played.credentials(0);
    let maker = Matchmaker::new(played.maker.clone()).public();
    let stolen =
        Credentials::new(other.keys[0].clone(), own.token().clone(), own.roster().clone(), maker);
    assert!(stolen.is_err());
    let foreign = other.credentials(0).roster().clone();
    let mixed = Credentials::new(played.keys[0].clone(), own.token().clone(), foreign, maker);
    assert_eq!(mixed.err(), Some(RosterError::Signature.into()));
}
