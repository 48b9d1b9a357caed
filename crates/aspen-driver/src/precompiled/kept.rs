//! SYCL's header, precompiled by itself: kept in the user's cache, a file a pass and set of options, made once enough units ask for it.
//!
//! It only ever saves time: who finds none reads the text, and the object is the same byte for byte, but for debugging information
//! (`tests/kept_headers.rs`). So it is used where nothing before the header in the source or on the command line could mean anything to it.
//! Source: docs/decisions/0037.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aspen_analysis::PassReport;

use super::{Precompiled, beginning, decisive};
use crate::args::{Depfile, Input, InputKind, Options, Side, Stage, Word};
use crate::depfile;
use crate::error::Error;
use crate::jobs::{Command, Outcome};
use crate::modules::is_about_modules;
use crate::object_file::write_whole;
use crate::passes::Pass;
use crate::toolchain::Toolchain;

/// So many runs read the text before the header is made: making it costs what it saves one of them, and who stops earlier has paid at most
/// twice what was needed.
const ASKED: u64 = 1;

/// For so long a header that could not be made is not tried again: a full disk does not stay full.
const FAILED: Duration = Duration::from_secs(24 * 3600);

/// So old become notes of how often a header was asked for that was never made.
const FORGOTTEN: Duration = Duration::from_secs(30 * 24 * 3600);

/// Folders in which compilers' and libraries' headers appear.
const SYSTEM: [&str; 6] = [
    "/usr/include",
    "/usr/local/include",
    "/usr/include/c++",
    "/usr/include/x86_64-linux-gnu",
    "/usr/lib/gcc/x86_64-linux-gnu",
    "/etc/clang",
];

/// What a file of all identifiers of a header ends in.
const IDENTIFIERS: &str = "identifiers";

/// The kept headers of one installation.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    /// A hash of the tools and their headers' folder.
    identity: String,
    /// When this run began: what has changed since may not be what was read.
    opened: SystemTime,
    /// What headers name: identifiers, and as `<NAME` the first parts of what they include. Empty until one was made.
    names: BTreeSet<String>,
    /// Which files are as they were, asked once a run.
    unchanged: RefCell<HashMap<String, bool>>,
    /// Passes that found none.
    missing: RefCell<BTreeSet<PathBuf>>,
    given: Given,
}

/// What the command line says to all passes.
#[derive(Debug, Default)]
struct Given {
    /// Where quoted names are looked for, in order.
    folders: Vec<String>,
    /// Names that are macros from the beginning.
    macros: BTreeSet<String>,
}

impl Given {
    fn new(options: &Options) -> Given {
        let (host, device) = (options.host_words(), options.device_words());
        let folders = |words: &[String]| [values(words, &["-iquote"]), values(words, &["-I"])].concat();
        let macros = [values(&host, &["-D"]), values(&device, &["-D"])].concat();
        // Folders of some passes would be other headers for these.
        let folders = Some(folders(&host)).filter(|found| *found == folders(&device)).unwrap_or_default();
        Given { folders, macros: macros.iter().map(|word| super::macro_name(word).to_owned()).collect() }
    }
}

/// What options of these names are followed by, in the same word or the next one.
fn values(words: &[String], options: &[&str]) -> Vec<String> {
    let value = |(index, word): (usize, &String)| match options.iter().find_map(|option| word.strip_prefix(option))? {
        "" => words.get(index + 1).cloned(),
        value => Some(value.to_owned()),
    };
    words.iter().enumerate().filter_map(value).collect()
}

impl Kept {
    /// For a run that compiles SYCL sources as most do. `None`: it has its own way with headers, or nothing can be kept.
    pub fn open(options: &Options, toolchain: &Toolchain) -> Option<Kept> {
        let as_most_do = options.kept_headers
            && options.precompiled.is_none()
            && !options.host_words().iter().any(|word| is_about_modules(word))
            && options.side == Side::Both
            && matches!(options.stage, Stage::Syntax | Stage::Object | Stage::Link)
            && (!options.debug || is_unoptimised(options))
            && options.inputs.iter().any(|input| input.kind == InputKind::Sycl && input.text.is_none());
        if !as_most_do || crate::cache_is_off() || std::env::var_os("CCC_OVERRIDE_OPTIONS").is_some() || !options.words.iter().all(is_usual)
        {
            return None;
        }
        let folder = crate::cache_folder()?.join("headers");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
        let mut identity = blake3::Hasher::new();
        for file in [&toolchain.clang, &toolchain.plugin, &toolchain.include] {
            identity.update(state_of(file)?.as_bytes());
        }
        // What is installed later may come before what is found now.
        for folder in SYSTEM {
            identity.update(state_of(Path::new(folder)).unwrap_or_default().as_bytes());
        }
        if options.words.iter().any(is_about_this_processor) {
            identity.update(&processor()?);
        }
        let identity = identity.finalize().to_hex().to_string();
        let names = fs::read_to_string(folder.join(format!("{identity}.names"))).unwrap_or_default();
        let names = names.lines().map(str::to_owned).collect();
        let (unchanged, missing) = (RefCell::default(), RefCell::default());
        let kept = Kept { folder, identity, opened: SystemTime::now(), names, unchanged, missing, given: Given::new(options) };
        (kept.is_own() && !kept.is_shadowed(options)).then_some(kept)
    }

    /// What is in the folder decides what is compiled: it has to be the user's, and nobody else may write there.
    fn is_own(&self) -> bool {
        let Ok(probe) = tempfile::Builder::new().prefix(".tmp").tempfile_in(&self.folder) else { return false };
        let own = probe.as_file().metadata().map(|probe| probe.uid());
        let found = fs::metadata(&self.folder).map(|folder| (folder.uid(), folder.mode() & 0o022));
        own.is_ok_and(|uid| found.is_ok_and(|found| found == (uid, 0)))
    }

    /// Whether a folder of the user's has something that headers include, which would come before what they find now.
    fn is_shadowed(&self, options: &Options) -> bool {
        let words: Vec<String> = [options.host_words(), options.device_words()].concat();
        let given = values(&words, &["-isystem", "-iquote", "-idirafter", "-I"]).into_iter();
        let variables = ["CPATH", "CPLUS_INCLUDE_PATH"].into_iter().filter_map(|name| std::env::var(name).ok());
        let of_variables: Vec<String> = variables.flat_map(|value| value.split(':').map(str::to_owned).collect::<Vec<_>>()).collect();
        given.chain(of_variables).any(|folder| {
            let entries = fs::read_dir(if folder.is_empty() { Path::new(".") } else { Path::new(&folder) });
            entries.into_iter().flatten().flatten().any(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                let first = |header: &str| header.split('/').next() == Some(name.as_str());
                self.names_one(&format!("<{name}")) || beginning::INDIFFERENT.split_ascii_whitespace().any(first)
            })
        })
    }

    fn names_one(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether headers ask for that macro, as far as that is known. Reserved names and ours always count.
    fn asks_for(&self, name: &str) -> bool {
        name.is_empty() || name.starts_with('_') || name.contains("SYCL") || name.contains("ASPEN") || self.names_one(name)
    }

    /// Where the source includes SYCL's header, itself or by its own first header, if that may as well come first.
    pub fn serves(&self, input: &Input) -> Option<Vec<(String, usize)>> {
        let is_plain = input.kind == InputKind::Sycl && input.text.is_none() && input.language.as_deref().is_none_or(|name| name == "c++");
        let source = is_plain.then(|| fs::read_to_string(&input.path).ok()).flatten()?;
        let found = beginning::of(&input.path, &source, &|includer, name| self.own_header(includer, name))?;
        let minds = found.macros.iter().any(|name| self.asks_for(name)) || found.guards.iter().any(|name| self.given.macros.contains(name));
        let is_a_line = found.includes.iter().all(|(file, _)| !file.contains('\n'));
        (!minds && is_a_line).then_some(found.includes)
    }

    /// What a quoted name means to clang: a file beside the one that includes it, or in a folder of the user's. Absolute names are not looked at.
    fn own_header(&self, includer: &str, name: &str) -> Option<beginning::Own> {
        if Path::new(name).is_absolute() {
            return None;
        }
        let beside = Path::new(includer).parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folders = std::iter::once(beside).chain(self.given.folders.iter().map(Path::new));
        let file = folders.map(|folder| folder.join(name)).find(|file| file.is_file())?;
        let text = fs::read_to_string(&file).ok()?;
        Some((file.to_string_lossy().into_owned(), text))
    }

    /// The file of a pass.
    fn file(&self, pass: &str, arguments: &[String]) -> PathBuf {
        let mut hash = blake3::Hasher::new();
        let mut add = |word: &str| {
            hash.update(word.as_bytes());
            hash.update(&[0]);
        };
        add(env!("CARGO_PKG_VERSION"));
        add(&self.identity);
        add(pass);
        decisive(arguments, &|name| self.asks_for(name), add);
        self.folder.join(hash.finalize().to_hex().to_string())
    }

    /// The words by which a pass uses its own, if it is there and of today.
    pub fn words(&self, pass: &str, arguments: &[String]) -> Vec<String> {
        let own = self.file(pass, arguments);
        // Who makes room removes the tag first: without it, the object would have none.
        let tag = self.is_fresh(&own).then(|| fs::read_to_string(own.with_extension("tag")).ok()).flatten();
        let Some(tag) = tag else {
            self.missing.borrow_mut().insert(own);
            return Vec::new();
        };
        // By its time the file tells when it was last used, which is no more than a hint to who makes room.
        let _ = fs::File::open(&own).and_then(|file| file.set_modified(self.opened));
        let words = ["-include-pch".to_owned(), own.to_string_lossy().into_owned(), "-plugin-arg-aspen".into(), format!("prefix={tag}")];
        words.into_iter().flat_map(|word| ["-Xclang".to_owned(), word]).collect()
    }

    /// The same command without what [`Kept::words`] has put at its beginning.
    pub fn as_text(command: &Command) -> Option<Command> {
        let uses = command.arguments.get(1).is_some_and(|word| word == "-include-pch");
        uses.then(|| Command { arguments: command.arguments[8..].to_vec(), ..command.clone() })
    }

    /// The words by which a pass makes its own.
    pub fn words_to_make(&self, pass: &str, arguments: &[String]) -> Vec<String> {
        let own = self.file(pass, arguments).to_string_lossy().into_owned();
        let names = format!("names={own}.{IDENTIFIERS}");
        let words = ["-plugin-arg-aspen", &names, "-emit-pch", "-o", &own];
        words.into_iter().flat_map(|word| ["-Xclang".to_owned(), word.to_owned()]).collect()
    }

    /// Whether all that it was made of is as it was.
    fn is_fresh(&self, own: &Path) -> bool {
        let Ok(inputs) = fs::read_to_string(own.with_extension("inputs")) else { return false };
        let mut known = self.unchanged.borrow_mut();
        own.is_file()
            && !inputs.is_empty()
            && !self.names.is_empty()
            && inputs.lines().all(|line| match known.get(line) {
                Some(known) => *known,
                None => {
                    let file = line.splitn(3, ' ').nth(2).unwrap_or_default();
                    *known.entry(line.to_owned()).or_insert(state_of(Path::new(file)).as_deref() == Some(line))
                }
            })
    }

    /// The header that is precompiled; clang names it in messages about what it includes.
    pub fn header(&self) -> PathBuf {
        self.folder.join(format!("{}.hpp", self.identity))
    }

    /// Whether passes lack theirs and have lacked them often enough. Each time is noted.
    pub fn is_due(&self) -> bool {
        let missing = self.missing.borrow();
        let asked = |file: &PathBuf| {
            let notes = fs::OpenOptions::new().create(true).append(true).open(file.with_extension("asked"));
            let before = notes.as_ref().ok().and_then(|notes| Some(notes.metadata().ok()?.len()));
            // A folder that cannot be written is none to keep something in.
            notes.is_ok_and(|mut notes| notes.write_all(b".").is_ok()) && before.is_some_and(|before| before >= ASKED)
        };
        let is_known_to_fail = |file: &PathBuf| age_of(&file.with_extension("failed")).is_some_and(|age| age < FAILED);
        // All are noted, so no short cut.
        !missing.is_empty() && missing.iter().filter(|file| !asked(file)).count() == 0 && !missing.iter().any(is_known_to_fail)
    }

    /// Leave to make them: one run at a time does, and the others read the text.
    pub fn lock(&self) -> Option<fs::File> {
        let file = fs::OpenOptions::new().create(true).append(true).open(self.folder.join(".lock")).ok()?;
        file.try_lock().ok().map(|()| file)
    }

    /// Whether some pass of the last plan has none.
    pub fn lacks_some(&self) -> bool {
        !self.missing.borrow().is_empty()
    }

    /// What is to be run to make them: the header alone, with the options that it may see.
    ///
    /// # Errors
    /// If nothing can be written.
    pub fn making(&self, options: &Options) -> Result<Options, Error> {
        let header = self.header();
        if !header.exists() {
            write_whole(&header, b"#include <sycl/sycl.hpp>\n", false)?;
        }
        let mut made = options.clone();
        made.stage = Stage::Syntax;
        made.precompiled = Some(Precompiled::Keep);
        made.inputs = vec![Input { path: header.display().to_string(), language: Some("c++".into()), kind: InputKind::Sycl, text: None }];
        (made.output, made.save_temps, made.verbose) = (None, None, false);
        made.depfile = Some(Depfile::default());
        made.words.retain(|word| match word {
            Word::All(words) | Word::Host(words) | Word::Device(words) => {
                let mut keeps = false;
                decisive(words, &|name| self.asks_for(name), |_| keeps = true);
                keeps
            }
            Word::Link(_) | Word::Input(_) => false,
        });
        Ok(made)
    }

    /// Notes what was made, and makes room. Passes that failed are not tried again.
    ///
    /// # Errors
    /// If something cannot be written; then nothing is kept.
    pub fn finish(&self, passes: &[Pass], outcomes: &[Outcome]) -> Result<(), Error> {
        let mut names = self.names.clone();
        let mut made = Vec::new();
        for (pass, outcome) in passes.iter().zip(outcomes) {
            let words = &pass.command.arguments;
            let Some(at) = words.iter().position(|word| word == "-emit-pch") else { continue };
            let own = PathBuf::from(&words[at + 4]);
            let rule = pass.depfile.as_ref().and_then(|file| fs::read_to_string(file).ok());
            let (true, Some(rule)) = (outcome.status.success() && own.is_file(), rule) else {
                write_whole(&own.with_extension("failed"), &outcome.stderr, false)?;
                continue;
            };
            let identifiers = own.with_extension(IDENTIFIERS);
            let list = fs::read_to_string(&identifiers).map_err(|error| Error::file("read", &identifiers, error))?;
            names.extend(list.lines().map(str::to_owned));
            let _ = fs::remove_file(&identifiers); // of no more use
            let mut inputs = String::new();
            for file in depfile::files(&rule).into_iter().filter(|file| Path::new(file) != self.header()) {
                let text = fs::read(&file).map_err(|error| Error::file("read", file.as_ref(), error))?;
                collect_names(&text, &mut names);
                let unsettled = || Error::file("read", file.as_ref(), std::io::ErrorKind::InvalidData.into());
                let is_settled = fs::metadata(&file).and_then(|found| found.modified()).is_ok_and(|written| written < self.opened);
                inputs += &(state_of(Path::new(&file)).filter(|_| is_settled).ok_or_else(unsettled)? + "\n");
            }
            let report = fs::read(&pass.report).ok().and_then(|bytes| PassReport::from_bytes(&bytes).ok()).unwrap_or_default();
            write_whole(&own.with_extension("tag"), report.tag.unwrap_or_default().as_bytes(), false)?;
            made.push((own.with_extension("inputs"), inputs));
        }
        let list = names.into_iter().fold(String::new(), |list, name| list + &name + "\n");
        write_whole(&self.folder.join(format!("{}.names", self.identity)), list.as_bytes(), false)?;
        // Only now may others use them.
        for (file, inputs) in made {
            write_whole(&file, inputs.as_bytes(), false)?;
        }
        self.make_room(crate::cache_size())
    }

    /// At most so many bytes stay; those that were not used for longest go first.
    fn make_room(&self, room: u64) -> Result<(), Error> {
        let failed = |error| Error::file("read", &self.folder, error);
        let mut made = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)?.flatten() {
            let file = entry.path();
            let ending = file.extension().and_then(|ending| ending.to_str());
            let has_own = file.with_extension("").exists() || file.file_stem().is_some_and(|name| *name == *self.identity);
            match (ending, entry.metadata()) {
                (None, Ok(found)) if !entry.file_name().as_encoded_bytes().starts_with(b".") => {
                    made.push((found.modified().unwrap_or(UNIX_EPOCH), found.len(), file));
                }
                (Some("asked" | "failed" | "names" | "hpp" | IDENTIFIERS), _)
                    if !has_own && age_of(&file).is_some_and(|age| age > FORGOTTEN) =>
                {
                    let _ = fs::remove_file(file); // it may be gone by now
                }
                _ => {}
            }
        }
        made.sort();
        let mut total: u64 = made.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, file) in made {
            if total <= room {
                break;
            }
            for ending in ["inputs", "tag", "asked", "failed", ""] {
                let _ = fs::remove_file(file.with_extension(ending)); // it may be gone by now
            }
            total -= bytes;
        }
        Ok(())
    }

    /// What clang says of the header that is precompiled, it says of the source that includes SYCL's. It takes the file for one that the
    /// source's first line includes.
    pub fn as_of_source(&self, words: &[u8], input: &Input) -> Option<Vec<u8>> {
        let ours = format!("In file included from {}:1:\n", self.header().display());
        let text = String::from_utf8_lossy(words);
        text.contains(&ours).then(|| {
            let includes = self.serves(input).unwrap_or_else(|| vec![(input.path.clone(), 1)]);
            let included: String = includes.iter().map(|(file, line)| format!("In file included from {file}:{line}:\n")).collect();
            let first = format!("In file included from {}:1:\n{ours}", input.path);
            text.replace(&first, &included).replace(&ours, &included).into_bytes()
        })
    }
}

/// Of what is built to be debugged and not to be shipped, the code is the same, and debugging information tells less of what the header
/// declares and nobody uses.
fn is_unoptimised(options: &Options) -> bool {
    matches!(options.optimisation.as_deref(), None | Some("0"))
}

/// Whether clang reads headers by these words as the driver understands them: no others are tried.
fn is_usual(word: &Word) -> bool {
    const USUAL: [&str; 18] = [
        "-D",
        "-U",
        "-I",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-O",
        "-std=",
        "-W",
        "-w",
        "-pedantic",
        "-pthread",
        "-m",
        "-f",
        "-g0",
        "-l",
        "-pipe",
        "-Qunused-arguments",
    ];
    // Of GCC's installation that clang finds by itself: none, as makefiles leave it that have a variable for it, or the system's.
    const USUAL_TOOLCHAIN: [&str; 3] = ["--gcc-toolchain=", "--gcc-toolchain=/usr", "--gcc-toolchain=/usr/"];
    // Of macros (`-g3`) a precompiled header says nothing.
    const USUAL_DEBUG: [&str; 6] = ["-g", "-g2", "-ggdb", "-ggdb2", "-gdwarf-4", "-gdwarf-5"];
    const UNUSUAL: [&str; 11] = [
        "-Wp,",
        "-Wsystem-headers", // of the header that was precompiled nobody would hear
        "-fmodule",
        "-fbuiltin-module",
        "-fpch",
        "-fplugin",
        "-fpass-plugin",
        "-fprofile",
        "-fcoverage",
        "-fsanitize", // numbers of private names come in another order
        "-working-directory",
    ];
    let words = match word {
        Word::All(words) | Word::Host(words) | Word::Device(words) => words,
        Word::Link(_) | Word::Input(_) => return true,
    };
    let starts = |list: &[&str]| words.first().is_some_and(|word| list.iter().any(|start| word.starts_with(start)));
    let is_one_of = |list: &[&str]| words.iter().all(|word| list.contains(&word.as_str()));
    let is_usual = starts(&USUAL) || is_one_of(&USUAL_TOOLCHAIN) || is_one_of(&USUAL_DEBUG);
    is_usual && !starts(&UNUSUAL)
}

/// Whether the word means another thing on another machine (`-march=native`), which may have the same cache.
fn is_about_this_processor(word: &Word) -> bool {
    match word {
        Word::All(words) | Word::Host(words) | Word::Device(words) => words.iter().any(|word| word.ends_with("=native")),
        Word::Link(_) | Word::Input(_) => false,
    }
}

/// What tells processors apart for clang: model and features, as the kernel lists them of the first one.
fn processor() -> Option<Vec<u8>> {
    const TOLD: [&str; 5] = ["vendor_id", "cpu family", "model", "stepping", "flags"];
    let all = fs::read_to_string("/proc/cpuinfo").ok()?;
    let is_told = |line: &&str| line.split_once(':').is_some_and(|(name, _)| TOLD.contains(&name.trim()));
    let first: Vec<&str> = all.split("\n\n").next()?.lines().filter(is_told).collect();
    (!first.is_empty()).then(|| first.join("\n").into_bytes())
}

/// When a file was written and last changed in any way, its size and name, as a line. Packages set the first to when they were made.
fn state_of(file: &Path) -> Option<String> {
    let found = fs::metadata(file).ok()?;
    Some(format!("{}.{}+{}.{} {} {}", found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec(), found.len(), file.display()))
}

/// How long ago a file was written.
fn age_of(file: &Path) -> Option<Duration> {
    SystemTime::now().duration_since(fs::metadata(file).ok()?.modified().ok()?).ok()
}

/// The identifiers of a text, wherever they stand, and the first part of what it includes.
fn collect_names(text: &[u8], names: &mut BTreeSet<String>) {
    let mut add = |name: &[u8], mark: &str| {
        let name = format!("{mark}{}", String::from_utf8_lossy(name));
        names.insert(name);
    };
    for word in text.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')) {
        if word.first().is_some_and(|first| !first.is_ascii_digit()) {
            add(word, "");
        }
    }
    for line in text.split(|byte| *byte == b'\n') {
        let directive = line.trim_ascii().strip_prefix(b"#").map(<[u8]>::trim_ascii_start).unwrap_or_default();
        let asks = line.windows(13).any(|word| word == b"__has_include");
        if !directive.starts_with(b"include") && !asks {
            continue;
        }
        // What is included or asked for, whatever else stands there.
        for name in line.split(|byte| b"<\"".contains(byte)).skip(1) {
            let end = name.iter().position(|byte| b"/>\"".contains(byte)).unwrap_or(name.len());
            add(&name[..end], "<");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let now = SystemTime::now();
        let write = |name: &str, used_ago: u64| {
            for ending in ["", "tag", "inputs"] {
                let file = folder.path().join(name).with_extension(ending);
                fs::write(&file, [0; 10]).expect("writable");
                let file = fs::File::open(&file).expect("it is there");
                file.set_modified(now - Duration::from_secs(used_ago)).expect("it is ours");
            }
        };
        for (name, used_ago) in [("a", 30), ("b", 10), ("c", 20)] {
            write(name, used_ago);
        }
        let kept = Kept {
            folder: folder.path().to_owned(),
            identity: "id".into(),
            opened: now,
            names: BTreeSet::new(),
            unchanged: RefCell::default(),
            missing: RefCell::default(),
            given: Given::default(),
        };
        let check = |room: u64, expected: &[&str]| {
            kept.make_room(room).expect("a folder of ours");
            let mut left: Vec<String> = fs::read_dir(folder.path())
                .expect("readable")
                .flatten()
                .map(|file| file.file_name().to_string_lossy().into_owned())
                .collect();
            left.sort();
            let expected: Vec<String> =
                expected.iter().flat_map(|name| ["", ".inputs", ".tag"].map(|ending| format!("{name}{ending}"))).collect();
            assert_eq!(left, expected, "{room}");
        };
        check(30, &["a", "b", "c"]);
        check(29, &["b", "c"]);
        check(10, &["b"]);
    }

    #[test]
    fn words_that_no_header_minds_or_that_are_part_of_the_name() {
        let check = |words: &[&str], expected: bool| {
            let word = Word::All(words.iter().map(|&word| word.to_owned()).collect());
            assert_eq!(is_usual(&word), expected, "{words:?}");
        };
        for usual in [
            "-g",
            "-ggdb",
            "--gcc-toolchain=",
            "--gcc-toolchain=/usr",
            "-pipe",
            "-Qunused-arguments",
            "-idirafterown",
            "-O3",
            "-march=x86-64-v3",
            "-march=native",
        ] {
            check(&[usual], true);
        }
        check(&["-I", "own"], true);
        for unusual in
            ["-g3", "-gline-tables-only", "-gmodules", "--gcc-toolchain=/opt/gcc", "-fsanitize=undefined", "-Wp,-DA", "--sysroot=/"]
        {
            check(&[unusual], false);
        }
        check(&["-Xclang", "-DA"], false);
    }
}
