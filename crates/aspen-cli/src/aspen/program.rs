//! A file's device code as all commands look at it: images with kernels, what they need and why.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::rc::Rc;
use std::{fs, io};

use aspen_analysis::summary::Role;
use aspen_analysis::{Summary, analyse};
use aspen_contract::{Need, Requirements, Source, Step};
use aspen_driver::libraries::{self, Form, Imported};
use aspen_image::container::{Container, Kind, Reason};
use aspen_image::guards::import_guards_of;
use aspen_image::sources::import_chain;
use aspen_image::{DeviceImage, Entry, ImageKind, ObjectBlob, PropertySets, WorkItems, find};
use aspen_llvm::{Context, Facts, check_metadata, readable_name, summarise};
use aspen_spirv::SpecId;

use crate::code::Code;
use crate::wrapped::{self, Wrapped};
use crate::{Failure, bare, fat};

/// An image, or an object's code for one target.
pub struct Image {
    /// `<stem>_<n>`; an object's code has the name of its source.
    pub name: String,
    /// The target's name.
    pub target: String,
    /// `spirv`, `native`, `bitcode`, …
    pub format: String,
    /// In bytes.
    pub size: usize,
    /// What a device must have for any of it.
    pub requirements: Requirements,
    /// In the order of the image.
    pub kernels: Vec<Kernel>,
    /// Device functions offered to others.
    pub exports: Vec<String>,
    /// What is known of those.
    pub functions: Vec<Kernel>,
    /// Device functions taken from others.
    pub imports: Vec<String>,
    /// Everything that is recorded; of an image that DPC++ wrapped only if it is wanted ([`read_whole`]).
    pub properties: PropertySets,
    /// Functions of a conditional image by their names, and on which devices each is kept.
    pub conditions: Vec<(String, String)>,
    /// What was analysed, where that is here: in objects and bare modules.
    pub summary: Option<Summary>,
    /// Of a linked image: which images it can be linked with at run time.
    pub form: Option<Form>,
    /// Of an image that DPC++ wrapped: what only its code tells.
    pub wrapped: Option<Wrapped>,
    /// Of SPIR-V: where it is. Other formats are for nobody who asks here.
    pub code: Option<Code>,
    /// What our own container says of an image beside property sets.
    pub strings: Vec<(String, Vec<u8>)>,
}

impl Image {
    /// Whether it only says what kernels need that no target of the link could run.
    pub fn is_left_out(&self) -> bool {
        self.form.is_some() && self.format == "none" && self.size == 0
    }

    /// Device functions defined elsewhere that this kernel or function may call. In a linked image all of them import the same.
    pub fn imports_of(&self, kernel: &Kernel) -> BTreeSet<&str> {
        let Some(summary) = &self.summary else { return self.imports.iter().map(String::as_str).collect() };
        let root = summary.iter().find(|(_, function)| function.symbol == kernel.symbol);
        let reached = root.into_iter().flat_map(|(root, _)| summary.undefined_from(root)).map(|id| summary.function(id));
        reached.filter(|function| function.role == Role::Exported).map(|function| function.symbol.as_str()).collect()
    }
}

/// A kernel, or a device function that an image offers.
pub struct Kernel {
    /// The symbol.
    pub symbol: String,
    /// The name for people.
    pub name: String,
    /// What it needs.
    pub requirements: Requirements,
    /// Why.
    pub sources: Vec<Source>,
    /// How it runs on the embedded CPU, if that is known.
    pub work_items: Option<WorkItems>,
    /// What it imports, by symbol, and no library provides, where somebody has looked ([`add_libraries`]).
    pub unresolved: Vec<String>,
}

impl Kernel {
    /// Why it needs what it needs.
    pub fn needed_sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| self.requirements.needs().any(|need| need == source.need))
    }

    /// What the source code needs and optimisation removed (`-fsycl-requirements=optimized`). Source: DESIGN §7.12.
    pub fn gone_sources(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| !self.requirements.needs().any(|need| need == source.need))
    }
}

/// Reads a file, without what is only shown: thousands of images have a lot of it.
///
/// # Errors
/// As [`read_whole`].
pub fn read(path: &Path) -> Result<Vec<Image>, Failure> {
    read_as(path, false)
}

/// Reads a file.
///
/// # Errors
/// If it cannot be read, is damaged, or holds no device code.
pub fn read_whole(path: &Path) -> Result<Vec<Image>, Failure> {
    read_as(path, true)
}

/// The whole of a file or pipe; a device such as `/dev/zero` has no end.
fn contents(path: &Path) -> io::Result<Vec<u8>> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_char_device() || kind.is_block_device() {
        return Err(io::Error::other("it is a device and no file"));
    }
    fs::read(path)
}

fn read_as(path: &Path, whole: bool) -> Result<Vec<Image>, Failure> {
    let mut images = images_in(path, whole)?;
    for image in &mut images {
        image.name = visible(&image.name);
        for kernel in image.kernels.iter_mut().chain(&mut image.functions) {
            kernel.name = visible(&kernel.name);
        }
    }
    Ok(images)
}

/// A name in which a terminal finds nothing to obey: files are named, and damaged, by anybody.
fn visible(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn images_in(path: &Path, whole: bool) -> Result<Vec<Image>, Failure> {
    let name = path.display().to_string();
    let bytes = Rc::new(contents(path).map_err(|error| Failure::Input(format!("cannot read '{name}': {error}")))?);
    let container = match find(&bytes, &name) {
        Ok(container) => container,
        // Nothing of Aspen's: perhaps DPC++ built it.
        Err(error) => {
            if let Some(images) = wrapped::read(&bytes, &name, whole)? {
                return Ok(images);
            }
            let images = if error.reason == Reason::NoImages { fat::read(&bytes, &name)? } else { Vec::new() };
            return if images.is_empty() { Err(Failure::Input(error.to_string())) } else { Ok(images) };
        }
    };
    let mut images = Vec::new();
    match &container.kind {
        Kind::ThinArchive(members) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            for member in members {
                let file = folder.join(member);
                let bytes = Rc::new(fs::read(&file).map_err(|error| {
                    Failure::Input(format!("'{name}' is a thin archive; cannot read its member '{}': {error}", file.display()))
                })?);
                // Members without device code are as good as in a full archive.
                if let Ok(found) = find(&bytes, &file.display().to_string()) {
                    images.extend(images_of(found, &bytes, &name)?);
                }
                images.extend(fat::read(&bytes, &file.display().to_string())?);
            }
            if images.is_empty() {
                return Err(Failure::Input(format!(
                    "'{name}' holds no device images: none of its members was compiled by aspen++ or DPC++"
                )));
            }
        }
        Kind::Executable | Kind::SharedObject | Kind::OffloadBinary => images = images_of(container, &bytes, &name)?,
        Kind::Object | Kind::Archive => {
            images = images_of(container, &bytes, &name)?;
            // An archive may hold objects of both compilers.
            images.extend(fat::read(&bytes, &name)?);
        }
        Kind::Bitcode | Kind::LlvmText => images.push(module(&name, &bytes)?.ok_or_else(|| {
            Failure::Input(format!("'{name}' holds no device images: the module has neither kernels nor exported device functions"))
        })?),
        Kind::SpirV => images.push(Image { code: Some(Code::of(&bytes, &bytes)), ..bare::spirv(path, &bytes)? }),
        Kind::Table => images = bare::table(path, &bytes)?,
        Kind::Properties => images.push(bare::properties(path, &bytes)?),
    }
    Ok(images)
}

fn images_of(container: Container<'_>, bytes: &Rc<Vec<u8>>, file: &str) -> Result<Vec<Image>, Failure> {
    let damaged = |error: String| Failure::Input(format!("'{file}': damaged device image: {error}"));
    let entries = container.entries.into_iter().map(|found| found.entry);
    entries
        .map(|entry| {
            let is_object_code = entry.string(aspen_image::object_sections::OBJECT).is_some();
            if is_object_code {
                return object_code(entry).map_err(damaged);
            }
            let code = (entry.image_kind == ImageKind::SpirV).then(|| Code::of(bytes, &entry.image));
            Ok(Image { code, ..linked_image(entry).map_err(damaged)? })
        })
        .collect()
}

fn linked_image(entry: Entry<'_>) -> Result<Image, String> {
    let text = |error: aspen_image::ImageError| error.to_string();
    let image = DeviceImage::new(entry);
    let mut kernels = Vec::new();
    let mut work_items = image.work_items().map_err(text)?;
    for kernel in image.kernels().map_err(text)? {
        let sources = image.sources(&kernel.symbol).map_err(text)?;
        kernels.push(Kernel {
            work_items: work_items.remove(&kernel.symbol),
            symbol: kernel.symbol,
            name: kernel.info.name,
            requirements: kernel.info.requirements,
            sources,
            unresolved: Vec::new(),
        });
    }
    let requirements = image.requirements().map_err(text)?;
    let strings = image.entry().strings.iter().filter(|(key, _)| !key.contains('/'));
    let strings = strings.map(|(key, value)| (key.clone().into_owned(), value.clone().into_owned())).collect();
    let exports = image.exports().map_err(text)?;
    let mut functions = Vec::new();
    for symbol in &exports {
        // What shares an image needs the same.
        functions.push(Kernel {
            symbol: symbol.clone(),
            name: readable_name(symbol),
            requirements: image.requirements_of(symbol).map_err(text)?,
            sources: image.sources(symbol).map_err(text)?,
            work_items: None,
            unresolved: Vec::new(),
        });
    }
    Ok(Image {
        name: image.name().unwrap_or("").to_owned(),
        target: image.target().to_owned(),
        format: image.format_name().into_owned(),
        size: image.bytes().len(),
        requirements,
        kernels,
        exports,
        functions,
        imports: image.imports().map_err(text)?,
        properties: image.property_sets().map_err(text)?,
        conditions: conditions(&image)?,
        summary: None,
        form: Some(Form::of(&image)),
        wrapped: None,
        code: None,
        strings,
    })
}

/// On which devices the functions of a conditional image are kept; machine code is for one device only.
fn conditions(image: &DeviceImage<'_>) -> Result<Vec<(String, String)>, String> {
    if image.kind() != ImageKind::SpirV || !image.is_conditional() {
        return Ok(Vec::new());
    }
    let text = |error: aspen_image::ImageError| error.to_string();
    let needs = image.conditions().map_err(text)?;
    let in_words = |id: SpecId| match id {
        SpecId::Requirement(_) => match needs.get(&id.number()) {
            Some(Need::Aspect(aspect)) => aspect.to_string(),
            Some(need) => need.to_string(),
            None => format!("SpecId {:#x}", id.number()),
        },
        SpecId::Guard(aspect) => aspect.to_string(),
        SpecId::User(number) => format!("SpecId {number}"),
    };
    let described = aspen_spirv::describe(image.bytes(), &in_words).map_err(|error| error.to_string())?;
    let kernels: BTreeMap<String, String> =
        image.kernels().map_err(text)?.into_iter().map(|kernel| (kernel.symbol, kernel.info.name)).collect();
    let name = |symbol: String| kernels.get(&symbol).cloned().unwrap_or_else(|| readable_name(&symbol));
    Ok(described.into_iter().map(|(symbol, when)| (name(symbol), when)).collect())
}

/// An object's kernels need what its own analysis knows; the link may add to that.
fn object_code(entry: Entry<'_>) -> Result<Image, String> {
    let image = DeviceImage::new(entry.clone());
    let properties = image.property_sets().map_err(|error| error.to_string())?;
    let blob = ObjectBlob::from_entry(entry).map_err(|error| error.to_string())?;
    let bytes = blob.summary.as_deref().ok_or("its analysis is missing")?;
    let summary = Summary::from_bytes(bytes).map_err(|error| error.to_string())?;
    let code = EntryPoints::of(&summary);
    let stem =
        Path::new(&blob.header.unit).file_stem().map_or_else(|| blob.header.unit.clone(), |stem| stem.to_string_lossy().into_owned());
    Ok(Image {
        name: stem,
        target: blob.target.clone(),
        format: image.format_name().into_owned(),
        size: blob.bitcode.len(),
        requirements: all_of(code.kernels.iter().chain(&code.functions)),
        kernels: code.kernels,
        exports: code.exports.into_iter().collect(),
        functions: code.functions,
        imports: code.imports.into_iter().collect(),
        properties,
        conditions: Vec::new(),
        summary: Some(summary),
        form: None,
        wrapped: None,
        code: None,
        strings: Vec::new(),
    })
}

/// A bare LLVM module, as `aspen propagate` or `aspen++ -fsycl-device-only -emit-llvm` writes it: what its own metadata and code say.
/// `None` if there are neither kernels nor functions that others can call.
///
/// # Errors
/// If it cannot be read.
pub fn module(name: &str, bytes: &[u8]) -> Result<Option<Image>, Failure> {
    let context = Context::new();
    let module = context.parse(name, bytes)?;
    check_metadata(module.view()).map_err(|error| Failure::Input(format!("'{name}': malformed metadata: {error}")))?;
    let summary = summarise(module.view(), &Facts::default()).without_propagated_attributes();
    let mut code = EntryPoints::of(&summary);
    // Copies that an image keeps for itself are no exports; who made the module may not mark what it imports.
    let visible = module.exports();
    code.exports.retain(|symbol| visible.contains(symbol));
    code.functions.retain(|function| visible.contains(&function.symbol));
    code.imports.extend(module.imports().into_iter().filter(|symbol| aspen_postlink::is_importable(symbol)));
    if code.kernels.is_empty() && code.exports.is_empty() {
        return Ok(None);
    }
    let triple = module.triple();
    Ok(Some(Image {
        name: Path::new(name).file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned()),
        target: triple.split('-').next().unwrap_or_default().to_owned(),
        format: "bitcode".into(),
        size: bytes.len(),
        requirements: all_of(code.kernels.iter().chain(&code.functions)),
        kernels: code.kernels,
        exports: code.exports.into_iter().collect(),
        functions: code.functions,
        imports: code.imports.into_iter().collect(),
        properties: PropertySets::default(),
        conditions: Vec::new(),
        summary: Some(summary),
        form: None,
        wrapped: None,
        code: None,
        strings: Vec::new(),
    }))
}

/// What a summary tells of its entry points.
struct EntryPoints {
    kernels: Vec<Kernel>,
    exports: BTreeSet<String>,
    functions: Vec<Kernel>,
    imports: BTreeSet<String>,
}

impl EntryPoints {
    fn of(summary: &Summary) -> EntryPoints {
        let analysis = analyse(summary);
        let mut out = EntryPoints { kernels: Vec::new(), exports: BTreeSet::new(), functions: Vec::new(), imports: BTreeSet::new() };
        for (id, function) in summary.iter() {
            let described = |name: &str| Kernel {
                symbol: function.symbol.clone(),
                name: name.to_owned(),
                requirements: analysis.requirements(id),
                sources: analysis.sources(id).to_vec(),
                work_items: None,
                unresolved: Vec::new(),
            };
            match &function.role {
                Role::Kernel(kernel) if function.defined => out.kernels.push(described(&kernel.name)),
                Role::Exported if function.defined => {
                    out.exports.insert(function.symbol.clone());
                    out.functions.push(described(&function.name));
                }
                Role::Exported => _ = out.imports.insert(function.symbol.clone()),
                Role::Kernel(_) | Role::Plain => {}
            }
        }
        out
    }
}

/// Adds to the kernels of a linked program what they need through the libraries that the loader would find for it now. Libraries that
/// are loaded later, by `dlopen`, are not known here. Source: DESIGN §7.7.
pub fn add_libraries(path: &Path, images: &mut [Image]) {
    if images.iter().all(|image| image.imports.is_empty() || image.form.is_none()) {
        return;
    }
    let modules = libraries::of_program(path);
    for image in images {
        let Some(form) = &image.form else { continue };
        // The program is the first.
        let Imported { requirements, sources, missing } =
            libraries::imported(&modules, Some(0), form, &image.imports, &import_guards_of(&image.properties));
        for kernel in &mut image.kernels {
            // Two required sizes are an error at the launch; the kernel's own is the one that is checked here.
            let _ = kernel.requirements.also(requirements.clone());
            kernel.sources.extend(sources.iter().map(|(source, import)| {
                let mut source = source.clone();
                let calls = import_chain(&image.properties, &kernel.symbol, import);
                let called_from = || vec![Step { function: kernel.name.clone(), place: None, remark: None }];
                source.chain.extend(calls.unwrap_or_else(called_from));
                source
            }));
            kernel.unresolved = missing.iter().cloned().collect();
        }
    }
}

/// What all kernels together need; a size only if all that require one require the same.
pub fn all_of<'k>(kernels: impl IntoIterator<Item = &'k Kernel>) -> Requirements {
    let kernels: Vec<&Kernel> = kernels.into_iter().collect();
    let aspects = kernels.iter().flat_map(|kernel| kernel.requirements.aspects.iter().copied()).collect();
    let sub: BTreeSet<_> = kernels.iter().filter_map(|kernel| kernel.requirements.reqd_sub_group_size).collect();
    let group: BTreeSet<_> = kernels.iter().filter_map(|kernel| kernel.requirements.reqd_work_group_size.clone()).collect();
    let mut all = Requirements {
        aspects,
        reqd_sub_group_size: (sub.len() == 1).then(|| sub.into_iter().next()).flatten(),
        reqd_work_group_size: (group.len() == 1).then(|| group.into_iter().next()).flatten(),
        ..Requirements::default()
    };
    all.guard_also(kernels.iter().flat_map(|kernel| kernel.requirements.guarded.clone()));
    all
}

/// The kernels of all images, each symbol once: images for several targets hold the same kernels.
pub fn kernels(images: &[Image]) -> Vec<&Kernel> {
    let mut seen = BTreeSet::new();
    images.iter().flat_map(|image| &image.kernels).filter(|kernel| seen.insert(kernel.symbol.as_str())).collect()
}

/// How wide a column of kernels' names is. Longer names stand out of it: those of templates have hundreds of letters, and nobody would find
/// what stands behind a column of them.
pub fn column<'k>(kernels: impl IntoIterator<Item = &'k Kernel>) -> usize {
    column_of(kernels.into_iter().map(|kernel| kernel.name.as_str()))
}

/// The same of names.
pub fn column_of<'n>(names: impl IntoIterator<Item = &'n str>) -> usize {
    const WIDEST: usize = 60;
    names.into_iter().map(|name| name.chars().count()).filter(|width| *width <= WIDEST).max().unwrap_or(0)
}

/// `fp64`, `sub-group size 16`.
pub fn short(need: &Need) -> String {
    match need {
        Need::Aspect(aspect) => aspect.to_string(),
        size => size.to_string(),
    }
}

/// What the name or symbol stands for, kernels or device functions that are offered to others, with their images: the one of that symbol, or all
/// of that name. Images whose needs of it differ are all there, others once.
pub fn named<'i>(images: &'i [Image], name: &str) -> Vec<(&'i Image, &'i Kernel)> {
    let all = || images.iter().flat_map(|image| image.kernels.iter().chain(&image.functions).map(move |kernel| (image, kernel)));
    let of_symbol = all().any(|(_, kernel)| kernel.symbol == name);
    let mut out: Vec<(&Image, &Kernel)> = Vec::new();
    for (image, kernel) in all().filter(|(_, kernel)| if of_symbol { kernel.symbol == name } else { kernel.name == name }) {
        if !out.iter().any(|(_, known)| known.symbol == kernel.symbol && known.requirements == kernel.requirements) {
            out.push((image, kernel));
        }
    }
    out
}
