//! Which kernels have an image at all: ahead-of-time targets skip what their devices cannot run, and a kernel that all of them skip would
//! only be missed at run time. Source: S0 "AOT"; issue 5.

use std::collections::{BTreeMap, BTreeSet};

/// Kernels by symbol, over all targets of a link.
#[derive(Debug, Default)]
pub struct Coverage {
    made: BTreeSet<String>,
    /// The kernel's name, and why each target has no image of it.
    skipped: BTreeMap<String, (String, Vec<String>)>,
}

impl Coverage {
    /// An image with these kernels is made. Kernels are symbols and names.
    pub fn made(&mut self, kernels: Vec<(String, String)>) {
        self.made.extend(kernels.into_iter().map(|(symbol, _)| symbol));
    }

    /// An image with these kernels is not made.
    pub fn skipped(&mut self, kernels: Vec<(String, String)>, reason: &str) {
        for (symbol, name) in kernels {
            self.skipped.entry(symbol).or_insert_with(|| (name, Vec::new())).1.push(reason.to_owned());
        }
    }

    /// A sentence for every kernel without any image, with the kernel's symbol.
    pub fn warnings(&self) -> Vec<(&str, String)> {
        let without = self.skipped.iter().filter(|(symbol, _)| !self.made.contains(*symbol));
        without
            .map(|(symbol, (name, reasons))| {
                (symbol.as_str(), format!("kernel '{name}' has no image for any target: {}", reasons.join("; ")))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kernels_without_any_image_are_named() {
        let kernels = |names: &str| names.split_whitespace().map(|name| (format!("_ZTS{name}"), name.to_owned())).collect::<Vec<_>>();
        let mut coverage = Coverage::default();
        coverage.skipped(kernels("a b"), "'x' lacks aspect fp64");
        coverage.made(kernels("c"));
        coverage.made(kernels("a"));
        coverage.skipped(kernels("b c"), "'y' lacks sub-group size 8");
        let text = "kernel 'b' has no image for any target: 'x' lacks aspect fp64; 'y' lacks sub-group size 8";
        assert_eq!(coverage.warnings(), [("_ZTSb", text.to_owned())]);
    }
}
