//! What brings buffers to where a command runs, just before it does, and lets it access them meanwhile.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::backend::Ahead;
use crate::before::{Before, Opened};
use crate::buffer::{Access, Buffer, Place};
use crate::error::Result;

/// Brings buffers to where a command runs.
struct Bringing {
    moving: Vec<(Arc<Buffer>, Access, Place)>,
}

impl Before for Bringing {
    fn is_quick(&self) -> bool {
        self.moving.iter().all(|(buffer, access, place)| buffer.is_near(*place, *access))
    }

    fn ahead(&self) -> SmallVec<[Ahead; 2]> {
        if !self.is_quick() {
            return SmallVec::new();
        }
        self.moving.iter().filter_map(|(buffer, access, place)| buffer.bring_ahead(*place, *access)).collect()
    }

    fn undo(&self, ahead: &[Ahead]) {
        self.moving.iter().for_each(|(buffer, ..)| buffer.not_brought(ahead));
    }

    fn run(&self) -> Result<()> {
        self.moving.iter().try_for_each(|(buffer, access, place)| buffer.bring(*place, *access))
    }
}

/// What brings the buffers to where a command runs. Mostly nothing: a buffer that has no copy anywhere by now needs none brought, since
/// whoever writes it on another device later waits for this command.
pub(crate) fn bringing(buffers: &[(Arc<Buffer>, Access)], place_of: impl Fn(&Arc<Buffer>) -> Place) -> Option<Box<dyn Before>> {
    let copied = buffers.iter().filter(|(buffer, _)| buffer.has_copies());
    let placed = copied.map(|(buffer, access)| (buffer.clone(), *access, place_of(buffer)));
    let moving: Vec<_> = placed.filter(|(_, _, place)| !matches!(place, Place::Nowhere)).collect();
    (!moving.is_empty()).then(|| Box::new(Bringing { moving }) as Box<dyn Before>)
}

/// Buffers that a command may access while it runs.
struct Opening(Vec<(Arc<Buffer>, Access)>);

impl Opened for Opening {
    fn open(&self) {
        self.0.iter().for_each(|(buffer, access)| buffer.open(*access));
    }

    fn shut(&self) {
        self.0.iter().for_each(|(buffer, access)| buffer.shut(*access));
    }
}

/// What lets a command access its buffers while it runs.
pub(crate) fn opening(buffers: &[(Arc<Buffer>, Access)]) -> Box<dyn Opened> {
    Box::new(Opening(buffers.to_vec()))
}
