//! A terminal as screen and keyboard, with plain Unix means: escape sequences and `stty`. Without a
//! terminal it prints lines.

use crate::game::{Duel, HALF_X, HALF_Z};
use isostep::{Real, Stick, Vec3};
use std::collections::VecDeque;
use std::fmt::{Display, Write as _};
use std::io::{IsTerminal, Read, Write, stdin, stdout};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// A metre is two columns wide and one row high.
const WIDTH: usize = 4 * HALF_X.floor_to_int() as usize;
const HEIGHT: usize = 2 * HALF_Z.floor_to_int() as usize;
/// Message lines below the field.
const NEWS: usize = 4;

/// Screen: frames on a terminal, otherwise only messages.
pub struct Screen {
    pictures: bool,
    news: VecDeque<String>,
}

impl Screen {
    pub fn new() -> Self {
        let pictures = stdout().is_terminal();
        if pictures {
            // Switches to the alternate screen, which is restored at the end, and hides the cursor.
            print!("\x1b[?1049h\x1b[?25l");
        }
        Self { pictures, news: VecDeque::new() }
    }

    /// Shows a message to the player.
    pub fn say(&mut self, line: &dyn Display) {
        if !self.pictures {
            println!("{line}");
            return;
        }
        self.news.push_back(line.to_string());
        if self.news.len() > NEWS {
            self.news.pop_front();
        }
    }

    /// Draws the field and the status lines.
    pub fn draw(&self, game: &Duel, status: &[String]) {
        if !self.pictures {
            return;
        }
        let mut field = vec![[' '; WIDTH]; HEIGHT];
        let mut put = |place: Vec3, letter| {
            let column = ((place.x + HALF_X) * 2).floor_to_int().clamp(0, WIDTH as i32 - 1);
            let row = (place.z + HALF_Z).floor_to_int().clamp(0, HEIGHT as i32 - 1);
            field[row as usize][column as usize] = letter;
        };
        (0..HEIGHT as i32).for_each(|row| put(Vec3::Z * (Real::from_int(row) - HALF_Z), '·'));
        put(game.ball(), 'o');
        (b'0'..).zip(game.players()).for_each(|(seat, place)| put(place, seat.into()));
        let [right, left] = game.score();
        let mut page = format!("\x1b[H\x1b[J  {BLUE}{right}{PLAIN} : {RED}{left}{PLAIN}\r\n");
        for row in field {
            let _ = write!(page, "{BLUE}▐{PLAIN}");
            for letter in row {
                let _ = match letter {
                    '0' | '2' | '4' | '6' => write!(page, "{BLUE}{letter}{PLAIN}"),
                    '1' | '3' | '5' | '7' => write!(page, "{RED}{letter}{PLAIN}"),
                    _ => write!(page, "{letter}"),
                };
            }
            let _ = write!(page, "{RED}▌{PLAIN}\r\n");
        }
        for line in status.iter().chain(&self.news) {
            let _ = write!(page, "{line}\r\n");
        }
        print!("{page}");
        let _ = stdout().flush();
    }
}

const BLUE: &str = "\x1b[1;34m";
const RED: &str = "\x1b[1;31m";
const PLAIN: &str = "\x1b[0m";

impl Drop for Screen {
    fn drop(&mut self) {
        if self.pictures {
            println!("\x1b[?25h\x1b[?1049l");
            self.news.iter().for_each(|line| println!("{line}"));
        }
    }
}

/// Keyboard of a terminal. A terminal reports no key releases, so a direction stays until another
/// is pressed.
pub struct Keys {
    bytes: Receiver<u8>,
    /// Terminal settings to restore, as printed by `stty`.
    before: String,
    stick: Stick,
    quit: bool,
}

impl Keys {
    /// Puts the keyboard into raw mode; `None` without a terminal.
    pub fn take() -> Option<Self> {
        if !stdin().is_terminal() {
            return None;
        }
        let before = stty(&["-g"])?;
        stty(&["raw", "-echo"])?;
        let (sender, bytes) = channel();
        std::thread::spawn(move || {
            for byte in stdin().lock().bytes().map_while(Result::ok) {
                if sender.send(byte).is_err() {
                    return;
                }
            }
        });
        Some(Self { bytes, before, stick: Stick::CENTRE, quit: false })
    }

    /// Direction of the last key.
    pub fn stick(&mut self) -> Stick {
        self.read();
        self.stick
    }

    /// Returns true if the player asked to quit.
    pub fn quit(&mut self) -> bool {
        self.read();
        self.quit
    }

    fn read(&mut self) {
        while let Ok(byte) = self.bytes.try_recv() {
            // An arrow key is escape, [ and one of A to D; the first two bytes have no meaning
            // alone.
            let (x, y) = match byte {
                b'w' | b'W' | b'A' => (0, -127),
                b's' | b'S' | b'B' => (0, 127),
                b'd' | b'C' => (127, 0),
                b'a' | b'D' => (-127, 0),
                b' ' => (0, 0),
                b'q' | b'Q' | CONTROL_C => {
                    self.quit = true;
                    continue;
                }
                _ => continue,
            };
            self.stick = Stick::from_steps(x, y).unwrap_or_default();
        }
    }
}

const CONTROL_C: u8 = 3;

impl Drop for Keys {
    fn drop(&mut self) {
        stty(&[self.before.trim()]);
    }
}

/// Runs `stty`; `None` if it fails.
fn stty(arguments: &[&str]) -> Option<String> {
    let output = Command::new("stty").args(arguments).stdin(Stdio::inherit()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
