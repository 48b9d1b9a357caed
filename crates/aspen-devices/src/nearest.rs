//! "Did you mean": the nearest of the known names.

/// The known name that is most like `wanted`, unless none is like it: first the same in other letters' case, then what ends in it
/// (`sm_90`), then what slips of the hand would make of it. Swapped letters count as one mistake and are likelier than a wrong
/// one; of equally near names the first one wins, so the answer depends on nothing but the input.
pub fn nearest<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let known: Vec<&str> = known.into_iter().collect();
    let ending = format!("_{}", wanted.to_lowercase());
    let same = known.iter().find(|name| name.eq_ignore_ascii_case(wanted));
    if let Some(name) = same.or_else(|| known.iter().find(|name| ending.len() > 3 && name.ends_with(&ending))) {
        return Some(name);
    }
    // A third of the letters may be wrong; more is another word.
    let limit = (wanted.chars().count() / 3).max(1);
    let letters = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    let wanted_letters = letters(wanted);
    let rank = |name: &str| (strsim::damerau_levenshtein(wanted, name), letters(name) != wanted_letters);
    let best = known.into_iter().map(|name| (rank(name), name)).min_by_key(|(rank, _)| *rank);
    best.filter(|((distance, _), _)| *distance <= limit).map(|(_, name)| name)
}

/// `; did you mean 'x'?`, or nothing.
pub(crate) fn hint<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    nearest(wanted, known).map_or(String::new(), |name| format!("; did you mean '{name}'?"))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_slips_but_no_other_words() {
        let known = ["fp16", "fp64", "gpu", "intel_gpu_dg1", "intel_gpu_skl"];
        for (wanted, found) in [
            ("fp46", Some("fp64")),
            ("fp32", None),
            ("intel_gpu_dq1", Some("intel_gpu_dg1")),
            ("intel_gpu_sk", Some("intel_gpu_skl")),
            ("", None),
            ("1", None),
            ("FP16", Some("fp16")),
            ("skl", Some("intel_gpu_skl")),
            ("nvidia_gpu_sm_90", None),
        ] {
            assert_eq!(nearest(wanted, known), found, "{wanted}");
        }
    }
}
