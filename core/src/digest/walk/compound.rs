//! Compound values of a walk: sequences, tuples, structs, maps and the content of variants.

use super::Walker;
use crate::digest::differ::KeyText;
use crate::digest::leaf::{Group, Leaf, Part, Refusal};
use crate::digest::sink::{Ordered, Sink};
use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

/// Treatment of the order of entries.
pub(in crate::digest) enum Mode<S> {
    /// Keeps the serialized order.
    Plain,
    /// Requires ascending keys. Holds the last key, as bytes that compare like it.
    Check(Option<Vec<u8>>),
    /// Collects the entries for sorting.
    Sort(Vec<(Vec<u8>, S)>),
}

/// A compound value that is being walked.
pub(in crate::digest) struct Compound<'a, S> {
    pub(super) walker: &'a mut Walker<S>,
    pub(super) group: Group,
    pub(super) mode: Mode<S>,
    pub(super) array: bool,
    pub(super) count: u64,
}

impl<S: Sink> Compound<'_, S> {
    fn place<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refusal> {
        let part =
            if self.array { Part::Index(self.count) } else { Part::Place(self.count as u32) };
        self.count += 1;
        self.walker.descend(part, value)
    }

    fn field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Refusal> {
        self.walker.descend(Part::Field(name), value)
    }

    fn skipped(&mut self, name: &'static str) {
        self.walker.enter(Part::Field(name));
        self.walker.sink.leaf(&self.walker.path, Leaf::Skipped);
        self.walker.path.pop();
    }

    fn named_key<T: Serialize + ?Sized>(&self, key: &T) -> Result<Part, Refusal> {
        if !S::NAMES {
            return Ok(Part::Key(String::new()));
        }
        Ok(Part::Key(self.walker.key(key, KeyText::default())?.text))
    }

    /// Starts an entry of a sorted group in a sink of its own.
    fn fork(&mut self, order: Vec<u8>) {
        if let Mode::Sort(entries) = &mut self.mode {
            let fork = self.walker.sink.fork();
            entries.push((order, core::mem::replace(&mut self.walker.sink, fork)));
        }
    }

    /// Ends the entry: restores the sink of the group and stores the entry for sorting.
    fn unfork(&mut self) {
        if let Mode::Sort(entries) = &mut self.mode
            && let Some((_, waiting)) = entries.last_mut()
        {
            core::mem::swap(waiting, &mut self.walker.sink);
        }
    }

    fn finish(self) -> Result<(), Refusal> {
        if let Mode::Sort(mut entries) = self.mode {
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            if entries.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(Refusal::KeyTwice);
            }
            for (_, entry) in entries {
                self.walker.sink.join(entry);
            }
        }
        if let Group::Variant(..) = self.group {
            self.walker.path.pop();
        }
        self.walker.sink.close(self.group);
        Ok(())
    }
}

impl<S: Sink> SerializeSeq for Compound<'_, S> {
    type Ok = ();
    type Error = Refusal;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refusal> {
        if let Mode::Plain = self.mode {
            self.walker.sink.next();
            let part = Part::Index(self.count);
            self.count += 1;
            return self.walker.descend(part, value);
        }
        let part = self.named_key(value)?;
        let order = self.walker.key(value, Ordered::default())?.0;
        self.fork(order);
        self.walker.sink.next();
        self.walker.descend(part, value)?;
        self.unfork();
        Ok(())
    }

    fn end(self) -> Result<(), Refusal> {
        self.finish()
    }
}

impl<S: Sink> SerializeMap for Compound<'_, S> {
    type Ok = ();
    type Error = Refusal;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refusal> {
        let part = self.named_key(key)?;
        if !matches!(self.mode, Mode::Plain) {
            let order = self.walker.key(key, Ordered::default())?.0;
            if let Mode::Check(last) = &mut self.mode {
                if last.as_ref().is_some_and(|last| *last >= order) {
                    return Err(Refusal::KeyOrder);
                }
                *last = Some(order);
            } else {
                self.fork(order);
            }
        }
        self.walker.sink.next();
        self.walker.enter(part);
        if S::KEYS {
            self.walker.inside(key)?;
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refusal> {
        self.walker.inside(value)?;
        self.walker.path.pop();
        self.unfork();
        Ok(())
    }

    fn end(self) -> Result<(), Refusal> {
        self.finish()
    }
}

macro_rules! places {
    ($($trait:ident :: $method:ident),*) => {$(
        impl<S: Sink> $trait for Compound<'_, S> {
            type Ok = ();
            type Error = Refusal;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refusal> {
                self.place(value)
            }

            fn end(self) -> Result<(), Refusal> {
                self.finish()
            }
        }
    )*};
}
places!(
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

macro_rules! fields {
    ($($trait:ident),*) => {$(
        impl<S: Sink> $trait for Compound<'_, S> {
            type Ok = ();
            type Error = Refusal;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Refusal> {
                self.field(name, value)
            }

            fn skip_field(&mut self, name: &'static str) -> Result<(), Refusal> {
                self.skipped(name);
                Ok(())
            }

            fn end(self) -> Result<(), Refusal> {
                self.finish()
            }
        }
    )*};
}
fields!(SerializeStruct, SerializeStructVariant);
