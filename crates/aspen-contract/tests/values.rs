//! What the contract's values say of themselves: names and kinds of aspects, when nothing is needed, which work-group sizes there are, and
//! the remarks of a chain. Source: SYCL 2020 §4.6.4.5; DESIGN §2, §5, §7.5, §7.8, §7.9.

use std::collections::BTreeSet;

use aspen_contract::{Aspect, Guard, Remark, Requirements, WorkGroupSize};

#[test]
fn aspects_by_name_and_by_number() {
    for (text, number) in
        [("fp64", Some(6)), ("#103", Some(103)), ("#6", Some(6)), ("#", None), ("103", None), ("#-1", None), ("quux", None)]
    {
        assert_eq!(Aspect::from_text(text).map(Aspect::number), number, "{text}");
    }
    let all: BTreeSet<u32> = Aspect::all().map(Aspect::number).collect();
    assert!(all.contains(&6) && all.contains(&10_000) && !all.contains(&103), "{all:?}");
    assert!(Aspect::all().all(|aspect| aspect.name().and_then(Aspect::from_name) == Some(aspect)));
    // Name, defined by SYCL itself, only for old programs.
    for (name, core, deprecated) in [("fp64", true, false), ("int64_base_atomics", true, true), ("ext_intel_gpu_bdw", false, false)] {
        let aspect = Aspect::from_name(name).expect("an aspect of the table");
        assert_eq!((aspect.is_core(), aspect.is_deprecated()), (core, deprecated), "{name}");
    }
    let unknown = Aspect::from_number(103);
    assert_eq!((unknown.is_core(), unknown.is_deprecated(), unknown.name()), (false, false, None));
}

/// One need alone is a need.
#[test]
fn nothing_is_needed_only_if_nothing_is() {
    assert!(Requirements::default().is_empty());
    let size = WorkGroupSize::try_from(vec![4]).expect("a size");
    let aspects = BTreeSet::from([Aspect::FP64]);
    let guard = Guard { has: BTreeSet::from([Aspect::FP16]), ..Guard::default() };
    for requirements in [
        Requirements { aspects: aspects.clone(), ..Requirements::default() },
        Requirements { reqd_work_group_size: Some(size), ..Requirements::default() },
        Requirements { reqd_sub_group_size: Some(8), ..Requirements::default() },
        Requirements { guarded: [(guard, aspects)].into(), ..Requirements::default() },
    ] {
        assert!(!requirements.is_empty(), "{requirements:?}");
        assert_eq!(requirements.needs().count(), 1, "{requirements:?}");
    }
}

#[test]
fn work_group_sizes() {
    for dims in [vec![1], vec![4, 1, 1], vec![u64::MAX, 2]] {
        let size = WorkGroupSize::try_from(dims.clone()).expect("a size");
        assert_eq!(Vec::from(size), dims);
    }
    for dims in [vec![], vec![0], vec![4, 0], vec![1, 1, 1, 1]] {
        let error = WorkGroupSize::try_from(dims.clone()).expect_err("no size");
        assert_eq!(error.to_string(), format!("a work-group size has one to three dimensions of at least 1, not {dims:?}"));
    }
}

#[test]
fn remarks() {
    let guard = Guard { has: BTreeSet::from([Aspect::FP16]), ..Guard::default() };
    for (remark, text) in [
        (Remark::Promoted { callee: "printf".into() }, "a float becomes double in the call of 'printf', which is variadic"),
        (Remark::Indirect { targets: 1 }, "through a function pointer (the only target)"),
        (Remark::Indirect { targets: 3 }, "through a function pointer (one of 3 targets)"),
        (Remark::Guarded { guard }, "only where the device has fp16"),
        (Remark::Elsewhere, "which is defined in another object or image"),
    ] {
        assert_eq!(remark.to_string(), text);
    }
}
