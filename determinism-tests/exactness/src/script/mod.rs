//! Scripts: sequences of calls to a world whose arguments are small numbers.
//!
//! An argument is resolved when the call is made, against the bodies, ticks and snapshots that exist then. So every
//! sequence of bytes is a script, and a script stays one when parts of it are removed or made smaller.

mod command;
mod op;
mod scene;
mod spawn;

pub use command::CommandArgs;
pub use op::{KINDS, Op};
pub use scene::Scene;
pub(crate) use scene::history_length;
pub use spawn::SpawnArgs;

use core::fmt;

/// Bytes of an operation, and of the settings.
pub const RECORD: usize = 6;

/// Most operations of a script; further bytes are ignored.
pub const MAX_OPS: usize = 200;

/// Settings of the worlds of a script, and the operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Settings of the world and the bodies that exist at the start.
    pub scene: Scene,
    /// Operations in their order.
    pub ops: Vec<Op>,
}

impl Script {
    /// Decodes a script. Every sequence of bytes is one: six bytes of settings, then six for each operation; what is
    /// missing at the end is zero.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut records = bytes.chunks(RECORD).map(|chunk| {
            let mut record = [0; RECORD];
            record[..chunk.len()].copy_from_slice(chunk);
            record
        });
        let scene = Scene::decode(records.next().unwrap_or_default());
        Self { scene, ops: records.take(MAX_OPS).map(Op::decode).collect() }
    }

    /// Bytes that decode to this script.
    pub fn to_bytes(&self) -> Vec<u8> {
        let records = core::iter::once(self.scene.encode()).chain(self.ops.iter().map(Op::encode));
        records.flatten().collect()
    }
}

/// Rust source of the script, to paste into a test.
impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Script {{")?;
        writeln!(f, "    scene: {:?},", self.scene)?;
        writeln!(f, "    ops: vec![")?;
        for op in &self.ops {
            writeln!(f, "        Op::{op:?},")?;
        }
        writeln!(f, "    ],")?;
        write!(f, "}}")
    }
}
