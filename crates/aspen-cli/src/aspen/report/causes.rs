//! What is to blame: uses, each with the kernels that need something through it, and what would run without it.
//!
//! "Would run" is no guess by counting: the kernel's needs without that one are compared with the device as before. A need that begins in
//! several functions is still there when one of them is gone, so none of them alone makes the kernel run.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use aspen_contract::{Need, Requirements, Verdict};

use super::model::Entry;
use super::origins::Origin;
use crate::check::{Judge, Says};

/// A use and what hangs on it.
pub struct Cause {
    pub origin: Origin,
    /// The kernels that some device refuses for it or does not know about; without devices, those that need it.
    pub kernels: Vec<usize>,
    /// What would be without it, for every device.
    pub effects: Vec<Effect>,
    /// Whether all uses in those kernels are known. Otherwise what would run is the most that can.
    pub is_exact: bool,
}

/// What would be on one device.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Effect {
    /// The kernels that lack this need there.
    pub refused: usize,
    /// The kernels of which nobody knows for this need.
    pub unknown: usize,
    /// Those that are refused and would run.
    pub runs: Vec<usize>,
    /// Those that are refused and of which nobody would know any more.
    pub depends: Vec<usize>,
}

/// Causes while they are collected.
pub struct Causes {
    devices: usize,
    known: BTreeMap<Origin, Cause>,
}

impl Causes {
    /// None yet, for so many devices.
    pub fn new(devices: usize) -> Causes {
        Causes { devices, known: BTreeMap::new() }
    }

    fn cause(&mut self, number: usize, entry: &Entry, origin: &Origin) -> &mut Cause {
        let empty =
            || Cause { origin: origin.clone(), kernels: Vec::new(), effects: vec![Effect::default(); self.devices], is_exact: true };
        let cause = self.known.entry(origin.clone()).or_insert_with(empty);
        if cause.kernels.last() != Some(&number) && cause.kernels.binary_search(&number).is_err() {
            let at = cause.kernels.partition_point(|known| *known < number);
            cause.kernels.insert(at, number);
        }
        cause.is_exact &= entry.is_exact || !matches!(origin.need, Need::Aspect(_));
        cause
    }

    /// A kernel that no device is asked about.
    pub fn count(&mut self, number: usize, entry: &Entry) {
        entry.origins.iter().for_each(|origin| _ = self.cause(number, entry, origin));
    }

    /// What a device says to a kernel, and what it would say without each of the uses to blame.
    pub fn ask(&mut self, device: usize, number: usize, entry: &Entry, requirements: &Requirements, says: &Says, judge: &Judge) {
        let refuses = matches!(says, Says::Verdict(Verdict::Unmet(_)));
        for need in says.needs() {
            let origins: Vec<&Origin> = entry.origins.iter().filter(|origin| origin.need == *need).collect();
            let alone = origins.len() == 1 && refuses;
            let then = alone.then(|| judge.answer(&without(requirements, need)));
            for origin in origins {
                let effect = &mut self.cause(number, entry, origin).effects[device];
                *(if refuses { &mut effect.refused } else { &mut effect.unknown }) += 1;
                match then {
                    Some(Verdict::Met) => effect.runs.push(number),
                    Some(Verdict::Unknown(_)) => effect.depends.push(number),
                    Some(Verdict::Unmet(_)) | None => {}
                }
            }
        }
    }

    /// The one that keeps most kernels from running first.
    pub fn sorted(self) -> Vec<Cause> {
        let mut out: Vec<Cause> = self.known.into_values().collect();
        let most = |cause: &Cause, of: fn(&Effect) -> usize| cause.effects.iter().map(of).max().unwrap_or(0);
        out.sort_by_key(|cause| {
            let runs = most(cause, |effect| effect.runs.len());
            let depends = most(cause, |effect| effect.depends.len());
            let refused = most(cause, |effect| effect.refused);
            (Reverse(runs), Reverse(depends), Reverse(refused), Reverse(cause.kernels.len()))
        });
        out
    }
}

/// The needs without one.
fn without(requirements: &Requirements, need: &Need) -> Requirements {
    let mut out = requirements.clone();
    match need {
        Need::Aspect(aspect) => {
            out.aspects.remove(aspect);
            out.guarded.values_mut().for_each(|needed| _ = needed.remove(aspect));
            out.guarded.retain(|_, needed| !needed.is_empty());
        }
        Need::SubGroupSize(_) => out.reqd_sub_group_size = None,
        Need::WorkGroupSize(_) => out.reqd_work_group_size = None,
    }
    out
}
