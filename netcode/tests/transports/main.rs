//! Common contract of all transports: datagrams arrive unchanged, unsendable ones return an error with a reason, and
//! foreign bytes are refused. Sockets are real, on the loopback interface.

#[cfg(feature = "ggrs")]
mod ggrs_session;
#[cfg(feature = "ggrs")]
mod ggrs_socket;
#[cfg(all(feature = "ggrs", feature = "udp"))]
mod ggrs_tunnel;
#[cfg(feature = "laminar")]
mod laminar;
#[cfg(feature = "ggrs")]
mod tug;
#[cfg(feature = "udp")]
mod udp;

use isostep_netcode::transport::SimTransport;
use isostep_netcode::{Address, Transport, TransportError};
use isostep_rollback::{SimNetwork, Time};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Looks that a datagram may take to arrive; with the nap in between, a second.
const MOST_LOOKS: usize = 1000;

/// A moment for the loopback, which delivers at once on most systems.
#[allow(clippy::disallowed_methods, reason = "real sockets take real time")]
fn nap() {
    std::thread::sleep(core::time::Duration::from_millis(1));
}

/// Receives until `count` datagrams arrived, or none are left.
fn take(
    transport: &mut impl Transport,
    count: usize,
) -> Result<Vec<(Address, Vec<u8>)>, TransportError> {
    let (mut taken, mut bytes) = (Vec::new(), vec![7; 3]);
    for _ in 0..MOST_LOOKS {
        while let Some(from) = transport.receive(Time::ZERO, &mut bytes)? {
            taken.push((from, bytes.clone()));
        }
        if taken.len() >= count {
            break;
        }
        nap();
    }
    Ok(taken)
}

/// One end of a conformance check.
struct End<T> {
    transport: T,
    /// Address as the other end reports it.
    address: Address,
}

/// Contract of every transport. `most` is the longest datagram, `stranger` an address of an unsupported kind.
fn conforms<T: Transport>(
    mut first: End<T>,
    mut second: End<T>,
    most: usize,
    stranger: Address,
) -> Outcome {
    let mut bytes = Vec::new();
    assert_eq!(first.transport.receive(Time::ZERO, &mut bytes)?, None, "nothing was sent");

    let long = (0..=255).cycle().take(1200).collect();
    let longest = (0..=251).cycle().take(most).collect();
    let mut sent = vec![vec![], vec![0], b"hello".to_vec(), long, longest];
    for datagram in &sent {
        first.transport.send(Time::ZERO, second.address, datagram)?;
    }
    let taken = take(&mut second.transport, sent.len())?;
    assert!(taken.iter().all(|(from, _)| *from == first.address), "from its address");
    let mut found: Vec<_> = taken.into_iter().map(|(_, bytes)| bytes).collect();
    found.sort();
    sent.sort();
    let lengths = |datagrams: &[Vec<u8>]| datagrams.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(lengths(&found), lengths(&sent));
    assert!(found == sent, "the same bytes, in any order");

    second.transport.send(Time::ZERO, first.address, b"back")?;
    assert_eq!(take(&mut first.transport, 1)?, [(second.address, b"back".to_vec())]);

    let found = first.transport.send(Time::ZERO, second.address, &vec![0; most + 1]);
    let TransportError::TooLong { bytes, max: limit } = found.expect_err("too long") else {
        panic!("another error");
    };
    assert_eq!((bytes, limit), (most + 1, most));

    let found = first.transport.send(Time::ZERO, stranger, b"to nobody");
    let TransportError::Unreachable { to } = found.expect_err("unreachable") else {
        panic!("another error");
    };
    assert_eq!(to, stranger);

    // An error leaves the transport as it was.
    first.transport.send(Time::ZERO, second.address, b"after errors")?;
    assert_eq!(take(&mut second.transport, 1)?, [(first.address, b"after errors".to_vec())]);
    Ok(())
}

fn socket(text: &str) -> Address {
    Address::Socket(text.parse().expect("an address"))
}

#[test]
fn a_simulated_network_conforms() -> Outcome {
    let mut ends = SimTransport::nodes(SimNetwork::new(5), 2).into_iter();
    let mut end = || ends.next().map(|transport| End { address: transport.address(), transport });
    let (first, second) = (end().ok_or("a node")?, end().ok_or("a node")?);
    conforms(first, second, SimTransport::MAX_DATAGRAM_BYTES, socket("127.0.0.1:9"))
}

#[test]
fn a_missing_node_is_unreachable() -> Outcome {
    let mut ends = SimTransport::nodes(SimNetwork::new(5), 1);
    for to in [Address::Node(1), Address::Node(u64::MAX)] {
        let found = ends[0].send(Time::ZERO, to, b"");
        assert!(matches!(found, Err(TransportError::Unreachable { .. })), "{found:?}");
    }
    let mut joined = ends[0].join()?;
    ends[0].send(Time::ZERO, joined.address(), b"now it is")?;
    assert_eq!(take(&mut joined, 1)?, [(ends[0].address(), b"now it is".to_vec())]);
    Ok(())
}
