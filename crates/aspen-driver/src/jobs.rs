//! Child processes: the commands as values, several at a time, with everything they print kept apart.
//!
//! All threads end before the functions return, because code generation forks and needs a process of one thread.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{self, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::error::Error;
use crate::janitor;

/// Longer command lines are given in a file: Linux takes words of 128 KiB, and all of them in 2 MiB with the environment.
const LONGEST_LINE: usize = 120 << 10;

/// A program with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What it reads from standard input; nothing by default.
    pub input: Option<Arc<Vec<u8>>>,
}

/// What a process said and how it ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained about.
    pub stderr: Vec<u8>,
}

impl Command {
    /// Without standard input.
    pub fn new(program: &Path, arguments: impl IntoIterator<Item = String>) -> Command {
        Command { program: program.to_path_buf(), arguments: arguments.into_iter().collect(), input: None }
    }

    /// As one would type it into a shell.
    pub fn shell(&self) -> String {
        let program = self.program.to_string_lossy();
        let words = std::iter::once(program.as_ref()).chain(self.arguments.iter().map(String::as_str));
        words.map(quoted).collect::<Vec<_>>().join(" ")
    }

    fn start(&self) -> Result<Outcome, Error> {
        let failed = |source| Error::Start { tool: self.program.display().to_string(), source };
        let file = self.response_file().map_err(|error| Error::temporary("write the arguments in", &std::env::temp_dir(), &error))?;
        let (arguments, _folder) = match &file {
            Some((word, folder)) => (std::slice::from_ref(word), Some(folder)),
            None => (&self.arguments[..], None),
        };
        let mut child = process::Command::new(&self.program)
            .args(arguments)
            .stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let writer = self.input.clone().zip(child.stdin.take()).map(|(bytes, mut pipe)| {
            // A compiler that stops early closes the pipe; its own words are the better message.
            thread::spawn(move || drop(pipe.write_all(&bytes)))
        });
        let output = child.wait_with_output().map_err(failed)?;
        if let Some(writer) = writer {
            writer.join().map_err(|_| failed(io::Error::other("cannot feed its standard input")))?;
        }
        Ok(Outcome { status: output.status, stdout: output.stdout, stderr: output.stderr })
    }

    /// A response file with the arguments, in a folder of its own, where clang gets more than the system passes on.
    fn response_file(&self) -> io::Result<Option<(String, TempDir)>> {
        let is_clang = self.program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("clang"));
        let is_short = self.arguments.iter().map(|word| word.len() + 1).sum::<usize>() < LONGEST_LINE;
        if !is_clang || is_short {
            return Ok(None);
        }
        let folder = janitor::folder("aspen-", &std::env::temp_dir())?;
        let file = folder.path().join("words");
        let quoted = |word: &String| format!("\"{}\"\n", word.replace('\\', r"\\").replace('"', "\\\""));
        fs::write(&file, self.arguments.iter().map(quoted).collect::<String>())?;
        Ok(Some((format!("@{}", file.display()), folder)))
    }

    /// The error for a failure that is not the user's code.
    pub fn failure(&self, what: &str, outcome: &Outcome) -> Error {
        Error::Tool { what: what.into(), status: outcome.status.to_string(), command: self.shell(), words: outcome.stderr_text() }
    }
}

impl Outcome {
    /// What it printed, as text.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// What it complained about, as text.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,./:@%#".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Runs one command to its end.
///
/// # Errors
/// If it cannot be started. How it ended is in the outcome.
pub fn run(command: &Command) -> Result<Outcome, Error> {
    command.start()
}

/// How many processes may run at a time.
#[derive(Clone, Debug)]
pub struct Parallelism {
    limit: NonZeroUsize,
    make: Option<jobserver::Client>,
}

impl Parallelism {
    /// What the user says with `-j`; else what a make above us grants; else one a core.
    pub fn new(wanted: Option<NonZeroUsize>) -> Parallelism {
        let limit = wanted.unwrap_or_else(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
        // SAFETY: MAKEFLAGS names descriptors that make left open for us, which is checked; this program has opened nothing yet that could
        // have their numbers.
        let asked = wanted.is_none().then(|| unsafe { jobserver::Client::from_env_ext(true) });
        // Where a recipe is not for make's own programs (`+`), make 4.3 closes the descriptors and names them all the same.
        let is_makes = |value: &OsString| pipe_of(&value.to_string_lossy()).is_none_or(|(read, write)| is_pipe(read, write));
        let make = asked.filter(|asked| asked.var.as_ref().is_some_and(|(_, value)| is_makes(value))).and_then(|asked| asked.client.ok());
        Parallelism { limit, make }
    }

    /// For work that cannot ask make as it goes: one at a time under a make, which grants that much without being asked.
    pub fn fixed(&self) -> NonZeroUsize {
        if self.make.is_some() { NonZeroUsize::MIN } else { self.limit }
    }

    /// Leave to start one more process; `None` for the time being, or for good if make cannot be asked.
    fn one_more(&self) -> Option<Option<jobserver::Acquired>> {
        match &self.make {
            None => Some(None),
            Some(make) => make.try_acquire().ok().flatten().map(Some),
        }
    }
}

/// The descriptors of `--jobserver-auth=R,W`; none for a named pipe.
fn pipe_of(flags: &str) -> Option<(u32, u32)> {
    let (_, value) = flags.rsplit_once("--jobserver-fds=").or_else(|| flags.rsplit_once("--jobserver-auth="))?;
    let (read, write) = value.split(' ').next()?.split_once(',')?;
    Some((read.parse().ok()?, write.parse().ok()?))
}

/// Whether both are ends of one pipe: one to read from, the other to write to.
fn is_pipe(read: u32, write: u32) -> bool {
    let link = |descriptor: u32| {
        let path = format!("/proc/self/fd/{descriptor}");
        // The link's own permissions say how the file is open.
        Some((fs::read_link(&path).ok()?, fs::symlink_metadata(&path).ok()?.permissions().mode() & 0o600))
    };
    match (link(read), link(write)) {
        (Some((one, 0o400)), Some((other, 0o200))) => one == other && one.to_string_lossy().starts_with("pipe:"),
        _ => false,
    }
}

/// How often a helper asks make again.
const ASK_AGAIN: Duration = Duration::from_millis(10);

/// Runs all commands, several at a time; outcomes are in the order of the commands.
///
/// # Errors
/// The first command, in order, that cannot be started.
pub fn run_all(commands: &[&Command], jobs: &Parallelism) -> Result<Vec<Outcome>, Error> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<Outcome, Error>>>> = commands.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < commands.len()) {
            let result = commands[index].start();
            *results[index].lock().expect("no thread panics while it holds the lock") = Some(result);
        }
    };
    // This thread needs no leave; make counts the program itself as one job.
    let help = || {
        while next.load(Ordering::Relaxed) < commands.len() {
            match jobs.one_more() {
                Some(_leave) => return work(),
                None => thread::sleep(ASK_AGAIN),
            }
        }
    };
    thread::scope(|scope| {
        let helpers: Vec<_> = (1..jobs.limit.get().min(commands.len())).map(|_| scope.spawn(help)).collect();
        work();
        // The end of the scope only waits for the closures; joining waits until the threads are gone, which forking needs.
        for helper in helpers {
            helper.join().expect("the closure does not panic");
        }
    });
    let finished = |slot: Mutex<Option<Result<Outcome, Error>>>| slot.into_inner().ok().flatten().expect("every index was worked on");
    results.into_iter().map(finished).collect()
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    fn shell(script: &str) -> Command {
        Command::new(Path::new("/bin/sh"), ["-c".into(), script.into()])
    }

    #[test]
    fn outcomes_keep_the_order_of_the_commands() {
        let commands = [shell("sleep 0.05; echo one"), shell("echo two; echo bad >&2; exit 3"), shell("echo three")];
        let commands: Vec<&Command> = commands.iter().collect();
        for jobs in [1, 2, 8] {
            let outcomes = run_all(&commands, &Parallelism::new(NonZeroUsize::new(jobs))).expect("sh starts");
            let said: Vec<String> = outcomes.iter().map(Outcome::stdout_text).collect();
            assert_eq!(said, ["one\n", "two\n", "three\n"]);
            assert_eq!((outcomes[1].status.code(), outcomes[1].stderr_text().as_str()), (Some(3), "bad\n"));
        }
    }

    #[test]
    fn input_is_fed_even_when_nobody_reads_it() {
        let mut echo = shell("cat");
        echo.input = Some(Arc::new(vec![b'x'; 1 << 20]));
        assert_eq!(run(&echo).expect("cat starts").stdout.len(), 1 << 20);
        let mut deaf = shell("exit 0");
        deaf.input = echo.input;
        assert!(run(&deaf).expect("sh starts").status.success());
    }

    #[test]
    fn a_missing_tool_is_named() {
        let error = run(&Command::new(Path::new("/no/such/tool"), [])).expect_err("it is not there");
        assert!(error.to_string().starts_with("cannot start '/no/such/tool': "), "{error}");
    }

    #[test]
    fn clang_gets_long_lines_in_a_file() {
        let words = ["-DA=".to_owned() + &"x".repeat(LONGEST_LINE), r#"a b"c\d"#.to_owned()];
        let (word, _folder) =
            Command::new(Path::new("/usr/bin/clang++-22"), words.clone()).response_file().expect("writable").expect("long");
        assert_eq!(crate::args::response::expand(vec![word]).expect("readable"), words);
        assert!(Command::new(Path::new("clang++-22"), ["-c".into()]).response_file().expect("nothing to write").is_none());
    }

    #[test]
    fn only_both_ends_of_one_pipe_are_makes() {
        let (read, write) = io::pipe().expect("a pipe");
        let (other, _kept) = io::pipe().expect("a pipe");
        let file = fs::File::open("/dev/null").expect("there");
        let number = |file: &dyn AsRawFd| u32::try_from(file.as_raw_fd()).expect("a descriptor");
        assert!(is_pipe(number(&read), number(&write)));
        for (read, write) in
            [(number(&write), number(&read)), (number(&other), number(&write)), (number(&file), number(&file)), (9999, 9998)]
        {
            assert!(!is_pipe(read, write), "{read}, {write}");
        }
        for (flags, found) in [
            ("k -j4 --jobserver-auth=3,4 -- A=b", Some((3, 4))),
            ("--jobserver-fds=5,6 -j", Some((5, 6))),
            ("-j4 --jobserver-auth=fifo:/tmp/a,b", None),
            ("k", None),
        ] {
            assert_eq!(pipe_of(flags), found, "{flags}");
        }
    }

    #[test]
    fn shell_words() {
        let command = Command::new(Path::new("clang++-22"), ["-DA=b c".into(), "".into(), "it's".into(), "-O2".into()]);
        assert_eq!(command.shell(), r"clang++-22 '-DA=b c' '' 'it'\''s' -O2");
    }
}
