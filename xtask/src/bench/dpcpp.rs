//! `aspen check` over libraries that DPC++ built, from the Python package index: how many images are found, what they need, and how long
//! and how much memory it takes. A library that says something else than is known of it is an error: this is a test of reality as well.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::propagate::peak;
use super::{Bench, best, timed};
use crate::devices;
use crate::setup::setup_pip;
use crate::shell::{output, run};

/// A library and what is known of it.
struct Library {
    label: &'static str,
    package: &'static str,
    version: &'static str,
    /// What its file name begins with.
    file: &'static str,
    images: usize,
    /// Images that need fp64 and fp16, where that has been counted by other means.
    needs: Option<[usize; 2]>,
}

/// The counts of images are those of the files' descriptors, the needs those that issue 16 gives.
const LIBRARIES: [Library; 3] = [
    Library { label: "check-rng", package: "onemkl-sycl-rng", version: "2026.2.0", file: "libmkl_sycl_rng.so", images: 5204, needs: None },
    Library {
        label: "check-stats",
        package: "onemkl-sycl-stats",
        version: "2026.2.0",
        file: "libmkl_sycl_stats.so",
        images: 960,
        needs: None,
    },
    Library { label: "check-dpnp", package: "dpnp", version: "0.20.0", file: "_tensor_impl.", images: 4642, needs: Some([1012, 508]) },
];

impl Bench<'_> {
    pub(super) fn dpcpp(&self) -> Result<()> {
        let cache = devices::cache()?.with_file_name("dpcpp");
        for library in &LIBRARIES {
            let file = fetched(&cache, library)?;
            let inspected = output(Command::new(self.bin.join("aspen")).args(["inspect", "--format", "json"]).arg(&file))?;
            let document: serde_json::Value = serde_json::from_slice(&inspected.stdout)?;
            let images = document["images"].as_array().context("no list of images")?;
            ensure!(images.len() == library.images, "{}: {} images, not {}", file.display(), images.len(), library.images);
            if let Some(needs) = library.needs {
                let count = |aspect: &str| {
                    let has = |image: &&serde_json::Value| {
                        image["requirements"]["aspects"].as_array().is_some_and(|all| all.iter().any(|one| one == aspect))
                    };
                    images.iter().filter(has).count()
                };
                let counted = [count("fp64"), count("fp16")];
                ensure!(counted == needs, "{}: {counted:?} images need fp64 and fp16, not {needs:?}", file.display());
            }
            // A generic target: whatever a kernel needs, the answer is no refusal.
            let check = || {
                let mut command = Command::new(self.bin.join("aspen"));
                command.args(["check", "--device", "spir64"]).arg(&file);
                command
            };
            let [time] = best([&mut || timed(&mut check())])?;
            println!("{} ns={}", library.label, time.as_nanos());
            let (memory, size) = (peak(&mut check())?, std::fs::metadata(&file)?.len() / 1024);
            #[allow(clippy::cast_precision_loss, reason = "kilobytes")]
            let share = memory as f64 / size as f64;
            println!("{}-memory ratio={share:.3} ours={memory} peer={size}", library.label);
        }
        Ok(())
    }
}

/// The library, downloaded if it is not there.
fn fetched(cache: &Path, library: &Library) -> Result<PathBuf> {
    let folder = cache.join(format!("{}-{}", library.package, library.version));
    if let Some(file) = found(&folder, library.file)? {
        return Ok(file);
    }
    let python = setup_pip()?;
    let wheels = folder.join("wheels");
    std::fs::create_dir_all(&wheels).with_context(|| format!("cannot make {}", wheels.display()))?;
    let wanted = format!("{}=={}", library.package, library.version);
    // Its own Python may have no wheel of the library; what is inside does not depend on it.
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version", "3.11", "--dest"];
    run(Command::new(&python).args(download).arg(&wheels).arg(wanted))?;
    for wheel in std::fs::read_dir(&wheels)? {
        output(Command::new(&python).args(["-m", "zipfile", "-e"]).arg(wheel?.path()).arg(&folder))?;
    }
    std::fs::remove_dir_all(&wheels)?;
    found(&folder, library.file)?.with_context(|| format!("{} {} holds no {}", library.package, library.version, library.file))
}

fn found(folder: &Path, name: &str) -> Result<Option<PathBuf>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_it = path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name));
        if path.is_dir() {
            if let Some(file) = found(&path, name)? {
                return Ok(Some(file));
            }
        } else if is_it {
            return Ok(Some(path));
        }
    }
    Ok(None)
}
