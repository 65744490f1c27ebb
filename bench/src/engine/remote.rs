//! An engine in another process: requests and answers as lines of JSON. The other side takes the
//! time, so that pipes are not measured and both processes still interleave.

use super::{Engine, Observation, Staging};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

#[derive(Serialize, Deserialize)]
enum Ask {
    Name,
    Load(Box<Staging>),
    Step(u32),
    Settle(u32),
    Save,
    Restore,
    Rollback(u32),
    Encode,
    Decode,
    Observation,
}

#[derive(Serialize, Deserialize)]
enum Answer {
    Name(String),
    Done,
    Time(f64),
    Settled(u32, bool),
    Encoded(Option<(f64, usize)>),
    Decoded(Option<f64>),
    Observation(Observation),
}

/// Answers requests until the input ends: the main loop of a program that provides another engine.
///
/// # Errors
/// A line is no valid request, or an answer can't be written.
pub fn serve(
    engine: &mut dyn Engine,
    asks: impl BufRead,
    mut answers: impl Write,
) -> io::Result<()> {
    for line in asks.lines() {
        let answer = match serde_json::from_str(&line?)? {
            Ask::Name => Answer::Name(engine.name()),
            Ask::Load(staging) => {
                engine.load(&staging);
                Answer::Done
            }
            Ask::Step(ticks) => Answer::Time(engine.step(ticks)),
            Ask::Settle(ticks) => {
                let (steps, asleep) = engine.settle(ticks);
                Answer::Settled(steps, asleep)
            }
            Ask::Save => Answer::Time(engine.save()),
            Ask::Restore => Answer::Time(engine.restore()),
            Ask::Rollback(depth) => Answer::Time(engine.rollback(depth)),
            Ask::Encode => Answer::Encoded(engine.encode()),
            Ask::Decode => Answer::Decoded(engine.decode()),
            Ask::Observation => Answer::Observation(engine.observe()),
        };
        serde_json::to_writer(&mut answers, &answer)?;
        answers.write_all(b"\n")?;
        answers.flush()?;
    }
    Ok(())
}

/// Errors of a remote engine.
#[derive(Debug)]
pub enum RemoteError {
    /// The program can't be started.
    Start(io::Error),
    /// The program does not answer as an engine.
    Talk(String),
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(f, "the program can't be started: {error}"),
            Self::Talk(what) => write!(f, "the program does not answer as an engine: {what}"),
        }
    }
}

impl std::error::Error for RemoteError {}

/// A program that [serves](serve) an engine.
pub struct Remote {
    name: String,
    child: Child,
    asks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// True once it stopped answering: all later times are infinite.
    broken: bool,
}

impl Remote {
    /// Starts a program.
    ///
    /// # Errors
    /// The program does not start, or does not report its name.
    pub fn start(program: &Path) -> Result<Self, RemoteError> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(RemoteError::Start)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (asks, answers) = pipes.ok_or_else(|| RemoteError::Talk("no pipes".to_owned()))?;
        let answers = BufReader::new(answers);
        let mut remote =
            Self { name: String::new(), child, asks: Some(asks), answers, broken: false };
        match remote.ask(&Ask::Name).map_err(|error| RemoteError::Talk(error.to_string()))? {
            Answer::Name(name) => remote.name = name,
            _ => return Err(RemoteError::Talk("it has no name".to_owned())),
        }
        Ok(remote)
    }

    fn ask(&mut self, ask: &Ask) -> io::Result<Answer> {
        let asks = self.asks.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut line = serde_json::to_vec(ask)?;
        line.push(b'\n');
        asks.write_all(&line)?;
        asks.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }

    fn time(&mut self, ask: &Ask) -> f64 {
        match self.ask(ask) {
            Ok(Answer::Time(time)) => time,
            _ => self.lost(),
        }
    }

    fn lost(&mut self) -> f64 {
        self.broken = true;
        f64::INFINITY
    }

    /// Returns true if it stopped answering; later measurements are void.
    pub const fn is_broken(&self) -> bool {
        self.broken
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // Closing the pipe ends the process.
        drop(self.asks.take());
        let _ = self.child.wait();
    }
}

impl Engine for Remote {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn load(&mut self, staging: &Staging) {
        if self.ask(&Ask::Load(Box::new(staging.clone()))).is_err() {
            self.lost();
        }
    }

    fn step(&mut self, ticks: u32) -> f64 {
        self.time(&Ask::Step(ticks))
    }

    fn settle(&mut self, ticks: u32) -> (u32, bool) {
        if let Ok(Answer::Settled(steps, asleep)) = self.ask(&Ask::Settle(ticks)) {
            return (steps, asleep);
        }
        self.lost();
        (ticks, false)
    }

    fn save(&mut self) -> f64 {
        self.time(&Ask::Save)
    }

    fn restore(&mut self) -> f64 {
        self.time(&Ask::Restore)
    }

    fn rollback(&mut self, depth: u32) -> f64 {
        self.time(&Ask::Rollback(depth))
    }

    fn encode(&mut self) -> Option<(f64, usize)> {
        match self.ask(&Ask::Encode) {
            Ok(Answer::Encoded(encoded)) => encoded,
            _ => None,
        }
    }

    fn decode(&mut self) -> Option<f64> {
        match self.ask(&Ask::Decode) {
            Ok(Answer::Decoded(time)) => time,
            _ => None,
        }
    }

    fn observe(&mut self) -> Observation {
        match self.ask(&Ask::Observation) {
            Ok(Answer::Observation(look)) => look,
            _ => Observation::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Form, Placed};

    #[derive(Default)]
    struct Toy {
        bodies: usize,
        ticks: u32,
    }

    impl Engine for Toy {
        fn name(&self) -> String {
            "toy".to_owned()
        }
        fn load(&mut self, staging: &Staging) {
            *self = Self { bodies: staging.bodies.len(), ticks: 0 };
        }
        fn step(&mut self, ticks: u32) -> f64 {
            self.ticks += ticks;
            f64::from(ticks) * self.bodies as f64
        }
        fn settle(&mut self, ticks: u32) -> (u32, bool) {
            (ticks - 1, true)
        }
        fn save(&mut self) -> f64 {
            1.0
        }
        fn restore(&mut self) -> f64 {
            2.0
        }
        fn rollback(&mut self, depth: u32) -> f64 {
            f64::from(depth)
        }
        fn encode(&mut self) -> Option<(f64, usize)> {
            None
        }
        fn decode(&mut self) -> Option<f64> {
            Some(3.0)
        }
        fn observe(&mut self) -> Observation {
            Observation { deepest: f64::from(self.ticks), ..Observation::default() }
        }
    }

    #[test]
    fn requests_are_answered_in_order() {
        let body = Placed {
            fixed: false,
            player: false,
            place: [0.1, 2.0, 3.0],
            turn: [0.0; 3],
            form: Form::Ball(0.5),
        };
        let staging =
            Staging { name: "two".to_owned(), bodies: vec![body; 2], ..Staging::default() };
        let asks = [
            Ask::Name,
            Ask::Load(Box::new(staging)),
            Ask::Step(5),
            Ask::Settle(5),
            Ask::Encode,
            Ask::Decode,
            Ask::Observation,
        ];
        let lines: String =
            asks.iter().map(|ask| serde_json::to_string(ask).unwrap() + "\n").collect();
        let mut said = Vec::new();
        serve(&mut Toy::default(), lines.as_bytes(), &mut said).unwrap();
        let said = String::from_utf8(said).unwrap();
        let expected = [
            r#"{"Name":"toy"}"#,
            r#""Done""#,
            r#"{"Time":10.0}"#,
            r#"{"Settled":[4,true]}"#,
            r#"{"Encoded":null}"#,
            r#"{"Decoded":3.0}"#,
            r#"{"Observation":{"deepest":5.0,"places":[],"turns":[],"speeds":[]}}"#,
        ];
        assert_eq!(said.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_malformed_line_is_refused() {
        assert!(serve(&mut Toy::default(), &b"hello\n"[..], Vec::new()).is_err());
    }
}
