//! The only comparison of requirements with a device.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Aspect, AspectSet, BackendKind, Guard, Requirements, WorkGroupSize};

/// What is known of a device or target.
///
/// `None` means *not known*; a device found at run time knows everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Capabilities {
    /// The aspects that its hardware and driver surely have. Programs get those of them that Aspen offers: [`Capabilities::offered`].
    pub aspects: AspectSet,
    /// Whether it may have further aspects (S2's `may_support_other_aspects`).
    pub may_support_other_aspects: bool,
    /// The sub-group sizes it offers, in work-items.
    pub sub_group_sizes: Option<Vec<u32>>,
    /// The largest work-group, in work-items.
    pub max_work_group_size: Option<u64>,
    /// The largest work-group in each dimension, in SYCL order and counted from the last one as SYCL does
    /// (a 1-D group is bounded by the last number).
    pub max_work_item_sizes: Option<[u64; 3]>,
    /// What programs get of its aspects.
    pub offers: Offers,
}

/// Who offers programs what aspects stand for. Source: DESIGN §7.26.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offers {
    /// Aspen, on devices of this backend; `None` if no backend runs code there, or which one is not known: then what some backend offers.
    Aspen(Option<BackendKind>),
    /// Another compiler's headers and runtime, whose images Aspen's tools look at: all that the hardware has.
    Others,
}

impl Default for Offers {
    fn default() -> Offers {
        Offers::Aspen(None)
    }
}

/// One thing a kernel needs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Need {
    /// A device aspect.
    Aspect(Aspect),
    /// A sub-group size, in work-items.
    SubGroupSize(u32),
    /// A work-group size.
    WorkGroupSize(WorkGroupSize),
}

/// `aspect fp64`, `sub-group size 64` or `work-group size 4x4x1`.
impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Aspect(aspect) => write!(f, "aspect {aspect}"),
            Need::SubGroupSize(size) => write!(f, "sub-group size {size}"),
            Need::WorkGroupSize(size) => write!(f, "work-group size {size}"),
        }
    }
}

impl Requirements {
    /// Everything that some device may have to meet: aspects by number, the sub-group size, the work-group size, then what only guarded
    /// code needs, by number.
    pub fn needs(&self) -> impl Iterator<Item = Need> + '_ {
        let guarded: AspectSet = self.guarded.values().flatten().copied().filter(|aspect| !self.aspects.contains(aspect)).collect();
        self.unguarded().chain(guarded.into_iter().map(Need::Aspect))
    }

    /// What every device has to meet: [`Requirements::needs`] without what only guarded code needs.
    pub fn unguarded(&self) -> impl Iterator<Item = Need> + '_ {
        let aspects = self.aspects.iter().copied().map(Need::Aspect);
        let sub_group = self.reqd_sub_group_size.map(Need::SubGroupSize);
        let work_group = self.reqd_work_group_size.clone().map(Need::WorkGroupSize);
        aspects.chain(sub_group).chain(work_group)
    }

    /// Where a need counts that is there for guarded code only; nothing if it counts everywhere, or nowhere.
    pub fn guards_of(&self, need: &Need) -> impl Iterator<Item = &Guard> {
        let aspect = if let Need::Aspect(aspect) = need { Some(*aspect).filter(|one| !self.aspects.contains(one)) } else { None };
        self.guarded.iter().filter(move |(_, needed)| aspect.is_some_and(|aspect| needed.contains(&aspect))).map(|(guard, _)| guard)
    }

    /// What only guarded code needs that the device may run: with `true` where the guard surely holds.
    fn guarded_on(&self, device: &Capabilities) -> BTreeMap<Aspect, bool> {
        let mut out = BTreeMap::new();
        for (guard, needed) in &self.guarded {
            let Some(sure) = guard.holds_on(device).map_or(Some(false), |holds| holds.then_some(true)) else { continue };
            for &aspect in needed.difference(&self.aspects) {
                *out.entry(aspect).or_insert(false) |= sure;
            }
        }
        out
    }
}

/// The outcome of [`check`]. The lists are never empty and keep the order of [`Requirements::needs`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The device has everything.
    Met,
    /// The device surely lacks these.
    Unmet(Vec<Need>),
    /// Nothing is surely missing, but these are not known; only the caller decides what that means.
    Unknown(Vec<Need>),
}

/// Compares what is needed with what a device has, and reports every unmet need at once.
/// Source: S0 "Changes to the DPC++ runtime"; SYCL 2020 §5.7.
pub fn check(requirements: &Requirements, device: &Capabilities) -> Verdict {
    let (mut unmet, mut unknown) = (Vec::new(), Vec::new());
    let needs = requirements.unguarded().map(|need| (need, true));
    // Whether code runs that needs it may be as unknown as whether the device has it.
    for (need, sure) in needs.chain(requirements.guarded_on(device).into_iter().map(|(aspect, sure)| (Need::Aspect(aspect), sure))) {
        match device.has(&need) {
            Some(true) => {}
            Some(false) if sure => unmet.push(need),
            Some(false) | None => unknown.push(need),
        }
    }
    if !unmet.is_empty() {
        Verdict::Unmet(unmet)
    } else if !unknown.is_empty() {
        Verdict::Unknown(unknown)
    } else {
        Verdict::Met
    }
}

impl Capabilities {
    /// Whether the device has what is needed; `None` if that is not known.
    pub fn has(&self, need: &Need) -> Option<bool> {
        match need {
            Need::Aspect(aspect) => self.has_aspect(*aspect),
            Need::SubGroupSize(size) => self.sub_group_sizes.as_ref().map(|sizes| sizes.contains(size)),
            Need::WorkGroupSize(size) => self.has_work_group_size(size),
        }
    }

    /// The aspects that programs surely have there: `device::has`, `all_devices_have`. Source: DESIGN §7.26.
    pub fn offered(&self) -> impl Iterator<Item = Aspect> + '_ {
        self.aspects.iter().copied().filter(|aspect| self.has_aspect(*aspect) == Some(true))
    }

    pub(crate) fn offers(&self, aspect: Aspect) -> bool {
        match self.offers {
            Offers::Aspen(backend) => aspect.is_offered(backend),
            Offers::Others => true,
        }
    }

    pub(crate) fn has_aspect(&self, aspect: Aspect) -> Option<bool> {
        if !self.offers(aspect) {
            return Some(false);
        }
        if self.aspects.contains(&aspect) { Some(true) } else { (!self.may_support_other_aspects).then_some(false) }
    }

    fn has_work_group_size(&self, size: &WorkGroupSize) -> Option<bool> {
        let fits_total = self.max_work_group_size.map(|max| size.work_items() <= max);
        let fits_dims = self.max_work_item_sizes.map(|max| size.dims().iter().rev().zip(max.iter().rev()).all(|(dim, max)| dim <= max));
        match (fits_total, fits_dims) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirements(aspects: &[u32], sub_group: Option<u32>, work_group: &[u64]) -> Requirements {
        Requirements {
            aspects: aspects.iter().copied().map(Aspect::from_number).collect(),
            reqd_sub_group_size: sub_group,
            reqd_work_group_size: WorkGroupSize::try_from(work_group.to_vec()).ok(),
            guarded: BTreeMap::new(),
        }
    }

    fn verdict(requirements: &Requirements, device: &Capabilities) -> String {
        let list = |needs: Vec<Need>| needs.iter().map(Need::to_string).collect::<Vec<_>>().join(", ");
        match check(requirements, device) {
            Verdict::Met => "met".into(),
            Verdict::Unmet(needs) => format!("unmet: {}", list(needs)),
            Verdict::Unknown(needs) => format!("unknown: {}", list(needs)),
        }
    }

    #[test]
    fn every_combination_of_known_and_unknown() {
        let gpu = Capabilities {
            aspects: [2, 5].map(Aspect::from_number).into(),
            may_support_other_aspects: false,
            sub_group_sizes: Some(vec![8, 16]),
            max_work_group_size: Some(256),
            max_work_item_sizes: Some([64, 256, 256]),
            offers: Offers::default(),
        };
        let open = Capabilities { may_support_other_aspects: true, aspects: gpu.aspects.clone(), ..Capabilities::default() };
        for (aspects, sub_group, work_group, on_gpu, on_open) in [
            (&[][..], None, &[][..], "met", "met"),
            (&[5], Some(16), &[16, 16], "met", "unknown: sub-group size 16, work-group size 16x16"),
            (&[5, 6], None, &[], "unmet: aspect fp64", "unknown: aspect fp64"),
            (&[103], Some(32), &[], "unmet: aspect #103, sub-group size 32", "unknown: aspect #103, sub-group size 32"),
            (&[], None, &[128, 1, 1], "unmet: work-group size 128x1x1", "unknown: work-group size 128x1x1"),
            (&[], None, &[128], "met", "unknown: work-group size 128"),
            (&[], None, &[2, 256], "unmet: work-group size 2x256", "unknown: work-group size 2x256"),
        ] {
            let needed = requirements(aspects, sub_group, work_group);
            assert_eq!(verdict(&needed, &gpu), on_gpu);
            assert_eq!(verdict(&needed, &open), on_open);
        }
    }

    #[test]
    fn what_is_surely_missing_wins_over_what_is_not_known() {
        let device = Capabilities { sub_group_sizes: None, ..Capabilities::default() };
        assert_eq!(verdict(&requirements(&[6], Some(8), &[]), &device), "unmet: aspect fp64");
    }

    /// Source: DESIGN §7.26.
    #[test]
    fn what_aspen_does_not_offer_no_device_has() {
        // fp64 (6) on all backends, ext_intel_esimd (49) on none, ext_oneapi_tangle (52) not on the embedded CPU, 103 is not known.
        let aspects: AspectSet = [6, 49, 52, 103].map(Aspect::from_number).into();
        let device = |backend, open| Capabilities {
            aspects: aspects.clone(),
            may_support_other_aspects: open,
            offers: Offers::Aspen(backend),
            ..Capabilities::default()
        };
        for (backend, offered, lacks) in [
            (None, "fp64 ext_oneapi_tangle #103", "ext_intel_esimd"),
            (Some(BackendKind::OpenCl), "fp64 ext_oneapi_tangle #103", "ext_intel_esimd"),
            (Some(BackendKind::NativeCpu), "fp64 #103", "ext_intel_esimd, aspect ext_oneapi_tangle"),
        ] {
            for open in [false, true] {
                let device = device(backend, open);
                assert_eq!(device.offered().map(|aspect| aspect.to_string()).collect::<Vec<_>>().join(" "), offered);
                assert_eq!(verdict(&requirements(&[6, 49, 52, 103], None, &[]), &device), format!("unmet: aspect {lacks}"));
            }
            // Nobody can have what is not offered; of other things an open device may have more.
            assert_eq!(verdict(&requirements(&[46], None, &[]), &device(backend, true)), "unmet: aspect ext_oneapi_mipmap");
            assert_eq!(verdict(&requirements(&[5, 104], None, &[]), &device(backend, true)), "unknown: aspect fp16, aspect #104");
        }
        // Programs of other compilers have other headers.
        let theirs = Capabilities { offers: Offers::Others, ..device(None, false) };
        assert_eq!(verdict(&requirements(&[6, 46, 49, 52, 103], None, &[]), &theirs), "unmet: aspect ext_oneapi_mipmap");
    }

    /// Source: DESIGN §7.8.
    #[test]
    fn guarded_code_counts_where_it_runs() {
        let guard = |has: &[u32], lacks: &[u32]| crate::Guard {
            has: has.iter().copied().map(Aspect::from_number).collect(),
            lacks: lacks.iter().map(|&aspect| [Aspect::from_number(aspect)].into()).collect(),
        };
        // With gpu (2) also fp64 (6), without gpu also cpu (1); everywhere fp16 (5).
        let mut needed = requirements(&[5], None, &[]);
        needed.guard_also([
            (guard(&[2], &[]), [6, 5].map(Aspect::from_number).into()),
            (guard(&[], &[2]), [1].map(Aspect::from_number).into()),
        ]);
        let device = |aspects: &[u32], open| Capabilities {
            aspects: aspects.iter().copied().map(Aspect::from_number).collect(),
            may_support_other_aspects: open,
            ..Capabilities::default()
        };
        assert_eq!(needed.needs().map(|need| need.to_string()).collect::<Vec<_>>(), ["aspect fp16", "aspect cpu", "aspect fp64"]);
        assert!(!needed.is_empty());
        let guards = |aspect| needed.guards_of(&Need::Aspect(Aspect::from_number(aspect))).map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!((guards(6), guards(5)), (vec!["where the device has gpu".to_owned()], Vec::new()));
        for (aspects, open, expected) in [
            (&[2, 5, 6][..], false, "met"),
            (&[2, 5], false, "unmet: aspect fp64"),
            (&[1, 5], false, "met"),
            (&[5], false, "unmet: aspect cpu"),
            (&[2], false, "unmet: aspect fp16, aspect fp64"),
            (&[2, 5], true, "unknown: aspect fp64"),
            // It is not known which of the two runs.
            (&[5], true, "unknown: aspect cpu, aspect fp64"),
            (&[1, 5, 6], true, "met"),
        ] {
            assert_eq!(verdict(&needed, &device(aspects, open)), expected, "{aspects:?} {open}");
        }
    }
}
