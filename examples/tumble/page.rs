//! The player's page: its files, a stream of frames to it (server-sent events), and keys from it.
//! Connection threads only pass these on; the loop alone owns the match.

use crate::controller::Keys;
use crate::http::{Refusal, Request, TIMEOUT, Until, head, respond};
use isostep::Stick;
use serde::Deserialize;
use serde_json::Value;
use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Limit on simultaneous connections; a browser tab has up to six.
const MAX_CONNECTIONS: usize = 24;
/// Frames queued for a slow reader: half a second.
const QUEUE: usize = 32;
/// Messages that a new reader receives.
const NOTES: usize = 6;

const FILES: [(&str, &str, &str); 5] = [
    ("/", "text/html", include_str!("page/index.html")),
    ("/tumble.css", "text/css", include_str!("page/tumble.css")),
    ("/tumble.js", "text/javascript", include_str!("page/tumble.js")),
    ("/touch.js", "text/javascript", include_str!("page/touch.js")),
    ("/draw.js", "text/javascript", include_str!("page/draw.js")),
];

/// State shared by the loop and the connections.
#[derive(Default)]
struct Shared {
    watchers: Vec<SyncSender<Arc<str>>>,
    /// First event for a new reader.
    scene: Option<Arc<str>>,
    notes: Vec<Arc<str>>,
    keys: Keys,
    left: bool,
}

/// A page served to this machine's browsers.
pub struct Page {
    shared: Arc<Mutex<Shared>>,
    address: SocketAddr,
}

/// Keys as the page sends them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    x: i8,
    y: i8,
    held: u8,
    tapped: u8,
}

impl Page {
    /// Binds the port on the loopback interface and starts answering.
    pub fn open(port: u16, scene: &Value) -> Result<Self, Box<dyn Error>> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
            format!("port {port} can't be opened ({error}): choose another with --port, or none")
        })?;
        let address = listener.local_addr()?;
        let shared = Shared { scene: Some(event("scene", scene)), ..Shared::default() };
        let shared = Arc::new(Mutex::new(shared));
        let theirs = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("page".into())
            .spawn(move || accept(&listener, &theirs))?;
        Ok(Self { shared, address })
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a frame to all readers.
    pub fn show(&self, picture: &Value) {
        send(&mut lock(&self.shared), &event("picture", picture));
    }

    /// Sends a message to all readers, and to readers that connect soon.
    pub fn tell(&self, note: &str) {
        let (mut shared, note) = (lock(&self.shared), event("note", &note.into()));
        send(&mut shared, &note);
        if shared.notes.len() == NOTES {
            shared.notes.remove(0);
        }
        shared.notes.push(note);
    }

    /// Held keys, and keys pressed since the last call. Closing the page releases all keys.
    pub fn take_keys(&self) -> Keys {
        let mut shared = lock(&self.shared);
        if shared.watchers.is_empty() {
            shared.keys = Keys::default();
        }
        let keys = shared.keys;
        shared.keys.tapped = 0;
        keys
    }

    /// Returns true if the player asked to leave.
    pub fn has_left(&self) -> bool {
        lock(&self.shared).left
    }
}

/// Ignores poisoning: no update is partial, so a panicked thread left the data intact.
fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// JSON without line breaks, as one event.
fn event(name: &str, data: &Value) -> Arc<str> {
    format!("event: {name}\ndata: {data}\n\n").into()
}

/// Drops readers that fall behind; the browser reconnects.
fn send(shared: &mut Shared, event: &Arc<str>) {
    shared.watchers.retain(|watcher| watcher.try_send(Arc::clone(event)).is_ok());
}

fn accept(listener: &TcpListener, shared: &Arc<Mutex<Shared>>) {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let Ok((mut stream, _)) = listener.accept() else {
            // The peer disconnected early, or no file descriptor is free, which takes a while to
            // change.
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        if open.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            let _ =
                respond(&mut stream, 503, "text/plain", b"too many connections; close some tabs\n");
            continue;
        }
        let (shared, open) = (Arc::clone(shared), Arc::clone(&open));
        std::thread::spawn(move || {
            // A disconnected reader is no error.
            let _ = converse(&mut stream, &shared);
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

fn converse(stream: &mut TcpStream, shared: &Mutex<Shared>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let request = match Request::read(&mut Until(stream, Instant::now() + TIMEOUT)) {
        Ok(Some(request)) => request,
        Ok(None) => return Ok(()),
        Err(refusal) => return refuse(stream, refusal),
    };
    match (request.is_post, &*request.path) {
        (true, "/keys") => match keys(&request.body) {
            Some(keys) => {
                let mut shared = lock(shared);
                shared.keys = Keys { tapped: shared.keys.tapped | keys.tapped, ..keys };
                drop(shared);
                respond(stream, 204, "text/plain", b"")
            }
            None => refuse(stream, (400, "keys are x, y, held and tapped")),
        },
        (true, "/leave") => {
            lock(shared).left = true;
            respond(stream, 204, "text/plain", b"")
        }
        (false, "/stream") => watch(stream, shared),
        (false, path) => match FILES.iter().find(|file| file.0 == path) {
            Some((_, kind, text)) => respond(stream, 200, kind, text.as_bytes()),
            None => refuse(stream, (404, "there is nothing here")),
        },
        (true, _) => refuse(stream, (405, "only /keys and /leave are posted to")),
    }
}

fn keys(body: &[u8]) -> Option<Keys> {
    let Sent { x, y, held, tapped } = serde_json::from_slice(body).ok()?;
    Some(Keys { stick: Stick::from_steps(x, y)?, held: held.into(), tapped: tapped.into() })
}

/// Streams frames until the reader disconnects or falls behind.
fn watch(stream: &mut TcpStream, shared: &Mutex<Shared>) -> io::Result<()> {
    let (sender, events) = sync_channel(QUEUE);
    {
        let mut shared = lock(shared);
        let first = shared.scene.iter().chain(&shared.notes);
        // The queue has room for all of them.
        first.for_each(|event| drop(sender.try_send(Arc::clone(event))));
        shared.watchers.push(sender);
    }
    stream.write_all(format!("{}\r\n", head(200, "text/event-stream")).as_bytes())?;
    events.iter().try_for_each(|event| stream.write_all(event.as_bytes()))
}

fn refuse(stream: &mut TcpStream, (status, why): Refusal) -> io::Result<()> {
    respond(stream, status, "text/plain", format!("{why}\n").as_bytes())?;
    // Closing a socket with unread bytes would reset it and cut off the response, so read some of
    // them.
    stream.shutdown(Shutdown::Write)?;
    let rest = Until(stream, Instant::now() + Duration::from_millis(200));
    io::copy(&mut rest.take(1 << 20), &mut io::sink()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a request and reads the response up to `enough`.
    fn ask(page: &Page, request: &str, enough: &str) -> (TcpStream, String) {
        let mut stream = TcpStream::connect(page.address()).expect("it is open");
        let host = page.address();
        let request = request.replacen('\n', &format!(" HTTP/1.1\r\nHost: {host}\r\n"), 1);
        stream.write_all(request.as_bytes()).expect("it is read");
        let (mut answer, mut piece) = (String::new(), [0; 4096]);
        while !answer.contains(enough) {
            let count = stream.read(&mut piece).expect("it answers");
            assert_ne!(count, 0, "it ended with: {answer}");
            answer.push_str(str::from_utf8(&piece[..count]).expect("plain text"));
        }
        (stream, answer)
    }

    #[test]
    fn a_browser_receives_files_and_frames_and_sends_keys() {
        let page = Page::open(0, &Value::from("the scene")).expect("some port is free");
        for (path, _, text) in FILES {
            let last = text.lines().last().expect("it is not empty");
            let (_, answer) = ask(&page, &format!("GET {path}\n\r\n"), last);
            assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        }
        let (_, answer) = ask(&page, "GET /etc/passwd\n\r\n", "there is nothing here");
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");

        page.tell("a note");
        let (stream, first) = ask(&page, "GET /stream\n\r\n", "a note");
        assert!(first.contains("event: scene\ndata: \"the scene\"\n\n"), "{first}");
        let body = r#"{"x":-127,"y":0,"held":2,"tapped":1}"#;
        let length = body.len();
        let post = format!(
            "POST /keys\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        ask(&page, &post, "204");
        let keys = page.take_keys();
        assert_eq!((keys.stick.to_steps(), keys.held, keys.tapped), ([-127, 0], 2, 1));
        // Held keys stay, taps are cleared by the read.
        assert_eq!(page.take_keys(), Keys { tapped: 0, ..keys });
        drop(stream);
        // The first frames after closing may still fit into a buffer.
        for _ in 0..2000 {
            page.show(&Value::from("a picture"));
            std::thread::sleep(Duration::from_millis(1));
            if page.take_keys() == Keys::default() {
                return;
            }
        }
        panic!("who closed the page still holds keys");
    }

    #[test]
    fn malformed_keys_are_refused() {
        let good = keys(br#"{"x":127,"y":-127,"held":2,"tapped":3}"#).expect("they are good");
        assert_eq!((good.stick.to_steps(), good.held, good.tapped), ([127, -127], 2, 3));
        for bad in ["", "{}", "[1,2]", r#"{"x":-128,"y":0,"held":0,"tapped":0}"#, r#"{"x":1e9}"#] {
            assert_eq!(keys(bad.as_bytes()), None, "{bad}");
        }
    }
}
