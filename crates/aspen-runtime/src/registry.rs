//! The device images of the loaded modules, and the way from a kernel's symbol to an image that may run.
//!
//! Registration keeps only the pointer: a program that never launches pays nothing, and a damaged section is an error of the launch that
//! needs it. The search (ARCHITECTURE "Images"): the launching module's images before all others, the symbol with the object's tag before
//! the plain one, only images whose `arch` the real device takes; then the check, and only after it the image's bytes are touched.

use std::collections::{BTreeMap, HashMap};
use std::slice;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use aspen_contract::{Requirements, refusal};
use aspen_image::offload::parse_all;
use aspen_image::{DeviceImage, ImageError};

use crate::backend::{Kernel, Program};
use crate::command::lock;
use crate::error::{Code, Error, Result};
use crate::save;
use crate::system::Device;

/// A module as its record describes it. Addresses, since the registry must not read them before an image is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModuleRecord {
    /// Identifies the registration.
    pub record: usize,
    /// Identifies the module in launches.
    pub anchor: usize,
    /// Where the images begin.
    pub images: *const u8,
    /// How many bytes there are.
    pub images_size: usize,
}

// SAFETY: the address is only read while the module is registered, during which it is valid on every thread.
unsafe impl Send for ModuleRecord {}
// SAFETY: as above, and nobody writes there.
unsafe impl Sync for ModuleRecord {}

/// How a launch names its kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelKey<'a> {
    /// The launching module's anchor.
    pub module: usize,
    /// The launching object's tag.
    pub tag: &'a str,
    /// The kernel's symbol, without tag.
    pub symbol: &'a str,
}

/// A kernel that passed the check and is loaded.
pub(crate) struct Admitted {
    pub(crate) kernel: Arc<dyn Kernel>,
    pub(crate) name: String,
    pub(crate) requirements: Requirements,
}

struct Module {
    record: ModuleRecord,
    number: usize,
    parsed: OnceLock<Result<Parsed>>,
}

struct Parsed {
    images: Vec<Image>,
    /// Images that hold a symbol, in the order of the container.
    by_symbol: BTreeMap<String, Vec<usize>>,
}

struct Image {
    image: DeviceImage<'static>,
    label: String,
    /// One a device that has asked for it.
    programs: Mutex<Vec<Loaded>>,
}

/// What came of loading an image for a device.
struct Loaded {
    device: &'static Device,
    program: Result<Arc<dyn Program>>,
}

/// An image that holds the wanted kernel.
struct Candidate<'r> {
    image: &'r Image,
    symbol: String,
}

#[derive(Default)]
struct Inner {
    modules: Vec<Module>,
    registered: usize,
}

type CacheKey = (usize, usize, String);

/// The modules of the process.
#[derive(Default)]
pub struct Registry {
    inner: RwLock<Inner>,
    cache: OnceLock<RwLock<HashMap<CacheKey, Arc<Admitted>>>>,
}

static REGISTRY: Registry = Registry { inner: RwLock::new(Inner { modules: Vec::new(), registered: 0 }), cache: OnceLock::new() };

/// The registry of this process: constructors register modules before anything else of the runtime exists.
pub fn registry() -> &'static Registry {
    &REGISTRY
}

impl Registry {
    /// Adds a module.
    ///
    /// # Safety
    /// `record.images` is readable for `record.images_size` bytes until the module is unregistered.
    pub unsafe fn register(&self, record: ModuleRecord) {
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        inner.registered += 1;
        let number = inner.registered;
        inner.modules.push(Module { record, number, parsed: OnceLock::new() });
        self.forget();
    }

    /// Removes the module of that record; kernels that run keep their images loaded.
    pub fn unregister(&self, record: usize) {
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        inner.modules.retain(|module| module.record.record != record);
        self.forget();
    }

    /// All kernel symbols without tags, sorted, each once. Damaged sections have none; a launch says what is wrong with them.
    pub fn symbols(&self) -> Vec<String> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        let mut symbols: Vec<String> = inner
            .modules
            .iter()
            .filter_map(|module| module.parsed().ok())
            .flat_map(|parsed| parsed.by_symbol.keys().map(|symbol| untagged(symbol).to_owned()))
            .collect();
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    }

    /// Whether the device can run the kernel; `None` if no module has it.
    pub fn is_supported(&self, device: &'static Device, key: KernelKey<'_>) -> Option<bool> {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        // A damaged section holds no kernel that could run; it is named when a launch needs it.
        let candidates = inner.candidates(key).unwrap_or_default();
        if candidates.is_empty() {
            return None;
        }
        let runs = |candidate: &Candidate<'_>| {
            device.real().takes_arch(candidate.image.image.target())
                && candidate.image.image.requirements().is_ok_and(|requirements| device.unmet(&requirements).is_empty())
        };
        Some(candidates.iter().any(runs))
    }

    /// Finds, checks and loads the kernel.
    ///
    /// # Errors
    /// [`Code::KernelNotSupported`] if the device lacks something, [`Code::Invalid`] if there is no such kernel, [`Code::Build`] if the
    /// image cannot be loaded.
    pub(crate) fn admit(&self, device: &'static Device, key: KernelKey<'_>) -> Result<Arc<Admitted>> {
        let cache = self.cache.get_or_init(RwLock::default);
        let mut text = String::with_capacity(key.tag.len() + key.symbol.len() + 1);
        text.push_str(key.tag);
        text.push(' ');
        text.push_str(key.symbol);
        let cache_key = (std::ptr::from_ref(device) as usize, key.module, text);
        if let Some(known) = cache.read().unwrap_or_else(PoisonError::into_inner).get(&cache_key) {
            return Ok(known.clone());
        }
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        let admitted = Arc::new(inner.admit(device, key)?);
        // Still under the read lock, so that an unregistration cannot come between and leave a stale entry.
        cache.write().unwrap_or_else(PoisonError::into_inner).insert(cache_key, admitted.clone());
        Ok(admitted)
    }

    fn forget(&self) {
        if let Some(cache) = self.cache.get() {
            cache.write().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }
}

impl Inner {
    /// Images with the kernel, best first.
    fn candidates(&self, key: KernelKey<'_>) -> Result<Vec<Candidate<'_>>> {
        let tagged = (!key.tag.is_empty()).then(|| format!("{}.aspen_{}", key.symbol, key.tag));
        let symbols: Vec<&str> = tagged.as_deref().into_iter().chain([key.symbol]).collect();
        let (own, others): (Vec<&Module>, Vec<&Module>) = self.modules.iter().partition(|module| module.record.anchor == key.module);
        let mut candidates = Vec::new();
        for module in own {
            module.parsed()?.find(&symbols, &mut candidates);
        }
        let mut damaged = None;
        for module in others {
            match module.parsed() {
                Ok(parsed) => parsed.find(&symbols, &mut candidates),
                Err(error) => damaged = damaged.or(Some(error)),
            }
        }
        match damaged {
            // The kernel may well be in the part that cannot be read.
            Some(error) if candidates.is_empty() => Err(error),
            _ => Ok(candidates),
        }
    }

    fn admit(&self, device: &'static Device, key: KernelKey<'_>) -> Result<Admitted> {
        let candidates = self.candidates(key)?;
        if candidates.is_empty() {
            return Err(self.no_such_kernel(key));
        }
        let (fitting, foreign): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|candidate| device.real().takes_arch(candidate.image.image.target()));
        let mut refused: Option<Error> = None;
        for candidate in &fitting {
            let (image, symbol) = (&candidate.image.image, candidate.symbol.as_str());
            let damaged = |error: ImageError| Error::new(Code::Build, format!("{}: {error}", candidate.image.label));
            let requirements = image.requirements().map_err(damaged)?;
            let unmet = device.unmet(&requirements);
            if unmet.is_empty() {
                save::considered(device, candidate.image.label.as_str(), image, "taken");
                let name = candidate.name()?;
                let kernel = candidate.image.program(device)?.kernel(symbol)?;
                return Ok(Admitted { kernel, name, requirements });
            }
            let error = match candidate.name() {
                Ok(name) => {
                    // Explanations are a courtesy: damaged ones must not hide that the kernel cannot run.
                    let sources = image.sources(symbol).unwrap_or_default();
                    let text = refusal(&name, device.refusing_name(&requirements), &unmet, &sources, device.capabilities());
                    Error::new(Code::KernelNotSupported, text)
                }
                Err(error) => error,
            };
            save::considered(device, candidate.image.label.as_str(), image, error.message());
            refused = refused.or(Some(error));
        }
        Err(refused.unwrap_or_else(|| no_image_for(device, key, &foreign)))
    }

    /// There is no such kernel: the message says what there is.
    fn no_such_kernel(&self, key: KernelKey<'_>) -> Error {
        let mut images = Vec::new();
        let mut own_module = false;
        for module in &self.modules {
            own_module |= module.record.anchor == key.module;
            if let Ok(parsed) = module.parsed() {
                images.extend(parsed.images.iter().map(|image| image.label.clone()));
            }
        }
        let mut text = format!("no device image holds the kernel '{}'", key.symbol);
        if !own_module {
            text += " (the module that launches it has registered no images; link it with aspen++)";
        }
        text += &match images.len() {
            0 => "; there are no images at all".to_owned(),
            count if count > 8 => format!("; the {count} images are {}, …", images[..8].join(", ")),
            _ => format!("; the images are {}", images.join(", ")),
        };
        Error::new(Code::Invalid, text)
    }
}

/// The program has the kernel, but only for other devices.
fn no_image_for(device: &Device, key: KernelKey<'_>, foreign: &[Candidate<'_>]) -> Error {
    let mut targets: Vec<&str> = foreign.iter().map(|candidate| candidate.image.image.target()).collect();
    targets.sort_unstable();
    targets.dedup();
    let name = foreign.first().and_then(|candidate| candidate.name().ok()).unwrap_or_else(|| key.symbol.to_owned());
    let text = format!(
        "kernel '{name}' cannot run on '{}':\n  the program has no image of it for {}, only for {} (-fsycl-targets)",
        device.real().facts().name,
        device.platform().backend().name(),
        targets.join(", ")
    );
    Error::new(Code::KernelNotSupported, text)
}

impl Module {
    fn parsed(&self) -> Result<&Parsed> {
        self.parsed.get_or_init(|| self.parse()).as_ref().map_err(Error::clone)
    }

    fn parse(&self) -> Result<Parsed> {
        let bytes: &'static [u8] = if self.record.images_size == 0 {
            &[]
        } else {
            // SAFETY: readable until the module is unregistered by the contract of `register`; unregistering drops this `Module` and all
            // that borrows from it, and whoever uses images holds the registry's read lock meanwhile.
            unsafe { slice::from_raw_parts(self.record.images, self.record.images_size) }
        };
        let entries = parse_all(bytes).map_err(|error| {
            Error::new(Code::Build, format!("the device images of module {} (section .llvm.offloading) are damaged: {error}", self.number))
        })?;
        let mut parsed = Parsed { images: Vec::new(), by_symbol: BTreeMap::new() };
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
        Ok(parsed)
    }
}

impl Parsed {
    fn find<'r>(&'r self, symbols: &[&str], out: &mut Vec<Candidate<'r>>) {
        for symbol in symbols {
            let images = self.by_symbol.get(*symbol).map_or(&[][..], Vec::as_slice);
            out.extend(images.iter().map(|index| Candidate { image: &self.images[*index], symbol: (*symbol).to_owned() }));
        }
    }
}

impl Candidate<'_> {
    /// The kernel's name for people.
    fn name(&self) -> Result<String> {
        let kernels = self.image.image.kernels().map_err(|error| Error::new(Code::Build, format!("{}: {error}", self.image.label)))?;
        let found = kernels.into_iter().find(|kernel| kernel.symbol == self.symbol);
        Ok(found.map_or_else(|| untagged(&self.symbol).to_owned(), |kernel| kernel.info.name))
    }
}

impl Image {
    /// Loads the image for the device, once; a failure is remembered as well.
    fn program(&self, device: &'static Device) -> Result<Arc<dyn Program>> {
        let mut programs = lock(&self.programs);
        if let Some(known) = programs.iter().find(|known| std::ptr::eq(known.device, device)) {
            return known.program.clone();
        }
        let program = match self.image.check_bytes() {
            Ok(()) => device.real().load(&self.label, self.image.bytes()),
            Err(error) => Err(Error::new(Code::Build, format!("{} cannot be loaded: {error}; link the program again", self.label))),
        };
        programs.push(Loaded { device, program: program.clone() });
        program
    }
}

/// The symbol without its object's tag.
fn untagged(symbol: &str) -> &str {
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
