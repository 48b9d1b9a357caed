//! What jobs and their files are called.

use std::path::{Path, PathBuf};

use super::Job;

/// The edge that stands for all results, and their folder.
pub const RESULTS: &str = "results";

/// The object that carries the images.
pub const REGISTRATION: &str = "registration.o";

/// The words of the host link.
pub const WORDS: &str = "link.rsp";

/// A job's input, from the folder.
pub fn input_file(job: &Job) -> PathBuf {
    let name = blake3::hash(&job.input).to_hex();
    Path::new("inputs").join(format!("{name}.{}", job.aot.form.endings().0))
}

/// A job's result, from the folder.
pub fn result_file(job: &Job) -> PathBuf {
    Path::new(RESULTS).join(&job.target).join(format!("{}.result", job.identity.to_hex()))
}

/// A job, for messages.
pub fn of(job: &Job) -> String {
    let images = job.images.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    format!("image {images} for target '{}'", job.target)
}
