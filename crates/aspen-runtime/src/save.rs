//! `ASPEN_SAVE_DIR` and `ASPEN_LOG=debug`: every image that is considered, and what became of it. For people who wonder why a kernel is
//! refused.

use std::fs;
use std::path::Path;
use std::sync::Once;

use aspen_image::{DeviceImage, ImageKind};

use crate::specialise;
use crate::system::Device;

/// Logs the verdict, and writes it with the image if the user asked for it. A failure is said on standard error: it must not change what the program does.
pub(crate) fn considered(device: &Device, label: &str, image: &DeviceImage<'_>, verdict: &str) {
    tracing::debug!(image = label, device = device.selector_name(), verdict, "considered");
    let Some(folder) = device.save_dir() else { return };
    // As the device would get it; what cannot be specialised is shown as it is.
    let special = if image.kind() == ImageKind::SpirV { specialise::for_device(device, label, image).ok() } else { None };
    let bytes = special.as_deref().unwrap_or(image.bytes());
    if let Err(error) = write(folder, label, (image.kind(), bytes), &format!("{label} on {}: {verdict}\n", device.selector_name())) {
        static TOLD: Once = Once::new(); // it is the folder's fault mostly, and the same for all images
        TOLD.call_once(|| eprintln!("aspen: ASPEN_SAVE_DIR={}: {error}", folder.display()));
    }
}

fn write(folder: &Path, label: &str, (kind, bytes): (ImageKind, &[u8]), verdict: &str) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let stem: String = label.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect();
    let extension = match kind {
        ImageKind::Object => "so",
        ImageKind::Bitcode => "bc",
        ImageKind::SpirV => "spv",
        ImageKind::Ptx => "ptx",
        _ => "img",
    };
    fs::write(folder.join(format!("{stem}.{extension}")), bytes)?;
    fs::write(folder.join(format!("{stem}.txt")), verdict)
}
