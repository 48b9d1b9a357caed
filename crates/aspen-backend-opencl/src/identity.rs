//! What a compiled program depends on beside its source: the device, its driver, and what the driver is told by the environment.

use std::fs;

use aspen_runtime::backend::DeviceType;
use aspen_runtime::cache::{CacheKey, variables};

use crate::answers::Answers;

/// Changes with whatever else makes the same modules another program.
const LAYOUT: &str = "aspen opencl 1";
/// The same for what is kept where a tool makes bitcode.
const BITCODE: &str = "bitcode 1";
/// Variables by which drivers are configured.
const CONFIGURES: [&str; 5] = ["CL_CONFIG_", "IGC_", "NEO", "SYCL_IGC_", "POCL_"];

/// A device with its driver, as parts of a [`CacheKey`].
pub(crate) struct Identity(Vec<String>);

impl Identity {
    pub(crate) fn of(answers: &Answers, platform_version: &str) -> Identity {
        let mut parts = vec![
            LAYOUT.to_owned(),
            platform_version.to_owned(),
            answers.name.clone(),
            answers.vendor.clone(),
            answers.driver_version.clone(),
            answers.version.clone(),
            format!("{:x} {:x} {:x}", answers.device_type, answers.vendor_id, answers.ip_version),
            answers.il_version.clone(),
            answers.extensions.join(" "),
            if answers.translated { BITCODE.to_owned() } else { String::new() },
        ];
        // Names of processors are shared by generations, and home folders by machines: what the processor can do is what counts.
        if answers.device_type() != DeviceType::Gpu {
            parts.push(processor());
        }
        parts.extend(variables(&CONFIGURES));
        Identity(parts)
    }

    /// The key of a program of these modules.
    pub(crate) fn key<'m>(&self, modules: impl IntoIterator<Item = &'m [u8]>) -> CacheKey {
        // Their number keeps words and modules apart.
        let count = self.0.len().to_le_bytes();
        let mut parts: Vec<&[u8]> = vec![&count];
        parts.extend(self.0.iter().map(String::as_bytes));
        for module in modules {
            parts.push(module);
        }
        CacheKey::new(parts)
    }
}

/// The first processor's model and features; empty where the system does not tell.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let first = text.split("\n\n").next().unwrap_or_default();
    let told = |line: &&str| ["model", "cpu family", "stepping", "flags"].iter().any(|field| line.starts_with(field));
    first.lines().filter(told).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_counts_makes_another_key() {
        let answers = Answers { name: "d".into(), driver_version: "1".into(), ..Answers::default() };
        let key = |answers: &Answers, platform: &str, modules: &[&[u8]]| Identity::of(answers, platform).key(modules.iter().copied());
        let other = |change: fn(&mut Answers)| {
            let mut changed = answers.clone();
            change(&mut changed);
            key(&changed, "p", &[b"m"])
        };
        let keys = [
            key(&answers, "p", &[b"m"]),
            key(&answers, "q", &[b"m"]),
            key(&answers, "p", &[b"n"]),
            key(&answers, "p", &[b"m", b"n"]),
            other(|answers| answers.name = "e".into()),
            other(|answers| answers.driver_version = "2".into()),
            other(|answers| answers.il_version = "SPIR-V_1.2".into()),
            other(|answers| answers.ip_version = 3),
        ];
        for (at, one) in keys.iter().enumerate() {
            assert!(keys[at + 1..].iter().all(|other| other != one), "{at}");
        }
        assert_eq!(keys[0], key(&answers, "p", &[b"m"]));
    }
}
