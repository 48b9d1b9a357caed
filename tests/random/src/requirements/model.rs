//! What a program needs, said naively: sets that grow until nothing changes. Source: DESIGN §3 and §7, which is what Aspen implements too,
//! by summaries, components of the call graph, and a second run at link.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{Aspects, Call, Kernel, Program, Shape, Signature, Stmt, Ty};
use super::snippets::{GENERIC, Kept, SNIPPETS, TYPES, aspects};

/// A function as it is compiled: an instance of a template each, a recursion's step each, and kernels.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Node {
    Function { function: usize, instance: String },
    Kernel(usize),
}

#[derive(Default)]
struct Facts {
    /// What it uses by itself, and whether a double of it survives optimisation.
    own: Aspects,
    kept: BTreeSet<&'static str>,
    declared: Option<Aspects>,
    calls: BTreeSet<Node>,
    used: Aspects,
}

/// What must come out.
#[derive(Default)]
pub struct Expected {
    /// By kernel: what it needs, and without the doubles that optimisation removes (nothing if nobody can say).
    pub kernels: Vec<(Aspects, Option<Aspects>)>,
    /// Functions and kernels that use what they do not declare; a function as often as it has instances that do.
    pub warnings: Vec<(Node, &'static str)>,
}

/// The program's.
pub fn expected(program: &Program) -> Expected {
    let mut facts: BTreeMap<Node, Facts> = BTreeMap::new();
    let mut todo: Vec<Node> = (0..program.kernels.len()).map(Node::Kernel).collect();
    todo.extend(
        (0..program.functions.len())
            .filter(|&function| program.home(function).is_some())
            .map(|function| Node::Function { function, instance: String::new() }),
    );
    let mut calls: BTreeMap<Node, Call> = BTreeMap::new();
    while let Some(node) = todo.pop() {
        if facts.contains_key(&node) {
            continue;
        }
        let (of, called) = match &node {
            Node::Kernel(index) => kernel(program, &program.kernels[*index]),
            Node::Function { function, .. } => {
                let own = Call { function: *function, ty: None, aspect: None, depth: 0 };
                self::function(program, calls.get(&node).unwrap_or(&own))
            }
        };
        for call in called {
            let node = self::node(program, &call);
            calls.insert(node.clone(), call);
            todo.push(node);
        }
        facts.insert(node, of);
    }
    grow(&mut facts);
    let mut expected = Expected::default();
    for index in 0..program.kernels.len() {
        let of = &facts[&Node::Kernel(index)];
        let needs = &of.used | &of.declared.clone().unwrap_or_default();
        let optimized = without_doubles(&facts, &Node::Kernel(index), &needs);
        expected.kernels.push((needs, optimized));
    }
    for (node, of) in &facts {
        let Some(declared) = &of.declared else { continue };
        expected.warnings.extend((&of.used - declared).into_iter().map(|aspect| (node.clone(), aspect)));
    }
    expected
}

/// What a function needs by itself and through what it calls, whatever it declares itself.
pub fn needs(program: &Program, call: &Call) -> Aspects {
    let (of, called) = function(program, call);
    called.iter().fold(of.own, |sum, call| {
        let declared = match program.functions[call.function].shape {
            Shape::AspectTemplate => call.aspect.map(|aspect| Aspects::from([aspect])),
            _ => program.functions[call.function].declared.clone(),
        };
        &(&sum | &needs(program, call)) | &declared.unwrap_or_default()
    })
}

/// The function that a call calls.
pub fn node(program: &Program, call: &Call) -> Node {
    let instance = match program.functions[call.function].shape {
        Shape::Template | Shape::AspectTemplate => format!("{:?} {}", call.ty, call.aspect.unwrap_or_default()),
        Shape::Countdown => call.depth.to_string(),
        _ => String::new(),
    };
    Node::Function { function: call.function, instance }
}

fn kernel(program: &Program, kernel: &Kernel) -> (Facts, Vec<Call>) {
    let mut facts = Facts { declared: kernel.declared.clone(), ..Facts::default() };
    let mut calls = Vec::new();
    if let Some(ty) = &kernel.captured {
        uses(program, ty, Kept::Perhaps, &mut facts);
    }
    body(program, &kernel.body, None, &mut facts, &mut calls);
    (facts, calls)
}

fn function(program: &Program, call: &Call) -> (Facts, Vec<Call>) {
    let of = &program.functions[call.function];
    let mut facts = Facts { declared: of.declared.clone(), own: of.marks.clone(), ..Facts::default() };
    let mut calls = Vec::new();
    match &of.shape {
        Shape::AspectTemplate => facts.declared = call.aspect.map(|aspect| Aspects::from([aspect])),
        Shape::Countdown if call.depth > 0 => {
            calls.push(Call { depth: call.depth - 1, ..call.clone() });
            facts.calls.extend(calls.iter().map(|call| node(program, call)));
            return (facts, calls);
        }
        // Its body looks into the object.
        Shape::Member { of, is_static: false } => uses(program, of, Kept::Perhaps, &mut facts),
        _ => {}
    }
    match &of.signature {
        Signature::Value(ty, _) | Signature::Returns(ty) => uses(program, ty, Kept::Perhaps, &mut facts),
        Signature::Reference(ty, looks) | Signature::Pointer(ty, looks) if *looks => uses(program, ty, Kept::Perhaps, &mut facts),
        Signature::Default => uses(program, &Ty::Double, Kept::Perhaps, &mut facts),
        _ => {}
    }
    body(program, &of.body, call.ty.as_ref(), &mut facts, &mut calls);
    (facts, calls)
}

fn body(program: &Program, body: &[Stmt], parameter: Option<&Ty>, facts: &mut Facts, calls: &mut Vec<Call>) {
    for stmt in body {
        match stmt {
            Stmt::Snippet(index) => {
                let snippet = &SNIPPETS[*index];
                let uses = aspects(snippet.aspects);
                note(&uses, snippet.kept, facts);
                facts.own.extend(uses);
            }
            // What a body uses counts only where the device has it.
            Stmt::Guarded(_) => {}
            Stmt::Recursion(function) => {
                let call = Call { function: *function, ty: None, aspect: None, depth: 0 };
                facts.calls.insert(node(program, &call));
                calls.push(call);
            }
            Stmt::Type(way, ty) if TYPES[*way].1 => uses(program, ty, Kept::Perhaps, facts),
            Stmt::Type(..) => {}
            Stmt::Generic(way) => {
                if let Some(ty) = parameter.filter(|ty| GENERIC[*way].1(ty)) {
                    uses(program, ty, Kept::Perhaps, facts);
                }
            }
            Stmt::Call(call) => {
                facts.calls.insert(node(program, call));
                calls.push(call.clone());
                let callee = &program.functions[call.function];
                // What the caller makes to give or to take.
                match &callee.signature {
                    Signature::Value(ty, _) | Signature::Returns(ty) | Signature::Reference(ty, _) => {
                        uses(program, ty, Kept::Perhaps, facts)
                    }
                    Signature::Default => uses(program, &Ty::Double, Kept::Perhaps, facts),
                    Signature::Plain | Signature::Pointer(..) => {}
                }
                if let Shape::Member { of, is_static: false } = &callee.shape {
                    uses(program, of, Kept::Perhaps, facts);
                }
            }
        }
    }
}

fn uses(program: &Program, ty: &Ty, kept: Kept, facts: &mut Facts) {
    let needs = program.needs(ty);
    note(&needs, kept, facts);
    facts.own.extend(needs);
}

fn note(aspects: &Aspects, kept: Kept, facts: &mut Facts) {
    if aspects.contains("fp64") && kept != Kept::No {
        facts.kept.insert(if kept == Kept::Yes { "kept" } else { "perhaps" });
    }
}

fn grow(facts: &mut BTreeMap<Node, Facts>) {
    for of in facts.values_mut() {
        of.used = of.own.clone();
    }
    loop {
        let given: BTreeMap<Node, Aspects> =
            facts.iter().map(|(node, of)| (node.clone(), &of.used | &of.declared.clone().unwrap_or_default())).collect();
        let mut changed = false;
        for of in facts.values_mut() {
            let before = of.used.len();
            for callee in &of.calls {
                of.used.extend(given[callee].iter().copied());
            }
            changed |= of.used.len() > before;
        }
        if !changed {
            return;
        }
    }
}

/// The needs after optimisation: `fp64` stays if it is declared by anything called, or if a double is left; perhaps it is unknown.
fn without_doubles(facts: &BTreeMap<Node, Facts>, kernel: &Node, needs: &Aspects) -> Option<Aspects> {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![kernel]);
    let (mut stays, mut unknown) = (false, false);
    while let Some(node) = todo.pop() {
        if !seen.insert(node) {
            continue;
        }
        let of = &facts[node];
        stays |= of.declared.as_ref().is_some_and(|declared| declared.contains("fp64")) || of.kept.contains("kept");
        unknown |= of.kept.contains("perhaps");
        todo.extend(&of.calls);
    }
    match (stays, unknown) {
        (true, _) => Some(needs.clone()),
        (false, true) => None,
        (false, false) => Some(needs - &Aspects::from(["fp64"])),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ast::{Form, Function, Launch, TypeDef};
    use super::*;

    fn function(shape: Shape, declared: Option<&[&'static str]>, body: Vec<Stmt>) -> Function {
        let declared = declared.map(aspects);
        Function { shape, signature: Signature::Plain, declared, marks: Aspects::new(), body }
    }

    fn called(function: usize) -> Stmt {
        Stmt::Call(Call { function, ty: None, aspect: None, depth: 0 })
    }

    fn with(text: &str) -> Stmt {
        Stmt::Snippet(SNIPPETS.iter().position(|snippet| snippet.text == text).expect("a line of the table"))
    }

    /// A kernel that calls the last of some functions: what it needs, and who is warned about.
    #[test]
    fn needs_come_up_the_calls() {
        let free = || Shape::Free { prefix: "", space: None, declared_before: false };
        let kept = || with("x = float(x * 0.1);");
        let gone = || with("x = float(x * 1.5);");
        for (functions, needs, optimized, warned) in [
            (vec![function(free(), None, vec![kept()])], "fp64", "fp64", ""),
            (vec![function(free(), None, vec![gone()])], "fp64", "", ""),
            (vec![function(free(), Some(&["gpu"]), vec![gone()])], "fp64 gpu", "gpu", "0 fp64"),
            (vec![function(free(), Some(&["fp64"]), vec![])], "fp64", "fp64", ""),
            (
                vec![function(free(), Some(&["cpu"]), vec![]), function(free(), Some(&[]), vec![called(0), kept()])],
                "cpu fp64",
                "cpu fp64",
                "1 cpu, 1 fp64",
            ),
            // Two that call each other.
            (vec![function(free(), Some(&[]), vec![called(1)]), function(free(), None, vec![called(0), kept()])], "fp64", "fp64", "0 fp64"),
        ] {
            let body = vec![called(functions.len() - 1)];
            let kernel = Kernel {
                unit: 0,
                launch: Launch::SingleTask,
                functor: false,
                captured: None,
                declared: None,
                work_group: None,
                sub_group: None,
                body,
            };
            let program = Program { seed: 1, units: 1, types: Vec::new(), functions, kernels: vec![kernel] };
            let found = expected(&program);
            let text = |aspects: &Aspects| aspects.iter().copied().collect::<Vec<_>>().join(" ");
            let (source, left) = &found.kernels[0];
            assert_eq!((text(source).as_str(), left.as_ref().map(text).as_deref()), (needs, Some(optimized)));
            let warnings = found.warnings.iter().map(|(node, aspect)| match node {
                Node::Function { function, .. } => format!("{function} {aspect}"),
                Node::Kernel(_) => format!("kernel {aspect}"),
            });
            assert_eq!(warnings.collect::<Vec<_>>().join(", "), warned);
        }
    }

    #[test]
    fn types_need_what_is_in_them() {
        let of = |form, marks: &[&'static str], bases: &[usize], members: &[Ty]| TypeDef {
            form,
            marks: aspects(marks),
            bases: bases.to_vec(),
            members: members.to_vec(),
        };
        let types = vec![
            of(Form::Empty, &["gpu"], &[], &[]),
            of(Form::Struct, &[], &[0], &[Ty::Int]),
            of(Form::Struct, &["cpu"], &[], &[Ty::Pointer(Ty::Double.into()), Ty::Array(Ty::Named(1).into(), 2)]),
            of(Form::Union, &[], &[], &[Ty::Pair(Ty::Float.into(), Ty::Half.into()), Ty::Pointer(Ty::Named(2).into())]),
        ];
        let program = Program { seed: 1, units: 1, types, functions: Vec::new(), kernels: Vec::new() };
        for (index, expected) in [&["gpu"][..], &["gpu"], &["cpu", "gpu"], &["fp16"]].into_iter().enumerate() {
            assert_eq!(program.needs(&Ty::Named(index)), aspects(expected));
        }
    }
}
