//! Errors of sockets sorted by what they mean to a transport: what concerns one datagram or one peer must not stop the rest.

use std::io::{self, ErrorKind};

/// What an error of the operating system means to a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A signal came in between.
    Again,
    /// It would have to wait.
    Nothing,
    /// One target can't be reached, or a router or the target said so (ICMP).
    Peer,
    /// No memory for it just now.
    Full,
    /// Longer than the interface or the buffer.
    TooLong,
    /// Anything else.
    Broken,
}

pub(super) fn trouble(error: &io::Error) -> Trouble {
    match error.kind() {
        ErrorKind::Interrupted => Trouble::Again,
        ErrorKind::WouldBlock => Trouble::Nothing,
        ErrorKind::OutOfMemory => Trouble::Full,
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionRefused
        | ErrorKind::ConnectionAborted
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable
        | ErrorKind::NetworkDown
        | ErrorKind::AddrNotAvailable
        | ErrorKind::TimedOut
        // Linux says so when a firewall of this machine refuses the target.
        | ErrorKind::PermissionDenied => Trouble::Peer,
        // The standard library has no kinds for these.
        _ => match error.raw_os_error() {
            Some(code) if Some(code) == codes::TOO_LONG => Trouble::TooLong,
            Some(code) if Some(code) == codes::NO_BUFFERS => Trouble::Full,
            Some(code) if Some(code) == codes::NETWORK_RESET => Trouble::Peer,
            _ => Trouble::Broken,
        },
    }
}

/// `EMSGSIZE`, `ENOBUFS` and `ENETRESET`, by system. Elsewhere such an error counts as a broken socket.
mod codes {
    macro_rules! codes {
        ($too_long:expr, $no_buffers:expr, $network_reset:expr) => {
            pub(super) const TOO_LONG: Option<i32> = $too_long;
            pub(super) const NO_BUFFERS: Option<i32> = $no_buffers;
            pub(super) const NETWORK_RESET: Option<i32> = $network_reset;
        };
    }

    #[cfg(windows)]
    codes!(Some(10_040), Some(10_055), Some(10_052));
    #[cfg(any(target_os = "linux", target_os = "android"))]
    codes!(Some(90), Some(105), Some(102));
    #[cfg(any(
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
        target_os = "dragonfly"
    ))]
    codes!(Some(40), Some(55), Some(52));
    #[cfg(not(any(
        windows,
        target_os = "linux",
        target_os = "android",
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
        target_os = "dragonfly"
    )))]
    codes!(None, None, None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    #[test]
    fn what_no_interface_takes_is_known_by_its_error() -> io::Result<()> {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        let error = socket.send_to(&vec![0; 70_000], socket.local_addr()?);
        assert_eq!(error.map_err(|error| trouble(&error)), Err(Trouble::TooLong));
        Ok(())
    }

    #[test]
    fn only_what_concerns_the_socket_breaks_it() {
        for (kind, expected) in [
            (ErrorKind::ConnectionRefused, Trouble::Peer),
            (ErrorKind::ConnectionReset, Trouble::Peer),
            (ErrorKind::Interrupted, Trouble::Again),
            (ErrorKind::WouldBlock, Trouble::Nothing),
            (ErrorKind::NotConnected, Trouble::Broken),
        ] {
            assert_eq!(trouble(&kind.into()), expected);
        }
    }
}
