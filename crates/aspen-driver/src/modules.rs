//! Modules of C++20: the interface of a module as each pass sees it.
//!
//! A built interface of clang's serves the pass that made it. So `m.pcm` is the host's, as every tool of clang's expects it, and the folder
//! `m.pcm.passes` beside it has one for each device pass, with the name of the source, of which `-c m.pcm` makes the object. Passes that import
//! find their own by the name of the pass. Source: clang "Standard C++ Modules".

use std::fs;
use std::path::{Path, PathBuf};

use crate::args::{Input, MODULE, Options, Stage};
use crate::error::Error;
use crate::janitor;
use crate::passes::Role;

/// What a run leaves for those who import the module that it compiles.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// `--precompile`: nothing else.
    pub alone: bool,
    /// `-fmodule-output`: also where a program is linked.
    pub wanted: bool,
    /// `-fmodule-output=FILE`.
    pub file: Option<PathBuf>,
    /// Where passes put theirs for now.
    pub folder: Option<PathBuf>,
}

/// In the folder of an interface: the source's name.
const SOURCE: &str = "source";

/// The name of the host's in the folder, until it has its place.
const HOST: &str = "host.pcm";

/// Interfaces that are being made.
pub struct Making {
    /// The run that does it.
    pub options: Options,
    folder: tempfile::TempDir,
    /// Where that of each input goes.
    results: Vec<(Input, PathBuf)>,
}

/// Gives interfaces among the inputs their source back, and finds out whether the run leaves any, as clang does: beside objects,
/// where `-fmodule-output` says, or with `--precompile` nothing else.
///
/// # Errors
/// If an input or the command line cannot be meant so, or nothing can be written where a result goes.
pub fn making(options: &mut Options) -> Result<Option<Making>, Error> {
    let is_built =
        |input: &Input| input.language.is_none() && Path::new(&input.path).extension().is_some_and(|extension| extension == "pcm");
    if options.inputs.iter().any(is_built) {
        for input in options.inputs.iter_mut().filter(|input| is_built(input)) {
            let source = fs::read_to_string(folder_of(&input.path).join(SOURCE));
            let source = source.map_err(|_| {
                Error::Usage(format!(
                    "'{}' was not made by aspen++, and clang's own serve one pass only; compile the module's source",
                    input.path
                ))
            })?;
            (input.path, input.language) = (source, Some(MODULE.into()));
        }
        options.interface = Interface::default();
        return Ok(None);
    }
    let modules: Vec<Input> = options.inputs.iter().filter(|input| input.is_module()).cloned().collect();
    let interface = &options.interface;
    if interface.alone && modules.len() < options.inputs.len() && !options.inputs.iter().any(Input::is_header) {
        let other = options.inputs.iter().find(|input| !input.is_module()).map_or("", |input| &input.path);
        return Err(Error::Usage(format!("'--precompile' is for interfaces of modules (.cppm, '-x c++-module'), and '{other}' is none")));
    }
    let leaves = match options.stage {
        Stage::Preprocess => false,
        Stage::Syntax => interface.alone,
        Stage::Object => true,
        // Assembly is the host's alone, so there would be none for the other passes.
        Stage::Assembly | Stage::Link => interface.wanted || interface.file.is_some(),
    };
    if modules.is_empty() || !leaves || options.print_only {
        return Ok(None);
    }
    if interface.file.is_some() && modules.len() > 1 {
        return Err(Error::Usage("'-fmodule-output=' names one file, and there are several modules".into()));
    }
    let output = options.output.as_deref().filter(|_| interface.alone || options.stage != Stage::Link);
    let place = |input: &Input| match (&interface.file, output) {
        (Some(file), _) if !interface.alone => file.clone(),
        (_, Some(output)) if interface.alone => output.into(),
        (_, Some(output)) => Path::new(output).with_extension("pcm"),
        _ => format!("{}.pcm", input.stem()).into(),
    };
    let results: Vec<(Input, PathBuf)> = modules.into_iter().map(|input| (input.clone(), place(&input))).collect();
    let first = &results[0].1;
    let parent = first.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = janitor::folder(".aspen-", parent).map_err(|error| Error::temporary("write", first, &error))?;
    let mut made = options.clone();
    made.interface.folder = Some(folder.path().to_path_buf());
    for (input, _) in &results {
        let own = folder.path().join(key_of(input));
        fs::create_dir_all(&own).map_err(|error| Error::temporary("write", first, &error))?;
    }
    Ok(Some(Making { options: made, folder, results }))
}

impl Interface {
    /// The words by which a pass of a module leaves its own; one that nobody wants goes to that file.
    pub fn words(&self, input: &Input, role: &Role, part: &str, unwanted: &Path) -> Vec<String> {
        if !input.is_module() {
            return Vec::new();
        }
        // Without, clang's driver leaves one beside what it writes.
        let Some(folder) = &self.folder else {
            return vec!["-fmodules-reduced-bmi".into(), format!("-fmodule-output={}", unwanted.display())];
        };
        let name = if *role == Role::Host { HOST.into() } else { format!("{part}.pcm") };
        let file = folder.join(key_of(input)).join(name).to_string_lossy().into_owned();
        if self.alone {
            return ["-emit-module-interface", "-o", &file].into_iter().flat_map(|word| ["-Xclang".into(), word.to_owned()]).collect();
        }
        vec!["-fmodules-reduced-bmi".into(), format!("-fmodule-output={file}")]
    }
}

impl Making {
    /// Puts what the passes have made where it belongs.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<(), Error> {
        for (input, output) in &self.results {
            let failed = |error| Error::file("write", output, error);
            let made = self.folder.path().join(key_of(input));
            if fs::metadata(output).is_ok_and(|found| !found.is_file()) {
                continue; // /dev/null
            }
            let source = std::path::absolute(&input.path).map_err(failed)?;
            fs::write(made.join(SOURCE), source.as_os_str().as_encoded_bytes()).map_err(failed)?;
            fs::set_permissions(&made, std::os::unix::fs::PermissionsExt::from_mode(0o755)).map_err(failed)?;
            let host = made.join(HOST);
            let of_passes = folder_of(&output.to_string_lossy());
            if of_passes.is_dir() {
                fs::remove_dir_all(&of_passes).map_err(|error| Error::file("remove", &of_passes, error))?;
            }
            if host.exists() {
                fs::rename(&host, output).map_err(failed)?;
            }
            fs::rename(&made, &of_passes).map_err(failed)?;
        }
        Ok(())
    }
}

/// Makes the words of a pass name the interfaces that are its own.
///
/// # Errors
/// If an interface has none for the pass.
pub fn resolve(arguments: &mut Vec<String>, role: &Role, part: &str) -> Result<(), Error> {
    if *role == Role::Host {
        return Ok(()); // the files themselves
    }
    let mut resolved = Vec::with_capacity(arguments.len());
    for word in arguments.drain(..) {
        if let Some(value) = word.strip_prefix("-fmodule-file=") {
            let (name, file) = value.split_once('=').map_or((None, value), |(name, file)| (Some(name), file));
            let own = own_of(file, part)?;
            resolved.push(name.map_or_else(|| format!("-fmodule-file={own}"), |name| format!("-fmodule-file={name}={own}")));
        } else if let Some(folder) = word.strip_prefix("-fprebuilt-module-path=") {
            for file in interfaces_in(Path::new(folder))? {
                let name = Path::new(&file).file_stem().map(|stem| stem.to_string_lossy().replacen('-', ":", 1)).unwrap_or_default();
                resolved.push(format!("-fmodule-file={name}={}", own_of(&file, part)?));
            }
        } else {
            resolved.push(word);
        }
    }
    *arguments = resolved;
    Ok(())
}

/// Whether a word of the command line is about modules.
pub fn is_about_modules(word: &str) -> bool {
    ["-fmodule", "-fprebuilt-module-path", "-fprebuilt-implicit"].iter().any(|start| word.starts_with(start))
}

/// The interfaces of a folder that have one for each pass, by name.
fn interfaces_in(folder: &Path) -> Result<Vec<String>, Error> {
    let failed = |error| Error::file("read", folder, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path().to_string_lossy().into_owned();
        if path.ends_with(".pcm") && folder_of(&path).is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn own_of(file: &str, part: &str) -> Result<String, Error> {
    let folder = folder_of(file);
    let own = folder.join(format!("{part}.pcm"));
    if own.is_file() {
        return Ok(own.to_string_lossy().into_owned());
    }
    Err(Error::Usage(match folder.is_dir() {
        true => format!("'{file}' was made for other targets and has nothing for the pass '{part}'; make it with this '-fsycl-targets'"),
        false => format!("'{file}' serves the host pass only; make it with aspen++ (--precompile, or -c with -fmodule-output)"),
    }))
}

fn folder_of(file: &str) -> PathBuf {
    format!("{file}.passes").into()
}

/// The name of an input's folder among temporary files.
fn key_of(input: &Input) -> String {
    blake3::hash(input.path.as_bytes()).to_hex()[..16].to_owned()
}
