//! Random modules with cycles and calls through pointers: what the pass writes, against reachability over the generator's own graph.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::BTreeSet;
use std::fmt::Write;

use aspen_analysis::analyse;
use aspen_contract::AspectSet;
use aspen_llvm::{Context, Dialect, Facts, propagate, summarise};
use proptest::prelude::*;

/// Parameter types; a call through a pointer reaches only functions of its type.
const TYPES: [&str; 3] = ["i32", "i64", "float"];

#[derive(Clone, Debug)]
struct Node {
    ty: usize,
    taken: bool,
    calls: Vec<usize>,
    /// Calls through a pointer, by type.
    through: Vec<usize>,
    /// Calls through a pointer with a list of what it may reach.
    listed: Vec<usize>,
    uses: u8,
}

fn node() -> impl Strategy<Value = Node> {
    let some = |limit: usize, most: usize| prop::collection::vec(0..limit, 0..=most);
    (0..TYPES.len(), prop::bool::weighted(0.3), some(10, 2), some(TYPES.len(), 1), some(10, 2), 0_u8..16)
        .prop_map(|(ty, taken, calls, through, listed, uses)| Node { ty, taken, calls, through, listed, uses })
}

/// What the bits of `uses` write into a body, and the aspect that stands for.
const USES: [(&str, u32); 2] = [("  %d = fadd double 1.0, 2.0\n", 6), ("  %m = alloca %struct.mark\n", 103)];

fn module(nodes: &[Node], order: &[usize]) -> String {
    let mut text = String::from("target triple = \"spir64-unknown-unknown\"\n%struct.mark = type { i32 }\n");
    let mut lists = String::new();
    for &index in order {
        let node = &nodes[index];
        let _ = writeln!(text, "define spir_func void @f{index}({} %x, ptr %p) {{", TYPES[node.ty]);
        let argument = |ty: usize| if ty == node.ty { "%x" } else { "zeroinitializer" };
        for &callee in &node.calls {
            let callee = callee % nodes.len();
            let ty = nodes[callee].ty;
            let _ = writeln!(text, "  call spir_func void @f{callee}({} {}, ptr %p)", TYPES[ty], argument(ty));
        }
        for &ty in &node.through {
            let _ = writeln!(text, "  call spir_func void %p({} {}, ptr %p)", TYPES[ty], argument(ty));
        }
        if let Some(first) = node.listed.first() {
            let ty = nodes[first % nodes.len()].ty;
            let id = index + 100;
            let _ = writeln!(text, "  call spir_func void %p({} {}, ptr %p), !callees !{id}", TYPES[ty], argument(ty));
            let names: Vec<String> = node.listed.iter().map(|callee| format!("ptr @f{}", callee % nodes.len())).collect();
            let _ = writeln!(lists, "!{id} = !{{{}}}", names.join(", "));
        }
        for (bit, (line, _)) in USES.iter().enumerate() {
            text += if node.uses == 1 << bit { line } else { "" };
        }
        text += "  ret void\n}\n";
    }
    for &index in order.iter().filter(|&&index| nodes[index].taken) {
        let _ = writeln!(text, "@table{index} = addrspace(1) global ptr @f{index}");
    }
    text + "!intel_types_that_use_aspects = !{!0}\n!0 = !{!\"struct.mark\", i32 103}\n" + &lists
}

/// Reachability, one function at a time, over what the generator meant.
fn expected(nodes: &[Node], root: usize) -> AspectSet {
    let (mut seen, mut work, mut out) = (BTreeSet::from([root]), vec![root], AspectSet::new());
    while let Some(at) = work.pop() {
        let node = &nodes[at];
        let used = USES.iter().enumerate().filter(|(bit, _)| node.uses == 1 << bit);
        out.extend(used.map(|(_, (_, number))| aspen_contract::Aspect::from_number(*number)));
        let pointed = (0..nodes.len()).filter(|&other| nodes[other].taken && node.through.contains(&nodes[other].ty));
        let named = node.calls.iter().chain(&node.listed).map(|callee| callee % nodes.len());
        work.extend(pointed.chain(named).filter(|&callee| seen.insert(callee)));
    }
    out
}

/// The used sets that a second reader finds in the module.
fn written(text: &str, context: &Context, count: usize) -> Vec<AspectSet> {
    let module = context.parse("again.ll", text.as_bytes()).unwrap();
    let summary = summarise(module.view(), &Facts::default());
    let set = |index: usize| {
        let name = format!("f{index}");
        summary.functions.iter().find(|function| function.symbol == name).unwrap().uses_attribute.clone()
    };
    (0..count).map(set).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_pass_is_reachability((nodes, order) in prop::collection::vec(node(), 1..10).prop_flat_map(|nodes| {
        let order: Vec<usize> = (0..nodes.len()).collect();
        (Just(nodes), Just(order).prop_shuffle())
    })) {
        let context = Context::new();
        let text = module(&nodes, &order);
        let module = context.parse("random.ll", text.as_bytes()).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let analysis = analyse(&summarise(module.view(), &Facts::default()));
        prop_assert!(analysis.findings().is_empty());
        propagate(module.view(), Dialect::Seed, &AspectSet::new(), None).unwrap();
        let once = module.to_text();
        let sets = written(&once, &context, nodes.len());
        for (index, set) in sets.iter().enumerate() {
            prop_assert_eq!(set, &expected(&nodes, index), "f{}\n{}", index, &text);
        }
        propagate(module.view(), Dialect::Seed, &AspectSet::new(), None).unwrap();
        prop_assert_eq!(module.to_text(), once);
    }
}
