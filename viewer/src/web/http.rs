//! HTTP/1.1 requests, parsed within limits: any bytes give a request or a refusal. Paths have no
//! meaning here; each page has its routes.

use std::io::{ErrorKind, Read};

/// Limit on request line and headers, bytes. Browsers send about 700.
pub(super) const MAX_HEAD: usize = 8 * 1024;
/// Limit on the body, bytes. The longest control, all links of four machines, has about 1,200.
pub(super) const MAX_BODY: usize = 4 * 1024;
/// Limit on the path, bytes.
const MAX_PATH: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    /// Path, without the query.
    pub path: String,
    /// Query, undecoded.
    pub query: String,
    pub host: String,
    pub origin: Option<String>,
    pub content_type: Option<String>,
    pub body: Vec<u8>,
}

/// Refusal of a request: a 4xx status and advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: u16,
    pub why: &'static str,
}

pub const fn refuse(status: u16, why: &'static str) -> Refusal {
    Refusal { status, why }
}

/// Headers that the server uses.
#[derive(Default)]
struct Headers {
    host: Option<String>,
    origin: Option<String>,
    content_type: Option<String>,
    length: Option<usize>,
}

impl Request {
    /// Reads one request; `None` if the peer closed or timed out before sending anything.
    pub fn read(from: &mut impl Read) -> Result<Option<Self>, Refusal> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
                break end;
            }
            if bytes.len() > MAX_HEAD {
                return Err(refuse(431, "the headers are too long"));
            }
            match read_some(from, &mut bytes) {
                Ok(0) | Err(_) if bytes.is_empty() => return Ok(None),
                Ok(0) => return Err(refuse(400, "the request ends in its headers")),
                Ok(_) => (),
                Err(refusal) => return Err(refusal),
            }
        };
        if end > MAX_HEAD {
            return Err(refuse(431, "the headers are too long"));
        }
        let mut body = bytes.split_off(end + 4);
        bytes.truncate(end);
        let head = str::from_utf8(&bytes).ok();
        let head = head.filter(|head| head.is_ascii());
        let head = head.ok_or(refuse(400, "the headers are not plain text"))?;
        let mut lines = head.split("\r\n");
        let (method, path, query) = request_line(lines.next().unwrap_or_default())?;
        let headers = Headers::read(lines)?;
        let host = headers.host.ok_or(refuse(400, "a Host header is missing"))?;
        let length = headers.length.unwrap_or(0);
        if method == Method::Get && length > 0 {
            return Err(refuse(400, "a GET has no body"));
        }
        while body.len() < length {
            if read_some(from, &mut body)? == 0 {
                return Err(refuse(400, "the request ends in its body"));
            }
        }
        // Pipelined requests are dropped: every response closes the connection.
        body.truncate(length);
        let Headers { origin, content_type, .. } = headers;
        Ok(Some(Self { method, path, query, host, origin, content_type, body }))
    }
}

impl Headers {
    fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Result<Self, Refusal> {
        let mut headers = Self::default();
        for line in lines {
            let (name, value) = line.split_once(':').ok_or(refuse(400, "a header has no colon"))?;
            let plain = |c: u8| c.is_ascii_alphanumeric() || b"-_.!#$%&'*+^`|~".contains(&c);
            if name.is_empty() || !name.bytes().all(plain) {
                return Err(refuse(400, "a header has no proper name"));
            }
            let value = value.trim();
            let place = match name.to_ascii_lowercase().as_str() {
                "host" => &mut headers.host,
                "origin" => &mut headers.origin,
                "content-type" => &mut headers.content_type,
                "transfer-encoding" => return Err(refuse(411, "send a Content-Length header")),
                "content-length" => {
                    let length = content_length(value)?;
                    if headers.length.replace(length).is_some() {
                        return Err(refuse(400, "the Content-Length header is repeated"));
                    }
                    continue;
                }
                _ => continue,
            };
            if place.replace(value.to_owned()).is_some() {
                return Err(refuse(400, "a header is repeated"));
            }
        }
        Ok(headers)
    }
}

fn request_line(line: &str) -> Result<(Method, String, String), Refusal> {
    let mut words = line.split(' ');
    let (method, target, version) = (words.next(), words.next(), words.next());
    let (Some(method), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) =
        (method, target, version, words.next())
    else {
        return Err(refuse(400, "not an HTTP/1.1 request"));
    };
    let method = match method {
        "GET" => Method::Get,
        "POST" => Method::Post,
        _ => return Err(refuse(405, "only GET and POST are supported")),
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if path.len() > MAX_PATH {
        return Err(refuse(414, "the path is too long"));
    }
    if !path.starts_with('/') {
        return Err(refuse(400, "the path does not begin with a slash"));
    }
    Ok((method, path.to_owned(), query.to_owned()))
}

fn content_length(value: &str) -> Result<usize, Refusal> {
    let wrong = refuse(400, "the length is not a number");
    if value.is_empty() || !value.bytes().all(|c| c.is_ascii_digit()) {
        return Err(wrong);
    }
    // Digits that don't parse are too large.
    match value.parse() {
        Ok(length) if length <= MAX_BODY => Ok(length),
        _ => Err(refuse(413, "the body is too long")),
    }
}

fn read_some(from: &mut impl Read, into: &mut Vec<u8>) -> Result<usize, Refusal> {
    let mut piece = [0; 1024];
    loop {
        match from.read(&mut piece) {
            Ok(count) => {
                into.extend_from_slice(&piece[..count]);
                return Ok(count);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            Err(_) => return Err(refuse(408, "the request timed out")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one byte at a time, as a slow network does.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.len().min(1);
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    const POST: &[u8] =
        b"POST /control?x=1 HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 4\r\n\r\n{\"a\"";

    fn status(bytes: &[u8]) -> u16 {
        match Request::read(&mut &bytes[..]) {
            Ok(request) => panic!("accepted: {request:?}"),
            Err(refusal) => refusal.status,
        }
    }

    #[test]
    fn a_request_is_the_same_in_one_piece_and_byte_by_byte() {
        let request = Request::read(&mut &POST[..]).unwrap().unwrap();
        assert_eq!(request.method, Method::Post);
        assert_eq!((&*request.path, &*request.query), ("/control", "x=1"));
        assert_eq!(request.host, "localhost:1");
        assert_eq!(request.body, b"{\"a\"");
        assert_eq!(Request::read(&mut Slow(POST)), Ok(Some(request)));
    }

    #[test]
    fn every_truncation_is_refused() {
        assert_eq!(Request::read(&mut &b""[..]), Ok(None));
        for length in 1..POST.len() {
            assert_eq!(status(&POST[..length]), 400, "of {length} bytes");
        }
    }

    #[test]
    fn oversized_requests_are_refused_before_buffering() {
        let endless = std::io::repeat(b'a');
        assert_eq!(Request::read(&mut { endless }).unwrap_err().status, 431);
        let path = [b"GET /", &[b'a'; 2000][..], b" HTTP/1.1\r\nHost: a\r\n\r\n"].concat();
        assert_eq!(status(&path), 414);
        let many = [b"GET / HTTP/1.1\r\n", &b"A: b\r\n".repeat(3000)[..], b"\r\n"].concat();
        assert_eq!(status(&many), 431);
        for length in ["4097", "99999999999999999999999999"] {
            let head = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
            assert_eq!(status(head.as_bytes()), 413);
        }
    }

    #[test]
    fn malformed_requests_are_refused() {
        for (bytes, expected) in [
            (&b"\r\n\r\n"[..], 400),
            (b"GET / HTTP/1.1\r\n\r\n", 400),
            (b"GET / HTTP/9\r\nHost: a\r\n\r\n", 400),
            (b"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            (b"GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            (b"BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 405),
            (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: a\r\nA b: c\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", 400),
            (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx", 400),
            (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400),
            (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        ] {
            assert_eq!(status(bytes), expected, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn noise_never_panics() {
        for seed in 0..500 {
            let mut rng = isostep_core::Rng::keyed(seed, 0, 0, 0);
            let mut bytes = POST.to_vec();
            for _ in 0..=seed % 20 {
                let at = rng.next_u64() as usize % bytes.len();
                bytes[at] = rng.next_u64() as u8;
            }
            let _ = Request::read(&mut &bytes[..]);
        }
    }
}
