//! Every option of DPC++'s `sycl-post-link` that its drivers of 2024 to 2026 pass, and what becomes of it here. docs/POST_LINK.md shows this
//! table; a test holds the two together and tries each option. Source: FORMATS §4.1; DPC++'s driver.

/// What becomes of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Its work is done.
    Does,
    /// There is nothing to do, because.
    Nothing,
    /// It is an error, because.
    Refused,
}

/// Option as it is tried, what becomes of it, and in words.
pub const OPTIONS: [(&str, Standing, &str); 37] = [
    ("-o T,FILE", Standing::Does, "a table of the images that target `T` can run; an unknown target is an error, where DPC++ keeps all"),
    ("-out-dir=DIR", Standing::Does, "where the listed files go"),
    ("-split=source", Standing::Does, "images for each translation unit, split by what they need"),
    ("-split=kernel", Standing::Does, "an image for each kernel and exported function"),
    ("-split=auto", Standing::Does, "as `source`"),
    (
        "-split=none",
        Standing::Does,
        "not by source; what kernels need still splits, where DPC++ merges the needs and drops work-group sizes",
    ),
    ("-symbols", Standing::Does, "`.sym` files"),
    ("-properties", Standing::Does, "`.prop` files"),
    ("-S", Standing::Does, "text IR"),
    ("-f", Standing::Does, "bitcode also to a terminal"),
    (
        "-ir-output-only",
        Standing::Does,
        "one file of IR and no table; `-device-globals` and `-emit-param-info`, which drivers for OpenMP pass as well, write nothing then",
    ),
    ("-emit-kernel-names", Standing::Does, "`SYCL/kernel names`"),
    ("-emit-exported-symbols", Standing::Does, "`SYCL/exported symbols`"),
    ("-emit-imported-symbols", Standing::Does, "`SYCL/imported symbols`"),
    ("-emit-program-metadata", Standing::Does, "`SYCL/program metadata`"),
    (
        "-emit-param-info",
        Standing::Does,
        "`SYCL/kernel param opt`, from `!sycl_kernel_omit_args` or `!spir_kernel_omit_args`; written when empty, too",
    ),
    ("-emit-only-kernels-as-entry-points", Standing::Does, "exported functions alone make no image"),
    (
        "-device-globals",
        Standing::Does,
        "`SYCL/device globals`; a variable of `device_image_scope` that two images use is an error, with or without it",
    ),
    (
        "-allow-device-image-dependencies",
        Standing::Does,
        "images import exported functions of other images; all they call is in them or imported (functions with reserved names are in them, as in DPC++), and virtual functions that are called by name are copied into them",
    ),
    ("-support-dynamic-linking", Standing::Does, "the same; its name in 2024"),
    (
        "-spec-const=native",
        Standing::Does,
        "specialization constants of SPIR-V, lengths of `llvm.sycl.alloca` too; of a module that was lowered before only what it recorded is told",
    ),
    (
        "-spec-const=emulation",
        Standing::Does,
        "specialization constants read from a buffer of the runtime; `llvm.sycl.alloca` stays for SPIR-V and has its default length elsewhere",
    ),
    (
        "-spec-const=default_values",
        Standing::Does,
        "default values in place of specialization constants; no driver passes it, DPC++ has it as a mode of its pass",
    ),
    ("-generate-device-image-default-spec-consts", Standing::Does, "one image more with default values, for each that reads constants"),
    ("-device-lib-dir=DIR", Standing::Does, "adds the images of the two bfloat16 libraries in DIR if the module calls them, else nothing"),
    ("-id-queries-range=int", Standing::Does, "nothing to say: it is what runtimes assume"),
    ("-id-queries-range=uint", Standing::Does, "`idQueriesRange` 1 in `SYCL/misc properties`"),
    ("-id-queries-range=size_t", Standing::Does, "`idQueriesRange` 2 in `SYCL/misc properties`"),
    (
        "-split-esimd",
        Standing::Nothing,
        "no explicit SIMD kernel or exported function is in the module; one that is there is an error that names it",
    ),
    ("-lower-esimd", Standing::Nothing, "as `-split-esimd`"),
    ("-force-disable-esimd-opt", Standing::Nothing, "as `-split-esimd`"),
    ("-O0", Standing::Nothing, "about lowering explicit SIMD only; also `-O1`, `-O2`, `-O3`"),
    ("-Os", Standing::Nothing, "as `-O0`; also `-Oz`"),
    ("-spec-const=rt", Standing::Refused, "a spelling of before 2023; `native` is its name"),
    ("-spec-const=default", Standing::Refused, "a spelling of before 2023; `emulation` is its name"),
    ("-embed-aux-info-as-metadata", Standing::Refused, "sets are files here, and no metadata of the module"),
    ("-emit-device-lib-info", Standing::Refused, "no such option is known: device libraries are linked before post-link runs"),
];

/// The table as docs/POST_LINK.md has it.
pub fn table() -> String {
    let row = |(option, standing, words): &(&str, Standing, &str)| {
        let standing = match standing {
            Standing::Does => "does",
            Standing::Nothing => "has nothing to do",
            Standing::Refused => "refused",
        };
        format!("| `{option}` | {standing} | {words} |\n")
    };
    std::iter::once("| option | | what |\n|---|---|---|\n".to_owned()).chain(OPTIONS.iter().map(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arguments, Usage};

    #[test]
    fn each_is_taken_or_refused_as_the_table_says() {
        for (option, standing, _) in OPTIONS {
            let parsed = Arguments::parse(option.split(' ').chain(["x.bc"]).map(str::to_owned));
            match standing {
                Standing::Refused => assert!(matches!(parsed, Err(Usage::Wrong(_))), "{option}: {parsed:?}"),
                Standing::Does | Standing::Nothing => assert!(parsed.is_ok(), "{option}: {parsed:?}"),
            }
        }
    }

    #[test]
    fn nothing_is_taken_that_the_table_lacks() {
        // Aspen's own, which --help shows.
        const OURS: [&str; 3] = ["dialect", "device-config-file", "j"];
        for name in crate::arguments::names().filter(|name| !OURS.contains(name)) {
            let option = format!("-{name}");
            let is_it = |tried: &str| tried.strip_prefix(&option).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '=']));
            let beside = |words: &str| words.contains(&format!("`{option}`"));
            assert!(OPTIONS.iter().any(|(tried, _, words)| is_it(tried) || beside(words)), "{option} is in no row");
        }
    }

    #[test]
    fn the_docs_show_it() {
        let docs = include_str!("../../../docs/POST_LINK.md");
        assert!(docs.contains(&table()), "docs/POST_LINK.md should hold:\n{}", table());
    }
}
