//! Which numbers specialization constants have. Source: DESIGN §7.23.

use std::collections::BTreeSet;

use aspen_contract::{Aspect, Need, Requirements};

use crate::error::Error;

/// The SpecIds of requirements begin here.
const REQUIREMENTS: u32 = 0x4000_0000;
/// Those of guards: the aspect's number is added.
const GUARDS: u32 = 0x5000_0000;
const END: u32 = 0x6000_0000;

/// What a SpecId stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SpecId {
    /// A specialization constant of the user's.
    User(u32),
    /// Whether the device meets the program's requirement of that index.
    Requirement(u32),
    /// Whether the device has the aspect.
    Guard(Aspect),
}

impl SpecId {
    /// From the number in the module.
    pub fn from_number(number: u32) -> SpecId {
        match number {
            REQUIREMENTS..GUARDS => SpecId::Requirement(number - REQUIREMENTS),
            GUARDS..END => SpecId::Guard(Aspect::from_number(number - GUARDS)),
            _ => SpecId::User(number),
        }
    }

    /// The number in the module.
    pub fn number(self) -> u32 {
        match self {
            SpecId::User(number) => number,
            SpecId::Requirement(index) => REQUIREMENTS + index,
            SpecId::Guard(aspect) => GUARDS + aspect.number(),
        }
    }

    /// Whether the constant is Aspen's, and so has to be gone before a driver sees the module.
    pub fn is_ours(self) -> bool {
        !matches!(self, SpecId::User(_))
    }
}

/// The program's requirements, sorted, with a SpecId each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Numbering(Vec<Need>);

impl Numbering {
    /// A number for everything that any of these needs.
    ///
    /// # Errors
    /// If there are more than 2²⁸ of them.
    pub fn new<'r>(requirements: impl IntoIterator<Item = &'r Requirements>) -> Result<Numbering, Error> {
        let needs: BTreeSet<Need> = requirements.into_iter().flat_map(unguarded).collect();
        if needs.len() > (GUARDS - REQUIREMENTS) as usize {
            return Err(Error::TooMany("requirements"));
        }
        Ok(Numbering(needs.into_iter().collect()))
    }

    /// The SpecId of a need; `None` if it is none of the program's.
    pub fn spec_id(&self, need: &Need) -> Option<SpecId> {
        let index = self.0.binary_search(need).ok()?;
        Some(SpecId::Requirement(u32::try_from(index).ok()?))
    }

    /// What every device has to meet to run something that needs this, with the SpecIds.
    pub fn entries(&self, requirements: &Requirements) -> Vec<(Need, SpecId)> {
        unguarded(requirements).filter_map(|need| self.spec_id(&need).map(|id| (need, id))).collect()
    }

    /// What a SpecId asks for.
    pub fn need(&self, id: SpecId) -> Option<&Need> {
        match id {
            SpecId::Requirement(index) => self.0.get(index as usize),
            SpecId::User(_) | SpecId::Guard(_) => None,
        }
    }
}

/// What every device has to meet; what guarded code needs is told by the guards' own constants.
pub(crate) fn unguarded(requirements: &Requirements) -> impl Iterator<Item = Need> + '_ {
    let aspects = requirements.aspects.iter().copied().map(Need::Aspect);
    let sub_group = requirements.reqd_sub_group_size.map(Need::SubGroupSize);
    aspects.chain(sub_group).chain(requirements.reqd_work_group_size.clone().map(Need::WorkGroupSize))
}
