//! `isostep replay play --web`: a recording in a browser, with a timeline to drag.
//!
//! ```text
//! browser ──GET /recording──▶ metadata: length, marks and drawables, once
//!         ──GET /frames?ticks=450,451,452──▶ query, then shared_playback: seeks to each tick and returns its frame
//!         ──POST /verify──▶ verifier: verifies another chunk of the recording
//! ```
//!
//! - `query`: ticks that the page requests, checked.
//! - `shared_playback`: the playback of all connections; a newer query supersedes a long seek.
//! - `verifier`: verifies the recording independently of the playback.
//! - `metadata`: timeline marks and drawables.
//! - `page/`: the embedded page; `crate::web` has the files that all pages share. It has one query in flight, for the
//!   newest tick that it needs, so no queue builds up here.

mod metadata;
mod query;
mod shared_playback;
mod verifier;

use super::CommandError;
use super::open::{KnownGame, at, known, playback, unfinished};
use crate::drawable::DrawableGame;
use crate::web::{
    self, CSS, File, HTML, Method, Request, SCRIPT, SHARED, TEXT, refuse, respond, send_file,
    send_refusal,
};
use isostep_rollback::Tick;
use isostep_scenes::games::Arena;
use isostep_scenes::games::tumble::rules::Tumble;
use query::FrameQuery;
use shared_playback::{Answer, SharedPlayback};
use std::io::{self, Write};
use std::net::TcpStream;
use std::path::Path;
use verifier::SharedVerifier;

/// Next to the lab's port, so that both can be open.
pub(super) const PORT: u16 = 7879;

const JSON: &str = "application/json";

/// Files of the page.
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
        KnownGame::Arena => show::<Arena>(path, from, port, out),
        KnownGame::Tumble => show::<Tumble>(path, from, port, out),
    }
}

fn show<G>(
    path: &Path,
    from: Option<Tick>,
    port: u16,
    out: &mut impl Write,
) -> Result<bool, CommandError>
where
    G: DrawableGame<Input: Send, Slots: Send> + Send + 'static,
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
    let facts = metadata::of(&playback, path).to_string();
    let verifier = SharedVerifier::<G>::open(path)?;
    let listener = web::open(port)?;
    let address = listener.local_addr()?;
    // The parent may read the address from a pipe and close it.
    let _ = writeln!(out, "The viewer is open: http://{address}/{moment}");
    if let Some(cut) = cut {
        let _ = writeln!(out, "  {}: {cut}", path.display());
    }
    let _ = writeln!(out, "Press Ctrl+C to close it.");
    let _ = out.flush();
    let viewer = Viewer { facts, shared_playback: SharedPlayback::new(playback), verifier };
    web::serve(&listener, move |stream, request| viewer.answer(stream, request))
}

/// State behind the routes.
struct Viewer<G: DrawableGame> {
    facts: String,
    shared_playback: SharedPlayback<G>,
    verifier: SharedVerifier<G>,
}

impl<G: DrawableGame> Viewer<G> {
    fn answer(&self, mut stream: TcpStream, request: &Request) -> io::Result<()> {
        let stream = &mut stream;
        match (request.method, &*request.path) {
            (Method::Get, "/recording") => respond(stream, 200, JSON, self.facts.as_bytes()),
            // Liveness probe.
            (Method::Get, "/alive") => respond(stream, 204, TEXT, b""),
            (Method::Get, "/frames") => self.show(stream, &request.query),
            // POST, because each request advances the verification.
            (Method::Post, "/verify") => {
                respond(stream, 200, JSON, self.verifier.advance().to_string().as_bytes())
            }
            (Method::Get, "/verify") => send_refusal(stream, refuse(405, "use POST for this path")),
            (Method::Get, path) => send_file(stream, FILES.iter().chain(&SHARED), path)
                .unwrap_or_else(|| send_refusal(stream, refuse(404, "not found"))),
            (Method::Post, _) => {
                send_refusal(stream, refuse(405, "POST is only allowed for /verify"))
            }
        }
    }

    fn show(&self, stream: &mut TcpStream, query: &str) -> io::Result<()> {
        match FrameQuery::read(query).and_then(|ask| self.shared_playback.show(&ask)) {
            Ok(Answer::Frames(frames)) => respond(stream, 200, JSON, frames.to_string().as_bytes()),
            Ok(Answer::Superseded) => {
                respond(stream, 409, TEXT, b"superseded by a newer request; retry if needed\n")
            }
            Err(why) => respond(stream, 400, TEXT, format!("{why}\n").as_bytes()),
        }
    }
}
