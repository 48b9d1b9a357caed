//! The LLVM-free picture of a module that the analysis works on. It travels in objects, so that a device link needs no second front end.

use std::collections::BTreeSet;
use std::fmt;

use aspen_contract::{AspectSet, Guard, Place, WorkGroupSize};
use serde::{Deserialize, Serialize};

/// A function of one [`Summary`], by its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FuncId(u32);

impl FuncId {
    /// The function at that position of [`Summary::functions`].
    pub fn from_index(index: usize) -> FuncId {
        FuncId(u32::try_from(index).expect("a module holds fewer than 2^32 functions"))
    }

    /// The position in [`Summary::functions`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One module, or several linked ones. Functions keep the order of the module.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Every function, defined or only declared.
    pub functions: Vec<Function>,
}

/// One function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Function {
    /// The name in the module (mangled).
    pub symbol: String,
    /// The name for people: qualified, with template arguments, without parameter list; a kernel's `operator()` has the kernel's name.
    pub name: String,
    /// Who may see the symbol.
    pub linkage: Linkage,
    /// Whether the module holds its body.
    pub defined: bool,
    /// What the function is to the outside.
    pub role: Role,
    /// Whether it is only the header's way from one of the user's functions into another (`if_device_has` and what it calls): chains leave
    /// it out.
    pub glue: bool,
    /// Whether no user wrote it: it stands in a system header, or the compiler made it.
    pub system: bool,
    /// Where an exported function is declared or defined.
    pub place: Option<Place>,
    /// The translation unit that the definition (or declaration) comes from, as named on clang's command line.
    pub unit: String,
    /// `[[sycl::device_has(…)]]` or `[[sycl::requires(…)]]`.
    pub declared: Option<Declared>,
    /// Aspects of `[[sycl_detail::uses_aspects(…)]]` on the function: every call of it uses them, at the call.
    pub uses_attribute: AspectSet,
    /// What the body itself uses, one entry an aspect: the first place in source order. Sorted by aspect.
    pub uses: Vec<Use>,
    /// The calls in source order; several calls of one function are one entry, the first.
    pub calls: Vec<Call>,
    /// The calls through pointers, in source order, whatever they may reach.
    pub indirect: Vec<Indirect>,
    /// How its address is known to calls through pointers, if it is taken at all; never that of a kernel.
    pub taken: Option<Taken>,
    /// Where the function runs at all: it is the header's way into the body of an `if_device_has`. Source: DESIGN §7.8.
    pub guard: Option<Guard>,
    /// `[[sycl::reqd_work_group_size(…)]]` and where it stands.
    pub reqd_work_group_size: Option<(WorkGroupSize, Option<Place>)>,
    /// `[[sycl::reqd_sub_group_size(…)]]`, a numeric size, and where it stands.
    pub reqd_sub_group_size: Option<(u32, Option<Place>)>,
    /// What is left of an entry point's code after optimisation, where `-fsycl-requirements=optimized` asked. Source: DESIGN §7.12.
    pub optimized: Option<Optimized>,
}

/// What an entry point does after clang's optimisation, with everything that it calls in its own module.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Optimized {
    /// Whether the code still computes with `double`.
    pub double: bool,
    /// The functions that it still calls and that another module may define, in module order.
    pub reaches: Vec<FuncId>,
    /// What the calls through pointers that are left may reach in other modules.
    pub indirect: Vec<Shape>,
}

/// Who may see a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Linkage {
    /// One definition in the program.
    External,
    /// Equal definitions in several modules are one (inline functions, templates).
    OneDefinitionRule,
    /// Only this module; other modules may use the same name for something else.
    Internal,
}

/// What a function is to the outside.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Role {
    /// Reached only through calls.
    Plain,
    /// `SYCL_EXTERNAL`: other modules may call it (defined here), or it is to be found elsewhere (declared here).
    Exported,
    /// A kernel entry point.
    Kernel(Kernel),
}

/// What only kernel entry points have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// The kernel's name for people: the name type, or `lambda at hw.cpp:12:7`.
    pub name: String,
    /// The user's function that the entry runs (the `operator()` of the functor). Chains end there.
    pub body: Option<FuncId>,
    /// Whether the name type has internal linkage, so that other objects may have another kernel of the same symbol.
    /// Source: DESIGN §7.17.
    pub internal: bool,
}

/// The list of a `device_has` attribute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Declared {
    /// The aspects; may be empty.
    pub aspects: AspectSet,
    /// As the user spelled it: `sycl::device_has` or `sycl::requires`.
    pub spelling: String,
    /// The attribute's first token.
    pub place: Option<Place>,
}

/// An aspect that a body uses.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Use {
    /// The aspect.
    pub aspect: aspen_contract::Aspect,
    /// The first use in source order.
    pub place: Option<Place>,
    /// Whether nothing but the type `double` in the code asks for it. Source: S0 "implicit"; DESIGN §7.12.
    pub implicit: bool,
    /// If that first use is a `float` made `double` to be passed through a `…`: the name of the variadic function. Of constants clang makes
    /// `double`s before there is a module (DESIGN §7.3), so `printf("%f", 1.0f)` is a use without this.
    pub promoted_for: Option<String>,
}

/// A call in a body.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Call {
    /// The function that is called.
    pub callee: FuncId,
    /// Where.
    pub place: Option<Place>,
    /// For a call through a pointer, how many functions it may reach; this entry is one of them. Source: DESIGN §7.5.
    pub one_of: Option<u32>,
}

/// A call that names no function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Indirect {
    /// Where it is written, also if it was inlined since.
    pub place: Option<Place>,
    /// How the function is found.
    pub through: Through,
    /// What it may reach; none if the code lists the functions (`!callees`), which are among the calls then.
    pub shape: Option<Shape>,
    /// How many of the body's [`Function::calls`] stand before those that it may make.
    pub before: u32,
}

/// What a call through a pointer shows of the function that it reaches. Source: DESIGN §7.5.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// The type of the function, as IR spells it.
    pub ty: String,
    /// The slot of a vtable in which a virtual call finds it.
    pub slot: Option<Slot>,
}

/// A place in a vtable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Slot {
    /// The class that the table is one of, by the name of its type's symbol: of a call, that of its object by the source; of a function, each whose
    /// objects have such a table. None where the code does not say it.
    pub class: Option<String>,
    /// Counted from the address point.
    pub index: i64,
}

impl Slot {
    /// Whether one may be the other: so far as both are known.
    pub fn may_be(&self, other: &Slot) -> bool {
        self.index == other.index && (self.class.is_none() || other.class.is_none() || self.class == other.class)
    }
}

/// What is known of a function whose address is taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Taken {
    /// Its type, as IR spells it.
    pub ty: String,
    /// The slots of vtables that hold it.
    pub slots: BTreeSet<Slot>,
    /// Whether its address is also taken in another way.
    pub elsewhere: bool,
}

/// How a call that names no function finds one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Through {
    /// A virtual call: in an object's table.
    Vtable,
    /// Any other pointer.
    Pointer,
}

/// Bytes that are no summary, or one of another version of Aspen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidSummary(String);

impl fmt::Display for InvalidSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a summary of device code ({})", self.0)
    }
}

impl std::error::Error for InvalidSummary {}

impl InvalidSummary {
    pub(crate) fn new(reason: String) -> Self {
        Self(reason)
    }
}

/// Goes up with every change of the types in this file.
const VERSION: u8 = 9;

/// Kernels, and exported functions that are defined here. Source: S0 "An exported device function".
pub fn is_entry_point(function: &Function) -> bool {
    function.defined && !matches!(function.role, Role::Plain)
}

impl Summary {
    /// The function of that id.
    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    /// Every function with its id, in module order.
    pub fn iter(&self) -> impl Iterator<Item = (FuncId, &Function)> {
        self.functions.iter().enumerate().map(|(index, function)| (FuncId::from_index(index), function))
    }

    /// The bytes that travel in an object.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend(postcard::to_stdvec(self).expect("a summary holds only plain values"));
        bytes
    }

    /// Reads what [`Summary::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are of another version, damaged, or name functions that are not there.
    pub fn from_bytes(bytes: &[u8]) -> Result<Summary, InvalidSummary> {
        let Some((&version, rest)) = bytes.split_first() else { return Err(InvalidSummary("empty".into())) };
        if version != VERSION {
            return Err(InvalidSummary(format!("version {version}, this Aspen writes {VERSION}")));
        }
        let (summary, rest): (Summary, _) = postcard::take_from_bytes(rest).map_err(|error| InvalidSummary(error.to_string()))?;
        if !rest.is_empty() {
            return Err(InvalidSummary(format!("{} bytes too many", rest.len())));
        }
        summary.validate()?;
        Ok(summary)
    }

    fn validate(&self) -> Result<(), InvalidSummary> {
        let known = |id: FuncId| id.index() < self.functions.len();
        for function in &self.functions {
            let body = match &function.role {
                Role::Kernel(kernel) => kernel.body,
                Role::Plain | Role::Exported => None,
            };
            let reaches = function.optimized.iter().flat_map(|optimized| optimized.reaches.iter().copied());
            if !function.calls.iter().map(|call| call.callee).chain(body).chain(reaches).all(known) {
                return Err(InvalidSummary(format!("'{}' refers to a function that is not there", function.symbol)));
            }
            if function.indirect.iter().any(|indirect| indirect.before as usize > function.calls.len()) {
                return Err(InvalidSummary(format!("'{}' calls through a pointer behind its last call", function.symbol)));
            }
        }
        Ok(())
    }
}
