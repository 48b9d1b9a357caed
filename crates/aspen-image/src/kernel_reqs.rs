//! "SYCL/kernel reqs": what each kernel of a conditional image needs, with the specialization constant that stands for it.
//!
//! One property a kernel or exported function, even if it needs nothing; its value, all 32-bit numbers in little-endian order:
//!
//! ```text
//! [entry_count] { [0] [aspect_id] [spec_id] | [1] [dim_count] [dim0]… [spec_id] | [2] [dim] [spec_id] }…
//! ```
//!
//! Source: S1 "New device image property set"; DESIGN §5.

use std::collections::BTreeMap;

use aspen_contract::{Aspect, Need, Requirements, WorkGroupSize};

use crate::guards::{self, GUARDS};
use crate::image::{DIGEST, DeviceImage, ImageError};
use crate::property::{PropertySet, Value};

/// The set's name.
pub const KERNEL_REQS: &str = "SYCL/kernel reqs";

const ASPECT: u32 = 0;
const WORK_GROUP_SIZE: u32 = 1;
const SUB_GROUP_SIZE: u32 = 2;

/// A need and its SpecId.
pub type Entry = (Need, u32);

/// One kernel's property.
///
/// A dimension above 2³²−1, which no device has, is stored as 2³²−1. Source: DESIGN §3.
pub fn kernel_reqs_value(entries: &[Entry]) -> Value {
    let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    let kind = |need: &Need| match need {
        Need::Aspect(_) => ASPECT,
        Need::WorkGroupSize(_) => WORK_GROUP_SIZE,
        Need::SubGroupSize(_) => SUB_GROUP_SIZE,
    };
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by_key(|(need, _)| kind(need));
    let mut words = vec![count];
    for (need, spec_id) in sorted {
        words.push(kind(need));
        match need {
            Need::Aspect(aspect) => words.push(aspect.number()),
            Need::SubGroupSize(size) => words.push(*size),
            Need::WorkGroupSize(size) => {
                words.push(u32::try_from(size.dims().len()).unwrap_or(u32::MAX));
                words.extend(size.dims().iter().map(|dim| u32::try_from(*dim).unwrap_or(u32::MAX)));
            }
        }
        words.push(*spec_id);
    }
    Value::from_u32s(words)
}

/// Reads a property of the set.
///
/// # Errors
/// If it is damaged, or asks for something this build cannot check.
pub fn kernel_reqs_entries(symbol: &str, value: &Value) -> Result<Vec<Entry>, ImageError> {
    let wrong = |why: &str| ImageError::Requirement { set: KERNEL_REQS, name: symbol.to_owned(), why: why.to_owned() };
    let numbers = value.as_u32s().ok_or_else(|| wrong("it is no array of 32-bit numbers"))?;
    let mut rest = numbers.iter().copied();
    let mut next = || rest.next().ok_or_else(|| wrong("it is cut off"));
    let count = next()?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let need = match next()? {
            ASPECT => Need::Aspect(Aspect::from_number(next()?)),
            SUB_GROUP_SIZE => match next()? {
                0 => return Err(wrong("a sub-group size is 0")),
                size => Need::SubGroupSize(size),
            },
            WORK_GROUP_SIZE => {
                let dims = match next()? {
                    count @ 1..=3 => (0..count).map(|_| next().map(u64::from)).collect::<Result<Vec<_>, _>>()?,
                    count => return Err(wrong(&format!("a work-group size has {count} dimensions"))),
                };
                Need::WorkGroupSize(WorkGroupSize::try_from(dims).map_err(|error| wrong(&error.to_string()))?)
            }
            kind => return Err(wrong(&format!("this version of Aspen does not know entries of type {kind} and so cannot check them"))),
        };
        entries.push((need, next()?));
    }
    match rest.next() {
        None => Ok(entries),
        Some(_) => Err(wrong("it holds more than its entries")),
    }
}

/// The needs as requirements.
fn requirements(symbol: &str, entries: Vec<Entry>) -> Result<Requirements, ImageError> {
    let mut out = Requirements::default();
    for (need, _) in entries {
        let twice = match need {
            Need::Aspect(aspect) => !out.aspects.insert(aspect),
            Need::SubGroupSize(size) => out.reqd_sub_group_size.replace(size).is_some(),
            Need::WorkGroupSize(size) => out.reqd_work_group_size.replace(size).is_some(),
        };
        if twice {
            let why = "it asks for the same twice, or for two sizes".to_owned();
            return Err(ImageError::Requirement { set: KERNEL_REQS, name: symbol.to_owned(), why });
        }
    }
    Ok(out)
}

impl DeviceImage<'_> {
    /// The same image with other bytes, as a device gets a specialised module. What the container says of the bytes is left out.
    #[must_use]
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        let mut entry = self.entry().clone();
        entry.image = bytes.into();
        entry.strings.retain(|(key, _)| key != DIGEST);
        DeviceImage::new(entry)
    }

    /// Whether kernels of different requirements share the image.
    pub fn is_conditional(&self) -> bool {
        self.entry().string(KERNEL_REQS).is_some()
    }

    /// What a device must have to run the kernel, or to be given the exported function: its own entry in a conditional image, else what
    /// the image needs.
    ///
    /// # Errors
    /// If a set is damaged, or a conditional image has no entry for the symbol.
    pub fn requirements_of(&self, symbol: &str) -> Result<Requirements, ImageError> {
        if !self.is_conditional() {
            return self.requirements();
        }
        // The other kernels' entries are not looked at: a program asks for one after the other.
        let value = self.property(KERNEL_REQS, symbol)?.ok_or_else(|| ImageError::Requirement {
            set: KERNEL_REQS,
            name: symbol.to_owned(),
            why: "it has no entry, so that nobody knows what it needs".to_owned(),
        })?;
        let mut out = requirements(symbol, kernel_reqs_entries(symbol, &value)?)?;
        out.aspects.extend(self.unguarded()?.aspects);
        if let Some(value) = self.property(GUARDS, symbol)? {
            let guards = guards::property(&value).ok_or_else(|| ImageError::Guards { symbol: symbol.to_owned() })?;
            out.guard_also(guards.into_iter().filter(|(_, needed)| !needed.is_empty()));
        }
        Ok(out)
    }

    /// Every need of a conditional image's kernels by its SpecId; empty for other images.
    ///
    /// # Errors
    /// If the set is damaged, or one SpecId stands for two needs.
    pub fn conditions(&self) -> Result<BTreeMap<u32, Need>, ImageError> {
        let mut out: BTreeMap<u32, Need> = BTreeMap::new();
        for (symbol, value) in self.property_set(KERNEL_REQS)?.iter().flatten() {
            for (need, spec_id) in kernel_reqs_entries(symbol, value)? {
                let known = out.entry(spec_id).or_insert_with(|| need.clone());
                if *known != need {
                    let why = format!("SpecId {spec_id:#x} stands for {known} and for {need}");
                    return Err(ImageError::Requirement { set: KERNEL_REQS, name: symbol.clone(), why });
                }
            }
        }
        Ok(out)
    }
}

/// The set: a property a kernel or exported function.
pub fn kernel_reqs_set<'k>(kernels: impl IntoIterator<Item = (&'k str, Vec<Entry>)>) -> PropertySet {
    kernels.into_iter().map(|(symbol, entries)| (symbol.to_owned(), kernel_reqs_value(&entries))).collect()
}

#[cfg(test)]
mod tests {
    use aspen_contract::Guard;

    use super::*;
    use crate::{ImageBuilder, ImageKind, Kernel, KernelInfo, offload};

    fn group(dims: &[u64]) -> Need {
        Need::WorkGroupSize(WorkGroupSize::try_from(dims.to_vec()).expect("dimensions"))
    }

    #[test]
    fn layout_of_the_seed() {
        let entries = [(Need::Aspect(Aspect::FP64), 100), (Need::SubGroupSize(16), 102), (group(&[4, 8]), 101)];
        let value = kernel_reqs_value(&entries);
        assert_eq!(value.as_u32s(), Some(vec![3, 0, 6, 100, 1, 2, 4, 8, 101, 2, 16, 102]));
        let mut sorted = entries.to_vec();
        sorted.swap(1, 2);
        assert_eq!(kernel_reqs_entries("k", &value), Ok(sorted));
        assert_eq!(kernel_reqs_value(&[]).as_u32s(), Some(vec![0]));
        assert_eq!(kernel_reqs_value(&[(group(&[1 << 40]), 7)]).as_u32s(), Some(vec![1, 1, 1, u32::MAX, 7]));
    }

    #[test]
    fn damage_is_named() {
        for (words, why) in [
            (vec![], "cut off"),
            (vec![1], "cut off"),
            (vec![1, 0, 6], "cut off"),
            (vec![1, 1, 4, 1, 1, 1, 1, 9], "4 dimensions"),
            (vec![1, 1, 1, 0, 9], "at least 1"),
            (vec![1, 2, 0, 9], "is 0"),
            (vec![1, 7, 0, 9], "type 7"),
            (vec![0, 5], "more than its entries"),
            (vec![u32::MAX, 0, 6, 9], "cut off"),
        ] {
            let error = kernel_reqs_entries("_ZTS1K", &Value::from_u32s(words)).expect_err(why).to_string();
            assert!(error.contains(why) && error.contains("_ZTS1K"), "{error}");
        }
    }

    #[test]
    fn kernels_answer_for_themselves() {
        let kernel = |symbol: &str| Kernel {
            symbol: symbol.into(),
            info: KernelInfo { name: symbol.into(), requirements: Requirements::default() },
        };
        let set = kernel_reqs_set([("a", vec![(Need::Aspect(Aspect::FP64), 0x4000_0000)]), ("b", vec![])]);
        let builder =
            ImageBuilder::new(ImageKind::SpirV, "spirv64", "spir64", "x_0").kernel(kernel("a"), vec![]).kernel(kernel("b"), vec![]);
        let plain = builder.clone().to_bytes(b"code").expect("names");
        let builder = builder.set(KERNEL_REQS, set);
        let bytes = builder.to_bytes(b"code").expect("names");
        let image = |bytes| DeviceImage::new(offload::parse_all(bytes).expect("sound").remove(0));
        let (image, plain) = (image(&bytes), image(&plain));
        assert!(image.is_conditional() && !plain.is_conditional());
        assert_eq!(image.requirements_of("a").map(|needed| needed.aspects), Ok([Aspect::FP64].into()));
        assert_eq!(image.requirements_of("b"), Ok(Requirements::default()));
        let guard = Guard { has: [Aspect::FP16].into(), lacks: [].into() };
        let guarded = builder.guards("b", &[(guard.clone(), [Aspect::FP64].into())].into()).to_bytes(b"code").expect("names");
        let guarded = DeviceImage::new(offload::parse_all(&guarded).expect("sound").remove(0));
        assert_eq!(guarded.requirements_of("b").map(|needed| needed.guarded), Ok([(guard, [Aspect::FP64].into())].into()));
        assert_eq!(guarded.requirements_of("a").map(|needed| needed.guarded), Ok([].into()));
        assert!(image.requirements_of("c").expect_err("no entry").to_string().contains("'c'"));
        assert_eq!(plain.requirements_of("c"), Ok(Requirements::default()));
        assert_eq!(image.conditions(), Ok([(0x4000_0000, Need::Aspect(Aspect::FP64))].into()));
    }
}
