//! A random kernel from a seed: its launch, memory, variables and functions, and what is done around them. What breaks a rule all the same
//! is found by the interpreter and left out.

use super::ast::*;
use super::expressions::{Maker, Names};
use super::interpret::{Outcome, interpret};
use super::{Features, tree};

/// The kernel of a seed, and what it does. The same seed gives the same kernel.
pub fn kernel(seed: u64, features: &Features) -> (Kernel, Outcome) {
    for attempt in 0.. {
        let mut kernel = make(seed, attempt, features);
        // Each time at least one statement goes, so this ends; a kernel of which little is left is made anew.
        for _ in 0..60 {
            match interpret(&kernel) {
                Ok(outcome) if outcome.steps > 100 || attempt > 8 => return (kernel, outcome),
                Ok(_) => break,
                Err(invalid) => match tree::position(&mut kernel, invalid.at) {
                    Some(number) => _ = tree::edit(&mut kernel, number, |block, at| drop(block.remove(at))),
                    None => break,
                },
            }
        }
    }
    unreachable!("attempts do not end")
}

fn make(seed: u64, attempt: u64, features: &Features) -> Kernel {
    let mut random = fastrand::Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(attempt));
    let kernel = Kernel {
        seed,
        launch: launch(&mut random),
        sub_group: 0,
        required_group: random.u32(0..5) == 0,
        buffers: random.u32(0..5) < 2,
        structs: Vec::new(),
        regions: Vec::new(),
        arguments: Vec::new(),
        constants: Vec::new(),
        variables: Vec::new(),
        functions: Vec::new(),
        body: Vec::new(),
        observed: Vec::new(),
    };
    let names = Names { group: true, kernel: true, ..Names::default() };
    let mut maker = Maker { random, kernel, names };
    maker.world(features);
    maker.variables(3, features);
    let mut body = maker.beginnings();
    let mut budget = maker.pick(&[3, 5, 7, 9, 14]);
    let is_group = matches!(maker.kernel.launch, Launch::NdRange { .. });
    let mut statements = super::statements::Statements { maker: &mut maker, features, loops: Vec::new(), in_function: false };
    while budget > 0 {
        let made = if is_group { statements.group(0, &mut budget) } else { statements.alone(&mut budget) };
        body.extend(made);
    }
    maker.kernel.body = body;
    maker.kernel.observed = (0..maker.names.variables.len()).filter(|&at| !maker.names.variables[at].scoped).collect();
    maker.kernel.variables = std::mem::take(&mut maker.names.variables);
    maker.kernel
}

/// Odd sizes, sizes of one, whole vectors and one more.
fn launch(random: &mut fastrand::Rng) -> Launch {
    let mut pick = |from: &[usize]| from[random.usize(0..from.len())];
    match pick(&[0, 0, 0, 0, 0, 0, 0, 1, 1, 2]) {
        0 => loop {
            let dimensions = pick(&[1, 1, 2, 3]);
            let local: Vec<usize> = match dimensions {
                1 => vec![pick(&[1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 33, 61, 64, 97, 100, 128, 200, 256])],
                2 => vec![pick(&[1, 2, 3, 4, 5, 8, 16]), pick(&[1, 2, 3, 4, 7, 8, 13, 16, 17, 32])],
                _ => vec![pick(&[1, 2, 3, 4]), pick(&[1, 2, 3, 5]), pick(&[1, 2, 4, 7, 8, 11])],
            };
            if local.iter().product::<usize>() <= 256 {
                let groups = (0..dimensions).map(|at| if at + 1 == dimensions { pick(&[1, 2, 3]) } else { pick(&[1, 1, 2]) }).collect();
                break Launch::NdRange { local, groups };
            }
        },
        1 => match pick(&[1, 1, 2, 3]) {
            1 => Launch::Range(vec![pick(&[1, 2, 3, 5, 7, 13, 31, 64, 101, 257])]),
            2 => Launch::Range(vec![pick(&[1, 2, 3, 9]), pick(&[1, 3, 8, 17, 33])]),
            _ => Launch::Range(vec![pick(&[1, 2, 3]), pick(&[1, 3, 5]), pick(&[1, 2, 9, 17])]),
        },
        _ => Launch::SingleTask,
    }
}

impl Maker {
    /// Structs, memory, arguments and constants.
    fn world(&mut self, features: &Features) {
        let items = self.kernel.launch.items();
        let size = self.kernel.launch.group_size();
        let is_group = matches!(self.kernel.launch, Launch::NdRange { .. });
        if is_group && self.chance(40) {
            self.kernel.sub_group = self.pick(&[4, 8, 16, 32]);
        }
        for _ in 0..self.random.usize(1..=3) {
            let count = self.random.usize(1..=4);
            let fields = (0..count).map(|_| self.field(features)).collect();
            // What a struct holds may be aligned to 64 bytes by itself.
            let align = if self.chance(15) { 64 } else { 0 };
            let align = if features.wide_vectors && align > 0 { 128 } else { align };
            let align = if features.alignment && self.chance(8) { self.pick(&[128, 256, 512]) } else { align };
            let base = self.chance(20);
            self.kernel.structs.push(Struct { fields, align, base });
        }
        for scalar in [U32, self.pick(&INTEGERS), self.pick(&[U32, U64, U16, Scalar::F32, Scalar::F64, Scalar::F16])] {
            let length = self.pick(&[97, 131, 257, 301]);
            self.kernel.regions.push(Region { kind: Kind::Input, scalar, length });
        }
        self.kernel.regions.push(Region { kind: Kind::Global, scalar: U32, length: items });
        let scalar = self.pick(&[U32, I32, U64]);
        self.kernel.regions.push(Region { kind: Kind::Global, scalar, length: 16 });
        if is_group {
            for scalar in [U32, self.pick(&[U8, U64, I16, Scalar::F32])] {
                self.kernel.regions.push(Region { kind: Kind::Local, scalar, length: size });
            }
            self.kernel.regions.push(Region { kind: Kind::Local, scalar: U32, length: 16 });
        }
        if !matches!(self.kernel.launch, Launch::SingleTask) && self.chance(15) {
            for op in [Op::Add, Op::Xor, Op::Max].into_iter().take(self.random.usize(1..=2)) {
                let scalar = if op == Op::Xor { U32 } else { self.pick(&[U32, U64]) };
                self.kernel.regions.push(Region { kind: Kind::Reduction(op), scalar, length: 1 });
            }
        }
        for _ in 0..self.random.usize(1..=4) {
            let scalar = self.pick(&INTEGERS);
            if let Expr::Lit(_, bits) = self.literal(scalar) {
                self.kernel.arguments.push((scalar, bits));
            }
        }
        for _ in 0..self.pick(&[0, 0, 0, 1, 2]) {
            let scalar = self.pick(&INTEGERS);
            if let (Expr::Lit(_, default), Expr::Lit(_, set)) = (self.literal(scalar), self.literal(scalar)) {
                let set = self.chance(60).then_some(set);
                self.kernel.constants.push((scalar, default, set));
            }
        }
    }

    /// A member's type: no struct.
    fn field(&mut self, features: &Features) -> Type {
        let scalar = self.pick(&[U8, I8, U16, I16, U32, I32, U64, I64, Scalar::F16, Scalar::F32, Scalar::F64]);
        match self.random.u32(0..6) {
            0 => Type::Array(scalar, self.random.usize(2..6)),
            1 => self.vector(features),
            _ => Type::Scalar(scalar),
        }
    }

    /// A vector type; with `wide_vectors` also more than 128 bits.
    fn vector(&mut self, features: &Features) -> Type {
        let kind = self.pick(&[Vector::Sycl, Vector::Ext, Vector::Marray]);
        let scalar = self.pick(&[U8, I16, U32, I32, U64, Scalar::F32, Scalar::F64]);
        let bits = match scalar {
            Scalar::Int { bits, .. } => bits as usize,
            Scalar::F32 => 32,
            _ => 64,
        };
        let counts: Vec<usize> =
            [2usize, 3, 4, 8, 16].into_iter().filter(|count| features.wide_vectors || count.next_power_of_two() * bits <= 128).collect();
        let count = self.pick(&counts);
        Type::Vector(kind, scalar, count)
    }

    pub fn any_type(&mut self, features: &Features) -> Type {
        match self.random.u32(0..8) {
            0 | 1 => Type::Struct(self.random.usize(0..self.kernel.structs.len())),
            2..5 => self.vector(features),
            _ => Type::Scalar(self.pick(&[U8, I8, U16, I16, U32, I32, U64, I64, Scalar::F32, Scalar::F64, Scalar::F16])),
        }
    }

    /// Variables of the function that comes to be.
    pub fn variables(&mut self, least: usize, features: &Features) {
        for _ in 0..self.random.usize(least..=least + 3) {
            let scalar = if self.chance(25) { self.pick(&[Scalar::F16, Scalar::F32, Scalar::F64]) } else { self.pick(&INTEGERS) };
            let variable = self.names.add(Type::Scalar(scalar), false);
            self.names.scalars.push((variable, scalar));
        }
        for _ in 0..2 {
            let variable = self.names.add(Type::Scalar(U32), false);
            self.names.uniforms.push(variable);
        }
        let flag = self.names.add(Type::Scalar(Scalar::Bool), false);
        self.names.flags.push(flag);
        for _ in 0..self.random.usize(0..=least) {
            let array = Type::Array(self.pick(&[U8, I16, U32, U64, Scalar::F32]), self.random.usize(2..9));
            let ty = if self.chance(50) { array } else { self.any_type(features) };
            if !matches!(ty, Type::Scalar(_)) {
                let variable = self.names.add(ty, false);
                self.names.wholes.push(variable);
            }
        }
    }

    /// First values.
    pub fn beginnings(&mut self) -> Vec<Stmt> {
        let mut out = Vec::new();
        for (variable, scalar) in self.names.scalars.clone() {
            let id = if self.names.group { Expr::Id(self.pick(&[Id::Local, Id::Global])) } else { Expr::u32(self.random.u64(0..9)) };
            let value = if scalar.is_float() { Expr::ToFloat(scalar, 4, 0, id.boxed()) } else { self.cast(scalar, id) };
            out.push(Stmt::Assign(Place { variable, field: None, index: None }, value));
        }
        for variable in self.names.uniforms.clone() {
            let value = self.uniform(1);
            out.push(Stmt::Assign(Place { variable, field: None, index: None }, value));
        }
        out
    }
}
