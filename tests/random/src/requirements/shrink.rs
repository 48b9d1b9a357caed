//! Smaller programs from one that is not as the model says.

use anyhow::Result;

use super::ast::{Aspects, Form, Program, Shape, Signature, Stmt};

/// The smallest program found of which `fails` is still true.
pub fn shrunk(program: &Program, fails: impl Fn(&Program) -> Result<bool>) -> Result<Program> {
    let mut best = program.clone();
    if !fails(&best)? {
        return Ok(best);
    }
    let mut tries = 150;
    'again: loop {
        for candidate in candidates(&best) {
            if tries == 0 {
                break 'again;
            }
            tries -= 1;
            if fails(&candidate)? {
                best = candidate;
                continue 'again;
            }
        }
        break;
    }
    Ok(best)
}

/// One step smaller each, the boldest first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut out = Vec::new();
    let mut with = |change: &dyn Fn(&mut Program)| {
        let mut candidate = program.clone();
        change(&mut candidate);
        out.push(candidate);
    };
    let kernels = program.kernels.len();
    if kernels > 1 {
        with(&|program| program.kernels.truncate(kernels / 2));
        with(&|program| _ = program.kernels.drain(..kernels / 2));
        for index in 0..kernels {
            with(&|program| _ = program.kernels.remove(index));
        }
    }
    if program.units > 1 {
        with(&|program| {
            program.units = 1;
            program.kernels.iter_mut().for_each(|kernel| kernel.unit = 0);
            for function in &mut program.functions {
                if let Shape::External(unit) = &mut function.shape {
                    *unit = 0;
                }
            }
        });
    }
    // What nobody calls becomes as good as nothing: indices stay.
    let idle = unreached(program);
    if !idle.is_empty() {
        with(&|program| idle.iter().for_each(|index| nothing(program, *index)));
    }
    for (index, function) in program.functions.iter().enumerate() {
        if function.body.len() > 1 {
            with(&|program| program.functions[index].body.clear());
        }
        for at in 0..function.body.len() {
            with(&|program| _ = program.functions[index].body.remove(at));
        }
        if function.declared.is_some() {
            with(&|program| program.functions[index].declared = None);
        }
        if !matches!(function.signature, Signature::Plain) {
            with(&|program| program.functions[index].signature = Signature::Plain);
        }
        if !function.marks.is_empty() {
            with(&|program| program.functions[index].marks = Aspects::new());
        }
        if matches!(function.shape, Shape::Member { .. } | Shape::External(_)) && program.units == 1 {
            with(&|program| program.functions[index].shape = plain());
        }
        if matches!(function.shape, Shape::Free { space: Some(_), .. } | Shape::Free { declared_before: true, .. }) {
            with(&|program| program.functions[index].shape = plain());
        }
    }
    for (index, kernel) in program.kernels.iter().enumerate() {
        for at in 0..kernel.body.len() {
            with(&|program| _ = program.kernels[index].body.remove(at));
        }
        if kernel.captured.is_some() {
            with(&|program| program.kernels[index].captured = None);
        }
        if kernel.declared.is_some() {
            with(&|program| program.kernels[index].declared = None);
        }
        if kernel.work_group.is_some() || kernel.sub_group.is_some() {
            with(&|program| (program.kernels[index].work_group, program.kernels[index].sub_group) = (None, None));
        }
        if kernel.functor {
            with(&|program| program.kernels[index].functor = false);
        }
    }
    for (index, of) in program.types.iter().enumerate() {
        if of.form == Form::Box {
            continue;
        }
        for at in 0..of.members.len() {
            with(&|program| _ = program.types[index].members.remove(at));
        }
        if !of.bases.is_empty() {
            with(&|program| program.types[index].bases.clear());
        }
    }
    out
}

fn plain() -> Shape {
    Shape::Free { prefix: "static ", space: None, declared_before: false }
}

fn nothing(program: &mut Program, index: usize) {
    let function = &mut program.functions[index];
    function.body.clear();
    function.declared = None;
    function.marks.clear();
    function.signature = Signature::Plain;
    function.shape = plain();
}

/// Functions that no kernel reaches and that are more than nothing.
fn unreached(program: &Program) -> Vec<usize> {
    let mut reached = vec![false; program.functions.len()];
    let mut todo: Vec<&Vec<Stmt>> = program.kernels.iter().map(|kernel| &kernel.body).collect();
    while let Some(body) = todo.pop() {
        for stmt in body {
            let callee = match stmt {
                Stmt::Call(call) => call.function,
                Stmt::Recursion(function) => *function,
                _ => continue,
            };
            if !std::mem::replace(&mut reached[callee], true) {
                todo.push(&program.functions[callee].body);
            }
        }
    }
    let more = |index: &usize| {
        let function = &program.functions[*index];
        !function.body.is_empty() || function.declared.is_some() || !matches!(function.signature, Signature::Plain)
    };
    (0..program.functions.len()).filter(|index| !reached[*index] && more(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Features, generate, model};
    use super::*;

    /// Programs in which a kernel needs `fp64` and `atomic64` keep only what gives these.
    #[test]
    fn what_does_not_matter_goes() {
        let needs_both = |program: &Program| {
            let kernels = model::expected(program).kernels;
            Ok(kernels.iter().any(|(aspects, _)| aspects.contains("fp64") && aspects.contains("atomic64")))
        };
        let mut shrunk_some = 0;
        for seed in 1..60 {
            let program = generate::program(seed, &Features { hidden_types: true, recursion: true });
            if needs_both(&program).expect("nothing fails") {
                let small = shrunk(&program, needs_both).expect("nothing fails");
                let statements: usize = small.functions.iter().map(|function| function.body.len()).sum();
                assert_eq!(small.kernels.len(), 1, "seed {seed}");
                assert!(statements + small.kernels[0].body.len() < 8, "seed {seed}: {small:?}");
                shrunk_some += 1;
            }
        }
        assert!(shrunk_some >= 5, "{shrunk_some}");
    }
}
