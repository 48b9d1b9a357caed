//! The embedded CPU device: always there, needs no driver, and runs every feature of SYCL kernels on the host's cores.
//!
//! - `facts`: what the device says of itself;
//! - `level`: which images the processor can run, and which of them best;
//! - `nodes`: which processors share a NUMA node;
//! - `program`: images that run together, and their kernels; `library`: each of them, an x86-64 shared object; `known`: what jobs know of a kernel;
//! - `abi`: the agreement with images, `include/aspen/native_cpu.h`;
//! - `range`: `single_task` and `parallel_for(range)`, boxes of work-items that the image loops over;
//! - `group`: one work-group on one thread, by the image's function for whole groups, else work-items as coroutines where they meet;
//!   `fiber`, `stacks`: their stacks;
//! - `running`: what each thread runs; `faults`: names the kernel that divides by zero, overflows its stack or reads where nothing is, before
//!   the process dies of it; `out_of_bounds`, `lines`: what else checks find, and where;
//! - `patience`: tells of groups that wait for others which cannot begin;
//! - `groups`: `parallel_for(nd_range)` and `parallel_for_work_group` over all groups.

mod abi;
mod facts;
mod faults;
mod fiber;
mod group;
mod groups;
mod image_file;
mod known;
mod level;
mod library;
mod lines;
mod nodes;
mod out_of_bounds;
mod patience;
mod program;
mod range;
mod running;
mod spaces;
mod stacks;

use std::alloc::{self, Layout};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use aspen_contract::Capabilities;
use known::Ways;
use nodes::Nodes;
use running::Runs;

use aspen_runtime::backend::{
    Backend, BackendKind, DeviceImage, DeviceType, Facts, Fit, ImageKind, Part, PlatformFacts, Portion, Program, RawDevice, UsmKind,
    copy_on_host, fill_on_host,
};
use aspen_runtime::guarded::{self, Purpose};
use aspen_runtime::{Code, Error, Result, zeroed};

/// The backend with its one device.
#[derive(Clone, Debug, Default)]
pub struct NativeCpu {
    /// Whether work-items run one by one also where an image has functions for whole groups (`ASPEN_CPU_GROUPS`). If that is not said, they do
    /// while a debugger watches, if the image has debug information.
    pub item_by_item: Option<bool>,
    /// Where images are kept as files (`ASPEN_CPU_IMAGE_DIR`), for profilers.
    pub image_dir: Option<PathBuf>,
    /// The highest level of x86-64 of which code is taken, if it is not the processor's. Tests reach the others by it.
    pub level: Option<u32>,
    /// Whether mistakes are looked for that do no harm by themselves (`ASPEN_CHECK=1`).
    pub check: bool,
    /// The sub-group size of kernels that require none, if it is not 32 (`ASPEN_CPU_SUB_GROUP_SIZE`).
    pub sub_group_size: Option<u32>,
    /// How many threads run kernels, if not as many as the process may use processors (`ASPEN_CPU_THREADS`).
    pub threads: Option<usize>,
}

impl Backend for NativeCpu {
    fn kind(&self) -> BackendKind {
        BackendKind::NativeCpu
    }

    fn platform(&self) -> PlatformFacts {
        PlatformFacts {
            name: "Aspen native CPU".into(),
            vendor: "Aspen".into(),
            version: concat!("Aspen ", env!("CARGO_PKG_VERSION")).into(),
            extensions: Vec::new(),
        }
    }

    fn devices(&self) -> Vec<Arc<dyn RawDevice>> {
        if guarded::is_on() {
            faults::install();
        }
        let sub_group_size = self.sub_group_size.unwrap_or(facts::DEFAULT_SUB_GROUP_SIZE);
        let facts = facts::facts(self.threads);
        let most_variables = facts.global_mem_size / facts.max_compute_units.max(1);
        vec![Arc::new(Cpu {
            facts,
            capabilities: facts::capabilities(sub_group_size),
            level: self.level.unwrap_or(u32::MAX).min(level::of_processor(level::has)),
            nodes: if self.threads.is_none() { Nodes::of_process() } else { Nodes::default() },
            place: Vec::new(),
            ways: Ways { item_by_item: self.item_by_item, check: self.check, sub_group_size, most_variables },
            image_dir: self.image_dir.as_deref().map(Arc::from),
        })]
    }
}

#[derive(Clone)]
struct Cpu {
    facts: Facts,
    capabilities: Capabilities,
    /// Of the x86-64 psABI.
    level: u32,
    nodes: Nodes,
    /// The processors on which a part's threads run; none for any.
    place: Vec<usize>,
    ways: Ways,
    image_dir: Option<Arc<Path>>,
}

impl RawDevice for Cpu {
    fn device_type(&self) -> DeviceType {
        DeviceType::Cpu
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn fit(&self, image: &DeviceImage<'_>) -> Option<Fit> {
        let level = level::of_target(image.target()).filter(|level| image.kind() == ImageKind::Object && *level <= self.level)?;
        Some(Fit::AheadOfTime { level: level - level::BASELINE })
    }

    fn runs_sub_group_size(&self, size: u32) -> bool {
        // Lanes are work-items of the group in order, so any size works; profiles list such as 2.
        (1..=facts::MAX_WORK_GROUP_SIZE).contains(&u64::from(size))
    }

    fn default_sub_group_size(&self) -> Option<u32> {
        Some(self.ways.sub_group_size)
    }

    fn load(&self, parts: &[Part<'_>]) -> Result<Arc<dyn Program>> {
        Ok(Arc::new(program::Images::load(parts, self.level, self.ways, self.image_dir.as_deref())?))
    }

    fn allocate(&self, _kind: UsmKind, layout: Layout) -> Result<NonNull<u8>> {
        if let Some(memory) = guarded::allocate(Purpose::Usm, layout.size(), layout.align()) {
            return Ok(memory);
        }
        // Zeroed, as fresh memory of drivers for GPUs is: some programs take it for granted.
        let memory = if is_exact() && layout.size() > 0 {
            // SAFETY: the size is not 0.
            NonNull::new(unsafe { alloc::alloc_zeroed(layout) })
        } else {
            whole_pages(layout).and_then(zeroed::allocate)
        };
        memory.ok_or_else(|| Error::new(Code::MemoryAllocation, "the system has no memory left"))
    }

    unsafe fn free(&self, pointer: NonNull<u8>, layout: Layout) {
        if guarded::free(pointer) {
            return;
        }
        if is_exact() && layout.size() > 0 {
            // SAFETY: from `allocate` with this layout, by the contract of `RawDevice::free`.
            unsafe { alloc::dealloc(pointer.as_ptr(), layout) };
        } else if let Some(pages) = whole_pages(layout) {
            // SAFETY: as above.
            unsafe { zeroed::free(pointer, pages) };
        }
    }

    fn shares_host_memory(&self) -> bool {
        true
    }

    fn portion(&self, portion: Portion) -> Option<Arc<dyn RawDevice>> {
        let mut part = self.clone();
        match portion {
            Portion::Units(units) => {
                part.facts.max_compute_units = Some(units).filter(|units| (1..=self.facts.max_compute_units).contains(units))?
            }
            Portion::Node(node) => {
                part.place = self.nodes.0.get(node)?.clone();
                part.facts.max_compute_units = part.place.len() as u64;
            }
        }
        // Which of the processors a part's units are is not said, so it cannot be divided by where they lie.
        part.nodes = Nodes::default();
        Some(Arc::new(part))
    }

    fn nodes(&self) -> usize {
        self.nodes.0.len()
    }

    fn begin_thread(&self) {
        nodes::stay_on(&self.place);
    }

    unsafe fn copy(&self, to: *mut u8, from: *const u8, size: usize) -> Result<()> {
        // SAFETY: as the contract of `RawDevice::copy`.
        faults::watched(Runs::Copy, || unsafe { copy_on_host(to, from, size) });
        Ok(())
    }

    unsafe fn fill(&self, to: *mut u8, pattern: &[u8], count: usize) -> Result<()> {
        // SAFETY: as the contract of `RawDevice::fill`.
        faults::watched(Runs::Fill, || unsafe { fill_on_host(to, pattern, count) });
        Ok(())
    }
}

/// Memory is handed out in whole pages, as on GPUs: programs that read a little past an array's end, which no GPU notices, do not meet the
/// heap's own data here. None where that is no size.
fn whole_pages(layout: Layout) -> Option<Layout> {
    const PAGE: usize = 4096;
    Layout::from_size_align(layout.size().checked_next_multiple_of(PAGE)?, layout.align()).ok()
}

/// Whether the program is built with AddressSanitizer, which should see exact sizes.
fn is_exact() -> bool {
    static EXACT: OnceLock<bool> = OnceLock::new();
    // SAFETY: a name that ends with zero; nothing but whether there is such a symbol is asked.
    *EXACT.get_or_init(|| unsafe { !libc::dlsym(libc::RTLD_DEFAULT, c"__asan_init".as_ptr()).is_null() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_variables_bound_groups_whose_items_run_one_by_one() {
        let ways = Ways { item_by_item: Some(false), check: false, sub_group_size: 32, most_variables: 1 << 30 };
        for (variables, items) in [(0, None), (1 << 16, None), (1 << 17, None), (1 << 18, Some(4096)), (1 << 31, Some(1))] {
            assert_eq!(ways.limit(variables, "-O0").map(|limit| limit.items), items, "{variables}");
        }
        assert!(ways.limit(1 << 18, "-O0").expect("large").why.ends_with("(they run one by one: -O0)"));
    }
}
