//! The host link: clang, the user's words with the inputs in their places, our library, and where the result goes.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::LinkInput;
use super::files::{Trace, TraceLine, library, load};
use crate::args::{Options, Word, response};
use crate::error::Error;
use crate::janitor;
use crate::jobs::{self, Command};
use crate::session::Session;
use crate::toolchain::Toolchain;

/// Where linkers look for libraries by themselves. Source: ld's `--verbose`, `SEARCH_DIR`.
const SYSTEM_FOLDERS: [&str; 8] = [
    "/usr/local/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/local/lib64",
    "/usr/lib64",
    "/usr/local/lib",
    "/lib",
    "/usr/lib",
];

/// What no link can do, said before anything is compiled.
///
/// # Errors
/// If the program is to be static: the runtime is a shared library, as are the drivers that it opens.
pub fn check_words(options: &Options) -> Result<(), Error> {
    let words = options.words.iter().filter_map(|word| if let Word::Link(words) = word { Some(words) } else { None });
    match words.flatten().find(|word| matches!(word.as_str(), "-static" | "-static-pie")) {
        Some(word) => Err(Error::Usage(format!(
            "'{word}': programs load libaspen.so, and it the drivers of devices, when they start; '-static-libstdc++ -static-libgcc' puts \
             the other libraries into the program"
        ))),
        None => Ok(()),
    }
}

/// Everything the host link is made of.
#[derive(Debug)]
pub struct HostLink<'a> {
    /// The user's command line.
    pub options: &'a Options,
    /// The tools.
    pub toolchain: &'a Toolchain,
    /// One for each input of the command line.
    pub inputs: &'a [LinkInput],
    /// The folder of libaspen.so.
    pub runtime: PathBuf,
}

impl HostLink<'_> {
    /// The command. Without a registration object (`-r`) the runtime is left out too. `needed` are libraries of the line that device code
    /// needs and the host's code does not.
    pub fn command(&self, registration: Option<&Path>, forced: &[String], needed: &[PathBuf], output: &Path) -> Command {
        let mut arguments = vec!["-Qunused-arguments".to_owned()];
        if self.options.verbose && !self.options.print_only {
            arguments.push("-v".into()); // the linker's own command, from which CMake learns the folders of libraries
        }
        arguments.extend(forced.iter().map(|symbol| format!("-Wl,-u,{symbol}")));
        // The place of libaspen.so when the program is loaded, without environment variables. Source: DESIGN §6. Behind the user's, which count first; but CMake's
        // end in a colon and are taken away when it installs a program, which would leave an empty folder, the current one, in front of what stands behind.
        let place = registration.map(|_| {
            // In words of its own, as folders have commas.
            let words = ["-Wl,--enable-new-dtags", "-Xlinker", "-rpath", "-Xlinker"].map(str::to_owned);
            words.into_iter().chain([self.runtime.display().to_string()])
        });
        let (before, behind) = if self.linker_words().iter().any(|word| word.ends_with(':')) { (place, None) } else { (None, place) };
        arguments.extend(before.into_iter().flatten());
        for word in &self.options.words {
            match word {
                Word::All(words) | Word::Host(words) | Word::Link(words) => arguments.extend(words.iter().cloned()),
                Word::Input(index) => arguments.push(self.inputs[*index].path.display().to_string()),
                Word::Device(_) => {}
            }
        }
        for library in needed {
            // Under the name by which the line means it, so that it is not loaded under two.
            let given = self.inputs.iter().any(|input| input.path == *library);
            let folder = library.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let name = library.file_name().unwrap_or_default().to_string_lossy();
            let words =
                if given { vec![library.display().to_string()] } else { vec![format!("-L{}", folder.display()), format!("-l:{name}")] };
            arguments.extend(["-Wl,--push-state,--no-as-needed".to_owned()].into_iter().chain(words).chain(["-Wl,--pop-state".to_owned()]));
        }
        if let Some(registration) = registration {
            let folder = self.runtime.display();
            arguments.extend([registration.display().to_string(), format!("-L{folder}"), "-laspen".into()]);
        }
        arguments.extend(behind.into_iter().flatten());
        arguments.extend(["-o".into(), output.display().to_string()]);
        Command::new(&self.toolchain.clang, arguments)
    }

    /// Has the linker say what it takes. Its warnings are those of the real link, and not shown here.
    ///
    /// # Errors
    /// If it fails; its words are shown then. If it does not tell what it takes, since device code would be lost.
    pub fn ask(&self, session: &Session<'_>, registration: &Path, forced: &[String], output: &Path) -> Result<Trace, Error> {
        let mut command = self.command(Some(registration), forced, &[], output);
        command.arguments.push("-Wl,--trace,--trace".into());
        // A map that the user wants on the standard output, and a table of references with it, is the real link's.
        if self.linker_words().iter().any(|word| matches!(word.as_str(), "-M" | "--print-map" | "--cref")) {
            command.arguments.push("-Wl,-Map=/dev/null".into());
        }
        // What its plugin for link-time optimisation takes of archives gold does not tell; objects with device code are linked without it, too.
        let is_silent = self.is_lto() && self.link_words().any(|word| word == "-fuse-ld=gold");
        let without = is_silent.then(|| Command { arguments: [&command.arguments[..], &["-fno-lto".into()]].concat(), ..command.clone() });
        let told = without.map(|command| jobs::run(&command)).transpose()?.filter(|outcome| outcome.status.success());
        let told = told.map_or_else(|| session.ask_tool("the linker", &command), Ok)?;
        let trace = Trace::parse(&told.stdout_text(), Path::is_file);
        if !trace.lines.iter().any(|line| matches!(line, TraceLine::File(path) if path == registration)) {
            return Err(Error::Usage(
                "the linker does not tell by '--trace' which files it takes, and so which device code; aspen++ knows the words of GNU ld, \
                 gold, lld and mold"
                    .into(),
            ));
        }
        Ok(trace)
    }

    /// Whether the result is an object again.
    pub fn is_relocatable(&self) -> bool {
        self.linker_words().iter().any(|word| matches!(word.as_str(), "-r" | "-i" | "--relocatable"))
    }

    fn is_lto(&self) -> bool {
        self.options.host_words().iter().any(|word| word.starts_with("-flto"))
    }

    /// Whether link-time optimisation is wanted of objects with device code.
    ///
    /// # Errors
    /// If an input cannot be read.
    pub fn has_fat_objects(&self) -> Result<bool, Error> {
        if !self.is_lto() {
            return Ok(false);
        }
        let files = self.inputs.iter().map(|input| load(&input.path, input.name.clone()));
        files.into_iter().try_fold(false, |found, file| Ok(found || file?.names_device_code()))
    }

    /// Whether others may call the module's device functions: shared libraries, and programs that export their symbols.
    pub fn exports_functions(&self) -> bool {
        let all = ["-rdynamic", "-Wl,-E", "-Wl,--export-dynamic", "-Wl,-export-dynamic"];
        self.options.shared || self.link_words().any(|word| all.contains(&word))
    }

    /// The archives and objects that the linker's words mean besides the inputs: whether it takes them, only the linker knows.
    pub fn libraries(&self) -> Vec<PathBuf> {
        let words = self.linker_words();
        let folders_named = values(&words, "-L", &["--library-path", "--library-directory"]);
        let mut folders: Vec<PathBuf> = folders_named.into_iter().map(PathBuf::from).collect();
        folders.extend(std::env::var_os("LIBRARY_PATH").iter().flat_map(std::env::split_paths));
        let system = SYSTEM_FOLDERS.map(PathBuf::from);
        let static_only = words.iter().any(|word| matches!(word.as_str(), "-static" | "-static-pie" | "-Bstatic" | "-dn" | "-non_shared"));
        let names = values(&words, "-l", &["--library"]);
        // Shared libraries of the system, scripts among them, hold nothing that is linked.
        let is_archive = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "a");
        let of = |name: &String, only: bool| library(name, &folders, only).or_else(|| library(name, &system, only).filter(is_archive));
        let found = names.iter().flat_map(|name| [of(name, false), static_only.then(|| of(name, true)).flatten()]);
        // What an option names is no input, unless it could be one (`-soname` and a library of before).
        let files = words.iter().filter(|word| !word.starts_with('-')).map(PathBuf::from).filter(|word| is_linkable(word));
        let mut out: Vec<PathBuf> = Vec::new();
        for file in found.flatten().chain(files) {
            if !out.contains(&file) && !self.inputs.iter().any(|input| input.path == file) {
                out.push(file);
            }
        }
        out
    }

    /// The linker's own words, in any of the ways to say them, with those of the response files that it is given.
    fn linker_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut link_words = self.link_words();
        while let Some(word) = link_words.next() {
            match word.strip_prefix("-Wl,").or_else(|| word.strip_prefix("--for-linker=")) {
                Some(list) => words.extend(list.split(',').map(str::to_owned)),
                None if matches!(word, "-Xlinker" | "--for-linker") => words.extend(link_words.next().map(str::to_owned)),
                None => words.push(word.to_owned()),
            }
        }
        // What is wrong with one the linker says; a pipe is for it alone.
        let is_pipe = |word: &String| word.strip_prefix('@').is_some_and(|name| Path::new(name).exists() && !Path::new(name).is_file());
        if words.iter().any(is_pipe) {
            return words;
        }
        response::expand(words.clone()).unwrap_or(words)
    }

    /// The file in which the linker is to say what it has read (`--dependency-file`; CMake asks for it since 3.27).
    pub fn dependency_file(&self) -> Option<PathBuf> {
        values(&self.linker_words(), "", &["--dependency-file"]).pop().map(PathBuf::from)
    }

    /// Where the linker looks for what libraries need: `-rpath-link`, then `-rpath`.
    pub fn run_folders(&self) -> Vec<String> {
        let words = self.linker_words();
        let of =
            |names: &[&str]| values(&words, "", names).into_iter().flat_map(|list| list.split(':').map(str::to_owned).collect::<Vec<_>>());
        of(&["-rpath-link", "--rpath-link"]).chain(of(&["-rpath", "--rpath", "-R"])).collect()
    }

    fn link_words(&self) -> impl Iterator<Item = &str> {
        self.options.words.iter().flat_map(|word| match word {
            Word::Link(words) => words.iter().map(String::as_str).collect::<Vec<_>>(),
            Word::All(_) | Word::Host(_) | Word::Device(_) | Word::Input(_) => Vec::new(),
        })
    }
}

/// What options of the linker are given, in the line's order: `short` joined to its value or in front of it, `long` ones in front or with `=` between.
fn values(words: &[String], short: &str, long: &[&str]) -> Vec<String> {
    let value = |(index, word): (usize, &String)| {
        let (option, joined) = word.split_once('=').map_or((word.as_str(), None), |(option, value)| (option, Some(value)));
        let next = || words.get(index + 1).map(String::as_str);
        let found = if long.contains(&option) {
            joined.or_else(next)
        } else {
            let rest = word.strip_prefix(short).filter(|_| !short.is_empty())?;
            if rest.is_empty() { next() } else { Some(rest) }
        };
        found.map(str::to_owned)
    };
    words.iter().enumerate().filter_map(value).collect()
}

/// Whether a file is an archive or an object, as far as its first bytes say.
fn is_linkable(file: &Path) -> bool {
    const RELOCATABLE: u8 = 1; // ET_REL, in the low byte of e_type
    let mut begin = [0; 17];
    let read = fs::File::open(file).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok()
        && (begin.starts_with(b"!<arch>\n")
            || begin.starts_with(b"!<thin>\n")
            || (begin.starts_with(b"\x7fELF") && begin[16] == RELOCATABLE))
}

/// The user's output, which changes only when the new one is complete: the linker writes into a folder beside it.
#[derive(Debug)]
pub struct Output {
    /// Where the linker writes.
    pub work: PathBuf,
    path: PathBuf,
    folder: Option<TempDir>,
}

impl Output {
    /// Prepares the output of a link; done first, so that a folder that cannot be written stops the run before any work.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn new(options: &Options) -> Result<Output, Error> {
        let path = PathBuf::from(options.output.as_deref().unwrap_or("a.out"));
        if let Ok(found) = fs::metadata(&path) {
            if found.is_dir() {
                return Err(Error::Usage(format!("the output '{}' is a folder", path.display())));
            }
            if !found.is_file() {
                return Ok(Output { work: path.clone(), path, folder: None }); // /dev/null
            }
        }
        let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::metadata(beside).map_err(|error| Error::file("write", &path, error))?;
        let folder = janitor::folder(".aspen-", beside).map_err(|error| Error::temporary("write", &path, &error))?;
        let name = path.file_name().ok_or_else(|| Error::Usage(format!("the output '{}' has no file name", path.display())))?;
        Ok(Output { work: folder.path().join(name), path, folder: Some(folder) })
    }

    /// The name of images: the output's, without folder and extension.
    pub fn stem(&self) -> String {
        self.path.file_stem().map_or_else(|| "a".into(), |stem| stem.to_string_lossy().into_owned())
    }

    /// The user's name for it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder beside it, for the time of the run; none if it is no file (`/dev/null`).
    pub fn beside(&self) -> Option<&Path> {
        self.folder.as_ref().map(TempDir::path)
    }

    /// Puts the finished file into its place.
    ///
    /// # Errors
    /// If it cannot be moved there.
    pub fn publish(self) -> Result<(), Error> {
        if self.folder.is_some() {
            fs::rename(&self.work, &self.path).map_err(|error| Error::file("write", &self.path, error))?;
        }
        Ok(())
    }
}
