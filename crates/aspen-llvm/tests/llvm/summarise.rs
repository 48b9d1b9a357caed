//! What counts as a use or a call, and where: hand-written IR → a few lines of text.
//!
//! A line a function: `symbol [linkage role]: uses aspect@place …; calls symbol@place …`. Declarations without either are left out.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use aspen_analysis::Summary;
use aspen_analysis::summary::{Linkage, Role};
use aspen_contract::Place;
use aspen_llvm::{Context, Facts, summarise};

fn at(place: Option<&Place>) -> String {
    place.map_or(String::new(), |place| format!("@{place}"))
}

pub fn render(summary: &Summary) -> String {
    let mut out = String::new();
    for (_, function) in summary.iter() {
        let mut parts: Vec<String> = Vec::new();
        match function.linkage {
            Linkage::External => {}
            Linkage::OneDefinitionRule => parts.push("odr".into()),
            Linkage::Internal => parts.push("internal".into()),
        }
        match &function.role {
            Role::Plain => {}
            Role::Exported => parts.push("exported".into()),
            Role::Kernel(kernel) => {
                let body = kernel.body.map_or("-", |body| &summary.function(body).symbol);
                parts.push(format!("kernel {} of {body}", kernel.name));
            }
        }
        if let Some(declared) = &function.declared {
            let aspects: Vec<_> = declared.aspects.iter().map(ToString::to_string).collect();
            parts.push(format!("declares({}){}", aspects.join(" "), at(declared.place.as_ref())));
        }
        for aspect in &function.uses_attribute {
            parts.push(format!("marked {aspect}"));
        }
        if let Some((size, _)) = &function.reqd_work_group_size {
            parts.push(format!("wg {size}"));
        }
        if let Some((size, _)) = &function.reqd_sub_group_size {
            parts.push(format!("sg {size}"));
        }
        parts.extend(function.uses.iter().map(|used| {
            let promoted = used.promoted_for.as_ref().map_or(String::new(), |callee| format!(" for {callee}"));
            format!("uses {}{}{promoted}", used.aspect, at(used.place.as_ref()))
        }));
        for call in &function.calls {
            let one_of = call.one_of.map_or(String::new(), |count| format!("/{count}"));
            parts.push(format!("calls {}{}{one_of}", summary.function(call.callee).symbol, at(call.place.as_ref())));
        }
        if !parts.is_empty() {
            out += &format!("{}: {}\n", function.symbol, parts.join("; "));
        }
    }
    out
}

#[track_caller]
pub fn check_facts(ir: &str, facts: &str, expected: &str) {
    let context = Context::new();
    let module = context.parse("test.ll", ir.as_bytes()).unwrap();
    let facts = Facts::from_json(facts).unwrap();
    let expected: String = expected.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect();
    assert_eq!(render(&summarise(module.view(), &facts)), expected);
}

#[track_caller]
pub fn check(ir: &str, expected: &str) {
    check_facts(ir, "{}", expected);
}

/// `%struct.mark` needs gpu (2), `%"class.h"` fp16 (5).
const TYPES: &str = r#"{"types":[{"name":"struct.mark","aspects":[2]},{"name":"class.h","aspects":[5]}]}"#;

#[test]
fn double_counts_in_every_position() {
    check(
        r"
        %s = type { i32, [2 x <4 x double>] }
        @g = external addrspace(1) global double
        define void @ret(i32 %x) { %d = sitofp i32 %x to double
          ret void }
        define void @operand(ptr %p) { store double 1.0, ptr %p
          ret void }
        define double @returns() { unreachable }
        define void @parameter(double %d) { ret void }
        define void @allocated() { %a = alloca %s
          ret void }
        define void @loads(ptr %p) { %x = load <2 x double>, ptr %p
          ret void }
        define void @addresses(ptr %p) { %x = getelementptr %s, ptr %p, i64 0, i32 0
          ret void }
        define void @global() { %x = load i32, ptr addrspace(1) @g
          ret void }
        define void @expression(ptr %p) { store ptr addrspace(1) getelementptr (%s, ptr addrspace(1) null, i64 1, i32 0), ptr %p
          ret void }
        define void @compares(double %a) { ret void }
        define void @byval(ptr byval(%s) %p) { ret void }
        define void @sret(ptr sret(double) %p) { ret void }
        ",
        "ret: uses fp64
         operand: uses fp64
         returns: uses fp64
         parameter: uses fp64
         allocated: uses fp64
         loads: uses fp64
         addresses: uses fp64
         global: uses fp64
         expression: uses fp64
         compares: uses fp64
         byval: uses fp64
         sret: uses fp64",
    );
}

/// Source: issue "says so when a float was promoted to double by a variadic call"; C++ [expr.call].
#[test]
fn floats_that_only_a_variadic_call_makes_double() {
    check(
        r"
        declare i32 @printf(ptr, ...)
        declare i32 @_ZN2ns5printEPKcz(ptr, ...)
        declare void @fixed(double)
        declare void @mixed(double, ...)
        define void @promoted(float %f, ptr %s) { %d = fpext float %f to double
          %x = call i32 (ptr, ...) @printf(ptr %s, double %d)
          ret void }
        define void @twice(float %f, ptr %s) { %d = fpext float %f to double
          %x = call i32 (ptr, ...) @_ZN2ns5printEPKcz(ptr %s, i32 1, double %d)
          %y = call i32 (ptr, ...) @printf(ptr %s, double %d, double %d)
          ret void }
        define void @own(double %d, ptr %s) { %x = call i32 (ptr, ...) @printf(ptr %s, double %d)
          ret void }
        define void @also_stored(float %f, ptr %s) { %d = fpext float %f to double
          store double %d, ptr %s
          %x = call i32 (ptr, ...) @printf(ptr %s, double %d)
          ret void }
        define void @another_too(float %f, double %e, ptr %s) { %d = fpext float %f to double
          %x = call i32 (ptr, ...) @printf(ptr %s, double %d, double %e)
          ret void }
        define void @to_a_parameter(float %f) { %d = fpext float %f to double
          call void @fixed(double %d)
          ret void }
        define void @parameter_before_the_dots(float %f) { %d = fpext float %f to double
          call void (double, ...) @mixed(double %d)
          ret void }
        define void @from_half(half %h, ptr %s) { %d = fpext half %h to double
          %x = call i32 (ptr, ...) @printf(ptr %s, double %d)
          ret void }
        define void @through_a_pointer(float %f, ptr %p) { %d = fpext float %f to double
          %x = call i32 (ptr, ...) %p(ptr %p, double %d)
          ret void }
        ",
        "fixed: uses fp64
         mixed: uses fp64
         promoted: uses fp64 for printf; calls printf
         twice: uses fp64 for ns::print; calls _ZN2ns5printEPKcz; calls printf
         own: uses fp64; calls printf
         also_stored: uses fp64; calls printf
         another_too: uses fp64; calls printf
         to_a_parameter: uses fp64; calls fixed
         parameter_before_the_dots: uses fp64; calls mixed
         from_half: uses fp64; calls printf
         through_a_pointer: uses fp64",
    );
}

#[test]
fn near_misses_do_not_count() {
    check_facts(
        r"
        %s = type { ptr, ptr addrspace(4) }
        %class.h2 = type { half }
        @table = internal constant [1 x ptr] [ptr @takes]
        define internal void @takes(double %d) { ret void }
        define void @pointer(ptr %p) { %a = alloca %s
          %x = load ptr, ptr %p
          ret void }
        define half @half(half %h) { %a = alloca %class.h2
          %r = fadd half %h, %h
          ret half %r }
        define void @address_only(ptr %p) { store ptr @takes, ptr %p
          ret void }
        define void @float(float %f) { %x = alloca x86_fp80
          ret void }
        ",
        TYPES,
        "takes: internal; uses fp64",
    );
}

#[test]
fn marked_structs_count_at_any_nesting_and_as_base() {
    check_facts(
        r"
        %class.h = type { half }
        %class.h.base = type { half }
        %outer = type { i32, [3 x %class.h] }
        %derived = type { %class.h.base, i8 }
        define void @direct() { %a = alloca %class.h
          ret void }
        define void @nested() { %a = alloca %outer
          ret void }
        define void @literal() { %a = alloca { i8, %class.h }
          ret void }
        define void @base() { %a = alloca %derived
          ret void }
        define void @member(ptr %p) { %m = getelementptr %outer, ptr %p, i64 0, i32 0
          ret void }
        ",
        TYPES,
        "direct: uses fp16
         nested: uses fp16
         literal: uses fp16
         base: uses fp16
         member: uses fp16",
    );
}

#[test]
fn calls_bring_the_callees_signature_and_its_typed_pointers() {
    check_facts(
        r"
        %struct.mark = type { i32 }
        declare double @returns(i32)
        declare void @by_value(ptr byval(%struct.mark))
        declare void @variadic(...)
        declare double @llvm.sqrt.f64(double)
        define void @a() { %x = call double @returns(i32 1)
          ret void }
        define void @b(ptr %p) { call void @by_value(ptr byval(%struct.mark) %p)
          ret void }
        define void @c() { call void (...) @variadic(double 1.0)
          ret void }
        define void @d() { %x = call double @llvm.sqrt.f64(double 2.0)
          ret void }
        define void @e(ptr %f) { %x = call double %f(i32 1)
          ret void }
        ",
        TYPES,
        "returns: uses fp64
         by_value: uses gpu
         a: uses fp64; calls returns
         b: uses gpu; calls by_value
         c: uses fp64; calls variadic
         d: uses fp64
         e: uses fp64",
    );
}

#[test]
fn metadata_of_both_dialects_stands_in_for_facts() {
    check(
        r#"
        %struct.mark = type { i32 }
        define spir_kernel void @_ZTS1K() !sycl_declared_aspects !1 !reqd_work_group_size !4 !work_group_num_dim !5 !intel_reqd_sub_group_size !6 {
          call void @f()
          ret void }
        define void @f() #0 !sycl_used_aspects !2 {
          %a = alloca %struct.mark
          ret void }
        define void @g() { fence acquire, !sycl_used_aspects !2
          ret void }
        define linkonce_odr void @_ZN2ns3fooIdEEvT_(float %x) { ret void }
        attributes #0 = { "sycl-module-id"="one.cpp" }
        !sycl_aspects = !{!0}
        !sycl_types_that_use_aspects = !{!3}
        !0 = !{!"fp64", i32 6}
        !1 = !{!0, i32 1}
        !2 = !{i32 103}
        !3 = !{!"struct.mark", i32 2}
        !4 = !{i32 4, i32 2, i32 1}
        !5 = !{i32 2}
        !6 = !{i32 8}
        "#,
        "_ZTS1K: kernel K of -; declares(cpu fp64); wg 2x4; sg 8; calls f
         f: exported; marked #103; uses gpu
         g: uses #103
         _ZN2ns3fooIdEEvT_: odr",
    );
}

#[test]
fn names_are_demangled_without_parameters_and_plain_ones_stay() {
    let context = Context::new();
    let ir = "define void @c() { ret void }\ndefine void @_ZN2ns3fooIdEEvT_(float %x) { ret void }
        define void @_ZN1AC1Ev() { ret void }\ndefine void @_Zbroken() { ret void }\ndefine spir_kernel void @_ZTSN2ns1KE() { ret void }";
    let module = context.parse("names.ll", ir.as_bytes()).unwrap();
    let names: Vec<String> = summarise(module.view(), &Facts::default()).functions.into_iter().map(|function| function.name).collect();
    assert_eq!(names, ["c", "ns::foo<double>", "A::A", "_Zbroken", "ns::K"]);
}

#[test]
fn seed_work_group_sizes_are_in_the_attributes_order() {
    check(
        r"
        define spir_kernel void @k() !reqd_work_group_size !0 !work_group_num_dim !1 !intel_declared_aspects !2 { ret void }
        !0 = !{i32 2, i32 4}
        !1 = !{i32 2}
        !2 = !{}
        ",
        "k: kernel k of -; declares(); wg 2x4",
    );
}

#[test]
fn indirect_calls_reach_functions_of_the_type_whose_address_is_taken() {
    check(
        r#"
        @table = internal constant [2 x ptr] [ptr @b, ptr @a]
        @llvm.used = appending global [1 x ptr] [ptr @only_kept], section "llvm.metadata"
        define internal i32 @a(i32 %x) { ret i32 %x }
        define internal i32 @b(i32 %x) { ret i32 %x }
        define internal i32 @never_taken(i32 %x) { ret i32 %x }
        define internal i32 @only_kept(i32 %x) { ret i32 %x }
        define internal i32 @other_type(i64 %x) { ret i32 0 }
        define spir_kernel void @kernel(i32 %x) { ret void }
        define void @caller(ptr %f, ptr %q) {
          store ptr @other_type, ptr %q
          store ptr @kernel, ptr %q
          %1 = call i32 %f(i32 1)
          %2 = call i32 @never_taken(i32 1)
          call void %f(i32 1)
          ret void }
        define void @listed(ptr %f) {
          %1 = call i32 %f(i32 1), !callees !0
          call void asm sideeffect "", ""()
          ret void }
        define void @through_alias() {
          %1 = call i32 @named(i32 1)
          ret void }
        @named = internal alias i32 (i32), ptr @a
        !0 = !{ptr @never_taken}
        "#,
        "a: internal
         b: internal
         never_taken: internal
         only_kept: internal
         other_type: internal
         kernel: kernel kernel of -
         caller: calls a/2; calls b/2; calls never_taken
         listed: calls never_taken/1
         through_alias: calls a",
    );
}

#[test]
fn virtual_calls_reach_their_slot_only() {
    let ir = |table: &str| {
        format!(
            r"
        @_ZTV1A = linkonce_odr addrspace(1) constant {{ [4 x ptr] }} {{ [4 x ptr] [ptr null, ptr null, ptr @a0, ptr @a1] }}
        @_ZTV1B = linkonce_odr addrspace(1) constant {{ [4 x ptr], [5 x ptr] }} {{
          [4 x ptr] [ptr null, ptr null, ptr @b0, ptr @b1],
          [5 x ptr] [ptr inttoptr (i64 8 to ptr), ptr null, ptr null, ptr @other, ptr @b1] }}
        {table}
        define linkonce_odr void @a0(ptr %this) {{ ret void }}
        define linkonce_odr void @a1(ptr %this) {{ ret void }}
        define linkonce_odr void @b0(ptr %this) {{ ret void }}
        define linkonce_odr void @b1(ptr %this) {{ ret void }}
        define linkonce_odr void @other(ptr %this) {{ ret void }}
        define internal void @plain(ptr %p) {{ ret void }}
        define void @virtual(ptr %object) {{
          %table = load ptr, ptr %object
          %entry = getelementptr inbounds ptr, ptr %table, i64 1
          %f = load ptr, ptr %entry
          call void %f(ptr %object)
          ret void }}
        define void @array(ptr %fs, ptr %object) {{
          %entry = getelementptr inbounds ptr, ptr %fs, i64 1
          %f = load ptr, ptr %entry
          call void %f(ptr %object)
          ret void }}"
        )
    };
    check(
        &ir(""),
        "a0: odr
         a1: odr
         b0: odr
         b1: odr
         other: odr
         plain: internal
         virtual: calls a1/3; calls b1/3; calls other/3
         array: calls a0/5; calls a1/5; calls b0/5; calls b1/5; calls other/5",
    );
    check(
        &ir("@table = internal constant [1 x ptr] [ptr @plain]"),
        "a0: odr
         a1: odr
         b0: odr
         b1: odr
         other: odr
         plain: internal
         virtual: calls a1/4; calls b1/4; calls other/4; calls plain/4
         array: calls a0/6; calls a1/6; calls b0/6; calls b1/6; calls other/6; calls plain/6",
    );
}

/// As the plugin says it of its modules: of which class a virtual call's object is, and where tables of classes begin.
#[test]
fn virtual_calls_reach_the_tables_of_their_class_only() {
    let call = |object: &str, class: &str| {
        format!(
            "define void @{object}(ptr %object) {{
          %table = load ptr, ptr %object
          %entry = getelementptr inbounds ptr, ptr %table, i64 1
          %f = load ptr, ptr %entry
          call void %f(ptr %object){class}
          ret void }}
        "
        )
    };
    let calls = [("a", ", !aspen.class !0"), ("b", ", !aspen.class !1"), ("c", ", !aspen.class !2"), ("unknown", "")];
    check(
        &(r#"
        @_ZTV1A = linkonce_odr addrspace(1) constant { [4 x ptr] } { [4 x ptr] [ptr null, ptr null, ptr @a0, ptr @a1] }, !aspen.class !3
        ; Class B is an A, and has a table of its own that begins behind an offset of a virtual base.
        @_ZTV1B = linkonce_odr addrspace(1) constant { [4 x ptr], [5 x ptr] } {
          [4 x ptr] [ptr null, ptr null, ptr @b0, ptr @b1],
          [5 x ptr] [ptr inttoptr (i64 8 to ptr), ptr null, ptr null, ptr @other0, ptr @other1] }, !aspen.class !4
        @_ZTV1C = linkonce_odr addrspace(1) constant { [4 x ptr] } { [4 x ptr] [ptr null, ptr null, ptr @a0, ptr @c1] }
        define linkonce_odr void @a0(ptr %this) { ret void }
        define linkonce_odr void @a1(ptr %this) { ret void }
        define linkonce_odr void @b0(ptr %this) { ret void }
        define linkonce_odr void @b1(ptr %this) { ret void }
        define linkonce_odr void @other0(ptr %this) { ret void }
        define linkonce_odr void @other1(ptr %this) { ret void }
        define linkonce_odr void @c1(ptr %this) { ret void }
        @taken = internal constant [1 x ptr] [ptr @b0]
        !0 = !{!"_ZTS1A"}
        !1 = !{!"_ZTS1B"}
        !2 = !{!"_ZTS5Other"}
        !3 = !{!5}
        !4 = !{!5, !6, !7}
        !5 = !{i64 2, !"_ZTS1A"}
        !6 = !{i64 2, !"_ZTS1B"}
        !7 = !{i64 7, !"_ZTS5Other"}
        "#
        .to_owned()
            + &calls.map(|(object, class)| call(object, class)).concat()),
        "a0: odr
         a1: odr
         b0: odr
         b1: odr
         other0: odr
         other1: odr
         c1: odr
         a: calls a1/3; calls b1/3; calls c1/3
         b: calls b1/2; calls c1/2
         c: calls other1/2; calls c1/2
         unknown: calls a1/5; calls b0/5; calls b1/5; calls other1/5; calls c1/5",
    );
}
