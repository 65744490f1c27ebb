//! Connections and routes: a thread for each connection, one request on each, and never too many of them.

use super::control::Control;
use super::http::{Method, Refusal, Request, refuse};
use super::stage::Order;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, sync_channel};
use std::time::{Duration, Instant};

/// Most connections at once; a browser tab has up to six.
const MAX_CONNECTIONS: usize = 32;
/// Most of them that watch.
const MAX_STREAMS: usize = 8;
/// How long a request may take to arrive, and a write to be taken.
const PATIENCE: Duration = Duration::from_secs(5);
/// Messages that may wait for a slow reader: half a second.
const STREAM_QUEUE: usize = 32;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// The page's files.
const FILES: [(&str, &str, &str); 10] = [
    ("/", HTML, include_str!("page/index.html")),
    ("/lab.css", CSS, include_str!("page/lab.css")),
    ("/lab.js", SCRIPT, include_str!("page/lab.js")),
    ("/cards.js", SCRIPT, include_str!("page/cards.js")),
    ("/controls.js", SCRIPT, include_str!("page/controls.js")),
    ("/player.js", SCRIPT, include_str!("page/player.js")),
    ("/report.js", SCRIPT, include_str!("page/report.js")),
    ("/draw.js", SCRIPT, include_str!("page/draw.js")),
    ("/meshes.js", SCRIPT, include_str!("page/meshes.js")),
    ("/wire.js", SCRIPT, include_str!("page/wire.js")),
];

/// One of a counted kind, until dropped.
struct Seat(Arc<AtomicUsize>);

impl Seat {
    fn take(count: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let before = count.fetch_add(1, Ordering::Relaxed);
        // Dropping the seat gives it back if there was none.
        let seat = Self(Arc::clone(count));
        (before < most).then_some(seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Takes connections for ever.
pub(super) fn accept(listener: &TcpListener, orders: &Sender<Order>) -> ! {
    let (connections, streams) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    loop {
        let Ok((mut stream, _)) = listener.accept() else {
            // Who left before we looked; or no more files may be open, which takes a while to change.
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        let Some(seat) = Seat::take(&connections, MAX_CONNECTIONS) else {
            let _ = respond(&mut stream, 503, TEXT, b"too many connections; close some tabs\n");
            continue;
        };
        let (streams, orders) = (Arc::clone(&streams), orders.clone());
        let talk = move || {
            // A reader who leaves is no error of ours.
            let _ = converse(stream, &streams, &orders);
            drop(seat);
        };
        // Without a thread for it the connection is closed, and the browser tries again.
        let _ = std::thread::Builder::new().name("connection".to_owned()).spawn(talk);
    }
}

/// Reads that end at a moment, however slowly bytes drip.
struct Until<'a>(&'a TcpStream, Instant);

impl Read for Until<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.1.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.0.set_read_timeout(Some(left))?;
        self.0.read(into)
    }
}

fn converse(
    mut stream: TcpStream,
    streams: &Arc<AtomicUsize>,
    orders: &Sender<Order>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = match Request::read(&mut Until(&stream, Instant::now() + PATIENCE)) {
        Ok(Some(request)) => request,
        Ok(None) => return Ok(()),
        Err(refusal) => return send_refusal(&mut stream, refusal),
    };
    if let Err(refusal) = check_sender(&request) {
        return send_refusal(&mut stream, refusal);
    }
    match (request.method, &*request.path) {
        (Method::Get, "/stream") => match Seat::take(streams, MAX_STREAMS) {
            Some(_seat) => watch(stream, orders),
            None => respond(&mut stream, 503, TEXT, b"too many watch; close some tabs\n"),
        },
        (Method::Post, "/control") => match obey(&request, orders) {
            Ok(()) => respond(&mut stream, 204, TEXT, b""),
            Err(why) => respond(&mut stream, 400, TEXT, format!("{why}\n").as_bytes()),
        },
        // Saving begins another recording, so it is no GET.
        (Method::Post, "/replay") => save(&mut stream, orders),
        (Method::Get, path) => match FILES.iter().find(|file| file.0 == path) {
            Some((_, kind, text)) => respond(&mut stream, 200, kind, text.as_bytes()),
            None if ["/control", "/replay"].contains(&path) => {
                send_refusal(&mut stream, refuse(405, "POST it"))
            }
            None => send_refusal(&mut stream, refuse(404, "there is nothing here")),
        },
        (Method::Post, _) => {
            send_refusal(&mut stream, refuse(405, "only /control and /replay are posted to"))
        }
    }
}

/// Pages from elsewhere may not talk to the lab: neither under a name that they let point here, nor across origins.
fn check_sender(request: &Request) -> Result<(), Refusal> {
    let name = request.host.rsplit_once(':').map_or(&*request.host, |host| host.0);
    if !["127.0.0.1", "localhost", "[::1]"].contains(&name) {
        return Err(refuse(403, "open the lab by the address that it printed"));
    }
    let own = format!("http://{}", request.host);
    if request.origin.as_ref().is_some_and(|origin| *origin != own) {
        return Err(refuse(403, "the lab answers its own page only"));
    }
    let json = request.content_type.as_ref().is_some_and(|it| it.starts_with("application/json"));
    if request.method == Method::Post && !json {
        return Err(refuse(415, "send application/json"));
    }
    Ok(())
}

fn obey(request: &Request, orders: &Sender<Order>) -> Result<(), String> {
    let control = Control::read(&request.body).map_err(|error| error.to_string())?;
    orders.send(Order::Do(control)).map_err(|_| "the stage is gone; start the lab again".to_owned())
}

/// Sends the recording so far.
fn save(stream: &mut TcpStream, orders: &Sender<Order>) -> io::Result<()> {
    let (sender, reply) = sync_channel(1);
    let gone = || Err("the stage is gone; start the lab again".to_owned());
    let saved = match orders.send(Order::Save(sender)) {
        Ok(()) => reply.recv().unwrap_or_else(|_| gone()),
        Err(_) => gone(),
    };
    match saved {
        Ok(file) => respond(stream, 200, "application/octet-stream", &file),
        Err(why) => respond(stream, 503, TEXT, format!("{why}\n").as_bytes()),
    }
}

/// Sends what the stage shows, until the reader leaves or falls behind.
fn watch(mut stream: TcpStream, orders: &Sender<Order>) -> io::Result<()> {
    let (sender, messages) = sync_channel::<Arc<[u8]>>(STREAM_QUEUE);
    if orders.send(Order::Watch(sender)).is_err() {
        return respond(&mut stream, 503, TEXT, b"the stage is gone; start the lab again\n");
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

fn send_refusal(stream: &mut TcpStream, refusal: Refusal) -> io::Result<()> {
    let body = format!("{}\n", refusal.why);
    respond(stream, refusal.status, TEXT, body.as_bytes())?;
    // Closing while bytes wait unread would cut the answer off; so read some of them.
    stream.shutdown(Shutdown::Write)?;
    let rest = Until(stream, Instant::now() + Duration::from_millis(200));
    io::copy(&mut rest.take(1 << 20), &mut io::sink()).map(drop)
}

fn respond(stream: &mut TcpStream, status: u16, kind: &str, body: &[u8]) -> io::Result<()> {
    let mut bytes = head(status, kind).into_bytes();
    write!(bytes, "Content-Length: {}\r\n\r\n", body.len())?;
    bytes.extend_from_slice(body);
    stream.write_all(&bytes)
}

fn head(status: u16, kind: &str) -> String {
    let name = match status {
        200 => "OK",
        204 => "No Content",
        503 => "Service Unavailable",
        _ => "Refused",
    };
    format!(
        "HTTP/1.1 {status} {name}\r\nContent-Type: {kind}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: default-src 'self'; img-src data:; frame-ancestors 'none'\r\n"
    )
}
