//! Guarded code: what `if_device_has` bodies use is needed where the guard holds, and nowhere else. Source: DESIGN §7.8.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use aspen_analysis::split::{CodeSplit, split};
use aspen_analysis::{Analysis, Summary, analyse};
use aspen_contract::{Aspect, AspectSet, Capabilities, Guard, Verdict, check};
use common::summary;
use proptest::prelude::*;

fn shown(guards: &BTreeMap<Guard, AspectSet>) -> String {
    let names = |aspects: &AspectSet| aspects.iter().map(Aspect::to_string).collect::<Vec<_>>().join("+");
    let shown = guards.iter().map(|(guard, needs)| format!("{guard}: {}", if needs.is_empty() { "nothing".into() } else { names(needs) }));
    shown.collect::<Vec<_>>().join("; ")
}

/// Each kernel: what it needs anyway | what under guards | all guards.
fn needs(summary: &Summary, analysis: &Analysis) -> String {
    let kernels = summary.iter().filter(|(_, function)| function.symbol.starts_with('k'));
    let line = |(id, function): (aspen_analysis::FuncId, &aspen_analysis::summary::Function)| {
        let needed = analysis.requirements(id);
        let always: Vec<String> = needed.aspects.iter().map(Aspect::to_string).collect();
        format!("{}: {} | {} | {}", function.symbol, always.join("+"), shown(&needed.guarded), shown(&analysis.guards(id)))
    };
    kernels.map(line).collect::<Vec<_>>().join("\n")
}

fn check_needs(graph: &str, expected: &str) {
    let summary = summary(graph);
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(needs(&summary, &analyse(&summary)), expected.join("\n"), "{graph}");
}

#[test]
fn bodies_count_where_their_guard_holds() {
    // The guard's own aspect is no need; what the body needs besides is one under the guard.
    check_needs(
        "kernel k call:has\n has guard:gpu call:body\n body use:gpu use:fp64",
        "k:  | where the device has gpu: fp64 | where the device has gpu: fp64",
    );
    check_needs("kernel k call:has\n has guard:fp64 call:body\n body use:fp64", "k:  |  | where the device has fp64: nothing");
    // What the kernel needs anyway is no need of a guard, used or declared.
    check_needs(
        "kernel k call:has call:f declares:fp16\n f use:fp64\n has guard:gpu call:body\n body use:fp64 use:fp16 use:image",
        "k: fp16+fp64 | where the device has gpu: image | where the device has gpu: image",
    );
    // What a body declares, and what it calls, stands under the guard too.
    check_needs(
        "kernel k call:has\n has guard:gpu call:body\n body declares:fp64 call:g\n g use:image",
        "k:  | where the device has gpu: fp64+image | where the device has gpu: fp64+image",
    );
    // A clause after another one.
    check_needs(
        "kernel k call:has call:lacks\n has guard:gpu call:f\n lacks guard:!gpu call:g\n f use:fp64\n g use:image",
        "k:  | where the device lacks gpu: image; where the device has gpu: fp64 | where the device lacks gpu: image; where the device has gpu: fp64",
    );
}

#[test]
fn guards_inside_guards() {
    check_needs(
        "kernel k call:outer\n outer guard:gpu call:f\n f call:inner use:fp16\n inner guard:fp64 call:g\n g use:fp64 use:gpu use:image",
        "k:  | where the device has gpu: fp16; where the device has gpu and fp64: image \
         | where the device has gpu: fp16; where the device has gpu and fp64: image; where the device has fp64: nothing",
    );
    // Nothing runs where a guard contradicts the one around it.
    check_needs(
        "kernel k call:outer\n outer guard:gpu call:inner\n inner guard:!gpu call:f\n f use:fp64",
        "k:  |  | where the device lacks gpu: nothing; where the device has gpu: nothing",
    );
    // Through two guards and through one: the weaker one says it all.
    check_needs(
        "kernel k call:outer call:inner\n outer guard:gpu call:inner\n inner guard:fp16 call:f\n f use:fp64",
        "k:  | where the device has fp16: fp64 | where the device has gpu: nothing; where the device has fp16: fp64",
    );
    // A cycle through a guard: what its members use outside of it is always needed.
    check_needs(
        "kernel k call:f\n f call:has use:fp16\n has guard:gpu call:g\n g call:f use:fp64",
        "k: fp16 | where the device has gpu: fp64 | where the device has gpu: fp64",
    );
}

#[test]
fn images_split_by_what_is_needed_under_guards() {
    let graph = "
        kernel k1 call:has1
        kernel k2
        kernel k3 call:has2
        kernel k4 call:has1
        has1 guard:gpu call:f
        f use:fp64
        has2 guard:fp64 call:f";
    let summary = summary(graph);
    let plans = split(&summary, &analyse(&summary), CodeSplit::PerSource);
    let images: Vec<Vec<&str>> =
        plans.iter().map(|plan| plan.entries.iter().map(|&id| summary.function(id).symbol.as_str()).collect()).collect();
    // k3's guard asks for nothing beyond itself, so it shares with k2.
    assert_eq!(images, [vec!["k1", "k4"], vec!["k2", "k3"]]);
}

#[test]
fn warnings_and_reasons_go_through_guards() {
    let graph = "
        kernel k body=op call:op
        op declares:fp16@1:3 call:has@2:3 call:other@3:3
        has guard:gpu call:body@100:1
        body use:gpu@4:5 use:fp64@4:9 use:fp16@4:12
        other guard:fp64 call:same@100:1
        same use:fp64@5:5";
    let summary = summary(graph);
    let analysis = analyse(&summary);
    let found: Vec<String> = analysis
        .findings()
        .iter()
        .map(|one| {
            let chain: Vec<&str> = one.chain.iter().map(|step| step.function.as_str()).collect();
            format!(
                "{} uses {} at {}: {}",
                one.function,
                one.aspect,
                one.place.as_ref().map_or("?".into(), ToString::to_string),
                chain.join(" ")
            )
        })
        .collect();
    assert_eq!(found, ["op uses fp64 at t.cpp:4:9: op has body"]);
    let (id, _) = summary.iter().next().expect("the kernel");
    let sources: Vec<String> = analysis
        .sources(id)
        .iter()
        .map(|source| {
            format!("{}: {}", source.need, source.chain.iter().map(|step| step.function.as_str()).collect::<Vec<_>>().join(" < "))
        })
        .collect();
    assert_eq!(sources, ["aspect fp16: k", "aspect fp64: body < has < k"]);
}

/// Chains go from the user's code into the user's code, and say of the call in between where it is made.
#[test]
fn chains_leave_out_the_way_through_the_header() {
    let graph = "
        op declares:@1:3 call:if@2:3
        if glue call:lacks@100:1
        lacks glue guard:!cpu call:has@101:1
        has glue guard:gpu call:body@102:1
        body use:fp64@4:9";
    let summary = summary(graph);
    let analysis = analyse(&summary);
    let [finding] = analysis.findings() else { panic!("{:?}", analysis.findings()) };
    let steps: Vec<String> = finding
        .chain
        .iter()
        .map(|step| {
            let place = step.place.as_ref().map_or(String::new(), |place| format!(" {}:{}", place.line, place.column));
            format!("{}{place}{}", step.function, step.remark.as_ref().map_or(String::new(), |remark| format!(" {remark}")))
        })
        .collect();
    assert_eq!(steps, ["op", "body 2:3 only where the device has gpu and lacks cpu"]);
}

#[test]
fn what_optimisation_left_in_guarded_code_is_no_need() {
    check_needs(
        "kernel k call:has optimized:double\n has guard:gpu call:body\n body use:fp64",
        "k:  | where the device has gpu: fp64 | where the device has gpu: fp64",
    );
}

const ASPECTS: [&str; 4] = ["gpu", "fp16", "fp64", "atomic64"];

/// One random function, always exported: calls, uses, an attribute list if decorated, and its guard: what the device has and lacks.
#[derive(Clone, Debug)]
struct Row {
    calls: BTreeSet<usize>,
    uses: BTreeSet<usize>,
    declared: Option<BTreeSet<usize>>,
    guard: Option<(BTreeSet<usize>, Vec<BTreeSet<usize>>)>,
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let aspects = |count| prop::collection::btree_set(0..ASPECTS.len(), count);
    let guard = (aspects(0..3), prop::collection::vec(aspects(1..3), 0..2))
        .prop_filter("a guard says something", |(has, lacks)| !has.is_empty() || !lacks.is_empty());
    let row = (prop::collection::btree_set(0..10_usize, 0..4), aspects(0..2), prop::option::weighted(0.3, aspects(0..2)));
    let row = (row, prop::option::weighted(0.4, guard)).prop_map(|((calls, uses, declared), guard)| Row { calls, uses, declared, guard });
    prop::collection::vec(row, 1..10).prop_map(|mut rows| {
        let count = rows.len();
        for row in &mut rows {
            row.calls = row.calls.iter().map(|callee| callee % count).collect();
        }
        rows
    })
}

fn graph(rows: &[Row]) -> Summary {
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let names = |list: &BTreeSet<usize>, sign: &str| list.iter().map(|&one| ASPECTS[one]).collect::<Vec<_>>().join(sign);
        write!(text, "f{index} exported").expect("a string");
        for callee in &row.calls {
            write!(text, " call:f{callee}@{index}:{callee}").expect("a string");
        }
        for &aspect in &row.uses {
            write!(text, " use:{}@{index}:90", ASPECTS[aspect]).expect("a string");
        }
        if let Some(declared) = &row.declared {
            write!(text, " declares:{}@{index}:80", names(declared, ",")).expect("a string");
        }
        if let Some((has, lacks)) = &row.guard {
            let mut all: Vec<String> = has.iter().map(|&one| ASPECTS[one].to_owned()).collect();
            all.extend(lacks.iter().map(|list| format!("!{}", names(list, "+"))));
            write!(text, " guard:{}", all.join(",")).expect("a string");
        }
        text.push('\n');
    }
    summary(&text)
}

/// What runs on one device, step by step: a function with a guard is entered only if the device satisfies it.
fn used_on(rows: &[Row], root: usize, device: &BTreeSet<usize>) -> BTreeSet<usize> {
    let runs =
        |row: &Row| row.guard.as_ref().is_none_or(|(has, lacks)| has.is_subset(device) && lacks.iter().all(|list| !list.is_subset(device)));
    let (mut seen, mut work, mut out) = (BTreeSet::from([root]), vec![root], BTreeSet::new());
    while let Some(at) = work.pop() {
        out.extend(&rows[at].uses);
        for &callee in rows[at].calls.iter().filter(|&&callee| runs(&rows[callee])) {
            out.extend(rows[callee].declared.iter().flatten());
            if seen.insert(callee) {
                work.push(callee);
            }
        }
    }
    out
}

/// Every device that these aspects tell apart.
fn devices() -> impl Iterator<Item = BTreeSet<usize>> {
    (0..1_usize << ASPECTS.len()).map(|bits| (0..ASPECTS.len()).filter(|one| bits >> one & 1 == 1).collect())
}

fn set(indices: &BTreeSet<usize>) -> AspectSet {
    indices.iter().map(|&one| Aspect::from_name(ASPECTS[one]).expect("in the table")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    /// On every device, exactly what would run there and lacks something is refused, for exactly those reasons.
    #[test]
    fn every_device_is_refused_for_what_runs_there(rows in rows()) {
        let summary = graph(&rows);
        let analysis = analyse(&summary);
        for (id, _) in summary.iter() {
            let needed = analysis.requirements(id);
            for device in devices() {
                let mut used = used_on(&rows, id.index(), &device);
                used.extend(rows[id.index()].declared.iter().flatten());
                let lacking: Vec<String> = set(&used).difference(&set(&device)).map(|aspect| format!("aspect {aspect}")).collect();
                let verdict = check(&needed, &Capabilities { aspects: set(&device), ..Capabilities::default() });
                let mut said = match verdict {
                    Verdict::Met => Vec::new(),
                    Verdict::Unmet(needs) => needs.iter().map(ToString::to_string).collect(),
                    Verdict::Unknown(needs) => return Err(TestCaseError::fail(format!("unknown: {needs:?}"))),
                };
                said.sort();
                let mut lacking = lacking;
                lacking.sort();
                prop_assert_eq!(said, lacking, "f{} on {:?}", id.index(), device);
            }
            // And nothing is said twice.
            for (guard, aspects) in &needed.guarded {
                prop_assert!(!aspects.is_empty() && !guard.is_never() && !guard.is_always());
                prop_assert!(aspects.is_disjoint(&guard.has) && aspects.is_disjoint(&needed.aspects));
                for (other, theirs) in needed.guarded.iter().filter(|(other, _)| *other != guard) {
                    prop_assert!(!guard.implies(other) || aspects.is_disjoint(theirs));
                }
            }
        }
    }

    /// A decorated function is warned about an aspect exactly if some device without it would use it.
    #[test]
    fn warnings_are_of_what_some_device_would_miss(rows in rows()) {
        let summary = graph(&rows);
        let found: BTreeSet<(String, Aspect)> =
            analyse(&summary).findings().iter().map(|one| (one.function.clone(), one.aspect)).collect();
        let mut expected = BTreeSet::new();
        for (index, row) in rows.iter().enumerate() {
            let Some(declared) = &row.declared else { continue };
            for device in devices() {
                let missing = set(&used_on(&rows, index, &device));
                expected.extend(missing.difference(&set(&device)).filter(|one| !set(declared).contains(one)).map(|&one| (format!("f{index}"), one)));
            }
        }
        prop_assert_eq!(found, expected);
    }

    /// A second run over its own output, as without guards.
    #[test]
    fn a_second_run_says_the_same(rows in rows()) {
        let summary = graph(&rows);
        let first = analyse(&summary.without_propagated_attributes());
        let mut written = summary.clone();
        for (id, _) in summary.iter() {
            written.functions[id.index()].uses_attribute = first.used(id).clone();
        }
        let second = analyse(&written.without_propagated_attributes());
        let told = |analysis: &Analysis| analysis.findings().iter().map(|one| (one.function.clone(), one.aspect)).collect::<Vec<_>>();
        prop_assert_eq!(told(&first), told(&second));
        for (id, _) in summary.iter() {
            prop_assert_eq!(first.requirements(id), second.requirements(id));
        }
    }
}

#[test]
fn what_guards_imports_are_called_under() {
    #[track_caller]
    fn check(graph: &str, expected: &[(&str, &[&str])]) {
        let summary = common::summary(graph);
        let found = aspen_analysis::imports::import_guards(&summary, aspen_analysis::FuncId::from_index(0));
        let text: Vec<(String, Vec<String>)> = found
            .iter()
            .map(|(&id, guards)| (summary.function(id).name.clone(), guards.iter().map(ToString::to_string).collect()))
            .collect();
        let expected: Vec<(String, Vec<String>)> =
            expected.iter().map(|(name, guards)| ((*name).to_owned(), guards.iter().map(|guard| (*guard).to_owned()).collect())).collect();
        assert_eq!(text, expected);
    }
    check("kernel k call:f\n extern f exported", &[]);
    check("kernel k call:a\n a guard:fp64 call:f\n extern f exported", &[("f", &["where the device has fp64"])]);
    // Also called without, perhaps through a cycle.
    check("kernel k call:a call:b\n a guard:fp64 call:f\n b call:k call:f\n extern f exported", &[]);
    // Either of two; what asks for more than another one says nothing.
    check(
        "kernel k call:a call:b call:c\n a guard:fp64 call:f\n b guard:gpu call:f call:a\n c call:b\n extern f exported",
        &[("f", &["where the device has gpu", "where the device has fp64"])],
    );
    // Bodies inside each other, and one that never runs.
    check(
        "kernel k call:a\n a guard:fp64 call:b call:c\n b guard:!fp64 call:f\n c guard:gpu call:g\n extern f exported\n extern g exported",
        &[("g", &["where the device has gpu and fp64"])],
    );
}
