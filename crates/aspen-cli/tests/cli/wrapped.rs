//! Programs as DPC++ builds them, made by clang from the structures that its wrapper writes: every version and layout says the same, and a
//! damaged one is an error with its place. Source: FORMATS §7.

use std::fmt::Write;
use std::io::Read;

use crate::common::Session;
use aspen_image::wrapped;

/// A SPIR-V module with a kernel that makes a double on line 7 of k.cpp, in a function that it calls, and an atomic load on line 8.
fn module() -> Vec<u8> {
    let text = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(text.len() / 4 * 4 + 4, 0);
        bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect::<Vec<u32>>()
    };
    let instructions: Vec<Vec<u32>> = vec![
        vec![17, 6],
        vec![17, 10],
        vec![17, 12],
        vec![14, 2, 2],
        [vec![15, 6, 10], text("_ZTS1K")].concat(),
        [vec![7, 1], text("k.cpp")].concat(),
        [vec![5, 11], text("helper")].concat(),
        vec![19, 2],
        vec![22, 3, 64],
        vec![21, 7, 64, 0],
        vec![33, 4, 2],
        vec![33, 5, 3, 3],
        vec![43, 3, 6, 0, 0x4000_0000],
        vec![54, 2, 10, 0, 4],
        vec![248, 20],
        vec![8, 1, 9, 2],
        vec![57, 3, 21, 11, 6],
        vec![253],
        vec![56],
        vec![54, 3, 11, 0, 5],
        vec![55, 3, 12],
        vec![248, 30],
        vec![8, 1, 7, 3],
        vec![129, 3, 31, 12, 12],
        vec![8, 1, 8, 5],
        vec![227, 7, 32, 12, 6, 6],
        vec![254, 31],
        vec![56],
    ];
    let mut words = vec![0x0723_0203, 0x0001_0400, 0, 40, 0];
    for instruction in instructions {
        words.push(u32::try_from(instruction.len()).expect("short") << 16 | instruction[0]);
        words.extend(&instruction[1..]);
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Two images: one that says fp64, one compressed that does not.
fn source(version: u16, new_entries: bool, list: bool) -> String {
    let bytes = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte},")).collect::<String>();
    let packed = zstd::encode_all(&module()[..], 3).expect("packed");
    let entry = |symbol: &str| {
        if new_entries { format!("{{0,1,8,0,0,\"{symbol}\",0,0,0}}") } else { format!("{{0,\"{symbol}\",0,0,0}}") }
    };
    let fields = if new_entries {
        "unsigned long zero; unsigned short version, kind; unsigned flags; void *address; const char *name; unsigned long size, data; void *aux;"
    } else {
        "void *address; const char *name; unsigned long size; int flags, reserved;"
    };
    let manifest = if version == 2 { "void *manifest_begin, *manifest_end; " } else { "" };
    let mut out = format!(
        "struct property {{ const char *name; const void *value; unsigned type; unsigned long size; }};
struct set {{ const char *name; const struct property *begin, *end; }};
struct entry {{ {fields} }};
struct image {{ unsigned short version; unsigned char kind, format; const char *target, *compile, *link; {manifest}const unsigned char *begin, *end;
  const struct entry *entries, *entries_end; const struct set *sets, *sets_end; }};
static const unsigned char code0[] = {{{}}}, code1[] = {{{}}};
static const unsigned char fp64[] = {{64,0,0,0,0,0,0,0,6,0,0,0,27,0,0,0}}, none[] = {{0,0,0,0,0,0,0,0}};
",
        bytes(&module()),
        bytes(&packed)
    );
    for (index, (aspects, symbol)) in [("fp64", "_ZTS1K"), ("none", "_ZTS1L")].into_iter().enumerate() {
        let _ = writeln!(
            out,
            "static const struct entry entries{index}[] = {{{}, {}}};
static const struct property needs{index}[] = {{{{\"aspects\", {aspects}, 2, sizeof {aspects}}}, {{\"reqd_sub_group_size\", 0, 1, 16}}}};
static const struct property exports{index}[] = {{{{\"_Z3onev\", 0, 1, 1}}}};
static const struct set sets{index}[] = {{{{\"SYCL/device requirements\", needs{index}, needs{index} + 2}}, {{\"SYCL/exported symbols\", exports{index}, exports{index} + 1}}}};",
            entry(symbol),
            entry("_Z3onev")
        );
    }
    out += "__attribute__((used)) static const struct image images[] = {\n";
    for (index, format) in [(0, 2), (1, 4)] {
        let _ = writeln!(
            out,
            "{{{version}, 4, {format}, \"spir64\", \"-O2\", \"\", {}code{index}, code{index} + sizeof code{index}, entries{index}, entries{index} + 2, sets{index}, sets{index} + 2}},",
            if version == 2 { "0, 0, " } else { "" }
        );
    }
    out += "};\n";
    if list {
        out += "__attribute__((section(\".tgtimg\"), used)) static const struct { const void *begin; unsigned long size; } list[] = {{code0, sizeof code0}, {code1, sizeof code1}};\n";
    }
    out + "int main(void) { return 0; }\n"
}

#[test]
fn every_layout_says_the_same() {
    let session = Session::new(&[]);
    let mut first = None;
    for version in [2, 3] {
        for (new_entries, list) in [(false, true), (true, true), (true, false)] {
            std::fs::write(session.path("w.c"), source(version, new_entries, list)).expect("writable");
            for options in ["-shared -fPIC", "-shared -fPIC -fuse-ld=lld -Wl,-z,pack-relative-relocs", "-no-pie", "-pie -fPIE -s"] {
                let what = format!("version {version}, new entries {new_entries}, list {list}, {options}");
                if session.run(&format!("clang-22 {options} w.c -o w")).code != Some(0) {
                    assert!(options.contains("lld"), "{what}");
                    continue;
                }
                let found = session.json("aspen inspect w")["images"].clone();
                assert_eq!(found.as_array().map(Vec::len), Some(2), "{what}");
                assert_eq!(*first.get_or_insert_with(|| found.clone()), found, "{what}");
            }
        }
    }
    let first = first.expect("found");
    let kernel = &first[0]["kernels"][0];
    assert_eq!((kernel["symbol"].as_str(), kernel["name"].as_str()), (Some("_ZTS1K"), Some("K")));
    assert_eq!(first[0]["requirements"]["aspects"][0], "fp64");
    assert_eq!((&first[0]["exports"][0], &first[1]["format"]), (&"_Z3onev".into(), &"spirv".into()));
    let said = session.run("aspen check w --device intel_gpu_dg1,intel_gpu_pvc");
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("K  no: lacks aspect fp64") && said.stdout.contains("L  yes"), "{}", said.stdout);
    // The compressed image's code needs more than anybody has said.
    assert!(said.stdout.contains("image 1 ('L'): its code uses fp64, and its property set does not say so"), "{}", said.stdout);
    let why = session.ok("aspen explain w K").stdout;
    let lines = "kernel 'K' needs aspect fp64\n  k.cpp:7:3: used in 'helper'\n  k.cpp:9:2: called from 'K'\n";
    assert!(why.contains(lines), "{why}");
    assert!(why.contains("needs aspect atomic64\n  k.cpp:8:5: used in 'helper'\n  k.cpp:9:2: called from 'K'\n"), "{why}");
    assert!(why.contains("needs sub-group size 16\n  (place unknown): declared by 'K'\n"), "{why}");
    // Compiled for no size at all, which the property set says.
    assert!(said.stdout.contains("2 images are said to need sub-group size 16"), "{}", said.stdout);
    session.ok("aspen diff w w");
    // The report has the chains that the code tells, and what would run without the use.
    let report = session.json("aspen report w --device intel_gpu_dg1 --device intel_gpu_pvc");
    let fp64 = report["causes"].as_array().and_then(|causes| causes.iter().find(|cause| cause["need"] == "aspect fp64")).expect("a cause");
    assert_eq!((&fp64["function"], &fp64["exact"]), (&"helper".into(), &false.into()));
    assert_eq!(fp64["place"], serde_json::json!({ "file": "k.cpp", "line": 7, "column": 3 }));
    assert_eq!(fp64["devices"][0]["runs_without"], serde_json::json!([0]));
    assert_eq!((&report["files"][0]["compiler"], &report["kernels"][1]["unit"]), (&"other".into(), &"w".into()));
    assert!(report["files"][0]["disagreements"][0].as_str().is_some_and(|words| words.starts_with("image 1 ('L')")), "{report}");
}

/// A compiler that takes an image, refuses it, and crashes over it; and images that it is not asked for.
#[test]
fn compilers_are_asked_for_what_passes() {
    let fake = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/fake-opencl/fake.c");
    // The fake device has sub-groups of 8 work-items, and no fp64.
    let source = source(3, true, true).replace("0, 1, 16", "0, 1, 8");
    let importing =
        source.replacen("\"_Z3onev\", 0, 1, 1", "\"_Z5otherv\", 0, 1, 1", 1).replacen("SYCL/exported symbols", "SYCL/unknown", 1);
    let importing = importing.replace("SYCL/exported symbols", "SYCL/imported symbols");
    let session = Session::new(&[("w.c", &source), ("i.c", &importing)]);
    session.ok("clang-22 -no-pie w.c -o w && clang-22 -no-pie i.c -o i");
    session.ok(&format!("clang-22 -O1 -shared -fPIC -Wl,-soname,libOpenCL.so.1 {fake} -o libOpenCL.so.1"));
    for (variables, file, wanted) in [
        ("", "w", &["K  no: lacks aspect fp64", "L  yes", "its compiler takes 1 of 1 SPIR-V images that pass"][..]),
        ("FAKE_FAIL=clBuildProgram", "w", &["takes 0 of 1", "image 1 ('L') is not taken:", "CL_OUT_OF_RESOURCES", "words of the fake"]),
        ("FAKE_FAIL=clBuildProgram FAKE_CRASH=1", "w", &["image 1 ('L') is not taken:", "the compiler crashed: it ended by signal 6"]),
        ("FAKE_FAIL=clCreateKernel", "w", &["image 1 ('L') is not taken:", "clCreateKernel: CL_OUT_OF_RESOURCES"]),
        ("", "i", &["takes 0 of 0", "image 1 cannot be tried: it takes 'one' from another file"]),
    ] {
        let prefix = format!("LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR='opencl:*' {variables} aspen check {file} --build");
        for devices in ["--device opencl:0", "--here"] {
            let said = session.run(&format!("{prefix} {devices}"));
            assert_eq!(said.code, Some(1), "{variables}: {}", said.stderr);
            for words in wanted {
                assert!(said.stdout.contains(words), "{variables} {file}: no {words:?} in {}", said.stdout);
            }
        }
        let said = session.run(&format!("{prefix} --here --format json")).stdout;
        let document: serde_json::Value = serde_json::from_str(&said).expect("one JSON document");
        let built = &document["devices"][0]["build"];
        let refused = usize::from(variables.contains("FAIL"));
        assert_eq!(built["refused"].as_array().map(Vec::len), Some(refused), "{said}");
        assert_eq!(document["devices"][0]["device"], "fake");
    }
    session.bad(2, "aspen check w --device intel_gpu_dg1 --build", &["--build needs the compiler of a device of this machine"]);
    session.bad(
        2,
        "LD_LIBRARY_PATH=. aspen check w --device opencl:4",
        &["there is no device 'opencl:4' here; there are native_cpu:0, opencl:0"],
    );
    session.bad(2, "aspen check w", &["--device"]);
    // The embedded device runs nothing of DPC++'s.
    let said = session.run("ASPEN_DEVICE_SELECTOR='native_cpu:*' aspen check w --here").stdout;
    assert!(said.starts_with("native_cpu:0 (") && said.contains("the file has no code for it"), "{said}");
}

/// Numbers of aspects moved in 2026; which runtime a file asks for says whose they are.
#[test]
fn numbers_are_those_of_the_runtime_that_reads_them() {
    let session = Session::new(&[("w.c", &source(3, false, true))]);
    let check = |version: u32, said: &str, not: &str| {
        let library = format!("libsycl.so.{version}");
        session.ok(&format!("clang-22 -shared -x c /dev/null -Wl,-soname,{library} -o {library}"));
        session.ok(&format!("clang-22 -no-pie w.c -Wl,--no-as-needed ./{library} -o w"));
        let shown = session.ok("aspen inspect w").stdout;
        assert!(shown.contains(said) && !shown.contains(not), "{version}: {shown}");
    };
    check(8, "usm_atomic_shared_allocations", "atomic64");
    check(9, "atomic64", "usm_atomic_shared_allocations");
    check(10, "atomic64", "usm_atomic_shared_allocations");
    // 28 was atomic64, and the code's use of it is what was said.
    std::fs::write(session.path("v.c"), source(3, false, true).replace("27,0,0,0}", "28,0,0,0}")).expect("writable");
    session.ok("clang-22 -no-pie v.c -Wl,--no-as-needed ./libsycl.so.8 -o v");
    assert!(session.ok("aspen inspect v").stdout.contains("atomic64"));
    assert!(!session.run("aspen check v --device intel_gpu_pvc").stdout.contains("image 0 ("));
}

#[test]
fn damage_has_its_place() {
    let session = Session::new(&[("w.c", &source(3, true, true))]);
    session.ok("clang-22 -no-pie w.c -o w");
    let bytes = session.read("w");
    let images = wrapped::find(&bytes).expect("sound");
    let descriptor = usize::try_from(images[0].offset).expect("small");
    let mut errors = 0;
    for at in descriptor..descriptor + 160 {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            if let Err(error) = wrapped::find(&damaged) {
                assert!(error.offset > 0 && error.offset < bytes.len() as u64, "{error}");
                errors += 1;
            }
        }
    }
    // A flipped pointer may point to another text, or the format may be another; nearly all other flips are seen.
    assert!(errors > 900, "{errors} of 1280");
    for length in (0..bytes.len()).step_by(97) {
        let _ = wrapped::find(&bytes[..length]);
    }
    let mut damaged = bytes.clone();
    damaged[descriptor] = 9;
    std::fs::write(session.path("bad"), &damaged).expect("writable");
    session.bad(1, "aspen inspect bad", &["no descriptor of a version that is known (2 and 3)", "at byte"]);
    damaged[descriptor] = 3;
    damaged[descriptor + 80 + 3] = 77;
    std::fs::write(session.path("odd"), &damaged).expect("writable");
    assert!(session.ok("aspen inspect odd").stdout.contains("format 77"));
    let packed = images[1].bytes.as_ptr() as usize - bytes.as_ptr() as usize;
    let mut damaged = bytes.clone();
    damaged[packed] ^= 0xff; // the mark of zstd's frames
    std::fs::write(session.path("torn"), &damaged).expect("writable");
    session.bad(1, "aspen inspect torn", &["image 1, whose descriptor is at byte"]);
}

/// What an object of DPC++'s holds: bitcode a target, in sections of the old model or in blobs of the new one; alone and in archives.
#[test]
fn names_are_not_copied_again_and_again() {
    let session = Session::new(&[]);
    // Entries of a hundred kilobytes that all name one text as long as they are together.
    let repeated = ".section .rodata\ncode: .long 0x07230203,0x00010400,0,40,0\ncode_end: .balign 8\ntarget: .asciz \"spir64\"\n\
        empty: .asciz \"\"\nname: .fill 100000,1,0x41\n.byte 0\n.section .data.rel.ro,\"aw\"\n.balign 16\n\
        entries: .rept 3000\n.quad 0,name,0,0\n.endr\nend:\n.balign 16\n.short 3\n.byte 4,2\n.long 0\n\
        .quad target,empty,empty,code,code_end,entries,end,0,0\n.section .tgtimg,\"aw\"\n.quad code, code_end-code\n";
    std::fs::write(session.path("repeated.s"), repeated).expect("writable");
    session.ok("clang++-22 -shared -nostdlib repeated.s -o repeated.so");
    session.bad(1, "aspen inspect repeated.so", &["'repeated.so'", "its entries name the same bytes again and again"]);
}

#[test]
fn objects_and_archives_are_read() {
    let module = "target triple = \"spir64-unknown-unknown\"
define spir_func void @_Z4halfPf(ptr addrspace(4) %p) {
  %v = load float, ptr addrspace(4) %p
  %d = fpext float %v to double
  %e = fptrunc double %d to float
  store float %e, ptr addrspace(4) %p
  ret void
}
define spir_kernel void @_ZTS1K(ptr addrspace(1) %p) #0 !sycl_used_aspects !3 {
  %g = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  call spir_func void @_Z4halfPf(ptr addrspace(4) %g)
  ret void
}
define spir_kernel void @_ZTS1L() #0 {
  ret void
}
attributes #0 = { \"sycl-module-id\"=\"k.cpp\" }
!sycl_aspects = !{!0, !1}
!0 = !{!\"fp64\", i32 6}
!1 = !{!\"atomic64\", i32 28}
!3 = !{i32 28}
";
    let section = |target: &str, file: &str| format!(".section __CLANG_OFFLOAD_BUNDLE__{target},\"e\",@progbits\n.incbin \"{file}\"\n");
    let old = section("sycl-spir64-unknown-unknown", "k.bc")
        + &section("sycl-spir64_gen-unknown-unknown", "k.bc")
        + &section("host-x86_64-unknown-linux-gnu", "none")
        + &section("hip-amdgcn-amd-amdhsa", "k.bc");
    let broken = section("sycl-spir64-unknown-unknown", "torn.bc");
    let new = ".section .llvm.offloading,\"e\",@progbits\n.p2align 3\n.incbin \"blob\"\n";
    let session = Session::new(&[("k.ll", module), ("none", "\0"), ("old.s", &old), ("new.s", new), ("torn.s", &broken)]);
    session.ok("llvm-as-22 k.ll -o k.bc && head -c 200 k.bc > torn.bc");
    session.ok("llvm-offload-binary-22 -o blob --image=file=k.bc,triple=spir64-unknown-unknown,kind=sycl,arch=");
    session
        .ok("for one in old new torn; do clang-22 -c $one.s -o $one.o; done; ar rcs all.a old.o torn.o new.o; ar rcsT thin.a old.o new.o");
    for (file, images) in [("old.o", 2), ("new.o", 1), ("all.a", 4), ("thin.a", 3)] {
        let found = session.json(&format!("aspen inspect {file}"))["images"].clone();
        assert_eq!(found.as_array().map(Vec::len), Some(images), "{file}: {found:#}");
        assert_eq!(found[0]["kernels"][0]["requirements"]["aspects"], serde_json::json!(["fp64", "atomic64"]), "{file}");
        assert_eq!((&found[0]["target"], &found[0]["format"]), (&"spir64".into(), &"bitcode".into()), "{file}");
        let said = session.run(&format!("aspen check {file} --device intel_gpu_dg1")).stdout;
        assert!(said.contains("K  no: lacks aspect fp64\n") && said.contains("L  yes\n"), "{file}: {said}");
        let why = session.ok(&format!("aspen explain {file} K fp64")).stdout;
        assert!(why.contains("used in 'half'") && why.contains("called from 'K'"), "{file}: {why}");
    }
    assert!(session.ok("aspen inspect all.a").stdout.contains("[2] torn  spir64  unreadable at byte"));
    session.bad(1, "aspen inspect torn.s", &["holds no device images"]);
}

/// `check --build` has the code of every kind of file: objects whose device code is SPIR-V, archives of both kinds, with bitcode and damage
/// beside it, tables and bare modules. What cannot be tried is told with its reason, and is nobody's refusal.
#[test]
fn compilers_get_what_objects_and_archives_hold() {
    let fake = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/e2e/fake-opencl/fake.c");
    let linkage = |kind: u32| {
        // Kernel, Linkage and a function "f" that is exported (0) or imported (1), beside a kernel "k".
        let words = [
            0x0723_0203,
            0x0001_0400,
            0,
            20,
            0,
            0x0002_0011,
            6,
            0x0002_0011,
            5,
            0x0003_000e,
            2,
            2,
            0x0004_000f,
            6,
            10,
            0x6b,
            0x0005_0047,
            11,
            41,
            0x66,
            kind,
            0x0002_0013,
            2,
            0x0003_0021,
            3,
            2,
            0x0005_0036,
            2,
            10,
            0,
            3,
            0x0002_00f8,
            12,
            0x0001_00fd,
            0x0001_0038,
        ];
        let declared = [0x0005_0036, 2, 11, 0, 3, 0x0001_0038];
        let defined = [0x0005_0036, 2, 11, 0, 3, 0x0002_00f8, 13, 0x0001_00fd, 0x0001_0038];
        let words = [&words[..], if kind == 1 { &declared[..] } else { &defined[..] }].concat();
        words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect::<Vec<u8>>()
    };
    let object = |file: &str| format!(".section __CLANG_OFFLOAD_BUNDLE__sycl-spir64-unknown-unknown,\"e\",@progbits\n.incbin \"{file}\"\n");
    let bitcode = "target triple = \"spir64-unknown-unknown\"\ndefine spir_kernel void @_ZTS1B() { ret void }\n";
    let table = "[Code|Properties|Symbols]\nuses.spv|t.prop|t.sym\n";
    let session = Session::new(&[
        ("uses.s", &object("uses.spv")),
        ("gives.s", &object("gives.spv")),
        ("bc.s", &object("b.bc")),
        ("torn.s", &object("torn.spv")),
        ("b.ll", bitcode),
        ("t.table", table),
        ("t.sym", "k\n"),
        ("t.prop", "[SYCL/imported symbols]\nf=1|1\n"),
    ]);
    for (file, bytes) in [("uses.spv", linkage(1)), ("gives.spv", linkage(0)), ("torn.spv", linkage(0)[..60].to_vec())] {
        std::fs::write(session.path(file), bytes).expect("writable");
    }
    session.ok("llvm-as-22 b.ll -o b.bc && for one in uses gives bc torn; do clang-22 -c $one.s -o $one.o; done");
    session.ok("ar rcs all.a uses.o bc.o gives.o torn.o && ar rcsT thin.a uses.o gives.o && ar rcs alone.a uses.o");
    session.ok(&format!("clang-22 -O1 -shared -fPIC -Wl,-soname,libOpenCL.so.1 {fake} -o libOpenCL.so.1"));
    let imported = "cannot be tried: it takes 'f' from another file";
    for (file, wanted) in [
        ("gives.spv", &["takes 1 of 1"][..]),
        ("gives.o", &["takes 1 of 1"]),
        ("uses.o", &["takes 0 of 0", imported]),
        ("alone.a", &["takes 0 of 0", imported]),
        ("uses.spv", &["takes 0 of 0", imported]),
        ("t.table", &["takes 0 of 0", imported]),
        ("thin.a", &["takes 2 of 2"]),
        (
            "all.a",
            &[
                "takes 2 of 2",
                "image 1 cannot be tried: it is LLVM bitcode, of which the link makes SPIR-V",
                "B  yes",
                "image 3 cannot be tried: it is unreadable at byte 64 ('all.a(torn.o)': damaged SPIR-V at word ",
            ],
        ),
    ] {
        let command = format!("LD_LIBRARY_PATH=. ASPEN_DEVICE_SELECTOR='opencl:*' aspen check {file} --build --device opencl:0");
        let said = session.ok(&command).stdout;
        wanted.iter().for_each(|words| assert!(said.contains(words), "{file}: no {words:?} in {said}"));
        let document: serde_json::Value = serde_json::from_str(&session.ok(&format!("{command} --format json")).stdout).expect("JSON");
        let built = &document["devices"][0]["build"];
        assert_eq!((&built["tried"], built["refused"].as_array().map(Vec::len)), (&built["taken"], Some(0)), "{file}: {built}");
    }
    let said =
        session.run("LD_LIBRARY_PATH=. FAKE_FAIL=clBuildProgram ASPEN_DEVICE_SELECTOR='opencl:*' aspen check gives.o --build --here");
    assert!(said.code == Some(1) && said.stdout.contains("image 0 ('k') is not taken"), "{}", said.stdout);
}

/// Bytes of a file at a place, replaced.
fn patched(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out[at..at + new.len()].copy_from_slice(new);
    out
}

/// The bad inputs of issue 16 through the public command: each is an error that names the file, or says what of it cannot be read; nothing
/// hangs, and nothing takes more memory than the file and a limit that has a name.
#[test]
fn bad_inputs_are_told() {
    let session = Session::new(&[("w.c", &source(3, true, true)), ("v.c", &source(3, false, false))]);
    session.ok("clang-22 -no-pie w.c -o w && clang-22 -no-pie v.c -o v");
    let bytes = session.read("w");
    let images = wrapped::find(&bytes).expect("sound");
    let descriptor = usize::try_from(images[0].offset).expect("small");
    let place = |part: &[u8]| part.as_ptr() as usize - bytes.as_ptr() as usize;
    let file = object::File::parse(&*bytes).expect("ELF");
    let section = |name: &str| {
        let section = object::Object::section_by_name(&file, name).expect("there");
        usize::try_from(object::ObjectSection::file_range(&section).expect("in the file").0).expect("small")
    };
    let list = section(".tgtimg");
    // A frame of 128 MiB of zeros.
    let bomb = zstd::encode_all(std::io::repeat(0).take(1 << 27), 3).expect("packed");
    let code = place(images[1].bytes);
    let huge = u64::MAX.to_le_bytes();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("truncated", bytes[..bytes.len() / 2].to_vec(), "'bad'"),
        ("in its header", bytes[..40].to_vec(), "'bad'"),
        ("a list that points outside", patched(&bytes, list, &huge), "it lists"),
        ("a list whose size is outside", patched(&bytes, list + 8, &huge), "but the section '.tgtimg' says 18446744073709551615"),
        ("an end before the beginning", patched(&bytes, descriptor + 40, &[0; 8]), "ends at 0x0 before it begins"),
        ("an end outside", patched(&bytes, descriptor + 40, &huge), "which are not all in the file"),
        ("entries outside", patched(&bytes, descriptor + 56, &huge), "its list of entries"),
        ("sets outside", patched(&bytes, descriptor + 72, &(huge.map(|byte| byte >> 1))), "its list of property sets"),
        ("a target outside", patched(&bytes, descriptor + 8, &huge), "its target is no text in the file"),
        ("an unknown version", patched(&bytes, descriptor, &[4, 0]), "no descriptor of a version that is known (2 and 3)"),
        (
            "SPIR-V that is said to be bitcode",
            patched(&bytes, descriptor + 3, &[3]),
            "its format is 'bitcode', but its image begins as 'spirv'",
        ),
        (
            "SPIR-V that is said to be native",
            patched(&bytes, descriptor + 3, &[1]),
            "its format is 'native', but its image begins as 'spirv'",
        ),
        ("a frame that is said to be SPIR-V", patched(&bytes, descriptor + 80 + 3, &[2]), "but its image begins as 'compressed' does"),
        ("a torn frame", patched(&bytes, code + 4, &[0xff; 8]), "its compressed data is damaged"),
        ("a big-endian file", patched(&bytes, 5, &[2]), "'bad'"),
        ("a 32-bit file", patched(&bytes, 4, &[1]), "'bad'"),
    ];
    for (what, damaged, why) in cases {
        std::fs::write(session.path("bad"), damaged).expect("writable");
        for command in ["inspect bad", "check bad --device intel_gpu_dg1", "explain bad", "diff bad w"] {
            let said = session.run(&format!("ulimit -v 4000000; aspen {command}"));
            assert!(
                said.code == Some(1) && said.stderr.contains(why) && said.stderr.contains("'bad'"),
                "{what}, {command}: {}",
                said.stderr
            );
        }
    }
    // What is not known is named, and the others are shown.
    for (at, new) in [(descriptor + 3, [9]), (descriptor + 80 + 3, [200])] {
        std::fs::write(session.path("odd"), patched(&bytes, at, &new)).expect("writable");
        let shown = session.ok("aspen inspect odd").stdout;
        assert!(shown.contains(&format!("format {}", new[0])) && shown.contains("spirv"), "{shown}");
    }
    let mut lines = String::new();
    bomb.iter().for_each(|byte| _ = write!(lines, "{byte},"));
    let (before, rest) = source(3, true, true).split_once("code1[] = {").map(|(a, b)| (a.to_owned(), b.to_owned())).expect("there");
    let rest = rest.split_once("};").expect("there").1.to_owned();
    std::fs::write(session.path("b.c"), format!("{before}code1[] = {{{lines}}};{rest}")).expect("writable");
    session.ok("clang-22 -no-pie b.c -o b");
    // Only the beginning of an image is unpacked to look at it.
    assert!(session.ok("ulimit -v 1000000; aspen inspect b").stdout.contains("native"));
    // Files of other machines whose images stand in such a section, seen from any command.
    session.ok("echo '.section .tgtimg,\"aw\"; .long 1,2' > e.s && clang-22 --target=i686-linux-gnu -c e.s -o e.o && clang-22 --target=powerpc64-linux-gnu -c e.s -o p.o");
    for file in ["e.o", "p.o"] {
        session.bad(1, &format!("aspen inspect {file}"), &["only files of 64-bit little-endian machines are read"]);
    }
}

/// Every bit of every byte of a descriptor: an error with a place in the file, or the same images but for what that byte says. No damage is
/// passed over, and none takes the other image with it.
#[test]
fn every_byte_of_a_descriptor_counts() {
    let session = Session::new(&[("w.c", &source(3, true, true))]);
    session.ok("clang-22 -no-pie w.c -o w");
    let bytes = session.read("w");
    let sound = wrapped::find(&bytes).expect("sound");
    let descriptor = usize::try_from(sound[0].offset).expect("small");
    for at in descriptor..descriptor + 80 {
        // A pointer to a text may point into another one: that is another target, or other options.
        let is_text = (8..32).contains(&(at - descriptor));
        let mut errors = 0;
        for bit in 0..8 {
            let damaged = patched(&bytes, at, &[bytes[at] ^ 1 << bit]);
            match wrapped::find(&damaged) {
                Err(error) => {
                    assert!(error.offset > 0 && error.offset < bytes.len() as u64, "{error}");
                    errors += 1;
                }
                Ok(images) => {
                    assert_eq!(images.len(), 2, "byte {at}, bit {bit}: an image is gone without a word");
                    assert_eq!(images[1], sound[1], "byte {at}, bit {bit}");
                    assert!(is_text || images[0] != sound[0], "byte {at}, bit {bit} means nothing");
                }
            }
        }
        // The format's number has no wrong values.
        assert!(errors > 0 || is_text || at == descriptor + 3, "byte {} of the descriptor", at - descriptor);
    }
}
