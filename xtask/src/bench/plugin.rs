//! What the clang plugin costs in a large unit: about 70 000 lines beside the headers, of which half is device code.
//!
//! Figures: the analysis pass with the plugin beside the same clang run without it, and the plugin's share of the whole unit, that is, what
//! its passes take longer than plain ones beside everything that plain ones take. Goal: a share of at most 0.01.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::{Bench, best, ratio, timed, without_plugin};

/// Functions of the device and of the host; each has about 35 lines.
const FUNCTIONS: usize = 1_000;

/// A function that calls two others further down, with a class, a loop, a switch and arithmetic of its own.
fn function(out: &mut String, index: usize, side: &str) {
    let (first, second) = (index.div_ceil(2), index.div_ceil(3));
    let calls = if index > 2 { format!("  sum += {side}{first}<T>(p, n - 1) + {side}{second}<T>(p + 1, n / 2);\n") } else { String::new() };
    let wide = if index.is_multiple_of(50) { "  double d = sum;\n  sum = (T)(d * 0.5);\n" } else { "" };
    let _ = write!(
        out,
        "template <class T> struct {side}_box{index} {{\n  T first, second;\n  T both(T x) const {{\n    return first * x + second;\n  }}\n}};\n\
         // Adds up what is found, in a way of its own.\ntemplate <class T> inline T {side}{index}(const T *p, int n) {{\n  T sum = (T){index};\n\
         {side}_box{index}<T> box{{p[0], (T)n}};\n  if (n <= 0)\n    return sum;\n  for (int i = 0; i < n; ++i) {{\n    const T one = p[i];\n    T two = one + (T)i;\n\
         if (one > two)\n      two = one;\n    switch (i & 3) {{\n    case 0:\n      sum += two * one;\n      break;\n    case 1:\n      sum -= two;\n      break;\n\
         default:\n      sum += box.both(one);\n      break;\n    }}\n  }}\n{wide}{calls}  return sum;\n}}\n\n"
    );
}

fn source() -> String {
    let mut out = String::from("#include <sycl/sycl.hpp>\n");
    for index in 0..FUNCTIONS {
        function(&mut out, index, "device");
        function(&mut out, index, "host");
    }
    let last = FUNCTIONS - 1;
    let _ = write!(
        out,
        "int main(int n, char **) {{\n  sycl::queue q;\n  float *p = sycl::malloc_shared<float>(64, q);\n  p[1] = host{last}<float>(p, n);\n"
    );
    for index in (0..FUNCTIONS).step_by(10) {
        let _ = writeln!(out, "  q.single_task<class k{index}>([=] {{ p[0] = device{index}<float>(p, 3); }});");
    }
    out + "}\n"
}

impl Bench<'_> {
    /// Both sides of each figure are the same clang runs, with and without the plugin.
    pub(super) fn plugin(&self) -> Result<()> {
        let source = source();
        std::fs::write(self.folder.join("large.cpp"), &source)?;
        let arguments = ["-O2", "-std=c++17", "-fsycl-targets=spir64", "-j", "1", "-c", "large.cpp", "-o", "large.o"];
        let passes = self.passes(&arguments)?;
        let mut sides = [None, None];
        for words in &passes {
            let side = usize::from(words.iter().any(|word| word == "pass=analysis"));
            let with = self.with_report(words);
            let plain = without_plugin(words.clone());
            let [with, plain] = best([&mut || timed(&mut self.command(&with)), &mut || timed(&mut self.command(&plain))])?;
            sides[side] = Some((with, plain));
        }
        let [host, analysis] = sides;
        let (host, analysis) = (host.context("there is no host pass")?, analysis.context("there is no analysis pass")?);
        println!("plugin-lines ns={}", source.lines().count());
        ratio("plugin-analysis", analysis.0, analysis.1);
        ratio("plugin-host", host.0, host.1);
        ratio("plugin-share", (analysis.0 + host.0).saturating_sub(analysis.1 + host.1), analysis.1 + host.1);
        Ok(())
    }

    /// A pass as the driver runs it, with its outputs in our folder.
    fn with_report(&self, words: &[String]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "-o" {
                words.next();
            } else if word.starts_with("report=") {
                out.push(format!("report={}", self.folder.join("large.report").display()));
            } else {
                out.push(word.clone());
            }
        }
        out.extend(["-o", "with.out"].map(str::to_owned));
        out
    }
}

#[cfg(test)]
mod tests {
    /// About as many lines as are promised.
    #[test]
    fn the_unit_is_large() {
        assert!((60_000..80_000).contains(&super::source().lines().count()));
    }
}
