//! The device images of the loaded modules, and the way from a kernel's symbol to an image that may run.
//!
//! - `module`: a module's images; registration keeps only the pointer, so a program that never launches pays nothing;
//! - `closure`: the images that a kernel's image imports functions from;
//! - `choice`: which image runs, or why none does: the check;
//! - `early`: kernels that are loaded before they are launched;
//! - `globals`: variables of which every device has a value of its own;
//! - `programs`: what came of loading images;
//! - `verdicts`: what came of it, remembered until a module comes or goes.
//!
//! The bytes of images are touched after the check, and only those that are loaded.
//!
//! Locks: modules come and go under the system's loader lock (`dlopen` and `dlclose` call their constructors and destructors), and devices
//! load libraries, which takes that lock. So nothing is loaded or given up while the registry is locked: what a device gets is copied under
//! the lock, and what goes is dropped after it.

mod choice;
mod closure;
mod early;
mod globals;
mod module;
mod programs;
mod verdicts;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use aspen_contract::Requirements;

use crate::backend::{Kernel, Native, Program};
use crate::command::lock;
use crate::error::{Code, Error, Result};
use crate::names::kernel_name;
use crate::system::Device;
use crate::trace;
use choice::{Denied, Taken};
use globals::Values;
pub use globals::{DeviceGlobal, ObjectGlobals};
use module::{ImageId, Module, split_tag, tagged};
use programs::{Plan, Programs};
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
    pub(crate) name: Arc<str>,
    pub(crate) requirements: Requirements,
}

struct Inner {
    modules: Vec<Module>,
    registered: usize,
    /// Modules whose images are not for this library: record, anchor and why.
    refused: Vec<(usize, usize, String)>,
    /// The device globals of loaded objects.
    globals: Vec<ObjectGlobals>,
}

/// The modules of the process.
pub struct Registry {
    inner: RwLock<Inner>,
    verdicts: Verdicts,
    values: Values,
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
        let inner = Inner { modules: Vec::new(), registered: 0, refused: Vec::new(), globals: Vec::new() };
        Registry { inner: RwLock::new(inner), verdicts: Verdicts::new(), values: Values::new() }
    }

    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a module.
    ///
    /// # Safety
    /// `record.images` is readable for `record.images_size` bytes until the module is unregistered.
    pub unsafe fn register(&self, record: ModuleRecord) {
        let mut inner = self.write();
        inner.registered += 1;
        let number = inner.registered;
        inner.modules.push(Module::new(record, number));
        let forgotten = self.verdicts.clear();
        drop(inner);
        drop(forgotten);
    }

    /// Notes that a module's images cannot be used; launches from it say why.
    pub fn refuse(&self, record: usize, anchor: usize, why: &str) {
        let mut inner = self.write();
        inner.refused.push((record, anchor, why.to_owned()));
    }

    /// Removes the module of that record; kernels that run keep their images loaded.
    pub fn unregister(&self, record: usize) {
        let mut inner = self.write();
        let (gone, kept): (Vec<Module>, _) =
            std::mem::take(&mut inner.modules).into_iter().partition(|module| module.record.record == record);
        inner.modules = kept;
        inner.refused.retain(|(refused, ..)| *refused != record);
        let mut programs = Vec::new();
        for module in &gone {
            for parsed in inner.modules.iter().filter_map(Module::parsed_already) {
                programs.extend(parsed.forget(module.number));
            }
        }
        let verdicts = self.verdicts.clear();
        drop(inner);
        drop((gone, programs, verdicts));
    }

    /// All kernels, sorted, each once: the symbol, and the tag of the object that has it for itself; empty if all objects share it. Damaged
    /// sections have none; a launch says what is wrong with them.
    pub fn kernels(&self) -> Vec<(String, String)> {
        let inner = self.read();
        let names = inner.modules.iter().flat_map(|module| module.parsed().by_symbol.keys().map(|symbol| split_tag(symbol)));
        let mut kernels: Vec<(String, String)> = names.map(|(symbol, tag)| (symbol.to_owned(), tag.to_owned())).collect();
        kernels.sort_unstable();
        kernels.dedup();
        kernels
    }

    /// Whether the object of that tag has the kernel for itself, so that another object's of the same symbol is another one.
    pub fn is_internal(&self, tag: &str, symbol: &str) -> bool {
        let inner = self.read();
        let tagged = tagged(symbol, tag);
        inner.modules.iter().any(|module| module.parsed().by_symbol.contains_key(&tagged))
    }

    /// Whether the program has an image that the device takes, whatever its kernels need. Of a damaged section what can be read counts.
    pub fn has_image_for(&self, device: &Device) -> bool {
        let inner = self.read();
        let mut images = inner.modules.iter().flat_map(|module| &module.parsed().images).map(|loaded| &loaded.image);
        images.any(|image| !image.is_left_out() && device.real().fit(image).is_some())
    }

    /// Whether the device can run the kernel; `None` if no module has it.
    pub fn is_supported(&self, device: &'static Device, key: KernelKey<'_>) -> Option<bool> {
        // A damaged section holds no kernel that could run; it is named when a launch needs it.
        self.verdict(device, key).ok().map(|verdict| verdict.refused.is_none())
    }

    /// The same, if somebody has asked before; strings as [`KernelKey`] has them.
    pub fn is_known_as_supported(&self, device: &'static Device, module: usize, tag: &[u8], symbol: &[u8]) -> Option<bool> {
        self.verdicts.look(device, module, tag, symbol, |verdict| verdict.refused.is_none())
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

    /// The most work-items that a group of the kernel may have, where it has a limit of its own. Loads it.
    ///
    /// # Errors
    /// As [`Registry::load`].
    pub fn group_limit(&self, device: &'static Device, key: KernelKey<'_>) -> Result<Option<u64>> {
        Ok(self.admit(device, key)?.kernel.group_limit().map(|limit| limit.items))
    }

    /// The kernel or its program in the backend's own interface, with a reference for the caller. Loads it.
    ///
    /// # Errors
    /// As [`Registry::load`], and what the driver says.
    pub fn native(&self, device: &'static Device, key: KernelKey<'_>, what: Native) -> Result<Option<usize>> {
        self.admit(device, key)?.kernel.native(what)
    }

    /// The same, for a launch.
    pub(crate) fn admit(&self, device: &'static Device, key: KernelKey<'_>) -> Result<Arc<Admitted>> {
        let (tag, symbol) = (key.tag.as_bytes(), key.symbol.as_bytes());
        if let Some(Some(admitted)) = self.verdicts.look(device, key.module, tag, symbol, |known| known.admitted.get().cloned()) {
            return Ok(admitted);
        }
        let verdict = self.verdict(device, key)?;
        if let Some(admitted) = verdict.admitted.get() {
            return Ok(admitted.clone());
        }
        if let Some(error) = &verdict.refused {
            return Err(error.clone());
        }
        let admitted = Arc::new(self.load_best(device, key)?);
        let inner = self.read();
        // Verdicts are cleared under the write lock, so one that is still known was made with these modules.
        let kept =
            if self.verdicts.is_current(&verdict) { verdict.admitted.get_or_init(|| admitted.clone()).clone() } else { admitted.clone() };
        drop(inner);
        drop(admitted);
        Ok(kept)
    }

    fn verdict(&self, device: &'static Device, key: KernelKey<'_>) -> Result<Arc<Verdict>> {
        if let Some(known) = self.verdicts.find(device, key) {
            return Ok(known);
        }
        let _slice = trace::slice("check", || kernel_name(key.symbol));
        let inner = self.read();
        let refused = match inner.choose(device, key, true) {
            Ok(_) => None,
            Err(Denied::Refused(error)) => Some(error),
            Err(Denied::Unknown(error)) => return Err(error),
        };
        // Still under the read lock, so that no registration can come between and leave a stale verdict.
        let (verdict, replaced) = self.verdicts.remember(device, key, refused);
        drop(inner);
        drop(replaced);
        Ok(verdict)
    }

    /// Loads the best candidate that can be loaded. Machine code made ahead of time may be refused by a driver of another version; the
    /// next candidate serves then. If none can be loaded, the first failure is the error.
    fn load_best(&self, device: &'static Device, key: KernelKey<'_>) -> Result<Admitted> {
        let (mut tried, mut failed): (Vec<ImageId>, Option<Error>) = (Vec::new(), None);
        loop {
            let inner = self.read();
            // Modules may have come or gone since the verdict: what counts is now.
            let choice = inner.choose(device, key, false).map_err(Denied::into_error)?;
            let Some(taken) = choice.taken.into_iter().find(|taken| !tried.contains(&taken.candidate.id)) else {
                return Err(failed.unwrap_or_else(|| Error::new(Code::Build, "no image could be loaded")));
            };
            let Taken { candidate, closure, name, requirements } = taken;
            let (programs, symbol) = (candidate.image.programs.clone(), candidate.symbol);
            let plan = Plan::new(device, closure);
            drop(inner);
            tried.push(plan.id());
            match self.program(&programs, &plan).and_then(|program| program.kernel(&symbol)) {
                Ok(kernel) => return Ok(Admitted { kernel, name: name.into(), requirements }),
                Err(error) => {
                    tracing::warn!(image = plan.label(), %error, "cannot be loaded");
                    failed = failed.or(Some(error));
                }
            }
        }
    }

    /// The program of that plan: loaded once, by one thread, while others wait that need the same image.
    fn program(&self, programs: &Programs, plan: &Plan) -> Result<Arc<dyn Program>> {
        if let Some(known) = programs.find(plan) {
            return known;
        }
        let alone = lock(&programs.loading);
        if let Some(known) = programs.find(plan) {
            return known;
        }
        let inner = self.read();
        let copies = plan.copies(&inner)?;
        let exchanges = inner.exchanges(plan, &copies, &self.values)?;
        drop(inner);
        let program = plan.load(&copies).and_then(|program| {
            exchanges.iter().try_for_each(|exchange| self.values.exchange(plan.device(), &program, exchange))?;
            Ok(program)
        });
        let inner = self.read();
        // One of its modules may have gone meanwhile; nobody will ask for the program then.
        let replaced = plan.is_whole(&inner).then(|| programs.keep(plan, program.clone()));
        drop(inner);
        drop(alone);
        drop(replaced);
        program
    }
}

impl Denied {
    fn into_error(self) -> Error {
        match self {
            Denied::Unknown(error) | Denied::Refused(error) => error,
        }
    }
}
