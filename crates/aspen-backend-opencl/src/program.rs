//! Programs, kernels and launches. Entries are those of `include/sycl/detail/kernel_entry.hpp`:
//!
//! | launch            | arguments                                                                    | local size                  |
//! |-------------------|------------------------------------------------------------------------------|-----------------------------|
//! | single task       | functor                                                                      | 1                           |
//! | range             | functor                                                                      | the driver's choice         |
//! | nd_range          | functor, local memory                                                        | the nd_range's              |
//! | work-groups       | functor, local memory, logical group (three u64 in SYCL order, by value)     | 1: one work-item is a group |
//!
//! SYCL's last dimension is OpenCL's first.

use std::borrow::Cow;
use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aspen_runtime::backend::{self, AssertionWord, ImageKind, Launch, LaunchKind, Native, Part, Task};
use aspen_runtime::names::kernel_name;
use aspen_runtime::{Code, Error, Result};

use crate::bitcode::{entry_name, for_translator};
use crate::device::Device;
use crate::handles::{Event, Failure, Kernel, NotBuilt, Program, Queue, Tried};
use crate::objects::retain;
use crate::spirv::{for_driver, uses_local_memory};
use crate::submitted::{Enqueue, Later};
use crate::sys;
use crate::tools::link;

/// The logical group of `parallel_for_work_group` when neither launch nor kernel names one, the same as on the embedded CPU: one work-item, as other
/// implementations have it: programs index memory by global ids (SYCL-CTS `handler`).
const DEFAULT_LOGICAL_GROUP: [u64; 3] = [1, 1, 1];

/// Images that do not become one program.
const NO_LINK: Failure = Failure { call: "clLinkProgram", error: sys::CL_LINK_PROGRAM_FAILURE };

/// A module that does not become bitcode.
const NO_BITCODE: Failure = Failure { call: "making bitcode", error: sys::CL_BUILD_PROGRAM_FAILURE };

/// An image, built for a device.
pub(crate) struct Image {
    device: Arc<Device>,
    name: String,
    program: Arc<Program>,
    /// Where kernels tell of failed assertions, if any of them has some.
    assertions: Arc<OnceLock<AssertionWord>>,
}

impl Image {
    pub(crate) fn build(device: &Arc<Device>, parts: &[Part<'_>]) -> Result<Image> {
        let begin = std::time::Instant::now();
        let names = parts.iter().map(|part| part.name).collect::<Vec<_>>().join(" with ");
        let program = built(device, parts).map_err(|problem| {
            let mut text = format!("{names} cannot be built for OpenCL device '{}': {}", device.name(), problem.failure);
            if !problem.log.is_empty() {
                text += &format!("\n{}", problem.log);
            }
            Error::new(Code::Build, text)
        })?;
        tracing::debug!(image = names, device = device.name(), ms = begin.elapsed().as_millis(), "built");
        Ok(Image { device: device.clone(), name: names, program, assertions: Arc::default() })
    }
}

/// Images as the driver runs them: machine code as it is; SPIR-V compiled, several modules linked, and kept in the cache.
fn built(device: &Arc<Device>, parts: &[Part<'_>]) -> std::result::Result<Arc<Program>, NotBuilt> {
    let context = device.tried_context()?;
    if let [part] = parts
        && part.image.kind() != ImageKind::SpirV
    {
        return Program::from_binary(context, device.id(), part.image.bytes())?.build();
    }
    let modules = modules(parts)?;
    let cached = device.cached(modules.iter().map(AsRef::as_ref));
    if let Some((cache, key)) = &cached
        && let Some(binary) = cache.load(key)
    {
        match Program::from_binary(context, device.id(), &binary).map_err(NotBuilt::from).and_then(Program::build) {
            Ok(program) => return Ok(program),
            Err(problem) => {
                tracing::warn!(device = device.name(), failure = %problem.failure, "a program of the JIT cache is not taken and made again");
                cache.remove(key);
            }
        }
    }
    let linked = (modules.len() > 1 && !device.can_link()).then(|| link(&modules));
    let linked = linked.transpose().map_err(|log| NotBuilt { failure: NO_LINK, log })?.map(Cow::from);
    let modules = linked.as_ref().map_or(modules.as_slice(), std::slice::from_ref);
    let (program, kept) = match (device.translator(), modules) {
        (Some(translator), [module]) => {
            let made = for_translator(module).and_then(|spirv| translator.bitcode(&spirv));
            let bitcode = made.map_err(|log| NotBuilt { failure: NO_BITCODE, log })?;
            // What is kept is the bitcode: PoCL compiles every kernel before it gives a program away, and keeps those that run itself.
            (Program::from_binary(context, device.id(), &bitcode)?.build()?, Some(bitcode))
        }
        _ => {
            let program = |spirv: &Cow<'_, [u8]>| Program::from_spirv(context, device.id(), spirv);
            let mut programs = modules.iter().map(program).collect::<Tried<Vec<_>>>()?;
            let program = if programs.len() == 1 { programs.remove(0).build()? } else { Program::link(programs)? };
            let kept = cached.as_ref().and_then(|_| program.binary());
            (program, kept)
        }
    };
    if let (Some((cache, key)), Some(binary)) = (&cached, kept) {
        cache.store(key, &binary);
    }
    Ok(program)
}

/// The SPIR-V that the driver gets of each part.
fn modules<'p>(parts: &[Part<'p>]) -> std::result::Result<Vec<Cow<'p, [u8]>>, NotBuilt> {
    if let Some(part) = parts.iter().skip(1).find(|part| uses_local_memory(part.image.bytes())) {
        let log = format!(
            "functions of {} use a kernel's local memory, which OpenCL drivers cannot link: pass them pointers, or define them in the objects \
             of the program that calls them",
            part.name
        );
        return Err(NotBuilt { failure: NO_LINK, log });
    }
    // Work-groups of other compilers' kernels are the driver's.
    let module = |part: &Part<'p>| if part.image.is_foreign() { Cow::Borrowed(part.image.bytes()) } else { for_driver(part.image.bytes()) };
    Ok(parts.iter().map(module).collect())
}

impl backend::Program for Image {
    fn kernel(&self, symbol: &str) -> Result<Arc<dyn backend::Kernel>> {
        let failed = |why: &dyn std::fmt::Display| {
            Error::new(Code::Build, format!("{}: the image's list of kernels promises '{}', but: {why}", self.name, kernel_name(symbol)))
        };
        let name = if self.device.translator().is_some() { entry_name(symbol) } else { Cow::Borrowed(symbol) };
        let symbol = CString::new(name.as_bytes()).map_err(|error| failed(&error))?;
        let (device, program, assertions) = (self.device.clone(), self.program.clone(), self.assertions.clone());
        let entry = Entry { device, program, assertions, symbol, spare: Mutex::default(), limits: OnceLock::new(), shown: OnceLock::new() };
        // One now, so that a kernel that is not there is an error of the image.
        let kernel = entry.create().map_err(|failure| failed(&failure))?;
        entry.give_back(kernel);
        Ok(Arc::new(Shared(Arc::new(entry))))
    }

    fn report_assertions(&self, word: AssertionWord) {
        self.assertions.get_or_init(|| word);
    }
}

/// A kernel. Its arguments belong to a kernel object, so each launch in flight has one of its own.
struct Entry {
    device: Arc<Device>,
    program: Arc<Program>,
    assertions: Arc<OnceLock<AssertionWord>>,
    symbol: CString,
    spare: Mutex<Vec<Kernel>>,
    limits: OnceLock<Tried<Limits>>,
    /// What a program has that asked for the kernel.
    shown: OnceLock<Tried<Kernel>>,
}

/// What the compiled kernel can do, which may be less than its device.
#[derive(Clone, Copy)]
struct Limits {
    max_work_group_size: usize,
    /// 0: none is required.
    required_sub_group_size: usize,
}

impl Entry {
    fn create(&self) -> Tried<Kernel> {
        let mut kernel = Kernel::create(&self.program, &self.symbol)?;
        for access in self.device.indirect_accesses() {
            kernel.allow(access)?;
        }
        Ok(kernel)
    }

    fn take(&self) -> Result<Kernel> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.map_or_else(|| self.create().map_err(|failure| self.device.error(Code::Runtime, failure)), Ok)
    }

    fn give_back(&self, kernel: Kernel) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(kernel);
    }

    fn limits(&self, kernel: &Kernel) -> Result<Limits> {
        let ask = || {
            // Drivers without the extension know no required sizes.
            let required_sub_group_size = if self.device.has_sub_group_sizes() { kernel.required_sub_group_size()? } else { 0 };
            Ok(Limits { max_work_group_size: kernel.max_work_group_size()?, required_sub_group_size })
        };
        self.limits.get_or_init(ask).map_err(|failure| self.device.error(Code::Runtime, failure))
    }

    /// What the check of the device cannot know, since it depends on what the driver made of the kernel.
    fn check(&self, kernel: &Kernel, launch: &Launch, local: &[usize]) -> Result<()> {
        let limits = self.limits(kernel)?;
        let items: usize = local.iter().product();
        if items > limits.max_work_group_size {
            let text = format!(
                "kernel '{}' was launched with work-groups of {items} work-items; '{}' runs it with at most {}",
                launch.name,
                self.device.name(),
                limits.max_work_group_size
            );
            return Err(Error::new(Code::NdRange, text));
        }
        // Some drivers build another size than the required one and say nothing. Source: DESIGN §10.
        let required = limits.required_sub_group_size;
        if required == 0 || items < required {
            return Ok(());
        }
        let built = kernel.sub_group_size(local).map_err(|failure| self.device.error(Code::Runtime, failure))?;
        if launch.sub_group_size.is_some_and(|wanted| wanted as usize != required) || built != required {
            let wanted = launch.sub_group_size.map_or(required, |size| size as usize);
            let text = format!(
                "kernel '{}' requires sub-group size {wanted}, but the driver of '{}' built it with {built}",
                launch.name,
                self.device.name()
            );
            return Err(Error::new(Code::Build, text));
        }
        Ok(())
    }
}

struct Shared(Arc<Entry>);

impl backend::Kernel for Shared {
    fn native(&self, what: Native) -> Result<Option<usize>> {
        let failed = |failure| self.0.device.failed(Code::Runtime, failure);
        match what {
            // Not one that runs launches: arguments that a program sets are nobody else's. The same each time.
            Native::Kernel => {
                let kernel = self.0.shown.get_or_init(|| self.0.create()).as_ref().map_err(|failure| failed(*failure))?;
                let handle = kernel.handle().expose_provenance();
                retain(&self.0.device, what, handle)?;
                Ok(Some(handle))
            }
            Native::Program => {
                let handle = self.0.program.handle();
                retain(&self.0.device, what, handle.expose_provenance())?;
                Ok(Some(handle.addr()))
            }
            _ => Ok(None),
        }
    }

    fn prepare(&self, launch: Launch, _threads: usize) -> Result<Task> {
        let geometry = Geometry::of(&launch);
        let kernel = self.0.take()?;
        let work = Prepared { entry: self.0.clone(), kernel: Some(kernel), name: launch.name.clone(), geometry };
        let mut prepared = Later { device: self.0.device.clone(), work };
        let Some(kernel) = &mut prepared.work.kernel else { return Ok(Task::Deferred(Arc::new(prepared))) };
        if let Some(local) = &prepared.work.geometry.local {
            self.0.check(kernel, &launch, local)?;
        }
        set_arguments(kernel, &launch).map_err(|failure| {
            let text = format!(
                "kernel '{}' with a functor of {} bytes and {} bytes of local memory: {failure}",
                launch.name,
                launch.closure.size(),
                launch.local_memory
            );
            self.0.device.error(Code::KernelArgument, text)
        })?;
        let pointers = self.0.device.pointers_to_name().filter(|pointers| !pointers.is_empty());
        let named = pointers.map_or(Ok(()), |pointers| kernel.allow_pointers(&pointers));
        named.map_err(|failure| self.0.device.error(Code::Runtime, failure))?;
        Ok(Task::Deferred(Arc::new(prepared)))
    }
}

fn set_arguments(kernel: &mut Kernel, launch: &Launch) -> Tried<()> {
    // SAFETY: the functor's bytes.
    unsafe { kernel.set_argument(0, launch.closure.size(), launch.closure.as_ptr().cast()) }?;
    if matches!(launch.kind, LaunchKind::NdRange | LaunchKind::WorkGroups) {
        // OpenCL has no local memory of no bytes.
        let bytes = usize::try_from(launch.local_memory).unwrap_or(usize::MAX).max(1);
        // SAFETY: null asks for local memory.
        unsafe { kernel.set_argument(1, bytes, ptr::null()) }?;
    }
    if launch.kind == LaunchKind::WorkGroups {
        let shape = logical_group(launch.local);
        // SAFETY: the three numbers, as `work_group_shape` has them.
        unsafe { kernel.set_argument(2, size_of_val(&shape), shape.as_ptr().cast::<c_void>()) }?;
    }
    Ok(())
}

fn logical_group(local: [u64; 3]) -> [u64; 3] {
    if local == [0; 3] { DEFAULT_LOGICAL_GROUP } else { local.map(|dim| dim.max(1)) }
}

/// A launch in OpenCL's order, without dimensions that have one work-item.
#[derive(PartialEq, Eq, Debug)]
struct Geometry {
    global: Vec<usize>,
    offset: Vec<usize>,
    local: Option<Vec<usize>>,
}

impl Geometry {
    fn of(launch: &Launch) -> Geometry {
        let local = match launch.kind {
            LaunchKind::SingleTask | LaunchKind::WorkGroups => Some([1; 3]),
            // A required size; otherwise the driver chooses.
            LaunchKind::Range => Some(launch.local).filter(|local| !local.contains(&0)),
            LaunchKind::NdRange => Some(launch.local),
        };
        let used = |dim: &usize| launch.global[*dim] != 1 || launch.offset[*dim] != 0;
        let first = (0..3).find(used).unwrap_or(2);
        let turned = |sizes: [u64; 3]| sizes[first..].iter().rev().map(|size| usize::try_from(*size).unwrap_or(usize::MAX)).collect();
        Geometry { global: turned(launch.global), offset: turned(launch.offset), local: local.map(turned) }
    }
}

/// A launch with its arguments.
struct Prepared {
    entry: Arc<Entry>,
    /// Set until the value is dropped.
    kernel: Option<Kernel>,
    name: Arc<str>,
    geometry: Geometry,
}

impl Enqueue for Prepared {
    fn what(&self) -> (Code, String) {
        (Code::Kernel, format!("kernel '{}'", self.name))
    }

    fn assertions(&self) -> Option<AssertionWord> {
        self.entry.assertions.get().copied()
    }

    fn enqueue(&self, queue: &Queue, after: &[&Event]) -> Tried<Event> {
        let Geometry { global, offset, local } = &self.geometry;
        match &self.kernel {
            Some(kernel) if !global.contains(&0) => queue.kernel(kernel, offset, global, local.as_deref(), after),
            // Drivers before OpenCL 2.1 take no empty range.
            _ => queue.marker(after),
        }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // A kernel that memory was named to would name it still when that is gone.
        if let Some(kernel) = self.kernel.take().filter(|_| self.entry.device.pointers_to_name().is_none()) {
            self.entry.give_back(kernel);
        }
    }
}

#[cfg(test)]
mod tests {
    use aspen_runtime::backend::Closure;

    use super::*;

    fn launch(kind: LaunchKind, global: [u64; 3], local: [u64; 3], offset: [u64; 3]) -> Launch {
        // SAFETY: nothing is read for size 0.
        let closure = unsafe { Closure::copy(ptr::null(), 0, 1) }.expect("memory");
        Launch { name: "k".into(), kind, global, local, offset, local_memory: 0, sub_group_size: None, closure }
    }

    #[test]
    fn dimensions_are_turned_and_ones_are_dropped() {
        type Case<'a> = (LaunchKind, [u64; 3], [u64; 3], [u64; 3], &'a [usize], &'a [usize], Option<&'a [usize]>);
        let cases: [Case<'_>; 10] = [
            (LaunchKind::SingleTask, [1, 1, 1], [0; 3], [0; 3], &[1], &[0], Some(&[1])),
            (LaunchKind::Range, [1, 1, 100], [0; 3], [0; 3], &[100], &[0], None),
            (LaunchKind::Range, [2, 3, 4], [0; 3], [5, 6, 7], &[4, 3, 2], &[7, 6, 5], None),
            (LaunchKind::Range, [1, 1, 0], [0; 3], [0; 3], &[0], &[0], None),
            (LaunchKind::Range, [1, 1, 8], [0; 3], [0, 4, 0], &[8, 1], &[0, 4], None),
            (LaunchKind::Range, [1, 24, 6], [1, 12, 3], [0; 3], &[6, 24], &[0, 0], Some(&[3, 12])),
            (LaunchKind::Range, [1, 1, 64], [1, 1, 16], [0, 0, 3], &[64], &[3], Some(&[16])),
            (LaunchKind::NdRange, [1, 24, 6], [1, 12, 3], [0; 3], &[6, 24], &[0, 0], Some(&[3, 12])),
            (LaunchKind::NdRange, [4, 1, 1], [2, 1, 1], [0; 3], &[1, 1, 4], &[0, 0, 0], Some(&[1, 1, 2])),
            (LaunchKind::WorkGroups, [1, 2, 3], [1, 4, 8], [0; 3], &[3, 2], &[0, 0], Some(&[1, 1])),
        ];
        for (kind, global, local, offset, cl_global, cl_offset, cl_local) in cases {
            let geometry = Geometry::of(&launch(kind, global, local, offset));
            let wanted = Geometry { global: cl_global.to_vec(), offset: cl_offset.to_vec(), local: cl_local.map(<[usize]>::to_vec) };
            assert_eq!(geometry, wanted, "{kind:?} {global:?} {local:?} {offset:?}");
        }
    }

    #[test]
    fn logical_groups_have_at_least_one_work_item() {
        assert_eq!(logical_group([0; 3]), DEFAULT_LOGICAL_GROUP);
        assert_eq!(logical_group([1, 0, 8]), [1, 1, 8]);
    }
}
