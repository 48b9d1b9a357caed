//! The levels of the x86-64 psABI: which of them the processor has, and which one an image is for.
//!
//! An image of a level is taken before those of lower levels; one of a level that the processor lacks is none for this device, so that a
//! program falls back to what it has for all processors. Source: x86-64 psABI "Micro-Architecture Levels"; docs/decisions/0009.

/// The level of every x86-64 processor.
pub(crate) const BASELINE: u32 = 1;

/// The target's name in `-fsycl-targets` and in the `arch` string of images, and the level.
const TARGETS: [(&str, u32); 6] = [
    ("native_cpu", BASELINE),
    // These mean any x86-64 processor; their images are made like ours.
    ("spir64_x86_64", BASELINE),
    ("x86_64", BASELINE),
    ("x86_64_v2", 2),
    ("x86_64_v3", 3),
    ("x86_64_v4", 4),
];

/// What each level adds to the one below it. `lahf` and `sahf`, which the second has too, came with `cmpxchg16b`.
const LEVELS: [(u32, &[&str]); 3] = [
    (2, &["cmpxchg16b", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"]),
    (3, &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe"]),
    (4, &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
];

/// The level that a target's images are for; `None` if they are for other devices.
pub(crate) fn of_target(name: &str) -> Option<u32> {
    TARGETS.iter().find(|(target, _)| *target == name).map(|(_, level)| *level)
}

/// The highest level of which the processor has everything.
pub(crate) fn of_processor(has: impl Fn(&str) -> bool) -> u32 {
    let complete = LEVELS.iter().take_while(|(_, features)| features.iter().all(|feature| has(feature)));
    let level = complete.last().map_or(BASELINE, |(level, _)| *level);
    tracing::debug!(level, "x86-64 processor");
    level
}

macro_rules! detected {
    ($wanted:expr, $($name:tt)*) => {
        match $wanted {
            $($name => std::is_x86_feature_detected!($name),)*
            _ => false,
        }
    };
}

/// Whether this processor has a feature and the system saves its registers.
#[rustfmt::skip]
pub(crate) fn has(feature: &str) -> bool {
    detected!(
        feature,
        "cmpxchg16b" "popcnt" "sse3" "ssse3" "sse4.1" "sse4.2" "avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe"
        "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Features of made-up processors, cumulative.
    const NEHALEM: &str = "cmpxchg16b popcnt sse3 ssse3 sse4.1 sse4.2";
    const HASWELL: &str = "avx avx2 bmi1 bmi2 f16c fma lzcnt movbe";
    const SKYLAKE_SERVER: &str = "avx512f avx512bw avx512cd avx512dq avx512vl";

    fn processor(features: &[&str]) -> u32 {
        let all: Vec<&str> = features.iter().flat_map(|list| list.split(' ')).collect();
        of_processor(|feature| all.contains(&feature))
    }

    #[test]
    fn a_level_counts_only_with_everything_below_it() {
        assert_eq!(processor(&[]), 1);
        assert_eq!(processor(&[NEHALEM]), 2);
        assert_eq!(processor(&[NEHALEM, HASWELL]), 3);
        assert_eq!(processor(&[NEHALEM, HASWELL, SKYLAKE_SERVER]), 4);
        // Knights Landing: no bw, dq, vl. Bulldozer-like: AVX without AVX2. A virtual machine that hides one feature of the second.
        assert_eq!(processor(&[NEHALEM, HASWELL, "avx512f avx512cd"]), 3);
        assert_eq!(processor(&[NEHALEM, "avx f16c fma lzcnt bmi1"]), 2);
        assert_eq!(processor(&["popcnt sse3 ssse3 sse4.1 sse4.2", HASWELL, SKYLAKE_SERVER]), 1);
    }

    #[test]
    fn every_feature_can_be_asked_for() {
        // No name is misspelt: this processor, or one that is at least as new, has them all as /proc/cpuinfo lists them.
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let flags: Vec<&str> = cpuinfo.lines().find_map(|line| line.strip_prefix("flags")).unwrap_or("").split_whitespace().collect();
        for feature in LEVELS.iter().flat_map(|(_, features)| *features) {
            let listed = match *feature {
                "cmpxchg16b" => "cx16",
                "sse3" => "pni",
                "sse4.1" => "sse4_1",
                "sse4.2" => "sse4_2",
                "lzcnt" => "abm",
                same => same,
            };
            assert_eq!(has(feature), flags.contains(&listed), "{feature}");
        }
        assert!(!has("no such feature"));
    }

    #[test]
    fn targets_have_levels() {
        assert_eq!(["native_cpu", "x86_64", "x86_64_v3", "x86_64_v5", "spir64"].map(of_target), [Some(1), Some(1), Some(3), None, None]);
    }
}
