//! Response files: `@FILE` stands for the words in FILE, split as clang does (GNU style: blanks separate, quotes and backslashes protect).

use std::fs;
use std::path::Path;

use crate::error::Error;

/// A response file may name others; deeper than this is a cycle.
const MAX_DEPTH: u32 = 20;

/// Replaces every `@FILE` whose file exists by the file's words; others stay as they are, as in clang.
///
/// # Errors
/// If a response file cannot be read or names itself.
pub fn expand(words: Vec<String>) -> Result<Vec<String>, Error> {
    let mut out = Vec::with_capacity(words.len());
    expand_into(words, 0, &mut out)?;
    Ok(out)
}

fn expand_into(words: Vec<String>, depth: u32, out: &mut Vec<String>) -> Result<(), Error> {
    for word in words {
        match word.strip_prefix('@') {
            // A pipe, too: `@<(…)`.
            Some(name) if fs::metadata(name).is_ok_and(|found| !found.is_dir()) => {
                if depth == MAX_DEPTH {
                    return Err(Error::Usage(format!("response file '{name}' includes itself")));
                }
                let text = fs::read_to_string(name).map_err(|error| Error::file("read", Path::new(name), error))?;
                expand_into(split(text.strip_prefix('\u{feff}').unwrap_or(&text)), depth + 1, out)?;
            }
            _ => out.push(word),
        }
    }
    Ok(())
}

/// Splits a text into words: quotes of both kinds keep everything but backslashes, a backslash protects the next character, as in LLVM's tools.
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (_, '\\') => {
                // A backslash at the end of a line joins the lines.
                if let Some(next) = chars.next().filter(|next| *next != '\n') {
                    word.get_or_insert_default().push(next);
                }
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting() {
        for (text, words) in [
            ("", &[][..]),
            ("-O2  -c\n\tx.cpp\n", &["-O2", "-c", "x.cpp"]),
            (r#"-DA="b c" '-DX="y"' a\ b"#, &["-DA=b c", r#"-DX="y""#, "a b"]),
            ("-DA=\"\\\"q\\\"\" '' \"\"", &["-DA=\"q\"", "", ""]),
            ("a\\\nb", &["ab"]),
            (r#"'-DS=it\'s' '-DP=a\\b'"#, &["-DS=it's", r"-DP=a\b"]),
        ] {
            assert_eq!(split(text), words, "{text}");
        }
    }
}
