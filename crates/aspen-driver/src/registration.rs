//! The registration object: carries the images into the program, and hands them to libaspen.so when the module is loaded.
//!
//! It is linked into every program and shared library, also without device code, because every object with our header refers to
//! `__aspen_link_with_aspenxx`, and a launch without images must fail with libaspen's words. Source: DESIGN §5; ARCHITECTURE "Images";
//! `include/aspen/aspen.h`, `aspen_module_record_t`.

use std::fs;
use std::path::PathBuf;

use object::elf;
use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, RelocationFlags, SectionFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope};

use crate::error::Error;
use crate::scratch::Scratch;

/// `ASPEN_ABI_VERSION` of `aspen.h`.
const ABI_VERSION: u32 = 3;

/// `sizeof(aspen_module_record_t)`: two 32-bit numbers and four pointers.
const RECORD_SIZE: u32 = 40;

/// LLVM's type of `.llvm.offloading`. Source: LLVM, `llvm/BinaryFormat/ELF.h`, `SHT_LLVM_OFFLOADING`.
const SHT_LLVM_OFFLOADING: elf::SectionType = elf::SectionType(0x6fff_4c0b);

/// `lea rdi, [rip + …]; jmp …`, and where its two operands lie.
const CALL: [u8; 12] = [0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0];
const RECORD_AT: u64 = 3;
const FUNCTION_AT: u64 = 8;

/// Writes the object. `images` are OffloadBinary blobs back to back.
///
/// # Errors
/// If the file cannot be written.
pub fn object(images: &[u8], stem: &str, scratch: &mut Scratch) -> Result<PathBuf, Error> {
    let file = scratch.file(stem, "registration.o");
    fs::write(&file, bytes(images)).map_err(|error| Error::file("write", &file, error))?;
    Ok(file)
}

/// Its bytes, which depend on the images alone.
///
/// It has a name of its own, or GNU ld would put the temporary file's into the program. The constructor runs before those of the user
/// (priority 101 is the first that is theirs), so that these may launch kernels.
pub fn bytes(images: &[u8]) -> Vec<u8> {
    let mut builder = Builder(Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little));
    builder.0.add_file_symbol(b"aspen++".into());
    let (read, write, execute) = (elf::SHF_ALLOC, elf::SHF_ALLOC | elf::SHF_WRITE, elf::SHF_ALLOC | elf::SHF_EXECINSTR);
    let code = builder.section(".text", elf::SHT_PROGBITS, execute);
    let first = builder.section(".init_array.00100", elf::SHT_INIT_ARRAY, write);
    let last = builder.section(".fini_array.00100", elf::SHT_FINI_ARRAY, write);
    let relocated = builder.section(".data.rel.ro", elf::SHT_PROGBITS, write);
    let constant = builder.section(".rodata.aspen", elf::SHT_PROGBITS, read);
    let offloading = builder.section(".llvm.offloading", SHT_LLVM_OFFLOADING, read);
    builder.section(".note.GNU-stack", elf::SHT_PROGBITS, elf::SectionFlags(0));

    let at = builder.0.append_section_data(constant, &[0], 1);
    let hidden = SymbolScope::Linkage;
    let mark = builder.symbol("__aspen_link_with_aspenxx", SymbolKind::Data, hidden, SymbolSection::Section(constant), (at, 1));
    let producer =
        builder.defined("aspen_producer", SymbolKind::Data, constant, concat!("aspen++ ", env!("CARGO_PKG_VERSION"), "\0").as_bytes(), 1);
    let begin = builder.defined("aspen_images_begin", SymbolKind::Data, offloading, images, 8);
    let end = builder.defined("aspen_images_end", SymbolKind::Data, offloading, &[], 1);

    let mut fields = [ABI_VERSION, RECORD_SIZE].map(u32::to_le_bytes).concat();
    fields.resize(RECORD_SIZE as usize, 0);
    let record = builder.defined("aspen_record", SymbolKind::Data, relocated, &fields, 8);
    for (at, symbol) in (8..).step_by(8).zip([producer, begin, end, mark]) {
        builder.refer(relocated, at, symbol, elf::R_X86_64_64, 0);
    }
    for (name, function, table) in
        [("aspen_register", "aspen_register_module", first), ("aspen_unregister", "aspen_unregister_module", last)]
    {
        let called = builder.undefined(function);
        let symbol = builder.defined(name, SymbolKind::Text, code, &CALL, 16);
        let at = builder.0.symbol(symbol).value;
        // Both operands count from their own end.
        builder.refer(code, at + RECORD_AT, record, elf::R_X86_64_PC32, -4);
        builder.refer(code, at + FUNCTION_AT, called, elf::R_X86_64_PLT32, -4);
        builder.0.append_section_data(table, &[0; 8], 8);
        builder.refer(table, 0, symbol, elf::R_X86_64_64, 0);
    }
    builder.0.write().expect("every symbol has its section, and every reference a form that x86-64 has")
}

/// The object as it grows.
struct Builder(Object<'static>);

impl Builder {
    fn section(&mut self, name: &str, sh_type: elf::SectionType, sh_flags: elf::SectionFlags) -> SectionId {
        let section = self.0.add_section(Vec::new(), name.into(), SectionKind::Data);
        *self.0.section_flags_mut(section) = SectionFlags::Elf { sh_type, sh_flags };
        section
    }

    /// A symbol of this object alone.
    fn defined(&mut self, name: &str, kind: SymbolKind, section: SectionId, data: &[u8], align: u64) -> SymbolId {
        let offset = self.0.append_section_data(section, data, align);
        let (size, section) = (data.len() as u64, SymbolSection::Section(section));
        self.symbol(name, kind, SymbolScope::Compilation, section, (offset, size))
    }

    fn undefined(&mut self, name: &str) -> SymbolId {
        self.symbol(name, SymbolKind::Unknown, SymbolScope::Unknown, SymbolSection::Undefined, (0, 0))
    }

    fn symbol(&mut self, name: &str, kind: SymbolKind, scope: SymbolScope, section: SymbolSection, (value, size): (u64, u64)) -> SymbolId {
        self.0.add_symbol(Symbol { name: name.into(), value, size, kind, scope, weak: false, section, flags: SymbolFlags::None })
    }

    fn refer(&mut self, section: SectionId, offset: u64, symbol: SymbolId, r_type: elf::RelocationType, addend: i64) {
        let reference = Relocation { offset, symbol, addend, flags: RelocationFlags::Elf { r_type } };
        self.0.add_relocation(section, reference).expect("ELF has relocations with an addend");
    }
}

#[cfg(test)]
mod tests {
    use object::{Object, ObjectSection, ObjectSymbol};

    use super::*;

    #[test]
    fn what_the_object_holds() {
        let bytes = bytes(b"some images");
        let file = object::File::parse(&*bytes).expect("ELF");
        let section = file.section_by_name(".llvm.offloading").expect("there");
        let object::SectionFlags::Elf { sh_flags, sh_type, .. } = section.flags() else { panic!("an ELF section") };
        assert_eq!((sh_flags, sh_type.0), (object::elf::SHF_ALLOC, 0x6fff_4c0b));
        assert_eq!((section.data().expect("readable"), section.align()), (&b"some images"[..], 8));
        let names = |undefined: bool| -> Vec<String> {
            let symbols = file.symbols().filter(|symbol| symbol.is_global() && symbol.is_undefined() == undefined);
            symbols.map(|symbol| symbol.name().expect("a name").to_owned()).collect()
        };
        assert_eq!(names(false), ["__aspen_link_with_aspenxx"]);
        assert_eq!(names(true), ["aspen_register_module", "aspen_unregister_module"]);
    }
}
