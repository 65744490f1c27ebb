//! All integration tests of the facade in one binary: the derives, the documents, and the code of the
//! determinism rules.

/// Public: the tests of `derive(State)` have a public struct.
pub mod derive;
mod documents;
mod reports;
mod rules;
