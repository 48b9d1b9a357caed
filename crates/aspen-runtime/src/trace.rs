//! `ASPEN_TRACE`: what a program did and when, as trace events that Perfetto, `chrome://tracing` and speedscope show.
//!
//! Records are kept in memory and written when the process ends by `exit` or a return from `main`. Commands are shown by queue, on as many lines as
//! run at once, with device times where the device tells them; what threads of the host did is shown by thread; arrows lead from submissions to
//! commands and from commands to those that waited for them. Nothing is done if the variable is not set.
//! Source: "Trace Event Format" (the Chromium project); issue 18 "Traces".

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use serde::Serialize;

use crate::backend::{DeviceTimes, LaunchKind};
use crate::command::{Command, lock, now};
use crate::error::{Code, Error, Result};

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
        records: Mutex::default(),
        next: AtomicU64::new(1),
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
#[derive(Debug)]
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
enum Name {
    Own(String),
    Of(Arc<Traced>),
}

impl Name {
    fn text(&self) -> &str {
        match self {
            Name::Own(text) => text,
            Name::Of(traced) => traced.label.name(),
        }
    }

    fn command(&self) -> Option<u64> {
        match self {
            Name::Own(_) => None,
            Name::Of(traced) => Some(traced.id),
        }
    }
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
}

/// Something that a thread of the host did.
struct Done {
    thread: u32,
    category: &'static str,
    name: Name,
    begin: u64,
    end: u64,
}

#[derive(Default)]
struct Records {
    done: Vec<Done>,
    /// Commands that are complete.
    ended: Vec<Arc<Traced>>,
    /// `(blocker, command)`.
    after: Vec<(u64, u64)>,
    threads: BTreeMap<u32, String>,
}

pub(crate) struct Trace {
    path: PathBuf,
    /// Until it is written.
    file: Mutex<Option<File>>,
    records: Mutex<Records>,
    next: AtomicU64,
    dropped: AtomicU64,
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Trace {
    /// A command that is about to enter a queue of the device.
    pub(crate) fn command(&self, label: Label, queue: u32, device: &'static str) -> Arc<Traced> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        Arc::new(Traced { id, queue, device, label, begin: AtomicU64::new(0), end: AtomicU64::new(0) })
    }

    fn add(&self, add: impl FnOnce(&mut Records)) {
        let mut records = lock(&self.records);
        if records.done.len() + records.ended.len() + records.after.len() < MOST {
            add(&mut records);
        } else {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn done(&self, category: &'static str, name: Name, begin: u64) {
        let (end, thread) = (now(), thread(self));
        self.add(|records| records.done.push(Done { thread, category, name, begin, end }));
    }

    fn write(&self, file: File) -> io::Result<()> {
        let records = std::mem::take(&mut *lock(&self.records));
        let mut out = Output { file: BufWriter::new(file), first: true };
        out.file.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        write_events(&records, &mut out)?;
        let dropped = self.dropped.load(Ordering::Relaxed);
        write!(out.file, "\n],\"otherData\":{{\"producer\":\"Aspen {}\",\"left out\":\"{dropped}\"}}}}\n", env!("CARGO_PKG_VERSION"))?;
        out.file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data().or_else(|error| {
            // A pipe or a device has nothing to bring to a disk.
            if error.kind() == io::ErrorKind::InvalidInput { Ok(()) } else { Err(error) }
        })
    }
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
    on().map(|_| Slice { category, name: Some(Name::Own(name())), begin: now() })
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
        Some(Slice { category, name: Some(Name::Of(traced.clone())), begin: now() })
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
            trace.add(|records| records.after.push((other.id, own.id)));
        }
    }

    /// Notes that it is over.
    pub(crate) fn trace_end(&self) {
        let (Some(trace), Some(traced)) = (on(), &self.traced) else { return };
        let (begin, end) = (traced.begin.load(Ordering::Relaxed), traced.end.load(Ordering::Relaxed));
        let end = if end > 0 { end } else { now() };
        traced.begin.store(if begin > 0 { begin.min(end) } else { end }, Ordering::Relaxed);
        traced.end.store(end, Ordering::Relaxed);
        trace.add(|records| records.ended.push(traced.clone()));
    }
}

thread_local! {
    /// The system's number of this thread, once it was asked for. Nothing to destroy: globals' destructors may come here.
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

/// The system's number of this thread, whose name is noted.
fn thread(trace: &Trace) -> u32 {
    let known = THREAD.get();
    if known > 0 {
        return known;
    }
    // SAFETY: no arguments, and it never fails.
    let thread = unsafe { libc::gettid() }.unsigned_abs();
    THREAD.set(thread);
    let name = std::fs::read_to_string(format!("/proc/self/task/{thread}/comm")).unwrap_or_default();
    lock(&trace.records).threads.insert(thread, name.trim_end().to_owned());
    thread
}

/// A trace event. Times are microseconds.
#[derive(Serialize, Default)]
struct Event<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cat: &'a str,
    ph: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    pid: u32,
    tid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'a str>,
    #[serde(skip_serializing_if = "Args::is_empty")]
    args: Args<'a>,
}

#[derive(Serialize, Default)]
struct Args<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    global: Option<[u64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    local: Option<[u64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
}

impl Args<'_> {
    fn is_empty(&self) -> bool {
        self.name.is_none() && self.command.is_none()
    }
}

struct Output<W: Write> {
    file: W,
    first: bool,
}

impl<W: Write> Output<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.file.write_all(if std::mem::take(&mut self.first) { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut self.file, event).map_err(io::Error::from)
    }

    fn name(&mut self, what: &str, pid: u32, tid: u32, name: &str) -> io::Result<()> {
        self.event(&Event { name: what, ph: "M", pid, tid, args: Args { name: Some(name), ..Args::default() }, ..Event::default() })
    }

    /// An arrow between two moments on two lines.
    fn arrow(&mut self, category: &str, id: u64, from: Moment, to: Moment) -> io::Result<()> {
        for (ph, bp, Moment { pid, tid, ns }) in [("s", None, from), ("f", Some("e"), to)] {
            let ts = Some(microseconds(ns));
            self.event(&Event { name: category, cat: category, ph, ts, pid, tid, id: Some(id), bp, ..Event::default() })?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Moment {
    pid: u32,
    tid: u32,
    ns: u64,
}

fn microseconds(ns: u64) -> f64 {
    ns as f64 / 1000.0
}

/// Queues are shown as processes behind this one.
fn process_of(queue: u32) -> u32 {
    std::process::id().wrapping_add(1 + queue)
}

fn write_events<W: Write>(records: &Records, out: &mut Output<W>) -> io::Result<()> {
    let host = std::process::id();
    out.name("process_name", host, 0, "threads of the host")?;
    for (thread, name) in &records.threads {
        out.name("thread_name", host, *thread, name)?;
    }
    let queues: BTreeMap<u32, &str> = records.ended.iter().map(|ended| (ended.queue, ended.device)).collect();
    for (queue, device) in queues {
        out.name("process_name", process_of(queue), 0, &format!("queue {queue} on {device}"))?;
    }
    let mut submitted: BTreeMap<u64, Moment> = BTreeMap::new();
    for done in &records.done {
        let (ts, dur) = (Some(microseconds(done.begin)), Some(microseconds(done.end.saturating_sub(done.begin))));
        let args = Args { command: done.name.command(), ..Args::default() };
        out.event(&Event {
            name: done.name.text(),
            cat: done.category,
            ph: "X",
            ts,
            dur,
            pid: host,
            tid: done.thread,
            args,
            ..Event::default()
        })?;
        if let Some(command) = done.name.command().filter(|_| done.category == SUBMIT) {
            submitted.insert(command, Moment { pid: host, tid: done.thread, ns: done.begin });
        }
    }
    let mut places: BTreeMap<u64, (Moment, Moment)> = BTreeMap::new();
    for (ended, begin, end, line) in lines(&records.ended) {
        let (pid, tid) = (process_of(ended.queue), line);
        let mut args = Args { command: Some(ended.id), ..Args::default() };
        match &ended.label {
            Label::Kernel { kind, global, local, .. } => {
                args.kind = Some(format!("{kind:?}"));
                (args.global, args.local) = (Some(*global), (*local != [0; 3]).then_some(*local));
            }
            Label::Copy { bytes } | Label::Fill { bytes } => args.bytes = Some(*bytes),
            Label::HostTask | Label::Barrier => {}
        }
        let (ts, dur) = (Some(microseconds(begin)), Some(microseconds(end - begin)));
        out.event(&Event { name: ended.label.name(), cat: ended.label.category(), ph: "X", ts, dur, pid, tid, args, ..Event::default() })?;
        // Arrows hang on what is shown at their moment, and an end is none of it.
        let last = end.saturating_sub(1).max(begin);
        places.insert(ended.id, (Moment { pid, tid, ns: begin }, Moment { pid, tid, ns: last }));
    }
    let mut arrow = 0;
    let mut draw = |out: &mut Output<W>, category, from, to| {
        arrow += 1;
        out.arrow(category, arrow, from, to)
    };
    for (command, from) in &submitted {
        if let Some((begin, _)) = places.get(command) {
            draw(out, "submitted", *from, *begin)?;
        }
    }
    for (blocker, command) in &records.after {
        if let (Some((_, end)), Some((begin, _))) = (places.get(blocker), places.get(command)) {
            draw(out, "waited for", *end, *begin)?;
        }
    }
    Ok(())
}

/// The category of submissions.
pub(crate) const SUBMIT: &str = "submit";

/// Each command with its begin, its end, and the line of its queue on which it overlaps none.
fn lines(ended: &[Arc<Traced>]) -> Vec<(&Traced, u64, u64, u32)> {
    let time = |time: &AtomicU64| time.load(Ordering::Relaxed);
    let mut sorted: Vec<&Traced> = ended.iter().map(|ended| &**ended).collect();
    sorted.sort_by_key(|ended| (ended.queue, time(&ended.begin), ended.id));
    let (mut queue, mut ends): (u32, Vec<u64>) = (0, Vec::new());
    let mut place = |ended: &Traced, begin: u64, end: u64| {
        if ended.queue != queue {
            (queue, ends) = (ended.queue, Vec::new());
        }
        let free = ends.iter().position(|end| *end <= begin);
        let line = free.unwrap_or(ends.len());
        if free.is_none() {
            ends.push(0);
        }
        ends[line] = end;
        u32::try_from(line).unwrap_or(u32::MAX)
    };
    let mut out = Vec::with_capacity(sorted.len());
    for ended in sorted {
        let (begin, end) = (time(&ended.begin), time(&ended.end));
        out.push((ended, begin, end, place(ended, begin, end)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(queue, begin, end)` of commands, numbered from 1, and the `(number, line)` that they get.
    fn check(commands: &[(u32, u64, u64)], expected: &[(u64, u32)]) {
        let traced = |(index, (queue, begin, end)): (usize, &(u32, u64, u64))| {
            let (begin, end) = (AtomicU64::new(*begin), AtomicU64::new(*end));
            Arc::new(Traced { id: index as u64 + 1, queue: *queue, device: "", label: Label::HostTask, begin, end })
        };
        let traced: Vec<Arc<Traced>> = commands.iter().enumerate().map(traced).collect();
        let found: Vec<(u64, u32)> = lines(&traced).into_iter().map(|(ended, _, _, line)| (ended.id, line)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn commands_that_overlap_have_lines_of_their_own() {
        check(&[(1, 0, 10), (1, 10, 20), (1, 5, 15), (1, 15, 16)], &[(1, 0), (3, 1), (2, 0), (4, 1)]);
        check(&[(2, 0, 10), (1, 0, 10)], &[(2, 0), (1, 0)]);
        check(&[], &[]);
    }

    #[test]
    fn names_are_escaped_and_arrows_lead_to_what_is_there() {
        let label = Label::Kernel { name: "a<\"b\">".into(), kind: LaunchKind::Range, global: [1, 1, 64], local: [0; 3] };
        let kernel = Arc::new(Traced { id: 1, queue: 1, device: "device", label, begin: AtomicU64::new(3000), end: AtomicU64::new(4000) });
        let mut records = Records::default();
        records.threads.insert(7, "main \"x\"".into());
        records.done.push(Done { thread: 7, category: SUBMIT, name: Name::Of(kernel.clone()), begin: 1000, end: 2500 });
        records.ended.push(kernel);
        records.after.push((9, 1));
        let mut out = Output { file: b"[".to_vec(), first: true };
        write_events(&records, &mut out).expect("memory");
        out.file.push(b']');
        let events: Vec<serde_json::Value> = serde_json::from_slice(&out.file).expect("JSON");
        let phases: Vec<&str> = events.iter().filter_map(|event| event["ph"].as_str()).collect();
        assert_eq!(phases, ["M", "M", "M", "X", "X", "s", "f"]);
        assert_eq!((&events[4]["name"], &events[4]["ts"], &events[4]["dur"]), (&"a<\"b\">".into(), &3.0.into(), &1.0.into()));
        assert_eq!(events[4]["args"], serde_json::json!({"command": 1, "kind": "Range", "global": [1, 1, 64]}));
        assert_eq!((&events[5]["ts"], &events[6]["bp"]), (&1.0.into(), &"e".into()));
    }
}
