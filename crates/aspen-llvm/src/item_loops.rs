//! Kernels of ND-ranges as functions that run a whole group (`shim/items`).
//!
//! In C++, because LLVM's C API can neither clone nor inline functions, split blocks, nor ask which values are the same for all items.

use std::ffi::{CStr, CString, c_char, c_uint};
use std::ptr;

use llvm_sys::prelude::*;
use llvm_sys::target_machine::LLVMTargetMachineRef;

use crate::ir::{ModuleRef, take_message};

/// What the headers of device code call the things that the transform has to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ItemLoops {
    /// The function that begins a work-item of an ND-range.
    pub enter: CString,
    /// The function that waits for the group.
    pub barrier: CString,
    /// The function that waits for the sub-group.
    pub sub_group_barrier: CString,
    /// Waits for the group, and tells who does for all what is to be done once.
    pub one_of_group: CString,
    /// The same of the sub-group.
    pub one_of_sub_group: CString,
    /// Says whether an item has ended.
    pub ended: CString,
    /// Tells that a broadcast asks for the value of an item that has.
    pub asked_ended: CString,
    /// Answers 32 bits that another lane of the sub-group passes in.
    pub take_32: CString,
    /// The same of 64 bits.
    pub take_64: CString,
    /// Makes one value of 32 bits of those that all lanes of a sub-group pass in.
    pub fold_32: CString,
    /// The same of 64 bits.
    pub fold_64: CString,
    /// The variable that knows the running item.
    pub current: CString,
    /// The lanes of a sub-group that code is best for.
    pub lanes: u32,
    /// The work-group that all kernels require, fastest dimension first: their loops have as many turns, known to the compiler.
    pub work_group: Option<[u32; 3]>,
    /// Before a kernel's symbol: its record (`aspen_cpu_group_t`).
    pub prefix: CString,
    /// Why no kernel of the image is to have one, if so: then it is only told of them.
    pub instead: Option<CString>,
}

#[repr(C)]
struct Names {
    enter: *const c_char,
    barrier: *const c_char,
    sub_group_barrier: *const c_char,
    one_of_group: *const c_char,
    one_of_sub_group: *const c_char,
    ended: *const c_char,
    asked_ended: *const c_char,
    take_32: *const c_char,
    take_64: *const c_char,
    fold_32: *const c_char,
    fold_64: *const c_char,
    current: *const c_char,
    lanes: c_uint,
    work_group: [u64; 3],
    keep_lines: bool,
}

unsafe extern "C" {
    fn aspen_llvm_item_loops(
        module: LLVMModuleRef,
        machine: LLVMTargetMachineRef,
        names: *const Names,
        prefix: *const c_char,
        alone: *const c_char,
        instead: *const c_char,
        report: *mut *mut c_char,
    ) -> *mut c_char;
}

/// Begins a line about a kernel in what a worker says ([`Told`]).
const TOLD: &str = "aspen-items: ";

/// What was found out of a kernel while functions for whole groups were made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told<'a> {
    /// The kernel's symbol.
    pub symbol: &'a str,
    /// What it is about.
    pub what: Concern,
    /// For people, with the place if it is known.
    pub why: &'a str,
}

/// What a [`Told`] is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Concern {
    /// It has a function for whole groups.
    Together,
    /// It has none.
    ByItem {
        /// Whether its work-items may wait for each other.
        waits: bool,
    },
    /// It has one, which could be better.
    Less,
}

impl Told<'_> {
    /// Reads a line of [`crate::Generated::messages`]; `None` if it is about something else.
    pub fn parse(line: &str) -> Option<Told<'_>> {
        let (kind, rest) = line.strip_prefix(TOLD)?.split_once(' ')?;
        let what = match kind {
            "waits" => Concern::ByItem { waits: true },
            "alone" => Concern::ByItem { waits: false },
            "whole" => Concern::Together,
            _ => Concern::Less,
        };
        let (symbol, why) = rest.split_once(": ")?;
        Some(Told { symbol, what, why })
    }
}

/// The lines of a worker's report as [`Told::parse`] reads them.
pub(crate) fn tell(report: &str) {
    report.lines().for_each(|line| eprintln!("{TOLD}{line}"));
}

/// What vectorises the functions that have no loops over items.
pub(crate) fn alone(opt_level: u8) -> &'static CStr {
    match opt_level {
        0 | 1 => c"",
        _ => c"aspen-alike,loop-simplify,lcssa,aspen-safe-loops,loop-vectorize,aspen-vector-math,instcombine<no-verify-fixpoint>,slp-vectorizer,early-cse<memssa>,simplifycfg",
    }
}

impl ItemLoops {
    /// Adds records and functions for every kernel that can be run this way; says of the others why not, a line each. Optimises all other
    /// functions by the pipeline `alone`. With `debug` all keeps its debug information, but functions for
    /// groups have lines only.
    ///
    /// # Errors
    /// LLVM's words.
    ///
    /// # Safety
    /// `machine` is a valid target machine for the module's triple.
    pub(crate) unsafe fn make(
        &self,
        module: ModuleRef<'_>,
        machine: LLVMTargetMachineRef,
        alone: &CStr,
        debug: bool,
    ) -> Result<String, String> {
        let names = Names {
            enter: self.enter.as_ptr(),
            barrier: self.barrier.as_ptr(),
            sub_group_barrier: self.sub_group_barrier.as_ptr(),
            one_of_group: self.one_of_group.as_ptr(),
            one_of_sub_group: self.one_of_sub_group.as_ptr(),
            ended: self.ended.as_ptr(),
            asked_ended: self.asked_ended.as_ptr(),
            take_32: self.take_32.as_ptr(),
            take_64: self.take_64.as_ptr(),
            fold_32: self.fold_32.as_ptr(),
            fold_64: self.fold_64.as_ptr(),
            current: self.current.as_ptr(),
            lanes: self.lanes,
            work_group: self.work_group.map_or([0; 3], |[x, y, z]| [z, y, x].map(u64::from)),
            keep_lines: debug,
        };
        let mut report = ptr::null_mut();
        let instead = self.instead.as_ref().map_or(ptr::null(), |why| why.as_ptr());
        // SAFETY: a valid module, machine and strings; message and report are ours.
        unsafe {
            let failed = aspen_llvm_item_loops(module.raw(), machine, &names, self.prefix.as_ptr(), alone.as_ptr(), instead, &mut report);
            let report = take_message(report).unwrap_or_default();
            take_message(failed).map_or(Ok(report), Err)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_about_kernels_are_told_from_others() {
        for (line, expected) in [
            ("aspen-items: waits k: it is a: b", Some(("k", Concern::ByItem { waits: true }, "it is a: b"))),
            ("aspen-items: alone k: so", Some(("k", Concern::ByItem { waits: false }, "so"))),
            ("aspen-items: whole k: ", Some(("k", Concern::Together, ""))),
            ("aspen-items: less k: long", Some(("k", Concern::Less, "long"))),
            ("warning: k: long", None),
        ] {
            assert_eq!(Told::parse(line).map(|told| (told.symbol, told.what, told.why)), expected, "{line}");
        }
    }
}
