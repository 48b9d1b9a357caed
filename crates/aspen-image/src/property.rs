//! Property sets and their text form.
//!
//! A file is a list of `[set name]` lines, each followed by `name=type|value` lines; a device image carries each set as one string that
//! holds only the latter. Type 1 is an unsigned 32-bit decimal, type 2 a byte array in a base64 of its own: least significant bit first,
//! no padding, with the payload's length *in bits* in front (8 bytes, little-endian). Nothing can be escaped, so names that would not
//! survive are refused when writing. Source: DESIGN §5, FORMATS §4.4.
//!
//! Reading keeps everything, known or not, in the order of the file.

use std::fmt;

use indexmap::IndexMap;
use indexmap::map::Entry;

/// One property set: values by name, in the order of the file.
pub type PropertySet = IndexMap<String, Value>;

/// All property sets of an image or a `.prop` file, by name, in the order of the file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PropertySets(IndexMap<String, PropertySet>);

/// The value of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Type 1.
    U32(u32),
    /// Type 2, a whole number of bytes.
    Bytes(Vec<u8>),
    /// Type 2 with a length that is no multiple of eight bits (DPC++ keeps sets of eliminated arguments so).
    Bits {
        /// The length in bits; `bytes` holds just as many bytes as it takes.
        count: u64,
        /// The payload.
        bytes: Vec<u8>,
    },
}

impl Value {
    /// A byte array of little-endian 32-bit numbers, as all requirements are stored. Source: DESIGN §5.
    pub fn from_u32s(numbers: impl IntoIterator<Item = u32>) -> Value {
        Value::Bytes(numbers.into_iter().flat_map(u32::to_le_bytes).collect())
    }

    /// The number of a type 1 value.
    pub fn as_u32(&self) -> Option<u32> {
        if let Value::U32(number) = self { Some(*number) } else { None }
    }

    /// The payload of a type 2 value that has whole bytes.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        if let Value::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// The numbers of a byte array that holds little-endian 32-bit numbers.
    pub fn as_u32s(&self) -> Option<Vec<u32>> {
        let (chunks, rest) = self.as_bytes()?.as_chunks::<4>();
        rest.is_empty().then(|| chunks.iter().copied().map(u32::from_le_bytes).collect())
    }
}

impl PropertySets {
    /// No sets.
    pub fn new() -> PropertySets {
        PropertySets::default()
    }

    /// The set of that name.
    pub fn get(&self, name: &str) -> Option<&PropertySet> {
        self.0.get(name)
    }

    /// Adds a set, or replaces the one of that name in its place.
    pub fn insert(&mut self, name: impl Into<String>, set: PropertySet) -> Option<PropertySet> {
        self.0.insert(name.into(), set)
    }

    /// Takes a set out and keeps the order of the others.
    pub fn remove(&mut self, name: &str) -> Option<PropertySet> {
        self.0.shift_remove(name)
    }

    /// The sets with their names, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &PropertySet)> {
        self.0.iter().map(|(name, set)| (name.as_str(), set))
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the text of a `.prop` file.
    ///
    /// # Errors
    /// The first line that is wrong, and why.
    pub fn from_text(text: &str) -> Result<PropertySets, ParseError> {
        let mut sets = PropertySets::new();
        let mut current: Option<&mut PropertySet> = None;
        for (line, number) in lines(text) {
            let at = |reason| ParseError { line: number, reason };
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                check_set_name(name).map_err(|_| at(ParseReason::SetName(shortened(name))))?;
                match sets.0.entry(name.to_owned()) {
                    Entry::Occupied(_) => return Err(at(ParseReason::SetTwice(shortened(name)))),
                    Entry::Vacant(free) => current = Some(free.insert(PropertySet::new())),
                }
            } else {
                let set = current.as_deref_mut().ok_or_else(|| at(ParseReason::PropertyBeforeSet))?;
                read_property(line, set).map_err(at)?;
            }
        }
        Ok(sets)
    }

    /// The text of a `.prop` file.
    ///
    /// # Errors
    /// If a name cannot be written.
    pub fn to_text(&self) -> Result<String, UnwritableName> {
        let mut out = String::new();
        for (name, set) in &self.0 {
            check_set_name(name)?;
            out += &format!("[{name}]\n");
            out += &set_to_text(set)?;
        }
        Ok(out)
    }
}

impl FromIterator<(String, PropertySet)> for PropertySets {
    fn from_iter<I: IntoIterator<Item = (String, PropertySet)>>(sets: I) -> PropertySets {
        PropertySets(sets.into_iter().collect())
    }
}

/// Reads the `name=type|value` lines of one set.
///
/// # Errors
/// The first line that is wrong, and why.
pub fn set_from_text(text: &str) -> Result<PropertySet, ParseError> {
    let mut set = PropertySet::new();
    for (line, number) in lines(text) {
        read_property(line, &mut set).map_err(|reason| ParseError { line: number, reason })?;
    }
    Ok(set)
}

/// The `name=type|value` lines of one set.
///
/// # Errors
/// If a name cannot be written.
pub fn set_to_text(set: &PropertySet) -> Result<String, UnwritableName> {
    let mut out = String::new();
    for (name, value) in set {
        check_property_name(name)?;
        out += name;
        match value {
            Value::U32(number) => out += &format!("=1|{number}\n"),
            Value::Bytes(bytes) => out += &format!("=2|{}\n", to_base64(8 * bytes.len() as u64, bytes)),
            Value::Bits { count, bytes } => out += &format!("=2|{}\n", to_base64(*count, bytes)),
        }
    }
    Ok(out)
}

/// Whether a set of that name can be written.
pub(crate) fn check_set_name(name: &str) -> Result<(), UnwritableName> {
    if name.is_empty() || name.contains(['\n', '\r', '\0']) {
        return Err(UnwritableName { what: "property set", name: name.to_owned() });
    }
    Ok(())
}

fn check_property_name(name: &str) -> Result<(), UnwritableName> {
    if name.is_empty() || name.starts_with('[') || name.contains(['\n', '\r', '\0', '=']) {
        return Err(UnwritableName { what: "property", name: name.to_owned() });
    }
    Ok(())
}

/// Lines that are not empty, numbered from 1.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).zip(1..).filter(|(line, _)| !line.is_empty())
}

fn read_property(line: &str, set: &mut PropertySet) -> Result<(), ParseReason> {
    let (name, rest) = line.split_once('=').ok_or(ParseReason::NoEquals)?;
    let (kind, text) = rest.split_once('|').ok_or(ParseReason::NoBar)?;
    check_property_name(name).map_err(|_| ParseReason::PropertyName(shortened(name)))?;
    let value = match kind {
        "1" if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Value::U32(text.parse().map_err(|_| ParseReason::NotU32(shortened(text)))?)
        }
        "1" => return Err(ParseReason::NotU32(shortened(text))),
        "2" => from_base64(text)?,
        _ => return Err(ParseReason::UnknownType(shortened(kind))),
    };
    match set.entry(name.to_owned()) {
        Entry::Occupied(_) => Err(ParseReason::PropertyTwice(shortened(name))),
        Entry::Vacant(free) => {
            free.insert(value);
            Ok(())
        }
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes of the length in front of every payload.
const LENGTH_BYTES: usize = 8;

fn to_base64(bit_count: u64, payload: &[u8]) -> String {
    let mut out = String::with_capacity((8 * (LENGTH_BYTES + payload.len())).div_ceil(6));
    let (mut pending, mut bits) = (0u32, 0);
    for byte in bit_count.to_le_bytes().iter().chain(payload) {
        pending |= u32::from(*byte) << bits;
        bits += 8;
        while bits >= 6 {
            out.push(char::from(ALPHABET[(pending & 63) as usize]));
            pending >>= 6;
            bits -= 6;
        }
    }
    if bits > 0 {
        out.push(char::from(ALPHABET[(pending & 63) as usize]));
    }
    out
}

fn from_base64(text: &str) -> Result<Value, ParseReason> {
    let mut raw = Vec::with_capacity(text.len() * 6 / 8);
    let (mut pending, mut bits) = (0u32, 0);
    for byte in text.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err(ParseReason::NotBase64(shortened(text))),
        };
        pending |= u32::from(digit) << bits;
        bits += 6;
        if bits >= 8 {
            raw.push((pending & 0xff) as u8);
            pending >>= 8;
            bits -= 8;
        }
    }
    // The last character may carry bits of no byte; they are zero, and there is no character more than needed.
    if pending != 0 || bits >= 6 {
        return Err(ParseReason::StrayBits);
    }
    let Some((length, payload)) = raw.split_first_chunk::<LENGTH_BYTES>() else { return Err(ParseReason::NoLength) };
    let count = u64::from_le_bytes(*length);
    if count.div_ceil(8) != payload.len() as u64 {
        return Err(ParseReason::WrongLength { bits: count, bytes: payload.len() });
    }
    let bytes = payload.to_vec();
    Ok(if count.is_multiple_of(8) { Value::Bytes(bytes) } else { Value::Bits { count, bytes } })
}

/// Keeps messages readable whatever the input is.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A line of property text that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: ParseReason,
}

/// What is wrong with a line of property text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseReason {
    /// `[]`, or a name with a control character that ends lines or strings.
    #[error("{0:?} is no name for a property set")]
    SetName(String),
    /// The same `[set]` again.
    #[error("the property set '{0}' stands here a second time")]
    SetTwice(String),
    /// A property before the first `[set]`.
    #[error("a property before the first '[set name]' line")]
    PropertyBeforeSet,
    /// No `=`.
    #[error("expected 'name=type|value', found no '='")]
    NoEquals,
    /// No `|`.
    #[error("expected 'name=type|value', found no '|'")]
    NoBar,
    /// `=1|0`, or a name that could not be written again.
    #[error("{0:?} is no name for a property")]
    PropertyName(String),
    /// The same property again.
    #[error("the property '{0}' stands here a second time in its set")]
    PropertyTwice(String),
    /// A type that is neither 1 nor 2.
    #[error("the property type '{0}' is neither 1 (number) nor 2 (byte array)")]
    UnknownType(String),
    /// Type 1 with something that is no 32-bit number.
    #[error("'{0}' is no unsigned 32-bit number")]
    NotU32(String),
    /// A character outside the alphabet.
    #[error("'{0}' is no base64")]
    NotBase64(String),
    /// Bits after the last byte.
    #[error("the byte array has stray bits after its last byte")]
    StrayBits,
    /// Shorter than its own length field.
    #[error("the byte array lacks its length")]
    NoLength,
    /// The length and the payload differ.
    #[error("the byte array says it has {bits} bits but holds {bytes} bytes")]
    WrongLength {
        /// What it says.
        bits: u64,
        /// What it holds.
        bytes: usize,
    },
}

/// A name that the text form cannot hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnwritableName {
    what: &'static str,
    name: String,
}

impl fmt::Display for UnwritableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} name {:?} cannot be written: names are not empty, have no line break", self.what, self.name)?;
        f.write_str(if self.what == "property" { ", no '=' and no '[' in front" } else { " and no NUL" })
    }
}

impl std::error::Error for UnwritableName {}
