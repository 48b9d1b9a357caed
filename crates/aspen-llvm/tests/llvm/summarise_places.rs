//! Where uses and calls are said to stand: by debug information, and as the facts of the source have it. Lines are those of `summarise`.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use aspen_analysis::Summary;
use aspen_llvm::{Context, Facts, summarise};

use crate::summarise::{check, check_facts, render};

#[test]
fn without_facts_full_debug_info_places_variables() {
    check(
        &with_lines(
            r"
            define void @f(float %f) !dbg !110 {
              %d = alloca double
              #dbg_declare(ptr %d, !3, !DIExpression(), !2)
              %e = fpext float %f to double, !dbg !1
              ret void }
            ",
            r#"!1 = !DILocation(line: 5, column: 25, scope: !110)
             !2 = !DILocation(line: 5, column: 19, scope: !110)
             !3 = !DILocalVariable(name: "d", scope: !110, file: !102, line: 5, type: !4)
             !4 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)"#,
        ),
        "f: uses fp64@hw.cpp:5:19",
    );
}

/// Debug info of a function `f` in `hw.cpp`, with `!1` to `!4` to be used; `extra` follows.
fn with_lines(body: &str, extra: &str) -> String {
    format!(
        r#"{body}
        !llvm.dbg.cu = !{{!100}}
        !llvm.module.flags = !{{!101}}
        !100 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !102, emissionKind: LineTablesOnly)
        !101 = !{{i32 2, !"Debug Info Version", i32 3}}
        !102 = !DIFile(filename: "hw.cpp", directory: "dir")
        !103 = !DIFile(filename: "a.h", directory: "dir")
        !104 = !DISubroutineType(types: !105)
        !105 = !{{}}
        !110 = distinct !DISubprogram(name: "f", scope: !102, file: !102, line: 1, type: !104, unit: !100, spFlags: DISPFlagDefinition)
        !111 = !DILexicalBlockFile(scope: !110, file: !103, discriminator: 0)
        !112 = distinct !DISubprogram(name: "inlined", scope: !103, file: !103, line: 1, type: !104, unit: !100, spFlags: DISPFlagDefinition)
        {extra}"#
    )
}

#[test]
fn places_are_the_first_in_source_order_main_file_first() {
    check(
        &with_lines(
            r"
            declare void @late()
            declare void @early()
            declare void @twice()
            declare void @unplaced()
            define void @f(i32 %x, float %f) !dbg !110 {
              call void @unplaced()
              call void @late(), !dbg !1
              call void @twice(), !dbg !2
              %d = sitofp i32 %x to double, !dbg !2
              %e = fpext float %f to double, !dbg !3
              call void @early(), !dbg !3
              call void @twice(), !dbg !3
              %g = fpext float %f to double, !dbg !4
              %h = fpext float %f to double, !dbg !5
              ret void, !dbg !1
            }
            ",
            "!1 = !DILocation(line: 90, column: 1, scope: !110)
             !2 = !DILocation(line: 20, column: 9, scope: !110)
             !3 = !DILocation(line: 20, column: 3, scope: !110)
             !4 = !DILocation(line: 1, column: 1, scope: !111)
             !5 = !DILocation(line: 0, scope: !110)",
        ),
        "f: uses fp64@hw.cpp:20:3; calls early@hw.cpp:20:3; calls twice@hw.cpp:20:3; calls late@hw.cpp:90:1; calls unplaced",
    );
}

#[test]
fn inlined_code_stands_where_it_was_inlined_and_line_0_nowhere() {
    check(
        &with_lines(
            r"
            define void @f(i32 %x) !dbg !110 { %d = sitofp i32 %x to double, !dbg !1
              ret void }
            define void @g(i32 %x) { %d = sitofp i32 %x to double
              ret void }
            ",
            "!1 = !DILocation(line: 7, column: 7, scope: !112, inlinedAt: !2)
             !2 = distinct !DILocation(line: 30, column: 4, scope: !110)",
        ),
        "f: uses fp64@hw.cpp:30:4
         g: uses fp64",
    );
}

#[test]
fn variables_give_places_to_allocas_and_parameters() {
    let place = |line: u32, column: u32| format!(r#"{{"file":"shown/hw.cpp","line":{line},"column":{column}}}"#);
    check_facts(
        &with_lines(
            r"
            %class.h = type { half }
            define void @f(float %f, ptr byval(%class.h) %h) !dbg !110 {
              %d = alloca double
              %e = fpext float %f to double, !dbg !1
              store volatile double %e, ptr %d, !dbg !2
              ret void
            }
            define void @g() { %a = alloca float
              ret void }
            ",
            "!1 = !DILocation(line: 5, column: 25, scope: !110)
             !2 = !DILocation(line: 5, column: 21, scope: !110)",
        ),
        &format!(
            r#"{{"types":[{{"name":"class.h","aspects":[5]}}],"files":[{{"debug":"hw.cpp","shown":"shown/hw.cpp"}}],
            "functions":[
             {{"symbol":"f","name":"f","variables":[
               {{"type":"%\"class.h\"","place":{}}},{{"type":"i32","place":{}}},{{"type":"double","place":{}}},{{"type":"double","place":{}}}]}},
             {{"symbol":"g","name":"g","exported":true,"variables":[{{"type":"double","place":{}}}]}}]}}"#,
            place(4, 8),
            place(4, 1),
            place(5, 19),
            place(8, 1),
            place(9, 1),
        ),
        "f: uses fp16@shown/hw.cpp:4:8; uses fp64@shown/hw.cpp:5:19
         g: exported",
    );
}

#[test]
fn a_kernel_has_its_bodys_attributes_and_gives_it_its_name() {
    let ir = r"
        define weak_odr spir_kernel void @_ZTS1K() { call spir_func void @_ZNK3FooclEv()
          ret void }
        define linkonce_odr spir_func void @_ZNK3FooclEv() { ret void }
        define internal void @_ZTSZ4mainE1L() { ret void }
        define spir_kernel void @hand() { call spir_func void @_ZNK3FooclEv()
          ret void }
    ";
    let facts = r#"{"unit":"k.cpp","functions":[{"symbol":"_ZNK3FooclEv","name":"Foo::operator()",
        "declared":{"aspects":[5,2,5],"spelling":"sycl::requires","place":{"file":"k.cpp","line":1,"column":2}},
        "uses_attribute":[27],"reqd_work_group_size":{"dims":[2,4],"place":null},"reqd_sub_group_size":{"size":8,"place":null}}],
        "kernels":[{"symbol":"_ZTS1K","name":"ns::K","internal":false,"body":"_ZNK3FooclEv","closure_size":16,"layout":"18446744073709551615",
          "place":null},{"symbol":"_ZTSZ4mainE1L","name":"L","internal":true,"body":null,"closure_size":1,"layout":7}]}"#;
    check_facts(
        ir,
        facts,
        "_ZTS1K: odr; kernel ns::K of _ZNK3FooclEv; declares(gpu fp16)@k.cpp:1:2; wg 2x4; sg 8; calls _ZNK3FooclEv
         _ZNK3FooclEv: odr; declares(gpu fp16)@k.cpp:1:2; marked atomic64; wg 2x4; sg 8
         _ZTSZ4mainE1L: internal; kernel L of -
         hand: kernel hand of -; calls _ZNK3FooclEv",
    );
    let context = Context::new();
    let module = context.parse("k.ll", ir.as_bytes()).unwrap();
    let facts = Facts::from_json(facts).unwrap();
    assert_eq!(facts.kernels[0].layout, u64::MAX);
    let summary = summarise(module.view(), &facts);
    assert_eq!(summary.functions[1].name, "ns::K");
    assert_eq!(summary.functions[1].unit, "k.cpp");
    assert_eq!(Summary::from_bytes(&summary.to_bytes()).unwrap(), summary);
    // Without facts, the operator() that the entry calls is its body.
    let guessed = summarise(module.view(), &Facts::default());
    assert!(render(&guessed).starts_with("_ZTS1K: odr; kernel K of _ZNK3FooclEv; calls _ZNK3FooclEv\n"), "{}", render(&guessed));
}

/// The header's glue between an entry and the functor is no part of a chain. Source: DESIGN §7.15.
#[test]
fn bodies_of_entries_that_nobody_explains() {
    check(
        r"
        define weak_odr spir_kernel void @_ZTS1K() { call void @_ZN4sycl3runI1FEEvv()
          ret void }
        define linkonce_odr void @_ZN4sycl3runI1FEEvv() { call void @_ZN4sycl2idC1Ev()
          call void @_ZNK1FclEv()
          ret void }
        define linkonce_odr void @_ZN4sycl2idC1Ev() { ret void }
        define linkonce_odr void @_ZNK1FclEv() { call void @_ZNK1GclEv()
          ret void }
        define linkonce_odr void @_ZNK1GclEv() { ret void }
        define spir_kernel void @_ZTS4Two_() { call void @_ZNK1FclEv()
          call void @_ZNK1GclEv()
          ret void }
        define spir_kernel void @_ZTS4User() { call void @_Z4userv()
          ret void }
        define void @_Z4userv() { call void @_ZNK1FclEv()
          ret void }
        ",
        "_ZTS1K: odr; kernel K of _ZNK1FclEv; calls _ZN4sycl3runI1FEEvv
         _ZN4sycl3runI1FEEvv: odr; calls _ZN4sycl2idC1Ev; calls _ZNK1FclEv
         _ZN4sycl2idC1Ev: odr
         _ZNK1FclEv: odr; calls _ZNK1GclEv
         _ZNK1GclEv: odr
         _ZTS4Two_: kernel Two_ of -; calls _ZNK1FclEv; calls _ZNK1GclEv
         _ZTS4User: kernel User of -; calls _Z4userv
         _Z4userv: calls _ZNK1FclEv",
    );
}
