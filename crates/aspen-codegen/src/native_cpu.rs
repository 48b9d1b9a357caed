//! x86-64 shared objects for the embedded CPU device, one an image. Their contract with the backend is `include/aspen/native_cpu.h`.
//!
//! An image exports its entry points, and slots for what it imports, and nothing else: two images of a program may hold the same inline function or `thread_local`
//! variable and must not share it, as they are loaded and unloaded on their own.

use std::ffi::{CStr, CString};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aspen_image::ImageKind;
use aspen_llvm::{FunctionFacts, ItemLoops, Job, Module, Output, SharedCalls, X86_64Object};

use crate::tool::{Tool, in_parallel, io_error, line_of};
use crate::{CodegenError, Image, ImageInput, Object, Target};

/// How long the linker may take: it hangs only where the system does.
const LIMIT: Duration = Duration::from_secs(600);

/// `native_cpu`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeCpu {
    /// The clang++ that links.
    pub compiler: PathBuf,
}

impl Default for NativeCpu {
    fn default() -> Self {
        Self { compiler: "clang++-22".into() }
    }
}

impl Target for NativeCpu {
    fn job(&self, input: ImageInput) -> Job {
        // Whoever steps through unoptimised code wants one item a call, as the source has it.
        let instead = (input.opt_level == 0).then_some(c"it is compiled without optimisation (-O0)");
        let loops = Some(Box::new(item_loops(input.sub_group, input.work_group, instead)));
        Job {
            name: input.name,
            bitcode: input.bitcode,
            passes: passes(input.opt_level).into(),
            debug: input.debug,
            opt_level: input.opt_level,
            output: Output::X86_64Object(X86_64Object { item_loops: loops, facts: function_facts() }),
        }
    }

    fn commands(&self, _: u8) -> Vec<String> {
        vec![line_of(&command(&self.compiler, &["image0.o".into()], ["image0.map", "image0.so"], false, false))]
    }

    fn finish(&self, objects: Vec<Object>, scratch: &Path, parallelism: NonZeroUsize) -> Vec<Result<Image, CodegenError>> {
        in_parallel(objects, parallelism, |index, object| Link::start(&self.compiler, object, scratch, index), Link::finish)
    }
}

/// Before the symbol of an imported function: its slot (`ASPEN_CPU_IMPORT_SLOT`).
const IMPORT_SLOT: &str = "aspen_import.";
/// The slot of images that share the current item (`ASPEN_CPU_ITEM_SLOT`).
const ITEM_SLOT: &str = "aspen_cpu_current_item";
/// The table of images that ask what the device has (`ASPEN_CPU_DEVICE_HAS`).
const DEVICE_HAS: &str = "aspen_cpu_device_has";
/// The slot of images that ask in which address space an address lies (`ASPEN_CPU_SPACE_SLOT`).
const SPACE_SLOT: &str = "aspen_cpu_space_of";
/// The slot of images whose kernels run item by item (`ASPEN_CPU_PLACE_SLOT`).
const PLACE_SLOT: &str = "aspen_cpu_tell_place";
/// Before a kernel's symbol: its functions for whole groups (`ASPEN_CPU_GROUP`).
const GROUP: &CStr = c"aspen_group.";
/// Before the symbol of a kernel or an exported function: how much stack it needs (`ASPEN_CPU_STACK`).
const STACK: &CStr = c"aspen_stack.";
/// The backend's default sub-group size, for which code is made where none is required.
const COMMON_SUB_GROUP: u32 = 32;
/// Before the symbol of a kernel that waits for nothing (`ASPEN_CPU_PROMPT`).
const PROMPT: &CStr = c"aspen_prompt.";
/// Less is no news to who runs it.
const LITTLE_STACK: u64 = 32 << 10;
/// `sycl::detail::current` of `include/sycl/detail/work_item.hpp`.
const CURRENT_ITEM: &str = "_ZN4sycl6detail7currentE";
/// `sycl::detail::enter_nd_item`, `wait_for_group`, `wait_for_sub_group`, `wait_to_compute_for_group`, `wait_to_compute_for_sub_group`,
/// `has_ended`, `asked_ended`, `take_32`, `take_64`, `fold_32` and `fold_64` of the same.
const ENTER: &CStr = c"_ZN4sycl6detail13enter_nd_itemEP14aspen_cpu_item";
const BARRIER: &CStr = c"_ZN4sycl6detail14wait_for_groupEP14aspen_cpu_item";
const SUB_GROUP_BARRIER: &CStr = c"_ZN4sycl6detail18wait_for_sub_groupEP14aspen_cpu_item";
const ONE_OF_GROUP: &CStr = c"_ZN4sycl6detail25wait_to_compute_for_groupEP14aspen_cpu_item";
const ONE_OF_SUB_GROUP: &CStr = c"_ZN4sycl6detail29wait_to_compute_for_sub_groupEP14aspen_cpu_item";
const ENDED: &CStr = c"_ZN4sycl6detail9has_endedEPK14aspen_cpu_itemjb";
const ASKED_ENDED: &CStr = c"_ZN4sycl6detail11asked_endedEP14aspen_cpu_itemj";
const TAKE_32: &CStr = c"_ZN4sycl6detail7take_32EP14aspen_cpu_itemjNS0_8lane_wayEj";
const TAKE_64: &CStr = c"_ZN4sycl6detail7take_64EP14aspen_cpu_itemmNS0_8lane_wayEj";
const FOLD_32: &CStr = c"_ZN4sycl6detail7fold_32EPjPKhjNS0_9lane_foldE";
const FOLD_64: &CStr = c"_ZN4sycl6detail7fold_64EPmPKhjNS0_9lane_foldE";

impl NativeCpu {
    /// Makes the module one of several that call each other at run time. Source: `include/aspen/native_cpu.h`, "Calls between images".
    ///
    /// # Errors
    /// If the module uses the current item as no header of ours does.
    pub fn open(module: &mut Module<'_>, imports: &[String]) -> Result<(), aspen_llvm::Error> {
        module.share_calls(&SharedCalls { imports, import_slot: IMPORT_SLOT, variable: CURRENT_ITEM, variable_slot: ITEM_SLOT })
    }

    /// Lets the backend say what the device has and in which address space an address lies, if the module asks.
    /// Source: `include/aspen/native_cpu.h`, "What the device has", "Address spaces".
    pub fn ask(module: &mut Module<'_>) {
        module.expose(DEVICE_HAS);
        module.expose(SPACE_SLOT);
    }
}

/// What the transform that makes loops over the items of a group knows of our headers.
fn item_loops(sub_group: Option<u32>, work_group: Option<[u32; 3]>, instead: Option<&CStr>) -> ItemLoops {
    ItemLoops {
        work_group,
        lanes: sub_group.unwrap_or(COMMON_SUB_GROUP),
        enter: ENTER.into(),
        barrier: BARRIER.into(),
        sub_group_barrier: SUB_GROUP_BARRIER.into(),
        one_of_group: ONE_OF_GROUP.into(),
        one_of_sub_group: ONE_OF_SUB_GROUP.into(),
        ended: ENDED.into(),
        asked_ended: ASKED_ENDED.into(),
        take_32: TAKE_32.into(),
        take_64: TAKE_64.into(),
        fold_32: FOLD_32.into(),
        fold_64: FOLD_64.into(),
        current: CString::new(CURRENT_ITEM).unwrap_or_default(),
        prefix: GROUP.into(),
        instead: instead.map(CStr::to_owned),
    }
}

/// Source: `include/aspen/native_cpu.h`, "Stack".
fn function_facts() -> FunctionFacts {
    FunctionFacts { stack: STACK.into(), prompt: PROMPT.into(), group: GROUP.into(), least: LITTLE_STACK }
}

/// As for SPIR-V, and peepholes: the code is final here. Source: DESIGN §1.
fn passes(opt_level: u8) -> &'static str {
    match opt_level {
        0 => "always-inline,globaldce,strip-dead-prototypes",
        _ => {
            "globaldce,cgscc(inline),function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg),globaldce,strip-dead-prototypes"
        }
    }
}

/// A linker at work.
struct Link {
    image: String,
    messages: String,
    tool: Tool,
    library: PathBuf,
}

impl Link {
    fn start(compiler: &Path, object: Object, scratch: &Path, index: usize) -> Result<Link, CodegenError> {
        let file = |extension: &str| format!("image{index}.{extension}");
        let (script, library) = (file("map"), file("so"));
        let (mut inputs, mut messages, mut is_sanitized) = (Vec::new(), Vec::new(), false);
        for (part, generated) in std::iter::once(object.generated).chain(object.more).enumerate() {
            let input = if part == 0 { file("o") } else { file(&format!("{part}.o")) };
            fs::write(scratch.join(&input), &generated.bytes).map_err(io_error(&object.name, "cannot write the object"))?;
            is_sanitized |= self::is_sanitized(&generated.bytes);
            inputs.push(input);
            messages.push(generated.messages);
        }
        fs::write(scratch.join(&script), version_script(&object.entries))
            .map_err(io_error(&object.name, "cannot write the list of exports"))?;
        let command = command(compiler, &inputs, [&script, &library], is_sanitized, object.debug);
        let tool = Tool::start(&object.name, command, scratch, index, "the Debian package clang-22")?;
        Ok(Link { image: object.name, messages: joined(messages), tool, library: scratch.join(library) })
    }

    fn finish(self) -> Result<Image, CodegenError> {
        let command = self.tool.line();
        let words = self.tool.finish(LIMIT)?;
        let bytes = fs::read(&self.library).map_err(io_error(&self.image, "cannot read the shared object"))?;
        let messages = joined(vec![self.messages, words]);
        // The linker refuses unresolved symbols (-z defs).
        Ok(Image { bytes, kind: ImageKind::Object, imports: Vec::new(), messages, commands: vec![command], fallback: None, rest: None })
    }
}

/// What was said, without what is empty.
fn joined(messages: Vec<String>) -> String {
    messages.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The linker's command, for objects, the list of exports and the library.
fn command(compiler: &Path, objects: &[String], [script, library]: [&str; 2], is_sanitized: bool, debug: bool) -> Command {
    let mut command = Command::new(compiler);
    command.args(["-shared", "-fPIC"]).args(objects).args(["-o", library]);
    command.args(["-Wl,-Bsymbolic", "-Wl,--as-needed", "-lm"]).arg(format!("-Wl,--version-script={script}"));
    if !is_sanitized {
        // Whoever asked for the image tells what is missing, by its symbol.
        command.args(["-Wl,-z,defs", "-Wl,--no-demangle"]);
    }
    if !debug {
        // Local symbols serve debuggers only; the exported ones are in another table.
        command.arg("-Wl,--strip-all");
    }
    command
}

/// Whether a sanitizer watches the code: its functions are the program's own, found where the image is loaded.
fn is_sanitized(object: &[u8]) -> bool {
    const CALLS: [&[u8]; 2] = [b"__asan_report_", b"__ubsan_handle_"];
    CALLS.iter().any(|call| object.windows(call.len()).any(|bytes| bytes == *call))
}

/// Exports the entry points and slots only. Quoted, so that no character of a symbol is a pattern.
fn version_script(entries: &[String]) -> String {
    let [group, stack, prompt] = [GROUP, STACK, PROMPT].map(CStr::to_string_lossy);
    let mut script = format!(
        "{{\n  global:\n    {IMPORT_SLOT}*;\n    {group}*;\n    {stack}*;\n    {prompt}*;\n    {ITEM_SLOT};\n    {DEVICE_HAS};\n    {PLACE_SLOT};\n    {SPACE_SLOT};\n"
    );
    for entry in entries {
        script += &format!("    \"{entry}\";\n");
    }
    script + "  local: *;\n};\n"
}
