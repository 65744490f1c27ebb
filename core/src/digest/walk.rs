//! The walk over a `Serialize` value: a serde serializer that emits tokens and tracks the path.
//!
//! Invariant: the tokens are a function of the value alone. Floats are refused. Unordered tables
//! are refused in two ways. Where serde exposes the type (a field, an element, the content of an
//! option or a box), by its name; this catches even hash sets and hash maps of one entry.
//! Elsewhere, by keys that do not ascend.

mod compound;

use super::leaf::{Group, Leaf, Part, Refusal, WalkError, render};
use super::sink::Sink;
use compound::{Compound, Mode};
use serde::{Deserialize, Serialize, Serializer};

const FLOATS: &str = "isostep::digest::Floats";
const UNORDERED: &str = "isostep::digest::Unordered";

/// Admits the floats of a value to digests, by their bits.
///
/// Other formats do not see the wrapper. To keep the type of a field, use `#[serde(with =
/// "isostep_core::digest::floats")]` instead.
///
/// ```
/// use isostep_core::digest::{Digest, Floats};
/// assert!(Digest::of_value(&0.5).is_err());
/// assert_ne!(Digest::of_value(&Floats(0.0)), Digest::of_value(&Floats(-0.0)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "isostep::digest::Floats")]
pub struct Floats<T>(pub T);

/// Admits hash maps and hash sets to digests, sorted by their keys.
///
/// The digest is then independent of the order, but a game that *iterates* over such a table in its
/// step still diverges. Other formats do not see the wrapper. To keep the type of a field, use
/// `#[serde(with = "isostep_core::digest::unordered")]` instead.
///
/// Without it, a walk does not detect a hash *set*, or a hash map of at most one entry, behind a
/// `#[serde(transparent)]` type, a `serialize_with` or a hand-written `Serialize`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "isostep::digest::Unordered")]
pub struct Unordered<T>(pub T);

macro_rules! with {
    ($module:ident, $wrapper:ident, $name:ident, $doc:literal) => {
        #[doc = $doc]
        pub mod $module {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            /// Writes the field.
            ///
            /// # Errors
            /// Those of the serializer.
            #[doc(hidden)]
            pub fn serialize<T: Serialize, S: Serializer>(
                value: &T,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_newtype_struct(super::$name, value)
            }

            /// Reads the field.
            ///
            /// # Errors
            /// Those of the deserializer.
            #[doc(hidden)]
            pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<T, D::Error> {
                super::$wrapper::deserialize(deserializer).map(|wrapper| wrapper.0)
            }
        }
    };
}
with!(floats, Floats, FLOATS, "For `#[serde(with = …)]`: a field in [`Floats`].");
with!(unordered, Unordered, UNORDERED, "For `#[serde(with = …)]`: a field in [`Unordered`].");

/// Walks a value into a sink.
pub(super) fn walk<T: Serialize + ?Sized, S: Sink>(
    value: &T,
    sink: S,
    readable: bool,
) -> Result<S, WalkError> {
    let mut walker = Walker {
        sink,
        path: Vec::new(),
        rules: Rules { readable, ..Rules::default() },
        table: Table::of::<T>(),
    };
    match value.serialize(&mut walker) {
        Ok(()) => Ok(walker.sink),
        // The path still points to the refused value. A sink without names has no path: walk again
        // with one.
        Err(refusal) => match walk_named::<T, S>(value, readable) {
            Some(error) => Err(error),
            None => Err(WalkError { path: render(&walker.path), refusal }),
        },
    }
}

fn walk_named<T: Serialize + ?Sized, S: Sink>(value: &T, readable: bool) -> Option<WalkError> {
    if S::NAMES { None } else { walk(value, super::differ::Nothing, readable).err() }
}

#[derive(Clone, Copy, Default)]
struct Rules {
    floats: bool,
    unordered: bool,
    /// `true` if values serialize as in human-readable formats.
    readable: bool,
}

/// Kind of table, derived from the name of a type.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Table {
    #[default]
    Unknown,
    Hash(&'static str),
    /// A table that iterates its keys in their own order.
    Tree,
    Array,
}

impl Table {
    fn of<T: ?Sized>() -> Self {
        // The language does not guarantee this name. If it changes, the order of keys is still
        // checked.
        let whole = core::any::type_name::<T>();
        let mut name = whole;
        let wrappers = ["&", "mut ", "alloc::boxed::Box<", "alloc::rc::Rc<", "alloc::sync::Arc<"];
        while let Some(inner) = wrappers.iter().find_map(|wrapper| name.strip_prefix(wrapper)) {
            name = inner;
        }
        if name.starts_with('[') {
            return Self::Array;
        }
        let name = name.split('<').next().unwrap_or_default();
        match name.rsplit("::").next().unwrap_or_default() {
            "HashMap" | "HashSet" => Self::Hash(whole),
            "BTreeMap" | "BTreeSet" if name.starts_with("alloc::") => Self::Tree,
            _ => Self::Unknown,
        }
    }
}

/// State of a walk.
pub(super) struct Walker<S> {
    sink: S,
    /// Kept only for sinks that need names.
    path: Vec<Part>,
    rules: Rules,
    /// Kind of the value that is serialized next.
    table: Table,
}

impl<S: Sink> Walker<S> {
    #[allow(clippy::unnecessary_wraps, reason = "the end of a dozen methods that may refuse")]
    fn leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Refusal> {
        self.sink.leaf(&self.path, leaf);
        Ok(())
    }

    /// Walks a part of the value.
    fn descend<T: Serialize + ?Sized>(&mut self, part: Part, value: &T) -> Result<(), Refusal> {
        self.enter(part);
        self.inside(value)?;
        self.path.pop();
        Ok(())
    }

    fn enter(&mut self, part: Part) {
        if S::NAMES {
            self.path.push(part);
        }
    }

    /// Walks the content of a wrapper, which adds no part to the path.
    fn inside<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refusal> {
        self.table = Table::of::<T>();
        value.serialize(&mut *self)
    }

    /// Walks a key into another sink.
    fn key<T: Serialize + ?Sized, K: Sink>(&self, key: &T, sink: K) -> Result<K, Refusal> {
        let mut walker =
            Walker { sink, path: Vec::new(), rules: self.rules, table: Table::of::<T>() };
        key.serialize(&mut walker)?;
        Ok(walker.sink)
    }

    fn compound(&mut self, group: Group, mode: Mode<S>) -> Compound<'_, S> {
        let array = self.table == Table::Array;
        self.sink.open(&self.path, group);
        if let Group::Variant(_, name) = group {
            self.enter(Part::Variant(name));
        }
        Compound { walker: self, group, mode, array, count: 0 }
    }
}

macro_rules! numbers {
    ($($name:ident: $type:ty => $leaf:ident as $wide:ty),* $(,)?) => {$(
        fn $name(self, value: $type) -> Result<(), Refusal> {
            self.leaf(Leaf::$leaf(size_of::<$type>() as u8, value as $wide))
        }
    )*};
}

impl<'a, S: Sink> Serializer for &'a mut Walker<S> {
    type Ok = ();
    type Error = Refusal;
    type SerializeSeq = Compound<'a, S>;
    type SerializeTuple = Compound<'a, S>;
    type SerializeTupleStruct = Compound<'a, S>;
    type SerializeTupleVariant = Compound<'a, S>;
    type SerializeMap = Compound<'a, S>;
    type SerializeStruct = Compound<'a, S>;
    type SerializeStructVariant = Compound<'a, S>;

    numbers! {
        serialize_i8: i8 => Signed as i128,
        serialize_i16: i16 => Signed as i128,
        serialize_i32: i32 => Signed as i128,
        serialize_i64: i64 => Signed as i128,
        serialize_i128: i128 => Signed as i128,
        serialize_u8: u8 => Unsigned as u128,
        serialize_u16: u16 => Unsigned as u128,
        serialize_u32: u32 => Unsigned as u128,
        serialize_u64: u64 => Unsigned as u128,
        serialize_u128: u128 => Unsigned as u128,
    }

    fn is_human_readable(&self) -> bool {
        self.rules.readable
    }

    fn serialize_bool(self, value: bool) -> Result<(), Refusal> {
        self.leaf(Leaf::Bool(value))
    }

    #[allow(clippy::disallowed_types, reason = "this code refuses floats or takes their bits")]
    fn serialize_f32(self, value: f32) -> Result<(), Refusal> {
        self.rules.floats.then_some(()).ok_or(Refusal::Float)?;
        self.leaf(Leaf::Float(4, u64::from(value.to_bits())))
    }

    #[allow(clippy::disallowed_types, reason = "this code refuses floats or takes their bits")]
    fn serialize_f64(self, value: f64) -> Result<(), Refusal> {
        self.rules.floats.then_some(()).ok_or(Refusal::Float)?;
        self.leaf(Leaf::Float(8, value.to_bits()))
    }

    fn serialize_char(self, value: char) -> Result<(), Refusal> {
        self.leaf(Leaf::Char(value))
    }

    fn serialize_str(self, value: &str) -> Result<(), Refusal> {
        self.leaf(Leaf::Text(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Refusal> {
        self.leaf(Leaf::Bytes(value))
    }

    fn serialize_none(self) -> Result<(), Refusal> {
        self.leaf(Leaf::None)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Refusal> {
        self.sink.open(&self.path, Group::Some);
        self.inside(value)?;
        self.sink.close(Group::Some);
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Refusal> {
        self.leaf(Leaf::Unit)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Refusal> {
        self.leaf(Leaf::Unit)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<(), Refusal> {
        self.leaf(Leaf::Variant(index, variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Refusal> {
        let before = self.rules;
        self.rules.floats |= name == FLOATS;
        self.rules.unordered |= name == UNORDERED;
        self.inside(value)?;
        self.rules = before;
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Refusal> {
        let group = Group::Variant(index, variant);
        self.sink.open(&self.path, group);
        self.descend(Part::Variant(variant), value)?;
        self.sink.close(group);
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a, S>, Refusal> {
        let mode = match self.table {
            Table::Hash(_) if self.rules.unordered => Mode::Sort(Vec::new()),
            Table::Hash(name) => return Err(Refusal::HashTable(name)),
            _ => Mode::Plain,
        };
        Ok(self.compound(Group::Sequence, mode))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a, S>, Refusal> {
        let mode = match self.table {
            _ if self.rules.unordered => Mode::Sort(Vec::new()),
            Table::Hash(name) => return Err(Refusal::HashTable(name)),
            Table::Tree => Mode::Plain,
            _ => Mode::Check(None),
        };
        Ok(self.compound(Group::Map, mode))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a, S>, Refusal> {
        Ok(self.compound(Group::Tuple, Mode::Plain))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a, S>, Refusal> {
        Ok(self.compound(Group::Tuple, Mode::Plain))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a, S>, Refusal> {
        Ok(self.compound(Group::Variant(index, variant), Mode::Plain))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'a, S>, Refusal> {
        Ok(self.compound(Group::Struct, Mode::Plain))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a, S>, Refusal> {
        Ok(self.compound(Group::Variant(index, variant), Mode::Plain))
    }
}
