//! `ASPEN_LOG`: lines on standard error, `SECONDS THREAD LEVEL target: message name=value …`: seconds since the log began, the name and number
//! that the system has of the thread. Source: DESIGN §6; issue 18, point 6.
//!
//! A subscriber of our own, since that of tracing-subscriber keeps its lines in thread-local storage: the destructors of a program's globals
//! run after that of their thread, may use a queue, and must not panic for being watched.

use std::ffi::CStr;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::time::Instant;

use aspen_runtime::{Code, Error, Result};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Metadata, Subscriber, span};
use tracing_subscriber::filter::Targets;

/// Starts it for this process. The subscriber is this library's own: a program's is not touched.
///
/// # Errors
/// [`Code::Invalid`] for a filter that makes no sense.
pub(crate) fn start(filter: &str) -> Result<()> {
    let targets: Targets = filter
        .parse()
        .map_err(|error| Error::new(Code::Invalid, format!("ASPEN_LOG={filter}: {error} (such as debug or aspen_runtime=trace)")))?;
    let most = targets.iter().map(|(_, level)| level).chain(targets.default_level()).max().unwrap_or(LevelFilter::OFF);
    let lines = Lines { targets, most, begin: Instant::now() };
    tracing::subscriber::set_global_default(lines).map_err(|error| Error::new(Code::Runtime, format!("ASPEN_LOG={filter}: {error}")))
}

struct Lines {
    targets: Targets,
    most: LevelFilter,
    begin: Instant,
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && self.targets.would_enable(metadata.target(), metadata.level())
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.most)
    }

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let seconds = self.begin.elapsed().as_secs_f64();
        let mut line = Line { text: format!("{seconds:>11.6} {} {:>5} {}:", thread(), metadata.level(), metadata.target()) };
        event.record(&mut line);
        line.text.push('\n');
        // One write a line, so that those of threads stay whole; a program without standard error loses them.
        let _ = std::io::stderr().write_all(line.text.as_bytes());
    }

    // The runtime has no spans; those of nobody else come here.
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// `NAME:NUMBER`, of the system: what the standard library knows has a destructor.
fn thread() -> String {
    /// What prctl(2) writes at most.
    const LONGEST: usize = 16;
    let mut name = [0_u8; LONGEST];
    // SAFETY: prctl(2): up to 16 bytes are written, the last of them a NUL.
    let number = unsafe {
        libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr());
        libc::gettid()
    };
    let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
    format!("{}:{number}", name.to_string_lossy())
}

struct Line {
    text: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.text, " {value:?}"),
            name => write!(self.text, " {name}={value:?}"),
        };
    }
}
