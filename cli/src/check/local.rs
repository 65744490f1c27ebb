//! Runs every path to a tick on this machine.

use super::{CheckError, code};
use crate::progress::StatusLine;
use isostep_scenes::matrix::{self, Cell, Extent, Progress, Table};
use serde_json::{Value, json};
use std::io;
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
    let mut status = StatusLine::start();
    let mut progress = Progress {
        clock: &mut || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX),
        status: &mut |words| status.update(words),
        cell: &mut |cell| table.cells.push(Cell { target: target.to_owned(), ..cell }),
    };
    matrix::run(extent, only, &mut progress).map_err(CheckError::Golden)?;
    status.end();
    print(&table, as_json)?;
    Ok(code(table.is_equal()))
}

/// Prints the table, or its cells as JSON.
pub(super) fn print(table: &Table, as_json: bool) -> io::Result<()> {
    if !as_json {
        return crate::print(&table.to_string());
    }
    let cells: Vec<Value> = table.cells.iter().map(cell).collect();
    let skipped = table.skipped.iter();
    let skipped: Vec<Value> =
        skipped.map(|(target, why)| json!({ "target": target, "why": why })).collect();
    let all = json!({ "equal": table.is_equal(), "cells": cells, "skipped": skipped });
    crate::print(&format!("{all}\n"))
}

fn cell(cell: &Cell) -> Value {
    let Cell { target, variant, path, scene, ticks, digest, nanos, difference } = cell;
    json!({
        "target": target, "variant": variant, "path": path, "scene": scene, "ticks": ticks, "digest": digest,
        "seconds": *nanos as f64 / 1e9, "difference": difference,
    })
}
