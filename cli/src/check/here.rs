//! Every way that this machine can go.

use super::{CheckError, code};
use isostep_determinism_tests::matrix::{self, Cell, Extent, Table, Watch};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

pub(super) fn run(only: Option<&str>, long: bool, as_json: bool) -> Result<ExitCode, CheckError> {
    let extent = match (long, cfg!(debug_assertions)) {
        (true, _) => Extent::LONG,
        (false, true) => Extent::SLOW,
        (false, false) => Extent::NATIVE,
    };
    let mut table = Table::default();
    let target = std::env::consts::ARCH;
    let start = Instant::now();
    let mut teller = Teller::new();
    let mut watch = Watch {
        clock: &mut || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX),
        tell: &mut |words| teller.tell(words),
        cell: &mut |cell| table.cells.push(Cell { target: target.to_owned(), ..cell }),
    };
    matrix::run(extent, only, &mut watch).map_err(CheckError::Golden)?;
    teller.end();
    print(&table, as_json)?;
    Ok(code(table.is_equal()))
}

/// The table for people, or its cells for programs.
pub(super) fn print(table: &Table, as_json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if !as_json {
        return write!(out, "{table}");
    }
    let cells: Vec<Value> = table.cells.iter().map(cell).collect();
    let skipped = table.skipped.iter();
    let skipped: Vec<Value> =
        skipped.map(|(target, why)| json!({ "target": target, "why": why })).collect();
    writeln!(out, "{}", json!({ "equal": table.is_equal(), "cells": cells, "skipped": skipped }))
}

fn cell(cell: &Cell) -> Value {
    let Cell { target, variant, way, scene, ticks, digest, nanos, difference } = cell;
    json!({
        "target": target, "variant": variant, "way": way, "scene": scene, "ticks": ticks, "digest": digest,
        "seconds": *nanos as f64 / 1e9, "difference": difference,
    })
}

/// Says what is done now: on a terminal in one line that is gone in the end, elsewhere now and then.
struct Teller {
    start: Instant,
    told: u64,
}

/// Seconds between two lines where there is no terminal.
const REPEAT: u64 = 10;

impl Teller {
    fn new() -> Self {
        Self { start: Instant::now(), told: 0 }
    }

    fn tell(&mut self, words: &str) {
        let seconds = self.start.elapsed().as_secs();
        let mut out = io::stderr();
        // Who can't read it misses nothing.
        let _ = if out.is_terminal() {
            self.told = seconds.max(1);
            write!(out, "\r{seconds:4} s  {words}\x1b[K")
        } else if seconds >= self.told + REPEAT {
            self.told = seconds;
            writeln!(out, "{seconds:4} s  {words}")
        } else {
            Ok(())
        };
    }

    fn end(self) {
        let mut out = io::stderr();
        if out.is_terminal() && self.told > 0 {
            let _ = write!(out, "\r\x1b[K");
        }
    }
}
