//! Places in the source of addresses in code, by the debug information of the file that the code was loaded from.

use std::ffi::CStr;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::Duration;
use std::{fs, mem, thread};

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian};
use aspen_runtime::guarded;
use object::{Object as _, ObjectSection as _};

/// ` at file:line:column`, or nothing; and what to do to get one, or nothing. For handlers of signals: whatever happens inside, it returns.
pub(crate) fn at(address: usize) -> (String, &'static str) {
    let place = catch_unwind(|| place(address)).ok().flatten();
    let hint = if place.is_none() { "; -g tells the line" } else { "" };
    (place.filter(|place| !place.is_empty()).map_or_else(String::new, |place| format!(" at {place}")), hint)
}

/// Whether this thread is the first of the process to tell what it dies of. Another one waits here: the process ends meanwhile.
pub(crate) fn is_first_to_tell() -> bool {
    let is_first = guarded::tell_once();
    if !is_first {
        thread::sleep(Duration::from_secs(5));
    }
    is_first
}

/// Writes to standard error, past every lock.
pub(crate) fn say(text: &[u8]) {
    // SAFETY: bytes of a slice.
    unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

/// `file:line:column` of the innermost call outside of our headers and the standard library's, or nothing where the compiler has merged code of
/// several places; `None` without debug information.
fn place(address: usize) -> Option<String> {
    // SAFETY: a value of integers and pointers, which `dladdr` fills.
    let mut found: libc::Dl_info = unsafe { mem::zeroed() };
    // SAFETY: the address is only looked up.
    if unsafe { libc::dladdr(address as *const libc::c_void, &raw mut found) } == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a string of the loader's, as long as the file is open.
    let name = unsafe { CStr::from_ptr(found.dli_fname) }.to_str().ok()?;
    // The program's own is what it was called by, which may be no path from here.
    let path = if name.contains('/') && Path::new(name).exists() { name } else { "/proc/self/exe" };
    let bytes = fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let sections: Vec<(String, Vec<u8>)> = file
        .sections()
        .filter_map(|section| Some((section.name().ok()?.to_owned(), section.uncompressed_data().ok()?.into_owned())))
        .filter(|(name, _)| name.starts_with(".debug_"))
        .collect();
    if !sections.iter().any(|(name, _)| name == ".debug_line") {
        return None;
    }
    let section = |id: addr2line::gimli::SectionId| {
        let bytes = sections.iter().find(|(name, _)| name == id.name()).map_or(&[][..], |(_, bytes)| bytes);
        Ok::<_, addr2line::gimli::Error>(EndianSlice::new(bytes, LittleEndian))
    };
    let context = Context::from_dwarf(Dwarf::load(section).ok()?).ok()?;
    // Of a program at a fixed address they are addresses already.
    let base = if file.kind() == object::ObjectKind::Executable { 0 } else { found.dli_fbase as usize };
    let mut frames = context.find_frames((address - base) as u64).skip_all_loads().ok()?;
    let mut innermost = None;
    while let Ok(Some(frame)) = frames.next() {
        let Some(location) = frame.location else { continue };
        let (Some(file), Some(line)) = (location.file, location.line) else { continue };
        let file = file.strip_prefix("./").unwrap_or(file);
        let told = match location.column {
            Some(column) if column > 0 => format!("{file}:{line}:{column}"),
            _ => format!("{file}:{line}"),
        };
        if !["/sycl/", "/c++/"].iter().any(|headers| file.contains(headers)) {
            return Some(told);
        }
        innermost = innermost.or(Some(told));
    }
    Some(innermost.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_this_file_is_found_in_it() {
        let told = place(place as *const () as usize);
        assert!(told.as_ref().is_none_or(|told| told.is_empty() || told.contains("lines.rs:")), "{told:?}");
        assert_eq!(place(16), None);
    }
}
