//! Aspects: a number that travels in metadata and property sets, and the name people know it by.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::BackendKind;
use crate::table::ROWS;

/// One row of the generated aspect table.
pub(crate) struct Row {
    pub(crate) number: u32,
    pub(crate) name: &'static str,
    pub(crate) core: bool,
    pub(crate) deprecated: bool,
    /// The backends on whose devices Aspen offers what it stands for.
    pub(crate) offered: &'static [BackendKind],
    /// What offers it, or what is missing.
    pub(crate) why: &'static str,
}

/// Numbers of [`Aspect::foreign`]: above all that anybody has given out, below the negative ones, which DPC++ uses inside.
const FOREIGN: u32 = 0x4000_0000;
const FOREIGN_MASK: u32 = 0xc000_0000;

/// Numbers of DPC++ 2025, first and last, and how much lower those of 2026 are. Between them are aspects that are no more.
const MOVED: [(u32, u32, u32); 8] = [
    (0, 24, 0),
    (26, 34, 1),
    (36, 46, 2),
    (48, 48, 3),
    // Two of these have other names today: ballot_group is fragment, fixed_size_group is chunk.
    (50, 55, 4),
    // tangle_group is tangle.
    (57, 61, 5),
    (63, 70, 6),
    (72, 87, 7),
];

/// A device aspect, by its value in `enum class aspect`.
///
/// Numbers without a row in `data/aspects.toml` are kept as they are: they belong to hardware this build has not met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Aspect(u32);

impl Aspect {
    /// `aspect::fp16`, needed by `sycl::half`.
    pub const FP16: Aspect = Aspect(5);
    /// `aspect::fp64`, needed by `double`. Source: S0 "Changes to DPC++ headers".
    pub const FP64: Aspect = Aspect(6);
    /// `aspect::atomic64`, needed by an 8-byte `sycl::atomic_ref`.
    pub const ATOMIC64: Aspect = Aspect(27);

    /// The aspect of that number, named or not.
    pub const fn from_number(number: u32) -> Aspect {
        Aspect(number)
    }

    /// The aspect to which DPC++ of 2025 and before gives that number; what DPC++ of 2026 has no more is foreign. Source: FORMATS §1.
    pub fn from_number_of_2025(number: u32) -> Aspect {
        let moved = MOVED.iter().find(|(first, last, _)| (*first..=*last).contains(&number));
        moved.map_or_else(|| Aspect::foreign(number), |(.., down)| Aspect(number - down))
    }

    /// An aspect whose number is another compiler's, and whose name this build does not know: no device has it. It keeps its number, apart
    /// from Aspen's own. Source: docs/decisions/0036.
    pub const fn foreign(number: u32) -> Aspect {
        Aspect(FOREIGN | number)
    }

    /// The number that another compiler gives it.
    pub const fn as_foreign(self) -> Option<u32> {
        if self.0 & FOREIGN_MASK == FOREIGN { Some(self.0 & !FOREIGN_MASK) } else { None }
    }

    /// The value in `enum class aspect`.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The enumerator's name, if the table has one for this number.
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|row| row.name)
    }

    /// The aspect of that name; deprecated and architecture aspects are found too.
    pub fn from_name(name: &str) -> Option<Aspect> {
        ROWS.iter().find(|row| row.name == name).map(|row| Aspect(row.number))
    }

    /// The aspect as people write it: by its name, or by its number as in `#103`.
    pub fn from_text(text: &str) -> Option<Aspect> {
        Aspect::from_name(text).or_else(|| text.strip_prefix('#')?.parse().ok().map(Aspect::from_number))
    }

    /// Whether SYCL itself defines the aspect (rather than an extension).
    pub fn is_core(self) -> bool {
        self.row().is_some_and(|row| row.core)
    }

    /// Whether the aspect is accepted only for the sake of old programs.
    pub fn is_deprecated(self) -> bool {
        self.row().is_some_and(|row| row.deprecated)
    }

    /// Whether Aspen offers what the aspect stands for on devices of that backend; without one, on any device at all. Source: DESIGN §7.26.
    ///
    /// A number that the table does not have belongs to hardware this build has not met: who lists it for a device vouches for it.
    pub fn is_offered(self, backend: Option<BackendKind>) -> bool {
        self.row().is_none_or(|row| backend.map_or(!row.offered.is_empty(), |backend| row.offered.contains(&backend)))
    }

    /// What is missing where Aspen does not offer it, from data/aspects.toml.
    pub(crate) fn missing(self) -> &'static str {
        self.row().map_or("", |row| row.why)
    }

    /// Every aspect of the table, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Aspect> {
        ROWS.iter().map(|row| Aspect(row.number))
    }

    fn row(self) -> Option<&'static Row> {
        ROWS.binary_search_by_key(&self.0, |row| row.number).ok().map(|index| &ROWS[index])
    }
}

/// The name, or `#103` for a number without one, or `#25 of another compiler`.
impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => match self.as_foreign() {
                Some(number) => write!(f, "#{number} of another compiler"),
                None => write!(f, "#{}", self.0),
            },
        }
    }
}

/// A set of aspects; iterates in the order of their numbers, so that everything written from it is reproducible.
pub type AspectSet = BTreeSet<Aspect>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_names_are_unique() {
        assert!(ROWS.is_sorted_by(|a, b| a.number < b.number));
        let names: BTreeSet<_> = ROWS.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), ROWS.len());
    }

    #[test]
    fn constants_are_those_of_the_table() {
        for (aspect, name) in [(Aspect::FP16, "fp16"), (Aspect::FP64, "fp64"), (Aspect::ATOMIC64, "atomic64")] {
            assert_eq!(Aspect::from_name(name), Some(aspect));
        }
    }

    #[test]
    fn offers() {
        use BackendKind::{Cuda, Hip, NativeCpu, OpenCl};
        let on = |name: &str| {
            let aspect = Aspect::from_text(name).unwrap_or_else(|| panic!("no aspect {name}"));
            [None, Some(NativeCpu), Some(OpenCl), Some(Cuda), Some(Hip)].map(|backend| aspect.is_offered(backend))
        };
        for (name, expected) in [
            ("fp64", [true; 5]),
            ("emulated", [true; 5]),
            ("ext_intel_gpu_bdw", [true; 5]),
            ("image", [true; 5]),
            ("ext_intel_esimd", [false; 5]),
            ("host", [false; 5]),
            ("ext_oneapi_cuda_cluster_group", [false; 5]),
            ("ext_oneapi_virtual_mem", [true, true, false, false, false]),
            ("ext_oneapi_graph", [true, true, false, false, false]),
            ("online_compiler", [true; 5]),
            ("ext_oneapi_tangle", [true, false, true, false, false]),
            ("host_debuggable", [true, true, false, false, false]),
            // Hardware that this build has not met.
            ("#103", [true; 5]),
        ] {
            assert_eq!(on(name), expected, "{name}");
        }
        assert!(ROWS.iter().all(|row| row.why.len() > 5 && !row.why.ends_with('.')), "every verdict has its reason");
    }

    #[test]
    fn numbers_of_2025() {
        for (number, name) in [
            (6, Some("fp64")),
            (16, Some("usm_restricted_shared_allocations")),
            (25, None),
            (26, Some("usm_atomic_host_allocations")),
            (28, Some("atomic64")),
            (34, Some("ext_oneapi_cuda_async_barrier")),
            (35, None),
            (41, Some("ext_intel_legacy_image")),
            (46, Some("ext_oneapi_external_memory_import")),
            (47, None),
            (48, Some("ext_oneapi_external_semaphore_import")),
            (52, Some("ext_oneapi_mipmap_level_reference")),
            (53, Some("ext_intel_esimd")),
            (55, Some("ext_oneapi_chunk")),
            (56, None),
            (57, Some("ext_oneapi_tangle")),
            (58, Some("ext_intel_matrix")),
            (61, Some("ext_oneapi_graph")),
            (62, None),
            (64, Some("ext_oneapi_private_alloca")),
            (70, Some("ext_oneapi_bindless_sampled_image_fetch_2d")),
            (71, None),
            (72, Some("ext_oneapi_bindless_sampled_image_fetch_3d")),
            (80, Some("ext_oneapi_atomic16")),
            (87, Some("ext_oneapi_async_memory_alloc")),
            (88, None),
        ] {
            let aspect = Aspect::from_number_of_2025(number);
            assert_eq!((aspect.name(), aspect.as_foreign()), (name, name.is_none().then_some(number)), "{number}");
        }
    }

    #[test]
    fn unknown_number_keeps_its_number() {
        assert_eq!(Aspect::from_number(103).to_string(), "#103");
        assert_eq!(Aspect::from_number(6).to_string(), "fp64");
        assert_eq!(Aspect::from_name("ext_intel_gpu_bdw").map(Aspect::number), Some(10_000));
    }
}
