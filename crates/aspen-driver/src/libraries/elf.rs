//! What a linked ELF file says of the libraries it needs. Source: System V ABI, "Dynamic Section".

use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_SONAME, FileHeader64};
use object::read::elf::{Dyn, FileHeader};
use object::{Endianness, StringTable};

/// The dynamic section, as far as it is about libraries.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dynamic {
    /// The name by which others need the library.
    pub soname: Option<String>,
    /// What it needs, in order.
    pub needed: Vec<String>,
    /// Folders of `DT_RPATH`, as they are written.
    pub rpath: Vec<String>,
    /// Folders of `DT_RUNPATH`, as they are written.
    pub runpath: Vec<String>,
}

impl Dynamic {
    /// Reads it; nothing for files that have none, or are damaged.
    pub fn of(bytes: &[u8]) -> Dynamic {
        read(bytes).unwrap_or_default()
    }
}

fn read(bytes: &[u8]) -> Option<Dynamic> {
    let header = FileHeader64::<Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, bytes).ok()?;
    let (entries, link) = sections.dynamic(endian, bytes).ok()??;
    let strings: StringTable<'_> = sections.strings(endian, bytes, link).ok()?;
    let mut out = Dynamic::default();
    for entry in entries {
        let text = || {
            let bytes = strings.get(entry.val32(endian)?).ok()?;
            Some(String::from_utf8_lossy(bytes).into_owned())
        };
        let folders =
            || text().filter(|list| !list.is_empty()).into_iter().flat_map(|list| list.split(':').map(str::to_owned).collect::<Vec<_>>());
        match entry.d_tag(endian) {
            DT_NEEDED => out.needed.extend(text()),
            DT_SONAME => out.soname = text(),
            DT_RPATH => out.rpath.extend(folders()),
            DT_RUNPATH => out.runpath.extend(folders()),
            _ => {}
        }
    }
    Some(out)
}
