//! What the clang plugin costs in a unit of about 70 000 lines beside the headers, of which half is device code and in which every 25th
//! function and every kernel has attributes of ours.
//!
//! The same clang runs with and without the plugin, in turns. Figures, the first by CPU time, the second by instructions (`valgrind`; two
//! equal runs differ by less than one in ten thousand, however busy the machine is, so this is the one to trust): the analysis pass, the
//! host pass, and the plugin's share of the unit, that is, what its passes cost more than plain ones beside everything that plain ones
//! cost. Goal: a share of at most 0.01. Beside the times stands what they vary by: the quartiles of the ratios of all turns.
//!
//! Fair means: the plain host pass shows clang's warnings too, but not those about attributes that it does not know, and the plain device
//! pass shows none, as with the plugin.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::split::measured;
use super::{Bench, without_plugin};
use crate::shell::output;

/// How often each side is timed.
const TURNS: usize = 9;

/// Functions of the device and of the host; each has about 35 lines.
const FUNCTIONS: usize = 1_000;

/// A function that calls two others further down, with a class, a loop, a switch and arithmetic of its own.
fn function(out: &mut String, index: usize, side: &str) {
    let (first, second) = (index.div_ceil(2), index.div_ceil(3));
    let calls = if index > 2 { format!("  sum += {side}{first}<T>(p, n - 1) + {side}{second}<T>(p + 1, n / 2);\n") } else { String::new() };
    // What most functions have not: an attribute in front, and one behind a parameter list.
    let (declared, inner) = match index % 50 {
        0 if side == "device" => ("[[sycl::device_has(sycl::aspect::fp64)]] ", ""),
        25 if side == "device" => ("", "  [&]() [[sycl::device_has()]] { sum += 1; }();\n"),
        _ => ("", ""),
    };
    let wide = if index.is_multiple_of(50) { "  double d = sum;\n  sum = (T)(d * 0.5);\n" } else { "" };
    let _ = write!(
        out,
        "template <class T> struct {side}_box{index} {{\n  T first, second;\n  T both(T x) const {{\n    return first * x + second;\n  }}\n}};\n\
         // Adds up what is found, in a way of its own.\ntemplate <class T> {declared}inline T {side}{index}(const T *p, int n) {{\n  T sum = (T){index};\n{inner}\
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
        let _ = writeln!(
            out,
            "  q.single_task<class k{index}>([=]() [[sycl::reqd_sub_group_size(16)]] {{ p[0] = device{index}<float>(p, 3); }});"
        );
    }
    out + "}\n"
}

/// What a pass costs with and without the plugin: CPU time of each turn, and instructions if they can be counted.
struct Pass {
    times: Vec<(Duration, Duration)>,
    instructions: Option<(u64, u64)>,
}

/// The median, and the quartiles around it.
fn quartiles(mut values: Vec<f64>) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |part: usize| values[(values.len() - 1) * part / 4];
    (at(1), at(2), at(3))
}

impl Bench<'_> {
    /// Both sides of each figure are the same clang runs, with and without the plugin.
    pub(super) fn plugin(&self) -> Result<()> {
        let source = source();
        std::fs::write(self.folder.join("large.cpp"), &source)?;
        println!("plugin-lines ns={}", source.lines().count());
        let arguments = ["-O2", "-std=c++17", "-fsycl-targets=spir64", "-j", "1", "-c", "large.cpp", "-o", "large.o"];
        let [mut host, mut analysis] = [None, None];
        for words in &self.passes(&arguments)? {
            let is_analysis = words.iter().any(|word| word == "pass=analysis");
            let pass = self.pass(words, is_analysis)?;
            *(if is_analysis { &mut analysis } else { &mut host }) = Some(pass);
        }
        let (host, analysis) = (host.context("there is no host pass")?, analysis.context("there is no analysis pass")?);
        for (label, pass) in [("plugin-analysis", &analysis), ("plugin-host", &host)] {
            let ratio = |&(with, plain): &(Duration, Duration)| with.as_secs_f64() / plain.as_secs_f64();
            let (low, median, high) = quartiles(pass.times.iter().map(ratio).collect());
            println!("{label}-time ratio={median:.3} low={low:.3} high={high:.3}");
        }
        let share = |(host, analysis): (&(Duration, Duration), &(Duration, Duration))| {
            (host.0 + analysis.0).as_secs_f64() / (host.1 + analysis.1).as_secs_f64() - 1.0
        };
        let (low, median, high) = quartiles(host.times.iter().zip(&analysis.times).map(share).collect());
        println!("plugin-share-time ratio={median:.4} low={low:.4} high={high:.4}");
        let (Some(host), Some(analysis)) = (host.instructions, analysis.instructions) else {
            println!("plugin-share: valgrind is not installed, so instructions are not counted and only the noisy time is known");
            return Ok(());
        };
        let line = |label: &str, ours: u64, peer: u64| println!("{label} ratio={:.4} ours={ours} peer={peer}", ours as f64 / peer as f64);
        line("plugin-analysis", analysis.0, analysis.1);
        line("plugin-host", host.0, host.1);
        line("plugin-share", (analysis.0 + host.0).saturating_sub(analysis.1 + host.1), analysis.1 + host.1);
        Ok(())
    }

    fn pass(&self, words: &[String], is_analysis: bool) -> Result<Pass> {
        let with = self.with_report(words);
        let mut plain = without_plugin(words.to_vec());
        if !is_analysis {
            plain.retain(|word| word != "-w");
            plain.extend(["-Wno-unknown-attributes", "-Wno-c++23-lambda-attributes"].map(str::to_owned));
        }
        let mut times = Vec::new();
        for turn in 0..TURNS {
            let mut time = [Duration::ZERO; 2];
            // Whoever comes second finds warmer caches.
            for side in if turn % 2 == 0 { [0, 1] } else { [1, 0] } {
                time[side] = measured(&mut self.command([&with, &plain][side]))?.cpu;
            }
            times.push((time[0], time[1]));
        }
        let instructions = match Command::new("valgrind").arg("--version").output() {
            Ok(_) => Some((self.instructions(&with)?, self.instructions(&plain)?)),
            Err(_) => None,
        };
        Ok(Pass { times, instructions })
    }

    /// How many instructions the process executes in user mode.
    fn instructions(&self, words: &[String]) -> Result<u64> {
        let mut command = Command::new("valgrind");
        command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]).args(words).current_dir(&self.folder);
        let said = String::from_utf8_lossy(&output(&mut command)?.stderr).into_owned();
        let line = said.lines().find(|line| line.contains("I refs:") || line.contains("I   refs:"));
        let digits: String =
            line.and_then(|line| line.rsplit(':').next()).unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
        ensure!(!digits.is_empty(), "valgrind names no instructions:\n{said}");
        digits.parse().context("a number of instructions")
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
