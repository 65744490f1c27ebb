//! The lab: a match of two to four machines over a simulated network, played in this process and watched in a
//! browser.
//!
//! ```text
//! browser ──POST /control──▶ serve ──Order──▶ stage: Fleet of Peers, 60 ticks a second
//!         ◀──GET /stream──── serve ◀──bytes── frame: what every machine sees, after each tick
//! ```
//!
//! - `http`: requests from anywhere, read within limits.
//! - `serve`: connections and routes.
//! - `control`: what the page may ask for, checked.
//! - `stage`: the thread that owns the matches and follows the clock.
//! - `play`: one match, tick by tick, and what there is to show of it.
//! - `peer`, `hand`: a machine's game, with faults to plant; who plays it.
//! - `frame`: messages of the stream as bytes.
//! - `page/`: the page, embedded.

pub(crate) mod control;
mod frame;
mod hand;
mod http;
mod peer;
mod play;
mod serve;
mod stage;

use control::Settings;
use stage::Order;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::mpsc::{Sender, channel};

/// Why the lab can't open.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LabError {
    #[error("port {0} is in use: choose another with --port, or let --port 0 find a free one")]
    PortInUse(u16),
    #[error("port {port} can't be opened ({error}): choose another with --port")]
    Port { port: u16, error: io::Error },
    #[error("the lab can't open: {0}")]
    Io(#[from] io::Error),
}

/// A lab whose port is open.
pub(crate) struct Lab {
    listener: TcpListener,
    address: SocketAddr,
    orders: Sender<Order>,
}

impl Lab {
    /// Opens the port, on this computer only, and sets the stage.
    pub(crate) fn open(port: u16, settings: Settings) -> Result<Self, LabError> {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
                io::ErrorKind::AddrInUse => LabError::PortInUse(port),
                _ => LabError::Port { port, error },
            })?;
        let address = listener.local_addr()?;
        let (orders, waiting) = channel();
        std::thread::Builder::new()
            .name("stage".to_owned())
            .spawn(move || stage::run(&waiting, settings))?;
        Ok(Self { listener, address, orders })
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until the process ends.
    pub(crate) fn serve(self) -> ! {
        serve::accept(&self.listener, &self.orders)
    }
}
