//! Under which condition a device needs each function: what the kernels and exports that reach it need, one alternative each.
//!
//! A condition is a set of alternatives, each the needs of some root; the empty alternative makes it unconditional. Conditions go down the
//! call graph, whole cycles at once: within a cycle every function reaches every other, so all have the same one. An alternative that needs
//! more than another adds nothing and is dropped, so equal conditions are equal sets.
//! Source: S1 "Modifications to the post-link tool", second pass; DESIGN §7.4.

use std::collections::{BTreeMap, BTreeSet};

use aspen_contract::{AspectSet, Guard, Need, Requirements};

use crate::spec_id::unguarded;

/// One thing that has to be true of a device.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Clause {
    /// It meets the need.
    Need(Need),
    /// Where the guard holds, it has these aspects. Source: DESIGN §7.8.
    Guarded(Guard, AspectSet),
}

/// What a root needs, sorted; each once.
pub(crate) type Alternative = Vec<Clause>;

/// Everything that has to be true of a device that runs something with these requirements.
pub(crate) fn alternative(requirements: &Requirements) -> Alternative {
    let guarded = requirements.guarded.iter().map(|(guard, aspects)| Clause::Guarded(guard.clone(), aspects.clone()));
    let mut clauses: Alternative = unguarded(requirements).map(Clause::Need).chain(guarded).collect();
    clauses.sort();
    clauses
}

/// The alternatives of a condition, sorted; none contains another. Empty: nobody reaches the function.
pub(crate) type Condition = Vec<usize>;

/// Conditions of all functions.
pub(crate) struct Conditions {
    /// What the numbers in conditions stand for.
    pub(crate) alternatives: Vec<Alternative>,
    /// By function.
    pub(crate) of: Vec<Condition>,
}

/// Alternatives and conditions, each once, so that equal ones are one number and joining two is looked up.
struct Join {
    alternatives: Vec<Alternative>,
    known: BTreeMap<Condition, usize>,
    conditions: Vec<Condition>,
    joined: BTreeMap<(usize, usize), usize>,
}

impl Conditions {
    /// `callees`: by function, whom it may call. `roots`: functions with what they need.
    pub(crate) fn of(callees: &[Vec<usize>], roots: &[(usize, Alternative)]) -> Conditions {
        let alternatives: BTreeSet<&Alternative> = roots.iter().map(|(_, needs)| needs).collect();
        let alternatives: Vec<Alternative> = alternatives.into_iter().cloned().collect();
        let number = |needs: &Alternative| alternatives.binary_search(needs).unwrap_or_default();
        let own: Vec<(usize, usize)> = roots.iter().map(|(function, needs)| (*function, number(needs))).collect();
        let mut join = Join { alternatives, known: BTreeMap::new(), conditions: Vec::new(), joined: BTreeMap::new() };
        let nobody = join.intern(Vec::new());
        let components = components(callees);
        let mut of_component = vec![nobody; components.count];
        for (function, alternative) in own {
            let alone = join.intern(vec![alternative]);
            let component = components.of[function];
            of_component[component] = join.join(of_component[component], alone);
        }
        // Components are numbered callees first.
        for component in (0..components.count).rev() {
            for &function in &components.members[component] {
                for &callee in &callees[function] {
                    let below = components.of[callee];
                    if below != component {
                        of_component[below] = join.join(of_component[below], of_component[component]);
                    }
                }
            }
        }
        let of = components.of.iter().map(|component| join.conditions[of_component[*component]].clone()).collect();
        Conditions { alternatives: join.alternatives, of }
    }
}

impl Join {
    fn intern(&mut self, condition: Condition) -> usize {
        if let Some(known) = self.known.get(&condition) {
            return *known;
        }
        self.conditions.push(condition.clone());
        self.known.insert(condition, self.conditions.len() - 1);
        self.conditions.len() - 1
    }

    fn join(&mut self, a: usize, b: usize) -> usize {
        let key = (a.min(b), a.max(b));
        if key.0 == key.1 {
            return a;
        }
        if let Some(known) = self.joined.get(&key) {
            return *known;
        }
        let mut all: Condition = [&self.conditions[key.0][..], &self.conditions[key.1][..]].concat();
        all.sort_unstable();
        all.dedup();
        let contains = |more: usize, fewer: usize| {
            more != fewer && self.alternatives[fewer].iter().all(|need| self.alternatives[more].binary_search(need).is_ok())
        };
        let least: Condition = all.iter().copied().filter(|one| !all.iter().any(|other| contains(*one, *other))).collect();
        let joined = self.intern(least);
        self.joined.insert(key, joined);
        joined
    }
}

/// Strongly connected components.
struct Components {
    count: usize,
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
}

/// Tarjan's algorithm without recursion; a component's number is above those of all that it reaches.
fn components(callees: &[Vec<usize>]) -> Components {
    const NEW: usize = usize::MAX;
    let count = callees.len();
    let (mut order, mut low, mut of) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
    let (mut stack, mut members): (Vec<usize>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    let mut visited = 0;
    for start in 0..count {
        if order[start] != NEW {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((function, next)) = path.pop() {
            if next == 0 {
                (order[function], low[function]) = (visited, visited);
                visited += 1;
                stack.push(function);
            }
            let mut descended = false;
            for (index, &callee) in callees[function].iter().enumerate().skip(next) {
                if order[callee] == NEW {
                    path.push((function, index + 1));
                    path.push((callee, 0));
                    descended = true;
                    break;
                }
                if of[callee] == NEW {
                    low[function] = low[function].min(order[callee]);
                }
            }
            if descended {
                continue;
            }
            if low[function] == order[function] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    of[member] = members.len();
                    component.push(member);
                    if member == function {
                        break;
                    }
                }
                members.push(component);
            }
            if let Some((caller, _)) = path.last() {
                low[*caller] = low[*caller].min(low[function]);
            }
        }
    }
    Components { count: members.len(), of, members }
}
