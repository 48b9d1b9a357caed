//! Precompiled headers, for command lines that use them: the header is checked by every pass when it is made, and read as text when it is used.
//!
//! A precompiled header of clang's serves exactly one pass, clang makes none for SPIR-V, and the object's tag, which differs from unit to
//! unit, would be frozen in it. So what `-x c++-header` writes is a file that includes the header: nothing is lost, and nothing is gained
//! but that such builds work.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::args::{Input, InputKind, Options, Stage, Word};
use crate::error::Error;
use crate::object_file::write_whole;

/// The first line of what we write.
const MARK: &str = "// A precompiled header of aspen++: the header as text\n";

/// If the run is to precompile a header: the run that checks it, and where its stand-in goes.
///
/// # Errors
/// If several headers are given.
pub fn check_of(options: &Options) -> Result<Option<Options>, Error> {
    let is_header = |input: &Input| match input.language.as_deref() {
        Some(language) => language == "c++-header",
        None => matches!(extension(&input.path), "h" | "hh" | "hpp" | "hxx" | "H"),
    };
    if !options.inputs.iter().any(is_header) || !matches!(options.stage, Stage::Object | Stage::Link) || options.print_only {
        return Ok(None);
    }
    if options.inputs.len() > 1 {
        return Err(Error::Usage("a header is precompiled alone; give each header and the sources commands of their own".into()));
    }
    let mut check = options.clone();
    check.stage = Stage::Syntax;
    for input in &mut check.inputs {
        (input.language, input.kind) = (Some("c++".into()), InputKind::Sycl);
    }
    // It is read as a main file here.
    check.words.push(Word::All(vec!["-Wno-pragma-once-outside-header".into()]));
    Ok(Some(check))
}

/// Writes the stand-in of a header that was checked.
///
/// # Errors
/// If it cannot be written.
pub fn write(options: &Options) -> Result<(), Error> {
    let Some(input) = options.inputs.first() else { return Ok(()) };
    let header = std::path::absolute(&input.path).map_err(|error| Error::file("find", input.path.as_ref(), error))?;
    let output = options.output.clone().unwrap_or_else(|| format!("{}.pch", input.path));
    write_whole(Path::new(&output), format!("{MARK}#include \"{}\"\n", header.display()).as_bytes(), false)
}

/// `-include-pch FILE` becomes `-include FILE`, also in the form that CMake writes (`-Xclang -include-pch -Xclang FILE`).
///
/// # Errors
/// If a file is no precompiled header of ours and a SYCL source would be compiled with it.
pub fn as_text(mut options: Options) -> Result<Options, Error> {
    if !options.inputs.iter().any(|input| input.kind == InputKind::Sycl) {
        return Ok(options);
    }
    let mut words = Vec::with_capacity(options.words.len());
    let mut rest = std::mem::take(&mut options.words).into_iter().peekable();
    while let Some(word) = rest.next() {
        let file = match &word {
            Word::All(word) if word[0] == "-include-pch" => word.get(1).cloned(),
            Word::All(word) if *word == ["-Xclang", "-include-pch"] => match rest.next_if(|next| matches!(next, Word::All(_))) {
                Some(Word::All(next)) => next.get(1).cloned(),
                _ => None,
            },
            _ => None,
        };
        words.push(match file {
            Some(file) => Word::All(vec!["-include".into(), ours(file)?]),
            None => word,
        });
    }
    options.words = words;
    Ok(options)
}

fn ours(file: String) -> Result<String, Error> {
    let failed = |error| Error::file("read", file.as_ref(), error);
    let mut start = Vec::new();
    fs::File::open(&file).map_err(failed)?.take(MARK.len() as u64).read_to_end(&mut start).map_err(failed)?;
    if start != MARK.as_bytes() {
        return Err(Error::Usage(format!(
            "'{file}' is no precompiled header of aspen++, and clang's own serve one pass only; make it with 'aspen++ -x c++-header'"
        )));
    }
    Ok(file)
}

fn extension(path: &str) -> &str {
    Path::new(path).extension().and_then(|extension| extension.to_str()).unwrap_or("")
}
