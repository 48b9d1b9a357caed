//! Building and running one program. All of it is done in a folder of ours: the checkout stays as it is.

use std::fs::{File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, ensure};

use super::suites::{How, Program, Suite};
use super::verdict::{Verdict, short};

/// With what programs are built. Two at a time need a folder each.
pub struct Builder {
    pub bin: PathBuf,
    pub targets: String,
    /// Where copies are made.
    pub folder: PathBuf,
    /// Seconds that a program may run.
    pub limit: u32,
}

/// What was seen.
pub struct Seen {
    pub verdict: Verdict,
    pub compiled: bool,
    /// CPU seconds of compile and link.
    pub compile_seconds: f64,
}

/// Seconds that a build may take.
pub(super) const BUILD_LIMIT: u32 = 600;
/// What a command may say before the rest is cut off.
const MOST_OUTPUT: usize = 4 << 20;
/// The last number of a command line is, in these suites, how often the work is repeated; more than this is less.
const REPEATS: u64 = 2;

impl Builder {
    pub fn build_and_run(&self, suite: &Suite, program: &Program, run: bool) -> Result<Seen> {
        let mirror = self.folder.join(suite.name);
        link_all(&suite.folder, &mirror)?;
        match &program.how {
            How::Make { makefile, run: line } => {
                let own = mirror.join(&program.folder);
                std::fs::remove_file(&own).with_context(|| format!("cannot replace {}", own.display()))?;
                copy_all(&suite.folder.join(&program.folder), &own)?;
                let seen = self.make(&own, makefile, *line, run);
                std::fs::remove_dir_all(&own).with_context(|| format!("cannot remove {}", own.display()))?;
                seen
            }
            How::CMake { options, run: line } => self.cmake(&suite.folder.join(&program.folder), options, line, run),
            How::File { file, flags, arguments } => {
                let scratch = self.scratch("one")?;
                let mut compile = Command::new(self.bin.join("aspen++"));
                compile.args(flags).arg(format!("-fsycl-targets={}", self.targets)).arg(file).arg("-o").arg(scratch.join("a.out"));
                let built = self.within(BUILD_LIMIT, &compile, &suite.folder.join(&program.folder))?;
                if !built.status.success() {
                    return Ok(built.refused());
                }
                let mut start = Command::new(scratch.join("a.out"));
                start.args(arguments);
                let verdict = if run { self.run(&start, &scratch)? } else { Verdict::Compiles };
                Ok(Seen { verdict, compiled: true, compile_seconds: built.seconds })
            }
        }
    }

    /// An empty folder of ours.
    fn scratch(&self, name: &str) -> Result<PathBuf> {
        let scratch = self.folder.join(name);
        if scratch.exists() {
            std::fs::remove_dir_all(&scratch).with_context(|| format!("cannot remove {}", scratch.display()))?;
        }
        std::fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
        Ok(scratch)
    }

    /// Who wants DPC++ finds aspen++ under the name and in the place where that has its clang++.
    fn cmake(&self, checkout: &Path, options: &[String], line: &str, run: bool) -> Result<Seen> {
        let (build, toolchain) = (self.scratch("cmake")?, self.scratch("toolchain")?);
        let bin = toolchain.join("bin");
        for folder in [&bin, &toolchain.join("include/sycl")] {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let clang = bin.join("clang++");
        let script = format!("#!/bin/sh\nexec {} -fsycl-targets={} \"$@\"\n", self.bin.join("aspen++").display(), self.targets);
        std::fs::write(&clang, script).with_context(|| format!("cannot write {}", clang.display()))?;
        std::fs::set_permissions(&clang, Permissions::from_mode(0o755)).with_context(|| format!("cannot change {}", clang.display()))?;

        let mut configure = Command::new("cmake");
        configure.arg("-S").arg(checkout).arg("-B").arg(&build).arg("-DCMAKE_BUILD_TYPE=Release").args(options);
        configure.arg(format!("-DCMAKE_CXX_COMPILER={}", clang.display())).arg(format!("-DSYCL_COMPILER_DIR={}", toolchain.display()));
        let configured = self.within(BUILD_LIMIT, &configure, &build)?;
        if !configured.status.success() {
            return Ok(configured.refused());
        }
        let mut make = Command::new("cmake");
        make.arg("--build").arg(&build);
        let built = self.within(BUILD_LIMIT, &make, &build)?;
        if !built.status.success() {
            return Ok(built.refused());
        }
        let mut start = Command::new("sh");
        start.args(["-c", &line.replace("{source}", &checkout.display().to_string())]);
        let verdict = if run { self.run(&start, &build)? } else { Verdict::Compiles };
        Ok(Seen { verdict, compiled: true, compile_seconds: built.seconds })
    }

    fn make(&self, own: &Path, makefile: &str, line: Option<&str>, run: bool) -> Result<Seen> {
        let make = self.makes(makefile);
        let built = self.build(&make, own)?;
        if !built.status.success() {
            return Ok(built.refused());
        }
        let mut verdict = Verdict::Compiles;
        let line = match line {
            Some(line) => Some(line.to_owned()),
            None => self.run_line(&make, own)?,
        };
        if run && let Some(line) = line {
            let run = |line: &str| {
                let mut start = Command::new("sh");
                start.args(["-c", line]);
                self.run(&start, own)
            };
            let shorter = less(&line);
            verdict = run(&shorter)?;
            // Where the last number is no repetition, less of it may be nonsense.
            if matches!(verdict, Verdict::Wrong(_) | Verdict::Crashes(_))
                && shorter != line.split_whitespace().collect::<Vec<_>>().join(" ")
            {
                verdict = run(&line)?;
            }
        }
        Ok(Seen { verdict, compiled: true, compile_seconds: built.seconds })
    }

    /// What calls `make` with aspen++.
    pub(super) fn makes(&self, makefile: &str) -> impl Fn(&[&str]) -> Command {
        // Some makefiles add -fsycl only for compilers that they know.
        let compiler = format!("{} -fsycl -fsycl-targets={}", self.bin.join("aspen++").display(), self.targets);
        // The makefiles' own switches: no GPU, and no vendor whose compiler needs further options.
        makes(makefile, [format!("CC={compiler}"), format!("CXX={compiler}"), "GPU=no".into(), "VENDOR=aspen".into()])
    }

    pub(super) fn build(&self, make: &impl Fn(&[&str]) -> Command, own: &Path) -> Result<Ended> {
        // What a checkout holds from another compiler must not be taken for ours.
        self.within(BUILD_LIMIT, &make(&["clean"]), own)?;
        self.within(BUILD_LIMIT, &make(&[]), own)
    }

    /// The command that the makefile's target `run` consists of, on one line.
    pub(super) fn run_line(&self, make: &impl Fn(&[&str]) -> Command, own: &Path) -> Result<Option<String>> {
        let said = self.within(BUILD_LIMIT, &make(&["-n", "run"]), own)?;
        let text = said.text.replace("\\\n", " ");
        let line = text.lines().map(str::trim).find(|line| line.starts_with("./"));
        Ok(line.filter(|_| said.status.success()).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    fn run(&self, command: &Command, folder: &Path) -> Result<Verdict> {
        let ran = self.within(self.limit, command, folder)?;
        let last = || short(ran.text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no output"));
        Ok(match (ran.status.code(), ran.status.signal()) {
            (Some(0), _) => Verdict::of_output(&ran.text),
            // What `timeout` ends with itself, or by the signal that it sends last.
            (Some(124 | 137), _) | (None, Some(9)) => Verdict::Slow,
            (Some(code), _) => match Verdict::of_output(&ran.text) {
                wrong @ Verdict::Wrong(_) => wrong,
                _ => Verdict::of_crash(&ran.text).unwrap_or_else(|| Verdict::Crashes(format!("exit {code}, {}", last()))),
            },
            (None, signal) => {
                Verdict::of_crash(&ran.text).unwrap_or_else(|| Verdict::Crashes(format!("signal {}, {}", signal.unwrap_or(0), last())))
            }
        })
    }

    /// Runs a command for so many seconds at most, with all that it starts.
    pub(super) fn within(&self, seconds: u32, command: &Command, folder: &Path) -> Result<Ended> {
        let log = self.folder.join("output");
        let out = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut limited = Command::new("timeout");
        limited.args(["-k", "5", &seconds.to_string()]).arg(command.get_program()).args(command.get_args());
        limited.current_dir(folder).stdin(Stdio::null());
        limited.stdout(out.try_clone().context("a file can be opened twice")?).stderr(out);
        let (status, seconds) = wait(limited.spawn().context("cannot start `timeout`")?)?;
        let text = std::fs::read(&log).with_context(|| format!("cannot read {}", log.display()))?;
        let text = String::from_utf8_lossy(&text[..text.len().min(MOST_OUTPUT)]).into_owned();
        Ok(Ended { status, text, seconds })
    }
}

/// What came of a command.
pub(super) struct Ended {
    pub status: ExitStatus,
    pub text: String,
    /// CPU seconds.
    pub seconds: f64,
}

impl Ended {
    fn refused(&self) -> Seen {
        let verdict = match self.status.code() {
            Some(124 | 137) => Verdict::Refused("the compile did not end".to_owned()),
            _ => Verdict::of_errors(&self.text),
        };
        Seen { verdict, compiled: false, compile_seconds: self.seconds }
    }
}

/// What calls `make` with a file and such variables.
pub(super) fn makes<const N: usize>(makefile: &str, variables: [String; N]) -> impl Fn(&[&str]) -> Command {
    move |more| {
        let mut command = Command::new("make");
        command.arg("-f").arg(makefile).args(more).args(&variables).arg("GCC_TOOLCHAIN=");
        command
    }
}

/// The same command with fewer repetitions.
pub(super) fn less(line: &str) -> String {
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    if let Some(last) = words.last_mut()
        && last.parse::<u64>().is_ok_and(|number| number > REPEATS)
    {
        *last = REPEATS.to_string();
    }
    words.join(" ")
}

/// How a child ended, and the user and system time of it and of all that it waited for.
fn wait(child: Child) -> Result<(ExitStatus, f64)> {
    let pid = libc::pid_t::try_from(child.id()).context("a process number of Linux")?;
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    loop {
        // SAFETY: the child is ours and nobody waited for it; both places are ours and as large as the call expects.
        if unsafe { libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr()) } == pid {
            break;
        }
        let error = std::io::Error::last_os_error();
        ensure!(error.kind() == std::io::ErrorKind::Interrupted, "cannot wait for a program: {error}");
    }
    // SAFETY: zeros are a valid structure, and the call filled it.
    let usage = unsafe { usage.assume_init() };
    let seconds = |time: libc::timeval| {
        #[expect(clippy::cast_precision_loss, reason = "times of a session")]
        let (whole, part) = (time.tv_sec as f64, time.tv_usec as f64);
        whole + part / 1e6
    };
    Ok((ExitStatus::from_raw(status), seconds(usage.ru_utime) + seconds(usage.ru_stime)))
}

/// A folder in which everything of another one is a link.
pub(super) fn link_all(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let link = to.join(entry.file_name());
        let is_ours = link.symlink_metadata().is_ok();
        if is_ours && !link.is_symlink() {
            // A copy that an interrupted run left.
            std::fs::remove_dir_all(&link).with_context(|| format!("cannot remove {}", link.display()))?;
        } else if is_ours {
            if std::fs::read_link(&link).is_ok_and(|old| old == entry.path()) {
                continue;
            }
            std::fs::remove_file(&link).with_context(|| format!("cannot remove {}", link.display()))?;
        }
        symlink(entry.path(), &link).with_context(|| format!("cannot make {}", link.display()))?;
    }
    Ok(())
}

/// Links inside the folder are followed; those that lead nowhere are left out.
pub(super) fn copy_all(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let (source, copy) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy_all(&source, &copy)?;
        } else if source.is_file() {
            std::fs::copy(&source, &copy).with_context(|| format!("cannot copy {}", source.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::less;

    #[test]
    fn the_last_number_is_how_often() {
        let check = |line: &str, expected: &str| assert_eq!(less(line), expected);
        check("./main 8192 10000 10 100", "./main 8192 10000 10 2");
        check("./main 1", "./main 1");
        check("./main data/x.raw", "./main data/x.raw");
    }
}
