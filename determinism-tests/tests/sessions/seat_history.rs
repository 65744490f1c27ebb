//! Ground truth of a match: the holder of every seat on every tick, and every human's final input.
//!
//! Machines report the inputs that they confirmed. All machines must report the same ones, and they
//! must follow from the scripted players' samples by the documented rules of delay, hold and merge.

use super::pad::Pad;
use isostep_rollback::{Input, Occupant, PeerId, Tick};
use std::collections::BTreeMap;

/// Holder of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    Machine(usize),
    Bot,
    Empty,
}

impl Holder {
    /// Returns the occupant as a machine's session names it. Peers have the numbers of their
    /// machines.
    pub(super) fn seen_by(self, machine: usize) -> Occupant {
        match self {
            Self::Machine(own) if own == machine => Occupant::Local,
            Self::Machine(other) => Occupant::Remote(PeerId(other as u8)),
            Self::Bot => Occupant::Bot,
            Self::Empty => Occupant::Empty,
        }
    }
}

/// Final input of a human for a tick: value, pieces of commands, and the machine that reported it first.
type Said = (Pad, Vec<u8>, usize);

/// One seat.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    /// Holder from a tick on, ascending.
    pub(super) spans: Vec<(Tick, Holder)>,
    said: Vec<Option<Said>>,
    presses: Vec<Presses>,
}

impl Seat {
    pub(super) fn new(who: Holder, delay: u32) -> Self {
        let mut seat = Self { spans: Vec::new(), said: Vec::new(), presses: Vec::new() };
        seat.change(Tick(0), who, delay);
        seat.presses.iter_mut().for_each(|presses| presses.announced = true);
        seat
    }

    pub(super) fn who(&self, tick: Tick) -> Holder {
        let at = self.spans.partition_point(|span| span.0 <= tick);
        self.spans[at.max(1) - 1].1
    }

    /// Returns the last change, which may lie ahead.
    pub(super) fn last(&self) -> (Tick, Holder) {
        self.spans[self.spans.len() - 1]
    }

    pub(super) fn begins(&self, tick: Tick) -> bool {
        self.spans.iter().any(|span| span.0 == tick)
    }

    /// Gives the seat to another holder from a tick on, whose inputs have this delay at first.
    pub(super) fn change(&mut self, tick: Tick, who: Holder, delay: u32) {
        // Changes that were planned for later are void.
        self.spans.retain(|span| span.0 < tick);
        self.spans.push((tick, who));
        self.said.truncate(tick.0 as usize);
        self.presses.retain(|presses| presses.from < tick);
        for presses in &mut self.presses {
            presses.until = presses.until.min(tick);
        }
        if let Holder::Machine(machine) = who {
            // A machine that held the seat shortly before has samples in flight; their ticks are
            // not specified.
            let exact =
                !self.presses.iter().any(|old| old.machine == machine && old.until + 64 > tick);
            self.presses.push(Presses::new(machine, tick, delay, exact));
        }
    }

    /// Records that a machine knows the last change: if it holds the seat, its player's samples
    /// count from now on.
    pub(super) fn announce(&mut self, machine: usize) {
        if let Some(presses) = self.presses.last_mut().filter(|it| it.machine == machine) {
            presses.announced = true;
        }
    }

    /// Records a sample of a machine's player.
    pub(super) fn sample(&mut self, machine: usize, making: Tick, sample: Pad) {
        let mut presses = self.presses.iter_mut().filter(|presses| presses.machine == machine);
        if let Some(presses) =
            presses.find(|presses| (presses.from..presses.until).contains(&making))
        {
            let merged = presses.waiting.map_or(sample, |older| Pad::merge(older, sample));
            presses.waiting = Some(merged);
        }
    }

    /// Records a change of the delay of a machine's player: of the one whose samples are yet to
    /// come.
    pub(super) fn set_delay(&mut self, machine: usize, delay: u32) {
        let speaks =
            |it: &&mut Presses| it.machine == machine && it.announced && it.next < it.until;
        if let Some(presses) = self.presses.iter_mut().find(speaks) {
            presses.delay = delay;
        }
    }

    /// Records that a machine is about to compute a tick, with its samples.
    pub(super) fn advance(&mut self, machine: usize, making: Tick) {
        let own = |presses: &&mut Presses| presses.machine == machine && presses.announced;
        self.presses.iter_mut().filter(own).for_each(|presses| presses.advance(making));
    }

    /// Compares a reported final input with other reports and with the samples.
    pub(super) fn report(
        &mut self,
        machine: usize,
        tick: Tick,
        reported: Option<(Pad, &[u8])>,
    ) -> Result<(), String> {
        let human = matches!(self.who(tick), Holder::Machine(_));
        let Some((value, pieces)) = reported else {
            return if human { Err("no input of a human".to_owned()) } else { Ok(()) };
        };
        if !human {
            return Err(format!("input {value:?} of a seat without a human"));
        }
        let at = tick.0 as usize;
        if self.said.len() <= at {
            self.said.resize(at + 1, None);
        }
        match &self.said[at] {
            Some((was, pieces_were, other))
                if (*was, pieces_were.as_slice()) != (value, pieces) =>
            {
                return Err(format!(
                    "input {value:?} {pieces:?}, but {was:?} {pieces_were:?} at machine {other}"
                ));
            }
            Some(_) => return Ok(()),
            None => self.said[at] = Some((value, pieces.to_vec(), machine)),
        }
        let presses = self.presses.iter().find(|it| (it.from..it.until).contains(&tick));
        let pressed = presses.filter(|it| it.exact).and_then(|it| it.ticks.get(&tick.0));
        match pressed {
            Some(&pressed) if pressed != value => {
                Err(format!("input {value:?}, but {pressed:?} was pressed"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the final input of a human for a tick, once a machine has reported it.
    pub(super) fn said(&self, tick: Tick) -> Option<(Pad, &[u8])> {
        let (value, pieces, _) = self.said.get(tick.0 as usize)?.as_ref()?;
        Some((*value, pieces))
    }
}

/// Samples of one player at one machine, and their ticks: an independent implementation of the
/// rules of `Session::local_input` and `Session::set_delay`.
#[derive(Clone, Debug)]
struct Presses {
    machine: usize,
    from: Tick,
    until: Tick,
    delay: u32,
    next: Tick,
    last: Pad,
    waiting: Option<Pad>,
    ticks: BTreeMap<u32, Pad>,
    /// True once its machine knows the change.
    announced: bool,
    exact: bool,
}

impl Presses {
    fn new(machine: usize, from: Tick, delay: u32, exact: bool) -> Self {
        Self {
            machine,
            from,
            until: Tick(u32::MAX),
            delay,
            next: from,
            last: Pad::default(),
            waiting: None,
            ticks: BTreeMap::new(),
            announced: false,
            exact,
        }
    }

    fn advance(&mut self, making: Tick) {
        let due = making + self.delay;
        while self.next <= due && self.next < self.until {
            let sample = if self.next == due { self.waiting.take() } else { None };
            self.last = sample.unwrap_or_else(|| Pad::hold(self.last));
            self.ticks.insert(self.next.0, self.last);
            self.next = self.next.next();
        }
    }
}
