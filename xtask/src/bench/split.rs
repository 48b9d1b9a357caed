//! `sycl-post-link` against `llvm-split-22 --split-by-category=kernel` on the same bitcode, both writing their files; and the floor: the
//! time to write the same bytes to as many files without looking at them.
//!
//! The modules hold what real ones do: shared helpers in comdats, tables, vtables, aliases, debug info. Every fourth kernel needs `fp64`,
//! so that the split by requirements has something to split.

use std::fmt::Write;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::propagate::{Numbers, peak};
use super::{Bench, ratio, timed};
use crate::shell::output;

/// Functions that kernels share.
const HELPERS: usize = 2_000;
/// Instructions of a helper.
const INSTRUCTIONS: usize = 30;
/// Above this many kernels the other side takes minutes: it is measured once, and not at all above the second bound.
const ONCE_ABOVE: usize = 1_000;
const NEVER_ABOVE: usize = 5_000;
/// How often the rest is measured.
const TURNS: usize = 3;

impl Bench<'_> {
    pub(super) fn split(&self) -> Result<()> {
        for kernels in [1_000, 5_000, 13_000] {
            let label = format!("split-{}k", kernels / 1_000);
            let (text, module) = (self.folder.join("split.ll"), self.folder.join("split.bc"));
            fs::write(&text, generated(kernels)).with_context(|| format!("cannot write {}", text.display()))?;
            output(Command::new("opt-22").args(["-passes=verify", "-o"]).args([&module, &text]))?;
            fs::remove_file(&text)?;

            let times = if kernels > ONCE_ABOVE { 1 } else { TURNS };
            let ours = self.fastest(TURNS, || self.post_link(&["-split=kernel", "-symbols", "-properties"]))?;
            self.valid(kernels)?;
            let floor = self.floor()?;
            println!("{label}-files-floor ns={}", floor.as_nanos());
            let by_needs = self.fastest(TURNS, || self.post_link(&["-split=none", "-symbols", "-properties"]))?;
            println!("{label}-by-needs ns={}", by_needs.as_nanos());
            if kernels <= NEVER_ABOVE {
                let peer = || {
                    let mut command = Command::new("llvm-split-22");
                    command.args(["--split-by-category=kernel", "split.bc", "-o", "split/peer"]).current_dir(&self.folder);
                    command
                };
                let other = self.fastest(times, peer)?;
                ratio(&label, ours, other);
                self.empty()?;
                let memory = peak(&mut peer())?;
                println!("{label}-peer-memory KiB={memory}");
            } else {
                println!("{label} ns={}", ours.as_nanos());
            }
            self.memory(&label)?;
        }
        Ok(())
    }

    fn post_link(&self, options: &[&str]) -> Command {
        let mut command = Command::new(self.bin.join("aspen"));
        command.arg("post-link").args(options).args(["split.bc", "-o", "split/ours.table"]).current_dir(&self.folder);
        command
    }

    /// The best of so many runs, each into an empty folder.
    fn fastest(&self, turns: usize, command: impl Fn() -> Command) -> Result<Duration> {
        let mut best = Duration::MAX;
        for _ in 0..turns {
            self.empty()?;
            best = best.min(timed(&mut command())?);
        }
        Ok(best)
    }

    fn empty(&self) -> Result<()> {
        let folder = self.folder.join("split");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))
    }

    /// What the last run wrote is complete, and a sample of it is valid LLVM IR and makes valid SPIR-V.
    fn valid(&self, kernels: usize) -> Result<()> {
        const SAMPLE: usize = 20;
        let table = fs::read_to_string(self.folder.join("split/ours.table"))?;
        ensure!(table.lines().count() == kernels + 1, "{} rows for {kernels} kernels", table.lines().count() - 1);
        let spirv = self.folder.join("split/sample.spv");
        let mut checked = 0;
        for row in table.lines().skip(1).step_by(kernels / SAMPLE) {
            let code = row.split('|').next().context("a row has cells")?;
            output(Command::new("opt-22").args(["-passes=verify", "-disable-output", code]).current_dir(&self.folder))?;
            // Tables of functions need an extension that spirv-val does not know.
            if fs::read(self.folder.join(code))?.windows(4).any(|bytes| bytes == b"_ZTV") {
                continue;
            }
            checked += 1;
            // DPC++ and Aspen generate SPIR-V without debug info.
            let stripped = self.folder.join("split/sample.bc");
            output(Command::new("opt-22").args(["-passes=strip", code, "-o"]).arg(&stripped).current_dir(&self.folder))?;
            output(Command::new("llc-22").args(["-mtriple=spirv64-unknown-unknown", "-filetype=obj", "-o"]).args([&spirv, &stripped]))?;
            output(Command::new("spirv-val").arg(&spirv))?;
        }
        ensure!(checked >= SAMPLE / 2, "only {checked} images of the sample can be checked as SPIR-V");
        fs::remove_file(spirv)?;
        Ok(fs::remove_file(self.folder.join("split/sample.bc"))?)
    }

    /// Writes every file of the last run again.
    fn floor(&self) -> Result<Duration> {
        let mut files = Vec::new();
        for entry in fs::read_dir(self.folder.join("split"))? {
            files.push(fs::read(entry?.path())?);
        }
        self.empty()?;
        let start = Instant::now();
        for (index, bytes) in files.iter().enumerate() {
            fs::write(self.folder.join(format!("split/floor_{index}")), bytes)?;
        }
        Ok(start.elapsed())
    }

    /// Our peak, against what the module takes alone: a run that reads it and writes it as one file.
    fn memory(&self, label: &str) -> Result<()> {
        self.empty()?;
        let ours = peak(&mut self.post_link(&["-split=kernel", "-symbols", "-properties"]))?;
        let mut alone = Command::new(self.bin.join("aspen"));
        alone.args(["post-link", "-ir-output-only", "split.bc", "-o", "split/whole.bc"]).current_dir(&self.folder);
        let alone = peak(&mut alone)?;
        #[allow(clippy::cast_precision_loss, reason = "kilobytes")]
        let share = ours as f64 / alone as f64;
        println!("{label}-memory ratio={share:.3} ours={ours} peer={alone}");
        Ok(fs::remove_dir_all(self.folder.join("split"))?)
    }
}

/// Text IR: helpers call later helpers, a third of them through an alias, a table or a vtable; each kernel calls three helpers.
fn generated(kernels: usize) -> String {
    let mut numbers = Numbers::new(11);
    let mut out = String::from(
        "source_filename = \"split.cpp\"\n\
         target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1\"\n\
         target triple = \"spir64-unknown-unknown\"\n",
    );
    let mut places = String::new();
    let mut next = 20;
    let mut place = |line: usize, scope: usize| {
        let _ = writeln!(places, "!{next} = !DILocation(line: {line}, column: 3, scope: !{scope})");
        next += 1;
        next - 1
    };
    // Subprograms are numbered behind everything else: helper 0 is 1000000.
    const PROGRAMS: usize = 1_000_000;
    for helper in 0..HELPERS {
        let program = PROGRAMS + helper;
        let other = numbers.below(HELPERS);
        let _ = writeln!(out, "$_Z6helper{helper} = comdat any\n$_ZTV{helper} = comdat any");
        let _ = writeln!(
            out,
            "@_ZTV{helper} = linkonce_odr addrspace(1) constant {{ [3 x ptr] }} {{ [3 x ptr] [ptr null, ptr null, ptr @_Z6helper{helper}] }}, comdat"
        );
        let _ = writeln!(out, "@table{helper} = internal addrspace(1) constant [4 x i32] [i32 {helper}, i32 {other}, i32 3, i32 4]");
        let _ = writeln!(out, "@alias{helper} = alias i32 (i32), ptr @_Z6helper{helper}");
        let _ = writeln!(out, "define linkonce_odr spir_func i32 @_Z6helper{helper}(i32 %v0) comdat !dbg !{program} {{");
        for index in 0..INSTRUCTIONS {
            let operation = ["add", "mul", "xor", "sub", "or"][numbers.below(5)];
            let at = place(index, program);
            let _ = writeln!(out, "  %v{} = {operation} i32 %v{index}, {}, !dbg !{at}", index + 1, numbers.below(1000));
        }
        let _ = writeln!(out, "  %t = load i32, ptr addrspace(1) @table{helper}");
        if numbers.below(100) < 35 && helper + 1 < HELPERS {
            let callee = helper + 1 + numbers.below(HELPERS - helper - 1);
            let name = if numbers.below(3) == 0 { format!("alias{callee}") } else { format!("_Z6helper{callee}") };
            let at = place(40, program);
            let _ = writeln!(out, "  %called = call spir_func i32 @{name}(i32 %t), !dbg !{at}");
        }
        if numbers.below(20) == 0 {
            let at = place(41, program);
            let _ = writeln!(out, "  %slot = getelementptr ptr, ptr addrspace(1) @_ZTV{helper}, i64 2, !dbg !{at}");
        }
        let _ = writeln!(out, "  ret i32 %v{INSTRUCTIONS}\n}}");
    }
    for kernel in 0..kernels {
        let program = PROGRAMS + HELPERS + kernel;
        let needs = if kernel % 4 == 0 { " !intel_used_aspects !4" } else { "" };
        let _ =
            writeln!(out, "define weak_odr spir_kernel void @_ZTS6kernelILi{kernel}EE(ptr addrspace(1) %out) #0{needs} !dbg !{program} {{");
        for call in 0..3 {
            let at = place(call, program);
            let _ = writeln!(out, "  %r{call} = call spir_func i32 @_Z6helper{}(i32 {call}), !dbg !{at}", numbers.below(HELPERS));
            let _ = writeln!(out, "  store i32 %r{call}, ptr addrspace(1) %out");
        }
        out += "  ret void\n}\n";
    }
    out += "attributes #0 = { \"sycl-module-id\"=\"split.cpp\" }\n\
            !llvm.dbg.cu = !{!1}\n!llvm.module.flags = !{!0}\n!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
            !1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !2, emissionKind: FullDebug)\n\
            !2 = !DIFile(filename: \"split.cpp\", directory: \"\")\n!3 = !DISubroutineType(types: !{null})\n!4 = !{i32 6}\n";
    for program in 0..HELPERS + kernels {
        let _ = writeln!(
            out,
            "!{} = distinct !DISubprogram(name: \"f{program}\", scope: !2, file: !2, line: {program}, type: !3, unit: !1, spFlags: DISPFlagDefinition)",
            PROGRAMS + program
        );
    }
    out + &places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_have_what_they_promise() {
        let text = generated(8);
        assert_eq!(text.matches("spir_kernel").count(), 8);
        assert_eq!(text.matches("!intel_used_aspects").count(), 2);
        assert_eq!(text.matches(" = alias ").count(), HELPERS);
        let through_aliases = text.matches("@alias").count() - HELPERS;
        assert!((150..350).contains(&through_aliases), "{through_aliases} calls go through an alias");
        assert_eq!(text, generated(8));
    }
}
