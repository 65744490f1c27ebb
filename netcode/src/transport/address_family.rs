//! IPv4 and IPv6 on one socket. A dual-stack socket needs IPv4-mapped addresses; all other code uses unmapped ones.

use std::net::{SocketAddr, SocketAddrV6};

/// Unmaps an IPv4-mapped address.
pub(super) fn unmap(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V6(v6) => match v6.ip().to_ipv4_mapped() {
            Some(ip) => SocketAddr::new(ip.into(), v6.port()),
            None => address,
        },
        SocketAddr::V4(_) => address,
    }
}

/// Converts an address for a socket of the given family; `None` if it is unreachable from there.
pub(super) fn for_socket(address: SocketAddr, socket_is_v6: bool) -> Option<SocketAddr> {
    if address.port() == 0 {
        return None;
    }
    match (unmap(address), socket_is_v6) {
        (SocketAddr::V4(v4), true) => {
            Some(SocketAddrV6::new(v4.ip().to_ipv6_mapped(), v4.port(), 0, 0).into())
        }
        (SocketAddr::V6(_), false) => None,
        (address, _) => Some(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn only_mapped_addresses_are_unmapped() {
        for (from, to) in [
            ("[::ffff:10.0.0.7]:9", "10.0.0.7:9"),
            ("10.0.0.7:9", "10.0.0.7:9"),
            // The deprecated IPv4-compatible form, and the loopback address that resembles it.
            ("[::10.0.0.7]:9", "[::10.0.0.7]:9"),
            ("[::1]:9", "[::1]:9"),
        ] {
            assert_eq!(unmap(address(from)), address(to));
        }
    }

    #[test]
    fn targets_take_the_form_of_the_socket() {
        let (v4, mapped, v6) = ("10.0.0.7:9", "[::ffff:10.0.0.7]:9", "[2001:db8::1]:9");
        for (target, is_v6, expected) in [
            (v4, false, Some(v4)),
            (v4, true, Some(mapped)),
            (mapped, false, Some(v4)),
            (mapped, true, Some(mapped)),
            (v6, true, Some(v6)),
            (v6, false, None),
            ("10.0.0.7:0", false, None),
        ] {
            assert_eq!(for_socket(address(target), is_v6), expected.map(address), "{target}");
        }
    }
}
