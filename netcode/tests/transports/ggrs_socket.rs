//! Our datagrams over sockets of ggrs: its own on the loopback, and one in memory that hands over anything.

use super::{End, Outcome, conforms, nap, take};
use ggrs::{Message, NonBlockingSocket, UdpNonBlockingSocket};
use isostep_core::Rng;
use isostep_netcode::transport::GgrsSocketTransport;
use isostep_netcode::{Address, Transport, TransportError};
use isostep_rollback::Time;
use std::collections::VecDeque;
use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};

/// ggrs socket over an in-memory list.
#[derive(Clone)]
struct Memory {
    own: u16,
    wire: Arc<Mutex<VecDeque<(u16, u16, Message)>>>,
}

impl NonBlockingSocket<u16> for Memory {
    fn send_to(&mut self, message: &Message, to: &u16) {
        self.wire.lock().expect("one thread").push_back((self.own, *to, message.clone()));
    }

    fn receive_all_messages(&mut self) -> Vec<(u16, Message)> {
        let mut wire = self.wire.lock().expect("one thread");
        let (mine, rest) = wire.drain(..).partition(|(_, to, _)| *to == self.own);
        *wire = rest;
        let mine: VecDeque<_> = mine;
        mine.into_iter().map(|(from, _, message)| (from, message)).collect()
    }
}

fn memory<const N: usize>() -> [Memory; N] {
    let wire = Arc::default();
    core::array::from_fn(|own| Memory { own: own as u16, wire: Arc::clone(&wire) })
}

type OverMemory = GgrsSocketTransport<u16, Memory>;
type OverUdp = GgrsSocketTransport<SocketAddr, UdpNonBlockingSocket>;

/// Each end knows the other as its first address.
fn meet<T>(transport: T) -> End<T> {
    End { transport, address: Address::Node(0) }
}

#[test]
fn a_socket_in_memory_conforms() -> Outcome {
    let [mut first, mut second] = memory().map(OverMemory::new);
    assert_eq!(first.node_of(&1), Some(Address::Node(0)));
    assert_eq!(second.node_of(&0), Some(Address::Node(0)));
    conforms(
        meet(first),
        meet(second),
        OverMemory::MAX_DATAGRAM_BYTES,
        super::socket("127.0.0.1:9"),
    )
}

/// A socket of ggrs on a free port, which it can't report.
fn over_udp() -> Result<(OverUdp, SocketAddr), Box<dyn std::error::Error>> {
    for _ in 0..100 {
        let port = UdpSocket::bind("0.0.0.0:0")?.local_addr()?.port();
        if let Ok(socket) = UdpNonBlockingSocket::bind_to_port(port) {
            let address = SocketAddr::from(([127, 0, 0, 1], port));
            return Ok((GgrsSocketTransport::new(socket), address));
        }
    }
    Err("no free port".into())
}

#[test]
fn the_socket_of_ggrs_conforms() -> Outcome {
    let ((mut first, first_at), (mut second, second_at)) = (over_udp()?, over_udp()?);
    first.node_of(&second_at);
    second.node_of(&first_at);
    conforms(meet(first), meet(second), OverUdp::MAX_DATAGRAM_BYTES, Address::Node(63))
}

#[test]
fn node_numbers_are_assigned_in_order_and_limited() {
    let [mut transport] = memory().map(OverMemory::new);
    for address in 100..164 {
        assert_eq!(transport.node_of(&address), Some(Address::Node(u64::from(address - 100))));
    }
    assert_eq!(transport.node_of(&99), None);
    assert_eq!(transport.node_of(&130), Some(Address::Node(30)));
    assert_eq!(transport.address_of(Address::Node(30)), Some(&130));
    transport.remove(Address::Node(30));
    assert_eq!(transport.address_of(Address::Node(30)), None);
    assert_eq!(transport.node_of(&99), Some(Address::Node(30)));
}

#[test]
fn a_new_address_is_rejected_when_all_numbers_are_used() -> Outcome {
    let [mut first, mut second] = memory().map(OverMemory::new);
    (100..164).for_each(|address| assert!(first.node_of(&address).is_some()));
    let to = second.node_of(&0).ok_or("a number")?;
    second.send(Time::ZERO, to, b"hello")?;
    let found = first.receive(Time::ZERO, &mut Vec::new());
    assert!(matches!(found, Err(TransportError::Refused { .. })), "{found:?}");
    assert_eq!(first.receive(Time::ZERO, &mut Vec::new())?, None);
    Ok(())
}

/// The encoding of the message that carries a datagram.
fn encoded(datagram: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let [first, mut spy] = memory();
    let mut first = OverMemory::new(first);
    let to = first.node_of(&1).ok_or("a number")?;
    first.send(Time::ZERO, to, datagram)?;
    let (_, message) = spy.receive_all_messages().pop().ok_or("a message")?;
    Ok(bincode::serialize(&message)?)
}

#[test]
fn a_datagram_costs_31_bytes() -> Outcome {
    let encoded = encoded(b"abc")?;
    assert_eq!(encoded.len(), 3 + 31);
    assert!(encoded.ends_with(b"\x03\0\0\0\0\0\0\0abc"));
    Ok(())
}

/// Every message that a change of bytes can make: ours or refused, and never more than was sent.
#[test]
fn foreign_messages_are_rejected() -> Outcome {
    let [first, mut stranger] = memory();
    let (mut first, mut rng) = (OverMemory::new(first), Rng::new(3));
    let whole = encoded(b"a datagram")?;
    let (mut refused, mut taken, mut bytes) = (0, 0, Vec::new());
    for _ in 0..20_000 {
        let mut changed = whole.clone();
        for _ in 0..=rng.below(3)? {
            let at = rng.below(changed.len() as u32)? as usize;
            changed[at] = rng.below(256)? as u8;
        }
        // Malformed bytes are handled by the socket that decodes.
        let Ok(message) = bincode::deserialize(&changed) else { continue };
        stranger.send_to(&message, &0);
        match first.receive(Time::ZERO, &mut bytes) {
            Ok(Some(_)) => taken += 1,
            Err(TransportError::Refused { .. }) => refused += 1,
            other => panic!("{other:?}"),
        }
        assert!(bytes.len() <= OverMemory::MAX_DATAGRAM_BYTES);
    }
    assert!(refused > 1000 && taken > 1000, "{refused} refused, {taken} taken");
    Ok(())
}

#[test]
fn too_long_messages_are_rejected() -> Outcome {
    let [first, mut stranger] = memory();
    let mut first = OverMemory::new(first);
    let mut long = encoded(&[])?;
    let most = OverMemory::MAX_DATAGRAM_BYTES + 1;
    let length = long.len();
    long[length - 8..].copy_from_slice(&(most as u64).to_le_bytes());
    long.resize(length + most, 0);
    stranger.send_to(&bincode::deserialize(&long)?, &0);
    let found = first.receive(Time::ZERO, &mut Vec::new());
    assert!(matches!(found, Err(TransportError::Refused { .. })), "{found:?}");
    Ok(())
}

#[test]
fn random_bytes_on_the_ggrs_socket_are_ignored() -> Outcome {
    let ((mut first, first_at), (mut second, second_at)) = (over_udp()?, over_udp()?);
    let (mut rng, noise) = (Rng::new(4), UdpSocket::bind("127.0.0.1:0")?);
    let whole = encoded(b"a datagram")?;
    for _ in 0..200 {
        let mut changed = whole.clone();
        let at = rng.below(23)? as usize;
        changed[at] ^= 1 << rng.below(8)?;
        changed.truncate(rng.below(50)? as usize);
        noise.send_to(&changed, first_at)?;
    }
    nap();
    while !matches!(first.receive(Time::ZERO, &mut Vec::new()), Ok(None)) {}
    first.node_of(&second_at);
    let to = second.node_of(&first_at).ok_or("a number")?;
    second.send(Time::ZERO, to, b"after all that")?;
    let taken = take(&mut first, 1)?;
    assert_eq!(taken, [(Address::Node(0), b"after all that".to_vec())]);
    Ok(())
}
