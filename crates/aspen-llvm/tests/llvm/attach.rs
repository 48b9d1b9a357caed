//! What stands in the module after the analysis, in both dialects.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use aspen_analysis::analyse;
use aspen_llvm::{Context, Dialect, Facts, attach, prepare_for_spirv, summarise};

fn attached(ir: &str, facts: &str, dialect: Dialect) -> String {
    let context = Context::new();
    let module = context.parse("test.ll", ir.as_bytes()).unwrap();
    let facts = Facts::from_json(facts).unwrap();
    let summary = summarise(module.view(), &facts);
    attach(module.view(), &facts, &summary, &analyse(&summary), dialect);
    module.verify().unwrap();
    module.to_text()
}

/// The metadata of `@function`, with nodes spelled out, and named nodes by `!name`.
fn metadata(text: &str, subject: &str) -> String {
    let node = |reference: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("{reference} = "))).unwrap_or_else(|| panic!("{reference}\n{text}"));
        line.split_once(" = ").unwrap().1.to_owned()
    };
    fn spelled(line: &str, node: &dyn Fn(&str) -> String) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some(start) = rest.find('!') {
            let digits = rest[start + 1..].chars().take_while(char::is_ascii_digit).count();
            let end = start + 1 + digits;
            out += &rest[..start];
            out += &if digits > 0 { spelled(&node(&rest[start..end]), node) } else { rest[start..end].to_owned() };
            rest = &rest[end..];
        }
        out + rest
    }
    let line = if subject.starts_with('!') {
        text.lines().find(|line| line.starts_with(&format!("{subject} = ")))
    } else {
        text.lines().find(|line| (line.starts_with("define") || line.starts_with("declare")) && line.contains(&format!("@{subject}(")))
    };
    let Some(line) = line else { return "absent".into() };
    let from = line.find(") !").map_or(line.find(" = ").map_or(line.len(), |at| at + 3), |at| at + 2);
    spelled(line[from..].trim_end_matches(" {"), &node)
}

const IR: &str = r#"
    %struct.mark = type { i32 }
    define spir_kernel void @k() { call spir_func void @f()
      ret void }
    define spir_func void @f() !sycl_used_aspects !8 !intel_used_aspects !10 {
      %a = alloca %struct.mark
      fence acquire, !sycl_used_aspects !8
      ret void }
    define spir_func void @g() !sycl_declared_aspects !9 { ret void }
    define spir_func void @empty() !intel_declared_aspects !11 { ret void }
    define spir_func void @sized() !reqd_work_group_size !12 !work_group_num_dim !13 !intel_reqd_sub_group_size !13 { ret void }
    !sycl_aspects = !{!0}
    !sycl_types_that_use_aspects = !{!4}
    !0 = !{!"fp64", i32 6}
    !4 = !{!"struct.mark", i32 2}
    !8 = !{i32 103}
    !9 = !{!0, i32 1}
    !10 = !{i32 -1, i32 2}
    !11 = !{}
    !12 = !{i32 4, i32 2, i32 1}
    !13 = !{i32 2}
"#;

#[test]
fn seed_dialect_has_sorted_numbers() {
    let text = attached(IR, "{}", Dialect::Seed);
    assert_eq!(metadata(&text, "k"), "!intel_used_aspects !{i32 2, i32 103, i32 -1}");
    assert_eq!(metadata(&text, "f"), "!intel_used_aspects !{i32 2, i32 103, i32 -1}");
    assert_eq!(metadata(&text, "g"), "!intel_declared_aspects !{i32 1, i32 6}");
    assert_eq!(metadata(&text, "empty"), "!intel_declared_aspects !{}");
    let sizes = "!intel_reqd_sub_group_size !{i32 2} !reqd_work_group_size !{i32 2, i32 4} !work_group_num_dim !{i32 2}";
    let mut found: Vec<_> = metadata(&text, "sized").split('}').map(|part| part.trim().to_owned()).collect();
    found.sort();
    let mut wanted: Vec<_> = sizes.split('}').map(|part| part.trim().to_owned()).collect();
    wanted.sort();
    assert_eq!(found, wanted);
    assert_eq!(metadata(&text, "!intel_types_that_use_aspects"), r#"!{!{!"struct.mark", i32 2}}"#);
    assert!(!text.contains("sycl_"), "nothing of the other dialect stays: {text}");
}

#[test]
fn dpcpp_dialect_has_names_and_its_own_declared_aspects() {
    let text = attached(IR, "{}", Dialect::Dpcpp);
    assert_eq!(metadata(&text, "k"), r#"!sycl_used_aspects !{!{!"gpu", i32 2}, i32 103, i32 -1}"#);
    let mut found: Vec<_> = metadata(&text, "g").split(" !sycl").map(|part| part.trim_start_matches("!sycl").to_owned()).collect();
    found.sort();
    assert_eq!(
        found,
        [r#"_declared_aspects !{!{!"cpu", i32 1}, !{!"fp64", i32 6}}"#, r#"_used_aspects !{!{!"cpu", i32 1}, !{!"fp64", i32 6}}"#]
    );
    assert!(metadata(&text, "sized").contains("!reqd_work_group_size !{i32 4, i32 2, i32 1}"));
    assert!(!text.contains("intel_used") && !text.contains("intel_declared") && !text.contains("intel_types"));
    assert_eq!(metadata(&text, "!sycl_aspects"), r#"!{!{!"cpu", i32 1}, !{!"gpu", i32 2}, !{!"fp64", i32 6}}"#);
    // Reading it back gives the same again.
    assert_eq!(attached(&text, "{}", Dialect::Dpcpp), text);
}

#[test]
fn a_second_run_over_its_own_output_changes_nothing() {
    let text = attached(IR, "{}", Dialect::Seed);
    assert_eq!(attached(&text, "{}", Dialect::Seed), text);
    let text =
        attached(&format!("define void @both() !intel_declared_aspects !9 {{ call void @f()\n ret void }}{IR}"), "{}", Dialect::Seed);
    assert_eq!(attached(&text, "{}", Dialect::Seed), text);
}

#[test]
fn facts_reach_functions_types_and_kernels() {
    let ir = r"
        %class.h = type { half }
        define spir_kernel void @_ZTS1K() { call spir_func void @body()
          ret void }
        define spir_func void @body() { %a = alloca %class.h
          ret void }
    ";
    let facts = r#"{"types":[{"name":"class.h","aspects":[5]}],
        "functions":[{"symbol":"body","name":"body","declared":{"aspects":[6,5],"spelling":"sycl::device_has","place":null},
          "reqd_work_group_size":{"dims":[4294967296,2],"place":null}}],
        "kernels":[{"symbol":"_ZTS1K","name":"K","body":"body"}]}"#;
    let text = attached(ir, facts, Dialect::Seed);
    for function in ["_ZTS1K", "body"] {
        let found = metadata(&text, function);
        assert!(found.contains("!intel_declared_aspects !{i32 5, i32 6}"), "{found}");
        assert!(found.contains("!reqd_work_group_size !{i64 4294967296, i32 2}"), "{found}");
        assert!(found.contains("!intel_used_aspects !{i32 5}"), "{found}");
    }
    assert_eq!(metadata(&text, "!intel_types_that_use_aspects"), r#"!{!{!"class.h", i32 5}}"#);
}

#[test]
fn spir_v_wants_three_dimensions_fastest_first() {
    let context = Context::new();
    let ir = "define spir_kernel void @a() !reqd_work_group_size !0 { ret void }
        define spir_kernel void @b() !reqd_work_group_size !1 { ret void }
        define spir_kernel void @groups(ptr, ptr, ptr) !reqd_work_group_size !0 { ret void }
        define void @f(ptr, ptr, ptr) !reqd_work_group_size !0 { ret void }
        !0 = !{i32 2, i32 4, i32 8}
        !1 = !{i64 4294967296}";
    let module = context.parse("test.ll", ir.as_bytes()).unwrap();
    prepare_for_spirv(module.view());
    assert_eq!(metadata(&module.to_text(), "a"), "!reqd_work_group_size !{i32 8, i32 4, i32 2}");
    assert_eq!(metadata(&module.to_text(), "b"), "!reqd_work_group_size !{i32 -1, i32 1, i32 1}");
    // parallel_for_work_group runs one work-item a group.
    assert_eq!(metadata(&module.to_text(), "groups"), "");
    assert!(metadata(&module.to_text(), "f").starts_with("!reqd_work_group_size"));
    // The other dialect's are so already, also in an image of their own.
    let text = attached(
        "define void @f() !reqd_work_group_size !0 !work_group_num_dim !1 { ret void }\n!0 = !{i32 2, i32 4}\n!1 = !{i32 2}",
        "{}",
        Dialect::Dpcpp,
    );
    let image = context.parse("dpcpp.ll", text.as_bytes()).unwrap().clone_closure(&["f"]).unwrap();
    prepare_for_spirv(image.view());
    assert!(metadata(&image.to_text(), "f").contains("!reqd_work_group_size !{i32 4, i32 2, i32 1}"), "{}", image.to_text());
}

/// Source: ARCHITECTURE "Guarded code".
const GUARDED: &str = r#"
    %struct.mark = type { i32 }
    define spir_kernel void @k() { call spir_func void @has()
      call spir_func void @lacks()
      ret void }
    define spir_func void @has() !aspen_guard !0 { call spir_func void @f()
      ret void }
    define spir_func void @lacks() !aspen_guard !3 { call spir_func void @g()
      ret void }
    define spir_func void @f() { %a = alloca double
      ret void }
    define spir_func void @g() { %a = alloca %struct.mark
      ret void }
    define spir_func void @nothing() !aspen_guard !6 { ret void }
    !intel_types_that_use_aspects = !{!7}
    !0 = !{!1}
    !1 = !{i32 2, i32 5}
    !2 = !{}
    !3 = !{!2, !1, !4}
    !4 = !{i32 6}
    !6 = !{!2}
    !7 = !{!"struct.mark", i32 1}
"#;

#[test]
fn guards_stand_at_their_functions_and_keep_uses_from_callers() {
    for dialect in [Dialect::Seed, Dialect::Dpcpp] {
        let text = attached(GUARDED, "{}", dialect);
        assert_eq!(metadata(&text, "k"), "", "{text}");
        assert!(metadata(&text, "has").contains("!aspen_guard !{!{i32 2, i32 5}}"), "{text}");
        assert!(metadata(&text, "lacks").contains("!aspen_guard !{!{}, !{i32 2, i32 5}, !{i32 6}}"), "{text}");
        assert!(!metadata(&text, "nothing").contains("aspen_guard"), "a guard that says nothing is none: {text}");
        // A second run reads what the first one wrote.
        assert_eq!(attached(&text, "{}", dialect), text);
    }
    let facts = r#"{"functions":[{"symbol":"has","name":"has","glue":true,"guard":{"has":[6],"lacks":[[2],[5,9]]}}]}"#;
    let text = attached(GUARDED, facts, Dialect::Seed);
    assert!(metadata(&text, "has").contains("!aspen_guard !{!{i32 6}, !{i32 2}, !{i32 5, i32 9}}"), "{text}");
    let context = Context::new();
    let module = context.parse("test.ll", GUARDED.as_bytes()).unwrap();
    let summary = summarise(module.view(), &Facts::default());
    let (kernel, _) = summary.iter().next().unwrap();
    let needed = analyse(&summary).requirements(kernel);
    let shown: Vec<String> = needed.guarded.iter().map(|(guard, aspects)| format!("{guard}: {aspects:?}")).collect();
    assert!(needed.aspects.is_empty());
    assert_eq!(shown, ["where the device lacks gpu or fp16 and lacks fp64: {Aspect(1)}", "where the device has gpu and fp16: {Aspect(6)}"]);
}
