//! `aspen-tblgen -gen-dynamic-tables -I DIR in.td -o out.inc`: llvm-tblgen's command line, with one backend more.
//!
//! Exit codes: 0, 1 for a file that makes no table, 2 for wrong usage. A failed run leaves an older output as it was.

use std::env;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aspen_tblgen::{cpp, dump, rust, tables};

const HELP: &str = "\
Writes tables that TableGen files describe (see DynamicTable.td)

Usage: aspen-tblgen ACTION [-I DIR]… [-D NAME]… IN.td [-o OUT]

Actions:
  -gen-dynamic-tables  C++: a std::map for each record of class DynamicTable, to be included after the type of its entries
  -gen-rust-tables     Rust: a module with a slice for each, whose parent defines the type of its entries

Options:
  -I DIR   where included files are looked for, besides the folder that the program runs in
  -D NAME  defines a macro of TableGen's preprocessor
  -o OUT   the file to write; standard output without it
  --help, --version";

#[derive(Clone, Copy)]
enum Language {
    Cpp,
    Rust,
}

struct Arguments {
    language: Language,
    input: PathBuf,
    output: Option<PathBuf>,
    passed_on: Vec<OsString>,
}

fn main() -> ExitCode {
    let arguments = match parse(env::args_os().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => return ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("aspen-tblgen: error: {message}\nFor the usage, try '--help'.");
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// `None` if all that was asked for has been printed.
fn parse(mut words: impl Iterator<Item = OsString>) -> Result<Option<Arguments>, String> {
    let (mut language, mut input, mut output, mut passed_on) = (None, None, None, Vec::new());
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        let mut value = |name: &str| words.next().ok_or_else(|| format!("'{name}' needs a value"));
        match text.as_str() {
            "-h" | "-help" | "--help" => {
                println!("{HELP}");
                return Ok(None);
            }
            "-version" | "--version" => {
                println!("aspen-tblgen {}", env!("CARGO_PKG_VERSION"));
                return Ok(None);
            }
            "-gen-dynamic-tables" | "--gen-dynamic-tables" => language = Some(Language::Cpp),
            "-gen-rust-tables" | "--gen-rust-tables" => language = Some(Language::Rust),
            "-o" => output = Some(PathBuf::from(value("-o")?)),
            "-I" | "-D" => {
                let mut joined = word.clone();
                joined.push(value(&text)?);
                passed_on.push(joined);
            }
            _ if text.starts_with("-I") || text.starts_with("-D") => passed_on.push(word),
            _ if text.starts_with('-') && text != "-" => return Err(format!("unknown option '{text}'")),
            _ => {
                if let Some(first) = input.replace(PathBuf::from(word)) {
                    return Err(format!("two files to read, '{}' and '{text}'", first.display()));
                }
            }
        }
    }
    let language = language.ok_or("nothing to do: give '-gen-dynamic-tables' or '-gen-rust-tables'")?;
    let input = input.ok_or("no file to read")?;
    Ok(Some(Arguments { language, input, output, passed_on }))
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let error = |message: String| format!("aspen-tblgen: error: {message}");
    let json = dump(&arguments.input, &arguments.passed_on).map_err(|problem| error(problem.to_string()))?;
    let tables = tables(&json).map_err(|problem| match problem {
        aspen_tblgen::Error::Record { .. } => problem.to_string(),
        other => format!("{}: error: {other}", arguments.input.display()),
    })?;
    let text = match arguments.language {
        Language::Cpp => tables.iter().map(cpp).collect::<Vec<_>>().join("\n"),
        Language::Rust => rust(&tables, &arguments.input.file_name().unwrap_or_default().to_string_lossy()),
    };
    match &arguments.output {
        Some(file) => write(file, &text).map_err(|problem| error(format!("cannot write '{}': {problem}", file.display()))),
        None => match std::io::stdout().write_all(text.as_bytes()) {
            // A reader that goes away has read enough.
            Err(problem) if problem.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|problem| error(format!("cannot write: {problem}"))),
        },
    }
}

/// The file is there whole or not at all. What is no ordinary file (`/dev/stdout`) is written to.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    if file.exists() && !file.is_file() {
        return std::fs::write(file, text);
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().permissions(permissions()).tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// As `open` would make a file; the user's umask takes away what it takes away.
fn permissions() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}
