//! What DPC++'s pipeline hands over and expects back, beyond the sets of `dpcpp.rs`: marks of the module alone decide, no option says so.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::Path;

use aspen_devices::Database;
use aspen_postlink::{Arguments, arguments::Dialect};

/// Runs `sycl-post-link` on a module in a folder; what it wrote, or its error.
fn run(folder: &Path, module: &str, options: &str) -> Result<String, String> {
    let path = |name: &str| folder.join(name).display().to_string();
    fs::write(path("in.ll"), format!("target triple = \"spir64-unknown-unknown\"\n{module}")).unwrap();
    let words = options.split_whitespace().map(|word| word.replace("DIR", &folder.display().to_string()));
    let arguments =
        Arguments::parse(words.chain(["-S".into(), path("in.ll"), "-o".into(), path("out.table")])).map_err(|e| format!("{e:?}"))?;
    let arguments = Arguments { unmarked: Dialect::Dpcpp, ..arguments };
    aspen_postlink::run(&arguments, Database::builtin()).map_err(|error| error.to_string())?;
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let written = files.iter().filter(|file| file.file_name().unwrap().to_string_lossy().starts_with("out"));
    Ok(written.map(|file| format!("== {}\n{}", file.file_name().unwrap().to_string_lossy(), fs::read_to_string(file).unwrap())).collect())
}

/// What must be in the output (or the error), and what must not.
#[track_caller]
fn check(module: &str, options: &str, present: &[&str], absent: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), module, options).unwrap_or_else(|error| format!("error: {error}"));
    let said = said.replace(&folder.path().display().to_string(), "DIR");
    for text in present {
        assert!(said.contains(text), "{options}: no '{text}' in\n{said}");
    }
    for text in absent {
        assert!(!said.contains(text), "{options}: '{text}' in\n{said}");
    }
}

/// A module of 2025, when atomic64 was 28 and 27 was usm_atomic_shared_allocations.
const OF_2025: &str = "
define spir_kernel void @k() #0 !sycl_used_aspects !1 { ret void }
define spir_kernel void @m() #0 !sycl_used_aspects !2 { ret void }
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }
!sycl_aspects = !{!10, !11, !12, !13, !20, !21}
!20 = !{!\"usm_system_allocations\", i32 17}
!21 = !{!\"usm_system_allocator\", i32 17}
!10 = !{!\"fp64\", i32 6}
!11 = !{!\"atomic64\", i32 28}
!12 = !{!\"usm_atomic_shared_allocations\", i32 27}
!13 = !{!\"ext_intel_mem_channel\", i32 25}
!1 = !{!11}
!2 = !{i32 25}
";

#[test]
fn names_of_the_module_are_the_meaning_and_its_numbers_are_written_back() {
    // 28 as two words of base64: the bit count 32, then 28 0 0 0.
    check(OF_2025, "-properties", &["aspects=2|gAAAAAAAAAAHAAAA\n", "!{!\"atomic64\", i32 28}"], &["i32 27}\n!1"]);
    // pvc has atomic64 and no ext_intel_device_info_uuid, which is 28 today; and nothing has ext_intel_mem_channel, whatever 25 is today.
    check(OF_2025, "-properties -o intel_gpu_pvc,DIR/pvc.table -o nvidia_gpu_sm_90,DIR/out_sm.table", &[], &["error"]);
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), OF_2025, "-properties -symbols -o intel_gpu_pvc,DIR/out_pvc.table").unwrap();
    let rows = |table: &str| fs::read_to_string(folder.path().join(table)).unwrap().lines().count() - 1;
    assert_eq!((rows("out.table"), rows("out_pvc.table")), (2, 1));
    // In the seed dialect Aspen's numbers are written: 27.
    check(OF_2025, "-properties --dialect=seed", &["aspect=2|gAAAAAAAAAwGAAAA\n"], &["aspect=2|gAAAAAAAAAAHAAAA"]);
}

#[test]
fn names_that_disagree_are_an_error_that_says_both() {
    let two_numbers = OF_2025.replace("!1 = !{!11}", "!1 = !{!14}\n!14 = !{!\"atomic64\", i32 99}");
    check(&two_numbers, "-properties", &["error", "the aspect 'atomic64' has the number 28 in one place and 99 in another"], &[]);
    let two_names = OF_2025.replace("!1 = !{!11}", "!1 = !{!14}\n!14 = !{!\"fp16\", i32 28}");
    check(&two_names, "-properties", &["error", "the aspect 28 is called 'atomic64' in one place and 'fp16' in another"], &[]);
}

#[test]
fn omitted_arguments_by_both_names_and_of_nobody() {
    for name in ["sycl_kernel_omit_args", "spir_kernel_omit_args"] {
        let module = format!(
            "define spir_kernel void @k(i32 %a, i32 %b) !{name} !0 !sycl_used_aspects !1 {{ ret void }}\n!0 = !{{i1 true, i1 false}}\n!1 = !{{i32 6}}"
        );
        check(&module, "-emit-param-info", &["[SYCL/kernel param opt]\nk=2|CAAAAAAAAAQA\n"], &[]);
    }
    check("define spir_kernel void @k() { ret void }", "-emit-param-info", &["[SYCL/kernel param opt]\n"], &["k=2"]);
    check("define spir_kernel void @k() { ret void }", "-emit-param-info --dialect=seed", &[], &["[SYCL/kernel param opt]"]);
}

#[test]
fn what_an_image_calls_is_in_it_or_imported() {
    let module = "
define spir_kernel void @k() #0 { call spir_func void @__reserved()
 call spir_func void @_Z5marked()
 call spir_func void @_Z8unmarked()
 call spir_func void @__devicelib_ConvertFToBF16INTEL()
 ret void }
define spir_func void @__reserved() #1 { ret void }
declare spir_func void @_Z5marked() #1
declare spir_func void @_Z8unmarked()
declare spir_func void @__devicelib_ConvertFToBF16INTEL()
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }
attributes #1 = { \"sycl-module-id\"=\"b.cpp\" }
";
    let marked = "[SYCL/imported symbols]\n_Z5marked=1|1\n__devicelib_ConvertFToBF16INTEL=1|1\n";
    // Images of DPC++'s ask each other for no reserved names: each that calls one has it.
    let reserved = "define internal spir_func void @__reserved()";
    for option in ["-allow-device-image-dependencies", "-support-dynamic-linking"] {
        check(module, &format!("{option} -emit-imported-symbols"), &[marked, reserved], &["_Z8unmarked=1", "__reserved=1"]);
        let seed = ["__reserved=1|1\n", "declare spir_func void @__reserved()"];
        check(module, &format!("{option} -emit-imported-symbols -split=source --dialect=seed"), &seed, &[]);
    }
    check(module, "-emit-imported-symbols", &["[SYCL/imported symbols]\n_Z5marked=1|1\n"], &["__reserved=1|1"]);
    // The library's images are added, and offer what is imported.
    let folder = tempfile::tempdir().unwrap();
    for name in ["fallback", "native"] {
        let text = "target triple = \"spir64-unknown-unknown\"\ndefine spir_func void @__devicelib_ConvertFToBF16INTEL() { ret void }\n";
        fs::write(folder.path().join(format!("libsycl-{name}-bfloat16.bc")), text).unwrap();
    }
    let said = run(folder.path(), module, "-properties -symbols -device-lib-dir=DIR").unwrap();
    let set = |native: u32| {
        format!("[SYCL/exported symbols]\n__devicelib_ConvertFToBF16INTEL=1|1\n[SYCL/devicelib metadata]\nbfloat16=1|{native}\n")
    };
    assert!(said.contains(&format!("out_2.prop\n{}", set(0))) && said.contains(&format!("out_3.prop\n{}", set(1))), "{said}");
    check(module, "-properties -device-lib-dir=DIR/absent", &["error: cannot read", "libsycl-fallback-bfloat16.bc"], &[]);
    check("define spir_kernel void @k() { ret void }", "-properties -device-lib-dir=DIR/absent", &["out_0.prop"], &["error", "out_1"]);
}

#[test]
fn virtual_functions_are_an_image_of_their_own_and_named() {
    let module = "
@_ZTV1A = linkonce_odr constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @_ZN1A1fEv] }
define spir_kernel void @k() #0 { %v = load ptr, ptr @_ZTV1A
 ret void }
define spir_func void @_ZN1A1fEv() #1 !sycl_used_aspects !1 { ret void }
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" \"calls-indirectly\"=\"two,one\" }
attributes #1 = { \"sycl-module-id\"=\"a.cpp\" \"indirectly-callable\"=\"one\" }
!1 = !{!2}
!2 = !{!\"fp64\", i32 6}
";
    // The caller's image neither holds the function nor needs what it needs. Text: 'one', 'one,two'.
    let sets = [
        "[SYCL/virtual functions]\nvirtual-functions-set=2|YAAAAAAAAAwbuVG",
        "[SYCL/virtual functions]\nuses-virtual-functions-set=2|4AAAAAAAAAwbuVGL0d3b",
    ];
    check(
        module,
        "-properties -split=source",
        &sets,
        &["[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n[SYCL/virtual functions]\nvirtual"],
    );
}

/// A call by name goes through no object: its set would not bring the function, so the caller's image holds it; also where a vtable was
/// met first, and in what it calls by name itself.
#[test]
fn a_virtual_function_that_is_called_by_name_is_in_the_callers_image() {
    let module = "
@_ZTV1A = linkonce_odr constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @_ZN1A1fEv] }
define spir_kernel void @direct() #0 !sycl_used_aspects !1 { %v = load ptr, ptr @_ZTV1A
 call spir_func void @caller() ret void }
define spir_func void @caller() { call spir_func void @_ZN1A1fEv() ret void }
define spir_kernel void @through() #0 { %v = load ptr, ptr @_ZTV1A
 ret void }
define spir_func void @_ZN1A1fEv() #1 !sycl_used_aspects !1 { call spir_func void @_ZN1A1gEv() ret void }
define spir_func void @_ZN1A1gEv() #1 !sycl_used_aspects !1 { call spir_func void @plain() ret void }
define spir_func void @plain() { ret void }
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" \"calls-indirectly\"=\"one\" }
attributes #1 = { \"sycl-module-id\"=\"a.cpp\" \"indirectly-callable\"=\"one\" }
!1 = !{!2}
!2 = !{!\"fp64\", i32 6}
";
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), module, "-properties -symbols -split=kernel").unwrap();
    let image = |kernel: &str| said.split("== ").find(|file| file.contains(&format!("spir_kernel void @{kernel}("))).unwrap();
    for function in ["_ZN1A1fEv", "_ZN1A1gEv", "plain", "caller"] {
        assert!(image("direct").contains(&format!("define internal spir_func void @{function}(")), "{function}: {}", image("direct"));
    }
    assert!(image("through").contains("declare spir_func void @_ZN1A1fEv("), "{}", image("through"));
}

#[test]
fn options_about_explicit_simd_need_such_a_kernel() {
    let esimd =
        "define spir_kernel void @_ZTS1K() !sycl_explicit_simd !0 !intel_reqd_sub_group_size !1 { ret void }\n!0 = !{}\n!1 = !{i32 1}";
    let driver = "-O2 -device-globals -id-queries-range=uint -properties -emit-only-kernels-as-entry-points -split-esimd -lower-esimd";
    check(esimd, driver, &["error", "'-O2' is about explicit SIMD kernels, and 'K' is one"], &[]);
    let exported = "define spir_func void @exported() #0 !sycl_explicit_simd !0 { ret void }\nattributes #0 = { \"sycl-module-id\"=\"a.cpp\" }\n!0 = !{}";
    check(exported, "-O2 -properties -split-esimd", &["error", "'exported' is one"], &[]);
    check("define spir_kernel void @k() { ret void }", driver, &["[SYCL/misc properties]\nidQueriesRange=1|1\n"], &["error"]);
}

/// Kernels stand in `llvm.used` and device globals in `llvm.compiler.used` for passes over whole modules; an image has what it needs. A module
/// that was linked may name one twice.
#[test]
fn lists_of_what_is_used_have_served_their_purpose() {
    let module = "
@llvm.used = appending global [4 x ptr] [ptr @first, ptr @called, ptr @nobody, ptr @nobody], section \"llvm.metadata\"
@llvm.compiler.used = appending global [3 x ptr addrspace(4)] [ptr addrspace(4) addrspacecast (ptr addrspace(1) @read to ptr addrspace(4)), \
ptr addrspace(4) addrspacecast (ptr addrspace(1) @idle to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @plain to ptr addrspace(4))], \
section \"llvm.metadata\"
@read = internal addrspace(1) global i32 0 #1
@idle = weak_odr addrspace(1) global i32 0 #2
@plain = internal addrspace(1) constant i8 7
declare spir_func void @called() #0
declare spir_func void @nobody() #0
define spir_kernel void @first() #0 !sycl_used_aspects !0 { %v = load i32, ptr addrspace(1) @read
 call spir_func void @called()
 ret void }
define spir_kernel void @second() #0 { ret void }
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }
attributes #1 = { \"sycl-unique-id\"=\"read_id\" \"sycl-device-global-size\"=\"4\" }
attributes #2 = { \"sycl-unique-id\"=\"idle_id\" \"sycl-device-global-size\"=\"4\" }
!0 = !{i32 6}
"
    .replace("\\\n", "");
    let gone = ["@llvm.used", "@nobody", "@idle"];
    let plain = "@llvm.compiler.used = appending global [1 x ptr addrspace(4)] [ptr addrspace(4) addrspacecast (ptr addrspace(1) @plain to \
                 ptr addrspace(4))], section \"llvm.metadata\"";
    check(&module, "-properties -device-globals", &["declare spir_func void @called()", "read_id=2|", plain], &gone);
    check(
        &module,
        "-properties -split=kernel --dialect=seed",
        &["declare spir_func void @called()"],
        &[gone[0], gone[1], gone[2], "@plain"],
    );
    check(&module, "-ir-output-only -device-globals", &["@called()", "@read", plain], &gone);
    // Each image has what nobody may drop, and of device globals what it uses.
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &module, "-split=kernel -symbols").unwrap();
    let image = |kernel: &str| said.split("== ").find(|file| file.contains(&format!("spir_kernel void @{kernel}("))).unwrap();
    assert!(image("second").contains(plain) && !image("second").contains("@read"), "{}", image("second"));
}

/// Two units, each with its own list: a runtime finds each by a kernel's name, in any image.
#[test]
fn what_sanitizers_leave_is_in_every_image() {
    let module = "
@name_a = internal addrspace(1) constant [2 x i8] c\"A\\00\"
@__AsanKernelMetadata_a1 = appending dso_local addrspace(1) global [1 x { i64, i64 }] [{ i64, i64 } { i64 ptrtoint (ptr addrspace(1) @name_a to i64), i64 1 }] #2
@__AsanKernelMetadata_b2 = appending dso_local addrspace(1) global [1 x { i64, i64 }] [{ i64, i64 } { i64 0, i64 1 }] #3
@__asan_check_shadow_bounds = weak_odr addrspace(1) constant i8 1
define weak_odr dso_local spir_kernel void @A() #0 { %v = load i8, ptr addrspace(1) @__asan_check_shadow_bounds
 ret void }
define weak_odr dso_local spir_kernel void @B() #1 { ret void }
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }
attributes #1 = { \"sycl-module-id\"=\"b.cpp\" }
attributes #2 = { \"sycl-device-global-size\"=\"8\" \"sycl-device-image-scope\" \"sycl-unique-id\"=\"__AsanKernelMetadata_a1\" }
attributes #3 = { \"sycl-device-global-size\"=\"8\" \"sycl-device-image-scope\" \"sycl-unique-id\"=\"__AsanKernelMetadata_b2\" }
";
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), module, "-properties -symbols -device-globals -split=source").unwrap();
    // Text: 'asan'. A name that the runtime reads, whatever the variable's own type was.
    let present = [
        "sanUsed=2|gAAAAAAAAAQYzFmb\n",
        "__AsanKernelMetadata_a1=2|",
        "@__AsanKernelMetadata_a1 = dso_local local_unnamed_addr addrspace(1) global %",
        "@__AsanKernelMetadata_b2 = dso_local local_unnamed_addr addrspace(1) global %",
        "define weak_odr dso_local spir_kernel void @__sanitizerModule_a1()",
        "define weak_odr dso_local spir_kernel void @__sanitizerModule_b2()",
        "!{i32 6147, i32 0, !\"_Z20__SanitizerKernelMetadata\"}",
        "\"sycl-device-global-size\"=\"16\"",
    ];
    for text in present {
        assert_eq!(said.matches(text).count(), if text.starts_with('\"') { 4 } else { 2 }, "{text}: {said}");
    }
    assert!(said.contains("@__asan_check_shadow_bounds = linkonce_odr"), "{said}");
    assert!(said.contains("out_0.sym\nB\n") && said.contains("out_1.sym\nA\n"), "they are no entry points: {said}");
    let msan =
        module.replace("Asan", "Msan").replace("ret void }\ndefine", "call void @__msan_maybe_warning_1(i8 0, i32 0)\n ret void }\ndefine")
            + "declare void @__msan_maybe_warning_1(i8, i32)";
    check(&msan, "-properties", &["sanUsed=2|gAAAAAAAAAQbzFmb\n"], &["call void @__msan_maybe_warning_1"]);
    check("define spir_kernel void @k() { ret void }", "-properties", &["out_0.prop"], &["sanUsed", "__sanitizer"]);
}

#[test]
fn kernels_that_programs_ask_for_by_name_are_listed_where_they_are() {
    let module = "
define spir_kernel void @_Z17__sycl_kernel_onev() #0 { ret void }
define spir_kernel void @_Z17__sycl_kernel_twov() #0 !sycl_used_aspects !9 { ret void }
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }
!sycl_registered_kernels = !{!0}
!0 = !{!1, !2, !3, !4, !5}
!1 = !{!\"one\", !\"_Z17__sycl_kernel_onev\"}
!2 = !{!\"(void(*)())one\", !\"_Z17__sycl_kernel_onev\"}
!3 = !{!\"two\", !\"_Z17__sycl_kernel_twov\"}
!4 = !{!\"three\", !\"_Z19__sycl_kernel_threev\"}
!5 = !{!\"no pair\"}
!9 = !{i32 6}
";
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), module, "-properties").unwrap();
    let set = |image: usize| {
        let file = said.split("== ").find(|file| file.starts_with(&format!("out_{image}.prop"))).unwrap();
        file.split("[SYCL/registered kernels]\n").nth(1).unwrap().to_owned()
    };
    let [one, two] = ["wCAAAAAAAAwXaFzNf91c5NGbftWZy5WZs91buVmd", "wCAAAAAAAAwXaFzNf91c5NGbftWZy5WZs9Fd39md"];
    assert_eq!((set(0), set(1)), (format!("two=2|{two}\n"), format!("one=2|{one}\n(void(*)())one=2|{one}\n")));
    let image = said.split("== ").find(|file| file.starts_with("out_0.ll")).unwrap();
    assert!(image.contains("!sycl_registered_kernels") && !image.contains("kernel_onev"), "{image}");
    check(
        "define spir_kernel void @k() { ret void }\n!sycl_registered_kernels = !{}",
        "-properties",
        &["out_0.prop"],
        &["registered kernels]"],
    );
}

/// Addresses of such functions travel between images, and others look for variables under their names.
#[test]
fn what_others_may_look_for_stays_visible() {
    let module = "
$counter = comdat any
@table = weak addrspace(1) global [1 x ptr] [ptr @of_table]
@counter = linkonce_odr addrspace(1) global i32 0, comdat
@_ZTV1A = addrspace(1) constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @_ZN1A1fEv] }
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @start, ptr null }]
define linkonce_odr spir_func void @of_table() { call spir_func void @helper()
 ret void }
define weak spir_func void @helper() { ret void }
define spir_func void @by_address() #1 { ret void }
define spir_func void @_ZN1A1fEv() { ret void }
define internal void @start() { ret void }
define weak_odr dso_local spir_kernel void @first() #0 { call spir_func void @by_address()
 %v = load i32, ptr addrspace(1) @counter
 ret void }
define weak_odr dso_local spir_kernel void @second() #0 { ret void }
define linkonce_odr spir_func void @_ZN1B1gEv() #2 { ret void }
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }
attributes #1 = { \"referenced-indirectly\" }
attributes #2 = { \"sycl-module-id\"=\"a.cpp\" \"indirectly-callable\"=\"set\" }
";
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), module, "-properties -symbols -split=kernel -emit-only-kernels-as-entry-points").unwrap();
    let image = |kernel: &str| said.split("== ").find(|file| file.contains(&format!("spir_kernel void @{kernel}("))).unwrap();
    for kernel in ["first", "second"] {
        let present = [
            "@table = weak addrspace(1) global [1 x ptr] [ptr @of_table]",
            "define internal spir_func void @of_table()",
            "define internal spir_func void @helper()",
            &format!("define weak_odr dso_local spir_kernel void @{kernel}("),
        ];
        for text in present {
            assert!(image(kernel).contains(text), "no {text} in {}", image(kernel));
        }
        // What is there only because clang emits it is no device code.
        for text in ["_ZTV1A", "_ZN1A1fEv", "global_ctors", "@start"] {
            assert!(!image(kernel).contains(text), "{text} in {}", image(kernel));
        }
    }
    let first = image("first");
    assert!(first.contains("define spir_func void @by_address()"), "{first}");
    assert!(first.contains("@counter = linkonce_odr addrspace(1) global i32 0, comdat"), "{first}");
    assert!(said.contains("define spir_func void @_ZN1B1gEv()"), "{said}");
    check(module, "-symbols -allow-device-image-dependencies", &["define internal spir_func void @by_address()"], &[]);
    let seed = ["define internal spir_func void @by_address()", "@counter = internal addrspace(1) global i32 0"];
    check(module, "-symbols --dialect=seed", &seed, &["@table", "@of_table"]);
}

#[test]
fn two_ways_to_ask_for_registers_are_an_error() {
    let kernel = |attributes: &str| {
        format!("define spir_kernel void @_ZTS1K() #0 {{ ret void }}\nattributes #0 = {{ \"sycl-module-id\"=\"a.cpp\" {attributes} }}")
    };
    let both = kernel("\"sycl-grf-size\"=\"256\" \"sycl-register-alloc-mode\"=\"0\"");
    for dialect in ["dpcpp", "seed"] {
        check(
            &both,
            &format!("-properties --dialect={dialect}"),
            &["error", "'K' asks for", "sycl-grf-size", "sycl-register-alloc-mode"],
            &[],
        );
    }
    check(&kernel("\"sycl-grf-size\"=\"256\""), "-properties", &["sycl-grf-size=1|256\n"], &["error"]);
}

/// Two elements of matrices: one of a class type in an array, one that nobody looks at; and layouts as they come without optimisation.
const MATRICES: &str = "
%matrix = type { target(\"spirv.CooperativeMatrixKHR\", i16, 3, 16, 64, 0) }
define spir_kernel void @k(ptr addrspace(1) %from, i64 %i) #0 {
  %tiles = alloca [4 x [2 x %matrix]], align 8
  %unseen = alloca %matrix, align 8
  %layout = alloca i32, align 4
  %other = alloca i32, align 4
  %layout.4 = addrspacecast ptr %layout to ptr addrspace(4)
  store i32 1, ptr addrspace(4) %layout.4
  %tile = getelementptr inbounds [4 x [2 x %matrix]], ptr %tiles, i64 0, i64 %i, i64 1
  %tile.4 = addrspacecast ptr %tile to ptr addrspace(4)
  %element = call spir_func ptr addrspace(4) @_Z19__spirv_AccessChainIx(ptr addrspace(4) %tile.4, i64 %i)
  %member = getelementptr inbounds { i16 }, ptr addrspace(4) %element, i64 0, i32 0
  %value = load i16, ptr addrspace(4) %member
  store i16 %value, ptr addrspace(1) %from
  %unseen.4 = addrspacecast ptr %unseen to ptr addrspace(4)
  %nobody = call spir_func ptr addrspace(4) @_Z19__spirv_AccessChainIx(ptr addrspace(4) %unseen.4, i64 0)
  %first = load i32, ptr addrspace(4) %layout.4
  %first.spv = call spir_func i32 @joint_matrix_layout_to_spv(i32 %first)
  call spir_func void @_Z32__spirv_CooperativeMatrixLoadKHRv(i32 %first.spv)
  store i32 2, ptr addrspace(4) %layout.4
  %second = load i32, ptr addrspace(4) %layout.4
  %second.spv = call spir_func i32 @joint_matrix_layout_to_spv(i32 %second)
  call spir_func void @_Z32__spirv_CooperativeMatrixLoadKHRv(i32 %second.spv)
  ret void
}
define spir_kernel void @m(i32 %unknown) #0 {
  %one = alloca %matrix, align 8
  %one.4 = addrspacecast ptr %one to ptr addrspace(4)
  %element = call spir_func ptr addrspace(4) @_Z19__spirv_AccessChainIx(ptr addrspace(4) %one.4, i64 7)
  %value = load i16, ptr addrspace(4) %element
  %asked = call spir_func i32 @joint_matrix_layout_to_spv(i32 %unknown)
  call spir_func void @_Z32__spirv_CooperativeMatrixLoadKHRv(i32 %asked)
  ret void
}
declare spir_func ptr addrspace(4) @_Z19__spirv_AccessChainIx(ptr addrspace(4), i64)
declare spir_func void @_Z32__spirv_CooperativeMatrixLoadKHRv(i32)
define linkonce_odr spir_func i32 @joint_matrix_layout_to_spv(i32 %layout) { ret i32 %layout }
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }
";

#[test]
fn only_the_function_itself_makes_layouts() {
    // Kernels and exported functions stay, whatever their names; a function that is its own argument is one call.
    const NAMED_ALIKE: &str = "
target triple = \"spir64-unknown-unknown\"
define spir_kernel void @_ZTS31test_joint_matrix_layout_to_spv() #0 { ret void }
define spir_kernel void @_ZTS26joint_matrix_layout_to_spv(i32 %n) #0 {
  %c = call spir_func ptr @_Z19__spirv_AccessChainv(ptr @_Z19__spirv_AccessChainv, i64 0)
  ret void
}
define spir_func i32 @_ZN1a26joint_matrix_layout_to_spvEi(i32 %n) #0 { ret i32 %n }
define linkonce_odr spir_func i64 @_ZN1b26joint_matrix_layout_to_spvEi(i32 %n) { ret i64 0 }
declare spir_func ptr @_Z19__spirv_AccessChainv(ptr, i64)
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }
";
    check(
        NAMED_ALIKE,
        "-split=source",
        &[
            "@_ZTS31test_joint_matrix_layout_to_spv()",
            "@_ZTS26joint_matrix_layout_to_spv(i32 %n)",
            "@_ZN1a26joint_matrix_layout_to_spvEi(i32 %n)",
        ],
        &["call spir_func ptr @_Z19__spirv_AccessChainv"],
    );
}

#[test]
fn matrices_get_the_form_that_spirv_has_for_them() {
    const MATRIX: &str = "target(\"spirv.CooperativeMatrixKHR\", i16, 3, 16, 64, 0)";
    let tiles = format!("%tiles = alloca [4 x [2 x {MATRIX}]], align 8");
    let one = format!("%one = alloca {MATRIX}, align 8");
    check(
        MATRICES,
        "-split=kernel",
        &[
            &tiles,
            &one,
            // From the matrix in C++'s structure to the one that SPIR-V knows.
            "getelementptr inbounds %matrix, ptr addrspace(4) %tile.4, i64 0, i32 0",
            "%value = load i16, ptr addrspace(4) %element",
            // In the order of the stores.
            "LoadKHRv(i32 1)\n  call spir_func void @_Z32__spirv_CooperativeMatrixLoadKHRv(i32 2)",
            // What is not known stays a call.
            "call spir_func i32 @joint_matrix_layout_to_spv(i32 %unknown)",
        ],
        &["{ i16 }", "%nobody", "%layout.4", "%first", "%second"],
    );
    // The same in the one file of other pipelines.
    check(MATRICES, "-split=none -symbols", &[&tiles], &["%nobody"]);
}

#[test]
fn explicit_simd_that_is_called_is_an_error_that_names_the_caller() {
    const CALLS: &str = "
define spir_kernel void @_ZTS1k() #0 {
  %r = call spir_func float @_Z33__regcall3____builtin_invoke_simdXv(ptr @simd, float 1.0)
  ret void
}
define spir_func <16 x float> @simd(<16 x float> %x) !sycl_explicit_simd !0 { ret <16 x float> %x }
declare spir_func float @_Z33__regcall3____builtin_invoke_simdXv(ptr, float)
attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }
!0 = !{}
";
    check(CALLS, "-properties", &["error: DIR/in.ll: 'k' calls explicit SIMD code (invoke_simd)"], &[]);
}
