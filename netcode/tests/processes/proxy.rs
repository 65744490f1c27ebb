//! Bad network of UDP sockets: one socket per ordered pair of players. It delays, reorders and drops datagrams, and
//! sends them from the socket that represents the sender.

use isostep_core::Rng;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Network conditions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weather {
    /// Minimum latency, to a higher machine id and to a lower one.
    delay: [Duration; 2],
    /// Maximum random addition to the latency.
    jitter: Duration,
    /// Of a million datagrams so many are lost.
    loss_ppm: u32,
    /// And so many held back, so that later ones overtake them.
    held_ppm: u32,
    seed: u64,
}

/// Extra delay of a reordered datagram.
const HELD: Duration = Duration::from_millis(40);
/// Polling interval of the sockets.
const ROUND: Duration = Duration::from_millis(1);

impl Weather {
    /// 40 ms to and 25 ms fro, 15 ms of jitter; one in twenty is lost, one in fifty held back.
    pub(crate) const fn rough(seed: u64) -> Self {
        Self {
            delay: [Duration::from_millis(40), Duration::from_millis(25)],
            jitter: Duration::from_millis(15),
            loss_ppm: 50_000,
            held_ppm: 20_000,
            seed,
        }
    }
}

/// Counters of datagrams.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) lost: u64,
    /// Passed after one of the same path that came later.
    pub(crate) overtaken: u64,
}

/// From one player to another.
struct Path {
    from: usize,
    to: usize,
    /// Address under which the sender knows the receiver.
    socket: UdpSocket,
    taken: u64,
    /// The newest that was passed on.
    newest: u64,
}

/// A network that runs in a thread.
pub(crate) struct Proxy {
    places: Vec<(usize, usize, SocketAddr)>,
    over: Arc<AtomicBool>,
    thread: JoinHandle<Counts>,
}

impl Proxy {
    /// Between all of these, each of which reaches it at a gate.
    pub(crate) fn start(
        weather: Weather,
        players: &[SocketAddr],
        gate: impl Fn(usize) -> Ipv4Addr,
    ) -> Self {
        let mut paths = Vec::new();
        for (from, to) in
            (0..players.len()).flat_map(|from| (0..players.len()).map(move |to| (from, to)))
        {
            if from != to {
                let socket = UdpSocket::bind((gate(from), 0)).expect("there is a free port");
                socket.set_nonblocking(true).expect("sockets can do that");
                paths.push(Path { from, to, socket, taken: 0, newest: 0 });
            }
        }
        let place =
            |path: &Path| (path.from, path.to, path.socket.local_addr().expect("it is bound"));
        let places = paths.iter().map(place).collect();
        let over = Arc::new(AtomicBool::new(false));
        let (until, players) = (Arc::clone(&over), players.to_vec());
        let thread = std::thread::spawn(move || run(weather, &players, &mut paths, &until));
        Self { places, over, thread }
    }

    /// Address under which one player sees another.
    pub(crate) fn address(&self, from: usize, to: usize) -> SocketAddr {
        let place = self.places.iter().find(|place| (place.0, place.1) == (from, to));
        place.expect("two players of the match").2
    }

    /// Ends it.
    pub(crate) fn stop(self) -> Counts {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().expect("the proxy had no trouble")
    }
}

fn run(weather: Weather, players: &[SocketAddr], paths: &mut [Path], over: &AtomicBool) -> Counts {
    let mut counts = Counts::default();
    // Ordered by due time; pair and number break ties.
    let mut waiting: BTreeMap<(Instant, usize, u64), Vec<u8>> = BTreeMap::new();
    let mut bytes = [0; 2048];
    while !over.load(Ordering::Relaxed) {
        let now = Instant::now();
        for (index, path) in paths.iter_mut().enumerate() {
            while let Ok((length, from)) = path.socket.recv_from(&mut bytes) {
                if from != players[path.from] {
                    continue;
                }
                path.taken += 1;
                match fate(weather, path, index) {
                    None => counts.lost += 1,
                    Some(span) => {
                        waiting.insert((now + span, index, path.taken), bytes[..length].to_vec());
                    }
                }
            }
        }
        while let Some(entry) = waiting.first_entry().filter(|entry| entry.key().0 <= now) {
            let ((_, index, number), datagram) = entry.remove_entry();
            let (from, to) = (paths[index].from, paths[index].to);
            let back = paths.iter().find(|path| (path.from, path.to) == (to, from));
            // A datagram that does not fit is lost.
            let _ = back.expect("paths have two ends").socket.send_to(&datagram, players[to]);
            counts.passed += 1;
            counts.overtaken += u64::from(number < paths[index].newest);
            paths[index].newest = paths[index].newest.max(number);
        }
        std::thread::sleep(ROUND);
    }
    counts
}

/// Delay of a datagram; `None` if it is lost. Deterministic in seed, pair and number.
fn fate(weather: Weather, path: &Path, index: usize) -> Option<Duration> {
    let mut rng = Rng::keyed(weather.seed, path.taken, index as u64, 0);
    let mut draw = |below: u32| rng.below(below).unwrap_or_default();
    let (lost, held) = (draw(1_000_000) < weather.loss_ppm, draw(1_000_000) < weather.held_ppm);
    let jitter = Duration::from_micros(draw(weather.jitter.as_micros() as u32).into());
    let span = weather.delay[usize::from(path.from > path.to)] + jitter;
    (!lost).then_some(if held { span + HELD } else { span })
}
