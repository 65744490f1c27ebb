//! UDP: both families, datagrams that are too long, and targets that are gone.

use super::{End, Outcome, conforms, socket, take};
use isostep_netcode::transport::UdpTransport;
use isostep_netcode::{Address, Transport, TransportError};
use isostep_rollback::Time;
use std::net::{SocketAddr, UdpSocket};

fn end(address: &str) -> Result<End<UdpTransport>, TransportError> {
    let transport = UdpTransport::bind(address)?;
    Ok(End { address: transport.local_addr().into(), transport })
}

#[test]
fn udp_conforms() -> Outcome {
    let (first, second) = (end("127.0.0.1:0")?, end("127.0.0.1:0")?);
    conforms(first, second, UdpTransport::MAX_DATAGRAM_BYTES, Address::Node(1))
}

#[test]
fn a_socket_of_the_other_family_is_unreachable() -> Outcome {
    let (first, second) = (end("127.0.0.1:0")?, end("127.0.0.1:0")?);
    conforms(first, second, UdpTransport::MAX_DATAGRAM_BYTES, socket("[::1]:9"))?;
    let mut first = end("127.0.0.1:0")?.transport;
    let found = first.send(Time::ZERO, socket("127.0.0.1:0"), b"no port");
    assert!(matches!(found, Err(TransportError::Unreachable { .. })), "{found:?}");
    Ok(())
}

#[test]
fn an_ipv6_socket_sends_to_ipv4_and_reports_unmapped_addresses() -> Outcome {
    // Machines without IPv6, or with sockets of one family only, have nothing to test.
    let Ok(mut both) = UdpTransport::bind("[::]:0") else { return Ok(()) };
    let mut four = UdpTransport::bind("127.0.0.1:0")?;
    let (port, address) = (both.local_addr().port(), Address::Socket(four.local_addr()));
    both.send(Time::ZERO, address, b"to IPv4")?;
    if both.dropped() > 0 {
        return Ok(());
    }
    let from = Address::Socket(SocketAddr::from(([127, 0, 0, 1], port)));
    assert_eq!(take(&mut four, 1)?, [(from, b"to IPv4".to_vec())]);
    four.send(Time::ZERO, from, b"from IPv4")?;
    assert_eq!(take(&mut both, 1)?, [(address, b"from IPv4".to_vec())]);
    Ok(())
}

#[test]
fn truncated_datagrams_are_dropped() -> Outcome {
    let mut transport = UdpTransport::bind("127.0.0.1:0")?;
    let plain = UdpSocket::bind("127.0.0.1:0")?;
    for length in [2048, 2049, 9000, 2047] {
        plain.send_to(&vec![1; length], transport.local_addr())?;
    }
    let taken = take(&mut transport, 1)?;
    assert_eq!(taken.iter().map(|(_, bytes)| bytes.len()).collect::<Vec<_>>(), [2047]);
    assert_eq!(transport.oversized(), 3);
    Ok(())
}

#[test]
fn an_unreachable_target_does_not_stop_the_transport() -> Outcome {
    let mut transport = UdpTransport::bind("127.0.0.1:0")?;
    let gone = UdpTransport::bind("127.0.0.1:0")?.local_addr();
    let mut there = end("127.0.0.1:0")?;
    for _ in 0..10 {
        // The reply is an ICMP error, which Windows reports in a later call.
        transport.send(Time::ZERO, gone.into(), b"is somebody there?")?;
        transport.send(Time::ZERO, there.address, b"and there?")?;
        there.transport.send(Time::ZERO, transport.local_addr().into(), b"yes")?;
    }
    assert_eq!(take(&mut transport, 10)?.len(), 10);
    assert_eq!(take(&mut there.transport, 10)?.len(), 10);
    Ok(())
}

/// Linux reports ICMP errors only on connected sockets, so the test uses one.
#[test]
fn an_icmp_error_is_skipped() -> Outcome {
    let plain = UdpSocket::bind("127.0.0.1:0")?;
    let gone = UdpSocket::bind("127.0.0.1:0")?.local_addr()?;
    plain.connect(gone)?;
    plain.send(b"is somebody there?")?;
    let mut transport = UdpTransport::from_socket(plain)?;
    let mut bytes = Vec::new();
    for _ in 0..20 {
        assert_eq!(transport.receive(Time::ZERO, &mut bytes)?, None);
        super::nap();
    }
    Ok(())
}

#[test]
fn a_burst_without_a_reader_is_dropped() -> Outcome {
    let mut first = UdpTransport::bind("127.0.0.1:0")?;
    let second = UdpTransport::bind("127.0.0.1:0")?;
    for _ in 0..20_000 {
        first.send(Time::ZERO, second.local_addr().into(), &[0; 1200])?;
    }
    Ok(())
}
