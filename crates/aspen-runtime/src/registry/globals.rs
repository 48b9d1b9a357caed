//! Device globals: variables of which every device has a value of its own, which kernels know by name and the host by the address of its
//! own variable.
//!
//! A value lies in memory that is made when somebody needs it first, or, with `device_image_scope`, in the image. Where an image that has
//! just been loaded has device globals, one kernel of its exchanges addresses with the runtime before any other runs.
//! Memory of values stays until the process ends, also where a library with such variables goes: kernels of its that run may use it.
//! Source: sycl_ext_oneapi_device_global; docs/decisions/0031.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::slice;
use std::sync::{Arc, Mutex};

use aspen_image::DeviceImage;
use aspen_image::device_globals::FAILED_ASSERTION;

use super::module::untagged;
use super::programs::Plan;
use super::{Inner, KernelKey, Registry};
use crate::backend::{AssertionWord, Closure, Launch, LaunchKind, Outcome, Program, Task, UsmKind};
use crate::command::lock;
use crate::error::{Code, Error, Result};
use crate::names::named;
use crate::system::Device;

/// The alignment of values in bytes: as of other memory of devices, more than any type asks for.
const ALIGNMENT: usize = 128;

/// A variable of a loaded object. Addresses, since values are read when a device needs one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceGlobal {
    /// The host's variable.
    pub variable: usize,
    /// The name that images of the module know it by.
    pub id: String,
    /// Where the host has its initial value.
    pub initial: usize,
    /// How many bytes that has.
    pub size: usize,
    /// Whether values lie in images.
    pub in_image: bool,
}

/// The variables of a loaded object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectGlobals {
    /// Identifies the registration.
    pub record: usize,
    /// The module that the object is part of, by its anchor.
    pub module: usize,
    /// The variables.
    pub globals: Vec<DeviceGlobal>,
}

/// The values of devices.
#[derive(Default, Debug)]
pub(super) struct Values {
    /// Where each is, by device and variable.
    known: Mutex<BTreeMap<(usize, usize), usize>>,
    /// Where kernels of a device tell of failed assertions, by device; `None` where kernels cannot write what the host reads.
    assertions: Mutex<BTreeMap<usize, Option<AssertionWord>>>,
}

/// A variable of an image that is to be loaded.
#[derive(Debug)]
enum Wanted {
    /// Its value lies in memory, which is made of these bytes if the device has none yet.
    InMemory { variable: usize, initial: Option<Vec<u8>> },
    /// Its value lies in the image.
    InImage { variable: usize },
    /// It is the headers' own, [`FAILED_ASSERTION`].
    Assertion,
}

/// What to tell an image once it is loaded.
#[derive(Debug)]
pub(super) struct Exchange {
    label: String,
    kernel: String,
    /// In the order of the kernel's table.
    wanted: Vec<Wanted>,
}

impl Values {
    pub(super) const fn new() -> Values {
        Values { known: Mutex::new(BTreeMap::new()), assertions: Mutex::new(BTreeMap::new()) }
    }

    fn key(device: &'static Device, variable: usize) -> (usize, usize) {
        (std::ptr::from_ref(device) as usize, variable)
    }

    fn find(&self, device: &'static Device, variable: usize) -> Option<usize> {
        lock(&self.known).get(&Values::key(device, variable)).copied()
    }

    /// What the variables have been on devices is forgotten.
    fn forget(&self, gone: &[usize]) {
        lock(&self.known).retain(|(_, variable), _| !gone.contains(variable));
    }

    /// Where the device has the value; made of the bytes if it has none.
    fn make(&self, device: &'static Device, variable: usize, initial: &[u8]) -> Result<usize> {
        let mut values = lock(&self.known);
        if let Some(known) = values.get(&Values::key(device, variable)) {
            return Ok(*known);
        }
        let memory = Memory::new(device, initial)?;
        let address = memory.address;
        std::mem::forget(memory); // It is the value now.
        values.insert(Values::key(device, variable), address);
        Ok(address)
    }

    /// Where kernels of the device tell of failed assertions.
    fn assertion(&self, device: &'static Device) -> Option<AssertionWord> {
        let make = || {
            let word = device.real().allocate(UsmKind::Host, Layout::new::<u32>()).ok()?;
            // SAFETY: memory of the host for a word, new, and never freed.
            Some(unsafe { AssertionWord::new(word.cast()) })
        };
        *lock(&self.assertions).entry(std::ptr::from_ref(device) as usize).or_insert_with(make)
    }

    /// Runs the kernel of a program that has just been loaded.
    pub(super) fn exchange(&self, device: &'static Device, program: &Arc<dyn Program>, exchange: &Exchange) -> Result<()> {
        let mut table = Vec::new();
        for wanted in &exchange.wanted {
            let address = match wanted {
                Wanted::InImage { .. } => 0,
                Wanted::InMemory { variable, initial: Some(initial) } => self.make(device, *variable, initial)?,
                // Its object may have gone meanwhile; then nobody launches the kernel either.
                Wanted::InMemory { variable, initial: None } => self.find(device, *variable).unwrap_or_default(),
                Wanted::Assertion => {
                    let word = self.assertion(device);
                    word.inspect(|word| program.report_assertions(*word)).map_or(0, AssertionWord::address)
                }
            };
            table.extend((address as u64).to_le_bytes());
        }
        let memory = Memory::new(device, &table)?;
        let failed = |error: Error| {
            Error::new(error.code(), format!("{}: its device globals cannot be reached: {}", exchange.label, error.message()))
        };
        run(program, &exchange.kernel, memory.address as u64).map_err(failed)?;
        if !exchange.wanted.iter().any(|wanted| matches!(wanted, Wanted::InImage { .. })) {
            return Ok(());
        }
        // SAFETY: both are as long as the table.
        unsafe { device.real().copy(table.as_mut_ptr(), memory.address as *const u8, table.len()) }?;
        let mut values = lock(&self.known);
        for (wanted, slot) in exchange.wanted.iter().zip(table.chunks_exact(8)) {
            let Wanted::InImage { variable } = wanted else { continue };
            let address = u64::from_le_bytes(slot.try_into().unwrap_or_default());
            values.insert(Values::key(device, *variable), usize::try_from(address).unwrap_or_default());
        }
        Ok(())
    }
}

/// Memory of a device with these bytes.
struct Memory {
    device: &'static Device,
    address: usize,
    layout: Layout,
}

impl Memory {
    fn new(device: &'static Device, bytes: &[u8]) -> Result<Memory> {
        let none =
            |why: String| Error::new(Code::MemoryAllocation, format!("no memory for device globals of {} bytes: {why}", bytes.len()));
        let layout = Layout::from_size_align(bytes.len().max(1), ALIGNMENT).map_err(|error| none(error.to_string()))?;
        let kind = if device.real().has_memory() { UsmKind::Device } else { UsmKind::Shared };
        let pointer = device.real().allocate(kind, layout).map_err(|error| none(error.to_string()))?;
        let memory = Memory { device, address: pointer.as_ptr() as usize, layout };
        // SAFETY: the memory is new and as long as the bytes.
        unsafe { device.real().copy(pointer.as_ptr(), bytes.as_ptr(), bytes.len()) }?;
        Ok(memory)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(pointer) = std::ptr::NonNull::new(self.address as *mut u8) {
            // SAFETY: allocated with that layout, and whoever used it is done.
            unsafe { self.device.real().free(pointer, self.layout) };
        }
    }
}

/// Runs a kernel that takes the address of a table, and waits for it.
fn run(program: &Arc<dyn Program>, kernel: &str, table: u64) -> Result<()> {
    let closure = table.to_le_bytes();
    let launch = Launch {
        name: kernel.into(),
        kind: LaunchKind::SingleTask,
        global: [1; 3],
        local: [0; 3],
        offset: [0; 3],
        local_memory: 0,
        sub_group_size: None,
        // SAFETY: readable bytes.
        closure: unsafe { Closure::copy(closure.as_ptr(), closure.len(), 8) }?,
    };
    let deferred = match program.kernel(kernel)?.prepare(launch, 1)? {
        Task::Job(job) => return (0..job.chunks()).try_for_each(|chunk| job.run(chunk)),
        Task::Deferred(deferred) => deferred,
    };
    let event = deferred.enqueue(&[], false)?;
    match event.map(|event| event.wait()) {
        Some(Outcome::Done) => Ok(()),
        Some(Outcome::Failed(error)) => Err(error),
        None | Some(Outcome::NotBegun) => Err(Error::new(Code::Runtime, "the device did not begin it")),
    }
}

impl Inner {
    /// What to tell the images of a plan, which are given as copies, once they are loaded.
    ///
    /// # Errors
    /// [`Code::Build`] if an image is damaged, or has variables that its module does not know.
    pub(super) fn exchanges(&self, plan: &Plan, copies: &[DeviceImage<'static>], values: &Values) -> Result<Vec<Exchange>> {
        let mut exchanges = Vec::new();
        for ((id, label), image) in plan.labelled().zip(copies) {
            let build = |why: String| Error::new(Code::Build, format!("{label}: {why}"));
            let damaged = |error: aspen_image::ImageError| build(error.to_string());
            let globals = image.device_globals().map_err(damaged)?;
            // Images of other tools know no exchange.
            let Some(kernel) = image.device_globals_kernel().map_err(damaged)? else { continue };
            let anchor = self.modules.iter().find(|module| module.number == id.0).map(|module| module.record.anchor);
            let mut wanted = Vec::new();
            for global in globals {
                if global.id == FAILED_ASSERTION {
                    wanted.push(Wanted::Assertion);
                    continue;
                }
                let mut known = self.globals.iter().filter(|object| Some(object.module) == anchor).flat_map(|object| &object.globals);
                let found =
                    known.find(|known| known.id == global.id && known.size == global.size as usize && known.in_image == global.in_image);
                let found = found.ok_or_else(|| {
                    build(format!("the program does not register its device_global {}; link it again", named(untagged(&global.id))))
                })?;
                let variable = found.variable;
                if found.in_image {
                    wanted.push(Wanted::InImage { variable });
                    continue;
                }
                let is_new = values.find(plan.device(), variable).is_none();
                // SAFETY: registered objects are loaded, and the registry is locked; the bytes are part of the host's variable.
                let initial = is_new.then(|| unsafe { slice::from_raw_parts(found.initial as *const u8, found.size) }.to_vec());
                wanted.push(Wanted::InMemory { variable, initial });
            }
            exchanges.push(Exchange { label: label.to_owned(), kernel, wanted });
        }
        Ok(exchanges)
    }
}

impl Registry {
    /// Adds the variables of an object that is being loaded.
    ///
    /// # Safety
    /// Initial values are readable until the object's variables are removed.
    pub unsafe fn register_globals(&self, object: ObjectGlobals) {
        self.write().globals.push(object);
    }

    /// Removes them.
    pub fn unregister_globals(&self, record: usize) {
        let mut inner = self.write();
        let (gone, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut inner.globals).into_iter().partition(|object| object.record == record);
        inner.globals = kept;
        // Inline variables belong to several objects.
        let has = |variable: usize| inner.globals.iter().flat_map(|object| &object.globals).any(|global| global.variable == variable);
        let variables: Vec<usize> =
            gone.iter().flat_map(|object| &object.globals).map(|global| global.variable).filter(|&one| !has(one)).collect();
        drop(inner);
        self.values.forget(&variables);
    }

    /// Where the device has the value of the host's variable: memory that is made for it, or the image that has it, which is loaded.
    ///
    /// # Errors
    /// [`Code::Invalid`] if there is no such variable, [`Code::KernelNotSupported`] if its values lie in images and the device has none with it,
    /// and those of loading and allocating.
    pub fn global_address(&self, device: &'static Device, variable: usize) -> Result<*mut u8> {
        let inner = self.read();
        let of_object =
            |object: &ObjectGlobals| Some((object.module, object.globals.iter().find(|global| global.variable == variable)?.clone()));
        let unknown = || {
            let why = "the address is no device_global of the program: such variables are at namespace scope or static members";
            Error::new(Code::Invalid, why)
        };
        let (module, global) = inner.globals.iter().find_map(of_object).ok_or_else(unknown)?;
        if !global.in_image {
            // SAFETY: registered objects are loaded, and the registry is locked; the bytes are part of the host's variable.
            let initial = unsafe { slice::from_raw_parts(global.initial as *const u8, global.size) };
            return self.values.make(device, variable, initial).map(|address| address as *mut u8);
        }
        let symbol = inner.kernel_with(device, module, &global.id);
        drop(inner);
        let none = || {
            let name = &device.real().facts().name;
            let variable = named(untagged(&global.id));
            let why = format!("the device_global {variable} lies in a device image, and no kernel that '{name}' has an image of uses it");
            Error::new(Code::KernelNotSupported, why)
        };
        self.admit(device, KernelKey { module, tag: "", symbol: &symbol.ok_or_else(none)? })?;
        self.values.find(device, variable).map(|address| address as *mut u8).ok_or_else(none)
    }
}

impl Inner {
    /// A kernel of the best image of a module that has the variable.
    fn kernel_with(&self, device: &Device, module: usize, id: &str) -> Option<String> {
        let images = self.modules.iter().filter(|one| one.record.anchor == module).flat_map(|one| &one.parsed().images);
        let having = images.filter(|image| image.image.device_globals().is_ok_and(|globals| globals.iter().any(|global| global.id == id)));
        let fitting = having.filter_map(|image| Some((device.real().fit(&image.image)?, image.image.symbols().next()?)));
        let best = fitting.reduce(|best, other| if other.0 > best.0 { other } else { best });
        best.map(|(_, symbol)| symbol.to_owned())
    }
}
