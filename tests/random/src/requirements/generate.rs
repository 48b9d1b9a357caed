//! A random program from a seed.

use super::ast::*;
use super::snippets::{GENERIC, SNIPPETS, TYPES};
use super::{Features, model};

struct Maker<'f> {
    random: fastrand::Rng,
    program: Program,
    features: &'f Features,
    /// Functions that may be called from where something is made.
    callable: Vec<usize>,
}

/// The same seed gives the same program.
pub fn program(seed: u64, features: &Features) -> Program {
    let random = fastrand::Rng::with_seed(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(77));
    let program = Program { seed, units: 1, types: Vec::new(), functions: Vec::new(), kernels: Vec::new() };
    let mut maker = Maker { random, program, features, callable: Vec::new() };
    if maker.chance(30) {
        maker.program.units = maker.random.usize(2..=3);
    }
    for _ in 0..maker.random.usize(3..=8) {
        let def = maker.type_def();
        maker.program.types.push(def);
    }
    for _ in 0..maker.random.usize(4..=14) {
        maker.function();
    }
    if features.recursion && maker.chance(12) {
        maker.circle();
    }
    for _ in 0..maker.random.usize(3..=7) {
        maker.kernel();
    }
    maker.program
}

impl Maker<'_> {
    fn chance(&mut self, percent: u32) -> bool {
        self.random.u32(0..100) < percent
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.random.usize(0..from.len())].clone()
    }

    fn aspects(&mut self, most: usize) -> Aspects {
        (0..self.random.usize(1..=most)).map(|_| self.pick(&POOL)).collect()
    }

    // --- types ---

    fn named(&mut self) -> Option<Ty> {
        let whole: Vec<usize> = (0..self.program.types.len()).filter(|&index| self.program.types[index].form != Form::Empty).collect();
        if whole.is_empty() { None } else { Some(Ty::Named(self.pick(&whole))) }
    }

    fn member(&mut self) -> Ty {
        let scalar = self.pick(&[Ty::Int, Ty::Float, Ty::Double, Ty::Half]);
        match self.random.u32(0..12) {
            0..3 => scalar,
            3 => Ty::Pointer(scalar.into()),
            4 => Ty::Array(scalar.into(), 2),
            5 => Ty::Vector(scalar.into(), self.pick(&[2, 3, 4])),
            6 => Ty::StdArray(scalar.into(), 3),
            7 => Ty::Pair(Ty::Float.into(), scalar.into()),
            of => {
                let named = if self.features.hidden_types && self.chance(30) {
                    let count = self.program.types.len();
                    (count > 0).then(|| Ty::Named(self.random.usize(0..count)))
                } else {
                    self.named()
                };
                match (named, of) {
                    (None, _) => scalar,
                    (Some(named), 8) => Ty::Pointer(named.into()),
                    (Some(named), 9) => Ty::Array(named.into(), 2),
                    (Some(named @ Ty::Named(index)), 10) if self.program.types[index].form != Form::Union => Ty::StdArray(named.into(), 2),
                    (Some(named), _) => named,
                }
            }
        }
    }

    fn type_def(&mut self) -> TypeDef {
        let plain = |form, members| TypeDef { form, marks: Aspects::new(), bases: Vec::new(), members };
        let members: Vec<Ty> = (0..self.random.usize(0..4)).map(|_| self.member()).collect();
        match self.random.u32(0..10) {
            0 => TypeDef { marks: self.aspects(2), ..plain(Form::Struct, members) },
            1 => TypeDef { marks: self.aspects(2), ..plain(Form::Partial, members) },
            2 => TypeDef { marks: self.aspects(1), ..plain(Form::Dependent, members) },
            3 => {
                // What IR shows of a union is one of its alternatives, by rules that are clang's own, and `double` is looked for there
                // (decision 0016). Beside numbers it is always shown.
                let mut alternatives = if self.features.hidden_types { members } else { vec![Ty::Float, Ty::Double] };
                alternatives.retain(|ty| !matches!(ty, Ty::Pair(..) | Ty::Half | Ty::Vector(..)));
                if alternatives.iter().any(|ty| self.program.needs(ty).contains("fp64")) {
                    alternatives.retain(|ty| matches!(ty, Ty::Int | Ty::Float | Ty::Double));
                }
                plain(Form::Union, alternatives)
            }
            4 if !members.is_empty() && !matches!(members[members.len() - 1], Ty::Array(..)) => plain(Form::Box, members),
            5 if self.features.hidden_types => TypeDef { marks: self.aspects(2), ..plain(Form::Empty, Vec::new()) },
            6 | 7 => {
                let structs: Vec<usize> = (0..self.program.types.len())
                    .filter(|&index| matches!(self.program.types[index].form, Form::Struct | Form::Empty))
                    .collect();
                let bases = if structs.is_empty() { Vec::new() } else { vec![self.pick(&structs)] };
                TypeDef { bases, ..plain(Form::Struct, members) }
            }
            _ => plain(Form::Struct, members),
        }
    }

    // --- statements ---

    fn body(&mut self, least: usize, generic: bool, external_only: bool) -> Vec<Stmt> {
        let mut out = Vec::new();
        for _ in 0..self.random.usize(least..=least + 2) {
            let stmt = match self.random.u32(0..20) {
                0..3 => match self.named() {
                    Some(ty) => Stmt::Type(self.random.usize(0..TYPES.len()), ty),
                    None => continue,
                },
                3..6 if generic => Stmt::Generic(self.random.usize(0..GENERIC.len())),
                6..14 => match self.call(external_only) {
                    Some(call) => Stmt::Call(call),
                    None => continue,
                },
                14 => {
                    let index = self.random.usize(0..SNIPPETS.len());
                    if SNIPPETS[index].aspects.is_empty() { Stmt::Snippet(index) } else { Stmt::Guarded(index) }
                }
                // Half of what is said uses nothing.
                _ => {
                    let first = Stmt::Snippet(self.random.usize(0..SNIPPETS.len()));
                    let quiet = |stmt: &Stmt| matches!(stmt, Stmt::Snippet(index) if SNIPPETS[*index].aspects.is_empty());
                    if quiet(&first) || self.chance(60) { first } else { Stmt::Snippet(self.random.usize(0..SNIPPETS.len())) }
                }
            };
            out.push(stmt);
        }
        out
    }

    fn call(&mut self, external_only: bool) -> Option<Call> {
        let program = &self.program;
        let allowed: Vec<usize> =
            self.callable.iter().copied().filter(|&function| !external_only || program.home(function).is_some()).collect();
        if allowed.is_empty() {
            return None;
        }
        let recent = &allowed[allowed.len().saturating_sub(6)..];
        let function = if self.chance(60) { self.pick(recent) } else { self.pick(&allowed) };
        let mut call = Call { function, ty: None, aspect: None, depth: 0 };
        match self.program.functions[function].shape {
            Shape::Template => call.ty = Some(self.pick(&[Ty::Int, Ty::Float, Ty::Double, Ty::Half])),
            Shape::AspectTemplate => {
                call.ty = Some(self.pick(&[Ty::Int, Ty::Double]));
                call.aspect = Some(self.pick(&["fp64", "fp16", "atomic64", "cpu", "gpu"]));
            }
            Shape::Countdown => call.depth = self.random.usize(0..4),
            // A lambda stands where it is called: once.
            Shape::Lambda => self.callable.retain(|other| *other != function),
            _ => {}
        }
        Some(call)
    }

    // --- functions ---

    /// What a function declares: right, too little, too much, something else, nothing.
    fn declared(&mut self, needs: &Aspects, percent: u32) -> Option<Aspects> {
        if !self.chance(percent) {
            return None;
        }
        Some(match self.random.u32(0..20) {
            0..7 => needs.clone(),
            7..12 => needs.iter().copied().filter(|_| self.random.bool()).collect(),
            12..16 => needs | &self.aspects(1),
            16..18 => self.aspects(2),
            _ => Aspects::new(),
        })
    }

    fn signature(&mut self) -> Signature {
        let ty = match self.random.u32(0..8) {
            0 | 1 => Ty::Double,
            2 => Ty::Half,
            3 => Ty::Vector(self.pick(&[Ty::Float, Ty::Double, Ty::Half]).into(), self.pick(&[2, 3, 4])),
            4 => Ty::StdArray(self.pick(&[Ty::Float, Ty::Double]).into(), 2),
            _ => self.named().unwrap_or(Ty::Double),
        };
        let looks = self.chance(70);
        match self.random.u32(0..12) {
            0 => Signature::Value(ty, looks),
            1 => Signature::Reference(ty, looks),
            2 => Signature::Pointer(ty, looks),
            3 => Signature::Returns(ty),
            4 => Signature::Default,
            _ => Signature::Plain,
        }
    }

    fn function(&mut self) {
        let prefix = self.pick(&["", "static ", "inline ", "static inline "]);
        let space = self.pick(&[None, None, Some("ns"), Some("ns::inner"), Some("")]);
        let units = self.program.units;
        let shape = match self.random.u32(0..20) {
            0..8 => Shape::Free { prefix, space, declared_before: self.chance(25) },
            8..11 => Shape::Template,
            11 => Shape::AspectTemplate,
            12 => Shape::Countdown,
            13..15 => Shape::Member { of: self.member(), is_static: self.chance(30) },
            15..17 => Shape::Lambda,
            _ => Shape::External(self.random.usize(0..units)),
        };
        let is_external = matches!(shape, Shape::External(_));
        let signature = match shape {
            Shape::Free { .. } | Shape::Template | Shape::Member { .. } => self.signature(),
            _ => Signature::Plain,
        };
        let marks = match shape {
            Shape::Free { declared_before: false, .. } | Shape::Template | Shape::Member { .. } if self.chance(15) => self.aspects(2),
            _ => Aspects::new(),
        };
        let generic = matches!(shape, Shape::Template | Shape::AspectTemplate);
        // A lambda in an instance of a template would be another one in each.
        let lambdas: Vec<usize> =
            self.callable.iter().copied().filter(|&function| matches!(self.program.functions[function].shape, Shape::Lambda)).collect();
        let may_hold_lambdas = matches!(shape, Shape::Free { .. } | Shape::External(_)) && signature_is_plain(&signature);
        let before = self.callable.clone();
        if !may_hold_lambdas {
            self.callable.retain(|function| !lambdas.contains(function));
        }
        let least = usize::from(!is_external);
        let body = self.body(least, generic, is_external);
        if !may_hold_lambdas {
            self.callable = before;
        }
        let has_attribute = !matches!(shape, Shape::AspectTemplate);
        let index = self.program.functions.len();
        self.program.functions.push(Function { shape, signature, declared: None, marks, body });
        let of = Call { function: index, ty: Some(Ty::Int), aspect: None, depth: 0 };
        let needs = model::needs(&self.program, &of);
        let declared = if is_external && units > 1 {
            // What units take from each other promises all that it needs.
            let more = if self.chance(40) { self.aspects(1) } else { Aspects::new() };
            Some(&needs | &more)
        } else if has_attribute {
            self.declared(&needs, 35)
        } else {
            None
        };
        self.program.functions[index].declared = declared;
        self.callable.push(index);
    }

    /// Lets functions call themselves, or those that call them.
    fn circle(&mut self) {
        let may: Vec<usize> =
            (0..self.program.functions.len()).filter(|&index| super::emit::called_before(&self.program.functions[index])).collect();
        for _ in 0..self.random.usize(1..=2) {
            if !may.is_empty() {
                let (one, other) = (self.pick(&may), self.pick(&may));
                let body = &mut self.program.functions[one.min(other)].body;
                body.push(Stmt::Recursion(one.max(other)));
            }
        }
    }

    // --- kernels ---

    fn kernel(&mut self) {
        let units = self.program.units;
        let unit = if self.chance(30) { self.random.usize(0..units) } else { 0 };
        let dimensions = self.random.usize(1..=3);
        let launch = self.pick(&[Launch::SingleTask, Launch::SingleTask, Launch::Range(dimensions), Launch::NdRange(dimensions)]);
        let work_group = match launch {
            Launch::NdRange(1) if self.chance(40) => Some(vec![self.pick(&[8, 16, 32, 16384])]),
            Launch::NdRange(2) if self.chance(40) => Some(self.pick(&[vec![4, 2], vec![8, 1], vec![2, 16]])),
            Launch::NdRange(3) if self.chance(40) => Some(self.pick(&[vec![2, 2, 2], vec![4, 1, 1], vec![1, 2, 8]])),
            _ => None,
        };
        let sub_group = if self.chance(22) { Some(self.pick(&[4, 7, 8, 16, 32, 64, 128])) } else { None };
        let captured = if self.chance(15) { self.named() } else { None };
        let body = self.body(1, false, unit > 0);
        let index = self.program.kernels.len();
        let functor = self.chance(30);
        self.program.kernels.push(Kernel { unit, launch, functor, captured, declared: None, work_group, sub_group, body });
        let needs = model::expected(&self.program).kernels.swap_remove(index).0;
        self.program.kernels[index].declared = self.declared(&needs, 30);
    }
}

fn signature_is_plain(signature: &Signature) -> bool {
    matches!(signature, Signature::Plain)
}
