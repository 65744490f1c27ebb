//! Sessions from the outside: their answers to any feed, whether they end where a naive simulator ends, and
//! whether they find out what differs. `game` has the game that all tests play, `model` what they are compared with.

mod desync;
mod feeding;
mod game;
mod hostile;
mod model;
mod oracle;
mod oracle_checks;
mod oracle_script;
mod outages;
mod relay;
mod relay_script;
mod roster;
mod sim_matches;
mod spectators;
mod unbounded;
