//! Precompiled headers: one of clang's for each pass, in a folder beside the file that the user names.
//!
//! A precompiled header of clang's serves the pass that made it, with the same options. So `-x c++-header` writes two things: the file
//! `pre.h.pch`, which includes the header as text, and the folder `pre.h.pch.passes`, where each pass finds its own by a hash of what must
//! be equal. A pass that finds none reads the text, so nothing depends on the folder but time. Clang's driver makes none for device passes;
//! its compiler proper does, when told directly. Source: docs/decisions/0028.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use aspen_analysis::PassReport;

use crate::args::{Input, InputKind, Options, Stage, Word};
use crate::error::Error;
use crate::janitor;
use crate::object_file::write_whole;

mod beginning;
mod kept;

pub use kept::Kept;

/// The first line of what we write.
const MARK: &str = "// A precompiled header of aspen++: the header as text\n";

/// In the folder: the tag of the header's own tokens, which a unit that uses it does not see.
const TAG: &str = "tag";

/// In the folder, while it is made: what the plugin says of the host pass.
const REPORT: &str = "host.report";

/// What a run has to do with precompiled headers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Precompiled {
    /// It makes them, in that folder.
    Make(PathBuf),
    /// It uses that file, and the folder beside it.
    Use(String),
    /// It makes SYCL's own header for the cache: [`Kept`] knows where.
    Keep,
}

impl Precompiled {
    /// Where the plugin's report of the host pass goes, if not among temporary files.
    pub fn report(&self) -> Option<PathBuf> {
        match self {
            Precompiled::Make(folder) => Some(folder.join(REPORT)),
            Precompiled::Use(_) | Precompiled::Keep => None,
        }
    }

    /// The words by which a pass makes or uses its own. `pass` is its kind, `arguments` are all that it has to agree on.
    pub fn words(&self, pass: &str, arguments: &[String]) -> Vec<String> {
        let to_compiler = |option: &str, value: &str| ["-Xclang", option, "-Xclang", value].map(str::to_owned);
        match self {
            Precompiled::Make(folder) => {
                let mut words = vec!["-Xclang".to_owned(), "-emit-pch".to_owned()];
                words.extend(to_compiler("-o", &folder.join(file_of(pass, arguments)).to_string_lossy()));
                words
            }
            Precompiled::Use(file) => {
                let folder = folder_of(file);
                let own = folder.join(file_of(pass, arguments));
                if !own.is_file() {
                    return vec!["-include".into(), file.clone()];
                }
                let tag = fs::read_to_string(folder.join(TAG)).unwrap_or_default();
                let words = to_compiler("-include-pch", &own.to_string_lossy());
                words.into_iter().chain(to_compiler("-plugin-arg-aspen", &format!("prefix={tag}"))).collect()
            }
            Precompiled::Keep => Vec::new(),
        }
    }

    /// What clang says, with the name that the user knows in the place of the one of a pass's own file.
    pub fn in_users_words(&self, said: Vec<u8>) -> Vec<u8> {
        let Precompiled::Use(file) = self else { return said };
        let folder = format!("{}/", folder_of(file).display());
        let Ok(text) = std::str::from_utf8(&said) else { return said };
        let mut parts = text.split(folder.as_str());
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out.push_str(file);
            out.push_str(part.split_once(".pch").map_or(part, |(_, rest)| rest));
        }
        out.into_bytes()
    }

    /// What to say if a pass with these words reads the text though the folder is there.
    pub fn complaint(&self, words: &[String]) -> Option<String> {
        let Precompiled::Use(file) = self else { return None };
        let reads_text = words.windows(2).any(|pair| pair[0] == "-include" && pair[1] == *file);
        (reads_text && folder_of(file).is_dir()).then(|| {
            format!(
                "'{file}' was made with other options, so the header is read as text; make it with those of this command [-Winvalid-pch]"
            )
        })
    }
}

/// The folder of a file that we wrote.
fn folder_of(file: &str) -> PathBuf {
    format!("{file}.passes").into()
}

/// What a pass's precompiled header is called: a hash of its kind and of the arguments that clang wants to be equal.
fn file_of(pass: &str, arguments: &[String]) -> String {
    let mut hash = blake3::Hasher::new();
    let mut add = |word: &str| {
        hash.update(word.as_bytes());
        hash.update(&[0]);
    };
    add(env!("CARGO_PKG_VERSION"));
    add(pass);
    decisive(arguments, &|_| true, add);
    format!("{}.pch", &hash.finalize().to_hex()[..16])
}

/// The arguments that clang wants to be equal. Where headers are looked for and which warnings are wanted may differ, and so may macros that
/// the header does not ask for.
fn decisive(arguments: &[String], asks_for: &dyn Fn(&str) -> bool, mut add: impl FnMut(&str)) {
    let mut rest = arguments.iter().map(String::as_str).peekable();
    while let Some(word) = rest.next() {
        let drops_value = match word {
            "-I" | "-isystem" | "-iquote" | "-idirafter" | "-include" => true,
            "-D" | "-U" => rest.peek().is_some_and(|macro_word| !asks_for(macro_name(macro_word))),
            "-Xclang" if rest.peek() == Some(&"-include") => {
                rest.next();
                rest.next(); // `-Xclang`
                true
            }
            _ => false,
        };
        if drops_value {
            rest.next();
            continue;
        }
        let unimportant = ["-I", "-W", "-isystem", "-iquote", "-idirafter", "-pedantic", "-fdiagnostics", "-fno-diagnostics"];
        let is_macro = word.strip_prefix("-D").or_else(|| word.strip_prefix("-U")).filter(|name| !name.is_empty());
        let is_asked_for = is_macro.is_none_or(|word| asks_for(macro_name(word)));
        let is_unimportant = unimportant.iter().any(|start| word.starts_with(start)) && !word.starts_with("-Wp,"); // the preprocessor's
        let says_nothing = ["-w", "-pipe", "-Qunused-arguments", "--gcc-toolchain="].contains(&word);
        if !says_nothing && is_asked_for && !is_unimportant {
            add(word);
        }
    }
}

/// `F` of `F(x)=x`.
fn macro_name(definition: &str) -> &str {
    definition.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default()
}

/// A header that is being precompiled.
pub struct Making {
    /// The run that does it.
    pub options: Options,
    folder: tempfile::TempDir,
    header: PathBuf,
    output: String,
    is_file: bool,
}

/// If the run is to precompile a header: how.
///
/// # Errors
/// If several headers are given, or if nothing can be written where the result goes.
pub fn making(options: &Options) -> Result<Option<Making>, Error> {
    if !options.inputs.iter().any(Input::is_header) || !matches!(options.stage, Stage::Object | Stage::Link) || options.print_only {
        return Ok(None);
    }
    let [input] = options.inputs.as_slice() else {
        return Err(Error::Usage("a header is precompiled alone; give each header and the sources commands of their own".into()));
    };
    let output = options.output.clone().unwrap_or_else(|| format!("{}.pch", input.path));
    let header = std::path::absolute(&input.path).map_err(|error| Error::file("find", input.path.as_ref(), error))?;
    let parent = Path::new(&output).parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // `/dev/null` and the like have no folder beside them.
    let is_file = fs::metadata(&output).map_or(true, |found| found.is_file());
    let place = if is_file { parent.to_path_buf() } else { std::env::temp_dir() };
    let folder = janitor::folder(".aspen-", &place).map_err(|error| Error::temporary("write", output.as_ref(), &error))?;
    let mut made = options.clone();
    made.stage = Stage::Syntax;
    made.precompiled = Some(Precompiled::Make(folder.path().to_path_buf()));
    made.output = Some(output.clone());
    for input in &mut made.inputs {
        (input.language, input.kind) = (Some("c++".into()), InputKind::Sycl);
    }
    // CMake says what clang's driver would say to its compiler by itself.
    made.words.retain(|word| !matches!(word, Word::All(words) if *words == ["-Xclang", "-emit-pch"]) && !is_about_headers(word));
    // It is read as a main file here.
    made.words.push(Word::All(vec!["-Wno-pragma-once-outside-header".into()]));
    Ok(Some(Making { options: made, folder, header, output, is_file }))
}

impl Making {
    /// Puts what the passes have made where it belongs.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<(), Error> {
        let failed = |error| Error::file("write", self.output.as_ref(), error);
        let made = folder_of(&self.output);
        if made.is_dir() {
            fs::remove_dir_all(&made).map_err(|error| Error::file("remove", &made, error))?;
        }
        let report = self.folder.path().join(REPORT);
        let said = fs::read(&report).ok().and_then(|bytes| PassReport::from_bytes(&bytes).ok()).unwrap_or_default();
        // Clang does not know our groups, so pragmas about them would be lost: such a header is read as text.
        if self.is_file && !said.pragmas {
            write_whole(&self.folder.path().join(TAG), said.tag.unwrap_or_default().as_bytes(), false)?;
            if report.exists() {
                fs::remove_file(&report).map_err(|error| Error::file("remove", &report, error))?;
            }
            // The folder is no longer temporary: it may be read by whoever may read the folder that it is in.
            fs::set_permissions(self.folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).map_err(failed)?;
            fs::rename(self.folder.keep(), &made).map_err(failed)?;
        }
        write_whole(Path::new(&self.output), format!("{MARK}#include \"{}\"\n", self.header.display()).as_bytes(), false)
    }
}

/// Options that say how to precompile, which CMake gives only there. Templates of a header are instantiated in the unit, where the plugin
/// has to see the kernels that they launch.
fn is_about_headers(word: &Word) -> bool {
    let Word::All(words) = word else { return false };
    words[0].starts_with("-fpch-") || *words == ["-Xclang", "-fno-pch-timestamp"]
}

/// Finds the precompiled header that a command line uses: by `-include-pch FILE`, in the form that CMake writes
/// (`-Xclang -include-pch -Xclang FILE`), or by `-include HEADER` with `HEADER.pch` beside it.
///
/// # Errors
/// If a file is no precompiled header of ours and a SYCL source would be compiled with it.
pub fn used(mut options: Options) -> Result<Options, Error> {
    if !options.inputs.iter().any(|input| input.kind == InputKind::Sycl) {
        return Ok(options);
    }
    let mut words = Vec::with_capacity(options.words.len());
    let mut found: Option<String> = None;
    let mut rest = std::mem::take(&mut options.words).into_iter().filter(|word| !is_about_headers(word)).peekable();
    while let Some(word) = rest.next() {
        let file = match &word {
            Word::All(word) if word[0] == "-include-pch" => word.get(1).cloned(),
            Word::All(word) if *word == ["-Xclang", "-include-pch"] => match rest.next_if(|next| matches!(next, Word::All(_))) {
                Some(Word::All(next)) => next.get(1).cloned(),
                _ => None,
            },
            Word::All(given) if matches!(given[0].as_str(), "-include" | "--include") && given.len() == 2 => {
                let header = &given[1];
                let beside = format!("{header}.pch");
                if found.is_none() && is_ours(Path::new(&beside)).unwrap_or(false) {
                    found = Some(beside);
                } else if [&beside, &format!("{header}.gch")].iter().any(|file| Path::new(file).exists()) {
                    // So that clang does not take what lies there, which is of another kind or for another pass.
                    words.extend(["-include", header].map(|word| Word::All(vec!["-Xclang".into(), word.to_owned()])));
                } else {
                    words.push(word);
                }
                continue;
            }
            _ => None,
        };
        match file {
            Some(file) => {
                if !is_ours(Path::new(&file)).map_err(|error| Error::file("read", file.as_ref(), error))? {
                    return Err(Error::Usage(format!(
                        "'{file}' is no precompiled header of aspen++, and clang's own serve one pass only; make it with 'aspen++ -x c++-header'"
                    )));
                }
                match found {
                    None => found = Some(file),
                    Some(_) => words.push(Word::All(vec!["-include".into(), file])),
                }
            }
            None => words.push(word),
        }
    }
    options.words = words;
    options.precompiled = found.map(Precompiled::Use);
    Ok(options)
}

/// Whether we wrote that file.
fn is_ours(file: &Path) -> Result<bool, std::io::Error> {
    let mut start = Vec::new();
    fs::File::open(file)?.take(MARK.len() as u64).read_to_end(&mut start)?;
    Ok(start == MARK.as_bytes())
}
