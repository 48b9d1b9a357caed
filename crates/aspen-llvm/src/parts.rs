//! Large modules as several that make one image together: code is made of them at the same time.

use crate::ffi;
use crate::module::{Error, Module};

impl<'ctx> Module<'ctx> {
    /// Modules of some of the roots each, whose object files, linked with each other, do what this module's would: about as many
    /// instructions each as `size` says, in the order of the roots. `groups` are roots that belong together (those of a source file), so that a
    /// change in one group leaves most parts of the others as they are. None if this module has no more instructions than `least`, or cannot
    /// be cut, because it holds assembly, aliases or constructors.
    ///
    /// # Errors
    /// If a root is not there, or LLVM crashes on damaged debug info.
    pub fn parts(&mut self, groups: &[Vec<&str>], size: usize, least: usize) -> Result<Vec<Module<'ctx>>, Error> {
        self.forget_index();
        // SAFETY: a valid module; names of globals are no part of an index.
        let code = unsafe { ffi::aspen_llvm_size_for_parts(self.raw()) };
        if code <= least {
            return Ok(Vec::new());
        }
        let sized: Vec<Vec<(&str, usize)>> = groups
            .iter()
            .map(|group| group.iter().map(|root| Ok((*root, self.closure_size(root)?))).collect::<Result<_, Error>>())
            .collect::<Result<_, Error>>()?;
        let part = |roots: Vec<&str>| {
            let part = self.clone_closure(&roots)?;
            // SAFETY: valid modules.
            unsafe { ffi::aspen_llvm_share_variables(part.raw(), self.raw()) };
            Ok(part)
        };
        together(&sized, size).into_iter().map(part).collect()
    }
}

/// Which roots are in a part: as many as fit, and a new group begins a new part if the one before is at least half full.
fn together<'r>(groups: &[Vec<(&'r str, usize)>], most: usize) -> Vec<Vec<&'r str>> {
    let mut parts: Vec<Vec<&str>> = Vec::new();
    let mut filled = most;
    for group in groups {
        for (place, &(root, size)) in group.iter().enumerate() {
            let is_full = filled + size > most || place == 0 && 2 * filled >= most;
            match parts.last_mut() {
                Some(part) if !is_full => part.push(root),
                _ => {
                    parts.push(vec![root]);
                    filled = 0;
                }
            }
            filled += size;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_fill_parts() {
        let check = |groups: &[&[(&'static str, usize)]], expected: &[&[&str]]| {
            let groups: Vec<Vec<(&str, usize)>> = groups.iter().map(|group| group.to_vec()).collect();
            assert_eq!(together(&groups, 10), expected);
        };
        check(&[&[("a", 3), ("b", 4), ("c", 5)]], &[&["a", "b"], &["c"]]);
        check(&[&[("a", 30), ("b", 1)]], &[&["a"], &["b"]]);
        // The part is half full, so the next group has its own.
        check(&[&[("a", 5)], &[("b", 1), ("c", 1)]], &[&["a"], &["b", "c"]]);
        check(&[&[("a", 4)], &[("b", 1)], &[("c", 6)]], &[&["a", "b"], &["c"]]);
        check(&[&[], &[("a", 0)], &[]], &[&["a"]]);
        check(&[], &[]);
        // What comes later is as it was, whatever the first group became.
        let later: &[(&str, usize)] = &[("x", 6), ("y", 6)];
        for first in 5..9 {
            check(&[&[("a", first)], later], &[&["a"], &["x"], &["y"]]);
        }
    }
}
