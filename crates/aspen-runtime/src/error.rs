//! The one error type of the runtime: a `sycl::errc` value and a text that says what to do.

use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What went wrong, with the numbers of `sycl::errc` and of `aspen_errc_t`. Source: SYCL 2020 §4.13.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Code {
    /// A failure of the runtime or its surroundings.
    Runtime = 1,
    /// A failure while a kernel ran.
    Kernel = 2,
    /// A wrong accessor or host access.
    Accessor = 3,
    /// A launch geometry the kernel or the device does not take.
    NdRange = 4,
    /// A wrong event.
    Event = 5,
    /// Wrong kernel arguments.
    KernelArgument = 6,
    /// A device image that cannot be loaded.
    Build = 7,
    /// A wrong argument or setting.
    Invalid = 8,
    /// No memory.
    MemoryAllocation = 9,
    /// A platform that cannot be used.
    Platform = 10,
    /// A profiling query that cannot be answered.
    Profiling = 11,
    /// A feature that the device lacks.
    FeatureNotSupported = 12,
    /// A kernel that the device cannot run.
    KernelNotSupported = 13,
    /// Objects of different backends.
    BackendMismatch = 14,
}

impl Code {
    /// The code of that number; numbers outside the enumeration count as [`Code::Runtime`].
    pub fn from_number(number: i32) -> Code {
        const ALL: [Code; 14] = [
            Code::Runtime,
            Code::Kernel,
            Code::Accessor,
            Code::NdRange,
            Code::Event,
            Code::KernelArgument,
            Code::Build,
            Code::Invalid,
            Code::MemoryAllocation,
            Code::Platform,
            Code::Profiling,
            Code::FeatureNotSupported,
            Code::KernelNotSupported,
            Code::BackendMismatch,
        ];
        ALL.into_iter().find(|code| *code as i32 == number).unwrap_or(Code::Runtime)
    }
}

/// An error of the runtime; the message names the thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    code: Code,
    message: String,
    native: i32,
    attached: Option<Arc<Attached>>,
}

/// An object of the caller's that goes with an error, and with its copies.
#[derive(Debug)]
pub struct Attached {
    object: *mut c_void,
    drop: unsafe extern "C" fn(*mut c_void),
}

// SAFETY: whoever attaches it says that any thread may have it, and drop it.
unsafe impl Send for Attached {}
// SAFETY: as above; here nobody looks into it.
unsafe impl Sync for Attached {}

impl Attached {
    /// Takes it over.
    ///
    /// # Safety
    /// `drop` may be called with `object`, once, by any thread, and whoever asks for it may be any thread.
    pub unsafe fn new(object: *mut c_void, drop: unsafe extern "C" fn(*mut c_void)) -> Attached {
        Attached { object, drop }
    }

    /// The object.
    pub fn object(&self) -> *mut c_void {
        self.object
    }
}

impl PartialEq for Attached {
    fn eq(&self, other: &Attached) -> bool {
        self.object == other.object
    }
}

impl Eq for Attached {}

impl Drop for Attached {
    fn drop(&mut self) {
        // SAFETY: by the contract of `new`; once, since this is the end of it.
        unsafe { (self.drop)(self.object) }
    }
}

impl Error {
    /// An error with that code and text.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), native: 0, attached: None }
    }

    /// With the error's number in the backend's own interface.
    #[must_use]
    pub fn with_native(self, native: i32) -> Error {
        Error { native, ..self }
    }

    /// Makes an object go with it, in the place of another one.
    pub fn attach(&mut self, attached: Attached) {
        self.attached = Some(Arc::new(attached));
    }

    /// What goes with it.
    pub fn attached(&self) -> Option<&Attached> {
        self.attached.as_deref()
    }

    /// The error's number in the backend's own interface; 0 if it is none of that.
    pub fn native(&self) -> i32 {
        self.native
    }

    /// Its `sycl::errc` value.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What went wrong, for people.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// A result of the runtime.
pub type Result<T> = std::result::Result<T, Error>;

/// Runs a call of the outside world; a panic becomes an error.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Error::new(Code::Runtime, format!("a command panicked: {text}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_keep_their_numbers() {
        for number in 1..=14 {
            assert_eq!(Code::from_number(number) as i32, number);
        }
        assert_eq!(Code::from_number(99), Code::Runtime);
    }
}
