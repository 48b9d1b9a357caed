//! The YAML of a device configuration file as it stands there, with all values of a wrong form and not only the first: the reader stops at
//! one, and reads the file anew without it. Source: DESIGN §2, "Errors name the file, the place and a way out".

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Error, Options, Spanned, with_deserializer_from_str_with_options};

/// Entries as they stand in the file.
pub(crate) type File = Vec<(Spanned<String>, Entry)>;

/// Fields as they stand in the file.
pub(crate) type Entry = Vec<(Spanned<String>, Value)>;

/// What stands behind a field's name.
#[derive(Debug)]
pub(crate) enum Value {
    Aspects(Vec<Spanned<String>>),
    Flag(bool),
    Sizes(Vec<Spanned<u32>>),
    Text(String),
    Nothing,
    Unknown,
    /// Something of a wrong form, which is told already.
    Wrong,
}

/// How many values of a wrong form are told: each costs a reading of the file.
const MOST: usize = 100;

/// Reads a file. An empty one, or one of comments only, has no entries. `tell` hears of all that keeps it from being read, and says whether it
/// hears this for the first time; `None` if more is wrong than the form of values.
pub(crate) fn read(text: &str, mut tell: impl FnMut(&Error) -> bool) -> Option<File> {
    let mut left_out = BTreeSet::new();
    loop {
        let mut options = Options::default();
        // Both entries of a target must arrive: the second one warns and wins.
        options.duplicate_keys = DuplicateKeyPolicy::LastWins;
        let here = Cell::default();
        let way = Way { left_out: &left_out, here: &here };
        let error =
            match with_deserializer_from_str_with_options(text, options, |deserializer| OrNothing(OfFile(way)).deserialize(deserializer)) {
                Ok(file) => return Some(file.unwrap_or_default()),
                Err(error) => error,
            };
        // What is wrong with the text itself stays so.
        if !tell(&error) || here.get() == Place::default() || left_out.len() == MOST || !left_out.insert(here.get()) {
            return None;
        }
    }
}

/// An entry, a field of it, an item of that, by number.
type Place = [Option<usize>; 3];

/// Where the reader is, and what it passes over.
#[derive(Clone, Copy)]
struct Way<'w> {
    left_out: &'w BTreeSet<Place>,
    here: &'w Cell<Place>,
}

impl Way<'_> {
    /// Goes to a place; returns whether it is passed over.
    fn go(&self, place: Place) -> bool {
        self.here.set(place);
        self.left_out.contains(&place)
    }
}

/// What the inner one reads, or nothing.
struct OrNothing<S>(S);

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for OrNothing<S> {
    type Value = Option<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for OrNothing<S> {
    type Value = Option<S::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.0.deserialize(deserializer).map(Some)
    }
}

struct OfFile<'w>(Way<'w>);

impl<'de> DeserializeSeed<'de> for OfFile<'_> {
    type Value = File;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<File, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OfFile<'_> {
    type Value = File;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("targets with their fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File, A::Error> {
        let mut entries = Vec::new();
        while let Some(name) = map.next_key()? {
            let number = Some(entries.len());
            let entry = if self.0.go([number, None, None]) {
                map.next_value::<IgnoredAny>()?;
                None
            } else {
                map.next_value_seed(OrNothing(OfEntry { way: self.0, number }))?
            };
            self.0.go(Place::default());
            entries.push((name, entry.unwrap_or_default()));
        }
        Ok(entries)
    }
}

struct OfEntry<'w> {
    way: Way<'w>,
    number: Option<usize>,
}

impl<'de> DeserializeSeed<'de> for OfEntry<'_> {
    type Value = Entry;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OfEntry<'_> {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the fields of a target")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let mut fields = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let place = [self.number, Some(fields.len()), None];
            let value = if self.way.go(place) {
                map.next_value::<IgnoredAny>()?;
                Value::Wrong
            } else {
                field(&key.value, &mut map, self.way)?
            };
            self.way.go([self.number, None, None]);
            fields.push((key, value));
        }
        Ok(fields)
    }
}

/// The value of a field of that name.
fn field<'de, A: MapAccess<'de>>(name: &str, map: &mut A, way: Way<'_>) -> Result<Value, A::Error> {
    Ok(match name {
        "aspects" => map.next_value_seed(OrNothing(List::new(way)))?.map_or(Value::Nothing, Value::Aspects),
        "may_support_other_aspects" => map.next_value::<Option<_>>()?.map_or(Value::Nothing, Value::Flag),
        "sub-group-sizes" => map.next_value_seed(OrNothing(List::new(way)))?.map_or(Value::Nothing, Value::Sizes),
        name if name == "aot-toolchain" || name.strip_prefix("aot-toolchain-").is_some_and(|rest| !rest.is_empty()) => {
            map.next_value::<Option<_>>()?.map_or(Value::Nothing, Value::Text)
        }
        _ => {
            map.next_value::<IgnoredAny>()?;
            Value::Unknown
        }
    })
}

struct List<'w, T> {
    way: Way<'w>,
    items: Vec<T>,
}

impl<T> List<'_, T> {
    fn new(way: Way<'_>) -> List<'_, T> {
        List { way, items: Vec::new() }
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for List<'_, T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<'_, T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Vec<T>, A::Error> {
        let [entry, field, _] = self.way.here.get();
        for number in 0.. {
            if self.way.go([entry, field, Some(number)]) {
                if list.next_element::<IgnoredAny>()?.is_none() {
                    break;
                }
            } else if let Some(item) = list.next_element()? {
                self.items.push(item);
            } else {
                break;
            }
        }
        self.way.go([entry, field, None]);
        Ok(self.items)
    }
}
