//! Work in forked copies of this process, several at a time.
//!
//! LLVM is loaded already and modules are in memory, so a fork costs about a millisecond; what a worker allocates goes with it, its global
//! state is its own, and a crash is an error like any other. Source: DESIGN §9.

use std::ffi::{CStr, c_int};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::os::fd::{AsRawFd, FromRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::panic::AssertUnwindSafe;
use std::thread;
use std::time::{Duration, Instant};

/// What a worker made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finished {
    /// The result.
    pub bytes: Vec<u8>,
    /// What it printed on standard error on the way; usually nothing.
    pub messages: String,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The work failed or crashed: its own words, or how it died.
    #[error("{0}")]
    Failed(String),
    /// No worker could be started or read.
    #[error("no worker process could be run: {0}")]
    System(#[source] io::Error),
    /// Forking would copy only one of several threads.
    #[error("this process has {0} threads and its workers need a process with one")]
    Threads(usize),
}

/// Whether this process has one thread, so that a fork of it is a whole copy. It may say no for a moment after a thread was joined.
pub fn can_fork() -> bool {
    matches!(threads(), Ok(1))
}

fn threads() -> io::Result<usize> {
    Ok(fs::read_dir("/proc/self/task")?.count())
}

/// How long a thread that was joined may still be counted on a busy machine: Linux wakes who waits for it before it takes it off the list.
const LAST_MOMENTS: Duration = Duration::from_secs(1);

/// How many threads this process has, without those that are about to be gone.
fn lasting_threads() -> io::Result<usize> {
    let began = Instant::now();
    loop {
        let count = threads()?;
        if count == 1 || began.elapsed() > LAST_MOMENTS {
            return Ok(count);
        }
        thread::sleep(Duration::from_micros(100));
    }
}

/// Does `work` for 0 to `count`, each in a process of its own, up to `parallelism` at a time, and hands over each result when it is there,
/// in any order. The calling process must have one thread.
pub fn in_workers(
    count: usize,
    parallelism: NonZeroUsize,
    work: &dyn Fn(usize) -> Result<Vec<u8>, String>,
    finished: &mut dyn FnMut(usize, Result<Finished, WorkerError>),
) {
    let unfit: Option<Box<dyn Fn() -> WorkerError>> = match lasting_threads() {
        Ok(1) => None,
        Ok(threads) => Some(Box::new(move || WorkerError::Threads(threads))),
        Err(error) => Some(Box::new(move || WorkerError::System(io::Error::new(error.kind(), error.to_string())))),
    };
    if let Some(error) = unfit {
        return (0..count).for_each(|index| finished(index, Err(error())));
    }
    let mut running: Vec<(usize, Worker)> = Vec::new();
    let mut waiting = 0..count;
    loop {
        while running.len() < parallelism.get()
            && let Some(index) = waiting.next()
        {
            match Worker::start(&|| work(index)) {
                Ok(worker) => running.push((index, worker)),
                Err(error) => finished(index, Err(WorkerError::System(error))),
            }
        }
        if running.is_empty() {
            break;
        }
        let (index, worker) = running.remove(first_finished(&running));
        finished(index, worker.finish());
    }
}

/// A child at work. Its output and its words are files in memory, so that nobody has to read while it writes.
struct Worker {
    pid: libc::pid_t,
    /// Becomes readable when the child ends; absent on kernels without `pidfd_open`.
    handle: Option<OwnedFd>,
    output: File,
    words: File,
}

impl Worker {
    fn start(work: &dyn Fn() -> Result<Vec<u8>, String>) -> io::Result<Worker> {
        let (output, words) = (memory_file(c"aspen-output")?, memory_file(c"aspen-words")?);
        io::stdout().flush()?;
        // SAFETY: this process has one thread, so the child is a whole copy of it and may do anything.
        let pid = unsafe { libc::fork() };
        match pid {
            -1 => Err(io::Error::last_os_error()),
            0 => child(work, &output, &words),
            _ => {
                // SAFETY: a child of ours that is not yet waited for; the descriptor is new.
                let handle = unsafe {
                    let raw = libc::syscall(libc::SYS_pidfd_open, pid, 0);
                    c_int::try_from(raw).ok().filter(|&raw| raw >= 0).map(|raw| OwnedFd::from_raw_fd(raw))
                };
                Ok(Worker { pid, handle, output, words })
            }
        }
    }

    fn finish(self) -> Result<Finished, WorkerError> {
        let mut status = 0;
        // SAFETY: a child of ours.
        while unsafe { libc::waitpid(self.pid, &mut status, 0) } < 0 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(WorkerError::System(error));
            }
        }
        let words = contents(&self.words).map_err(WorkerError::System)?;
        let words = String::from_utf8_lossy(&words).trim().to_owned();
        let reason = if libc::WIFSIGNALED(status) {
            let signal = libc::WTERMSIG(status);
            // SAFETY: strsignal returns a static string for valid signals; nobody else runs.
            let name = unsafe { CStr::from_ptr(libc::strsignal(signal)) }.to_string_lossy().into_owned();
            format!("LLVM crashed ({name}){}{}", if words.is_empty() { "" } else { ": " }, first_lines(&words))
        } else if libc::WEXITSTATUS(status) == 0 {
            let bytes = contents(&self.output).map_err(WorkerError::System)?;
            return Ok(Finished { bytes, messages: words });
        } else if words.is_empty() {
            format!("its worker ended with status {}", libc::WEXITSTATUS(status))
        } else {
            first_lines(&words)
        };
        Err(WorkerError::Failed(reason))
    }
}

/// Without the stack dump that LLVM prints after the reason.
fn first_lines(words: &str) -> String {
    let end = ["PLEASE submit a bug report", "Stack dump:"].iter().filter_map(|mark| words.find(mark)).min();
    words[..end.unwrap_or(words.len())].trim().to_owned()
}

/// The position of a worker that has ended.
fn first_finished(running: &[(usize, Worker)]) -> usize {
    let poll_fd =
        |worker: &Worker| libc::pollfd { fd: worker.handle.as_ref().map_or(-1, AsRawFd::as_raw_fd), events: libc::POLLIN, revents: 0 };
    let mut handles: Vec<_> = running.iter().map(|(_, worker)| poll_fd(worker)).collect();
    if handles.iter().all(|handle| handle.fd >= 0) {
        // SAFETY: valid entries and their count.
        while unsafe { libc::poll(handles.as_mut_ptr(), handles.len() as libc::nfds_t, -1) } < 0 {
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return 0;
            }
        }
        if let Some(position) = handles.iter().position(|handle| handle.revents != 0) {
            return position;
        }
    }
    // Waiting for the oldest is right too, only less parallel.
    0
}

fn memory_file(name: &CStr) -> io::Result<File> {
    // SAFETY: a valid name; the descriptor is new and ours.
    unsafe {
        let raw = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC);
        if raw < 0 { Err(io::Error::last_os_error()) } else { Ok(File::from_raw_fd(raw)) }
    }
}

fn contents(file: &File) -> io::Result<Vec<u8>> {
    let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// The life of a worker: never returns, runs nothing of the parent's (no destructors, no exit handlers).
fn child(work: &dyn Fn() -> Result<Vec<u8>, String>, output: &File, words: &File) -> ! {
    let limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: plain system calls with valid arguments. LLVM writes fatal errors to descriptor 2.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::setrlimit(libc::RLIMIT_CORE, &limit);
        libc::dup2(words.as_raw_fd(), 2);
    }
    // Whatever a panic leaves half done is gone with the process.
    let guarded = AssertUnwindSafe(|| work().and_then(|bytes| output.write_all_at(&bytes, 0).map_err(|error| error.to_string())));
    let status = match std::panic::catch_unwind(guarded) {
        Ok(Ok(())) => 0,
        Ok(Err(reason)) => {
            // Descriptor 2 is the parent's only source of reasons; if even that fails, the status still tells.
            let _ = writeln!(io::stderr(), "{reason}");
            1
        }
        Err(_) => 101,
    };
    // SAFETY: ends the process at once.
    unsafe { libc::_exit(status) }
}
