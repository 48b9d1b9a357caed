//! `single_task` and `parallel_for(range)`: the image loops over a box of work-items, chunks are boxes.
//!
//! Most images have a function that does so for each level of the processor. Work-items with loops of their own run by the image's function
//! for rows where it has one: it goes through these loops for all items of a short row at once, and keeps what each item needs in a frame.
//!
//! The last dimension runs fastest and is what the image's loop vectorises, so it is cut only if the others do not give enough chunks,
//! and then in multiples of 16 work-items.

use std::ffi::c_void;

use aspen_runtime::Result;
use aspen_runtime::backend::{Job, Launch};

use crate::abi::{Range, RangeEntry, RowEntry};
use crate::faults::watched;
use crate::fiber::with_room;
use crate::group::{Whole, with_frame};
use crate::known::{Kept, Known, no_room};
use crate::running::{Items, Runs, note_items};
use crate::spaces;

/// Chunks a thread; enough for an even end, few enough to cost nothing.
const CHUNKS_PER_THREAD: u64 = 8;
/// A cut of the last dimension is a multiple of this many work-items.
const STEP: u64 = 16;
/// Nanoseconds of a work-item that are worth a call of their own.
const LONG_NS: u64 = 1_000;

/// Bytes that the frames of a row may take: they should stay in the processor's first cache.
const FRAMES: usize = 8 << 10;
/// Launches with shorter rows run item by item. By the launch, not by the box: the two may differ in the last bit of floating point, and how
/// a launch is cut depends on the number of threads.
const SHORTEST: u64 = 8;
/// The most items of a row that run together.
const LONGEST: u64 = 512;

/// What runs the boxes of a launch.
#[derive(Clone, Copy)]
enum By {
    /// The kernel's entry.
    Entry(RangeEntry),
    /// Its function for this processor.
    Boxes(RowEntry),
    /// Its function for rows.
    Rows(Rows),
}

/// A kernel's function for rows.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    entry: RowEntry,
    /// Bytes of the frame for each item.
    frame_size: usize,
    frame_alignment: usize,
    /// The most items a call.
    items: u64,
}

impl Rows {
    fn new(entry: RowEntry, whole: Whole) -> Rows {
        let items = (FRAMES / whole.frame_size.max(1)) as u64 / STEP * STEP;
        Rows { entry, frame_size: whole.frame_size, frame_alignment: whole.frame_alignment, items: items.clamp(STEP, LONGEST) }
    }

    fn run(self, closure: *const c_void, range: &Range) {
        let size = self.frame_size.saturating_mul(self.items as usize);
        with_frame(size, self.frame_alignment, |frame| {
            let mut row = *range;
            spaces::note(spaces::NONE, (frame, size), (&raw const row).cast());
            while row.begin[2] < range.end[2] {
                row.end[2] = range.end[2].min(row.begin[2] + self.items);
                // SAFETY: the function of this kernel with its closure, a box that is not empty, and a frame for each item of its rows.
                unsafe { (self.entry)(closure, &raw const row, frame) };
                row.begin[2] = row.end[2];
            }
        });
    }
}

impl By {
    fn new(entry: RangeEntry, whole: Option<Whole>, items: u64) -> By {
        let Some(whole) = whole else { return By::Entry(entry) };
        // SAFETY: native_cpu.h: records of kernels launched over ranges have functions of this type. The two differ in one pointee.
        let function = unsafe { std::mem::transmute::<crate::abi::GroupEntry, RowEntry>(whole.entry) };
        if whole.whole_boxes {
            By::Boxes(function)
        } else if items >= SHORTEST {
            By::Rows(Rows::new(function, whole))
        } else {
            By::Entry(entry)
        }
    }
}

/// A prepared launch.
pub(crate) struct Boxes {
    by: By,
    /// Bytes of stack that a call needs for variables.
    variables: usize,
    launch: Launch,
    /// Work-items of a row that belong together.
    segment: u64,
    /// Segments in a row.
    segments: u64,
    /// Segments in a chunk.
    per_chunk: u64,
    chunks: u64,
    kept: Kept,
}

impl Boxes {
    pub(crate) fn new(entry: RangeEntry, kernel: Known, launch: Launch, threads: usize, kept: Kept) -> Boxes {
        let [planes, rows, items] = launch.global;
        let rows = planes * rows;
        let by = By::new(entry, kernel.whole, items);
        let wanted = CHUNKS_PER_THREAD * threads as u64;
        // Few items are most often long ones: the parts of a reduction, tasks.
        let is_long = kept.pace.expected_ns(1).map_or(rows * items <= wanted, |ns| ns >= LONG_NS);
        let step = if is_long { 1 } else { STEP };
        let (segment, segments) = if rows == 0 || items == 0 {
            (1, 0)
        } else if rows >= wanted {
            (items, 1)
        } else {
            let segment = items.div_ceil(wanted.div_ceil(rows)).next_multiple_of(step).min(items);
            (segment, items.div_ceil(segment))
        };
        let units = rows * segments;
        // Rows shorter than a step are joined until they are worth a call.
        let per_chunk = units.div_ceil(wanted).max(step.div_ceil(segment)).max(1);
        Boxes { by, variables: kernel.variables, launch, segment, segments, per_chunk, chunks: units.div_ceil(per_chunk), kept }
    }

    /// The boxes of a chunk: whole rows of a plane at once where rows are not cut.
    fn boxes(&self, chunk: u64, mut run: impl FnMut(&Range)) {
        let [planes, rows, items] = self.launch.global;
        let units = planes * rows * self.segments;
        let (mut unit, end) = (chunk * self.per_chunk, units.min((chunk + 1) * self.per_chunk));
        while unit < end {
            let (row, segment) = (unit / self.segments, unit % self.segments);
            let (plane, row) = (row / rows, row % rows);
            let taken = if self.segments == 1 { (rows - row).min(end - unit) } else { 1 };
            let first = segment * self.segment;
            let from = [plane, row, first];
            let to = [plane + 1, row + taken, items.min(first + self.segment)];
            let shifted = |ids: [u64; 3]| [0, 1, 2].map(|dim| ids[dim] + self.launch.offset[dim]);
            run(&Range { begin: shifted(from), end: shifted(to), global_range: self.launch.global, offset: self.launch.offset });
            unit += taken;
        }
    }
}

impl Job for Boxes {
    fn chunks(&self) -> usize {
        usize::try_from(self.chunks).unwrap_or(usize::MAX)
    }

    fn expected_ns(&self) -> Option<u64> {
        self.kept.pace.expected_ns(self.launch.global.iter().product())
    }

    fn is_brief(&self) -> bool {
        self.kept.is_brief(self.expected_ns())
    }

    fn waits_for_nothing(&self) -> bool {
        self.kept.prompt
    }

    fn took_ns(&self, ns: u64) {
        self.kept.pace.took_ns(self.launch.global.iter().product(), ns);
    }

    fn run(&self, chunk: usize) -> Result<()> {
        let closure = self.launch.closure.as_ptr();
        let run = || {
            // Of this very call, which may be on a stack of its own.
            let here = 0_u8;
            spaces::note(spaces::NONE, spaces::NONE, &raw const here);
            self.boxes(chunk as u64, |range| {
                note_items(Items::Box(range));
                match self.by {
                    // SAFETY: the entry of this kernel in a library kept open, its closure, and a box inside the launch; see `Queue::kernel`.
                    By::Entry(entry) => unsafe { entry(closure.cast(), range) },
                    By::Boxes(entry) => {
                        // SAFETY: as above; what takes whole boxes keeps nothing in a frame.
                        unsafe { entry(closure.cast(), range, std::ptr::null_mut()) };
                    }
                    By::Rows(rows) => rows.run(closure.cast(), range),
                }
            });
        };
        let run = || watched(Runs::Kernel(&self.launch.name), run);
        with_room(self.variables, run).map_err(|error| no_room(self.variables, &error))
    }
}

#[cfg(test)]
mod tests {
    use aspen_runtime::backend::{Closure, LaunchKind};

    use super::*;

    unsafe extern "C" fn nothing(_: *const c_void, _: *const Range) {}

    fn boxes(global: [u64; 3], offset: [u64; 3], threads: usize) -> Boxes {
        boxes_of(Kept::nothing(), global, offset, threads)
    }

    fn boxes_of(kept: Kept, global: [u64; 3], offset: [u64; 3], threads: usize) -> Boxes {
        // SAFETY: nothing is read for size 0.
        let closure = unsafe { Closure::copy(std::ptr::null(), 0, 1) }.expect("memory");
        let launch = Launch {
            name: "k".into(),
            kind: LaunchKind::Range,
            global,
            local: [0; 3],
            offset,
            local_memory: 0,
            sub_group_size: None,
            closure,
        };
        Boxes::new(nothing, Known::default(), launch, threads, kept)
    }

    #[test]
    fn every_work_item_is_in_exactly_one_box() {
        for threads in [1, 2, 16] {
            for global in [[1, 1, 1], [1, 1, 7], [1, 1, 1000], [1, 3, 5], [4, 5, 6], [1, 100, 3], [200, 1, 2], [2, 1, 777], [0, 1, 1]] {
                let offset = [1, 20, 300];
                let work = boxes(global, offset, threads);
                let mut seen = vec![0_u8; (global[0] * global[1] * global[2]) as usize];
                for chunk in 0..work.chunks() {
                    let mut any = false;
                    work.boxes(chunk as u64, |range| {
                        any = true;
                        for plane in range.begin[0]..range.end[0] {
                            for row in range.begin[1]..range.end[1] {
                                for item in range.begin[2]..range.end[2] {
                                    let [p, r, i] = [plane - 1, row - 20, item - 300];
                                    seen[((p * global[1] + r) * global[2] + i) as usize] += 1;
                                }
                            }
                        }
                    });
                    assert!(any, "chunk {chunk} of {global:?} is empty");
                }
                assert!(seen.iter().all(|count| *count == 1), "{global:?} on {threads} threads");
            }
        }
    }

    #[test]
    fn small_launches_stay_whole_and_large_ones_are_cut_for_all_threads() {
        assert_eq!(boxes([1, 1, 1], [0; 3], 16).chunks(), 1);
        assert_eq!(boxes([1, 1, 256], [0; 3], 16).chunks(), 16);
        assert_eq!(boxes([1, 1, 0], [0; 3], 16).chunks(), 0);
        assert_eq!(boxes([1, 1, 1 << 22], [0; 3], 2).chunks(), 16);
        assert_eq!(boxes([1, 1 << 10, 1 << 10], [0; 3], 2).chunks(), 16);
    }

    #[test]
    fn few_items_are_cut_as_long_as_they_take_long() {
        let first = boxes([1, 1, 16], [0; 3], 16);
        assert_eq!(first.chunks(), 16, "nothing is known");
        let again = |ns| {
            first.took_ns(ns);
            let mut kept = Kept::nothing();
            kept.pace = first.kept.pace.clone();
            boxes_of(kept, [1, 1, 16], [0; 3], 16).chunks()
        };
        assert_eq!(again(16 * 50), 1);
        assert_eq!(again(16 * 5_000), 16);
    }
}
