//! Random call graphs with cycles, exports, address-taken functions and guards at once: what the emitted expressions say, and what
//! specialising leaves, against walking the graph. Source: issue 7 "Tests it needs".

mod common;

use std::collections::BTreeSet;

use aspen_contract::{Aspect, Need};
use aspen_spirv::{Numbering, SpecId, specialise, write};
use common::{Graph, Kind, Random, conditions, disassemble, evaluate, function, functions, needs};

const GRAPHS: u64 = 11_000;

fn numbering(graph: &Graph) -> Numbering {
    let roots = graph.roots();
    Numbering::new(roots.iter().map(|(_, requirements)| requirements)).expect("few requirements")
}

fn written(graph: &Graph, numbering: &Numbering) -> Vec<u8> {
    let roots = graph.roots();
    let roots: Vec<_> = roots.iter().map(|(symbol, requirements)| (symbol.as_str(), requirements)).collect();
    write(&graph.module(), &roots, numbering).expect("a sound module").into_owned()
}

/// What a constant is on the device of those bits over [`needs`].
fn value(device: u32, numbering: &Numbering, id: SpecId) -> Option<bool> {
    let has = |need: &Need| needs().iter().position(|known| known == need).map(|bit| device >> bit & 1 == 1);
    match id {
        SpecId::Requirement(_) => numbering.need(id).and_then(has),
        SpecId::Guard(aspect) => has(&Need::Aspect(aspect)),
        SpecId::User(_) => None,
    }
}

#[test]
fn expressions_and_specialised_modules_agree_with_walking_the_graph() {
    let mut random = Random::new(1);
    let (mut conditional, mut shrunk) = (0, 0);
    for number in 0..GRAPHS {
        let graph = Graph::random(&mut random, true);
        let (plain, numbering) = (graph.module(), numbering(&graph));
        let module = written(&graph, &numbering);
        let instructions = disassemble(&module);
        let conditions = conditions(&instructions);
        conditional += conditions.len();
        if conditions.is_empty() {
            assert_eq!(module, plain, "graph {number}: nothing is conditional, and nothing changes");
        }
        for device in 0..16 {
            let context = || format!("graph {number}, device {device:04b}: {graph:?}");
            let value = |id| value(device, &numbering, id);
            let truth = |number: u32| value(SpecId::from_number(number)).expect("a constant of ours");
            let reached = graph.kept(device, None, true);
            let of_any = graph.kept(15, None, true);
            for index in 0..graph.nodes.len() {
                let says = conditions.get(&function(index)).map(|id| evaluate(&instructions, *id, &truth));
                // Nobody needs it on any device: then it has no condition, and is swept.
                if of_any.contains(&index) {
                    assert_eq!(says.unwrap_or(true), reached.contains(&index), "f{index} in {}", context());
                } else {
                    assert_eq!(says, None, "f{index} in {}", context());
                }
            }
            let special = specialise(&module, &value).unwrap_or_else(|error| panic!("{error} in {}", context()));
            let wanted: BTreeSet<u32> = graph.specialised(device).into_iter().map(function).collect();
            assert_eq!(functions(&special), wanted, "{}", context());
            assert_clean(&special, &context);
            shrunk += usize::from(special.len() < module.len());
        }
    }
    // The graphs are no trivial ones.
    assert!(conditional > 20_000 && shrunk > 140_000, "{conditional} conditions, {shrunk} smaller modules");
}

/// No decoration, constant, capability or extension of ours is left; every id that is used is defined.
fn assert_clean(module: &[u8], context: &dyn Fn() -> String) {
    let instructions = disassemble(module);
    for i in &instructions {
        assert!(!(i[0] == 71 && (i[2] == 6247 || i[2] == 1)), "{i:?} in {}", context());
        assert!(!matches!(i[0], 48 | 49 | 52), "{i:?} in {}", context());
        assert!(!(i[0] == 17 && i[1] == 6245), "{i:?} in {}", context());
    }
    let defined: BTreeSet<u32> = instructions
        .iter()
        .filter_map(|i| match i[0] {
            19 | 20 | 32 | 33 | 248 => Some(i[1]),
            1 | 41 | 42 | 54 | 57 | 83 | 5600 | 5601 => Some(i[2]),
            _ => None,
        })
        .collect();
    for i in &instructions {
        let used: &[u32] = match i[0] {
            5 | 16 | 71 => &i[1..2],
            15 => &i[2..3],
            57 | 83 | 5600 | 5601 => &i[3..],
            249 => &i[1..],
            250 => &i[1..],
            _ => &[],
        };
        assert!(used.iter().all(|id| defined.contains(id)), "{i:?} in {}", context());
    }
}

#[test]
fn constants_and_expressions_are_shared() {
    let mut random = Random::new(2);
    for _ in 0..2_000 {
        let graph = Graph::random(&mut random, true);
        let instructions = disassemble(&written(&graph, &numbering(&graph)));
        let mut seen = BTreeSet::new();
        for i in instructions.iter().filter(|i| i[0] == 52) {
            assert!(seen.insert(&i[3..]), "an operation twice: {i:?}");
        }
        let mut seen = BTreeSet::new();
        for i in instructions.iter().filter(|i| i[0] == 71 && i[2] == 1) {
            assert!(seen.insert(i[3]), "a SpecId twice: {i:?}");
        }
        assert_eq!(instructions.iter().filter(|i| i[0] == 20).count(), 1, "one OpTypeBool");
    }
}

#[test]
fn writing_is_deterministic_and_keeps_what_was_there() {
    let mut random = Random::new(3);
    for _ in 0..500 {
        let graph = Graph::random(&mut random, false);
        let numbering = numbering(&graph);
        let module = written(&graph, &numbering);
        assert_eq!(module, written(&graph, &numbering));
        let (before, after) = (disassemble(&graph.module()), disassemble(&module));
        let mut rest = after.iter();
        assert!(before.iter().all(|i| rest.any(|j| i == j)), "an instruction is lost or out of order");
    }
}

/// The names in the error are those of OpName.
#[test]
fn a_kept_function_that_calls_a_discarded_one_is_an_error() {
    let mut random = Random::new(4);
    let mut found = 0;
    for _ in 0..300 {
        let mut graph = Graph::random(&mut random, false);
        // The module's calls are more than the writer was told.
        let Some(plain) = graph.nodes.iter().position(|node| node.kind == Kind::Kernel && node.needs == 0 && node.guarded_need == 0) else {
            continue;
        };
        let Some(needy) = graph.nodes.iter().position(|node| node.kind == Kind::Exported && node.needs != 0) else { continue };
        if graph.kept(0, None, true).contains(&needy) {
            continue;
        }
        graph.nodes[plain].calls.retain(|callee| *callee != needy);
        let numbering = numbering(&graph);
        let module = written(&graph, &numbering);
        let mut words: Vec<u32> = module.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let mut at = 5;
        while words[at] & 0xffff != 54 || words[at + 2] != function(plain) {
            at += (words[at] >> 16) as usize;
        }
        let call = [4 << 16 | 57, common::VOID, words[3], function(needy)];
        words[3] += 1;
        words.splice(at + 7..at + 7, call);
        let bad: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let error = specialise(&bad, &|id| value(0, &numbering, id)).expect_err("it calls a discarded function").to_string();
        assert!(error.contains(&format!("'f{plain}' stays")) && error.contains(&format!("'f{needy}', which is discarded")), "{error}");
        found += 1;
    }
    assert!(found > 5, "{found}");
}

#[test]
fn a_constant_of_ours_without_a_value_is_an_error() {
    let mut random = Random::new(5);
    let graph = Graph::random(&mut random, false);
    let error = specialise(&graph.module(), &|_| None).expect_err("the guards have no value").to_string();
    assert!(error.contains("0x50000005"), "{error}");
    let all = aspen_spirv::spec_ids(&graph.module()).expect("a sound module");
    assert_eq!(all, [SpecId::Guard(Aspect::FP16), SpecId::Guard(Aspect::FP64)]);
}
