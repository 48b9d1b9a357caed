//! A random kernel as a tree of typed statements: what `emit` writes as C++, `interpret` carries out, and `shrink` takes apart.
//!
//! Everything a kernel does is defined: integers wrap, indices are taken modulo the length, floating point is exact (the interpreter refuses
//! what is not), and items of a group touch the same memory only across a barrier or by atomics whose order does not matter.

/// Type of one number. Its value is kept in 64 bits: integers cut to their width, `bool` as 0 or 1, floating point as the bits of a double.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    Bool,
    Int { bits: u32, signed: bool },
    F16,
    F32,
    F64,
}

pub const U8: Scalar = Scalar::Int { bits: 8, signed: false };
pub const I8: Scalar = Scalar::Int { bits: 8, signed: true };
pub const U16: Scalar = Scalar::Int { bits: 16, signed: false };
pub const I16: Scalar = Scalar::Int { bits: 16, signed: true };
pub const U32: Scalar = Scalar::Int { bits: 32, signed: false };
pub const I32: Scalar = Scalar::Int { bits: 32, signed: true };
pub const U64: Scalar = Scalar::Int { bits: 64, signed: false };
pub const I64: Scalar = Scalar::Int { bits: 64, signed: true };
pub const INTEGERS: [Scalar; 8] = [U8, I8, U16, I16, U32, I32, U64, I64];

impl Scalar {
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }
    pub fn is_int(self) -> bool {
        matches!(self, Scalar::Int { .. })
    }
}

/// Which of the vectors: they differ in layout and in how calls pass them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vector {
    Sycl,
    Ext,
    Marray,
}

/// Type of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Scalar(Scalar),
    Array(Scalar, usize),
    Vector(Vector, Scalar, usize),
    /// One of the kernel's structs.
    Struct(usize),
}

/// A struct of the kernel; members are no structs.
#[derive(Clone, Debug)]
pub struct Struct {
    pub fields: Vec<Type>,
    /// `alignas` in bytes, 0 for none.
    pub align: usize,
    /// The first member is a base class's.
    pub base: bool,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub ty: Type,
    /// Declared by a `Let`, not at the head of its function.
    pub scoped: bool,
}

/// A number in a variable: the variable itself, a member, or an element (index modulo the length).
#[derive(Clone, Debug)]
pub struct Place {
    pub variable: usize,
    pub field: Option<usize>,
    pub index: Option<Box<Expr>>,
}

/// Numbers that say where an item is; all are `std::uint32_t` in expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Id {
    Local,
    Global,
    Group,
    LocalSize,
    /// Of the last dimension.
    LocalLast,
    /// The group's in dimension 0.
    GroupFirst,
    /// The sub-group's in its group; only where a size of sub-groups is required.
    SubGroup,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Div,
    Rem,
    Min,
    Max,
    AddSat,
    SubSat,
    Hadd,
    Rhadd,
    MulHi,
    AbsDiff,
    Rotate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    Neg,
    Not,
    Popcount,
    Clz,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Less,
    LessEqual,
    Equal,
    NotEqual,
}

#[derive(Clone, Debug)]
pub enum Expr {
    Lit(Scalar, u64),
    Id(Id),
    /// A captured number.
    Argument(usize),
    /// A specialization constant.
    Constant(usize),
    Place(Scalar, Place),
    /// Memory, index modulo the length.
    Load(usize, Box<Expr>),
    /// A byte of memory that is zero everywhere, which nobody can know: what it is added to stays the same for all items, but not provably.
    Zero(Id),
    Unary(Unary, Scalar, Box<Expr>),
    Binary(Op, Scalar, Box<Expr>, Box<Expr>),
    Compare(Comparison, Scalar, Box<Expr>, Box<Expr>),
    /// `&&`, or `||`.
    Logic(bool, Box<Expr>, Box<Expr>),
    LogicNot(Box<Expr>),
    Select(Scalar, Box<Expr>, Box<Expr>, Box<Expr>),
    /// To the first type from the second.
    Cast(Scalar, Scalar, Box<Expr>),
    /// To a floating type from the low bits of an unsigned number: mask, then shift right by dividing by two so often.
    ToFloat(Scalar, u32, u32, Box<Expr>),
}

impl Expr {
    pub fn boxed(self) -> Box<Expr> {
        Box::new(self)
    }
    pub fn u32(value: u64) -> Expr {
        Expr::Lit(U32, value)
    }
}

/// What memory is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Local memory of the group.
    Local,
    /// Filled by the host, not written.
    Input,
    /// Global memory that kernels write, and the host compares.
    Global,
    /// `sycl::reduction` with this operation, one number.
    Reduction(Op),
}

#[derive(Clone, Debug)]
pub struct Region {
    pub kind: Kind,
    pub scalar: Scalar,
    pub length: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    Group,
    SubGroup,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vote {
    Any,
    All,
    None,
}

/// Where an item's value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shuffle {
    Left,
    Right,
    Xor,
    Select,
}

/// What items of a group do together; all that have not returned must come to it.
#[derive(Clone, Debug)]
pub enum Collective {
    /// The number chooses the spelling.
    Barrier(Scope, u32),
    /// Into the variable, from the item of that number: `group_broadcast`.
    Broadcast {
        scope: Scope,
        variable: usize,
        from: Expr,
    },
    Reduce {
        scope: Scope,
        to: Place,
        scalar: Scalar,
        op: Op,
        value: Expr,
        init: Option<Expr>,
    },
    Scan {
        scope: Scope,
        inclusive: bool,
        to: Place,
        scalar: Scalar,
        op: Op,
        value: Expr,
        init: Option<Expr>,
    },
    Vote {
        scope: Scope,
        vote: Vote,
        to: Place,
        value: Expr,
    },
    /// The variable of another lane, by a number; the own one where there is none.
    Shuffle {
        shuffle: Shuffle,
        variable: usize,
        by: Expr,
    },
    /// `joint_reduce` over the first elements of an input.
    JointReduce {
        to: Place,
        region: usize,
        count: usize,
        op: Op,
        init: Expr,
    },
    /// `async_work_group_copy` of so many elements from the input to local memory, from an offset on, with a stride, and the wait for it.
    Copy {
        to: usize,
        from: usize,
        offset: Expr,
        count: usize,
        stride: usize,
    },
}

#[derive(Clone, Debug)]
pub enum Argument {
    Value(Expr),
    /// The whole variable, by value or by reference as the parameter says.
    Variable(usize),
}

#[derive(Clone, Debug)]
pub enum Stmt {
    /// A scoped variable begins, as zeros.
    Let(usize),
    Assign(Place, Expr),
    /// A variable from another one of the same type.
    Copy(usize, usize),
    /// Element by element of a vector: itself, the operation, the number.
    VectorOp(usize, Op, Expr),
    /// Elements of a vector in another order, some of them several times.
    Swizzle(usize, Vec<usize>),
    Store(usize, Expr, Expr),
    /// An atomic operation, relaxed, whose old value is not used.
    Atomic(usize, Op, Expr, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for (v = 0; v < bound; ++v)`, the bound evaluated each time; or counting down to zero from the bound.
    For {
        variable: usize,
        bound: Expr,
        down: bool,
        body: Vec<Stmt>,
    },
    /// `v = bound; do { … } while (v-- > 0 && cond)`
    DoWhile {
        variable: usize,
        bound: Expr,
        body: Vec<Stmt>,
        cond: Expr,
    },
    /// Cases by number, each with whether it falls through, and the default.
    Switch(Expr, Vec<(u64, Vec<Stmt>, bool)>, Vec<Stmt>),
    Break,
    Continue,
    Return,
    Together(Collective),
    Call {
        function: usize,
        arguments: Vec<Argument>,
        to: Option<usize>,
    },
    /// `if_device_has<fp64 or image>`, with what is done where the device has it, and otherwise.
    IfDeviceHas(bool, Vec<Stmt>, Vec<Stmt>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    NoInline,
    Inline,
    Static,
    /// In the other unit, `SYCL_EXTERNAL`.
    External,
}

/// A function: its parameters are its first variables, its result the one after them.
#[derive(Clone, Debug)]
pub struct Function {
    pub variables: Vec<Variable>,
    /// Whether each parameter is a reference.
    pub parameters: Vec<bool>,
    pub linkage: Linkage,
    /// It gets the item and the memory.
    pub group: bool,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub enum Launch {
    /// Local sizes, numbers of groups, and offsets (empty for none).
    NdRange {
        local: Vec<usize>,
        groups: Vec<usize>,
    },
    Range(Vec<usize>),
    SingleTask,
}

impl Launch {
    pub fn dimensions(&self) -> usize {
        match self {
            Launch::NdRange { local, .. } => local.len(),
            Launch::Range(sizes) => sizes.len(),
            Launch::SingleTask => 1,
        }
    }
    pub fn group_size(&self) -> usize {
        match self {
            Launch::NdRange { local, .. } => local.iter().product(),
            Launch::Range(_) | Launch::SingleTask => 1,
        }
    }
    pub fn groups(&self) -> usize {
        match self {
            Launch::NdRange { groups, .. } => groups.iter().product(),
            Launch::Range(sizes) => sizes.iter().product(),
            Launch::SingleTask => 1,
        }
    }
    pub fn items(&self) -> usize {
        self.group_size() * self.groups()
    }
}

/// A kernel, with all that it needs.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What it was made from; it names inputs' contents too.
    pub seed: u64,
    pub launch: Launch,
    pub sub_group: usize,
    pub required_group: bool,
    /// Buffers and accessors, not USM.
    pub buffers: bool,
    pub structs: Vec<Struct>,
    pub regions: Vec<Region>,
    pub arguments: Vec<(Scalar, u64)>,
    /// Specialization constants: the default, and what the launch sets.
    pub constants: Vec<(Scalar, u64, Option<u64>)>,
    pub variables: Vec<Variable>,
    pub functions: Vec<Function>,
    pub body: Vec<Stmt>,
    /// Variables whose numbers the result of an item is made of.
    pub observed: Vec<usize>,
}

impl Kernel {
    /// The scalars of a type, in order.
    pub fn cells(&self, ty: &Type) -> Vec<Scalar> {
        match ty {
            Type::Scalar(scalar) => vec![*scalar],
            Type::Array(scalar, count) | Type::Vector(_, scalar, count) => vec![*scalar; *count],
            Type::Struct(index) => self.structs[*index].fields.iter().flat_map(|field| self.cells(field)).collect(),
        }
    }

    /// Where a place's numbers begin in its variable, and how many an index chooses from.
    pub fn range(&self, ty: &Type, field: Option<usize>) -> (usize, usize) {
        match (ty, field) {
            (Type::Struct(index), Some(field)) => {
                let fields = &self.structs[*index].fields;
                let before = fields[..field].iter().map(|ty| self.cells(ty).len()).sum();
                (before, self.cells(&fields[field]).len())
            }
            _ => (0, self.cells(ty).len()),
        }
    }
}
