//! Work-groups with entries written in Rust: barriers keep their promise under random programs, and failures leave nothing behind.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use aspen_runtime::Code;

use super::*;

/// A group's items go through `rounds` barriers, of the group or of the sub-group as a random number says.
struct Program {
    seed: u64,
    rounds: u32,
    reached: Vec<AtomicU32>,
    wrong: AtomicU32,
    switches: AtomicU32,
}

fn random(seed: u64, round: u32, sub_group: u32) -> u64 {
    let mut x = seed ^ (u64::from(round) << 32 | u64::from(sub_group)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 27)
}

unsafe extern "C" fn run_program(closure: *const c_void, item: *mut Item) {
    // SAFETY: the tests below pass a program as closure, and the scheduler an item.
    let (program, me) = unsafe { (&*closure.cast::<Program>(), *item) };
    let linear = me.local_linear_id;
    for round in 1..=program.rounds {
        program.reached[linear as usize].store(round, Ordering::Relaxed);
        // Every fourth barrier is one of the group, at the same place for all; the others are the sub-group's, if it has one there.
        let of_group = round.is_multiple_of(4);
        if !of_group && random(program.seed, round, me.sub_group_id).is_multiple_of(3) {
            continue;
        }
        let (first, last) = if of_group {
            (0, program.reached.len())
        } else {
            ((linear - me.lane) as usize, (linear - me.lane + me.sub_group_size) as usize)
        };
        // SAFETY: the item this call was given.
        unsafe { if of_group { ((*me.ops).group_barrier)(item) } else { ((*me.ops).sub_group_barrier)(item) } };
        program.switches.fetch_add(1, Ordering::Relaxed);
        if program.reached[first..last].iter().any(|other| other.load(Ordering::Relaxed) < round) {
            program.wrong.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn shape(entry: ItemEntry, closure: *const c_void, local: [u64; 3], sub_group_size: u32) -> Shape {
    Shape {
        entry,
        closure,
        group_range: [1; 3],
        local_range: local,
        offset: [0; 3],
        local_memory: 0,
        sub_group_size,
        by_item: true,
        whole: None,
        check: false,
        variables: 0,
        most_variables: usize::MAX,
    }
}

#[test]
fn no_item_passes_a_barrier_before_the_others_are_there() {
    let mut worker: Option<Worker> = None;
    for seed in 0..60 {
        let local = [1 + seed % 3, 1 + seed % 5, 1 + seed * 7 % 40];
        let items = local.iter().product::<u64>();
        let program = Program {
            seed,
            rounds: 12,
            reached: (0..items).map(|_| AtomicU32::new(0)).collect(),
            wrong: AtomicU32::new(0),
            switches: AtomicU32::new(0),
        };
        let shape = shape(run_program, (&raw const program).cast(), local, [1, 2, 4, 7, 16, 64][seed as usize % 6]);
        let worker = worker.get_or_insert_with(|| Worker::new(shape));
        worker.begin(shape);
        worker.run([0; 3]).expect("all items reach all barriers");
        assert_eq!(program.wrong.load(Ordering::Relaxed), 0, "seed {seed}");
        assert!(program.reached.iter().all(|reached| reached.load(Ordering::Relaxed) == 12), "seed {seed}");
        assert!(program.switches.load(Ordering::Relaxed) > 0);
        assert!(worker.fibers.len() <= 3 * 5 * 40 && worker.idle.len() == worker.fibers.len());
    }
}

unsafe extern "C" fn no_barrier(closure: *const c_void, item: *mut Item) {
    // SAFETY: the test below passes a counter.
    unsafe { (*closure.cast::<AtomicU32>()).fetch_add((*item).local_linear_id, Ordering::Relaxed) };
}

#[test]
fn kernels_without_barriers_need_one_fiber() {
    let counter = AtomicU32::new(0);
    let shape = shape(no_barrier, (&raw const counter).cast(), [1, 1, 1000], 16);
    let mut worker = Worker::new(shape);
    for _ in 0..3 {
        worker.run([0; 3]).expect("nothing to wait for");
    }
    assert_eq!(counter.load(Ordering::Relaxed), 3 * 999 * 1000 / 2);
    assert_eq!(worker.fibers.len(), 1);
}

/// Item 3 ends at once, item 7 behind the barrier of its sub-group, every third later; the others count who is still there.
unsafe extern "C" fn some_end(closure: *const c_void, item: *mut Item) {
    // SAFETY: the scheduler's item, and the test's counter.
    unsafe {
        let counter = &*closure.cast::<AtomicU32>();
        let running = || (0..10).filter(|linear| *(*item).ended.add(*linear) == 0).count() as u32;
        let linear = (*item).local_linear_id;
        if linear == 3 {
            return;
        }
        ((*(*item).ops).sub_group_barrier)(item);
        if linear == 7 {
            return;
        }
        ((*(*item).ops).group_barrier)(item);
        counter.fetch_add(running(), Ordering::Relaxed);
        ((*(*item).ops).group_barrier)(item);
        if linear.is_multiple_of(3) {
            return;
        }
        ((*(*item).ops).sub_group_barrier)(item);
        ((*(*item).ops).group_barrier)(item);
        counter.fetch_add(running() * 1000, Ordering::Relaxed);
        ((*(*item).ops).group_barrier)(item);
    }
}

#[test]
fn items_that_have_ended_count_as_arrived() {
    let counter = AtomicU32::new(0);
    for sub_group_size in [1, 2, 3, 4, 10, 16] {
        let shape = shape(some_end, (&raw const counter).cast(), [1, 2, 5], sub_group_size);
        let mut worker = Worker::new(shape);
        for _ in 0..3 {
            counter.store(0, Ordering::Relaxed);
            worker.run([0; 3]).expect("the others go on");
            // Eight behind the first two, five (1, 2, 4, 5, 8) behind the last.
            assert_eq!(counter.load(Ordering::Relaxed), 8 * 8 + 5 * 5 * 1000, "sub-groups of {sub_group_size}");
        }
    }
}

unsafe extern "C" fn sub_groups_part(_: *const c_void, item: *mut Item) {
    // SAFETY: the scheduler's item.
    unsafe {
        match (*item).local_linear_id {
            2 => {}
            3 => ((*(*item).ops).group_barrier)(item),
            _ => ((*(*item).ops).sub_group_barrier)(item),
        }
    }
}

#[test]
fn a_barrier_that_cannot_be_complete_is_an_error_and_the_worker_goes_on() {
    let shape = Shape { check: true, ..shape(sub_groups_part, std::ptr::null(), [1, 1, 10], 4) };
    let mut worker = Worker::new(shape);
    for _ in 0..2 {
        let error = worker.run([0, 5, 7]).expect_err("item 3 is not at its sub-group's barrier");
        assert_eq!(error.code(), Code::Kernel);
        let expected = "the work-items of work-group (0, 5, 7) wait at different barriers, so it can never go on: of its 10 work-items 1 wait at a \
                        barrier of the work-group and 2 at one of a sub-group, and 7 have ended; move the barrier";
        assert!(error.message().starts_with(expected), "{error}");
    }
    let counter = AtomicU32::new(0);
    worker.begin(super::tests::shape(no_barrier, (&raw const counter).cast(), [1, 1, 10], 4));
    worker.run([0; 3]).expect("the next launch is not concerned");
    assert_eq!(counter.load(Ordering::Relaxed), 45);
}

/// Each sub-group goes through a loop with a barrier of its own, its items as often as their lanes say, and then all come to one of the group.
unsafe extern "C" fn loops_of_other_lengths(closure: *const c_void, item: *mut Item) {
    // SAFETY: the test below passes a counter as closure, and the scheduler an item.
    unsafe {
        let counter = &*closure.cast::<AtomicU32>();
        let running = || (0..10).filter(|other| *(*item).ended.add(*other) == 0).count() as u32;
        for _ in 0..(*item).lane {
            ((*(*item).ops).sub_group_barrier)(item);
        }
        ((*(*item).ops).group_barrier)(item);
        counter.fetch_add(running(), Ordering::Relaxed);
        ((*(*item).ops).sub_group_barrier)(item);
        counter.fetch_add(1000, Ordering::Relaxed);
    }
}

#[test]
fn items_at_the_groups_barrier_do_not_keep_their_sub_groups_waiting() {
    let counter = AtomicU32::new(0);
    for sub_group_size in [1, 3, 4, 10, 16] {
        let shape = shape(loops_of_other_lengths, (&raw const counter).cast(), [1, 1, 10], sub_group_size);
        let mut worker = Worker::new(shape);
        for _ in 0..2 {
            counter.store(0, Ordering::Relaxed);
            worker.run([0; 3]).expect("who waits for the group stands aside");
            let all = counter.load(Ordering::Relaxed);
            assert_eq!(all / 1000, 10, "sub-groups of {sub_group_size}");
            // Behind the barrier nobody counts as ended any more: all of one sub-group meet again before one ends; of others some may have.
            let seen = if sub_group_size >= 10 { 100..=100 } else { 55..=100 };
            assert!(seen.contains(&(all % 1000)), "sub-groups of {sub_group_size}: {all}");
        }
    }
}

/// In each round the items part in three by a random number: two of the parts meet, each twice, and the third is ahead. Item 5 ends early.
unsafe extern "C" fn meet(closure: *const c_void, item: *mut Item) {
    // SAFETY: the test below passes a program as closure, and the scheduler an item.
    let (program, me) = unsafe { (&*closure.cast::<Program>(), *item) };
    let (linear, first) = (me.local_linear_id, me.local_linear_id - me.lane);
    for round in 1..=program.rounds {
        if linear == 5 && round == 3 {
            return;
        }
        let way = |lane: u32| random(program.seed, round, me.sub_group_id * 64 + lane) % 3;
        if way(me.lane) == 2 {
            continue;
        }
        let members = (0..me.sub_group_size).filter(|lane| way(*lane) == way(me.lane));
        for step in 0..2 {
            program.reached[linear as usize].store(round * 2 + step, Ordering::Relaxed);
            // SAFETY: the item this call was given.
            unsafe {
                (*item).members = members.clone().fold(0, |lanes, lane| lanes | 1 << lane);
                ((*me.ops).sub_group_barrier)(item);
                (*item).members = 0;
            }
            program.switches.fetch_add(1, Ordering::Relaxed);
            let has_ended = |other: u32| other == 5 && round >= 3;
            let is_late = |other: u32| program.reached[other as usize].load(Ordering::Relaxed) < round * 2 + step;
            if members.clone().map(|lane| first + lane).any(|other| !has_ended(other) && is_late(other)) {
                program.wrong.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

#[test]
fn parts_of_a_sub_group_meet_without_the_others() {
    for seed in 0..60 {
        let items = 8 + seed;
        let program = Program {
            seed,
            rounds: 6,
            reached: (0..items).map(|_| AtomicU32::new(0)).collect(),
            wrong: AtomicU32::new(0),
            switches: AtomicU32::new(0),
        };
        let shape = shape(meet, (&raw const program).cast(), [1, 1, items], [8, 16, 32, 64][seed as usize % 4]);
        let mut worker = Worker::new(shape);
        worker.run([0; 3]).expect("everybody comes");
        assert_eq!(program.wrong.load(Ordering::Relaxed), 0, "seed {seed}");
        assert!(program.switches.load(Ordering::Relaxed) > 0);
    }
}

unsafe extern "C" fn member_stays_away(_: *const c_void, item: *mut Item) {
    // SAFETY: the scheduler's item.
    unsafe {
        if (*item).lane == 2 {
            return ((*(*item).ops).group_barrier)(item);
        }
        (*item).members = 0b111;
        ((*(*item).ops).sub_group_barrier)(item);
    }
}

#[test]
fn a_part_that_never_meets_is_an_error() {
    let shape = shape(member_stays_away, ptr::null(), [1, 1, 3], 4);
    Worker::new(shape).run([0; 3]).expect("who waits for the group stands aside");
    let mut worker = Worker::new(Shape { check: true, ..shape });
    for _ in 0..2 {
        let error = worker.run([0; 3]).expect_err("lane 2 is elsewhere");
        assert!(error.message().contains("1 wait at a barrier of the work-group and 2 at one of a sub-group"), "{error}");
    }
}
