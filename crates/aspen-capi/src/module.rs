//! Registration of modules, and questions about their kernels.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use aspen_runtime::registry::{KernelKey, ModuleRecord, registry};
use aspen_runtime::system::Device;

use crate::error::{ErrorHandle, bytes_of, fallible, guarded, guarded_pointer, null_argument, str_of, text};

/// `ASPEN_ABI_VERSION`.
pub(crate) const ABI_VERSION: u32 = 3;

/// See aspen.h.
#[unsafe(no_mangle)]
pub extern "C" fn aspen_abi_version() -> u32 {
    ABI_VERSION
}

/// `aspen_module_record_t`.
#[repr(C)]
#[derive(Debug)]
pub struct Record {
    /// `ASPEN_ABI_VERSION` of the aspen++ that linked the module.
    pub abi_version: u32,
    /// The size of the record there.
    pub record_size: u32,
    /// `aspen++ 0.1.0`.
    pub producer: *const c_char,
    /// OffloadBinary entries.
    pub images_begin: *const c_void,
    /// Their end.
    pub images_end: *const c_void,
    /// The module's own `__aspen_link_with_aspenxx`.
    pub anchor: *const c_void,
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_register_module(record: *const Record) {
    guarded(|| {
        // SAFETY: null or a record that stays valid until it is unregistered, by the header.
        let Some(module) = (unsafe { record.as_ref() }) else { return };
        if module.abi_version != ABI_VERSION || (module.record_size as usize) < size_of::<Record>() {
            // SAFETY: null or NUL-terminated, by the header.
            let producer = unsafe { text(module.producer) }.unwrap_or_default();
            let why = format!(
                "the module was linked by '{producer}' with ABI version {}, libaspen.so has {ABI_VERSION}: its kernels are not registered; link it again",
                module.abi_version
            );
            // A constructor has no one to return an error to; launches say it again.
            eprintln!("aspen: {why}");
            let known = module.record_size as usize >= std::mem::offset_of!(Record, anchor) + size_of::<*const c_void>();
            registry().refuse(record as usize, if known { module.anchor as usize } else { 0 }, &why);
            return;
        }
        let size = (module.images_end as usize).saturating_sub(module.images_begin as usize);
        let record = ModuleRecord {
            record: record as usize,
            anchor: module.anchor as usize,
            images: module.images_begin.cast(),
            images_size: if module.images_begin.is_null() { 0 } else { size },
        };
        // SAFETY: the range is the module's own section, valid until it is unregistered, by the header.
        unsafe { registry().register(record) };
    });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_unregister_module(record: *const Record) {
    guarded(|| registry().unregister(record as usize));
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_kernel_is_supported(
    device: *const Device,
    module: *const c_void,
    object_tag: *const c_char,
    symbol: *const c_char,
) -> c_int {
    let answer = guarded(|| {
        // SAFETY: null or a device, which lives as long as the process.
        let device: &'static Device = unsafe { device.as_ref() }?;
        // SAFETY: null or NUL-terminated strings, by the header.
        let (tag, name) = unsafe { (bytes_of(object_tag), bytes_of(symbol)) };
        if let Some(known) = registry().is_known_as_supported(device, module as usize, tag, name) {
            return Some(known);
        }
        // SAFETY: as above.
        let (tag, symbol) = unsafe { (str_of(object_tag, "object_tag").ok()?, str_of(symbol, "symbol").ok()?) };
        registry().is_supported(device, KernelKey { module: module as usize, tag, symbol })
    });
    answer.map_or(-1, c_int::from)
}

/// `aspen_kernel_facts_t`.
#[repr(C)]
#[derive(Debug)]
pub struct KernelFacts {
    /// In the attribute's order, padded with 1; zeros if nothing is required.
    pub work_group_size: [u64; 3],
    /// 0 if nothing is required.
    pub sub_group_size: u32,
    /// What the kernel gets; 0 if whoever compiles it chooses.
    pub actual_sub_group_size: u32,
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_kernel_load(
    device: *const Device,
    module: *const c_void,
    object_tag: *const c_char,
    symbol: *const c_char,
    out: *mut KernelFacts,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or a device, which lives as long as the process; null or NUL-terminated strings, by the header.
        let (device, tag) = (unsafe { device.as_ref() }, unsafe { str_of(object_tag, "object_tag") }?);
        let device: &'static Device = device.ok_or_else(|| null_argument("aspen_kernel_load", "device"))?;
        if symbol.is_null() {
            return Err(null_argument("aspen_kernel_load", "symbol"));
        }
        // SAFETY: NUL-terminated, by the header. Not a copy: the registry knows names by their addresses.
        let symbol = unsafe { str_of(symbol, "symbol") }?;
        let key = KernelKey { module: module as usize, tag, symbol };
        let required = registry().load(device, key)?;
        let mut facts = KernelFacts {
            work_group_size: [0; 3],
            sub_group_size: required.reqd_sub_group_size.unwrap_or_default(),
            actual_sub_group_size: device.sub_group_size_of(required.reqd_sub_group_size).unwrap_or_default(),
        };
        if let Some(size) = &required.reqd_work_group_size {
            facts.work_group_size = [1; 3];
            facts.work_group_size[..size.dims().len()].copy_from_slice(size.dims());
        }
        // SAFETY: null or writable, by the header.
        if let Some(out) = unsafe { out.as_mut() } {
            *out = facts;
        }
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_kernel_max_work_group_size(
    device: *const Device,
    module: *const c_void,
    object_tag: *const c_char,
    symbol: *const c_char,
    out: *mut u64,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or a device, which lives as long as the process; null or NUL-terminated strings, by the header.
        let (device, tag) = (unsafe { device.as_ref() }, unsafe { str_of(object_tag, "object_tag") }?);
        let device: &'static Device = device.ok_or_else(|| null_argument("aspen_kernel_max_work_group_size", "device"))?;
        if symbol.is_null() {
            return Err(null_argument("aspen_kernel_max_work_group_size", "symbol"));
        }
        // SAFETY: NUL-terminated, by the header. Not a copy: the registry knows names by their addresses.
        let symbol = unsafe { str_of(symbol, "symbol") }?;
        // SAFETY: null or writable, by the header.
        let out = unsafe { out.as_mut() }.ok_or_else(|| null_argument("aspen_kernel_max_work_group_size", "out"))?;
        let key = KernelKey { module: module as usize, tag, symbol };
        let most = device.capabilities().max_work_group_size.unwrap_or(u64::MAX);
        *out = registry().group_limit(device, key)?.map_or(most, |own| own.min(most));
        Ok(())
    })
}

/// A kernel's name as aspen.h has it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelName {
    symbol: *const c_char,
    object_tag: *const c_char,
}

/// An array for the caller, and the strings that it points to.
struct Kept<T> {
    pointers: Vec<T>,
    _strings: Vec<CString>,
}

/// Arrays of either kind.
#[derive(Default)]
struct Names {
    symbols: Option<Kept<*const c_char>>,
    kernels: Option<Kept<KernelName>>,
}

// SAFETY: the pointers lead to the strings beside them.
unsafe impl Send for Names {}

thread_local! {
    static NAMES: RefCell<Names> = RefCell::default();
}

/// Those of threads whose storage is gone: destructors of globals may ask, and the process ends then.
static LAST_NAMES: Mutex<Vec<Names>> = Mutex::new(Vec::new());

/// Keeps the array until `place` gets the thread's next one, and says where it begins.
///
/// # Safety
/// `count` is null or writable.
unsafe fn hand_out<T>(kept: Kept<T>, place: fn(&mut Names) -> &mut Option<Kept<T>>, count: *mut usize) -> *const T {
    // SAFETY: by this function's contract.
    if let Some(count) = unsafe { count.as_mut() } {
        *count = kept.pointers.len();
    }
    // Moving the vectors does not move what they hold.
    let first = if kept.pointers.is_empty() { ptr::null() } else { kept.pointers.as_ptr() };
    let mut kept = Some(kept);
    if NAMES.try_with(|names| *place(&mut names.borrow_mut()) = kept.take()).is_err() {
        let mut last = Names::default();
        *place(&mut last) = kept;
        LAST_NAMES.lock().unwrap_or_else(PoisonError::into_inner).push(last);
    }
    first
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_kernel_symbols(count: *mut usize) -> *const *const c_char {
    guarded_pointer(|| {
        let mut strings: Vec<CString> = registry().kernels().into_iter().filter_map(|(symbol, _)| CString::new(symbol).ok()).collect();
        strings.dedup();
        let pointers = strings.iter().map(|symbol| symbol.as_ptr()).collect();
        // SAFETY: null or writable, by the header.
        unsafe { hand_out(Kept { pointers, _strings: strings }, |names| &mut names.symbols, count) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_kernels(count: *mut usize) -> *const KernelName {
    guarded_pointer(|| {
        let as_c = |(symbol, tag): (String, String)| Some([CString::new(symbol).ok()?, CString::new(tag).ok()?]);
        let strings: Vec<CString> = registry().kernels().into_iter().filter_map(as_c).flatten().collect();
        let name = |name: &[CString]| KernelName { symbol: name[0].as_ptr(), object_tag: name[1].as_ptr() };
        let pointers = strings.chunks_exact(2).map(name).collect();
        // SAFETY: null or writable, by the header.
        unsafe { hand_out(Kept { pointers, _strings: strings }, |names| &mut names.kernels, count) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_kernel_is_internal(object_tag: *const c_char, symbol: *const c_char) -> c_int {
    guarded(|| {
        // SAFETY: null or NUL-terminated, by the header.
        let names = unsafe { str_of(object_tag, "object_tag").and_then(|tag| Ok((tag, str_of(symbol, "symbol")?))) };
        c_int::from(names.is_ok_and(|(tag, symbol)| registry().is_internal(tag, symbol)))
    })
}
