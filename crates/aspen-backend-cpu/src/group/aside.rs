//! Items that wait for the group while others of their sub-group wait for them: an operation of the sub-group in a loop or a branch that only some
//! take, with a barrier of the group behind it. SYCL leaves that undefined and Intel's devices let those go on who are there, so the former stand aside until
//! the group has met (docs/decisions/0084). `ASPEN_CHECK=1` has it be an error.

use super::Group;

/// An item that waits at the group's barrier.
#[derive(Clone, Copy)]
pub(super) struct AtGroup {
    pub(super) fiber: usize,
    /// By its linear id.
    pub(super) item: u32,
}

impl Group {
    /// When nothing can run: has items that wait for the group count as ended for their sub-groups. Whether anybody goes on by that.
    pub(super) fn goes_on_without(&mut self) -> bool {
        if self.shape.check {
            return false;
        }
        let size = self.shape.sub_group_size;
        let is_waited_for = |item: u32| {
            let sub_group = &self.sub_groups[(item / size) as usize];
            sub_group.meetings.len() > 0 || !sub_group.waiting.is_empty()
        };
        let aside: Vec<u32> =
            self.waiting.iter().map(|one| one.item).filter(|item| self.has_ended[*item as usize] == 0 && is_waited_for(*item)).collect();
        for item in aside {
            self.aside.push(item);
            self.leaves_sub_group(item);
        }
        !self.ready.is_empty()
    }

    /// Lets all go on who wait at the group's barrier.
    pub(super) fn release(&mut self) {
        self.ready.extend(self.waiting.drain(..).map(|one| one.fiber));
        for item in std::mem::take(&mut self.aside) {
            self.has_ended[item as usize] = 0;
            self.sub_groups[(item / self.shape.sub_group_size) as usize].ended -= 1;
        }
    }

    /// Lets those of its sub-group go on who waited for this item only.
    pub(super) fn leaves_sub_group(&mut self, item: u32) {
        if let Some(ended) = self.has_ended.get_mut(item as usize) {
            *ended = 1;
        }
        let size = self.shape.sub_group_size;
        let first = item / size * size;
        let meets = self.sub_groups.get((item / size) as usize).is_some_and(|one| one.meetings.len() > 0);
        let ended = meets.then(|| self.ended_lanes(first));
        let Some(sub_group) = self.sub_groups.get_mut((item / size) as usize) else { return };
        sub_group.ended += 1;
        if let Some(ended) = ended {
            sub_group.meetings.end(ended, &mut self.ready);
        }
        if sub_group.waiting.len() as u32 + sub_group.ended == size.min(self.items - first) {
            self.ready.extend(sub_group.waiting.drain(..));
        }
    }
}
