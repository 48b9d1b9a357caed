//! What a command needs done first, and what it opens while it runs.

use smallvec::SmallVec;

use crate::backend::Ahead;
use crate::error::Result;

/// What is done before a command's work, on the thread that runs it; if it fails, the work is not done.
pub(crate) trait Before: Send {
    /// Whether it only writes something down, so that what the command waits for need not be complete, only in flight.
    fn is_quick(&self) -> bool;
    fn run(&self) -> Result<()>;
    /// What a job brings itself, in front of its work in the device's queue; then there is nothing to run. Empty if it is to be run.
    fn ahead(&self) -> SmallVec<[Ahead; 2]> {
        SmallVec::new()
    }
    /// The job did not bring that.
    fn undo(&self, _ahead: &[Ahead]) {}
}

/// What may be accessed while a command runs, where that is checked.
pub(crate) trait Opened: Send {
    fn open(&self);
    fn shut(&self);
}
