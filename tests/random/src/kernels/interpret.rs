//! Carries a kernel out, statement by statement, for all items of a group at once: the reference that the compiled kernel is compared with.
//!
//! A statement gets the items that come to it. Those that leave a loop or a function wait for its end, those that return from the kernel are
//! over. Where items must come together, all that are not over must be there. A kernel that breaks a rule of SYCL is refused with the
//! statement that broke it, so that generator and shrinker may try things and leave out what is wrong.

use super::arithmetic::{binary, cast, compare, cut, exact, mix, observed, unary};
use super::ast::{Argument, Expr, Id, Kernel, Kind, Launch, Op, Place, Scalar, Stmt, Type, U32, Vector};
use super::memory::{Access, How, Memory};

/// Why a kernel is none, and at which statement (its place in memory, for `shrink::position`).
#[derive(Debug)]
pub struct Invalid {
    pub at: *const Stmt,
    pub why: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Run,
    Break,
    Continue,
    Return,
    Ended,
}

/// Variables of one function, each as its numbers.
type Frame = Vec<Vec<u64>>;

pub(super) struct Item {
    pub flow: Flow,
    pub frames: Vec<Frame>,
    global: usize,
    sub_group: usize,
    ids: [u64; 7],
    /// Where its result goes.
    out: usize,
}

pub(super) struct Machine<'k> {
    pub kernel: &'k Kernel,
    pub memory: Memory<'k>,
    pub items: Vec<Item>,
    /// The function that is carried out.
    function: Option<usize>,
    group: usize,
    /// Barriers of the group that order local and global memory, and of each sub-group.
    epochs: [u32; 2],
    sub_epochs: Vec<u32>,
    at: *const Stmt,
    fuel: u64,
}

/// What must be in memory after the launch: of each region that the host compares, by its index, and the items' results.
pub struct Outcome {
    pub out: Vec<u64>,
    pub regions: Vec<(usize, Vec<u64>)>,
    pub steps: u64,
}

const FUEL: u64 = 4_000_000;

pub(super) type Step<T> = Result<T, &'static str>;

/// What the kernel does.
pub fn interpret(kernel: &Kernel) -> Result<Outcome, Invalid> {
    let memory = Memory::new(&kernel.regions, kernel.seed);
    let mut machine = Machine {
        kernel,
        memory,
        items: Vec::new(),
        function: None,
        group: 0,
        epochs: [0; 2],
        sub_epochs: Vec::new(),
        at: std::ptr::null(),
        fuel: FUEL,
    };
    let mut out = vec![0; kernel.launch.items()];
    for group in 0..kernel.launch.groups() {
        machine.enter(group);
        let all: Vec<usize> = (0..machine.items.len()).collect();
        let body = &kernel.body;
        machine.block(body, &all).map_err(|why| Invalid { at: machine.at, why })?;
        for index in all {
            out[machine.items[index].out] = machine.result(index);
        }
    }
    let compared = |region: &usize| !matches!(kernel.regions[*region].kind, Kind::Local | Kind::Input);
    let regions = (0..kernel.regions.len()).filter(compared).map(|region| (region, machine.memory.content(region))).collect();
    Ok(Outcome { out, regions, steps: FUEL - machine.fuel })
}

impl<'k> Machine<'k> {
    fn enter(&mut self, group: usize) {
        self.memory.next_group();
        self.group = group;
        let size = self.kernel.launch.group_size();
        let (local, groups) = match &self.kernel.launch {
            Launch::NdRange { local, groups } => (local.clone(), groups.clone()),
            Launch::Range(sizes) => (vec![1; sizes.len()], sizes.clone()),
            Launch::SingleTask => (vec![1], vec![1]),
        };
        let of_group = position(group, &groups);
        let frame: Frame = self.kernel.variables.iter().map(|variable| vec![0; self.kernel.cells(&variable.ty).len()]).collect();
        self.items.clear();
        for index in 0..size {
            let of_item = position(index, &local);
            let mut out = 0;
            for dimension in 0..local.len() {
                out = out * local[dimension] * groups[dimension] + of_group[dimension] * local[dimension] + of_item[dimension];
            }
            let global = group * size + index;
            let last = if size == 1 && !matches!(self.kernel.launch, Launch::NdRange { .. }) { of_group.last() } else { of_item.last() };
            let sub_group = index / self.kernel.sub_group.max(1);
            let ids = [index, global, group, size, *last.unwrap_or(&0), of_group[0], sub_group].map(|id| id as u64);
            self.items.push(Item { flow: Flow::Run, frames: vec![frame.clone()], global, sub_group, ids, out });
        }
        self.sub_epochs = vec![0; size];
    }

    fn result(&self, index: usize) -> u64 {
        let mut hash = 0;
        for &variable in &self.kernel.observed {
            let scalars = self.kernel.cells(&self.kernel.variables[variable].ty);
            for (scalar, bits) in scalars.into_iter().zip(&self.items[index].frames[0][variable]) {
                hash = mix(hash, observed(scalar, *bits));
            }
        }
        hash
    }

    pub(super) fn sub_group(&self, item: usize) -> usize {
        self.items[item].sub_group
    }

    pub(super) fn barrier(&mut self, local: bool, global: bool) {
        self.epochs[0] += u32::from(local);
        self.epochs[1] += u32::from(global);
    }

    pub(super) fn sub_barrier(&mut self, sub_group: usize) {
        self.sub_epochs[sub_group] += 1;
    }

    /// Type of a variable of the function that is carried out.
    pub(super) fn ty(&self, variable: usize) -> &'k Type {
        let variables = self.function.map_or(&self.kernel.variables, |function| &self.kernel.functions[function].variables);
        &variables[variable].ty
    }

    pub(super) fn frame(&mut self, item: usize) -> &mut Frame {
        self.items[item].frames.last_mut().expect("an item has the kernel's frame")
    }

    /// An index into a variable's numbers.
    pub(super) fn cell(&mut self, item: usize, place: &Place) -> Step<usize> {
        let (first, count) = self.kernel.range(self.ty(place.variable), place.field);
        Ok(match &place.index {
            Some(index) => first + self.eval(item, index)? as usize % count,
            None => first,
        })
    }

    pub(super) fn set(&mut self, item: usize, place: &Place, value: u64) -> Step<()> {
        let cell = self.cell(item, place)?;
        self.frame(item)[place.variable][cell] = value;
        Ok(())
    }

    pub(super) fn touch(&mut self, item: usize, region: usize, at: usize, how: How, value: u64) -> Step<u64> {
        let of = &self.items[item];
        let epoch = self.epochs[usize::from(self.kernel.regions[region].kind != Kind::Local)];
        let sub_epoch = self.sub_epochs[of.sub_group];
        let access = Access { how, item: of.global, group: self.group, sub_group: of.sub_group, epoch, sub_epoch };
        self.memory.touch(region, at, access, value)
    }

    /// A write of which nobody knows which item does it, so that it is in order with no access of this epoch.
    pub(super) fn touch_as_group(&mut self, region: usize, at: usize, value: u64) -> Step<u64> {
        let nobody = usize::MAX - self.group;
        let access = Access { how: How::Write, item: nobody, group: self.group, sub_group: nobody, epoch: self.epochs[0], sub_epoch: 0 };
        self.memory.touch(region, at, access, value)
    }

    fn id(&self, item: usize, id: Id) -> u64 {
        self.items[item].ids[id as usize]
    }

    pub(super) fn eval(&mut self, item: usize, expr: &Expr) -> Step<u64> {
        self.fuel = self.fuel.checked_sub(1).ok_or("the kernel runs too long")?;
        const INEXACT: &str = "arithmetic is not exact";
        Ok(match expr {
            Expr::Lit(_, bits) => *bits,
            Expr::Id(Id::SubGroup) if self.kernel.sub_group == 0 => return Err("no size of sub-groups is required"),
            Expr::Id(id) => self.id(item, *id),
            Expr::Argument(index) => self.kernel.arguments[*index].1,
            Expr::Constant(index) => {
                let (_, default, set) = self.kernel.constants[*index];
                set.unwrap_or(default)
            }
            Expr::Place(_, place) => {
                let cell = self.cell(item, place)?;
                self.frame(item)[place.variable][cell]
            }
            Expr::Load(region, index) => {
                let at = self.eval(item, index)? as usize % self.kernel.regions[*region].length;
                self.touch(item, *region, at, How::Read, 0)?
            }
            Expr::Zero(_) => 0,
            Expr::Unary(op, scalar, a) => unary(*op, *scalar, self.eval(item, a)?),
            Expr::Binary(op, scalar, a, b) => {
                let (a, b) = (self.eval(item, a)?, self.eval(item, b)?);
                binary(*op, *scalar, a, b).ok_or(INEXACT)?
            }
            Expr::Compare(comparison, scalar, a, b) => {
                let (a, b) = (self.eval(item, a)?, self.eval(item, b)?);
                compare(*comparison, *scalar, a, b).into()
            }
            Expr::Logic(and, a, b) => {
                let a = self.eval(item, a)? != 0;
                if a == *and { self.eval(item, b)? } else { a.into() }
            }
            Expr::LogicNot(a) => u64::from(self.eval(item, a)? == 0),
            Expr::Select(_, condition, a, b) => {
                let chosen = if self.eval(item, condition)? != 0 { a } else { b };
                self.eval(item, chosen)?
            }
            Expr::Cast(to, from, a) => cast(*to, *from, self.eval(item, a)?).ok_or(INEXACT)?,
            Expr::ToFloat(scalar, bits, shift, a) => {
                let value = (self.eval(item, a)? & ((1 << bits) - 1)) as f64 / f64::from(1u32 << shift);
                exact(*scalar, value).ok_or(INEXACT)?
            }
        })
    }

    /// The items of a statement's that go on.
    pub(super) fn running(&self, items: &[usize]) -> Vec<usize> {
        items.iter().copied().filter(|&item| self.items[item].flow == Flow::Run).collect()
    }

    fn block(&mut self, body: &'k [Stmt], items: &[usize]) -> Step<()> {
        for stmt in body {
            let items = self.running(items);
            if items.is_empty() {
                break;
            }
            self.at = stmt;
            self.stmt(stmt, &items)?;
        }
        Ok(())
    }

    fn split(&mut self, condition: &Expr, items: &[usize]) -> Step<(Vec<usize>, Vec<usize>)> {
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for &item in items {
            if self.eval(item, condition)? != 0 { yes.push(item) } else { no.push(item) }
        }
        Ok((yes, no))
    }

    fn go_on(&mut self, items: &[usize], after: &[Flow]) {
        for &item in items {
            if after.contains(&self.items[item].flow) {
                self.items[item].flow = Flow::Run;
            }
        }
    }

    fn stmt(&mut self, stmt: &'k Stmt, items: &[usize]) -> Step<()> {
        match stmt {
            Stmt::Let(variable) => {
                for &item in items {
                    self.frame(item)[*variable].fill(0);
                }
            }
            Stmt::Assign(place, value) => {
                for &item in items {
                    let value = self.eval(item, value)?;
                    self.set(item, place, value)?;
                }
            }
            Stmt::Copy(to, from) => {
                for &item in items {
                    self.frame(item)[*to] = self.items[item].frames.last().expect("a frame")[*from].clone();
                }
            }
            Stmt::VectorOp(variable, op, by) => {
                let Type::Vector(kind, scalar, _) = *self.ty(*variable) else { return Err("no vector") };
                if kind == Vector::Marray && scalar.is_float() {
                    return Err("not offered");
                }
                for &item in items {
                    let by = self.eval(item, by)?;
                    for cell in 0..self.frame(item)[*variable].len() {
                        let old = self.frame(item)[*variable][cell];
                        self.frame(item)[*variable][cell] = binary(*op, scalar, old, by).ok_or("arithmetic is not exact")?;
                    }
                }
            }
            Stmt::Swizzle(variable, from) => {
                for &item in items {
                    let old = self.frame(item)[*variable].clone();
                    self.frame(item)[*variable] = from.iter().map(|&from| old[from]).collect();
                }
            }
            Stmt::Store(region, index, value) | Stmt::Atomic(region, _, index, value) => {
                let how = if let Stmt::Atomic(_, op, ..) = stmt { How::Atomic(*op) } else { How::Write };
                for &item in items {
                    let at = self.eval(item, index)? as usize % self.kernel.regions[*region].length;
                    let value = self.eval(item, value)?;
                    self.touch(item, *region, at, how, value)?;
                }
            }
            Stmt::If(condition, then, otherwise) => {
                let (yes, no) = self.split(condition, items)?;
                self.block(then, &yes)?;
                self.block(otherwise, &no)?;
            }
            Stmt::IfDeviceHas(has, then, otherwise) => self.block(if *has { then } else { otherwise }, items)?,
            Stmt::For { .. } | Stmt::DoWhile { .. } => self.repeat(stmt, items)?,
            Stmt::Switch(value, cases, default) => {
                let mut chosen = vec![Vec::new(); cases.len() + 1];
                for &item in items {
                    let value = cut(U32, self.eval(item, value)?.into());
                    chosen[cases.iter().position(|case| case.0 == value).unwrap_or(cases.len())].push(item);
                }
                for case in 0..=cases.len() {
                    let body = cases.get(case).map_or(default, |case| &case.1);
                    let here = std::mem::take(&mut chosen[case]);
                    self.block(body, &here)?;
                    if cases.get(case).is_some_and(|case| case.2) {
                        let on = self.running(&here);
                        chosen[case + 1].extend(on);
                        chosen[case + 1].sort_unstable();
                    }
                }
                self.go_on(items, &[Flow::Break]);
            }
            Stmt::Break | Stmt::Continue | Stmt::Return => {
                let flow = match stmt {
                    Stmt::Break => Flow::Break,
                    Stmt::Continue => Flow::Continue,
                    _ if self.function.is_some() => Flow::Return,
                    _ => Flow::Ended,
                };
                items.iter().for_each(|&item| self.items[item].flow = flow);
            }
            Stmt::Together(collective) => self.together(collective, items)?,
            Stmt::Call { function, arguments, to } => self.call(*function, arguments, *to, items)?,
        }
        Ok(())
    }

    fn repeat(&mut self, stmt: &'k Stmt, items: &[usize]) -> Step<()> {
        let (variable, bound, body) = match stmt {
            Stmt::For { variable, bound, body, .. } | Stmt::DoWhile { variable, bound, body, .. } => (*variable, bound, body),
            _ => return Ok(()),
        };
        let counts_down = !matches!(stmt, Stmt::For { down: false, .. });
        for &item in items {
            let first = if counts_down { cut(U32, self.eval(item, bound)?.into()) } else { 0 };
            self.frame(item)[variable][0] = first;
        }
        let mut inside = items.to_vec();
        let mut first_time = matches!(stmt, Stmt::DoWhile { .. });
        loop {
            self.at = stmt;
            let mut again = Vec::new();
            for item in inside {
                let count = self.frame(item)[variable][0];
                let goes_on = match stmt {
                    _ if first_time => true,
                    Stmt::For { down: false, .. } => count < cut(U32, self.eval(item, bound)?.into()),
                    Stmt::DoWhile { cond, .. } => {
                        self.frame(item)[variable][0] = cut(U32, i128::from(count) - 1);
                        count > 0 && self.eval(item, cond)? != 0
                    }
                    _ => {
                        self.frame(item)[variable][0] = cut(U32, i128::from(count) - 1);
                        count > 0
                    }
                };
                if goes_on {
                    again.push(item);
                }
            }
            first_time = false;
            inside = again;
            if inside.is_empty() {
                break;
            }
            self.block(body, &inside)?;
            self.go_on(&inside, &[Flow::Continue]);
            inside = self.running(&inside);
            if let Stmt::For { down: false, .. } = stmt {
                for &item in &inside {
                    self.frame(item)[variable][0] += 1;
                }
            }
        }
        self.go_on(items, &[Flow::Break]);
        Ok(())
    }

    fn call(&mut self, function: usize, arguments: &'k [Argument], to: Option<usize>, items: &[usize]) -> Step<()> {
        let callee = &self.kernel.functions[function];
        for &item in items {
            let mut frame: Frame = callee.variables.iter().map(|variable| vec![0; self.kernel.cells(&variable.ty).len()]).collect();
            for (index, argument) in arguments.iter().enumerate() {
                frame[index] = match argument {
                    Argument::Value(value) => vec![self.eval(item, value)?],
                    Argument::Variable(variable) => self.frame(item)[*variable].clone(),
                };
            }
            self.items[item].frames.push(frame);
        }
        let (caller, at) = (self.function.replace(function), self.at);
        self.block(&callee.body, items)?;
        self.go_on(items, &[Flow::Return]);
        (self.function, self.at) = (caller, at);
        for &item in items {
            let mut frame = self.items[item].frames.pop().expect("the function's frame");
            for (index, argument) in arguments.iter().enumerate() {
                if let (Argument::Variable(variable), true) = (argument, callee.parameters[index]) {
                    self.frame(item)[*variable] = std::mem::take(&mut frame[index]);
                }
            }
            if let Some(to) = to {
                self.frame(item)[to] = std::mem::take(&mut frame[arguments.len()]);
            }
        }
        Ok(())
    }

    /// An operation of a group's algorithm.
    pub(super) fn fold(op: Op, scalar: Scalar, a: u64, b: u64) -> Step<u64> {
        binary(op, scalar, a, b).ok_or("arithmetic is not exact")
    }
}

/// A linear number taken apart, the last dimension fastest.
fn position(mut linear: usize, sizes: &[usize]) -> Vec<usize> {
    let mut out = vec![0; sizes.len()];
    for dimension in (0..sizes.len()).rev() {
        out[dimension] = linear % sizes[dimension];
        linear /= sizes[dimension];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::ast::{Collective, Comparison, Region, Scope};
    use super::super::{ALL, emit, generate};
    use super::*;

    /// A kernel of four items with a place of local memory each.
    fn kernel(body: Vec<Stmt>) -> Kernel {
        Kernel {
            seed: 1,
            launch: Launch::NdRange { local: vec![4], groups: vec![1] },
            sub_group: 2,
            required_group: false,
            buffers: false,
            structs: Vec::new(),
            regions: vec![Region { kind: Kind::Local, scalar: U32, length: 4 }],
            arguments: Vec::new(),
            constants: Vec::new(),
            variables: vec![super::super::ast::Variable { ty: Type::Scalar(U32), scoped: false }],
            functions: Vec::new(),
            body,
            observed: vec![0],
        }
    }

    #[test]
    fn kernels_that_break_a_rule_are_refused() {
        let own = || Expr::Id(Id::Local);
        let next = || Expr::Binary(Op::Add, U32, own().boxed(), Expr::u32(1).boxed());
        let store = |at: Expr| Stmt::Store(0, at, own());
        let to = || Place { variable: 0, field: None, index: None };
        let load = |at: Expr| Stmt::Assign(to(), Expr::Load(0, at.boxed()));
        let barrier = |scope| Stmt::Together(Collective::Barrier(scope, 0));
        let below = |most| Expr::Compare(Comparison::Less, U32, own().boxed(), Expr::u32(most).boxed());
        let pair = || Expr::Binary(Op::Xor, U32, own().boxed(), Expr::u32(1).boxed());
        for (body, why) in [
            (vec![store(own()), barrier(Scope::Group), load(next())], ""),
            (vec![store(own()), load(next())], "a data race"),
            (vec![store(Expr::u32(0))], "a data race"),
            (vec![Stmt::Atomic(0, Op::Add, Expr::u32(0), own())], "memory is read that nobody wrote"),
            (vec![load(own())], "memory is read that nobody wrote"),
            (vec![store(own()), barrier(Scope::SubGroup), load(pair())], ""),
            (vec![store(own()), barrier(Scope::SubGroup), load(next())], "a data race"),
            (vec![Stmt::If(below(2), vec![barrier(Scope::Group)], Vec::new())], "not all items of the group are there"),
            (vec![Stmt::If(below(2), vec![barrier(Scope::SubGroup)], Vec::new())], ""),
            (vec![Stmt::If(below(1), vec![barrier(Scope::SubGroup)], Vec::new())], "not all items of the group are there"),
            (vec![Stmt::If(below(2), vec![Stmt::Return], Vec::new()), barrier(Scope::Group)], ""),
            (
                vec![
                    Stmt::If(below(2), vec![Stmt::Return], Vec::new()),
                    Stmt::Together(Collective::Broadcast { scope: Scope::Group, variable: 0, from: Expr::u32(0) }),
                ],
                "a broadcast from different items, or from one that has returned",
            ),
        ] {
            let said = interpret(&kernel(body.clone())).map_or_else(|invalid| invalid.why, |_| "");
            assert_eq!(said, why, "{body:?}");
        }
    }

    #[test]
    fn items_do_what_is_written() {
        let to = || Place { variable: 0, field: None, index: None };
        let own = || Expr::Id(Id::Local);
        let scan = |inclusive, init: Option<u64>| {
            let init = init.map(Expr::u32);
            Stmt::Together(Collective::Scan { scope: Scope::SubGroup, inclusive, to: to(), scalar: U32, op: Op::Add, value: own(), init })
        };
        let with = |op, by| Stmt::Assign(to(), Expr::Binary(op, U32, Expr::Place(U32, to()).boxed(), Expr::u32(by).boxed()));
        for (body, expected) in [
            (vec![Stmt::Assign(to(), own())], [0, 1, 2, 3]),
            (vec![scan(true, None)], [0, 1, 2, 5]),
            (vec![scan(false, Some(7))], [7, 7, 7, 9]),
            (vec![Stmt::For { variable: 0, bound: own(), down: false, body: Vec::new() }], [0, 1, 2, 3]),
            (vec![Stmt::Switch(own(), vec![(1, vec![with(Op::Add, 5)], true), (2, vec![with(Op::Add, 9)], false)], vec![])], [0, 14, 9, 0]),
        ] {
            let outcome = interpret(&kernel(body.clone())).expect("a kernel");
            let expected = expected.map(|value| mix(0, value));
            assert_eq!(outcome.out, expected, "{body:?}");
        }
    }

    #[test]
    fn a_seed_is_a_kernel() {
        for seed in 1..30 {
            let text = || {
                let (kernel, outcome) = generate::kernel(seed, &ALL);
                emit::kernel(0, &kernel, &outcome)
            };
            assert_eq!(text(), text());
        }
    }
}
