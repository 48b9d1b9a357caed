//! `aspen-cache-remote`: talks to the store that `ASPEN_CACHE_REMOTE` names, for `aspen++` and for programs, which start it. It knows
//! neither entries nor secrets: those who start it seal and check what goes through here ([`aspen_cache::protocol`]). A program of its
//! own, so that nothing else has a network's dependencies and threads. Source: issue 17 "Shared caches"; docs/decisions/0045.

mod serve;
mod store;

use std::env;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use aspen_cache::program::help;

const VARIABLE: &str = "ASPEN_CACHE_REMOTE";

/// How long what was given to be kept may take after the other side has ended: it waits itself, or nobody does.
const WAITED_FOR: Duration = Duration::from_secs(2);
const ALONE: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let words: Vec<_> = env::args_os().skip(1).collect();
    let outcome = match words.as_slice() {
        [word] if word == "--serve" => serve::serve(&url(), &ours, WAITED_FOR),
        [word] if word == "--stay" => stay(),
        [word] if word == "--stayed" => serve::serve(&url(), &ours, ALONE),
        [word] if word == "--try" => match serve::tried(&url()) {
            Ok(said) => writeln!(io::stdout(), "{said}"),
            Err(why) => Err(io::Error::other(why)),
        },
        [word] if word == "--help" || word == "-h" => write!(io::stdout(), "{}", help()),
        [word] if word == "--version" => writeln!(io::stdout(), "aspen-cache-remote {}", env!("CARGO_PKG_VERSION")),
        _ => {
            eprint!("{}", help());
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("aspen-cache-remote: error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn url() -> String {
    env::var_os(VARIABLE).unwrap_or_default().to_string_lossy().into_owned()
}

/// The socket that is this process's standard input.
fn ours() -> io::Result<UnixStream> {
    Ok(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Has another process do the work, which is no child of the user's program then, and holds nothing of what that has open.
fn stay() -> io::Result<()> {
    // SAFETY: nothing of this process is open but the three standard streams; the others came from the user's program and nobody here uses
    // them.
    unsafe { libc::close_range(3, libc::c_uint::MAX, 0) };
    // A folder of the user's can be unmounted meanwhile.
    Command::new(env::current_exe()?).arg("--stayed").current_dir("/").stdin(Stdio::inherit()).spawn()?;
    Ok(())
}
