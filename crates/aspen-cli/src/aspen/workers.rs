//! Work in processes of our own: drivers and their compilers may crash, hang, or keep memory. Workers are forked, so that they have what
//! was read without reading it again; whoever forks has no other threads.

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use aspen_driver::progress::Progress;

/// What came of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<T = String> {
    /// What the worker answers.
    Answer(T),
    /// The worker ended over it, and how.
    Died(String),
}

impl Outcome {
    /// The same with the answer understood.
    pub fn map<T>(self, of: impl FnOnce(String) -> T) -> Outcome<T> {
        match self {
            Outcome::Answer(text) => Outcome::Answer(of(text)),
            Outcome::Died(how) => Outcome::Died(how),
        }
    }
}

/// What a worker does with a task, by its number.
pub type Work<'w> = Box<dyn FnMut(u32) -> String + 'w>;

/// Longer answers are cut: a compiler's log may have no end.
const LONGEST_ANSWER: usize = 1 << 20;

/// All tasks `0..count`, done by at most `workers` processes; each makes its [`Work`] when it begins. A task that takes longer than `limit`
/// costs its worker's life.
///
/// # Errors
/// If no process can be had.
pub fn run<'w>(count: usize, workers: usize, limit: Duration, what: &str, start: &dyn Fn() -> Work<'w>) -> io::Result<Vec<Outcome>> {
    let mut progress = Progress::new(what, count);
    let mut outcomes: Vec<Option<Outcome>> = vec![None; count];
    let (mut next, mut done) = (0, 0);
    let mut busy: Vec<(Worker, usize, Instant)> = Vec::new();
    let mut idle: Vec<Worker> = Vec::new();
    while done < count {
        while next < count && busy.len() < workers.max(1) {
            let mut worker = idle.pop().map_or_else(|| Worker::start(start), Ok)?;
            // One that has died meanwhile says so when it is listened to.
            let _ = worker.stream.write_all(&u32::try_from(next).unwrap_or(u32::MAX).to_le_bytes());
            busy.push((worker, next, Instant::now()));
            next += 1;
        }
        let ready = ready(busy.iter().map(|(worker, ..)| worker), Duration::from_millis(500))?;
        for index in (0..busy.len()).rev() {
            let late = busy[index].2.elapsed() >= limit;
            if !ready[index] && !late {
                continue;
            }
            let (mut worker, task, _) = busy.swap_remove(index);
            let outcome = if ready[index] { worker.answer() } else { None };
            outcomes[task] = Some(match outcome {
                Some(answer) => {
                    idle.push(worker);
                    Outcome::Answer(answer)
                }
                None if late => Outcome::Died(format!("it has not ended after {} seconds", limit.as_secs())),
                None => Outcome::Died(worker.end()),
            });
            done += 1;
        }
        progress.done(done);
    }
    Ok(outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(|| Outcome::Died("it was not begun".into()))).collect())
}

/// A process and our end of the line to it.
struct Worker {
    pid: libc::pid_t,
    stream: UnixStream,
    ended: bool,
}

impl Worker {
    fn start<'w>(start: &dyn Fn() -> Work<'w>) -> io::Result<Worker> {
        let (ours, theirs) = UnixStream::pair()?;
        let parent = std::process::id();
        // SAFETY: this process has one thread, so that the child may do whatever this one may.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(ours);
                let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    alone(parent);
                    serve(theirs, start)
                }));
                // SAFETY: ends the process without running what belongs to the parent: its buffers, and destructors of drivers.
                unsafe { libc::_exit(i32::from(!matches!(worked, Ok(Ok(()))))) }
            }
            pid => Ok(Worker { pid, stream: ours, ended: false }),
        }
    }

    /// `None` if it ended instead.
    fn answer(&mut self) -> Option<String> {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).ok()?;
        let mut text = vec![0; (u32::from_le_bytes(length) as usize).min(LONGEST_ANSWER)];
        self.stream.read_exact(&mut text).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    /// Waits for its end, and says how it was.
    fn end(&mut self) -> String {
        let mut status = 0;
        // SAFETY: a child of this process that nobody has waited for.
        let waited = unsafe { libc::waitpid(self.pid, &mut status, 0) };
        self.ended = true;
        if waited == self.pid && libc::WIFSIGNALED(status) {
            format!("it ended by signal {}", libc::WTERMSIG(status))
        } else {
            format!("it ended with exit code {}", libc::WEXITSTATUS(status))
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if !self.ended {
            // SAFETY: a child of this process that nobody has waited for, so that the number is still its own.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
            self.end();
        }
    }
}

/// A worker dies with its parent, and what drivers print is not what this program prints. With ASPEN_LOG somebody wants to read it.
fn alone(parent: u32) {
    // SAFETY: plain system calls; the descriptors 1 and 2 are this process's own.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        if nowhere >= 0 {
            libc::dup2(nowhere, 1);
            if std::env::var_os("ASPEN_LOG").is_none() {
                libc::dup2(nowhere, 2);
            }
        }
    }
    // The parent may have ended before it could be told.
    if std::os::unix::process::parent_id() != parent {
        std::process::exit(1);
    }
}

fn serve<'w>(mut stream: UnixStream, start: &dyn Fn() -> Work<'w>) -> io::Result<()> {
    let mut work = start();
    let mut task = [0; 4];
    while stream.read_exact(&mut task).is_ok() {
        let mut answer = work(u32::from_le_bytes(task));
        if answer.len() > LONGEST_ANSWER {
            let cut = (0..=LONGEST_ANSWER).rev().find(|at| answer.is_char_boundary(*at)).unwrap_or(0);
            answer.truncate(cut);
        }
        stream.write_all(&u32::try_from(answer.len()).unwrap_or(0).to_le_bytes())?;
        stream.write_all(answer.as_bytes())?;
    }
    Ok(())
}

/// Which of them have something to say, or have ended.
fn ready<'a>(workers: impl Iterator<Item = &'a Worker>, patience: Duration) -> io::Result<Vec<bool>> {
    let mut wait: Vec<libc::pollfd> =
        workers.map(|worker| libc::pollfd { fd: worker.stream.as_raw_fd(), events: libc::POLLIN, revents: 0 }).collect();
    let milliseconds = i32::try_from(patience.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: so many structures, all of them ours.
    let said = unsafe { libc::poll(wait.as_mut_ptr(), wait.len() as libc::nfds_t, milliseconds) };
    if said < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted { Ok(vec![false; wait.len()]) } else { Err(error) };
    }
    Ok(wait.iter().map(|one| one.revents != 0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every end that a worker can have; the others go on.
    #[test]
    fn a_task_that_kills_costs_its_worker_only() {
        let start = || -> Work<'_> {
            Box::new(|task| match task {
                // SAFETY: the worker's own end.
                3 => unsafe { libc::raise(libc::SIGKILL).to_string() },
                5 => std::process::exit(7),
                6 => {
                    std::thread::sleep(Duration::from_secs(60));
                    String::new()
                }
                7 => "x".repeat(LONGEST_ANSWER + 5),
                task => task.to_string(),
            })
        };
        let outcomes = run(10, 3, Duration::from_secs(1), "test", &start).expect("processes");
        let died = |why: &str| Outcome::Died(why.to_owned());
        for (task, outcome) in outcomes.iter().enumerate() {
            let wanted = match task {
                3 => died("it ended by signal 9"),
                5 => died("it ended with exit code 7"),
                6 => died("it has not ended after 1 seconds"),
                7 => Outcome::Answer("x".repeat(LONGEST_ANSWER)),
                task => Outcome::Answer(task.to_string()),
            };
            assert_eq!(*outcome, wanted, "{task}");
        }
    }
}
