//! A store that machines share, by the program `aspen-cache-remote` that talks to it ([`crate::protocol`]).
//!
//! No thread: requests are written and answers read by whoever asks, under one limit for the whole process. What takes longer is given up,
//! with one warning, and everything goes on as without a store. The program is started when the first entry is asked for.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::io::{self, Read};
use std::mem;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::Key;
use crate::entry::{self, HEAD};
use crate::protocol::{Frame, Kind, MAX_BYTES, VERSION};
use crate::secret::Secret;

/// Where the store is.
const VARIABLE: &str = "ASPEN_CACHE_REMOTE";
/// The file with what those who share it know.
const KEY_FILE: &str = "ASPEN_CACHE_KEY_FILE";
const PROGRAM: &str = "aspen-cache-remote";

/// What a process waits for the store, all in all: less than the two seconds that it may cost, since programs take time to start and end.
const LIMIT: Duration = Duration::from_millis(1800);

/// What entries are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Programs that drivers compiled. They are run as they are, so they are taken from those only who know the secret.
    Jit,
    /// Images that ahead-of-time compilers made.
    AheadOfTime,
}

impl Part {
    fn name(self, key: &Key) -> String {
        let part = match self {
            Part::Jit => "jit",
            Part::AheadOfTime => "ahead-of-time",
        };
        format!("{part}/{}", key.name())
    }

    fn needs_secret(self) -> bool {
        self == Part::Jit
    }
}

/// How a process uses its store.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the store is, as the user wrote it.
    pub url: OsString,
    /// The file with the secret.
    pub key_file: Option<PathBuf>,
    /// Folders where the program may be; after them those of `PATH`.
    pub folders: Vec<PathBuf>,
    /// Whether the program stays behind when this process ends, so that nobody waits for what is still being kept.
    pub stays: bool,
    /// Tells the user.
    pub warn: fn(&str),
}

impl Settings {
    /// What the environment says; `None` if no store is named.
    pub fn of_environment(folders: Vec<PathBuf>, stays: bool, warn: fn(&str)) -> Option<Settings> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        Some(Settings { url: set(VARIABLE)?, key_file: set(KEY_FILE).map(PathBuf::from), folders, stays, warn })
    }
}

/// A store that machines share.
#[derive(Debug)]
pub struct Remote {
    settings: Settings,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    process: u32,
    spent: Duration,
    secret: Option<Secret>,
    link: Link,
    /// Entries that the program was given and has not answered for.
    unkept: HashMap<u32, ()>,
    /// How many were not kept, and why the first was not.
    refused: (usize, String),
    next: u32,
    told_of_secret: bool,
    told_of_poison: bool,
}

#[derive(Debug)]
enum Link {
    NotYet,
    Open { socket: UnixStream, child: Child },
    Off,
}

impl Remote {
    /// Nothing is started yet.
    pub fn new(settings: Settings) -> Arc<Remote> {
        let state = State {
            process: std::process::id(),
            spent: Duration::ZERO,
            secret: None,
            link: Link::NotYet,
            unkept: HashMap::new(),
            refused: (0, String::new()),
            next: 0,
            told_of_secret: false,
            told_of_poison: false,
        };
        Arc::new(Remote { settings, state: Mutex::new(state) })
    }

    /// The contents under these keys, all asked for at once; none where there is none that may be used.
    pub fn get(&self, part: Part, keys: &[Key]) -> Vec<Option<Vec<u8>>> {
        let mut found = vec![None; keys.len()];
        if keys.is_empty() {
            return found;
        }
        self.in_time(part, |state, deadline| {
            let mut asked = HashMap::new();
            for (at, key) in keys.iter().enumerate() {
                let name = part.name(key);
                asked.insert(state.send(Kind::Get, &name, &[], &[], deadline)?, (at, name));
            }
            while !asked.is_empty() {
                let frame = state.receive(deadline)?;
                let Some((at, name)) = asked.remove(&frame.number) else {
                    state.kept(&frame);
                    continue;
                };
                match frame.kind {
                    Kind::Found => match entry::opened(state.secret.as_ref(), &name, frame.bytes) {
                        Ok(content) => found[at] = Some(content),
                        Err(why) if state.told_of_poison => tracing::warn!(name, why, "an entry of the shared cache is not used"),
                        Err(why) => {
                            state.told_of_poison = true;
                            self.warn(&format!("the entry {name} {why}; it is made anew"));
                        }
                    },
                    Kind::Absent => {}
                    // One that fails once is not waited for again.
                    _ => return Err(io::Error::other(frame.sentence())),
                }
            }
            Ok(())
        });
        found
    }

    /// Gives an entry to the store, which keeps it while this process goes on.
    pub fn put(&self, part: Part, key: &Key, content: &[u8]) {
        if content.len() > MAX_BYTES - HEAD {
            return;
        }
        self.in_time(part, |state, deadline| {
            // A store that is full is full for the next entry, too.
            if state.refused.0 > 0 {
                state.refused.0 += 1;
                return Ok(());
            }
            let name = part.name(key);
            let head = entry::head(state.secret.as_ref(), &name, content);
            let number = state.send(Kind::Put, &name, &head, content, deadline)?;
            state.unkept.insert(number, ());
            Ok(())
        });
    }

    /// Waits, in what is left of the time, until all is kept, and ends the program.
    pub fn finish(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.settings.stays || state.process != std::process::id() || !matches!(state.link, Link::Open { .. }) {
            return;
        }
        let deadline = Instant::now() + LIMIT.saturating_sub(state.spent);
        while !state.unkept.is_empty() {
            match state.receive(deadline) {
                Ok(frame) => state.kept(&frame),
                Err(error) => {
                    state.refused.0 += state.unkept.len();
                    state.refused.1 = why(&error);
                    break;
                }
            }
        }
        state.close();
        let (count, why) = mem::take(&mut state.refused);
        drop(state);
        if count > 0 {
            self.warn(&format!("{count} {} not kept there: {why}", if count == 1 { "entry was" } else { "entries were" }));
        }
    }

    /// Does something with the program, which is started if need be. What fails, or takes longer than there is time, ends its use.
    fn in_time(&self, part: Part, action: impl FnOnce(&mut State, Instant) -> io::Result<()>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that was forked has its parent's socket, and two must not talk at once.
        if state.process != std::process::id() || matches!(state.link, Link::Off) {
            return;
        }
        if part.needs_secret() && self.settings.key_file.is_none() {
            if !mem::replace(&mut state.told_of_secret, true) {
                self.warn(&format!("machine code is not taken from there: {KEY_FILE} names no file with a secret of those who share it"));
            }
            return;
        }
        let begin = Instant::now();
        let deadline = begin + LIMIT.saturating_sub(state.spent);
        let done = match state.link {
            Link::NotYet => self.start(&mut state, deadline),
            _ => Ok(true),
        };
        let done = done.and_then(|there| if there { action(&mut state, deadline) } else { Ok(()) });
        state.spent += begin.elapsed();
        if let Err(error) = done {
            state.close();
            self.warn(&format!("{}; this process goes on without it", why(&error)));
        }
    }

    /// Returns whether the program is there.
    fn start(&self, state: &mut State, deadline: Instant) -> io::Result<bool> {
        state.link = Link::Off;
        if let Some(file) = &self.settings.key_file {
            let read = Secret::read(file);
            state.secret = Some(read.map_err(|why| io::Error::other(format!("{KEY_FILE}={}: {why}", file.display())))?);
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = self.settings.folders.iter().cloned().chain(env::split_paths(&path));
        let Some(program) = folders.map(|folder| folder.join(PROGRAM)).find(|file| file.is_file()) else {
            if self.settings.stays {
                tracing::warn!("{VARIABLE} is set, and there is no {PROGRAM}: the cache on this machine is used alone");
            } else {
                self.warn(&format!("there is no program {PROGRAM}; this process goes on without it"));
            }
            return Ok(false);
        };
        let (socket, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&program);
        // Not this process's streams: who reads them waits until all who hold them have ended.
        command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null()).stderr(Stdio::null()).env(VARIABLE, &self.settings.url);
        command.arg(if self.settings.stays { "--stay" } else { "--serve" });
        let mut child = command.spawn().map_err(|error| io::Error::other(format!("cannot run {}: {error}", program.display())))?;
        drop(command);
        if self.settings.stays {
            // It has another process do the work and ends: the user's program has no child that it does not know.
            // Where the program has told the system to forget its children, there is nothing to wait for; what counts is the hello.
            let _ = child.wait();
        }
        state.link = Link::Open { socket, child };
        let hello = state.receive(deadline)?;
        match hello.kind {
            Kind::Ready if hello.number == VERSION => Ok(true),
            Kind::Refused => Err(io::Error::other(hello.sentence())),
            _ => Err(io::Error::other(format!("{} is of another version of Aspen", program.display()))),
        }
    }

    fn warn(&self, sentence: &str) {
        (self.settings.warn)(&format!("{VARIABLE}={}: {sentence}", without_password(&self.settings.url)));
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.finish();
    }
}

impl State {
    /// Sends a request; returns its number.
    fn send(&mut self, kind: Kind, name: &str, head: &[u8], content: &[u8], deadline: Instant) -> io::Result<u32> {
        let Link::Open { socket, .. } = &self.link else { return Err(ended()) };
        self.next = self.next.wrapping_add(1);
        let frame = [&Frame::head(kind, self.next, name, head.len() + content.len())?, head].concat();
        send_all(socket, &frame, deadline)?;
        send_all(socket, content, deadline)?;
        Ok(self.next)
    }

    fn receive(&mut self, deadline: Instant) -> io::Result<Frame> {
        let Link::Open { socket, .. } = &self.link else { return Err(ended()) };
        Frame::read(&mut Until { socket, deadline })?.ok_or_else(ended)
    }

    /// Takes the answer to an entry that was given away.
    fn kept(&mut self, answer: &Frame) {
        if self.unkept.remove(&answer.number).is_some() && answer.kind != Kind::Kept {
            if self.refused.0 == 0 {
                self.refused.1 = answer.sentence();
            }
            self.refused.0 += 1;
        }
    }

    /// Ends the program, and with it what it may still be doing, unless it is one that stays.
    fn close(&mut self) {
        if let Link::Open { socket, mut child } = mem::replace(&mut self.link, Link::Off) {
            drop(socket);
            // It may have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
        self.unkept.clear();
    }
}

/// A socket that is read until some time.
struct Until<'s> {
    socket: &'s UnixStream,
    deadline: Instant,
}

impl Read for Until<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.socket.set_read_timeout(Some(left(self.deadline)?))?;
            let mut socket = self.socket;
            match socket.read(buffer) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                read => return read,
            }
        }
    }
}

/// Writes everything, without the signal by which a process dies that writes to one that has ended.
fn send_all(socket: &UnixStream, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        socket.set_write_timeout(Some(left(deadline)?))?;
        // SAFETY: the pointer and the length are those of a slice that outlives the call, and the socket is open while it is borrowed.
        let sent = unsafe { libc::send(socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
        match usize::try_from(sent) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(_) => match io::Error::last_os_error() {
                error if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                error => return Err(error),
            },
        }
    }
    Ok(())
}

fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

fn ended() -> io::Error {
    io::Error::other(format!("{PROGRAM} has ended"))
}

fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::TimedOut => format!("it takes longer than the {} seconds that a process waits for it", LIMIT.as_secs_f32()),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => ended().to_string(),
        _ => error.to_string(),
    }
}

/// A URL as it may stand in messages.
fn without_password(url: &OsString) -> String {
    let text = Path::new(url).display().to_string();
    // Up to the last one: a password may hold what a URL's must not, and then the URL is in a message.
    match text.split_once("://").map(|(scheme, rest)| (scheme, rest.rsplit_once('@'))) {
        Some((scheme, Some((_, host)))) => format!("{scheme}://…@{host}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_in_messages_have_no_password() {
        for (url, shown) in [
            ("redis://user:pass@host:1/2", "redis://…@host:1/2"),
            ("redis://:p@ss@host", "redis://…@host"),
            ("redis://:ab/c?d@host:1", "redis://…@host:1"),
            ("s3://key:a/b@bucket/c", "s3://…@bucket/c"),
            ("s3://bucket/a", "s3://bucket/a"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(without_password(&url.into()), shown);
        }
    }
}
