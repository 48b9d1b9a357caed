//! `ASPEN_DEVICE_SELECTOR`: which devices a program may see.
//!
//! Grammar (DESIGN §6): terms separated by `;`; a term is an optional `!` and `backend:device` or a bare word. A backend is `native_cpu`,
//! `opencl`, `cuda`, `hip` or `*`; a device is a type (`cpu`, `gpu`, `accelerator`, `custom`), a number counted within the backend, or `*`, and
//! several stand with `,` between them. Case does not matter. A bare word is a backend or a type. Devices are admitted by the terms without `!` (all of them if
//! there is none) and not excluded by a term with `!`.

use aspen_devices::nearest;

use crate::backend::{BackendKind, DeviceType};
use crate::error::{Code, Error, Result};

/// The name of the variable, for messages.
pub const VARIABLE: &str = "ASPEN_DEVICE_SELECTOR";

/// A parsed selector.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selector {
    accepted: Vec<Term>,
    excluded: Vec<Term>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Term {
    /// `None`: every backend.
    backend: Option<BackendKind>,
    device: Which,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    All,
    Type(DeviceType),
    Number(usize),
}

impl Selector {
    /// Reads the variable's value; an empty one admits everything.
    ///
    /// # Errors
    /// [`Code::Invalid`] that names the word which is no backend, type or number.
    pub fn parse(text: &str) -> Result<Selector> {
        let mut selector = Selector::default();
        for term in text.split(';').map(str::trim).filter(|term| !term.is_empty()) {
            let (list, body) = match term.strip_prefix('!') {
                Some(rest) => (&mut selector.excluded, rest.trim()),
                None => (&mut selector.accepted, term),
            };
            parse_term(body, text, list)?;
        }
        Ok(selector)
    }

    /// Whether the device with that number within its backend is admitted.
    pub fn admits(&self, backend: BackendKind, device_type: DeviceType, number: usize) -> bool {
        let hit = |term: &Term| {
            term.backend.is_none_or(|wanted| wanted == backend)
                && match term.device {
                    Which::All => true,
                    Which::Type(wanted) => wanted == device_type,
                    Which::Number(wanted) => wanted == number,
                }
        };
        (self.accepted.is_empty() || self.accepted.iter().any(hit)) && !self.excluded.iter().any(hit)
    }

    /// Whether any device of the backend could be admitted.
    pub fn admits_some(&self, backend: BackendKind) -> bool {
        let about = |term: &Term| term.backend.is_none_or(|wanted| wanted == backend);
        let excludes = |term: &Term| about(term) && term.device == Which::All;
        (self.accepted.is_empty() || self.accepted.iter().any(about)) && !self.excluded.iter().any(excludes)
    }
}

fn parse_term(body: &str, whole: &str, list: &mut Vec<Term>) -> Result<()> {
    let Some((backend, devices)) = body.split_once(':') else {
        list.push(parse_word(body, whole)?);
        return Ok(());
    };
    let backend = match backend.trim() {
        "*" => None,
        name => Some(backend_named(name).ok_or_else(|| nonsense(name, "a backend (native_cpu, opencl, cuda, hip or *)", whole))?),
    };
    for device in devices.split(',').map(str::trim) {
        let device = match device {
            "*" => Which::All,
            name => type_named(name)
                .map(Which::Type)
                .or_else(|| name.parse().ok().map(Which::Number))
                .ok_or_else(|| nonsense(name, "a device (cpu, gpu, accelerator, custom, a number or *)", whole))?,
        };
        list.push(Term { backend, device });
    }
    Ok(())
}

fn parse_word(word: &str, whole: &str) -> Result<Term> {
    if word == "*" {
        return Ok(Term { backend: None, device: Which::All });
    }
    if let Some(backend) = backend_named(word) {
        return Ok(Term { backend: Some(backend), device: Which::All });
    }
    let device = type_named(word).ok_or_else(|| {
        nonsense(word, "a backend (native_cpu, opencl, cuda, hip) or a device type (cpu, gpu, accelerator, custom)", whole)
    })?;
    Ok(Term { backend: None, device: Which::Type(device) })
}

fn backend_named(name: &str) -> Option<BackendKind> {
    BackendKind::ALL.into_iter().find(|backend| backend.name().eq_ignore_ascii_case(name))
}

fn type_named(name: &str) -> Option<DeviceType> {
    DeviceType::ALL.into_iter().find(|device| device.name().eq_ignore_ascii_case(name))
}

fn nonsense(word: &str, wanted: &str, whole: &str) -> Error {
    let names = BackendKind::ALL.map(BackendKind::name).into_iter().chain(DeviceType::ALL.map(DeviceType::name));
    let near = nearest(&word.to_ascii_lowercase(), names).map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
    Error::new(Code::Invalid, format!("{VARIABLE}={whole}: '{word}' is not {wanted}{near}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits_cpu(text: &str) -> bool {
        Selector::parse(text).expect(text).admits(BackendKind::NativeCpu, DeviceType::Cpu, 0)
    }

    #[test]
    fn what_admits_the_embedded_cpu() {
        for text in [
            "",
            "*",
            "*:*",
            "native_cpu:*",
            "native_cpu:0",
            "native_cpu:cpu",
            "native_cpu",
            "cpu",
            "*:cpu",
            "!opencl:*;!cuda:*",
            "opencl:gpu;native_cpu:*",
            "native_cpu:*;!opencl:*",
            "native_cpu:3,0",
            " native_cpu : cpu ; ",
            "Native_CPU:CPU",
            "CPU",
            "OpenCL:gpu;NATIVE_CPU:*",
        ] {
            assert!(admits_cpu(text), "{text}");
        }
        for text in ["gpu", "opencl", "native_cpu:1", "!native_cpu", "!*:*", "cpu;!native_cpu:0", "*:gpu", "cuda:*"] {
            assert!(!admits_cpu(text), "{text}");
        }
    }

    #[test]
    fn backends_that_need_not_be_looked_for() {
        for (text, admits) in [
            ("", true),
            ("opencl:*", true),
            ("cpu", true),
            ("*:gpu", true),
            ("!opencl:cpu", true),
            ("native_cpu:*;opencl:3", true),
            ("native_cpu", false),
            ("cuda:*", false),
            ("!opencl:*", false),
            ("cpu;!opencl", false),
            ("!*:*", false),
        ] {
            assert_eq!(Selector::parse(text).expect(text).admits_some(BackendKind::OpenCl), admits, "{text}");
        }
    }

    #[test]
    fn nonsense_is_named() {
        for (text, word) in [
            ("cpuu:*", "did you mean 'cpu'?"),
            ("open_cl", "did you mean 'opencl'?"),
            ("native_cpu:gpuu", "did you mean 'gpu'?"),
            ("cpuu", "cpuu"),
            ("native_cpu:warp", "warp"),
            ("native_cpu:*;openclx:0", "openclx"),
            ("!gpuu", "gpuu"),
            ("native_cpu:", "''"),
            ("native_cpu:-1", "-1"),
        ] {
            let error = Selector::parse(text).expect_err(text);
            assert_eq!(error.code(), Code::Invalid);
            assert!(error.message().contains(word) && error.message().contains(VARIABLE), "{error}");
        }
    }
}
