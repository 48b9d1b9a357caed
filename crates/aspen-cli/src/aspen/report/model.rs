//! What a report holds, whatever form it is shown in.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use aspen_contract::{Need, Place, Requirements, Source};

use super::causes::{Cause, Causes};
use super::changes::Changes;
use super::excerpts::Excerpts;
use super::images::{self, ImageRow};
use super::origins::{Origin, Origins};
use crate::check::show::{Only, Totals};
use crate::check::{Machine, Says};
use crate::program::{self, Image, Kernel};

/// A file that was read.
pub struct Loaded {
    pub path: PathBuf,
    pub images: Vec<Image>,
    /// Where its property sets and its code disagree.
    pub disagreements: String,
}

/// All of it. Kernels, images and devices are named by their index.
pub struct Report {
    pub options: Vec<String>,
    pub files: Vec<File>,
    pub devices: Vec<Device>,
    pub kernels: Vec<Entry>,
    pub images: Vec<ImageRow>,
    /// The one that keeps most kernels from running first.
    pub causes: Vec<Cause>,
    pub changes: Option<Changes>,
    pub excerpts: Excerpts,
}

/// A file in short.
pub struct File {
    pub name: String,
    pub images: usize,
    pub kernels: usize,
    pub bytes: usize,
    /// Whether another compiler than Aspen made it.
    pub is_wrapped: bool,
    pub disagreements: String,
    /// When it was written last; sources that are younger may be others by now.
    pub written: Option<std::time::SystemTime>,
}

/// A device in short.
pub struct Device {
    pub name: String,
    /// The device's own name, for devices of this machine.
    pub local: Option<String>,
    pub totals: Totals,
}

/// A kernel of one file.
pub struct Entry {
    pub file: usize,
    pub symbol: String,
    pub name: String,
    /// The source file it is from, or else the name of its image.
    pub unit: String,
    /// Its last place in a chain, or that in its name.
    pub place: Option<Place>,
    /// What any of its images needs.
    pub requirements: Requirements,
    /// Why; at most one for each need.
    pub sources: Vec<Source>,
    pub images: Vec<usize>,
    /// Of all images that hold it.
    pub bytes: usize,
    /// What each device says.
    pub cells: Vec<Cell>,
    /// Device functions that it calls and nobody has.
    pub unresolved: Vec<String>,
    /// Whether all uses are known, and not only the nearest one of each need.
    pub is_exact: bool,
    /// What it needs and where that is used.
    pub origins: Vec<Origin>,
}

/// What a device says to a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    pub answer: Only,
    /// What is lacking, or not known.
    pub needs: Vec<Need>,
    pub has_code: bool,
}

impl Report {
    /// Of these files for these devices; without devices, what is needed and why.
    pub fn of(loaded: &[Loaded], machines: &[Machine]) -> Report {
        let mut devices: Vec<Device> = machines
            .iter()
            .map(|machine| Device {
                name: machine.name.clone(),
                local: machine.local.as_ref().map(|local| local.name.clone()),
                totals: Totals::default(),
            })
            .collect();
        let (mut files, mut kernels, mut image_rows) = (Vec::new(), Vec::new(), Vec::new());
        let mut causes = Causes::new(machines.len());
        for (index, file) in loaded.iter().enumerate() {
            let (first_kernel, first_image) = (kernels.len(), image_rows.len());
            kernels.extend(entries(index, first_image, file));
            let own: &mut [Entry] = &mut kernels[first_kernel..];
            for (device, machine) in machines.iter().enumerate() {
                let verdicts = machine.verdicts(&file.images);
                for (entry, (number, (kernel, says))) in own.iter_mut().zip((first_kernel..).zip(&verdicts.kernels)) {
                    devices[device].totals.add(says.answer());
                    entry.cells.push(cell(says));
                    causes.ask(device, number, entry, &kernel.requirements, says, &verdicts.judge);
                }
            }
            if machines.is_empty() {
                (first_kernel..).zip(own.iter()).for_each(|(number, entry)| causes.count(number, entry));
            }
            image_rows.extend(images::rows(index, first_kernel, &file.images, own));
            files.push(File {
                name: file.path.display().to_string(),
                images: file.images.len(),
                kernels: own.len(),
                bytes: file.images.iter().map(|image| image.size).sum(),
                is_wrapped: file.images.iter().any(|image| image.wrapped.is_some()),
                disagreements: file.disagreements.clone(),
                written: file.path.metadata().and_then(|about| about.modified()).ok(),
            });
        }
        let causes = causes.sorted();
        Report { options: Vec::new(), files, devices, kernels, images: image_rows, causes, changes: None, excerpts: Excerpts::default() }
    }

    /// Kernels by their unit, units in the order of the first kernel.
    pub fn units(&self) -> Vec<(&str, Vec<&Entry>)> {
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut out: Vec<(&str, Vec<&Entry>)> = Vec::new();
        for entry in &self.kernels {
            let index = *known.entry(&entry.unit).or_insert_with(|| {
                out.push((&entry.unit, Vec::new()));
                out.len() - 1
            });
            out[index].1.push(entry);
        }
        out
    }
}

fn cell(says: &Says) -> Cell {
    Cell { answer: says.answer(), needs: says.needs().to_vec(), has_code: says.has_code() }
}

/// The kernels of a file, in the order of [`program::kernels`].
fn entries(file: usize, first_image: usize, loaded: &Loaded) -> Vec<Entry> {
    let images = &loaded.images;
    let mut holders: BTreeMap<&str, Vec<(usize, &Kernel)>> = BTreeMap::new();
    for (index, image) in images.iter().enumerate() {
        for kernel in &image.kernels {
            let all = holders.entry(&kernel.symbol).or_default();
            // Bare modules may hold a symbol twice; an image is one holder.
            if all.last().is_none_or(|(last, _)| *last != index) {
                all.push((index, kernel));
            }
        }
    }
    let origins = Origins::of(images);
    let mut out = Vec::new();
    for kernel in program::kernels(images) {
        let holders = &holders[kernel.symbol.as_str()];
        let mut sources: Vec<Source> = Vec::new();
        for (_, holder) in holders {
            for source in holder.needed_sources() {
                if sources.iter().all(|known| known.need != source.need) {
                    sources.push(source.clone());
                }
            }
        }
        let requirements = program::all_of(holders.iter().map(|(_, kernel)| *kernel));
        let place = place_of(kernel, &sources);
        let unit = place.as_ref().map(|place| place.file.clone()).or_else(|| origins.unit_of(kernel, holders[0].0));
        let unit = unit.unwrap_or_else(|| part_of(loaded, &images[holders[0].0]));
        let (is_exact, own_origins) = origins.of_kernel(kernel, holders, &requirements, &sources);
        out.push(Entry {
            file,
            symbol: kernel.symbol.clone(),
            name: kernel.name.clone(),
            unit,
            place,
            requirements,
            sources,
            images: holders.iter().map(|(image, _)| first_image + image).collect(),
            bytes: holders.iter().map(|(image, _)| images[*image].size).sum(),
            cells: Vec::new(),
            unresolved: kernel.unresolved.clone(),
            is_exact,
            origins: own_origins,
        });
    }
    out
}

/// The place of the kernel itself: the last step of a chain, or that in the name of an unnamed one.
fn place_of(kernel: &Kernel, sources: &[Source]) -> Option<Place> {
    let in_name = || {
        let (_, place) = kernel.name.split_once("lambda at ")?;
        let mut parts = place.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        Some(Place { file: parts.next()?.to_owned(), line, column })
    };
    in_name().or_else(|| sources.iter().find_map(|source| source.chain.last()?.place.clone()))
}

/// What stands for the unit where nothing tells it: `solver` of the image `solver_12`; the file, where images have numbers only.
fn part_of(loaded: &Loaded, image: &Image) -> String {
    if image.wrapped.is_some() {
        return loaded.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    }
    match image.name.rsplit_once('_') {
        Some((stem, number)) if !stem.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => stem.to_owned(),
        _ => image.name.clone(),
    }
}
