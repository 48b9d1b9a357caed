//! Lines of the sources that a report names, read when it is made. A file that is gone, or is younger than the program, says so.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use aspen_contract::Place;
use serde_json::{Map, Value, json};

use super::model::Report;

/// Lines above and below a place.
const AROUND: u32 = 3;
/// Longer files are no sources that somebody wrote.
const LARGEST: u64 = 16 << 20;
/// Longer lines are cut.
const WIDEST: usize = 300;

/// By the file's name, as chains have it.
#[derive(Default)]
pub struct Excerpts(BTreeMap<String, Excerpt>);

/// What is left of a source.
enum Excerpt {
    /// Its lines by their number, and whether it was written after the program.
    Lines(BTreeMap<u32, String>, bool),
    /// Why there are none.
    Gone(String),
}

/// Around every place of the report.
pub fn of(report: &Report) -> Excerpts {
    // With each file the first program that names it: paths may be relative to where that lies.
    let mut wanted: BTreeMap<&str, (usize, BTreeSet<u32>)> = BTreeMap::new();
    for entry in &report.kernels {
        let steps = entry.sources.iter().flat_map(|source| &source.chain).filter_map(|step| step.place.as_ref());
        let origins = entry.origins.iter().filter_map(|origin| origin.place.as_ref());
        for Place { file, line, .. } in steps.chain(origins).chain(&entry.place) {
            wanted.entry(file).or_insert((entry.file, BTreeSet::new())).1.insert(*line);
        }
    }
    let read = wanted.into_iter().map(|(file, (program, lines))| {
        let program = &report.files[program];
        (file.to_owned(), excerpt(file, Path::new(&program.name), program.written, &lines))
    });
    Excerpts(read.collect())
}

fn excerpt(file: &str, program: &Path, written: Option<SystemTime>, wanted: &BTreeSet<u32>) -> Excerpt {
    let (path, text) = match text(file, program) {
        Ok(found) => found,
        Err(why) => return Excerpt::Gone(why),
    };
    let is_shown = |number: u32| wanted.range(number.saturating_sub(AROUND)..=number.saturating_add(AROUND)).next().is_some();
    let numbered = (1..).zip(text.split(|&byte| byte == b'\n')).filter(|(number, _)| is_shown(*number));
    let lines = numbered.map(|(number, line)| (number, cut(String::from_utf8_lossy(line).trim_end_matches('\r'))));
    let changed = fs::metadata(path).and_then(|about| about.modified()).ok();
    Excerpt::Lines(lines.collect(), changed > written && written.is_some())
}

/// As the compiler named it: from here, or from where the program lies.
fn text(file: &str, program: &Path) -> Result<(PathBuf, Vec<u8>), String> {
    let beside = program.parent().map(|folder| folder.join(file));
    let found = [Some(PathBuf::from(file)), beside].into_iter().flatten().find_map(|path| Some((fs::metadata(&path).ok()?, path)));
    let (about, path) = found.ok_or("the file is not here any more")?;
    // Whoever made the program chose the name: no pipes, no devices.
    if !about.is_file() {
        return Err("it is no ordinary file".into());
    }
    if about.len() > LARGEST {
        return Err(format!("it is larger than {LARGEST} bytes"));
    }
    let bytes = fs::read(&path).map_err(|error| format!("it cannot be read: {error}"))?;
    Ok((path, bytes))
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

impl Excerpts {
    /// The lines around a place with their numbers; why there are none. Nothing if nobody has looked.
    pub fn around(&self, place: &Place) -> Option<Result<Vec<(u32, &str)>, &str>> {
        Some(match self.0.get(&place.file)? {
            Excerpt::Gone(why) => Err(why),
            Excerpt::Lines(lines, _) => {
                let near = place.line.saturating_sub(AROUND)..=place.line.saturating_add(AROUND);
                Ok(lines.range(near).map(|(number, line)| (*number, line.as_str())).collect())
            }
        })
    }

    /// For programs.
    pub fn document(&self) -> Value {
        let one = |excerpt: &Excerpt| match excerpt {
            Excerpt::Gone(why) => json!({ "found": false, "why": why }),
            Excerpt::Lines(lines, newer) => {
                let lines: Map<String, Value> = lines.iter().map(|(number, line)| (number.to_string(), json!(line))).collect();
                json!({ "found": true, "newer": newer, "lines": lines })
            }
        };
        Value::Object(self.0.iter().map(|(file, excerpt)| (file.clone(), one(excerpt))).collect())
    }
}
