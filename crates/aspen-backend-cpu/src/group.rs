//! One work-group on one thread.
//!
//! Where the image has a function for whole groups, that is all there is to do: its loops go over the items, and come back early only if
//! the items wait at different barriers. Other kernels run item by item:
//!
//! Forking is lazy: a coroutine runs the group's work-items one after another, and only when an item blocks in a barrier does the
//! scheduler let another coroutine go on with the next item that has not begun. So a kernel without barriers never switches stacks, and
//! a barrier costs two switches an item. Sub-groups are consecutive local linear ids; their barriers release only their own items.
//!
//! An item that has ended counts as arrived at every later barrier (DESIGN §7.25), and one that waits for the group counts as ended for its
//! sub-group as soon as nothing else can run (`aside.rs`). A barrier that can never be complete leaves blocked items and nothing to run: that is
//! reported, and the blocked coroutines are thrown away with their stacks.

use std::ffi::{CStr, c_char, c_void};
use std::{cell::Cell, collections::VecDeque, ptr};

use aspen_runtime::{Code, Error, Result};

use crate::abi::{ASKED_ENDED, Item, ItemEntry, Ops, SKIPPED, SLOT_SIZE};
use crate::faults::end_by_overflow;
use crate::fiber::{Fiber, Pause, Switch, Turn, from_aside, put_aside};
use crate::running::{Items, note_items};
use crate::spaces;
use crate::stacks::{SMALL, Stacks};
use aside::AtGroup;
use meetings::Meetings;
pub(crate) use memory::with_frame;
use memory::{LocalMemory, Memory};
pub(crate) use whole::Whole;

mod aside;
mod meetings;
mod memory;
mod whole;

/// Alignment of local memory and slots in bytes, and the least of frames. Source: native_cpu.h.
const ALIGNMENT: usize = 128;

/// Fibers that a thread keeps from launch to launch; those of larger groups are put aside.
const KEPT: usize = 1024;

/// Slots of a group, and of a sub-group, for each of its items. Source: native_cpu.h.
const SLOTS: usize = 2;

static OPS: Ops = Ops { group_barrier, sub_group_barrier, asked_ended };

/// What all groups of a launch have in common.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) entry: ItemEntry,
    pub(crate) closure: *const c_void,
    pub(crate) group_range: [u64; 3],
    pub(crate) local_range: [u64; 3],
    pub(crate) offset: [u64; 3],
    pub(crate) local_memory: usize,
    pub(crate) sub_group_size: u32,
    /// One call a work-item, or one call for the whole group.
    pub(crate) by_item: bool,
    pub(crate) whole: Option<Whole>,
    /// Whether mistakes are looked for that do no harm by themselves (`ASPEN_CHECK=1`).
    pub(crate) check: bool,
    /// Bytes of stack that a call needs for variables.
    pub(crate) variables: usize,
    /// Bytes of variables that the items which wait on this thread may have together.
    pub(crate) most_variables: usize,
}

/// The state of the group that runs on this thread. Coroutines and scheduler reach it by pointer and never hold a reference across a
/// switch of stacks.
pub(crate) struct Group {
    shape: Shape,
    /// What items have in common; ids are filled in for each.
    template: Item,
    items: u32,
    /// The next item to begin.
    next: u32,
    next_local: [u64; 3],
    ended: u32,
    /// Whether an item has ended, by its linear id (`aspen_cpu_item::ended`).
    has_ended: Vec<u8>,
    /// Those that wait at the group's barrier.
    waiting: Vec<AtGroup>,
    /// Items of these that count as ended for their sub-groups.
    aside: Vec<u32>,
    /// What is known of the sub-groups.
    sub_groups: Vec<SubGroup>,
    /// An ended item whose value a broadcast asked for, the first one.
    asked_ended: Option<u32>,
    /// Fibers that may go on.
    ready: VecDeque<usize>,
    /// Where fibers wait, as far as their images tell.
    places: Vec<*const c_char>,
}

/// The barrier of a sub-group.
#[derive(Clone, Default)]
struct SubGroup {
    /// Fibers that wait there.
    waiting: Vec<usize>,
    /// Those that wait for a part of the sub-group.
    meetings: Meetings,
    ended: u32,
}

/// A work-item on a fiber's stack. `item.scheduler` points to the frame.
struct Frame {
    item: Item,
    group: *mut Group,
    /// Null for a call that stands for the whole group.
    switch: *const Switch,
    fiber: usize,
}

/// What a thread keeps from group to group.
pub(crate) struct Worker {
    group: Box<Group>,
    fibers: Vec<Fiber>,
    idle: Vec<usize>,
    stacks: Stacks,
    local_memory: LocalMemory,
    slots: Memory,
    frame: Memory,
}

impl Worker {
    pub(crate) fn new(shape: Shape) -> Worker {
        let group = Group {
            shape,
            template: template(&shape),
            items: 0,
            next: 0,
            next_local: [0; 3],
            ended: 0,
            has_ended: Vec::new(),
            waiting: Vec::new(),
            aside: Vec::new(),
            sub_groups: Vec::new(),
            asked_ended: None,
            ready: VecDeque::new(),
            places: Vec::new(),
        };
        let ([slots, frame], local_memory) = ([(); 2].map(|()| Memory::none()), LocalMemory::none());
        let mut worker =
            Worker { group: Box::new(group), fibers: Vec::new(), idle: Vec::new(), stacks: Stacks::new(), local_memory, slots, frame };
        worker.begin(shape);
        worker
    }

    /// Prepares for the groups of a launch.
    pub(crate) fn begin(&mut self, shape: Shape) {
        if self.group.shape.variables != shape.variables {
            self.throw_away();
        }
        let logical = shape.local_range.iter().product::<u64>();
        let slots = usize::try_from(logical).unwrap_or(usize::MAX).saturating_mul(SLOTS * SLOT_SIZE);
        let group = &mut *self.group;
        group.shape = shape;
        group.items = if shape.by_item { u32::try_from(logical).unwrap_or(u32::MAX) } else { 1 };
        group.template = template(&shape);
        group.template.local_memory = self.local_memory.local(shape.local_memory);
        // Those of the group, then those of the sub-groups, each at its first item; the last one may have fewer items than slots. Around those
        // of the sub-groups others may be read.
        let around = (shape.sub_group_size as usize).saturating_mul(SLOTS * SLOT_SIZE);
        let all = slots.saturating_mul(2).saturating_add(around.saturating_mul(3));
        group.template.group_slots = self.slots.certainly(all, ALIGNMENT);
        group.template.sub_group_slots = group.template.group_slots.wrapping_add(slots + around);
        group.template.sub_group_max_size = shape.sub_group_size;
        group.template.sub_group_count = group.items.div_ceil(shape.sub_group_size);
        group.sub_groups.resize(group.template.sub_group_count as usize, SubGroup::default());
        group.has_ended.resize(group.items as usize, 0);
        group.template.ended = group.has_ended.as_ptr();
    }

    /// Runs one group.
    pub(crate) fn run(&mut self, group_id: [u64; 3]) -> Result<()> {
        self.group.template.group_id = group_id;
        note_items(Items::Group(&raw const self.group.template.group_id));
        if let Some(whole) = self.group.shape.whole {
            return self.run_whole(whole);
        }
        let group: *mut Group = &raw mut *self.group;
        // SAFETY: the box is alive and nothing else refers to it between switches.
        let by_item = unsafe {
            let group = &mut *group;
            (group.next, group.ended, group.next_local, group.asked_ended) = (0, 0, [0; 3], None);
            group.has_ended.fill(0);
            group.sub_groups.iter_mut().for_each(|sub_group| sub_group.ended = 0);
            group.shape.by_item
        };
        let local = self.local_memory();
        if !by_item {
            spaces::note(local, spaces::NONE, (&raw const by_item).cast());
            run_items(ptr::null(), Turn { group: group.cast(), fiber: usize::MAX });
            return Ok(());
        }
        loop {
            // SAFETY: as above; the borrow ends before the fiber is resumed.
            let (ready, begun, ended) = unsafe {
                let group = &mut *group;
                (group.ready.pop_front(), group.next == group.items, group.ended == group.items)
            };
            let fiber = match ready {
                Some(fiber) => fiber,
                None if ended => return self.checked(),
                // SAFETY: as above.
                None if begun && unsafe { (*group).goes_on_without() } => continue,
                None if begun => return Err(self.stuck()),
                None => match self.idle_fiber() {
                    Ok(fiber) => fiber,
                    Err(error) => {
                        self.throw_away();
                        return Err(error);
                    }
                },
            };
            spaces::note(local, spaces::NONE, self.fibers[fiber].stack_end());
            let pause = self.fibers[fiber].resume(Turn { group: group.cast(), fiber });
            if self.fibers[fiber].has_overflowed() {
                end_by_overflow();
            }
            if let Pause::Idle = pause {
                self.idle.push(fiber);
            }
        }
    }

    fn local_memory(&self) -> spaces::Memory {
        (self.group.template.local_memory, self.group.shape.local_memory)
    }

    /// By the function for whole groups, which keeps what it has to know of items in its frame.
    fn run_whole(&mut self, whole: Whole) -> Result<()> {
        let group = &*self.group;
        let bytes = whole.frame_size.saturating_mul(group.items as usize);
        let Some(frame) = self.frame.at_least(bytes, whole.frame_alignment) else {
            let (items, each) = (group.items, whole.frame_size);
            let text =
                format!("no memory for what {items} work-items keep across barriers, {each} bytes each; make the work-group smaller");
            return Err(Error::new(Code::MemoryAllocation, text));
        };
        spaces::note(self.local_memory(), (frame, bytes), (&raw const bytes).cast());
        // SAFETY: the function of this kernel with its closure, the group's template, and a frame as native_cpu.h describes them.
        let result = unsafe { (whole.entry)(group.shape.closure, &raw const group.template, frame) };
        if result == SKIPPED {
            return if self.group.shape.check { Err(self.skipped(whole, frame)) } else { Ok(()) };
        }
        if result & ASKED_ENDED != 0 {
            self.group.asked_ended = Some(result & !ASKED_ENDED);
            return self.checked();
        }
        if result == 0 {
            Ok(())
        } else {
            let ended = self.group.items.saturating_sub(result);
            Err(self.never(
                &format!(
                    "{result} wait, at different barriers or operations of the work-group or a sub-group{},",
                    self.places(whole, frame)
                ),
                ended,
            ))
        }
    }

    /// The two barriers that a function for whole groups tells of when it gives up: ` (a.cpp:3:5 and a.cpp:9:5)`, or nothing.
    fn places(&self, whole: Whole, frame: *const u8) -> String {
        in_brackets(told(frame).into_iter().filter_map(|number| whole.place(number)))
    }

    /// An item passed by a barrier.
    fn skipped(&self, whole: Whole, frame: *const u8) -> Error {
        let [barrier, item] = told(frame);
        let at = whole
            .place(barrier)
            .map_or_else(|| "a barrier or group operation".into(), |place| format!("the barrier or group operation at {place}"));
        let sub_group = item / self.group.shape.sub_group_size;
        let text = format!(
            "in {} work-item {item} of sub-group {sub_group} passes by {at}, where others of its group wait, and goes on (found by ASPEN_CHECK=1): \
             move it out of the branch that only some of them take",
            self.group_name()
        );
        Error::new(Code::Kernel, text)
    }

    /// What the group did wrong without harm.
    fn checked(&self) -> Result<()> {
        let Some(item) = self.group.asked_ended.filter(|_| self.group.shape.check) else { return Ok(()) };
        let text = format!(
            "in {} a broadcast asks for the value of work-item {item}, which has ended and passes none (found by ASPEN_CHECK=1): let it \
             return behind the broadcast, or take the value of a work-item that comes there",
            self.group_name()
        );
        Err(Error::new(Code::Kernel, text))
    }

    fn group_name(&self) -> String {
        let [x, y, z] = self.group.template.group_id;
        format!("work-group ({x}, {y}, {z})")
    }

    fn idle_fiber(&mut self) -> Result<usize> {
        if let Some(fiber) = self.idle.pop() {
            return Ok(fiber);
        }
        let Shape { variables, most_variables, .. } = self.group.shape;
        if !self.fibers.is_empty() && (self.fibers.len() + 1).saturating_mul(variables) > most_variables {
            let text = format!(
                "in {}, {} work-items wait at barriers, each with {variables} bytes of private variables: more than {most_variables} bytes on one \
                 thread is more than this machine's memory has for all; make the group smaller, or keep the variables in global memory",
                self.group_name(),
                self.fibers.len()
            );
            return Err(Error::new(Code::MemoryAllocation, text));
        }
        let aside = if self.fibers.len() >= KEPT && variables <= SMALL { from_aside() } else { None };
        let fiber = aside.map_or_else(|| Fiber::new(&mut self.stacks, variables, |switch, turn| run_items(switch, turn)), Ok)?;
        self.fibers.push(fiber);
        Ok(self.fibers.len() - 1)
    }

    /// Nothing can run, but not all items have ended.
    fn stuck(&mut self) -> Error {
        let group = &*self.group;
        let at_sub_group = group.sub_groups.iter().map(|sub_group| sub_group.waiting.len() + sub_group.meetings.len()).sum::<usize>();
        let places = group.two_places();
        let waiting =
            format!("{} wait at a barrier of the work-group and {at_sub_group} at one of a sub-group{places},", group.waiting.len());
        let error = self.never(&waiting, group.ended);
        self.throw_away();
        error
    }

    /// Items wait for each other at different barriers.
    fn never(&self, waiting: &str, ended: u32) -> Error {
        let text = format!(
            "the work-items of {} wait at different barriers, so it can never go on: of its {} work-items {waiting} and {ended} have ended; \
             move the barrier out of the branch or loop that only some of them take, so that all that have not ended come to the same one",
            self.group_name(),
            self.group.items
        );
        Error::new(Code::Kernel, text)
    }

    /// After the groups of a launch: the stacks that most groups do not need go to whoever does.
    pub(crate) fn rest(&mut self) {
        if self.fibers.len() > KEPT {
            self.idle.retain(|fiber| *fiber < KEPT);
            let others = self.fibers.split_off(KEPT);
            if self.group.shape.variables <= SMALL {
                put_aside(others);
            }
        }
    }

    fn throw_away(&mut self) {
        self.fibers.clear();
        self.idle.clear();
        self.stacks.clear();
        self.group.waiting.clear();
        self.group.aside.clear();
        self.group.ready.clear();
        for sub_group in &mut self.group.sub_groups {
            sub_group.waiting.clear();
            sub_group.meetings.clear();
        }
    }
}

/// The two numbers that a function for whole groups left at the beginning of its frame.
fn told(frame: *const u8) -> [u32; 2] {
    // SAFETY: frames are aligned and have more bytes.
    unsafe { frame.cast::<[u32; 2]>().read() }
}

/// ` (here and there)`, or nothing.
fn in_brackets(places: impl Iterator<Item = String>) -> String {
    let known: Vec<String> = places.collect();
    if known.is_empty() { String::new() } else { format!(" ({})", known.join(" and ")) }
}

thread_local! {
    /// Where the running item is about to come to a barrier (`aspen_cpu_tell_place_fn`).
    static PLACE: Cell<*const c_char> = const { Cell::new(ptr::null()) };
}

/// `aspen_cpu_tell_place_fn`.
pub(crate) extern "C" fn tell_place(place: *const c_char) {
    PLACE.set(place);
}

impl Whole {
    /// Where a barrier stands, by its number from 1.
    fn place(self, number: u32) -> Option<String> {
        let index = number.checked_sub(1).filter(|_| !self.places.is_null())?;
        // SAFETY: native_cpu.h: the function tells only numbers that it has places for; each is null or a string of the image, which is open.
        unsafe {
            let text = self.places.add(index as usize).read();
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    }
}

fn template(shape: &Shape) -> Item {
    Item {
        ops: &OPS,
        local_memory: ptr::null_mut(),
        group_slots: ptr::null_mut(),
        sub_group_slots: ptr::null_mut(),
        global_id: [0; 3],
        local_id: [0; 3],
        group_id: [0; 3],
        global_range: [0, 1, 2].map(|dim| shape.group_range[dim] * shape.local_range[dim]),
        local_range: shape.local_range,
        group_range: shape.group_range,
        offset: shape.offset,
        local_linear_id: 0,
        sub_group_id: 0,
        sub_group_count: 0,
        sub_group_size: 0,
        sub_group_max_size: 0,
        lane: 0,
        scheduler: ptr::null_mut(),
        ended: ptr::null(),
        members: 0,
        scratch_memory: ptr::null_mut(),
    }
}

/// Runs items until there is none left to begin.
fn run_items(switch: *const Switch, Turn { group, fiber }: Turn) {
    let group: *mut Group = group.cast();
    // SAFETY: the worker's group outlives the call; the borrow ends with the statement.
    let (item, shape, items) = unsafe { ((*group).template, (*group).shape, (*group).items) };
    let mut frame = Frame { item, group, switch, fiber };
    let frame: *mut Frame = &raw mut frame;
    let sub_group_slots = item.sub_group_slots;
    loop {
        // SAFETY: as above. The references end before the entry is called, which may come back through the barriers.
        unsafe {
            let group = &mut *group;
            if group.next == items {
                return;
            }
            let (linear, local) = (group.next, group.next_local);
            group.next += 1;
            advance(&mut group.next_local, &shape.local_range);
            let item = &mut (*frame).item;
            item.scheduler = frame.cast();
            item.local_id = local;
            item.global_id = [0, 1, 2].map(|dim| item.group_id[dim] * shape.local_range[dim] + local[dim] + shape.offset[dim]);
            item.local_linear_id = linear;
            item.sub_group_id = linear / shape.sub_group_size;
            item.lane = linear % shape.sub_group_size;
            let first = linear - item.lane;
            item.sub_group_size = shape.sub_group_size.min(items - first);
            item.sub_group_slots = sub_group_slots.wrapping_add(first as usize * SLOTS * SLOT_SIZE);
        }
        PLACE.set(ptr::null());
        // SAFETY: the entry of this kernel with its closure and an item as native_cpu.h describes it.
        unsafe { (shape.entry)(shape.closure, &raw mut (*frame).item) };
        // SAFETY: as above; the frame's item is the one that has ended.
        unsafe { (*group).end((*frame).item.local_linear_id) };
    }
}

impl Group {
    /// Lets those go on who waited for this item only.
    fn end(&mut self, linear: u32) {
        self.ended += 1;
        self.leaves_sub_group(linear);
        if self.waiting.len() as u32 + self.ended == self.items {
            self.release();
        }
    }

    /// Where a fiber waits at the group's barrier, and one at that of a sub-group: ` (here and there)`, or what is known of it.
    fn two_places(&self) -> String {
        let place = |fiber: usize| {
            let place = self.places.get(fiber).copied().filter(|place| !place.is_null())?;
            // SAFETY: native_cpu.h: a string of the image, which is open.
            Some(unsafe { CStr::from_ptr(place) }.to_string_lossy().into_owned())
        };
        let of_sub_group =
            self.sub_groups.iter().find_map(|sub_group| sub_group.waiting.first().copied().or_else(|| sub_group.meetings.first()));
        in_brackets(self.waiting.first().map(|one| one.fiber).into_iter().chain(of_sub_group).filter_map(place))
    }

    /// A bit for each lane that has ended in the sub-group that begins with this item.
    fn ended_lanes(&self, first: u32) -> u64 {
        let lanes = self.has_ended.iter().skip(first as usize).take(self.shape.sub_group_size.min(u64::BITS) as usize);
        lanes.enumerate().fold(0, |lanes, (lane, ended)| lanes | u64::from(*ended != 0) << lane)
    }
}

/// The next id in the order of linear ids.
fn advance(id: &mut [u64; 3], range: &[u64; 3]) {
    for dim in (0..3).rev() {
        id[dim] += 1;
        if id[dim] < range[dim] {
            return;
        }
        id[dim] = 0;
    }
}

/// `aspen_cpu_ops_t::group_barrier`.
unsafe extern "C" fn group_barrier(item: *mut Item) {
    // SAFETY: images pass the item they were called with, whose scheduler is its frame; the frame and the group live on this thread.
    unsafe {
        let frame = (*item).scheduler.cast::<Frame>();
        let blocked = {
            let group = &mut *(*frame).group;
            if group.waiting.len() as u32 + group.ended + 1 == group.items {
                group.release();
                false
            } else {
                group.waiting.push(AtGroup { fiber: (*frame).fiber, item: (*item).local_linear_id });
                true
            }
        };
        if blocked {
            pause(frame);
        }
    }
}

/// `aspen_cpu_ops_t::sub_group_barrier`.
unsafe extern "C" fn sub_group_barrier(item: *mut Item) {
    // SAFETY: as in `group_barrier`.
    unsafe {
        let frame = (*item).scheduler.cast::<Frame>();
        let (sub_group, size) = ((*item).sub_group_id as usize, (*item).sub_group_size);
        let blocked = {
            let group = &mut *(*frame).group;
            let Item { members, lane, .. } = *item;
            let ended = if members == 0 { 0 } else { group.ended_lanes((*item).local_linear_id - lane) };
            let sub_group = &mut group.sub_groups[sub_group];
            if members != 0 {
                sub_group.meetings.arrive((*frame).fiber, lane, members, ended, &mut group.ready)
            } else if sub_group.waiting.len() as u32 + sub_group.ended + 1 == size {
                group.ready.extend(sub_group.waiting.drain(..));
                false
            } else {
                sub_group.waiting.push((*frame).fiber);
                true
            }
        };
        if blocked {
            pause(frame);
        }
    }
}

/// `aspen_cpu_ops_t::asked_ended`.
unsafe extern "C" fn asked_ended(item: *mut Item, linear: u32) {
    // SAFETY: as in `group_barrier`.
    unsafe {
        let group = &mut *(*(*item).scheduler.cast::<Frame>()).group;
        group.asked_ended = group.asked_ended.or(Some(linear));
    }
}

/// Gives the thread back until the fiber is ready again.
///
/// # Safety
/// `frame` is that of the running item, which stands for one item of a group with more than one.
unsafe fn pause(frame: *mut Frame) {
    let place = PLACE.get();
    // SAFETY: a frame that can block has a switch, which lives as long as its fiber's body runs. The group it is resumed for is the one it
    // paused in, since a worker leaves a group only when no fiber is blocked.
    unsafe {
        let places = &mut (*(*frame).group).places;
        let fiber = (*frame).fiber;
        places.resize(places.len().max(fiber + 1), ptr::null());
        places[fiber] = place;
        (*(*frame).switch).suspend(Pause::Blocked);
    }
    // Group algorithms wait several times; their place is told once.
    PLACE.set(place);
}

#[cfg(test)]
mod tests;
