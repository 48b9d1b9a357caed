//! The library and its header agree: two C compilers take the header without a warning, the exported functions are exactly those it
//! declares, structures have one layout on both sides, and the library needs nothing but the C library.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use support::{command, library, module, passes, plain_image, program, root, scratch};

fn output(tool: &str, arguments: &[&str]) -> String {
    let output = Command::new(tool).args(arguments).arg(library()).output().unwrap_or_else(|error| panic!("{tool}: {error}"));
    assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("tools write text")
}

#[test]
fn both_compilers_take_the_header_in_two_units() {
    let module = module("abi.bin", &[plain_image()]);
    for compiler in ["gcc", "clang-22"] {
        passes(&mut command(&program(compiler), &module, &["tasks_and_ranges"]));
    }
}

#[test]
fn the_header_is_cxx_too() {
    let source = scratch().join("unit.cpp");
    let text = "#include <aspen/aspen.h>\n#include <aspen/native_cpu.h>\nint main() { return aspen_abi_version() == ASPEN_ABI_VERSION ? 0 : 1; }\n";
    fs::write(&source, text).expect("the scratch folder is writable");
    for compiler in ["g++", "clang++-22"] {
        let mut command = Command::new(compiler);
        command.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-I"]).arg(root().join("include"));
        support::quiet(command.arg(&source));
    }
}

#[test]
fn the_exports_are_the_functions_of_the_header() {
    let header = fs::read_to_string(root().join("include/aspen/aspen.h")).expect("the header");
    let mut code = String::new();
    let mut rest = header.as_str();
    while let Some((before, comment)) = rest.split_once("/*") {
        code += before;
        rest = comment.split_once("*/").expect("comments end").1;
    }
    code += rest;
    let mut declared = BTreeSet::new();
    for (at, _) in code.match_indices("aspen_") {
        let name: String = code[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let starts = !code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if starts && code[at + name.len()..].starts_with('(') {
            declared.insert(name);
        }
    }
    assert!(declared.len() > 40, "{declared:?}");
    let symbols = output("nm", &["-D", "--defined-only"]);
    let exported: BTreeSet<String> = symbols.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_owned).collect();
    assert_eq!(exported, declared);
}

#[test]
fn the_library_has_a_name_and_needs_no_llvm() {
    let dynamic = output("readelf", &["-d", "-W"]);
    assert!(dynamic.contains("Library soname: [libaspen.so.0]"), "{dynamic}");
    let needed: Vec<&str> =
        dynamic.lines().filter(|line| line.contains("(NEEDED)")).filter_map(|line| line.split(['[', ']']).nth(1)).collect();
    for library in &needed {
        assert!(["libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2", "libm.so.6"].contains(library), "{needed:?}");
    }
}

#[test]
fn structures_have_one_layout() {
    // The harness passes every structure through the ABI; what C sees in them is asserted against the sizes that Rust uses.
    let source = scratch().join("layout.c");
    let text = "#include <aspen/aspen.h>\n#include <aspen/native_cpu.h>\n\
        _Static_assert(sizeof(aspen_launch_t) == 144 && offsetof(aspen_launch_t, closure_alignment) == 136, \"launch\");\n\
        _Static_assert(sizeof(aspen_dependencies_t) == 32 && sizeof(aspen_buffer_use_t) == 16, \"dependencies\");\n\
        _Static_assert(sizeof(aspen_module_record_t) == 40 && offsetof(aspen_module_record_t, anchor) == 32, \"record\");\n\
        _Static_assert(sizeof(aspen_device_globals_t) == 32 && sizeof(aspen_device_global_t) == 40, \"globals\");\n\
        _Static_assert(sizeof(aspen_cpu_item_t) == 256 && offsetof(aspen_cpu_item_t, scratch_memory) == 248, \"item\");\n\
        _Static_assert(offsetof(aspen_cpu_item_t, global_id) == 32 && offsetof(aspen_cpu_item_t, lane) == 220, \"item\");\n\
        _Static_assert(sizeof(aspen_cpu_group_t) == 88 && offsetof(aspen_cpu_group_t, work_group) == 64, \"group\");\n\
        _Static_assert(sizeof(aspen_cpu_range_t) == 96 && sizeof(aspen_cpu_ops_t) == 24, \"range\");\n";
    fs::write(&source, text).expect("the scratch folder is writable");
    let mut command = Command::new("clang-22");
    support::quiet(command.args(["-std=c11", "-fsyntax-only", "-I"]).arg(root().join("include")).arg(&source));
    assert_eq!((aspen::LAUNCH_SIZE, aspen::AFTER_SIZE, aspen::RECORD_SIZE), (144, 32, 40));
    assert_eq!(aspen::GLOBALS_SIZES, (32, 40));
}
