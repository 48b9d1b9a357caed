//! Conditions on the device under which code runs: the bodies of `if_device_has<A…>` and of what follows it. Source: S4; DESIGN §7.8.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Aspect, AspectSet, Capabilities};

/// A condition: the device has all of some aspects, and none of some lists of aspects completely. Without either it always holds.
///
/// What a body does under a guard counts only on devices where the guard holds; there the device surely has the guard's own aspects.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Guard {
    /// The device has all of these.
    pub has: AspectSet,
    /// Of each of these lists the device lacks at least one: the clauses before an `else_if_device_has` or `else_device`.
    pub lacks: BTreeSet<AspectSet>,
}

impl Guard {
    /// Guarded by both, as the body of a guard inside another guard's body is.
    #[must_use]
    pub fn and(&self, other: &Guard) -> Guard {
        Guard { has: self.has.union(&other.has).copied().collect(), lacks: self.lacks.union(&other.lacks).cloned().collect() }
    }

    /// Whether it holds on every device.
    pub fn is_always(&self) -> bool {
        self.has.is_empty() && self.lacks.is_empty()
    }

    /// Whether it holds on no device, because it asks for what it excludes.
    pub fn is_never(&self) -> bool {
        self.lacks.iter().any(|list| list.is_subset(&self.has))
    }

    /// Whether the other one surely holds where this one does.
    pub fn implies(&self, other: &Guard) -> bool {
        other.has.is_subset(&self.has) && other.lacks.is_subset(&self.lacks)
    }

    /// Whether it holds where code finds exactly these aspects.
    pub fn holds_with(&self, has: &AspectSet) -> bool {
        self.has.is_subset(has) && !self.lacks.iter().any(|list| list.is_subset(has))
    }

    /// Whether it holds on the device; `None` if that is not known.
    pub fn holds_on(&self, device: &Capabilities) -> Option<bool> {
        let all = |list: &AspectSet| all(list.iter().map(|&aspect| device.has_aspect(aspect)));
        let not = |answer: Option<bool>| answer.map(|yes| !yes);
        self::all([all(&self.has)].into_iter().chain(self.lacks.iter().map(|list| not(all(list)))))
    }
}

/// Whether all are so: one that is not decides, whatever is not known.
fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for answer in answers {
        match answer {
            Some(true) => {}
            Some(false) => return Some(false),
            None => known = false,
        }
    }
    known.then_some(true)
}

/// `where the device has gpu and fp16`, `where the device lacks gpu`.
impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |aspects: &AspectSet, word: &str| aspects.iter().map(Aspect::to_string).collect::<Vec<_>>().join(word);
        let has = (!self.has.is_empty()).then(|| format!("has {}", list(&self.has, " and ")));
        let lacks = self.lacks.iter().map(|one| format!("lacks {}", list(one, " or ")));
        let all: Vec<String> = has.into_iter().chain(lacks).collect();
        if all.is_empty() { f.write_str("everywhere") } else { write!(f, "where the device {}", all.join(" and ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `gpu fp16 !fp64 !cpu,image`.
    fn guard(words: &str) -> Guard {
        let aspect = |name: &str| Aspect::from_name(name).unwrap_or_else(|| panic!("no aspect {name}"));
        let mut out = Guard::default();
        for word in words.split_whitespace() {
            match word.strip_prefix('!') {
                Some(list) => _ = out.lacks.insert(list.split(',').map(aspect).collect()),
                None => _ = out.has.insert(aspect(word)),
            }
        }
        out
    }

    #[test]
    fn conditions_on_devices() {
        let closed = |names: &str| Capabilities { aspects: guard(names).has, ..Capabilities::default() };
        let open = |names: &str| Capabilities { may_support_other_aspects: true, ..closed(names) };
        for (condition, device, holds) in [
            ("", closed(""), Some(true)),
            ("gpu", closed("gpu"), Some(true)),
            ("gpu fp64", closed("gpu"), Some(false)),
            ("gpu fp64", open("gpu"), None),
            ("!fp64", closed("gpu"), Some(true)),
            ("!fp64", open("gpu"), None),
            ("!fp64", open("fp64"), Some(false)),
            ("!gpu,fp64", closed("gpu"), Some(true)),
            ("!gpu,fp64", closed("gpu fp64"), Some(false)),
            ("cpu !gpu,fp64", closed("gpu"), Some(false)),
            // What is surely not so decides.
            ("cpu !fp64", open("fp64"), Some(false)),
        ] {
            assert_eq!(guard(condition).holds_on(&device), holds, "{condition} on {device:?}");
        }
    }

    #[test]
    fn conditions_among_themselves() {
        assert!(guard("").is_always() && !guard("gpu").is_always() && !guard("!gpu").is_always());
        assert!(guard("gpu fp64 !fp64,gpu").is_never() && !guard("gpu !fp64,gpu").is_never());
        assert!(guard("gpu fp64 !cpu").implies(&guard("gpu")) && !guard("gpu").implies(&guard("gpu !cpu")));
        assert_eq!(guard("gpu !cpu").and(&guard("fp16 !fp64")), guard("gpu fp16 !cpu !fp64"));
        assert_eq!(guard("gpu fp16 !cpu,fp64").to_string(), "where the device has gpu and fp16 and lacks cpu or fp64");
        assert_eq!(guard("").to_string(), "everywhere");
    }
}
