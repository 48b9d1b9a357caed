//! Random expressions and places over what is in scope.

use super::ast::*;

/// What statements of a function may use.
#[derive(Clone, Default)]
pub struct Names {
    pub variables: Vec<Variable>,
    /// Numbers that statements of items change.
    pub scalars: Vec<(usize, Scalar)>,
    /// Numbers that are only read: counters of loops.
    pub counters: Vec<usize>,
    /// `std::uint32_t` and `bool` that are the same for all items of a group.
    pub uniforms: Vec<usize>,
    pub flags: Vec<usize>,
    /// Arrays, vectors and structs.
    pub wholes: Vec<usize>,
    /// Whether the item, memory and arguments are known, and specialization constants.
    pub group: bool,
    pub kernel: bool,
}

impl Names {
    pub fn add(&mut self, ty: Type, scoped: bool) -> usize {
        self.variables.push(Variable { ty, scoped });
        self.variables.len() - 1
    }
}

/// Random choices over a kernel that comes to be.
pub struct Maker {
    pub random: fastrand::Rng,
    pub kernel: Kernel,
    pub names: Names,
}

impl Maker {
    pub fn chance(&mut self, percent: u32) -> bool {
        self.random.u32(0..100) < percent
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.random.usize(0..from.len())].clone()
    }

    pub fn literal(&mut self, of: Scalar) -> Expr {
        let Scalar::Int { bits, .. } = of else {
            let value = if of == Scalar::Bool { self.random.u64(0..2) } else { f64::from(self.random.u8(0..32)).to_bits() };
            return Expr::Lit(of, value);
        };
        let ends = [0, 1, 2, 3, 7, (1 << (bits - 1)) - 1, 1 << (bits - 1), u64::MAX];
        let value = if self.chance(50) { self.random.u64(0..100) } else { self.pick(&ends) };
        let value = if self.chance(20) { self.random.u64(..) } else { value };
        Expr::Lit(of, super::arithmetic::cut(of, value.into()))
    }

    /// Regions of a kind.
    pub fn regions(&self, kind: Kind) -> Vec<usize> {
        (0..self.kernel.regions.len()).filter(|&index| self.kernel.regions[index].kind == kind).collect()
    }

    fn id(&mut self) -> Expr {
        let id = self.pick(&[Id::Local, Id::Local, Id::Global, Id::Group, Id::LocalSize, Id::LocalLast, Id::GroupFirst]);
        Expr::Id(id)
    }

    /// A place of numbers of a type, in what is not a scalar.
    fn part(&mut self) -> Option<(Scalar, Place)> {
        if self.names.wholes.is_empty() {
            return None;
        }
        let wholes = self.names.wholes.clone();
        let variable = self.pick(&wholes);
        self.part_of(variable)
    }

    fn part_of(&mut self, variable: usize) -> Option<(Scalar, Place)> {
        let ty = self.names.variables[variable].ty.clone();
        let (field, inner) = match &ty {
            Type::Struct(index) => {
                let fields = self.kernel.structs[*index].fields.clone();
                let field = self.random.usize(0..fields.len());
                (Some(field), fields[field].clone())
            }
            _ => (None, ty),
        };
        let (scalar, index) = match inner {
            Type::Scalar(scalar) => (scalar, None),
            Type::Array(scalar, count) | Type::Vector(_, scalar, count) => {
                let index = if self.chance(50) { Expr::u32(self.random.u64(0..count as u64)) } else { self.index() };
                (scalar, Some(index.boxed()))
            }
            Type::Struct(_) => return None,
        };
        Some((scalar, Place { variable, field, index }))
    }

    /// An index that items choose, small.
    fn index(&mut self) -> Expr {
        let leaf = self.leaf();
        self.cast(U32, leaf)
    }

    /// A place that may be written, of any type but `bool`.
    pub fn target(&mut self) -> (Scalar, Place) {
        if self.chance(35)
            && let Some((scalar, place)) = self.part()
        {
            return (scalar, place);
        }
        let scalars = self.names.scalars.clone();
        let (variable, scalar) = self.pick(&scalars);
        (scalar, Place { variable, field: None, index: None })
    }

    pub fn cast(&mut self, to: Scalar, expr: Expr) -> Expr {
        let from = self.scalar(&expr);
        if from == to { expr } else { Expr::Cast(to, from, expr.boxed()) }
    }

    pub fn scalar(&self, expr: &Expr) -> Scalar {
        expr.scalar(&self.kernel)
    }

    /// Something without parts, of any type.
    fn leaf(&mut self) -> Expr {
        let place = |variable, scalar| Expr::Place(scalar, Place { variable, field: None, index: None });
        for _ in 0..8 {
            match self.random.u32(0..12) {
                0..4 => {
                    let scalars = self.names.scalars.clone();
                    let (variable, scalar) = self.pick(&scalars);
                    return place(variable, scalar);
                }
                4 if !self.names.counters.is_empty() => {
                    let counters = self.names.counters.clone();
                    return place(self.pick(&counters), U32);
                }
                5 | 6 => {
                    if let Some((scalar, part)) = self.part() {
                        return Expr::Place(scalar, part);
                    }
                }
                7 if self.names.group => return self.id(),
                8 if self.names.group => {
                    let inputs = self.regions(Kind::Input);
                    if !inputs.is_empty() {
                        let region = self.pick(&inputs);
                        let index = if self.chance(60) { self.position() } else { self.index() };
                        return Expr::Load(region, index.boxed());
                    }
                }
                9 if self.names.group => return self.uniform_leaf(),
                10 if !self.names.uniforms.is_empty() => {
                    let uniforms = self.names.uniforms.clone();
                    return place(self.pick(&uniforms), U32);
                }
                _ => {
                    let of = self.pick(&INTEGERS);
                    return self.literal(of);
                }
            }
        }
        Expr::u32(5)
    }

    /// Where an item finds its own, or a neighbour's: indices as programs have them.
    pub fn position(&mut self) -> Expr {
        let id = self.pick(&[Id::Local, Id::Global, Id::LocalLast]);
        let factor = self.pick(&[1, 1, 1, 2, 3, 5]);
        let offset = self.random.u64(0..60);
        let scaled = Expr::Binary(Op::Mul, U32, Expr::Id(id).boxed(), Expr::u32(factor).boxed());
        let base = if factor == 1 { Expr::Id(id) } else { scaled };
        if offset < 20 { base } else { Expr::Binary(Op::Add, U32, base.boxed(), Expr::u32(offset).boxed()) }
    }

    /// An expression of a type.
    pub fn expr(&mut self, of: Scalar, depth: u32) -> Expr {
        match of {
            Scalar::Bool => self.condition(depth),
            Scalar::Int { .. } => self.integer(of, depth),
            _ => self.float(of, depth),
        }
    }

    fn integer(&mut self, of: Scalar, depth: u32) -> Expr {
        const OPS: [Op; 19] = [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::Shl,
            Op::Shr,
            Op::Div,
            Op::Rem,
            Op::Min,
            Op::Max,
            Op::AddSat,
            Op::SubSat,
            Op::Hadd,
            Op::Rhadd,
            Op::MulHi,
            Op::AbsDiff,
            Op::Rotate,
        ];
        if depth > 2 || self.chance(30) {
            let leaf = self.leaf();
            return self.cast(of, leaf);
        }
        match self.random.u32(0..12) {
            0..8 => {
                let op = if self.chance(50) { self.pick(&OPS[..8]) } else { self.pick(&OPS) };
                Expr::Binary(op, of, self.integer(of, depth + 1).boxed(), self.integer(of, depth + 1).boxed())
            }
            8 => {
                let condition = self.condition(depth + 1);
                Expr::Select(of, condition.boxed(), self.integer(of, depth + 1).boxed(), self.integer(of, depth + 1).boxed())
            }
            9 => {
                let op = self.pick(&[Unary::Neg, Unary::Not, Unary::Popcount, Unary::Clz]);
                Expr::Unary(op, of, self.integer(of, depth + 1).boxed())
            }
            _ => {
                let other = self.pick(&INTEGERS);
                let inner = self.integer(other, depth + 1);
                self.cast(of, inner)
            }
        }
    }

    /// Few bits, so that products and sums stay exact.
    fn float(&mut self, of: Scalar, depth: u32) -> Expr {
        let (bits, shift) = if of == Scalar::F16 { (4, 0) } else { (8, self.random.u32(0..4)) };
        if depth > 1 || self.chance(40) {
            let known: Vec<(usize, Scalar)> = self.names.scalars.iter().copied().filter(|(_, scalar)| *scalar == of).collect();
            if !known.is_empty() && self.chance(50) {
                let (variable, _) = self.pick(&known);
                return Expr::Place(of, Place { variable, field: None, index: None });
            }
            if let Some((scalar, part)) = self.part()
                && scalar == of
            {
                return Expr::Place(of, part);
            }
            return Expr::ToFloat(of, bits, shift, self.integer(U32, 2).boxed());
        }
        let op = self.pick(&[Op::Add, Op::Sub, Op::Mul, Op::Min, Op::Max]);
        Expr::Binary(op, of, self.float(of, depth + 1).boxed(), self.float(of, depth + 1).boxed())
    }

    /// What a floating-point place is set to: few bits again, most of the time.
    pub fn value(&mut self, of: Scalar) -> Expr {
        if of.is_float() && self.chance(70) {
            let inner = self.float(of, 0);
            let (bits, shift) = if of == Scalar::F16 { (4, 0) } else { (8, 2) };
            let inner = self.cast(I32, inner);
            let inner = self.cast(U32, inner);
            return Expr::ToFloat(of, bits, shift, inner.boxed());
        }
        self.expr(of, 0)
    }

    pub fn condition(&mut self, depth: u32) -> Expr {
        let of = self.pick(&INTEGERS);
        match self.random.u32(0..10) {
            0 | 1 => {
                let one = Expr::Lit(of, 1);
                let low = Expr::Binary(Op::And, of, self.integer(of, depth + 1).boxed(), one.boxed());
                self.cast(Scalar::Bool, low)
            }
            2 if depth < 2 => {
                let and = self.chance(50);
                Expr::Logic(and, self.condition(depth + 1).boxed(), self.condition(depth + 1).boxed())
            }
            3 if depth < 2 => Expr::LogicNot(self.condition(depth + 1).boxed()),
            4 if !self.names.flags.is_empty() => self.flag(),
            5 => {
                let of = self.pick(&[Scalar::F16, Scalar::F32, Scalar::F64]);
                let less = self.pick(&[Comparison::Less, Comparison::LessEqual, Comparison::Equal]);
                Expr::Compare(less, of, self.float(of, 1).boxed(), self.float(of, 1).boxed())
            }
            _ => {
                let how = self.pick(&[Comparison::Less, Comparison::LessEqual, Comparison::Equal, Comparison::NotEqual]);
                Expr::Compare(how, of, self.integer(of, depth + 1).boxed(), self.integer(of, depth + 1).boxed())
            }
        }
    }

    fn flag(&mut self) -> Expr {
        let flags = self.names.flags.clone();
        Expr::Place(Scalar::Bool, Place { variable: self.pick(&flags), field: None, index: None })
    }

    /// The same for all items of a group, `std::uint32_t`.
    fn uniform_leaf(&mut self) -> Expr {
        for _ in 0..8 {
            match self.random.u32(0..9) {
                0..5 | 7 if !self.names.group => {}
                0 | 1 => return Expr::Id(self.pick(&[Id::Group, Id::LocalSize, Id::GroupFirst])),
                2 | 3 if !self.kernel.arguments.is_empty() => {
                    let argument = Expr::Argument(self.random.usize(0..self.kernel.arguments.len()));
                    return self.cast(U32, argument);
                }
                4 if self.names.kernel && !self.kernel.constants.is_empty() => {
                    let constant = Expr::Constant(self.random.usize(0..self.kernel.constants.len()));
                    return self.cast(U32, constant);
                }
                5 | 6 if !self.names.uniforms.is_empty() => {
                    let uniforms = self.names.uniforms.clone();
                    let variable = self.pick(&uniforms);
                    return Expr::Place(U32, Place { variable, field: None, index: None });
                }
                7 => {
                    let inputs = self.regions(Kind::Input);
                    if !inputs.is_empty() {
                        let (region, at) = (self.pick(&inputs), self.random.u64(0..50));
                        let index = Expr::Binary(Op::Add, U32, Expr::Id(Id::Group).boxed(), Expr::u32(at).boxed());
                        let load = Expr::Load(region, index.boxed());
                        return self.cast(U32, load);
                    }
                }
                _ => return Expr::u32(self.random.u64(0..200)),
            }
        }
        Expr::u32(3)
    }

    pub fn uniform(&mut self, depth: u32) -> Expr {
        if depth < 2 && self.chance(45) {
            let op = self.pick(&[Op::Add, Op::Xor, Op::Mul, Op::Shr, Op::Min]);
            return Expr::Binary(op, U32, self.uniform(depth + 1).boxed(), self.uniform(depth + 1).boxed());
        }
        let leaf = self.uniform_leaf();
        if self.names.group && self.chance(20) {
            let id = self.pick(&[Id::Local, Id::Global, Id::LocalLast]);
            return Expr::Binary(Op::Add, U32, leaf.boxed(), Expr::Zero(id).boxed());
        }
        leaf
    }

    /// A small number, the same for all items.
    pub fn uniform_below(&mut self, most: u64) -> Expr {
        let uniform = self.uniform(0);
        // `Rem` makes its divisor odd.
        Expr::Binary(Op::Rem, U32, uniform.boxed(), Expr::u32(most | 1).boxed())
    }

    pub fn uniform_condition(&mut self) -> Expr {
        if !self.names.flags.is_empty() && self.chance(30) {
            let flag = self.flag();
            return if self.chance(30) { Expr::LogicNot(flag.boxed()) } else { flag };
        }
        if self.chance(40) {
            return Expr::Compare(Comparison::Less, U32, self.uniform(0).boxed(), self.uniform(0).boxed());
        }
        let (number, value) = (self.uniform_below(3), self.random.u64(0..2));
        let how = self.pick(&[Comparison::Equal, Comparison::NotEqual]);
        Expr::Compare(how, U32, number.boxed(), Expr::u32(value).boxed())
    }
}
