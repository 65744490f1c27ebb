//! A server started by the real command on a free port, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Long enough for a slow machine, short enough for a test that hangs.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The running command; killed on drop.
pub(crate) struct Server {
    process: Child,
    /// Host and port.
    pub(crate) address: String,
    /// Line with the address.
    #[allow(dead_code, reason = "the lab has nothing behind its address")]
    pub(crate) report: String,
}

impl Server {
    /// Starts the command in a folder and waits for its address.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_isostep"))
            .current_dir(folder)
            .args(arguments)
            .args(["--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut report = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut report).unwrap();
        let address = report.split_once(" is open: http://").expect("an address").1;
        Self { address: address.split('/').next().unwrap().to_owned(), process, report }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// The whole response, with headers.
    pub(crate) fn ask(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(request).unwrap();
        let mut answer = Vec::new();
        // A refused connection may be reset.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub(crate) fn get(&self, path: &str) -> String {
        self.ask(format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).as_bytes())
    }

    pub(crate) fn post(&self, path: &str, json: &str) -> String {
        let (address, length) = (&self.address, json.len());
        let head =
            format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json");
        self.ask(format!("{head}\r\nContent-Length: {length}\r\n\r\n{json}").as_bytes())
    }

    /// Status code of a response.
    pub(crate) fn status(answer: &str) -> &str {
        answer.split(' ').nth(1).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
