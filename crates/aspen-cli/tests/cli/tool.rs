//! `aspen` as people and programs use it.

use crate::common::{Session, TWO_KERNELS};

#[test]
fn one_program_through_all_commands() {
    let more = TWO_KERNELS.replace("p[0] = 7;", "double d = p[1]; p[0] = (int)d;").replace("int main() {", "class extra;\nint main() {");
    let session = Session::new(&[("two.cpp", TWO_KERNELS), ("more.cpp", &more)]);
    session.ok(
        "aspen++ two.cpp -o two && aspen++ -fsycl-targets=spir64 -c more.cpp && aspen++ -fno-sycl-requirement-sources two.cpp -o quiet",
    );

    let text = session.ok("aspen inspect two").stdout;
    assert!(text.starts_with("two: 4 device images\n\n[0] two_0  native_cpu  native  "), "{text}");
    assert!(text.contains("[3] two_1  spir64  spirv  ") && text.contains("    needs aspect fp64\n    kernel dbl\n"), "{text}");
    let json = session.json("aspen inspect two");
    assert_eq!((&json["version"], &json["file"]), (&1.into(), &"two".into()));
    let kernel = &json["images"][3]["kernels"][0];
    assert_eq!((&kernel["symbol"], &kernel["name"]), (&"_ZTS3dbl".into(), &"dbl".into()));
    assert_eq!(
        kernel["requirements"],
        serde_json::json!({ "aspects": ["fp64"], "reqd_sub_group_size": null, "reqd_work_group_size": null })
    );
    let source = serde_json::json!({ "need": "aspect fp64", "declared": false, "chain": [{ "function": "dbl", "file": "two.cpp", "line": 9, "column": 39 }] });
    assert_eq!(kernel["sources"], serde_json::json!([source]));
    assert_eq!(
        json["images"][3]["properties"]["SYCL/device-requirements"]["aspect"],
        serde_json::json!({ "type": "bytes", "value": "06000000" })
    );
    assert_eq!(session.json("aspen inspect more.o")["images"][0]["format"], "bitcode");

    let checked = session.bad(1, "aspen check two --device intel_gpu_dg1 --device spir64", &[]).stdout;
    assert_eq!(
        checked,
        "intel_gpu_dg1:\n  plain  yes\n  dbl    no: lacks aspect fp64\nspir64:\n  plain  yes\n  dbl    maybe: not known for aspect fp64\n"
    );
    session.ok("aspen check two --device intel_gpu_skl");

    assert_eq!(session.ok("aspen explain two").stdout, "plain  nothing\ndbl    aspect fp64\n");
    let explained = session.ok("aspen explain two dbl fp64").stdout;
    let line = "    9 |     q.single_task<dbl>([=]() { double d = p[0]; p[1] = (int)(d / 2); }).wait();\n";
    let caret = format!("      |{}^\n", " ".repeat(39));
    assert_eq!(explained, format!("kernel 'dbl' needs aspect fp64\n  two.cpp:9:39: used in 'dbl'\n{line}{caret}"));
    assert!(session.ok("aspen explain quiet dbl").stdout.contains("built without explanations"));
    session.bad(1, "aspen explain two dbll", &["'dbll'", "did you mean 'dbl'"]);
    session.bad(1, "aspen explain two dbl fp61", &["'fp61'", "did you mean 'fp64'"]);

    let changed = session.bad(1, "aspen diff two more.o", &[]).stdout;
    assert_eq!(changed, "+ kernel 'plain' needs aspect fp64, used in 'plain' at more.cpp:8:39\n");
    assert_eq!(session.ok("aspen diff two two").stdout, "");

    // A reader that goes away has read enough.
    session.ok("aspen inspect two --format json | head -c 1 > /dev/null");
}

#[test]
fn devices_and_targets() {
    let session = Session::new(&[
        ("new.yaml", "intel_gpu_zz9:\n  aspects: [6, 2]\n  sub-group-sizes: [8]\n"),
        ("bad.yaml", "x:\n  aspects: [fp65]\n"),
    ]);
    let devices = session.json("aspen devices");
    assert_eq!((&devices["devices"][0]["selector"], &devices["devices"][0]["backend"]), (&"native_cpu:0".into(), &"native_cpu".into()));
    assert!(session.ok("aspen devices").stdout.starts_with("native_cpu:0  "));
    session.bad(1, "ASPEN_DEVICE_PROFILE=intel_gpu_dq1 aspen devices", &["intel_gpu_dq1", "intel_gpu_dg1"]);
    let target = &session.json("aspen targets intel_gpu_9_0_9")["targets"][0];
    assert_eq!((&target["name"], &target["origin"]), (&"intel_gpu_skl".into(), &"built-in".into()));
    assert!(session.ok("aspen targets").stdout.lines().any(|line| line.starts_with("intel_gpu_pvc ")));
    session.bad(1, "aspen targets intel_gpu_slk", &["intel_gpu_skl"]);
    let target = &session.json("aspen targets intel_gpu_zz9 --device-config-file new.yaml")["targets"][0];
    assert_eq!((&target["aspects"], &target["origin"]), (&serde_json::json!(["gpu", "fp64"]), &"new.yaml:1:1".into()));
    assert_eq!(session.ok("aspen targets check new.yaml").stdout, "new.yaml: valid\n");
    session.bad(1, "aspen targets check bad.yaml", &["bad.yaml:2:13: error: ", "fp64"]);
}

#[test]
fn wrong_usage_and_failed_inputs() {
    let session = Session::new(&[("x.cpp", "int main() {}\n"), ("noise", "\x01\x02")]);
    session.ok("clang++-22 x.cpp -o host && clang++-22 -c x.cpp -o host.o && ar qc libhost.a host.o");
    for line in [
        "aspen",
        "aspen frobnicate",
        "aspen inspect",
        "aspen inspect x --format yaml",
        "aspen inspect x --no-such-flag",
        "aspen check x.o",
        "aspen check gone.o --device intel_gpu_slk",
        "aspen diff one",
        "aspen targets --no-such-flag",
        "aspen devices --format xml",
    ] {
        session.bad(2, line, &[]);
    }
    for file in ["host", "host.o", "libhost.a", "x.cpp", "noise", "gone"] {
        for command in ["inspect", "explain", "diff host", "check --device intel_gpu_skl"] {
            session.bad(1, &format!("aspen {command} {file}"), &[if command == "diff host" { "host" } else { file }]);
        }
    }
}

/// Source: DESIGN §7.12.
#[test]
fn requirements_of_the_source_or_of_optimised_code() {
    let source = "\
#include <sycl/sycl.hpp>
class gone; class stays; class across;
SYCL_EXTERNAL float elsewhere(float);
[[sycl::device_has(sycl::aspect::fp16)]] void promises(float *p) { p[0] = p[1] * 3.0; }
int main() {
  sycl::queue q;
  float *p = sycl::malloc_shared<float>(4, q);
  q.single_task<gone>([=]() { promises(p); p[0] = p[1] * 3.0; });
  q.single_task<stays>([=]() { double d = p[0]; p[1] = d / 3.1 * d; });
  q.single_task<across>([=]() { p[2] = elsewhere(p[1]); });
}
";
    let other = "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL float elsewhere(float x) { return x * 2.0; }\n";
    let session = Session::new(&[("a.cpp", source), ("b.cpp", other)]);
    let warning = "a.cpp:4:75: warning: function 'promises' uses aspect 'fp64'";
    for (option, gone, across) in [("source", "aspect fp16, aspect fp64", "aspect fp64"), ("optimized", "aspect fp16", "nothing")] {
        let said = session.ok(&format!("aspen++ -fsycl-requirements={option} a.cpp b.cpp -o {option}"));
        assert!(said.stderr.contains(warning), "warnings are those of the source: {}", said.stderr);
        let table = session.ok(&format!("aspen explain {option}")).stdout;
        let mut lines: Vec<&str> = table.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, [format!("across  {across}"), format!("gone    {gone}"), "stays   aspect fp64".to_owned()]);
    }
    let gone = session.ok("aspen explain optimized across").stdout;
    assert_eq!(gone, "kernel 'across' needs nothing\nfp64: in the source at b.cpp:2:49, gone after optimisation\n");
    session.ok("aspen check optimized --device intel_gpu_dg1 > checked || grep -q 'across  *yes' checked");
    session.bad(1, "aspen++ -fsycl-requirements=best a.cpp -c", &["'best'", "'optimized'"]);
}

/// Large libraries: names of templates do not push the answers out of sight, and many kernels are counted.
#[test]
fn many_kernels_are_counted() {
    let long = "k".repeat(200);
    let mut module = String::from("target triple = \"spir64-unknown-unknown\"\n");
    for index in 0..24 {
        let name = if index == 3 { format!("{long}3") } else { format!("k{index}") };
        let uses = if index % 8 == 3 { " !intel_used_aspects !{i32 6}" } else { "" };
        module += &format!("define spir_kernel void @{name}(){uses} {{ ret void }}\n");
    }
    let session = Session::new(&[("m.ll", &module)]);
    let said = session.run("aspen check m.ll --device intel_gpu_dg1").stdout;
    for line in ["  k0   yes", &format!("  {long}3  no: lacks aspect fp64"), "  k11  no: lacks aspect fp64"] {
        assert!(said.lines().any(|one| one == line), "no {line:?} in {said}");
    }
    assert!(said.ends_with("  24 kernels in all:\n    3 no: lacks aspect fp64\n    21 yes\n"), "{said}");
}

/// Of a module that another compiler made, sizes have the line of their function.
#[test]
fn declared_sizes_have_the_functions_line() {
    let module = "target triple = \"spir64-unknown-unknown\"
define spir_kernel void @k() !dbg !4 !intel_reqd_sub_group_size !7 { ret void }
define spir_kernel void @bare() !intel_reqd_sub_group_size !7 { ret void }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: \"sizes.cpp\", directory: \".\")
!2 = !{i32 2, !\"Debug Info Version\", i32 3}
!4 = distinct !DISubprogram(name: \"k\", file: !1, line: 12, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !{i32 16}
";
    let session = Session::new(&[("m.ll", module)]);
    let said = session.ok("aspen explain m.ll k").stdout;
    assert_eq!(said, "kernel 'k' needs sub-group size 16\n  sizes.cpp:12: declared by 'k'\n");
    assert!(session.ok("aspen explain m.ll bare").stdout.contains("(place unknown): declared by 'bare'"));
}
