//! A terminal as screen and keyboard, with plain Unix means: escape sequences and `stty`. Without a
//! terminal it prints lines. A real game puts its window here; see `isostep::rollback::Poses` for
//! interpolation between ticks.

use game::{DASH, Game, Pad, RING};
use isostep::{Buttons, Input, Stick, Vec3};
use std::fmt::Display;
use std::io::{IsTerminal, Read, Write, stdin, stdout};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// A metre is two columns wide and one row high.
const ROWS: usize = 2 * RING.floor_to_int() as usize + 3;
const COLUMNS: usize = 2 * ROWS;

/// Screen: frames on a terminal, otherwise only messages.
pub struct Screen {
    pictures: bool,
    news: String,
}

impl Screen {
    pub fn new() -> Self {
        let pictures = stdout().is_terminal();
        if pictures {
            // Switches to the alternate screen, which is restored at the end, and hides the cursor.
            print!("\x1b[?1049h\x1b[?25l");
        }
        Self { pictures, news: String::new() }
    }

    /// Shows a message to the player.
    pub fn say(&mut self, line: &dyn Display) {
        self.news = line.to_string();
        if !self.pictures {
            // The match goes on without a reader.
            let _ = writeln!(stdout(), "{line}");
        }
    }

    pub fn draw(&self, game: &Game) {
        if !self.pictures {
            return;
        }
        let mut page = vec![[' '; COLUMNS]; ROWS];
        let mut put = |place: Vec3, letter| {
            let column = (place.x * 2).floor_to_int() + COLUMNS as i32 / 2;
            let row = place.z.floor_to_int() + ROWS as i32 / 2;
            let (column, row) =
                (column.clamp(0, COLUMNS as i32 - 1), row.clamp(0, ROWS as i32 - 1));
            page[row as usize][column as usize] = letter;
        };
        for turn in 0..96 {
            // Drawing may use floats; only the game may not.
            let (sine, cosine) = (f64::from(turn) * std::f64::consts::TAU / 96.0).sin_cos();
            let [x, z] =
                [cosine, sine].map(|at| isostep::Real::from_f64(at).unwrap_or_default() * RING);
            put(Vec3::new(x, isostep::Real::ZERO, z), '.');
        }
        game.marbles().for_each(|(player, at)| put(at, char::from(b'a' + player as u8)));
        ('A'..).zip(game.balls()).for_each(|(letter, at)| put(at, letter));
        let mut text = format!("\x1b[H\x1b[J  {}   {}\r\n", lost(game), self.news);
        page.iter().for_each(|row| text.extend(row.iter().chain(&['\r', '\n'])));
        print!("{text}");
        let _ = stdout().flush();
    }
}

/// Marbles that each player has lost, as text.
pub fn lost(game: &Game) -> String {
    let players = ('A'..).zip(game.lost()).map(|(letter, lost)| format!(" {letter} {lost}"));
    format!("lost:{}", players.collect::<String>())
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.pictures {
            println!("\x1b[?25h\x1b[?1049l{}", self.news);
        }
    }
}

/// Keyboard of a terminal. A terminal reports no key releases, so a direction stays until another
/// is pressed.
pub struct Keys {
    bytes: Receiver<u8>,
    /// Terminal settings to restore, as printed by `stty`.
    before: String,
    pad: Pad,
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
        Some(Self { bytes, before, pad: Pad::default(), quit: false })
    }

    /// Input for the next tick.
    pub fn pad(&mut self) -> Pad {
        // Directions are held; a press lasts one tick.
        self.pad = Pad { buttons: Buttons::none(), ..Pad::hold(self.pad) };
        self.read();
        self.pad
    }

    /// Returns true if the player asked to quit.
    pub fn quit(&mut self) -> bool {
        self.quit
    }

    fn read(&mut self) {
        while let Ok(byte) = self.bytes.try_recv() {
            // An arrow key is escape, [ and one of A to D; the first two bytes have no meaning
            // alone.
            let (x, y) = match byte {
                b'w' | b'A' => (0, -127),
                b's' | b'B' => (0, 127),
                b'd' | b'C' => (127, 0),
                b'a' | b'D' => (-127, 0),
                b'x' => (0, 0),
                b' ' => {
                    self.pad.buttons = self.pad.buttons.press(DASH);
                    continue;
                }
                b'q' | 3 => {
                    self.quit = true;
                    continue;
                }
                _ => continue,
            };
            self.pad.roll = Stick::from_steps(x, y).unwrap_or_default();
        }
    }
}

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
