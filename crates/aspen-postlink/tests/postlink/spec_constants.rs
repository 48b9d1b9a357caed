//! Specialization constants in the three modes: calls, property sets byte for byte, images with default values.
//!
//! The base64 was made by an encoder of its own (Python, from FORMATS §4.4), not by ours. Numbers and their order follow DPC++: by the
//! declarations of the reading functions, then from the last call to the first. Source: FORMATS §4.1, §4.5.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::Path;
use std::process::Command;

use aspen_devices::Database;
use aspen_postlink::{Arguments, Error};
use tempfile::TempDir;

/// What every module begins with.
const HEAD: &str = r#"
source_filename = "s.cpp"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"
"#;

/// A kernel with a number, one with a truth value, a half and the number again, one that reads nothing.
const SCALARS: &str = r#"
@n_int = private unnamed_addr constant [4 x i8] c"int\00"
@n_bool = private unnamed_addr addrspace(1) constant [5 x i8] c"bool\00"
@n_half = private unnamed_addr addrspace(1) constant [5 x i8] c"half\00"
@d_int = internal addrspace(1) constant { i32 } { i32 42 }, align 4
@d_bool = linkonce_odr addrspace(1) constant { i8 } { i8 1 }, align 1
@d_half = internal addrspace(1) constant { half } { half 2.0 }, align 2
declare spir_func zeroext i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func half @_Z37__sycl_getScalar2020SpecConstantValueIDhET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
define spir_kernel void @one(ptr addrspace(1) %out, ptr addrspace(4) %buffer) #0 {
  %v = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @n_int to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_int to ptr addrspace(4)), ptr addrspace(4) %buffer)
  store i32 %v, ptr addrspace(1) %out
  ret void
}
define spir_kernel void @three(ptr addrspace(1) %out, ptr addrspace(4) %buffer) #0 {
  %v = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @n_int to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_int to ptr addrspace(4)), ptr addrspace(4) %buffer)
  %b = call spir_func zeroext i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n_bool to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_bool to ptr addrspace(4)), ptr addrspace(4) %buffer)
  %h = call spir_func half @_Z37__sycl_getScalar2020SpecConstantValueIDhET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @n_half to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_half to ptr addrspace(4)), ptr addrspace(4) %buffer)
  %byte = zext i1 %b to i32
  %sum = add i32 %v, %byte
  store i32 %sum, ptr addrspace(1) %out
  store half %h, ptr addrspace(1) %out
  ret void
}
define spir_kernel void @none() #0 { ret void }
attributes #0 = { "sycl-module-id"="s.cpp" }
"#;

/// Structures in structures, with padding that the types spell out or not; a vector, arrays, an empty class, a packed type.
const COMPOSITES: &str = r#"
%struct.outer = type { i8, %struct.inner, i8 }
%struct.inner = type { i8, i32, i8 }
%struct.padded = type <{ float, i8, [3 x i8], i32, i8, [3 x i8] }>
%struct.lists = type { <2 x i32>, [2 x half], i64 }
%struct.empty = type { i8 }
%"class.sycl::_V1::holder" = type { %struct.lists }
@n_outer = private constant [6 x i8] c"outer\00"
@n_padded = private constant [7 x i8] c"padded\00"
@n_lists = private constant [6 x i8] c"lists\00"
@n_empty = private constant [6 x i8] c"empty\00"
@n_zero = private constant [5 x i8] c"zero\00"
@d_outer = internal addrspace(1) constant { %struct.outer } { %struct.outer { i8 1, %struct.inner { i8 2, i32 3, i8 4 }, i8 5 } }
@d_padded = internal addrspace(1) constant { { float, i8, i32, i8 } } { { float, i8, i32, i8 } { float 1.5, i8 97, i32 42, i8 8 } }
@d_lists = internal addrspace(1) constant %"class.sycl::_V1::holder" { %struct.lists { <2 x i32> <i32 7, i32 8>, [2 x half] [half 1.0, half 2.0], i64 9 } }
@d_empty = internal addrspace(1) constant { %struct.empty } undef
@d_zero = internal addrspace(1) constant { %struct.inner } zeroinitializer
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5outerET_PKcPKvS5_(ptr addrspace(4) sret(%struct.outer) align 4, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI6paddedET_PKcPKvS5_(ptr addrspace(4) sret(%struct.padded) align 4, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5listsET_PKcPKvS5_(ptr addrspace(4) sret(%struct.lists) align 8, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func %struct.empty @_Z40__sycl_getComposite2020SpecConstantValueI5emptyET_PKcPKvS5_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func %struct.inner @_Z40__sycl_getComposite2020SpecConstantValueI5innerET_PKcPKvS5_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
define spir_kernel void @k(ptr addrspace(4) %out, ptr addrspace(4) %buffer) #0 {
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5outerET_PKcPKvS5_(ptr addrspace(4) sret(%struct.outer) align 4 %out, ptr addrspace(4) addrspacecast (ptr @n_outer to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_outer to ptr addrspace(4)), ptr addrspace(4) %buffer)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI6paddedET_PKcPKvS5_(ptr addrspace(4) sret(%struct.padded) align 4 %out, ptr addrspace(4) addrspacecast (ptr @n_padded to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_padded to ptr addrspace(4)), ptr addrspace(4) %buffer)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5listsET_PKcPKvS5_(ptr addrspace(4) sret(%struct.lists) align 8 %out, ptr addrspace(4) addrspacecast (ptr @n_lists to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_lists to ptr addrspace(4)), ptr addrspace(4) %buffer)
  %e = call spir_func %struct.empty @_Z40__sycl_getComposite2020SpecConstantValueI5emptyET_PKcPKvS5_(ptr addrspace(4) addrspacecast (ptr @n_empty to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_empty to ptr addrspace(4)), ptr addrspace(4) %buffer)
  store %struct.empty %e, ptr addrspace(4) %out
  %z = call spir_func %struct.inner @_Z40__sycl_getComposite2020SpecConstantValueI5innerET_PKcPKvS5_(ptr addrspace(4) addrspacecast (ptr @n_zero to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_zero to ptr addrspace(4)), ptr addrspace(4) %buffer)
  store %struct.inner %z, ptr addrspace(4) %out
  ret void
}
attributes #0 = { "sycl-module-id"="s.cpp" }
"#;

/// What post-link leaves in a folder of its own.
struct Run(TempDir);

impl Run {
    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The lines behind the title of a set, up to the next one.
    fn set(&self, file: &str, name: &str) -> Vec<String> {
        let text = self.file(file);
        let lines = text.lines().skip_while(|line| *line != format!("[{name}]")).skip(1);
        lines.take_while(|line| !line.starts_with('[')).map(str::to_owned).collect()
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }
}

fn post_link(module: &str, options: &str) -> Result<Run, Error> {
    let run = Run(tempfile::tempdir().unwrap());
    fs::write(run.path("s.ll"), format!("{HEAD}{module}")).unwrap();
    let words = options.split(' ').map(str::to_owned);
    let words = words.chain([run.path("s.ll").display().to_string(), "-o".into(), run.path("s.table").display().to_string()]);
    aspen_postlink::run(&Arguments::parse(words).unwrap(), Database::builtin())?;
    Ok(run)
}

#[track_caller]
fn tool(program: &str, arguments: &[&str], file: &Path) {
    let output = Command::new(program).args(arguments).arg(file).output().unwrap();
    assert!(output.status.success(), "{program} {}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
}

const CONSTANTS: &str = "SYCL/specialization constants";
const VALUES: &str = "SYCL/specialization constants default values";

#[test]
fn scalars_become_constants_of_spirv() {
    let run = post_link(SCALARS, "-split=kernel -properties -S -spec-const=native").unwrap();
    // Images count from 0 each, and only what they read is in them.
    assert_eq!(run.set("s_0.prop", CONSTANTS), ["int=2|gBAAAAAAAAAAAAAAAAAAAQAAAAA"]);
    assert_eq!(run.set("s_0.prop", VALUES), ["all=2|gAAAAAAAAAgKAAAA"]);
    let (one, three) = (run.file("s_0.ll"), run.file("s_1.ll"));
    assert!(one.contains("%1 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 0, i32 42)\n"), "{one}");
    // The module declares the truth value first.
    assert_eq!(
        run.set("s_1.prop", CONSTANTS),
        ["bool=2|gBAAAAAAAAAAAAAAAAAAAEAAAAA", "int=2|gBAAAAAAAAQAAAAAAAAAAQAAAAA", "half=2|gBAAAAAAAAgAAAAAAAAAAIAAAAA"]
    );
    assert_eq!(run.set("s_1.prop", VALUES), ["all=2|4AAAAAAAAAQAqAAAAAAQ"]);
    for expected in [
        "call spir_func i8 @_Z20__spirv_SpecConstantia(i32 0, i8 1)\n",
        "trunc i8 %2 to i1\n",
        "call spir_func i32 @_Z20__spirv_SpecConstantii(i32 1, i32 42)\n",
        "call spir_func half @_Z20__spirv_SpecConstantiDh(i32 2, half 0xH4000)\n",
        "!sycl.specialization-constants = !{!0, !1, !2}\n",
        "!{!\"int\", i32 1, i32 0, i32 4}\n",
        "!sycl.specialization-constants-default-values = !{!3, !4, !5}\n",
        "!{i8 1}\n",
    ] {
        assert!(three.contains(expected), "{expected} is not in {three}");
    }
    // Names, default values and the reading functions are gone.
    assert!(!three.contains("__sycl_get") && !three.contains("@n_") && !three.contains("@d_"), "{three}");
    let none = run.file("s_2.ll");
    assert!(!none.contains("SpecConstant") && !none.contains("sycl.spec") && run.set("s_2.prop", CONSTANTS).is_empty(), "{none}");
}

#[test]
fn scalars_are_loaded_from_the_buffer() {
    let run = post_link(SCALARS, "-split=source -properties -S -spec-const=emulation").unwrap();
    let text = run.file("s_0.ll");
    for expected in [
        // The number is aligned: three bytes behind the truth value are nobody's.
        "%gep = getelementptr i8, ptr addrspace(4) %buffer, i32 0\n",
        "%load = load i8, ptr addrspace(4) %gep, align 1\n",
        "%tobool = trunc i8 %load to i1\n",
        "%gep1 = getelementptr i8, ptr addrspace(4) %buffer, i32 4\n",
        "load i32, ptr addrspace(4) %gep1, align 4\n",
        "%gep3 = getelementptr i8, ptr addrspace(4) %buffer, i32 8\n",
        "load half, ptr addrspace(4) %gep3, align 2\n",
        "!{!\"bool\", i32 0, i32 0, i32 1, i32 -1, i32 1, i32 3}\n",
        "!{[3 x i8] zeroinitializer}\n",
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert_eq!(
        run.set("s_0.prop", CONSTANTS),
        ["bool=2|ADAAAAAAAAAAAAAAAAAAAEAAAAw/////BAAAAMAAAAA", "int=2|gBAAAAAAAAQAAAAAAAAAAQAAAAA", "half=2|gBAAAAAAAAgAAAAAAAAAAIAAAAA"]
    );
    assert_eq!(run.set("s_0.prop", VALUES), ["all=2|QBAAAAAAAAQAAAAAqAAAAAAQ"]);
    tool("opt-22", &["-passes=verify", "-disable-output"], &run.path("s_0.ll"));
}

#[test]
fn composites_become_constants_of_spirv() {
    let run = post_link(COMPOSITES, "-split=source -properties -S -spec-const=native").unwrap();
    let text = run.file("s_0.ll");
    for expected in [
        "@_Z29__spirv_SpecConstantCompositeaia_Rstruct.inner(i8 %2, i32 %3, i8 %4)\n",
        "@_Z29__spirv_SpecConstantCompositeastruct.innera_Rstruct.outer(i8 %1, %struct.inner %5, i8 %6)\n",
        "store %struct.outer %7, ptr addrspace(4) %out, align 4\n",
        // Padding has numbers that nobody sees.
        "call spir_func float @_Z20__spirv_SpecConstantif(i32 5, float 1.500000e+00)\n",
        "call spir_func i8 @_Z20__spirv_SpecConstantia(i32 6, i8 97)\n",
        "call spir_func i32 @_Z20__spirv_SpecConstantii(i32 8, i32 42)\n",
        "@_Z29__spirv_SpecConstantCompositefaA3_aiaA3_a_Rstruct.padded(float %8, i8 %9, [3 x i8] undef, i32 %10, i8 %11, [3 x i8] undef)\n",
        "call spir_func <2 x i32> @_Z29__spirv_SpecConstantCompositeii_RDv2_i(i32 %13, i32 %14)\n",
        "call spir_func [2 x half] @_Z29__spirv_SpecConstantCompositeDhDh_RA2_Dh(half %16, half %17)\n",
        "@_Z29__spirv_SpecConstantCompositeDv2_iA2_Dhx_Rstruct.lists(<2 x i32> %15, [2 x half] %18, i64 %19)\n",
        "store %struct.empty undef, ptr addrspace(4) %out",
        "call spir_func i8 @_Z20__spirv_SpecConstantia(i32 17, i8 0)\n",
        "!{!\"outer\", i32 0, i32 0, i32 1, i32 1, i32 4, i32 1, i32 2, i32 8, i32 4, i32 3, i32 12, i32 1, i32 -1, i32 13, i32 3, i32 4, i32 16, i32 1, i32 -1, i32 17, i32 3}\n",
        "!{!\"padded\", i32 5, i32 0, i32 4, i32 6, i32 4, i32 1, i32 8, i32 8, i32 4, i32 9, i32 12, i32 1, i32 -1, i32 13, i32 3}\n",
        "!{!\"lists\", i32 11, i32 0, i32 4, i32 12, i32 4, i32 4, i32 13, i32 8, i32 2, i32 14, i32 10, i32 2, i32 15, i32 16, i32 8}\n",
        "!{!\"empty\", i32 -1, i32 0, i32 1}\n",
        "!{!\"zero\", i32 17, i32 0, i32 1, i32 18, i32 4, i32 4, i32 19, i32 8, i32 1, i32 -1, i32 9, i32 3}\n",
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert_eq!(
        run.set("s_0.prop", CONSTANTS)[0],
        "outer=2|gKAAAAAAAAAAAAAAAAAAAEAAAAQAAAAAEAAAAEAAAAgAAAAAIAAAAQAAAAwAAAAAMAAAAEAAAAw/////NAAAAMAAAAABAAAAQAAAAEAAAAw/////RAAAAMAAAAA"
    );
    assert_eq!(
        run.set("s_0.prop", VALUES),
        ["all=2|IJAAAAAAAAQAAAAACAAAAMAAAAABAAAAFAAAAAAAA/TYAAAAqAAAAgAAAAwBAAAAIAAAAAAPAAEAAAAAJAAAAAAAAAAAAAAAAAAAAAAAAAAA"]
    );
}

#[test]
fn composites_are_loaded_or_stored_whole() {
    let emulated = post_link(COMPOSITES, "-properties -S -spec-const=emulation").unwrap();
    let text = emulated.file("s_0.ll");
    // 20 bytes, 16 bytes of a packed type, 24 aligned to 8, 1, 12 aligned to 4.
    for (name, offset) in [("struct.outer", 0), ("struct.padded", 20), ("struct.lists", 40), ("struct.empty", 64), ("struct.inner", 68)] {
        let address = text.lines().find(|line| line.ends_with(&format!("ptr addrspace(4) %buffer, i32 {offset}")));
        let address = address.unwrap_or_else(|| panic!("nothing is at {offset}: {text}")).trim().split(' ').next().unwrap();
        assert!(text.contains(&format!("load %{name}, ptr addrspace(4) {address}, align ")), "{name} is not loaded from {address}: {text}");
    }
    let constants = emulated.set("s_0.prop", CONSTANTS);
    assert_eq!(constants[1], "padded=2|ADAAAAAAAAQAAAAAAAAAAABAAAw/////QAAAAQAAAAA", "number 1, 16 bytes, and 4 of nobody behind them");
    let defaults = post_link(COMPOSITES, "-properties -S -spec-const=default_values").unwrap();
    let text = defaults.file("s_0.ll");
    for expected in [
        "store %struct.outer { i8 1, %struct.inner { i8 2, i32 3, i8 4 }, i8 5 }, ptr addrspace(4) %out, align 4\n",
        "store { float, i8, i32, i8 } { float 1.500000e+00, i8 97, i32 42, i8 8 }, ptr addrspace(4) %out, align 4\n",
        "store %struct.inner zeroinitializer, ptr addrspace(4) %out, align 4\n",
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert!(!text.contains("sycl.spec") && !text.contains("__sycl_get"), "{text}");
    assert_eq!(defaults.file("s_0.prop"), "[SYCL/misc properties]\nspecConstsReplacedWithDefault=1|1\n");
}

/// Every image with constants is followed by the one with their default values. Source: FORMATS §4.1.
#[test]
fn images_with_default_values_come_after_theirs() {
    let options = "-properties -symbols -S -generate-device-image-default-spec-consts";
    for mode in ["native", "emulation"] {
        let run = post_link(SCALARS, &format!("-split=kernel -spec-const={mode} {options}")).unwrap();
        let rows: Vec<String> = run.file("s.table").lines().skip(1).map(|row| row.rsplit('/').next().unwrap().to_owned()).collect();
        assert_eq!(rows, ["s_0.sym", "s_1.sym", "s_2.sym", "s_3.sym", "s_4.sym"]);
        let symbols: Vec<String> = (0..5).map(|index| run.file(&format!("s_{index}.sym")).trim().to_owned()).collect();
        assert_eq!(symbols, ["one", "one", "three", "three", "none"]);
        for (image, is_default) in [(0, false), (1, true), (2, false), (3, true), (4, false)] {
            let sets = run.file(&format!("s_{image}.prop"));
            assert_eq!(sets.contains("[SYCL/misc properties]\nspecConstsReplacedWithDefault=1|1\n"), is_default, "{image}: {sets}");
            assert_eq!(sets.contains(CONSTANTS), !is_default && image < 4, "{image}: {sets}");
            assert_eq!(run.file(&format!("s_{image}.ll")).contains("SpecConstant"), !is_default && image < 4 && mode == "native");
        }
        assert!(run.file("s_1.ll").contains("store i32 42, ptr addrspace(1) %out"), "{}", run.file("s_1.ll"));
        assert!(run.file("s_3.ll").contains("zext i1 true to i32"), "{}", run.file("s_3.ll"));
    }
    // Without a mode the first of each pair is left as it is, as DPC++ leaves it.
    let run = post_link(SCALARS, &format!("-split=source {options}")).unwrap();
    assert!(
        run.file("s_0.ll").contains("@_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(")
            && run.set("s_0.prop", CONSTANTS).is_empty()
    );
    assert!(!run.file("s_1.ll").contains("SpecConstant") && run.file("s.table").lines().count() == 3);
    // A module without entry points is one image, and one with default values.
    let run =
        post_link(&SCALARS.replace("spir_kernel", "spir_func").replace(" #0 {", " {").replace("attributes {", "attributes #0 {"), options)
            .unwrap();
    assert_eq!(run.file("s.table").lines().count(), 3);
    assert!(run.file("s_0.ll").contains("__sycl_get") && !run.file("s_1.ll").contains("__sycl_get"));
    // Nothing to replace: one image each.
    let run = post_link("define spir_kernel void @k() { ret void }\n", options).unwrap();
    assert_eq!(run.file("s.table").lines().count(), 2);
}

/// Without optimisation the name goes through a variable.
#[test]
fn names_in_variables_are_found() {
    let module = r#"
@n = private constant [2 x i8] c"n\00"
@d = internal addrspace(1) constant { i64 } { i64 5 }
declare spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
define spir_kernel void @k(ptr addrspace(4) %out) {
  %name = alloca ptr addrspace(4), align 8
  %cast = addrspacecast ptr %name to ptr addrspace(4)
  store ptr addrspace(4) addrspacecast (ptr @n to ptr addrspace(4)), ptr addrspace(4) %cast, align 8
  %loaded = load ptr addrspace(4), ptr addrspace(4) %cast, align 8
  %default = addrspacecast ptr addrspace(1) @d to ptr addrspace(4)
  %v = call spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4) %loaded, ptr addrspace(4) %default, ptr addrspace(4) null)
  store i64 %v, ptr addrspace(4) %out
  OTHER
  ret void
}
"#;
    let run = post_link(&module.replace("OTHER", ""), "-properties -S -spec-const=native").unwrap();
    let text = run.file("s_0.ll");
    assert!(text.contains("call spir_func i64 @_Z20__spirv_SpecConstantix(i32 0, i64 5)\n") && !text.contains("@n"), "{text}");
    assert_eq!(run.set("s_0.prop", CONSTANTS), ["n=2|gBAAAAAAAAAAAAAAAAAAAgAAAAA"]);
    // Somebody else looks at the variable: it stays.
    let other = module.replace("OTHER", "store ptr %name, ptr addrspace(4) %out");
    assert!(post_link(&other, "-S -spec-const=native").unwrap().file("s_0.ll").contains("@n ="));
}

/// What no front end makes is an error that names the module, the function and the constant.
#[test]
fn wrong_reads_are_errors() {
    let read = "call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @n_int to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_int to ptr addrspace(4)), ptr addrspace(4) %buffer)";
    let argument = "ptr addrspace(4) addrspacecast (ptr @n_int to ptr addrspace(4))";
    for (from, to, expected) in [
        (
            "constant { i32 } { i32 42 }",
            "constant { float } { float 1.0 }",
            "'int': a i32 at byte 0 of it has the default value of a float at byte 0",
        ),
        (
            "@d_int = internal addrspace(1) constant { i32 } { i32 42 }",
            "@d_int = external addrspace(1) constant { i32 }",
            "'int': its default value is not known here",
        ),
        ("constant { i32 } { i32 42 }, align 4", "constant i32 42", "'int': its default value is not known here"),
        ("constant { i32 } { i32 42 }, align 4", "constant { ptr } { ptr null }", "'int': its default value holds a ptr that is no number"),
        (
            "constant { i32 } { i32 42 }, align 4",
            "constant { i32 } { i32 ptrtoint (ptr @n_int to i32) }",
            "'int': its default value holds a i32 that is no number",
        ),
        ("constant { i32 } { i32 42 }, align 4", "constant { i128 } { i128 1 }", "holds a i128 that is no number of 8, 16, 32 or 64 bits"),
        (
            "constant { i32 } { i32 42 }, align 4",
            "constant { [4294967296 x i32] } zeroinitializer",
            "is 17179869184 bytes large, more than 1048576",
        ),
        ("c\"int\\00\"", "c\"int!\"", "its name, 'n_int', is no text"),
        (
            read,
            "add i32 0, ptrtoint (ptr @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_ to i32)",
            "is used in another way than by calling it",
        ),
        (argument, "ptr addrspace(4) %buffer", "reads: its name is not known here"),
        (
            "@_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_",
            "@_Z33__sycl_getScalarSpecConstantValueIiET_PKc",
            "as compilers of before SYCL 2020 did; compile the sources again",
        ),
    ] {
        assert!(SCALARS.contains(from), "{from}");
        let module = SCALARS.replace(from, to);
        for options in [
            "-split=kernel -spec-const=native -S",
            "-split=none -generate-device-image-default-spec-consts",
            "-ir-output-only -spec-const=native",
        ] {
            let accepted = options.contains("none") && (expected.contains("at byte 0") || expected.contains("bytes large"));
            match post_link(&module, options) {
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains(expected) && error.contains("s.ll: "), "{options}: {to}: {error}");
                }
                // Another type than that which is read.
                Ok(_) => assert!(accepted, "{options}: {to} is accepted"),
            }
        }
        // Nobody asked for constants to be looked at.
        post_link(&module, "-split=kernel").unwrap();
    }
    // Two default values of one name.
    let two = SCALARS.replace("c\"half\\00\"", "c\"bool\\00\"");
    let error = post_link(&two, "-spec-const=native").err().unwrap().to_string();
    assert!(error.contains("'bool' is a half with another default value, or a i1, elsewhere"), "{error}");
}

/// LLVM's own back end takes what the native mode writes, and spirv-val what that writes. Each read is a constant of its own there; two kernels read the
/// number.
#[test]
fn native_images_become_valid_spirv() {
    for (module, constants) in [(SCALARS, 4), (COMPOSITES, 17)] {
        let run = post_link(module, "-split=source -spec-const=native").unwrap();
        tool("opt-22", &["-passes=verify", "-disable-output"], &run.path("s_0.bc"));
        let (spirv, text) = (run.path("s.spv"), run.path("s.spvasm"));
        tool("llc-22", &["-mtriple=spirv64-unknown-unknown", "-filetype=obj", "-o", spirv.to_str().unwrap()], &run.path("s_0.bc"));
        tool("spirv-val", &[], &spirv);
        tool("spirv-dis", &["-o", text.to_str().unwrap()], &spirv);
        let text = fs::read_to_string(text).unwrap();
        assert_eq!(text.lines().filter(|line| line.contains("OpDecorate") && line.contains(" SpecId ")).count(), constants, "{text}");
    }
}

/// The whole module, lowered; `-j` makes no difference to what images hold.
#[test]
fn one_file_and_many_workers() {
    let run = post_link(SCALARS, "-ir-output-only -S -spec-const=native").unwrap();
    let text = run.file("s.table");
    assert!(text.contains("@_Z20__spirv_SpecConstantia(i32 0, i8 1)") && text.contains("define spir_kernel void @none()"), "{text}");
    let files = |options: &str| {
        let run = post_link(SCALARS, &format!("-split=kernel -properties -spec-const=emulation {options}")).unwrap();
        (0..3).flat_map(|image| ["bc", "prop"].map(|kind| fs::read(run.path(&format!("s_{image}.{kind}"))).unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(files("-j1"), files("-j3"));
}

/// `private_alloca`: a constant as the length of an array on the stack, as DPC++'s front end writes it. Source: issue 16.
#[test]
fn lengths_of_arrays() {
    const LENGTHS: &str = r#"
%range = type { ptr addrspace(4), ptr addrspace(4) }
@n_long = private unnamed_addr constant [5 x i8] c"long\00"
@n_short = private unnamed_addr constant [6 x i8] c"short\00"
@d_long = internal addrspace(1) constant { i64 } { i64 10 }, align 8
@d_short = internal addrspace(1) constant { i16 } { i16 3 }, align 2
declare ptr @llvm.sycl.alloca.p0.p4.p4.p4.f32(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), float, i64)
declare ptr @llvm.sycl.alloca.p0.p4.p4.p4.s_range(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), %range, i64)
define spir_kernel void @k(ptr addrspace(4) %buffer) #0 {
  %a = call ptr @llvm.sycl.alloca.p0.p4.p4.p4.f32(ptr addrspace(4) addrspacecast (ptr @n_long to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_long to ptr addrspace(4)), ptr addrspace(4) %buffer, float 0.0, i64 8)
  store float 1.0, ptr %a
  %b = call ptr @llvm.sycl.alloca.p0.p4.p4.p4.s_range(ptr addrspace(4) addrspacecast (ptr @n_short to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d_short to ptr addrspace(4)), ptr addrspace(4) %buffer, %range zeroinitializer, i64 64)
  store %range zeroinitializer, ptr %b
  ret void
}
attributes #0 = { "sycl-module-id"="s.cpp" }
"#;
    let all = |run: &Run, file: &str, lines: &[&str]| {
        let text = run.file(file);
        lines.iter().for_each(|line| assert!(text.contains(line), "no {line:?} in {text}"));
    };
    let run = post_link(LENGTHS, "-properties -S -spec-const=native -generate-device-image-default-spec-consts").unwrap();
    all(&run, "s_0.ll", &["call spir_func i64 @_Z20__spirv_SpecConstantix(i32 0, i64 10)", "= alloca float, i64 %1, align 8"]);
    all(&run, "s_0.ll", &["call spir_func i16 @_Z20__spirv_SpecConstantis(i32 1, i16 3)", "= alloca %range, i16 %2, align 64"]);
    all(&run, "s_1.ll", &["= alloca float, i64 10, align 8", "= alloca %range, i16 3, align 64"]);
    assert_eq!(run.set("s_0.prop", CONSTANTS), ["long=2|gBAAAAAAAAAAAAAAAAAAAgAAAAA", "short=2|gBAAAAAAAAQAAAAAAAAAAIAAAAA"]);
    // As in DPC++, whose runtime refuses such kernels: left alone where SPIR-V goes to a compiler at once, elsewhere the default's length.
    let run = post_link(LENGTHS, "-properties -S -spec-const=emulation").unwrap();
    all(&run, "s_0.ll", &["call ptr @llvm.sycl.alloca.p0.p4.p4.p4.f32("]);
    let elsewhere = format!("target triple = \"nvptx64-nvidia-cuda\"\n{LENGTHS}");
    let run = post_link(&elsewhere, "-properties -S -spec-const=emulation").unwrap();
    all(&run, "s_0.ll", &["= alloca float, i64 10, align 8"]);
    for (old, new, message) in [
        ("float 0.0, i64 8)", "float 0.0, i64 7)", "'long': the alignment of the array whose length it is is no power of two"),
        ("{ i16 } { i16 3 }", "{ half } { half 3.0 }", "'short': it is the length of an array and no integer, but a half"),
    ] {
        let error = post_link(&LENGTHS.replace(old, new), "-S -spec-const=native").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

/// A module that was lowered once says the same the second time, in both modes; what cannot be told apart is an error.
#[test]
fn once_is_enough() {
    for mode in ["native", "emulation"] {
        for module in [SCALARS, COMPOSITES] {
            let options = format!("-split=none -properties -S -spec-const={mode}");
            let first = post_link(module, &options).unwrap();
            let lowered = first.file("s_0.ll");
            let again = lowered.strip_prefix("; ModuleID = 's.ll'\n").unwrap_or(&lowered).to_owned();
            let second = Run(tempfile::tempdir().unwrap());
            fs::write(second.path("s.ll"), &again).unwrap();
            let words = options.split(' ').map(str::to_owned);
            let words = words.chain([second.path("s.ll").display().to_string(), "-o".into(), second.path("s.table").display().to_string()]);
            aspen_postlink::run(&Arguments::parse(words).unwrap(), Database::builtin()).unwrap();
            let code = |run: &Run| run.file("s_0.ll").lines().filter(|line| !line.starts_with(';')).collect::<Vec<_>>().join("\n");
            assert_eq!(code(&second), code(&first), "{mode}");
            for set in [CONSTANTS, VALUES] {
                assert_eq!(second.set("s_0.prop", set), first.set("s_0.prop", set), "{mode}");
                assert!(!first.set("s_0.prop", set).is_empty());
            }
        }
    }
    let values = "!sycl.specialization-constants-default-values = !{!2, !2}\n!2 = !{i32 7}";
    let described = |nodes: &str| format!("{SCALARS}\n!sycl.specialization-constants = !{{!0, !1}}\n{nodes}\n{values}");
    let idle = |nodes: &str| {
        let list = "!sycl.specialization-constants = !{!0, !1}";
        format!("define spir_kernel void @k() #0 {{ ret void }}\nattributes #0 = {{ \"sycl-module-id\"=\"s.cpp\" }}\n{list}\n{nodes}")
    };
    let two = "!0 = !{!\"a\", i32 0, i32 0, i32 4}\n!1 = !{!\"b\", i32 0, i32 0, i32 4}\n";
    for (module, message) in [
        (idle(two), "'a' and 'b' have the number 0: modules were linked after their constants were lowered"),
        (described(&two.replace("\"b\", i32 0", "\"b\", i32 1")), "'a' was lowered already, and '_Z37__sycl_getScalar2020"),
        (idle(&two.replace("i32 0, i32 4}\n!1", "i32 0}\n!1")), "is no name with numbers, offsets and sizes"),
        (idle(&two.replace("\"b\", i32 0, i32 0", "\"a\", i32 1, i32 0")), "'a' has two descriptions"),
        (idle(&two.replace("\"b\", i32 0", "\"b\", i32 1")), "describes 8 bytes of constants and has 0 bytes of default values"),
    ] {
        let error = post_link(&module, "-properties -S -spec-const=native").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
