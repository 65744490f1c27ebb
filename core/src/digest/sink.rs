//! Sinks for the tokens of a walk: canonical bytes for hashing, and sortable bytes for map keys.
//!
//! Canonical bytes are little-endian, of fixed width, without `usize`. Every token starts with a
//! tag, texts have a length and groups have an end, so two different values never give the same
//! bytes.

use super::leaf::{Group, Leaf, Part, WalkError};
use super::names::Digest;
use super::walk::walk;
use serde::Serialize;

/// A consumer of the tokens of a walk.
pub(super) trait Sink: Sized {
    /// `true` if paths need the names of map keys. Costs an allocation per key.
    const NAMES: bool;
    /// `true` if the sink also receives map keys as tokens, before their values.
    const KEYS: bool;

    fn leaf(&mut self, path: &[Part], leaf: Leaf<'_>);
    fn open(&mut self, path: &[Part], group: Group);
    fn close(&mut self, group: Group);
    /// Called before each element of a sequence and each key of a map.
    fn next(&mut self) {}
    /// Creates an empty sink for one entry of a group that is sorted later.
    fn fork(&self) -> Self;
    /// Appends the tokens of a fork.
    fn join(&mut self, fork: Self);
}

/// Bytes buffered before they are passed to the hasher.
const FLUSH_BYTES: usize = 512;

/// Canonical bytes, collected or hashed. Hashing does not allocate.
#[derive(Default)]
pub(super) struct Canonical {
    hashing: Option<Hashing>,
    /// The bytes, if there is no hasher.
    bytes: Vec<u8>,
}

struct Hashing {
    hasher: blake3::Hasher,
    held: [u8; FLUSH_BYTES],
    length: usize,
}

impl Hashing {
    fn put(&mut self, bytes: &[u8]) {
        if let Some(free) = self.held[self.length..].get_mut(..bytes.len()) {
            free.copy_from_slice(bytes);
            self.length += bytes.len();
            return;
        }
        self.hasher.update(&self.held[..self.length]);
        self.length = 0;
        if bytes.len() < FLUSH_BYTES {
            self.put(bytes);
        } else {
            self.hasher.update(bytes);
        }
    }
}

impl Canonical {
    fn hashing() -> Self {
        let hasher = blake3::Hasher::new();
        let hashing = Hashing { hasher, held: [0; FLUSH_BYTES], length: 0 };
        Self { hashing: Some(hashing), bytes: Vec::new() }
    }

    /// The digest of the received tokens.
    fn digest(self) -> Digest {
        let Some(mut hashing) = self.hashing else { return Digest::of(&self.bytes) };
        hashing.hasher.update(&hashing.held[..hashing.length]);
        hashing.hasher.finalize().into()
    }

    /// The bytes collected by a sink without a hasher.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn put(&mut self, bytes: &[u8]) {
        match &mut self.hashing {
            Some(hashing) => hashing.put(bytes),
            None => self.bytes.extend_from_slice(bytes),
        }
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.put(&[tag]);
        self.put(bytes);
    }

    fn text(&mut self, tag: u8, bytes: &[u8]) {
        self.put(&[tag]);
        self.put(&(bytes.len() as u64).to_le_bytes());
        self.put(bytes);
    }
}

impl Sink for Canonical {
    const NAMES: bool = false;
    const KEYS: bool = true;

    // The tag includes the width of a number, so that an untagged enum of u8 and u16 stays
    // unambiguous.
    fn leaf(&mut self, _: &[Part], leaf: Leaf<'_>) {
        match leaf {
            Leaf::Bool(value) => self.tagged(1, &[u8::from(value)]),
            Leaf::Signed(width, value) => {
                self.tagged(0x20 | width, &value.to_le_bytes()[..usize::from(width)]);
            }
            Leaf::Unsigned(width, value) => {
                self.tagged(0x40 | width, &value.to_le_bytes()[..usize::from(width)]);
            }
            Leaf::Float(width, bits) => {
                self.tagged(0x60 | width, &bits.to_le_bytes()[..usize::from(width)]);
            }
            Leaf::Char(value) => self.tagged(2, &u32::from(value).to_le_bytes()),
            Leaf::Text(text) => self.text(3, text.as_bytes()),
            Leaf::Bytes(bytes) => self.text(4, bytes),
            Leaf::Unit => self.tagged(5, &[]),
            Leaf::None => self.tagged(6, &[]),
            Leaf::Variant(index, _) => self.tagged(7, &index.to_le_bytes()),
            Leaf::Skipped => self.tagged(8, &[]),
        }
    }

    fn open(&mut self, _: &[Part], group: Group) {
        match group {
            Group::Some => self.tagged(0x10, &[]),
            Group::Sequence => self.tagged(0x11, &[]),
            Group::Tuple => self.tagged(0x12, &[]),
            Group::Struct => self.tagged(0x13, &[]),
            Group::Map => self.tagged(0x14, &[]),
            Group::Variant(index, _) => self.tagged(0x15, &index.to_le_bytes()),
        }
    }

    fn close(&mut self, _: Group) {
        self.tagged(0, &[]);
    }

    fn fork(&self) -> Self {
        Self::default()
    }

    fn join(&mut self, fork: Self) {
        self.put(&fork.bytes);
    }
}

/// Bytes that compare like the values: numbers by value, texts by bytes, groups part by part.
#[derive(Default)]
pub(super) struct Ordered(pub(super) Vec<u8>);

impl Ordered {
    /// Encodes a text so that none is a prefix of another: a zero byte is followed by 255, and two
    /// zeros mark the end.
    fn text(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0.push(byte);
            self.0.extend((byte == 0).then_some(0xff));
        }
        self.0.extend([0, 0]);
    }
}

impl Sink for Ordered {
    const NAMES: bool = false;
    const KEYS: bool = true;

    fn leaf(&mut self, _: &[Part], leaf: Leaf<'_>) {
        match leaf {
            Leaf::Bool(value) => self.0.push(u8::from(value)),
            Leaf::Signed(_, value) => {
                self.0.extend(((value as u128) ^ 1 << 127).to_be_bytes());
            }
            Leaf::Unsigned(_, value) => self.0.extend(value.to_be_bytes()),
            // Negative floats sort in reverse: all their bits are flipped, for the others only the
            // sign.
            Leaf::Float(width, bits) => {
                let top = 1 << (u32::from(width) * 8 - 1);
                let key = if bits & top == 0 { bits | top } else { !bits };
                self.0.extend(key.to_be_bytes());
            }
            Leaf::Char(value) => self.0.extend(u32::from(value).to_be_bytes()),
            Leaf::Text(text) => self.text(text.as_bytes()),
            Leaf::Bytes(bytes) => self.text(bytes),
            // `None` sorts before `Some`, which starts with a one.
            Leaf::Unit | Leaf::None | Leaf::Skipped => self.0.push(0),
            Leaf::Variant(index, _) => self.0.extend(index.to_be_bytes()),
        }
    }

    fn open(&mut self, _: &[Part], group: Group) {
        if let Group::Variant(index, _) = group {
            self.0.extend(index.to_be_bytes());
        } else if group == Group::Some {
            self.0.push(1);
        }
    }

    // A list that continues is greater than one that ends.
    fn next(&mut self) {
        self.0.push(1);
    }

    fn close(&mut self, group: Group) {
        if let Group::Sequence | Group::Map = group {
            self.0.push(0);
        }
    }

    fn fork(&self) -> Self {
        Self::default()
    }

    fn join(&mut self, fork: Self) {
        self.0.extend_from_slice(&fork.0);
    }
}

/// Appends the canonical bytes of a value, the input of its digest.
///
/// They are for hashing and comparing and cannot be decoded.
///
/// # Errors
/// If the value holds a float or a map without order; the error names the path.
pub fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), WalkError> {
    let sink = walk(value, Canonical::default(), false)?;
    out.extend_from_slice(&sink.bytes);
    Ok(())
}

impl Digest {
    /// The digest of any serde value, by its canonical bytes.
    ///
    /// Equal values have equal digests on every machine. No field allocates. Floats and unordered
    /// maps are refused, see [`Floats`](super::Floats) and [`Unordered`](super::Unordered). Field
    /// names are not part of the digest, so renaming a field keeps old replays valid. Field order,
    /// variant order and widths are part of it.
    ///
    /// # Errors
    /// If the value holds a float or a map without order; the error names the path.
    ///
    /// ```
    /// use isostep_core::digest::Digest;
    /// #[derive(serde::Serialize)]
    /// struct Player { score: u32, speed: f32 }
    /// let error = Digest::of_value(&[Player { score: 3, speed: 0.5 }]).unwrap_err();
    /// assert_eq!(error.path, "[0].speed");
    /// assert!(Digest::of_value(&("ann", 3)).is_ok());
    /// ```
    pub fn of_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, WalkError> {
        Ok(walk(value, Canonical::hashing(), false)?.digest())
    }
}

/// A digest for each top-level part of a value.
#[derive(Default)]
pub(super) struct Pages {
    /// The group of the whole value. Its bytes start every page.
    root: Option<Group>,
    /// Number of open groups.
    depth: u32,
    done: Vec<Digest>,
    /// The page that is being written.
    page: Option<Canonical>,
}

impl Pages {
    /// The digests with page numbers; at least one.
    pub(super) fn pages(mut self) -> Vec<(u32, Digest)> {
        if self.done.is_empty() && self.page.is_none() {
            self.begin();
        }
        self.end();
        (0..).zip(self.done).collect()
    }

    fn end(&mut self) {
        self.done.extend(self.page.take().map(Canonical::digest));
    }

    fn begin(&mut self) {
        self.end();
        let mut page = Canonical::hashing();
        if let Some(root) = self.root {
            page.open(&[], root);
        }
        self.page = Some(page);
    }

    /// Advances to the next token. In structs and tuples each token directly below the root starts
    /// a page.
    fn token(&mut self) -> &mut Canonical {
        let listed = matches!(self.root, Some(Group::Sequence | Group::Map));
        if self.page.is_none() || (self.depth == 1 && !listed) {
            self.begin();
        }
        self.page.get_or_insert_default()
    }
}

impl Sink for Pages {
    const NAMES: bool = false;
    const KEYS: bool = true;

    fn leaf(&mut self, path: &[Part], leaf: Leaf<'_>) {
        self.token().leaf(path, leaf);
    }

    fn open(&mut self, path: &[Part], group: Group) {
        if self.depth == 0 {
            self.root = Some(group);
        } else {
            self.token().open(path, group);
        }
        self.depth += 1;
    }

    fn next(&mut self) {
        if self.depth == 1 {
            self.begin();
        }
    }

    fn close(&mut self, group: Group) {
        self.depth -= 1;
        if self.depth > 0
            && let Some(page) = &mut self.page
        {
            page.close(group);
        }
    }

    fn fork(&self) -> Self {
        // Below the top the entry becomes part of the current page, as bytes.
        let page = (self.depth > 1).then(Canonical::default);
        Self { root: self.root, depth: self.depth, done: Vec::new(), page }
    }

    fn join(&mut self, mut fork: Self) {
        if self.depth > 1 {
            let entry = fork.page.take().unwrap_or_default();
            self.token().join(entry);
        } else {
            self.end();
            fork.end();
            self.done.append(&mut fork.done);
        }
    }
}
