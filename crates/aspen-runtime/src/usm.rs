//! USM allocations: made by a device, known by address.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{PoisonError, RwLock};

use aspen_contract::{Aspect, Need};

use crate::backend::UsmKind;
use crate::error::{Code, Error, Result};
use crate::guarded;
use crate::retired;
use crate::system::Device;

/// The alignment of memory that suits every type of SYCL, in bytes (`double16` and `long16`).
const ALIGNMENT: usize = 128;

struct Allocation {
    device: &'static Device,
    kind: UsmKind,
    layout: Layout,
}

static ALLOCATIONS: RwLock<BTreeMap<usize, Allocation>> = RwLock::new(BTreeMap::new());

/// Allocates; null when there is no memory or `size` is 0. `alignment` 0 suits every type.
///
/// The *real* device decides whether there is such memory: a profile is about what kernels need, and a target in a user's file rarely
/// lists USM. What programs ask by `has` is still the profile's answer.
///
/// # Errors
/// [`Code::FeatureNotSupported`] without the aspect.
pub fn allocate(device: &'static Device, kind: UsmKind, size: usize, alignment: usize) -> Result<*mut u8> {
    let name = match kind {
        UsmKind::Host => "usm_host_allocations",
        UsmKind::Device => "usm_device_allocations",
        UsmKind::Shared => "usm_shared_allocations",
    };
    if Aspect::from_name(name).and_then(|aspect| device.real().capabilities().has(&Need::Aspect(aspect))) != Some(true) {
        return Err(Error::new(Code::FeatureNotSupported, format!("'{}' lacks aspect {name}", device.real().facts().name)));
    }
    if size == 0 {
        return Ok(std::ptr::null_mut());
    }
    let alignment = match alignment {
        // The last element should end where the guard begins.
        0 if guarded::is_on() => guarded::natural_alignment(size, ALIGNMENT),
        0 => ALIGNMENT,
        asked => asked,
    };
    if !alignment.is_power_of_two() {
        return Ok(std::ptr::null_mut()); // as of `std::aligned_alloc`
    }
    // Too large for any machine is no memory, as for `malloc`.
    let Ok(layout) = Layout::from_size_align(size, alignment) else { return Ok(std::ptr::null_mut()) };
    // The interface has no place for the reason: null is what SYCL wants.
    let allocated = device.real().allocate(kind, layout).map_err(|error| tracing::warn!(%error, size, "no USM"));
    let Ok(pointer) = allocated else { return Ok(std::ptr::null_mut()) };
    let mut allocations = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner);
    allocations.insert(pointer.as_ptr() as usize, Allocation { device, kind, layout });
    Ok(pointer.as_ptr())
}

/// Gives memory back; whether the address was the start of an allocation. Of a device that shares the host's memory, when all commands that are
/// there now have ended ([`retired`]), unless mistakes with memory are looked for.
///
/// # Safety
/// The caller does not use the memory any more.
pub unsafe fn free(pointer: *mut u8) -> bool {
    let found = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner).remove(&(pointer as usize));
    let (Some(allocation), Some(pointer)) = (found, NonNull::new(pointer)) else { return false };
    let Allocation { device, layout, .. } = allocation;
    if device.real().shares_host_memory() && !retired::are_mistakes_told() {
        // SAFETY: the table says that this device allocated it with that layout; unused by this function's contract.
        unsafe { retired::free(device, pointer, layout) };
    } else {
        // SAFETY: as above.
        unsafe { device.real().free(pointer, layout) };
    }
    true
}

/// The allocation that holds that address.
pub fn find(pointer: *const u8) -> Option<(UsmKind, &'static Device)> {
    let address = pointer as usize;
    let allocations = ALLOCATIONS.read().unwrap_or_else(PoisonError::into_inner);
    let (begin, allocation) = allocations.range(..=address).next_back()?;
    (address - begin < allocation.layout.size()).then_some((allocation.kind, allocation.device))
}
