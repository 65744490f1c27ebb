//! Measures, without interpretation. No probe takes longer than a second.

use isostep_core::internals::Lanes;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Datagram sizes to test, bytes. Connections begin with packets of 1,200 (WIRE.md), so every path
/// must carry those.
pub(super) const SIZES: [usize; 5] = [1, 64, 576, 1000, 1200];
/// UDP ports of the examples, and TCP port of the lab.
pub(super) const UDP_PORTS: [u16; 2] = [7000, 7001];
pub(super) const LAB_PORT: u16 = 7878;
const HERE: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// Time limit for a datagram over loopback.
const TIMEOUT: Duration = Duration::from_millis(100);
const TRIES: usize = 3;

/// Returns the sizes that arrived intact between two sockets, or the socket error.
pub(super) fn udp_sizes() -> Result<Vec<usize>, String> {
    let socket = || UdpSocket::bind((HERE, 0)).map_err(|error| error.to_string());
    let (from, to) = (socket()?, socket()?);
    let target = to.local_addr().map_err(|error| error.to_string())?;
    to.set_read_timeout(Some(TIMEOUT)).map_err(|error| error.to_string())?;
    let arrives = |&size: &usize| {
        let sent: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
        let mut buffer = [0; 2048];
        (0..TRIES).any(|_| {
            from.send_to(&sent, target).is_ok()
                && to.recv_from(&mut buffer).is_ok_and(|(length, _)| buffer[..length] == sent[..])
        })
    };
    Ok(SIZES.into_iter().filter(arrives).collect())
}

/// Ports that can be bound.
pub(super) struct Ports {
    /// A port chosen by the system, or the error.
    pub(super) any: Result<u16, String>,
    /// Ports of the examples and the lab that are in use.
    pub(super) taken: Vec<u16>,
}

pub(super) fn ports() -> Ports {
    let any = UdpSocket::bind((HERE, 0)).and_then(|socket| socket.local_addr());
    let mut taken: Vec<u16> =
        UDP_PORTS.into_iter().filter(|&port| UdpSocket::bind((HERE, port)).is_err()).collect();
    taken.extend(TcpListener::bind((HERE, LAB_PORT)).is_err().then_some(LAB_PORT));
    Ports { any: any.map(|address| address.port()).map_err(|error| error.to_string()), taken }
}

/// Properties of the monotonic clock.
pub(super) struct Clock {
    /// Smallest step observed; `None` if the clock did not advance.
    pub(super) resolution: Option<Duration>,
    /// True if the clock went backwards.
    pub(super) went_back: bool,
}

pub(super) fn clock() -> Clock {
    const SAMPLE_FOR: Duration = Duration::from_millis(50);
    const MAX_READS: u32 = 1_000_000;
    let start = Instant::now();
    let mut clock = Clock { resolution: None, went_back: false };
    let mut last = start;
    for _ in 0..MAX_READS {
        let now = Instant::now();
        match now.checked_duration_since(last) {
            None => clock.went_back = true,
            Some(Duration::ZERO) => (),
            Some(step) => {
                clock.resolution = Some(clock.resolution.map_or(step, |known| known.min(step)));
            }
        }
        last = now;
        if start.elapsed() > SAMPLE_FOR {
            break;
        }
    }
    clock
}

/// Seconds since 1970; `None` if the clock is set to an earlier time.
pub(super) fn unix_now() -> Option<u64> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// Excess of each of several one-millisecond sleeps.
pub(super) fn sleeps() -> Vec<Duration> {
    const ASKED: Duration = Duration::from_millis(1);
    let late = |_| {
        let start = Instant::now();
        std::thread::sleep(ASKED);
        start.elapsed().saturating_sub(ASKED)
    };
    (0..60).map(late).collect()
}

/// Returns the number of hardware threads, and true if a thread can be started.
pub(super) fn threads() -> (usize, bool) {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let started = std::thread::Builder::new().spawn(|| ());
    (count, started.is_ok_and(|thread| thread.join().is_ok()))
}

/// Returns the widest lanes of this machine.
pub(super) fn lanes() -> Lanes {
    Lanes::widest()
}
