//! What a host task has captured goes before its command is complete: who sees that it is may count on it. But that may be the last of a buffer,
//! which waits for all that use it, the command among them; so a wait meanwhile completes the command first.

use std::cell::Cell;
use std::sync::Arc;

use crate::command::Command;

thread_local! {
    /// The command whose task has run on this thread and whose captures are being dropped.
    static ENDING: Cell<Option<Arc<Command>>> = const { Cell::new(None) };
}

/// Drops what the command's task has captured, and completes the command.
pub(crate) fn end(command: Arc<Command>, captured: impl Send) {
    let before = ENDING.replace(Some(command));
    drop(captured);
    if let Some(command) = ENDING.replace(before) {
        command.complete();
    }
}

/// Before this thread waits.
pub(crate) fn complete_what_ends() {
    // Static objects wait when the thread's own data is gone.
    if let Ok(Some(command)) = ENDING.try_with(Cell::take) {
        command.complete();
    }
}
