//! `aspen check --build`: what a device's compiler says to the SPIR-V images that pass the check. A verdict compares lists; the compiler
//! reads the code. Source: issue 16 "The truth beside the verdict".

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use aspen_contract::{BackendKind, Verdict, check};
use aspen_image::image::{EXPORTED_SYMBOLS, IMPORTED_SYMBOLS, add_sets, symbols_set};
use aspen_image::{Entry, ImageKind, PropertySets};
use aspen_llvm::readable_name;
use serde_json::{Value, json};

use crate::Failure;
use crate::check::Verdicts;
use crate::code::{CodeError, LARGEST};
use crate::here::{self, Compiled, Local};
use crate::program::Image;
use crate::workers::Outcome;

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
/// If no process can be had.
pub fn all(images: &[Image], verdicts: &mut [Verdicts<'_>]) -> Result<(), Failure> {
    for verdicts in verdicts {
        if let Some(local) = &verdicts.local {
            verdicts.built = Some(if local.backend == BackendKind::OpenCl {
                built(images, verdicts)?
            } else {
                Built { compiles: false, tried: 0, taken: 0, refused: Vec::new(), skipped: Vec::new() }
            });
        }
    }
    Ok(())
}

fn built(images: &[Image], verdicts: &Verdicts<'_>) -> Result<Built, Failure> {
    let Some(local) = &verdicts.local else { return Err(Failure::Input("a target has no compiler".into())) };
    let passing: BTreeSet<&str> =
        verdicts.kernels.iter().filter(|(_, says)| says.passes()).map(|(kernel, _)| kernel.symbol.as_str()).collect();
    let passes = |image: &Image| {
        if image.kernels.is_empty() {
            return !matches!(check(&image.requirements, &verdicts.judge.device), Verdict::Unmet(_));
        }
        image.kernels.iter().any(|kernel| passing.contains(kernel.symbol.as_str()))
    };
    let (mut tasks, mut skipped) = (Vec::new(), Vec::new());
    for (index, image) in images.iter().enumerate().filter(|(_, image)| passes(image)) {
        if image.format == "spirv" && local.takes(image) {
            tasks.push(index);
        } else if let Some(why) = not_compiled(image, local) {
            skipped.push((index, why));
        }
    }
    let providers = providers(images, local);
    let outcomes = here::compile(&local.selector, tasks.len(), &|task| linked(images, &providers, tasks[task]))?;
    let mut refused = Vec::new();
    let count = outcomes.len();
    let mut left_out = 0;
    for (index, outcome) in tasks.into_iter().zip(outcomes) {
        let why = match outcome {
            Outcome::Answer(Compiled::Taken) => continue,
            Outcome::Answer(Compiled::NotTried(why)) => {
                left_out += 1;
                skipped.push((index, why));
                continue;
            }
            Outcome::Answer(Compiled::Refused(why)) => why,
            Outcome::Died(how) => format!("the compiler crashed: {how}"),
        };
        let kernel = images[index].kernels.first().map_or_else(|| "no kernel".to_owned(), |kernel| format!("'{}'", kernel.name));
        refused.push((index, kernel, why));
    }
    skipped.sort();
    let tried = count - left_out;
    Ok(Built { compiles: true, tried, taken: tried - refused.len(), refused, skipped })
}

/// Why there is nothing in the image for a compiler of SPIR-V, if it is one for the device at all.
fn not_compiled(image: &Image, local: &Local) -> Option<String> {
    match image.format.as_str() {
        "bitcode" if image.target.starts_with("spir") => Some("it is LLVM bitcode, of which the link makes SPIR-V".into()),
        "properties" => Some("it has no code".into()),
        unreadable if unreadable.starts_with("unreadable") => Some(format!("it is {unreadable}")),
        "spirv" => None,
        _ if local.takes(image) => Some("it is machine code already".into()),
        _ => None,
    }
}

/// The device's SPIR-V images by what they offer to others.
fn providers<'i>(images: &'i [Image], local: &Local) -> HashMap<&'i str, usize> {
    let spirv = images.iter().enumerate().filter(|(_, image)| image.format == "spirv" && local.takes(image)).rev();
    spirv.flat_map(|(index, image)| image.exports.iter().map(move |symbol| (symbol.as_str(), index))).collect()
}

/// An image, and behind it all that it takes functions from, as OffloadBinary blobs.
///
/// # Errors
/// Why they cannot be had.
fn linked(images: &[Image], providers: &HashMap<&str, usize>, first: usize) -> Result<Vec<u8>, String> {
    let (mut parts, mut seen, mut next) = (vec![first], HashSet::from([first]), 0);
    while let Some(&part) = parts.get(next) {
        for symbol in &images[part].imports {
            let provider = providers.get(symbol.as_str());
            let provider = *provider.ok_or_else(|| format!("it takes '{}' from another file", readable_name(symbol)))?;
            if seen.insert(provider) {
                parts.push(provider);
            }
        }
        next += 1;
    }
    let (mut blobs, mut left) = (Vec::new(), LARGEST);
    for &part in &parts {
        let image = &images[part];
        let code = image.code.as_ref().ok_or_else(|| format!("the code of image '{}' is not in the file", image.name))?;
        let code = code.bytes(left).map_err(|error| match error {
            CodeError::TooLarge if parts.len() > 1 => {
                format!("with the images that it takes functions from ({}) it unpacks to more than {LARGEST} bytes", parts.len() - 1)
            }
            error if part == first => error.to_string(),
            error => format!("it takes functions from image '{}': {error}", image.name),
        })?;
        left -= code.len() as u64;
        blobs.extend(entry(image, &code).map_err(|error| format!("image '{}': {error}", image.name))?);
    }
    Ok(blobs)
}

/// The image as our own container has it, which is what the runtime takes.
fn entry(image: &Image, code: &[u8]) -> Result<Vec<u8>, aspen_image::image::BuildError> {
    let mut entry = Entry::new(ImageKind::SpirV, code);
    let kernels: Vec<&str> = image.kernels.iter().map(|kernel| kernel.symbol.as_str()).collect();
    entry.set_string("arch", image.target.clone().into_bytes());
    entry.set_string("symbols", kernels.join(",").into_bytes());
    image.strings.iter().for_each(|(key, value)| entry.set_string(key.as_str(), value.as_slice()));
    // Only our own runtime reads sets, but for these two.
    if image.form.is_some() {
        add_sets(&mut entry, &image.properties)?;
    }
    let mut links = PropertySets::new();
    for (set, symbols) in [(EXPORTED_SYMBOLS, &image.exports), (IMPORTED_SYMBOLS, &image.imports)] {
        if !symbols.is_empty() {
            links.insert(set, symbols_set(symbols.iter().map(String::as_str)));
        }
    }
    add_sets(&mut entry, &links)?;
    Ok(entry.to_bytes()?)
}
