//! Libraries that clang's own options need at the link (`-fsanitize=`, coverage, `-fopenmp`): Debian has them in packages of their own, which
//! the linker's words about a file that is not there do not tell. Source: issue "The people's side", 7.

use std::collections::BTreeSet;

/// Debian's package of clang's runtime libraries.
const PACKAGE: &str = "libclang-rt-22-dev";
/// How each of their files begins.
const PREFIX: &str = "libclang_rt.";

/// Debian's package of what `-fopenmp` links.
const OPENMP_PACKAGE: &str = "libomp-22-dev";

/// How GNU's linkers, lld and mold call that.
fn is_openmp(line: &str) -> bool {
    line.contains(" -lomp:") || line.ends_with(" -lomp") || line.ends_with(": omp")
}

/// What a failed link is to be told about runtime libraries of clang that it did not find; empty if that is not why it failed.
pub fn advice(words: &str) -> Option<String> {
    // GNU's linkers, lld and mold.
    let says_missing =
        |line: &&str| ["cannot find ", "cannot open ", "unable to find ", "not found: "].iter().any(|word| line.contains(word));
    let names: BTreeSet<&str> = words.lines().filter(says_missing).filter_map(name).collect();
    if names.is_empty() {
        let openmp = words.lines().filter(says_missing).any(is_openmp);
        return openmp.then(|| {
            format!("'-fopenmp' needs LLVM's OpenMP library, which is not installed: the Debian package {OPENMP_PACKAGE} brings it")
        });
    }
    let names: Vec<&str> = names.into_iter().collect();
    Some(format!(
        "{} of clang's runtime libraries {} not installed: the Debian package {PACKAGE} brings {}",
        names.join(", "),
        if names.len() == 1 { "is" } else { "are" },
        if names.len() == 1 { "it" } else { "them" }
    ))
}

fn name(line: &str) -> Option<&str> {
    let rest = &line[line.find(PREFIX)?..];
    Some(rest.split([':', '\'', '"', ' ', ',']).next().unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::advice;

    #[test]
    fn libraries_of_clang_that_are_missing() {
        let gnu = "/usr/bin/ld: cannot find /usr/lib/llvm-22/lib/clang/22/lib/x/libclang_rt.asan.a: No such file or directory\n\
                   /usr/bin/ld: cannot find /usr/lib/llvm-22/lib/clang/22/lib/x/libclang_rt.asan_cxx.a: No such file or directory\n\
                   /usr/bin/ld: cannot find -lnone: No such file or directory\n";
        let said = advice(gnu).expect("two libraries");
        assert!(said.starts_with("libclang_rt.asan.a, libclang_rt.asan_cxx.a of clang's runtime libraries are not installed"), "{said}");
        let lld = "ld.lld: error: cannot open /usr/lib/x/libclang_rt.profile.a: No such file or directory\n";
        let said = advice(lld).expect("one library");
        assert!(
            said.starts_with("libclang_rt.profile.a of clang's runtime libraries is not installed: the Debian package libclang-rt-22-dev")
        );
        for openmp in [
            "/usr/bin/ld: cannot find -lomp: No such file or directory\n",
            "ld.lld: error: unable to find library -lomp\n",
            "mold: fatal: library not found: omp\n",
        ] {
            let said = advice(openmp).expect("LLVM's OpenMP");
            assert!(said.ends_with("the Debian package libomp-22-dev brings it"), "{said}");
        }
        assert_eq!(advice("ld: undefined reference to `libclang_rt.x'\nld: cannot find -lfoo\nld: cannot find -lompl: no\n"), None);
    }
}
