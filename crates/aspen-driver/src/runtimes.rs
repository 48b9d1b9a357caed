//! Libraries that clang's own options need at the link (`-fsanitize=`, coverage): Debian has them in a package of its own, which the
//! linker's words about a file that is not there do not tell. Source: issue "The people's side", 7.

use std::collections::BTreeSet;

/// Debian's package of clang's runtime libraries.
const PACKAGE: &str = "libclang-rt-22-dev";
/// How each of their files begins.
const PREFIX: &str = "libclang_rt.";

/// What a failed link is to be told about runtime libraries of clang that it did not find; empty if that is not why it failed.
pub fn advice(words: &str) -> Option<String> {
    // GNU's linkers, lld and mold.
    let says_missing = |line: &&str| ["cannot find ", "cannot open "].iter().any(|word| line.contains(word));
    let names: BTreeSet<&str> = words.lines().filter(says_missing).filter_map(name).collect();
    if names.is_empty() {
        return None;
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
        assert_eq!(advice("ld: undefined reference to `libclang_rt.x'\nld: cannot find -lfoo\n"), None);
    }
}
