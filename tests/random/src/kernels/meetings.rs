//! Statements by which items of a group meet: exchanges through memory between barriers, and group algorithms.

use super::ast::*;
use super::statements::{Statements, whole};

impl Statements<'_> {
    /// Items give each other numbers through memory, between barriers.
    pub(super) fn exchange(&mut self) -> Vec<Stmt> {
        let m = &mut *self.maker;
        let locals = m.regions(Kind::Local);
        let region = locals[m.random.usize(0..2)];
        let scalar = m.kernel.regions[region].scalar;
        let (local, size) = (Expr::Id(Id::Local), m.kernel.launch.group_size() as u64);
        let value = m.value(scalar);
        let shifted = |by: u64| Expr::Binary(Op::Add, U32, Expr::Id(Id::Local).boxed(), Expr::u32(by).boxed());
        let load = |index: Expr| Expr::Load(region, index.boxed());
        match m.random.u32(0..9) {
            0 | 1 => {
                let by = m.random.u64(0..size + 3);
                let read = load(shifted(by));
                vec![self.barrier(), Stmt::Store(region, local, value), self.barrier(), self.note(read)]
            }
            2 => {
                // Reversed, and read from two places.
                let back = Expr::Binary(Op::Sub, U32, Expr::u32(size - 1).boxed(), local.clone().boxed());
                let far = Expr::Binary(Op::Mul, U32, local.clone().boxed(), Expr::u32(3).boxed());
                vec![self.barrier(), Stmt::Store(region, back, value), self.barrier(), self.note(load(local)), self.note(load(far))]
            }
            3 if !scalar.is_float() => {
                // A tree.
                let (variable, op) = (self.counter(), self.maker.pick(&[Op::Add, Op::Xor, Op::Max]));
                let half = |variable| Expr::Place(U32, whole(variable));
                let there = Expr::Binary(Op::Add, U32, local.clone().boxed(), half(variable).boxed());
                let inside = Expr::Compare(Comparison::Less, U32, local.clone().boxed(), half(variable).boxed());
                let both = Expr::Logic(
                    true,
                    inside.boxed(),
                    Expr::Compare(Comparison::Less, U32, there.clone().boxed(), Expr::u32(size).boxed()).boxed(),
                );
                let sum = Expr::Binary(op, scalar, load(local.clone()).boxed(), load(there).boxed());
                let body = vec![Stmt::If(both, vec![Stmt::Store(region, local.clone(), sum)], Vec::new()), self.barrier()];
                // The counter goes down by ones; every step folds what lies that far away: not a reduction, but of the same shape.
                let bound = Expr::u32(size.min(6));
                let result = self.note(load(Expr::u32(0)));
                vec![
                    self.barrier(),
                    Stmt::Store(region, local, value),
                    self.barrier(),
                    Stmt::For { variable, bound, down: true, body },
                    result,
                ]
            }
            4 => {
                // A stencil, some steps: read, barrier, write, barrier.
                let (variable, kept) = (self.counter(), self.maker.names.add(Type::Scalar(scalar), false));
                let read = Stmt::Assign(whole(kept), load(shifted(1)));
                let new = if scalar.is_float() {
                    Expr::Place(scalar, whole(kept))
                } else {
                    let old = load(local.clone());
                    Expr::Binary(Op::Add, scalar, Expr::Place(scalar, whole(kept)).boxed(), old.boxed())
                };
                let mut body = vec![read, self.barrier(), Stmt::Store(region, local.clone(), new), self.barrier()];
                if self.maker.chance(40) {
                    body.push(self.item(1, &mut Vec::new()));
                }
                let bound = self.maker.uniform_below(4);
                let result = self.note(load(local.clone()));
                vec![
                    self.barrier(),
                    Stmt::Store(region, local, value),
                    self.barrier(),
                    Stmt::For { variable, bound, down: false, body },
                    result,
                ]
            }
            5 => {
                // A histogram, by atomics on local memory.
                let histogram = locals[2];
                let index = m.expr(U32, 1);
                let value = m.expr(U32, 1);
                let clear = Stmt::If(
                    Expr::Compare(Comparison::Less, U32, local.clone().boxed(), Expr::u32(16).boxed()),
                    vec![Stmt::Store(histogram, local.clone(), Expr::u32(0))],
                    Vec::new(),
                );
                let rest = Stmt::If(
                    Expr::Compare(Comparison::Equal, U32, local.boxed(), Expr::u32(0).boxed()),
                    (size.min(16)..16).map(|at| Stmt::Store(histogram, Expr::u32(at), Expr::u32(at))).collect(),
                    Vec::new(),
                );
                let op = m.pick(&[Op::Add, Op::Xor, Op::Max]);
                let read = m.expr(U32, 1);
                let read = Expr::Load(histogram, read.boxed());
                let add = Stmt::Atomic(histogram, op, index, value);
                vec![self.barrier(), clear, rest, self.barrier(), add, self.barrier(), self.note(read)]
            }
            6 => {
                // Through global memory.
                let global = m.regions(Kind::Global)[0];
                let value = m.expr(U32, 0);
                let first = Expr::Binary(Op::Mul, U32, Expr::Id(Id::Group).boxed(), Expr::Id(Id::LocalSize).boxed());
                let neighbour = Expr::Binary(Op::Rem, U32, shifted(m.random.u64(1..9)).boxed(), Expr::u32(size).boxed());
                // `Rem` makes its divisor odd, which is another size: then it is the own number.
                let neighbour = if size % 2 == 1 { neighbour } else { local };
                let there = Expr::Binary(Op::Add, U32, first.boxed(), neighbour.boxed());
                let read = Expr::Load(global, there.boxed());
                let barrier = |spelling| Stmt::Together(Collective::Barrier(Scope::Group, spelling));
                let spelling = m.pick(&[0, 1, 3, 4]);
                vec![barrier(1), Stmt::Store(global, Expr::Id(Id::Global), value), barrier(spelling), self.note(read)]
            }
            7 => {
                let inputs: Vec<usize> =
                    m.regions(Kind::Input).into_iter().filter(|&input| m.kernel.regions[input].scalar == scalar).collect();
                let Some(from) = inputs.first().copied() else { return vec![self.barrier()] };
                let (stride, count) = (m.pick(&[1, 1, 2, 3]), m.random.usize(1..=(size as usize).min(30)));
                let offset = m.uniform(0);
                let read = load(Expr::Binary(Op::Rem, U32, local.boxed(), Expr::u32((count as u64 - 1) | 1).boxed()));
                let copy = Stmt::Together(Collective::Copy { to: region, from, offset, count, stride });
                vec![self.barrier(), copy, self.note(read)]
            }
            _ => {
                // One item says, all listen.
                let (at, uniforms) = (m.random.u64(0..size), m.names.uniforms.clone());
                let variable = m.pick(&uniforms);
                let says = Expr::Compare(Comparison::Equal, U32, local.boxed(), Expr::u32(at).boxed());
                let told = m.cast(U32, load(Expr::u32(at)));
                let say = Stmt::If(says, vec![Stmt::Store(region, Expr::u32(at), value)], Vec::new());
                vec![self.barrier(), say, self.barrier(), Stmt::Assign(whole(variable), told)]
            }
        }
    }

    /// Control flow that is the same within each sub-group only, around what sub-groups do.
    pub(super) fn sub_groups_part(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..self.maker.random.usize(1..4) {
            match self.maker.random.u32(0..4) {
                0 => body.push(self.item(1, &mut Vec::new())),
                1 => {
                    // Neighbours change numbers through local memory.
                    let region = self.maker.regions(Kind::Local)[0];
                    let value = self.maker.expr(U32, 1);
                    let other = Expr::Binary(Op::Xor, U32, Expr::Id(Id::Local).boxed(), Expr::u32(1).boxed());
                    let barrier = || Stmt::Together(Collective::Barrier(Scope::SubGroup, 0));
                    let read = self.note(Expr::Load(region, other.boxed()));
                    body.extend([barrier(), Stmt::Store(region, Expr::Id(Id::Local), value), barrier(), read]);
                }
                _ => body.extend(self.algorithm_of(Scope::SubGroup)),
            }
        }
        let m = &mut *self.maker;
        let number = Expr::Binary(Op::Add, U32, Expr::Id(Id::SubGroup).boxed(), m.uniform(1).boxed());
        let number = Expr::Binary(Op::Rem, U32, number.boxed(), Expr::u32(3).boxed());
        if m.chance(50) {
            let how = m.pick(&[Comparison::Equal, Comparison::NotEqual]);
            let otherwise = if m.chance(30) { self.algorithm_of(Scope::SubGroup) } else { Vec::new() };
            return vec![Stmt::If(Expr::Compare(how, U32, number.boxed(), Expr::u32(1).boxed()), body, otherwise)];
        }
        let variable = self.counter();
        vec![Stmt::For { variable, bound: number, down: self.maker.chance(50), body }]
    }

    pub(super) fn algorithm(&mut self) -> Vec<Stmt> {
        let by_sub_groups = self.maker.kernel.sub_group > 0 && self.maker.chance(50);
        self.algorithm_of(if by_sub_groups { Scope::SubGroup } else { Scope::Group })
    }

    fn algorithm_of(&mut self, scope: Scope) -> Vec<Stmt> {
        let m = &mut *self.maker;
        let scalar = m.pick(&[U32, U64, I32, I64, U16, U8, I8, I16, U32, U64, Scalar::F32, Scalar::F64]);
        let mut ops = vec![Op::Min, Op::Max];
        match scalar {
            Scalar::Int { signed: false, bits } => {
                ops.extend([Op::Add, Op::Add, Op::And, Op::Or, Op::Xor]);
                if bits >= 32 {
                    ops.push(Op::Mul);
                }
            }
            Scalar::Int { .. } => ops.extend([Op::And, Op::Or, Op::Xor]),
            _ => ops.push(Op::Add),
        }
        let op = m.pick(&ops);
        let result = m.names.add(Type::Scalar(scalar), false);
        let to = whole(result);
        let value = m.value(scalar);
        let noted = Expr::Place(scalar, to.clone());
        let collective = match m.random.u32(0..9) {
            0 | 1 => {
                let init = m.chance(30).then(|| m.literal(scalar));
                Collective::Reduce { scope, to, scalar, op, value, init }
            }
            2 | 3 => {
                let inclusive = m.chance(50);
                let init = (!inclusive || m.chance(40)).then(|| m.literal(scalar));
                Collective::Scan { scope, inclusive, to, scalar, op, value, init }
            }
            4 => {
                let flags = m.names.flags.clone();
                let flag = m.pick(&flags);
                let vote = m.pick(&[Vote::Any, Vote::All, Vote::None]);
                let value = m.condition(0);
                // What a sub-group votes is not the same for the group.
                let to = if scope == Scope::Group { whole(flag) } else { whole(m.names.add(Type::Scalar(Scalar::Bool), false)) };
                let noted = Expr::Place(Scalar::Bool, to.clone());
                return vec![Stmt::Together(Collective::Vote { scope, vote, to, value }), self.note(noted)];
            }
            5 if scope == Scope::SubGroup => {
                let shuffle = m.pick(&[Shuffle::Left, Shuffle::Right, Shuffle::Xor, Shuffle::Select]);
                let by = if shuffle == Shuffle::Select { m.expr(U32, 1) } else { m.uniform(1) };
                Collective::Shuffle { shuffle, variable: self.carried(), by }
            }
            5 | 6 => {
                let from = m.uniform(1);
                Collective::Broadcast { scope, variable: self.carried(), from }
            }
            7 if scope == Scope::Group => {
                let inputs = m.regions(Kind::Input);
                let region = inputs[0];
                let (count, init) = (m.random.usize(0..m.kernel.regions[region].length), m.literal(U32));
                let op = m.pick(&[Op::Add, Op::Xor, Op::Max]);
                let to = whole(m.names.add(Type::Scalar(U32), false));
                let noted = Expr::Place(U32, to.clone());
                return vec![Stmt::Together(Collective::JointReduce { to, region, count, op, init }), self.note(noted)];
            }
            _ if scope == Scope::SubGroup => Collective::Reduce { scope, to, scalar, op, value, init: None },
            _ => {
                // Becomes the same for all.
                let uniforms = m.names.uniforms.clone();
                let value = m.expr(U32, 0);
                let to = whole(m.pick(&uniforms));
                Collective::Reduce { scope: Scope::Group, to, scalar: U32, op: Op::Add, value, init: None }
            }
        };
        let noted = if noted_by(&collective) { Some(self.note(noted)) } else { None };
        [Stmt::Together(collective)].into_iter().chain(noted).collect()
    }

    /// A variable that a group hands around: a number, a vector or a struct.
    fn carried(&mut self) -> usize {
        let m = &mut *self.maker;
        let wholes: Vec<usize> =
            m.names.wholes.iter().copied().filter(|&variable| !matches!(m.names.variables[variable].ty, Type::Array(..))).collect();
        if !wholes.is_empty() && m.chance(50) {
            return m.pick(&wholes);
        }
        let scalars = m.names.scalars.clone();
        m.pick(&scalars).0
    }
}

/// Whether a collective's result is a variable of its own.
fn noted_by(collective: &Collective) -> bool {
    matches!(collective, Collective::Reduce { .. } | Collective::Scan { .. })
}
