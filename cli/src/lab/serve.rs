//! Routes of the lab: page, stream, controls, recording.

use super::control::Control;
use super::match_thread::MatchRequest;
use crate::web::{
    self, CSS, File, HTML, Method, Permit, Request, SCRIPT, SHARED, TEXT, head, refuse, respond,
    send_file, send_refusal,
};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{Sender, sync_channel};

/// Limit on simultaneous streams.
const MAX_STREAMS: usize = 8;
/// Messages queued for a slow reader: half a second.
const STREAM_QUEUE: usize = 32;

/// Files of the page.
const FILES: [File; 15] = [
    ("/", HTML, include_str!("page/index.html")),
    ("/lab.css", CSS, include_str!("page/lab.css")),
    ("/small.css", CSS, include_str!("page/small.css")),
    ("/lab.js", SCRIPT, include_str!("page/lab.js")),
    ("/cards.js", SCRIPT, include_str!("page/cards.js")),
    ("/controls.js", SCRIPT, include_str!("page/controls.js")),
    ("/confirm.js", SCRIPT, include_str!("page/confirm.js")),
    ("/curves.js", SCRIPT, include_str!("page/curves.js")),
    ("/inspect.js", SCRIPT, include_str!("page/inspect.js")),
    ("/layout.js", SCRIPT, include_str!("page/layout.js")),
    ("/map.js", SCRIPT, include_str!("page/map.js")),
    ("/touch.js", SCRIPT, include_str!("page/touch.js")),
    ("/player.js", SCRIPT, include_str!("page/player.js")),
    ("/report.js", SCRIPT, include_str!("page/report.js")),
    ("/wire.js", SCRIPT, include_str!("page/wire.js")),
];

/// Accepts connections forever.
pub(super) fn accept(listener: &TcpListener, requests: Sender<MatchRequest>) -> ! {
    let streams = Arc::<AtomicUsize>::default();
    web::serve(listener, move |stream, request| answer(stream, request, &streams, &requests))
}

fn answer(
    mut stream: TcpStream,
    request: &Request,
    streams: &Arc<AtomicUsize>,
    requests: &Sender<MatchRequest>,
) -> io::Result<()> {
    match (request.method, &*request.path) {
        (Method::Get, "/stream") => match Permit::acquire(streams, MAX_STREAMS) {
            Some(_seat) => stream_frames(stream, requests),
            None => respond(&mut stream, 503, TEXT, b"too many connections; close some tabs\n"),
        },
        (Method::Post, "/control") => match control(request, requests) {
            Ok(()) => respond(&mut stream, 204, TEXT, b""),
            Err(why) => respond(&mut stream, 400, TEXT, format!("{why}\n").as_bytes()),
        },
        // POST, because saving starts a new recording.
        (Method::Post, "/replay") => save(&mut stream, requests),
        (Method::Get, path) => match send_file(&mut stream, FILES.iter().chain(&SHARED), path) {
            Some(sent) => sent,
            None if ["/control", "/replay"].contains(&path) => {
                send_refusal(&mut stream, refuse(405, "use POST for this path"))
            }
            None => send_refusal(&mut stream, refuse(404, "not found")),
        },
        (Method::Post, _) => {
            send_refusal(&mut stream, refuse(405, "POST is only allowed for /control and /replay"))
        }
    }
}

fn control(request: &Request, requests: &Sender<MatchRequest>) -> Result<(), String> {
    let control = Control::read(&request.body).map_err(|error| error.to_string())?;
    requests
        .send(MatchRequest::Control(control))
        .map_err(|_| "the match thread has ended; restart the lab".to_owned())
}

/// Sends the recording so far.
fn save(stream: &mut TcpStream, requests: &Sender<MatchRequest>) -> io::Result<()> {
    let (sender, reply) = sync_channel(1);
    let gone = || Err("the match thread has ended; restart the lab".to_owned());
    let saved = match requests.send(MatchRequest::Save(sender)) {
        Ok(()) => reply.recv().unwrap_or_else(|_| gone()),
        Err(_) => gone(),
    };
    match saved {
        Ok(file) => respond(stream, 200, "application/octet-stream", &file),
        Err(why) => respond(stream, 503, TEXT, format!("{why}\n").as_bytes()),
    }
}

/// Streams frames until the reader disconnects or falls behind.
fn stream_frames(mut stream: TcpStream, requests: &Sender<MatchRequest>) -> io::Result<()> {
    let (sender, messages) = sync_channel::<Arc<[u8]>>(STREAM_QUEUE);
    if requests.send(MatchRequest::Subscribe(sender)).is_err() {
        return respond(&mut stream, 503, TEXT, b"the match thread has ended; restart the lab\n");
    }
    let head = head(200, "application/octet-stream");
    stream.write_all(format!("{head}Transfer-Encoding: chunked\r\n\r\n").as_bytes())?;
    let mut chunk = Vec::new();
    for message in messages {
        chunk.clear();
        write!(chunk, "{:x}\r\n", message.len())?;
        chunk.extend_from_slice(&message);
        chunk.extend_from_slice(b"\r\n");
        stream.write_all(&chunk)?;
    }
    stream.write_all(b"0\r\n\r\n")
}
