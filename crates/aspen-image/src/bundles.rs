//! Device code of DPC++ before the link: in objects of `-fsycl -c`, and in archives of them.
//!
//! The old offload model has a section a target, `__CLANG_OFFLOAD_BUNDLE__sycl-<triple>`, whose bytes are LLVM bitcode, or SPIR-V with
//! `-fsycl-device-obj=spirv`. The new one has OffloadBinary blobs in `.llvm.offloading`. Both sections are left out of links.
//! Source: Clang documentation, "ClangOffloadBundler", "Bundled Object File Layout"; FORMATS §8.

use object::read::archive::ArchiveFile;
use object::{Object, ObjectKind, ObjectSection};

use crate::container::{ContainerError, IMAGE_SECTION, Member, Reason};
use crate::offload::{self, ImageKind, OFFLOAD_KIND_SYCL};

/// What the names of the old model's sections begin with, for SYCL; other languages and the host have others.
const SECTION: &str = "__CLANG_OFFLOAD_BUNDLE__sycl-";
/// SYCL among the kinds of OffloadBinary before they became bits, which is HIP now: only the triple tells them apart.
const OLD_KIND_SYCL: u16 = 4;

/// Device code of an object, for one target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bundle<'a> {
    /// The archive member, if it is in one.
    pub member: Option<Member>,
    /// `spir64-unknown-unknown`, `nvptx64-nvidia-cuda-sm_80`.
    pub triple: String,
    /// Where the code is in the file, or in the member.
    pub offset: u64,
    /// The code.
    pub bytes: std::borrow::Cow<'a, [u8]>,
}

/// All device code of DPC++'s in an object or archive, in the order of the file; none in anything else.
///
/// # Errors
/// If a section or member is damaged.
pub fn find<'a>(bytes: &'a [u8], file_name: &str) -> Result<Vec<Bundle<'a>>, ContainerError> {
    let at = |member: Option<&Member>, reason| ContainerError {
        file: file_name.to_owned(),
        member: member.map(|member| member.name.clone()),
        reason,
    };
    if bytes.starts_with(b"\x7fELF") {
        return of_object(bytes, None).map_err(|reason| at(None, reason));
    }
    if !bytes.starts_with(b"!<arch>\n") {
        return Ok(Vec::new());
    }
    let damaged = |error: object::Error| at(None, Reason::Archive(error.to_string()));
    let mut out = Vec::new();
    for (index, file) in ArchiveFile::parse(bytes).map_err(damaged)?.members().enumerate() {
        let file = file.map_err(damaged)?;
        let data = file.data(bytes).map_err(damaged)?;
        if data.starts_with(b"\x7fELF") {
            let member = Member { index, name: String::from_utf8_lossy(file.name()).into_owned() };
            out.extend(of_object(data, Some(&member)).map_err(|reason| at(Some(&member), reason))?);
        }
    }
    Ok(out)
}

fn of_object<'a>(bytes: &'a [u8], member: Option<&Member>) -> Result<Vec<Bundle<'a>>, Reason> {
    let damaged = |error: object::Error| Reason::Elf(error.to_string());
    let file = object::File::parse(bytes).map_err(damaged)?;
    if file.kind() != ObjectKind::Relocatable {
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    for section in file.sections() {
        let name = section.name().map_err(damaged)?;
        let offset = section.file_range().map_or(0, |range| range.0);
        if let Some(triple) = name.strip_prefix(SECTION) {
            let bytes = section.data().map_err(damaged)?;
            // Objects without device code hold a byte that says so.
            if bytes.len() > 1 {
                out.push(Bundle { member: member.cloned(), triple: triple.to_owned(), offset, bytes: bytes.into() });
            }
        } else if name == IMAGE_SECTION {
            let entries = offload::parse_all(section.data().map_err(damaged)?);
            for entry in entries.map_err(|error| Reason::Section { section: IMAGE_SECTION, error })? {
                let triple = entry.text("triple").unwrap_or_default().to_owned();
                let is_sycl = entry.offload_kind == OFFLOAD_KIND_SYCL
                    || (entry.offload_kind == OLD_KIND_SYCL && (triple.starts_with("spir") || triple.starts_with("nvptx")));
                if is_sycl && [ImageKind::Bitcode, ImageKind::SpirV].contains(&entry.image_kind) {
                    let triple =
                        entry.text("arch").filter(|arch| !arch.is_empty()).map_or(triple.clone(), |arch| format!("{triple}-{arch}"));
                    out.push(Bundle { member: member.cloned(), triple, offset, bytes: entry.image });
                }
            }
        }
    }
    Ok(out)
}

impl Bundle<'_> {
    /// The target's name as the driver's `-fsycl-targets` has it: `spir64_gen`, `nvidia_gpu_sm_80`.
    pub fn target(&self) -> String {
        let mut parts = self.triple.split('-');
        let machine = parts.next().unwrap_or_default();
        match (machine, parts.nth(2).filter(|device| !device.is_empty())) {
            ("nvptx64", Some(device)) => format!("nvidia_gpu_{device}"),
            ("amdgcn", Some(device)) => format!("amd_gpu_{device}"),
            ("spir64_gen", Some(device)) => format!("intel_gpu_{device}"),
            _ => machine.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_name_targets() {
        for (triple, target) in [
            ("spir64-unknown-unknown", "spir64"),
            ("spir64_gen-unknown-unknown", "spir64_gen"),
            ("spir64_gen-unknown-unknown-bmg_g21", "intel_gpu_bmg_g21"),
            ("nvptx64-nvidia-cuda-sm_80", "nvidia_gpu_sm_80"),
            ("amdgcn-amd-amdhsa-gfx90a", "amd_gpu_gfx90a"),
            ("spir64-unknown-unknown-", "spir64"),
            ("", ""),
        ] {
            let bundle = Bundle { member: None, triple: triple.into(), offset: 0, bytes: b"".as_slice().into() };
            assert_eq!(bundle.target(), target, "{triple}");
        }
    }
}
