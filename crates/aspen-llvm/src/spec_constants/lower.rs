//! The IR that stands where a constant was read.

use std::collections::BTreeMap;
use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::layout::{Layout, Leaf, Reason, Shape, width};
use super::{ALLOCA, CONSTANTS, DEFAULTS, SpecConstant, SpecConstantMode, SpecConstantPart, SpecConstants, erase_if_dead};
use crate::ir::{ModuleRef, NewMd, Type, Value, attribute_kind};
use crate::stack_variable::{StackVariable, is};

/// `spir_func`. Source: llvm/IR/CallingConv.h.
const SPIR_FUNC: u32 = 75;

/// The work on a module.
pub(super) struct Lowering<'m> {
    module: ModuleRef<'m>,
    mode: SpecConstantMode,
    layout: Layout,
    builder: LLVMBuilderRef,
    spir: bool,
    out: SpecConstants,
    /// The default values, and padding between them.
    defaults: Vec<Value<'m>>,
    known: BTreeMap<String, Known<'m>>,
    next_id: u32,
    next_offset: u64,
    /// Names and default values, which only the reads used.
    globals: Vec<Value<'m>>,
}

/// A constant that was met.
struct Known<'m> {
    ty: Type<'m>,
    default: Value<'m>,
    /// Its first number, or its place in the buffer.
    place: u64,
}

/// A read, taken apart.
struct Read<'m> {
    name: String,
    /// What is read.
    ty: Type<'m>,
    default: Value<'m>,
    /// The scalars of the default value.
    leaves: Vec<Leaf<'m>>,
    buffer: Value<'m>,
    /// Where the value goes, with the alignment that is promised there; otherwise it is returned.
    memory: Option<(Value<'m>, u32)>,
    /// The elements, and the alignment, of an array of which the value is the length; the array is what is returned then.
    array: Option<(Type<'m>, u32)>,
}

impl<'m> Lowering<'m> {
    pub(super) fn new(module: ModuleRef<'m>, mode: SpecConstantMode) -> Lowering<'m> {
        // SAFETY: a valid context; the triple is a terminated string in the module.
        let (builder, triple) = unsafe {
            (LLVMCreateBuilderInContext(module.context()), std::ffi::CStr::from_ptr(LLVMGetTarget(module.raw())).to_string_lossy())
        };
        Lowering {
            module,
            mode,
            layout: Layout::of(module),
            builder,
            spir: triple.starts_with("spir"),
            out: SpecConstants::default(),
            defaults: Vec::new(),
            known: BTreeMap::new(),
            next_id: 0,
            next_offset: 0,
            globals: Vec::new(),
        }
    }

    /// Replaces a call of `reader` and removes it.
    pub(super) fn call(&mut self, call: Value<'m>, reader: Value<'m>) -> Result<(), Reason> {
        let (read, spill) = self.read(call, reader)?;
        let first_time = self.is_new(&read)?;
        // SAFETY: an instruction of the module. The builder takes its place and its line.
        unsafe { LLVMPositionBuilderBefore(self.builder, call.raw()) };
        let value = match self.mode {
            SpecConstantMode::Native => self.native(&read, first_time)?,
            SpecConstantMode::Emulation => self.emulated(&read, first_time)?,
            SpecConstantMode::Defaults => self.default(&read)?,
        };
        let value = match read.array {
            // Where the length is not known when the device's code is made, the runtime refuses the kernel: as DPC++.
            Some(array) if self.mode == SpecConstantMode::Emulation => self.array(array, read.default, call.ty())?,
            Some(array) => self.array(array, value, call.ty())?,
            None => value,
        };
        // SAFETY: values of the module; the call has no users any more when it goes.
        unsafe {
            match read.memory {
                Some((memory, alignment)) => {
                    let store = LLVMBuildStore(self.builder, value.raw(), memory.raw());
                    LLVMSetAlignment(store, alignment);
                }
                None => LLVMReplaceAllUsesWith(call.raw(), value.raw()),
            }
            LLVMInstructionEraseFromParent(call.raw());
            for instruction in spill {
                if !LLVMGetFirstUse(instruction.raw()).is_null() {
                    break;
                }
                LLVMInstructionEraseFromParent(instruction.raw());
            }
        }
        Ok(())
    }

    /// Tells the module what was made of it, as DPC++ does, and drops what only the reads used.
    pub(super) fn finish(mut self) -> SpecConstants {
        for global in std::mem::take(&mut self.globals) {
            erase_if_dead(global);
        }
        for constant in &self.out.constants {
            let numbers = constant.parts.iter().flat_map(|part| [part.id, part.offset, part.size]);
            let numbers = numbers.map(|number| self.module.integer(u64::from(number)));
            let node: Vec<_> = std::iter::once(self.module.string(&constant.name)).chain(numbers).collect();
            self.module.add_named_metadata(CONSTANTS, self.module.node(&node));
        }
        for value in &self.defaults {
            // SAFETY: a constant of the module's context.
            let node = unsafe { NewMd::new(LLVMValueAsMetadata(value.raw())) };
            self.module.add_named_metadata(DEFAULTS, self.module.node(&[node]));
        }
        std::mem::take(&mut self.out)
    }

    /// Takes a call apart; also instructions that are of no use without it.
    fn read(&mut self, call: Value<'m>, reader: Value<'m>) -> Result<(Read<'m>, Vec<Value<'m>>), Reason> {
        // Structures are returned in memory, which is the first argument then.
        let returned = reader.parameter_attribute_type(0, attribute_kind("sret"));
        let first = u32::from(returned.is_some());
        let is_array = reader.name().starts_with(ALLOCA);
        let count = first + if is_array { 5 } else { 3 };
        if call.argument_count() != count || reader.parameter_count() != count {
            let more = if is_array { ", an element and its alignment" } else { "" };
            return Err(format!("its function does not take a name, a default value and a buffer{more}"));
        }
        let argument = |index: u32| {
            // SAFETY: the call has that many arguments.
            unsafe { Value::new(LLVMGetOperand(call.raw(), index)) }
        };
        let (text, spill) = literal(argument(first))?;
        let name = text.initializer().and_then(Value::constant_text).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| format!("its name, '{}', is no text", text.name()))?;
        let holder = argument(first + 1).strip_pointer_casts();
        let held = Some(holder).filter(|holder| holder.is_global_variable()).and_then(Value::initializer);
        // A specialization_id has one member.
        let held = held.filter(|held| held.ty().kind() == LLVMTypeKind::LLVMStructTypeKind);
        // SAFETY: a constant structure; null if it has no members.
        let default = held.and_then(|held| unsafe { Value::from_nullable(LLVMGetAggregateElement(held.raw(), 0)) });
        let default = default.ok_or_else(|| format!("'{name}': its default value is not known here"))?;
        // Of a length only the type in memory is known.
        let ty = if is_array { default.ty() } else { returned.unwrap_or_else(|| call.ty()) };
        for ty in [ty, default.ty()] {
            self.layout.check(ty).map_err(|reason| format!("'{name}': {reason}"))?;
        }
        let array = is_array.then(|| {
            let alignment =
                argument(4).constant_integer().and_then(|number| u32::try_from(number).ok()).filter(|number| number.is_power_of_two());
            let alignment =
                alignment.ok_or_else(|| format!("'{name}': the alignment of the array whose length it is is no power of two"))?;
            let element = argument(3).ty();
            self.layout.check(element).map_err(|reason| format!("'{name}': {reason}"))?;
            if width(ty).is_none() {
                return Err(format!("'{name}': it is the length of an array and no integer, but a {}", ty.spelling()));
            }
            Ok((element, alignment))
        });
        let array = array.transpose()?;
        let leaves = self.layout.leaves(default).map_err(|reason| format!("'{name}': {reason}"))?;
        for global in [text, holder] {
            if !self.globals.contains(&global) {
                self.globals.push(global);
            }
        }
        let memory = returned.map(|ty| (argument(0), reader.parameter_alignment(0).unwrap_or_else(|| self.alignment(ty))));
        Ok((Read { name, ty, default, leaves, buffer: argument(first + 2), memory, array }, spill))
    }

    /// An array on the stack, as a pointer of that type.
    fn array(&self, (element, alignment): (Type<'m>, u32), length: Value<'m>, pointer: Type<'m>) -> Result<Value<'m>, Reason> {
        // SAFETY: types and values of the module; a power of two.
        let array = unsafe {
            let array = LLVMBuildArrayAlloca(self.builder, element.raw(), length.raw(), c"alloca".as_ptr());
            LLVMSetAlignment(array, alignment);
            Value::new(array)
        };
        if array.ty() != pointer {
            return Err(format!("an array on the stack is a {} here, and no {}", array.ty().spelling(), pointer.spelling()));
        }
        Ok(array)
    }

    fn alignment(&self, ty: Type<'m>) -> u32 {
        u32::try_from(self.layout.alignment(ty)).unwrap_or(1)
    }

    /// Whether the constant was not met before; then it must be the same.
    fn is_new(&self, read: &Read<'m>) -> Result<bool, Reason> {
        match self.known.get(&read.name) {
            None => Ok(true),
            Some(known) if known.ty == read.ty && known.default == read.default => Ok(false),
            Some(known) => Err(format!(
                "'{}' is a {} with another default value, or a {}, elsewhere",
                read.name,
                read.ty.spelling(),
                known.ty.spelling()
            )),
        }
    }

    fn remember(&mut self, read: &Read<'m>, place: u64, parts: Vec<SpecConstantPart>) {
        self.known.insert(read.name.clone(), Known { ty: read.ty, default: read.default, place });
        self.out.constants.push(SpecConstant { name: read.name.clone(), parts });
        self.out.defaults.extend(self.layout.bytes(read.default.ty(), &read.leaves));
        self.defaults.push(read.default);
    }

    fn native(&mut self, read: &Read<'m>, first_time: bool) -> Result<Value<'m>, Reason> {
        let (shape, slots) = self.layout.shape(read.ty, &read.leaves).map_err(|reason| format!("'{}': {reason}", read.name))?;
        if first_time {
            let mut parts = Vec::new();
            shape.describe(self.next_id, &mut parts);
            if let Shape::Undefined { .. } = shape {
                // Nothing of it has a value, as of an empty class; the runtime must find its size all the same.
                let size = u32::try_from(self.layout.store_size(read.ty)).unwrap_or(u32::MAX);
                parts.push(SpecConstantPart { id: SpecConstantPart::PADDING, offset: 0, size });
            }
            self.remember(read, u64::from(self.next_id), parts);
            self.next_id = self.next_id.saturating_add(slots);
        }
        let first = self.known.get(&read.name).map_or(0, |known| known.place);
        self.spirv_constant(&shape, u32::try_from(first).unwrap_or(u32::MAX))
    }

    fn spirv_constant(&self, shape: &Shape<'m>, first: u32) -> Result<Value<'m>, Reason> {
        match shape {
            Shape::Undefined { ty, .. } => Ok(undefined(*ty)),
            Shape::Scalar { ty, slot, default, .. } => {
                let number = self.constant(self.module_i32(), u64::from(first.saturating_add(*slot)));
                // SPIR-V has no boolean in memory: the byte becomes a truth value here.
                let value = self.intrinsic("__spirv_SpecConstant", default.ty(), &[number, *default])?;
                Ok(self.truncated(value, *ty))
            }
            Shape::Composite { ty, parts, .. } => {
                let parts = parts.iter().map(|part| self.spirv_constant(part, first)).collect::<Result<Vec<_>, _>>()?;
                self.intrinsic("__spirv_SpecConstantComposite", *ty, &parts)
            }
        }
    }

    fn emulated(&mut self, read: &Read<'m>, first_time: bool) -> Result<Value<'m>, Reason> {
        if first_time {
            let misplaced = self.next_offset % self.layout.alignment(read.ty);
            if misplaced != 0 {
                let padding = self.layout.alignment(read.ty) - misplaced;
                self.pad(padding);
                self.next_offset += padding;
            }
            let size = self.layout.store_size(read.default.ty());
            let part = SpecConstantPart { id: self.next_id, offset: 0, size: u32::try_from(size).unwrap_or(u32::MAX) };
            self.remember(read, self.next_offset, vec![part]);
            self.next_id += 1;
            self.next_offset += self.layout.store_size(read.ty);
        }
        let place = self.known.get(&read.name).map_or(0, |known| known.place);
        // A truth value is a byte in memory.
        let loaded = if width(read.ty) == Some(1) { self.module_int(8) } else { read.ty };
        let mut offset = [self.constant(self.module_i32(), place).raw()];
        // SAFETY: a pointer, and types of its context.
        let value = unsafe {
            let byte = self.module_int(8).raw();
            let address = LLVMBuildGEP2(self.builder, byte, read.buffer.raw(), offset.as_mut_ptr(), 1, c"gep".as_ptr());
            Value::new(LLVMBuildLoad2(self.builder, loaded.raw(), address, c"load".as_ptr()))
        };
        Ok(self.truncated(value, read.ty))
    }

    /// The runtime learns of the bytes between two constants as of a part of the first one.
    fn pad(&mut self, size: u64) {
        if let Some(last) = self.out.constants.last_mut() {
            let end = last.parts.first().map_or(0, |part| part.size);
            let size = u32::try_from(size).unwrap_or(u32::MAX);
            last.parts.push(SpecConstantPart { id: SpecConstantPart::PADDING, offset: end, size });
        }
        self.out.defaults.extend(std::iter::repeat_n(0, usize::try_from(size).unwrap_or(0)));
        // SAFETY: types and constants of the module's context.
        self.defaults.push(unsafe { Value::new(LLVMConstNull(LLVMArrayType2(self.module_int(8).raw(), size))) });
    }

    fn default(&self, read: &Read<'m>) -> Result<Value<'m>, Reason> {
        // In memory the bytes count, not what the default value's type is called.
        if read.memory.is_some() || read.default.ty() == read.ty {
            return Ok(read.default);
        }
        let (shape, _) = self.layout.shape(read.ty, &read.leaves).map_err(|reason| format!("'{}': {reason}", read.name))?;
        Ok(self.plain_constant(&shape))
    }

    /// The default value as a value of the type that is read.
    fn plain_constant(&self, shape: &Shape<'m>) -> Value<'m> {
        match shape {
            Shape::Undefined { ty, .. } => undefined(*ty),
            Shape::Scalar { ty, default, .. } => self.truncated(*default, *ty),
            Shape::Composite { ty, parts, .. } => {
                let mut parts: Vec<LLVMValueRef> = parts.iter().map(|part| self.plain_constant(part).raw()).collect();
                // SAFETY: constants of the types that the composite type has there.
                unsafe {
                    let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
                    Value::new(match ty.kind() {
                        LLVMTypeKind::LLVMStructTypeKind => LLVMConstNamedStruct(ty.raw(), parts.as_mut_ptr(), count),
                        LLVMTypeKind::LLVMArrayTypeKind => {
                            LLVMConstArray2(LLVMGetElementType(ty.raw()), parts.as_mut_ptr(), u64::from(count))
                        }
                        _ => LLVMConstVector(parts.as_mut_ptr(), count),
                    })
                }
            }
        }
    }

    /// Calls a function of that name for these types, which is declared at its first use. SPIR-V producers know it by the first name.
    fn intrinsic(&self, name: &str, returned: Type<'m>, arguments: &[Value<'m>]) -> Result<Value<'m>, Reason> {
        let mut symbol = format!("_Z{}{name}", name.len());
        for argument in arguments {
            mangle(argument.ty(), &mut symbol);
        }
        // Composites of equal parts differ in what they return.
        if !is_scalar(returned) {
            symbol += "_R";
            mangle(returned, &mut symbol);
        }
        let c_symbol = CString::new(symbol.as_str()).map_err(|_| "a type's name holds a null byte".to_owned())?;
        let mut types: Vec<LLVMTypeRef> = arguments.iter().map(|argument| argument.ty().raw()).collect();
        let mut arguments: Vec<LLVMValueRef> = arguments.iter().map(|argument| argument.raw()).collect();
        let count = u32::try_from(arguments.len()).map_err(|_| "it has too many parts".to_owned())?;
        // SAFETY: types, values and a builder of the module.
        unsafe {
            let ty = LLVMFunctionType(returned.raw(), types.as_mut_ptr(), count, 0);
            let mut function = LLVMGetNamedFunction(self.module.raw(), c_symbol.as_ptr());
            if function.is_null() {
                function = LLVMAddFunction(self.module.raw(), c_symbol.as_ptr(), ty);
                LLVMSetFunctionCallConv(function, if self.spir { SPIR_FUNC } else { 0 });
            } else if LLVMGlobalGetValueType(function) != ty {
                return Err(format!("'{symbol}' stands for constants of two types"));
            }
            let call = LLVMBuildCall2(self.builder, ty, function, arguments.as_mut_ptr(), count, c"".as_ptr());
            LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
            Ok(Value::new(call))
        }
    }

    fn truncated(&self, value: Value<'m>, ty: Type<'m>) -> Value<'m> {
        if value.ty() == ty {
            return value;
        }
        // SAFETY: an integer of 8 bits and the type of 1 bit; nothing else differs. Constants are folded.
        unsafe { Value::new(LLVMBuildTrunc(self.builder, value.raw(), ty.raw(), c"tobool".as_ptr())) }
    }

    fn module_int(&self, bits: u32) -> Type<'m> {
        // SAFETY: a valid context.
        unsafe { Type::new(LLVMIntTypeInContext(self.module.context(), bits)) }
    }

    fn module_i32(&self) -> Type<'m> {
        self.module_int(32)
    }

    fn constant(&self, ty: Type<'m>, number: u64) -> Value<'m> {
        // SAFETY: an integer type.
        unsafe { Value::new(LLVMConstInt(ty.raw(), number, 0)) }
    }
}

impl Drop for Lowering<'_> {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

fn undefined(ty: Type<'_>) -> Value<'_> {
    // SAFETY: a sized type.
    unsafe { Value::new(LLVMGetUndef(ty.raw())) }
}

fn is_scalar(ty: Type<'_>) -> bool {
    !matches!(ty.kind(), LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind | LLVMTypeKind::LLVMVectorTypeKind)
}

/// As DPC++ spells types in these names: like C++, but for structures, which have their name as LLVM knows it.
fn mangle(ty: Type<'_>, out: &mut String) {
    let parts = ty.parts();
    // SAFETY: each call fits the kind of the type.
    let prefix = unsafe {
        match ty.kind() {
            LLVMTypeKind::LLVMHalfTypeKind => "Dh".into(),
            LLVMTypeKind::LLVMFloatTypeKind => "f".into(),
            LLVMTypeKind::LLVMDoubleTypeKind => "d".into(),
            LLVMTypeKind::LLVMIntegerTypeKind => match LLVMGetIntTypeWidth(ty.raw()) {
                1 => "b".into(),
                8 => "a".into(),
                16 => "s".into(),
                32 => "i".into(),
                64 => "x".into(),
                bits => format!("DB{bits}_"),
            },
            LLVMTypeKind::LLVMArrayTypeKind => format!("A{}_", LLVMGetArrayLength2(ty.raw())),
            LLVMTypeKind::LLVMVectorTypeKind => format!("Dv{}_", LLVMGetVectorSize(ty.raw())),
            _ => match ty.struct_name() {
                Some(name) => return *out += &name,
                // DPC++ has none without a name.
                None => {
                    *out += if LLVMIsPackedStruct(ty.raw()) != 0 { "P" } else { "S" };
                    parts.iter().for_each(|&part| mangle(part, out));
                    return *out += "E";
                }
            },
        }
    };
    *out += &prefix;
    parts.iter().take(1).for_each(|&part| mangle(part, out));
}

/// The text that a pointer points to. Without optimisation it goes through a variable: then also the load and, if nothing else looks at the
/// variable, the store; the second may go only if the first does.
fn literal(pointer: Value<'_>) -> Result<(Value<'_>, Vec<Value<'_>>), Reason> {
    let pointer = pointer.strip_pointer_casts();
    if pointer.is_global_variable() {
        return Ok((pointer, Vec::new()));
    }
    let unknown = || "its name is not known here; the function that reads it must be inlined into its caller".to_owned();
    if !is(pointer, LLVMOpcode::LLVMLoad) {
        return Err(unknown());
    }
    let variable = pointer.operands().next().and_then(StackVariable::behind).ok_or_else(unknown)?;
    let other = variable.escapes || variable.loads.iter().any(|load| *load != pointer);
    let [store] = variable.stores[..] else { return Err(unknown()) };
    let stored = store.operands().next().ok_or_else(unknown)?.strip_pointer_casts();
    if !stored.is_global_variable() {
        return Err(unknown());
    }
    Ok((stored, if other { vec![pointer] } else { vec![pointer, store] }))
}
