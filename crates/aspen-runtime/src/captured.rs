//! What a host task has captured goes before its command is complete: who sees that it is may count on it. But that may be the last of a buffer,
//! which waits for all that use it, the command among them; so a wait meanwhile completes the command first.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use crate::command::Command;

type Ending = ManuallyDrop<Option<Arc<Command>>>;

thread_local! {
    /// The command whose task has run on this thread and whose captures are being dropped. Static objects submit and wait when what a thread has of
    /// its own is gone, so this is nothing that is ever destroyed; whoever puts a command here takes it out again.
    static ENDING: Cell<Ending> = const { Cell::new(ManuallyDrop::new(None)) };
}

fn replace(by: Option<Arc<Command>>) -> Option<Arc<Command>> {
    ManuallyDrop::into_inner(ENDING.replace(ManuallyDrop::new(by)))
}

/// Drops what the command's task has captured, and completes the command.
pub(crate) fn end(command: Arc<Command>, captured: impl Send) {
    let before = replace(Some(command));
    drop(captured);
    if let Some(command) = replace(before) {
        command.complete();
    }
}

/// Before this thread waits.
pub(crate) fn complete_what_ends() {
    if let Some(command) = replace(None) {
        command.complete();
    }
}
