//! Preprocessed text of all passes in one file, as compilers' launchers send and keep it: clang's textual offload bundle.
//!
//! Every pass sees other text, so one text cannot stand for a unit. `-E` writes each between two lines of clang's bundler, named by kind and
//! triple; a bundle that is compiled is known by its content, whatever source its name says that it is, and each pass reads its own part. What decides
//! the object beside the source stands behind the last part, for caches that look at text. Source: DESIGN §7.29; clang "Clang Offload
//! Bundler", "Bundling by concatenation".

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;

use crate::args::{Input, InputKind, Options, Side, Stage, Word};
use crate::error::Error;
use crate::passes::{Pass, Role};
use crate::targets::Target;
use crate::toolchain::Toolchain;

const START: &str = "// __CLANG_OFFLOAD_BUNDLE____START__ ";
const END: &str = "// __CLANG_OFFLOAD_BUNDLE____END__ ";

/// Says that macros are still to be expanded. Clang's own mark stands only where something was included.
const OPEN: &str = "\n#pragma aspen macros open\n";

/// An identifier that SYCL's header leaves in the text of each unit, and nothing else does.
const LEFT_BY_HEADER: &str = "__ASPEN_OBJECT_TAG__";

/// What passes read in place of the file that an input names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Text {
    /// All of them this: what came by standard input.
    Same(Arc<Vec<u8>>),
    /// Each its own, by [`part_name`].
    Parts(Arc<Parts>),
}

/// A bundle taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    parts: BTreeMap<String, Arc<Vec<u8>>>,
    /// The source, as the first line marker names it.
    source: Option<String>,
    /// Whether macros are still to be expanded (`-frewrite-includes`).
    has_directives: bool,
}

/// What a pass's part is called: kind, triple and a name.
pub fn part_name(role: &Role, targets: &[Target]) -> String {
    match role {
        Role::Host => "host-x86_64-pc-linux-gnu-".into(),
        Role::Analysis { macros, .. } if macros.is_empty() => "sycl-spir64-unknown-unknown-analysis".into(),
        Role::Analysis { macros, .. } => {
            format!("sycl-spir64-unknown-unknown-analysis.{}", &blake3::hash(macros.join("\n").as_bytes()).to_hex()[..8])
        }
        Role::Code { target } => format!("sycl-{}-{}", targets[*target].triple(), targets[*target].name),
    }
}

/// Whether `-E` writes the text of one pass only: where the user asks for one, and for what is a listing rather than a unit (`-dM`, what
/// comes by standard input, …), as probes of build systems want it. Lists of headers (`-M`) are of all passes.
pub fn is_one_pass(options: &Options, input: &Input) -> bool {
    let lists = |word: &Word| matches!(word, Word::All(words) if matches!(words[0].as_str(), "-dM" | "-dD" | "-dN" | "-dI" | "-dU" | "-fdirectives-only"));
    let no_text = options.depfile.as_ref().is_some_and(|depfile| depfile.alone);
    options.side != Side::Both || (input.path == "-" && !no_text) || options.words.iter().any(lists)
}

/// The bundle of what passes have written.
pub fn bundle<'a>(parts: impl Iterator<Item = (String, &'a [u8])>, behind: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, text) in parts {
        out.extend_from_slice(format!("\n{START}{name}\n").as_bytes());
        out.extend_from_slice(text);
        out.extend_from_slice(format!("\n{END}{name}\n").as_bytes());
    }
    out.extend_from_slice(behind.as_bytes());
    out
}

/// Whether the text of the host is all of a unit: no pass sees a word of SYCL, so none has device code. A launcher that asks by `-E` which
/// compiler this is (sccache 0.4 reads the first line) gets clang's answer.
pub fn is_plain<'a>(options: &Options, mut texts: impl Iterator<Item = &'a [u8]>) -> bool {
    let is_marker = |line: &[u8]| line.starts_with(b"# ");
    let is_sycl = |line: &[u8]| line.windows(4).any(|word| word.eq_ignore_ascii_case(b"sycl"));
    let is_open = options.words.iter().any(|word| matches!(word, Word::All(words) if words[0] == "-frewrite-includes"));
    options.precompiled.is_none()
        && !is_open
        && texts.all(|text| !text.split(|&byte| byte == b'\n').any(|line| !is_marker(line) && is_sycl(line)))
}

/// The text of the host alone, with what caches have to see behind its first line, which names the source. Clang reads this, so it is told
/// not to mind.
pub fn plain(text: &[u8], shown: &str) -> Vec<u8> {
    let marker = text.split_inclusive(|&byte| byte == b'\n').next().filter(|line| line.starts_with(b"# 1 \"")).unwrap_or_default();
    let quiet = "#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wunknown-pragmas\"\n";
    [marker, quiet.as_bytes(), shown.as_bytes(), b"#pragma clang diagnostic pop\n", marker, &text[marker.len()..]].concat()
}

/// What caches have to see of files beside the source: a line marker, by which ccache lists the file among those it looks at, and a digest,
/// which stays when markers are left out (`-P`).
///
/// # Errors
/// If one cannot be read.
pub fn shown_to_caches(options: &Options, toolchain: &Toolchain) -> Result<String, Error> {
    let markers = !options.words.iter().any(|word| matches!(word, Word::All(words) if words[0] == "-P"));
    let mut out = String::new();
    for file in decisive_files(options, toolchain) {
        let content = std::fs::read(file).map_err(|error| Error::file("read", file, error))?;
        let name = file.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        if markers {
            out += &format!("# 1 \"{name}\"\n");
        }
        out += &format!("#pragma aspen input \"{name}\" {}\n", blake3::hash(&content).to_hex());
    }
    out += &format!("#pragma aspen version {}\n", env!("CARGO_PKG_VERSION"));
    if options.words.iter().any(|word| matches!(word, Word::All(words) if words[0] == "-frewrite-includes")) {
        out += OPEN.trim_start();
    }
    Ok(out)
}

/// The files that decide an object beside its source and headers. Source: DESIGN §7.29.
pub fn decisive_files<'a>(options: &'a Options, toolchain: &'a Toolchain) -> impl Iterator<Item = &'a Path> {
    let tools = [toolchain.plugin.as_path(), toolchain.clang.as_path()].into_iter();
    options.config_files.iter().map(|file| file.as_path()).chain(tools)
}

impl Text {
    /// What the pass of that part reads; `None` if a bundle lacks it.
    pub fn of(&self, part: &str) -> Option<Arc<Vec<u8>>> {
        match self {
            Text::Same(text) => Some(text.clone()),
            Text::Parts(bundle) => bundle.parts.get(part).cloned(),
        }
    }

    /// Makes the words of a pass those for this text: macros are expanded already, and the source is known by another name. Clang's driver makes
    /// no device code of input that it knows to be preprocessed, so it is called source.
    pub fn adapt(&self, path: &str, arguments: &mut Vec<String>) {
        let Text::Parts(bundle) = self else { return };
        let mut words = std::mem::take(arguments).into_iter().peekable();
        while let Some(word) = words.next() {
            let given = matches!(word.as_str(), "-Xclang" | "-Xpreprocessor");
            let meant = if given { words.peek().cloned().unwrap_or_default() } else { word.clone() };
            let Some(has_value) = bundle.is_done(&meant) else {
                arguments.push(word);
                if given {
                    arguments.extend(words.next());
                }
                continue;
            };
            // The value of what is given to the compiler proper is given to it, too.
            for _ in 0..usize::from(given) + usize::from(has_value) * (1 + usize::from(given)) {
                words.next();
            }
        }
        if !bundle.has_directives {
            arguments.extend(["-Xclang", "-undef"].map(str::to_owned));
        }
        if bundle.source.is_none() {
            // Without line markers nobody knows which functions are a system header's, where clang does not ask this.
            arguments.push("-Wno-invalid-constexpr".into());
        }
        let source = bundle.source.as_deref().or((path != "-").then_some(path));
        if let Some(source) = source {
            for words in [["-main-file-name", source], ["-plugin-arg-aspen", &format!("source={source}")]] {
                arguments.extend(words.into_iter().flat_map(|word| ["-Xclang".to_owned(), word.to_owned()]));
            }
        }
    }

    /// The source that a bundle was made of.
    pub fn source(&self) -> Option<&str> {
        match self {
            Text::Same(_) => None,
            Text::Parts(bundle) => bundle.source.as_deref(),
        }
    }

    /// Whether it is a bundle.
    pub fn is_bundle(&self) -> bool {
        matches!(self, Text::Parts(_))
    }
}

/// Reads standard input, which every pass reads anew, and finds out which inputs are bundles.
///
/// # Errors
/// If an input cannot be read, is a damaged bundle, or is the text of one pass of a SYCL program.
pub fn unpacked(mut options: Options) -> Result<Options, Error> {
    if options.print_only {
        return Ok(options);
    }
    let (side, stage) = (options.side, options.stage);
    for input in &mut options.inputs {
        let once = is_read_once(&input.path);
        if input.kind == InputKind::Linker || (stage == Stage::Preprocess && !once) {
            continue;
        }
        let bytes = if input.path == "-" {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Error::file("read", "standard input".as_ref(), error))?;
            bytes
        } else if once {
            std::fs::read(&input.path).map_err(|error| Error::file("read", input.path.as_ref(), error))?
        } else if is_preprocessed(input) || starts_a_bundle(Path::new(&input.path)) {
            match std::fs::read(&input.path) {
                Ok(bytes) => bytes,
                Err(_) => continue, // said where all inputs are looked at
            }
        } else {
            continue;
        };
        match Parts::read(&bytes).map_err(|reason| Error::input(Path::new(&input.path), reason))? {
            Some(parts) => {
                input.kind = InputKind::Sycl;
                input.text = Some(Text::Parts(Arc::new(parts)));
            }
            None => {
                let one_pass = is_preprocessed(input) || bytes.starts_with(b"# 1 \"");
                let is_part = one_pass && stage != Stage::Preprocess && holds(&bytes, LEFT_BY_HEADER);
                if is_part && side == Side::Host {
                    input.kind = InputKind::Sycl;
                    input.text = Some(Text::Parts(Arc::new(Parts::host(bytes))));
                    continue;
                }
                if is_part {
                    let reason = "this is a SYCL program's text for one pass, and the others see other text; `aspen++ -E` writes that of all \
                                  passes, unless asked for one ('-fsycl-host-only', '-dM', '-fdirectives-only', …)";
                    return Err(Error::input(Path::new(&input.path), reason));
                }
                input.text = once.then(|| Text::Same(Arc::new(bytes)));
            }
        }
    }
    Ok(options)
}

/// Whether an input is standard input or a pipe, by whatever name: passes have no standard input of the user's, and a pipe ends for the first.
fn is_read_once(path: &str) -> bool {
    let is_open_file = || ["/dev/fd/", "/proc/self/fd/"].iter().any(|folder| path.starts_with(folder));
    let is_pipe = || std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo());
    matches!(path, "-" | "/dev/stdin") || is_open_file() || is_pipe()
}

/// Whether clang takes it for preprocessed C++.
fn is_preprocessed(input: &Input) -> bool {
    match input.language.as_deref() {
        Some(language) => language == "c++-cpp-output",
        None => Path::new(&input.path).extension().is_some_and(|extension| extension == "ii"),
    }
}

fn starts_a_bundle(path: &Path) -> bool {
    let mut first = [0; START.len() + 1];
    File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
        && first.trim_ascii_start().starts_with(&START.as_bytes()[..START.len() - 1])
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|at| at == word.as_bytes())
}

impl Parts {
    /// What `-fsycl-host-only -E` wrote.
    fn host(text: Vec<u8>) -> Parts {
        let (source, has_directives) = (source_of(&text), is_expanded_later(&text));
        Parts { parts: BTreeMap::from([(part_name(&Role::Host, &[]), Arc::new(text))]), source, has_directives }
    }

    /// Whether the preprocessor has done already what a word says, and whether the word's value is another word.
    fn is_done(&self, word: &str) -> Option<bool> {
        let includes = |word: &str| matches!(word, "-include" | "-imacros" | "--include" | "--imacros" | "-include-pch");
        let defines = |word: &str| matches!(word, "-D" | "-U" | "--define-macro" | "--undefine-macro");
        let joined = |words: &[&str]| words.iter().any(|start| word.starts_with(start));
        let open = self.has_directives;
        if includes(word) || (!open && defines(word)) {
            return Some(true);
        }
        let is_done = joined(&["--include=", "--imacros=", "-Wp,-include", "-Wp,-imacros"])
            || (!open && joined(&["-D", "-U", "--define-macro=", "--undefine-macro=", "-Wp,-D", "-Wp,-U"]));
        is_done.then_some(false)
    }

    /// Takes a bundle apart; `None` if the text is none.
    ///
    /// # Errors
    /// With what is wrong with a bundle.
    pub fn read(bytes: &[u8]) -> Result<Option<Parts>, String> {
        if !bytes.trim_ascii_start().starts_with(START.trim_end().as_bytes()) {
            return Ok(None);
        }
        let (mut parts, mut source) = (BTreeMap::new(), None);
        let mut has_directives = holds(bytes, OPEN);
        let mut open: Option<(&str, usize)> = None;
        let mut at = 0;
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let begin = at;
            at += line.len();
            let named = |mark: &str| line.strip_prefix(mark.as_bytes()).and_then(|rest| std::str::from_utf8(rest).ok()).map(str::trim_end);
            if let Some(name) = named(START) {
                if let Some((other, _)) = open {
                    return Err(format!("the part '{name}' begins inside of '{other}'"));
                }
                open = Some((name, at));
            } else if let Some(name) = named(END) {
                let (part, from) =
                    open.take().filter(|(part, _)| *part == name).ok_or_else(|| format!("the part '{name}' ends without a beginning"))?;
                // The line before the mark belongs to it.
                let text = bytes[from..begin].strip_suffix(b"\n").unwrap_or(&bytes[from..begin]);
                source = source.or_else(|| source_of(text));
                has_directives = has_directives || is_expanded_later(text); // by a driver that said so in its text only
                if parts.insert(part.to_owned(), Arc::new(text.to_vec())).is_some() {
                    return Err(format!("the part '{part}' is there twice; give each source's text a file of its own"));
                }
            }
        }
        match open {
            Some((name, _)) => Err(format!("the part '{name}' has no end: the text is cut off")),
            None => Ok(Some(Parts { parts, source, has_directives })),
        }
    }
}

fn is_expanded_later(text: &[u8]) -> bool {
    holds(text, "/* expanded by -frewrite-includes */")
}

/// The file of the first line marker that names one; `<built-in>` and the like are none.
fn source_of(text: &[u8]) -> Option<String> {
    let markers = text.split(|&byte| byte == b'\n').filter_map(|line| line.strip_prefix(b"# 1 \""));
    let line = markers.filter(|name| !name.starts_with(b"<")).find_map(|rest| {
        let end = (1..rest.len()).find(|&at| rest[at] == b'"' && rest[at - 1] != b'\\')?;
        rest.get(..end)
    })?;
    Some(String::from_utf8_lossy(line).replace("\\\"", "\"").replace("\\\\", "\\"))
}

/// The error for a bundle that lacks a pass's part.
pub fn lacks(input: &Input, pass: &Pass, part: &str) -> Error {
    let what = if pass.role == Role::Host { "host code" } else { "device code of that kind" };
    Error::input(
        Path::new(&input.path),
        format!(
            "this preprocessed text has no part '{part}' ({what}); preprocess it with the same '-fsycl-targets=' and device files as it is compiled with"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_taken_apart_as_it_was_written_and_damage_is_named() {
        let bundle = |parts: &[(&str, &str)]| {
            let parts = parts.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes()));
            String::from_utf8(bundle(parts, "#pragma aspen version 1\n")).expect("text")
        };
        let check = |text: &str, expected: &str| {
            let shown = match Parts::read(text.as_bytes()) {
                Ok(None) => "none".to_owned(),
                Ok(Some(Parts { parts, source, has_directives })) => {
                    let parts: Vec<String> =
                        parts.iter().map(|(name, text)| format!("{name}={:?}", String::from_utf8_lossy(text))).collect();
                    format!("{} {source:?} {has_directives}", parts.join(" "))
                }
                Err(reason) => reason,
            };
            assert_eq!(shown, expected, "{text}");
        };
        check("int a;", "none");
        check("", "none");
        let two = bundle(&[("host-x-", "# 1 \"a b.cpp\"\n# 1 \"<built-in>\"\nint a;\n"), ("sycl-y-", "int b;")]);
        check(&two, r##"host-x-="# 1 \"a b.cpp\"\n# 1 \"<built-in>\"\nint a;\n" sycl-y-="int b;" Some("a b.cpp") false"##);
        check(
            &bundle(&[("h", "#if 0 /* expanded by -frewrite-includes */")]),
            r##"h="#if 0 /* expanded by -frewrite-includes */" None true"##,
        );
        check(&bundle(&[("h", "")]), r#"h="" None false"#);
        check(&two[..two.len() - 40], "the part 'sycl-y-' has no end: the text is cut off");
        check(&bundle(&[("h", "1"), ("h", "2")]), "the part 'h' is there twice; give each source's text a file of its own");
        check(&two.replacen("____END__ host", "____STAR__ host", 1), "the part 'sycl-y-' begins inside of 'host-x-'");
        check(&two.replacen("____END__ host-x-", "____END__ other", 1), "the part 'other' ends without a beginning");
    }
}
