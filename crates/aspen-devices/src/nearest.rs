//! "Did you mean": the nearest of the known names.

/// The known name that is most like `wanted`, unless none is like it: first the same in other letters' case, then what ends in it
/// (`sm_90`), then, where a name ends in a number of two digits or more, the one of its family with the greatest number below
/// (`nvidia_gpu_sm_80` for `nvidia_gpu_sm_81`: what is made for it runs there), and at last what slips of the hand would make of it. Swapped letters count as one mistake and are likelier than a wrong
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
    let best = known.iter().copied().map(|name| (rank(name), name)).min_by_key(|(rank, _)| *rank);
    let is_swap = |rank: (usize, bool)| rank == (1, false);
    if let Some(name) = member_below(wanted, &known).filter(|_| !best.is_some_and(|(rank, _)| is_swap(rank))) {
        return Some(name);
    }
    best.filter(|((distance, _), _)| *distance <= limit).map(|(_, name)| name)
}

/// Of the names that are `wanted` but for the number at their end: the one with the greatest number below its own, or else the smallest.
fn member_below<'n>(wanted: &str, known: &[&'n str]) -> Option<&'n str> {
    let family = wanted.trim_end_matches(|c: char| c.is_ascii_digit());
    // One digit is as likely to be a slip.
    let digits = &wanted[family.len()..];
    let number: u64 = digits.parse().ok().filter(|_| digits.len() > 1 && family.contains('_'))?;
    let numbered = known.iter().filter_map(|name| Some((name.strip_prefix(family)?.parse::<u64>().ok()?, *name)));
    numbered.min_by_key(|&(other, _)| (other > number, other.abs_diff(number))).map(|(_, name)| name)
}

/// `; did you mean 'x'?`, or nothing.
pub(crate) fn hint<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    nearest(wanted, known).map_or(String::new(), |name| format!("; did you mean '{name}'?"))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_members_of_numbered_families() {
        let known = [
            "nvidia_gpu_sm_61",
            "nvidia_gpu_sm_80",
            "nvidia_gpu_sm_86",
            "nvidia_gpu_sm_90a",
            "x86_64_v2",
            "x86_64_v4",
            "intel_gpu_dg1",
            "intel_gpu_dg2",
            "fp64",
        ];
        for (wanted, found) in [
            ("nvidia_gpu_sm_81", Some("nvidia_gpu_sm_80")),
            ("nvidia_gpu_sm_85", Some("nvidia_gpu_sm_80")),
            ("nvidia_gpu_sm_103", Some("nvidia_gpu_sm_86")),
            ("nvidia_gpu_sm_20", Some("nvidia_gpu_sm_61")),
            ("nvidia_gpu_sm_08", Some("nvidia_gpu_sm_80")),
            ("x86_64_v3", Some("x86_64_v2")),
            ("intel_gpu_dg9", Some("intel_gpu_dg1")),
            ("fp32", None),
        ] {
            assert_eq!(nearest(wanted, known), found, "{wanted}");
        }
    }

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
