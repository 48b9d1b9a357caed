//! `aspen report`: every kernel of some files with what it needs, why, and what devices say; what is to blame, and what would run without
//! it. One model, shown as a page, a document, text or tables.
//!
//! Nothing is judged here: verdicts are those of `aspen check`, and what would be the case without a use is asked of the same comparison.

mod advice;
mod causes;
mod changes;
mod document;
mod excerpts;
mod images;
mod model;
mod older;
mod origins;
mod page;
mod tables;
mod text;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aspen_cli::device_files::database;
use aspen_driver::write_whole;
use clap::ValueEnum;

use crate::check;
use crate::paint::Paint;
use crate::program;
use crate::{Answer, Failure, json, refuse_to_overwrite, wrapped};
use model::{Loaded, Report};

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people: what is to blame first
    Text,
    /// One JSON document for programs
    Json,
    /// One HTML page that needs nothing beside it
    Html,
    /// For people, in tables
    Table,
}

/// What the command line asks for.
#[derive(clap::Args)]
pub struct Arguments {
    /// Executables, shared libraries, objects, archives, tables or bare device code
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A target of the database, as `aspen targets` lists them, or a device of this machine, as `opencl:0`; several with commas between, or repeated
    #[arg(long = "device", value_name = "TARGET", value_delimiter = ',')]
    devices: Vec<String>,
    /// Every device of this machine, as `aspen devices` lists them
    #[arg(long)]
    here: bool,
    /// Adds to the target database, or changes it
    #[arg(long = "device-config-file", value_name = "F.yaml")]
    config_files: Vec<PathBuf>,
    /// How to print; if it is not said, the output's ending says it: .html, .json
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Where to write, in place of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What changed since then: a report's JSON, or an older build
    #[arg(long, value_name = "OLD")]
    older: Option<PathBuf>,
    /// Leaves the lines of sources out
    #[arg(long)]
    no_sources: bool,
}

/// Runs the command. Wrong devices are found before a file is read.
pub fn run(arguments: &Arguments) -> Result<Answer, Failure> {
    if let Some(output) = &arguments.output {
        refuse_to_overwrite(output, arguments.files.iter().chain(&arguments.config_files))?;
    }
    let database = database(&arguments.config_files)?;
    let machines = check::machines(&database, &arguments.devices, arguments.here)?;
    // A file that is named twice is one file.
    let mut seen = BTreeSet::new();
    let files = arguments.files.iter().filter(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.to_path_buf())));
    let loaded = files.map(|file| load(file)).collect::<Result<Vec<Loaded>, Failure>>()?;
    let mut report = Report::of(&loaded, &machines);
    report.options = options(arguments);
    if let Some(older) = &arguments.older {
        let older_report = older::read(older, &machines)?;
        report.changes = Some(changes::between(older.display().to_string(), older_report, &report));
    }
    if !arguments.no_sources {
        report.excerpts = excerpts::of(&report);
    }
    let to_file = arguments.output.as_deref().filter(|output| output.as_os_str() != "-");
    let paint = if to_file.is_some() { Paint::off() } else { Paint::stdout() };
    let text = match arguments.format.unwrap_or_else(|| of_ending(to_file)) {
        Format::Text => text::text(&report, paint),
        Format::Table => tables::text(&report, paint),
        Format::Json => json::document(&document::document(&report)),
        Format::Html => page::page(&report),
    };
    let Some(file) = to_file else { return Ok(Answer::clean(text)) };
    write_whole(file, text.as_bytes(), false).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(Answer::clean(String::new()))
}

/// Reads one file as `aspen check` does, with the chains that other compilers' code tells.
fn load(file: &Path) -> Result<Loaded, Failure> {
    let mut images = program::read(file)?;
    program::add_libraries(file, &mut images);
    wrapped::explain_all(file, &mut images)?;
    let disagreements = wrapped::disagreements(&images);
    Ok(Loaded { path: file.to_owned(), images, disagreements })
}

fn of_ending(output: Option<&Path>) -> Format {
    match output.and_then(Path::extension).and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => Format::Html,
        Some("json") => Format::Json,
        _ => Format::Text,
    }
}

/// What decides what the report says, as words.
fn options(arguments: &Arguments) -> Vec<String> {
    let mut out = Vec::new();
    let mut add = |name: &str, value: String| out.push(format!("{name}{value}"));
    arguments.devices.iter().for_each(|device| add("--device ", device.clone()));
    if arguments.here {
        add("--here", String::new());
    }
    arguments.config_files.iter().for_each(|file| add("--device-config-file ", file.display().to_string()));
    arguments.older.iter().for_each(|file| add("--older ", file.display().to_string()));
    if arguments.no_sources {
        add("--no-sources", String::new());
    }
    out
}
