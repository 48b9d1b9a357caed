//! Loading images: shared objects that [`ImageFile`] has put where the loader can open them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_void};
use std::mem::offset_of;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};
use std::time::Instant;
use std::{io, mem, ptr};

use aspen_contract::AspectSet;
use aspen_runtime::backend::{GroupLimit, ImageError, Job, Kernel, Launch, LaunchKind, Part, Program, WorkItems};
use aspen_runtime::{Code, Error, Result};

use crate::Ways;
use crate::abi::{
    self, DEVICE_HAS, GROUP, GroupKernel, IMPORT_SLOT, ITEM_SLOT, Item, ItemEntry, MAY_WAIT, PLACE_SLOT, PROMPT, RangeEntry, SPACE_SLOT,
    STACK, WHOLE_BOXES,
};
use crate::facts;
use crate::fiber::is_room;
use crate::group::{Whole, tell_place};
use crate::groups::Groups;
use crate::image_file::{ImageFile, has_debug_info, is_debugged};
use crate::range::Boxes;
use crate::spaces;

/// An open shared object: an image.
struct Library {
    handle: *mut c_void,
    name: String,
    _file: ImageFile,
}

// SAFETY: the handle is a token for the loader, which is thread-safe.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: from `dlopen`, closed once; kernels keep the library alive.
        unsafe { libc::dlclose(self.handle) };
    }
}

/// An image, and those it calls functions of. Each set of images that run together is loaded on its own: what a program keeps of a
/// library's image does not depend on which other programs use it, and goes with the program.
pub(crate) struct Images {
    /// The image with the kernels first. Never empty.
    libraries: Arc<[Library]>,
    /// The processor's level, up to which functions for whole groups are taken.
    level: u32,
    ways: Ways,
    /// Bytes of stack for the variables of functions that the images take from each other.
    between: usize,
    /// How kernels run, by symbol.
    work_items: BTreeMap<String, WorkItems>,
}

impl Images {
    /// Those of one program, together. With a folder they are kept there as files.
    pub(crate) fn load(parts: &[Part<'_>], level: u32, mut ways: Ways, folder: Option<&Path>) -> Result<Images> {
        let libraries =
            parts.iter().map(|part| Library::load(part.name, part.image.bytes(), folder)).collect::<Result<Arc<[Library]>>>()?;
        // Who steps through a kernel wants one item a call, as the source has it.
        if ways.item_by_item.is_none() && is_debugged() && parts.iter().any(|part| has_debug_info(part.image.bytes())) {
            tracing::info!("a debugger watches: work-items run one by one, unless ASPEN_CPU_GROUPS=loops");
            ways.item_by_item = Some(true);
        }
        // The most for each of them: which calls which is not known here.
        let mut variables = vec![0; libraries.len()];
        for (library, part) in libraries.iter().zip(parts) {
            for (symbol, provider) in part.imports {
                library.import(symbol, &libraries[*provider])?;
                variables[*provider] = libraries[*provider].variables(symbol).max(variables[*provider]);
            }
            library.share_item();
            library.hear_places();
            library.tell_spaces();
            library.tell(part.has);
        }
        let mut work_items = BTreeMap::new();
        for part in parts {
            let damaged = |error: ImageError| Error::new(Code::Build, format!("{}: {error}", part.name));
            for (symbol, how) in part.image.work_items().map_err(damaged)? {
                work_items.entry(symbol).or_insert(how);
            }
        }
        Ok(Images { libraries, level, ways, work_items, between: variables.into_iter().fold(0, usize::saturating_add) })
    }
}

impl Library {
    fn load(name: &str, image: &[u8], folder: Option<&Path>) -> Result<Library> {
        let begin = Instant::now();
        let opened = match folder.map(|folder| (folder, open(ImageFile::kept(folder, name, image)))) {
            Some((_, Ok(opened))) => Ok(opened),
            // It must not change what the program does.
            Some((folder, Err(why))) => {
                static TOLD: Once = Once::new();
                TOLD.call_once(|| eprintln!("aspen: ASPEN_CPU_IMAGE_DIR={}: {name} is not loaded from there: {why}", folder.display()));
                open(ImageFile::anonymous(image))
            }
            None => open(ImageFile::anonymous(image)),
        };
        let (file, handle) = opened.map_err(|why| Error::new(Code::Build, format!("{name} cannot be loaded: {why}")))?;
        tracing::debug!(image = name, bytes = image.len(), us = begin.elapsed().as_micros(), "loaded");
        Ok(Library { handle, name: name.to_owned(), _file: file.loaded(image) })
    }

    fn find(&self, symbol: &str) -> Option<ptr::NonNull<c_void>> {
        let name = CString::new(symbol).ok()?;
        // SAFETY: an open library and a NUL-terminated name.
        ptr::NonNull::new(unsafe { libc::dlsym(self.handle, name.as_ptr()) })
    }

    /// Fills the slot of a function that another image provides.
    fn import(&self, symbol: &str, provider: &Library) -> Result<()> {
        let lacks = |library: &Library, what: &str| {
            Error::new(Code::Build, format!("{}: its lists promise {what} '{symbol}' that its code lacks; link it again", library.name))
        };
        let slot = self.find(&format!("{IMPORT_SLOT}{symbol}")).ok_or_else(|| lacks(self, "a slot for device function"))?;
        let function = provider.find(symbol).ok_or_else(|| lacks(provider, "the device function"))?;
        // SAFETY: native_cpu.h: a slot is a pointer in writable memory of the image; the image runs nothing yet.
        unsafe { slot.cast::<*mut c_void>().write(function.as_ptr()) };
        Ok(())
    }

    /// Images that call each other have one current item between them. One that keeps it for itself has no slot.
    fn share_item(&self) {
        if let Some(slot) = self.find(ITEM_SLOT) {
            // SAFETY: as in `import`; the function has the type that native_cpu.h gives.
            unsafe { slot.cast::<abi::CurrentItem>().write(current_item) };
        }
    }

    /// Images whose kernels run item by item tell where.
    fn hear_places(&self) {
        if let Some(slot) = self.find(PLACE_SLOT) {
            // SAFETY: as in `import`; the function has the type that native_cpu.h gives.
            unsafe { slot.cast::<abi::TellPlace>().write(tell_place) };
        }
    }

    /// Images that ask in which address space an address lies are told.
    fn tell_spaces(&self) {
        if let Some(slot) = self.find(SPACE_SLOT) {
            // SAFETY: as in `import`; the function has the type that native_cpu.h gives.
            unsafe { slot.cast::<abi::SpaceOf>().write(spaces::answer()) };
        }
    }

    /// The kernel's function for whole groups, the best that a processor of this level can run.
    fn group(&self, symbol: &str, level: u32) -> Option<Whole> {
        let record = self.find(&format!("{GROUP}{symbol}"))?.cast::<GroupKernel>();
        const PLACES: usize = offset_of!(GroupKernel, places);
        const WORK_GROUP: usize = offset_of!(GroupKernel, work_group);
        // SAFETY: native_cpu.h: the symbol is a record that begins with its size, in memory of the image; nothing is read behind that.
        let (entries, alignment, size, places, flags, work_group) = unsafe {
            let at = record.as_ptr();
            let length = (&raw const (*at).struct_size).read() as usize;
            if length < PLACES {
                return None;
            }
            let (places, flags) = if length < WORK_GROUP {
                (ptr::null(), MAY_WAIT)
            } else {
                ((&raw const (*at).places).read(), (&raw const (*at).flags).read())
            };
            let work_group = if length < size_of::<GroupKernel>() { [0; 3] } else { (&raw const (*at).work_group).read() };
            let (alignment, size) = ((&raw const (*at).frame_alignment).read(), (&raw const (*at).frame_size).read());
            ((&raw const (*at).entries).read(), alignment, size, places, flags, work_group)
        };
        let entry = entries.into_iter().take(level as usize).rev().flatten().next()?;
        let frame_alignment = usize::try_from(alignment).ok().filter(|alignment| alignment.is_power_of_two())?;
        let [may_wait, whole_boxes] = [MAY_WAIT, WHOLE_BOXES].map(|flag| flags & flag != 0);
        Some(Whole { entry, frame_size: usize::try_from(size).ok()?, frame_alignment, places, may_wait, whole_boxes, work_group })
    }

    /// Bytes of stack that a function of the image needs for variables; 0 if they are few.
    fn variables(&self, symbol: &str) -> usize {
        let Some(bytes) = self.find(&format!("{STACK}{symbol}")) else { return 0 };
        // SAFETY: native_cpu.h: a constant of this type, in memory of the image.
        usize::try_from(unsafe { bytes.cast::<u64>().read() }).unwrap_or(usize::MAX)
    }

    /// Fills the table of what the device has. Images that do not ask have none.
    fn tell(&self, has: &AspectSet) {
        let Some(table) = self.find(DEVICE_HAS) else { return };
        for index in has.iter().filter_map(|aspect| abi::answer_of(aspect.number())) {
            // SAFETY: native_cpu.h: the table is an array of ASPEN_CPU_ANSWERS enumerators of 32 bits in writable memory of the image, and
            // `answer_of` stays below that; the image runs nothing yet.
            unsafe { table.cast::<u32>().add(index).write(1) };
        }
    }
}

thread_local! {
    /// What device code of images that call each other knows as the current item.
    static CURRENT: Cell<*mut Item> = const { Cell::new(ptr::null_mut()) };
}

/// `aspen_cpu_current_item`.
extern "C" fn current_item() -> *mut *mut Item {
    CURRENT.with(Cell::as_ptr)
}

impl Program for Images {
    fn kernel(&self, symbol: &str) -> Result<Arc<dyn Kernel>> {
        let failed = |name: &str| {
            let why = "the image's list of kernels promises an entry that its code lacks,";
            Error::new(Code::Build, format!("{name}: {why} '{symbol}'"))
        };
        let found = self.libraries.iter().find_map(|library| Some((library, library.find(symbol)?)));
        let (library, entry) = found.ok_or_else(|| failed(self.libraries.first().map_or("no image", |library| &library.name)))?;
        let whole = if self.ways.item_by_item == Some(true) { None } else { library.group(symbol, self.level) };
        let variables = library.variables(symbol).saturating_add(self.between);
        let prompt = library.find(&format!("{PROMPT}{symbol}")).is_some();
        let known = Known { whole, check: self.ways.check, sub_group_size: self.ways.sub_group_size, variables };
        let limit = match self.work_items.get(symbol) {
            Some(WorkItems::OneByOne { waits: true, why }) if whole.is_none() => self.ways.limit(variables, why),
            // Whether they wait is not known of those that need not run so.
            Some(WorkItems::Together) if whole.is_none() => self.ways.limit(variables, "for a debugger, or by ASPEN_CPU_GROUPS=items"),
            _ => None,
        };
        Ok(Arc::new(Entry { libraries: self.libraries.clone(), entry, known, limit, prompt, pace: Arc::default() }))
    }
}

struct Entry {
    libraries: Arc<[Library]>,
    entry: ptr::NonNull<c_void>,
    known: Known,
    limit: Option<GroupLimit>,
    prompt: bool,
    pace: Arc<Pace>,
}

/// Nanoseconds that it takes to wake a thread, and to be woken by it.
const BRIEF_NS: u64 = 2_000;

/// What is known of a kernel besides its entry.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known {
    /// Its function for whole groups or rows.
    pub(crate) whole: Option<Whole>,
    /// If none is required.
    pub(crate) sub_group_size: u32,
    /// Whether mistakes are looked for that do no harm by themselves.
    pub(crate) check: bool,
    /// Bytes of stack that a call needs for variables; 0 if they are few.
    pub(crate) variables: usize,
}

impl Known {
    /// Refuses what would end in a segmentation fault.
    fn fits(&self, kernel: &str) -> Result<()> {
        let (bytes, memory) = (self.variables, facts::memory());
        let why = match is_room(bytes) {
            _ if bytes as u64 > memory => format!("this machine's memory has {memory}"),
            Err(error) => format!("the system gives none as large: {error}"),
            Ok(()) => return Ok(()),
        };
        let way_out = "keep large arrays in global memory (a buffer, or unified shared memory)";
        let text = format!("kernel '{kernel}' needs {bytes} bytes of stack for private variables, and {why}; {way_out}");
        Err(Error::new(Code::MemoryAllocation, text))
    }
}

/// There was room when the kernel was launched.
pub(crate) fn no_room(bytes: usize, error: &io::Error) -> Error {
    Error::new(Code::MemoryAllocation, format!("no stack for {bytes} bytes of private variables: {error}"))
}

// SAFETY: the address of a function, in a library that is kept open.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

impl Kernel for Entry {
    fn group_limit(&self) -> Option<&GroupLimit> {
        self.limit.as_ref()
    }

    fn prepare(&self, launch: Launch, threads: usize) -> Result<Box<dyn Job>> {
        self.known.fits(&launch.name)?;
        let keep = Kept { pace: self.pace.clone(), prompt: self.prompt, _libraries: self.libraries.clone() };
        match launch.kind {
            LaunchKind::SingleTask | LaunchKind::Range => {
                // SAFETY: native_cpu.h: entries of kernels launched this way have this type. The front end saw every launch of the kernel.
                let entry = unsafe { mem::transmute::<*mut c_void, RangeEntry>(self.entry.as_ptr()) };
                Ok(Box::new(Boxes::new(entry, self.known, launch, threads, keep)))
            }
            LaunchKind::NdRange | LaunchKind::WorkGroups => {
                // SAFETY: as above.
                let entry = unsafe { mem::transmute::<*mut c_void, ItemEntry>(self.entry.as_ptr()) };
                Ok(Box::new(Groups::new(entry, self.known, launch, threads, keep)))
            }
        }
    }
}

/// What a job keeps of its kernel.
pub(crate) struct Kept {
    /// How fast the kernel is.
    pub(crate) pace: Arc<Pace>,
    /// Whether it waits for nothing, so that it ends wherever it runs.
    prompt: bool,
    _libraries: Arc<[Library]>,
}

impl Kept {
    /// Whether a launch is over sooner than another thread would begin with it.
    pub(crate) fn is_brief(&self, expected_ns: Option<u64>) -> bool {
        self.prompt && expected_ns.is_some_and(|ns| ns < BRIEF_NS)
    }
}

#[cfg(test)]
impl Kept {
    /// For jobs whose entries are functions of the test.
    pub(crate) fn nothing() -> Kept {
        // SAFETY: the test's own program, which is always open.
        let handle = unsafe { libc::dlopen(ptr::null(), libc::RTLD_NOW) };
        Kept {
            pace: Arc::default(),
            prompt: false,
            _libraries: Arc::new([Library { handle, name: "test".into(), _file: ImageFile::default() }]),
        }
    }
}

/// How long a kernel takes, as its last launch showed: nanoseconds for 1024 work-items, plus one; 0 as long as nothing is known.
#[derive(Default)]
pub(crate) struct Pace(AtomicU64);

impl Pace {
    pub(crate) fn expected_ns(&self, items: u64) -> Option<u64> {
        let known = self.0.load(Ordering::Relaxed).checked_sub(1)?;
        Some(u64::try_from(u128::from(known) * u128::from(items) / 1024).unwrap_or(u64::MAX))
    }

    pub(crate) fn took_ns(&self, items: u64, ns: u64) {
        let pace = u128::from(ns) * 1024 / u128::from(items.max(1));
        self.0.store(u64::try_from(pace).unwrap_or(u64::MAX - 1).saturating_add(1), Ordering::Relaxed);
    }
}

/// The loader's handle of a file.
fn open(file: io::Result<ImageFile>) -> std::result::Result<(ImageFile, *mut c_void), String> {
    let file = file.map_err(|error| error.to_string())?;
    // SAFETY: a NUL-terminated path; the image's initialisers are those of the program that linked it.
    let handle = unsafe { libc::dlopen(file.path().as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() { Err(loader_error().replace(&*file.path().to_string_lossy(), "image")) } else { Ok((file, handle)) }
}

fn loader_error() -> String {
    // SAFETY: `dlerror` gives null or a string that is valid until the next call of the loader on this thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the loader does not say why".into();
    }
    // SAFETY: not null, see above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_is_refused_by_name() {
        let error = Library::load("image 'x_0'", b"no ELF file", None).map(|_| ()).expect_err("not loadable");
        assert_eq!(error.code(), Code::Build);
        assert!(error.message().starts_with("image 'x_0' cannot be loaded: image: "), "{error}");
    }
}
