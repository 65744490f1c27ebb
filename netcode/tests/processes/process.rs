//! Handle of a player process: starts it, sends addresses, reads its output line by line.

use crate::player::{ORDER, Order};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Timeout for the start of a process.
const COMES_UP: Duration = Duration::from_mins(1);

/// A process that plays. It ends, at once, when this is dropped.
pub(crate) struct Process {
    child: Child,
    lines: Receiver<String>,
    /// Complete output, for error messages.
    story: Vec<String>,
    /// Address at which it receives.
    pub(crate) address: SocketAddr,
}

impl Process {
    /// Starts this program again, as a player, in a network namespace if one is named.
    pub(crate) fn start(order: &Order, namespace: Option<&str>) -> Self {
        let program = std::env::current_exe().expect("a program knows where it is");
        let mut command = Command::new(namespace.map_or(program.as_os_str(), |_| "ip".as_ref()));
        if let Some(namespace) = namespace {
            command.args(["netns", "exec", namespace]).arg(&program);
        }
        // Not standard output: the test harness writes there.
        let mut child = command
            .args(["player", "--exact", "--ignored", "--nocapture"])
            .env(ORDER, order.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("this program can start again");
        let (sender, lines) = channel();
        let stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        std::thread::spawn(move || {
            stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut process = Self { child, lines, story: Vec::new(), address: nowhere };
        let address = process.wait_for("listens", Instant::now() + COMES_UP);
        process.address = address.parse().expect("an address");
        process
    }

    /// Gives it a line.
    pub(crate) fn write_line(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().expect("it is piped");
        writeln!(stdin, "{line}").expect("it listens");
    }

    /// Waits for a line with this prefix, and returns the rest of it.
    pub(crate) fn wait_for(&mut self, words: &str, deadline: Instant) -> String {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => self.fail(&format!("no {words:?} in time")),
                Err(RecvTimeoutError::Disconnected) => {
                    self.fail(&format!("ended before {words:?}"))
                }
            };
            self.story.push(line.clone());
            if line.starts_with("wrong") {
                self.fail(&line);
            }
            if let Some(rest) = line.strip_prefix(words) {
                return rest.trim().to_owned();
            }
        }
    }

    /// Sends it a signal, such as `-STOP`.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill {signal} {id} does not work");
    }

    fn fail(&self, what: &str) -> ! {
        panic!("{what}; the process at {} said:\n{}", self.address, self.story.join("\n"));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
