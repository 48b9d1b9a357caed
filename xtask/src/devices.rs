//! `cargo xtask devices [--install]`: OpenCL drivers for tests, in a folder of their own, side by side.
//!
//! The drivers are CPU drivers that come as Python wheels or Debian packages, which are only unpacked: they are had without a GPU and without
//! root, and a system's own drivers stay as they are. The ICD loader itself is Debian's `ocl-icd-libopencl1`, which `--install` installs. Source: DESIGN §10.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::setup::setup_icd_loader;
use crate::shell::output;
use crate::validator;

/// A driver.
pub struct Driver {
    pub name: &'static str,
    source: Source,
    /// What the ICD loader opens.
    library: &'static str,
    /// Further variables that the driver needs to be right.
    env: &'static [(&'static str, &'static str)],
    /// Tests of `tests/opencl` that say nothing of it, and why.
    pub not_for: &'static [(&'static str, &'static str)],
    /// Whether it is near enough to another one that only deep runs try all programs on it.
    pub is_deep: bool,
}

/// Where a driver comes from.
enum Source {
    /// Wheels and their versions; the driver's own first.
    Wheels(&'static [(&'static str, &'static str)]),
    /// Packages of Debian 12, and the version of the driver in them.
    Packages(&'static [&'static str], &'static str),
}

/// The older drivers take processors that they do not know for others than they are, and convert 64-bit integers to `float` wrongly then.
const KNOWN_PROCESSOR: &[(&str, &str)] = &[("CL_CONFIG_CPU_TARGET_ARCH", "core-avx2")];

const WHEELS_2023: Source = Source::Wheels(&[("intel-opencl-rt", "2023.2.0"), ("tbb", "2021.13.1"), ("intel-cmplr-lib-rt", "2023.2.0")]);

/// Debian's PoCL, with the libraries that the packages of LLVM 22 do not bring. It looks for its own files below `../../share` of its library.
const POCL: Source =
    Source::Packages(&["pocl-opencl-icd", "libpocl2", "libpocl2-common", "libhwloc15", "libclang-cpp15", "libllvm15"], "3.1");

const DEBIAN_LIBRARIES: &str = "lib/x86_64-linux-gnu";

pub const DRIVERS: [Driver; 5] = [
    Driver {
        name: "intel-2026",
        source: Source::Wheels(&[
            ("intel-opencl-rt", "2026.2.0"),
            ("tbb", "2023.2.0"),
            ("tcmlib", "1.6.0"),
            ("intel-cmplr-lib-rt", "2026.2.0"),
        ]),
        library: "libintelocl.so",
        env: &[],
        not_for: &[],
        is_deep: false,
    },
    Driver { name: "intel-2023", source: WHEELS_2023, library: "libintelocl.so", env: KNOWN_PROCESSOR, not_for: &[], is_deep: true },
    Driver {
        name: "intel-2022",
        source: Source::Wheels(&[("intel-opencl-rt", "2022.2.1"), ("tbb", "2021.13.1"), ("intel-cmplr-lib-rt", "2022.2.1")]),
        library: "libintelocl.so",
        env: KNOWN_PROCESSOR,
        not_for: &[
            ("extensions-groups", "it has no shuffles of sub-groups"),
            ("group-values", "it has no shuffles of sub-groups"),
            ("matrices", "it has no shuffles of sub-groups"),
        ],
        is_deep: true,
    },
    Driver {
        name: "intel-fpga-emulator",
        source: WHEELS_2023,
        library: "libintelocl_emu.so",
        env: KNOWN_PROCESSOR,
        not_for: &[
            ("extensions-groups", "its sub-groups have no sizes that a kernel could require"),
            ("matrices", "its sub-groups have no sizes that a kernel could require"),
            ("virtual-functions", "it takes function pointers and crashes"),
        ],
        is_deep: false,
    },
    Driver {
        name: "pocl",
        source: POCL,
        library: "libpocl.so.2",
        env: &[],
        not_for: &[
            ("assertions", "its programs keep no variables, so nobody learns that one failed"),
            ("commands", "it compiles a kernel anew for each size of a launch, which takes two minutes"),
            ("device-globals", "its programs keep no variables"),
            ("extensions-groups", "it has no sub-groups"),
            ("full-disk", "it compiles into files of its own, which do not fit either"),
            ("group-values", "it has no sub-groups"),
            ("matrices", "it has no sub-groups"),
            ("virtual-functions", "it links no functions that are known by address alone"),
        ],
        is_deep: false,
    },
];

/// Where drivers are kept: `ASPEN_DRIVERS`, else beside other caches of the user.
pub fn cache() -> Result<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = variable("ASPEN_DRIVERS") {
        return Ok(folder);
    }
    let caches = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    Ok(caches.context("there is no HOME; set ASPEN_DRIVERS to a folder for the drivers")?.join("aspen/drivers"))
}

impl Driver {
    /// Where its libraries lie in its folder.
    fn libraries(&self) -> &'static str {
        match self.source {
            Source::Wheels(_) => "lib",
            Source::Packages(..) => DEBIAN_LIBRARIES,
        }
    }

    fn folder(&self, cache: &Path) -> PathBuf {
        let version = match self.source {
            Source::Wheels(wheels) => wheels[0].1,
            Source::Packages(_, version) => version,
        };
        cache.join(format!("{}-{version}", self.name))
    }

    pub fn is_installed(&self, cache: &Path) -> bool {
        let folder = self.folder(cache);
        folder.join("vendors/driver.icd").is_file() && folder.join(self.libraries()).join(self.library).exists()
    }

    /// The variables with which a program sees this driver and no other, on Aspen's side too.
    pub fn environment(&self, cache: &Path) -> Vec<(&'static str, String)> {
        let folder = self.folder(cache);
        let mut variables = vec![
            ("OCL_ICD_VENDORS", folder.join("vendors").display().to_string()),
            ("LD_LIBRARY_PATH", folder.join(self.libraries()).display().to_string()),
            ("ASPEN_DEVICE_SELECTOR", "opencl:*".to_owned()),
        ];
        variables.extend(self.env.iter().map(|(name, value)| (*name, (*value).to_owned())));
        variables
    }

    /// Downloads and unpacks; the folder appears when it is complete.
    fn install(&self, cache: &Path) -> Result<()> {
        let (folder, new) = (self.folder(cache), cache.join(format!(".{}.{}", self.name, std::process::id())));
        let outcome = self.lay_out(&new, &folder);
        if outcome.is_err() {
            // What is left of it is of no use; the error that counts is the first one.
            let _ = std::fs::remove_dir_all(&new);
        }
        outcome.with_context(|| format!("driver {}", self.name))
    }

    fn lay_out(&self, new: &Path, folder: &Path) -> Result<()> {
        let (archives, unpacked) = (new.join("archives"), new.join("unpacked"));
        std::fs::create_dir_all(&archives).with_context(|| format!("cannot make {}", archives.display()))?;
        std::fs::create_dir_all(&unpacked).with_context(|| format!("cannot make {}", unpacked.display()))?;
        let libraries = match self.source {
            Source::Wheels(wheels) => unpack_wheels(wheels, &archives, &unpacked)?,
            Source::Packages(packages, _) => unpack_packages(packages, &archives, &unpacked)?,
        };
        let lib = new.join(self.libraries());
        std::fs::create_dir_all(&lib)?;
        for from in libraries {
            for file in entries(&from)? {
                let name = file.file_name().context("a file has a name")?;
                // Some wheels bring an ICD loader; the system's is the one that is tested. A link into another folder names what that brings.
                let elsewhere = std::fs::read_link(&file).is_ok_and(|target| target.components().count() > 1);
                if !elsewhere && !name.to_string_lossy().starts_with("libOpenCL.") {
                    std::fs::rename(&file, lib.join(name)).with_context(|| format!("cannot move {}", file.display()))?;
                }
            }
        }
        let shared = unpacked.join("usr/share/pocl");
        if shared.is_dir() {
            std::fs::create_dir_all(new.join("share"))?;
            std::fs::rename(&shared, new.join("share/pocl")).with_context(|| format!("cannot move {}", shared.display()))?;
        }
        ensure!(lib.join(self.library).exists(), "what was unpacked holds no {}", self.library);
        std::fs::remove_dir_all(&archives)?;
        std::fs::remove_dir_all(&unpacked)?;
        std::fs::create_dir_all(new.join("vendors"))?;
        let library = folder.join(self.libraries()).join(self.library);
        std::fs::write(new.join("vendors/driver.icd"), format!("{}\n", library.display()))?;
        if folder.exists() {
            std::fs::remove_dir_all(folder).with_context(|| format!("cannot replace {}", folder.display()))?;
        }
        std::fs::rename(new, folder).with_context(|| format!("cannot make {}", folder.display()))
    }
}

/// Downloads wheels and unpacks them; the folders of their libraries.
fn unpack_wheels(wheels: &[(&str, &str)], archives: &Path, unpacked: &Path) -> Result<Vec<PathBuf>> {
    let wanted: Vec<String> = wheels.iter().map(|(name, version)| format!("{name}=={version}")).collect();
    crate::wheels::unpack(&wanted, archives, unpacked)?;
    Ok(entries(unpacked)?.into_iter().map(|part| part.join("data/lib")).filter(|folder| folder.is_dir()).collect())
}

/// Downloads Debian packages and unpacks them; the folders of their libraries.
fn unpack_packages(packages: &[&str], archives: &Path, unpacked: &Path) -> Result<Vec<PathBuf>> {
    // apt's own sandbox could not write there; what is downloaded is only unpacked, never installed.
    output(Command::new("apt-get").args(["-o", "APT::Sandbox::User=root", "-q", "download"]).args(packages).current_dir(archives))?;
    for package in entries(archives)? {
        output(Command::new("dpkg-deb").arg("-x").arg(&package).arg(unpacked))?;
    }
    let libraries = [DEBIAN_LIBRARIES, "lib/llvm-15/lib"].map(|folder| unpacked.join("usr").join(folder));
    Ok(libraries.into_iter().filter(|folder| folder.is_dir()).collect())
}

/// What lies in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Lists the drivers and how to use them; with `install`, brings the missing ones first.
pub fn devices(install: bool, only: &[String]) -> Result<()> {
    let cache = cache()?;
    if let Some(unknown) = only.iter().find(|name| DRIVERS.iter().all(|driver| driver.name != name.as_str())) {
        let names: Vec<&str> = DRIVERS.iter().map(|driver| driver.name).collect();
        bail!("no driver is called '{unknown}'; there are {}", names.join(", "));
    }
    if install {
        setup_icd_loader()?;
    }
    for driver in DRIVERS.iter().filter(|driver| only.is_empty() || only.iter().any(|name| name == driver.name)) {
        if install && !driver.is_installed(&cache) {
            println!("{}: installing", driver.name);
            driver.install(&cache)?;
        }
        if driver.is_installed(&cache) {
            let words: Vec<String> = driver.environment(&cache).iter().map(|(name, value)| format!("{name}='{value}'")).collect();
            println!("{}: export {}", driver.name, words.join(" "));
        } else {
            println!("{}: not installed (cargo xtask devices --install)", driver.name);
        }
    }
    if only.is_empty() {
        let tool = if install { validator::install(&cache).map(Some) } else { Ok(validator::installed(&cache)) };
        match tool {
            Ok(Some(tool)) => println!("spirv-val for conditional modules: export ASPEN_SPIRV_VAL='{}'", tool.display()),
            Ok(None) => println!("spirv-val for conditional modules: not installed (cargo xtask devices --install)"),
            // Debian's unstable may be out of reach, or in disorder for a day; tests have another way then.
            Err(error) => println!("spirv-val for conditional modules: not installed: {error:#}"),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_is_there_when_its_last_file_is() {
        let cache = std::env::temp_dir().join(format!("aspen-drivers-{}", std::process::id()));
        let driver = &DRIVERS[0];
        assert!(!driver.is_installed(&cache));
        let vendors = driver.folder(&cache).join("vendors");
        std::fs::create_dir_all(&vendors).expect("a folder");
        assert!(!driver.is_installed(&cache));
        std::fs::write(vendors.join("driver.icd"), "x").expect("a file");
        // One whose libraries lay elsewhere.
        assert!(!driver.is_installed(&cache));
        let libraries = driver.folder(&cache).join(driver.libraries());
        std::fs::create_dir_all(&libraries).expect("a folder");
        std::fs::write(libraries.join(driver.library), "x").expect("a file");
        assert!(driver.is_installed(&cache));
        let environment = driver.environment(&cache);
        assert_eq!(environment[0], ("OCL_ICD_VENDORS", vendors.display().to_string()));
        assert!(environment.contains(&("ASPEN_DEVICE_SELECTOR", "opencl:*".into())));
        std::fs::remove_dir_all(&cache).expect("our own folder");
    }

    #[test]
    fn folders_differ() {
        let folders: std::collections::BTreeSet<PathBuf> = DRIVERS.iter().map(|driver| driver.folder(Path::new("x"))).collect();
        assert_eq!(folders.len(), DRIVERS.len());
    }
}
