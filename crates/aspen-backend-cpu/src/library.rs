//! Shared objects that are images: opening what [`ImageFile`] has put where the loader can open it, and what they export.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_void};
use std::mem::offset_of;
use std::path::Path;
use std::sync::Once;
use std::time::Instant;
use std::{io, ptr};

use aspen_contract::AspectSet;
use aspen_runtime::{Code, Error, Result};

use crate::abi::{
    self, DEVICE_HAS, GROUP, GroupKernel, IMPORT_SLOT, ITEM_SLOT, Item, JOINED, MAY_WAIT, PLACE_SLOT, PROMPT, SPACE_SLOT, STACK,
    WHOLE_BOXES,
};
use crate::group::{Whole, tell_place};
use crate::image_file::ImageFile;
use crate::spaces;

/// An open shared object: an image.
pub(crate) struct Library {
    handle: *mut c_void,
    pub(crate) name: String,
    _file: ImageFile,
}

// SAFETY: the handle is a token for the loader, which is thread-safe.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

#[cfg(test)]
impl Library {
    /// The test's own program, which is always open.
    pub(crate) fn of_test() -> Library {
        // SAFETY: null asks for that.
        let handle = unsafe { libc::dlopen(ptr::null(), libc::RTLD_NOW) };
        Library { handle, name: "test".into(), _file: ImageFile::default() }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: from `dlopen`, closed once; kernels keep the library alive.
        unsafe { libc::dlclose(self.handle) };
    }
}

impl Library {
    pub(crate) fn load(name: &str, image: &[u8], folder: Option<&Path>) -> Result<Library> {
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

    pub(crate) fn find(&self, symbol: &str) -> Option<ptr::NonNull<c_void>> {
        let name = CString::new(symbol).ok()?;
        // SAFETY: an open library and a NUL-terminated name.
        ptr::NonNull::new(unsafe { libc::dlsym(self.handle, name.as_ptr()) })
    }

    /// Fills the slot of a function that another image provides.
    pub(crate) fn import(&self, symbol: &str, provider: &Library) -> Result<()> {
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
    pub(crate) fn share_item(&self) {
        if let Some(slot) = self.find(ITEM_SLOT) {
            // SAFETY: as in `import`; the function has the type that native_cpu.h gives.
            unsafe { slot.cast::<abi::CurrentItem>().write(current_item) };
        }
    }

    /// Images whose kernels run item by item tell where.
    pub(crate) fn hear_places(&self) {
        if let Some(slot) = self.find(PLACE_SLOT) {
            // SAFETY: as in `import`; the function has the type that native_cpu.h gives.
            unsafe { slot.cast::<abi::TellPlace>().write(tell_place) };
        }
    }

    /// Images that ask in which address space an address lies are told.
    pub(crate) fn tell_spaces(&self) {
        if let Some(slot) = self.find(SPACE_SLOT) {
            // SAFETY: as in `import`; the function has the type that native_cpu.h gives.
            unsafe { slot.cast::<abi::SpaceOf>().write(spaces::answer()) };
        }
    }

    /// The kernel's function for whole groups, the best that a processor of this level can run.
    pub(crate) fn group(&self, symbol: &str, level: u32) -> Option<Whole> {
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
        let [may_wait, whole_boxes, joined] = [MAY_WAIT, WHOLE_BOXES, JOINED].map(|flag| flags & flag != 0);
        Some(Whole { entry, frame_size: usize::try_from(size).ok()?, frame_alignment, places, may_wait, whole_boxes, joined, work_group })
    }

    /// Bytes of stack that a function of the image needs for variables; 0 if they are few.
    pub(crate) fn variables(&self, symbol: &str) -> usize {
        let Some(bytes) = self.find(&format!("{STACK}{symbol}")) else { return 0 };
        // SAFETY: native_cpu.h: a constant of this type, in memory of the image.
        usize::try_from(unsafe { bytes.cast::<u64>().read() }).unwrap_or(usize::MAX)
    }

    /// Whether a kernel waits for nothing.
    pub(crate) fn is_prompt(&self, symbol: &str) -> bool {
        self.find(&format!("{PROMPT}{symbol}")).is_some()
    }

    /// Fills the table of what the device has. Images that do not ask have none.
    pub(crate) fn tell(&self, has: &AspectSet) {
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
