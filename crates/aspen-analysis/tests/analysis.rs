//! What the analysis says of small call graphs.

mod common;

use std::fmt::Write as _;

use aspen_analysis::summary::{Optimized, Role};
use aspen_analysis::{Analysis, CodeSplit, FuncId, Summary, analyse, link, split};
use aspen_contract::{Aspect, Step};
use common::summary;

fn steps(chain: &[Step]) -> String {
    let step = |step: &Step| {
        let place = step.place.as_ref().map_or(String::new(), |place| format!(" {}:{}", place.line, place.column));
        let remark = step.remark.as_ref().map_or(String::new(), |remark| format!(" {remark}"));
        format!("{}{place}{remark}", step.function)
    };
    chain.iter().map(step).collect::<Vec<_>>().join(" < ")
}

fn used(summary: &Summary, analysis: &Analysis) -> String {
    let mut out = String::new();
    for (id, function) in summary.iter() {
        let set: Vec<String> = analysis.used(id).iter().map(ToString::to_string).collect();
        if !set.is_empty() {
            writeln!(out, "{}: {}", function.symbol, set.join(" ")).expect("a string");
        }
    }
    out
}

fn findings(analysis: &Analysis) -> String {
    let mut out = String::new();
    for finding in analysis.findings() {
        let place = finding.place.as_ref().map_or("?".into(), |place| format!("{}:{}", place.line, place.column));
        writeln!(out, "{place} {} uses {}: {}", finding.function, finding.aspect, steps(&finding.chain)).expect("a string");
    }
    out
}

fn sources(summary: &Summary, analysis: &Analysis) -> String {
    let mut out = String::new();
    for (id, function) in summary.iter().filter(|(_, function)| matches!(function.role, Role::Kernel(_))) {
        for source in analysis.sources(id) {
            let how = if source.declared { "declared" } else { "used" };
            writeln!(out, "{}: {} {how}: {}", function.symbol, source.need, steps(&source.chain)).expect("a string");
        }
    }
    out
}

fn dedent(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

#[track_caller]
fn check(graph: &str, show: fn(&Summary, &Analysis) -> String, expected: &str) {
    let summary = summary(graph);
    assert_eq!(show(&summary, &analyse(&summary)), dedent(expected));
}

#[test]
fn what_callees_use_and_declare_is_used() {
    let graph = "
        caller call:elsewhere call:plain declares:fp16
        extern elsewhere declares:fp64
        extern plain
        marked attr:atomic64
        kernel k call:caller call:marked";
    check(graph, used, "caller: fp64\n marked: atomic64\n k: fp16 fp64 atomic64");
}

#[test]
fn cycles_share_what_they_reach() {
    let graph = "
        a call:mid
        mid declares:fp16 call:c
        c call:a call:below
        below call:deepest
        deepest use:fp64
        p call:q
        q call:p
        self attr:atomic64 call:self
        kernel kb call:mid
        kernel kp call:p";
    check(graph, used, "a: fp16 fp64\n mid: fp16 fp64\n c: fp16 fp64\n below: fp64\n deepest: fp64\n self: atomic64\n kb: fp16 fp64");
}

#[test]
fn a_kernel_does_not_use_what_it_declares_itself() {
    let graph = "
        kernel k body=op call:glue declares:fp16
        glue call:op
        op declares:fp16 use:fp64@3:4
        other call:op";
    check(graph, used, "k: fp64\n glue: fp64\n op: fp64\n other: fp16 fp64");
}

#[test]
fn warning_names_the_use_and_the_shortest_chain() {
    let graph = "
        top declares:@6:3 call:far1@7:3 call:zeta@8:3 call:alfa@9:3
        far1 call:far2@5:1
        far2 call:zeta@4:1
        zeta call:leaf@3:15
        alfa call:leaf@3:40
        leaf use:fp64@2:53
        kernel k body=op call:op
        op call:top@12:1";
    check(graph, |_, analysis| findings(analysis), "2:53 top uses fp64: top < zeta 8:3 < leaf 3:15");
}

#[test]
fn need_from_an_attribute_is_used_at_the_call() {
    let graph = "
        caller declares:fp16@4:3 call:elsewhere@4:69
        extern elsewhere declares:fp64@2:3
        outer declares:@9:1 call:inner@10:1
        inner call:marked@11:5
        marked attr:atomic64 use:atomic64@12:1";
    check(
        graph,
        |_, analysis| findings(analysis),
        "4:69 caller uses fp64: caller < elsewhere 4:69
         11:5 outer uses atomic64: outer < inner 10:1 < marked 11:5",
    );
}

#[test]
fn entry_never_warns_but_its_body_does() {
    let graph = "
        kernel k body=op declares:fp16@1:1 call:op
        op declares:fp16@1:1 use:fp64@2:2";
    check(graph, |_, analysis| findings(analysis), "2:2 op uses fp64: op");
}

#[test]
fn sources_prefer_a_use_over_a_declaration() {
    let graph = "
        kernel k body=op call:glue declares:accelerator@16:57 sg:64@16:30
        glue call:op
        op declares:accelerator@16:57 call:bar@17:20 call:promise@18:1
        bar call:boo@9:30
        boo use:fp64@6:19
        promise declares:fp64,gpu@3:3
        kernel plain body=op2 call:op2 wg:2x4@30:1
        op2";
    check(
        graph,
        sources,
        "k: aspect gpu declared: promise 3:3 < k 18:1
         k: aspect accelerator declared: k 16:57
         k: aspect fp64 used: boo 6:19 < bar 9:30 < k 17:20
         k: sub-group size 64 declared: k 16:30
         plain: work-group size 2x4 declared: plain 30:1",
    );
}

/// Source: DESIGN §7.5, §7.6; the issue of `aspen explain`.
#[test]
fn chains_say_what_a_place_does_not() {
    let graph = "
        kernel k body=op call:op
        op call:middle/3@9:1 call:elsewhere@10:1 call:promise@11:1 call:shown@12:1
        middle call:leaf@8:1 declares:@7:1
        leaf use:fp64@6:1
        other call:leaf
        extern elsewhere exported attr:fp16
        extern promise exported declares:gpu@3:3
        shown use:image~printf@4:4
        pointer declares:@20:1 call:leaf/1@20:5";
    check(
        graph,
        sources,
        "k: aspect gpu declared: promise 3:3 which is defined in another object or image < k 11:1
         k: aspect fp16 used: elsewhere 10:1 which is defined in another object or image < k 10:1
         k: aspect fp64 used: leaf 6:1 < middle 8:1 < k 9:1 through a function pointer (one of 3 targets)
         k: aspect image used: shown 4:4 a float becomes double in the call of 'printf', which is variadic < k 12:1",
    );
    // A warning says what the call does not show, too.
    check(
        graph,
        |_, analysis| findings(analysis),
        "6:1 middle uses fp64: middle < leaf 8:1
         6:1 pointer uses fp64: pointer < leaf 20:5 through a function pointer (the only target)",
    );
}

#[test]
fn images_split_by_what_entry_points_need() {
    let graph = "
        kernel a
        kernel b use:fp64
        kernel c declares:fp64
        kernel d wg:2x4x8
        kernel e wg:8x4x2
        kernel f wg:2x4x8
        kernel g sg:8
        kernel h unit=other.cpp
        x exported use:fp64
        extern y exported
        plain use:fp16";
    let summary = summary(graph);
    let analysis = analyse(&summary);
    let groups = |mode| {
        let name = |id: &aspen_analysis::FuncId| summary.function(*id).symbol.clone();
        split(&summary, &analysis, mode)
            .iter()
            .map(|image| image.entries.iter().map(name).collect::<String>())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(groups(CodeSplit::Off), "ah bcx df e g");
    assert_eq!(groups(CodeSplit::PerSource), "a bcx df e g h");
    assert_eq!(groups(CodeSplit::PerKernel), "a b c d e f g h x");
}

/// What is exported comes after, wherever it stands. Source: DESIGN §7.11.
#[test]
fn images_come_in_the_order_of_their_kernels() {
    let graph = "
        x exported use:fp64
        y exported use:fp16
        kernel a
        kernel b use:fp64
        kernel c use:fp16
        z exported use:fp16 use:fp64";
    let summary = summary(graph);
    let name = |id: &aspen_analysis::FuncId| summary.function(*id).symbol.clone();
    let images = split(&summary, &analyse(&summary), CodeSplit::PerSource);
    let images: Vec<String> = images.iter().map(|image| image.entries.iter().map(name).collect()).collect();
    assert_eq!(images, ["a", "xb", "yc", "z"]);
}

/// By closure, also through functions defined here, on cycles and through pointers; what nobody may provide is no import.
/// Source: DESIGN §7.11.
#[test]
fn images_split_by_what_entry_points_import() {
    let graph = "
        kernel a call:plain
        kernel b call:dbl
        kernel c call:through
        kernel d call:plain call:dbl
        kernel e call:one
        kernel f call:plain/2 call:dbl/2
        kernel g call:lost
        kernel h use:fp64 call:dbl
        kernel i call:plain unit=other.cpp
        x exported call:two
        through call:dbl call:through
        one call:two
        two call:one call:deep
        deep call:plain
        extern plain exported
        extern dbl exported
        extern lost";
    let summary = summary(graph);
    let analysis = analyse(&summary);
    let groups = |mode| {
        let name = |id: &aspen_analysis::FuncId| summary.function(*id).symbol.clone();
        let image = |image: &aspen_analysis::ImagePlan| {
            let imports: Vec<&str> = image.imports.iter().map(String::as_str).collect();
            format!("{}<{}", image.entries.iter().map(name).collect::<String>(), imports.join("+"))
        };
        split(&summary, &analysis, mode).iter().map(image).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(groups(CodeSplit::Off), "aeix<plain bc<dbl df<dbl+plain g< h<dbl");
    assert_eq!(groups(CodeSplit::PerSource), "aex<plain bc<dbl df<dbl+plain g< h<dbl i<plain");
}

/// Source: DESIGN §7.12.
#[test]
fn optimised_code_needs_fp64_only_where_double_is_left() {
    let graph = "
        kernel gone use:fp64@1:1 optimized:
        kernel stays use:fp64@2:1 use:fp16@2:2 optimized:double
        kernel across call:defined@3:1 optimized:defined
        kernel across_gone call:light@4:1 optimized:light
        kernel mixed call:source@5:1 optimized:source
        kernel not_asked use:fp64@6:1
        kernel attribute call:marked@7:1 optimized:
        kernel declares use:fp64 declares:fp64@8:1 optimized:
        defined exported use:fp64@9:1 optimized:double
        light exported use:fp64@10:1 optimized:
        source exported use:fp64@11:1
        extern marked attr:fp64";
    let summary = summary(graph);
    let analysis = analyse(&summary);
    let needs = |index: usize| -> String {
        let all: Vec<String> = analysis.requirements(FuncId::from_index(index)).needs().map(|need| need.to_string()).collect();
        all.join(", ")
    };
    let all: Vec<String> = (0..8).map(needs).collect();
    let fp64 = "aspect fp64";
    assert_eq!(all, ["", "aspect fp16, aspect fp64", fp64, "", fp64, fp64, fp64, fp64]);
    // The source's reason stays, so that it can be told what is gone.
    let gone = &analysis.sources(FuncId::from_index(3))[0];
    assert_eq!((gone.need.to_string(), gone.chain[0].function.as_str()), (fp64.to_owned(), "light"));
    assert!(analysis.used(FuncId::from_index(0)).contains(&Aspect::FP64), "metadata and warnings are the source's");
}

#[test]
fn what_optimisation_left_is_read_off_the_optimised_module() {
    let mut before = summary(
        "kernel a call:f@1:1 call:g@1:2
         kernel b use:fp64@2:1
         f use:fp64@3:1
         extern g exported
         kernel inlined_away use:fp64",
    );
    let after = summary(
        "extern g exported attr:fp64
         kernel b attr:fp64 declares:fp64
         kernel a call:g
         unrelated use:fp64",
    );
    before.note_optimized(&after);
    let optimized: Vec<_> = before.functions.iter().map(|function| function.optimized.clone()).collect();
    let left = |reaches: &[usize]| {
        Some(Optimized { double: false, indirect: Vec::new(), reaches: reaches.iter().map(|&index| FuncId::from_index(index)).collect() })
    };
    assert_eq!(optimized, [left(&[3]), left(&[]), None, None, None]);
    // The units' ids change when they are linked.
    let unit = |object: &'static str, summary| link::Unit { object, tag: "0123456789abcdef", summary };
    let first = summary("extern z");
    let linked = link::link(&[unit("z.o", &first), unit("a.o", &before)]).expect("no clash");
    assert_eq!(linked.summary.functions[1].optimized, left(&[4]));
    assert_eq!(aspen_analysis::Summary::from_bytes(&linked.summary.to_bytes()), Ok(linked.summary));
}

/// Source: FORMATS §3.1, §3.6.
#[test]
fn excluded_aspects_are_neither_used_nor_lost() {
    let graph = summary(
        "kernel k call:caller use:fp16
         caller call:leaf call:promise call:marked
         leaf use:fp64 use:fp16
         promise declares:fp64
         marked attr:gpu,fp64
         other call:leaf",
    );
    let mut analysis = analyse(&graph);
    analysis.exclude(&graph, &[Aspect::FP64, Aspect::from_number(2)].into_iter().collect());
    // What an attribute says stays where it stands, what is declared is never excluded, what is required is as before.
    assert_eq!(used(&graph, &analysis), "k: fp16 fp64\ncaller: fp16 fp64\nleaf: fp16\nmarked: gpu fp64\nother: fp16\n");
    assert_eq!(analysis.requirements(FuncId::from_index(0)).needs().count(), 3);
}

/// Source: DESIGN §3 "so a second run over its own output prints the same", §7.15.
#[test]
fn attributes_of_an_earlier_run_explain_nothing() {
    let graph = summary(
        "kernel k body=op call:op attr:fp64,gpu
         op declares:gpu call:leaf attr:fp64,fp16
         leaf use:fp64 attr:fp64
         caller call:op attr:gpu
         extern far attr:fp64",
    );
    let left = graph.without_propagated_attributes();
    let attributes = |index: usize| -> String {
        left.functions[index].uses_attribute.iter().map(|aspect| format!("{aspect} ")).collect::<String>().trim_end().to_owned()
    };
    // A kernel does not use what its own body declares: that it says so is its own word.
    assert_eq!((0..5).map(attributes).collect::<Vec<_>>(), ["gpu", "fp16", "", "", "fp64"]);
}

/// A unit that was not asked counts as in the source, and there only with what it uses.
#[test]
fn optimised_kernels_that_reach_units_compiled_without_the_option() {
    let graph = summary(
        "kernel light call:plain@1:1 use:fp64@1:2 optimized:plain
         kernel heavy call:dbl@2:1 use:fp64@2:2 optimized:dbl
         plain exported use:fp16@3:1
         dbl exported use:fp64@4:1",
    );
    let analysis = analyse(&graph);
    let needs = |index| analysis.requirements(FuncId::from_index(index)).needs().map(|need| need.to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!([needs(0), needs(1)], ["aspect fp16", "aspect fp64"]);
}
