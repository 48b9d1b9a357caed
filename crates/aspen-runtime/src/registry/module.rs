//! A module's images, read when a launch needs one.

use std::collections::BTreeMap;
use std::slice;
use std::sync::{Arc, OnceLock};

use aspen_image::offload::parse_readable;
use aspen_image::{DeviceImage, ImageError};

use super::ModuleRecord;
use super::programs::{Loaded, Programs};
use crate::error::{Code, Error, Result};
use crate::names::kernel_name;

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
    /// Shared with the threads that load it, which hold no lock of the registry.
    pub(super) programs: Arc<Programs>,
}

/// An image's place: the module's number and the image's index. Numbers are never used twice.
pub(super) type ImageId = (usize, usize);

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
            parsed.images.push(Image { image, label, programs: Arc::default() });
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

    /// Gives up programs that hold images of a module, to be dropped by the caller.
    pub(super) fn forget(&self, module: usize) -> Vec<Loaded> {
        self.images.iter().flat_map(|image| image.programs.forget(module)).collect()
    }
}

impl Candidate<'_> {
    /// The kernel's name for people.
    ///
    /// # Errors
    /// If what the link said of the kernel is damaged.
    pub(super) fn name(&self) -> Result<String> {
        // Only this one: a program launches its kernels one after the other. Foreign images know theirs by the symbols alone.
        let found = self.image.image.kernel(&self.symbol).map_err(|error| self.image.damaged(&error))?;
        let told = found.map(|kernel| kernel.name).filter(|name| *name != self.symbol);
        Ok(told.unwrap_or_else(|| kernel_name(&self.symbol)))
    }
}

impl Image {
    pub(super) fn damaged(&self, error: &ImageError) -> Error {
        Error::new(Code::Build, format!("{}: {error}", self.label))
    }
}

/// The symbol that an object of that tag has for itself.
pub(super) fn tagged(symbol: &str, tag: &str) -> String {
    format!("{symbol}.aspen_{tag}")
}

/// The symbol without its object's tag, and the tag; empty if all objects share the symbol.
pub(super) fn split_tag(symbol: &str) -> (&str, &str) {
    match symbol.rsplit_once(".aspen_") {
        Some((plain, tag)) if tag.len() == 16 && tag.bytes().all(|byte| byte.is_ascii_hexdigit()) => (plain, tag),
        _ => (symbol, ""),
    }
}

/// The symbol without its object's tag.
pub(super) fn untagged(symbol: &str) -> &str {
    split_tag(symbol).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_sixteen_hexadecimal_digits() {
        assert_eq!(split_tag("_ZTS1K.aspen_0123456789abcdef"), ("_ZTS1K", "0123456789abcdef"));
        assert_eq!(split_tag(&tagged("_ZTS1K", "0123456789abcdef")), ("_ZTS1K", "0123456789abcdef"));
        assert_eq!(split_tag("_ZTS1K.aspen_012345678"), ("_ZTS1K.aspen_012345678", ""));
        assert_eq!(split_tag("_ZTS1K"), ("_ZTS1K", ""));
    }
}
