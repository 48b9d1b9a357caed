//! A progress bar for work that takes long: on a terminal that can take a line back (`TERM` says so), and only after a second. It has
//! no colours, so `NO_COLOR` makes no difference.
//!
//! It is redrawn where the work goes on and has no thread of its own: code generation forks and needs a process of one thread.

use std::env;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is done before this needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar; it goes away with the value.
pub struct Progress {
    start: Instant,
    what: String,
    total: u64,
    terminal: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For so many steps of something, on standard error.
    pub fn new(what: &str, total: usize) -> Progress {
        let terminal = io::stderr().is_terminal() && env::var_os("TERM").is_some_and(|term| term != "dumb" && !term.is_empty());
        Progress { start: Instant::now(), what: what.to_owned(), total: total as u64, terminal, bar: None }
    }

    /// So many steps are done, of as many as are known now.
    pub fn done_of(&mut self, count: usize, total: usize) {
        self.total = total as u64;
        self.done(count);
    }

    /// So many steps are done.
    pub fn done(&mut self, count: usize) {
        if self.bar.is_none() && is_wanted(self.terminal, self.start.elapsed(), count as u64, self.total) {
            let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{msg} [{wide_bar}] {pos}/{len} images");
            bar.set_style(style.expect("the template is a constant").progress_chars("=> "));
            bar.set_message(self.what.clone());
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_length(self.total);
            bar.set_position(count as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What is over, or soon will be, is not shown.
fn is_wanted(terminal: bool, elapsed: Duration, done: u64, total: u64) -> bool {
    terminal && elapsed >= PATIENCE && done < total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slow_work_on_a_terminal_is_shown() {
        let (fast, slow) = (Duration::from_millis(900), Duration::from_millis(1100));
        assert!(is_wanted(true, slow, 1, 10));
        assert!(!is_wanted(true, fast, 1, 10) && !is_wanted(false, slow, 1, 10) && !is_wanted(true, slow, 10, 10));
    }

    #[test]
    fn a_bar_counts_and_goes_away() {
        let mut progress = Progress::new("test", 3);
        progress.done(1);
        assert!(progress.bar.is_none());
        (progress.terminal, progress.start) = (true, Instant::now() - PATIENCE);
        progress.done(2);
        let bar = progress.bar.clone().expect("it took long");
        assert_eq!((bar.position(), bar.length(), bar.is_finished()), (2, Some(3), false));
        progress.done_of(3, 5);
        assert_eq!((bar.position(), bar.length()), (3, Some(5)));
        drop(progress);
        assert!(bar.is_finished());
    }
}
