//! `ASPEN_LOG`: lines on standard error, `LEVEL target: message name=value …`. Source: DESIGN §6.
//!
//! A subscriber of our own, since that of tracing-subscriber keeps its lines in thread-local storage: the destructors of a program's globals
//! run after that of their thread, may use a queue, and must not panic for being watched.

use std::fmt::{self, Write as _};
use std::io::Write as _;

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
    let lines = Lines { targets, most };
    tracing::subscriber::set_global_default(lines).map_err(|error| Error::new(Code::Runtime, format!("ASPEN_LOG={filter}: {error}")))
}

struct Lines {
    targets: Targets,
    most: LevelFilter,
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
        let mut line = Line { text: format!("{:>5} {}:", metadata.level(), metadata.target()) };
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
