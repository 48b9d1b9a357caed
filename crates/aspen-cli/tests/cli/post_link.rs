//! `sycl-post-link` and `sycl-aspect-filter` as somebody's pipeline runs them, and `aspen inspect` on what they write.

use std::os::unix::fs::symlink;

use crate::common::Session;

/// Three images in the seed dialect: fp64 with a sub-group size, a work-group size, an exported function.
const MODULE: &str = r#"
target triple = "spirv64-unknown-unknown"
define spir_kernel void @_ZTS3foo() #0 !intel_used_aspects !0 !intel_reqd_sub_group_size !2 { ret void }
define spir_kernel void @k2() #0 !reqd_work_group_size !1 { call spir_func void @_Z3impv()
  ret void }
define spir_func void @_Z3expv() #0 { ret void }
declare spir_func void @_Z3impv()
attributes #0 = { "sycl-module-id"="one.cpp" }
!0 = !{i32 6}
!1 = !{i32 2, i32 4}
!2 = !{i32 8}
"#;

fn session(files: &[(&str, &str)]) -> Session {
    let session = Session::new(files);
    for name in ["sycl-post-link", "sycl-aspect-filter"] {
        symlink(session.bin.join("aspen"), session.path(name)).expect("a fresh folder");
    }
    session
}

fn text(session: &Session, name: &str) -> String {
    String::from_utf8(session.read(name)).expect("text")
}

#[test]
fn tables_for_targets_and_what_inspect_says_of_them() {
    let session = session(&[("a.ll", MODULE)]);
    session.ok("./sycl-post-link -symbols -properties -emit-exported-symbols -emit-imported-symbols a.ll -o all.table -o intel_gpu_dg1,dg1.table -S");
    assert_eq!(
        text(&session, "all.table"),
        "[Code|Properties|Symbols]\nall_0.ll|all_0.prop|all_0.sym\nall_1.ll|all_1.prop|all_1.sym\nall_2.ll|all_2.prop|all_2.sym\n"
    );
    assert_eq!(
        text(&session, "dg1.table"),
        "[Code|Properties|Symbols]\nall_1.ll|all_1.intel_gpu_dg1.prop|all_1.sym\nall_2.ll|all_2.intel_gpu_dg1.prop|all_2.sym\n"
    );
    // By hand: 32 bits in 8 bytes, then 6; the least significant bit first.
    assert_eq!(
        text(&session, "all_0.prop"),
        "[SYCL/device-requirements]\naspect=2|gAAAAAAAAAgBAAAA\nreqd_sub_group_size=2|gAAAAAAAAAACAAAA\n"
    );
    assert_eq!(text(&session, "all_2.prop"), "[SYCL/exported symbols]\n_Z3expv=1|1\n");
    assert_eq!((text(&session, "all_0.sym").as_str(), text(&session, "all_1.prop").contains("_Z3impv=1|1")), ("_ZTS3foo\n", true));

    let json = session.json("aspen inspect all.table");
    let images = json["images"].as_array().expect("a list");
    let names: Vec<_> =
        images.iter().map(|image| (image["name"].as_str().unwrap_or(""), image["kernels"][0]["name"].as_str().unwrap_or(""))).collect();
    assert_eq!(names, [("all_0", "foo"), ("all_1", "k2"), ("all_2", "")]);
    assert_eq!(
        images[0]["requirements"],
        serde_json::json!({ "aspects": ["fp64"], "reqd_sub_group_size": 8, "reqd_work_group_size": null })
    );
    assert_eq!((&images[1]["imports"], &images[2]["exports"]), (&serde_json::json!(["_Z3impv"]), &serde_json::json!(["_Z3expv"])));
    assert_eq!(session.json("aspen inspect all_0.prop")["images"][0]["requirements"], images[0]["requirements"]);
    session.bad(1, "aspen check all.table --device intel_gpu_dg1", &[]);

    // From standard input, through the other name, in the other dialect, into another folder.
    session.ok("aspen post-link --dialect=dpcpp --properties --split=kernel --o=x/t.table --out-dir=x < a.ll");
    assert_eq!(text(&session, "x/t.table"), "[Code|Properties]\nx/t_0.bc|x/t_0.prop\nx/t_1.bc|x/t_1.prop\nx/t_2.bc|x/t_2.prop\n");
    // DPC++ orders by name, downwards: k2, _ZTS3foo, _Z3expv.
    assert_eq!(text(&session, "x/t_1.prop"), "[SYCL/device requirements]\naspects=2|gAAAAAAAAAgBAAAA\nreqd_sub_group_size=1|8\n");
    assert!(text(&session, "x/t_0.prop").contains(
        "aspects=2|AAAAAAAAAAA\nreqd_work_group_size_uint64_t=2|ADAAAAAAAAABAAAAAAAAAIAAAAAAAAAABAAAAAAAAAA\nwork_group_num_dim=1|2\n"
    ));

    session.ok("./sycl-aspect-filter --target=intel_gpu_dg1 x/t.table -o left.table");
    assert_eq!(text(&session, "left.table"), "[Code|Properties]\nx/t_0.bc|x/t_0.prop\nx/t_2.bc|x/t_2.prop\n");
    session.ok("aspen aspect-filter --target spir64 x/t.table -o left.table && cmp x/t.table left.table");
    session.ok("./sycl-post-link -ir-output-only -S a.ll -o whole.ll && opt-22 -passes=verify -disable-output whole.ll");
}

/// Kernels with needs that differ, with shared helpers and debug info, enough for several workers.
fn many_kernels(count: usize) -> String {
    let mut out = String::from(
        "target triple = \"spir64-unknown-unknown\"\n@shared = internal addrspace(1) global i32 1\n\
         define internal spir_func i32 @helper() !dbg !4 {\n  %v = load i32, ptr addrspace(1) @shared, !dbg !5\n  ret i32 %v, !dbg !5\n}\n",
    );
    for kernel in 0..count {
        let needs = if kernel % 3 == 0 { " !intel_used_aspects !6" } else { "" };
        out += &format!("define spir_kernel void @k{kernel}(){needs} {{\n  %v = call spir_func i32 @helper()\n  ret void\n}}\n");
    }
    out + "!llvm.dbg.cu = !{!1}\n!llvm.module.flags = !{!0}\n!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
           !1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !2, emissionKind: FullDebug)\n\
           !2 = !DIFile(filename: \"a.cpp\", directory: \"\")\n!3 = !DISubroutineType(types: !{null})\n\
           !4 = distinct !DISubprogram(name: \"helper\", scope: !2, file: !2, line: 1, type: !3, unit: !1, spFlags: DISPFlagDefinition)\n\
           !5 = !DILocation(line: 2, column: 3, scope: !4)\n!6 = !{i32 6}\n"
}

#[test]
fn neither_workers_nor_folders_change_a_byte() {
    let session = session(&[("m.ll", &many_kernels(50))]);
    for (folder, jobs) in [("one", "-j1"), ("eight", "-j8"), ("default", ""), ("again", "-j 3")] {
        let options = format!("-split=kernel -symbols -properties {jobs} -o all.table -o intel_gpu_dg1,dg1.table");
        session.ok(&format!("mkdir {folder} && cd {folder} && ../sycl-post-link ../m.ll {options}"));
    }
    assert_eq!(session.ok("ls one | wc -l").stdout.trim(), (50 * 4 + 2).to_string());
    session.ok("diff -r one eight && diff -r one default && diff -r one again");
    assert_eq!(session.ok("wc -l < one/dg1.table").stdout.trim(), (50 - 17 + 1).to_string());
    session.ok("for image in one/*.bc; do opt-22 -passes=verify -disable-output $image || exit 1; done");
    // Linked back, they define what the input defined; the shared helper is each image's own.
    session.ok("llvm-link-22 one/all_*.bc -o linked.bc");
    let defined = |file: &str| session.ok(&format!("llvm-nm-22 --defined-only --extern-only -j {file} | sort")).stdout;
    session.ok("llvm-as-22 m.ll -o m.bc");
    assert_eq!(defined("linked.bc"), defined("m.bc"));
}

#[test]
fn a_worker_that_fails_leaves_no_file_of_any_other() {
    let session = session(&[("m.ll", &many_kernels(50))]);
    for jobs in ["-j1", "-j8"] {
        // A folder stands where a file should go.
        session.ok("mkdir -p out/t_33.bc");
        session.bad(1, &format!("./sycl-post-link -split=kernel -symbols m.ll {jobs} -out-dir=out -o t"), &["cannot write 'out/t_33.bc'"]);
        assert_eq!(session.ok("ls out").stdout, "t_33.bc\n");
        assert!(!session.exists("t"));
    }
}

#[test]
fn images_import_exported_functions_if_they_may() {
    const IMPORTS: &str = "[SYCL/imported symbols]\n_Z3expv=1|1\n";
    let module = format!("{}define spir_kernel void @k3() #0 {{ call spir_func void @_Z3expv()\n  ret void }}\n", MODULE);
    let session = session(&[("a.ll", &module)]);
    session.ok(
        "./sycl-post-link -S -emit-imported-symbols -emit-exported-symbols -allow-device-image-dependencies -split=kernel a.ll -o d.table",
    );
    session.ok("./sycl-post-link -S -emit-imported-symbols -emit-exported-symbols -split=kernel a.ll -o c.table");
    assert_eq!(
        (text(&session, "d_2.prop").as_str(), text(&session, "d_3.prop").as_str()),
        ("[SYCL/exported symbols]\n_Z3expv=1|1\n", IMPORTS)
    );
    assert!(text(&session, "d_3.ll").contains("declare spir_func void @_Z3expv()"));
    assert_eq!(text(&session, "c_3.prop"), "");
    assert!(text(&session, "c_3.ll").contains("define internal spir_func void @_Z3expv()"));
    // Modules by themselves say the same: the copy is nobody's export, the declaration an import though it is not marked.
    let lists = |file: &str| {
        let image = &session.json(&format!("aspen inspect {file}"))["images"][0];
        (image["exports"].clone(), image["imports"].clone())
    };
    assert_eq!(lists("c_3.ll"), (serde_json::json!([]), serde_json::json!([])));
    assert_eq!(lists("d_3.ll"), (serde_json::json!([]), serde_json::json!(["_Z3expv"])));
    assert_eq!(lists("a.ll"), (serde_json::json!(["_Z3expv"]), serde_json::json!(["_Z3impv"])));
    session.ok("for image in c_*.ll d_*.ll; do opt-22 -passes=verify -disable-output $image || exit 1; done");
}

#[test]
fn a_spirv_module_is_inspected() {
    let session = session(&[("a.ll", MODULE)]);
    session.ok("./sycl-post-link -symbols a.ll -o t.table && llc-22 -mtriple=spirv64-unknown-unknown -filetype=obj t_0.bc -o t.spv");
    let image = &session.json("aspen inspect t.spv")["images"][0];
    assert_eq!((&image["format"], &image["kernels"][0]["name"]), (&"spirv".into(), &"foo".into()));
    assert_eq!(image["requirements"]["reqd_sub_group_size"], 8);
}

#[test]
fn wrong_usage_comes_before_any_file() {
    let session = session(&[]);
    for (line, needle) in [
        ("./sycl-post-link", "no input"),
        ("./sycl-post-link -split=diagonal gone.bc", "diagonal"),
        ("./sycl-post-link -o intel_gpu_slk,t gone.bc", "did you mean 'intel_gpu_skl'"),
        ("./sycl-aspect-filter gone.table -o t", "--target"),
        ("./sycl-aspect-filter --target= gone.table -o t", "--target"),
        ("./sycl-aspect-filter --target=intel_gpu_slk gone.table -o t", "intel_gpu_skl"),
        ("aspen aspect-filter --target=spir64 gone.table", "-o"),
    ] {
        session.bad(2, line, &[needle]);
        assert!(!session.exists("t"));
    }
    session.bad(1, "./sycl-post-link -split=none gone.bc", &["no actions"]);
    assert!(session.ok("./sycl-post-link --help").stdout.contains("-out-dir=DIR"));
}

#[test]
fn failed_inputs_leave_nothing() {
    let files = [
        ("a.ll", MODULE),
        (
            "spec.ll",
            "declare i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr, ptr, ptr)\ndefine spir_kernel void @k(ptr %p) {\n\
             %v = call i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr %p, ptr %p, ptr %p)\nret void }\n",
        ),
        ("noise.bc", "BC\u{c0}noise"),
        ("columns.table", "[Code|Properties|Symbols]\na.ll|only two\n"),
        ("twice.table", "[Code|Code]\n"),
        ("title.table", "a.ll|b.prop\n"),
        ("code.table", "[Code]\na.ll\n"),
        ("gone.table", "[Code|Properties]\na.ll|gone.prop\n"),
        ("base64.table", "[Code|Properties]\na.ll|base64.prop\n"),
        ("base64.prop", "[SYCL/device-requirements]\naspect=2|!!!!\n"),
        ("type.table", "[Code|Properties]\na.ll|type.prop\n"),
        ("type.prop", "[SYCL/device-requirements]\naspect=3|1\n"),
        ("set.table", "[Code|Properties]\na.ll|set.prop\n"),
        ("set.prop", "[a/b]\n[a/b]\n"),
        // 2 GiB of bits, hardly any bytes.
        ("long.table", "[Code|Properties]\na.ll|long.prop\n"),
        ("long.prop", "[SYCL/device-requirements]\naspect=2|AAAAAEAAAAA\n"),
        ("nothing.table", "[Code|Properties]\ngone.bc|none.prop\n"),
        ("none.prop", ""),
    ];
    let session = session(&files);
    for (file, needle) in [
        ("columns", "'columns.table': line 2: expected 3 cells"),
        ("twice", "'Code' stands here a second time"),
        ("title", "line 1: expected the columns' names"),
        ("code", "no column 'Properties'"),
        ("gone", "gone.prop"),
        ("base64", "'base64.prop': line 2: '!!!!' is no base64"),
        ("type", "'type.prop': line 2: the property type '3'"),
        ("set", "'set.prop': line 2: the property set 'a/b' stands here a second time"),
        ("long", "'long.prop': line 2: the byte array says it has"),
        ("nothing", "gone.bc"),
        ("absent", "absent.table"),
    ] {
        session.bad(1, &format!("./sycl-aspect-filter --target=intel_gpu_skl {file}.table -o t"), &[needle]);
        if file != "code" {
            session.bad(1, &format!("aspen inspect {file}.table"), &[&format!("{file}.table")]);
        }
        assert!(!session.exists("t"));
    }
    session.bad(1, "./sycl-post-link -symbols noise.bc -o t", &["noise.bc"]);
    session.bad(1, "./sycl-post-link -spec-const=native spec.ll -o t", &["spec.ll: a specialization constant that 'k' reads"]);
    session.bad(1, "./sycl-post-link -symbols a.ll -o no/such/folder/t", &["no/such/folder/t_0.bc"]);
    assert!(!session.exists("t") && !session.exists("t_0.bc"));
}

/// `-` is standard input and output, as for LLVM's tools; bitcode is not for a terminal.
#[test]
fn standard_input_and_output() {
    let session = session(&[("a.ll", MODULE)]);
    let said = session.run("./sycl-post-link -ir-output-only -S - -o - < a.ll");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("define spir_kernel void @_ZTS3foo()"), "{}", said.stdout);
    let said = session.run("./sycl-post-link -symbols -out-dir=d a.ll -o -");
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (Some(0), "[Code|Symbols]\nd/a_0.bc|d/a_0.sym\nd/a_1.bc|d/a_1.sym\nd/a_2.bc|d/a_2.sym\n")
    );
    session.ok("./sycl-post-link -properties a.ll -o t && aspen aspect-filter --target=intel_gpu_pvc t -o - > u");
    assert!(String::from_utf8_lossy(&session.read("u")).starts_with("[Code|Properties]\n"));
    session.ok("./sycl-post-link -ir-output-only a.ll -o - | opt-22 -passes=verify -disable-output -");
    assert!(!session.exists("-"));
    // `script` gives it a terminal.
    let on_terminal =
        |options: &str| session.run(&format!("script -qec './sycl-post-link -ir-output-only a.ll {options} -o -' /dev/null < /dev/null"));
    let said = on_terminal("");
    assert!(said.code == Some(1) && said.stdout.contains("bitcode is nothing for a terminal; '-S' writes text"), "{}", said.stdout);
    assert_eq!((on_terminal("-S").code, on_terminal("-f").code), (Some(0), Some(0)));
    session.bad(1, "./sycl-post-link -symbols a.ll -o - > /dev/full", &["cannot write 'standard output': No space left"]);
}
