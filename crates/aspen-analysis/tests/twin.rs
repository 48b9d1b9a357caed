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

/// What the generator knows of one function, in its own terms: the twins never look at a summary.
struct Node {
    callees: BTreeSet<usize>,
    uses: BTreeSet<usize>,
    declared: Option<BTreeSet<usize>>,
    attribute: Option<usize>,
}

fn nodes(rows: &[Row]) -> Vec<Node> {
    let node = |(index, (calls, uses, declared, attribute)): (usize, &Row)| Node {
        callees: calls.iter().map(|callee| callee % rows.len()).collect(),
        uses: uses.iter().copied().collect(),
        declared: declared.as_ref().map(|list| list.iter().copied().collect()),
        attribute: attribute.first().copied().filter(|_| index % 4 == 0),
    };
    rows.iter().enumerate().map(node).collect()
}

fn aspect(index: usize) -> Aspect {
    Aspect::from_name(ASPECTS[index]).expect("in the table")
}

/// Everything reachable, one function at a time.
fn naive_used(nodes: &[Node], root: usize) -> BTreeSet<usize> {
    let (mut seen, mut work, mut out) = (BTreeSet::from([root]), vec![root], BTreeSet::new());
    while let Some(at) = work.pop() {
        out.extend(&nodes[at].uses);
        out.extend(nodes[at].attribute);
        for &callee in &nodes[at].callees {
            out.extend(nodes[callee].declared.iter().flatten());
            if seen.insert(callee) {
                work.push(callee);
            }
        }
    }
    out
}

/// How many functions the shortest chain to a use, or to the call of a function with an attribute, holds.
fn naive_length(nodes: &[Node], root: usize, aspect: usize) -> Option<usize> {
    let uses = |node: &Node| node.uses.contains(&aspect) || node.attribute == Some(aspect);
    let declares = |node: &Node| node.declared.as_ref().is_some_and(|declared| declared.contains(&aspect));
    let (mut seen, mut queue) = (BTreeSet::new(), VecDeque::from([(root, 1)]));
    if uses(&nodes[root]) {
        return Some(1);
    }
    while let Some((at, length)) = queue.pop_front() {
        for &callee in &nodes[at].callees {
            if uses(&nodes[callee]) || declares(&nodes[callee]) {
                return Some(length + 1);
            }
            if seen.insert(callee) {
                queue.push_back((callee, length + 1));
            }
        }
    }
    None
}

/// The functions of a summary in another order, with all their calls.
fn shuffled(summary: &Summary, order: &[usize]) -> Summary {
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    let mut functions: Vec<_> = order.iter().map(|&old| summary.functions[old].clone()).collect();
    for call in functions.iter_mut().flat_map(|function| &mut function.calls) {
        call.callee = FuncId::from_index(place[call.callee.index()]);
    }
    Summary { functions }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12_000, ..ProptestConfig::default() })]

    #[test]
    fn propagation_is_reachability(rows in rows()) {
        let summary = graph(&rows);
        let (analysis, nodes) = (analyse(&summary), nodes(&rows));
        for (id, _) in summary.iter() {
            let expected: AspectSet = naive_used(&nodes, id.index()).into_iter().map(aspect).collect();
            prop_assert_eq!(analysis.used(id), &expected);
        }
    }

    #[test]
    fn every_missing_aspect_is_found_once_with_a_shortest_chain(rows in rows()) {
        let analysis = analyse(&graph(&rows));
        let nodes = nodes(&rows);
        let mut expected = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let Some(declared) = &node.declared else { continue };
            let mut missing: Vec<usize> = naive_used(&nodes, index).difference(declared).copied().collect();
            missing.sort_by_key(|&index| aspect(index));
            expected.extend(missing.into_iter().map(|one| (format!("f{index}"), aspect(one), naive_length(&nodes, index, one))));
        }
        let found: Vec<_> = analysis.findings().iter().map(|one| (one.function.clone(), one.aspect, Some(one.chain.len()))).collect();
        prop_assert_eq!(found, expected);
    }

    /// Source: DESIGN §7.4, "its output depends on nothing but the input's content".
    #[test]
    fn the_order_of_functions_changes_nothing((rows, order) in rows().prop_flat_map(|rows| {
        let order: Vec<usize> = (0..rows.len()).collect();
        (Just(rows), Just(order).prop_shuffle())
    })) {
        let summary = graph(&rows);
        let other = shuffled(&summary, &order);
        let (first, second) = (analyse(&summary), analyse(&other));
        for (new, &old) in order.iter().enumerate() {
            prop_assert_eq!(first.used(FuncId::from_index(old)), second.used(FuncId::from_index(new)));
        }
        let sorted = |findings: &[aspen_analysis::Finding]| { let mut list = findings.to_vec(); list.sort(); list };
        prop_assert_eq!(sorted(first.findings()), sorted(second.findings()));
    }

    /// A second run over its own output: every function now has what it uses as an attribute.
    #[test]
    fn what_a_run_wrote_down_explains_nothing(rows in rows()) {
        let summary = graph(&rows);
        let first = analyse(&summary.without_propagated_attributes());
        let mut written = summary.clone();
        for (index, function) in written.functions.iter_mut().enumerate() {
            function.uses_attribute = first.used(FuncId::from_index(index)).clone();
        }
        let second = analyse(&written.without_propagated_attributes());
        for (id, _) in summary.iter() {
            prop_assert_eq!(first.used(id), second.used(id));
        }
        let told = |findings: &[aspen_analysis::Finding]| -> Vec<_> { findings.iter().map(|one| (one.function.clone(), one.aspect)).collect() };
        prop_assert_eq!(told(first.findings()), told(second.findings()));
    }
}

proptest! {
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
