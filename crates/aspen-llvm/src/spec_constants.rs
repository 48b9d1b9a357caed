//! Specialization constants as DPC++'s front end leaves them, lowered to what a device's compiler takes.
//!
//! A read is a call of `__sycl_getScalar2020SpecConstantValue` or `__sycl_getComposite2020SpecConstantValue` with the constant's name (a
//! string), the address of its default value, and the address of a buffer that the runtime fills where the device has no such constants.
//! It becomes a SPIR-V constant, a load from that buffer, or the default value; the runtime learns from [`SpecConstants`] which number or
//! place belongs to which name. Source: FORMATS §4.1, §4.5; DPC++'s SYCL2020-SpecializationConstants.md.
//!
//! Numbers and places are given in the order in which DPC++ meets the reads: by the declarations of the functions, then from the last call
//! to the first (LLVM lists the users of a function so once a module was read or copied). Each image counts from 0.

mod layout;
mod lower;
mod recorded;

use std::collections::HashMap;
use std::ffi::CStr;

use crate::ffi;
use crate::ir::Value;
use crate::module::{Error, Module};
use lower::Lowering;

const READERS: [&str; 2] = ["_Z37__sycl_getScalar2020SpecConstantValue", "_Z40__sycl_getComposite2020SpecConstantValue"];

/// `private_alloca`: the constant is the length of an array on the stack. Source: sycl_ext_oneapi_private_alloca, its design document.
const ALLOCA: &str = "llvm.sycl.alloca.";
/// Where a lowered module says what was made of it.
const CONSTANTS: &CStr = c"sycl.specialization-constants";
const DEFAULTS: &CStr = c"sycl.specialization-constants-default-values";

/// What becomes of a read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpecConstantMode {
    /// A SPIR-V specialization constant, several for a composite one.
    Native,
    /// A load from the runtime's buffer.
    Emulation,
    /// The default value.
    Defaults,
}

/// What a runtime must know about a module's constants. Nothing if they became their default values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpecConstants {
    /// In the order of their numbers.
    pub constants: Vec<SpecConstant>,
    /// The default values behind each other, as they stand in memory.
    pub defaults: Vec<u8>,
}

/// One constant of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecConstant {
    /// The name by which host code knows it.
    pub name: String,
    /// What it consists of.
    pub parts: Vec<SpecConstantPart>,
}

/// A number that a device knows, and the bytes of the host's value that it stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpecConstantPart {
    /// The SpecId; [`SpecConstantPart::PADDING`] for bytes that nobody reads.
    pub id: u32,
    /// In bytes, from the beginning of the value.
    pub offset: u32,
    /// In bytes.
    pub size: u32,
}

impl SpecConstantPart {
    /// The number of padding.
    pub const PADDING: u32 = u32::MAX;
}

impl Module<'_> {
    /// Whether anything in the module reads a specialization constant.
    pub fn reads_spec_constants(&self) -> bool {
        readers(self).next().is_some()
    }

    /// Which of these closures do, each given by its roots.
    ///
    /// # Errors
    /// If a root is not there.
    pub fn closures_read_spec_constants(&self, closures: &[Vec<&str>]) -> Result<Vec<bool>, Error> {
        let targets: Vec<Value<'_>> = readers(self).collect();
        closures.iter().map(|roots| Ok(self.closure_reaches(roots, &targets)?.contains(&true))).collect()
    }

    /// Replaces all reads; nothing if there are none.
    ///
    /// # Errors
    /// If a read is not as DPC++'s front end makes it, with the function that it stands in. The module is of no further use then.
    pub fn lower_spec_constants(&mut self, mode: SpecConstantMode) -> Result<Option<SpecConstants>, Error> {
        self.forget_index();
        let lowered = self.lower_all(mode)?;
        if lowered.is_some() {
            self.verify()?;
        }
        Ok(lowered)
    }

    /// What a module tells of constants that were lowered before; nothing if none were.
    ///
    /// # Errors
    /// If that cannot be read, or modules that were lowered by themselves have been linked.
    pub fn recorded_spec_constants(&self) -> Result<Option<SpecConstants>, Error> {
        recorded::recorded(self.view()).map_err(|reason| self.symbol(format!("specialization constants: {reason}")))
    }

    fn lower_all(&self, mode: SpecConstantMode) -> Result<Option<SpecConstants>, Error> {
        let mut readers: Vec<Value<'_>> = readers(self).collect();
        if mode == SpecConstantMode::Emulation && self.triple().starts_with("spir") {
            // As DPC++: compilers of such targets have no arrays of variable length, and the runtime refuses the kernel.
            readers.retain(|reader| !reader.name().starts_with(ALLOCA));
        }
        let recorded = self.recorded_spec_constants()?;
        let Some(first) = readers.first() else { return Ok(recorded.filter(|_| mode != SpecConstantMode::Defaults)) };
        if let Some(known) = recorded.and_then(|recorded| recorded.constants.into_iter().next()) {
            return Err(self.symbol(format!(
                "specialization constants: '{}' was lowered already, and '{}' still reads others; lower them together, after the link",
                known.name,
                first.name()
            )));
        }
        let mut calls: HashMap<Value<'_>, Vec<(Value<'_>, Value<'_>)>> = HashMap::new();
        for function in self.view().functions() {
            for call in function.instructions().filter(|instruction| instruction.is_plain_call()) {
                let called = call.called();
                if readers.contains(&called) {
                    calls.entry(called).or_default().push((call, function));
                }
            }
        }
        let mut lowering = Lowering::new(self.view(), mode);
        for reader in &readers {
            for (call, function) in calls.remove(reader).unwrap_or_default().into_iter().rev() {
                let wrong = |reason: String| self.symbol(format!("a specialization constant that '{}' reads: {reason}", function.name()));
                lowering.call(call, *reader).map_err(wrong)?;
            }
            if reader.users().next().is_some() {
                return Err(self.symbol(format!("'{}' is used in another way than by calling it", reader.name())));
            }
            // SAFETY: a function of this module that nothing uses.
            unsafe { llvm_sys::core::LLVMDeleteFunction(reader.raw()) };
        }
        Ok(Some(lowering.finish()))
    }
}

/// The functions that read constants, in module order.
fn readers<'m>(module: &'m Module<'_>) -> impl Iterator<Item = Value<'m>> {
    let is_reader = |function: &Value<'_>| {
        function.is_declaration() && READERS.iter().chain([&ALLOCA]).any(|prefix| function.name().starts_with(prefix))
    };
    module.view().functions().filter(is_reader)
}

/// Removes a global that only this module sees, if nothing uses it any more.
fn erase_if_dead(global: Value<'_>) {
    // SAFETY: a global variable of a valid module, which nobody holds a view of afterwards.
    unsafe { ffi::aspen_llvm_erase_if_dead(global.raw()) };
}
