//! Puts the device code into the host object: one section more, everything else stays byte for byte where it was.
//!
//! Indices of sections and symbols must not change, since groups and address-significance tables hold them as plain numbers. So the new
//! section's data, a grown copy of the section names and a new table of section headers are appended, and the file header points there.
//! Source: ARCHITECTURE "Objects"; DESIGN §5.

use std::fmt::{self, Write as _};
use std::fs;
use std::io::Write;
use std::path::Path;

use aspen_image::object_sections::OBJECT_SECTION;
use object::elf::{FileHeader64, SHF_EXCLUDE, SHT_PROGBITS, SectionHeader64};
use object::pod;
use object::read::elf::{FileHeader, SectionHeader};
use object::{LittleEndian, U16, U32, U64};

use crate::error::Error;

type Header = FileHeader64<LittleEndian>;

/// From this number of sections on, the count stands in the first section header. Source: ELF specification, "ELF Header", `e_shnum`.
const SHN_LORESERVE: usize = 0xff00;

/// The object with the section `.aspen.device` that holds `device`.
///
/// # Errors
/// With a reason if `object` is no 64-bit little-endian ELF object, or has such a section already.
pub fn with_device_code(object: &[u8], device: &[u8]) -> Result<Vec<u8>, String> {
    let endian = LittleEndian;
    let damaged = |error: object::Error| format!("not an object that clang wrote: {error}");
    let header = Header::parse(object).map_err(damaged)?;
    let table = header.sections(endian, object).map_err(damaged)?;
    if table.section_by_name(endian, OBJECT_SECTION.as_bytes()).is_some() {
        return Err(format!("it has a section '{OBJECT_SECTION}' already"));
    }
    let names_index = header.shstrndx(endian, object).map_err(damaged)? as usize;
    let mut sections: Vec<SectionHeader64<LittleEndian>> = table.iter().copied().collect();
    let names = sections.get(names_index).ok_or("it has no section names")?.data(endian, object).map_err(damaged)?;

    let mut out = object.to_vec();
    let mut append = |bytes: &[u8], alignment: usize| {
        out.resize(out.len().next_multiple_of(alignment), 0);
        let at = out.len() as u64;
        out.extend_from_slice(bytes);
        at
    };
    let device_at = append(device, 8);
    let mut grown = names.to_vec();
    grown.extend_from_slice(OBJECT_SECTION.as_bytes());
    grown.push(0);
    let names_at = append(&grown, 1);
    let name = u32::try_from(names.len()).map_err(|_| "its section names are too long")?;

    sections[names_index].sh_offset = U64::new(endian, names_at);
    sections[names_index].sh_size = U64::new(endian, grown.len() as u64);
    sections.push(SectionHeader64 {
        sh_name: U32::new(endian, name),
        sh_type: U32::new(endian, SHT_PROGBITS),
        sh_flags: U64::new(endian, SHF_EXCLUDE),
        sh_addr: U64::new(endian, 0),
        sh_offset: U64::new(endian, device_at),
        sh_size: U64::new(endian, device.len() as u64),
        sh_link: U32::new(endian, 0),
        sh_info: U32::new(endian, 0),
        sh_addralign: U64::new(endian, 8),
        sh_entsize: U64::new(endian, 0),
    });
    let count = sections.len();
    let mut header = *header;
    header.e_shnum = match u16::try_from(count) {
        Ok(small) if count < SHN_LORESERVE => U16::new(endian, small),
        _ => {
            sections[0].sh_size = U64::new(endian, count as u64);
            U16::new(endian, 0)
        }
    };
    header.e_shoff = U64::new(endian, append(pod::bytes_of_slice(&sections), 8));
    let header = pod::bytes_of(&header);
    out[..header.len()].copy_from_slice(header);
    Ok(out)
}

/// The same section for the end of a text: of assembly for the GNU assembler, or of LLVM IR, as assembly of the module.
pub fn as_text(device: &[u8], is_ir: bool) -> String {
    let mut text = String::with_capacity(device.len() * 4);
    let mut line = |words: fmt::Arguments<'_>| match is_ir {
        true => writeln!(text, "module asm \"{}\"", words.to_string().replace('\\', "\\5C").replace('"', "\\22")),
        false => writeln!(text, "\t{words}"),
    };
    let mut write = || {
        line(format_args!(".pushsection {OBJECT_SECTION},\"e\",@progbits"))?;
        line(format_args!(".p2align 3"))?;
        for part in device.chunks(BYTES_A_LINE) {
            line(format_args!(".ascii \"{}\"", Escaped(part)))?;
        }
        line(format_args!(".popsection"))
    };
    write().expect("a string takes everything");
    text
}

/// How many bytes of device code stand on a line of text.
const BYTES_A_LINE: usize = 32;

/// Bytes in a string of the GNU assembler. Source: "Using as", "Strings".
struct Escaped<'a>(&'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| match byte {
            b'"' | b'\\' => write!(out, "\\{}", *byte as char),
            b' '..=b'~' => write!(out, "{}", *byte as char),
            other => write!(out, "\\{other:03o}"),
        })
    }
}

/// Writes a file whole or not at all: what was there before stays until the new content is complete, also when the disk is full.
///
/// # Errors
/// If the folder or the file cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8], executable: bool) -> Result<(), Error> {
    let failed = |error| Error::file("write", path, error);
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return fs::write(path, bytes).map_err(failed); // /dev/null, a pipe: nothing to protect
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::metadata(folder).map_err(failed)?;
    let mode = if executable { 0o777 } else { 0o666 };
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    // `tempfile` applies the process's umask to these permissions, as open(2) does.
    let file = tempfile::Builder::new().prefix(".aspen-").permissions(permissions).tempfile_in(folder);
    let mut file = file.map_err(|error| Error::temporary("write", path, &error))?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use object::{Object, ObjectSection, ObjectSymbol};

    use super::*;
    use crate::jobs::{self, Command};

    #[test]
    fn text_of_every_byte() {
        let bytes: Vec<u8> = (0..=255).collect();
        for is_ir in [false, true] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let (from, to) = (folder.path().join(if is_ir { "x.ll" } else { "x.s" }), folder.path().join("x.o"));
            fs::write(&from, as_text(&bytes, is_ir)).expect("writable");
            let words = ["-c", "--target=x86_64-pc-linux-gnu"].map(str::to_owned).into_iter();
            let files = [from.display().to_string(), "-o".into(), to.display().to_string()];
            let outcome = jobs::run(&Command::new(Path::new("clang++-22"), words.chain(files))).expect("clang starts");
            assert!(outcome.status.success(), "{}", outcome.stderr_text());
            let object = fs::read(to).expect("readable");
            let object = object::File::parse(object.as_slice()).expect("an object");
            assert_eq!(object.section_by_name(OBJECT_SECTION).expect("there").data().expect("readable"), bytes);
        }
    }

    fn compiled(source: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (from, to) = (folder.path().join("x.cpp"), folder.path().join("x.o"));
        fs::write(&from, source).expect("writable");
        let words = ["-c", "-ffunction-sections", "-faddrsig"].map(str::to_owned).into_iter();
        let files = [from.display().to_string(), "-o".into(), to.display().to_string()];
        let outcome = jobs::run(&Command::new(Path::new("clang++-22"), words.chain(files))).expect("clang starts");
        assert!(outcome.status.success(), "{}", outcome.stderr_text());
        fs::read(to).expect("readable")
    }

    #[test]
    fn only_a_section_is_added() {
        let before = compiled(
            "inline int f() { static int n; return ++n; }\ntemplate <class T> T g(T t) { return t; }\nint main() { return f() + g(1); }",
        );
        let after = with_device_code(&before, b"device code").expect("an object");
        let (old, new) = (object::File::parse(&*before).expect("ELF"), object::File::parse(&*after).expect("ELF"));
        let section = new.section_by_name(".aspen.device").expect("added");
        assert_eq!(section.data().expect("readable"), b"device code");
        let object::SectionFlags::Elf { sh_flags, .. } = section.flags() else { panic!("an ELF section") };
        assert_eq!(sh_flags, SHF_EXCLUDE, "excluded, not allocated");
        assert_eq!(old.sections().count() + 1, new.sections().count());
        for (a, b) in old.sections().zip(new.sections()) {
            assert_eq!((a.index(), a.name(), a.kind()), (b.index(), b.name(), b.kind()));
            if a.name() != Ok(".strtab") {
                assert_eq!(a.data(), b.data(), "{:?}", a.name());
            }
        }
        assert!(old.symbols().map(|s| s.name().map(str::to_owned)).eq(new.symbols().map(|s| s.name().map(str::to_owned))));
        assert_eq!(with_device_code(&after, b"again"), Err("it has a section '.aspen.device' already".into()));
    }

    #[test]
    fn nonsense_is_refused() {
        for bytes in [&b""[..], b"\x7fELF", &compiled("int x;")[..100]] {
            assert!(with_device_code(bytes, b"x").is_err());
        }
    }

    #[test]
    fn the_old_file_stays_when_writing_fails() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("a.o");
        write_whole(&file, b"old", false).expect("writable");
        write_whole(&file, b"new", true).expect("writable");
        assert_eq!(fs::read(&file).expect("readable"), b"new");
        let error = write_whole(&folder.path().join("no/such/folder/a.o"), b"x", false).expect_err("no folder");
        assert!(error.to_string().contains("no/such/folder/a.o"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1, "nothing is left behind");
    }
}
