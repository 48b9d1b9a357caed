//! `include/aspen/native_cpu.h` in Rust. The header is the authority; the layouts are asserted on both sides.

use std::ffi::{c_char, c_void};

/// Bytes of exchange memory for each work-item (`ASPEN_CPU_SLOT_SIZE`).
pub(crate) const SLOT_SIZE: usize = 64;

/// Before the symbol of a function that the image imports: the name of the slot for its address (`ASPEN_CPU_IMPORT_SLOT`).
pub(crate) const IMPORT_SLOT: &str = "aspen_import.";

/// The slot for [`CurrentItem`] in images that import or export functions (`ASPEN_CPU_ITEM_SLOT`).
pub(crate) const ITEM_SLOT: &str = "aspen_cpu_current_item";
/// The table of images that ask what the device has (`ASPEN_CPU_DEVICE_HAS`).
pub(crate) const DEVICE_HAS: &str = "aspen_cpu_device_has";
/// How long it is (`ASPEN_CPU_ANSWERS`).
const ANSWERS: u32 = 2048;

/// Where an aspect's answer stands in the table (`ASPEN_CPU_ANSWER_OF`); `None` for numbers that have no place of their own.
pub(crate) fn answer_of(aspect: u32) -> Option<usize> {
    const HALF: u32 = ANSWERS / 2;
    const ARCHITECTURES: u32 = 10_000;
    let index = match aspect {
        0..HALF => aspect,
        ARCHITECTURES.. if aspect - ARCHITECTURES < HALF => HALF + aspect - ARCHITECTURES,
        _ => return None,
    };
    Some(index as usize)
}

/// `aspen_cpu_ops_t`.
#[repr(C)]
pub(crate) struct Ops {
    pub(crate) group_barrier: unsafe extern "C" fn(*mut Item),
    pub(crate) sub_group_barrier: unsafe extern "C" fn(*mut Item),
    pub(crate) asked_ended: unsafe extern "C" fn(*mut Item, u32),
}

/// `aspen_cpu_item_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Item {
    pub(crate) ops: *const Ops,
    pub(crate) local_memory: *mut u8,
    pub(crate) group_slots: *mut u8,
    pub(crate) sub_group_slots: *mut u8,
    pub(crate) global_id: [u64; 3],
    pub(crate) local_id: [u64; 3],
    pub(crate) group_id: [u64; 3],
    pub(crate) global_range: [u64; 3],
    pub(crate) local_range: [u64; 3],
    pub(crate) group_range: [u64; 3],
    pub(crate) offset: [u64; 3],
    pub(crate) local_linear_id: u32,
    pub(crate) sub_group_id: u32,
    pub(crate) sub_group_count: u32,
    pub(crate) sub_group_size: u32,
    pub(crate) sub_group_max_size: u32,
    pub(crate) lane: u32,
    pub(crate) scheduler: *mut c_void,
    pub(crate) ended: *const u8,
    pub(crate) members: u64,
    pub(crate) scratch_memory: *mut u8,
}

/// `aspen_cpu_range_t`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) begin: [u64; 3],
    pub(crate) end: [u64; 3],
    pub(crate) global_range: [u64; 3],
    pub(crate) offset: [u64; 3],
}

/// `aspen_cpu_range_entry`.
pub(crate) type RangeEntry = unsafe extern "C" fn(*const c_void, *const Range);
/// `aspen_cpu_item_entry`.
pub(crate) type ItemEntry = unsafe extern "C" fn(*const c_void, *mut Item);

/// `aspen_cpu_group_entry`.
pub(crate) type GroupEntry = unsafe extern "C" fn(*const c_void, *const Item, *mut u8) -> u32;
/// `aspen_cpu_group_entry` of a kernel that is launched over a range.
pub(crate) type RowEntry = unsafe extern "C" fn(*const c_void, *const Range, *mut u8) -> u32;

/// Before the symbol of a kernel or an exported function: the bytes of stack that it needs (`ASPEN_CPU_STACK`).
pub(crate) const STACK: &str = "aspen_stack.";

/// Before the symbol of a kernel that waits for nothing (`ASPEN_CPU_PROMPT`).
pub(crate) const PROMPT: &str = "aspen_prompt.";

/// In what a [`GroupEntry`] returns: a broadcast asked an ended item (`ASPEN_CPU_ASKED_ENDED`).
pub(crate) const ASKED_ENDED: u32 = 0x8000_0000;

/// What a [`GroupEntry`] returns if an item passed by a barrier at which others waited (`ASPEN_CPU_SKIPPED`).
pub(crate) const SKIPPED: u32 = 0xc000_0000;

/// In [`GroupKernel::flags`]: groups may wait for each other (`ASPEN_CPU_MAY_WAIT`).
pub(crate) const MAY_WAIT: u64 = 1;

/// In [`GroupKernel::flags`]: the entries take boxes of any shape (`ASPEN_CPU_WHOLE_BOXES`).
pub(crate) const WHOLE_BOXES: u64 = 2;

/// In [`GroupKernel::flags`]: groups side by side may be one (`ASPEN_CPU_JOINED`).
pub(crate) const JOINED: u64 = 4;

/// Before a kernel's symbol: its [`GroupKernel`] (`ASPEN_CPU_GROUP`).
pub(crate) const GROUP: &str = "aspen_group.";

/// `aspen_cpu_group_t`.
#[repr(C)]
pub(crate) struct GroupKernel {
    pub(crate) struct_size: u32,
    pub(crate) frame_alignment: u32,
    pub(crate) frame_size: u64,
    pub(crate) entries: [Option<GroupEntry>; 4],
    pub(crate) places: Places,
    pub(crate) flags: u64,
    pub(crate) work_group: [u64; 3],
}

// The layouts of native_cpu.h; a test of aspen-capi asserts the same numbers in C.
const _: () = {
    assert!(size_of::<Item>() == 256 && std::mem::offset_of!(Item, scheduler) == 224 && std::mem::offset_of!(Item, ended) == 232);
    assert!(std::mem::offset_of!(Item, members) == 240);
    assert!(std::mem::offset_of!(Item, scratch_memory) == 248);
    assert!(std::mem::offset_of!(Item, global_range) == 104 && std::mem::offset_of!(Item, offset) == 176);
    assert!(std::mem::offset_of!(Item, global_id) == 32 && std::mem::offset_of!(Item, lane) == 220);
    assert!(size_of::<Range>() == 96 && size_of::<Ops>() == 24);
    assert!(size_of::<GroupKernel>() == 88 && std::mem::offset_of!(GroupKernel, entries) == 16);
};

/// Where a kernel's barriers stand (`aspen_cpu_group_t::places`): strings of the image, which is kept open as long as its kernels are.
pub(crate) type Places = *const *const c_char;

/// `aspen_cpu_current_item_fn`.
pub(crate) type CurrentItem = extern "C" fn() -> *mut *mut Item;

/// The slot for [`TellPlace`] in images whose kernels run item by item (`ASPEN_CPU_PLACE_SLOT`).
pub(crate) const PLACE_SLOT: &str = "aspen_cpu_tell_place";
/// `aspen_cpu_tell_place_fn`.
pub(crate) type TellPlace = extern "C" fn(*const c_char);

/// The slot for [`SpaceOf`] in images that ask in which address space an address lies (`ASPEN_CPU_SPACE_SLOT`).
pub(crate) const SPACE_SLOT: &str = "aspen_cpu_space_of";
/// `aspen_cpu_space_of_fn`.
pub(crate) type SpaceOf = extern "C" fn(*const c_void) -> u32;
