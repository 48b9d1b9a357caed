//! Temporary folders go away with the run also when it is killed: a shell holds their names and removes them when our end of its pipe
//! closes, whatever closed it. Source: DESIGN §2, "Temporary files never outlive the command".

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

/// Collects lines; at the end of its input it removes them, unless the last one says that nothing is left to do.
const SCRIPT: &str = r#"while IFS= read -r path; do
  if [ "$path" = done ]; then exit; fi
  set -- "$@" "$path"
done
# A compiler that outlives us may still write into a folder that is being removed.
for try in 1 2 3 4 5 6 7 8 9; do
  rm -rf -- "$@" && exit
  sleep 0.2
done"#;

static SHELL: Mutex<Option<ChildStdin>> = Mutex::new(None);

/// Makes a folder in `parent` that is removed when this process ends without [`finish`].
///
/// The shell has its name before the folder is there, so that no moment is left in which a kill leaves it behind. A name with 64 random
/// bits of the system's is nobody else's. Without a shell there is no such safety net, and the run goes on: its own clean-up does the
/// same where it can.
///
/// # Errors
/// If no folder can be made there.
pub fn folder(prefix: &str, parent: &Path) -> io::Result<TempDir> {
    let random = RandomState::new().build_hasher().finish();
    let name = format!("{prefix}{random:016x}");
    let path = std::path::absolute(parent.join(&name))?;
    prepare();
    if let (Some(pipe), Some(line)) =
        (SHELL.lock().unwrap_or_else(PoisonError::into_inner).as_mut(), path.to_str().filter(|path| !path.contains('\n')))
    {
        // A shell that has gone away cannot help; see above.
        let _ = writeln!(pipe, "{line}");
    }
    tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir_in(parent)
}

/// Starts the shell, once.
fn prepare() {
    let mut shell = SHELL.lock().unwrap_or_else(PoisonError::into_inner);
    if shell.is_none() {
        // A group of its own: what the terminal sends to us must not end it first.
        let child = Command::new("/bin/sh")
            .args(["-c", SCRIPT])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        *shell = child.ok().and_then(|child| child.stdin);
    }
}

/// The run has removed everything itself.
pub fn finish() {
    if let Some(mut pipe) = SHELL.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = writeln!(pipe, "done");
    }
}
