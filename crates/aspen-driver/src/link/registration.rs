//! The registration object: carries the images into the program, and hands them to libaspen.so when the module is loaded.
//!
//! It is linked into every program and shared library, also without device code, because every object with our header refers to
//! `__aspen_link_with_aspenxx`, and a launch without images must fail with libaspen's words. Source: DESIGN §5; ARCHITECTURE "Images";
//! `include/aspen/aspen.h`, `aspen_module_record_t`.

use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::jobs::{self, Command};
use crate::scratch::Scratch;
use crate::session::Session;
use crate::toolchain::Toolchain;

/// `ASPEN_ABI_VERSION` of `aspen.h`.
const ABI_VERSION: u32 = 3;

/// `sizeof(aspen_module_record_t)`: two 32-bit numbers and four pointers.
const RECORD_SIZE: u32 = 40;

/// Makes the object. `images` are OffloadBinary blobs back to back.
///
/// # Errors
/// If a file cannot be written or clang cannot assemble it.
pub fn object(
    session: &Session<'_>,
    toolchain: &Toolchain,
    images: &[u8],
    stem: &str,
    scratch: &mut Scratch,
) -> Result<std::path::PathBuf, Error> {
    let data = scratch.file(stem, "images");
    let source = scratch.file(stem, "registration.s");
    let object = scratch.file(stem, "registration.o");
    fs::write(&data, images).map_err(|error| Error::file("write", &data, error))?;
    fs::write(&source, assembly(&data)).map_err(|error| Error::file("write", &source, error))?;
    let command = command(toolchain, &source, &object);
    if session.options.verbose {
        session.complain(format!(" {}\n", command.shell()).as_bytes())?;
    }
    let outcome = jobs::run(&command)?;
    if outcome.status.success() { Ok(object) } else { Err(command.failure("assembling the registration of device images", &outcome)) }
}

/// The command that assembles it.
pub fn command(toolchain: &Toolchain, source: &Path, object: &Path) -> Command {
    let files = ["-c".to_owned(), source.display().to_string(), "-o".into(), object.display().to_string()];
    Command::new(&toolchain.clang, files)
}

/// It has a name of its own (`.file`), or GNU ld would put the temporary file's into the program. The constructor runs before those of the user (priority 101 is the first that is theirs), so that these may launch kernels.
pub fn assembly(images: &Path) -> String {
    let producer = concat!("aspen++ ", env!("CARGO_PKG_VERSION"));
    let images = images.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        r#"	.file	"aspen++"
	.text
	.p2align	4
	.type	aspen_register, @function
aspen_register:
	leaq	aspen_record(%rip), %rdi
	jmp	aspen_register_module@PLT
	.size	aspen_register, .-aspen_register
	.p2align	4
	.type	aspen_unregister, @function
aspen_unregister:
	leaq	aspen_record(%rip), %rdi
	jmp	aspen_unregister_module@PLT
	.size	aspen_unregister, .-aspen_unregister

	.section	.init_array.00100, "aw", @init_array
	.p2align	3
	.quad	aspen_register
	.section	.fini_array.00100, "aw", @fini_array
	.p2align	3
	.quad	aspen_unregister

	.section	.data.rel.ro, "aw", @progbits
	.p2align	3
	.type	aspen_record, @object
aspen_record:
	.long	{ABI_VERSION}
	.long	{RECORD_SIZE}
	.quad	aspen_producer
	.quad	aspen_images_begin
	.quad	aspen_images_end
	.quad	__aspen_link_with_aspenxx
	.size	aspen_record, .-aspen_record

	.section	.rodata.aspen, "a", @progbits
	.hidden	__aspen_link_with_aspenxx
	.globl	__aspen_link_with_aspenxx
	.type	__aspen_link_with_aspenxx, @object
__aspen_link_with_aspenxx:
	.byte	0
	.size	__aspen_link_with_aspenxx, 1
aspen_producer:
	.asciz	"{producer}"

	.section	.llvm.offloading, "a", @llvm_offloading
	.p2align	3
aspen_images_begin:
	.incbin	"{images}"
aspen_images_end:

	.section	.note.GNU-stack, "", @progbits
"#
    )
}

#[cfg(test)]
mod tests {
    use object::{Object, ObjectSection, ObjectSymbol};

    use super::*;
    use crate::args;

    #[test]
    fn what_the_object_holds() {
        let mut scratch = Scratch::new(None).expect("a temporary folder");
        let toolchain = Toolchain { clang: "clang++-22".into(), include: "i".into(), plugin: "p".into() };
        let Ok(args::Invocation::Run(options)) = args::parse(vec!["x.o".into()]) else { panic!("a sound command line") };
        let path = object(&Session::new(&options), &toolchain, b"some images", "a \"b\"", &mut scratch).expect("assembled");
        let bytes = fs::read(path).expect("readable");
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
