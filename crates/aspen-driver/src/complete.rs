//! `aspen++ --autocomplete=WORD`: what the word that somebody is typing may become, for shells. Clang's option of that name answers for its own.

use std::collections::BTreeMap;

use aspen_devices::Database;

use crate::help::SECTIONS;
use crate::jobs::{self, Command};
use crate::toolchain;

/// Options whose value is a list of targets.
const OF_TARGETS: [&str; 2] = ["-fsycl-targets=", "-fsycl-fixed-targets="];

/// Lines of a word and, behind a tab, what it is; whole words where they are options, values behind the last `=` or `,` where they are values.
/// A compiler that cannot be asked adds none.
pub fn lines(word: &str) -> String {
    let mut found = BTreeMap::new();
    if let Some(option) = OF_TARGETS.iter().find(|option| word.starts_with(**option)) {
        let typed = word[option.len()..].rsplit(',').next().unwrap_or_default();
        let names = Database::builtin().names().filter(|name| name.starts_with(typed));
        found.extend(names.map(|name| (name.to_owned(), String::new())));
    } else {
        found.extend(of_clang(word));
        let own = SECTIONS.iter().flat_map(|section| section.options);
        for (option, about) in own {
            for name in option.split(", ").map(name_of).filter(|name| name.starts_with('-') && name.starts_with(word)) {
                found.insert(name.to_owned(), about.replace('\n', " "));
            }
        }
        for (option, value, about) in own_values() {
            if word.strip_prefix(option).is_some_and(|typed| value.starts_with(typed)) {
                found.insert(value.to_owned(), about.to_owned());
            }
        }
    }
    found.into_iter().map(|(name, about)| if about.is_empty() { format!("{name}\n") } else { format!("{name}\t{about}\n") }).collect()
}

/// `-fsycl-targets=` of `-fsycl-targets=T,...`, `-v` of `-v`.
fn name_of(option: &str) -> &str {
    let end = option.find(['=', ' ', '[']).unwrap_or(option.len());
    let with_sign = usize::from(option[end..].starts_with('='));
    &option[..end + with_sign]
}

/// Values that are words of a short list.
fn own_values() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lists: [(&str, &[&str]); 5] = [
        ("-fsycl-device-code-split=", &["per_kernel", "per_source", "auto", "off"]),
        ("-fsycl-optional-features=", &["split", "conditional"]),
        ("-fsycl-requirements=", &["source", "optimized"]),
        ("-fsycl-dialect=", &["seed", "dpcpp"]),
        ("-fdiagnostics-format=", &["text", "msvc", "vi", "json", "sarif"]),
    ];
    lists.into_iter().flat_map(|(option, values)| values.iter().map(move |value| (option, *value, "")))
}

/// Clang takes `-std=,c++` for a value that is being typed.
fn of_clang(word: &str) -> BTreeMap<String, String> {
    let asked = word.split_once('=').map_or_else(|| word.to_owned(), |(option, value)| format!("{option}=,{value}"));
    let Ok(clang) = toolchain::find_clang() else { return BTreeMap::new() };
    let Ok(said) = jobs::run(&Command::new(&clang, [format!("--autocomplete={asked}")])) else { return BTreeMap::new() };
    let text = said.stdout_text();
    let line = |line: &str| {
        let (name, about) = line.split_once('\t').unwrap_or((line, ""));
        (!name.trim().is_empty()).then(|| (name.trim().to_owned(), about.trim().to_owned()))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn words_become_options_and_values() {
        let check = |word: &str, expected: &str| {
            let found = lines(word);
            assert!(found.lines().any(|line| line.split('\t').next() == Some(expected)), "{word}: {found}");
        };
        check("-fsycl-tar", "-fsycl-targets=");
        check("-fsycl-targets=spir64,native", "native_cpu");
        check("-fsycl-fixed-targets=intel_gpu_pv", "intel_gpu_pvc");
        check("-fsycl-optional-features=c", "conditional");
        check("-fdiagnostics-format=s", "sarif");
        check("--expl", "--explain");
        check("-std=c++2", "c++20");
        check("-fcolor", "-fcolor-diagnostics");
        assert_eq!(lines("-fsycl-targets=spir64,none_such"), "");
    }
}
