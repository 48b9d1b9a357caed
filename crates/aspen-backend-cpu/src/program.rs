//! Programs: images that run together, and their kernels.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use aspen_runtime::backend::{GroupLimit, ImageError, Kernel, Launch, LaunchKind, Part, Program, Task, WorkItems};
use aspen_runtime::{Code, Error, Result};

use crate::abi::{ItemEntry, RangeEntry};
use crate::groups::Groups;
use crate::image_file::{has_debug_info, is_debugged};
use crate::known::{Kept, Known, Pace, Ways};
use crate::library::Library;
use crate::range::Boxes;

/// An image, and those it calls functions of. Each set of images that run together is loaded on its own: what a program keeps of a
/// library's image does not depend on which other programs use it, and goes with the program.
pub(crate) struct Images {
    /// The image with the kernels first. Never empty.
    libraries: Arc<[Library]>,
    /// The processor's level, up to which functions for whole groups are taken.
    level: u32,
    ways: Ways,
    /// Bytes of stack for the variables of functions that the images take from each other.
    between: usize,
    /// How kernels run, by symbol.
    work_items: BTreeMap<String, WorkItems>,
}

impl Images {
    /// Those of one program, together. With a folder they are kept there as files.
    pub(crate) fn load(parts: &[Part<'_>], level: u32, mut ways: Ways, folder: Option<&Path>) -> Result<Images> {
        let libraries =
            parts.iter().map(|part| Library::load(part.name, part.image.bytes(), folder)).collect::<Result<Arc<[Library]>>>()?;
        // Who steps through a kernel wants one item a call, as the source has it.
        if ways.item_by_item.is_none() && is_debugged() && parts.iter().any(|part| has_debug_info(part.image.bytes())) {
            tracing::info!("a debugger watches: work-items run one by one, unless ASPEN_CPU_GROUPS=loops");
            ways.item_by_item = Some(true);
        }
        // The most for each of them: which calls which is not known here.
        let mut variables = vec![0; libraries.len()];
        for (library, part) in libraries.iter().zip(parts) {
            for (symbol, provider) in part.imports {
                library.import(symbol, &libraries[*provider])?;
                variables[*provider] = libraries[*provider].variables(symbol).max(variables[*provider]);
            }
            library.share_item();
            library.hear_places();
            library.tell_spaces();
            library.tell(part.has);
        }
        let mut work_items = BTreeMap::new();
        for part in parts {
            let damaged = |error: ImageError| Error::new(Code::Build, format!("{}: {error}", part.name));
            for (symbol, how) in part.image.work_items().map_err(damaged)? {
                work_items.entry(symbol).or_insert(how);
            }
        }
        Ok(Images { libraries, level, ways, work_items, between: variables.into_iter().fold(0, usize::saturating_add) })
    }
}

impl Program for Images {
    fn kernel(&self, symbol: &str) -> Result<Arc<dyn Kernel>> {
        let failed = |name: &str| {
            let why = "the image's list of kernels promises an entry that its code lacks,";
            Error::new(Code::Build, format!("{name}: {why} '{symbol}'"))
        };
        let found = self.libraries.iter().find_map(|library| Some((library, library.find(symbol)?)));
        let (library, entry) = found.ok_or_else(|| failed(self.libraries.first().map_or("no image", |library| &library.name)))?;
        let whole = if self.ways.item_by_item == Some(true) { None } else { library.group(symbol, self.level) };
        let variables = library.variables(symbol).saturating_add(self.between);
        let prompt = library.is_prompt(symbol);
        let known = Known { whole, check: self.ways.check, sub_group_size: self.ways.sub_group_size, variables };
        let limit = match self.work_items.get(symbol) {
            Some(WorkItems::OneByOne { waits: true, why }) if whole.is_none() => self.ways.limit(variables, why),
            // Whether they wait is not known of those that need not run so.
            Some(WorkItems::Together) if whole.is_none() => self.ways.limit(variables, "for a debugger, or by ASPEN_CPU_GROUPS=items"),
            _ => None,
        };
        Ok(Arc::new(Entry { libraries: self.libraries.clone(), entry, known, limit, prompt, pace: Arc::default() }))
    }
}

struct Entry {
    libraries: Arc<[Library]>,
    entry: NonNull<c_void>,
    known: Known,
    limit: Option<GroupLimit>,
    prompt: bool,
    pace: Arc<Pace>,
}

// SAFETY: the address of a function, in a library that is kept open.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

impl Kernel for Entry {
    fn group_limit(&self) -> Option<&GroupLimit> {
        self.limit.as_ref()
    }

    fn prepare(&self, launch: Launch, threads: usize) -> Result<Task> {
        self.known.fits(&launch.name)?;
        let keep = Kept::new(&self.pace, self.prompt, &self.libraries);
        match launch.kind {
            LaunchKind::SingleTask | LaunchKind::Range => {
                // SAFETY: native_cpu.h: entries of kernels launched this way have this type. The front end saw every launch of the kernel.
                let entry = unsafe { mem::transmute::<*mut c_void, RangeEntry>(self.entry.as_ptr()) };
                Ok(Task::Job(Box::new(Boxes::new(entry, self.known, launch, threads, keep))))
            }
            LaunchKind::NdRange | LaunchKind::WorkGroups => {
                // SAFETY: as above.
                let entry = unsafe { mem::transmute::<*mut c_void, ItemEntry>(self.entry.as_ptr()) };
                Ok(Task::Job(Box::new(Groups::new(entry, self.known, launch, threads, keep))))
            }
        }
    }
}
