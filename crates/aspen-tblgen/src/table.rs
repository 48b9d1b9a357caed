//! The tables of a file, checked, without a language: what `DynamicTable` records and the entries of their class say.

use std::collections::BTreeMap;

use crate::dump::{Dump, Record};

/// A table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The record's name.
    pub name: String,
    /// The type of the entries.
    pub type_name: String,
    /// The entries for C++, in the order of the file.
    pub entries: Vec<Entry>,
    /// The names of the fields of the entries for Rust.
    pub rust_fields: Vec<String>,
    /// The entries for Rust.
    pub rust_entries: Vec<Entry>,
}

/// An entry: the key and then its members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What the map finds it by.
    pub key: String,
    /// The other fields.
    pub members: Vec<Value>,
}

/// A value of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// `string` or `code`.
    Text(String),
    /// `int` or `bit`.
    Number(i64),
    /// `bits<n>` as a number, and n.
    Bits(u64, usize),
    /// `list<…>`.
    List(Vec<Value>),
    /// Another record, which has a name and may have a number.
    Record {
        /// Its field `Name`.
        name: String,
        /// Its field `Number`.
        number: Option<i64>,
    },
}

/// Why a file makes no table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// What llvm-tblgen wrote is not what its JSON should be.
    #[error("cannot understand llvm-tblgen's JSON: {0}")]
    Json(String),
    /// There is no table in the file.
    #[error("the file defines no table: no record derives from class 'DynamicTable' (include \"DynamicTable.td\")")]
    NoTable,
    /// Something is wrong with a record.
    #[error("{place}: error: {message}")]
    Record {
        /// `file:line`.
        place: String,
        /// What.
        message: String,
    },
}

/// The tables of what llvm-tblgen dumped, in the order of the file.
///
/// # Errors
/// The first thing that is wrong, with the place of its record.
pub fn tables(json: &str) -> Result<Vec<Table>, Error> {
    let dump: Dump = serde_json::from_str(json).map_err(|error| Error::Json(error.to_string()))?;
    if dump.version != 1 {
        return Err(Error::Json(format!("its format has version {}, and this tool knows 1", dump.version)));
    }
    let mut found = dump.of_class("DynamicTable").ok_or(Error::NoTable)?;
    found.sort_by_key(|record| record.order());
    if found.is_empty() { Err(Error::NoTable) } else { found.into_iter().map(|record| table(&dump, record)).collect() }
}

impl Dump {
    fn of_class(&self, class: &str) -> Option<Vec<&Record>> {
        self.classes.get(class).map(|names| names.iter().filter_map(|name| self.records.get(name)).collect())
    }
}

fn fault(record: &Record, message: impl Into<String>) -> Error {
    Error::Record { place: record.place().to_owned(), message: message.into() }
}

fn table(dump: &Dump, record: &Record) -> Result<Table, Error> {
    let name = &record.name;
    let text = |field: &str| match record.fields.get(field) {
        Some(serde_json::Value::String(text)) if !text.is_empty() => Ok(text.clone()),
        _ => Err(fault(record, format!("the table '{name}' does not set '{field}'"))),
    };
    let names = |field: &str| match record.fields.get(field).and_then(|list| list.as_array()) {
        Some(list) if !list.is_empty() => Ok(list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect::<Vec<_>>()),
        _ => Err(fault(record, format!("the table '{name}' does not set '{field}'"))),
    };
    let class = text("FilterClass")?;
    let fields = names("Fields")?;
    // S2's own DynamicTable.td has no such field.
    let rust_fields = if record.fields.contains_key("RustFields") { names("RustFields")? } else { fields.clone() };
    let mut records =
        dump.of_class(&class).ok_or_else(|| fault(record, format!("there is no class '{class}', the table's FilterClass")))?;
    // What the table's own file defines comes after what it includes.
    let own_file = record.order().0;
    records.sort_by_key(|record| (record.order().0 == own_file, record.order()));
    let entries = |fields: &[String]| {
        let mut seen: BTreeMap<String, &Record> = BTreeMap::new();
        let mut out = Vec::with_capacity(records.len());
        for &one in &records {
            let entry = entry(dump, record, one, fields)?;
            if let Some(first) = seen.insert(entry.key.clone(), one) {
                return Err(fault(one, format!("'{}' is in the table '{name}' already ({})", entry.key, first.place())));
            }
            out.push(entry);
        }
        Ok(out)
    };
    Ok(Table {
        name: name.clone(),
        type_name: text("CppTypeName").unwrap_or(class),
        entries: entries(&fields)?,
        rust_entries: entries(&rust_fields)?,
        rust_fields,
    })
}

fn entry(dump: &Dump, table: &Record, record: &Record, fields: &[String]) -> Result<Entry, Error> {
    let mut values = Vec::with_capacity(fields.len());
    for field in fields {
        let value = record.fields.get(field).ok_or_else(|| {
            fault(record, format!("the record has no field '{field}', which the table '{}' lists ({})", table.name, table.place()))
        })?;
        let is_list = match table.fields.get(&format!("TypeOf_{field}")) {
            Some(serde_json::Value::String(described)) => described.trim_start().starts_with("list"),
            _ => false,
        };
        values.push(Reader { dump, table, record, field }.value(value, is_list)?);
    }
    let mut values = values.into_iter();
    let Some(Value::Text(key)) = values.next() else {
        return Err(fault(record, format!("'{}', the key of the table '{}', is no string", fields[0], table.name)));
    };
    Ok(Entry { key, members: values.collect() })
}

/// Reads one field; the rest is for its messages.
struct Reader<'d> {
    dump: &'d Dump,
    table: &'d Record,
    record: &'d Record,
    field: &'d str,
}

impl Reader<'_> {
    fn fault(&self, what: &str) -> Error {
        fault(self.record, format!("the field '{}' {what}", self.field))
    }

    fn value(&self, value: &serde_json::Value, is_list: bool) -> Result<Value, Error> {
        match value {
            serde_json::Value::Null => Err(self.fault("is not set")),
            serde_json::Value::String(text) => Ok(Value::Text(text.clone())),
            serde_json::Value::Number(number) => {
                number.as_i64().map(Value::Number).ok_or_else(|| self.fault("is a number of more than 64 bits"))
            }
            serde_json::Value::Array(items) if is_list => {
                Ok(Value::List(items.iter().map(|item| self.value(item, false)).collect::<Result<_, _>>()?))
            }
            serde_json::Value::Array(items) => self.bits(items),
            serde_json::Value::Object(object) => match (object.get("kind"), object.get("def")) {
                (Some(kind), Some(serde_json::Value::String(name))) if kind == "def" => self.other(name),
                _ => Err(self.fault("is neither text nor number, list or record")),
            },
            serde_json::Value::Bool(_) => Err(self.fault("is no value of TableGen")),
        }
    }

    /// `bits<n>` and lists look alike in the JSON, so that a list must be described as one (S2 "TypeOf_xxx").
    fn bits(&self, items: &[serde_json::Value]) -> Result<Value, Error> {
        let is_bits = !items.is_empty() && items.len() <= 63 && items.iter().all(|bit| matches!(bit.as_i64(), Some(0 | 1)));
        if !is_bits {
            let (table, field) = (&self.table.name, self.field);
            return Err(self.fault(&format!("is a list: say so in the table '{table}' by `string TypeOf_{field} = \"list<…>\"`")));
        }
        let number = items.iter().rev().fold(0, |number, bit| number << 1 | u64::from(bit.as_i64() == Some(1)));
        Ok(Value::Bits(number, items.len()))
    }

    fn other(&self, name: &str) -> Result<Value, Error> {
        let fields = self.dump.records.get(name).map(|record| &record.fields);
        match fields.and_then(|fields| fields.get("Name")) {
            Some(serde_json::Value::String(text)) => {
                let number = fields.and_then(|fields| fields.get("Number")).and_then(serde_json::Value::as_i64);
                Ok(Value::Record { name: text.clone(), number })
            }
            _ => Err(self.fault(&format!("holds the record '{name}', which has no text 'Name' to stand for it"))),
        }
    }
}
