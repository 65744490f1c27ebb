//! A loopback port with one thread and one request per connection, and a limit on connections.
//! Requests from other origins are refused here; the caller answers the rest.

use super::http::{Method, Refusal, Request, refuse};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Limit on simultaneous connections; a browser tab has up to six.
const MAX_CONNECTIONS: usize = 32;
/// Time limit for receiving a request and for each write.
const TIMEOUT: Duration = Duration::from_secs(5);

pub const HTML: &str = "text/html; charset=utf-8";
pub const CSS: &str = "text/css; charset=utf-8";
pub const SCRIPT: &str = "text/javascript; charset=utf-8";
pub const TEXT: &str = "text/plain; charset=utf-8";

/// A file of a page: path, content type, text.
pub type File = (&'static str, &'static str, &'static str);

/// Errors of opening a port.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    #[error("port {0} is in use: choose another with --port, or use --port 0 for a free one")]
    InUse(u16),
    #[error("port {port} can't be opened ({error}): choose another with --port")]
    Other { port: u16, error: io::Error },
}

/// Binds a port on the loopback interface.
pub fn open(port: u16) -> Result<TcpListener, PortError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => PortError::InUse(port),
        _ => PortError::Other { port, error },
    })
}

/// A counted permit, returned on drop.
pub struct Permit(Arc<AtomicUsize>);

impl Permit {
    pub fn acquire(count: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let before = count.fetch_add(1, Ordering::Relaxed);
        // Dropping the permit restores the count if the limit is exceeded.
        let permit = Self(Arc::clone(count));
        (before < most).then_some(permit)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Accepts connections forever and passes on each request that the page itself may have sent.
pub fn serve(
    listener: &TcpListener,
    answer: impl Fn(TcpStream, &Request) -> io::Result<()> + Send + Sync + 'static,
) -> ! {
    let (connections, answer) = (Arc::<AtomicUsize>::default(), Arc::new(answer));
    loop {
        let Ok((mut stream, _)) = listener.accept() else {
            // The peer disconnected early, or no file descriptor is free, which takes a while to
            // change.
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        let Some(permit) = Permit::acquire(&connections, MAX_CONNECTIONS) else {
            let _ = respond(&mut stream, 503, TEXT, b"too many connections; close some tabs\n");
            continue;
        };
        let answer = Arc::clone(&answer);
        let talk = move || {
            // A disconnected reader is no error.
            let _ = converse(stream, &*answer);
            drop(permit);
        };
        // If no thread can be started, the connection closes and the browser retries.
        let _ = std::thread::Builder::new().name("connection".to_owned()).spawn(talk);
    }
}

fn converse(
    mut stream: TcpStream,
    answer: &impl Fn(TcpStream, &Request) -> io::Result<()>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let request = match Request::read(&mut Until(&stream, Instant::now() + TIMEOUT)) {
        Ok(Some(request)) => request,
        Ok(None) => return Ok(()),
        Err(refusal) => return send_refusal(&mut stream, refusal),
    };
    match check_sender(&request) {
        Ok(()) => answer(stream, &request),
        Err(refusal) => send_refusal(&mut stream, refusal),
    }
}

/// Reader with a deadline, however slowly bytes arrive.
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

/// Refuses requests from other origins: cross-origin requests, and other host names (DNS
/// rebinding).
fn check_sender(request: &Request) -> Result<(), Refusal> {
    let name = request.host.rsplit_once(':').map_or(&*request.host, |host| host.0);
    if !["127.0.0.1", "localhost", "[::1]"].contains(&name) {
        return Err(refuse(403, "open the page at the printed address"));
    }
    let own = format!("http://{}", request.host);
    if request.origin.as_ref().is_some_and(|origin| *origin != own) {
        return Err(refuse(403, "requests from other origins are refused"));
    }
    let json = request.content_type.as_ref().is_some_and(|it| it.starts_with("application/json"));
    if request.method == Method::Post && !json {
        return Err(refuse(415, "send application/json"));
    }
    Ok(())
}

/// Sends one of a page's files; `None` if there is none at this path.
pub fn send_file<'a>(
    stream: &mut TcpStream,
    mut files: impl Iterator<Item = &'a File>,
    path: &str,
) -> Option<io::Result<()>> {
    let (_, kind, text) = files.find(|file| file.0 == path)?;
    Some(respond(stream, 200, kind, text.as_bytes()))
}

pub fn send_refusal(stream: &mut TcpStream, refusal: Refusal) -> io::Result<()> {
    let body = format!("{}\n", refusal.why);
    respond(stream, refusal.status, TEXT, body.as_bytes())?;
    // Closing a socket with unread bytes would reset it and cut off the response, so read some of
    // them.
    stream.shutdown(Shutdown::Write)?;
    let rest = Until(stream, Instant::now() + Duration::from_millis(200));
    io::copy(&mut rest.take(1 << 20), &mut io::sink()).map(drop)
}

pub fn respond(stream: &mut TcpStream, status: u16, kind: &str, body: &[u8]) -> io::Result<()> {
    let mut bytes = head(status, kind).into_bytes();
    write!(bytes, "Content-Length: {}\r\n\r\n", body.len())?;
    bytes.extend_from_slice(body);
    stream.write_all(&bytes)
}

/// Status line and headers; the caller adds a length or an encoding.
pub fn head(status: u16, kind: &str) -> String {
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
