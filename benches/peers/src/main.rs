//! Rapier with its default features, as an engine process; `isostep bench` starts it.
#![forbid(unsafe_code)]

#[path = "../../src/rapier.rs"]
#[allow(dead_code, reason = "benches ask more of it")]
mod rapier;

fn main() -> std::io::Result<()> {
    let mut engine = rapier::Rapier::new("Rapier 0.36, default features");
    isostep_bench::engine::serve(&mut engine, std::io::stdin().lock(), std::io::stdout().lock())
}
