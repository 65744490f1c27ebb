//! Index spaces of a step.

use crate::data::index::index_types;

index_types! {
    /// Place of a body in the gathered columns of a step.
    BodyPlace;
}
