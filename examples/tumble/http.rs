//! The part of HTTP/1.1 that a local page needs, parsed within limits: any bytes give a request or
//! a refusal. One request per connection. `page` has the routes. The example is complete without the
//! command: `isostep lab` has a reader of its own, for larger bodies and several pages.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Limit on request line and headers, bytes. Browsers send about 700.
const MAX_HEAD: usize = 8 * 1024;
/// Limit on the body, bytes. Keys take about 40.
const MAX_BODY: usize = 256;
/// Time limit for receiving a request, however slowly bytes arrive, and for each write.
pub const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    pub is_post: bool,
    /// Path, without the query.
    pub path: String,
    pub body: Vec<u8>,
}

/// Refusal of a request: a 4xx status and advice.
pub type Refusal = (u16, &'static str);

impl Request {
    /// Reads one request; `None` if the peer closed before sending anything.
    pub fn read(from: &mut impl Read) -> Result<Option<Self>, Refusal> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
                break end;
            }
            if bytes.len() > MAX_HEAD {
                return Err((431, "the headers are too long"));
            }
            if read_some(from, &mut bytes)? == 0 {
                let ended = (400, "the request ends in its headers");
                return if bytes.is_empty() { Ok(None) } else { Err(ended) };
            }
        };
        let mut body = bytes.split_off(end + 4);
        let head = str::from_utf8(&bytes[..end]).ok().filter(|head| head.is_ascii());
        let mut lines = head.ok_or((400, "the headers are not plain text"))?.split("\r\n");
        let (is_post, path) = request_line(lines.next().unwrap_or_default())?;
        let length = check_headers(lines, is_post)?;
        while body.len() < length {
            if read_some(from, &mut body)? == 0 {
                return Err((400, "the request ends in its body"));
            }
        }
        body.truncate(length);
        Ok(Some(Self { is_post, path, body }))
    }
}

fn request_line(line: &str) -> Result<(bool, String), Refusal> {
    let words: Vec<&str> = line.split(' ').collect();
    let [method, target, "HTTP/1.1" | "HTTP/1.0"] = words[..] else {
        return Err((400, "not an HTTP/1.1 request"));
    };
    let path = target.split('?').next().unwrap_or_default().to_owned();
    match method {
        "GET" => Ok((false, path)),
        "POST" => Ok((true, path)),
        _ => Err((405, "only GET and POST are supported")),
    }
}

/// Returns the length of the body. Refuses requests from other origins: cross-origin requests, and
/// other host names (DNS rebinding).
fn check_headers<'a>(
    lines: impl Iterator<Item = &'a str>,
    is_post: bool,
) -> Result<usize, Refusal> {
    let (mut length, mut host, mut origin, mut json) = (None, None, None, false);
    for line in lines {
        let (name, value) = line.split_once(':').ok_or((400, "a header has no colon"))?;
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "host" if host.replace(value).is_some() => return Err((400, "two hosts")),
            "origin" => origin = Some(value),
            "content-type" => json = value.starts_with("application/json"),
            "transfer-encoding" => return Err((411, "say how long the body is")),
            "content-length" => {
                let digits = !value.is_empty() && value.bytes().all(|c| c.is_ascii_digit());
                let number = value.parse().ok().filter(|&length: &usize| length <= MAX_BODY);
                let number = if digits { number } else { return Err((400, "no length")) };
                if length.replace(number.ok_or((413, "the body is too long"))?).is_some() {
                    return Err((400, "two lengths"));
                }
            }
            _ => (),
        }
    }
    let host = host.ok_or((400, "a Host header is missing"))?;
    let name = host.rsplit_once(':').map_or(host, |host| host.0);
    if !["127.0.0.1", "localhost"].contains(&name) {
        return Err((403, "open the page at the printed address"));
    }
    if origin.is_some_and(|origin| origin.strip_prefix("http://") != Some(host)) {
        return Err((403, "only the page itself is answered"));
    }
    if is_post && !json {
        return Err((415, "send application/json"));
    }
    Ok(length.unwrap_or(0))
}

fn read_some(from: &mut impl Read, into: &mut Vec<u8>) -> Result<usize, Refusal> {
    let mut piece = [0; 1024];
    loop {
        match from.read(&mut piece) {
            Ok(count) => {
                into.extend_from_slice(&piece[..count]);
                return Ok(count);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(_) => return Err((408, "the request timed out")),
        }
    }
}

/// Reader with a deadline.
pub struct Until<'a>(pub &'a TcpStream, pub Instant);

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

/// Sends a whole response.
pub fn respond(to: &mut impl Write, status: u16, kind: &str, body: &[u8]) -> io::Result<()> {
    let mut bytes = head(status, kind).into_bytes();
    write!(bytes, "Content-Length: {}\r\n\r\n", body.len())?;
    bytes.extend_from_slice(body);
    to.write_all(&bytes)
}

/// Status line and headers, without the final empty line.
pub fn head(status: u16, kind: &str) -> String {
    let name = match status {
        200 => "OK",
        204 => "No Content",
        _ => "Refused",
    };
    format!(
        "HTTP/1.1 {status} {name}\r\nContent-Type: {kind}; charset=utf-8\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: default-src 'self'; img-src data:; frame-ancestors 'none'\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const POST: &[u8] =
        b"POST /keys?x HTTP/1.1\r\nHost: localhost:1\r\nOrigin: http://localhost:1\r\n\
        Content-Type: application/json\r\nContent-Length: 4\r\n\r\n1234";

    fn status(bytes: &[u8]) -> u16 {
        Request::read(&mut &bytes[..]).expect_err("it makes no sense").0
    }

    #[test]
    fn a_request_parses_and_every_prefix_is_refused() {
        let request = Request::read(&mut &POST[..]).unwrap().unwrap();
        assert_eq!(
            (request.is_post, &*request.path, &*request.body),
            (true, "/keys", &b"1234"[..])
        );
        assert_eq!(Request::read(&mut &b""[..]), Ok(None));
        for length in 1..POST.len() {
            assert_eq!(status(&POST[..length]), 400, "of {length} bytes");
        }
    }

    #[test]
    fn requests_from_other_origins_are_refused() {
        let text = str::from_utf8(POST).unwrap();
        assert_eq!(status(text.replace("Host: localhost", "Host: evil.example").as_bytes()), 403);
        assert_eq!(status(text.replace("//localhost", "//evil.example").as_bytes()), 403);
        assert_eq!(status(text.replace("application/json", "text/plain").as_bytes()), 415);
    }

    #[test]
    fn oversized_requests_are_refused_before_buffering() {
        assert_eq!(Request::read(&mut io::repeat(b'a')).unwrap_err().0, 431);
        let text = str::from_utf8(POST).unwrap();
        assert_eq!(status(text.replace("Length: 4", "Length: 257").as_bytes()), 413);
        assert_eq!(
            status(text.replace("Length: 4", "Length: 99999999999999999999").as_bytes()),
            413
        );
        assert_eq!(status(text.replace("Length: 4", "Length: -4").as_bytes()), 400);
    }
}
