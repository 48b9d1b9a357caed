//! What only the whole command line tells: warnings about it, and a standard that SYCL needs.

use std::path::Path;

use super::{Input, Options, Parser, Side, Stage, Word, table};

/// Whether what is to be linked stands in the linker's words alone: libraries, archives and objects. Questions (`-Wl,--version`) are none.
pub(super) fn is_link(options: &Options) -> bool {
    let words = options.words.iter().filter_map(|word| if let Word::Link(words) = word { Some(words) } else { None });
    let words: Vec<&str> = words.flatten().flat_map(|word| word.strip_prefix("-Wl,").unwrap_or(word).split(',')).collect();
    let asks = |word: &&str| matches!(*word, "-v" | "-V" | "--version" | "--help" | "-help");
    let is_file = |word: &str| !word.starts_with('-') && Path::new(word.trim_start_matches('@')).is_file();
    let is_input = |word: &&str| word.starts_with("-l") || word.starts_with("--library=") || is_file(word);
    options.stage == Stage::Link && options.side != Side::Device && !words.iter().any(asks) && words.iter().any(is_input)
}

impl Parser {
    /// Warnings that depend on the whole command line.
    pub(super) fn take_stock(&mut self) {
        if let Some(target) = self.frontends.first().filter(|_| self.options.targets.as_ref().is_none_or(|targets| targets.len() > 1)) {
            let note = format!(
                "'-Xsycl-target-frontend={target}': all device passes get these options, since all have to see the same program \
                 [-Wunused-command-line-argument]"
            );
            self.note(note);
        }
        if self.is_sycl {
            self.take_newer_standard();
        }
        self.miss_jobs();
        self.miss_roots();
        let has = |flag: &str| self.options.words.iter().any(|word| matches!(word, Word::All(words) if words[0] == flag));
        if has("-Wno-unused-command-line-argument") || has("-Qunused-arguments") {
            self.options.notes.clear();
        }
        let unknown: Vec<String> = if has("-Wno-unknown-warning-option") { Vec::new() } else { self.options.warnings.unknown().collect() };
        if self.options.inputs.iter().any(Input::is_deprecated_c) && !has("-Wno-deprecated") {
            self.note("treating 'c' input as 'c++' when in C++ mode, this behavior is deprecated [-Wdeprecated]".into());
        }
        unknown.into_iter().for_each(|note| self.note(note));
        if self.options.warnings.is_silent() {
            self.options.notes.clear();
        }
    }

    /// Makefiles of SYCL 1.2.1's time say `-std=c++14`, with which no SYCL 2020 program compiles. Plain C++, which nobody calls SYCL by `-fsycl`,
    /// keeps its standard.
    fn take_newer_standard(&mut self) {
        let mut notes = Vec::new();
        for word in &mut self.options.words {
            if let Word::All(words) = word
                && let [word] = &mut words[..]
                && let Some(newer) = table::standard_of_sycl(word)
            {
                notes
                    .push(format!("'{word}' is taken for '{newer}', since SYCL 2020 is written in C++17 [-Wunused-command-line-argument]"));
                *word = newer.to_owned();
            }
        }
        for word in &mut self.options.repeated {
            if let Some(newer) = table::standard_of_sycl(word) {
                *word = newer.to_owned();
            }
        }
        notes.into_iter().for_each(|note| self.note(note));
    }
}
