//! The naive simulator: computes the final inputs once, straight ahead. Its world holds the minimum
//! history, drops scratch and step records before every step, uses scalar lanes and one thread, and
//! never rewinds. Digests are taken from copies, so not even saved states are shared with later
//! ticks.

use super::game::{SeatInput, Settings, Skirmish, reading};
use super::pad::Pad;
use super::seat_history::{Holder, Seat};
use isostep_core::digest::Digest;
use isostep_core::internals::DigestTree;
use isostep_core::internals::Lanes;
use isostep_core::state::{Snapshot, State, StateDifference};
use isostep_rollback::{PlayerId, Simulation, Tick};

/// State of a tick in the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) digest: Digest,
    /// Hash of the world's public view.
    pub(super) reading: u64,
    /// Tick of the world, which may make several steps in a tick of the match.
    pub(super) world_tick: Tick,
}

pub(super) struct Reference {
    settings: Settings,
    game: Skirmish,
    previous: Vec<Pad>,
    halves: Vec<Option<Vec<u8>>>,
    seen: Vec<Seen>,
}

impl Reference {
    pub(super) fn new(settings: Settings) -> Self {
        let mut game = Skirmish::new(settings);
        game.world.set_history(2);
        game.world.set_lanes(Lanes::Scalar);
        game.local.naive = true;
        let seats = usize::from(settings.seats);
        let seen = vec![see(&game)];
        Self {
            settings,
            game,
            previous: vec![Pad::default(); seats],
            halves: vec![None; seats],
            seen,
        }
    }

    /// Returns the newest tick that was computed.
    pub(super) fn tick(&self) -> Tick {
        Tick(self.seen.len() as u32 - 1)
    }

    pub(super) fn seen(&self, tick: Tick) -> Seen {
        self.seen[tick.0 as usize]
    }

    /// Advances to a tick; false if an input before it is not known yet.
    pub(super) fn play(&mut self, seats: &[Seat], to: Tick) -> bool {
        while self.tick() < to {
            let Some(inputs) = self.inputs(seats) else { return false };
            let tick = self.tick();
            self.game.advance(tick, &inputs);
            self.seen.push(see(&self.game));
        }
        true
    }

    fn inputs(&mut self, seats: &[Seat]) -> Option<Vec<SeatInput>> {
        let tick = self.tick();
        let human = |seat: &Seat| matches!(seat.who(tick), Holder::Machine(_));
        if seats.iter().any(|seat| human(seat) && seat.said(tick).is_none()) {
            return None;
        }
        let mut inputs = Vec::with_capacity(seats.len());
        for (place, seat) in seats.iter().enumerate() {
            let who = seat.who(tick);
            let (value, pieces) = match who {
                Holder::Machine(_) => seat.said(tick)?,
                Holder::Bot => (self.game.bot(tick, PlayerId(place as u8)), &[][..]),
                Holder::Empty => (Pad::default(), &[][..]),
            };
            // A new holder does not complete its predecessor's partial command.
            if seat.begins(tick) || !human(seat) {
                self.halves[place] = None;
            }
            let orders = assemble(pieces, &mut self.halves[place]);
            let (previous, present) = (self.previous[place], who != Holder::Empty);
            self.previous[place] = value;
            inputs.push(SeatInput { value, previous, present, orders });
        }
        Some(inputs)
    }

    /// Returns the fields in which a state differs from that of a tick; `local` is the state's
    /// value, `remote` the reference's.
    pub(super) fn explain(
        &self,
        seats: &[Seat],
        tick: Tick,
        game: &Skirmish,
        slots: &<Skirmish as State>::Slots,
    ) -> Vec<StateDifference> {
        let mut again = Self::new(self.settings);
        again.play(seats, tick);
        let mut truth = again.game.copy();
        let mut held = truth.slots(1);
        truth.save(&mut held, tick).expect("a state between two ticks");
        let tree = |game: &Skirmish, slots: &_| {
            let mut tree = DigestTree::new();
            game.tree(slots, tick, "", &mut tree).map(|()| tree)
        };
        let (Ok(theirs), Ok(ours)) = (tree(&truth, &held), tree(game, slots)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let names = theirs.sections().chain(ours.sections()).map(|(name, _)| name.to_owned());
        let names: std::collections::BTreeSet<String> = names.collect();
        for section in names {
            let pages =
                |tree: &DigestTree| tree.get(&section).map_or(Vec::new(), |it| it.pages().to_vec());
            let (ours, theirs) = (pages(&ours), pages(&theirs));
            let differs = |page: &&(u32, Digest)| !ours.contains(page) || !theirs.contains(page);
            let numbers = ours.iter().chain(&theirs).filter(differs).map(|page| page.0);
            for page in numbers.collect::<std::collections::BTreeSet<u32>>() {
                let mut bytes = Vec::new();
                let _ = truth.page(&held, tick, "", &section, page, &mut bytes);
                let _ = game.explain(slots, tick, "", &section, page, &bytes, 6, &mut found);
            }
        }
        found
    }
}

fn see(game: &Skirmish) -> Seen {
    let mut copy = game.copy();
    let mut slots = copy.slots(1);
    copy.save(&mut slots, Tick(0)).expect("a state between two ticks");
    let digest = copy.digest(&slots, Tick(0)).expect("it was just saved");
    let world_tick = copy.world.tick();
    let past = copy.world.past(world_tick).expect("the newest tick is held");
    Seen { digest, reading: reading(&past), world_tick }
}

/// Returns the digest and the view hash of a snapshot, restored into a new game.
pub(super) fn see_snapshot(settings: Settings, bytes: &[u8]) -> Result<Seen, String> {
    let mut game = Skirmish::new(settings);
    game.restore(bytes).map_err(|error| error.to_string())?;
    Ok(see(&game))
}

/// Returns the commands that this tick completes. A partial command that does not continue at once
/// is lost.
fn assemble(mut payload: &[u8], half: &mut Option<Vec<u8>>) -> Vec<Vec<u8>> {
    const FIRST: u8 = 1;
    const LAST: u8 = 2;
    let mut whole = Vec::new();
    let mut open = half.take();
    while let [header, length, rest @ ..] = payload {
        let (bytes, behind) = rest.split_at(usize::from(*length));
        payload = behind;
        let command = if header & FIRST != 0 { Some(Vec::new()) } else { open.take() };
        let command = command.map(|mut command| {
            command.extend_from_slice(bytes);
            command
        });
        match command {
            Some(command) if header & LAST != 0 => whole.push(command),
            command => *half = command,
        }
    }
    whole
}
