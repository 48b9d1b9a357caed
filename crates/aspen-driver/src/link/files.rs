//! The files of a link that may hold device code, and the units found in them.
//!
//! The device code of an archive member counts exactly if the host link takes the member, so where archives or linker scripts could hold
//! some, the linker is asked. Source: DESIGN §5.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use aspen_analysis::Summary;
use aspen_image::container::{Kind, Member, Reason};
use aspen_image::object_sections::{OBJECT_SECTION, units};
use aspen_image::{Entry, Found, ObjectBlob, ObjectUnit, find};

use crate::error::Error;

/// A file that was read, under the name that messages use.
#[derive(Debug)]
pub struct LoadedFile {
    /// The path as the linker gets it.
    pub path: PathBuf,
    /// The user's name for it: a source compiled in this run is named by the source.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// One compiled source of the link.
#[derive(Debug)]
pub struct LinkUnit<'f> {
    /// `main.o`, `libparts.a(deep.o)`, or the source compiled in this run.
    pub object: String,
    /// Which member of the archive.
    pub member: Option<Member>,
    /// Its device code.
    pub unit: ObjectUnit<'f>,
}

/// What a file is to the device link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nature {
    /// Linked as it is: an object.
    Direct,
    /// Only the linker knows what it takes of it: an archive with device code, or a linker script.
    AskLinker,
    /// No device code to link.
    Nothing,
}

/// Reads a file.
///
/// # Errors
/// If it cannot be read.
pub fn load(path: &Path, name: String) -> Result<LoadedFile, Error> {
    let bytes = fs::read(path).map_err(|error| Error::file("read", path, error))?;
    Ok(LoadedFile { path: path.to_path_buf(), name, bytes })
}

impl LoadedFile {
    /// What the file is to the device link.
    pub fn nature(&self) -> Nature {
        let magic = |magic: &[u8]| self.bytes.starts_with(magic);
        if magic(b"\x7fELF") {
            Nature::Direct
        } else if magic(b"!<thin>\n") {
            Nature::AskLinker
        } else if magic(b"!<arch>\n") {
            // The section's name stands in the members that have it.
            if self.names_device_code() { Nature::AskLinker } else { Nature::Nothing }
        } else if std::str::from_utf8(&self.bytes).is_ok() {
            Nature::AskLinker
        } else {
            Nature::Nothing
        }
    }

    /// Whether it is an archive that holds its members.
    pub fn is_archive(&self) -> bool {
        self.bytes.starts_with(b"!<arch>\n")
    }

    /// The files that a thin archive names; none for other files.
    ///
    /// # Errors
    /// If the archive is damaged.
    pub fn thin_members(&self) -> Result<Vec<PathBuf>, Error> {
        if !self.bytes.starts_with(b"!<thin>\n") {
            return Ok(Vec::new());
        }
        let container = find(&self.bytes, &self.name).map_err(|error| Error::Device(error.to_string()))?;
        let folder = self.path.parent().unwrap_or(Path::new(""));
        match container.kind {
            Kind::ThinArchive(members) => Ok(members.into_iter().map(|member| folder.join(member)).collect()),
            _ => Ok(Vec::new()),
        }
    }

    /// Whether the name of the section with device code stands in it.
    pub fn names_device_code(&self) -> bool {
        let name = OBJECT_SECTION.as_bytes();
        self.bytes.windows(name.len()).any(|window| window == name)
    }

    /// Every unit with device code in the file: an object's, or those of all members of an archive.
    ///
    /// # Errors
    /// If the file, or its device section, is damaged.
    pub fn units(&self) -> Result<Vec<LinkUnit<'_>>, Error> {
        let container = match find(&self.bytes, &self.name) {
            Ok(container) => container,
            Err(error) if error.reason == Reason::NoImages => return Ok(Vec::new()),
            Err(error) => return Err(Error::Device(error.to_string())),
        };
        if !matches!(container.kind, Kind::Object | Kind::Archive) {
            return Ok(Vec::new());
        }
        let mut members: BTreeMap<Option<Member>, Vec<Entry<'_>>> = BTreeMap::new();
        for Found { member, entry } in container.entries {
            members.entry(member).or_default().push(entry);
        }
        let mut out = Vec::new();
        for (member, entries) in members {
            let object = member.as_ref().map_or_else(|| self.name.clone(), |member| format!("{}({})", self.name, member.name));
            let found = units(entries).map_err(|error| Error::input(object.as_ref(), format!("damaged device code: {error}")))?;
            out.extend(found.into_iter().map(|unit| LinkUnit { object: object.clone(), member: member.clone(), unit }));
        }
        Ok(out)
    }
}

impl LinkUnit<'_> {
    /// The analysis that belongs to one of its blobs.
    ///
    /// # Errors
    /// If it is missing or damaged.
    pub fn summary(&self, blob: &ObjectBlob<'_>) -> Result<Summary, Error> {
        let bytes =
            blob.summary.as_deref().ok_or_else(|| Error::input(self.object.as_ref(), "damaged device code: the analysis is missing"))?;
        Summary::from_bytes(bytes).map_err(|error| Error::input(self.object.as_ref(), format!("damaged device code: {error}")))
    }
}

/// What the linker took, as it says with `--trace` given twice.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// In the order of the link.
    pub lines: Vec<TraceLine>,
}

/// A line of a trace.
#[derive(Debug, PartialEq, Eq)]
pub enum TraceLine {
    /// An object, a linker script, a member of a thin archive, an archive that was opened.
    File(PathBuf),
    /// A member of an archive, thin or not.
    Member {
        /// The archive.
        archive: PathBuf,
        /// The member's name; of a thin archive the file, or its name alone.
        member: String,
    },
}

impl Trace {
    /// Reads GNU ld's `(lib.a)member.o`, `lib.a(member.o)` of others, mold's with `trace: ` in front, and names of files; the linker may print
    /// other lines, if the user has it do so.
    pub fn parse(text: &str, is_file: impl Fn(&Path) -> bool) -> Trace {
        let line = |line: &str| {
            let line = line.strip_prefix("trace: ").unwrap_or(line);
            if is_file(line.as_ref()) {
                return Some(TraceLine::File(line.into()));
            }
            // Names have parentheses, too.
            let gnu = line.strip_prefix('(').into_iter().flat_map(|rest| rest.match_indices(')').map(move |(at, _)| rest.split_at(at)));
            let lld = line.strip_suffix(')').into_iter().flat_map(|rest| rest.match_indices('(').map(move |(at, _)| rest.split_at(at)));
            let (archive, member) = gnu.chain(lld).find(|(archive, _)| is_file(archive.as_ref()))?;
            Some(TraceLine::Member { archive: archive.into(), member: member[1..].into() })
        };
        Trace { lines: text.lines().filter_map(line).collect() }
    }
}

/// The archive that `-lNAME` may mean: the first of its forms in a folder that was named. Folders of the system hold no device code.
pub fn library(name: &str, folders: &[PathBuf], static_only: bool) -> Option<PathBuf> {
    if let Some(exact) = name.strip_prefix(':') {
        return folders.iter().map(|folder| folder.join(exact)).find(|file| file.is_file());
    }
    for folder in folders {
        let shared = folder.join(format!("lib{name}.so"));
        if !static_only && shared.is_file() {
            return Some(shared);
        }
        let archive = folder.join(format!("lib{name}.a"));
        if archive.is_file() {
            return Some(archive);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_of_all_linkers() {
        let member = |archive: &str, member: &str| TraceLine::Member { archive: archive.into(), member: member.into() };
        let file = |path: &str| TraceLine::File(path.into());
        for (text, lines) in [
            (
                "/lib/crt1.o\nm.o\n./libparts.a\n(./libparts.a)deep.o\n",
                &[file("/lib/crt1.o"), file("m.o"), file("./libparts.a"), member("./libparts.a", "deep.o")][..],
            ),
            ("m.o\nlib/libq.a(r.o)\n", &[file("m.o"), member("lib/libq.a", "r.o")]),
            ("trace: m.o\ntrace: lib/libq.a(r.o)\n", &[file("m.o"), member("lib/libq.a", "r.o")]),
            ("(lib (2).a)m.o\n", &[member("lib (2).a", "m.o")]),
            ("(odd)name.o\n(lib.a)(odd)name.o\n", &[file("(odd)name.o"), member("lib.a", "(odd)name.o")]),
            ("", &[]),
            ("Archive member included to satisfy reference by file (symbol)\n\nlibq.a(r.o)     m.o (g)\n", &[]),
        ] {
            const FILES: [&str; 7] = ["/lib/crt1.o", "m.o", "./libparts.a", "lib/libq.a", "lib (2).a", "lib.a", "(odd)name.o"];
            assert_eq!(Trace::parse(text, |path| FILES.iter().any(|file| Path::new(file) == path)).lines, lines);
        }
    }

    #[test]
    fn libraries_are_found_in_named_folders() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["liba.a", "libb.a", "libb.so", "odd.x"] {
            fs::write(folder.path().join(name), "").expect("writable");
        }
        let folders = [PathBuf::from("/nowhere"), folder.path().to_path_buf()];
        let found = |name, static_only| {
            library(name, &folders, static_only).and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()))
        };
        assert_eq!(found("a", false).as_deref(), Some("liba.a"));
        assert_eq!(found("b", false).as_deref(), Some("libb.so"));
        assert_eq!(found("b", true).as_deref(), Some("libb.a"));
        assert_eq!(found(":odd.x", false).as_deref(), Some("odd.x"));
        assert_eq!(found("c", false), None);
    }
}
