//! Compiles an image for a device and throws the result away: whether the device's compiler takes what the check lets through.
//! For `aspen check --build`; no kernel is launched. Source: issue 16 "The truth beside the verdict".

use aspen_image::{DeviceImage, offload};

use crate::backend::{ImageKind, Part};
use crate::error::{Code, Error, Result};
use crate::specialise;
use crate::system::Device;

/// Compiles the first image of `blobs`, OffloadBinary blobs back to back, linked with the others, from which it takes functions. Then every
/// kernel of it that the device meets is made, since some drivers compile no earlier.
///
/// # Errors
/// [`Code::Build`] with what is wrong with an image, or what the device's compiler says.
pub fn compile(device: &Device, blobs: &[u8]) -> Result<()> {
    let failed = |why: &dyn std::fmt::Display| Error::new(Code::Build, why.to_string());
    let entries = offload::parse_all(blobs).map_err(|error| failed(&error))?;
    let images: Vec<DeviceImage<'_>> = entries.into_iter().map(DeviceImage::new).collect();
    let Some(first) = images.first() else { return Err(Error::new(Code::Invalid, "there is no image to compile")) };
    let mut exports = Vec::new();
    for image in &images {
        image.check_bytes().map_err(|error| failed(&error))?;
        exports.push(image.exports().map_err(|error| failed(&error))?);
    }
    let labels: Vec<String> = images.iter().enumerate().map(|(index, image)| label(index, image)).collect();
    let imports = images.iter().map(|image| {
        let symbols = image.imports().map_err(|error| failed(&error))?;
        let provider = |symbol: &String| exports.iter().position(|exports| exports.contains(symbol));
        Ok(symbols.into_iter().filter_map(|symbol| provider(&symbol).map(|index| (symbol, index))).collect())
    });
    let imports: Vec<Vec<(String, usize)>> = imports.collect::<Result<_>>()?;
    let special = images.iter().zip(&labels).map(|(image, label)| for_device(device, label, image)).collect::<Result<Vec<_>>>()?;
    let has = specialise::has(device);
    let part = |index: usize| Part {
        name: &labels[index],
        image: special[index].as_ref().unwrap_or(&images[index]),
        has: &has,
        imports: &imports[index],
    };
    let program = device.real().load(&(0..images.len()).map(part).collect::<Vec<_>>())?;
    for kernel in first.kernels().map_err(|error| failed(&error))? {
        if device.unmet(&kernel.info.requirements).is_empty() {
            program.kernel(&kernel.symbol)?;
        }
    }
    Ok(())
}

fn label(index: usize, image: &DeviceImage<'_>) -> String {
    image.name().map_or_else(|| format!("part {index}"), |name| format!("image '{name}'"))
}

/// What of a conditional image the device gets. Other compilers' modules have no conditions and are taken as they are.
fn for_device<'i>(device: &Device, label: &str, image: &DeviceImage<'i>) -> Result<Option<DeviceImage<'i>>> {
    if image.kind() != ImageKind::SpirV || image.is_foreign() {
        return Ok(None);
    }
    Ok(match specialise::for_device(device, label, image)? {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(bytes) => Some(image.with_bytes(bytes)),
    })
}
