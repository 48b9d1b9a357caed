//! Colours and tables on standard output: colours only on a terminal that wants them (`NO_COLOR`, `CLICOLOR`, `TERM=dumb`), for text and
//! tables, never for JSON.

use std::borrow::Cow;
use std::io;

use anstyle::{AnsiColor, Style};
use aspen_driver::takes_colors;
use comfy_table::{Cell, Color, ContentArrangement, Table, presets};

/// Whether to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paint {
    on: bool,
}

/// What a word means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// It runs.
    Good,
    /// It does not.
    Bad,
    /// Nobody knows.
    Open,
    /// What is looked for: a name, a heading.
    Strong,
    /// What is there for those who need it.
    Faint,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Tone::Good => AnsiColor::Green.on_default(),
            Tone::Bad => AnsiColor::Red.on_default().bold(),
            Tone::Open => AnsiColor::Yellow.on_default(),
            Tone::Strong => Style::new().bold(),
            Tone::Faint => Style::new().dimmed(),
        }
    }

    fn color(self) -> Option<Color> {
        match self {
            Tone::Good => Some(Color::DarkGreen),
            Tone::Bad => Some(Color::DarkRed),
            Tone::Open => Some(Color::DarkYellow),
            Tone::Strong | Tone::Faint => None,
        }
    }
}

impl Paint {
    /// As standard output takes it.
    pub fn stdout() -> Paint {
        Paint { on: takes_colors(&io::stdout()) }
    }

    /// For files.
    pub const fn off() -> Paint {
        Paint { on: false }
    }

    /// Whether there are colours.
    pub fn is_on(self) -> bool {
        self.on
    }

    /// The text in that tone.
    pub fn text(self, tone: Tone, text: &str) -> String {
        if !self.on || text.is_empty() {
            return text.to_owned();
        }
        let style = tone.style();
        format!("{style}{text}{style:#}")
    }

    /// A table without rows. On a terminal long cells are wrapped to its width; elsewhere every row is one line.
    pub fn table(self, head: &[&str]) -> Table {
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_header(head.iter().map(Cell::new));
        if self.on {
            table.enforce_styling();
        }
        if table.is_tty() {
            table.set_content_arrangement(ContentArrangement::Dynamic);
        }
        table
    }

    /// A cell in that tone.
    pub fn cell(self, tone: Tone, text: impl ToString) -> Cell {
        let cell = Cell::new(text);
        match tone.color().filter(|_| self.on) {
            Some(color) => cell.fg(color),
            None => cell,
        }
    }
}

/// The most characters of a name in a table; templates have names of thousands.
const MOST_OF_NAME: usize = 120;

/// A name for a table's cell: of a long one the beginning and the end, which tell more than its middle. The other formats have all of it.
pub fn in_cell(name: &str) -> Cow<'_, str> {
    let count = name.chars().count();
    if count <= MOST_OF_NAME {
        return name.into();
    }
    let (begin, end) = (MOST_OF_NAME * 2 / 3, MOST_OF_NAME / 3 - 1);
    name.chars().take(begin).chain(['…']).chain(name.chars().skip(count - end)).collect::<String>().into()
}

/// The table as text that ends with a line's end.
pub fn lines(table: &Table) -> String {
    format!("{}\n", table.trim_fmt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        let check = |name: &str, expected: &str| assert_eq!(in_cell(name), expected);
        check("k<1>", "k<1>");
        check(&"n".repeat(120), &"n".repeat(120));
        check(&format!("{}{}{}", "a".repeat(80), "ä".repeat(5000), "z".repeat(39)), &format!("{}…{}", "a".repeat(80), "z".repeat(39)));
    }

    #[test]
    fn colours_are_there_only_where_they_are_wanted() {
        let (on, off) = (Paint { on: true }, Paint::off());
        assert_eq!((off.text(Tone::Bad, "no"), on.text(Tone::Good, "")), ("no".into(), String::new()));
        assert_eq!(on.text(Tone::Good, "yes"), "\x1b[32myes\x1b[0m");
        let table = |paint: Paint| {
            let mut table = paint.table(&["kernel", "answer"]);
            table.add_row([paint.cell(Tone::Strong, "k<1>"), paint.cell(Tone::Bad, "no")]);
            lines(&table)
        };
        assert!(table(off).contains("│ k<1>   ┆ no     │\n") && !table(off).contains('\x1b'), "{}", table(off));
        assert!(table(on).contains("\x1b["), "{}", table(on));
    }
}
