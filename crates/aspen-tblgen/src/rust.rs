//! A table as Rust: a constant slice of the type that the module above defines.

use std::fmt::Write as _;

use crate::table::{Table, Value};

/// A whole module. `source`: the file to name in its first line.
pub fn rust(tables: &[Table], source: &str) -> String {
    let mut types: Vec<&str> = tables.iter().map(|table| table.type_name.as_str()).collect();
    types.sort_unstable();
    types.dedup();
    let mut out = format!("//! Generated from {source} by aspen-tblgen; edit that file, not this one.\n\n");
    for name in types {
        writeln!(out, "use super::{name};").expect("a string takes all writes");
    }
    for table in tables {
        let (name, type_name) = (&table.name, &table.type_name);
        writeln!(out, "\n/// The table `{name}`.\npub(super) const {}: &[{type_name}] = &[", snake(name).to_ascii_uppercase())
            .expect("a string takes all writes");
        for entry in &table.rust_entries {
            let mut fields = vec![format!("{}: {:?}", snake(&table.rust_fields[0]), entry.key)];
            let rest = table.rust_fields[1..].iter().zip(&entry.members);
            fields.extend(rest.map(|(field, member)| format!("{}: {}", snake(field), value(member))));
            writeln!(out, "    {type_name} {{ {} }},", fields.join(", ")).expect("a string takes all writes");
        }
        out += "];\n";
    }
    out
}

fn value(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("{text:?}"),
        Value::Number(number) | Value::Record { number: Some(number), .. } => number.to_string(),
        Value::Record { name, number: None } => format!("{name:?}"),
        Value::Bits(number, 1) => (*number == 1).to_string(),
        Value::Bits(number, _) => number.to_string(),
        Value::List(items) => format!("&[{}]", items.iter().map(self::value).collect::<Vec<_>>().join(", ")),
    }
}

/// `TargetName` as `target_name`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (index, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && index > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
