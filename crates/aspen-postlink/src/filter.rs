//! `sycl-aspect-filter`: a table and a target in, the table of what the target can run out. Source: S0 "Aspect filter tool"; S2.

use std::fs;
use std::path::Path;

use aspen_devices::{Database, Target};
use aspen_image::table::PROPERTIES;
use aspen_image::{FileTable, PropertySets, dpcpp};

use crate::arguments::Dialect;
use crate::error::Error;
use crate::write::{runs, write_out};

/// Drops the rows whose images the target cannot run; the files themselves stay as they are, so nothing in them is lost.
///
/// # Errors
/// If the target is not known (before anything is read), or the table, or a file that it lists, cannot be read. Nothing is written then.
pub fn filter(input: &Path, target: &str, output: &Path, database: &Database) -> Result<(), Error> {
    let target = database.lookup(target).map_err(|error| Error::Target { option: "--target", error })?;
    let (mut table, kept) = judge(input, target)?;
    table.retain(|row| kept[row]);
    if output.as_os_str() == "-" {
        return write_out(table.to_text().as_bytes());
    }
    fs::write(output, table.to_text()).map_err(|error| Error::file("write", output, error))
}

/// The table, and whether the target runs each row.
fn judge(input: &Path, target: &Target) -> Result<(FileTable, Vec<bool>), Error> {
    let text = read(input)?;
    let table = FileTable::from_text(&text).map_err(|error| Error::input(input, error))?;
    let column = table.column(PROPERTIES).ok_or_else(|| {
        let columns = table.columns().join(", ");
        Error::input(input, format!("there is no column '{PROPERTIES}' to filter by, only {columns}; post-link writes it with -properties"))
    })?;
    let mut kept = Vec::new();
    for row in table.rows() {
        for cell in row {
            fs::metadata(cell).map_err(|error| Error::input(input, format!("lists '{cell}', which cannot be read: {error}")))?;
        }
        let path = Path::new(&row[column]);
        let sets = PropertySets::from_text(&read(path)?).map_err(|error| Error::input(path, error))?;
        let requirements = dpcpp::requirements_of_sets(&sets).map_err(|error| Error::input(path, error))?;
        let dialect = if sets.get(dpcpp::DEVICE_REQUIREMENTS_DPCPP).is_some() { Dialect::Dpcpp } else { Dialect::Seed };
        kept.push(runs(target, &requirements, dialect));
    }
    Ok((table, kept))
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error::file("read", path, error))
}
