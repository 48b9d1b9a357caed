//! The device images of the loaded modules, and the way from a kernel's symbol to an image that may run.
//!
//! - `module`: a module's images; registration keeps only the pointer, so a program that never launches pays nothing;
//! - `closure`: the images that a kernel's image imports functions from;
//! - `choice`: which image runs, or why none does: the check;
//! - `verdicts`: what came of it, remembered until a module comes or goes.
//!
//! The bytes of images are touched after the check, and only those that are loaded.

mod choice;
mod closure;
mod module;
mod verdicts;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use aspen_contract::Requirements;

use crate::backend::Kernel;
use crate::error::{Code, Error, Result};
use crate::system::Device;
use choice::{Choice, Denied};
use module::{Module, untagged};
use verdicts::{Verdict, Verdicts};

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

struct Inner {
    modules: Vec<Module>,
    registered: usize,
    /// Modules whose images are not for this library: record, anchor and why.
    refused: Vec<(usize, usize, String)>,
}

/// The modules of the process.
pub struct Registry {
    inner: RwLock<Inner>,
    verdicts: Verdicts,
}

static REGISTRY: Registry = Registry::new();

/// The registry of this process: constructors register modules before anything else of the runtime exists.
pub fn registry() -> &'static Registry {
    &REGISTRY
}

impl Default for Registry {
    fn default() -> Self {
        Registry::new()
    }
}

impl Registry {
    /// Without modules.
    pub const fn new() -> Registry {
        Registry { inner: RwLock::new(Inner { modules: Vec::new(), registered: 0, refused: Vec::new() }), verdicts: Verdicts::new() }
    }

    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a module.
    ///
    /// # Safety
    /// `record.images` is readable for `record.images_size` bytes until the module is unregistered.
    pub unsafe fn register(&self, record: ModuleRecord) {
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        inner.registered += 1;
        let number = inner.registered;
        inner.modules.push(Module::new(record, number));
        self.verdicts.clear();
    }

    /// Notes that a module's images cannot be used; launches from it say why.
    pub fn refuse(&self, record: usize, anchor: usize, why: &str) {
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        inner.refused.push((record, anchor, why.to_owned()));
    }

    /// Removes the module of that record; kernels that run keep their images loaded.
    pub fn unregister(&self, record: usize) {
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        let (gone, kept) = std::mem::take(&mut inner.modules).into_iter().partition(|module| module.record.record == record);
        inner.modules = kept;
        inner.refused.retain(|(refused, ..)| *refused != record);
        for module in &gone as &Vec<Module> {
            for parsed in inner.modules.iter().filter_map(Module::parsed_already) {
                parsed.forget(module.number);
            }
        }
        self.verdicts.clear();
    }

    /// All kernel symbols without tags, sorted, each once. Damaged sections have none; a launch says what is wrong with them.
    pub fn symbols(&self) -> Vec<String> {
        let inner = self.read();
        let mut symbols: Vec<String> =
            inner.modules.iter().flat_map(|module| module.parsed().by_symbol.keys().map(|symbol| untagged(symbol).to_owned())).collect();
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    }

    /// Whether the device can run the kernel; `None` if no module has it.
    pub fn is_supported(&self, device: &'static Device, key: KernelKey<'_>) -> Option<bool> {
        // A damaged section holds no kernel that could run; it is named when a launch needs it.
        self.verdict(device, key).ok().map(|verdict| verdict.refused.is_none())
    }

    /// The check alone: nothing is loaded.
    ///
    /// # Errors
    /// [`Code::KernelNotSupported`] if the device lacks something, [`Code::Build`] if the kernel calls functions that no module provides,
    /// [`Code::Invalid`] if there is no such kernel.
    pub fn check(&self, device: &'static Device, key: KernelKey<'_>) -> Result<()> {
        match &self.verdict(device, key)?.refused {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Checks and loads the kernel, as a launch would; what it requires, together with all it calls.
    ///
    /// # Errors
    /// Those of [`Registry::check`], and [`Code::Build`] if the image cannot be loaded.
    pub fn load(&self, device: &'static Device, key: KernelKey<'_>) -> Result<Requirements> {
        Ok(self.admit(device, key)?.requirements.clone())
    }

    /// The same, for a launch.
    pub(crate) fn admit(&self, device: &'static Device, key: KernelKey<'_>) -> Result<Arc<Admitted>> {
        let verdict = self.verdict(device, key)?;
        if let Some(admitted) = verdict.admitted.get() {
            return Ok(admitted.clone());
        }
        if let Some(error) = &verdict.refused {
            return Err(error.clone());
        }
        let inner = self.read();
        // Modules may have come or gone since the verdict: what counts is now.
        let choice = inner.choose(device, key, false).map_err(Denied::into_error)?;
        let admitted = Arc::new(choice.load(device)?);
        // Verdicts are cleared under the write lock, so one that is still known was made with these modules.
        if self.verdicts.is_current(&verdict) {
            return Ok(verdict.admitted.get_or_init(|| admitted).clone());
        }
        Ok(admitted)
    }

    fn verdict(&self, device: &'static Device, key: KernelKey<'_>) -> Result<Arc<Verdict>> {
        if let Some(known) = self.verdicts.find(device, key) {
            return Ok(known);
        }
        let inner = self.read();
        let refused = match inner.choose(device, key, true) {
            Ok(_) => None,
            Err(Denied::Refused(error)) => Some(error),
            Err(Denied::Unknown(error)) => return Err(error),
        };
        // Still under the read lock, so that no registration can come between and leave a stale verdict.
        Ok(self.verdicts.remember(device, key, refused))
    }
}

impl Denied {
    fn into_error(self) -> Error {
        match self {
            Denied::Unknown(error) | Denied::Refused(error) => error,
        }
    }
}

impl Choice<'_> {
    /// Loads the best candidate that can be loaded. Machine code made ahead of time may be refused by a driver of another version; the
    /// next candidate serves then. If none can be loaded, the first failure is the error.
    fn load(&self, device: &'static Device) -> Result<Admitted> {
        let mut failed: Option<Error> = None;
        for taken in &self.taken {
            let kernel = taken.candidate.image.program(device, &taken.closure).and_then(|program| program.kernel(&taken.candidate.symbol));
            match kernel {
                Ok(kernel) => return Ok(Admitted { kernel, name: taken.name.clone(), requirements: taken.requirements.clone() }),
                Err(error) => {
                    tracing::warn!(image = taken.candidate.image.label, %error, "cannot be loaded");
                    failed = failed.or(Some(error));
                }
            }
        }
        Err(failed.unwrap_or_else(|| Error::new(Code::Build, "no image could be loaded")))
    }
}
