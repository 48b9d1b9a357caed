//! From a module to files: cut out each image, write it with its symbols and property sets, and list what each target can run.
//!
//! The module is read once. Forked workers then cut out and write a few hundred images each, several workers at a time: they share the
//! module's memory, and what LLVM keeps of every cloned module until its context goes, goes with the worker. A process of several threads
//! cannot fork and makes one image after the other. A run that fails removes what it has written. Source: FORMATS §4.1 to §4.3, §4.7.

use std::collections::HashMap;
use std::fs;
use std::io::{IsTerminal, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use aspen_contract::{Requirements, Verdict, check};
use aspen_devices::{Database, Target};
use aspen_image::table::{CODE, PROPERTIES, SYMBOLS};
use aspen_image::{FileTable, PropertySets};
use aspen_llvm::{
    AspectNames, Context, DeviceFunction, Module, SpecConstantMode, Visible, add_guards, calls_explicit_simd, can_fork, check_metadata,
    device_functions, device_globals, dialect_of, in_workers, readable_name, registered_kernels, sanitizer,
};

use crate::arguments::{Arguments, Dialect, Output};
use crate::entry_points::{is_asked_for, is_entry_point, is_export, is_import, is_importable, reads_old_spec_constant};
use crate::error::Error;
use crate::plan::{Entries, Image, plan};
use crate::sets::{Cut, add_compile_target};

/// Runs post-link.
///
/// # Errors
/// If a target is not known, the input is no module, or something cannot be written; no new file is left then.
pub fn run(arguments: &Arguments, database: &Database) -> Result<String, Error> {
    run_with(arguments, database, &mut |_, _| {})
}

/// The same, and tells now and then how many images are done, and of how many. Returns what LLVM printed on the way; usually nothing.
///
/// # Errors
/// As [`run`].
pub fn run_with(arguments: &Arguments, database: &Database, done: &mut dyn FnMut(usize, usize)) -> Result<String, Error> {
    let lookup = |name: &String| database.lookup(name).map_err(|error| Error::Target { option: "-o", error });
    let targets: Vec<Option<&Target>> =
        arguments.outputs.iter().map(|output| output.target.as_ref().map(lookup).transpose()).collect::<Result<_, _>>()?;
    if !arguments.has_actions() {
        return Err(Error::NoActions);
    }
    let mut files = Files::default();
    let result = write(arguments, targets, &mut files, done);
    if result.is_err() {
        files.remove();
    }
    result
}

/// Images a worker makes at most: enough that its start does not count, few enough that what LLVM keeps of them does not either.
const IMAGES_A_WORKER: usize = 512;
/// Workers for each that runs at a time, so that none is left alone at the end.
const TURNS: usize = 4;

fn write(
    arguments: &Arguments,
    targets: Vec<Option<&Target>>,
    files: &mut Files,
    done: &mut dyn FnMut(usize, usize),
) -> Result<String, Error> {
    let (name, bytes) = input(arguments)?;
    let context = Context::new();
    let mut module = context.parse(&name, &bytes)?;
    drop(bytes);
    check_metadata(module.view()).map_err(|error| Error::Malformed { name: name.clone(), error })?;
    // Decided once: an image that is cut out need not hold what showed it. Source: DESIGN §7.24.
    let shown = dialect_of(module.view());
    let read = shown.or(arguments.dialect).unwrap_or(arguments.unmarked);
    let arguments = &Arguments { dialect: arguments.dialect.or(shown), ..arguments.clone() };
    if let Some(symbol) = calls_explicit_simd(module.view()) {
        return Err(Error::InvokeSimd { name, symbol: readable_name(&symbol) });
    }
    module.forget_used();
    module.prepare_matrices();
    let is_sanitized = arguments.written() == Dialect::Dpcpp && sanitizer(module.view()).is_some();
    if is_sanitized {
        module.describe_sanitizer_data();
    }
    if arguments.ir_output_only {
        if let Some(mode) = arguments.spec_constants {
            check_spec_constants(&name, &device_functions(module.view(), read, &AspectNames::default()))?;
            module.lower_spec_constants(mode)?;
        }
        if is_sanitized {
            module.add_sanitizer_kernels();
        }
        let code = code(arguments, &module);
        if arguments.outputs[0].is_stdout() && !arguments.text && !arguments.force && std::io::stdout().is_terminal() {
            return Err(Error::Terminal);
        }
        files.output(&arguments.outputs[0], &code)?;
        return Ok(String::new());
    }
    let job = Job::new(arguments, read, targets, &name, &mut module)?;
    let (mut kept, messages) = job.images(&module, files, done)?;
    job.add_libraries(&context, &mut kept, files)?;
    for output in 0..arguments.outputs.len() {
        job.table(output, &kept, files)?;
    }
    Ok(messages)
}

fn check_spec_constants(name: &str, functions: &[DeviceFunction]) -> Result<(), Error> {
    match functions.iter().find(|function| reads_old_spec_constant(&function.symbol)) {
        Some(reader) => Err(Error::OldSpecConstant { name: name.to_owned(), symbol: reader.symbol.clone() }),
        None => Ok(()),
    }
}

pub(crate) fn code(arguments: &Arguments, module: &Module<'_>) -> Vec<u8> {
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

/// Writes to standard output.
///
/// # Errors
/// If it takes no more.
pub(crate) fn write_out(content: &[u8]) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(content).and_then(|()| stdout.flush());
    written.map_err(|error| Error::file("write", Path::new("standard output"), error))
}

/// What this run has written.
#[derive(Default)]
pub(crate) struct Files(Vec<PathBuf>);

impl Files {
    pub(crate) fn write(&mut self, path: &Path, content: &[u8]) -> Result<(), Error> {
        self.0.push(path.to_path_buf());
        fs::write(path, content).map_err(|error| Error::file("write", path, error))
    }

    /// A table, or the one file: perhaps on standard output.
    fn output(&mut self, output: &Output, content: &[u8]) -> Result<(), Error> {
        if !output.is_stdout() {
            return self.write(&output.path, content);
        }
        write_out(content)
    }

    fn remove(&self) {
        for path in self.0.iter().filter(|path| path.is_file()) {
            // The error that is reported is the one that led here.
            let _ = fs::remove_file(path);
        }
    }
}

pub(crate) struct Job<'j> {
    pub(crate) arguments: &'j Arguments,
    /// How sizes are written in the module.
    read: Dialect,
    /// What the module's numbers of aspects mean.
    names: AspectNames,
    /// The module's name, for messages.
    name: String,
    /// A target an output; none takes every image.
    pub(crate) targets: Vec<Option<&'j Target>>,
    pub(crate) functions: Vec<DeviceFunction>,
    has_globals: bool,
    plan: Vec<Image>,
    /// What the names of all listed files begin with.
    prefix: String,
}

/// Where an image goes.
pub(crate) struct Paths {
    pub(crate) code: PathBuf,
    pub(crate) symbols: PathBuf,
    /// By output.
    pub(crate) properties: Vec<PathBuf>,
}

/// An image a row: whether the target of each output can run it.
pub(crate) type Kept = Vec<Vec<bool>>;

/// Notes what entry points take from elsewhere: it splits images, as what they need does. Source: DESIGN §7.11.
fn add_imports(module: &Module<'_>, functions: &mut [DeviceFunction], arguments: &Arguments) -> Result<(), Error> {
    let undefined = functions.iter().filter(|function| !function.defined && is_importable(&function.symbol));
    let undefined: Vec<String> = undefined.map(|function| function.symbol.clone()).collect();
    let targets: Vec<&str> = undefined.iter().map(String::as_str).collect();
    if targets.is_empty() {
        return Ok(());
    }
    for entry in functions.iter_mut().filter(|function| is_entry_point(function, arguments.only_kernels)) {
        entry.imports = module.reached(&[&entry.symbol], &targets)?.into_iter().map(str::to_owned).collect();
    }
    Ok(())
}

impl<'j> Job<'j> {
    fn new(
        arguments: &'j Arguments,
        read: Dialect,
        targets: Vec<Option<&'j Target>>,
        name: &str,
        module: &mut Module<'_>,
    ) -> Result<Job<'j>, Error> {
        let names = AspectNames::of(module.view());
        // The seed dialect writes Aspen's numbers, DPC++'s sets are written with the module's. Source: docs/decisions/0036.
        let read_as = if arguments.written() == Dialect::Seed { &names } else { &AspectNames::default() };
        let mut functions = device_functions(module.view(), read, read_as);
        add_guards(module.view(), &mut functions);
        if arguments.written() == Dialect::Seed {
            add_imports(module, &mut functions, arguments)?;
        }
        let wants_spec_constants = arguments.spec_constants.is_some() || arguments.default_spec_constants;
        if wants_spec_constants {
            check_spec_constants(name, &functions)?;
        }
        let entries = plan(&functions, arguments);
        if let Some(option) = arguments.explicit_simd
            && let Some(found) = entries.iter().flatten().map(|&entry| &functions[entry]).find(|function| function.explicit_simd)
        {
            return Err(Error::ExplicitSimd { name: name.to_owned(), option, symbol: readable_name(&found.symbol) });
        }
        let asks_twice = |function: &&DeviceFunction| function.register_alloc_mode.is_some() && function.grf_size.is_some();
        if let Some(found) = entries.iter().flatten().map(|&entry| &functions[entry]).find(asks_twice) {
            return Err(Error::RegisterFiles { name: name.to_owned(), symbol: readable_name(&found.symbol) });
        }
        let has_globals = !device_globals(module.view()).is_empty();
        // An exported function that has an image of its own need not be copied into others. Virtual functions never are in DPC++'s dialect:
        // they are apart because devices of the caller's image may lack what they need. Source: FORMATS §4.6.
        let is_outside = |entry: &&DeviceFunction| match entry.indirectly_callable {
            Some(_) => arguments.written() == Dialect::Dpcpp,
            None => arguments.dependencies && is_export(entry) && (arguments.written() == Dialect::Seed || is_asked_for(&entry.symbol)),
        };
        let own_image = entries.iter().flatten().map(|&entry| &functions[entry]).filter(is_outside);
        let visible = match arguments.written() {
            Dialect::Seed => Visible::Roots,
            Dialect::Dpcpp if arguments.dependencies => Visible::DpcppImporting,
            Dialect::Dpcpp => Visible::Dpcpp,
        };
        module.prepare_closures(&own_image.map(|entry| entry.symbol.as_str()).collect::<Vec<_>>(), visible)?;
        let reads = reads_spec_constants(&entries, &functions, wants_spec_constants, module)?;
        if has_globals {
            check_image_scope(name, module, &entries, &functions)?;
        }
        let twice = |reads| reads && arguments.default_spec_constants && arguments.spec_constants != Some(SpecConstantMode::Defaults);
        let mut plan = Vec::new();
        for (entries, reads) in entries.into_iter().zip(reads) {
            let spec_constants = arguments.spec_constants.filter(|_| reads);
            let defaults = twice(reads).then(|| Image { entries: entries.clone(), spec_constants: Some(SpecConstantMode::Defaults) });
            plan.push(Image { entries, spec_constants });
            plan.extend(defaults);
        }
        Ok(Job { arguments, read, names, name: name.to_owned(), targets, has_globals, plan, prefix: prefix(arguments)?, functions })
    }

    /// Makes all images. What workers have printed is returned too.
    fn images(&self, module: &Module<'_>, files: &mut Files, done: &mut dyn FnMut(usize, usize)) -> Result<(Kept, String), Error> {
        let count = self.plan.len();
        if count == 1 || !can_fork() {
            let mut kept = Kept::new();
            for index in 0..count {
                kept.push(self.image(module, index, files)?);
                done(index + 1, count);
            }
            return Ok((kept, String::new()));
        }
        let jobs = self.arguments.jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
        let size = count.div_ceil(jobs.get() * TURNS).min(IMAGES_A_WORKER);
        let range = |worker: usize| worker * size..((worker + 1) * size).min(count);
        let work = |worker| {
            let mut files = Files::default();
            let kept = range(worker).map(|index| self.image(module, index, &mut files)).collect::<Result<Kept, _>>();
            kept.map(|kept| kept.into_iter().flatten().map(u8::from).collect()).map_err(|error| error.to_string())
        };
        let mut results = vec![None; count.div_ceil(size)];
        let (mut over, mut failed) = (0, None);
        in_workers(results.len(), jobs, &work, &mut |worker, result| {
            // Also after a failure: a worker that crashed cannot say how far it came.
            files.0.extend(range(worker).flat_map(|index| self.written(index)));
            over += range(worker).len();
            match result {
                Ok(finished) => results[worker] = Some(finished),
                // The first in the order of the images, so that the message does not depend on who was faster.
                Err(error) if failed.as_ref().is_none_or(|(first, _)| worker < *first) => failed = Some((worker, error)),
                Err(_) => {}
            }
            done(over, count);
        });
        if let Some((_, error)) = failed {
            return Err(Error::Worker(error));
        }
        let (mut kept, mut messages) = (Kept::new(), String::new());
        for finished in results.into_iter().flatten() {
            kept.extend(finished.bytes.chunks(self.targets.len()).map(|image| image.iter().map(|&byte| byte != 0).collect()));
            messages += &finished.messages;
        }
        Ok((kept, messages))
    }

    pub(crate) fn paths(&self, index: usize) -> Paths {
        let prefix = &format!("{}_{index}", self.prefix);
        Paths {
            code: format!("{prefix}.{}", if self.arguments.text { "ll" } else { "bc" }).into(),
            symbols: format!("{prefix}.sym").into(),
            properties: self.targets.iter().map(|target| self.properties_path(prefix, *target)).collect(),
        }
    }

    /// The files of an image, those of them that are asked for.
    fn written(&self, index: usize) -> Vec<PathBuf> {
        let paths = self.paths(index);
        let symbols = Some(paths.symbols).filter(|_| self.arguments.symbols);
        let properties = paths.properties.into_iter().filter(|_| self.arguments.writes_properties());
        std::iter::once(paths.code).chain(symbols).chain(properties).collect()
    }

    /// Cuts out an image and writes its files; whether the target of each output can run it.
    fn image(&self, whole: &Module<'_>, index: usize, files: &mut Files) -> Result<Vec<bool>, Error> {
        let arguments = self.arguments;
        let image = &self.plan[index];
        let entries: Vec<&DeviceFunction> = image.entries.iter().map(|&entry| &self.functions[entry]).collect();
        let symbols: Vec<&str> = entries.iter().map(|entry| entry.symbol.as_str()).collect();
        let mut own = if entries.is_empty() { None } else { Some(whole.clone_closure(&symbols)?) };
        let spec_constants = match image.spec_constants {
            Some(mode) => own.get_or_insert_with(|| whole.copy()).lower_spec_constants(mode)?,
            // Lowered before: by this tool, or by DPC++'s.
            None if arguments.spec_constants.is_some_and(|mode| mode != SpecConstantMode::Defaults) => {
                own.as_ref().unwrap_or(whole).recorded_spec_constants()?
            }
            None => None,
        };
        if arguments.written() == Dialect::Dpcpp && sanitizer(own.as_ref().unwrap_or(whole).view()).is_some() {
            own.get_or_insert_with(|| whole.copy()).add_sanitizer_kernels();
        }
        let module = own.as_ref().unwrap_or(whole);
        let paths = self.paths(index);
        files.write(&paths.code, &code(arguments, module))?;
        if arguments.symbols {
            let list: String = symbols.iter().map(|symbol| format!("{symbol}\n")).collect();
            files.write(&paths.symbols, list.as_bytes())?;
        }
        let cut = Cut {
            functions: if arguments.written() == Dialect::Dpcpp {
                device_functions(module.view(), self.read, &AspectNames::default())
            } else {
                Vec::new()
            },
            imports: if arguments.imported_symbols { self.imports(module) } else { Vec::new() },
            registered: registered_kernels(module.view()),
            sanitizer: if arguments.written() == Dialect::Dpcpp { sanitizer(module.view()) } else { None },
            globals: if self.has_globals { device_globals(module.view()) } else { Vec::new() },
            entries,
            spec_constants: spec_constants.unwrap_or_default(),
            has_defaults: image.spec_constants == Some(SpecConstantMode::Defaults),
        };
        let requirements = cut.requirements(arguments.written(), &self.name)?;
        if arguments.writes_properties() {
            self.properties(&paths.properties, &cut.sets(arguments, &requirements), files)?;
        }
        let meant = match arguments.written() {
            Dialect::Seed => requirements,
            Dialect::Dpcpp => self.names.meanings(&requirements),
        };
        Ok(self.targets.iter().map(|target| target.is_none_or(|target| runs(target, &meant, arguments.written()))).collect())
    }

    /// What an image that was cut out calls and takes from other images.
    fn imports(&self, module: &Module<'_>) -> Vec<String> {
        let functions: HashMap<&str, &DeviceFunction> =
            self.functions.iter().map(|function| (function.symbol.as_str(), function)).collect();
        let is_import = |symbol: &String| functions.get(symbol.as_str()).is_some_and(|function| is_import(function, self.read));
        module.imports().into_iter().filter(is_import).collect()
    }

    /// `prefix_k.prop`, or `prefix_k.<target>.prop`.
    fn properties_path(&self, prefix: &str, target: Option<&Target>) -> PathBuf {
        match target {
            Some(target) => format!("{prefix}.{}.prop", target.name).into(),
            None => format!("{prefix}.prop").into(),
        }
    }

    pub(crate) fn properties(&self, paths: &[PathBuf], sets: &PropertySets, files: &mut Files) -> Result<(), Error> {
        for (path, target) in paths.iter().zip(&self.targets) {
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
    fn table(&self, output: usize, kept: &Kept, files: &mut Files) -> Result<(), Error> {
        let path = &self.arguments.outputs[output].path;
        let unwritable = |error: aspen_image::table::TableError| Error::input(path, error);
        let listed = [(CODE, true), (PROPERTIES, self.arguments.writes_properties()), (SYMBOLS, self.arguments.symbols)];
        let columns: Vec<&str> = listed.iter().filter(|(_, listed)| *listed).map(|(name, _)| *name).collect();
        let mut table = FileTable::new(columns.iter().copied()).map_err(unwritable)?;
        for paths in (0..kept.len()).filter(|&index| kept[index][output]).map(|index| self.paths(index)) {
            let cell = |column: &&str| match *column {
                CODE => &paths.code,
                PROPERTIES => &paths.properties[output],
                _ => &paths.symbols,
            };
            table.push(columns.iter().map(|column| cell(column).to_string_lossy())).map_err(unwritable)?;
        }
        files.output(&self.arguments.outputs[output], table.to_text().as_bytes())
    }
}

/// A value in an image is that image's alone.
fn check_image_scope(name: &str, module: &Module<'_>, entries: &[Entries], functions: &[DeviceFunction]) -> Result<(), Error> {
    let symbol = |&entry: &usize| functions[entry].symbol.as_str();
    let images: Vec<Vec<&str>> = entries.iter().map(|image| image.iter().map(symbol).collect()).collect();
    let Some(shared) = module.shared_image_scope(&images)? else { return Ok(()) };
    let entry = |image: usize| images[image].first().map(|symbol| readable_name(symbol)).unwrap_or_default();
    let [first, second] = shared.images;
    Err(Error::ImageScope { name: name.to_owned(), global: shared.name, entries: (entry(first), entry(second)) })
}

/// Which images read specialization constants, if anybody wants to know; an image without entry points is the whole module.
fn reads_spec_constants(entries: &[Entries], functions: &[DeviceFunction], wanted: bool, module: &Module<'_>) -> Result<Vec<bool>, Error> {
    if !wanted || !module.reads_spec_constants() {
        return Ok(vec![false; entries.len()]);
    }
    if entries.iter().any(Vec::is_empty) {
        return Ok(vec![true; entries.len()]);
    }
    let symbols = |image: &Entries| image.iter().map(|&entry| functions[entry].symbol.as_str()).collect::<Vec<_>>();
    Ok(module.closures_read_spec_constants(&entries.iter().map(symbols).collect::<Vec<_>>())?)
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
    // A file must not be named as an option would be.
    let stem = if arguments.outputs[0].is_stdout() {
        arguments.input_stem().into()
    } else {
        first.file_stem().unwrap_or(first.as_os_str()).to_owned()
    };
    let prefix = folder.join(stem);
    prefix.to_str().map(str::to_owned).ok_or_else(|| Error::input(first, "a table can list only files whose names are UTF-8"))
}

/// Whether a target can run an image, as far as is known. What Aspen offers is no matter for images in DPC++'s dialect, which were compiled
/// with its headers. Source: DESIGN §1 "the AOT filter keeps unknown", §7.26.
pub(crate) fn runs(target: &Target, requirements: &Requirements, dialect: Dialect) -> bool {
    let device = match dialect {
        Dialect::Seed => target.capabilities_at_most(),
        Dialect::Dpcpp => target.capabilities_for_others(),
    };
    !matches!(check(requirements, &device), Verdict::Unmet(_))
}
