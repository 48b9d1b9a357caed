//! Aspen's commands and the programs they make: with a time limit, and all that they say.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

const COMPILE_LIMIT: Duration = Duration::from_secs(600);
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// The commands under test.
pub struct Tools {
    /// Folder of `aspen++` and `aspen`.
    pub bin: PathBuf,
}

/// What a command said, both streams, and how it ended.
pub struct Said {
    pub text: String,
    /// `exit status: 1`, a signal, or that it took too long.
    pub status: String,
}

impl Said {
    pub fn succeeded(&self) -> bool {
        self.status == "exit status: 0"
    }

    /// Why it failed, if it did: the status, and the first lines of what it said.
    pub fn failure(&self) -> Option<String> {
        let said: Vec<&str> = self.text.lines().take(12).collect();
        (!self.succeeded()).then(|| format!("{}: {}", self.status, said.join("\n    ")))
    }
}

impl Tools {
    /// `aspen++` over units of a folder, without warnings.
    pub fn compile(&self, folder: &Path, options: &[&str], units: &[&str], program: &str) -> Result<Said> {
        let mut command = Command::new(self.bin.join("aspen++"));
        command.args(["-w", "-j", "1", "-Xarch_host", "-O0"]).args(options).args(units).args(["-o", program]);
        said(command, folder, COMPILE_LIMIT)
    }

    /// Any command of Aspen's.
    pub fn command(&self, folder: &Path, name: &str, arguments: &[&str]) -> Result<Said> {
        let mut command = Command::new(self.bin.join(name));
        command.args(arguments);
        said(command, folder, COMPILE_LIMIT)
    }

    /// A program of the folder.
    pub fn run(&self, folder: &Path, program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<Said> {
        let mut command = Command::new(folder.join(program));
        command.args(arguments).envs(environment.iter().copied());
        said(command, folder, RUN_LIMIT)
    }
}

fn said(mut command: Command, folder: &Path, limit: Duration) -> Result<Said> {
    // Cargo, which runs us, names its own folders: the debug build's libaspen.so would be taken for the installation's.
    command.env_remove("LD_LIBRARY_PATH");
    // Threads of one process say things into folders of their own.
    let path = folder.join(".said");
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    command.current_dir(folder).env("LC_ALL", "C.UTF-8").env("ASPEN_CACHE", "0");
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let mut child = command.spawn().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status.to_string();
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break format!("longer than {} s", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
    Ok(Said { text, status })
}
