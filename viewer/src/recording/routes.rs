//! Requests of the page.

use super::query::FrameQuery;
use super::shared_playback::{Answer, SharedPlayback};
use super::verifier::SharedVerifier;
use crate::scene::View;
use crate::web::{
    CSS, File, HTML, Method, Request, SCRIPT, SHARED, TEXT, refuse, respond, send_file,
    send_refusal,
};
use isostep_core::state::Snapshot;
use isostep_rollback::Simulation;
use std::io;
use std::net::TcpStream;

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

/// State behind the routes.
pub(super) struct Routes<S: Simulation + Snapshot, V> {
    pub(super) facts: String,
    pub(super) playback: SharedPlayback<S, V>,
    pub(super) verifier: SharedVerifier<S>,
}

impl<S: Simulation + Snapshot, V: View<S>> Routes<S, V> {
    pub(super) fn answer(&self, mut stream: TcpStream, request: &Request) -> io::Result<()> {
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
        match FrameQuery::read(query).and_then(|ask| self.playback.show(&ask)) {
            Ok(Answer::Frames(frames)) => respond(stream, 200, JSON, frames.to_string().as_bytes()),
            Ok(Answer::Superseded) => {
                respond(stream, 409, TEXT, b"superseded by a newer request; retry if needed\n")
            }
            Err(why) => respond(stream, 400, TEXT, format!("{why}\n").as_bytes()),
        }
    }
}
