//! A module's images, read when a launch needs one, and loaded when a kernel of theirs passed the check.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::slice;
use std::sync::{Arc, Mutex, OnceLock};

use aspen_image::offload::parse_readable;
use aspen_image::{DeviceImage, ImageError, ImageKind};

use super::ModuleRecord;
use super::closure::Closure;
use crate::backend::{Part, Program};
use crate::command::lock;
use crate::error::{Code, Error, Result};
use crate::specialise;
use crate::system::Device;

/// A registered module.
pub(super) struct Module {
    pub(super) record: ModuleRecord,
    /// Counted by registrations of the process, from 1.
    pub(super) number: usize,
    parsed: OnceLock<Parsed>,
}

/// What its section holds.
pub(super) struct Parsed {
    pub(super) images: Vec<Image>,
    /// Images that hold a symbol, in the order of the container.
    pub(super) by_symbol: BTreeMap<String, Vec<usize>>,
    /// Images that export a device function; made when the first import is looked for.
    exports: OnceLock<BTreeMap<String, Vec<usize>>>,
    /// What of the section cannot be read; the images that can are there.
    pub(super) damage: Option<Error>,
}

/// An image.
pub(super) struct Image {
    pub(super) image: DeviceImage<'static>,
    pub(super) label: String,
    /// One a device that has asked for it.
    programs: Mutex<Vec<Loaded>>,
}

/// An image's place: the module's number and the image's index. Numbers are never used twice.
pub(super) type ImageId = (usize, usize);

/// What came of loading an image, with those it imports from, for a device.
struct Loaded {
    device: &'static Device,
    parts: Vec<ImageId>,
    program: Result<Arc<dyn Program>>,
}

/// An image that holds the wanted kernel.
pub(super) struct Candidate<'r> {
    pub(super) id: ImageId,
    pub(super) image: &'r Image,
    pub(super) symbol: String,
}

impl Module {
    pub(super) fn new(record: ModuleRecord, number: usize) -> Module {
        Module { record, number, parsed: OnceLock::new() }
    }

    pub(super) fn parsed(&self) -> &Parsed {
        self.parsed.get_or_init(|| self.parse())
    }

    /// The same, if it was read before.
    pub(super) fn parsed_already(&self) -> Option<&Parsed> {
        self.parsed.get()
    }

    fn parse(&self) -> Parsed {
        let bytes: &'static [u8] = if self.record.images_size == 0 {
            &[]
        } else {
            // SAFETY: readable until the module is unregistered by the contract of `register`; unregistering drops this `Module` and all
            // that borrows from it, and whoever uses images holds the registry's read lock meanwhile.
            unsafe { slice::from_raw_parts(self.record.images, self.record.images_size) }
        };
        let (entries, wrong) = parse_readable(bytes);
        let damage = wrong.map(|error| {
            Error::new(Code::Build, format!("the device images of module {} (section .llvm.offloading) are damaged: {error}", self.number))
        });
        let mut parsed = Parsed { images: Vec::new(), by_symbol: BTreeMap::new(), exports: OnceLock::new(), damage };
        for (index, entry) in entries.into_iter().enumerate() {
            let image = DeviceImage::new(entry);
            // The container's list tells which kernels there are even if the set with their names is damaged.
            let mut symbols: Vec<String> = image.symbols().map(str::to_owned).collect();
            if let Ok(kernels) = image.kernels() {
                symbols.extend(kernels.into_iter().map(|kernel| kernel.symbol));
            }
            symbols.sort_unstable();
            symbols.dedup();
            for symbol in symbols {
                parsed.by_symbol.entry(symbol).or_default().push(index);
            }
            let name = image.name().map_or_else(|| format!("#{index}"), str::to_owned);
            let label = format!("image '{name}' ({}) of module {}", image.target(), self.number);
            parsed.images.push(Image { image, label, programs: Mutex::default() });
        }
        parsed
    }

    /// The images that hold one of the symbols, those with the first symbol first.
    pub(super) fn find<'r>(&self, parsed: &'r Parsed, symbols: &[&str], out: &mut Vec<Candidate<'r>>) {
        for symbol in symbols {
            let images = parsed.by_symbol.get(*symbol).map_or(&[][..], Vec::as_slice);
            let candidate =
                |index: &usize| Candidate { id: (self.number, *index), image: &parsed.images[*index], symbol: (*symbol).to_owned() };
            out.extend(images.iter().map(candidate));
        }
    }
}

impl Parsed {
    /// The images that export the function, by index.
    pub(super) fn exporting(&self, symbol: &str) -> &[usize] {
        let exports = self.exports.get_or_init(|| {
            let mut exports: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (index, image) in self.images.iter().enumerate() {
                // A damaged list exports nothing; whoever misses a function of it is told that it is missing.
                for symbol in image.image.exports().unwrap_or_default() {
                    exports.entry(symbol).or_default().push(index);
                }
            }
            exports
        });
        exports.get(symbol).map_or(&[][..], Vec::as_slice)
    }

    /// Gives up programs that hold images of a module.
    pub(super) fn forget(&self, module: usize) {
        for image in &self.images {
            lock(&image.programs).retain(|loaded| loaded.parts.iter().all(|(number, _)| *number != module));
        }
    }
}

impl Candidate<'_> {
    /// The kernel's name for people.
    ///
    /// # Errors
    /// If the set of names is damaged.
    pub(super) fn name(&self) -> Result<String> {
        let kernels = self.image.image.kernels().map_err(|error| self.image.damaged(&error))?;
        let found = kernels.into_iter().find(|kernel| kernel.symbol == self.symbol);
        Ok(found.map_or_else(|| untagged(&self.symbol).to_owned(), |kernel| kernel.info.name))
    }
}

impl Image {
    pub(super) fn damaged(&self, error: &ImageError) -> Error {
        Error::new(Code::Build, format!("{}: {error}", self.label))
    }

    /// The image that the device gets: of SPIR-V what its conditions leave. Source: S1 "Modifications to the DPC++ runtime".
    fn for_device(&self, device: &Device) -> Result<Cow<'_, DeviceImage<'static>>> {
        if self.image.kind() != ImageKind::SpirV {
            return Ok(Cow::Borrowed(&self.image));
        }
        Ok(match specialise::for_device(device, &self.label, &self.image)? {
            Cow::Borrowed(_) => Cow::Borrowed(&self.image),
            Cow::Owned(bytes) => Cow::Owned(self.image.with_bytes(bytes)),
        })
    }

    /// Loads the image and those it imports from for the device, once; a failure is remembered as well.
    pub(super) fn program(&self, device: &'static Device, closure: &Closure<'_>) -> Result<Arc<dyn Program>> {
        let ids: Vec<ImageId> = closure.parts.iter().map(|part| part.id).collect();
        let mut programs = lock(&self.programs);
        if let Some(known) = programs.iter().find(|known| std::ptr::eq(known.device, device) && known.parts == ids) {
            return known.program.clone();
        }
        let whole = closure.parts.iter().try_for_each(|part| {
            let damaged =
                |error| Error::new(Code::Build, format!("{} cannot be loaded: {error}; link the program again", part.image.label));
            part.image.image.check_bytes().map_err(damaged)
        });
        let program = whole.and_then(|()| {
            let images = closure.parts.iter().map(|part| part.image.for_device(device)).collect::<Result<Vec<_>>>()?;
            let (parts, has) = (closure.parts.iter().zip(&images), specialise::has(device));
            let parts: Vec<Part<'_>> =
                parts.map(|(part, image)| Part { name: &part.image.label, image, has: &has, imports: &part.imports }).collect();
            device.real().load(&parts)
        });
        // Of other sets of libraries than today's: they are not needed again, as a rule.
        programs.retain(|known| !std::ptr::eq(known.device, device));
        programs.push(Loaded { device, parts: ids, program: program.clone() });
        program
    }
}

/// The symbol without its object's tag.
pub(super) fn untagged(symbol: &str) -> &str {
    match symbol.rsplit_once(".aspen_") {
        Some((plain, tag)) if tag.len() == 16 && tag.bytes().all(|byte| byte.is_ascii_hexdigit()) => plain,
        _ => symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_sixteen_hexadecimal_digits() {
        assert_eq!(untagged("_ZTS1K.aspen_0123456789abcdef"), "_ZTS1K");
        assert_eq!(untagged("_ZTS1K.aspen_012345678"), "_ZTS1K.aspen_012345678");
        assert_eq!(untagged("_ZTS1K"), "_ZTS1K");
    }
}
