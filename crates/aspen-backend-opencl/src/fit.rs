//! Which images a device takes: SPIR-V, and machine code of Intel GPUs that was made for this very device.
//!
//! A GPU says which it is by its IP version (`cl_intel_device_attribute_query`): architecture, release and revision, the three numbers of
//! the database's names `intel_gpu_9_0_9`. The revision is a stepping: code for one runs on the others, and where the database does not
//! know it, the other two numbers decide. A device that does not tell takes no machine code; the program's SPIR-V serves it.

use aspen_devices::Database;
use aspen_runtime::backend::{DeviceImage, DeviceType, Fit, ImageKind};

use crate::answers::Answers;

/// SPIR-V for any driver.
const SPIRV: &str = "spir64";
/// Machine code for devices that the user named to the compiler; only the driver can tell whether it is one of them.
const ANY_INTEL_GPU: &str = "spir64_gen";
const INTEL_GPU: &str = "intel_gpu_";
const INTEL: u32 = 0x8086;

/// How well a device with these answers takes the image.
pub(crate) fn fit(answers: &Answers, image: &DeviceImage<'_>) -> Option<Fit> {
    fit_of(answers, image.target(), image.kind())
}

fn fit_of(answers: &Answers, arch: &str, kind: ImageKind) -> Option<Fit> {
    match (arch, kind) {
        (SPIRV, ImageKind::SpirV) => answers.takes_spirv().then_some(Fit::JustInTime),
        (ANY_INTEL_GPU, ImageKind::Object) => is_intel_gpu(answers).then_some(Fit::AheadOfTime { level: 0 }),
        (arch, ImageKind::Object) if arch.starts_with(INTEL_GPU) => {
            let same = is_intel_gpu(answers) && canonical(arch).is_some_and(|wanted| is_device(wanted, answers.ip_version));
            same.then_some(Fit::AheadOfTime { level: 1 })
        }
        _ => None,
    }
}

fn is_intel_gpu(answers: &Answers) -> bool {
    answers.vendor_id == INTEL && answers.device_type() == DeviceType::Gpu
}

/// The database's name of a target; only that of the built-in table, since a user's file says nothing of what machine code runs where.
fn canonical(arch: &str) -> Option<&'static str> {
    Database::builtin().lookup(arch).ok().map(|target| target.name.as_str())
}

/// Whether a device of that IP version is the target. Source: cl_intel_device_attribute_query, "CL_DEVICE_IP_VERSION_INTEL": architecture
/// in bits 31 to 22, release in 21 to 14, revision in 5 to 0.
fn is_device(target: &str, ip_version: u32) -> bool {
    let (architecture, release, revision) = (ip_version >> 22, ip_version >> 14 & 0xFF, ip_version & 0x3F);
    if let Some(known) = canonical(&format!("{INTEL_GPU}{architecture}_{release}_{revision}")) {
        return known == target;
    }
    let prefix = format!("{INTEL_GPU}{architecture}_{release}_");
    Database::builtin().lookup(target).is_ok_and(|target| target.aliases.iter().any(|alias| alias.starts_with(&prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys;

    fn version(architecture: u32, release: u32, revision: u32) -> u32 {
        architecture << 22 | release << 14 | revision
    }

    fn gpu(ip_version: u32) -> Answers {
        let il_version = "SPIR-V_1.2".to_owned();
        Answers {
            device_type: sys::CL_DEVICE_TYPE_GPU,
            vendor_id: INTEL,
            ip_version,
            il_version,
            compiler_available: true,
            ..Answers::default()
        }
    }

    #[test]
    fn machine_code_fits_the_device_it_was_made_for() {
        const EXACT: Option<Fit> = Some(Fit::AheadOfTime { level: 1 });
        let cpu = Answers { device_type: sys::CL_DEVICE_TYPE_CPU, ..gpu(version(9, 0, 9)) };
        let other_vendor = Answers { vendor_id: 0x10DE, ..gpu(version(9, 0, 9)) };
        let no_spirv = Answers { il_version: String::new(), ..gpu(0) };
        let cases: [(&Answers, &str, ImageKind, Option<Fit>); 18] = [
            (&gpu(version(9, 0, 9)), "intel_gpu_skl", ImageKind::Object, EXACT),
            (&gpu(version(9, 0, 9)), "intel_gpu_9_0_9", ImageKind::Object, EXACT),
            (&gpu(version(9, 0, 9)), "intel_gpu_kbl", ImageKind::Object, None),
            (&gpu(version(12, 10, 0)), "intel_gpu_dg1", ImageKind::Object, EXACT),
            (&gpu(version(12, 60, 7)), "intel_gpu_pvc", ImageKind::Object, EXACT),
            // Another stepping of it.
            (&gpu(version(12, 60, 3)), "intel_gpu_pvc", ImageKind::Object, EXACT),
            (&gpu(version(12, 61, 7)), "intel_gpu_pvc", ImageKind::Object, None),
            (&gpu(version(9, 0, 9)), "intel_gpu_dg1", ImageKind::Object, None),
            // It does not tell.
            (&gpu(0), "intel_gpu_skl", ImageKind::Object, None),
            (&cpu, "intel_gpu_skl", ImageKind::Object, None),
            (&other_vendor, "intel_gpu_skl", ImageKind::Object, None),
            (&gpu(version(9, 0, 9)), "intel_gpu_no_such", ImageKind::Object, None),
            (&gpu(0), "spir64_gen", ImageKind::Object, Some(Fit::AheadOfTime { level: 0 })),
            (&cpu, "spir64_gen", ImageKind::Object, None),
            (&gpu(0), "spir64", ImageKind::SpirV, Some(Fit::JustInTime)),
            (&cpu, "spir64", ImageKind::SpirV, Some(Fit::JustInTime)),
            (&no_spirv, "spir64", ImageKind::SpirV, None),
            (&cpu, "native_cpu", ImageKind::Object, None),
        ];
        for (answers, arch, kind, wanted) in cases {
            assert_eq!(fit_of(answers, arch, kind), wanted, "{arch} on {:x}", answers.ip_version);
        }
        assert!(Fit::AheadOfTime { level: 1 } > Fit::AheadOfTime { level: 0 } && Fit::AheadOfTime { level: 0 } > Fit::JustInTime);
    }
}
