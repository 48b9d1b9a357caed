//! Every SPIR-V image that a test builds is valid, as SPIRV-Tools' validator sees it: drivers are no guard, they take some invalid modules
//! and refuse others.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use aspen_image::{DeviceImage, ImageKind};

use crate::files;

/// What Debian 12's validator does not know, by the name of the extension, and the reason. One that knows conditional functions may be named
/// by `ASPEN_SPIRV_VAL` (`cargo xtask devices --install`).
const EXCEPTIONS: [(&str, &str); 3] = [
    ("SPV_INTEL_function_pointers", "the validator does not know its instructions"),
    ("SPV_EXT_relaxed_printf_string_address_space", "the validator does not know that it allows formats in other address spaces"),
    ("SPV_INTEL_function_variants", "Debian 12's validator does not know its tokens"),
];

/// The validator, and what it has seen.
#[derive(Default)]
pub struct Validator {
    seen: BTreeSet<Vec<u8>>,
}

impl Validator {
    /// Looks at all files below a folder that hold images.
    pub fn folder(&mut self, folder: &Path) -> Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.folder(&entry.path())?;
            } else if kind.is_file() {
                self.file(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Looks at the images of one file; one that holds none, or cannot be read, is fine.
    pub fn file(&mut self, path: &Path) -> Result<()> {
        let Ok(bytes) = fs::read(path) else { return Ok(()) };
        let name = path.display().to_string();
        let Ok(found) = aspen_image::find(&bytes, &name) else { return Ok(()) };
        for entry in found.entries {
            let image = DeviceImage::new(entry.entry);
            if image.kind() == ImageKind::SpirV && self.seen.insert(image.bytes().to_vec()) {
                validate(image.bytes()).with_context(|| format!("the image '{}' of {name}", image.name().unwrap_or_default()))?;
            }
        }
        Ok(())
    }
}

fn validate(image: &[u8]) -> Result<()> {
    let named = std::env::var_os("ASPEN_SPIRV_VAL").filter(|tool| !tool.is_empty());
    let holds = |text: &str| image.windows(text.len()).any(|window| window == text.as_bytes());
    let unknown = EXCEPTIONS.iter().find(|(extension, _)| holds(extension));
    if unknown.is_some_and(|(extension, _)| named.is_none() || !extension.ends_with("variants")) {
        return Ok(());
    }
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(image)?;
    let tool = named.unwrap_or_else(|| "spirv-val".into());
    let mut command = Command::new(&tool);
    command.arg(file.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = files::start(&mut command)
        .and_then(Child::wait_with_output)
        .with_context(|| format!("cannot run {} (Debian's spirv-tools)", tool.display()))?;
    ensure!(said.status.success(), "is no valid SPIR-V: {}", String::from_utf8_lossy(&said.stderr));
    Ok(())
}
