//! Records as trace events in JSON. Source: "Trace Event Format" (the Chromium project).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::{Ended, Label, Name, SUBMIT, Trace};
use crate::command::lock;

impl Trace {
    /// Writes what all threads have noted.
    pub(super) fn write(&self, file: File) -> io::Result<()> {
        let mut records = Records::default();
        for local in lock(&self.threads).iter() {
            let mut noted = lock(&local.noted);
            records.threads.push((local.thread, local.name.clone()));
            records.done.extend(noted.done.take().map(|done| Done {
                thread: local.thread,
                category: done.category,
                name: done.name,
                begin: done.begin,
                end: done.end,
            }));
            records.ended.extend(noted.ended.take());
            records.after.extend(noted.after.take());
        }
        let mut out = Output { file: BufWriter::with_capacity(1 << 20, file), first: true };
        out.file.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        write_events(&mut records, &mut out)?;
        let dropped = self.dropped.load(std::sync::atomic::Ordering::Relaxed);
        write!(out.file, "\n],\"otherData\":{{\"producer\":\"Aspen {}\",\"left out\":\"{dropped}\"}}}}\n", env!("CARGO_PKG_VERSION"))?;
        out.file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data().or_else(|error| {
            // A pipe or a device has nothing to bring to a disk.
            if error.kind() == io::ErrorKind::InvalidInput { Ok(()) } else { Err(error) }
        })
    }
}

/// Something that a thread of the host did.
struct Done {
    thread: u32,
    category: &'static str,
    name: Name,
    begin: u64,
    end: u64,
}

/// What all threads have noted.
#[derive(Default)]
struct Records {
    done: Vec<Done>,
    ended: Vec<Ended>,
    after: Vec<(u64, u64)>,
    threads: Vec<(u32, String)>,
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

fn write_events<W: Write>(records: &mut Records, out: &mut Output<W>) -> io::Result<()> {
    records.ended.sort_unstable_by_key(|ended| (ended.queue, ended.begin, ended.id));
    // Work that one thread did is noted once, with the command.
    let alone = records.ended.iter().filter(|ended| ended.thread > 0);
    let alone =
        alone.map(|ended| Done { thread: ended.thread, category: ITEMS, name: Name::Of(ended.id), begin: ended.begin, end: ended.end });
    records.done.extend(alone);
    records.done.sort_by_key(|done| done.begin);
    let names: BTreeMap<u64, &str> = records.ended.iter().map(|ended| (ended.id, ended.label.name())).collect();
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
        let (name, command) = match &done.name {
            Name::Own(text) => (&**text, None),
            Name::Of(id) => (names.get(id).copied().unwrap_or("unfinished"), Some(*id)),
        };
        let args = Args { command, ..Args::default() };
        out.event(&Event { name, cat: done.category, ph: "X", ts, dur, pid: host, tid: done.thread, args, ..Event::default() })?;
        if let Some(command) = command.filter(|_| done.category == SUBMIT) {
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

/// Each command with its begin, its end, and the line of its queue on which it overlaps none. They are in order of queue and begin.
fn lines(ended: &[Ended]) -> Vec<(&Ended, u64, u64, u32)> {
    let (mut queue, mut ends): (u32, Vec<u64>) = (0, Vec::new());
    let mut place = |ended: &Ended| {
        if ended.queue != queue {
            (queue, ends) = (ended.queue, Vec::new());
        }
        let free = ends.iter().position(|end| *end <= ended.begin);
        let line = free.unwrap_or(ends.len());
        if free.is_none() {
            ends.push(0);
        }
        ends[line] = ended.end;
        u32::try_from(line).unwrap_or(u32::MAX)
    };
    ended.iter().map(|ended| (ended, ended.begin, ended.end, place(ended))).collect()
}

/// The category of a thread's share in a kernel.
pub(super) const ITEMS: &str = "items";

#[cfg(test)]
mod tests {
    use crate::backend::LaunchKind;

    use super::*;

    /// `(queue, begin, end)` of commands, numbered from 1, and the `(number, line)` that they get.
    fn check(commands: &[(u32, u64, u64)], expected: &[(u64, u32)]) {
        let traced = |(index, (queue, begin, end)): (usize, &(u32, u64, u64))| Ended {
            id: index as u64 + 1,
            queue: *queue,
            device: "",
            label: Label::HostTask,
            begin: *begin,
            end: *end,
            thread: 0,
        };
        let mut traced: Vec<Ended> = commands.iter().enumerate().map(traced).collect();
        traced.sort_unstable_by_key(|ended| (ended.queue, ended.begin, ended.id));
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
        let kernel = Ended { id: 1, queue: 1, device: "device", label, begin: 3000, end: 4000, thread: 8 };
        let mut records = Records::default();
        records.threads.push((7, "main \"x\"".into()));
        records.done.push(Done { thread: 7, category: SUBMIT, name: Name::Of(1), begin: 1000, end: 2500 });
        records.ended.push(kernel);
        records.after.push((9, 1));
        let mut out = Output { file: b"[".to_vec(), first: true };
        write_events(&mut records, &mut out).expect("memory");
        out.file.push(b']');
        let events: Vec<serde_json::Value> = serde_json::from_slice(&out.file).expect("JSON");
        let phases: Vec<&str> = events.iter().filter_map(|event| event["ph"].as_str()).collect();
        assert_eq!(phases, ["M", "M", "M", "X", "X", "X", "s", "f"]);
        assert_eq!((&events[5]["name"], &events[5]["ts"], &events[5]["dur"]), (&"a<\"b\">".into(), &3.0.into(), &1.0.into()));
        let items = (&events[4]["cat"], &events[4]["name"], &events[4]["tid"]);
        assert_eq!(items, (&"items".into(), &"a<\"b\">".into(), &8.into()));
        assert_eq!(events[5]["args"], serde_json::json!({"command": 1, "kind": "Range", "global": [1, 1, 64]}));
        assert_eq!((&events[6]["ts"], &events[7]["bp"]), (&1.0.into(), &"e".into()));
    }
}
