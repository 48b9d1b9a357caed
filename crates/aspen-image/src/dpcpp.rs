//! The property set of requirements as today's DPC++ writes it: of its own files, and of ours where the user wants its dialect.
//!
//! Source: FORMATS §4.5. Its work-group sizes stand fastest dimension first and padded; ours in the attribute's order.

use aspen_contract::{Aspect, Requirements, WorkGroupSize};

use crate::guards::{self, GUARDS};
use crate::image::{DEVICE_REQUIREMENTS, ImageError, requirements_of};
use crate::property::{PropertySet, PropertySets, Value};

/// DPC++'s name of the set.
pub const DEVICE_REQUIREMENTS_DPCPP: &str = "SYCL/device requirements";

/// `aspects`: always there, in ascending order.
pub const ASPECTS: &str = "aspects";
/// `reqd_sub_group_size`: a number here, not a byte array.
pub const REQD_SUB_GROUP_SIZE: &str = "reqd_sub_group_size";
/// `reqd_work_group_size_uint64_t`: a `u64` a dimension, fastest first.
pub const REQD_WORK_GROUP_SIZE: &str = "reqd_work_group_size_uint64_t";
/// `work_group_num_dim`: how many of those dimensions are real.
pub const WORK_GROUP_NUM_DIM: &str = "work_group_num_dim";
/// Properties that no target of the database can be compared with: they describe the image or matrix hardware.
const DESCRIPTIVE: [&str; 4] = ["compile_target", "fixed_target", "joint_matrix", "joint_matrix_mad"];
/// The older spelling of the work-group size, a `u32` a dimension.
const REQD_WORK_GROUP_SIZE_U32: &str = "reqd_work_group_size";

/// What else DPC++ says of an image.
pub const MISC_PROPERTIES: &str = "SYCL/misc properties";

/// Whether the image holds explicit SIMD kernels.
pub fn is_explicit_simd(sets: &PropertySets) -> bool {
    sets.get(MISC_PROPERTIES).is_some_and(|set| set.contains_key("isEsimdImage"))
}

/// What the sets of an image say it needs, in whichever dialect they are; nothing if they say nothing. Where an image has both sets, both
/// count. Of explicit SIMD kernels the sub-group size, which is 1 there, says what they are and is no requirement. Source: FORMATS §7.
///
/// # Errors
/// If a value is damaged, or asks for something that cannot be checked.
pub fn requirements_of_sets(sets: &PropertySets) -> Result<Requirements, ImageError> {
    let mut out = sets.get(DEVICE_REQUIREMENTS).map_or_else(|| Ok(Requirements::default()), requirements_of)?;
    if let Some(set) = sets.get(DEVICE_REQUIREMENTS_DPCPP) {
        let other = requirements_of_dpcpp(set)?;
        out.aspects.extend(other.aspects);
        out.reqd_sub_group_size = other.reqd_sub_group_size.or(out.reqd_sub_group_size);
        out.reqd_work_group_size = other.reqd_work_group_size.or(out.reqd_work_group_size);
        out.reqd_sub_group_size.take_if(|size| *size == 1 && is_explicit_simd(sets));
    }
    if let Some(set) = sets.get(GUARDS) {
        out.guard_also(guards::read(set)?.into_values().flatten().filter(|(_, needed)| !needed.is_empty()));
    }
    Ok(out)
}

/// The set `SYCL/device requirements`. It is there also where nothing is needed, with no aspects then.
pub fn device_requirements(requirements: &Requirements) -> PropertySet {
    let mut set = PropertySet::new();
    set.insert(ASPECTS.into(), Value::from_u32s(requirements.aspects.iter().map(|aspect| aspect.number())));
    if let Some(size) = requirements.reqd_sub_group_size {
        set.insert(REQD_SUB_GROUP_SIZE.into(), Value::U32(size));
    }
    if let Some(size) = &requirements.reqd_work_group_size {
        let dims = size.dims();
        let padded = dims.iter().rev().copied().chain([1, 1, 1]).take(3);
        set.insert(REQD_WORK_GROUP_SIZE.into(), Value::Bytes(padded.flat_map(u64::to_le_bytes).collect()));
        set.insert(WORK_GROUP_NUM_DIM.into(), Value::U32(dims.len() as u32));
    }
    set
}

/// Reads `SYCL/device requirements`.
fn requirements_of_dpcpp(set: &PropertySet) -> Result<Requirements, ImageError> {
    let mut out = Requirements::default();
    let wrong =
        |name: &str, why: &str| ImageError::Requirement { set: DEVICE_REQUIREMENTS_DPCPP, name: name.to_owned(), why: why.to_owned() };
    let (mut dims, mut count) = (None, None);
    for (name, value) in set {
        match name.as_str() {
            ASPECTS => {
                let numbers = value.as_u32s().ok_or_else(|| wrong(name, "it is no array of 32-bit numbers"))?;
                out.aspects = numbers.into_iter().map(Aspect::from_number).collect();
            }
            REQD_SUB_GROUP_SIZE => {
                out.reqd_sub_group_size =
                    Some(value.as_u32().filter(|&size| size > 0).ok_or_else(|| wrong(name, "it is no number of at least 1"))?);
            }
            REQD_WORK_GROUP_SIZE => dims = Some((name, u64s(value).ok_or_else(|| wrong(name, "it is no array of 64-bit numbers"))?)),
            REQD_WORK_GROUP_SIZE_U32 => {
                let numbers = value.as_u32s().ok_or_else(|| wrong(name, "it is no array of 32-bit numbers"))?;
                dims = Some((name, numbers.into_iter().map(u64::from).collect()));
            }
            WORK_GROUP_NUM_DIM => count = Some(value.as_u32().ok_or_else(|| wrong(name, "it is no number"))?),
            _ if DESCRIPTIVE.contains(&name.as_str()) => {}
            _ => return Err(wrong(name, "this version of Aspen does not know it and so cannot check it")),
        }
    }
    if let Some((name, mut dims)) = dims {
        dims.truncate(count.map_or(dims.len(), |count| count as usize));
        dims.reverse();
        out.reqd_work_group_size = Some(WorkGroupSize::try_from(dims).map_err(|error| wrong(name, &error.to_string()))?);
    }
    Ok(out)
}

/// The numbers of a byte array that holds little-endian 64-bit numbers.
fn u64s(value: &Value) -> Option<Vec<u64>> {
    let (chunks, rest) = value.as_bytes()?.as_chunks::<8>();
    rest.is_empty().then(|| chunks.iter().copied().map(u64::from_le_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(text: &str) -> String {
        let sets = PropertySets::from_text(text).expect("sound text");
        requirements_of_sets(&sets)
            .map_or_else(|error| error.to_string(), |needed| needed.needs().map(|need| need.to_string()).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn guards_count_in_either_dialect() {
        let guard = aspen_contract::Guard { has: [Aspect::from_number(2)].into(), ..Default::default() };
        let guards = guards::write(&[(guard.clone(), [Aspect::FP64].into())].into());
        let mut sets = PropertySets::new();
        sets.insert(GUARDS, [("k".to_owned(), guards)].into_iter().collect());
        assert_eq!(requirements_of_sets(&sets).map(|needed| needed.guarded), Ok([(guard, [Aspect::FP64].into())].into()));
        sets.insert(GUARDS, [("k".to_owned(), Value::from_u32s([1]))].into_iter().collect());
        assert_eq!(requirements_of_sets(&sets), Err(ImageError::Guards { symbol: "k".to_owned() }));
    }

    #[test]
    fn both_dialects_and_their_damage() {
        // Vectors of FORMATS §4.4: {1, 6}, and the 64-bit number 64.
        let aspects = "aspects=2|ABAAAAAAAAQAAAAAGAAAAA\n";
        let explicit = "[SYCL/misc properties]\nisEsimdImage=1|1\n";
        assert_eq!(needs(&format!("[SYCL/device requirements]\nreqd_sub_group_size=1|1\n{explicit}")), "");
        assert_eq!(needs("[SYCL/device requirements]\nreqd_sub_group_size=1|1\n"), "sub-group size 1");
        assert_eq!(needs(""), "");
        assert_eq!(needs("[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n"), "");
        assert_eq!(
            needs(&format!("[SYCL/device requirements]\n{aspects}reqd_sub_group_size=1|32\n")),
            "aspect cpu, aspect fp64, sub-group size 32"
        );
        let size = format!(
            "[SYCL/device requirements]\n{aspects}reqd_work_group_size_uint64_t=2|ABAAAAAAAAAQAAAAAAAAAA\nwork_group_num_dim=1|1\n"
        );
        assert_eq!(needs(&size), "aspect cpu, aspect fp64, work-group size 64");
        assert_eq!(
            needs("[SYCL/device-requirements]\naspect=2|ABAAAAAAAAQAAAAAGAAAAA\n[SYCL/device requirements]\nreqd_sub_group_size=1|8\n"),
            "aspect cpu, aspect fp64, sub-group size 8"
        );
        for (line, why) in [
            ("aspects=1|6", "'aspects' in 'SYCL/device requirements' cannot be used: it is no array of 32-bit numbers"),
            ("reqd_sub_group_size=2|ABAAAAAAAAQAAAAAGAAAAA", "it is no number of at least 1"),
            ("reqd_sub_group_size=1|0", "it is no number of at least 1"),
            ("reqd_work_group_size_uint64_t=2|AAAAAAAAAAA", "one to three dimensions"),
            ("next_year=1|1", "does not know it"),
        ] {
            let said = needs(&format!("[SYCL/device requirements]\n{line}\n"));
            assert!(said.contains(why), "{line}: {said}");
        }
    }
}
