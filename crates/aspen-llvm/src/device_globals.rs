//! Variables of which every device has a value of its own: what an image needs so that the runtime reaches them, and the rule that a value
//! in an image is used by one image only. Source: sycl_ext_oneapi_device_global; docs/decisions/0031.

use std::ffi::{CString, c_char};
use std::ptr;

use crate::dpcpp::is_sanitizer_list;
use crate::entries::{DEVICE_IMAGE_SCOPE, DeviceGlobal, device_globals};
use crate::ffi;
use crate::ir::{readable_name, take_message};
use crate::module::{Error, Module};

/// On variables that other units may have under the same name.
const INTERNAL: &std::ffi::CStr = c"aspen-internal";

/// What the names of kernels begin with that exchange addresses: they run alone, whatever size other kernels of the image require.
pub const EXCHANGES_DEVICE_GLOBALS: &str = "aspen_device_globals_";

/// A variable with `device_image_scope` that would be in several images.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedImageScope {
    /// Its symbol.
    pub symbol: String,
    /// Its name for people.
    pub name: String,
    /// The first two images, by their places in the list.
    pub images: [usize; 2],
}

impl Module<'_> {
    /// Gives variables that are a unit's own a suffix, so that units can be linked: to their symbols, and to the names by which the host
    /// knows them.
    pub fn tag_device_globals(&mut self, suffix: &str) {
        let Ok(suffix) = CString::new(suffix) else { return };
        // SAFETY: a valid module and terminated strings.
        unsafe { ffi::aspen_llvm_tag_device_globals(self.raw(), INTERNAL.as_ptr(), suffix.as_ptr()) }
    }

    /// Adds a kernel that exchanges addresses of the module's device globals with the runtime; `false` if there are none. Its closure is
    /// the address of a table with 64 bits a variable, in the order of their names for the host. For a variable in the image it writes
    /// there where the value is, for others it reads where that is.
    ///
    /// # Errors
    /// If a variable is declared only.
    pub fn exchange_device_globals(&mut self, kernel: &str) -> Result<bool, Error> {
        let (Ok(kernel), Ok(in_image)) = (CString::new(kernel), CString::new(DEVICE_IMAGE_SCOPE)) else { return Ok(false) };
        let mut message: *mut c_char = ptr::null_mut();
        self.forget_index();
        // SAFETY: a valid module and terminated strings; the message is ours.
        let (added, reason) = unsafe {
            let added = ffi::aspen_llvm_exchange_device_globals(self.raw(), kernel.as_ptr(), in_image.as_ptr(), &mut message);
            (added, take_message(message))
        };
        reason.map_or(Ok(added), |reason| Err(self.symbol(reason)))
    }

    /// The first variable whose value lies in its image and that several images, given by their entry points, would have.
    ///
    /// # Errors
    /// If an entry point is not there.
    pub fn shared_image_scope(&self, images: &[Vec<&str>]) -> Result<Option<SharedImageScope>, Error> {
        let is_scoped = |global: &DeviceGlobal| global.image_scope && !is_sanitizer_list(&global.symbol);
        let scoped: Vec<String> = device_globals(self.view()).into_iter().filter(is_scoped).map(|global| global.symbol).collect();
        let symbols: Vec<&str> = scoped.iter().map(String::as_str).collect();
        if symbols.is_empty() || images.len() < 2 {
            return Ok(None);
        }
        let held = images.iter().map(|entries| self.reached(entries, &symbols)).collect::<Result<Vec<_>, _>>()?;
        Ok(symbols.iter().find_map(|symbol| {
            let mut having = held.iter().enumerate().filter(|(_, held)| held.contains(symbol)).map(|(index, _)| index);
            Some(SharedImageScope { symbol: (*symbol).to_owned(), name: readable_name(symbol), images: [having.next()?, having.next()?] })
        }))
    }
}
