//! The command line of `sycl-post-link`: DPC++'s options, with one dash or two. Source: FORMATS §4.1.
//!
//! Each is in the table of `options.rs`, which docs/POST_LINK.md shows: done, or without anything to do, or refused.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use aspen_analysis::split::CodeSplit;
use aspen_devices::nearest;
pub use aspen_llvm::Dialect;
use aspen_llvm::SpecConstantMode;

/// A table to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The target whose images the table lists; all images if there is none.
    pub target: Option<String>,
    /// The file; `-` is standard output.
    pub path: PathBuf,
}

impl Output {
    /// Whether it goes to standard output, as LLVM's tools take `-`.
    pub(crate) fn is_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }
}

/// What is to be done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arguments {
    /// Bitcode or text IR; standard input if there is none.
    pub input: Option<PathBuf>,
    /// `-o`, in order; never empty.
    pub outputs: Vec<Output>,
    /// `-out-dir`.
    pub out_dir: Option<PathBuf>,
    /// `-split`.
    pub split: CodeSplit,
    /// Whether `-split` is `auto` or left out.
    pub split_auto: bool,
    /// `-symbols`.
    pub symbols: bool,
    /// `-properties`.
    pub properties: bool,
    /// `-S`.
    pub text: bool,
    /// `-f`: bitcode goes to a terminal too.
    pub force: bool,
    /// `-ir-output-only`.
    pub ir_output_only: bool,
    /// `-emit-only-kernels-as-entry-points`.
    pub only_kernels: bool,
    /// `-emit-kernel-names`.
    pub kernel_names: bool,
    /// `-emit-exported-symbols`.
    pub exported_symbols: bool,
    /// `-emit-imported-symbols`.
    pub imported_symbols: bool,
    /// `-emit-program-metadata`.
    pub program_metadata: bool,
    /// `-emit-param-info`.
    pub param_info: bool,
    /// `-device-globals`.
    pub device_globals: bool,
    /// `-allow-device-image-dependencies`, in 2024 `-support-dynamic-linking`.
    pub dependencies: bool,
    /// The first option that is about explicit SIMD kernels.
    pub explicit_simd: Option<&'static str>,
    /// `-device-lib-dir`.
    pub device_libraries: Option<PathBuf>,
    /// `-id-queries-range`: what the runtime is told of it; nothing for `int`.
    pub id_queries: Option<u32>,
    /// `-j`: how many images are made at a time; as many as there are processors if it is not given.
    pub jobs: Option<NonZeroUsize>,
    /// `-spec-const`.
    pub spec_constants: Option<SpecConstantMode>,
    /// `-generate-device-image-default-spec-consts`.
    pub default_spec_constants: bool,
    /// `--dialect`: whose property sets are written, and whose order of images. Without it, whose metadata the input holds decides.
    pub dialect: Option<Dialect>,
    /// The dialect of the tool's name, where neither option nor input decide. Source: DESIGN §7.24.
    pub unmarked: Dialect,
    /// `--device-config-file`, in order.
    pub config_files: Vec<PathBuf>,
}

/// Why there is nothing to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Usage {
    /// `--help`.
    Help,
    /// `--version`.
    Version,
    /// A wrong command line, with the way out.
    Wrong(String),
}

/// The text of `--help`.
pub const HELP: &str = "\
Splits a module of device code by what its kernels need, and says what each image needs

Usage: sycl-post-link [OPTIONS] [INPUT]
       aspen post-link [OPTIONS] [INPUT]

INPUT is bitcode or text IR, standard input if there is none or '-'.
Options may be written with one dash or two.

  -o [TARGET,]FILE          write a table of the images, only of those TARGET can run; may be repeated
                            (default: <input's stem>.files, with -ir-output-only .out)
  -out-dir=DIR              put the listed files there
  -split=source|kernel|auto|none
                            images for each translation unit (auto, the default), for each kernel, or neither;
                            what kernels need splits further in every mode
  -symbols                  write and list .sym files
  -properties               write and list .prop files
  -S                        write text IR instead of bitcode
  -f                        write bitcode also to a terminal ('-o -' is standard output)
  -ir-output-only           write the whole module to FILE and no table
  -emit-kernel-names        property set 'SYCL/kernel names'
  -emit-exported-symbols    property set 'SYCL/exported symbols'
  -emit-imported-symbols    property set 'SYCL/imported symbols'
  -emit-program-metadata    property set 'SYCL/program metadata'
  -emit-param-info          property set 'SYCL/kernel param opt'
  -device-globals           property set 'SYCL/device globals'
  -emit-only-kernels-as-entry-points
                            exported functions alone make no image
  -allow-device-image-dependencies
                            images import exported functions instead of holding copies of them
  -spec-const=native|emulation|default_values
                            read specialization constants as SPIR-V's, from a buffer of the runtime, or as their
                            default values; property sets 'SYCL/specialization constants[ default values]'
  -generate-device-image-default-spec-consts
                            after each image that reads such constants, one with their default values
  -j N                      make so many images at a time (default: one for each processor)
  -device-lib-dir=DIR       where DPC++'s bfloat16 libraries lie, two images more for modules that convert it
  -id-queries-range=int|uint|size_t
                            'idQueriesRange' of the property set 'SYCL/misc properties'
  -split-esimd, -lower-esimd, -O0 to -O3, -Os, -Oz, -force-disable-esimd-opt
                            nothing; an error if the module has explicit SIMD kernels
  --dialect=seed|dpcpp      names of property sets, and the order of images (default: those of
                            the input's metadata, else dpcpp as sycl-post-link, seed as aspen post-link)
  --device-config-file=F    adds to the target database, or changes it
  --help, --version
";

/// Options without a value that set a flag.
type Flag = fn(&mut Arguments) -> &mut bool;
const FLAGS: [(&str, Flag); 15] = [
    ("symbols", |arguments| &mut arguments.symbols),
    ("properties", |arguments| &mut arguments.properties),
    ("S", |arguments| &mut arguments.text),
    ("f", |arguments| &mut arguments.force),
    ("ir-output-only", |arguments| &mut arguments.ir_output_only),
    ("emit-only-kernels-as-entry-points", |arguments| &mut arguments.only_kernels),
    ("emit-kernel-names", |arguments| &mut arguments.kernel_names),
    ("emit-exported-symbols", |arguments| &mut arguments.exported_symbols),
    ("emit-imported-symbols", |arguments| &mut arguments.imported_symbols),
    ("emit-program-metadata", |arguments| &mut arguments.program_metadata),
    ("emit-param-info", |arguments| &mut arguments.param_info),
    ("device-globals", |arguments| &mut arguments.device_globals),
    ("allow-device-image-dependencies", |arguments| &mut arguments.dependencies),
    ("support-dynamic-linking", |arguments| &mut arguments.dependencies),
    ("generate-device-image-default-spec-consts", |arguments| &mut arguments.default_spec_constants),
];

/// Options that take a value, as `-o FILE` or `-o=FILE`.
const VALUED: [&str; 9] =
    ["o", "out-dir", "split", "spec-const", "dialect", "device-config-file", "j", "device-lib-dir", "id-queries-range"];

/// Options about explicit SIMD kernels. There is nothing to do for modules without such kernels, and the others are refused by name.
/// DPC++'s driver passes them always; `-O…` is about their lowering only, since images are optimised where their code is generated.
const EXPLICIT_SIMD: [&str; 9] = ["split-esimd", "lower-esimd", "force-disable-esimd-opt", "O0", "O1", "O2", "O3", "Os", "Oz"];

impl Arguments {
    /// Reads the words behind the program's name. No file is looked at.
    ///
    /// # Errors
    /// If there is nothing to run.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Arguments, Usage> {
        let mut words = words.into_iter();
        let mut out = Arguments { split_auto: true, ..Arguments::default() };
        let (mut any, mut only_inputs) = (false, false);
        while let Some(word) = words.next() {
            any = true;
            let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).filter(|option| !option.is_empty() && !only_inputs);
            match option {
                None if word == "--" && !only_inputs => only_inputs = true,
                None => out.add_input(&word)?,
                Some(option) => out.add_option(&word, option, &mut words)?,
            }
        }
        if !any {
            return Err(wrong("no input; --help shows the options"));
        }
        out.finish()
    }

    fn add_input(&mut self, word: &str) -> Result<(), Usage> {
        if word.is_empty() {
            return Err(wrong("the input's name is empty"));
        }
        match &self.input {
            Some(first) => Err(wrong(&format!("two inputs, '{}' and '{word}'; link them first", first.display()))),
            None => {
                self.input = Some(word.into());
                Ok(())
            }
        }
    }

    fn add_option(&mut self, word: &str, option: &str, rest: &mut impl Iterator<Item = String>) -> Result<(), Usage> {
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value.to_owned())));
        // As make takes it: -j8.
        let (name, value) = match name.strip_prefix('j').filter(|count| count.starts_with(|c: char| c.is_ascii_digit())) {
            Some(count) => ("j", Some(count.to_owned())),
            None => (name, value),
        };
        if VALUED.contains(&name) {
            let value = value.or_else(|| rest.next()).filter(|value| !value.is_empty());
            let value = value.ok_or_else(|| wrong(&format!("the option '-{name}' lacks its value")))?;
            return self.add_value(name, value);
        }
        if let Some(option) = EXPLICIT_SIMD.iter().find(|option| **option == name) {
            if !matches!(value.as_deref(), Some("false" | "0")) {
                self.explicit_simd.get_or_insert(option);
            }
            return Ok(());
        }
        if !(FLAGS.iter().any(|(flag, _)| *flag == name) || ["help", "h", "version"].contains(&name)) {
            return Err(unknown(word, name));
        }
        // As in LLVM's tools, a flag may be given a truth value.
        let set = match value.as_deref() {
            None | Some("true" | "1") => true,
            Some("false" | "0") => false,
            Some(value) => return Err(wrong(&format!("the option '-{name}' is a switch and takes no value '{value}'"))),
        };
        match name {
            "help" | "h" => return Err(Usage::Help),
            "version" => return Err(Usage::Version),
            _ => {
                let (_, flag) = FLAGS.iter().find(|(flag, _)| *flag == name).ok_or_else(|| unknown(word, name))?;
                *flag(self) = set;
            }
        }
        Ok(())
    }

    fn add_value(&mut self, name: &str, value: String) -> Result<(), Usage> {
        let bad = |known: &str| Err(wrong(&format!("'{value}' is no value of '-{name}'; it may be {known}")));
        match name {
            "o" => {
                // Text before the first comma is a target; an empty one is none. Source: FORMATS §4.1.
                let (target, path) = value.split_once(',').map_or(("", value.as_str()), |(target, path)| (target, path));
                if path.is_empty() {
                    return Err(wrong(&format!("'-o {value}' names no file")));
                }
                let path = PathBuf::from(path);
                if self.outputs.iter().any(|output| output.path == path) {
                    return Err(wrong(&format!("'-o' names '{}' twice", path.display())));
                }
                self.outputs.push(Output { target: Some(target.to_owned()).filter(|target| !target.is_empty()), path });
            }
            "j" => match value.parse() {
                Ok(jobs) => self.jobs = Some(jobs),
                Err(_) => return bad("a number from 1"),
            },
            "device-lib-dir" => self.device_libraries = Some(value.into()),
            "id-queries-range" => match value.as_str() {
                "int" => self.id_queries = None,
                "uint" => self.id_queries = Some(1),
                "size_t" => self.id_queries = Some(2),
                _ => return bad("int, uint or size_t"),
            },
            "out-dir" => self.out_dir = Some(value.into()),
            "device-config-file" => self.config_files.push(value.into()),
            "split" => {
                self.split_auto = value == "auto";
                self.split = match value.as_str() {
                    "source" | "auto" => CodeSplit::PerSource,
                    "kernel" => CodeSplit::PerKernel,
                    "none" => CodeSplit::Off,
                    _ => return bad("source, kernel, auto or none"),
                };
            }
            "spec-const" => match value.as_str() {
                "native" => self.spec_constants = Some(SpecConstantMode::Native),
                "emulation" => self.spec_constants = Some(SpecConstantMode::Emulation),
                // DPC++ has this as a mode of the pass only, and as the images of the next option.
                "default_values" => self.spec_constants = Some(SpecConstantMode::Defaults),
                _ => return bad("native (once 'rt'), emulation (once 'default') or default_values"),
            },
            _ => match value.as_str() {
                "seed" => self.dialect = Some(Dialect::Seed),
                "dpcpp" => self.dialect = Some(Dialect::Dpcpp),
                _ => return bad("seed or dpcpp"),
            },
        }
        Ok(())
    }

    /// What only the whole line shows.
    fn finish(mut self) -> Result<Arguments, Usage> {
        if self.ir_output_only {
            if !(self.split_auto || self.split == CodeSplit::Off) {
                return Err(wrong("'-ir-output-only' writes one file; it goes with '-split=auto' and '-split=none' only"));
            }
            if self.default_spec_constants {
                return Err(wrong("'-ir-output-only' writes one file; it does not go with '-generate-device-image-default-spec-consts'"));
            }
            // Drivers for OpenMP pass the two others always; what they would write has nowhere to go.
            let asks_for_files = Arguments { device_globals: false, param_info: false, ..self.clone() }.writes_lists();
            if asks_for_files {
                return Err(wrong("'-ir-output-only' writes no table; it does not go with '-symbols', '-properties' and '-emit-…'"));
            }
            if self.outputs.len() > 1 || self.outputs.iter().any(|output| output.target.is_some()) {
                return Err(wrong("'-ir-output-only' writes one file, for no target in particular"));
            }
        }
        if self.outputs.is_empty() {
            let ending = if self.ir_output_only { "out" } else { "files" };
            self.outputs.push(Output { target: None, path: format!("{}.{ending}", self.input_stem()).into() });
        }
        Ok(self)
    }

    /// What files are named after that nobody names.
    pub(crate) fn input_stem(&self) -> String {
        let stem = self.input.as_deref().filter(|input| input.as_os_str() != "-").and_then(|input| input.file_stem());
        stem.map_or_else(|| "stdin".into(), |stem| stem.to_string_lossy().into_owned())
    }

    fn writes_lists(&self) -> bool {
        self.symbols || self.properties || self.writes_sets()
    }

    /// Whether an option asks for a property set by name.
    fn writes_sets(&self) -> bool {
        self.kernel_names
            || self.exported_symbols
            || self.imported_symbols
            || self.program_metadata
            || self.param_info
            || self.device_globals
    }

    /// Whether there is anything to do. Source: FORMATS §4.1.
    pub fn has_actions(&self) -> bool {
        self.split != CodeSplit::Off
            || self.writes_lists()
            || self.ir_output_only
            || self.spec_constants.is_some()
            || self.default_spec_constants
    }

    /// Whose property sets are written: by the option, else by the input, else by the tool's name.
    pub(crate) fn written(&self) -> Dialect {
        self.dialect.unwrap_or(self.unmarked)
    }

    /// Whether `.prop` files are written: they are what the sets stand in.
    pub(crate) fn writes_properties(&self) -> bool {
        self.properties || self.writes_sets()
    }
}

fn wrong(message: &str) -> Usage {
    Usage::Wrong(message.to_owned())
}

/// Every option but the two that only show something.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FLAGS.iter().map(|(flag, _)| *flag).chain(VALUED).chain(EXPLICIT_SIMD)
}

fn unknown(word: &str, name: &str) -> Usage {
    let known = names().chain(["help", "version"]);
    let hint = nearest(name, known).map_or_else(|| "; --help shows the options".to_owned(), |near| format!("; did you mean '-{near}'?"));
    Usage::Wrong(format!("unknown option '{word}'{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, Usage> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[track_caller]
    fn sound(line: &str) -> Arguments {
        parse(line).unwrap_or_else(|usage| panic!("{line}: {usage:?}"))
    }

    #[test]
    fn dpcpps_command_lines() {
        let arguments =
            sound("-split=kernel -symbols -properties -emit-exported-symbols x.bc -o a.table -o intel_gpu_pvc,b,c.table -out-dir=d -S -f");
        assert_eq!(
            (arguments.split, arguments.symbols, arguments.properties, arguments.exported_symbols),
            (CodeSplit::PerKernel, true, true, true)
        );
        let outputs =
            [Output { target: None, path: "a.table".into() }, Output { target: Some("intel_gpu_pvc".into()), path: "b,c.table".into() }];
        assert_eq!((arguments.outputs, arguments.out_dir, arguments.text), (outputs.to_vec(), Some("d".into()), true));
        assert_eq!(arguments.input, Some("x.bc".into()));
        assert_eq!(sound("--split=none --symbols --o=,t x.ll").outputs, [Output { target: None, path: "t".into() }]);
        assert_eq!(sound("dir/x.ll").outputs, [Output { target: None, path: "x.files".into() }]);
        assert!(sound("-ir-output-only --device-globals -emit-param-info x.ll").ir_output_only);
        assert_eq!(sound("-ir-output-only -split=none x.y.ll").outputs, [Output { target: None, path: "x.y.out".into() }]);
        assert_eq!(sound("-symbols -").outputs, [Output { target: None, path: "stdin.files".into() }]);
        assert_eq!(sound("-symbols").input, None);
        assert_eq!(sound("-symbols -- -odd").input, Some("-odd".into()));
        assert_eq!((sound("x").split, sound("x").split_auto), (CodeSplit::PerSource, true));
        assert!(!sound("-properties=false x").properties && sound("-properties=1 x").properties);
        assert_eq!(sound("-spec-const native --dialect=dpcpp --device-config-file f.yaml x").config_files, [PathBuf::from("f.yaml")]);
        let jobs = |line| sound(line).jobs.map(NonZeroUsize::get);
        assert_eq!([jobs("x"), jobs("-j8 x"), jobs("x -j 3"), jobs("--j=1 x")], [None, Some(8), Some(3), Some(1)]);
        for (value, mode) in [
            ("native", SpecConstantMode::Native),
            ("emulation", SpecConstantMode::Emulation),
            ("default_values", SpecConstantMode::Defaults),
        ] {
            assert_eq!(sound(&format!("-spec-const={value} x")).spec_constants, Some(mode));
        }
        assert!(sound("-generate-device-image-default-spec-consts x").default_spec_constants && sound("x -f").force && !sound("x").force);
        assert!(sound("-allow-device-image-dependencies x").dependencies && !sound("x").dependencies);
        // As DPC++'s drivers of 2024 to 2026 call it.
        let driver = sound(
            "-O2 -device-globals -id-queries-range=uint --device-lib-dir=/lib -properties -spec-const=native \
             -emit-only-kernels-as-entry-points -emit-param-info -symbols -emit-exported-symbols -emit-imported-symbols -split-esimd \
             -lower-esimd -O0 -split=auto -o a.table x.bc",
        );
        assert_eq!((driver.explicit_simd, driver.device_libraries, driver.id_queries), (Some("O2"), Some("/lib".into()), Some(1)));
        assert_eq!((sound("-id-queries-range=int x").id_queries, sound("-split-esimd=false x").explicit_simd), (None, None));
        assert!(sound("-support-dynamic-linking x").dependencies);
        assert_eq!((parse("x --help"), parse("--version")), (Err(Usage::Help), Err(Usage::Version)));
    }

    #[test]
    fn wrong_lines_say_what_is_wrong() {
        for (line, message) in [
            ("", "no input"),
            ("a.bc b.bc", "two inputs, 'a.bc' and 'b.bc'"),
            ("-split=diagonal x", "'diagonal' is no value of '-split'; it may be source"),
            ("-split", "'-split' lacks its value"),
            ("-split= x", "'-split' lacks its value"),
            ("-symbls x", "unknown option '-symbls'; did you mean '-symbols'?"),
            ("-symbols=perhaps x", "is a switch"),
            ("-O4 x", "unknown option '-O4'"),
            ("-device-lib-dir= x", "'-device-lib-dir' lacks its value"),
            ("-id-queries-range=long x", "'long' is no value of '-id-queries-range'; it may be int, uint or size_t"),
            ("-o intel_gpu_pvc, x", "names no file"),
            ("-o a -o spir64,a x", "names 'a' twice"),
            ("-ir-output-only -split=source x", "-split=auto"),
            ("-ir-output-only -symbols x", "no table"),
            ("-ir-output-only -o a -o b x", "one file"),
            ("-dialect=klingon x", "'klingon' is no value of '-dialect'"),
            ("-j0 x", "'0' is no value of '-j'; it may be a number from 1"),
            ("-j", "'-j' lacks its value"),
            ("-j x.bc", "'x.bc' is no value of '-j'"),
            ("-j2x x", "'2x' is no value of '-j'"),
            ("-spec-const=rt x", "'rt' is no value"),
            ("-spec-cosnt=native x", "unknown option '-spec-cosnt=native'; did you mean '-spec-const'?"),
            ("-spec-const", "'-spec-const' lacks its value"),
            (
                "-ir-output-only -generate-device-image-default-spec-consts x",
                "does not go with '-generate-device-image-default-spec-consts'",
            ),
        ] {
            match parse(line) {
                Err(Usage::Wrong(said)) => assert!(said.contains(message), "{line}: {said}"),
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn actions() {
        assert!(!sound("-split=none x").has_actions() && !sound("-split=none -S -o y x").has_actions());
        for line in ["x", "-split=none -symbols x", "-split=none -emit-kernel-names x", "-split=none -ir-output-only x"] {
            assert!(sound(line).has_actions(), "{line}");
        }
    }
}
