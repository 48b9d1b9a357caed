//! `aspen_error_t`, the guard around every function, and strings that come in.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use aspen_runtime::{Attached, Code, Error, Result};

/// `aspen_error_t`.
#[derive(Debug)]
pub struct ErrorHandle {
    error: Error,
    message: CString,
}

impl ErrorHandle {
    pub(crate) fn boxed(error: Error) -> *mut ErrorHandle {
        // A NUL inside would hide the rest.
        let message = CString::new(error.message().replace('\0', "\u{fffd}")).unwrap_or_default();
        Box::into_raw(Box::new(ErrorHandle { error, message }))
    }

    /// The number in the backend's own interface.
    pub(crate) fn native(&self) -> c_int {
        self.error.native()
    }

    /// Takes an error back that [`ErrorHandle::boxed`] gave away; `None` for null.
    ///
    /// # Safety
    /// `error` is null, or from [`ErrorHandle::boxed`] and not used again.
    pub(crate) unsafe fn take(error: *mut ErrorHandle) -> Option<Error> {
        if error.is_null() {
            return None;
        }
        // SAFETY: by this function's contract.
        Some(unsafe { Box::from_raw(error) }.error)
    }
}

/// Runs the body of a function that can fail; a panic becomes an error.
pub(crate) fn fallible(body: impl FnOnce() -> Result<()>) -> *mut ErrorHandle {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ptr::null_mut(),
        Ok(Err(error)) => ErrorHandle::boxed(error),
        Err(_) => ErrorHandle::boxed(Error::new(Code::Runtime, "libaspen.so has a bug: a function panicked")),
    }
}

/// Runs the body of a function that cannot fail; after a panic it gives the default.
pub(crate) fn guarded<T: Default>(body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_default()
}

/// A raw pointer as the result of [`guarded`]: null by default.
pub(crate) fn guarded_pointer<T>(body: impl FnOnce() -> *const T) -> *const T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(ptr::null())
}

pub(crate) fn null_argument(function: &str, argument: &str) -> Error {
    Error::new(Code::Invalid, format!("{function}: `{argument}` is null"))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_error_code(error: *const ErrorHandle) -> c_int {
    // SAFETY: null or alive, by the header.
    guarded(|| unsafe { error.as_ref() }.map_or(0, |error| error.error.code() as c_int))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_error_message(error: *const ErrorHandle) -> *const c_char {
    // SAFETY: null or alive, by the header.
    guarded_pointer(|| unsafe { error.as_ref() }.map_or(c"".as_ptr(), |error| error.message.as_ptr()))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_error_delete(error: *mut ErrorHandle) {
    // SAFETY: null or the caller's to free, by the header.
    guarded(|| drop(unsafe { ErrorHandle::take(error) }));
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_error_create(code: c_int, message: *const c_char) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or NUL-terminated, by the header.
        let text = unsafe { text(message) }.unwrap_or_default();
        Err(Error::new(Code::from_number(code), text))
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_error_attach(error: *mut ErrorHandle, object: *mut c_void, drop: Option<unsafe extern "C" fn(*mut c_void)>) {
    guarded(|| {
        let Some(drop) = drop.filter(|_| !object.is_null()) else { return };
        // SAFETY: by the header.
        let attached = unsafe { Attached::new(object, drop) };
        // SAFETY: null or alive, and nobody else's meanwhile, by the header.
        if let Some(error) = unsafe { error.as_mut() } {
            error.error.attach(attached);
        }
    });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_error_attached(error: *const ErrorHandle) -> *mut c_void {
    guarded_pointer(|| {
        // SAFETY: null or alive, by the header.
        let attached = unsafe { error.as_ref() }.and_then(|error| error.error.attached());
        attached.map_or(ptr::null(), |attached| attached.object().cast_const())
    })
    .cast_mut()
}

/// The text of a C string; `None` for null. What is no UTF-8 is replaced.
///
/// # Safety
/// `pointer` is null or a NUL-terminated string.
pub(crate) unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: by this function's contract.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// The bytes of a C string without its NUL; none for null.
///
/// # Safety
/// `pointer` is null or a NUL-terminated string that outlives the result.
pub(crate) unsafe fn bytes_of<'a>(pointer: *const c_char) -> &'a [u8] {
    if pointer.is_null() {
        return b"";
    }
    // SAFETY: by this function's contract.
    unsafe { CStr::from_ptr(pointer) }.to_bytes()
}

/// The text of a C string, which has to be UTF-8; empty for null. `name` is what messages call it.
///
/// # Safety
/// `pointer` is null or a NUL-terminated string that outlives the result.
pub(crate) unsafe fn str_of<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Ok("");
    }
    // SAFETY: by this function's contract.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Error::new(Code::Invalid, format!("aspen_launch_t: `{name}` is not UTF-8")))
}
