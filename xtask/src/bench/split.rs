//! `sycl-post-link` against `llvm-split-22 --split-by-category=kernel` on the same bitcode, both writing their files; and the floor: the
//! time to write the same bytes to as many files without looking at them.
//!
//! The modules hold what real ones do: shared helpers in comdats, tables, vtables, aliases, debug info. Every fourth kernel needs `fp64`,
//! so that the split by requirements has something to split.
//!
//! No folder is removed before the end: ext4 looks at every inode that was freed within the last seconds before it gives one out, and tens
//! of thousands of files that were just removed make the next run measure that. Times are of the clock; on a busy machine the processor
//! times (`-cpu`: of the process and its workers, in both modes) tell more.

use std::fmt::Write;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::propagate::Numbers;
use super::{Bench, ratio};
use crate::shell::output;

/// Functions that kernels share.
const HELPERS: usize = 2_000;
/// Instructions of a helper.
const INSTRUCTIONS: usize = 30;
/// How often our side is measured; the other side takes minutes and is measured once above 1k.
const TURNS: usize = 3;
/// Seconds of processor time after which the system stops a run. The other side's ratio is a bound then, with a `>` before its time.
const LIMIT: libc::rlim_t = 150;
/// The module of which a sample of images is made SPIR-V, and how many they are.
const SAMPLED: (usize, usize) = (5_000, 200);
/// How many images opt looks at one by one, of each module.
const VERIFIED: usize = 200;

/// What a run took.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    wall: Duration,
    /// Of the process and its workers, in both modes.
    pub(super) cpu: Duration,
    /// KiB of memory of the largest of its processes.
    memory: u64,
    /// The limit was reached.
    stopped: bool,
}

/// Bytes that the runs leave on the disk until the end, with room for a file system that counts in blocks of 4 KiB.
const SPACE: u64 = 4 << 30;

impl Bench<'_> {
    pub(super) fn split(&self) -> Result<()> {
        let free = free_space(&self.folder)?;
        ensure!(free >= SPACE, "{} has {free} bytes free; the runs need {SPACE}", self.folder.display());
        let runs = self.folder.join("split");
        if runs.exists() {
            fs::remove_dir_all(&runs)?;
            // As long as ext4 remembers.
            std::thread::sleep(Duration::from_secs(40));
        }
        fs::create_dir(&runs).with_context(|| format!("cannot make {}", runs.display()))?;
        let result = self.split_all();
        let removed = fs::remove_dir_all(&runs).with_context(|| format!("cannot remove {}", runs.display()));
        result.and(removed)
    }

    fn split_all(&self) -> Result<()> {
        let mut smallest = None;
        for kernels in [1_000, 5_000, 13_000] {
            let each = self.split_of(kernels)?;
            match smallest {
                None => smallest = Some(each),
                // 1 is linear in the bytes of the output.
                Some(first) => {
                    println!("split-{}k-cpu-per-byte ratio={:.3} ours={each:.1} peer={first:.1}", kernels / 1_000, each / first);
                }
            }
        }
        Ok(())
    }

    /// All figures of one module; the processor time of a byte of output, in nanoseconds.
    fn split_of(&self, kernels: usize) -> Result<f64> {
        let label = format!("split-{}k", kernels / 1_000);
        let (text, module) = (self.folder.join("split.ll"), self.folder.join("split.bc"));
        fs::write(&text, generated(kernels)).with_context(|| format!("cannot write {}", text.display()))?;
        output(Command::new("opt-22").args(["-passes=verify", "-o"]).args([&module, &text]))?;
        fs::remove_file(&text)?;

        let ours = self.post_link(&label, "ours", &["-split=kernel", "-symbols", "-properties"])?;
        let folder = self.folder.join(format!("split/{label}-ours-0"));
        let bytes = self.floor(&label, &folder)?;
        let one = self.post_link(&label, "one-job", &["-split=kernel", "-symbols", "-properties", "-j1"])?;
        println!("{label}-one-job ns={}\n{label}-one-job-cpu ns={}", one.wall.as_nanos(), one.cpu.as_nanos());
        let by_needs = self.post_link(&label, "needs", &["-split=none", "-symbols", "-properties"])?;
        println!("{label}-by-needs ns={}\n{label}-by-needs-cpu ns={}", by_needs.wall.as_nanos(), by_needs.cpu.as_nanos());

        let times = if kernels > 1_000 { 1 } else { TURNS };
        let peer = self.cheapest(times, &format!("{label}-peer"), |folder| {
            let mut command = Command::new("llvm-split-22");
            command.args(["--split-by-category=kernel", "split.bc", "-o"]).arg(folder.join("image")).current_dir(&self.folder);
            command
        })?;
        for (label, ours, other) in [(label.clone(), ours.wall, peer.wall), (format!("{label}-cpu"), ours.cpu, peer.cpu)] {
            if peer.stopped {
                let bound = ours.as_secs_f64() / other.as_secs_f64();
                println!("{label} ratio=<{bound:.4} ours={} peer=>{}", ours.as_nanos(), other.as_nanos());
            } else {
                ratio(&label, ours, other);
            }
        }
        println!("{label}-peer-memory KiB={}", peer.memory);

        // What the module takes alone: a run that reads it and writes it as one file. Of workers, the largest counts.
        let alone = self.cheapest(1, &format!("{label}-alone"), |folder| {
            let mut command = self.aspen();
            command.args(["post-link", "-ir-output-only", "split.bc", "-o"]).arg(folder.join("whole.bc"));
            command
        })?;
        let memory = ours.memory.max(one.memory);
        #[allow(clippy::cast_precision_loss, reason = "kilobytes")]
        let of_alone = memory as f64 / alone.memory as f64;
        println!("{label}-memory ratio={of_alone:.3} ours={memory} peer={}", alone.memory);

        self.verified(&label, &folder, kernels)?;
        if kernels == SAMPLED.0 {
            self.spirv(&label, &folder)?;
        }
        #[allow(clippy::cast_precision_loss, reason = "nanoseconds")]
        Ok(one.cpu.as_nanos() as f64 / bytes as f64)
    }

    fn aspen(&self) -> Command {
        let mut command = Command::new(self.bin.join("aspen"));
        command.current_dir(&self.folder);
        command
    }

    fn post_link(&self, label: &str, what: &str, options: &[&str]) -> Result<Cost> {
        self.cheapest(TURNS, &format!("{label}-{what}"), |folder| {
            let mut command = self.aspen();
            command.arg("post-link").args(options).args(["split.bc", "-o"]).arg(folder.join("all.table"));
            command
        })
    }

    /// The best of so many runs, each into a folder of its own; a run that is stopped is the last.
    fn cheapest(&self, turns: usize, name: &str, command: impl Fn(PathBuf) -> Command) -> Result<Cost> {
        let mut best: Option<Cost> = None;
        eprintln!("{name}: {turns} of them");
        for turn in 0..turns {
            let folder = self.folder.join(format!("split/{name}-{turn}"));
            fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
            let cost = measured(&mut command(folder))?;
            best = Some(match best {
                Some(best) => Cost {
                    wall: best.wall.min(cost.wall),
                    cpu: best.cpu.min(cost.cpu),
                    memory: best.memory.max(cost.memory),
                    stopped: cost.stopped,
                },
                None => cost,
            });
            if cost.stopped {
                break;
            }
        }
        best.context("at least one run")
    }

    /// Writes every file of a run again, and says how long that takes; returns how many bytes they are.
    fn floor(&self, label: &str, folder: &Path) -> Result<usize> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            files.push(fs::read(entry?.path())?);
        }
        let again = self.folder.join(format!("split/{label}-floor"));
        fs::create_dir(&again)?;
        let start = Instant::now();
        for (index, bytes) in files.iter().enumerate() {
            fs::write(again.join(index.to_string()), bytes)?;
        }
        println!("{label}-files-floor ns={}", start.elapsed().as_nanos());
        let bytes = files.iter().map(Vec::len).sum();
        println!("{label}-files bytes={bytes}");
        Ok(bytes)
    }

    /// The table is complete, every image passes LLVM's verifier (`aspen inspect` runs it on each), and a sample of them opt's own.
    fn verified(&self, label: &str, folder: &Path, kernels: usize) -> Result<()> {
        eprintln!("{label}-verified");
        let rows = codes(folder)?;
        ensure!(rows.len() == kernels, "{} rows for {kernels} kernels", rows.len());
        output(self.aspen().args(["inspect", "--format=json"]).arg(folder.join("all.table")))?;
        let sample: Vec<&PathBuf> = rows.iter().step_by(kernels / VERIFIED).collect();
        for code in &sample {
            output(Command::new("opt-22").args(["-passes=verify", "-disable-output"]).arg(code))?;
        }
        println!("{label}-verified images={} opt={}", rows.len(), sample.len());
        Ok(())
    }

    /// A sample becomes SPIR-V, and spirv-val accepts it. Debian's does not know the constants of SPV_INTEL_function_pointers, which tables
    /// of functions need: it must refuse them for that and for nothing else.
    fn spirv(&self, label: &str, folder: &Path) -> Result<()> {
        let rows = codes(folder)?;
        let (mut valid, mut pointers) = (0, 0);
        let (bitcode, spirv) = (self.folder.join("split/sample.bc"), self.folder.join("split/sample.spv"));
        for code in rows.iter().step_by(rows.len() / SAMPLED.1) {
            // DPC++ and Aspen generate SPIR-V without debug info.
            output(Command::new("opt-22").args(["-passes=strip", "-o"]).args([&bitcode, code]))?;
            let mut llc = Command::new("llc-22");
            llc.args(["-mtriple=spirv64-unknown-unknown", "--spirv-ext=+SPV_INTEL_function_pointers", "-filetype=obj", "-o"]);
            output(llc.args([&spirv, &bitcode]))?;
            let said = Command::new("spirv-val").arg(&spirv).output().context("cannot run spirv-val")?;
            let words = String::from_utf8_lossy(&said.stderr).into_owned();
            if said.status.success() {
                valid += 1;
            } else if words.contains("OpConstantFunctionPointerINTEL") && fs::read(code)?.windows(4).any(|bytes| bytes == b"_ZTV") {
                pointers += 1;
            } else {
                bail!("spirv-val refuses {}: {words}", code.display());
            }
        }
        ensure!(valid > pointers, "{valid} of the sample are valid, {pointers} have function pointers");
        println!("{label}-spirv sample={} valid={valid} function-pointers={pointers}", valid + pointers);
        Ok(())
    }
}

/// Bytes that a user may still write where the folder is.
fn free_space(folder: &Path) -> Result<u64> {
    let path = std::ffi::CString::new(folder.as_os_str().as_encoded_bytes())?;
    let mut space = std::mem::MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: a terminated path and a place for the answer, which is numbers.
    let (result, space) = unsafe { (libc::statvfs(path.as_ptr(), space.as_mut_ptr()), space.assume_init()) };
    ensure!(result == 0, "cannot ask for the free space of {}: {}", folder.display(), std::io::Error::last_os_error());
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

/// The first column of the table that stands there.
fn codes(folder: &Path) -> Result<Vec<PathBuf>> {
    let table = fs::read_to_string(folder.join("all.table"))?;
    table.lines().skip(1).map(|row| Ok(row.split('|').next().context("a row has cells")?.into())).collect()
}

/// Runs a command to its end or to the limit.
pub(super) fn measured(command: &mut Command) -> Result<Cost> {
    let limit = || {
        let limit = libc::rlimit { rlim_cur: LIMIT, rlim_max: LIMIT + 5 };
        // SAFETY: a valid structure.
        if unsafe { libc::setrlimit(libc::RLIMIT_CPU, &limit) } == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    };
    // SAFETY: between fork and exec only a system call is made.
    unsafe { command.pre_exec(limit) };
    let start = Instant::now();
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("cannot start it")?;
    let pid = libc::pid_t::try_from(child.id()).context("a process id")?;
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: our own child, which nobody else waits for; both places may be written.
    let waited = unsafe { libc::wait4(pid, &mut status, 0, usage.as_mut_ptr()) };
    let wall = start.elapsed();
    ensure!(waited == pid, "cannot wait for it: {}", std::io::Error::last_os_error());
    let stopped = libc::WIFSIGNALED(status) && [libc::SIGXCPU, libc::SIGKILL].contains(&libc::WTERMSIG(status));
    if status != 0 && !stopped {
        bail!("{command:?} failed with status {status}");
    }
    // SAFETY: a structure of numbers, zeroed and then filled by wait4.
    let usage = unsafe { usage.assume_init() };
    let time = |time: libc::timeval| -> Result<Duration> {
        Ok(Duration::from_secs(u64::try_from(time.tv_sec)?) + Duration::from_micros(u64::try_from(time.tv_usec)?))
    };
    Ok(Cost { wall, cpu: time(usage.ru_utime)? + time(usage.ru_stime)?, memory: u64::try_from(usage.ru_maxrss)?, stopped })
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
