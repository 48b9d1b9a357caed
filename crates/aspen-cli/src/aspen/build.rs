//! `aspen check --build`: what a device's compiler says to the SPIR-V images that pass the check. A verdict compares lists; the compiler
//! reads the code. Source: issue 16 "The truth beside the verdict".

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use aspen_contract::{BackendKind, Verdict, check};
use aspen_image::{Entry, ImageKind, find};
use aspen_llvm::readable_name;
use serde_json::{Value, json};

use crate::check::Verdicts;
use crate::program::Image;
use crate::workers::Outcome;
use crate::{Failure, here, wrapped};

/// Lines of a compiler's log that people are shown; JSON has all.
const LINES: usize = 12;

/// What a device's compiler says to a file's images.
pub struct Built {
    /// Whether the device compiles SPIR-V.
    compiles: bool,
    /// How many SPIR-V images it was asked for, and how many it takes.
    tried: usize,
    taken: usize,
    /// By image, with its first kernel.
    refused: Vec<(usize, String, String)>,
    /// Images that pass and cannot be tried, and why.
    skipped: Vec<(usize, String)>,
}

impl Built {
    /// Whether an image that passes is not taken.
    pub fn is_finding(&self) -> bool {
        !self.refused.is_empty()
    }

    /// For people.
    pub fn text(&self) -> String {
        if !self.compiles {
            return "  it compiles no SPIR-V\n".into();
        }
        let Built { tried, taken, refused, skipped, .. } = self;
        let mut out = format!("  its compiler takes {taken} of {tried} SPIR-V images that pass\n");
        for (index, kernel, why) in refused {
            let _ = writeln!(out, "    image {index} ({kernel}) is not taken:");
            why.lines().take(LINES).for_each(|line| _ = writeln!(out, "      {line}"));
        }
        // A library may be built for others to complete: hundreds of images for one reason.
        let mut reasons: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        skipped.iter().for_each(|(index, why)| reasons.entry(why).or_default().push(*index));
        for (why, images) in reasons {
            let more = if images.len() > 1 { format!(" and {} more", images.len() - 1) } else { String::new() };
            let _ = writeln!(out, "    image {}{more} cannot be tried: {why}", images[0]);
        }
        out
    }

    /// For programs.
    pub fn document(&self) -> Value {
        let refused = self.refused.iter().map(|(image, kernel, why)| json!({ "image": image, "kernel": kernel, "why": why }));
        let skipped = self.skipped.iter().map(|(image, why)| json!({ "image": image, "why": why }));
        json!({
            "compiles_spirv": self.compiles,
            "tried": self.tried,
            "taken": self.taken,
            "refused": refused.collect::<Vec<_>>(),
            "not_tried": skipped.collect::<Vec<_>>(),
        })
    }
}

/// Asks every device of this machine.
///
/// # Errors
/// If the file cannot be read again, or no process can be had.
pub fn all(file: &Path, images: &[Image], verdicts: &mut [Verdicts<'_>]) -> Result<(), Failure> {
    let name = file.display().to_string();
    let bytes = fs::read(file).map_err(|error| Failure::Input(format!("cannot read '{name}': {error}")))?;
    let code = Code::of(&bytes, &name, images)?;
    for verdicts in verdicts {
        if let Some(local) = &verdicts.local {
            verdicts.built = Some(if local.backend == BackendKind::OpenCl {
                built(&code, images, verdicts)?
            } else {
                Built { compiles: false, tried: 0, taken: 0, refused: Vec::new(), skipped: Vec::new() }
            });
        }
    }
    Ok(())
}

fn built(code: &Code<'_>, images: &[Image], verdicts: &Verdicts<'_>) -> Result<Built, Failure> {
    let Some(local) = &verdicts.local else { return Err(Failure::Input("a target has no compiler".into())) };
    let passing: BTreeSet<&str> =
        verdicts.kernels.iter().filter(|(_, says)| says.passes()).map(|(kernel, _)| kernel.symbol.as_str()).collect();
    let passes = |image: &Image| {
        if image.kernels.is_empty() {
            return !matches!(check(&image.requirements, &verdicts.device), Verdict::Unmet(_));
        }
        image.kernels.iter().any(|kernel| passing.contains(kernel.symbol.as_str()))
    };
    let exports = providers(images);
    let (mut tasks, mut skipped) = (Vec::new(), Vec::new());
    for (index, _) in images.iter().enumerate().filter(|(_, image)| image.format == "spirv" && local.takes(image) && passes(image)) {
        match with_providers(images, &exports, index) {
            Ok(parts) => tasks.push(parts),
            Err(missing) => skipped.push((index, format!("it takes '{}' from another file", readable_name(missing)))),
        }
    }
    let blobs = |task: usize| tasks[task].iter().try_fold(Vec::new(), |blobs, index| Ok([blobs, code.blob(*index)?].concat()));
    let outcomes = here::compile(&local.selector, tasks.len(), &blobs)?;
    let mut refused = Vec::new();
    for (parts, outcome) in tasks.iter().zip(outcomes) {
        let why = match outcome {
            Outcome::Answer(why) if why.is_empty() => continue,
            Outcome::Answer(why) => why,
            Outcome::Died(how) => format!("the compiler crashed: {how}"),
        };
        let kernel = images[parts[0]].kernels.first().map_or_else(|| "no kernel".to_owned(), |kernel| format!("'{}'", kernel.name));
        refused.push((parts[0], kernel, why));
    }
    Ok(Built { compiles: true, tried: tasks.len(), taken: tasks.len() - refused.len(), refused, skipped })
}

/// SPIR-V images by what they offer to others.
fn providers(images: &[Image]) -> BTreeMap<&str, usize> {
    let spirv = images.iter().enumerate().filter(|(_, image)| image.format == "spirv").rev();
    spirv.flat_map(|(index, image)| image.exports.iter().map(move |symbol| (symbol.as_str(), index))).collect()
}

/// An image and all that it takes functions from, itself first; or the function that no image of the file has.
fn with_providers<'i>(images: &'i [Image], providers: &BTreeMap<&str, usize>, first: usize) -> Result<Vec<usize>, &'i str> {
    let (mut parts, mut next) = (vec![first], 0);
    while let Some(&part) = parts.get(next) {
        for symbol in &images[part].imports {
            let provider = *providers.get(symbol.as_str()).ok_or(symbol.as_str())?;
            if !parts.contains(&provider) {
                parts.push(provider);
            }
        }
        next += 1;
    }
    Ok(parts)
}

/// Where the code of the images is.
enum Code<'b> {
    /// DPC++'s.
    Wrapped(wrapped::Codes<'b>),
    /// Aspen's, in the order of the images.
    Own(Vec<Entry<'b>>),
}

impl<'b> Code<'b> {
    fn of(bytes: &'b [u8], file: &str, images: &[Image]) -> Result<Code<'b>, Failure> {
        if images.iter().any(|image| image.wrapped.is_some()) {
            return wrapped::Codes::of(bytes, file).map(Code::Wrapped);
        }
        let container = find(bytes, file).map_err(|error| Failure::Input(error.to_string()))?;
        if container.kind == aspen_image::Kind::SpirV {
            let mut entry = Entry::new(ImageKind::SpirV, bytes);
            let kernels: Vec<&str> = images.iter().flat_map(|image| &image.kernels).map(|kernel| kernel.symbol.as_str()).collect();
            entry.set_string("arch", b"spir64".as_slice());
            entry.set_string("symbols", kernels.join(",").into_bytes());
            return Ok(Code::Own(vec![entry]));
        }
        Ok(Code::Own(container.entries.into_iter().map(|found| found.entry).collect()))
    }

    fn blob(&self, index: usize) -> Result<Vec<u8>, String> {
        match self {
            Code::Wrapped(codes) => codes.blob(index),
            Code::Own(entries) => {
                let entry = entries.get(index).ok_or_else(|| format!("there is no image {index}"))?;
                entry.to_bytes().map_err(|error| error.to_string())
            }
        }
    }
}
