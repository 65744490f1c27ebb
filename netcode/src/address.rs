//! Where a datagram comes from or goes to, whatever carries it.

use core::fmt;
use std::net::{IpAddr, SocketAddr};

/// Where a datagram comes from or goes to: a socket's address, or the number of a node of some other transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// An address of the internet.
    Socket(SocketAddr),
    /// A number that a transport gives, such as a node of a simulated network.
    Node(u64),
}

impl Address {
    /// The address of a socket, if it is one.
    pub const fn socket(self) -> Option<SocketAddr> {
        match self {
            Self::Socket(address) => Some(address),
            Self::Node(_) => None,
        }
    }

    /// The number of a node, if it is one.
    pub const fn node(self) -> Option<u64> {
        match self {
            Self::Socket(_) => None,
            Self::Node(node) => Some(node),
        }
    }

    /// An IPv4 address that is written as one of IPv6, as itself: sockets for both say either.
    #[must_use]
    pub const fn canonical(self) -> Self {
        match self {
            Self::Socket(address) if address.ip().to_canonical().is_ipv4() => {
                Self::Socket(SocketAddr::new(address.ip().to_canonical(), address.port()))
            }
            other => other,
        }
    }

    /// A kind, 16 bytes and a port, the same for the same address on every machine: what cookies are made of. An IPv4
    /// address and the IPv6 form of it are one.
    pub fn to_bytes(self) -> [u8; 19] {
        let mut bytes = [0; 19];
        match self {
            Self::Socket(address) => {
                let ip = match address.ip() {
                    IpAddr::V4(ip) => ip.to_ipv6_mapped(),
                    IpAddr::V6(ip) => ip,
                };
                bytes[1..17].copy_from_slice(&ip.octets());
                bytes[17..].copy_from_slice(&address.port().to_le_bytes());
            }
            Self::Node(node) => {
                bytes[0] = 1;
                bytes[1..9].copy_from_slice(&node.to_le_bytes());
            }
        }
        bytes
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Self::Socket(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(address) => address.fmt(f),
            Self::Node(node) => write!(f, "node {node}"),
        }
    }
}
