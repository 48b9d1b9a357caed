//! `aspen launch`: a command behind a launcher, and once more if the machine was at fault.

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::error::Error;

/// Exit codes that say that the machine was at fault and another may do better: those of `sysexits.h` for a service that is not there, the
/// system, input and output, and a temporary failure; those of shells for commands that are not there or cannot run, and for SIGKILL and
/// SIGTERM (a lack of memory, an end of the time); and what ssh says of itself.
const MACHINE: [i32; 9] = [69, 71, 74, super::job::MACHINE_AT_FAULT, 126, 127, 128 + 9, 128 + 15, 255];

/// What is said between the attempts.
pub const AGAIN: &str = "aspen: the machine was at fault (exit code ";

/// The number of the attempt, from 1, for launchers that would choose another machine by it.
const ATTEMPT: &str = "ASPEN_AOT_ATTEMPT";

/// srun's own failures have exit code 1 like any compiler's, unless this says another.
const SLURM_ERROR: &str = "SLURM_EXIT_ERROR";

/// The file of a program that is named on a command line, as an absolute path if it was named by a path.
///
/// # Errors
/// If there is none, or it cannot be executed.
pub fn find(program: &str) -> Result<PathBuf, Error> {
    use std::os::unix::fs::PermissionsExt;
    let runs = |file: &Path| file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    let missing = |what: &str| Error::Usage(format!("the launcher '{program}' {what}"));
    if program.contains('/') {
        let file = std::path::absolute(program).map_err(|error| Error::file("find", program.as_ref(), error))?;
        return if runs(&file) { Ok(file) } else { Err(missing("is not there, or cannot be executed")) };
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join(program)).find(|file| runs(file));
    found.ok_or_else(|| missing("is in no folder of PATH"))
}

/// Runs the words as a command, its output where ours goes; if the machine was at fault, once more. Returns the exit code of the last run.
///
/// # Errors
/// If there are no words or the command cannot be started.
pub fn launch(words: &[String]) -> Result<u8, Error> {
    let (program, arguments) = words.split_first().ok_or_else(|| Error::Usage("there is no command to run".into()))?;
    let mut last = 0;
    for attempt in 1..=2 {
        let mut command = Command::new(program);
        command.args(arguments).env(ATTEMPT, attempt.to_string()).stdin(Stdio::null());
        if env::var_os(SLURM_ERROR).is_none() {
            command.env(SLURM_ERROR, super::job::MACHINE_AT_FAULT.to_string());
        }
        let status = command.status().map_err(|source| Error::Start { tool: program.clone(), source })?;
        last = code(status);
        if !MACHINE.contains(&last) {
            break;
        }
        if attempt == 1 {
            eprintln!("{AGAIN}{last}); the job is tried once more");
        }
    }
    Ok(u8::try_from(last).unwrap_or(u8::MAX))
}

/// As a shell has it.
fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}
