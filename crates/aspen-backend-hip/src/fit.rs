//! Which images a device takes: code objects for its processor, and no others. Source: LLVM "User Guide for AMDGPU Backend", "Processors".

use aspen_runtime::backend::{DeviceImage, Fit, ImageKind};

use crate::answers::Answers;

/// What AMD's targets are called before the processor.
const PREFIX: &str = "amd_gpu_";

/// How well a device with those answers takes the image.
pub(crate) fn fit(device: &Answers, image: &DeviceImage<'_>) -> Option<Fit> {
    fit_of(&device.architecture, image.target(), image.kind())
}

fn fit_of(architecture: &str, target: &str, kind: ImageKind) -> Option<Fit> {
    let fits = kind == ImageKind::Object && target.strip_prefix(PREFIX).is_some_and(|processor| processor == architecture);
    fits.then_some(Fit::AheadOfTime { level: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_where() {
        for (device, target, kind, expected) in [
            ("gfx90a", "amd_gpu_gfx90a", ImageKind::Object, true),
            ("gfx90a", "amd_gpu_gfx908", ImageKind::Object, false),
            ("gfx90a", "amd_gpu_gfx90a", ImageKind::SpirV, false),
            ("gfx90a", "nvidia_gpu_sm_90a", ImageKind::Object, false),
            ("", "amd_gpu_gfx90a", ImageKind::Object, false),
        ] {
            assert_eq!(fit_of(device, target, kind), expected.then_some(Fit::AheadOfTime { level: 0 }), "{device} {target} {kind:?}");
        }
    }
}
