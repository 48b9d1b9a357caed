//! What a kernel, or a device image, needs of a device.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{AspectSet, Guard};

/// Everything a device must have to run a kernel: S0's *Used* set and the two sizes.
///
/// Two kernels may share a device image exactly when their requirements are equal.
/// Source: S0 "Changes to the device code split algorithm".
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Requirements {
    /// Used ∪ declared aspects.
    pub aspects: AspectSet,
    /// `[[sycl::reqd_work_group_size]]`.
    pub reqd_work_group_size: Option<WorkGroupSize>,
    /// `[[sycl::reqd_sub_group_size]]`, numeric sizes only, in work-items.
    pub reqd_sub_group_size: Option<u32>,
    /// What is needed besides where a guard holds, beyond what the guard says; never an empty set. Source: DESIGN §7.8.
    pub guarded: BTreeMap<Guard, AspectSet>,
}

impl Requirements {
    /// Whether every device can run it.
    pub fn is_empty(&self) -> bool {
        self.aspects.is_empty() && self.reqd_work_group_size.is_none() && self.reqd_sub_group_size.is_none() && self.guarded.is_empty()
    }

    /// Adds what the other one needs, so that both are met: of a kernel and of what it calls.
    ///
    /// # Errors
    /// What cannot be both, in words for "it requires … than"; everything else is added.
    pub fn also(&mut self, other: Requirements) -> Result<(), &'static str> {
        self.aspects.extend(other.aspects);
        self.guard_also(other.guarded);
        let mut clash = Ok(());
        match (&self.reqd_sub_group_size, other.reqd_sub_group_size) {
            (Some(one), Some(other)) if *one != other => clash = Err("another sub-group size"),
            (None, size) => self.reqd_sub_group_size = size,
            _ => {}
        }
        match (&self.reqd_work_group_size, other.reqd_work_group_size) {
            (Some(one), Some(other)) if *one != other => clash = clash.and(Err("another work-group size")),
            (None, size) => self.reqd_work_group_size = size,
            _ => {}
        }
        clash
    }

    /// The same where one of the guards holds. Sizes that are required there are left out: they are the kernel's, wherever it runs.
    #[must_use]
    pub fn under<'g>(self, guards: impl IntoIterator<Item = &'g Guard>) -> Requirements {
        let mut out = Requirements::default();
        for guard in guards {
            let own = std::iter::once((guard.clone(), self.aspects.difference(&guard.has).copied().collect::<AspectSet>()));
            let inner = self.guarded.iter().map(|(inner, needed)| (guard.and(inner), needed.clone()));
            out.guard_also(own.chain(inner).filter(|(guard, needed)| !guard.is_never() && !needed.is_empty()));
        }
        out
    }

    /// Adds what the other one needs under guards.
    pub fn guard_also(&mut self, guarded: impl IntoIterator<Item = (Guard, AspectSet)>) {
        for (guard, needed) in guarded {
            self.guarded.entry(guard).or_default().extend(needed);
        }
    }
}

/// A work-group size of one to three dimensions, in the order of the attribute (SYCL order), in work-items.
///
/// `(4)` and `(4, 1, 1)` are different sizes. Source: DESIGN §7.9.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct WorkGroupSize(Vec<u64>);

impl WorkGroupSize {
    /// The dimensions, one to three of them, each at least 1.
    pub fn dims(&self) -> &[u64] {
        &self.0
    }

    /// The number of work-items in a group; saturates.
    pub fn work_items(&self) -> u64 {
        self.0.iter().fold(1, |product, dim| product.saturating_mul(*dim))
    }
}

/// Not one to three dimensions of at least 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidWorkGroupSize(Vec<u64>);

impl fmt::Display for InvalidWorkGroupSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a work-group size has one to three dimensions of at least 1, not {:?}", self.0)
    }
}

impl std::error::Error for InvalidWorkGroupSize {}

impl TryFrom<Vec<u64>> for WorkGroupSize {
    type Error = InvalidWorkGroupSize;

    fn try_from(dims: Vec<u64>) -> Result<Self, InvalidWorkGroupSize> {
        if (1..=3).contains(&dims.len()) && dims.iter().all(|&dim| dim > 0) { Ok(Self(dims)) } else { Err(InvalidWorkGroupSize(dims)) }
    }
}

impl From<WorkGroupSize> for Vec<u64> {
    fn from(size: WorkGroupSize) -> Self {
        size.0
    }
}

/// `4x4x1`.
impl fmt::Display for WorkGroupSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, dim) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("x")?;
            }
            write!(f, "{dim}")?;
        }
        Ok(())
    }
}
