//! The linear algorithms against naive twins on random call graphs.

mod common;

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;

use aspen_analysis::{FuncId, Summary, analyse};
use aspen_contract::{Aspect, AspectSet};
use proptest::prelude::*;

const ASPECTS: [&str; 3] = ["fp16", "fp64", "atomic64"];

/// One random function: calls, uses, an attribute list if decorated, `uses_aspects`.
type Row = (Vec<usize>, Vec<usize>, Option<Vec<usize>>, Vec<usize>);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let some = |count: usize| prop::collection::vec(0..count, 0..4);
    let aspects = || prop::collection::vec(0..ASPECTS.len(), 0..2);
    let rare = || prop::option::weighted(0.3, aspects());
    prop::collection::vec((some(12), aspects(), rare(), prop::collection::vec(0..ASPECTS.len(), 0..=1)), 1..12)
}

fn graph(rows: &[Row]) -> Summary {
    let mut text = String::new();
    for (index, (calls, uses, declared, attribute)) in rows.iter().enumerate() {
        write!(text, "f{index}").expect("a string");
        let mut seen = BTreeSet::new();
        for callee in calls.iter().map(|callee| callee % rows.len()).filter(|callee| seen.insert(*callee)) {
            write!(text, " call:f{callee}@{}:1", index * 10 + callee).expect("a string");
        }
        for aspect in uses.iter().collect::<BTreeSet<_>>() {
            write!(text, " use:{}@{}:9", ASPECTS[*aspect], index * 10).expect("a string");
        }
        if let Some(declared) = declared {
            let list: Vec<_> = declared.iter().map(|aspect| ASPECTS[*aspect]).collect();
            write!(text, " declares:{}@{}:3", list.join(","), index * 10).expect("a string");
        }
        if let Some(aspect) = attribute.first().filter(|_| index % 4 == 0) {
            write!(text, " attr:{}", ASPECTS[*aspect]).expect("a string");
        }
        text.push('\n');
    }
    common::summary(&text)
}

/// Everything reachable, one function at a time.
fn naive_used(summary: &Summary, root: FuncId) -> AspectSet {
    let (mut seen, mut work, mut out) = (BTreeSet::from([root]), vec![root], AspectSet::new());
    while let Some(id) = work.pop() {
        let function = summary.function(id);
        out.extend(function.uses.iter().map(|one| one.aspect));
        out.extend(&function.uses_attribute);
        for call in &function.calls {
            out.extend(summary.function(call.callee).declared.iter().flat_map(|declared| &declared.aspects));
            if seen.insert(call.callee) {
                work.push(call.callee);
            }
        }
    }
    out
}

/// How many functions the shortest chain to a use, or to the call of a function with an attribute, holds.
fn naive_length(summary: &Summary, root: FuncId, aspect: Aspect) -> Option<usize> {
    let uses = |id: FuncId| {
        let function = summary.function(id);
        function.uses.iter().any(|one| one.aspect == aspect) || function.uses_attribute.contains(&aspect)
    };
    let declares = |id: FuncId| summary.function(id).declared.as_ref().is_some_and(|declared| declared.aspects.contains(&aspect));
    let (mut seen, mut queue) = (BTreeSet::new(), VecDeque::from([(root, 1)]));
    if uses(root) {
        return Some(1);
    }
    while let Some((id, length)) = queue.pop_front() {
        for call in &summary.function(id).calls {
            if uses(call.callee) || declares(call.callee) {
                return Some(length + 1);
            }
            if seen.insert(call.callee) {
                queue.push_back((call.callee, length + 1));
            }
        }
    }
    None
}

proptest! {
    #[test]
    fn propagation_is_reachability(rows in rows()) {
        let summary = graph(&rows);
        let analysis = analyse(&summary);
        for (id, _) in summary.iter() {
            prop_assert_eq!(analysis.used(id), &naive_used(&summary, id));
        }
    }

    #[test]
    fn every_missing_aspect_is_found_once_with_a_shortest_chain(rows in rows()) {
        let summary = graph(&rows);
        let analysis = analyse(&summary);
        let mut expected = Vec::new();
        for (id, function) in summary.iter() {
            let Some(declared) = &function.declared else { continue };
            for &aspect in naive_used(&summary, id).difference(&declared.aspects) {
                expected.push((function.name.clone(), aspect, naive_length(&summary, id, aspect)));
            }
        }
        let found: Vec<_> = analysis.findings().iter().map(|one| (one.function.clone(), one.aspect, Some(one.chain.len()))).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn summaries_survive_their_bytes(rows in rows(), cut in 0_usize..200) {
        let summary = graph(&rows);
        let bytes = summary.to_bytes();
        prop_assert_eq!(Summary::from_bytes(&bytes), Ok(summary));
        if cut < bytes.len() {
            prop_assert!(Summary::from_bytes(&bytes[..cut]).is_err());
        }
    }
}
