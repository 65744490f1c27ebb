//! Serializer of inputs: fixed-width parts are written to a buffer, everything else is refused by name and path.

use super::{InputCodecError, MAX_INPUT_BYTES};
use core::fmt::Display;
use serde::ser::{
    Error, Impossible, Serialize, SerializeStruct, SerializeTuple, SerializeTupleStruct, Serializer,
};

/// Writes a value to the front of the buffer, and returns the number of bytes.
pub(super) fn write<T: Serialize>(
    value: &T,
    bytes: &mut [u8; MAX_INPUT_BYTES],
) -> Result<usize, InputCodecError> {
    let mut writer = Writer { bytes, len: 0, place: 0 };
    value.serialize(&mut writer)?;
    Ok(writer.len)
}

struct Writer<'a> {
    bytes: &'a mut [u8; MAX_INPUT_BYTES],
    len: usize,
    /// Index of the next element in the innermost tuple, for error paths.
    place: usize,
}

impl Writer<'_> {
    fn put(&mut self, part: &[u8]) -> Result<(), InputCodecError> {
        let end = self.len + part.len();
        let place = self.bytes.get_mut(self.len..end).ok_or(InputCodecError::TooWide)?;
        place.copy_from_slice(part);
        self.len = end;
        Ok(())
    }

    fn part<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), InputCodecError> {
        let place = core::mem::take(&mut self.place);
        value.serialize(&mut *self).map_err(|error| within(error, &place.to_string()))?;
        self.place = place + 1;
        Ok(())
    }
}

/// Prepends a step to the path of an error.
fn within(mut error: InputCodecError, step: &str) -> InputCodecError {
    if let InputCodecError::Float { path } | InputCodecError::Width { path, .. } = &mut error {
        *path = if path == "." { step.to_owned() } else { format!("{step}.{path}") };
    }
    error
}

fn refused<T>(what: &'static str) -> Result<T, InputCodecError> {
    Err(InputCodecError::Width { path: ".".to_owned(), what })
}

impl Error for InputCodecError {
    fn custom<T: Display>(message: T) -> Self {
        Self::Refused(message.to_string())
    }
}

macro_rules! numbers {
    ($($method:ident $number:ty)+) => {$(
        fn $method(self, value: $number) -> Result<(), InputCodecError> {
            self.put(&value.to_le_bytes())
        }
    )+};
}

macro_rules! refusals {
    ($($method:ident($($argument:ty),*) -> $ok:ty, $what:literal)+) => {$(
        fn $method(self, $(_: $argument),*) -> Result<$ok, InputCodecError> {
            refused($what)
        }
    )+};
}

#[allow(clippy::disallowed_types, reason = "floats are named here to refuse them")]
impl Serializer for &mut Writer<'_> {
    type Ok = ();
    type Error = InputCodecError;
    type SerializeSeq = Impossible<(), InputCodecError>;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Impossible<(), InputCodecError>;
    type SerializeMap = Impossible<(), InputCodecError>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), InputCodecError>;

    numbers! {
        serialize_u8 u8 serialize_u16 u16 serialize_u32 u32 serialize_u64 u64
        serialize_i8 i8 serialize_i16 i16 serialize_i32 i32 serialize_i64 i64
    }

    refusals! {
        serialize_u128(u128) -> (), "a u128"
        serialize_i128(i128) -> (), "an i128"
        serialize_char(char) -> (), "a char"
        serialize_str(&str) -> (), "a string"
        serialize_bytes(&[u8]) -> (), "a byte string"
        serialize_none() -> (), "an Option"
        serialize_seq(Option<usize>) -> Self::SerializeSeq, "a list"
        serialize_map(Option<usize>) -> Self::SerializeMap, "a map (or a flattened struct)"
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant,
            "an enum with data"
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant,
            "an enum with data"
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<(), InputCodecError> {
        self.put(&[u8::from(value)])
    }

    fn serialize_f32(self, _: f32) -> Result<(), InputCodecError> {
        Err(InputCodecError::Float { path: ".".to_owned() })
    }

    fn serialize_f64(self, _: f64) -> Result<(), InputCodecError> {
        Err(InputCodecError::Float { path: ".".to_owned() })
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), InputCodecError> {
        refused("an Option")
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), InputCodecError> {
        refused("an enum with data")
    }

    // Text would need a length.
    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result<(), InputCodecError> {
        refused("a string")
    }

    fn serialize_unit(self) -> Result<(), InputCodecError> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), InputCodecError> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        _: &'static str,
    ) -> Result<(), InputCodecError> {
        let variants = index as usize + 1;
        let byte =
            u8::try_from(index).map_err(|_| InputCodecError::TooManyVariants { name, variants })?;
        self.put(&[byte])
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), InputCodecError> {
        value.serialize(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, InputCodecError> {
        self.place = 0;
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, InputCodecError> {
        self.place = 0;
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, InputCodecError> {
        Ok(self)
    }
}

impl SerializeTuple for &mut Writer<'_> {
    type Ok = ();
    type Error = InputCodecError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Self::Error> {
        self.part(value)
    }

    fn end(self) -> Result<(), InputCodecError> {
        Ok(())
    }
}

impl SerializeTupleStruct for &mut Writer<'_> {
    type Ok = ();
    type Error = InputCodecError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Self::Error> {
        self.part(value)
    }

    fn end(self) -> Result<(), InputCodecError> {
        Ok(())
    }
}

impl SerializeStruct for &mut Writer<'_> {
    type Ok = ();
    type Error = InputCodecError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), InputCodecError> {
        value.serialize(&mut **self).map_err(|error| within(error, key))
    }

    fn skip_field(&mut self, key: &'static str) -> Result<(), InputCodecError> {
        refused("a field that is skipped for some values").map_err(|error| within(error, key))
    }

    fn end(self) -> Result<(), InputCodecError> {
        Ok(())
    }
}
