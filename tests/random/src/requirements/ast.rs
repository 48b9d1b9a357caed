//! A random program about requirements: types, functions that use, declare and call, and kernels. Small enough for a model to be naive.

use std::collections::BTreeSet;

/// Aspects by name.
pub type Aspects = BTreeSet<&'static str>;

/// What types and functions may be marked with, or declare; `fp64`, `fp16` and `atomic64` come from code.
pub const POOL: [&str; 9] = [
    "custom",
    "gpu",
    "accelerator",
    "emulated",
    "queue_profiling",
    "usm_host_allocations",
    "usm_shared_allocations",
    "cpu",
    "usm_atomic_shared_allocations",
];

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    Int,
    Float,
    Double,
    Half,
    Pointer(Box<Ty>),
    Array(Box<Ty>, usize),
    Vector(Box<Ty>, usize),
    StdArray(Box<Ty>, usize),
    Pair(Box<Ty>, Box<Ty>),
    /// One of the program's.
    Named(usize),
}

/// How a type is written; all have an `int a` unless they are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Struct,
    Union,
    /// The partial specialisation of a class template, used through an alias.
    Partial,
    /// The marks are a template's argument: there is one.
    Dependent,
    /// A class template over the type of the last member.
    Box,
    /// Nothing in it.
    Empty,
}

#[derive(Clone, Debug)]
pub struct TypeDef {
    pub form: Form,
    pub marks: Aspects,
    pub bases: Vec<usize>,
    pub members: Vec<Ty>,
}

/// What a function takes or returns besides `float x, float *p`, and whether its body looks into it.
#[derive(Clone, Debug)]
pub enum Signature {
    Plain,
    Value(Ty, bool),
    Reference(Ty, bool),
    Pointer(Ty, bool),
    Returns(Ty),
    /// `double d = 0.25`
    Default,
}

#[derive(Clone, Debug)]
pub enum Shape {
    /// With what stands before it, and the namespace around it; the attribute may stand on a declaration before.
    Free { prefix: &'static str, space: Option<&'static str>, declared_before: bool },
    /// `template <class T>`
    Template,
    /// `template <class T, aspect A> [[sycl::device_has(A)]]`
    AspectTemplate,
    /// `template <int N>`, calling itself down to 0, where its body is.
    Countdown,
    /// A member function of a class with this member: `static`, or not.
    Member { of: Ty, is_static: bool },
    /// `operator()` of a lambda that is written where it is called.
    Lambda,
    /// `SYCL_EXTERNAL`, in that unit.
    External(usize),
}

#[derive(Clone, Debug)]
pub enum Stmt {
    /// A line of `snippets`.
    Snippet(usize),
    /// A use of a type, by the number of a way to use it.
    Type(usize, Ty),
    /// Of the template's parameter, by number.
    Generic(usize),
    /// A line of `snippets` under `if_device_has` of all that it uses.
    Guarded(usize),
    /// A call of a function that calls this one, or of itself, by number.
    Recursion(usize),
    /// A call, with the template's arguments if it is one: a type and an aspect, or a depth.
    Call(Call),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub function: usize,
    pub ty: Option<Ty>,
    pub aspect: Option<&'static str>,
    pub depth: usize,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub shape: Shape,
    pub signature: Signature,
    pub declared: Option<Aspects>,
    /// `uses_aspects` on the function.
    pub marks: Aspects,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launch {
    SingleTask,
    Range(usize),
    NdRange(usize),
}

#[derive(Clone, Debug)]
pub struct Kernel {
    pub unit: usize,
    pub launch: Launch,
    /// Not a lambda.
    pub functor: bool,
    /// A value of this type in the kernel's object.
    pub captured: Option<Ty>,
    pub declared: Option<Aspects>,
    pub work_group: Option<Vec<u32>>,
    pub sub_group: Option<u32>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub seed: u64,
    pub units: usize,
    pub types: Vec<TypeDef>,
    pub functions: Vec<Function>,
    pub kernels: Vec<Kernel>,
}

impl Program {
    /// What using a type uses, at any nesting; nothing for what is only pointed to.
    pub fn needs(&self, ty: &Ty) -> Aspects {
        match ty {
            Ty::Int | Ty::Float | Ty::Pointer(_) => Aspects::new(),
            Ty::Double => Aspects::from(["fp64"]),
            Ty::Half => Aspects::from(["fp16"]),
            Ty::Array(of, _) | Ty::Vector(of, _) | Ty::StdArray(of, _) => self.needs(of),
            Ty::Pair(a, b) => &self.needs(a) | &self.needs(b),
            Ty::Named(index) => {
                let of = &self.types[*index];
                let mut out = of.marks.clone();
                for base in &of.bases {
                    out.extend(self.needs(&Ty::Named(*base)));
                }
                for member in &of.members {
                    out.extend(self.needs(member));
                }
                out
            }
        }
    }

    /// Whether functions call each other in a circle, which SYCL forbids and the analysis bears.
    pub fn recurses(&self) -> bool {
        self.functions.iter().any(|function| function.body.iter().any(|stmt| matches!(stmt, Stmt::Recursion(_))))
    }

    /// Whether a function is there in a unit: all are in each, but external ones are defined in one.
    pub fn home(&self, function: usize) -> Option<usize> {
        if let Shape::External(unit) = self.functions[function].shape { Some(unit) } else { None }
    }
}
