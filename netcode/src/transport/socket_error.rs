//! Classification of socket errors. Errors of one datagram or one peer must not stop the transport.

use std::io::{self, ErrorKind};

/// Meaning of an operating system error for a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SocketError {
    /// Interrupted by a signal; retry.
    Interrupted,
    /// No datagram available, or the send buffer is full.
    WouldBlock,
    /// One destination is unreachable, as reported by the system or by ICMP.
    Unreachable,
    /// No buffer space at the moment.
    NoBuffers,
    /// Longer than the interface or the buffer allows.
    TooLong,
    /// Any other error: the socket has failed.
    Fatal,
}

pub(super) fn classify(error: &io::Error) -> SocketError {
    match error.kind() {
        ErrorKind::Interrupted => SocketError::Interrupted,
        ErrorKind::WouldBlock => SocketError::WouldBlock,
        ErrorKind::OutOfMemory => SocketError::NoBuffers,
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionRefused
        | ErrorKind::ConnectionAborted
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable
        | ErrorKind::NetworkDown
        | ErrorKind::AddrNotAvailable
        | ErrorKind::TimedOut
        // Linux returns this when a local firewall rejects the destination.
        | ErrorKind::PermissionDenied => SocketError::Unreachable,
        // The standard library has no kinds for these.
        _ => match error.raw_os_error() {
            Some(code) if Some(code) == codes::TOO_LONG => SocketError::TooLong,
            Some(code) if Some(code) == codes::NO_BUFFERS => SocketError::NoBuffers,
            Some(code) if Some(code) == codes::NETWORK_RESET => SocketError::Unreachable,
            _ => SocketError::Fatal,
        },
    }
}

/// `EMSGSIZE`, `ENOBUFS` and `ENETRESET` per system. On other systems these errors are fatal.
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
    fn emsgsize_is_classified_as_too_long() -> io::Result<()> {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        let error = socket.send_to(&vec![0; 70_000], socket.local_addr()?);
        assert_eq!(error.map_err(|error| classify(&error)), Err(SocketError::TooLong));
        Ok(())
    }

    #[test]
    fn only_socket_errors_are_fatal() {
        for (kind, expected) in [
            (ErrorKind::ConnectionRefused, SocketError::Unreachable),
            (ErrorKind::ConnectionReset, SocketError::Unreachable),
            (ErrorKind::Interrupted, SocketError::Interrupted),
            (ErrorKind::WouldBlock, SocketError::WouldBlock),
            (ErrorKind::NotConnected, SocketError::Fatal),
        ] {
            assert_eq!(classify(&kind.into()), expected);
        }
    }
}
