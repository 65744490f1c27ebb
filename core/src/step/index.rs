//! Index spaces of a step.

use crate::data::index::index_types;

index_types! {
    /// Place of a body in the gathered columns of a step.
    BodyPlace;
    /// Index of a contact among the contacts of a step.
    ContactIndex;
    /// Index of a joint among the joints of a step.
    JointIndex;
    /// Index of an island among the islands of a step.
    IslandIndex;
    /// Row of a body in its batch.
    BatchRow;
}
