//! Memory that kernels of a device reach, copies and fills.

use std::alloc::Layout;
use std::collections::HashMap;
use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex};

use crate::sys::{self, CUmemPool_attribute, CUmemoryPool, CUpointer_attribute, CUresult, CUstream};
use aspen_runtime::backend::{Deferred, UsmKind, copy_on_host, fill_on_host};
use aspen_runtime::{Code, Result};

use crate::copy::enqueue_copy;
use crate::device::Device;
use crate::driver::{Failure, Made, Stream, Tried, lock, tried};
use crate::fill::{self, Way, way};
use crate::submitted::Job;
use crate::work::{Enqueue, Work};

/// What `cuMemHostAlloc` calls its flags: memory for all contexts, with a device address.
const PORTABLE_AND_MAPPED: u32 = 0x01 | 0x02;

/// A device's memory.
#[derive(Default)]
pub(crate) struct Memory {
    /// Made when memory of the device is first asked for.
    pool: Made<Pool>,
    /// What was allocated, by address: the driver has a function of its own for each kind.
    allocated: Mutex<HashMap<usize, Kind>>,
    /// Small blocks of the pool that nothing uses, by their class: to allocate such and to free it takes the driver as long as a launch.
    spare: Mutex<Spare>,
}

/// What all blocks of the driver's are aligned to.
const ALIGNMENT: usize = 256;

/// Blocks of up to so many bytes are kept, and so many bytes of them.
const LARGEST_SPARE: usize = 1 << 20;
const MOST_SPARE: usize = 64 << 20;

/// Free blocks of a device, whose sizes are powers of two.
#[derive(Default)]
struct Spare {
    blocks: HashMap<usize, Vec<u64>>,
    bytes: usize,
}

impl Spare {
    /// The size that a block has in the pool.
    fn size(wanted: usize) -> usize {
        if wanted <= LARGEST_SPARE { wanted.next_power_of_two().max(512) } else { wanted }
    }

    fn take(&mut self, size: usize) -> Option<u64> {
        let address = self.blocks.get_mut(&size)?.pop()?;
        self.bytes -= size;
        Some(address)
    }

    /// Whether there was room for it.
    fn keep(&mut self, size: usize, address: u64) -> bool {
        let keeps = size <= LARGEST_SPARE && self.bytes + size <= MOST_SPARE;
        if keeps {
            self.bytes += size;
            self.blocks.entry(size).or_default().push(address);
        }
        keeps
    }
}

/// By what memory was allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Pool,
    Usm(UsmKind),
}

/// Memory that is given again without the driver's asking the system. What is free stays the process's until it lacks memory.
struct Pool {
    raw: CUmemoryPool,
    /// Nothing else is in these: an allocation is there when its stream is idle, and what is freed waits for the kernels that use it.
    allocations: Stream,
    frees: Stream,
}

// SAFETY: the driver's pools may be used by every thread.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    /// In the current context.
    fn create(device: &Device) -> Tried<Pool> {
        let location = sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: device.id() };
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location,
            win32SecurityAttributes: ptr::null_mut(),
            reserved: [0; 64],
        };
        let mut raw = ptr::null_mut();
        // SAFETY: properties as the driver wants them, and room for the answer.
        tried("cuMemPoolCreate", unsafe { sys::cuMemPoolCreate(&mut raw, &properties) })?;
        let set = |what, mut value: u64| {
            // SAFETY: both attributes are at most 64 bits wide.
            tried("cuMemPoolSetAttribute", unsafe { sys::cuMemPoolSetAttribute(raw, what, ptr::from_mut(&mut value).cast()) })
        };
        set(CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, u64::MAX)?;
        // Memory whose kernels still run is not given again: whoever allocates would wait for them.
        set(CUmemPool_attribute::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0)?;
        let access = |id| sys::CUmemAccessDesc {
            location: sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id },
            flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        let peers: Vec<_> = device.peers().into_iter().map(access).collect();
        if !peers.is_empty() {
            // SAFETY: as many descriptions as said.
            tried("cuMemPoolSetAccess", unsafe { sys::cuMemPoolSetAccess(raw, peers.as_ptr(), peers.len()) })?;
        }
        Ok(Pool { raw, allocations: Stream::create()?, frees: Stream::create()? })
    }

    fn allocate(&self, size: usize) -> Tried<u64> {
        let once = || {
            let mut address = 0;
            let stream = self.allocations.0;
            // SAFETY: a pool and a stream of this context, and room for the answer.
            tried("cuMemAllocFromPoolAsync", unsafe { sys::cuMemAllocFromPoolAsync(&mut address, size, self.raw, stream) })?;
            self.allocations.finish()?;
            Ok(address)
        };
        once().or_else(|failure: Failure| {
            if failure.error != CUresult::CUDA_ERROR_OUT_OF_MEMORY {
                return Err(failure);
            }
            // What waits for kernels may be enough.
            self.frees.finish()?;
            once()
        })
    }

    /// Frees as soon as all is over that was put into the device's streams so far.
    fn free(&self, device: &Device, address: u64) -> Tried<()> {
        device.launcher().settle();
        device.lanes().before(self.frees.0)?;
        // SAFETY: allocated by this pool, and used by nothing that is submitted from now on.
        tried("cuMemFreeAsync", unsafe { sys::cuMemFreeAsync(address, self.frees.0) })
    }
}

impl Memory {
    /// Allocates memory of a device.
    pub(crate) fn allocate(&self, device: &Device, kind: UsmKind, layout: Layout) -> Tried<NonNull<u8>> {
        let size = layout.size();
        let spare = (kind == UsmKind::Device && layout.align() <= ALIGNMENT).then(|| lock(&self.spare).take(Spare::size(size))).flatten();
        if let Some(pointer) = spare.and_then(|address| NonNull::new(address as *mut u8)) {
            lock(&self.allocated).insert(pointer.addr().get(), Kind::Pool);
            return Ok(pointer);
        }
        let (address, kind) = device.enter(|| match kind {
            UsmKind::Device if device.answers().memory_pools => {
                let (pool, size) = (self.pool.get_or_make(|| Pool::create(device))?, Spare::size(size));
                let allocated = pool.allocate(size).or_else(|failure| {
                    if failure.error != CUresult::CUDA_ERROR_OUT_OF_MEMORY || !self.give_up_spare(device, pool)? {
                        return Err(failure);
                    }
                    pool.allocate(size)
                });
                Ok((allocated?, Kind::Pool))
            }
            UsmKind::Device => {
                let mut address = 0;
                // SAFETY: in this device's context, with room for the answer; so are the other two.
                tried("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&mut address, size) })?;
                Ok((address, Kind::Usm(kind)))
            }
            UsmKind::Shared => {
                let mut address = 0;
                let flags = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as u32;
                // SAFETY: as above.
                tried("cuMemAllocManaged", unsafe { sys::cuMemAllocManaged(&mut address, size, flags) })?;
                Ok((address, Kind::Usm(kind)))
            }
            UsmKind::Host => {
                let mut pointer = ptr::null_mut();
                // SAFETY: as above.
                tried("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&mut pointer, size, PORTABLE_AND_MAPPED) })?;
                Ok((pointer as u64, Kind::Usm(kind)))
            }
        })?;
        let pointer = NonNull::new(address as *mut u8).filter(|pointer| pointer.addr().get().is_multiple_of(layout.align()));
        let Some(pointer) = pointer else {
            self.release(device, address, kind)?;
            return Err(Failure { call: "alignment of USM", error: CUresult::CUDA_ERROR_MISALIGNED_ADDRESS });
        };
        lock(&self.allocated).insert(pointer.addr().get(), kind);
        Ok(pointer)
    }

    /// Gives memory back; nothing happens to an address that is not known.
    pub(crate) fn free(&self, device: &Device, address: usize) -> Tried<()> {
        let kind = lock(&self.allocated).remove(&address);
        kind.map_or(Ok(()), |kind| self.release(device, address as u64, kind))
    }

    /// The same of memory of the device that nothing uses which is submitted, and that had this size.
    pub(crate) fn free_idle(&self, device: &Device, address: usize, size: usize) -> Tried<()> {
        let kind = lock(&self.allocated).remove(&address);
        match kind {
            Some(Kind::Pool) if lock(&self.spare).keep(Spare::size(size), address as u64) => Ok(()),
            kind => kind.map_or(Ok(()), |kind| self.release(device, address as u64, kind)),
        }
    }

    /// Gives spare blocks back to the pool, and says whether there were any.
    fn give_up_spare(&self, device: &Device, pool: &Pool) -> Tried<bool> {
        let spare = std::mem::take(&mut *lock(&self.spare));
        let mut blocks: Vec<u64> = spare.blocks.into_values().flatten().collect();
        blocks.sort_unstable();
        blocks.iter().try_for_each(|address| pool.free(device, *address))?;
        Ok(!blocks.is_empty())
    }

    fn release(&self, device: &Device, address: u64, kind: Kind) -> Tried<()> {
        device.enter(|| match (kind, self.pool.get()) {
            (Kind::Pool, Some(pool)) => pool.free(device, address),
            // SAFETY: allocated by the function that belongs to this one, and unused.
            (Kind::Usm(UsmKind::Host), _) => tried("cuMemFreeHost", unsafe { sys::cuMemFreeHost(address as *mut _) }),
            // SAFETY: as above.
            (Kind::Pool | Kind::Usm(_), _) => tried("cuMemFree", unsafe { sys::cuMemFree_v2(address) }),
        })
    }

    /// Copies, and returns when that is done.
    ///
    /// # Safety
    /// As `RawDevice::copy`.
    pub(crate) unsafe fn copy(&self, device: &Device, to: *mut u8, from: *const u8, size: usize) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        if side(device, to as u64).is_host() && side(device, from as u64).is_host() {
            // SAFETY: valid by this function's contract.
            unsafe { copy_on_host(to, from, size) };
            return Ok(());
        }
        let copy = Copy { to: to as u64, from: from as u64, size };
        device.on_stream(|stream| copy.submit(device, stream)).map_err(|failure| device.error(Code::Runtime, failure))
    }

    /// Fills, and returns when that is done.
    ///
    /// # Safety
    /// As `RawDevice::fill`.
    pub(crate) unsafe fn fill(&self, device: &Device, to: *mut u8, pattern: &[u8], count: usize) -> Result<()> {
        if pattern.len() * count == 0 {
            return Ok(());
        }
        if side(device, to as u64).is_host() {
            // SAFETY: valid by this function's contract.
            unsafe { fill_on_host(to, pattern, count) };
            return Ok(());
        }
        let fill = Fill::new(to as u64, pattern, count);
        device.on_stream(|stream| fill.submit(device, stream)).map_err(|failure| device.error(Code::Runtime, failure))
    }
}

/// A copy for the device's streams; `None` if the driver would do it on this thread, since it does not know one of the sides, or need not
/// do it.
///
/// # Safety
/// As `RawDevice::copy_later`.
pub(crate) unsafe fn copy_later(device: &Arc<Device>, to: *mut u8, from: *const u8, size: usize) -> Option<Arc<dyn Deferred>> {
    let sides = [side(device, to as u64), side(device, from as u64)];
    let is_ours = size > 0 && !sides.contains(&Side::Unknown) && sides.contains(&Side::Device);
    let copy = || Work::Other(Box::new(Copy { to: to as u64, from: from as u64, size }));
    is_ours.then(|| -> Arc<dyn Deferred> { Job::new(device, copy()) })
}

/// A fill for the device's streams; `None` for memory of the host.
///
/// # Safety
/// As `RawDevice::fill_later`.
pub(crate) unsafe fn fill_later(device: &Arc<Device>, to: *mut u8, pattern: &[u8], count: usize) -> Option<Arc<dyn Deferred>> {
    let is_ours = pattern.len() * count > 0 && side(device, to as u64) == Side::Device;
    is_ours.then(|| -> Arc<dyn Deferred> { Job::new(device, Work::Other(Box::new(Fill::new(to as u64, pattern, count)))) })
}

/// Whose memory an address is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    /// A device's, or of the kind that moves.
    Device,
    /// The host's, and the driver knows it.
    Host,
    /// The host's, for all that the driver knows.
    Unknown,
}

impl Side {
    fn is_host(self) -> bool {
        self != Side::Device
    }
}

fn side(device: &Device, address: u64) -> Side {
    let (mut kind, mut managed) = (0_u32, 0_u32);
    let mut what = [CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED];
    let mut answers = [ptr::from_mut(&mut kind).cast(), ptr::from_mut(&mut managed).cast()];
    let asked = device.enter(|| {
        // SAFETY: both answers are at most 32 bits wide; any address may be asked for, and one that is not known has no attributes.
        let error = unsafe { sys::cuPointerGetAttributes(2, what.as_mut_ptr(), answers.as_mut_ptr(), address) };
        tried("cuPointerGetAttributes", error)
    });
    match asked {
        Ok(()) if kind == 0 => Side::Unknown,
        Ok(()) if kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32 && managed & 0xff == 0 => Side::Host,
        Ok(()) => Side::Device,
        Err(_) => Side::Unknown,
    }
}

/// A copy of so many bytes.
struct Copy {
    to: u64,
    from: u64,
    size: usize,
}

impl Enqueue for Copy {
    fn code(&self) -> Code {
        Code::Runtime
    }

    fn name(&self) -> String {
        String::new()
    }

    fn submit(&self, _: &Device, stream: CUstream) -> Tried<()> {
        // SAFETY: valid until the job is over, by the contract of whoever made it.
        unsafe { enqueue_copy(self.to, self.from, self.size, stream) }
    }
}

/// A fill of memory that is not the host's.
struct Fill {
    to: u64,
    way: Way,
    /// What is copied, which stays until the job is over.
    first: Vec<u8>,
    total: usize,
}

impl Fill {
    fn new(to: u64, pattern: &[u8], count: usize) -> Fill {
        let way = match way(to, pattern, count) {
            // The kernel for them is PTX.
            Way::Quads(_) if !sys::TAKES_PTX => Way::Copies,
            way => way,
        };
        let first = if way == Way::Copies { fill::first_copy(pattern, count) } else { Vec::new() };
        Fill { to, way, first, total: pattern.len() * count }
    }
}

impl Enqueue for Fill {
    fn code(&self) -> Code {
        Code::Runtime
    }

    fn name(&self) -> String {
        String::new()
    }

    fn submit(&self, device: &Device, stream: CUstream) -> Tried<()> {
        let address = self.to;
        // SAFETY: in all of them: valid until the job is over, by the contract of whoever made it, and aligned as the way wants.
        unsafe {
            match &self.way {
                Way::Bytes(byte, count) => tried("cuMemsetD8Async", sys::cuMemsetD8Async(address, *byte, *count, stream)),
                Way::Halves(value, count) => tried("cuMemsetD16Async", sys::cuMemsetD16Async(address, *value, *count, stream)),
                Way::Words(value, count) => tried("cuMemsetD32Async", sys::cuMemsetD32Async(address, *value, *count, stream)),
                Way::Quads(quads) => device.fill_kernel()?.submit(address, quads, stream),
                Way::Copies => fill::submit_copies(address, &self.first, self.total, stream),
            }
        }
    }
}
