//! The ahead-of-time part of a link as jobs that other processes, or other machines, run: a folder with a graph for ninja.
//!
//! There is no scheduler here: ninja runs the jobs, behind a launcher if the user names one (`srun -n1 --`). A job is one run of one
//! compiler on one input, named by what it is of, so that equal ones are one job and unchanged ones keep their results.
//! Source: docs/decisions/0038.

mod batch;
mod build_file;
mod folder;
mod job;
mod launch;
mod manifest;
mod names;
mod ninja;

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use aspen_codegen::{Aot, Cache, Image, Made};
use aspen_image::Entry;

use crate::args::{LAUNCHER_VARIABLE, Options, response};
use crate::error::Error;

pub use batch::run as run_batch;
pub use folder::{Folder, Rest};
pub use job::{Job as AotJob, MACHINE_AT_FAULT, Stopped, compile, pack};
pub use launch::launch;
pub use ninja::{FAILED, run as run_jobs};

/// How the user wants ahead-of-time compilers to be run, if not by this process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// `-fsycl-aot-graph=`: where the graph stays.
    pub folder: Option<PathBuf>,
    /// `-fsycl-aot-launcher=` or [`LAUNCHER_VARIABLE`]: the words before every job; jobs run at once then.
    pub launcher: Option<Vec<String>>,
    /// `-fsycl-aot-batch=`: jobs shorter than this go to a worker together.
    pub batch: Option<Duration>,
}

impl Wanted {
    /// `None` if this process is to run them.
    ///
    /// # Errors
    /// If the launcher that an option names is not there. What the environment names is for whatever links; it is missed by jobs only.
    pub fn of(options: &Options) -> Result<Option<Wanted>, Error> {
        let launcher = options.launcher().map(|text| response::split(&text));
        let mut launcher = launcher.filter(|words| !words.is_empty());
        if let Some(program) = launcher.as_mut().and_then(|words| words.first_mut()) {
            match launch::find(program) {
                // Jobs run in the graph's folder.
                Ok(found) if program.contains('/') => {
                    if let Some(found) = found.to_str() {
                        *program = found.to_owned();
                    }
                }
                Err(error) if options.aot_launcher.is_some() => return Err(error),
                _ => {}
            }
        }
        let wanted = Wanted { folder: options.aot_graph.clone(), launcher, batch: options.aot_batch };
        if wanted.folder.is_none() && wanted.launcher.is_none() {
            return Ok(None);
        }
        if options.image_folder.is_some() {
            return Err(Error::Usage(format!(
                "'-fsycl-dump-device-code' cannot be used with '-fsycl-aot-graph' or a launcher ('-fsycl-aot-launcher', {LAUNCHER_VARIABLE}): \
                 images are finished elsewhere"
            )));
        }
        Ok(Some(wanted))
    }
}

/// One run of a compiler.
#[derive(Clone, Debug)]
pub struct Job {
    /// The target, for messages.
    pub target: String,
    /// The images that it is for, for messages.
    pub images: Vec<String>,
    /// Their kernels, for messages.
    pub kernels: Vec<String>,
    /// The compiler, as it is called in the graph's folder.
    pub aot: Aot,
    /// What it gets.
    pub input: Vec<u8>,
    /// [`Aot::identity`].
    pub identity: blake3::Hash,
}

/// A blob that waits for a job's machine code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hole {
    /// The blob, in [`Content::bytes`].
    pub blob: Range<usize>,
    /// The job, in [`Content::jobs`].
    pub job: usize,
}

/// Images of a program, some of which may lack their machine code.
#[derive(Debug, Default)]
pub struct Content {
    /// OffloadBinary blobs back to back.
    pub bytes: Vec<u8>,
    /// The blobs whose images are still empty, in order.
    pub holes: Vec<Hole>,
    /// What has to be run.
    pub jobs: Vec<Job>,
    known: HashMap<blake3::Hash, usize>,
    /// Where the graph goes, if others run the compilers.
    pub folder: Option<Folder>,
    /// Results of earlier runs on this machine, if they count.
    pub cache: Option<Cache>,
}

impl Content {
    /// Images whose compilers run elsewhere. Results of this machine count if there is a `cache`.
    pub fn elsewhere(folder: Folder, cache: Option<Cache>) -> Content {
        Content { folder: Some(folder), cache, ..Content::default() }
    }

    /// Whether others run the compilers.
    pub fn is_elsewhere(&self) -> bool {
        self.folder.is_some()
    }

    /// Brings here what other machines have made of these images.
    pub fn fetch<'i>(&self, images: impl Iterator<Item = &'i Image>) {
        if let Some(cache) = &self.cache {
            cache.fetch(images.filter_map(|image| Some((image.rest.as_ref()?, image.bytes.as_slice()))));
        }
    }

    /// The machine code of an image that was made before.
    pub fn finished(&self, image: Image) -> Image {
        let found = image.rest.as_ref().zip(self.cache.as_ref()).and_then(|(aot, cache)| Some((aot.form, aot.kept(cache, &image.bytes)?)));
        match found {
            Some((form, made)) => image.with_machine_code(form, made),
            None => image,
        }
    }

    /// Leaves a run of a compiler to others, once for all that are equal. Returns its number.
    ///
    /// # Errors
    /// If the compiler's path cannot be part of a graph.
    pub fn add_job(&mut self, target: &str, image: &str, kernels: Vec<String>, here: Aot, input: &[u8]) -> Result<usize, Error> {
        let compiler = self.folder.as_ref().map(|folder| folder.compiler(&here.compiler)).transpose()?;
        let aot = match compiler {
            Some(compiler) => Aot { compiler, ..here },
            None => here,
        };
        let identity = aot.identity(input);
        let number = *self.known.entry(identity).or_insert(self.jobs.len());
        if number == self.jobs.len() {
            let (target, input) = (target.to_owned(), input.to_vec());
            self.jobs.push(Job { target, images: Vec::new(), kernels: Vec::new(), aot, input, identity });
        }
        self.jobs[number].images.push(image.to_owned());
        self.jobs[number].kernels.extend(kernels);
        Ok(number)
    }

    /// Adds a blob whose image is empty until the job is done.
    pub fn add_hole(&mut self, blob: &[u8], job: usize) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(blob);
        self.holes.push(Hole { blob: start..self.bytes.len(), job });
    }

    /// All blobs, with the machine code of the jobs in their places.
    ///
    /// # Errors
    /// If a blob is none.
    pub fn filled(&self, made: &[Made]) -> Result<Vec<u8>, Error> {
        fill(&self.bytes, self.holes.iter().map(|hole| (hole.blob.clone(), made[hole.job].bytes.as_slice())))
    }
}

/// Puts machine code into the blobs at these places, which are in order.
fn fill<'m>(bytes: &[u8], holes: impl Iterator<Item = (Range<usize>, &'m [u8])>) -> Result<Vec<u8>, Error> {
    let damaged = |reason: String| Error::Device(format!("the description of an image is damaged: {reason}"));
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    for (blob, code) in holes {
        let before = bytes.get(at..blob.start).ok_or_else(|| damaged("its place is wrong".into()))?;
        let content = bytes.get(blob.clone()).ok_or_else(|| damaged("its place is wrong".into()))?;
        let mut entries = aspen_image::offload::parse_all(content).map_err(|error| damaged(error.to_string()))?;
        let entry = entries.pop().filter(|_| entries.is_empty()).ok_or_else(|| damaged("there is not one image in it".into()))?;
        let entry: Entry<'_> = aspen_image::with_bytes(entry, code);
        out.extend_from_slice(before);
        out.extend(entry.to_bytes().map_err(|error| damaged(error.to_string()))?);
        at = blob.end;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    Ok(out)
}
