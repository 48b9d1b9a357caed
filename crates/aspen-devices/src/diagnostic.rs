//! What is wrong with a device configuration file, with its place and line.

use std::fmt;

/// A place in a configuration file and what is to say about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is to say, without place.
    pub message: String,
    /// The line of the file.
    pub source_line: String,
}

impl Diagnostic {
    fn render(&self, f: &mut fmt::Formatter<'_>, severity: &str) -> fmt::Result {
        let Diagnostic { file, line, column, message, source_line } = self;
        write!(f, "{file}:{line}:{column}: {severity}: {message}")?;
        if !source_line.is_empty() {
            let (shown, before) = window(source_line, column - 1);
            // Tabs stay tabs, so that the caret stands right below them.
            let indent: String = shown.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            write!(f, "\n{line:5} | {shown}\n      | {indent}^")?;
        }
        Ok(())
    }
}

/// What is shown of a line, in characters; nobody reads more.
const WIDTH: usize = 160;

/// The part of a line around a character, and where that character stands in it. What a terminal would obey rather than show is replaced.
fn window(line: &str, at: usize) -> (String, usize) {
    let visible = |c: char| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
    let count = line.chars().count();
    if count <= WIDTH {
        return (line.chars().map(visible).collect(), at);
    }
    let start = at.min(count).saturating_sub(WIDTH / 2);
    let end = (start + WIDTH).min(count);
    let (left, right) = (if start > 0 { "…" } else { "" }, if end < count { "…" } else { "" });
    let middle: String = line.chars().skip(start).take(end - start).map(visible).collect();
    (format!("{left}{middle}{right}"), at - start + left.chars().count())
}

/// Something in a file that works but is hardly meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning(pub Diagnostic);

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.render(f, "warning")
    }
}

/// Everything that is wrong with a file; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError(pub Vec<Diagnostic>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            diagnostic.render(f, "error")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
