//! Which images a device takes. Source: NVIDIA "CUDA C++ Programming Guide", "Binary Compatibility" and "PTX Compatibility".
//!
//! Machine code runs on processors of the same major version and the same minor one or a later one; PTX on the processor it was made for
//! and all later ones. Code for a processor with a letter (`sm_90a`) runs on that processor only.

use aspen_runtime::backend::{DeviceImage, Fit, ImageKind};

use crate::answers::Answers;

/// What NVIDIA's targets are called before the processor.
const PREFIX: &str = "nvidia_gpu_sm_";

/// How well a device with those answers takes the image.
pub(crate) fn fit(device: &Answers, image: &DeviceImage<'_>) -> Option<Fit> {
    fit_of(device.processor, image.target(), image.kind())
}

fn fit_of(device: (u32, u32), arch: &str, kind: ImageKind) -> Option<Fit> {
    let processor = arch.strip_prefix(PREFIX)?;
    let digits = processor.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let number: u32 = digits.parse().ok()?;
    let made_for = (number / 10, number % 10);
    let exactly = digits.len() < processor.len();
    if exactly && made_for != device {
        return None;
    }
    match kind {
        ImageKind::Object | ImageKind::Cubin if made_for.0 == device.0 && made_for.1 <= device.1 => {
            Some(Fit::AheadOfTime { level: 2 * number + u32::from(exactly) })
        }
        ImageKind::Ptx if made_for <= device => Some(Fit::JustInTime),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_where() {
        let ahead = |level| Some(Fit::AheadOfTime { level });
        for (device, arch, kind, expected) in [
            ((9, 0), "nvidia_gpu_sm_90", ImageKind::Object, ahead(180)),
            ((9, 0), "nvidia_gpu_sm_90a", ImageKind::Object, ahead(181)),
            ((8, 9), "nvidia_gpu_sm_80", ImageKind::Object, ahead(160)),
            ((8, 0), "nvidia_gpu_sm_86", ImageKind::Object, None),
            ((9, 0), "nvidia_gpu_sm_80", ImageKind::Object, None),
            ((12, 0), "nvidia_gpu_sm_120", ImageKind::Cubin, ahead(240)),
            ((9, 0), "nvidia_gpu_sm_80", ImageKind::Ptx, Some(Fit::JustInTime)),
            ((10, 0), "nvidia_gpu_sm_90", ImageKind::Ptx, Some(Fit::JustInTime)),
            ((10, 0), "nvidia_gpu_sm_90a", ImageKind::Ptx, None),
            ((8, 0), "nvidia_gpu_sm_90", ImageKind::Ptx, None),
            ((9, 0), "nvidia_gpu_sm_", ImageKind::Ptx, None),
            ((9, 0), "spir64", ImageKind::SpirV, None),
            ((9, 0), "nvidia_gpu_sm_90", ImageKind::Bitcode, None),
        ] {
            assert_eq!(fit_of(device, arch, kind), expected, "{device:?} {arch} {kind:?}");
        }
        assert!(ahead(181) > ahead(180) && ahead(160) > Some(Fit::JustInTime));
    }
}
