//! Device code and descriptions outside of programs: file tables, property sets and SPIR-V modules, as `aspen` looks at them.

use std::fs;
use std::path::Path;

use aspen_contract::Requirements;
use aspen_image::image::{EXPORTED_SYMBOLS, IMPORTED_SYMBOLS};
use aspen_image::spirv::SpirvModule;
use aspen_image::table::{CODE, PROPERTIES, SYMBOLS};
use aspen_image::{FileTable, PropertySets, dpcpp};
use aspen_llvm::{AspectNames, Context};

use crate::Failure;
use crate::program::{self, Image, Kernel};

/// The set that lists kernels by name. Source: FORMATS §4.5.
const KERNEL_NAMES: &str = "SYCL/kernel names";

fn failed(path: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure::Input(format!("'{}': {reason}", path.display()))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn text<'b>(path: &Path, bytes: &'b [u8]) -> Result<&'b str, Failure> {
    std::str::from_utf8(bytes).map_err(|_| failed(path, "it is no UTF-8 text"))
}

/// A SPIR-V module; its capabilities stand for aspects.
pub fn spirv(path: &Path, bytes: &[u8]) -> Result<Image, Failure> {
    let module = SpirvModule::parse(bytes).map_err(|error| failed(path, error.to_string()))?;
    let kernels: Vec<Kernel> = module.kernels.into_iter().map(|(symbol, requirements)| kernel(symbol, requirements)).collect();
    Ok(Image {
        name: stem(path),
        target: "spir64".into(),
        format: "spirv".into(),
        size: bytes.len(),
        requirements: program::all_of(&kernels),
        kernels,
        exports: module.exports,
        functions: Vec::new(),
        imports: module.imports,
        properties: PropertySets::new(),
        conditions: Vec::new(),
        summary: None,
        form: None,
        wrapped: None,
        code: None,
        strings: Vec::new(),
    })
}

fn kernel(symbol: String, requirements: Requirements) -> Kernel {
    Kernel { name: aspen_llvm::readable_name(&symbol), symbol, requirements, sources: Vec::new(), work_items: None, unresolved: Vec::new() }
}

/// A `.prop` file: an image without its code.
pub fn properties(path: &Path, bytes: &[u8]) -> Result<Image, Failure> {
    let sets = PropertySets::from_text(text(path, bytes)?).map_err(|error| failed(path, error))?;
    let requirements = dpcpp::requirements_of_sets(&sets).map_err(|error| failed(path, error))?;
    let names = |set: &str| sets.get(set).map_or(Vec::new(), |set| set.keys().cloned().collect::<Vec<String>>());
    let target = sets.get(dpcpp::DEVICE_REQUIREMENTS_DPCPP).and_then(|set| set.get("compile_target")?.as_bytes());
    Ok(Image {
        name: stem(path),
        target: target.map_or_else(|| "unknown".into(), |target| String::from_utf8_lossy(target).into_owned()),
        format: "properties".into(),
        size: 0,
        kernels: names(KERNEL_NAMES).into_iter().map(|symbol| kernel(symbol, requirements.clone())).collect(),
        requirements,
        exports: names(EXPORTED_SYMBOLS),
        functions: Vec::new(),
        imports: names(IMPORTED_SYMBOLS),
        properties: sets,
        conditions: Vec::new(),
        summary: None,
        form: None,
        wrapped: None,
        code: None,
        strings: Vec::new(),
    })
}

/// A file table: an image a row. What its `.prop` says is what counts; the code only tells format, kernels and why.
pub fn table(path: &Path, bytes: &[u8]) -> Result<Vec<Image>, Failure> {
    let table = FileTable::from_text(text(path, bytes)?).map_err(|error| failed(path, error))?;
    let code = table.column(CODE).ok_or_else(|| failed(path, format!("there is no column '{CODE}'")))?;
    let (sets, symbols) = (table.column(PROPERTIES), table.column(SYMBOLS));
    let mut images = Vec::new();
    for cells in table.rows() {
        let read = |cell: &String| fs::read(cell).map_err(|error| failed(path, format!("lists '{cell}', which cannot be read: {error}")));
        let described = match sets {
            Some(column) => {
                let bytes = read(&cells[column])?;
                Some(properties(Path::new(&cells[column]), &bytes).map_err(|why| listed(path, why))?)
            }
            None => None,
        };
        let symbols = symbols.map(|column| Ok::<_, Failure>(String::from_utf8_lossy(&read(&cells[column])?).into_owned())).transpose()?;
        let (place, bytes) = (Path::new(&cells[code]), read(&cells[code])?);
        let mut image = code_of(place, &bytes).map_err(|why| listed(path, why))?;
        if let Some(mut described) = described {
            // Post-link writes the module's numbers of aspects; what they mean there, the module says.
            if image.format == "bitcode" {
                let context = Context::new();
                let module = context.parse(&cells[code], &bytes)?;
                described.requirements = AspectNames::of(module.view()).meanings(&described.requirements);
            }
            if described.target != "unknown" {
                image.target = described.target;
            }
            for kernel in &mut image.kernels {
                kernel.requirements = described.requirements.clone();
                kernel.sources.retain(|source| described.requirements.needs().any(|need| need == source.need));
            }
            for (own, other) in [(&mut image.exports, described.exports), (&mut image.imports, described.imports)] {
                if !other.is_empty() {
                    *own = other;
                }
            }
            image.requirements = described.requirements;
            image.properties = described.properties;
        }
        if image.kernels.is_empty() {
            let lines = symbols.as_deref().unwrap_or_default().lines();
            let kernels = lines.filter(|line| !line.is_empty() && !image.exports.iter().any(|export| export == line));
            image.kernels = kernels.map(|symbol| kernel(symbol.to_owned(), image.requirements.clone())).collect();
        }
        images.push(image);
    }
    Ok(images)
}

/// An error of a file, told as one of the table that lists it.
fn listed(table: &Path, why: Failure) -> Failure {
    match why {
        Failure::Input(text) => Failure::Input(format!("'{}': {text}", table.display())),
        other => other,
    }
}

/// The code of a row: a module that can be read, or something that only its device understands.
fn code_of(path: &Path, bytes: &[u8]) -> Result<Image, Failure> {
    let name = path.display().to_string();
    match aspen_image::find(bytes, &name).map(|container| container.kind) {
        Ok(aspen_image::Kind::Bitcode | aspen_image::Kind::LlvmText | aspen_image::Kind::SpirV) => {
            let mut image = program::read(path)?.into_iter().next().ok_or_else(|| failed(path, "it holds no device code"))?;
            image.name = stem(path);
            Ok(image)
        }
        _ => Ok(Image {
            name: stem(path),
            target: "unknown".into(),
            format: if bytes.starts_with(b"\x7fELF") { "native" } else { "unknown" }.into(),
            size: bytes.len(),
            requirements: Requirements::default(),
            kernels: Vec::new(),
            exports: Vec::new(),
            functions: Vec::new(),
            imports: Vec::new(),
            properties: PropertySets::new(),
            conditions: Vec::new(),
            summary: None,
            form: None,
            wrapped: None,
            code: None,
            strings: Vec::new(),
        }),
    }
}
