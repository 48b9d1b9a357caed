//! What a graph was made of, and where which result belongs: `graph.json`.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The file, in the graph's folder.
pub const MANIFEST: &str = "graph.json";

/// The file with the program's images, empty where a job's machine code belongs.
pub const PARTS: &str = "images.parts";

const FORMAT: u32 = 2;
/// Who writes it.
pub const PRODUCER: &str = concat!("aspen++ ", env!("CARGO_PKG_VERSION"));

/// What a graph is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    producer: String,
    /// The program that comes out, relative to the folder.
    pub program: String,
    /// What the graph was made of.
    pub inputs: Vec<Named>,
    parts: String,
    /// Where results belong.
    pub holes: Vec<Place>,
}

/// A file that must not change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Named {
    /// Its path from the folder.
    pub path: String,
    /// Of its content, in hexadecimal.
    pub digest: String,
}

/// Where a result belongs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The blob in the parts.
    pub start: usize,
    /// Its end.
    pub end: usize,
    /// The result's file.
    pub result: String,
    /// The job's, in hexadecimal.
    pub job: String,
    /// Image and target, for messages.
    pub of: String,
}

impl Place {
    /// The job's identity.
    ///
    /// # Errors
    /// If it is no hash.
    pub fn identity(&self) -> Result<blake3::Hash, Error> {
        blake3::Hash::from_hex(&self.job).map_err(|error| Error::Device(format!("'{MANIFEST}' is damaged: {error}")))
    }
}

impl Manifest {
    /// What this version writes.
    pub fn new(program: String, inputs: Vec<Named>, parts: &[u8], holes: Vec<Place>) -> Manifest {
        let parts = blake3::hash(parts).to_hex().to_string();
        Manifest { format: FORMAT, producer: PRODUCER.into(), program, inputs, parts, holes }
    }

    /// Reads and checks it.
    ///
    /// # Errors
    /// If it is not there, damaged, or another version's.
    pub fn read(path: &Path) -> Result<Manifest, Error> {
        let text = fs::read(path).map_err(|error| Error::file("read", path, error))?;
        #[derive(Deserialize)]
        struct Version {
            format: u32,
            producer: String,
        }
        let damaged =
            |error: serde_json::Error| Error::input(path, format!("the graph is damaged ({error}); run aspen++ again to write it"));
        let version: Version = serde_json::from_slice(&text).map_err(damaged)?;
        if (version.format, version.producer.as_str()) != (FORMAT, PRODUCER) {
            return Err(Error::input(
                path,
                format!(
                    "{} (format {}) wrote this graph, and this is {PRODUCER} (format {FORMAT}): run aspen++ again to write it, or use the \
                     'aspen' of that version",
                    version.producer, version.format
                ),
            ));
        }
        serde_json::from_slice(&text).map_err(damaged)
    }

    /// What the graph was made of must be as it was: images of other objects would not go with them.
    ///
    /// # Errors
    /// With the first file that is not.
    pub fn check_inputs(&self, folder: &Path) -> Result<(), Error> {
        for Named { path, digest } in &self.inputs {
            let file = folder.join(path);
            let now = fs::read(&file).map_err(|error| Error::file("read", &file, error))?;
            if blake3::hash(&now).to_hex().as_str() != digest {
                return Err(Error::input(path.as_ref(), "it has changed since the graph was written; run aspen++ again to write it"));
            }
        }
        Ok(())
    }

    /// The images.
    ///
    /// # Errors
    /// If they are not those of the graph.
    pub fn parts(&self, folder: &Path) -> Result<Vec<u8>, Error> {
        let file = folder.join(PARTS);
        let parts = fs::read(&file).map_err(|error| Error::file("read", &file, error))?;
        if blake3::hash(&parts).to_hex().as_str() == self.parts {
            return Ok(parts);
        }
        Err(Error::input(&file, "it does not go with 'graph.json'; run aspen++ again to write the graph"))
    }
}
