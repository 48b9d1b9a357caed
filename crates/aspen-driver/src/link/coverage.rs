//! Which kernels have an image at all: ahead-of-time targets skip what their devices cannot run, and a kernel that all of them skip would
//! only be missed at run time. Source: S0 "AOT"; issue 5.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Kernels by symbol, over all targets of a link.
#[derive(Debug, Default)]
pub struct Coverage {
    made: BTreeSet<String>,
    skipped: BTreeMap<String, Skipped>,
}

/// A kernel that some target has no image of.
#[derive(Debug)]
struct Skipped {
    name: String,
    /// Why, for each such target.
    reasons: Vec<String>,
    /// What the image of the first one would have said of it and those beside it, without code.
    described: Rc<Vec<u8>>,
}

impl Coverage {
    /// An image with these kernels is made. Kernels are symbols and names.
    pub fn made(&mut self, kernels: Vec<(String, String)>) {
        self.made.extend(kernels.into_iter().map(|(symbol, _)| symbol));
    }

    /// An image with these kernels is not made; `described` is what it would have said, without code.
    pub fn skipped(&mut self, kernels: Vec<(String, String)>, reason: &str, described: Vec<u8>) {
        let described = Rc::new(described);
        for (symbol, name) in kernels {
            let first = || Skipped { name, reasons: Vec::new(), described: described.clone() };
            self.skipped.entry(symbol).or_insert_with(first).reasons.push(reason.to_owned());
        }
    }

    /// What is known of kernels without any image, for who launches them or asks for them all the same: each description once.
    pub fn left_out(&self) -> Vec<&[u8]> {
        let mut out: Vec<&Rc<Vec<u8>>> = Vec::new();
        for (_, skipped) in self.without_image() {
            if !out.iter().any(|known| Rc::ptr_eq(known, &skipped.described)) {
                out.push(&skipped.described);
            }
        }
        out.into_iter().map(|described| described.as_slice()).collect()
    }

    fn without_image(&self) -> impl Iterator<Item = (&String, &Skipped)> {
        self.skipped.iter().filter(|(symbol, _)| !self.made.contains(*symbol))
    }

    /// A sentence for every kernel without any image, with the kernel's symbol.
    pub fn warnings(&self) -> Vec<(&str, String)> {
        let warning = |skipped: &Skipped| format!("kernel '{}' has no image for any target: {}", skipped.name, skipped.reasons.join("; "));
        self.without_image().map(|(symbol, skipped)| (symbol.as_str(), warning(skipped))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kernels_without_any_image_are_named() {
        let kernels = |names: &str| names.split_whitespace().map(|name| (format!("_ZTS{name}"), name.to_owned())).collect::<Vec<_>>();
        let mut coverage = Coverage::default();
        coverage.skipped(kernels("a b"), "'x' lacks aspect fp64", b"a and b for x".to_vec());
        coverage.made(kernels("c"));
        coverage.made(kernels("a"));
        coverage.skipped(kernels("b c"), "'y' lacks sub-group size 8", b"b and c for y".to_vec());
        let text = "kernel 'b' has no image for any target: 'x' lacks aspect fp64; 'y' lacks sub-group size 8";
        assert_eq!(coverage.warnings(), [("_ZTSb", text.to_owned())]);
        assert_eq!(coverage.left_out(), [b"a and b for x"]);
    }
}
