//! The lab: a match of two to four machines over a simulated network, played in this process and watched
//! in a browser.
//!
//! ```text
//! browser ──POST /control──▶ serve ──MatchRequest──▶ match_thread: SimMatch of Peers, 60 ticks a second
//!         ◀──GET /stream──── serve ◀──bytes──────── frame: views of all machines, after each tick
//! ```
//!
//! - `serve`: routes; `crate::web`, of `isostep-viewer`, has the connections.
//! - `control`: requests of the page, checked.
//! - `match_thread`: the thread that owns the match and follows the clock; `crate::play` is the match.
//! - `frame`: messages of the stream as bytes.
//! - `page/`: the embedded page; `isostep-viewer` has the files that all pages share.

mod control;
mod frame;
mod match_thread;
mod serve;

use crate::settings::{self, SettingError, Settings};
use crate::web::{self, PortError};
use clap::{Arg, ArgMatches, Command, value_parser};
use match_thread::MatchRequest;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Sender, channel};

const EXAMPLE: &str = "\
Example:
  isostep lab --players 3 --seed 7 --net wifi
  then open the address that it prints; by default http://127.0.0.1:7878/";

pub(crate) fn command() -> Command {
    let port = Arg::new("port").long("port").value_name("PORT").default_value("7878");
    let port = port.value_parser(value_parser!(u16)).help("Port to serve on; 0 selects a free one");
    Command::new("lab")
        .about("Plays a match on several machines over a bad network, shown in a browser")
        .long_about(
            "Plays a match on two to four simulated machines over a network that you make as bad as you like, and \
             shows what each of them sees. Serves one page on this computer only; nothing is downloaded. \
             What the match begins with can be changed on the page; `isostep demo` has the same settings.",
        )
        .arg(port)
        .args(settings::arguments())
        .after_help(EXAMPLE)
}

/// Serves until the process ends.
pub(crate) fn run(arguments: &ArgMatches) -> Result<(), LabError> {
    let port = *arguments.get_one::<u16>("port").expect("it has a default");
    let lab = Lab::open(port, settings::from_arguments(arguments)?)?;
    // The parent may read the address from a pipe and close it.
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "The lab is open: http://{}/\nPress Ctrl+C to close it.", lab.address());
    let _ = out.flush();
    drop(out);
    lab.serve()
}

/// Errors that keep the lab from starting.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LabError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Port(#[from] PortError),
    #[error("the lab can't open: {0}")]
    Io(#[from] io::Error),
}

/// A lab with an open port.
struct Lab {
    listener: TcpListener,
    address: SocketAddr,
    requests: Sender<MatchRequest>,
}

impl Lab {
    /// Binds the port on the loopback interface and starts the match thread.
    fn open(port: u16, settings: Settings) -> Result<Self, LabError> {
        let listener = web::open(port)?;
        let address = listener.local_addr()?;
        let (requests, waiting) = channel();
        std::thread::Builder::new()
            .name("stage".to_owned())
            .spawn(move || match_thread::run(&waiting, settings))?;
        Ok(Self { listener, address, requests })
    }

    const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until the process ends.
    fn serve(self) -> ! {
        serve::accept(&self.listener, self.requests)
    }
}
