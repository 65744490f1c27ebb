//! laminar: the unreliable mode in both directions, peers with plain laminar, and invalid bytes.

use super::{End, Outcome, conforms, nap, take};
use isostep_core::Rng;
use isostep_netcode::transport::LaminarTransport;
use isostep_netcode::{Address, Transport, TransportError};
use isostep_rollback::Time;
use laminar::{Packet, Socket, SocketEvent};
use std::net::UdpSocket;

fn end() -> Result<End<LaminarTransport>, TransportError> {
    let transport = LaminarTransport::bind("127.0.0.1:0")?;
    Ok(End { address: transport.local_addr().into(), transport })
}

#[allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "laminar asks for it")]
fn poll(socket: &mut Socket) {
    socket.manual_poll(std::time::Instant::now());
}

#[test]
fn laminar_conforms() -> Outcome {
    conforms(end()?, end()?, LaminarTransport::MAX_DATAGRAM_BYTES, Address::Node(1))
}

#[test]
fn plain_laminar_receives_the_longest_datagram_and_replies() -> Outcome {
    let mut ours = end()?;
    let mut theirs = Socket::bind("127.0.0.1:0")?;
    let address = theirs.local_addr()?;
    let datagram = vec![9; LaminarTransport::MAX_DATAGRAM_BYTES];
    ours.transport.send(Time::ZERO, address.into(), &datagram)?;
    let mut found = None;
    for _ in 0..1000 {
        poll(&mut theirs);
        if let Some(SocketEvent::Packet(packet)) = theirs.recv() {
            found = Some(packet);
            break;
        }
        nap();
    }
    let found = found.ok_or("nothing came")?;
    assert_eq!(found.payload(), datagram);
    theirs.send(Packet::unreliable(found.addr(), b"answer".to_vec()))?;
    poll(&mut theirs);
    assert_eq!(take(&mut ours.transport, 1)?, [(address.into(), b"answer".to_vec())]);
    Ok(())
}

#[test]
fn an_idle_peer_stays_reachable() -> Outcome {
    // laminar drops idle connections; that must not be visible.
    let (mut first, mut second) = (end()?, end()?);
    let mut bytes = Vec::new();
    for second_of_match in [0, 4, 20, 3600] {
        let now = Time::from_millis(second_of_match * 1000);
        first.transport.send(now, second.address, b"still here")?;
        let mut looks = 0;
        while second.transport.receive(now, &mut bytes)?.is_none() {
            looks += 1;
            assert!(looks < 1000, "lost after {second_of_match} s");
            nap();
        }
    }
    Ok(())
}

#[test]
fn other_laminar_modes_are_rejected() -> Outcome {
    let mut ours = end()?;
    let mut theirs = Socket::bind("127.0.0.1:0")?;
    let to = ours.transport.local_addr();
    for packet in [
        Packet::reliable_unordered(to, vec![1]),
        Packet::reliable_ordered(to, vec![2], None),
        Packet::unreliable_sequenced(to, vec![3], None),
        Packet::unreliable(to, vec![4]),
    ] {
        theirs.send(packet)?;
    }
    poll(&mut theirs);
    assert_eq!(take(&mut ours.transport, 1)?, [(theirs.local_addr()?.into(), vec![4])]);
    assert_eq!(ours.transport.refused(), 3);
    Ok(())
}

#[test]
fn new_addresses_are_limited_per_poll() -> Outcome {
    let mut ours = end()?;
    let strangers = [(); 20].map(|()| end());
    for stranger in strangers {
        stranger?.transport.send(Time::ZERO, ours.address, b"hello")?;
    }
    let mut taken = 0;
    for _ in 0..1000 {
        taken += take(&mut ours.transport, 0)?.len() as u64;
        if taken + ours.transport.refused() == 20 {
            break;
        }
        nap();
    }
    // As many as eight for each time that the system hands them over; on the loopback that is once.
    assert_eq!(taken + ours.transport.refused(), 20);
    assert!(taken >= 8 && ours.transport.refused() > 0, "{taken} got in");
    Ok(())
}

/// A packet of laminar with a random body, or less than one. Its first two bytes say the protocol.
fn packet(rng: &mut Rng, protocol: [u8; 2]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut packet = protocol.to_vec();
    // The kind, the delivery and the order: mostly such as there are.
    for _ in 0..3 {
        packet.push(rng.below(4)? as u8);
    }
    for _ in 0..rng.below(40)? {
        // Small numbers pass more checks of sequences and fragments than large ones.
        let byte = if rng.chance(1, 2)? { rng.below(256)? } else { rng.below(4)? };
        packet.push(byte as u8);
    }
    if rng.chance(1, 8)? {
        packet.truncate(rng.below(8)? as usize);
    }
    Ok(packet)
}

/// laminar's protocol checksum as it is written, and a socket to send from.
fn tap(ours: &mut LaminarTransport) -> Result<(UdpSocket, [u8; 2]), Box<dyn std::error::Error>> {
    let tap = UdpSocket::bind("127.0.0.1:0")?;
    tap.set_read_timeout(Some(core::time::Duration::from_secs(5)))?;
    ours.send(Time::ZERO, tap.local_addr()?.into(), b"")?;
    let mut header = [0; 5];
    assert_eq!((tap.recv(&mut header)?, &header[2..]), (5, &[0; 3][..]));
    Ok((tap, [header[0], header[1]]))
}

#[test]
fn random_bytes_do_not_stop_the_transport() -> Outcome {
    let mut ours = end()?;
    let (tap, protocol) = tap(&mut ours.transport)?;
    let (mut rng, mut bytes) = (Rng::new(11), Vec::new());
    for round in 0..5000 {
        tap.send_to(&packet(&mut rng, protocol)?, ours.transport.local_addr())?;
        while ours.transport.receive(Time::from_millis(round), &mut bytes)?.is_some() {}
    }
    assert!(ours.transport.refused() > 1000);
    let mut friend = end()?;
    friend.transport.send(Time::ZERO, ours.address, b"after all that")?;
    assert_eq!(take(&mut ours.transport, 1)?, [(friend.address, b"after all that".to_vec())]);
    Ok(())
}

/// Plain laminar without the filter: none of these bytes make it panic, as the docs claim.
#[test]
fn random_bytes_do_not_panic_plain_laminar() -> Outcome {
    let mut theirs = Socket::bind("127.0.0.1:0")?;
    let (tap, protocol) = tap(&mut end()?.transport)?;
    let mut rng = Rng::new(12);
    for round in 0..4000 {
        tap.send_to(&packet(&mut rng, protocol)?, theirs.local_addr()?)?;
        if round % 64 == 0 {
            // Answers make it a connection, and reliable ones something to be acknowledged.
            theirs.send(Packet::reliable_ordered(tap.local_addr()?, vec![0; 1100], None))?;
        }
        poll(&mut theirs);
        while theirs.recv().is_some() {}
    }
    Ok(())
}
