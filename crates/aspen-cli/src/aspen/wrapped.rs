//! Programs and libraries that DPC++ built: what their descriptors say, and what their code says beside it.
//!
//! Thousands of images are no rarity, and most are compressed. Only the beginning of each is unpacked, where a SPIR-V module says which
//! capabilities it uses: a driver refuses it for these, whatever the property set says. `explain` unpacks one image whole.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::Path;

use aspen_contract::{Aspect, AspectSet, Need, Place, Source, Step};
use aspen_image::image::{EXPORTED_SYMBOLS, IMPORTED_SYMBOLS};
use aspen_image::wrapped::{self, Format, WrappedImage};
use aspen_image::{dpcpp, spirv};
use aspen_llvm::readable_name;
use serde_json::{Value, json};

use crate::Failure;
use crate::program::{Image, Kernel};

/// How much of an image is unpacked to see its capabilities; a SPIR-V module has a few dozen of them, 8 bytes each.
const BEGINNING: usize = 4096;
/// The largest image that is unpacked whole. Real ones have some megabytes; a frame of zstd may stand for any amount.
const LARGEST: u64 = 1 << 30;

/// What only the code of an image tells.
pub struct Wrapped {
    /// Aspects of capabilities that the property set does not say.
    pub unsaid: AspectSet,
    /// Aspects that the property set says and no capability stands for, of those that have capabilities.
    pub unseen: AspectSet,
}

/// Where property sets and code disagree, for people.
pub fn disagreements(images: &[Image]) -> String {
    let mut out = String::new();
    let mut unseen: BTreeMap<Aspect, (usize, &Image)> = BTreeMap::new();
    for image in images {
        let Some(wrapped) = &image.wrapped else { continue };
        let kernel = image.kernels.first().map_or_else(|| "no kernel".to_owned(), |kernel| format!("'{}'", kernel.name));
        for aspect in &wrapped.unsaid {
            let _ = writeln!(
                out,
                "image {} ({kernel}): its code uses {aspect}, and its property set does not say so: a device without it refuses the image",
                image.name
            );
        }
        for &aspect in &wrapped.unseen {
            unseen.entry(aspect).or_insert((0, image)).0 += 1;
        }
    }
    for (aspect, (count, first)) in unseen {
        let _ = writeln!(
            out,
            "{count} image{} said to need {aspect}, and {} code does not use it (the first is image {}): declared, or gone after optimisation",
            if count == 1 { " is" } else { "s are" },
            if count == 1 { "its" } else { "their" },
            first.name
        );
    }
    out
}

/// The same for programs: the images that disagree.
pub fn disagreements_json(images: &[Image]) -> Value {
    let names = |aspects: &AspectSet| aspects.iter().map(ToString::to_string).collect::<Vec<_>>();
    let wrapped = images.iter().enumerate().filter_map(|(index, image)| Some((index, image.wrapped.as_ref()?)));
    let disagree = wrapped.filter(|(_, wrapped)| !(wrapped.unsaid.is_empty() && wrapped.unseen.is_empty()));
    disagree.map(|(index, wrapped)| json!({ "image": index, "unsaid": names(&wrapped.unsaid), "unseen": names(&wrapped.unseen) })).collect()
}

/// The images of a file that DPC++ built, with their property sets if they are wanted; `None` if it did not.
///
/// # Errors
/// If a descriptor, or the code of an image, is damaged.
pub fn read(bytes: &[u8], file: &str, whole: bool) -> Result<Option<Vec<Image>>, Failure> {
    let mut images = found(bytes, file)?;
    let count = images.len();
    if images.is_empty() {
        return Ok(None);
    }
    let workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = count.div_ceil(workers);
    let parts: Vec<Result<Vec<Image>, Failure>> = std::thread::scope(|scope| {
        let threads: Vec<_> = images
            .chunks_mut(share)
            .enumerate()
            .map(|(part, images)| {
                scope.spawn(move || (part * share..).zip(images).map(|(index, image)| described(index, image, file, whole)).collect())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let mut out = Vec::with_capacity(count);
    for part in parts {
        out.extend(part?);
    }
    Ok(Some(out))
}

fn found<'b>(bytes: &'b [u8], file: &str) -> Result<Vec<WrappedImage<'b>>, Failure> {
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(Vec::new());
    }
    wrapped::find(bytes).map_err(|error| Failure::Input(format!("'{file}': {error}")))
}

fn described(index: usize, image: &mut WrappedImage<'_>, file: &str, whole: bool) -> Result<Image, Failure> {
    let offset = image.offset;
    let failed = |why: String| Failure::Input(format!("'{file}': image {index}, whose descriptor is at byte {offset}: {why}"));
    let beginning = beginning(image).map_err(failed)?;
    let requirements = dpcpp::requirements_of_sets(&image.properties).map_err(|error| failed(error.to_string()))?;
    let symbols = |set: &str| image.properties.get(set).map_or(Vec::new(), |set| set.keys().cloned().collect::<Vec<String>>());
    let (exports, imports) = (symbols(EXPORTED_SYMBOLS), symbols(IMPORTED_SYMBOLS));
    let kernel = |symbol: &str| Kernel {
        symbol: symbol.to_owned(),
        name: readable_name(symbol),
        requirements: requirements.clone(),
        sources: Vec::new(),
        work_items: None,
        unresolved: Vec::new(),
    };
    let kernels =
        image.entries.iter().filter(|entry| !exports.iter().any(|export| *export == **entry)).map(|entry| kernel(entry)).collect();
    let seen = spirv::capabilities(&beginning);
    let known: AspectSet = [Aspect::FP16, Aspect::FP64].into();
    let said: AspectSet = requirements.aspects.intersection(&known).copied().collect();
    let (needed, touched) = seen.map_or_else(|| (said.clone(), said.clone()), |seen| (seen.needed, seen.touched));
    let unsaid = needed.intersection(&known).filter(|aspect| !said.contains(aspect)).copied().collect();
    let unseen = said.difference(&touched).copied().collect();
    let target = image.properties.get(dpcpp::DEVICE_REQUIREMENTS_DPCPP).and_then(|set| set.get("compile_target")?.as_bytes());
    let target = target.map_or_else(|| image.target.clone(), |target| String::from_utf8_lossy(target).into_owned());
    // Taken out in any case, so that what is not wanted is gone before the next image is looked at.
    let properties = Some(std::mem::take(&mut image.properties)).filter(|_| whole).unwrap_or_default();
    Ok(Image {
        name: index.to_string(),
        target,
        format: format_of(image, &beginning),
        size: image.bytes.len(),
        kernels,
        functions: exports.iter().map(|symbol| kernel(symbol)).collect(),
        exports,
        imports,
        // There may be thousands of them.
        properties,
        conditions: Vec::new(),
        summary: None,
        form: None,
        wrapped: Some(Wrapped { unsaid, unseen }),
        requirements,
    })
}

/// What the bytes are, seen by themselves where the descriptor does not say.
fn format_of(image: &WrappedImage<'_>, beginning: &[u8]) -> String {
    match image.format {
        Format::None | Format::Compressed => {
            if beginning.starts_with(&0x0723_0203u32.to_le_bytes()) {
                "spirv".into()
            } else if beginning.starts_with(b"BC\xc0\xde") {
                "bitcode".into()
            } else {
                "native".into()
            }
        }
        ref said => said.to_string(),
    }
}

/// The first bytes of an image as they are unpacked.
fn beginning(image: &WrappedImage<'_>) -> Result<Vec<u8>, String> {
    if image.format != Format::Compressed {
        return Ok(image.bytes[..image.bytes.len().min(BEGINNING)].to_vec());
    }
    unpack(image.bytes, BEGINNING as u64)
}

fn unpack(bytes: &[u8], most: u64) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(bytes).map_err(|error| error.to_string())?;
    decoder.take(most).read_to_end(&mut out).map_err(|error| format!("its compressed data is damaged: {error}"))?;
    Ok(out)
}

/// The kernel with the reasons that its SPIR-V shows.
///
/// # Errors
/// If the code cannot be read.
pub fn explained(file: &Path, images: &[Image], image: &Image, kernel: &Kernel) -> Result<Kernel, Failure> {
    let name = file.display().to_string();
    let bytes = fs::read(file).map_err(|error| Failure::Input(format!("cannot read '{name}': {error}")))?;
    let index = images.iter().position(|other| std::ptr::eq(other, image)).unwrap_or_default();
    let mut sources = Vec::new();
    if image.format == "spirv" {
        let code = Codes::of(&bytes, &name)?.code(index).map_err(|why| Failure::Input(format!("'{name}': {why}")))?;
        for (aspect, width) in [(Aspect::FP16, 16), (Aspect::FP64, 64)] {
            let wanted = kernel.requirements.aspects.contains(&aspect);
            let chain = aspen_spirv::chain_to_float(&code, &kernel.symbol, width)
                .map_err(|error| Failure::Input(format!("'{name}': image {index}: {error}")))?;
            if let Some(chain) = chain.filter(|_| wanted) {
                let step = |step: aspen_spirv::ChainStep| Step {
                    function: readable_name(&step.function),
                    place: step.place.map(|(file, line, column)| Place { file, line, column }),
                    remark: None,
                };
                sources.push(Source { need: Need::Aspect(aspect), declared: false, chain: chain.into_iter().map(step).collect() });
            }
        }
    }
    Ok(Kernel {
        symbol: kernel.symbol.clone(),
        name: kernel.name.clone(),
        requirements: kernel.requirements.clone(),
        sources,
        work_items: None,
        unresolved: kernel.unresolved.clone(),
    })
}

/// The whole code of a file's images, for who compiles or walks through it.
pub struct Codes<'b>(Vec<WrappedImage<'b>>);

impl<'b> Codes<'b> {
    /// Finds the images again, in the order of [`read`].
    ///
    /// # Errors
    /// If a descriptor is damaged.
    pub fn of(bytes: &'b [u8], file: &str) -> Result<Codes<'b>, Failure> {
        found(bytes, file).map(Codes)
    }

    /// The code of an image, unpacked.
    fn code(&self, index: usize) -> Result<Cow<'b, [u8]>, String> {
        let image = self.0.get(index).ok_or_else(|| format!("there is no image {index}"))?;
        if image.format != Format::Compressed {
            return Ok(image.bytes.into());
        }
        let failed = |why: String| format!("image {index}, whose descriptor is at byte {}: {why}", image.offset);
        let out = unpack(image.bytes, LARGEST + 1).map_err(failed)?;
        if out.len() as u64 > LARGEST {
            return Err(failed(format!("it unpacks to more than {LARGEST} bytes")));
        }
        Ok(out.into())
    }

    /// The image as an OffloadBinary.
    pub fn blob(&self, index: usize) -> Result<Vec<u8>, String> {
        let code = self.code(index)?;
        let entry = self.0[index].to_entry(code).map_err(|error| error.to_string())?;
        entry.to_bytes().map_err(|error| error.to_string())
    }
}
