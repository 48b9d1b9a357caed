//! Which aspects a type needs: those of the marked structs and `double` in it, at any nesting of struct, array and vector.
//!
//! Pointers contribute nothing, and neither does `half` alone: only `double` is known to the compiler, everything else is marked by the
//! headers. Source: S0 "Aspect propagation"; DESIGN §7.2, §7.3.

use std::collections::{BTreeMap, HashMap};

use aspen_contract::{Aspect, AspectSet};
use llvm_sys::LLVMTypeKind;
use llvm_sys::prelude::LLVMTypeRef;

use crate::ir::Type;

/// Answers for the types of one context, each computed once.
pub(crate) struct TypeAspects {
    marked: BTreeMap<String, AspectSet>,
    is_fp64: bool,
    /// The distinct answers; the first is the empty set, which nearly every type has.
    sets: Vec<AspectSet>,
    known: HashMap<LLVMTypeRef, usize>,
}

impl TypeAspects {
    /// With these marked structs, by their names in the module; `double` counts where it `is_fp64`.
    pub(crate) fn new(marked: impl IntoIterator<Item = (String, AspectSet)>, is_fp64: bool) -> Self {
        let mut by_name: BTreeMap<String, AspectSet> = BTreeMap::new();
        for (name, aspects) in marked {
            by_name.entry(name).or_default().extend(aspects);
        }
        Self { marked: by_name, is_fp64, sets: vec![AspectSet::new()], known: HashMap::new() }
    }

    /// What a use of the type needs.
    pub(crate) fn of(&mut self, ty: Type<'_>) -> &AspectSet {
        let id = self.id(ty);
        &self.sets[id]
    }

    fn id(&mut self, ty: Type<'_>) -> usize {
        match ty.kind() {
            LLVMTypeKind::LLVMDoubleTypeKind
            | LLVMTypeKind::LLVMStructTypeKind
            | LLVMTypeKind::LLVMArrayTypeKind
            | LLVMTypeKind::LLVMVectorTypeKind
            | LLVMTypeKind::LLVMScalableVectorTypeKind
            | LLVMTypeKind::LLVMFunctionTypeKind => {}
            _ => return 0,
        }
        if let Some(&id) = self.known.get(&ty.raw()) {
            return id;
        }
        // LLVM forbids a type that contains itself; should one get here, it needs nothing more than its other parts.
        self.known.insert(ty.raw(), 0);
        let mut aspects = AspectSet::new();
        if self.is_fp64 && ty.kind() == LLVMTypeKind::LLVMDoubleTypeKind {
            aspects.insert(Aspect::FP64);
        }
        if let Some(name) = ty.struct_name() {
            // `X.base` is X without its tail padding, as a base class or a member has it.
            for name in [Some(name.as_str()), name.strip_suffix(".base")].into_iter().flatten() {
                aspects.extend(self.marked.get(name).into_iter().flatten());
            }
        }
        for part in ty.parts() {
            let id = self.id(part);
            aspects.extend(self.sets[id].iter());
        }
        let id = self.sets.iter().position(|set| *set == aspects).unwrap_or_else(|| {
            self.sets.push(aspects);
            self.sets.len() - 1
        });
        self.known.insert(ty.raw(), id);
        id
    }
}
