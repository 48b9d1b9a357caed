//! What a kernel's image has for whole groups.

use crate::abi::{GroupEntry, Places};

/// A kernel's function for whole groups.
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    pub(crate) entry: GroupEntry,
    /// Bytes of its frame for each work-item.
    pub(crate) frame_size: usize,
    /// Of the frame, in bytes: a power of two.
    pub(crate) frame_alignment: usize,
    /// Where its barriers stand; may be null.
    pub(crate) places: Places,
    /// Whether its groups may wait for each other.
    pub(crate) may_wait: bool,
    /// Whether it is a kernel of a range whose function takes boxes of any shape.
    pub(crate) whole_boxes: bool,
    /// Whether groups that lie side by side may run as one.
    pub(crate) joined: bool,
    /// The only groups that it runs; zeroes if it runs any.
    pub(crate) work_group: [u64; 3],
}
