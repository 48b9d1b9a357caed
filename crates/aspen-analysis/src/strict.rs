//! What SYCL 2020 does not allow in device code though clang compiles it: recursion, virtual calls, calls through function pointers.
//!
//! Only what kernels and exported functions reach counts. A recursion is a cycle of calls by name; a call through a pointer is told as such,
//! whatever it may reach. Source: SYCL 2020 §5.4; DESIGN §7.28.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use aspen_contract::{Place, Step};
use serde::{Deserialize, Serialize};

use crate::finding::{self, Level};
use crate::propagate::components;
use crate::summary::{Call, FuncId, Function, Role, Summary, Through, is_entry_point};

/// One thing that is not allowed, with the way that leads to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Strict {
    /// What it is.
    pub kind: StrictKind,
    /// The function that does it.
    pub function: String,
    /// Where the user's code does it: the call itself, or the user's call of the system header's function that comes to it.
    pub place: Option<Place>,
    /// The call itself.
    pub at: Option<Place>,
    /// From the kernel or exported function down to it; each step's place is the call in the step before.
    pub chain: Vec<Step>,
    /// What a pragma makes of it, where one does.
    pub pragma: Option<Level>,
}

/// Kinds of [`Strict`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum StrictKind {
    /// The function comes back to itself.
    Recursion {
        /// The function that it calls to do so, if it is another one.
        by: Option<String>,
        /// The symbols of all functions in the cycle.
        symbols: BTreeSet<String>,
    },
    /// A call through a vtable.
    VirtualCall,
    /// A call through a pointer to a function.
    FunctionPointer,
}

impl Strict {
    /// As [`finding::Finding::text`] says it of aspects.
    pub fn text(&self, level: Level) -> String {
        finding::text(level, "sycl-strict", self.place.as_ref(), &self.message(), &self.chain)
    }

    /// One sentence.
    pub fn message(&self) -> String {
        let function = &self.function;
        match &self.kind {
            StrictKind::Recursion { by: None, .. } => {
                format!("'{function}' calls itself, but SYCL 2020 allows no recursion in device code")
            }
            StrictKind::Recursion { by: Some(by), .. } => {
                format!("'{function}' calls itself through '{by}', but SYCL 2020 allows no recursion in device code")
            }
            StrictKind::VirtualCall => format!("'{function}' makes a virtual call, which SYCL 2020 does not allow in device code"),
            StrictKind::FunctionPointer => {
                format!("'{function}' calls through a function pointer, which SYCL 2020 does not allow in device code")
            }
        }
    }
}

/// All of one module, in the order in which they are reached. `calls_indirectly` tells of a kernel, by its symbol, that it says so itself
/// (property `assume_indirect_calls`): its virtual calls and calls through pointers are none. Source: sycl_ext_oneapi_virtual_functions.
pub fn strict(summary: &Summary, calls_indirectly: &dyn Fn(&str) -> bool) -> Vec<Strict> {
    let cycles = cycles(summary);
    if cycles.is_empty() && summary.functions.iter().all(|function| function.indirect.is_empty()) {
        return Vec::new();
    }
    let ways = Ways::of(summary);
    let silent = Ways::from_entries(summary, |function| !(matches!(function.role, Role::Kernel(_)) && calls_indirectly(&function.symbol)));
    let mut out = Vec::new();
    for &id in &ways.order {
        let indirect = summary.function(id).indirect.iter().filter(|_| silent.from.contains_key(&id));
        for indirect in indirect {
            let kind = match indirect.through {
                Through::Vtable => StrictKind::VirtualCall,
                Through::Pointer => StrictKind::FunctionPointer,
            };
            out.push(silent.finding(id, kind, indirect.place.clone(), Vec::new()));
        }
        // A cycle is told where it is entered first.
        if let Some(cycle) = cycles.iter().find(|cycle| cycle.contains(&id) && ways.first_of(cycle) == Some(id)) {
            out.push(ways.recursion(id, cycle));
        }
    }
    let mut seen = BTreeSet::new();
    out.retain(|one| one.place.is_none() || seen.insert((one.place.clone(), one.message())));
    out
}

/// Recursion that only the program shows: cycles whose functions come from several translation units.
pub fn strict_across_units(linked: &Summary) -> Vec<Strict> {
    let across = |cycle: &BTreeSet<FuncId>| cycle.iter().map(|&id| &linked.function(id).unit).collect::<BTreeSet<_>>().len() > 1;
    let cycles: Vec<BTreeSet<FuncId>> = cycles(linked).into_iter().filter(across).collect();
    if cycles.is_empty() {
        return Vec::new();
    }
    // Where optimised code counts, only what entry points still reach leads on.
    let left: BTreeSet<FuncId> = cycles_of(&linked.after_optimisation()).into_iter().flatten().collect();
    let ways = Ways::of(linked);
    let first = |cycle: &BTreeSet<FuncId>| ways.first_of(cycle).map(|id| ways.recursion(id, cycle));
    cycles.iter().filter(|cycle| !cycle.is_disjoint(&left)).filter_map(first).collect()
}

/// Those of the source that optimisation has left: `after` is the same module then.
pub fn left_after(source: Vec<Strict>, after: &Summary) -> Vec<Strict> {
    let reached: BTreeSet<FuncId> = Ways::of(after).order.into_iter().collect();
    let base = |symbol: &str| symbol.split('.').next().unwrap_or(symbol).to_owned();
    let cyclic: BTreeSet<String> =
        cycles(after).into_iter().flatten().filter(|id| reached.contains(id)).map(|id| base(&after.function(id).symbol)).collect();
    let calls: Vec<&Option<Place>> = reached.iter().flat_map(|&id| &after.function(id).indirect).map(|indirect| &indirect.place).collect();
    let remains = |one: &Strict| match &one.kind {
        // Optimisation may have renamed a copy of the function.
        StrictKind::Recursion { symbols, .. } => symbols.iter().any(|symbol| cyclic.contains(&base(symbol))),
        StrictKind::VirtualCall | StrictKind::FunctionPointer => calls.iter().any(|place| is_same(&one.at, place)),
    };
    source.into_iter().filter(remains).collect()
}

/// The optimised module spells files as its debug info does. A call without a place may be any.
fn is_same(a: &Option<Place>, b: &Option<Place>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return true };
    let name = |place: &Place| place.file.rsplit('/').next().unwrap_or_default().to_owned();
    (a.line, a.column, name(a)) == (b.line, b.column, name(b))
}

/// The cycles of calls by name.
fn cycles(summary: &Summary) -> Vec<BTreeSet<FuncId>> {
    // A call through a pointer is one thing, recursion another.
    let by_name = |call: &Call| call.one_of.is_none();
    if summary.functions.iter().flat_map(|function| &function.calls).all(by_name) {
        return cycles_of(summary);
    }
    let mut direct = summary.clone();
    for function in &mut direct.functions {
        function.calls.retain(by_name);
    }
    cycles_of(&direct)
}

fn cycles_of(summary: &Summary) -> Vec<BTreeSet<FuncId>> {
    let calls_itself = |id: FuncId| summary.function(id).calls.iter().any(|call| call.callee == id);
    let cyclic = |component: &Vec<FuncId>| component.len() > 1 || component.first().is_some_and(|&id| calls_itself(id));
    components(summary).into_iter().filter(cyclic).map(|component| component.into_iter().collect()).collect()
}

impl Summary {
    /// The same program with the calls by name that are left after optimisation, as far as units were compiled so.
    fn after_optimisation(&self) -> Summary {
        let mut out = self.clone();
        for function in &mut out.functions {
            match &function.optimized {
                Some(optimized) => {
                    let reached = optimized.reaches.iter().map(|&callee| Call { callee, place: None, one_of: None });
                    function.calls = reached.collect();
                }
                None => function.calls.retain(|call| call.one_of.is_none()),
            }
        }
        out
    }
}

/// How functions are reached: by the shortest way, from kernels first.
struct Ways<'s> {
    summary: &'s Summary,
    /// Who calls it, and where; `None` for entry points.
    from: BTreeMap<FuncId, Option<(FuncId, Option<Place>)>>,
    order: Vec<FuncId>,
    bodies: BTreeSet<FuncId>,
}

impl<'s> Ways<'s> {
    fn of(summary: &'s Summary) -> Ways<'s> {
        Ways::from_entries(summary, |_| true)
    }

    fn from_entries(summary: &'s Summary, counts: impl Fn(&Function) -> bool) -> Ways<'s> {
        let kernels = summary.iter().filter(|(_, function)| matches!(function.role, Role::Kernel(_)));
        let others = summary.iter().filter(|(_, function)| !matches!(function.role, Role::Kernel(_)));
        let entries = kernels.chain(others).filter(|(_, function)| is_entry_point(function) && counts(function)).map(|(id, _)| id);
        let mut ways = Ways { summary, from: BTreeMap::new(), order: Vec::new(), bodies: BTreeSet::new() };
        // An exported function that a kernel calls is reached from that kernel.
        for entry in entries {
            if let Role::Kernel(kernel) = &summary.function(entry).role {
                ways.bodies.extend(kernel.body);
            }
            if let Entry::Vacant(unseen) = ways.from.entry(entry) {
                unseen.insert(None);
                ways.follow(entry);
            }
        }
        ways
    }

    fn follow(&mut self, entry: FuncId) {
        let mut queue = VecDeque::from([entry]);
        while let Some(id) = queue.pop_front() {
            self.order.push(id);
            for call in &self.summary.function(id).calls {
                self.from.entry(call.callee).or_insert_with(|| {
                    queue.push_back(call.callee);
                    Some((id, call.place.clone()))
                });
            }
        }
    }

    fn first_of(&self, cycle: &BTreeSet<FuncId>) -> Option<FuncId> {
        self.order.iter().copied().find(|id| cycle.contains(id))
    }

    /// From `id` around the cycle and back, by the shortest way.
    fn recursion(&self, id: FuncId, cycle: &BTreeSet<FuncId>) -> Strict {
        let mut from: BTreeMap<FuncId, (FuncId, Option<Place>)> = BTreeMap::new();
        let mut queue = VecDeque::from([id]);
        while let (Some(at), false) = (queue.pop_front(), from.contains_key(&id)) {
            for call in self.summary.function(at).calls.iter().filter(|call| call.one_of.is_none() && cycle.contains(&call.callee)) {
                from.entry(call.callee).or_insert_with(|| {
                    queue.push_back(call.callee);
                    (at, call.place.clone())
                });
            }
        }
        let mut round = Vec::new();
        let mut at = id;
        while let Some((caller, place)) = from.get(&at) {
            round.push((at, place.clone()));
            at = *caller;
            if at == id {
                break;
            }
        }
        round.reverse();
        let name = |id: FuncId| self.summary.function(id).name.clone();
        // The call that closes the cycle, in the last function before `id` comes again.
        let by = round.iter().rev().nth(1).map(|(last, _)| name(*last));
        let symbols = cycle.iter().map(|&id| self.summary.function(id).symbol.clone()).collect();
        let place = round.last().and_then(|(_, place)| place.clone());
        self.finding(id, StrictKind::Recursion { by, symbols }, place, round)
    }

    /// `further`: the calls behind `id`, whose last one stands at `at`.
    fn finding(&self, id: FuncId, kind: StrictKind, at: Option<Place>, further: Vec<(FuncId, Option<Place>)>) -> Strict {
        // From the entry's user code down; each function with the place of its call.
        let mut way: Vec<(FuncId, Option<Place>)> = Vec::new();
        let mut last = id;
        while let Some(Some((caller, place))) = self.from.get(&last).filter(|_| !self.bodies.contains(&last)) {
            way.push((last, place.clone()));
            last = *caller;
        }
        way.push((last, None));
        way.reverse();
        way.extend(further);
        let step = |(id, place): &(FuncId, Option<Place>)| Step {
            function: self.summary.function(*id).name.clone(),
            place: place.clone(),
            remark: None,
        };
        // What a function does: its call of the next one, the last one's is what this is about.
        let deeds = way.iter().map(|(id, _)| *id).zip(way.iter().skip(1).map(|(_, place)| place.clone()).chain([at.clone()]));
        let deeds: Vec<(FuncId, Option<Place>)> = deeds.collect();
        // The last step of a recursion is the function that comes again; what it does is told already.
        let deeds = if matches!(kind, StrictKind::Recursion { .. }) { &deeds[..deeds.len() - 1] } else { &deeds[..] };
        let users = deeds.iter().rev().find(|(id, place)| place.is_some() && !self.summary.function(*id).system);
        let place = users.and_then(|(_, place)| place.clone()).or_else(|| at.clone());
        Strict { kind, function: self.summary.function(id).name.clone(), place, at, chain: way.iter().map(step).collect(), pragma: None }
    }
}
