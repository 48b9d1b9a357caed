//! `ASPEN_TRACE`: what a program did and when, as trace events that Perfetto, `chrome://tracing` and speedscope show.
//!
//! Records are kept in memory, each thread's by itself, and written when the process ends by `exit` or a return from `main`. Commands are shown by queue, on as many lines as
//! run at once, with device times where the device tells them; what threads of the host did is shown by thread; arrows lead from submissions to
//! commands and from commands to those that waited for them. Nothing is done if the variable is not set.
//! Source: issue 18 "Traces".

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::backend::{DeviceTimes, LaunchKind};
use crate::command::{Command, lock, now};
use crate::error::{Code, Error, Result};

mod write;

/// So many records are kept, some 300 MB; what comes later is left out, and the trace says so.
const MOST: usize = 2_000_000;

static TRACE: OnceLock<Trace> = OnceLock::new();

/// The trace of this process, if there is one.
pub(crate) fn on() -> Option<&'static Trace> {
    TRACE.get()
}

/// Begins the trace of this process, which is written to the file when the process ends.
///
/// # Errors
/// [`Code::Invalid`] if there cannot be such a file.
pub fn start(path: &Path) -> Result<()> {
    let file = File::create(path).map_err(|error| {
        Error::new(Code::Invalid, format!("ASPEN_TRACE={}: the trace cannot be written there: {error}", path.display()))
    })?;
    let trace = Trace {
        path: path.to_owned(),
        file: Mutex::new(Some(file)),
        threads: Mutex::default(),
        next: AtomicU64::new(1),
        room: AtomicUsize::new(MOST),
        dropped: AtomicU64::new(0),
    };
    if TRACE.set(trace).is_ok() {
        // SAFETY: a function that lives as long as this library, which is never unloaded while a program uses it.
        unsafe { libc::atexit(write_at_exit) };
    }
    Ok(())
}

extern "C" fn write_at_exit() {
    let Some(trace) = on() else { return };
    let Some(file) = lock(&trace.file).take() else { return };
    if let Err(error) = trace.write(file) {
        // Standard error may be gone, too.
        let _ = writeln!(io::stderr(), "aspen: ASPEN_TRACE={}: the trace is not whole: {error}", trace.path.display());
    }
}

/// What a command is, for people.
#[derive(Clone, Debug)]
pub(crate) enum Label {
    Kernel { name: Arc<str>, kind: LaunchKind, global: [u64; 3], local: [u64; 3] },
    Copy { bytes: usize },
    Fill { bytes: usize },
    HostTask,
    Barrier,
}

impl Label {
    fn category(&self) -> &'static str {
        match self {
            Label::Kernel { .. } => "kernel",
            Label::Copy { .. } => "copy",
            Label::Fill { .. } => "fill",
            Label::HostTask => "host task",
            Label::Barrier => "barrier",
        }
    }

    fn name(&self) -> &str {
        match self {
            Label::Kernel { name, .. } => name,
            other => other.category(),
        }
    }
}

/// What a slice is called.
pub(crate) enum Name {
    Own(Box<str>),
    /// As the command.
    Of(u64),
}

/// What is noted of a command while it goes its way. Times are of the runtime's clock; 0 is *not yet*.
#[derive(Debug)]
pub(crate) struct Traced {
    id: u64,
    queue: u32,
    device: &'static str,
    label: Label,
    begin: AtomicU64,
    end: AtomicU64,
    /// Who runs all of it; 0 if several do, or a device.
    thread: AtomicU32,
}

/// A command that is complete.
struct Ended {
    id: u64,
    queue: u32,
    /// Who ran all of it; 0 if several did, or a device.
    thread: u32,
    device: &'static str,
    label: Label,
    begin: u64,
    end: u64,
}

/// Something that the thread did.
struct Did {
    category: &'static str,
    name: Name,
    begin: u64,
    end: u64,
}

/// So many records are made room for at once.
const CHUNK: usize = 1024;

/// Records that are only added to: none is moved when there are more.
struct Chunks<T>(Vec<Vec<T>>);

impl<T> Chunks<T> {
    fn add(&mut self, trace: &Trace, record: T) {
        match self.0.last_mut().filter(|last| last.len() < CHUNK) {
            Some(last) => last.push(record),
            None if trace.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(CHUNK)).is_ok() => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(record);
                self.0.push(chunk);
            }
            None => {
                trace.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn take(&mut self) -> impl Iterator<Item = T> + use<T> {
        std::mem::take(&mut self.0).into_iter().flatten()
    }
}

struct Noted {
    done: Chunks<Did>,
    ended: Chunks<Ended>,
    /// `(blocker, command)`.
    after: Chunks<(u64, u64)>,
}

/// What a thread notes. Only whoever writes the trace locks it besides.
struct Local {
    /// The system's number of the thread.
    thread: u32,
    name: String,
    noted: Mutex<Noted>,
}

pub(crate) struct Trace {
    path: PathBuf,
    /// Until it is written.
    file: Mutex<Option<File>>,
    threads: Mutex<Vec<&'static Local>>,
    next: AtomicU64,
    /// How many more records are kept.
    room: AtomicUsize,
    dropped: AtomicU64,
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Trace {
    /// A command that is prepared for a queue of the device, which it may never enter.
    pub(crate) fn command(&self, label: Label, queue: u32, device: &'static str) -> Box<Traced> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let [begin, end] = [0; 2].map(AtomicU64::new);
        Box::new(Traced { id, queue, device, label, begin, end, thread: AtomicU32::new(0) })
    }

    /// What this thread notes.
    fn local(&self) -> &'static Local {
        LOCAL.get().unwrap_or_else(|| {
            // SAFETY: no arguments, and it never fails.
            let thread = unsafe { libc::gettid() }.unsigned_abs();
            let name = std::fs::read_to_string(format!("/proc/self/task/{thread}/comm")).unwrap_or_default();
            let noted = Noted { done: Chunks(Vec::new()), ended: Chunks(Vec::new()), after: Chunks(Vec::new()) };
            // It is read when the thread is long gone.
            let local: &'static Local = Box::leak(Box::new(Local { thread, name: name.trim_end().to_owned(), noted: Mutex::new(noted) }));
            lock(&self.threads).push(local);
            LOCAL.set(Some(local));
            local
        })
    }

    fn done(&self, category: &'static str, name: Name, begin: u64) {
        let end = now();
        lock(&self.local().noted).done.add(self, Did { category, name, begin, end });
    }
}

thread_local! {
    /// Nothing to destroy: globals' destructors may come here.
    static LOCAL: Cell<Option<&'static Local>> = const { Cell::new(None) };
}

/// Notes what a thread does until it is dropped.
pub(crate) struct Slice {
    category: &'static str,
    /// Until it is dropped.
    name: Option<Name>,
    begin: u64,
}

/// What this thread does from now on, if somebody wants to know.
pub(crate) fn slice(category: &'static str, name: impl FnOnce() -> String) -> Option<Slice> {
    on().map(|_| Slice { category, name: Some(Name::Own(name().into())), begin: now() })
}

impl Slice {
    /// It was nothing.
    pub(crate) fn forget(&mut self) {
        self.name = None;
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        if let Some((trace, name)) = on().zip(self.name.take()) {
            trace.done(self.category, name, self.begin);
        }
    }
}

impl Command {
    /// The same, for this command.
    pub(crate) fn slice(&self, category: &'static str) -> Option<Slice> {
        let traced = self.traced.as_ref()?;
        Some(Slice { category, name: Some(Name::Of(traced.id)), begin: now() })
    }

    /// Notes that it has begun.
    pub(crate) fn trace_begin(&self) {
        if let Some(traced) = &self.traced {
            traced.begin.store(now(), Ordering::Relaxed);
        }
    }

    /// Notes when a device ran it, which it was given at `enqueued`.
    pub(crate) fn trace_device(&self, enqueued: u64, times: DeviceTimes) {
        if let Some(traced) = &self.traced {
            let at = |time: u64| enqueued.saturating_add(time.saturating_sub(times.queued));
            traced.begin.store(at(times.start), Ordering::Relaxed);
            traced.end.store(at(times.end), Ordering::Relaxed);
        }
    }

    /// Notes that it waits for another one.
    pub(crate) fn trace_after(&self, blocker: &Command) {
        if let (Some(trace), Some(own), Some(other)) = (on(), &self.traced, &blocker.traced) {
            lock(&trace.local().noted).after.add(trace, (other.id, own.id));
        }
    }

    /// Notes that this thread runs all of it.
    pub(crate) fn trace_alone(&self) {
        if let (Some(trace), Some(traced)) = (on(), &self.traced) {
            traced.thread.store(trace.local().thread, Ordering::Relaxed);
        }
    }

    /// Notes that it is over.
    pub(crate) fn trace_end(&self) {
        let (Some(trace), Some(traced)) = (on(), &self.traced) else { return };
        let (begin, end) = (traced.begin.load(Ordering::Relaxed), traced.end.load(Ordering::Relaxed));
        let end = if end > 0 { end } else { now() };
        let (id, queue, device, label) = (traced.id, traced.queue, traced.device, traced.label.clone());
        let (begin, thread) = (if begin > 0 { begin.min(end) } else { end }, traced.thread.load(Ordering::Relaxed));
        lock(&trace.local().noted).ended.add(trace, Ended { id, queue, thread, device, label, begin, end });
    }
}

/// The category of submissions.
pub(crate) const SUBMIT: &str = "submit";
