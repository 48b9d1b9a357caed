//! The command line of `aspen++`: clang++'s, plus our options. Everything is read and validated before anything runs.
//!
//! Words keep their order, because clang's options are positional for the linker; each knows which tools it is for. Source: DESIGN §2.

mod inputs;
pub mod known;
mod look;
pub mod response;
mod stock;
mod sycl;
mod table;
mod triples;
mod values;
mod warnings;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

pub use aspen_analysis::split::CodeSplit;
pub use inputs::{Input, InputKind, MODULE};
pub use look::{Format, Look, Places};
pub use sycl::LAUNCHER_VARIABLE;
pub use warnings::{Group, Severity, WarningControl};

use crate::error::Error;
use crate::fragment;
use crate::modules::Interface;
use crate::precompiled::Precompiled;
use known::Meaning;
use table::{LINE_TABLES, SEPARATE_VALUE, Users, debug_level, is_in};
pub use values::nearest;
use values::{jobs, joined_or_next, optional_value, preprocessors_depfile, unknown, value_of};

/// What the user asked for.
#[derive(Clone, PartialEq, Debug)]
pub enum Invocation {
    /// `--help`.
    Help,
    /// `--version`.
    Version,
    /// `--explain`: the words behind it.
    Explain(String),
    /// `--autocomplete=WORD`.
    Complete(String),
    /// A question that clang answers (`-print-resource-dir`, `-v` without inputs, …): its whole command line.
    AskClang(Vec<String>),
    /// Everything else.
    Run(Box<Options>),
}

/// Where the run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// `-E`, `-M`, `-MM`.
    Preprocess,
    /// `-fsyntax-only`.
    Syntax,
    /// `-S`.
    Assembly,
    /// `-c`.
    Object,
    /// The default.
    Link,
}

/// Which passes run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Host and device.
    Both,
    /// `-fsycl-host-only`.
    Host,
    /// `-fsycl-device-only`.
    Device,
}

/// Names of metadata.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// The seeds' names.
    Seed,
    /// Today's DPC++ names.
    Dpcpp,
}

/// `-fsycl-optional-features=`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionalFeatures {
    /// One image for each set of requirements. Source: S0.
    Split,
    /// One SPIR-V image with conditional functions. Source: S1.
    Conditional,
}

/// `-fsycl-requirements=`. Source: DESIGN §7.12.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Requirements {
    /// What the source uses. Source: S0.
    Source,
    /// `double` counts only where optimisation leaves it.
    Optimized,
}

/// A word (with its value) and who gets it.
#[derive(Clone, PartialEq, Debug)]
pub enum Word {
    /// All compiler passes and the host link, which ignores what is not for it.
    All(Vec<String>),
    /// The host pass and the host link.
    Host(Vec<String>),
    /// Device passes.
    Device(Vec<String>),
    /// The host link.
    Link(Vec<String>),
    /// The input of that index.
    Input(usize),
}

/// `-MD` and its relatives, `-M` and `-MM` among them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Depfile {
    /// `-MMD`, `-MM`: without system headers.
    pub user_headers_only: bool,
    /// `-M`, `-MM`: the rule is all that is wanted, and goes where the text would, unless `-MF` says otherwise.
    pub alone: bool,
    /// `-MF`.
    pub file: Option<PathBuf>,
    /// `-MT` (as is) and `-MQ` (quoted for make), in order.
    pub targets: Vec<(&'static str, String)>,
    /// `-MP`: a phony target for each header.
    pub phony: bool,
}

/// Where the entries of a compilation database go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fragment {
    /// All into one file.
    File(PathBuf),
    /// Each into a file of that folder.
    Folder(PathBuf),
}

/// A validated command line.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Every word that is passed on, in order.
    pub words: Vec<Word>,
    /// Sources and linker inputs, in order.
    pub inputs: Vec<Input>,
    /// `-o`.
    pub output: Option<String>,
    /// Where to stop.
    pub stage: Stage,
    /// `-emit-llvm`.
    pub emit_llvm: bool,
    /// Which passes run.
    pub side: Side,
    /// `-fsycl-targets=`, as spelled; `None`: the default.
    pub targets: Option<Vec<String>>,
    /// `-fsycl-fixed-targets=`, as spelled.
    pub fixed_targets: Vec<String>,
    /// `-fsycl-device-config-file=`, in order.
    pub config_files: Vec<PathBuf>,
    /// `-fsycl-device-code-split=`.
    pub code_split: CodeSplit,
    /// `-fsycl-optional-features=`.
    pub optional_features: OptionalFeatures,
    /// `-fsycl-requirements=`.
    pub requirements: Requirements,
    /// `-fsycl-dialect=`.
    pub dialect: Dialect,
    /// Whether images say why a requirement is there.
    pub requirement_sources: bool,
    /// Severity of our findings.
    pub warnings: WarningControl,
    /// How our findings, and clang's, are printed.
    pub look: Look,
    /// `-save-temps[=DIR]`.
    pub save_temps: Option<PathBuf>,
    /// `-###`.
    pub print_only: bool,
    /// `-v`.
    pub verbose: bool,
    /// `-Rpass-missed=aspen-items`.
    pub tells_of_items: bool,
    /// `-j`.
    pub jobs: Option<NonZeroUsize>,
    /// `-MD`, `-MMD`.
    pub depfile: Option<Depfile>,
    /// `-MJ`, `-gen-cdb-fragment-path`.
    pub fragment: Option<Fragment>,
    /// The last `-O…`, without `-O`.
    pub optimisation: Option<String>,
    /// Whether the user asked for more debug information than line tables.
    pub debug: bool,
    /// `-shared`.
    pub shared: bool,
    /// `-Xs`, `-Xsycl-target-backend[=T]`: the target, if given, and the options.
    pub backend_options: Vec<(Option<String>, String)>,
    /// `-fsycl-dump-device-code[=FOLDER]`.
    pub image_folder: Option<PathBuf>,
    /// `-fsycl-aot-graph=FOLDER`.
    pub aot_graph: Option<PathBuf>,
    /// `-fsycl-aot-launcher=WORDS`; empty: none, whatever the environment says.
    pub aot_launcher: Option<String>,
    /// `-fsycl-aot-batch=SECONDS`.
    pub aot_batch: Option<Duration>,
    /// The precompiled header that is made or used.
    pub precompiled: Option<Precompiled>,
    /// What is left for those who import the module that is compiled.
    pub interface: Interface,
    /// `-f[no-]sycl-auto-pch`: whether SYCL's own header may be.
    pub kept_headers: bool,
    /// What an entry of a compilation database repeats of the words as they were given.
    pub repeated: Vec<String>,
    /// Warnings about the command line itself.
    pub notes: Vec<String>,
}

impl Options {
    /// The words for host passes.
    pub fn host_words(&self) -> Vec<String> {
        self.choose(|word| matches!(word, Word::All(_) | Word::Host(_)))
    }

    /// The words for device passes.
    pub fn device_words(&self) -> Vec<String> {
        self.choose(|word| matches!(word, Word::All(_) | Word::Device(_)))
    }

    fn choose(&self, wanted: impl Fn(&Word) -> bool) -> Vec<String> {
        let words = self.words.iter().filter(|word| wanted(word)).filter_map(|word| match word {
            Word::All(words) | Word::Host(words) | Word::Device(words) | Word::Link(words) => Some(words),
            Word::Input(_) => None,
        });
        words.flatten().cloned().collect()
    }
}

/// Reads the words after the program's name.
///
/// # Errors
/// With what is wrong with the command line: an unknown option of ours, a missing or bad value, no input, contradictions.
pub fn parse(words: Vec<String>) -> Result<Invocation, Error> {
    let mut parser = Parser::default();
    let mut words = words.into_iter().flat_map(preprocessors_depfile);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--help" | "-help" | "-h" => return Ok(Invocation::Help),
            "--version" | "-fsycl-version" => return Ok(Invocation::Version),
            "--explain" => return Ok(Invocation::Explain(words.collect::<Vec<_>>().join(" "))),
            _ if word.starts_with("--autocomplete=") => return Ok(Invocation::Complete(word["--autocomplete=".len()..].to_owned())),
            _ if word == "-fsycl-help" || word.starts_with("-fsycl-help=") => return Ok(Invocation::Help),
            "--" => {
                for path in words.by_ref() {
                    // Tools that get the name must not take it for an option.
                    parser.input(if path.starts_with('-') && path != "-" { format!("./{path}") } else { path });
                }
            }
            _ => parser.repeatable_word(word, &mut words)?,
        }
    }
    parser.finish()
}

/// Whether an option of clang's has its value in the next word.
pub fn takes_next_word(option: &str) -> bool {
    is_in(SEPARATE_VALUE, option)
}

struct Parser {
    options: Options,
    language: Option<String>,
    asks_clang: Vec<String>,
    dependency_words: Depfile,
    /// `-M`, `-MM`: whether without system headers.
    lists: Option<bool>,
    /// The targets that `-Xsycl-target-frontend=` names.
    frontends: Vec<String>,
    /// Whether `-fsycl` was said.
    is_sycl: bool,
    /// `-f[no-]sycl-fp32-prec-sqrt`.
    exact_roots: bool,
    /// `-fpreprocessed`, with which launchers made for gcc say what their text is.
    is_preprocessed: bool,
}

impl Default for Parser {
    fn default() -> Parser {
        let options = Options {
            words: Vec::new(),
            inputs: Vec::new(),
            output: None,
            stage: Stage::Link,
            emit_llvm: false,
            side: Side::Both,
            targets: None,
            fixed_targets: Vec::new(),
            config_files: Vec::new(),
            code_split: CodeSplit::PerSource,
            optional_features: OptionalFeatures::Split,
            requirements: Requirements::Source,
            dialect: Dialect::Seed,
            requirement_sources: true,
            warnings: WarningControl::default(),
            look: Look::default(),
            save_temps: None,
            print_only: false,
            verbose: false,
            tells_of_items: false,
            jobs: None,
            depfile: None,
            fragment: None,
            optimisation: None,
            debug: false,
            shared: false,
            backend_options: Vec::new(),
            image_folder: None,
            aot_graph: None,
            aot_launcher: None,
            aot_batch: None,
            precompiled: None,
            interface: Interface::default(),
            kept_headers: true,
            repeated: Vec::new(),
            notes: Vec::new(),
        };
        Parser {
            options,
            language: None,
            asks_clang: Vec::new(),
            dependency_words: Depfile::default(),
            lists: None,
            frontends: Vec::new(),
            is_sycl: false,
            exact_roots: false,
            is_preprocessed: false,
        }
    }
}

impl Parser {
    fn input(&mut self, path: String) {
        let input = Input::new(path, self.language.clone());
        self.options.words.push(Word::Input(self.options.inputs.len()));
        self.options.inputs.push(input);
    }

    /// A word of the user's, and the note of it.
    fn repeatable_word(&mut self, word: String, rest: &mut dyn Iterator<Item = String>) -> Result<(), Error> {
        let inputs = self.options.inputs.len();
        let mut taken = vec![word.clone()];
        self.word(word, &mut rest.inspect(|value| taken.push(value.clone())))?;
        if self.options.inputs.len() == inputs {
            self.options.repeated.extend(fragment::repeated(taken));
        }
        Ok(())
    }

    fn word(&mut self, word: String, rest: &mut dyn Iterator<Item = String>) -> Result<(), Error> {
        if word == "-" || !word.starts_with('-') {
            self.input(word);
            return Ok(());
        }
        match known::read(&word, rest)? {
            Some(Meaning::Nothing) => return Ok(()),
            Some(Meaning::Warn(note)) => {
                self.note(note);
                return Ok(());
            }
            Some(Meaning::Words(words)) => {
                let mut words = words.into_iter();
                while let Some(word) = words.next() {
                    self.word(word, &mut words)?;
                }
                return Ok(());
            }
            None => {}
        }
        if word.starts_with("-fsycl") || word.starts_with("-fno-sycl") || word.starts_with("--fsycl") {
            return self.sycl_option(&word);
        }
        if self.plain_option(&word, rest)? || self.valued_option(&word, rest)? {
            return Ok(());
        }
        if word.starts_with("-Xsycl") {
            return Err(unknown(&word));
        }
        self.pass_on(word, rest)
    }

    /// Each warning is given once.
    fn note(&mut self, note: String) {
        if !self.options.notes.contains(&note) {
            self.options.notes.push(note);
        }
    }

    /// Options without a value that the driver itself understands. Returns whether it was one.
    fn plain_option(&mut self, word: &str, rest: &mut dyn Iterator<Item = String>) -> Result<bool, Error> {
        let options = &mut self.options;
        match word {
            "-c" | "--compile" => options.stage = options.stage.min_with(Stage::Object),
            "-S" | "--assemble" => options.stage = options.stage.min_with(Stage::Assembly),
            "-E" | "--preprocess" => options.stage = Stage::Preprocess,
            "-fsyntax-only" => options.stage = options.stage.min_with(Stage::Syntax),
            "-emit-llvm" => options.emit_llvm = true,
            "-###" => options.print_only = true,
            "-v" | "--verbose" => options.verbose = true,
            "-fpreprocessed" => self.is_preprocessed = true,
            "--precompile" => {
                options.stage = options.stage.min_with(Stage::Syntax);
                options.interface.alone = true;
            }
            "-fmodule-output" => options.interface.wanted = true,
            "-Rpass-missed=aspen-items" => options.tells_of_items = true,
            "-MD" | "-MMD" | "--write-dependencies" | "--write-user-dependencies" => {
                options.depfile.get_or_insert_default().user_headers_only = matches!(word, "-MMD" | "--write-user-dependencies");
            }
            "-MP" => self.dependency_words.phony = true,
            "-M" | "-MM" | "--dependencies" | "--user-dependencies" => {
                options.stage = Stage::Preprocess;
                self.lists = Some(matches!(word, "-MM" | "--user-dependencies"));
            }
            "-save-temps" | "--save-temps" => options.save_temps = Some(PathBuf::from(".")),
            "-Xarch_host" => options.words.push(Word::Host(vec![value_of(word, rest)?])),
            "-Xarch_device" => options.words.push(Word::Device(vec![value_of(word, rest)?])),
            "--print-file-name" | "--print-prog-name" => self.asks_clang.extend([word.to_owned(), value_of(word, rest)?]),
            "--analyze" | "-emit-ast" => return Err(makes_only(word)),
            "-dumpversion" | "-dumpmachine" => self.asks_clang.push(word.to_owned()),
            _ if word.starts_with("-print-") || word.starts_with("--print-") => self.asks_clang.push(word.to_owned()),
            _ => return Ok(options.look.read(word)? || options.warnings.read(word)),
        }
        Ok(true)
    }

    /// Options with a value that the driver itself understands. Returns whether it was one.
    fn valued_option(&mut self, word: &str, rest: &mut dyn Iterator<Item = String>) -> Result<bool, Error> {
        let options = &mut self.options;
        if let Some(target) = optional_value(word, "-Xsycl-target-backend") {
            options.backend_options.push((target.map(str::to_owned), value_of(word, rest)?));
        } else if let Some(target) = optional_value(word, "-Xsycl-target-frontend") {
            options.words.push(Word::Device(response::split(&value_of(word, rest)?)));
            self.frontends.extend(target.map(str::to_owned));
        } else if word == "-Xs" {
            options.backend_options.push((None, value_of(word, rest)?));
        } else if let Some(value) = word.strip_prefix("-Xs").filter(|value| !value.starts_with("ycl")) {
            options.backend_options.push((None, format!("-{value}")));
        } else if let Some(value) = word.strip_prefix("-save-temps=").or_else(|| word.strip_prefix("--save-temps=")) {
            let folder = match value {
                "" => return Err(Error::Usage(format!("'{word}': give a folder, 'cwd' or 'obj'"))),
                "cwd" => ".",
                folder => folder,
            };
            options.save_temps = Some(folder.into());
        } else if let Some(number) = joined_or_next(word, "-j", rest)? {
            options.jobs = Some(jobs(&format!("-j {number}"), &number)?);
        } else if let Some(file) = joined_or_next(word, "-MF", rest)? {
            self.dependency_words.file = Some(file.into());
        } else if let Some(file) = joined_or_next(word, "-MJ", rest)? {
            options.fragment = Some(Fragment::File(file.into()));
        } else if word == "-gen-cdb-fragment-path" {
            options.fragment = Some(Fragment::Folder(value_of(word, rest)?.into()));
        } else if let Some(target) = joined_or_next(word, "-MT", rest)? {
            self.dependency_words.targets.push(("-MT", target));
        } else if let Some(target) = joined_or_next(word, "-MQ", rest)? {
            self.dependency_words.targets.push(("-MQ", target));
        } else if let Some(file) = word.strip_prefix("-fmodule-output=") {
            options.interface.file = Some(file.into());
        } else if let Some(file) = word.strip_prefix("--output=") {
            options.output = Some(file.to_owned());
        } else if word == "--output" {
            options.output = Some(value_of(word, rest)?);
        } else if let (Some(file), false) = (word.strip_prefix("-o"), word.starts_with("-object-file-name")) {
            options.output = Some(if file.is_empty() { value_of(word, rest)? } else { file.to_owned() });
        } else if let Some(language) = joined_or_next(word, "-x", rest)? {
            self.language = (language != "none").then_some(language);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Everything else is clang's.
    fn pass_on(&mut self, word: String, rest: &mut dyn Iterator<Item = String>) -> Result<(), Error> {
        if word == "--std" {
            return self.word(format!("-std={}", value_of(&word, rest)?), rest);
        }
        let options = &mut self.options;
        if let Some(level) = word.strip_prefix("-O") {
            options.optimisation = Some(level.to_owned());
            options.words.push(Word::Host(vec![word])); // device passes get a level of their own
            return Ok(());
        }
        if let Some(debug) = debug_level(&word) {
            options.debug = debug > LINE_TABLES;
            // Places come from line tables: device passes always have at least those.
            options.words.push(if debug < LINE_TABLES { Word::Host(vec![word]) } else { Word::All(vec![word]) });
            return Ok(());
        }
        options.shared |= word == "-shared";
        let users = table::users(&word);
        let mut words = vec![word];
        if is_in(SEPARATE_VALUE, &words[0]) {
            let value = value_of(&words[0], rest)?;
            // DPC++'s compiler proper has options that are the driver's here.
            if words[0] == "-Xclang" && value.contains("sycl") && matches!(known::read(&value, &mut std::iter::empty()), Ok(Some(_))) {
                return self.word(value, rest);
            }
            if words[0] == "-Xclang" && table::is_other_action(&value) {
                return Err(makes_only(&format!("-Xclang {value}")));
            }
            words.push(value);
        }
        options.words.push(match users {
            Users::Link => Word::Link(words),
            Users::Host => Word::Host(words),
            Users::All => Word::All(words),
        });
        Ok(())
    }

    fn finish(mut self) -> Result<Invocation, Error> {
        self.take_stock();
        triples::resolve(&mut self.options)?;
        let Parser { mut options, asks_clang, dependency_words, lists, is_preprocessed, .. } = self;
        if !asks_clang.is_empty() {
            // Some answers follow from others: the sysroot, the library of the compiler, where programs are looked for.
            let words = options.choose(|word| matches!(word, Word::All(_) | Word::Host(_) | Word::Link(_)));
            return Ok(Invocation::AskClang(asks_clang.into_iter().chain(words).collect()));
        }
        if options.inputs.is_empty() && !stock::is_link(&options) {
            // Build systems ask so which linker there is, and what clang is.
            let asked = |word: &Word| matches!(word, Word::Link(words) if words[0].starts_with("-Wl,") || words[0] == "-Xlinker");
            let verbose = (options.verbose || options.print_only).then(|| if options.print_only { "-###" } else { "-v" }.to_owned());
            if verbose.is_some() || options.words.iter().any(asked) {
                let words = options.choose(|word| matches!(word, Word::All(_) | Word::Host(_) | Word::Link(_)));
                return Ok(Invocation::AskClang(verbose.into_iter().chain(words).collect()));
            }
            return Err(Error::Usage("no input files; `aspen++ --help` shows how to call it".into()));
        }
        // Of both, `-M` says which headers, and `-MD` that the text is wanted, too. Source: clang 22.
        let alone = lists.is_some() && options.depfile.is_none();
        if let Some(user_headers_only) = lists.or(options.depfile.as_ref().map(|depfile| depfile.user_headers_only)) {
            options.depfile = Some(Depfile { user_headers_only, alone, ..dependency_words });
        } else {
            // Clang says that they have no use.
            let file = dependency_words.file.map(|file| vec!["-MF".into(), file.to_string_lossy().into_owned()]);
            let targets = dependency_words.targets.into_iter().map(|(option, target)| vec![option.to_owned(), target]);
            let phony = dependency_words.phony.then(|| vec!["-MP".to_owned()]);
            options.words.extend(file.into_iter().chain(targets).chain(phony).map(Word::All));
        }
        inputs::settle(&mut options.inputs, options.stage, is_preprocessed)?;
        if options.emit_llvm && options.stage == Stage::Link && options.side != Side::Device && !options.inputs.iter().any(Input::is_header)
        {
            return Err(Error::Usage("'-emit-llvm' cannot be used when linking; '-c' or '-S' leaves the link out".into()));
        }
        if options.stage == Stage::Syntax && inputs::take_headers_for_sources(&mut options.inputs) {
            options.words.push(Word::All(vec!["-Wno-pragma-once-outside-header".into()]));
        }
        let sources = options.inputs.iter().filter(|input| input.kind != InputKind::Linker).count();
        if options.stage != Stage::Link && options.output.is_some() && sources > 1 {
            return Err(Error::Usage("cannot specify '-o' when generating several output files".into()));
        }
        if options.stage != Stage::Link && sources == 0 {
            let name = &options.inputs[0].path;
            return Err(Error::Usage(format!("no source files: '{name}' is for the linker, which '-c', '-S' and '-E' leave out")));
        }
        Ok(Invocation::Run(Box::new(options)))
    }
}

impl Stage {
    /// The earlier of both: `-c -S` is `-S`.
    fn min_with(self, other: Stage) -> Stage {
        let rank = |stage| match stage {
            Stage::Preprocess => 0,
            Stage::Syntax => 1,
            Stage::Assembly => 2,
            Stage::Object => 3,
            Stage::Link => 4,
        };
        if rank(other) < rank(self) { other } else { self }
    }
}

/// Who asks clang for something else gets it from clang.
fn makes_only(words: &str) -> Error {
    Error::Usage(format!(
        "'{words}': aspen++ makes objects and programs only; run clang++-22 {words} with the words that `aspen clangd-config` adds"
    ))
}

#[cfg(test)]
mod tests;
