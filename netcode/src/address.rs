//! Source or destination of a datagram, independent of the transport.

use core::fmt;
use std::net::{IpAddr, SocketAddr};

/// Source or destination of a datagram: a socket address, or a node number of another transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// IP address and port.
    Socket(SocketAddr),
    /// Node number assigned by a transport, such as a node of a simulated network.
    Node(u64),
}

impl Address {
    /// Returns the socket address, or `None` for a node.
    pub const fn socket(self) -> Option<SocketAddr> {
        match self {
            Self::Socket(address) => Some(address),
            Self::Node(_) => None,
        }
    }

    /// Returns the node number, or `None` for a socket address.
    pub const fn node(self) -> Option<u64> {
        match self {
            Self::Socket(_) => None,
            Self::Node(node) => Some(node),
        }
    }

    /// Unmaps an IPv4-mapped IPv6 address to IPv4. Dual-stack sockets report either form.
    #[must_use]
    #[doc(hidden)]
    pub const fn canonical(self) -> Self {
        match self {
            Self::Socket(address) if address.ip().to_canonical().is_ipv4() => {
                Self::Socket(SocketAddr::new(address.ip().to_canonical(), address.port()))
            }
            other => other,
        }
    }

    /// Encodes a kind byte, 16 address bytes and a port, identically on every machine. Cookies hash this encoding. An
    /// IPv4 address and its IPv4-mapped IPv6 form encode alike.
    #[doc(hidden)]
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

impl Address {
    /// Decodes [`to_bytes`](Self::to_bytes).
    pub(crate) fn from_bytes(bytes: [u8; 19]) -> Option<Self> {
        let (octets, port) = bytes[1..].split_first_chunk::<16>()?;
        let port = u16::from_le_bytes(port.try_into().ok()?);
        match bytes[0] {
            0 => Some(Self::Socket(SocketAddr::new(IpAddr::from(*octets).to_canonical(), port))),
            1 => {
                let (node, zero) = octets.split_first_chunk()?;
                let rest = zero.iter().all(|&byte| byte == 0) && port == 0;
                rest.then_some(Self::Node(u64::from_le_bytes(*node)))
            }
            _ => None,
        }
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
