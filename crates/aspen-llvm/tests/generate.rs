//! Code generation by forked workers. Its own `main`: the test harness would have several threads, and workers need a process with one.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::process::Command;

use aspen_llvm::{CodegenError, Context, FunctionFacts, Generated, Job, Output, X86_64Object, generate, in_workers};

const SPIRV: &str = r#"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
define internal spir_func i32 @twice(i32 %x) { %y = mul i32 %x, 2
  ret i32 %y }
define spir_kernel void @KERNEL(ptr addrspace(1) %p) !reqd_work_group_size !0 !intel_reqd_sub_group_size !1 {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %q = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %i
  %x = load i32, ptr addrspace(1) %q, align 4
  %y = call spir_func i32 @twice(i32 %x)
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}
!0 = !{i32 8, i32 4}
!1 = !{i32 16}
"#;

const X86: &str = r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@table = global [2 x i32] [i32 1, i32 2]
define void @KERNEL(ptr %p) {
  %x = load i32, ptr @table
  store i32 %x, ptr %p
  ret void
}
"#;

fn job(name: &str, ir: &str, output: Output) -> Job {
    let context = Context::new();
    let bitcode = context.parse(name, ir.replace("KERNEL", name).as_bytes()).unwrap().to_bitcode();
    Job {
        name: name.to_owned(),
        bitcode,
        passes: "cgscc(inline),globaldce,strip-dead-prototypes".into(),
        opt_level: 2,
        debug: false,
        output,
    }
}

fn spirv() -> Output {
    Output::SpirV {
        extensions: vec!["SPV_EXT_shader_atomic_float_add".into(), "SPV_EXT_shader_atomic_float_min_max".into()],
        pointer_extensions: vec!["SPV_INTEL_function_pointers".into()],
    }
}

fn run(jobs: &[Job]) -> Vec<Result<Generated, CodegenError>> {
    generate(jobs, NonZeroUsize::new(3).unwrap())
}

fn good(results: Vec<Result<Generated, CodegenError>>) -> Vec<Vec<u8>> {
    results.into_iter().map(|result| result.unwrap().bytes).collect()
}

/// Output of a tool over the bytes; `None` if the machine does not have it.
fn tool(command: &[&str], bytes: &[u8]) -> Option<String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let output = Command::new(command[0]).args(&command[1..]).arg(file.path()).output().ok()?;
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn twenty_images_are_valid_and_the_same_every_time() {
    let jobs: Vec<Job> = (0..20).map(|index| job(&format!("k{index}"), SPIRV, spirv())).collect();
    let first = good(run(&jobs));
    assert_eq!(first, good(generate(&jobs, NonZeroUsize::MIN)));
    for image in &first {
        assert_eq!(image[..4], [0x03, 0x02, 0x23, 0x07]);
        if let Some(text) = tool(&["spirv-dis"], image) {
            assert!(text.contains("LocalSize 4 8 1"), "the attribute's order is reversed and padded: {text}");
            assert!(text.contains("SubgroupSize 16") && !text.contains("OpFunctionCall"), "{text}");
        }
        tool(&["spirv-val"], image);
    }
    assert!(first[0] != first[1], "the names differ");
}

fn function_pointers_bring_their_extension() {
    let pointer = SPIRV.replace("call spir_func i32 @twice(i32 %x)", "call spir_func i32 %f(i32 %x)").replace(
        "%x = load i32, ptr addrspace(1) %q, align 4",
        "%x = load i32, ptr addrspace(1) %q, align 4
         %c = icmp sgt i32 %x, 0
         %f = select i1 %c, ptr @twice, ptr @thrice",
    ) + "define internal spir_func i32 @thrice(i32 %x) { %y = mul i32 %x, 3\n ret i32 %y }";
    for (ir, expected) in [(SPIRV.to_owned(), false), (pointer, true)] {
        let mut job = job("k", &ir, spirv());
        job.passes.clear();
        let image = good(run(&[job])).remove(0);
        assert_eq!(String::from_utf8_lossy(&image).contains("SPV_INTEL_function_pointers"), expected);
    }
}

/// Without needs 1.0, so that old drivers take it; what a newer version brought asks for that version, known beforehand or found by LLVM.
fn spirv_is_as_old_as_its_contents_allow() {
    let plain = SPIRV.replace(" !intel_reqd_sub_group_size !1", "");
    let calling = |name: &str, parameters: &str, arguments: &str| {
        let declared = format!("declare spir_func i1 @{name}({parameters})\ndefine internal");
        let called = format!("%z = call spir_func i1 @{name}({arguments})\n  ret void");
        plain.replacen("define internal", &declared, 1).replacen("ret void", &called, 1)
    };
    let cases = [
        (plain.clone(), 0),
        (SPIRV.to_owned(), 1),
        (calling("_Z28__spirv_GroupNonUniformElectj", "i32", "i32 3"), 3),
        // Addresses compare as numbers: as pointers they would ask for 1.4.
        (
            plain.replace(
                "store i32 %y,",
                "%c = icmp eq ptr addrspace(1) %p, %q
                 %d = icmp ne ptr addrspace(1) %q, null
                 %e = icmp ult ptr addrspace(1) %p, %q
                 %f = and i1 %c, %d
                 %g = and i1 %e, %f
                 %w = zext i1 %g to i32
                 store i32 %w,",
            ),
            0,
        ),
        // OpenCL's name of the same: only the back end knows that.
        (calling("_Z15sub_group_electv", "", ""), 4),
    ];
    let jobs: Vec<Job> = cases.iter().map(|(ir, _)| Job { passes: String::new(), ..job("k", ir, spirv()) }).collect();
    for (image, (ir, minor)) in good(run(&jobs)).iter().zip(&cases) {
        assert_eq!(image[4..8], [0, *minor, 1, 0], "{ir}");
        tool(&["spirv-val"], image);
    }
}

fn x86_64() -> Output {
    let facts = FunctionFacts { stack: c"stack.".into(), prompt: c"prompt.".into(), group: c"group.".into(), least: 1 << 16 };
    Output::X86_64Object(X86_64Object { item_loops: None, facts })
}

/// What ends whatever others do is exported so; what may wait for them is not.
fn prompt_functions_are_told() {
    let loops = |inside: &str| {
        format!(
            "entry:\n br label %loop\nloop:\n %x = {inside}\n %c = icmp eq i32 %x, 0\n br i1 %c, label %loop, label %end\nend:\n ret void"
        )
    };
    let once = |what: &str| format!(" %x = {what}\n ret void");
    let cases = [
        ("plain", loops("load i32, ptr %p"), true),
        ("atomic", loops("load atomic i32, ptr %p monotonic, align 4"), false),
        ("volatile", loops("load volatile i32, ptr %p"), false),
        ("counts", loops("atomicrmw add ptr %p, i32 1 monotonic"), false),
        ("counts_once", once("atomicrmw add ptr %p, i32 1 monotonic"), true),
        ("calls_unknown", once("call i32 @unknown()"), false),
        ("calls_known", once("call i32 @known()"), true),
        ("pointer", once("call i32 %p()"), false),
        ("asks_once", once("call i32 @asks(ptr %p)"), true),
        ("asks_again", loops("call i32 @asks(ptr %p)"), false),
        ("recursive", " call void @recursive(ptr %p)\n ret void".to_owned(), false),
    ];
    let mut ir = String::from(
        "target triple = \"x86_64-unknown-linux-gnu\"\ndeclare i32 @unknown()\ndeclare i32 @known() willreturn\n\
         define internal i32 @asks(ptr %p) noinline {\n %x = load atomic i32, ptr %p monotonic, align 4\n ret i32 %x\n}\n",
    );
    for (name, body, _) in &cases {
        ir += &format!("define void @{name}(ptr %p) {{\n{body}\n}}\n");
    }
    let job = Job { passes: String::new(), ..job("k", &ir, x86_64()) };
    let object = &good(run(&[job]))[0];
    for (name, body, is_prompt) in &cases {
        let symbol = format!("\0prompt.{name}\0");
        let found = object.windows(symbol.len()).any(|bytes| bytes == symbol.as_bytes());
        assert_eq!(found, *is_prompt, "{name}:\n{body}");
    }
}

fn x86_objects_are_elf() {
    let output = x86_64();
    let jobs: Vec<Job> = (0..3).map(|index| job(&format!("k{index}"), X86, output.clone())).collect();
    let objects = good(run(&jobs));
    assert_eq!(objects, good(run(&jobs)));
    assert!(objects.iter().all(|object| object.starts_with(b"\x7fELF")));
    // Position independent: `table` may be anywhere, so its address comes from the global offset table.
    if let Some(relocations) = tool(&["objdump", "--reloc"], &objects[0]) {
        assert!(relocations.contains("GOTPCREL") && relocations.contains("table"), "{relocations}");
    }
}

const PTX: &str = r#"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare float @llvm.sin.f32(float)
declare { double, double } @llvm.modf.f64(double)
declare float @erff(float)
define ptx_kernel void @"KERNEL.aspen_1"(ptr %p) {
  %x = load float, ptr %p
  %s = call float @llvm.sin.f32(float %x)
  %r = frem float %s, 3.0
  %e = call float @erff(float %r)
  %d = fpext float %e to double
  %m = call { double, double } @llvm.modf.f64(double %d)
  store { double, double } %m, ptr %p
  ret void
}
define ptx_kernel void @whole_group(ptr %p, i64 %shape, i32 %unused) {
  store i64 %shape, ptr %p
  ret void
}
"#;

/// As libdevice looks: another triple, and more than is needed.
const LIBRARY: &str = r#"
target triple = "nvptx64-nvidia-gpulibs"
define float @__nv_sinf(float %x) { %y = fadd float %x, 17.0
  ret float %y }
define float @__nv_fmodf(float %x, float %y) { %z = fmul float %x, %y
  ret float %z }
define float @__nv_erff(float %x) { %y = call float @helper(float %x)
  ret float %y }
define internal float @helper(float %x) { %y = fsub float %x, 18.0
  ret float %y }
define float @__nv_unused(float %x) { ret float %x }
"#;

/// Code for AMD's GPUs: what comes from ocml, and what is told where it is missing or where wavefronts have another size.
fn code_objects_are_complete() {
    const KERNEL: &str = r#"
target triple = "amdgcn-amd-amdhsa"
@slot = internal addrspace(3) global i32 0
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) %p
  %y = call float @sinf(float %x)
  store float %y, ptr addrspace(1) %p
  store i32 1, ptr addrspace(3) @slot
  ret void
}
declare float @sinf(float)
"#;
    const LIBRARY: &str = r#"
target triple = "amdgcn-amd-amdhsa"
define float @__ocml_sin_f32(float %x) { %y = fadd float %x, 17.0
  ret float %y }
"#;
    let mut library = tempfile::NamedTempFile::new().unwrap();
    library.write_all(LIBRARY.as_bytes()).unwrap();
    let amd = |library: Option<&std::path::Path>, sub_group| {
        Output::AmdGpu(aspen_llvm::AmdGpu {
            processor: c"gfx90a".into(),
            library: library.map(Into::into),
            work_group: Some([8, 4, 2]),
            sub_group,
            entries: vec!["k".into()],
        })
    };
    let object = good(run(&[job("k", KERNEL, amd(Some(library.path()), Some(64)))])).remove(0);
    // An ELF file for machine 224, AMDGPU; the name of the kernel's descriptor.
    assert_eq!((&object[..4], &object[18..20]), (&b"\x7fELF"[..], &[224, 0][..]));
    assert!(object.windows(4).any(|text| text == b"k.kd"));
    let results = run(&[
        job("k", KERNEL, amd(None, None)),
        job("k", KERNEL, amd(Some(std::path::Path::new("/nowhere/ocml.bc")), None)),
        job("k", KERNEL, amd(Some(library.path()), Some(32))),
        job("k", X86, amd(None, None)),
    ]);
    for (result, expected) in results.into_iter().zip([
        "'__ocml_sin_f32' of ROCm's ocml, which was not found: install Debian's package rocm-device-libs",
        "cannot read /nowhere/ocml.bc",
        "sub-groups of 32 work-items, and those of gfx90a have 64",
        "not for amdgcn",
    ]) {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Functions come from the library and nothing else does; names have no dots; the group's size is stated where a thread is a work-item.
fn ptx_is_complete() {
    let mut library = tempfile::NamedTempFile::new().unwrap();
    library.write_all(LIBRARY.as_bytes()).unwrap();
    let ptx = |library: Option<&std::path::Path>| {
        Output::Ptx(aspen_llvm::Ptx {
            processor: c"sm_80".into(),
            features: c"+ptx81".into(),
            library: library.map(Into::into),
            work_group: Some([8, 4, 2]),
        })
    };
    let with = job("k", PTX, ptx(Some(library.path())));
    let text = String::from_utf8(good(run(std::slice::from_ref(&with))).remove(0)).unwrap();
    for expected in [".version 8.1", ".target sm_80", ".entry k$aspen_1(", ".entry whole_group(", "0f41880000", "0fC1900000"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert_eq!(text.matches(".reqntid 8, 4, 2").count(), 1, "{text}");
    for unwanted in [".extern", "unused(", "call.uni", "modf", "sin"] {
        assert!(!text.contains(unwanted), "{unwanted} in {text}");
    }
    let results =
        run(&[job("k", PTX, ptx(None)), job("k", PTX, ptx(Some(std::path::Path::new("/nowhere/lib.bc")))), job("k", X86, with.output)]);
    for (result, expected) in
        results.into_iter().zip(["of CUDA's libdevice, which was not found", "cannot read /nowhere/lib.bc", "not for nvptx64"])
    {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// One bad image is one error that names it; the others are there.
fn a_failing_image_is_an_error_that_names_it() {
    let refused = SPIRV.replace("%y = mul i32 %x, 2", "%y = call i32 asm \"bswap $0\", \"=r,r\"(i32 %x)");
    let mut jobs = vec![job("fine", SPIRV, spirv()), job("asm", &refused, spirv()), job("wrong", X86, spirv())];
    jobs.push(Job { bitcode: jobs[0].bitcode[..99].to_vec(), ..jobs[0].clone() });
    jobs.push(Job { passes: "no-such-pass".into(), ..jobs[0].clone() });
    let mut unknown = job("extension", SPIRV, Output::SpirV { extensions: vec!["SPV_NO_SUCH".into()], pointer_extensions: Vec::new() });
    unknown.passes.clear();
    jobs.push(unknown);
    let results: Vec<String> =
        run(&jobs).into_iter().map(|result| result.map_or_else(|error| error.to_string(), |image| image.bytes.len().to_string())).collect();
    assert!(results[0].parse::<usize>().is_ok(), "{results:?}");
    for (result, expected) in
        results[1..].iter().zip(["'asm': ", "not for spirv", "'fine': fine: not a valid", "unknown pass name", "SPV_NO_SUCH"])
    {
        assert!(result.starts_with("cannot generate code for image '") && result.contains(expected), "{result}");
        assert!(!result.contains("Stack dump"), "{result}");
    }
}

fn several_threads_are_refused() {
    let jobs = [job("k", SPIRV, spirv())];
    let (started, wait) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            started.wait();
            wait.wait();
        });
        started.wait();
        let error = run(&jobs).pop().unwrap().unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot run code generation for image 'k': this process has 2 threads and its workers need a process with one"
        );
        wait.wait();
    });
}

/// The system counts a thread for a moment after it is joined.
fn joined_threads_are_no_obstacle() {
    for round in 0..1000 {
        std::thread::spawn(|| {}).join().unwrap();
        in_workers(1, NonZeroUsize::MIN, &|_| Ok(Vec::new()), &mut |_, result| {
            assert!(result.is_ok(), "after {round} threads: {result:?}")
        });
    }
}

fn main() {
    twenty_images_are_valid_and_the_same_every_time();
    function_pointers_bring_their_extension();
    spirv_is_as_old_as_its_contents_allow();
    x86_objects_are_elf();
    prompt_functions_are_told();
    ptx_is_complete();
    code_objects_are_complete();
    a_failing_image_is_an_error_that_names_it();
    several_threads_are_refused();
    joined_threads_are_no_obstacle();
    println!("generate: 10 tests ok");
}
