//! Sanitizers of kernels on the embedded CPU device: the program's own, which is linked with their functions.

/// Those that watch what kernels do. Others watch the whole process (`thread`, `memory`), need the host's linker (`cfi`) or the host's
/// types (`vptr`, `function`), and go to the host's pass alone.
const OF_KERNELS: [&str; 37] = [
    "address",
    "alignment",
    "array-bounds",
    "bool",
    "bounds",
    "builtin",
    "enum",
    "float-cast-overflow",
    "float-divide-by-zero",
    "implicit-bitfield-conversion",
    "implicit-conversion",
    "implicit-integer-arithmetic-value-change",
    "implicit-integer-conversion",
    "implicit-integer-sign-change",
    "implicit-integer-truncation",
    "implicit-signed-integer-truncation",
    "implicit-unsigned-integer-truncation",
    "integer",
    "integer-divide-by-zero",
    "local-bounds",
    "nonnull-attribute",
    "null",
    "nullability",
    "nullability-arg",
    "nullability-assign",
    "nullability-return",
    "object-size",
    "pointer-overflow",
    "return",
    "returns-nonnull-attribute",
    "shift",
    "signed-integer-overflow",
    "undefined",
    "unreachable",
    "unsigned-integer-overflow",
    "unsigned-shift-base",
    "vla-bound",
];

/// What says how a finding is told and not which are looked for.
const MANNERS: [&str; 7] = [
    "-fsanitize-recover",
    "-fno-sanitize-recover",
    "-fsanitize-trap",
    "-fno-sanitize-trap",
    "-fsanitize-undefined-",
    "-fsanitize-ignorelist=",
    "-fsanitize-address-use-after-scope",
];

/// The options of a pass for the embedded CPU, of the host's; none if no sanitizer watches kernels.
pub fn of_kernels<'a>(host: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut address, mut any) = (false, false);
    for word in host {
        if let Some(kinds) = word.strip_prefix("-fsanitize=") {
            let kinds: Vec<&str> = kinds.split(',').filter(|kind| is_of_kernels(kind)).collect();
            if !kinds.is_empty() {
                (any, address) = (true, address || kinds.contains(&"address"));
                words.push(format!("-fsanitize={}", kinds.join(",")));
            }
        } else if let Some(kinds) = word.strip_prefix("-fno-sanitize=") {
            let all = kinds.split(',').any(|kind| kind == "all");
            (any, address) = (any && !all, address && !all && !kinds.split(',').any(|kind| kind == "address"));
            words.push(word.to_owned());
        } else if MANNERS.iter().any(|manner| word.starts_with(manner)) {
            words.push(word.to_owned());
        }
    }
    if !any {
        return Vec::new();
    }
    // `undefined` stands for these, too.
    words.push("-fno-sanitize=vptr,function".into());
    if address {
        // Global variables are registered by constructors, which images have none of.
        words.extend(["-mllvm".into(), "-asan-globals=0".into()]);
    }
    words
}

fn is_of_kernels(kind: &str) -> bool {
    OF_KERNELS.contains(&kind) || kind.starts_with("shift-")
}

#[cfg(test)]
mod tests {
    use super::of_kernels;

    #[test]
    fn options() {
        let check = |host: &str, expected: &str| assert_eq!(of_kernels(host.split(' ')).join(" "), expected, "{host}");
        const NOT: &str = "-fno-sanitize=vptr,function";
        check("-O2 -g", "");
        check("-fsanitize=thread -fsanitize-recover=all", "");
        check("-fsanitize=address", &format!("-fsanitize=address {NOT} -mllvm -asan-globals=0"));
        check("-fsanitize=address -fno-sanitize=address", &format!("-fsanitize=address -fno-sanitize=address {NOT}"));
        check("-fsanitize=undefined -fno-sanitize=all", "");
        check("-fno-sanitize=all -fsanitize=shift-base", &format!("-fno-sanitize=all -fsanitize=shift-base {NOT}"));
        check(
            "-fsanitize=address,undefined,leak -Wall -fno-sanitize-recover=undefined -fsanitize-trap=shift -fno-sanitize=null",
            &format!(
                "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fsanitize-trap=shift -fno-sanitize=null {NOT} -mllvm -asan-globals=0"
            ),
        );
    }
}
