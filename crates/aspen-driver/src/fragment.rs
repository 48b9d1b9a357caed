//! Entries of a compilation database, as `-MJ` and `-gen-cdb-fragment-path` of clang write them. There is one for a source, whatever its
//! passes, and it names what the user gets. Who runs its command makes that again, and clangd reads it with what `aspen clangd-config` prints,
//! which takes away one word at a time: values that stand alone would be files to it. Source: clang 22, `clang/lib/Driver/ToolChains/Clang.cpp`, by what it writes.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::args::known::{self, Meaning};
use crate::args::{Fragment, Options, Stage, response};
use crate::compile::Compiled;
use crate::error::Error;
use crate::object_file::write_whole;

const TARGETS: &str = "-fsycl-targets=";

/// What entries repeat of an option and its value, as the user gave them: how a source is compiled, in words that clangd or clang knows how
/// to read. Not which source, what is written and where, and what only a link needs.
pub fn repeated(taken: Vec<String>) -> Vec<String> {
    let word = taken[0].as_str();
    match known::read(word, &mut taken.iter().skip(1).cloned()) {
        Ok(Some(Meaning::Words(words))) => return words,
        Ok(Some(Meaning::Nothing | Meaning::Warn(_))) => return Vec::new(),
        Ok(None) | Err(_) => {}
    }
    if word.starts_with("-Xsycl-target-frontend") {
        let words = response::split(taken.last().map(String::as_str).unwrap_or_default());
        return words.into_iter().flat_map(|word| ["-Xarch_device".to_owned(), word]).collect();
    }
    let is_output = word.starts_with("-o") && !word.starts_with("-object-file-name") || word.starts_with("--output");
    let is_stage = matches!(word, "-c" | "--compile" | "-S" | "--assemble");
    let is_list = word.starts_with("-M") || matches!(word, "--write-dependencies" | "--write-user-dependencies");
    let starts = ["-x", "-Xs", "-j", "-save-temps", "--save-temps", "-gen-cdb-fragment-path", "-fsycl-aot-", "-fsycl-dump-device-code"];
    match is_output || is_stage || is_list || starts.iter().any(|start| word.starts_with(start)) {
        true => Vec::new(),
        false => taken,
    }
}

/// Writes the entries of the sources that were compiled, if the user wants them. `executable` is `aspen++`.
///
/// # Errors
/// If a file cannot be written.
pub fn write(options: &Options, executable: &Path, compiled: &[Compiled]) -> Result<(), Error> {
    let Some(wanted) = &options.fragment else { return Ok(()) };
    let folder = std::env::current_dir().map_err(|error| Error::file("find", ".".as_ref(), error))?;
    let mut all = String::new();
    for one in compiled {
        let input = &options.inputs[one.input];
        // The object of a link is gone when somebody reads this; clang names one that is, too.
        let output = if options.stage == Stage::Link { PathBuf::from(format!("{}.o", input.stem())) } else { one.object.clone() };
        let stage = if options.stage == Stage::Assembly { "-S" } else { "-c" };
        let mut arguments = vec![executable.display().to_string()];
        arguments.extend(options.repeated.iter().filter(|word| options.targets.is_none() || !word.starts_with(TARGETS)).cloned());
        // As they were settled: some names of targets mean what a word for their compiler says.
        arguments.extend(options.targets.iter().map(|targets| format!("{TARGETS}{}", targets.join(","))));
        arguments.push(stage.to_owned());
        arguments.extend(input.language.iter().map(|language| format!("-x{language}")));
        arguments.extend([input.path.clone(), "-o".into(), output.display().to_string()]);
        let entry = json!({ "directory": folder.to_string_lossy(), "file": input.path, "output": output.to_string_lossy(), "arguments": arguments });
        let line = format!("{entry},\n");
        match wanted {
            Fragment::File(_) => all.push_str(&line),
            Fragment::Folder(folder) => {
                std::fs::create_dir_all(folder).map_err(|error| Error::file("write", folder, error))?;
                let digest = blake3::hash(line.as_bytes()).to_hex();
                let name = Path::new(&input.path).file_name().unwrap_or_default().to_string_lossy();
                write_whole(&folder.join(format!("{name}.{}.json", &digest[..4])), line.as_bytes(), false)?;
            }
        }
    }
    match wanted {
        Fragment::File(file) => write_whole(file, all.as_bytes(), false),
        Fragment::Folder(_) => Ok(()),
    }
}
