//! `aspen propagate` against `opt-22 -passes=verify`, both reading and writing the same bitcode: time and peak memory.

use std::fmt::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::{Bench, best, ratio, timed};
use crate::shell::output;

/// Functions that kernels share.
const HELPERS: usize = 2_000;
/// Instructions of a helper, about.
const INSTRUCTIONS: usize = 50;

impl Bench<'_> {
    pub(super) fn propagate(&self) -> Result<()> {
        for (label, kernels, cycles) in [
            ("propagate-1k", 1_000, false),
            ("propagate-5k", 5_000, false),
            ("propagate-13k", 13_000, false),
            ("propagate-13k-cycles", 13_000, true),
        ] {
            let (text, module) = (self.folder.join("module.ll"), self.folder.join("module.bc"));
            std::fs::write(&text, generated(kernels, cycles)).with_context(|| format!("cannot write {}", text.display()))?;
            output(Command::new("opt-22").args(["-passes=verify", "-o"]).args([&module, &text]))?;
            let ours = || {
                let mut command = Command::new(self.bin.join("aspen"));
                command.args(["propagate", "module.bc", "-o", "ours.bc"]).current_dir(&self.folder);
                command
            };
            let peer = || {
                let mut command = Command::new("opt-22");
                command.args(["-passes=verify", "module.bc", "-o", "peer.bc"]).current_dir(&self.folder);
                command
            };
            let [time, other] = best([&mut || timed(&mut ours()), &mut || timed(&mut peer())])?;
            ratio(label, time, other);
            let (memory, other) = (peak(&mut ours())?, peak(&mut peer())?);
            #[allow(clippy::cast_precision_loss, reason = "kilobytes")]
            let share = memory as f64 / other as f64;
            println!("{label}-memory ratio={share:.3} ours={memory} peer={other}");
        }
        let explain = best([&mut || {
            let mut command = Command::new(self.bin.join("aspen"));
            timed(command.args(["explain", "ours.bc"]).current_dir(&self.folder))
        }])?;
        println!("explain-13k ns={}", explain[0].as_nanos());
        Ok(())
    }
}

/// Numbers that look random and are the same in every run (Knuth's MMIX generator).
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}

/// A module: helpers of which 35 of 100 call on, a tenth with `double`, a tenth with a marked type; kernels that call three helpers each.
fn generated(kernels: usize, cycles: bool) -> String {
    let mut numbers = Numbers(7);
    let mut text = String::from(
        "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1\"\n\
         target triple = \"spir64-unknown-unknown\"\n%\"class.sycl::half\" = type { i16 }\n",
    );
    for helper in 0..HELPERS {
        let _ = writeln!(text, "define spir_func i32 @_Z6helperILi{helper}EEii(i32 %v0) {{");
        if numbers.below(10) == 0 {
            text += "  %mark = alloca %\"class.sycl::half\"\n";
        }
        for index in 0..INSTRUCTIONS {
            let operation = ["add", "mul", "xor", "sub", "or"][numbers.below(5)];
            let _ = writeln!(text, "  %v{} = {operation} i32 %v{index}, {}", index + 1, numbers.below(1000));
        }
        if numbers.below(10) == 0 {
            let _ = writeln!(text, "  %double = sitofp i32 %v{INSTRUCTIONS} to double");
        }
        if numbers.below(100) < 35 && (cycles || helper + 1 < HELPERS) {
            let callee = if cycles { numbers.below(HELPERS) } else { helper + 1 + numbers.below(HELPERS - helper - 1) };
            let _ = writeln!(text, "  %called = call spir_func i32 @_Z6helperILi{callee}EEii(i32 %v{INSTRUCTIONS})");
        }
        let _ = write!(text, "  ret i32 %v{INSTRUCTIONS}\n}}\n");
    }
    for kernel in 0..kernels {
        let _ = writeln!(text, "define spir_kernel void @_ZTS6kernelILi{kernel}EE(ptr addrspace(1) %out) {{");
        for call in 0..3 {
            let _ = writeln!(text, "  %r{call} = call spir_func i32 @_Z6helperILi{}EEii(i32 {call})", numbers.below(HELPERS));
            let _ = writeln!(text, "  store i32 %r{call}, ptr addrspace(1) %out");
        }
        text += "  ret void\n}\n";
    }
    text + "!intel_types_that_use_aspects = !{!0}\n!0 = !{!\"class.sycl::half\", i32 5}\n"
}

/// The most memory that the command had resident at a time, in KiB.
pub(super) fn peak(command: &mut Command) -> Result<u64> {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("cannot start it")?;
    let start = Instant::now();
    let pid = libc::pid_t::try_from(child.id()).context("a process id")?;
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: our own child, which nobody else waits for; both places may be written.
    let waited = unsafe { libc::wait4(pid, &mut status, 0, usage.as_mut_ptr()) };
    ensure!(waited == pid, "cannot wait for it: {}", std::io::Error::last_os_error());
    if status != 0 {
        bail!("it failed with status {status} after {:?}", Duration::from_secs(start.elapsed().as_secs()));
    }
    // SAFETY: a structure of numbers, zeroed and then filled by wait4.
    Ok(u64::try_from(unsafe { usage.assume_init() }.ru_maxrss)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_have_what_they_promise() {
        let plain = generated(10, false);
        assert_eq!(plain.matches("define spir_kernel").count(), 10);
        assert_eq!(plain.matches("define spir_func").count(), HELPERS);
        let calls = plain.matches("%called").count();
        assert!((600..800).contains(&calls), "{calls} of {HELPERS} call on");
        assert_eq!(plain, generated(10, false));
        assert_ne!(plain, generated(10, true));
    }
}
