//! How launches become grids of blocks. The shapes are those of `include/aspen/cuda.h`; SYCL's last dimension is CUDA's x.

use aspen_runtime::backend::{Launch, LaunchKind};

/// How many threads a block of a range kernel has at most: enough to fill a multiprocessor with several blocks.
const RANGE_BLOCK: u64 = 256;

/// The logical group of `parallel_for_work_group` when neither launch nor kernel names one, the same as on the embedded CPU: one work-item, as other
/// implementations have it: programs index memory by global ids (SYCL-CTS `handler`).
const DEFAULT_LOGICAL_GROUP: [u64; 3] = [1, 1, 1];

/// Threads of such a group: what it runs are the logical work-items that the kernel asks for in `parallel_for_work_item`.
const DEFAULT_GROUP_THREADS: u64 = 64;

/// What kernels get besides their closure: `aspen_cuda_launch_t`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// In SYCL's order.
    pub global_range: [u64; 3],
    /// In SYCL's order.
    pub offset: [u64; 3],
    /// In SYCL's order.
    pub local_range: [u64; 3],
}

/// A launch as the driver wants it, x first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Blocks.
    pub blocks: [u32; 3],
    /// Threads of a block.
    pub threads: [u32; 3],
    /// For the kernel.
    pub shape: Shape,
}

/// What grids may be, x first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Blocks of a grid.
    pub grid: [u64; 3],
    /// Threads of a block.
    pub block: [u64; 3],
    /// Threads of a block of this kernel, in all dimensions together.
    pub threads: u64,
}

/// The grid of a launch. Blocks of range kernels are ours to choose, unless the kernel requires a size, so they keep the limits; others are
/// the program's.
///
/// # Errors
/// With how many blocks there would be, if the device cannot have as many.
pub fn grid(launch: &Launch, limits: &Limits) -> Result<Grid, String> {
    let turned = |sizes: [u64; 3]| [sizes[2], sizes[1], sizes[0]];
    let global = turned(launch.global);
    let mut shape = Shape { global_range: launch.global, offset: launch.offset, local_range: launch.local };
    let (blocks, threads) = match launch.kind {
        LaunchKind::SingleTask => {
            shape.local_range = [1; 3];
            ([1; 3], [1; 3])
        }
        LaunchKind::Range => {
            // A required size; otherwise it is ours to choose.
            let required = Some(turned(launch.local)).filter(|local| !local.contains(&0));
            let threads = required.unwrap_or_else(|| range_block(global, limits));
            shape.local_range = turned(threads);
            let needed = divided(global, threads);
            // The kernel walks over what is left in y and z.
            ([needed[0], needed[1].min(limits.grid[1]), needed[2].min(limits.grid[2])], threads)
        }
        LaunchKind::NdRange => {
            let threads = turned(launch.local).map(|size| size.max(1));
            (divided(global, threads), threads)
        }
        LaunchKind::WorkGroups => {
            shape.local_range = logical_group(launch.local);
            // As many threads as work-items, or fewer, which then run several each. A kernel whose work-group scope is one thread's says so.
            let items = launch.local.iter().try_fold(1_u64, |all, dim| all.checked_mul((*dim).max(1))).unwrap_or(u64::MAX);
            let wanted = if launch.local == [0; 3] { DEFAULT_GROUP_THREADS } else { items };
            (global, [wanted.min(limits.threads).min(limits.block[0]).max(1), 1, 1])
        }
    };
    if blocks.iter().zip(limits.grid).any(|(blocks, most)| *blocks > most) {
        let text = |sizes: [u64; 3]| sizes.iter().rev().map(u64::to_string).collect::<Vec<_>>().join("x");
        return Err(format!("{} work-groups; the device allows at most {}", text(blocks), text(limits.grid)));
    }
    let narrow = |sizes: [u64; 3]| sizes.map(|size| u32::try_from(size).unwrap_or(u32::MAX));
    Ok(Grid { blocks: narrow(blocks), threads: narrow(threads), shape })
}

fn divided(global: [u64; 3], threads: [u64; 3]) -> [u64; 3] {
    std::array::from_fn(|dim| global[dim].div_ceil(threads[dim]))
}

/// Threads go to x first, then to y and z where x has few.
fn range_block(global: [u64; 3], limits: &Limits) -> [u64; 3] {
    let mut left = RANGE_BLOCK;
    while left > limits.threads.max(1) {
        left /= 2;
    }
    std::array::from_fn(|dim| {
        let most = left.min(limits.block[dim].max(1));
        let own = global[dim].clamp(1, most).next_power_of_two().min(most);
        left /= own;
        own
    })
}

fn logical_group(local: [u64; 3]) -> [u64; 3] {
    if local == [0; 3] { DEFAULT_LOGICAL_GROUP } else { local.map(|dim| dim.max(1)) }
}

#[cfg(test)]
mod tests {
    use aspen_runtime::backend::Closure;

    use super::*;

    const MOST: Limits = Limits { grid: [0x7FFF_FFFF, 65535, 65535], block: [1024, 1024, 64], threads: 1024 };

    fn launch(kind: LaunchKind, global: [u64; 3], local: [u64; 3]) -> Launch {
        // SAFETY: nothing is read for size 0.
        let closure = unsafe { Closure::copy(std::ptr::null(), 0, 1) }.expect("memory");
        Launch { name: "k".into(), kind, global, local, offset: [0, 0, 5], local_memory: 0, sub_group_size: None, closure }
    }

    #[test]
    fn shapes() {
        use LaunchKind::{NdRange, Range, SingleTask, WorkGroups};
        for (kind, global, local, blocks, threads, shape_local) in [
            (SingleTask, [1, 1, 1], [1; 3], [1, 1, 1], [1, 1, 1], [1; 3]),
            (Range, [1, 1, 1000], [0; 3], [4, 1, 1], [256, 1, 1], [1, 1, 256]),
            (Range, [1, 1, 3], [0; 3], [1, 1, 1], [4, 1, 1], [1, 1, 4]),
            (Range, [1, 100, 5], [0; 3], [1, 4, 1], [8, 32, 1], [1, 32, 8]),
            // A block has at most 64 threads in z, and a grid at most 65535 blocks.
            (Range, [1_000_000, 1, 1], [0; 3], [1, 1, 15625], [1, 1, 64], [64, 1, 1]),
            (Range, [1 << 30, 1, 1], [0; 3], [1, 1, 65535], [1, 1, 64], [64, 1, 1]),
            (Range, [8, 24, 64], [2, 12, 32], [2, 2, 4], [32, 12, 2], [2, 12, 32]),
            (Range, [1 << 20, 1, 1], [16, 1, 1], [1, 1, 65535], [1, 1, 16], [16, 1, 1]),
            (NdRange, [4, 24, 64], [2, 12, 32], [2, 2, 2], [32, 12, 2], [2, 12, 32]),
            (WorkGroups, [1, 2, 3], [0; 3], [3, 2, 1], [64, 1, 1], [1, 1, 1]),
            (WorkGroups, [1, 2, 3], [1, 4, 8], [3, 2, 1], [32, 1, 1], [1, 4, 8]),
            (WorkGroups, [1, 2, 3], [1 << 20, 1 << 40, 8], [3, 2, 1], [1024, 1, 1], [1 << 20, 1 << 40, 8]),
        ] {
            let shape = Shape { global_range: global, offset: [0, 0, 5], local_range: shape_local };
            assert_eq!(grid(&launch(kind, global, local), &MOST), Ok(Grid { blocks, threads, shape }), "{kind:?} {global:?} {local:?}");
        }
    }

    #[test]
    fn more_blocks_than_a_grid_has() {
        let wanted = "70000x1x1 work-groups; the device allows at most 65535x65535x2147483647";
        assert_eq!(grid(&launch(LaunchKind::NdRange, [70000, 1, 1], [1; 3]), &MOST), Err(wanted.into()));
        assert!(grid(&launch(LaunchKind::Range, [1, 1, 1 << 40], [0; 3]), &MOST).is_err());
        let few = grid(&launch(LaunchKind::Range, [1, 1, 1000], [0; 3]), &Limits { threads: 100, ..MOST }).expect("it fits");
        assert_eq!((few.blocks, few.threads), ([16, 1, 1], [64, 1, 1]));
        let alone = grid(&launch(LaunchKind::WorkGroups, [1, 1, 7], [1, 1, 256]), &Limits { threads: 1, ..MOST }).expect("it fits");
        assert_eq!((alone.blocks, alone.threads), ([7, 1, 1], [1, 1, 1]));
    }
}
