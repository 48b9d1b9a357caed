//! What the driver answers about a device, as data.

use std::ffi::CStr;

use crate::sys::{self, CUdevice, CUdevice_attribute as Attribute};

use crate::driver::{Driver, Tried, tried};

/// The answers that capabilities and facts follow from. What a driver does not know is 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answers {
    /// `cuDeviceGetName`.
    pub name: String,
    /// The CUDA version of the driver.
    pub driver: (u32, u32),
    /// Compute capability, `(9, 0)`.
    pub processor: (u32, u32),
    /// The processor as images' targets name it, where the compute capability does not say it: `gfx90a`.
    pub architecture: String,
    /// Bytes of global memory.
    pub total_memory: u64,
    /// `MULTIPROCESSOR_COUNT`.
    pub multiprocessors: u64,
    /// `MAX_THREADS_PER_BLOCK`.
    pub max_threads: u64,
    /// `MAX_BLOCK_DIM_X` and its siblings.
    pub max_block: [u64; 3],
    /// `MAX_GRID_DIM_X` and its siblings.
    pub max_grid: [u64; 3],
    /// `MAX_SHARED_MEMORY_PER_BLOCK_OPTIN`, or without one what a block has anyway.
    pub shared_memory: u64,
    /// `WARP_SIZE`.
    pub warp_size: u32,
    /// `CLOCK_RATE` in kHz.
    pub clock_khz: u64,
    /// `L2_CACHE_SIZE`.
    pub cache_size: u64,
    /// `INTEGRATED`: the GPU uses the host's memory.
    pub integrated: bool,
    /// `UNIFIED_ADDRESSING`: an address means the same on host and device.
    pub unified_addressing: bool,
    /// `MANAGED_MEMORY`.
    pub managed_memory: bool,
    /// `CONCURRENT_MANAGED_ACCESS`: host and device may access managed memory at the same time.
    pub concurrent_managed_access: bool,
    /// `HOST_NATIVE_ATOMIC_SUPPORTED`.
    pub host_native_atomics: bool,
    /// `PAGEABLE_MEMORY_ACCESS`: kernels reach all memory of the host.
    pub pageable_memory_access: bool,
    /// `PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES`: and do so as fast as the host.
    pub host_page_tables: bool,
    /// `MEMORY_POOLS_SUPPORTED`: memory is allocated in the order of streams.
    pub memory_pools: bool,
}

impl Answers {
    /// Asks the driver.
    pub(crate) fn ask(driver: Driver, device: CUdevice) -> Tried<Answers> {
        let number = |what: Attribute| -> u64 {
            let mut value = 0;
            // SAFETY: a device of this driver, and room for the answer.
            let answered = tried("cuDeviceGetAttribute", unsafe { sys::cuDeviceGetAttribute(&mut value, what, device) });
            // Attributes that an older driver does not know are 0, as for a device without them.
            answered.ok().and_then(|()| u64::try_from(value).ok()).unwrap_or(0)
        };
        let truth = |what| number(what) != 0;
        let small = |what| u32::try_from(number(what)).unwrap_or(0);
        let mut name = [0; 256];
        // SAFETY: room for that many bytes; the driver terminates the name.
        tried("cuDeviceGetName", unsafe { sys::cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, device) })?;
        let mut total = 0;
        // SAFETY: room for the answer.
        tried("cuDeviceTotalMem", unsafe { sys::cuDeviceTotalMem_v2(&mut total, device) })?;
        let (major, minor) = driver.version()?;
        let optional = number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        Ok(Answers {
            // SAFETY: terminated, at the latest by the last byte, which the driver leaves.
            name: unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned(),
            driver: (u32::try_from(major).unwrap_or(0), u32::try_from(minor).unwrap_or(0)),
            processor: (
                small(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                small(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
            ),
            architecture: sys::processor(device),
            total_memory: total as u64,
            multiprocessors: number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
            max_threads: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
            max_block: [
                number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
            ],
            max_grid: [
                number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
            ],
            shared_memory: match optional {
                0 => number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                bytes => bytes,
            },
            warp_size: small(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
            clock_khz: number(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
            cache_size: number(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
            integrated: truth(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED),
            unified_addressing: truth(Attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING),
            managed_memory: truth(Attribute::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY),
            concurrent_managed_access: truth(Attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS),
            host_native_atomics: truth(Attribute::CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED),
            pageable_memory_access: truth(Attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS),
            host_page_tables: truth(Attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES),
            memory_pools: truth(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED),
        })
    }
}
