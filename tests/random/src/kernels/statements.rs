//! Random statements: those that items do for themselves, and those of a whole group, with barriers.

use super::Features;
use super::ast::*;
use super::expressions::{Maker, Names};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Around {
    Loop,
    Switch,
}

pub struct Statements<'m> {
    pub maker: &'m mut Maker,
    pub features: &'m Features,
    /// Constructs around, of the group's control flow.
    pub loops: Vec<Around>,
    pub in_function: bool,
}

pub fn whole(variable: usize) -> Place {
    Place { variable, field: None, index: None }
}

impl Statements<'_> {
    pub(super) fn counter(&mut self) -> usize {
        self.maker.names.add(Type::Scalar(U32), false)
    }

    // --- of items ---

    /// A statement of one item; `inside` names the constructs around it that are its own.
    pub fn item(&mut self, depth: u32, inside: &mut Vec<Around>) -> Stmt {
        let m = &mut *self.maker;
        match m.random.u32(0..24) {
            0..9 => self.assign(),
            9 if depth < 3 => {
                let condition = m.condition(0);
                let then = self.items(depth + 1, inside);
                let otherwise = if self.maker.chance(50) { self.items(depth + 1, inside) } else { Vec::new() };
                Stmt::If(condition, then, otherwise)
            }
            10 | 11 if depth < 2 => {
                let (bound, down) = (m.expr(U32, 1), m.chance(30));
                let most = m.pick(&[3, 7, 9]);
                let bound = Expr::Binary(Op::Rem, U32, bound.boxed(), Expr::u32(most).boxed());
                // A bound that the body changes would be read again: counted down, it is not.
                let variable = self.counter();
                inside.push(Around::Loop);
                self.maker.names.counters.push(variable);
                let body = self.items(depth + 1, inside);
                self.maker.names.counters.pop();
                inside.pop();
                if !down && self.maker.chance(20) {
                    let cond = self.maker.condition(1);
                    return Stmt::DoWhile { variable, bound, body, cond };
                }
                Stmt::For { variable, bound, down, body }
            }
            12 if depth < 3 => {
                let value = m.expr(U32, 1);
                let value = Expr::Binary(Op::Rem, U32, value.boxed(), Expr::u32(5).boxed());
                inside.push(Around::Switch);
                let count = self.maker.random.u64(1..5);
                let cases = (0..count).map(|case| (case, self.items(depth + 1, inside), self.maker.chance(30))).collect();
                let default = self.items(depth + 1, inside);
                inside.pop();
                Stmt::Switch(value, cases, default)
            }
            13 if !inside.is_empty() => {
                let can_continue = inside.contains(&Around::Loop);
                let jump = if can_continue && m.chance(50) { Stmt::Continue } else { Stmt::Break };
                Stmt::If(m.condition(0), vec![jump], Vec::new())
            }
            14 | 15 if !m.names.wholes.is_empty() => {
                let wholes = m.names.wholes.clone();
                let variable = m.pick(&wholes);
                match m.names.variables[variable].ty.clone() {
                    Type::Vector(kind, _, count) if kind != Vector::Marray && m.chance(40) => {
                        Stmt::Swizzle(variable, (0..count).map(|_| m.random.usize(0..count)).collect())
                    }
                    Type::Vector(kind, scalar, _) => {
                        let ops: &[Op] = match kind {
                            _ if scalar.is_float() => &[Op::Add, Op::Mul],
                            Vector::Sycl => &[Op::Add, Op::Sub, Op::Mul, Op::Xor, Op::And, Op::Or, Op::Min, Op::Max],
                            _ => &[Op::Add, Op::Sub, Op::Mul, Op::Xor, Op::And, Op::Or],
                        };
                        // Signed overflow is undefined; of small types nothing overflows.
                        let ops = if matches!(scalar, Scalar::Int { signed: true, .. }) { &[Op::Xor, Op::And, Op::Or] } else { ops };
                        let op = m.pick(ops);
                        let value = m.value(scalar);
                        Stmt::VectorOp(variable, op, value)
                    }
                    _ => self.assign(),
                }
            }
            16 if m.names.wholes.len() > 1 => {
                let (to, wholes) = (m.names.wholes[0], m.names.wholes.clone());
                let same = |other: &&usize| **other != to && m.names.variables[**other].ty == m.names.variables[to].ty;
                match wholes.iter().find(same) {
                    Some(from) => Stmt::Copy(to, *from),
                    None => self.assign(),
                }
            }
            17 | 18 if depth < 3 => self.call(false).unwrap_or_else(|| self.assign()),
            19 if m.names.group => self.atomic(),
            20 if m.names.kernel && inside.is_empty() && depth == 0 => {
                let (then, otherwise) = (vec![self.assign(), self.assign()], vec![self.assign()]);
                Stmt::IfDeviceHas(self.maker.chance(60), then, otherwise)
            }
            21 if depth < 3 => {
                // A variable of a block of its own.
                let condition = m.condition(1);
                let scalar = m.pick(&INTEGERS);
                let before = m.names.scalars.clone();
                let variable = m.names.add(Type::Scalar(scalar), true);
                m.names.scalars.push((variable, scalar));
                let mut then = vec![Stmt::Let(variable)];
                then.extend(self.items(depth + 1, inside));
                then.push(self.assign());
                self.maker.names.scalars = before;
                Stmt::If(condition, then, Vec::new())
            }
            22 if self.in_function && depth > 0 => Stmt::If(m.condition(0), vec![Stmt::Return], Vec::new()),
            _ => self.assign(),
        }
    }

    fn items(&mut self, depth: u32, inside: &mut Vec<Around>) -> Vec<Stmt> {
        (0..self.maker.random.usize(1..4)).map(|_| self.item(depth, inside)).collect()
    }

    pub(super) fn assign(&mut self) -> Stmt {
        let (scalar, place) = self.maker.target();
        let value = self.maker.value(scalar);
        Stmt::Assign(place, value)
    }

    /// Adds something to a place, so that it counts.
    pub(super) fn note(&mut self, value: Expr) -> Stmt {
        let m = &mut *self.maker;
        let integers: Vec<(usize, Scalar)> = m.names.scalars.iter().copied().filter(|(_, scalar)| scalar.is_int()).collect();
        if integers.is_empty() {
            return self.assign();
        }
        let (variable, scalar) = m.pick(&integers);
        let op = m.pick(&[Op::Add, Op::Xor, Op::Sub]);
        let value = m.cast(scalar, value);
        let old = Expr::Place(scalar, whole(variable));
        Stmt::Assign(whole(variable), Expr::Binary(op, scalar, old.boxed(), value.boxed()))
    }

    /// Into the small global region, whose places have an operation each, or into a reduction.
    fn atomic(&mut self) -> Stmt {
        let m = &mut *self.maker;
        let reductions: Vec<(usize, Op)> = (0..m.kernel.regions.len())
            .filter_map(|index| if let Kind::Reduction(op) = m.kernel.regions[index].kind { Some((index, op)) } else { None })
            .collect();
        if !reductions.is_empty() && m.names.kernel && m.chance(70) {
            let (region, op) = m.pick(&reductions);
            let value = m.expr(m.kernel.regions[region].scalar, 1);
            return Stmt::Atomic(region, op, Expr::u32(0), value);
        }
        let region = m.regions(Kind::Global)[1];
        let at = m.random.u64(0..16);
        let op = [Op::Add, Op::Xor, Op::Min, Op::Max, Op::Or, Op::And][at as usize % 6];
        let value = m.expr(m.kernel.regions[region].scalar, 1);
        Stmt::Atomic(region, op, Expr::u32(at), value)
    }

    // --- functions ---

    /// A call of a function: one that is there already, or a new one. Not from within a function (no recursion, and no deep nesting).
    fn call(&mut self, group: bool) -> Option<Stmt> {
        if self.in_function && self.maker.chance(60) {
            return None;
        }
        let count = self.maker.kernel.functions.len();
        let known: Vec<usize> = (0..count).filter(|&index| self.maker.kernel.functions[index].group == group).collect();
        let function = if !known.is_empty() && (self.in_function || self.maker.chance(40)) {
            self.maker.pick(&known)
        } else if self.in_function || count > 2 {
            return None;
        } else {
            self.function(group)
        };
        let callee = self.maker.kernel.functions[function].clone();
        let mut arguments: Vec<Argument> = Vec::new();
        let mut taken = Vec::new();
        for (at, reference) in callee.parameters.iter().enumerate() {
            let ty = &callee.variables[at].ty;
            if let (Type::Scalar(scalar), false) = (ty, reference) {
                arguments.push(Argument::Value(self.maker.value(*scalar)));
                continue;
            }
            // A variable of that type that no other reference is to; else one of its own.
            let names = &self.maker.names;
            let all: Vec<usize> = names.wholes.iter().copied().chain(names.scalars.iter().map(|(variable, _)| *variable)).collect();
            let fits = |variable: &usize| names.variables[*variable].ty == *ty && !taken.contains(variable);
            let found = all.into_iter().find(fits);
            let variable = found.unwrap_or_else(|| {
                let variable = self.maker.names.add(ty.clone(), false);
                match ty {
                    Type::Scalar(scalar) => self.maker.names.scalars.push((variable, *scalar)),
                    _ => self.maker.names.wholes.push(variable),
                }
                variable
            });
            taken.push(variable);
            arguments.push(Argument::Variable(variable));
        }
        let result = callee.variables[callee.parameters.len()].ty.clone();
        let names = &mut self.maker.names;
        let of_type = |variable: &usize| names.variables[*variable].ty == result && !taken.contains(variable);
        let to = match &result {
            Type::Scalar(_) => names.scalars.iter().map(|(variable, _)| *variable).find(of_type),
            _ => names.wholes.iter().copied().find(of_type),
        };
        let to = to.unwrap_or_else(|| {
            let variable = names.add(result.clone(), false);
            match result {
                Type::Scalar(scalar) => names.scalars.push((variable, scalar)),
                _ => names.wholes.push(variable),
            }
            variable
        });
        Some(Stmt::Call { function, arguments, to: Some(to) })
    }

    fn function(&mut self, group: bool) -> usize {
        let names = Names { group, kernel: false, ..Names::default() };
        let outer = std::mem::replace(&mut self.maker.names, names);
        let (loops, in_function) = (std::mem::take(&mut self.loops), std::mem::replace(&mut self.in_function, true));
        let mut parameters = Vec::new();
        for _ in 0..self.maker.random.usize(1..=4) {
            let reference = self.maker.chance(25);
            let ty = match self.maker.chance(30) {
                true if reference => Type::Array(self.maker.pick(&[U8, U32, U64, Scalar::F32]), self.maker.random.usize(2..9)),
                _ => self.maker.any_type(self.features),
            };
            let variable = self.maker.names.add(ty.clone(), false);
            match ty {
                Type::Scalar(scalar) => self.maker.names.scalars.push((variable, scalar)),
                _ => self.maker.names.wholes.push(variable),
            }
            parameters.push(reference);
        }
        let result = self.maker.any_type(self.features);
        let variable = self.maker.names.add(result.clone(), false);
        match result {
            Type::Scalar(scalar) => self.maker.names.scalars.push((variable, scalar)),
            _ => self.maker.names.wholes.push(variable),
        }
        let known = self.maker.names.scalars.len();
        self.maker.variables(1, self.features);
        let first = self.maker.names.scalars.split_off(known);
        let parameters_own = std::mem::replace(&mut self.maker.names.scalars, first);
        let mut body = self.maker.beginnings();
        self.maker.names.scalars.splice(0..0, parameters_own);
        let mut budget = self.maker.random.i32(2..5);
        while budget > 0 {
            if group {
                body.extend(self.group(1, &mut budget));
            } else {
                budget -= 1;
                body.push(self.item(0, &mut Vec::new()));
            }
        }
        body.push(self.assign());
        let linkages: &[Linkage] =
            if self.maker.chance(50) { &[Linkage::NoInline] } else { &[Linkage::Inline, Linkage::Static, Linkage::External] };
        let linkage = self.maker.pick(linkages);
        // Only external functions are there in the other unit.
        let calls = super::tree::calls(&body);
        let stays = calls.iter().any(|&callee| self.maker.kernel.functions[callee].linkage != Linkage::External);
        let linkage = if linkage == Linkage::External && stays { Linkage::Static } else { linkage };
        let names = std::mem::replace(&mut self.maker.names, outer);
        (self.loops, self.in_function) = (loops, in_function);
        self.maker.kernel.functions.push(Function { variables: names.variables, parameters, linkage, group, body });
        self.maker.kernel.functions.len() - 1
    }

    // --- of the group ---

    pub(super) fn barrier(&mut self) -> Stmt {
        let spelling = self.maker.pick(&[0, 0, 1, 2, 4]);
        Stmt::Together(Collective::Barrier(Scope::Group, spelling))
    }

    fn groups(&mut self, depth: u32, budget: &mut i32, most: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        for _ in 0..self.maker.random.usize(1..=most) {
            out.extend(self.group(depth, budget));
        }
        out
    }

    /// Statements that all items of the group come to together.
    pub fn group(&mut self, depth: u32, budget: &mut i32) -> Vec<Stmt> {
        *budget -= 1;
        if *budget < -4 {
            return vec![self.assign()];
        }
        match self.maker.random.u32(0..34) {
            0..6 => vec![self.item(0, &mut Vec::new())],
            6..13 => self.exchange(),
            13..18 => self.algorithm(),
            18 => {
                let m = &mut *self.maker;
                let uniforms = m.names.uniforms.clone();
                let variable = m.pick(&uniforms);
                let value = Expr::Binary(Op::Add, U32, m.uniform(0).boxed(), Expr::Place(U32, whole(variable)).boxed());
                vec![Stmt::Assign(whole(variable), value)]
            }
            19 | 20 if depth < 4 => {
                let condition = self.maker.uniform_condition();
                let then = self.groups(depth + 1, budget, 3);
                let otherwise = if self.maker.chance(50) { self.groups(depth + 1, budget, 3) } else { Vec::new() };
                vec![Stmt::If(condition, then, otherwise)]
            }
            21..24 if depth < 3 => {
                let (bound, down) = (self.maker.uniform_below(4), self.maker.chance(40));
                let variable = self.counter();
                self.loops.push(Around::Loop);
                self.maker.names.counters.push(variable);
                let body = self.groups(depth + 1, budget, 3);
                self.maker.names.counters.pop();
                self.loops.pop();
                if self.maker.chance(20) {
                    let cond = self.maker.uniform_condition();
                    return vec![Stmt::DoWhile { variable, bound, body, cond }];
                }
                vec![Stmt::For { variable, bound, down, body }]
            }
            24 if depth < 3 => {
                let value = self.maker.uniform_below(5);
                self.loops.push(Around::Switch);
                let count = self.maker.random.u64(1..5);
                let cases = (0..count).map(|case| (case, self.groups(depth + 1, budget, 2), self.maker.chance(30))).collect();
                let default = self.groups(depth + 1, budget, 2);
                self.loops.pop();
                vec![Stmt::Switch(value, cases, default)]
            }
            25 if !self.loops.is_empty() => {
                let can_continue = self.loops.contains(&Around::Loop);
                let jump = if can_continue && self.maker.chance(50) { Stmt::Continue } else { Stmt::Break };
                vec![Stmt::If(self.maker.uniform_condition(), vec![jump], Vec::new())]
            }
            26 if self.maker.chance(40) => vec![Stmt::If(self.maker.uniform_condition(), vec![Stmt::Return], Vec::new())],
            27 if self.features.early_return && !self.in_function && self.maker.chance(60) => {
                vec![Stmt::If(self.maker.condition(0), vec![Stmt::Return], Vec::new())]
            }
            27 | 30 | 31 if self.maker.kernel.sub_group > 0 && depth < 3 => self.sub_groups_part(),
            28 | 29 if depth < 3 => self.call(true).map_or_else(|| self.exchange(), |call| vec![call]),
            _ => self.exchange(),
        }
    }

    /// Statements of kernels whose items never meet.
    pub fn alone(&mut self, budget: &mut i32) -> Vec<Stmt> {
        *budget -= 1;
        let m = &mut *self.maker;
        match m.random.u32(0..10) {
            0 => {
                let region = m.regions(Kind::Global)[0];
                let value = m.expr(U32, 0);
                let load = Expr::Load(region, Expr::Id(Id::Global).boxed());
                vec![Stmt::Store(region, Expr::Id(Id::Global), value), self.note(load)]
            }
            1 => vec![self.atomic()],
            2 => vec![Stmt::If(m.condition(0), vec![Stmt::Return], Vec::new())],
            _ => vec![self.item(0, &mut Vec::new())],
        }
    }
}
