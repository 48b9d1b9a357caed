//! aspen-tblgen as people run it: S2's example, every kind of value, every error with its place, and the table of `data/devices.td` in a
//! C++ program.

#![allow(clippy::unwrap_used)] // helpers of tests may unwrap as tests do

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

fn tblgen(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_aspen-tblgen")).current_dir(folder).arg("-I").arg(data()).args(arguments).output().unwrap()
}

/// The table that a file makes, in C++.
fn table(td: &str) -> String {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.td"), td).unwrap();
    let output = tblgen(folder.path(), &["-gen-dynamic-tables", "in.td", "-o", "out.inc"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(folder.path().join("out.inc")).unwrap()
}

/// What is said of a file that makes no table.
fn error(td: &str) -> String {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.td"), td).unwrap();
    std::fs::write(folder.path().join("out.inc"), "older").unwrap();
    let output = tblgen(folder.path(), &["-gen-dynamic-tables", "in.td", "-o", "out.inc"]);
    assert_eq!(output.status.code(), Some(1), "{td}");
    assert_eq!(std::fs::read_to_string(folder.path().join("out.inc")).unwrap(), "older");
    String::from_utf8(output.stderr).unwrap()
}

/// S2's example with what it lacks: a semicolon and TargetName (DESIGN §7.21).
const EXAMPLE: &str = r#"
include "DynamicTable.td"
class Aspect<string name> { string Name = name; }
def AspectCpu : Aspect<"cpu">;
def AspectGpu : Aspect<"gpu">;
def AspectFp16 : Aspect<"fp16">;
def AspectImage : Aspect<"image">;
def AspectAtomic64 : Aspect<"atomic64">;
def AspectEmulated : Aspect<"emulated">;
def TargetTable : DynamicTable {
  let FilterClass = "TargetInfo";
  let Fields = ["TargetName", "aspects", "maySupportOtherAspects", "subGroupSizes", "aotToolchain", "aotToolchainOptions"];
  string TypeOf_aspects = "list<Aspect>";
  string TypeOf_subGroupSizes = "list<int>";
}
class TargetInfo<string name, list<Aspect> aspectList, bit other, list<int> sizes, string toolchain, string options> {
  string TargetName = name;
  list<Aspect> aspects = aspectList;
  bits<1> maySupportOtherAspects = other;
  list<int> subGroupSizes = sizes;
  string aotToolchain = toolchain;
  string aotToolchainOptions = options;
}
def : TargetInfo<"TargetA", [AspectCpu, AspectAtomic64], 0, [8, 16], "ocloc", "-device tgtA">;
def : TargetInfo<"TargetB", [AspectGpu, AspectFp16], 0, [8, 16], "ocloc", "-device tgtB">;
def : TargetInfo<"TargetC", [AspectEmulated, AspectImage], 0, [8, 32], "ocloc", "-device tgtC, -option2 val">;
"#;

#[test]
fn example_of_the_design() {
    let expected = r#"std::map<std::string, TargetInfo> TargetTable = {
    {"TargetA",
     {{"cpu", "atomic64"}, 0, {8, 16}, "ocloc", "-device tgtA"}},
    {"TargetB",
     {{"gpu", "fp16"}, 0, {8, 16}, "ocloc", "-device tgtB"}},
    {"TargetC",
     {{"emulated", "image"}, 0, {8, 32}, "ocloc", "-device tgtC, -option2 val"}}};
"#;
    assert_eq!(table(EXAMPLE), expected);
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.td"), EXAMPLE).unwrap();
    // Joined and apart, and to standard output.
    let include = format!("-I{}", data().display());
    let output = tblgen(folder.path(), &[&include, "--gen-dynamic-tables", "-D", "UNUSED", "in.td"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test]
fn values_of_every_kind() {
    let td = r#"
include "DynamicTable.td"
class Row<string k> { string Key = k; int number = -7; bits<5> some = 0b10110; bit one = 1; code body = [{if ("\") x;
}]; list<string> words = ["a", "é"]; list<list<int>> none = []; }
def Table : DynamicTable {
  let FilterClass = "Row"; let CppTypeName = "ns::Cell"; let Fields = ["Key", "number", "some", "one", "body", "words"];
  string TypeOf_words = "list<string>";
}
def Empty : DynamicTable { let FilterClass = "None"; let Fields = ["Key"]; }
class None { string Key = ""; }
foreach i = !range(9, 12) in def : Row<"k" # i>;
multiclass Two<string k> { def _b : Row<k # "b">; def _a : Row<k # "a">; }
defm D : Two<"d">;
"#;
    let row = r#"{-7, 22, 1, "if (\"\\\") x;\n", {"a", "é"}}"#;
    let rows: Vec<String> = ["k9", "k10", "k11", "da", "db"].iter().map(|key| format!("    {{\"{key}\",\n     {row}}}")).collect();
    assert_eq!(
        table(td),
        format!("std::map<std::string, ns::Cell> Table = {{\n{}}};\n\nstd::map<std::string, None> Empty = {{}};\n", rows.join(",\n"))
    );
}

#[test]
fn rust_tables() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.td"), EXAMPLE.replace("string Name = name;", "string Name = name; int Number = 3;")).unwrap();
    let output = tblgen(folder.path(), &["-gen-rust-tables", "in.td"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("//! Generated from in.td by aspen-tblgen; edit that file, not this one.\n\nuse super::TargetInfo;\n"),
        "{text}"
    );
    let row = "    TargetInfo { target_name: \"TargetA\", aspects: &[3, 3], may_support_other_aspects: false, sub_group_sizes: &[8, 16], \
               aot_toolchain: \"ocloc\", aot_toolchain_options: \"-device tgtA\" },\n";
    assert!(text.contains(&format!("pub(super) const TARGET_TABLE: &[TargetInfo] = &[\n{row}")), "{text}");
}

#[test]
fn errors_name_file_and_place() {
    let wrong = |from: &str, to: &str| {
        assert!(EXAMPLE.contains(from), "{from}");
        error(&EXAMPLE.replacen(from, to, 1))
    };
    for (said, expected) in [
        (error("include \"DynamicTable.td\"\n"), "in.td: error: the file defines no table"),
        (error("class A {}\ndef B : A;\n"), "in.td: error: the file defines no table"),
        (wrong(r#"FilterClass = "TargetInfo""#, r#"FilterClass = "TargetInf""#), "in.td:10: error: there is no class 'TargetInf'"),
        (
            wrong(r#"FilterClass = "TargetInfo""#, r#"FilterClass = """#),
            "in.td:10: error: the table 'TargetTable' does not set 'FilterClass'",
        ),
        (
            wrong(r#""aspects", "#, r#""aspect", "#),
            "in.td:24: error: the record has no field 'aspect', which the table 'TargetTable' lists (in.td:10)",
        ),
        (
            wrong(r#"string TypeOf_aspects = "list<Aspect>";"#, ""),
            "in.td:24: error: the field 'aspects' is a list: say so in the table 'TargetTable' by `string TypeOf_aspects = \"list<…>\"`",
        ),
        (wrong(r#""TargetB""#, r#""TargetA""#), "in.td:25: error: 'TargetA' is in the table 'TargetTable' already (in.td:24)"),
        (wrong("string aotToolchain = toolchain", "string aotToolchain = ?"), "in.td:24: error: the field 'aotToolchain' is not set"),
        (
            wrong("string Name = name", "string Title = name"),
            "in.td:24: error: the field 'aspects' holds the record 'AspectCpu', which has no text 'Name' to stand for it",
        ),
        (
            wrong("string TargetName = name", "int TargetName = 1"),
            "in.td:24: error: 'TargetName', the key of the table 'TargetTable', is no string",
        ),
    ] {
        // llvm-tblgen may warn before.
        assert!(said.lines().any(|line| line.starts_with(expected)), "expected: {expected}\n     got: {said}");
    }
    // llvm-tblgen's own words, with its own place.
    let said = wrong("[AspectCpu,", "[AspectCpuu,");
    assert!(said.starts_with("in.td:24:30: error: Variable not defined: 'AspectCpuu'\n"), "{said}");
    assert!(said.contains("'llvm-tblgen-22' failed on 'in.td'"), "{said}");
    assert!(error("\0\u{1}\u{2}").contains("in.td:1:1: error:"));
}

#[test]
fn wrong_usage() {
    let folder = TempDir::new().unwrap();
    for (arguments, expected) in [
        (&["in.td"][..], "nothing to do"),
        (&["-gen-dynamic-tables"], "no file to read"),
        (&["-gen-dynamic-tables", "a.td", "b.td"], "two files to read, 'a.td' and 'b.td'"),
        (&["-gen-tables", "a.td"], "unknown option '-gen-tables'"),
        (&["-gen-dynamic-tables", "a.td", "-o"], "'-o' needs a value"),
    ] {
        let output = tblgen(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with(&format!("aspen-tblgen: error: {expected}")), "{output:?}");
    }
    let output = tblgen(folder.path(), &["-gen-dynamic-tables", "missing.td"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("missing.td"));
    std::fs::write(folder.path().join("in.td"), EXAMPLE).unwrap();
    let output = tblgen(folder.path(), &["-gen-dynamic-tables", "in.td", "-o", "no/folder/out.inc"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("aspen-tblgen: error: cannot write 'no/folder/out.inc'"));
    let nowhere = Command::new(env!("CARGO_BIN_EXE_aspen-tblgen"))
        .env("PATH", folder.path())
        .args(["-gen-dynamic-tables", "in.td"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("Debian package llvm-22"), "{nowhere:?}");
}

#[test]
fn built_in_targets_in_a_program() {
    let folder = TempDir::new().unwrap();
    let devices = data().join("devices.td");
    let output = tblgen(folder.path(), &["-gen-dynamic-tables", devices.to_str().unwrap(), "-o", "device_config_file.inc"]);
    assert!(output.status.success(), "{output:?}");
    let compiled = Command::new("clang++-22")
        .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I.", "-o", "lookup"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lookup.cpp"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let names = ["native_cpu", "intel_gpu_adl_s", "intel_gpu_12_2_0", "intel_gpu_rpl_s", "amd_gpu_gfx1200", "added", "spir64", "sky"];
    let output = Command::new(folder.path().join("lookup")).args(names).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "spir64 has no entry (S3), and sky is no target");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let find = |name: &str| lines.iter().find_map(|line| line.strip_prefix(&format!("{name}:"))).unwrap();
    assert_eq!(
        find("native_cpu"),
        " cpu fp16 fp64 atomic64 image ext_intel_legacy_image online_compiler online_linker queue_profiling host_debuggable usm_device_allocations usm_host_allocations usm_shared_allocations \
         usm_system_allocations usm_atomic_host_allocations usm_atomic_shared_allocations ext_oneapi_fragment ext_oneapi_chunk \
         ext_intel_matrix ext_oneapi_graph ext_oneapi_limited_graph ext_oneapi_virtual_mem ext_oneapi_async_memory_alloc ext_oneapi_clock_sub_group \
         ext_oneapi_clock_work_group ext_oneapi_clock_device | 4 8 16 32 |  | "
    );
    assert!(
        find("intel_gpu_adl_s")
            .ends_with(" image ext_intel_legacy_image ext_oneapi_is_integrated_gpu ext_intel_gpu_adl_s | 8 16 32 | ocloc | -device adl-s")
    );
    assert_eq!(find("intel_gpu_12_2_0"), find("intel_gpu_adl_s"), "an alias has all that its target has");
    assert!(find("intel_gpu_rpl_s").ends_with(" ext_intel_gpu_rpl_s | 8 16 32 | ocloc | -device adl-s"));
    assert_eq!(find("amd_gpu_gfx1200"), " | |  | ");
    assert_eq!(find("added"), " cpu fp16 | open 4 |  | ");
    assert_eq!((find("spir64"), find("sky")), (" unknown", " unknown"));
}
