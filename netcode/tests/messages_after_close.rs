//! Messages received before a close can be polled after it. Regression: they were lost if message and CLOSE arrived
//! before a poll, so peers waited for a game that had sent "done" and closed.

use isostep_netcode::crypto::{Credentials, GameId, MachineId};
use isostep_netcode::{
    Address, CloseReason, Endpoint, EndpointConfig, Event, Message, SeededEntropy, close_code,
};
use isostep_rollback::Time;

fn pair() -> [Endpoint; 2] {
    [0, 1].map(|machine| {
        let credentials = Credentials::insecure(MachineId(machine), 2, GameId::named("last words"));
        let config = EndpointConfig::new(credentials.expect("a machine"), 0);
        let entropy = Box::new(SeededEntropy::new(machine.into()));
        let mut end = Endpoint::new(config, entropy).expect("good credentials");
        let other = 1 - machine;
        end.connect(Time::ZERO, MachineId(other), Address::Node(other.into()))
            .expect("in the roster");
        end
    })
}

/// Exchanges queued datagrams in both directions.
fn carry(ends: &mut [Endpoint; 2], now: Time) {
    let mut datagram = Vec::new();
    for (from, to) in [(0, 1), (1, 0)] {
        ends[from].handle_timeout(now);
        while ends[from].poll_transmit(now, &mut datagram).is_some() {
            ends[to].handle_datagram(now, Address::Node(from as u64), &datagram);
        }
    }
}

#[test]
fn messages_received_before_a_close_can_be_polled_after_it() {
    let mut ends = pair();
    (0..200).for_each(|millis| carry(&mut ends, Time::from_millis(millis)));
    while ends[1].poll_event().is_some() {}
    let now = Time::from_millis(200);
    ends[0].send_message(MachineId(1), b"done").expect("connected");
    carry(&mut ends, now);
    ends[0].shut_down(now);
    carry(&mut ends, now);
    assert!(ends[1].connected().next().is_none(), "the goodbye has arrived");
    let reason = CloseReason::ClosedByPeer { code: close_code::SHUTDOWN, text: String::new() };
    assert_eq!(ends[1].poll_event(), Some(Event::Closed { machine: MachineId(0), reason }));
    assert_eq!(ends[1].poll_message(), Some((MachineId(0), Message::Game(b"done".to_vec()))));
    assert_eq!(ends[1].poll_message(), None);
}
