//! All integration tests of the facade in one binary: the documents, and the code of the
//! determinism rules.

mod documents;
mod rules;
