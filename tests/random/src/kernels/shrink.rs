//! Smaller kernels from one: every candidate obeys the rules (the interpreter says so), and is meant to be tried in the order given.

use anyhow::Result;

use super::ast::{Expr, Kernel, Launch, Stmt};
use super::interpret::interpret;
use super::tree;

/// The smallest kernel found that fails. `fails` gives those of some candidates that do: they are tried by the dozen in one program.
pub fn shrunk(kernel: &Kernel, mut fails: impl FnMut(&[Kernel]) -> Result<Vec<Kernel>>) -> Result<Kernel> {
    const TOGETHER: usize = 16;
    let mut best = kernel.clone();
    let mut chunk = tree::count(&best).next_power_of_two() / 2;
    for _round in 0..60 {
        let mut candidates = candidates(&best, chunk);
        candidates.push(tidy(&best));
        candidates.retain(|candidate| size(candidate) < size(&best));
        candidates.sort_by_key(size);
        let mut better = None;
        for some in candidates.chunks(TOGETHER).take(12) {
            better = fails(some)?.into_iter().min_by_key(size);
            if better.is_some() {
                break;
            }
        }
        match better {
            Some(kernel) => best = kernel,
            None if chunk == 0 => break,
            None => chunk /= 2,
        }
    }
    Ok(best)
}

/// Candidates smaller than the kernel, the boldest first. `chunk` is how many statements are left out at once; with 0, what is finer:
/// sizes, expressions, variables.
fn candidates(kernel: &Kernel, chunk: usize) -> Vec<Kernel> {
    let all = if chunk > 0 { without_statements(kernel, chunk) } else { finer(kernel) };
    all.into_iter().filter(|candidate| interpret(candidate).is_ok()).collect()
}

fn without_statements(kernel: &Kernel, chunk: usize) -> Vec<Kernel> {
    let count = tree::count(kernel);
    let mut out = Vec::new();
    for first in (0..count).step_by(chunk) {
        let mut candidate = kernel.clone();
        // From the last on, so that numbers before it stay; a statement in another that is left out goes with it.
        for number in (first..(first + chunk).min(count)).rev() {
            tree::edit(&mut candidate, number, |block, index| drop(block.remove(index)));
        }
        out.push(candidate);
    }
    if chunk == 1 {
        for number in 0..count {
            for part in 0..6 {
                let mut candidate = kernel.clone();
                let mut changed = false;
                tree::edit(&mut candidate, number, |block, index| {
                    let Some(inner) = block[index].blocks().into_iter().nth(part).map(std::mem::take) else { return };
                    changed = true;
                    block.splice(index..=index, inner);
                });
                if changed {
                    out.push(candidate);
                }
            }
        }
    }
    out
}

fn finer(kernel: &Kernel) -> Vec<Kernel> {
    let mut out = Vec::new();
    let mut with = |change: &dyn Fn(&mut Kernel)| {
        let mut candidate = kernel.clone();
        change(&mut candidate);
        out.push(candidate);
    };
    if let Launch::NdRange { local, groups } = &kernel.launch {
        for at in 0..local.len() {
            for smaller in [1, local[at] / 2, local[at] - 1] {
                if smaller > 0 && smaller < local[at] {
                    let (mut local, groups) = (local.clone(), groups.clone());
                    local[at] = smaller;
                    with(&|kernel| kernel.launch = Launch::NdRange { local: local.clone(), groups: groups.clone() });
                }
            }
            if groups[at] > 1 {
                let (local, mut groups) = (local.clone(), groups.clone());
                groups[at] = 1;
                with(&|kernel| kernel.launch = Launch::NdRange { local: local.clone(), groups: groups.clone() });
            }
        }
        if local.len() > 1 {
            with(&|kernel| kernel.launch = Launch::NdRange { local: vec![local.iter().product()], groups: vec![groups.iter().product()] });
        }
    }
    if let Launch::Range(sizes) = &kernel.launch {
        with(&|kernel| kernel.launch = Launch::Range(vec![sizes.iter().product::<usize>().div_ceil(2)]));
    }
    with(&|kernel| kernel.required_group = false);
    with(&|kernel| kernel.buffers = false);
    with(&|kernel| kernel.sub_group = 0);
    for at in 0..kernel.observed.len() {
        with(&|kernel| _ = kernel.observed.remove(at));
    }
    // Each expression becomes a number, or one of its parts.
    let mut count = 0;
    tree::expressions(&mut kernel.clone(), &mut |_| {
        count += 1;
        false
    });
    for number in 0..count {
        for choice in 0..4 {
            let mut candidate = kernel.clone();
            let mut left = number;
            let mut changed = false;
            tree::expressions(&mut candidate, &mut |expr| {
                if left > 0 {
                    left -= 1;
                    return false;
                }
                let of = expr.scalar(kernel);
                let new = match choice {
                    0 | 1 if matches!(expr, Expr::Lit(..)) => None,
                    0 | 1 => Some(Expr::Lit(of, if of.is_float() { f64::from(choice).to_bits() } else { choice as u64 })),
                    _ => expr.children().into_iter().nth(choice as usize - 2).filter(|child| child.scalar(kernel) == of).cloned(),
                };
                if let Some(new) = new {
                    *expr = new;
                    changed = true;
                }
                true
            });
            if changed {
                out.push(candidate);
            }
        }
    }
    out
}

/// How big a kernel is: what shrinking makes less.
fn size(kernel: &Kernel) -> usize {
    let mut numbers = 0;
    tree::expressions(&mut kernel.clone(), &mut |expr| {
        numbers += if matches!(expr, Expr::Lit(..)) { 1 } else { 3 };
        false
    });
    let flags = usize::from(kernel.required_group) + usize::from(kernel.buffers) + usize::from(kernel.sub_group > 0);
    let items = kernel.launch.items() + 10 * kernel.launch.dimensions();
    kernel.functions.len() * 500 + tree::count(kernel) * 1000 + numbers * 10 + kernel.observed.len() * 5 + flags * 5 + items
}

/// What nothing refers to any more goes: functions, and result variables' places in them stay.
fn tidy(kernel: &Kernel) -> Kernel {
    let mut tidy = kernel.clone();
    let called = tree::called(kernel);
    let mut renumbered = Vec::new();
    let mut next = 0;
    for called in &called {
        renumbered.push(next);
        next += usize::from(*called);
    }
    let mut index = 0;
    tidy.functions.retain(|_| {
        index += 1;
        called[index - 1]
    });
    let mut number = 0;
    while tree::edit(&mut tidy, number, |block, at| {
        if let Stmt::Call { function, .. } = &mut block[at] {
            *function = renumbered[*function];
        }
    }) {
        number += 1;
    }
    if !uses_constants(&tidy) {
        tidy.constants.clear();
    }
    tidy
}

fn uses_constants(kernel: &Kernel) -> bool {
    tree::expressions(&mut kernel.clone(), &mut |expr| matches!(expr, Expr::Constant(_)))
}

#[cfg(test)]
mod tests {
    use super::super::ast::{Collective, Scope};
    use super::super::{ALL, generate};
    use super::*;

    /// What fails is a barrier of the group: only it is left, and what cannot go without.
    #[test]
    fn what_does_not_matter_goes() {
        fn has_barrier(kernel: &Kernel) -> bool {
            let mut kernel = kernel.clone();
            (0..tree::count(&kernel)).any(|number| {
                let mut found = false;
                tree::edit(&mut kernel, number, |block, at| {
                    found = matches!(block[at], Stmt::Together(Collective::Barrier(Scope::Group, _)));
                });
                found
            })
        }
        let mut shrunk_some = 0;
        for seed in 1..40 {
            let (kernel, _) = generate::kernel(seed, &ALL);
            if has_barrier(&kernel) {
                let fails = |some: &[Kernel]| Ok(some.iter().filter(|kernel| has_barrier(kernel)).cloned().collect());
                let small = shrunk(&kernel, fails).expect("nothing fails");
                assert_eq!((tree::count(&small), small.launch.items(), small.observed.len()), (1, 1, 0), "seed {seed}");
                shrunk_some += 1;
            }
        }
        assert!(shrunk_some > 10);
    }
}
