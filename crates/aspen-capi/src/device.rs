//! Platforms and devices.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use aspen_runtime::backend::Native;
use aspen_runtime::partition::Partition;
use aspen_runtime::registry::registry;
use aspen_runtime::system::{Device, Platform};
use aspen_runtime::{Code, Error, trial};

use crate::error::{ErrorHandle, fallible, guarded, guarded_pointer, null_argument};
use crate::global::global;
use crate::native::native_of;

/// `ASPEN_DEVICE_HAS_IMAGE`, the number that is the program's and not the device's.
const HAS_IMAGE: c_int = 17;

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_platforms(out: *mut *const *const Platform, count: *mut usize) -> *mut ErrorHandle {
    fallible(|| {
        if out.is_null() || count.is_null() {
            return Err(null_argument("aspen_platforms", if out.is_null() { "out" } else { "count" }));
        }
        let platforms = global()?.system.platforms();
        // SAFETY: not null, and writable by the header. A slice of references is an array of pointers.
        unsafe {
            *out = platforms.as_ptr().cast();
            *count = platforms.len();
        }
        Ok(())
    })
}

/// Writes the length of a list and gives its address.
///
/// # Safety
/// `count` is null or writable.
unsafe fn list<T>(items: &[T], count: *mut usize) -> *const T {
    // SAFETY: by this function's contract.
    if let Some(count) = unsafe { count.as_mut() } {
        *count = items.len();
    }
    items.as_ptr()
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_platform_devices(platform: *const Platform, count: *mut usize) -> *const *const Device {
    guarded_pointer(|| {
        // SAFETY: null or from `aspen_platforms`; `count` null or writable, by the header.
        unsafe { list(platform.as_ref().map_or(&[], |platform| platform.devices()), count).cast() }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_platform(device: *const Device) -> *const Platform {
    // SAFETY: null or a device, by the header.
    guarded_pointer(|| unsafe { device.as_ref() }.map_or(ptr::null(), |device| ptr::from_ref(device.platform())))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_platform_string(platform: *const Platform, what: c_int) -> *const c_char {
    guarded_pointer(|| {
        let texts = global().ok().and_then(|global| global.platform(platform));
        let text = texts.and_then(|texts| texts.strings.get(usize::try_from(what).ok()?));
        text.map_or(c"".as_ptr(), |text| text.as_ptr())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_backend(device: *const Device) -> c_int {
    // SAFETY: null or a device, by the header.
    guarded(|| unsafe { device.as_ref() }.map_or(0, |device| device.platform().backend() as c_int))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_type(device: *const Device) -> c_int {
    // SAFETY: null or a device, by the header.
    guarded(|| unsafe { device.as_ref() }.map_or(0, |device| device.device_type() as c_int))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_has(device: *const Device, aspect: u32) -> c_int {
    let aspect = aspen_contract::Aspect::from_number(aspect);
    // SAFETY: null or a device, by the header.
    guarded(|| unsafe { device.as_ref() }.map_or(0, |device| c_int::from(device.has(aspect))))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_aspects(device: *const Device, count: *mut usize) -> *const u32 {
    guarded_pointer(|| {
        let texts = global().ok().and_then(|global| global.device(device));
        // SAFETY: `count` is null or writable, by the header.
        unsafe { list(texts.map_or(&[], |texts| &texts.aspects), count) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_sub_group_sizes(device: *const Device, count: *mut usize) -> *const usize {
    guarded_pointer(|| {
        let texts = global().ok().and_then(|global| global.device(device));
        // SAFETY: `count` is null or writable, by the header.
        unsafe { list(texts.map_or(&[], |texts| &texts.sub_group_sizes), count) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_string(device: *const Device, what: c_int) -> *const c_char {
    guarded_pointer(|| {
        let texts = global().ok().and_then(|global| global.device(device));
        let text = texts.and_then(|texts| texts.strings.get(usize::try_from(what).ok()?));
        text.map_or(c"".as_ptr(), |text| text.as_ptr())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_number(device: *const Device, what: c_int) -> u64 {
    guarded(|| {
        // SAFETY: null or a device, by the header.
        let Some(device) = (unsafe { device.as_ref() }) else { return 0 };
        if what == HAS_IMAGE {
            return registry().has_image_for(device).into();
        }
        let facts = device.real().facts();
        let capabilities = device.capabilities();
        let [x, y, z] = capabilities.max_work_item_sizes.unwrap_or_default();
        let numbers = [
            facts.vendor_id,
            facts.max_compute_units,
            capabilities.max_work_group_size.unwrap_or_default(),
            x,
            y,
            z,
            facts.max_sub_groups,
            facts.global_mem_size,
            facts.local_mem_size,
            facts.max_mem_alloc_size,
            facts.max_clock_frequency_mhz,
            facts.address_bits,
            facts.mem_base_addr_align_bits,
            facts.cache_line_size,
            facts.cache_size,
            facts.max_parameter_size,
            facts.profiling_timer_resolution,
        ];
        usize::try_from(what).ok().and_then(|what| numbers.get(what).copied()).unwrap_or(0)
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_compile(device: *const Device, blobs: *const c_void, size: usize) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or a device, by the header.
        let device = unsafe { device.as_ref() }.ok_or_else(|| null_argument("aspen_device_compile", "device"))?;
        if blobs.is_null() {
            return Err(null_argument("aspen_device_compile", "blobs"));
        }
        // SAFETY: not null, and so many readable bytes by the header.
        trial::compile(device, unsafe { std::slice::from_raw_parts(blobs.cast(), size) })
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_native(device: *const Device, what: c_int, retain: c_int, out: *mut usize) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or a device; null or writable, by the header.
        let (device, out) = unsafe { (device.as_ref(), out.as_mut()) };
        let device = device.ok_or_else(|| null_argument("aspen_device_native", "device"))?;
        let out = out.ok_or_else(|| null_argument("aspen_device_native", "out"))?;
        let what = Native::from_number(what).ok_or_else(|| Error::new(Code::Invalid, format!("{what} is no aspen_native_t")))?;
        *out = native_of(device, what, retain != 0)?;
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_reaches(device: *const Device, other: *const Device) -> c_int {
    // SAFETY: null or devices, by the header.
    let both = unsafe { (device.as_ref(), other.as_ref()) };
    guarded(|| both.0.zip(both.1).map_or(0, |(device, other)| c_int::from(device.can_reach(other))))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_reach(device: *const Device, other: *const Device, enable: c_int) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or devices, by the header.
        let both = unsafe { (device.as_ref(), other.as_ref()) };
        let (device, other) = both.0.zip(both.1).ok_or_else(|| null_argument("aspen_device_reach", "device"))?;
        if enable != 0 { device.enable_reach(other) } else { device.disable_reach(other) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_can_divide(device: *const Device, how: c_int) -> c_int {
    // SAFETY: null or a device, by the header.
    let device = unsafe { device.as_ref() };
    guarded(|| device.zip(Partition::from_number(how)).map_or(0, |(device, how)| c_int::from(device.can_divide(how))))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_part_of(device: *const Device, how: *mut c_int) -> *const Device {
    // SAFETY: null or a device; null or writable, by the header.
    let (device, out) = unsafe { (device.as_ref(), how.as_mut()) };
    guarded_pointer(|| {
        let whole = device.and_then(Device::whole);
        if let Some(out) = out {
            *out = whole.map_or(0, |(_, how)| how as c_int);
        }
        whole.map_or(ptr::null(), |(whole, _)| ptr::from_ref(whole))
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_divide(
    device: *const Device,
    how: c_int,
    counts: *const usize,
    count: usize,
    part: Option<unsafe extern "C" fn(part: *const Device, data: *mut c_void)>,
    data: *mut c_void,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or a device, which lives as long as the process.
        let device: &'static Device = unsafe { device.as_ref() }.ok_or_else(|| null_argument("aspen_device_divide", "device"))?;
        let part = part.ok_or_else(|| null_argument("aspen_device_divide", "part"))?;
        if count > 0 && counts.is_null() {
            return Err(null_argument("aspen_device_divide", "counts"));
        }
        let how = Partition::from_number(how)
            .ok_or_else(|| Error::new(Code::FeatureNotSupported, format!("create_sub_devices: no device can be divided in way {how}")))?;
        // SAFETY: readable for as many numbers, by the header.
        let counts = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(counts, count) } };
        let counts: Vec<u64> = counts.iter().map(|count| *count as u64).collect();
        for made in device.divide(how, &counts)? {
            // SAFETY: a function of the caller's for this, with its data.
            unsafe { part(made, data) };
        }
        Ok(())
    })
}
