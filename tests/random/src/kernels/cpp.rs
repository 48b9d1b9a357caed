//! Types, expressions and places as C++. Every expression's C++ type is exactly its own, so integers are cast after each operation.

use super::ast::{Comparison, Expr, Function, Id, Kernel, Op, Place, Scalar, Struct, Type, Unary, Variable, Vector};

pub fn scalar(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => "bool".into(),
        Scalar::Int { bits, signed } => format!("std::{}int{bits}_t", if signed { "" } else { "u" }),
        Scalar::F16 => "sycl::half".into(),
        Scalar::F32 => "float".into(),
        Scalar::F64 => "double".into(),
    }
}

/// A type that can be named; of an array, the element's.
pub fn ty(ty: &Type) -> String {
    match ty {
        Type::Scalar(of) | Type::Array(of, _) => scalar(*of),
        Type::Vector(Vector::Sycl, of, count) => format!("sycl::vec<{}, {count}>", scalar(*of)),
        Type::Vector(Vector::Marray, of, count) => format!("sycl::marray<{}, {count}>", scalar(*of)),
        Type::Vector(Vector::Ext, of, count) => format!("rnd::ext<{}, {count}>", scalar(*of)),
        Type::Struct(index) => format!("S{index}"),
    }
}

/// A declaration of a name; `reference` for parameters.
pub fn declaration(kind: &Type, name: &str, reference: bool) -> String {
    let and = if reference { "&" } else { "" };
    match kind {
        Type::Array(_, count) if reference => format!("{} (&{name})[{count}]", ty(kind)),
        Type::Array(_, count) => format!("{} {name}[{count}]", ty(kind)),
        _ => format!("{} {and}{name}", ty(kind)),
    }
}

pub fn definition(index: usize, of: &Struct) -> String {
    let align = if of.align > 0 { format!("alignas({}) ", of.align) } else { String::new() };
    let field = |field: usize| format!("{}; ", declaration(&of.fields[field], &format!("f{field}"), false));
    if of.base {
        let rest: String = (1..of.fields.len()).map(field).collect();
        return format!("struct B{index} {{ {}}};\nstruct {align}S{index} : B{index} {{ {rest}}};\n", field(0));
    }
    let fields: String = (0..of.fields.len()).map(field).collect();
    format!("struct {align}S{index} {{ {fields}}};\n")
}

pub fn literal(of: Scalar, bits: u64) -> String {
    match of {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::Int { bits: 32, signed: false } => format!("{bits}u"),
        Scalar::Int { bits: 64, .. } => format!("{}({bits:#x}ull)", scalar(of)),
        Scalar::Int { .. } => format!("{}({bits}u)", scalar(of)),
        Scalar::F16 => format!("sycl::half({:?}f)", f64::from_bits(bits)),
        Scalar::F32 => format!("{:?}f", f64::from_bits(bits)),
        Scalar::F64 => format!("{:?}", f64::from_bits(bits)),
    }
}

pub fn id(id: Id) -> &'static str {
    match id {
        Id::Local => "id_l",
        Id::Global => "id_g",
        Id::Group => "id_w",
        Id::LocalSize => "id_n",
        Id::LocalLast => "id_x",
        Id::GroupFirst => "id_y",
        Id::SubGroup => "std::uint32_t(sg.get_group_linear_id())",
    }
}

/// Where text is written: in the kernel or in a function of it.
#[derive(Clone, Copy)]
pub struct Within<'k> {
    pub kernel: &'k Kernel,
    pub function: Option<&'k Function>,
}

impl Within<'_> {
    pub fn variables(&self) -> &[Variable] {
        self.function.map_or(&self.kernel.variables, |function| &function.variables)
    }

    /// What functions take from the kernel's structure of memory.
    pub fn shared(&self, name: &str) -> String {
        if self.function.is_some() { format!("mem.{name}") } else { name.to_owned() }
    }

    pub fn place(&self, place: &Place) -> String {
        let kind = &self.variables()[place.variable].ty;
        let mut text = format!("v{}", place.variable);
        if let (Type::Struct(_), Some(field)) = (kind, place.field) {
            text += &format!(".f{field}");
        }
        match &place.index {
            Some(index) => format!("{text}[{} % {}u]", self.expr(index), self.kernel.range(kind, place.field).1),
            None => text,
        }
    }

    pub fn memory(&self, region: usize, index: &Expr) -> String {
        let length = self.kernel.regions[region].length;
        format!("{}[{} % {length}u]", self.shared(&format!("r{region}")), self.expr(index))
    }

    pub fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Lit(of, bits) => literal(*of, *bits),
            Expr::Id(which) => id(*which).into(),
            Expr::Argument(index) => self.shared(&format!("a{index}")),
            Expr::Constant(index) => format!("c{index}"),
            Expr::Place(_, place) => self.place(place),
            Expr::Load(region, index) => self.memory(*region, index),
            Expr::Zero(which) => format!("std::uint32_t({}[{} % 64u])", self.shared("zero"), id(*which)),
            Expr::Unary(op, of, a) => unary(*op, *of, &self.expr(a)),
            Expr::Binary(op, of, a, b) => binary(*op, *of, &self.expr(a), &self.expr(b)),
            Expr::Compare(comparison, _, a, b) => {
                let sign = match comparison {
                    Comparison::Less => "<",
                    Comparison::LessEqual => "<=",
                    Comparison::Equal => "==",
                    Comparison::NotEqual => "!=",
                };
                format!("({} {sign} {})", self.expr(a), self.expr(b))
            }
            Expr::Logic(and, a, b) => format!("({} {} {})", self.expr(a), if *and { "&&" } else { "||" }, self.expr(b)),
            Expr::LogicNot(a) => format!("!{}", self.expr(a)),
            Expr::Select(of, condition, a, b) => {
                let name = scalar(*of);
                format!("({} ? {name}({}) : {name}({}))", self.expr(condition), self.expr(a), self.expr(b))
            }
            Expr::Cast(to, from, a) if from.is_float() && to.is_int() => {
                let through = if *from == Scalar::F16 { format!("float({})", self.expr(a)) } else { self.expr(a) };
                format!("{}(std::int64_t({through}))", scalar(*to))
            }
            Expr::Cast(to, from, a) if *to == Scalar::Bool && !from.is_float() => format!("({} != 0)", self.expr(a)),
            Expr::Cast(to, _, a) => format!("{}({})", scalar(*to), self.expr(a)),
            Expr::ToFloat(of, bits, shift, a) => {
                let (mask, factor) = ((1u64 << bits) - 1, 1.0 / f64::from(1u32 << shift));
                let a = self.expr(a);
                match of {
                    Scalar::F16 => format!("sycl::half(float({a} & {mask}u) * {factor:?}f)"),
                    Scalar::F32 => format!("(float({a} & {mask}u) * {factor:?}f)"),
                    _ => format!("(double({a} & {mask}u) * {factor:?})"),
                }
            }
        }
    }
}

fn unary(op: Unary, of: Scalar, a: &str) -> String {
    let name = scalar(of);
    match op {
        Unary::Neg if of.is_float() => format!("(-{a})"),
        Unary::Neg => format!("{name}(-{}({a}))", widened(of)),
        Unary::Not => format!("{name}(~{}({a}))", widened(of)),
        Unary::Popcount => format!("{name}(sycl::popcount({a}))"),
        Unary::Clz => format!("{name}(sycl::clz({a}))"),
    }
}

/// The unsigned type in which arithmetic wraps.
fn widened(of: Scalar) -> &'static str {
    if matches!(of, Scalar::Int { bits: 64, .. }) { "std::uint64_t" } else { "std::uint32_t" }
}

pub fn binary(op: Op, of: Scalar, a: &str, b: &str) -> String {
    let (name, wide) = (scalar(of), widened(of));
    if of.is_float() {
        return match op {
            Op::Add => format!("{name}({a} + {b})"),
            Op::Sub => format!("{name}({a} - {b})"),
            Op::Mul => format!("{name}({a} * {b})"),
            Op::Min => format!("sycl::fmin({a}, {b})"),
            _ => format!("sycl::fmax({a}, {b})"),
        };
    }
    let Scalar::Int { bits, signed } = of else { return a.into() };
    let amount = bits - 1;
    let plain = |sign: &str| format!("{name}({wide}({a}) {sign} {wide}({b}))");
    let divided = |sign: &str| {
        let by = if signed { format!("(({wide}({b}) & 7u) + 1u)") } else { format!("({b} | 1u)") };
        format!("{name}({a} {sign} {name}{by})")
    };
    let builtin = |function: &str| format!("{name}(sycl::{function}({a}, {b}))");
    match op {
        Op::Add => plain("+"),
        Op::Sub => plain("-"),
        Op::Mul => plain("*"),
        Op::And => plain("&"),
        Op::Or => plain("|"),
        Op::Xor => plain("^"),
        Op::Shl => format!("{name}({wide}({a}) << ({wide}({b}) & {amount}u))"),
        Op::Shr => format!("{name}({a} >> ({wide}({b}) & {amount}u))"),
        Op::Div => divided("/"),
        Op::Rem => divided("%"),
        Op::Min => builtin("min"),
        Op::Max => builtin("max"),
        Op::AddSat => builtin("add_sat"),
        Op::SubSat => builtin("sub_sat"),
        Op::Hadd => builtin("hadd"),
        Op::Rhadd => builtin("rhadd"),
        Op::MulHi => builtin("mul_hi"),
        Op::AbsDiff => builtin("abs_diff"),
        Op::Rotate => format!("{name}(sycl::rotate({a}, {name}({wide}({b}) & {amount}u)))"),
    }
}

/// The function object of a group algorithm or a reduction.
pub fn functor(op: Op, of: Scalar) -> String {
    let name = match op {
        Op::Add => "plus",
        Op::Mul => "multiplies",
        Op::And => "bit_and",
        Op::Or => "bit_or",
        Op::Xor => "bit_xor",
        Op::Min => "minimum",
        _ => "maximum",
    };
    format!("sycl::{name}<{}>()", scalar(of))
}
