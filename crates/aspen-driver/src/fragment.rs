//! Entries of a compilation database, as `-MJ` and `-gen-cdb-fragment-path` of clang write them. There is one for a source, whatever its
//! passes, and it names what the user gets. Source: clang 22, `clang/lib/Driver/ToolChains/Clang.cpp`, by what it writes.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::args::{Fragment, Options, Stage};
use crate::compile::Compiled;
use crate::error::Error;
use crate::object_file::write_whole;

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
        arguments.extend(options.host_words());
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
