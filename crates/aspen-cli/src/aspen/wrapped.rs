//! Programs and libraries that DPC++ built: what their descriptors say, and what their code says beside it.
//!
//! Thousands of images are no rarity, and most are compressed. Only the beginning of each is unpacked, where a SPIR-V module says which
//! capabilities it uses: a driver refuses it for these, whatever the property set says. `explain` unpacks one image whole.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::rc::Rc;

use aspen_contract::{Aspect, Need, Place, Requirements, Source, Step, WorkGroupSize};
use aspen_image::image::{EXPORTED_SYMBOLS, IMPORTED_SYMBOLS};
use aspen_image::spirv::Beginning;
use aspen_image::wrapped::{self, Format, WrappedImage};
use aspen_image::{PropertySets, dpcpp, spirv};
use aspen_llvm::readable_name;
use aspen_spirv::Use;
use serde_json::{Value, json};

use crate::Failure;
use crate::code::{Code, CodeError, LARGEST, Part, unpack};
use crate::program::{Image, Kernel, short};

/// How much of an image is unpacked to see its capabilities; a SPIR-V module has a few dozen of them, 8 bytes each;
/// names and sizes of its kernels follow.
const BEGINNING: usize = 16 << 10;

/// What only the code of an image tells.
pub struct Wrapped {
    /// What the code needs and the property set does not say.
    pub unsaid: Vec<Need>,
    /// What the property set says and the code does not show, of what code can show.
    pub unseen: Vec<Need>,
}

/// Aspects that a SPIR-V module shows by its capabilities.
const SHOWN: [Aspect; 3] = [Aspect::FP16, Aspect::FP64, Aspect::ATOMIC64];

/// Where property sets and code disagree, for people.
pub fn disagreements(images: &[Image]) -> String {
    let mut out = String::new();
    let mut unseen: BTreeMap<&Need, (usize, &Image)> = BTreeMap::new();
    for image in images {
        let Some(wrapped) = &image.wrapped else { continue };
        let kernel = image.kernels.first().map_or_else(|| "no kernel".to_owned(), |kernel| format!("'{}'", kernel.name));
        for need in &wrapped.unsaid {
            let uses = if matches!(need, Need::Aspect(_)) { "uses" } else { "is compiled for" };
            let _ = writeln!(
                out,
                "image {} ({kernel}): its code {uses} {}, and its property set does not say so: a device without it refuses the image",
                image.name,
                short(need)
            );
        }
        for need in &wrapped.unseen {
            unseen.entry(need).or_insert((0, image)).0 += 1;
        }
    }
    for (need, (count, first)) in unseen {
        let aspect = short(need);
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
    let names = |needs: &[Need]| needs.iter().map(short).collect::<Vec<_>>();
    let wrapped = images.iter().enumerate().filter_map(|(index, image)| Some((index, image.wrapped.as_ref()?)));
    let disagree = wrapped.filter(|(_, wrapped)| !(wrapped.unsaid.is_empty() && wrapped.unseen.is_empty()));
    disagree.map(|(index, wrapped)| json!({ "image": index, "unsaid": names(&wrapped.unsaid), "unseen": names(&wrapped.unseen) })).collect()
}

/// The images of a file that DPC++ built, with their property sets if they are wanted; `None` if it did not.
///
/// # Errors
/// If a descriptor, or the code of an image, is damaged.
pub fn read(bytes: &Rc<Vec<u8>>, file: &str, whole: bool) -> Result<Option<Vec<Image>>, Failure> {
    let images = found(bytes, file)?;
    let count = images.len();
    if images.is_empty() {
        return Ok(None);
    }
    let workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = count.div_ceil(workers);
    // Unpacking is what takes time, and needs no memory that lasts.
    let looked: Vec<Result<Looked, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = images.chunks(share).map(|images| scope.spawn(move || images.iter().map(look).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let mut out = Vec::with_capacity(count);
    for (image, looked) in images.into_iter().zip(looked) {
        let (index, offset) = (out.len(), image.offset);
        let failed = |why: String| Failure::Input(format!("'{file}': image {index}, whose descriptor is at byte {offset}: {why}"));
        let code = Code::of(bytes, image.bytes);
        let code = if image.format == Format::Compressed { code.packed() } else { code };
        let described = looked.and_then(|looked| described(index, image, looked, whole)).map_err(failed)?;
        out.push(Image { code: (described.format == "spirv").then_some(code), ..described });
    }
    Ok(Some(out))
}

fn found<'b>(bytes: &'b [u8], file: &str) -> Result<Vec<WrappedImage<'b>>, Failure> {
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(Vec::new());
    }
    wrapped::find(bytes).map_err(|error| Failure::Input(format!("'{file}': {error}")))
}

/// What is seen of an image's code.
struct Looked {
    format: Cow<'static, str>,
    beginning: Option<Beginning>,
}

fn look(image: &WrappedImage<'_>) -> Result<Looked, String> {
    let bytes = beginning(image)?;
    Ok(Looked { format: format_of(image, &bytes), beginning: spirv::beginning(&bytes) })
}

fn described(index: usize, image: WrappedImage<'_>, looked: Looked, whole: bool) -> Result<Image, String> {
    let requirements = image.requirements().map_err(|error| error.to_string())?;
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
    let exported: HashSet<&str> = exports.iter().map(String::as_str).collect();
    let kernels = image.entries.iter().filter(|entry| !exported.contains(&***entry)).map(|entry| kernel(entry)).collect();
    let wrapped = compared(&image, &requirements, looked.beginning.as_ref());
    let target = image.properties.get(dpcpp::DEVICE_REQUIREMENTS_DPCPP).and_then(|set| set.get("compile_target")?.as_bytes());
    Ok(Image {
        name: index.to_string(),
        target: target.map_or_else(|| image.target.clone(), |target| String::from_utf8_lossy(target).into_owned()),
        format: looked.format.into_owned(),
        size: image.bytes.len(),
        kernels,
        functions: exports.iter().map(|symbol| kernel(symbol)).collect(),
        exports,
        imports,
        properties: if whole { image.properties } else { PropertySets::new() },
        conditions: Vec::new(),
        summary: None,
        form: None,
        wrapped: Some(wrapped),
        requirements,
        code: None,
        strings: Vec::new(),
    })
}

/// Property set and code side by side.
fn compared(image: &WrappedImage<'_>, requirements: &Requirements, beginning: Option<&Beginning>) -> Wrapped {
    let mut out = Wrapped { unsaid: Vec::new(), unseen: Vec::new() };
    let Some(seen) = beginning else { return out };
    let says = |aspect: &Aspect| requirements.aspects.contains(aspect);
    out.unsaid.extend(SHOWN.into_iter().filter(|aspect| seen.needed.contains(aspect) && !says(aspect)).map(Need::Aspect));
    out.unseen.extend(SHOWN.into_iter().filter(|aspect| says(aspect) && !seen.touched.contains(aspect)).map(Need::Aspect));
    // Explicit SIMD has no sub-groups; its sets say 1, and its code nothing.
    let is_esimd = dpcpp::is_explicit_simd(&image.properties);
    let Some(sizes) = seen.sizes.as_ref().filter(|_| !is_esimd) else { return out };
    let said = requirements.reqd_sub_group_size;
    out.unsaid.extend(sizes.sub_groups.iter().filter(|size| said != Some(**size)).map(|size| Need::SubGroupSize(*size)));
    out.unseen.extend(said.filter(|size| !sizes.sub_groups.contains(size)).map(Need::SubGroupSize));
    // In the order of the attribute, without the padding.
    let turned = |[x, y, z]: &[u32; 3]| [*z, *y, *x].map(u64::from);
    let padded = |size: &WorkGroupSize| {
        let mut all = [1; 3];
        all[3 - size.dims().len()..].copy_from_slice(size.dims());
        all
    };
    let said = requirements.reqd_work_group_size.as_ref();
    let sizes: Vec<[u64; 3]> = sizes.work_groups.iter().map(turned).collect();
    let others = sizes.iter().filter(|size| said.map(padded) != Some(**size));
    out.unsaid.extend(others.filter_map(|size| WorkGroupSize::try_from(size.to_vec()).ok()).map(Need::WorkGroupSize));
    out.unseen.extend(said.filter(|said| !sizes.contains(&padded(said))).cloned().map(Need::WorkGroupSize));
    out
}

/// What the bytes are, seen by themselves where the descriptor does not say.
fn format_of(image: &WrappedImage<'_>, beginning: &[u8]) -> Cow<'static, str> {
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
        ref said => said.to_string().into(),
    }
}

/// The first bytes of an image as they are unpacked.
fn beginning(image: &WrappedImage<'_>) -> Result<Vec<u8>, String> {
    if image.format != Format::Compressed {
        return Ok(image.bytes[..image.bytes.len().min(BEGINNING)].to_vec());
    }
    unpack(image.bytes, BEGINNING as u64).map_err(|why| CodeError::Damaged(why).to_string())
}

/// What shows in SPIR-V code that an aspect is needed.
fn uses() -> Vec<(Aspect, Use)> {
    let images = ["image", "ext_intel_legacy_image"].into_iter().filter_map(Aspect::from_name).map(|aspect| (aspect, Use::Image));
    [(Aspect::FP16, Use::Float(16)), (Aspect::FP64, Use::Float(64)), (Aspect::ATOMIC64, Use::Atomic64)].into_iter().chain(images).collect()
}

/// Whether only the code itself tells why its kernels need what they need: nobody has recorded it for SPIR-V that is not Aspen's.
pub fn is_told_by_code(image: &Image) -> bool {
    image.wrapped.is_some() || (image.code.is_some() && image.form.is_none())
}

/// The kernel with the reasons that its SPIR-V shows.
///
/// # Errors
/// If the code cannot be read.
pub fn explained(file: &Path, image: &Image, kernel: &Kernel) -> Result<Kernel, Failure> {
    let failed = |why: String| Failure::Input(format!("'{}': image '{}': {why}", file.display(), image.name));
    let code = image.code.as_ref().map(|code| code.bytes(LARGEST)).transpose().map_err(|error| failed(error.to_string()))?;
    let sources = sources_of(code.as_deref(), &kernel.symbol, &kernel.name, &kernel.requirements).map_err(failed)?;
    Ok(Kernel {
        symbol: kernel.symbol.clone(),
        name: kernel.name.clone(),
        requirements: kernel.requirements.clone(),
        sources,
        work_items: None,
        unresolved: kernel.unresolved.clone(),
    })
}

/// What a thread needs of an image: its index, its code, and of each kernel its index, symbol, name and needs.
type Task<'i> = (usize, Option<Part<'i>>, Vec<(usize, &'i str, &'i str, &'i Requirements)>);

/// Nothing if there is nothing to ask the code for.
fn task(index: usize, image: &Image) -> Option<Task<'_>> {
    let kernels = image.kernels.iter().enumerate().filter(|(_, kernel)| !kernel.requirements.is_empty());
    let wanted: Vec<_> =
        kernels.map(|(number, kernel)| (number, kernel.symbol.as_str(), kernel.name.as_str(), &kernel.requirements)).collect();
    let code = image.code.as_ref().map(Code::part);
    (is_told_by_code(image) && !wanted.is_empty()).then_some((index, code, wanted))
}

/// The reasons of all kernels whose code alone tells them.
///
/// # Errors
/// If the code of one cannot be read.
pub fn explain_all(file: &Path, images: &mut [Image]) -> Result<(), Failure> {
    let tasks: Vec<Task<'_>> = images.iter().enumerate().filter_map(|(index, image)| task(index, image)).collect();
    let explain = |(index, code, wanted): &Task<'_>| {
        let code = code.map(|code| code.bytes(LARGEST)).transpose().map_err(|error| (*index, error.to_string()))?;
        let sources = wanted.iter().map(|(number, symbol, name, requirements)| {
            let sources = sources_of(code.as_deref(), symbol, name, requirements).map_err(|why| (*index, why))?;
            Ok((*index, *number, sources))
        });
        sources.collect::<Result<Vec<_>, (usize, String)>>()
    };
    let workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = tasks.len().div_ceil(workers).max(1);
    let explained: Vec<Result<Vec<_>, _>> = std::thread::scope(|scope| {
        let threads: Vec<_> = tasks.chunks(share).map(|tasks| scope.spawn(|| tasks.iter().map(explain).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    for explained in explained {
        let failed = |(index, why): (usize, String)| {
            let image: &Image = &images[index];
            Failure::Input(format!("'{}': image '{}': {why}", file.display(), image.name))
        };
        for (index, number, sources) in explained.map_err(failed)? {
            images[index].kernels[number].sources = sources;
        }
    }
    Ok(())
}

/// The reasons that code shows for what a kernel needs.
fn sources_of(code: Option<&[u8]>, symbol: &str, name: &str, requirements: &Requirements) -> Result<Vec<Source>, String> {
    let failed = |error: aspen_spirv::Error| error.to_string();
    let mut sources = Vec::new();
    for (aspect, what) in uses() {
        let Some(code) = code.filter(|_| requirements.aspects.contains(&aspect)) else { continue };
        let chain = aspen_spirv::chain_to(code, symbol, what).map_err(failed)?;
        if let Some(chain) = chain {
            let step = |step: aspen_spirv::ChainStep| Step {
                function: readable_name(&step.function),
                place: step.place.map(|(file, line, column)| Place { file, line, column }),
                remark: None,
            };
            sources.push(Source { need: Need::Aspect(aspect), declared: false, chain: chain.into_iter().map(step).collect() });
        }
    }
    let sizes: Vec<Need> = requirements.needs().filter(|need| !matches!(need, Need::Aspect(_))).collect();
    if sizes.is_empty() {
        return Ok(sources);
    }
    // Sizes are an attribute of the kernel: its own place is the nearest that anybody has kept.
    let place = code.map(|code| aspen_spirv::place_of(code, symbol)).transpose().map_err(failed)?;
    let place = place.flatten().map(|(file, line, column)| Place { file, line, column });
    let step = || Step { function: name.to_owned(), place: place.clone(), remark: None };
    sources.extend(sizes.into_iter().map(|need| Source { need, declared: true, chain: vec![step()] }));
    Ok(sources)
}
