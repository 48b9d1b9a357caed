//! DPC++'s dialect, byte for byte: what FORMATS §4.5 lists that a pipeline of ours can meet, in DPC++'s order of images.
//!
//! The base64 was made by an encoder of its own (the acceptance cases'), not by ours.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use aspen_contract::Aspect;
use aspen_devices::Database;
use aspen_image::{PropertySets, dpcpp};
use aspen_postlink::{Arguments, Error};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;

const MODULE: &str = r#"
source_filename = "d.cpp"
target triple = "spir64-unknown-unknown"
@dg = addrspace(1) global i32 0 #2
@dg2 = addrspace(1) global i64 0 #3
define spir_kernel void @k_plain(i32 %a, i32 %b, i32 %c) #0 !sycl_kernel_omit_args !20 {
  %v = load i32, ptr addrspace(1) @dg
  ret void
}
define spir_kernel void @k_aspects() #0 !sycl_used_aspects !1 !sycl_fixed_targets !2 !sycl_joint_matrix !3 {
  call spir_func void @helper()
  ret void
}
define spir_kernel void @k_sizes() #1 !reqd_work_group_size !4 !work_group_num_dim !5 !intel_reqd_sub_group_size !6 !max_work_group_size !7 !max_linear_work_group_size !8 {
  ret void
}
define linkonce_odr spir_func void @helper() !sycl_used_aspects !9 { ret void }
define spir_func void @_Z8exportedv() #0 { call spir_func void @_Z8importedv()
  call spir_func void @_Z13__spirv_thingv()
  call spir_func void @_Z8unmarkedv()
  ret void }
declare spir_func void @_Z8importedv() #0
declare spir_func void @_Z13__spirv_thingv()
declare spir_func void @_Z8unmarkedv()
attributes #0 = { "sycl-module-id"="d.cpp" }
attributes #1 = { "sycl-module-id"="d.cpp" "sycl-optlevel"="2" "sycl-grf-size"="256" }
attributes #2 = { "sycl-unique-id"="id_dg" "sycl-device-global-size"="4" "sycl-device-image-scope"="true" }
attributes #3 = { "sycl-unique-id"="id_dg2" "sycl-device-global-size"="8" }
!sycl_aspects = !{!0}
!0 = !{!"fp64", i32 6}
!1 = !{!0, i32 -1, !10}
!2 = !{i32 2}
!3 = !{!"matrix_type::fp16,use::a,8,16;matrix_type::fp32,use::b,8,16"}
!4 = !{i32 32, i32 4, i32 1}
!5 = !{i32 2}
!6 = !{i32 8}
!7 = !{i32 64, i32 1, i32 1}
!8 = !{i64 64}
!9 = !{!11}
!10 = !{!"fp16", i32 5}
!11 = !{!"atomic64", i32 27}
!20 = !{i1 true, i1 false, i1 true}
"#;

/// Runs post-link on the module in a folder of its own; returns the text of these files there.
fn run(options: &str, files: &[&str]) -> Result<Vec<String>, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("d.ll"), MODULE).unwrap();
    let words = options.split(' ').map(|word| word.replace("DIR/", &path("")));
    let words = words.chain([path("d.ll"), "-o".into(), path("d.table")]);
    aspen_postlink::run(&Arguments::parse(words).unwrap(), Database::builtin())?;
    Ok(files.iter().map(|name| fs::read_to_string(path(name)).unwrap()).collect())
}

#[test]
fn every_set_byte_for_byte() {
    let options = "--dialect=dpcpp -split=auto -symbols -properties -emit-kernel-names -emit-exported-symbols -emit-imported-symbols \
                   -emit-program-metadata -emit-param-info -device-globals -spec-const=native";
    let got = run(options, &["d_0.sym", "d_0.prop", "d_1.sym", "d_1.prop", "d_2.sym", "d_2.prop"]).unwrap();
    // The key is compared downwards: a register file before aspects before nothing.
    assert_eq!(got[0], "k_sizes\n");
    assert_eq!(
        got[1],
        "\
[SYCL/device requirements]\n\
aspects=2|AAAAAAAAAAA\n\
reqd_sub_group_size=1|8\n\
reqd_work_group_size_uint64_t=2|ADAAAAAAAAAIAAAAAAAAAQAAAAAAAAAABAAAAAAAAAA\n\
work_group_num_dim=1|2\n\
[SYCL/kernel names]\n\
k_sizes=1|1\n\
[SYCL/kernel param opt]\n\
[SYCL/program metadata]\n\
k_sizes@reqd_work_group_size=2|gBAAAAAAAAAIAAAAEAAAAEAAAAA\n\
k_sizes@reqd_sub_group_size=1|8\n\
k_sizes@work_group_num_dim=1|2\n\
k_sizes@max_work_group_size=2|gBAAAAAAAAAQAAAABAAAAEAAAAA\n\
k_sizes@max_linear_work_group_size=2|ABAAAAAAAAAQAAAAAAAAAA\n\
[SYCL/misc properties]\n\
sycl-grf-size=1|256\n\
optLevel=1|2\n\
"
    );
    assert_eq!(got[2], "k_aspects\n");
    // -1 splits and is no requirement; atomic64 comes from a function that the kernel calls.
    assert_eq!(
        got[3],
        "\
[SYCL/device requirements]\n\
aspects=2|gBAAAAAAAAQBAAAAGAAAAsBAAAA\n\
fixed_target=2|gAAAAAAAAAgAAAAA\n\
joint_matrix=2|YHAAAAAAAAQbhRncph3X0lHclpjOmBXM2wSdzVmO6EGL4wSM2sTbhRncph3X0lHclpjOmB3MywSdzVmO6IGL4wSM2A\n\
[SYCL/kernel names]\n\
k_aspects=1|1\n\
[SYCL/kernel param opt]\n\
"
    );
    assert_eq!(got[4], "k_plain\n_Z8exportedv\n");
    assert_eq!(
        got[5],
        "\
[SYCL/device requirements]\n\
aspects=2|AAAAAAAAAAA\n\
[SYCL/kernel names]\n\
k_plain=1|1\n\
[SYCL/kernel param opt]\n\
k_plain=2|DAAAAAAAAAQB\n\
[SYCL/exported symbols]\n\
_Z8exportedv=1|1\n\
[SYCL/imported symbols]\n\
_Z8importedv=1|1\n\
[SYCL/program metadata]\n\
id_dg@global_id_mapping=2|QAAAAAAAAAAZnB\n\
[SYCL/device globals]\n\
id_dg=2|ABAAAAAAAAABAAAABAAAAA\n\
"
    );
}

#[test]
fn a_target_leaves_its_name_and_drops_what_it_cannot_run() {
    let options = "--dialect=dpcpp -properties -o intel_gpu_pvc,DIR/pvc.table";
    let got = run(options, &["pvc.table", "pvc_0.intel_gpu_pvc.prop", "pvc_2.intel_gpu_pvc.prop", "pvc_2.prop"]).unwrap();
    // pvc has no sub-group size 8, which k_sizes wants. The first -o names the files.
    let rows: Vec<&str> = got[0].lines().skip(1).map(|row| row.rsplit('/').next().unwrap()).collect();
    assert_eq!(rows, ["pvc_1.intel_gpu_pvc.prop", "pvc_2.intel_gpu_pvc.prop"]);
    assert!(got[1].contains("work_group_num_dim=1|2\ncompile_target=2|"), "compile_target stands last: {}", got[1]);
    assert_eq!(got[2], "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\ncompile_target=2|oBAAAAAAAAQauRXZs91ZwV3XwZ3Y\n");
    assert_eq!(got[3], "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n");
}

#[test]
fn only_kernels_and_no_entry_points() {
    let got = run("--dialect=dpcpp -symbols -emit-only-kernels-as-entry-points", &["d_2.sym", "d.table"]).unwrap();
    assert_eq!((got[0].as_str(), got[1].lines().count()), ("k_plain\n", 4));
    // What imports is apart in the seed dialect, as DESIGN §7.11 has it.
    assert_eq!(run("--dialect=seed -split=none -symbols", &["d.table"]).unwrap()[0].lines().count(), 5);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    // A module without entry points is one image, as it stands.
    fs::write(path("h.ll"), "define void @helper() { ret void }\n").unwrap();
    let words = ["-symbols", "-properties", "-S", "-o"].map(str::to_owned).into_iter().chain([path("h.table"), path("h.ll")]);
    aspen_postlink::run(&Arguments::parse(words).unwrap(), Database::builtin()).unwrap();
    assert!(fs::read_to_string(path("h_0.ll")).unwrap().contains("define void @helper()"));
    assert_eq!(
        (fs::read_to_string(path("h_0.sym")).unwrap(), fs::read_to_string(path("h_0.prop")).unwrap()),
        (String::new(), String::new())
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    /// What a kernel's metadata says is what DPC++'s set says, read again; and nothing of the file is lost on the way.
    #[test]
    fn requirements_survive_metadata_and_property_sets(
        aspects in btree_set(prop_oneof![0..100u32, any::<i32>().prop_map(|n| n.unsigned_abs())], 0..6),
        sub_group in proptest::option::of(select(vec![1u32, 8, 16, 32, 4096])),
        dims in vec(1..=1024u32, 0..4),
    ) {
        let list = |numbers: &[u32]| numbers.iter().map(|number| format!("i32 {number}")).collect::<Vec<_>>().join(", ");
        let used: Vec<u32> = aspects.iter().copied().collect();
        let (mut marks, mut nodes) = (String::from(" !sycl_used_aspects !1"), String::from("!sycl_aspects = !{!0}\n!0 = !{!\"fp64\", i32 6}\n"));
        nodes += &format!("!1 = !{{{}}}\n", list(&used));
        if let Some(size) = sub_group {
            marks += " !intel_reqd_sub_group_size !2";
            nodes += &format!("!2 = !{{i32 {size}}}\n");
        }
        if !dims.is_empty() {
            // Fastest first and padded.
            let mut padded: Vec<u32> = dims.iter().rev().copied().collect();
            padded.resize(3, 1);
            marks += " !reqd_work_group_size !3 !work_group_num_dim !4";
            nodes += &format!("!3 = !{{{}}}\n!4 = !{{i32 {}}}\n", list(&padded), dims.len());
        }
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        fs::write(path("r.ll"), format!("target triple = \"spir64-unknown-unknown\"\ndefine spir_kernel void @k(){marks} {{ ret void }}\n{nodes}")).unwrap();
        let words = ["--dialect=dpcpp".into(), "-properties".into(), "-emit-kernel-names".into(), path("r.ll"), "-o".into(), path("r.table")];
        aspen_postlink::run(&Arguments::parse(words).unwrap(), Database::builtin()).unwrap();

        let text = fs::read_to_string(path("r_0.prop")).unwrap();
        let sets = PropertySets::from_text(&text).unwrap();
        prop_assert_eq!(sets.to_text().unwrap(), &*text);
        let read = dpcpp::requirements_of_sets(&sets).unwrap();
        prop_assert_eq!(read.aspects, aspects.into_iter().map(Aspect::from_number).collect());
        prop_assert_eq!(read.reqd_sub_group_size, sub_group);
        let dims: Vec<u64> = dims.into_iter().map(u64::from).collect();
        prop_assert_eq!(read.reqd_work_group_size.map_or(vec![], |size| size.dims().to_vec()), dims);
        prop_assert!(text.contains("[SYCL/kernel names]\nk=1|1\n"), "{text}");
    }
}
