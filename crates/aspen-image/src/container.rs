//! What a file is, and the device images in it.
//!
//! Executables and shared libraries carry images in `.llvm.offloading`, objects carry device code in `.aspen.device`, archives hold such
//! objects (DESIGN §5). A bare OffloadBinary is one too. Other files that Aspen's tools take are only recognised: SPIR-V, bitcode, LLVM
//! text, file tables and property sets.

use std::fmt;

use object::read::archive::ArchiveFile;
use object::{Object, ObjectKind, ObjectSection};

use crate::object_sections::OBJECT_SECTION;
use crate::offload::{self, Entry, OffloadError};
use crate::spirv::SpirvModule;

/// The section of executables and shared libraries. Source: DESIGN §5.
pub const IMAGE_SECTION: &str = ".llvm.offloading";

/// What a file is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A linked program.
    Executable,
    /// A shared library, or an executable that can be loaded anywhere: ELF does not tell them apart.
    SharedObject,
    /// A relocatable object.
    Object,
    /// An archive that holds its members.
    Archive,
    /// An archive that only names its members; the paths are relative to the archive's folder.
    ThinArchive(Vec<String>),
    /// Nothing but OffloadBinary blobs.
    OffloadBinary,
    /// A SPIR-V module.
    SpirV,
    /// LLVM bitcode.
    Bitcode,
    /// LLVM assembly.
    LlvmText,
    /// A file table, as `aspen post-link` writes it.
    Table,
    /// Property sets as text.
    Properties,
}

/// What [`find`] found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Container<'a> {
    /// What the file is.
    pub kind: Kind,
    /// The entries in the order of the file. Empty exactly for kinds that cannot hold any, and for thin archives.
    pub entries: Vec<Found<'a>>,
}

/// An entry and where it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found<'a> {
    /// The archive member, counted by its place because names may repeat.
    pub member: Option<Member>,
    /// The entry.
    pub entry: Entry<'a>,
}

/// A member of an archive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Member {
    /// Its place in the archive, from 0.
    pub index: usize,
    /// Its name.
    pub name: String,
}

/// Finds out what a file is and lists its device entries.
///
/// # Errors
/// If the file is damaged, or can hold no device images or holds none; the message names the file.
pub fn find<'a>(bytes: &'a [u8], file_name: &str) -> Result<Container<'a>, ContainerError> {
    let at = |reason| ContainerError { file: file_name.to_owned(), member: None, reason };
    if offload::begins(bytes) {
        let entries = offload::parse_all(bytes).map_err(|error| at(Reason::Offload(error)))?;
        return some(Kind::OffloadBinary, entries.into_iter().map(|entry| Found { member: None, entry }).collect()).map_err(at);
    }
    if bytes.starts_with(b"\x7fELF") {
        let (kind, entries) = elf_entries(bytes).map_err(at)?;
        return some(kind, entries.into_iter().map(|entry| Found { member: None, entry }).collect()).map_err(at);
    }
    if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") {
        return archive(bytes, file_name);
    }
    let kind = if bytes.starts_with(&0x0723_0203u32.to_le_bytes()) {
        SpirvModule::parse(bytes).map_err(|error| at(Reason::SpirV(error)))?;
        Kind::SpirV
    } else if bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(&0x0b17_c0deu32.to_le_bytes()) {
        Kind::Bitcode
    } else {
        std::str::from_utf8(bytes).ok().and_then(|text| text_kind(text, file_name)).ok_or_else(|| at(Reason::NoImages))?
    };
    Ok(Container { kind, entries: Vec::new() })
}

fn some(kind: Kind, entries: Vec<Found<'_>>) -> Result<Container<'_>, Reason> {
    if entries.is_empty() { Err(Reason::NoImages) } else { Ok(Container { kind, entries }) }
}

/// The entries of an ELF file, possibly none.
fn elf_entries(bytes: &[u8]) -> Result<(Kind, Vec<Entry<'_>>), Reason> {
    let damaged = |error: object::Error| Reason::Elf(format!("{error}: {}", elf_damage(bytes)));
    let file = object::File::parse(bytes).map_err(damaged)?;
    let kind = match file.kind() {
        ObjectKind::Executable => Kind::Executable,
        ObjectKind::Dynamic => Kind::SharedObject,
        ObjectKind::Relocatable => Kind::Object,
        other => return Err(Reason::Elf(format!("it is neither an object nor a program, but {other:?}"))),
    };
    let mut entries = Vec::new();
    for section in file.sections() {
        // Only an object has device code to link, only a linked file has images to run.
        let name = section.name_bytes().map_err(damaged)?;
        let wanted = if kind == Kind::Object { OBJECT_SECTION } else { IMAGE_SECTION };
        if name == wanted.as_bytes() {
            let found = offload::parse_all(section.data().map_err(damaged)?);
            entries.extend(found.map_err(|error| Reason::Section { section: wanted, error })?);
        }
    }
    Ok((kind, entries))
}

/// Where an ELF file that cannot be read is not as its headers say. Source: System V ABI, "ELF Header", "Sections".
fn elf_damage(bytes: &[u8]) -> String {
    const HEADER: u64 = 64;
    const NOTHING_IN_THE_FILE: [u64; 2] = [0, 8]; // SHT_NULL, SHT_NOBITS
    let length = bytes.len() as u64;
    let number = |at: u64, size: u64| -> Option<u64> {
        let at = usize::try_from(at).ok()?;
        let digits = bytes.get(at..at.checked_add(usize::try_from(size).ok()?)?)?;
        Some(digits.iter().rev().fold(0, |value, digit| value << 8 | u64::from(*digit)))
    };
    let (Some(table), Some(size), Some(count)) = (number(40, 8), number(58, 2), number(60, 2)) else {
        return format!("it ends at byte {length}, within its header of {HEADER} bytes");
    };
    if table.checked_add(size * count).is_none_or(|end| end > length) {
        return format!("{count} section headers of {size} bytes at byte {table} do not fit into its {length} bytes");
    }
    for index in 0..count {
        let header = table + index * size;
        let (Some(kind), Some(at), Some(held)) = (number(header + 4, 4), number(header + 24, 8), number(header + 32, 8)) else { continue };
        if !NOTHING_IN_THE_FILE.contains(&kind) && at.checked_add(held).is_none_or(|end| end > length) {
            return format!("section {index}, by its header at byte {header}, has {held} bytes at byte {at} of {length}");
        }
    }
    format!("its section headers are at byte {table}")
}

fn archive<'a>(bytes: &'a [u8], file_name: &str) -> Result<Container<'a>, ContainerError> {
    let at = |member: Option<&Member>, reason| ContainerError {
        file: file_name.to_owned(),
        member: member.map(|member| member.name.clone()),
        reason,
    };
    let damaged = |error: object::Error| at(None, Reason::Archive(error.to_string()));
    let archive = ArchiveFile::parse(bytes).map_err(damaged)?;
    let (mut paths, mut entries) = (Vec::new(), Vec::new());
    for (index, file) in archive.members().enumerate() {
        let file = file.map_err(damaged)?;
        let member = Member { index, name: String::from_utf8_lossy(file.name()).into_owned() };
        if archive.is_thin() {
            paths.push(member.name);
            continue;
        }
        let data = file.data(bytes).map_err(|error| at(Some(&member), Reason::Archive(error.to_string())))?;
        if data.starts_with(b"\x7fELF") {
            let (_, found) = elf_entries(data).map_err(|reason| at(Some(&member), reason))?;
            entries.extend(found.into_iter().map(|entry| Found { member: Some(member.clone()), entry }));
        }
    }
    if archive.is_thin() {
        return Ok(Container { kind: Kind::ThinArchive(paths), entries });
    }
    some(Kind::Archive, entries).map_err(|reason| at(None, reason))
}

fn text_kind(text: &str, file_name: &str) -> Option<Kind> {
    let first = text.lines().find(|line| !line.is_empty())?;
    if let Some(title) = first.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return Some(if title.split('|').any(|column| column == "Code") { Kind::Table } else { Kind::Properties });
    }
    let assembly = ["; ModuleID", "source_filename = ", "target triple = ", "target datalayout = "];
    (file_name.ends_with(".ll") || assembly.iter().any(|start| first.starts_with(start))).then_some(Kind::LlvmText)
}

/// A file without device images, or a damaged one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContainerError {
    /// The file, as the caller named it.
    pub file: String,
    /// The archive member, if it is about one.
    pub member: Option<String>,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Nothing is wrong with it, but there is no device image in it.
    NoImages,
    /// A bare OffloadBinary.
    Offload(OffloadError),
    /// A section that should hold OffloadBinary blobs.
    Section {
        /// The section's name.
        section: &'static str,
        /// What is wrong with it.
        error: OffloadError,
    },
    /// The ELF file around it.
    Elf(String),
    /// The archive around it.
    Archive(String),
    /// The SPIR-V module.
    SpirV(aspen_spirv::Error),
}

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.member.as_ref().map_or_else(|| self.file.clone(), |member| format!("{}({member})", self.file));
        match &self.reason {
            Reason::NoImages => write!(f, "'{file}' holds no device images: nothing in it was compiled or linked by aspen++ or DPC++"),
            Reason::Offload(error) => write!(f, "'{file}': {error}"),
            Reason::Section { section, error } => write!(f, "'{file}': section '{section}': {error}"),
            Reason::Elf(why) => write!(f, "'{file}' is a damaged ELF file: {why}"),
            Reason::Archive(why) => write!(f, "'{file}' is a damaged archive: {why}"),
            Reason::SpirV(error) => write!(f, "'{file}': {error}"),
        }
    }
}

impl std::error::Error for ContainerError {}
