//! Writing files that may be run later, and starting processes, so that neither disturbs the other.
//!
//! A process that one thread starts has, between `fork` and `exec`, all files open that the others are writing. If one of these is a program
//! that is run at once, the kernel refuses it: "Text file busy". So no process starts while a file is open here for writing.

use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{PoisonError, RwLock};

static OPEN: RwLock<()> = RwLock::new(());

/// Copies a file with its mode.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let _open = OPEN.read().unwrap_or_else(PoisonError::into_inner);
    std::fs::copy(from, to).map(drop)
}

/// Writes a file.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let _open = OPEN.read().unwrap_or_else(PoisonError::into_inner);
    std::fs::write(path, bytes)
}

/// Starts a process; it runs its program when this returns.
pub fn start(command: &mut Command) -> io::Result<Child> {
    let _none = OPEN.write().unwrap_or_else(PoisonError::into_inner);
    command.spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_runs_at_once_while_others_start_processes() {
        let folder = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let program = folder.path().join(format!("true{thread}"));
                scope.spawn(move || {
                    for _ in 0..100 {
                        let _ = std::fs::remove_file(&program);
                        copy(Path::new("/bin/true"), &program).expect("copied");
                        let mut child = start(&mut Command::new(&program)).expect("not busy");
                        assert!(child.wait().expect("ours").success());
                    }
                });
            }
        });
    }
}
