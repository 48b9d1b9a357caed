//! A table as C++. Source: S2, its example of an `.inc` file.
//!
//! The text is what S2 shows, without a guard: S2's header includes it as it is and defines no macro for one.

use std::fmt::Write as _;

use crate::table::{Table, Value};

/// `std::map<std::string, Type> Name = {…};`, two lines an entry.
pub fn cpp(table: &Table) -> String {
    let entries: Vec<String> = table
        .entries
        .iter()
        .map(|entry| {
            let members: Vec<String> = entry.members.iter().map(value).collect();
            format!("    {{{},\n     {{{}}}}}", text(&entry.key), members.join(", "))
        })
        .collect();
    let body = if entries.is_empty() { String::new() } else { format!("\n{}", entries.join(",\n")) };
    format!("std::map<std::string, {}> {} = {{{body}}};\n", table.type_name, table.name)
}

fn value(value: &Value) -> String {
    match value {
        Value::Text(content) | Value::Record { name: content, .. } => text(content),
        // The literal of the smallest number would be the negation of one that is too large.
        Value::Number(i64::MIN) => "-9223372036854775807 - 1".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bits(number, _) => number.to_string(),
        Value::List(items) => format!("{{{}}}", items.iter().map(self::value).collect::<Vec<_>>().join(", ")),
    }
}

/// A string literal. Octal escapes have three digits at most, so that what follows is never taken into them.
fn text(content: &str) -> String {
    let mut out = String::from("\"");
    for c in content.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            c if c.is_ascii_control() => write!(out, "\\{:03o}", u32::from(c)).expect("a string takes all writes"),
            c => out.push(c),
        }
    }
    out + "\""
}
