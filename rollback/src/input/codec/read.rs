//! Deserializer of inputs. It also traces the shape of a type: the values that the type requests while it is read.

use super::InputReadError;
use core::fmt::{Display, Write};
use isostep_core::internals::Reader as Bytes;
use serde::de::value::U32Deserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer,
    SeqAccess, VariantAccess, Visitor,
};

/// Shape of a type.
#[derive(Default)]
pub(super) struct Trace {
    /// Names and types in order, like `Pad{keys:Buttons<02>(u8,u8,),aim:Stick{x:i8,y:i8,},}`.
    pub(super) text: String,
    pub(super) enums: Vec<Choice>,
}

/// An enum among the bytes.
pub(super) struct Choice {
    pub(super) at: usize,
    pub(super) name: &'static str,
    pub(super) variants: usize,
}

/// Decodes a value from exactly these bytes.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, InputReadError> {
    finish(Reader::new(bytes, None))
}

/// Decodes a value, and traces the requests.
pub(super) fn trace<T: DeserializeOwned>(
    bytes: &[u8],
    trace: &mut Trace,
) -> Result<T, InputReadError> {
    finish(Reader::new(bytes, Some(trace)))
}

fn finish<T: DeserializeOwned>(mut reader: Reader<'_>) -> Result<T, InputReadError> {
    let value = T::deserialize(&mut reader)?;
    if reader.left.is_empty() {
        Ok(value)
    } else {
        Err(InputReadError::Length { expected: reader.at(), found: reader.length })
    }
}

struct Reader<'a> {
    left: Bytes<'a>,
    length: usize,
    trace: Option<&'a mut Trace>,
}

impl<'a> Reader<'a> {
    const fn new(bytes: &'a [u8], trace: Option<&'a mut Trace>) -> Self {
        Self { left: Bytes::new(bytes), length: bytes.len(), trace }
    }

    /// Number of bytes read.
    const fn at(&self) -> usize {
        self.length - self.left.len()
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], InputReadError> {
        let expected = self.at() + N;
        self.left.array().ok_or(InputReadError::Length { expected, found: self.length })
    }

    fn note(&mut self, parts: &[&str]) {
        if let Some(trace) = &mut self.trace {
            parts.iter().for_each(|part| trace.text.push_str(part));
        }
    }

    /// Decodes a group of parts.
    fn parts<'de, V: Visitor<'de>>(
        &mut self,
        name: &'static str,
        left: usize,
        fields: Option<&'static [&'static str]>,
        visitor: V,
    ) -> Result<V::Value, InputReadError> {
        self.note(&[name, if fields.is_some() { "{" } else { "(" }]);
        let mut names = fields.unwrap_or_default().iter();
        let value = visitor.visit_seq(Parts { reader: self, left, names: &mut names })?;
        self.note(&[if fields.is_some() { "}" } else { ")" }]);
        Ok(value)
    }
}

impl Error for InputReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self::Value(message.to_string())
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $number:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InputReadError> {
            self.note(&[stringify!($number)]);
            visitor.$visit($number::from_le_bytes(self.take()?))
        }
    )+};
}

macro_rules! refusals {
    ($($method:ident $what:literal)+) => {$(
        fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, InputReadError> {
            Err(InputReadError::Unsupported($what))
        }
    )+};
}

impl<'de> Deserializer<'de> for &mut Reader<'_> {
    type Error = InputReadError;

    numbers! {
        deserialize_u8 visit_u8 u8 deserialize_u16 visit_u16 u16
        deserialize_u32 visit_u32 u32 deserialize_u64 visit_u64 u64
        deserialize_i8 visit_i8 i8 deserialize_i16 visit_i16 i16
        deserialize_i32 visit_i32 i32 deserialize_i64 visit_i64 i64
    }

    refusals! {
        deserialize_any "a type that the data decides (an untagged enum, or a hand-written Deserialize)"
        deserialize_ignored_any "a part that it ignores"
        deserialize_identifier "a name"
        deserialize_u128 "a u128"
        deserialize_i128 "an i128"
        deserialize_f32 "a float"
        deserialize_f64 "a float"
        deserialize_char "a char"
        deserialize_str "a string"
        deserialize_string "a string"
        deserialize_bytes "a byte string"
        deserialize_byte_buf "a byte string"
        deserialize_option "an Option"
        deserialize_seq "a list"
        deserialize_map "a map (or a flattened struct)"
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InputReadError> {
        self.note(&["bool"]);
        match self.take()? {
            [0] => visitor.visit_bool(false),
            [1] => visitor.visit_bool(true),
            [other] => Err(InputReadError::Bool(other)),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, InputReadError> {
        self.note(&["()"]);
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, InputReadError> {
        self.note(&[name]);
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, InputReadError> {
        self.note(&[name, "("]);
        let value = visitor.visit_newtype_struct(&mut *self)?;
        self.note(&[")"]);
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, InputReadError> {
        self.parts("", len, None, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, InputReadError> {
        self.parts(name, len, None, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, InputReadError> {
        self.parts(name, fields.len(), Some(fields), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, InputReadError> {
        let at = self.at();
        let [index] = self.take()?;
        if let Some(trace) = &mut self.trace {
            trace.enums.push(Choice { at, name, variants: variants.len() });
            write!(trace.text, "{name}[{}]", variants.join("|"))
                .expect("a String takes everything");
        }
        visitor.visit_enum(Variant { name, index })
    }
}

/// Parts of a group, in order.
struct Parts<'r, 'a, 'n> {
    reader: &'r mut Reader<'a>,
    left: usize,
    names: &'n mut core::slice::Iter<'static, &'static str>,
}

impl<'de> SeqAccess<'de> for Parts<'_, '_, '_> {
    type Error = InputReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, InputReadError> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        if let Some(name) = self.names.next() {
            self.reader.note(&[name, ":"]);
        }
        let value = seed.deserialize(&mut *self.reader)?;
        self.reader.note(&[","]);
        Ok(Some(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// A variant, which must have no data.
struct Variant {
    name: &'static str,
    index: u8,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = InputReadError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self), InputReadError> {
        let index: U32Deserializer<InputReadError> = u32::from(self.index).into_deserializer();
        let unknown = |_| InputReadError::Variant { name: self.name, index: self.index };
        Ok((seed.deserialize(index).map_err(unknown)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant {
    type Error = InputReadError;

    fn unit_variant(self) -> Result<(), InputReadError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Self::Error> {
        Err(InputReadError::Unsupported("an enum with data"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Self::Error> {
        Err(InputReadError::Unsupported("an enum with data"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        Err(InputReadError::Unsupported("an enum with data"))
    }
}
