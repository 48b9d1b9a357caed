//! What clang writes beside the object: notes for coverage, traces, split debug information, remarks.
//!
//! Host passes write their objects into a scratch folder, so each such file is named here as clang would have named it.
//! Source: clang 22, `-###` of each option with `-c`, `-o`, `-dumpdir` and at a link.

use std::path::Path;

use crate::args::{Input, Options, Stage};

/// The words that go behind those of a host pass of `input`, which writes an object or assembly.
pub fn words(options: &Options, input: &Input, words: &[String]) -> Vec<String> {
    let names = Names { options, input, words };
    let mut added = Vec::new();
    if options.stage == Stage::Preprocess && options.output.as_deref().is_some_and(|output| output != "-") && names.has(&["-ftime-trace"]) {
        // The text goes to standard output, and where from there is our matter.
        added.push(format!("-ftime-trace={}.json", names.dumped()));
    }
    if matches!(options.stage, Stage::Preprocess | Stage::Syntax) {
        return added;
    }
    if names.has(&["--coverage", "-coverage", "-ftest-coverage", "-fprofile-arcs"]) {
        let trunk = absolute(&names.dumped());
        let folder = names.value("-fprofile-dir=").unwrap_or_default(); // what runs write may go elsewhere
        proper(&mut added, &[format!("-coverage-notes-file={trunk}.gcno"), format!("-coverage-data-file={folder}{trunk}.gcda")]);
    }
    if let Some(place) = names.last(|word| word == "-ftime-trace" || word.starts_with("-ftime-trace=")) {
        let file = format!("{}.json", names.dumped());
        match place.strip_prefix("-ftime-trace=") {
            None => added.push(format!("-ftime-trace={file}")),
            Some(folder) if Path::new(folder).is_dir() => {
                let name = Path::new(&file).file_name().unwrap_or_default();
                added.push(format!("-ftime-trace={}", Path::new(folder).join(name).display()));
            }
            Some(_) => {}
        }
    }
    if names.last(|word| word.starts_with("-gsplit-dwarf") || word == "-gno-split-dwarf").is_some_and(|word| word != "-gno-split-dwarf")
        && !names.has(&["-gsplit-dwarf=single"])
    {
        let file = format!("{}.dwo", names.dumped());
        proper(&mut added, &["-split-dwarf-file".into(), file.clone(), "-split-dwarf-output".into(), file]);
    }
    if names.has(&["-fstack-usage"]) {
        proper(&mut added, &["-stack-usage-file".into(), format!("{}.su", names.object())]);
    }
    let remarks = names.last(|word| word.starts_with("-fsave-optimization-record") || word == "-fno-save-optimization-record");
    if remarks.is_some_and(|word| !word.starts_with("-fno-")) && names.value("-foptimization-record-file=").is_none() {
        let format = remarks.and_then(|word| word.strip_prefix("-fsave-optimization-record=")).unwrap_or("yaml");
        let trunk = if options.stage == Stage::Link { input.stem().into() } else { names.object() };
        added.push(format!("-foptimization-record-file={trunk}.opt.{format}"));
    }
    added
}

/// How clang names files for one input.
struct Names<'a> {
    options: &'a Options,
    input: &'a Input,
    words: &'a [String],
}

impl Names<'_> {
    /// Without an ending: by `-dumpdir`, else as the object; a link has a file for each source, named after both.
    fn dumped(&self) -> String {
        let folder = self.words.iter().rposition(|word| word == "-dumpdir").and_then(|index| self.words.get(index + 1));
        match (folder, self.options.stage) {
            (Some(start), _) => format!("{start}{}", self.input.stem()),
            (None, Stage::Link) => format!("{}-{}", self.options.output.as_deref().unwrap_or("a"), self.input.stem()),
            (None, _) => self.object(),
        }
    }

    /// The output without its ending.
    fn object(&self) -> String {
        let output = self.options.output.as_deref().filter(|output| *output != "-");
        output.map_or_else(|| self.input.stem().to_owned(), |output| Path::new(output).with_extension("").display().to_string())
    }

    fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }

    fn value(&self, start: &str) -> Option<&str> {
        self.words.iter().rev().find_map(|word| word.strip_prefix(start))
    }

    fn last(&self, wanted: impl Fn(&str) -> bool) -> Option<&str> {
        self.words.iter().map(String::as_str).rfind(|word| wanted(word))
    }
}

/// Options of the compiler proper, which takes the last of each: the driver's own come before.
fn proper(added: &mut Vec<String>, words: &[String]) {
    added.extend(words.iter().flat_map(|word| ["-Xclang".to_owned(), word.clone()]));
}

fn absolute(path: &str) -> String {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::args::{Invocation, parse};

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let Ok(Invocation::Run(options)) = parse(line.split_whitespace().map(str::to_owned).collect()) else { panic!("{line}") };
        let here = std::env::current_dir().expect("a folder");
        let added = words(&options, &options.inputs[0], &options.host_words()).join(" ");
        let added = added.replace(&format!("{}/", here.display()), "HERE/").replace("-Xclang ", "");
        assert_eq!(added, expected, "{line}");
    }

    #[test]
    fn files_are_named_as_clang_names_them() {
        let notes = |trunk: &str| format!("-coverage-notes-file=HERE/{trunk}.gcno -coverage-data-file=HERE/{trunk}.gcda");
        check("--coverage -c s/b.cpp", &notes("b"));
        check("--coverage -c b.cpp -o q/r.x.o", &notes("q/r.x"));
        check("--coverage b.cpp", &notes("a-b"));
        check("--coverage b.cpp -o q/zz.x", &notes("q/zz.x-b"));
        check("--coverage -c b.cpp -o q/r.o -dumpdir w/k-", &notes("w/k-b"));
        check("-ftest-coverage -fprofile-dir=/d -c b.cpp", "-coverage-notes-file=HERE/b.gcno -coverage-data-file=/dHERE/b.gcda");
        check("-ftime-trace b.cpp -o zz", "-ftime-trace=zz-b.json");
        check("-ftime-trace -c b.cpp -o q/r", "-ftime-trace=q/r.json");
        check("-ftime-trace=src -c b.cpp -o q/r.o", "-ftime-trace=src/r.json");
        check("-ftime-trace=x.json -c b.cpp", "");
        check("-g -gsplit-dwarf -c b.cpp -o q/r.o", "-split-dwarf-file q/r.dwo -split-dwarf-output q/r.dwo");
        check("-g -gsplit-dwarf=single -c b.cpp", "");
        check("-fsave-optimization-record b.cpp -o zz", "-foptimization-record-file=b.opt.yaml");
        check("-fsave-optimization-record=bitstream -c b.cpp -o q/r.o", "-foptimization-record-file=q/r.opt.bitstream");
        check("-fstack-usage -c b.cpp -o q/r.o", "-stack-usage-file q/r.su");
        check("-E --coverage b.cpp", "");
        check("-E -ftime-trace b.cpp -o q/k.i", "-ftime-trace=q/k.json");
        check("-E -ftime-trace b.cpp", "");
    }
}
