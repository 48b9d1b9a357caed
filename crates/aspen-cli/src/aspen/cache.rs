//! `aspen cache`: what is kept between runs and can be made again: programs that drivers compiled (`jit`, by libaspen.so), images that
//! ahead-of-time compilers made, and precompiled headers (`ahead-of-time` and `headers`, by aspen++). ARCHITECTURE "Caches" describes the folders.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::{Answer, Failure, Format, json};

/// The folders, with what lies there.
const PARTS: [(&str, &str); 3] = [
    ("jit", "programs compiled when they were launched"),
    ("ahead-of-time", "images compiled ahead of time"),
    ("headers", "SYCL's header, precompiled"),
];

/// Letters of an entry's name: a hash of 32 bytes.
const NAME_LETTERS: usize = 64;

/// The entries of one part.
#[derive(Default)]
struct Found {
    entries: usize,
    bytes: u64,
    files: Vec<PathBuf>,
}

/// Says how much is kept.
pub fn stat(format: Format) -> Result<Answer, Failure> {
    let folder = folder()?;
    let mut parts = Vec::new();
    for (part, about) in PARTS {
        parts.push((part, about, found(&folder.join(part)).map_err(|error| unreadable(&folder.join(part), &error))?));
    }
    Ok(Answer::clean(match format {
        Format::Json => {
            let part = |(name, _, found): &(&str, &str, Found)| json!({ "name": name, "entries": found.entries, "bytes": found.bytes });
            let parts: Vec<_> = parts.iter().map(part).collect();
            json::document(&json!({ "version": 1, "folder": folder.display().to_string(), "parts": parts }))
        }
        Format::Text => {
            let mut out = format!("{}\n", folder.display());
            for (name, about, found) in &parts {
                let _ = writeln!(out, "  {name}: {} entries, {} ({about})", found.entries, size(found.bytes));
            }
            out
        }
    }))
}

/// Removes all entries, and nothing else that may lie there.
pub fn clear() -> Result<Answer, Failure> {
    let folder = folder()?;
    let (mut count, mut bytes) = (0, 0);
    for (part, _) in PARTS {
        let found = found(&folder.join(part)).map_err(|error| unreadable(&folder.join(part), &error))?;
        for file in &found.files {
            match fs::remove_file(file) {
                // Somebody else made room.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Failure::Input(format!("cannot remove {}: {error}", file.display())));
                }
                _ => {}
            }
        }
        count += found.entries;
        bytes += found.bytes;
    }
    Ok(Answer::clean(format!("{}: removed {count} entries, {}\n", folder.display(), size(bytes))))
}

fn folder() -> Result<PathBuf, Failure> {
    aspen_driver::cache_folder().ok_or_else(|| Failure::Input("there is no cache: neither ASPEN_CACHE_DIR nor HOME is set".into()))
}

fn unreadable(folder: &Path, error: &io::Error) -> Failure {
    Failure::Input(format!("cannot read {}: {error}", folder.display()))
}

/// A folder that is not there holds nothing.
fn found(folder: &Path) -> io::Result<Found> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::default()),
        entries => entries?,
    };
    let mut out = Found::default();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let (first, ending) = name.split_at_checked(NAME_LETTERS).unwrap_or((&name, ""));
        let is_hash = first.len() == NAME_LETTERS && first.bytes().all(|letter| letter.is_ascii_hexdigit());
        let is_entry = is_hash && ending.is_empty();
        // What is kept about an entry, and what a killed process left over.
        let is_rest = (is_hash && ending.starts_with('.')) || name.ends_with(".unfinished") || name.starts_with(".tmp");
        if is_entry {
            out.entries += 1;
            // It may be gone by now.
            out.bytes += entry.metadata().map_or(0, |found| found.len());
        }
        if is_entry || is_rest {
            out.files.push(entry.path());
        }
    }
    out.files.sort();
    Ok(out)
}

fn size(bytes: u64) -> String {
    match bytes {
        0..=1023 => format!("{bytes} bytes"),
        1024..=1_048_575 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
