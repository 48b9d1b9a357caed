//! Parts of a sub-group that meet without the others (`aspen_cpu_item_t::members`).

use std::collections::VecDeque;

/// An item that waits for the members of a part, by their lanes.
#[derive(Clone, Copy)]
struct Waiting {
    fiber: usize,
    lane: u64,
    members: u64,
}

/// Those of one sub-group that wait for a part of it.
#[derive(Clone, Default)]
pub(super) struct Meetings {
    waiting: Vec<Waiting>,
}

impl Meetings {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Who came first, of those that wait.
    pub(super) fn first(&self) -> Option<usize> {
        self.waiting.first().map(|waiting| waiting.fiber)
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// A fiber comes to where `members` meet. Whether it has to wait: if it is the last to come it has not, and the others are ready.
    /// `ended` has a bit for each lane that counts as arrived.
    pub(super) fn arrive(&mut self, fiber: usize, lane: u32, members: u64, ended: u64, ready: &mut VecDeque<usize>) -> bool {
        let lane = 1 << (lane % u64::BITS);
        let complete = (self.here(members) | lane | ended) & members == members;
        if complete {
            self.release(members, ready);
        } else {
            self.waiting.push(Waiting { fiber, lane, members });
        }
        !complete
    }

    /// Lets those go on who waited only for items that have ended by now.
    pub(super) fn end(&mut self, ended: u64, ready: &mut VecDeque<usize>) {
        while let Some(complete) = self.waiting.iter().find(|one| (self.here(one.members) | ended) & one.members == one.members) {
            self.release(complete.members, ready);
        }
    }

    /// The lanes that wait for exactly these members.
    fn here(&self, members: u64) -> u64 {
        self.waiting.iter().filter(|waiting| waiting.members == members).fold(0, |here, waiting| here | waiting.lane)
    }

    fn release(&mut self, members: u64, ready: &mut VecDeque<usize>) {
        ready.extend(self.waiting.iter().filter(|waiting| waiting.members == members).map(|waiting| waiting.fiber));
        self.waiting.retain(|waiting| waiting.members != members);
    }
}
