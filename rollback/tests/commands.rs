//! Commands over ticks that are confirmed, overridden or left out: each arrives once, whole, and in the promised order.

use isostep_rollback::internals::{CommandAssembler, CommandQueue, PayloadError, check_payload};
use isostep_rollback::{CommandConfig, CommandQueueError, Commands, Tick};
use proptest::prelude::*;

fn config(budget: usize) -> CommandConfig {
    CommandConfig::new(budget, 4096, 1 << 16).unwrap()
}

/// Outcome of one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Confirmed,
    Overridden,
    /// The sender had no input for it.
    LeftOut,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![6 => Just(Fate::Confirmed), 2 => Just(Fate::Overridden), 1 => Just(Fate::LeftOut)]
}

/// A command of a test opens with its number, so that its first piece identifies it.
fn command(number: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (number + at * 31) as u8).collect()
}

/// Knowledge of a command from the payloads alone.
#[derive(Clone, Debug, Default)]
struct Story {
    /// The ticks that carry it since it began; `None` while it waits.
    ticks: Option<(u32, u32)>,
    whole: bool,
    begun: usize,
    delivered: Vec<u32>,
}

impl Story {
    fn is_half_sent(&self) -> bool {
        self.ticks.is_some() && !self.whole
    }
}

/// Notes the pieces of a payload, and that nothing begins while an earlier command waits.
fn note(mut payload: &[u8], now: u32, stories: &mut [Story]) -> Result<(), TestCaseError> {
    let half = stories.iter().position(Story::is_half_sent);
    if let Some(half) = half.filter(|&half| stories[half].ticks.unwrap().1 + 1 < now) {
        stories[half].ticks = None;
    }
    while !payload.is_empty() {
        let low = usize::from(payload[1]);
        let (len, start) =
            if low < 128 { (low, 2) } else { (low & 0x7f | usize::from(payload[2]) << 7, 3) };
        let number = if payload[0] & 1 == 1 {
            let number = usize::from(payload[start]);
            prop_assert!(stories[number].ticks.is_none() && stories[number].delivered.is_empty());
            prop_assert!(stories[..number].iter().all(|story| story.ticks.is_some()));
            stories[number].begun += 1;
            number
        } else {
            stories.iter().position(Story::is_half_sent).unwrap()
        };
        let story = &mut stories[number];
        story.ticks = Some((story.ticks.map_or(now, |(begin, _)| begin), now));
        story.whole = payload[0] & 2 == 2;
        payload = &payload[start + len..];
    }
    Ok(())
}

/// Sends commands, each pushed before its tick, through ticks whose fates the sender learns `delay` ticks later; then through
/// confirmed ones until all arrived.
fn run(
    budget: usize,
    commands: &[(u32, usize)],
    fates: &[Fate],
    delay: u32,
) -> Result<Vec<Story>, TestCaseError> {
    let config = config(budget);
    let (mut queue, mut assembler) = (CommandQueue::new(config), CommandAssembler::new(config));
    let (mut out, mut payloads) = (Commands::default(), Vec::<Vec<u8>>::new());
    let mut stories = vec![Story::default(); commands.len()];
    let mut pushed = 0;
    let fate = |tick: u32| fates.get(tick as usize).copied().unwrap_or(Fate::Confirmed);
    for now in 0..20_000u32 {
        while pushed < commands.len() && commands[pushed].0 <= now {
            queue.push(&command(pushed, commands[pushed].1)).unwrap();
            pushed += 1;
        }
        let mut payload = vec![99];
        if fate(now) == Fate::LeftOut {
            payload.clear();
        } else {
            queue.fill(Tick(now), &mut payload).unwrap();
            // Nothing waits while there is room for a piece.
            prop_assert!(!queue.has_unsent() || payload.len() + 3 > budget);
        }
        prop_assert_eq!(check_payload(&payload, budget), Ok(()));
        if fate(now) != Fate::LeftOut {
            note(&payload, now, &mut stories)?;
        }
        payloads.push(payload);
        let Some(settled) = now.checked_sub(delay) else { continue };
        if fate(settled) == Fate::Overridden {
            queue.overridden(Tick(settled)).unwrap();
            payloads[settled as usize].clear();
            for story in &mut stories {
                story.ticks = story.ticks.filter(|&(begin, end)| !(begin..=end).contains(&settled));
            }
        }
        assembler.tick(&payloads[settled as usize], &mut out).unwrap();
        for delivered in out.iter() {
            let number = usize::from(delivered[0]);
            prop_assert_eq!(delivered, &command(number, commands[number].1)[..]);
            stories[number].delivered.push(settled);
        }
        queue.confirmed_through(Tick(settled));
        if queue.is_empty() && pushed == commands.len() && settled as usize >= fates.len() {
            prop_assert_eq!(queue.queued(), 0);
            return Ok(stories);
        }
    }
    Err(TestCaseError::fail("commands never arrived"))
}

fn pushes() -> impl Strategy<Value = Vec<(u32, usize)>> {
    let len = prop_oneof![3 => 1..20usize, 1 => 1..400usize];
    prop::collection::vec((0..60u32, len), 1..40).prop_map(|mut commands| {
        commands.sort_by_key(|&(tick, _)| tick);
        commands
    })
}

fn budgets() -> impl Strategy<Value = usize> {
    prop_oneof![3..20usize, 20..200usize, Just(129), Just(130), Just(131), Just(1024)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn without_overrides_commands_arrive_once_in_push_order(
        commands in pushes(), budget in budgets(), delay in 0..8u32,
    ) {
        let stories = run(budget, &commands, &[], delay)?;
        prop_assert!(stories.iter().all(|story| story.delivered.len() == 1 && story.begun == 1));
        prop_assert!(stories.is_sorted_by_key(|story| story.delivered[0]));
    }

    #[test]
    fn every_command_arrives_once_whatever_is_overridden(
        commands in pushes(),
        budget in budgets(),
        fates in prop::collection::vec(fate(), 0..200),
        delay in 0..8u32,
    ) {
        let stories = run(budget, &commands, &fates, delay)?;
        prop_assert!(stories.iter().all(|story| story.delivered.len() == 1));
        for (number, late) in stories.iter().enumerate() {
            for early in &stories[number + 1..] {
                // Overtaking is checked where commands begin, in `note`.
                prop_assert!(early.delivered >= late.delivered || late.begun > 1);
            }
        }
    }

    #[test]
    fn hostile_payloads_are_refused_or_taken_and_never_panic(
        payloads in prop::collection::vec(
            prop::collection::vec(prop_oneof![3 => 0..5u8, 1 => any::<u8>()], 0..20), 0..50,
        ),
    ) {
        let config = CommandConfig::new(16, 20, 100).unwrap();
        let mut assembler = CommandAssembler::new(config);
        let mut out = Commands::default();
        for payload in payloads {
            let before = (assembler.pending().map(<[u8]>::to_vec), out.clone());
            let result = assembler.tick(&payload, &mut out);
            prop_assert_eq!(result, check_payload(&payload, 16));
            if result.is_err() {
                prop_assert_eq!((assembler.pending().map(<[u8]>::to_vec), out.clone()), before);
            }
            prop_assert!(out.iter().all(|command| command.len() <= 20));
            prop_assert!(assembler.pending().is_none_or(|bytes| bytes.len() <= 20));
        }
    }
}

fn filled(queue: &mut CommandQueue, tick: u32) -> Vec<u8> {
    let mut payload = Vec::new();
    queue.fill(Tick(tick), &mut payload).unwrap();
    payload
}

#[test]
fn a_payload_is_a_row_of_pieces() {
    let mut queue = CommandQueue::new(config(10));
    for command in ["abc", "", "defgh"] {
        queue.push(command.as_bytes()).unwrap();
    }
    assert_eq!(filled(&mut queue, 4), *b"\x03\x03abc\x03\x00\x01\x01d");
    assert_eq!(filled(&mut queue, 5), *b"\x02\x04efgh");
    assert!(filled(&mut queue, 6).is_empty());
}

#[test]
fn an_overridden_command_goes_before_those_not_begun_and_others_are_not_doubled() {
    let mut queue = CommandQueue::new(config(5));
    for command in ["aaa", "bbb", "ccc", "ddd"] {
        queue.push(command.as_bytes()).unwrap();
    }
    for tick in 0..3 {
        filled(&mut queue, tick);
    }
    queue.overridden(Tick(1)).unwrap();
    assert_eq!(filled(&mut queue, 3), *b"\x03\x03bbb");
    assert_eq!(filled(&mut queue, 4), *b"\x03\x03ddd");
    queue.confirmed_through(Tick(4));
    assert!(queue.is_empty());
}

#[test]
fn a_half_sent_command_is_given_up_when_an_earlier_piece_is_overridden() {
    let mut queue = CommandQueue::new(config(4));
    queue.push(b"abcdef").unwrap();
    filled(&mut queue, 0);
    filled(&mut queue, 1);
    queue.overridden(Tick(0)).unwrap();
    assert_eq!(filled(&mut queue, 2), *b"\x01\x02ab");
}

#[test]
fn limits_are_kept_and_nothing_is_taken_beyond_them() {
    let mut queue = CommandQueue::new(CommandConfig::new(64, 10, 20).unwrap());
    assert_eq!(queue.push(&[0; 11]), Err(CommandQueueError::TooLong { len: 11, max: 10 }));
    queue.push(&[0; 10]).unwrap();
    let full = CommandQueueError::QueueFull { queued: 12, needed: 9, max: 20 };
    assert_eq!(queue.push(&[0; 7]), Err(full));
    queue.push(&[0; 6]).unwrap();
    assert_eq!(queue.queued(), 20);
}

#[test]
fn a_settled_tick_is_not_filled_again_and_a_confirmed_one_not_overridden() {
    let mut queue = CommandQueue::new(config(64));
    let mut payload = vec![9];
    queue.overridden(Tick(3)).unwrap();
    let error = CommandQueueError::TickSettled { tick: Tick(3), settled: Tick(3) };
    assert_eq!(queue.fill(Tick(3), &mut payload), Err(error));
    assert_eq!(payload, [9]);
    queue.confirmed_through(Tick(3));
    let error = CommandQueueError::Confirmed { tick: Tick(2), confirmed: Tick(3) };
    assert_eq!(queue.overridden(Tick(2)), Err(error));
}

#[test]
fn malformed_payloads_are_told_apart() {
    let check = |payload: &[u8]| check_payload(payload, 300).unwrap_err();
    assert_eq!(check(&[0; 301]), PayloadError::OverBudget { found: 301, budget: 300 });
    assert_eq!(check(&[4, 0]), PayloadError::Header(4));
    assert_eq!(check(&[3]), PayloadError::Truncated);
    assert_eq!(check(&[3, 2, 0]), PayloadError::Truncated);
    assert_eq!(check(&[3, 0x81, 0, 7]), PayloadError::Length);
    assert_eq!(check(&[3, 0x80, 0x80, 1]), PayloadError::Length);
    assert_eq!(check(&[1, 0]), PayloadError::EmptyPiece);
    assert_eq!(check(&[3, 1, 7, 2, 1, 7]), PayloadError::OutOfPlace);
    assert_eq!(check(&[1, 1, 7, 3, 1, 7]), PayloadError::OutOfPlace);
}

#[test]
fn a_late_joiner_goes_on_with_what_is_pending() {
    let mut queue = CommandQueue::new(config(4));
    queue.push(b"abcd").unwrap();
    let (mut first, mut second) =
        (CommandAssembler::new(config(4)), CommandAssembler::new(config(4)));
    let mut out = Commands::default();
    first.tick(&filled(&mut queue, 0), &mut out).unwrap();
    second.resume(first.pending()).unwrap();
    second.tick(&filled(&mut queue, 1), &mut out).unwrap();
    assert_eq!(out.iter().collect::<Vec<_>>(), [b"abcd"]);
    assert!(second.resume(Some(&[0; 4097])).is_err());
}
