//! `isostep replay play --web`: a recording in a browser, with a timeline to drag.
//!
//! ```text
//! browser ──GET /recording──▶ facts: what there is from end to end, once
//!         ──GET /frames?ticks=450,451,452──▶ ask, then booth: the playback goes there, and shows each
//!         ──POST /verify──▶ inspector: another stretch of the recording is checked
//! ```
//!
//! - `ask`: which ticks the page wants, checked.
//! - `booth`: the one playback, whoever asks; a long walk ends when something newer is asked for.
//! - `inspector`: verifies the recording beside it.
//! - `facts`: what the timeline has on it, and what there is to draw.
//! - `page/`: the page, embedded, with what `crate::web` has for all pages. It asks for one thing at a time, always for
//!   what it wants by then, so nothing ever queues up here.

mod ask;
mod booth;
mod facts;
mod inspector;

use super::CommandError;
use super::open::{Known, at, known, playback, unfinished};
use crate::shown::Shown;
use crate::web::{
    self, CSS, File, HTML, Method, Request, SCRIPT, SHARED, TEXT, refuse, respond, send_file,
    send_refusal,
};
use ask::Ask;
use booth::{Answer, Booth};
use inspector::Inspector;
use isostep_rollback::Tick;
use isostep_scenes::games::Arena;
use isostep_scenes::games::tumble::rules::Tumble;
use std::io::{self, Write};
use std::net::TcpStream;
use std::path::Path;

/// Beside the lab's, so that both can be open.
pub(super) const PORT: u16 = 7879;

const JSON: &str = "application/json";

/// The page's files.
const FILES: [File; 6] = [
    ("/", HTML, include_str!("page/index.html")),
    ("/viewer.css", CSS, include_str!("page/viewer.css")),
    ("/viewer.js", SCRIPT, include_str!("page/viewer.js")),
    ("/source.js", SCRIPT, include_str!("page/source.js")),
    ("/timeline.js", SCRIPT, include_str!("page/timeline.js")),
    ("/panel.js", SCRIPT, include_str!("page/panel.js")),
];

/// Serves until the process ends.
pub(super) fn run(
    path: &Path,
    from: Option<Tick>,
    port: u16,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    match known(path)? {
        Known::Arena => show::<Arena>(path, from, port, out),
        Known::Tumble => show::<Tumble>(path, from, port, out),
    }
}

fn show<G>(
    path: &Path,
    from: Option<Tick>,
    port: u16,
    out: &mut impl Write,
) -> Result<bool, CommandError>
where
    G: Shown<Input: Send, Slots: Send> + Send + 'static,
{
    let mut playback = playback::<G>(path)?;
    let moment = match from {
        Some(tick) => {
            playback.seek(tick).map_err(at(path))?;
            format!("#tick={tick}")
        }
        None => String::new(),
    };
    let replay = playback.replay();
    let cut = (!replay.is_finished()).then(|| unfinished(replay.last(), replay.lost_bytes()));
    let facts = facts::of(&playback, path).to_string();
    let inspector = Inspector::<G>::open(path)?;
    let listener = web::open(port)?;
    let address = listener.local_addr()?;
    // Whoever started it may read the address from a pipe, and close it then.
    let _ = writeln!(out, "The viewer is open: http://{address}/{moment}");
    if let Some(cut) = cut {
        let _ = writeln!(out, "  {}: {cut}", path.display());
    }
    let _ = writeln!(out, "Press Ctrl+C to close it.");
    let _ = out.flush();
    let room = Room { facts, booth: Booth::new(playback), inspector };
    web::serve(&listener, move |stream, request| room.answer(stream, request))
}

/// What is behind the routes.
struct Room<G: Shown> {
    facts: String,
    booth: Booth<G>,
    inspector: Inspector<G>,
}

impl<G: Shown> Room<G> {
    fn answer(&self, mut stream: TcpStream, request: &Request) -> io::Result<()> {
        let stream = &mut stream;
        match (request.method, &*request.path) {
            (Method::Get, "/recording") => respond(stream, 200, JSON, self.facts.as_bytes()),
            // Whether somebody is here.
            (Method::Get, "/alive") => respond(stream, 204, TEXT, b""),
            (Method::Get, "/frames") => self.show(stream, &request.query),
            // Each makes it go on, so it is no GET.
            (Method::Post, "/verify") => {
                respond(stream, 200, JSON, self.inspector.go_on().to_string().as_bytes())
            }
            (Method::Get, "/verify") => send_refusal(stream, refuse(405, "POST it")),
            (Method::Get, path) => send_file(stream, FILES.iter().chain(&SHARED), path)
                .unwrap_or_else(|| send_refusal(stream, refuse(404, "there is nothing here"))),
            (Method::Post, _) => send_refusal(stream, refuse(405, "only /verify is posted to")),
        }
    }

    fn show(&self, stream: &mut TcpStream, query: &str) -> io::Result<()> {
        match Ask::read(query).and_then(|ask| self.booth.show(&ask)) {
            Ok(Answer::Frames(frames)) => respond(stream, 200, JSON, frames.to_string().as_bytes()),
            Ok(Answer::Overtaken) => {
                respond(stream, 409, TEXT, b"something newer was asked for; ask again\n")
            }
            Err(why) => respond(stream, 400, TEXT, format!("{why}\n").as_bytes()),
        }
    }
}
