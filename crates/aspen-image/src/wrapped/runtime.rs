//! Which of DPC++'s runtimes a linked file asks for: it decides what the file's numbers mean.

use object::elf::DT_NEEDED;
use object::read::elf::Dyn;

/// The last version of the library in which aspects had the numbers of 2025. Source: the packages of DPC++ 2025.3 and 2026.2.
pub(super) const LAST_OF_2025: u32 = 8;

/// The number of `libsycl.so.8`, the first that is listed.
pub(super) fn version(file: &object::File<'_>, bytes: &[u8]) -> Option<u32> {
    let object::File::Elf64(file) = file else { return None };
    let (endian, sections) = (file.endian(), file.elf_section_table());
    let (entries, strings) = sections.dynamic(endian, bytes).ok()??;
    let strings = sections.strings(endian, bytes, strings).ok()?;
    let needed = entries.iter().filter(|entry| entry.d_tag(endian) == DT_NEEDED);
    let names = needed.filter_map(|entry| strings.get(u32::try_from(entry.d_val(endian)).ok()?).ok());
    names.filter_map(|name| std::str::from_utf8(name).ok()?.strip_prefix("libsycl.so.")?.split('.').next()?.parse().ok()).next()
}
