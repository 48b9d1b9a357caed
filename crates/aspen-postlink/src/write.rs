//! From a module to files: cut out each image, write it with its symbols and property sets, and list what each target can run.
//!
//! Images are made and written one after the other, so that memory holds the module and one image. A run that fails removes what it has
//! written. Source: FORMATS §4.1 to §4.3, §4.7.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use aspen_contract::{Requirements, Verdict, check};
use aspen_devices::{Database, Target};
use aspen_image::table::{CODE, PROPERTIES, SYMBOLS};
use aspen_image::{FileTable, PropertySets};
use aspen_llvm::{Context, DeviceFunction, Module, device_functions, device_globals};

use crate::arguments::{Arguments, Dialect};
use crate::entry_points::reads_spec_constant;
use crate::error::Error;
use crate::plan::{Entries, plan};
use crate::sets::{Cut, add_compile_target};

/// Runs post-link.
///
/// # Errors
/// If a target is not known, the input is no module, or something cannot be written; no new file is left then.
pub fn run(arguments: &Arguments, database: &Database) -> Result<(), Error> {
    let lookup = |name: &String| database.lookup(name).map_err(|error| Error::Target { option: "-o", error });
    let targets: Vec<Option<&Target>> =
        arguments.outputs.iter().map(|output| output.target.as_ref().map(lookup).transpose()).collect::<Result<_, _>>()?;
    if !arguments.has_actions() {
        return Err(Error::NoActions);
    }
    let (name, bytes) = input(arguments)?;
    let mut files = Files::default();
    let result = write(arguments, targets, &name, &bytes, &mut files);
    if result.is_err() {
        files.remove();
    }
    result
}

/// LLVM keeps the metadata of a cloned module until its context goes, so a context serves so many images only; then the module is read
/// again, which takes about the time of a few hundred of them.
const IMAGES_A_CONTEXT: usize = 2048;

fn write(arguments: &Arguments, targets: Vec<Option<&Target>>, name: &str, bytes: &[u8], files: &mut Files) -> Result<(), Error> {
    let mut job: Option<Job<'_>> = None;
    loop {
        let context = Context::new();
        let module = context.parse(name, bytes)?;
        if arguments.ir_output_only {
            check_spec_constants(arguments, name, &device_functions(module.view()))?;
            return files.write(&arguments.outputs[0].path, &code(arguments, &module));
        }
        let job = match &mut job {
            Some(job) => job,
            none => none.insert(Job::new(arguments, targets.clone(), name, &module)?),
        };
        let end = job.plan.len().min(job.images.len() + IMAGES_A_CONTEXT);
        while job.images.len() < end {
            let image = job.image(&module, job.images.len(), files)?;
            job.images.push(image);
        }
        if end == job.plan.len() {
            return (0..arguments.outputs.len()).try_for_each(|output| job.table(output, files));
        }
    }
}

fn check_spec_constants(arguments: &Arguments, name: &str, functions: &[DeviceFunction]) -> Result<(), Error> {
    let Some(option) = arguments.spec_constants else { return Ok(()) };
    match functions.iter().find(|function| reads_spec_constant(&function.symbol)) {
        Some(reader) => {
            Err(Error::Unsupported { name: name.to_owned(), what: "specialization constants", symbol: reader.symbol.clone(), option })
        }
        None => Ok(()),
    }
}

fn code(arguments: &Arguments, module: &Module<'_>) -> Vec<u8> {
    if arguments.text { module.to_text().into_bytes() } else { module.to_bitcode() }
}

/// The module's name and bytes.
fn input(arguments: &Arguments) -> Result<(String, Vec<u8>), Error> {
    match arguments.input.as_deref().filter(|input| input.as_os_str() != "-") {
        Some(path) => Ok((path.display().to_string(), fs::read(path).map_err(|error| Error::file("read", path, error))?)),
        None => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|error| Error::file("read", Path::new("standard input"), error))?;
            Ok(("standard input".into(), bytes))
        }
    }
}

/// What this run has written.
#[derive(Default)]
struct Files(Vec<PathBuf>);

impl Files {
    fn write(&mut self, path: &Path, content: &[u8]) -> Result<(), Error> {
        self.0.push(path.to_path_buf());
        fs::write(path, content).map_err(|error| Error::file("write", path, error))
    }

    fn remove(&self) {
        for path in self.0.iter().filter(|path| path.is_file()) {
            // The error that is reported is the one that led here.
            let _ = fs::remove_file(path);
        }
    }
}

struct Job<'j> {
    arguments: &'j Arguments,
    /// A target an output; none takes every image.
    targets: Vec<Option<&'j Target>>,
    functions: Vec<DeviceFunction>,
    has_globals: bool,
    plan: Vec<Entries>,
    /// What the names of all listed files begin with.
    prefix: String,
    /// So far, in the order of the plan.
    images: Vec<Written>,
}

/// An image whose files are there.
struct Written {
    code: PathBuf,
    symbols: PathBuf,
    /// By output.
    properties: Vec<PathBuf>,
    requirements: Requirements,
}

impl<'j> Job<'j> {
    fn new(arguments: &'j Arguments, targets: Vec<Option<&'j Target>>, name: &str, module: &Module<'_>) -> Result<Job<'j>, Error> {
        let functions = device_functions(module.view());
        check_spec_constants(arguments, name, &functions)?;
        let plan = plan(&functions, arguments);
        let has_globals = !device_globals(module.view()).is_empty();
        Ok(Job { arguments, targets, functions, has_globals, plan, prefix: prefix(arguments)?, images: Vec::new() })
    }

    /// Cuts out an image and writes its files.
    fn image(&self, whole: &Module<'_>, index: usize, files: &mut Files) -> Result<Written, Error> {
        let arguments = self.arguments;
        let prefix = &format!("{}_{index}", self.prefix);
        let entries: Vec<&DeviceFunction> = self.plan[index].iter().map(|&entry| &self.functions[entry]).collect();
        let symbols: Vec<&str> = entries.iter().map(|entry| entry.symbol.as_str()).collect();
        let closure = if entries.is_empty() { None } else { Some(whole.clone_closure(&symbols)?) };
        let module = closure.as_ref().unwrap_or(whole);
        let written = Written {
            code: format!("{prefix}.{}", if arguments.text { "ll" } else { "bc" }).into(),
            symbols: format!("{prefix}.sym").into(),
            properties: self.targets.iter().map(|target| self.properties_path(prefix, *target)).collect(),
            requirements: Requirements::default(),
        };
        files.write(&written.code, &code(arguments, module))?;
        if arguments.symbols {
            let list: String = symbols.iter().map(|symbol| format!("{symbol}\n")).collect();
            files.write(&written.symbols, list.as_bytes())?;
        }
        let cut = Cut {
            functions: if arguments.dialect == Dialect::Dpcpp { device_functions(module.view()) } else { Vec::new() },
            imports: if arguments.imported_symbols { module.imports() } else { Vec::new() },
            globals: if self.has_globals { device_globals(module.view()) } else { Vec::new() },
            entries,
        };
        let requirements = cut.requirements(arguments.dialect);
        if arguments.writes_properties() {
            self.properties(&written, &cut.sets(arguments, &requirements), files)?;
        }
        Ok(Written { requirements, ..written })
    }

    /// `prefix_k.prop`, or `prefix_k.<target>.prop`.
    fn properties_path(&self, prefix: &str, target: Option<&Target>) -> PathBuf {
        match target {
            Some(target) => format!("{prefix}.{}.prop", target.name).into(),
            None => format!("{prefix}.prop").into(),
        }
    }

    fn properties(&self, written: &Written, sets: &PropertySets, files: &mut Files) -> Result<(), Error> {
        for (path, target) in written.properties.iter().zip(&self.targets) {
            let mut sets = sets.clone();
            if let Some(target) = target {
                add_compile_target(&mut sets, &target.name);
            }
            let text = sets.to_text().map_err(|error| Error::input(path, error))?;
            files.write(path, text.as_bytes())?;
        }
        Ok(())
    }

    /// The table of an output: the images that its target can run, or may be able to.
    fn table(&self, output: usize, files: &mut Files) -> Result<(), Error> {
        let path = &self.arguments.outputs[output].path;
        let unwritable = |error: aspen_image::table::TableError| Error::input(path, error);
        let listed = [(CODE, true), (PROPERTIES, self.arguments.writes_properties()), (SYMBOLS, self.arguments.symbols)];
        let columns: Vec<&str> = listed.iter().filter(|(_, listed)| *listed).map(|(name, _)| *name).collect();
        let mut table = FileTable::new(columns.iter().copied()).map_err(unwritable)?;
        for image in self.images.iter().filter(|image| self.targets[output].is_none_or(|target| runs(target, &image.requirements))) {
            let cell = |column: &&str| match *column {
                CODE => &image.code,
                PROPERTIES => &image.properties[output],
                _ => &image.symbols,
            };
            table.push(columns.iter().map(|column| cell(column).to_string_lossy())).map_err(unwritable)?;
        }
        files.write(path, table.to_text().as_bytes())
    }
}

/// What the names of all listed files begin with; their folder is made.
fn prefix(arguments: &Arguments) -> Result<String, Error> {
    let first = &arguments.outputs[0].path;
    let folder = match &arguments.out_dir {
        Some(folder) => {
            fs::create_dir_all(folder).map_err(|error| Error::file("make the folder", folder, error))?;
            folder.clone()
        }
        None => first.parent().unwrap_or(Path::new("")).to_path_buf(),
    };
    let prefix = folder.join(first.file_stem().unwrap_or(first.as_os_str()));
    prefix.to_str().map(str::to_owned).ok_or_else(|| Error::input(first, "a table can list only files whose names are UTF-8"))
}

/// Whether a target can run an image, as far as is known. Source: DESIGN §1 "the AOT filter keeps unknown".
pub(crate) fn runs(target: &Target, requirements: &Requirements) -> bool {
    !matches!(check(requirements, &target.capabilities()), Verdict::Unmet(_))
}
