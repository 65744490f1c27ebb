//! IPv4 and IPv6 on one socket: a socket of IPv6 knows IPv4 addresses in their mapped form only, everybody else does not
//! want to see that form.

use std::net::{SocketAddr, SocketAddrV6};

/// An address as everybody else writes it: IPv4 where it is IPv4 in disguise.
pub(super) fn unmap(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V6(v6) => match v6.ip().to_ipv4_mapped() {
            Some(ip) => SocketAddr::new(ip.into(), v6.port()),
            None => address,
        },
        SocketAddr::V4(_) => address,
    }
}

/// An address as a socket of this family takes it; `None` if it can't be reached from there.
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
            // An old form that is not a mapped address, and the loopback that looks like it.
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
