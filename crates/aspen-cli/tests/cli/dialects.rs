//! Whose metadata a module holds, and whose property sets are written: decided once a run (DESIGN §7.24). Required work-group sizes stand in
//! the attribute's order in the design documents' dialect, reversed and padded in DPC++'s; whatever else a module says, and however it is
//! split, no size is lost or reversed.

use std::os::unix::fs::symlink;

use crate::common::Session;

/// Sizes in the attribute's order.
const SIZES: [&[u64]; 6] = [&[8], &[4, 2], &[4, 1], &[4, 2, 1], &[1, 2, 4], &[1, 1, 32]];

#[derive(Clone, Copy, PartialEq)]
enum Dialect {
    Seed,
    Dpcpp,
}

/// A kernel a size, and one without; `marks` go to the kernels with sizes, `others` to the one without, `named` to the module.
fn module(dialect: Dialect, marks: &str, others: &str, named: &str) -> String {
    let mut text = String::from("target triple = \"spirv64-unknown-unknown\"\n");
    let mut nodes = format!("!90 = !{{i32 6}}\n!91 = !{{i32 0}}\n!92 = !{{i1 true, i1 false}}\n!93 = !{{!\"fp64\", i32 6}}\n{named}\n");
    for (index, size) in SIZES.iter().enumerate() {
        let mut dims = size.to_vec();
        if dialect == Dialect::Dpcpp {
            dims.reverse();
            dims.resize(3, 1);
        }
        let dims: Vec<String> = dims.iter().map(|dim| format!("i32 {dim}")).collect();
        let (dims_node, count_node) = (2 * index, 2 * index + 1);
        text += &format!(
            "define spir_kernel void @k{index}() #0 !reqd_work_group_size !{dims_node} !work_group_num_dim !{count_node}{marks} {{ ret void }}\n"
        );
        nodes += &format!("!{dims_node} = !{{{}}}\n!{count_node} = !{{i32 {}}}\n", dims.join(", "), size.len());
    }
    text + &format!("define spir_kernel void @plain() #0{others} {{ ret void }}\nattributes #0 = {{ \"sycl-module-id\"=\"one.cpp\" }}\n")
        + &nodes
}

/// The sizes that the images say, by kernel.
fn check_sizes(session: &Session, table: &str, what: &str) {
    let json = session.json(&format!("aspen inspect {table}"));
    let mut found = std::collections::BTreeMap::new();
    for image in json["images"].as_array().expect("a list") {
        for kernel in image["kernels"].as_array().expect("a list") {
            let size = &image["requirements"]["reqd_work_group_size"];
            let size: Vec<u64> = size.as_array().into_iter().flatten().filter_map(serde_json::Value::as_u64).collect();
            found.insert(kernel["name"].as_str().expect("a name").to_owned(), size);
        }
    }
    let mut expected: std::collections::BTreeMap<String, Vec<u64>> =
        SIZES.iter().enumerate().map(|(index, size)| (format!("k{index}"), size.to_vec())).collect();
    expected.insert("plain".into(), Vec::new());
    assert_eq!(found, expected, "{what}");
}

#[test]
fn deep_no_size_is_lost_or_reversed() {
    let seed = [
        ("same", " !intel_used_aspects !90", "", ""),
        ("other", "", " !intel_declared_aspects !90", ""),
        ("none", "", "", ""),
        ("types", "", "", "!intel_types_that_use_aspects = !{!94}\n!94 = !{!\"struct.s\", i32 6}"),
    ];
    let dpcpp = [
        ("same", " !sycl_used_aspects !90", "", ""),
        ("other", "", " !sycl_used_aspects !90", ""),
        ("none", "", "", ""),
        ("targets", "", " !sycl_fixed_targets !91", ""),
        ("arguments", "", " !sycl_kernel_omit_args !92", ""),
        ("names", "", "", "!sycl_aspects = !{!93}"),
        ("both", "", " !sycl_used_aspects !90 !intel_used_aspects !90", ""),
    ];
    let session = Session::new(&[]);
    symlink(session.bin.join("aspen"), session.path("sycl-post-link")).expect("a fresh folder");
    for (dialect, cases) in [(Dialect::Seed, &seed[..]), (Dialect::Dpcpp, &dpcpp[..])] {
        let (name, own, set) = match dialect {
            Dialect::Seed => ("seed", "aspen post-link", "SYCL/device-requirements"),
            Dialect::Dpcpp => ("dpcpp", "./sycl-post-link", "SYCL/device requirements"),
        };
        for (case, marks, others, named) in cases {
            std::fs::write(session.path("in.ll"), module(dialect, marks, others, named)).expect("writable");
            // What shows the dialect makes the tool's name indifferent; without it, name or option decide.
            let both = ["aspen post-link", "./sycl-post-link"];
            let with_option = format!("aspen post-link --dialect={name}");
            let tools: Vec<&str> =
                if *case == "none" { vec![own, &with_option] } else { both.into_iter().chain([with_option.as_str()]).collect() };
            for tool in tools {
                for split in ["source", "kernel", "none"] {
                    let what = format!("{name}, {case}, {tool}, {split}");
                    session.ok(&format!("{tool} -split={split} -properties -symbols -S in.ll -o out.table"));
                    check_sizes(&session, "out.table", &what);
                    assert!(session.ok("cat out_*.prop").stdout.contains(set), "{what}");
                }
            }
            // Through propagation, which keeps the dialect or writes another's, and post-link on what it wrote.
            for wanted in ["", "--dialect seed", "--dialect dpcpp"] {
                if *case == "none" && wanted != format!("--dialect {name}") {
                    continue;
                }
                session.ok(&format!(
                    "aspen propagate in.ll -o once.ll {wanted} && aspen post-link -properties -symbols once.ll -o once.table"
                ));
                check_sizes(&session, "once.table", &format!("{name}, {case}, propagated {wanted}"));
            }
        }
    }
}

/// Two functions of an image that ask for different sizes, and a number of dimensions that is not that of the sizes.
#[test]
fn sources_that_disagree_are_errors() {
    let session = Session::new(&[
        (
            "two.ll",
            "define spir_kernel void @first() #0 !reqd_work_group_size !0 !sycl_used_aspects !2 { call spir_func void @_Z5otherv()\n ret void }
             define linkonce_odr spir_func void @_Z5otherv() !reqd_work_group_size !1 { ret void }
             attributes #0 = { \"sycl-module-id\"=\"one.cpp\" }
             !0 = !{i32 8}\n!1 = !{i32 2, i32 4}\n!2 = !{i32 6}",
        ),
        ("less.ll", "define spir_kernel void @k() !reqd_work_group_size !0 !work_group_num_dim !1 { ret void }\n!0 = !{i32 4, i32 2, i32 8}\n!1 = !{i32 2}"),
        ("more.ll", "define spir_kernel void @k() !reqd_work_group_size !0 !work_group_num_dim !1 { ret void }\n!0 = !{i32 4}\n!1 = !{i32 2}"),
    ]);
    session.bad(1, "aspen post-link -properties two.ll", &["two.ll: 'first' requires work-groups of 8, and 'other'", "of 4x2"]);
    for file in ["less.ll", "more.ll"] {
        let wanted = format!("'{file}': malformed metadata: function 'k': '!work_group_num_dim' says other dimensions");
        session.bad(1, &format!("aspen post-link -properties {file}"), &[&wanted]);
        session.bad(1, &format!("aspen propagate {file} -o o.ll"), &[&wanted]);
        session.bad(1, &format!("aspen inspect {file}"), &[&wanted]);
    }
}

/// Objects of both dialects in one link: drivers hear of every size as it was written.
#[test]
fn objects_of_both_dialects_link() {
    let unit = |name: &str, sizes: &str, global: &str| {
        format!(
            "#include <sycl/sycl.hpp>\nvoid {name}(sycl::queue &q, int *p) {{\n  q.parallel_for<class k_{name}>(sycl::nd_range({global}, {global}), [=](auto item) [[sycl::reqd_work_group_size({sizes})]] {{ p[item.get_global_linear_id()] = 1; }});\n}}\n"
        )
    };
    let main = "#include <sycl/sycl.hpp>\nvoid one(sycl::queue &, int *); void two(sycl::queue &, int *);\nint main() { sycl::queue q; int *p = sycl::malloc_shared<int>(8, q); one(q, p); two(q, p); q.wait(); return p[7] != 1; }\n";
    let session = Session::new(&[
        ("one.cpp", &unit("one", "1, 2, 4", "sycl::range<3>(1, 2, 4)")),
        ("two.cpp", &unit("two", "4, 2, 1", "sycl::range<3>(4, 2, 1)")),
        ("main.cpp", main),
    ]);
    session.ok("aspen++ -fsycl-targets=native_cpu,spir64 -fsycl-dialect=dpcpp -c one.cpp && aspen++ -fsycl-targets=native_cpu,spir64 -c two.cpp main.cpp && aspen++ -fsycl-targets=native_cpu,spir64 one.o two.o main.o -o all && ./all");
    let json = session.json("aspen inspect all");
    let mut sizes: Vec<String> = json["images"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|image| format!("{} {}", image["target"], image["requirements"]["reqd_work_group_size"]))
        .collect();
    sizes.sort();
    assert_eq!(sizes, ["\"native_cpu\" [1,2,4]", "\"native_cpu\" [4,2,1]", "\"spir64\" [1,2,4]", "\"spir64\" [4,2,1]"]);
}

/// Numbers of aspects moved between releases of DPC++: in the module's own table each has its name, and that is what counts wherever its images
/// are read (docs/decisions/0036).
#[test]
fn numbers_of_a_modules_own_table_keep_their_meaning() {
    let text = "target triple = \"spir64-unknown-unknown\"\n\
        define spir_kernel void @k() #0 !sycl_used_aspects !0 { ret void }\n\
        attributes #0 = { \"sycl-module-id\"=\"one.cpp\" }\n\
        !0 = !{i32 28}\n!sycl_aspects = !{!1, !2}\n!1 = !{!\"atomic64\", i32 28}\n!2 = !{!\"fp64\", i32 6}\n";
    let session = Session::new(&[("in.ll", text)]);
    session.ok("aspen post-link -properties -symbols -S in.ll -o out.table");
    for file in ["in.ll", "out.table"] {
        let json = session.json(&format!("aspen inspect {file}"));
        assert_eq!(json["images"][0]["requirements"]["aspects"], serde_json::json!(["atomic64"]), "{file}");
    }
}
