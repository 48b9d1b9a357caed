//! Matrices of `sycl_ext_oneapi_matrix` in the form that SPIR-V has for them, as DPC++'s post-link makes it.
//!
//! In C++ a `joint_matrix` is a structure around SPIR-V's own type. `__spirv_AccessChain`, by which code reaches an element, counts its
//! indices from that type: the variable becomes one of it, and where matrices lie in arrays, the address goes on to the member. An element
//! of a class type (`bfloat16`, `tf32`) is reached by one step more, to its first member, for which SPIR-V has no form: it goes. Layouts
//! must be constants in SPIR-V; what was compiled without optimisation hands them through a variable and a function that returns what it
//! takes. Source: intel/llvm, SYCLJointMatrixTransform; what it does is described here in own words.

use std::collections::HashSet;
use std::ffi::CStr;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMCallConv, LLVMLinkage, LLVMOpcode, LLVMTypeKind};

use crate::ir::{ModuleRef, Type, Value};
use crate::module::Module;
use crate::stack_variable::{StackVariable, is};

/// Gives the address of an element.
const ACCESS_CHAIN: &str = "_Z19__spirv_AccessChain";
/// SPIR-V's type of matrices.
const MATRIX: &str = "spirv.CooperativeMatrixKHR";
/// Makes SPIR-V's number of a layout of SYCL's, which is the same; releases differ in whether its name is mangled.
const LAYOUT: &str = "joint_matrix_layout_to_spv";
/// The same among the names of a mangled one.
const MANGLED_LAYOUT: &str = "26joint_matrix_layout_to_spv";

impl Module<'_> {
    /// Rewrites how elements and layouts of matrices are reached. Code without matrices stays as it is.
    pub fn prepare_matrices(&mut self) {
        let is_concerned = |function: Value<'_>| is_access_chain(function) || makes_layout(function);
        if !self.view().functions().any(is_concerned) {
            return;
        }
        self.forget_index();
        let work = Work::new(self.view());
        for function in self.view().functions().filter(|function| is_concerned(*function)).collect::<Vec<_>>() {
            if is_access_chain(function) {
                calls_of(function).into_iter().for_each(|call| work.element(call));
                continue;
            }
            calls_of(function).into_iter().for_each(layout);
            if !function.is_declaration() && is_discardable(function) && function.users().next().is_none() {
                // SAFETY: a function of this module that nothing uses.
                unsafe { LLVMDeleteFunction(function.raw()) };
            }
        }
    }
}

fn is_access_chain(function: Value<'_>) -> bool {
    function.is_declaration() && function.name().starts_with(ACCESS_CHAIN)
}

/// An ordinary function of that name that takes an integer and returns one of its type; a kernel may have such a name, too.
fn makes_layout(function: Value<'_>) -> bool {
    let name = function.name();
    if name != LAYOUT && !(name.starts_with("_Z") && name.contains(MANGLED_LAYOUT)) {
        return false;
    }
    let mut parameters = function.parameters();
    let (Some(parameter), None) = (parameters.next(), parameters.next()) else { return false };
    let is_kernel = function.calling_convention() == LLVMCallConv::LLVMSPIRKERNELCallConv as u32;
    // SAFETY: the type of a function.
    let returned = unsafe { LLVMGetReturnType(function.value_type().raw()) };
    !is_kernel && parameter.ty().kind() == LLVMTypeKind::LLVMIntegerTypeKind && returned == parameter.ty().raw()
}

/// Whether nobody outside the module can count on the function.
fn is_discardable(function: Value<'_>) -> bool {
    use LLVMLinkage::{LLVMInternalLinkage, LLVMLinkOnceAnyLinkage, LLVMLinkOnceODRLinkage, LLVMPrivateLinkage};
    matches!(function.linkage(), LLVMInternalLinkage | LLVMPrivateLinkage | LLVMLinkOnceAnyLinkage | LLVMLinkOnceODRLinkage)
}

struct Work<'m> {
    module: ModuleRef<'m>,
    builder: LLVMBuilderRef,
}

impl<'m> Work<'m> {
    fn new(module: ModuleRef<'m>) -> Work<'m> {
        // SAFETY: a valid context.
        Work { module, builder: unsafe { LLVMCreateBuilderInContext(module.context()) } }
    }

    /// A call that gives the address of an element.
    fn element(&self, call: Value<'m>) {
        let users: Vec<Value<'m>> = call.users().collect();
        for step in users.into_iter().filter(|user| is(*user, LLVMOpcode::LLVMGetElementPtr)) {
            let mut operands = step.operands();
            if operands.next() == Some(call) && operands.all(|index| index.constant_integer() == Some(0)) {
                // SAFETY: both are addresses of the same space; nothing uses the second any more when it goes.
                unsafe {
                    LLVMReplaceAllUsesWith(step.raw(), call.raw());
                    LLVMInstructionEraseFromParent(step.raw());
                }
            }
        }
        if call.users().next().is_none() {
            // Optimisation cannot know that this function of nobody's does nothing.
            erase(call);
            return;
        }
        let Some(address) = call.operands().next() else { return };
        let variable = behind(address, |_| false);
        if !is(variable, LLVMOpcode::LLVMAlloca) {
            return;
        }
        self.replace_variable(variable);
        let Some(address) = call.operands().next() else { return };
        let step = behind(address, |value| is(value, LLVMOpcode::LLVMGetElementPtr));
        if !is(step, LLVMOpcode::LLVMGetElementPtr) {
            return;
        }
        let Some(holder) = reached_type(step).filter(|reached| matrix_in(*reached).is_some()) else { return };
        // SAFETY: an address, a structure that has a first member, and the first operand of a call.
        unsafe {
            LLVMPositionBuilderBefore(self.builder, call.raw());
            let number = |bits| LLVMConstInt(LLVMIntTypeInContext(self.module.context(), bits), 0, 0);
            let mut indices = [number(64), number(32)];
            let member = LLVMBuildInBoundsGEP2(self.builder, holder.raw(), address.raw(), indices.as_mut_ptr(), 2, c"".as_ptr());
            LLVMSetOperand(call.raw(), 0, member);
        }
    }

    /// A variable of SPIR-V's type, or of arrays of it, in place of one of C++'s.
    fn replace_variable(&self, old: Value<'m>) {
        let is_one = old.operands().next().and_then(Value::constant_integer) == Some(1);
        let Some(ty) = unwrapped(old.allocated_type()).filter(|_| is_one) else { return };
        // SAFETY: an instruction of the module, and a type of its context; the old variable has no users any more when it goes.
        unsafe {
            LLVMPositionBuilderBefore(self.builder, old.raw());
            let new = LLVMBuildAlloca(self.builder, ty.raw(), c"".as_ptr());
            if LLVMTypeOf(new) != old.ty().raw() {
                LLVMInstructionEraseFromParent(new);
                return;
            }
            LLVMSetAlignment(new, LLVMGetAlignment(old.raw()));
            let name = old.name();
            LLVMReplaceAllUsesWith(old.raw(), new);
            LLVMInstructionEraseFromParent(old.raw());
            LLVMSetValueName2(new, name.as_ptr().cast(), name.len());
        }
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

/// A call that makes SPIR-V's number of a layout: the number takes its place, if it is known.
fn layout(call: Value<'_>) {
    let Some(argument) = call.operands().next() else { return };
    let Some(number) = constant_behind(argument).filter(|number| number.ty() == call.ty()) else { return };
    // SAFETY: a constant of the call's type; what goes has no users.
    unsafe { LLVMReplaceAllUsesWith(call.raw(), number.raw()) };
    erase(call);
    if !is(argument, LLVMOpcode::LLVMLoad) || argument.users().next().is_some() {
        return;
    }
    let pointer = argument.operands().next();
    erase(argument);
    // A variable that nobody reads any more.
    let Some(variable) = pointer.and_then(StackVariable::behind).filter(|variable| !variable.escapes && variable.loads.is_empty()) else {
        return;
    };
    variable.stores.into_iter().for_each(erase);
    if variable.addresses.iter().skip(1).all(|address| address.users().next().is_none()) {
        variable.addresses.iter().skip(1).for_each(|address| erase(*address));
        // Where its lifetime begins and ends it is named still; the code generator passes over such a variable.
        if variable.addresses[0].users().next().is_none() {
            erase(variable.addresses[0]);
        }
    }
}

/// An integer that is known here: itself, or what a variable holds that nobody else changes. In the block of the load the last store before
/// it counts; elsewhere there must be one.
fn constant_behind(value: Value<'_>) -> Option<Value<'_>> {
    if value.constant_integer().is_some() {
        return Some(value);
    }
    if !is(value, LLVMOpcode::LLVMLoad) {
        return None;
    }
    let variable = StackVariable::behind(value.operands().next()?).filter(|variable| !variable.escapes)?;
    // SAFETY: an instruction in a block.
    let before = |value: Value<'_>| unsafe { Value::from_nullable(LLVMGetPreviousInstruction(value.raw())) };
    let store = std::iter::successors(before(value), |value| before(*value)).find(|value| variable.stores.contains(value));
    let store = store.or(match variable.stores[..] {
        [only] => Some(only),
        _ => None,
    });
    store?.operands().next().filter(|stored| stored.constant_integer().is_some())
}

/// Each call once, also one that has the function among its arguments.
fn calls_of(function: Value<'_>) -> Vec<Value<'_>> {
    let mut seen = HashSet::new();
    let is_call = |user: &Value<'_>| user.is_instruction() && user.is_plain_call() && user.called() == function;
    function.users().filter(|user| is_call(user) && seen.insert(user.raw())).collect()
}

/// What a pointer is made of by casts and steps into aggregates, until `stop` says so.
fn behind<'m>(pointer: Value<'m>, stop: impl Fn(Value<'m>) -> bool) -> Value<'m> {
    let mut value = pointer;
    // In code that nothing reaches, instructions may go in circles.
    for _ in 0..256 {
        let passes = match value {
            value if stop(value) => false,
            value if value.is_instruction() => {
                matches!(value.opcode(), LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMAddrSpaceCast)
            }
            value => value.is_compound_constant() && value.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind,
        };
        match value.operands().next().filter(|_| passes) {
            Some(next) if next.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind => value = next,
            _ => break,
        }
    }
    value
}

/// The type at which a step into aggregates ends.
fn reached_type(step: Value<'_>) -> Option<Type<'_>> {
    // The first index steps over whole aggregates.
    step.operands().skip(2).try_fold(step.gep_source_type(), |ty, index| match ty.kind() {
        LLVMTypeKind::LLVMStructTypeKind => ty.parts().get(usize::try_from(index.constant_integer()?).ok()?).copied(),
        _ => ty.parts().first().copied(),
    })
}

/// SPIR-V's matrix in a structure of C++.
fn matrix_in(holder: Type<'_>) -> Option<Type<'_>> {
    let first = Some(holder).filter(|holder| holder.kind() == LLVMTypeKind::LLVMStructTypeKind)?.parts().first().copied()?;
    let is_target_type = first.kind() == LLVMTypeKind::LLVMTargetExtTypeKind;
    // SAFETY: a target type; its name is a terminated string of the context.
    (is_target_type && unsafe { CStr::from_ptr(LLVMGetTargetExtTypeName(first.raw())) }.to_bytes() == MATRIX.as_bytes()).then_some(first)
}

/// The same, also in arrays, of which the outer ones stay.
fn unwrapped(ty: Type<'_>) -> Option<Type<'_>> {
    match ty.kind() {
        LLVMTypeKind::LLVMArrayTypeKind => {
            let element = unwrapped(*ty.parts().first()?)?;
            // SAFETY: an array type, and a type of its context.
            Some(unsafe { Type::new(LLVMArrayType2(element.raw(), LLVMGetArrayLength2(ty.raw()))) })
        }
        _ => matrix_in(ty),
    }
}

fn erase(instruction: Value<'_>) {
    // SAFETY: an instruction that nothing uses.
    unsafe { LLVMInstructionEraseFromParent(instruction.raw()) };
}
