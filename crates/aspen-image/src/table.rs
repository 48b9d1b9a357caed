//! File tables: what post-link hands from tool to tool, a row an image.
//!
//! The first line names the columns, `[Code|Properties|Symbols]`; each further line holds the cells of a row, `|` between them. Nothing
//! can be escaped. Source: FORMATS §4.3.

use std::fmt;

/// The column of device code files.
pub const CODE: &str = "Code";
/// The column of property-set files.
pub const PROPERTIES: &str = "Properties";
/// The column of symbol lists.
pub const SYMBOLS: &str = "Symbols";

/// A table whose rows all have a cell a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl FileTable {
    /// An empty table.
    ///
    /// # Errors
    /// If there is no column, a name occurs twice, or a name cannot be written.
    pub fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Result<FileTable, TableError> {
        let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
        let at = |reason| TableError { line: 1, reason };
        for (index, column) in columns.iter().enumerate() {
            check_cell(column).map_err(at)?;
            if column.is_empty() || column.contains(['[', ']']) {
                return Err(at(TableReason::ColumnName(column.clone())));
            }
            if columns[..index].contains(column) {
                return Err(at(TableReason::ColumnTwice(column.clone())));
            }
        }
        if columns.is_empty() { Err(at(TableReason::NoTitle)) } else { Ok(FileTable { columns, rows: Vec::new() }) }
    }

    /// Reads a table.
    ///
    /// # Errors
    /// The first line that is wrong, and why.
    pub fn from_text(text: &str) -> Result<FileTable, TableError> {
        let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).zip(1..).filter(|(line, _)| !line.is_empty());
        let (title, line) = lines.next().ok_or(TableError { line: 1, reason: TableReason::NoTitle })?;
        let names = title.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let names = names.ok_or(TableError { line, reason: TableReason::NoTitle })?;
        let mut table = FileTable::new(names.split('|')).map_err(|error| TableError { line, ..error })?;
        for (row, line) in lines {
            table.push(row.split('|')).map_err(|error| TableError { line, ..error })?;
        }
        Ok(table)
    }

    /// The table as text.
    pub fn to_text(&self) -> String {
        let mut out = format!("[{}]\n", self.columns.join("|"));
        for row in &self.rows {
            out += &row.join("|");
            out.push('\n');
        }
        out
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it has not a cell for each column, or a cell cannot be written. The line is the one the row would have.
    pub fn push(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) -> Result<(), TableError> {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        let at = |reason| TableError { line: self.rows.len() + 2, reason };
        if cells.len() != self.columns.len() {
            return Err(at(TableReason::Cells { columns: self.columns.len(), cells: cells.len() }));
        }
        cells.iter().try_for_each(|cell| check_cell(cell)).map_err(at)?;
        // As text it would be an empty line, which is no row.
        if let [cell] = &cells[..]
            && cell.is_empty()
        {
            return Err(at(TableReason::Cells { columns: 1, cells: 0 }));
        }
        self.rows.push(cells);
        Ok(())
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows in order.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// Keeps the rows that `keep` says, in order; it gets the place of each.
    pub fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut index = 0..;
        self.rows.retain(|_| index.next().is_some_and(&mut keep));
    }
}

fn check_cell(cell: &str) -> Result<(), TableReason> {
    if cell.contains(['|', '\n', '\r', '\0']) { Err(TableReason::Unwritable(cell.to_owned())) } else { Ok(()) }
}

/// A table that cannot be read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: TableReason,
}

/// What is wrong with a line of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableReason {
    /// The first line names no columns.
    NoTitle,
    /// A column without a name, or with a bracket in it.
    ColumnName(String),
    /// The same column again.
    ColumnTwice(String),
    /// A row with too few or too many cells.
    Cells {
        /// How many there should be.
        columns: usize,
        /// How many there are.
        cells: usize,
    },
    /// A cell that would end the cell or the line.
    Unwritable(String),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.reason {
            TableReason::NoTitle => f.write_str("expected the columns' names, as in '[Code|Properties|Symbols]'"),
            TableReason::ColumnName(name) => write!(f, "{name:?} is no name for a column"),
            TableReason::ColumnTwice(name) => write!(f, "the column '{name}' stands here a second time"),
            TableReason::Cells { columns, cells } => write!(f, "expected {columns} cells, one a column, found {cells}"),
            TableReason::Unwritable(cell) => write!(f, "the cell {cell:?} cannot be written: it has '|' or a line break in it"),
        }
    }
}

impl std::error::Error for TableError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut table = FileTable::new([CODE, PROPERTIES, SYMBOLS]).expect("three names");
        table.push(["a b_0.bc", "", "é.sym"]).expect("three cells");
        table.push(["x", "y", "z"]).expect("three cells");
        let text = "[Code|Properties|Symbols]\na b_0.bc||é.sym\nx|y|z\n";
        assert_eq!(table.to_text(), text);
        assert_eq!(FileTable::from_text(text), Ok(table.clone()));
        assert_eq!(FileTable::from_text(&text.replace('\n', "\r\n")), Ok(table.clone()));
        table.retain(|row| row == 1);
        assert_eq!((table.to_text().as_str(), table.column(SYMBOLS)), ("[Code|Properties|Symbols]\nx|y|z\n", Some(2)));
        let mut one = FileTable::from_text("[Code]\n").expect("only a title");
        assert_eq!(one.rows().len(), 0);
        let error = one.push([""]).expect_err("an empty line is no row").to_string();
        assert_eq!(error, "line 2: expected 1 cells, one a column, found 0");
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, message) in [
            ("", "line 1: expected the columns' names"),
            ("a.bc|b.prop\n", "line 1: expected the columns' names"),
            ("\n[]\n", "line 2: \"\" is no name"),
            ("[Code|Code]\n", "line 1: the column 'Code' stands here a second time"),
            ("[Code|Properties]\na|b\n\na\n", "line 4: expected 2 cells, one a column, found 1"),
            ("[Code]\na|b\n", "line 2: expected 1 cells, one a column, found 2"),
            ("[Code]\na\0\n", "line 2: the cell \"a\\0\" cannot be written"),
        ] {
            let error = FileTable::from_text(text).expect_err(text).to_string();
            assert!(error.starts_with(message), "{text:?}: {error}");
        }
    }
}
