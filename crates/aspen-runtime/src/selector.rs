//! `ASPEN_DEVICE_SELECTOR`: which devices a program may see.
//!
//! Grammar (DESIGN §6): terms separated by `;`; a term is an optional `!` and `backend:device` or a bare word. A backend is `native_cpu`,
//! `opencl`, `cuda`, `hip` or `*`; a device is a type (`cpu`, `gpu`, `accelerator`, `custom`), a number counted within the backend, or `*`, and
//! several stand with `,` between them. Case does not matter. A bare word is a backend or a type. Devices are admitted by the terms without `!` (all of them if
//! there is none) and not excluded by a term with `!`.
//!
//! `ONEAPI_DEVICE_SELECTOR`, DPC++'s, is read where that is not set: it has the same terms, `fpga` for accelerators, backends that are none here, and
//! parts of devices, which are refused.

use aspen_devices::nearest;

use crate::backend::{BackendKind, DeviceType};
use crate::error::{Code, Error, Result};

/// Whose variable a selector comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variable {
    /// `ASPEN_DEVICE_SELECTOR`.
    Aspen,
    /// `ONEAPI_DEVICE_SELECTOR`.
    OneApi,
}

/// Backends of DPC++ that are none here: terms with them stand for no device.
const ELSEWHERE: [&str; 3] = ["level_zero", "esimd_emulator", "offload"];

/// A parsed selector.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selector {
    accepted: Vec<Term>,
    excluded: Vec<Term>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Term {
    backend: Of,
    device: Which,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of {
    Every,
    One(BackendKind),
    /// Of [`ELSEWHERE`].
    NoneHere,
}

impl Of {
    fn has(self, backend: BackendKind) -> bool {
        self == Of::Every || self == Of::One(backend)
    }
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
    pub fn parse(variable: Variable, text: &str) -> Result<Selector> {
        let reader = Reader { variable, text };
        let mut selector = Selector::default();
        for term in text.split(';').map(str::trim).filter(|term| !term.is_empty()) {
            let (list, body) = match term.strip_prefix('!') {
                Some(rest) => (&mut selector.excluded, rest.trim()),
                None => (&mut selector.accepted, term),
            };
            reader.term(body, list)?;
        }
        Ok(selector)
    }

    /// Whether all that it admits are devices of backends that are none here.
    pub fn wants_what_is_elsewhere(&self) -> bool {
        !self.accepted.is_empty() && self.accepted.iter().all(|term| term.backend == Of::NoneHere)
    }

    /// Whether the device with that number within its backend is admitted.
    pub fn admits(&self, backend: BackendKind, device_type: DeviceType, number: usize) -> bool {
        let hit = |term: &Term| {
            term.backend.has(backend)
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
        let about = |term: &Term| term.backend.has(backend);
        let excludes = |term: &Term| about(term) && term.device == Which::All;
        (self.accepted.is_empty() || self.accepted.iter().any(about)) && !self.excluded.iter().any(excludes)
    }
}

/// Reads terms, and knows what messages say.
struct Reader<'t> {
    variable: Variable,
    text: &'t str,
}

impl Reader<'_> {
    fn term(&self, body: &str, list: &mut Vec<Term>) -> Result<()> {
        let Some((backend, devices)) = body.split_once(':') else {
            list.push(self.word(body)?);
            return Ok(());
        };
        let backend = match backend.trim() {
            "*" => Of::Every,
            name => self.backend(name).ok_or_else(|| self.no_backend(name))?,
        };
        for device in devices.split(',').map(str::trim) {
            let device = match device {
                "*" => Which::All,
                name => self
                    .device_type(name)
                    .map(Which::Type)
                    .or_else(|| name.parse().ok().map(Which::Number))
                    .ok_or_else(|| self.nonsense(name, "a device (cpu, gpu, accelerator, custom, a number or *)"))?,
            };
            list.push(Term { backend, device });
        }
        Ok(())
    }

    fn word(&self, word: &str) -> Result<Term> {
        if word == "*" {
            return Ok(Term { backend: Of::Every, device: Which::All });
        }
        if let Some(backend) = self.backend(word) {
            return Ok(Term { backend, device: Which::All });
        }
        let device = self.device_type(word).ok_or_else(|| {
            self.nonsense(word, "a backend (native_cpu, opencl, cuda, hip) or a device type (cpu, gpu, accelerator, custom)")
        })?;
        Ok(Term { backend: Of::Every, device: Which::Type(device) })
    }

    fn backend(&self, name: &str) -> Option<Of> {
        let known = BackendKind::ALL.into_iter().find(|backend| backend.name().eq_ignore_ascii_case(name)).map(Of::One);
        let is_elsewhere = || self.variable == Variable::OneApi && ELSEWHERE.iter().any(|other| other.eq_ignore_ascii_case(name));
        known.or_else(|| is_elsewhere().then_some(Of::NoneHere))
    }

    fn device_type(&self, name: &str) -> Option<DeviceType> {
        let known = DeviceType::ALL.into_iter().find(|device| device.name().eq_ignore_ascii_case(name));
        let is_fpga = self.variable == Variable::OneApi && ["fpga", "acc"].iter().any(|other| other.eq_ignore_ascii_case(name));
        known.or_else(|| is_fpga.then_some(DeviceType::Accelerator))
    }

    /// What stands before a colon and is no backend: a type of device stands behind it.
    fn no_backend(&self, word: &str) -> Error {
        const WANTED: &str = "a backend (native_cpu, opencl, cuda, hip or *)";
        match nearest(&word.to_ascii_lowercase(), DeviceType::ALL.map(DeviceType::name)) {
            Some(of_type) => self.unlike(word, WANTED, &format!("; did you mean '*:{of_type}'?")),
            None => self.nonsense(word, WANTED),
        }
    }

    fn nonsense(&self, word: &str, wanted: &str) -> Error {
        let names = BackendKind::ALL.map(BackendKind::name).into_iter().chain(DeviceType::ALL.map(DeviceType::name));
        let near = match word.split_once('.') {
            Some((of, _)) => format!("; parts of devices are made by programs alone: '{of}'"),
            None => nearest(&word.to_ascii_lowercase(), names).map_or_else(String::new, |near| format!("; did you mean '{near}'?")),
        };
        self.unlike(word, wanted, &near)
    }

    fn unlike(&self, word: &str, wanted: &str, way_out: &str) -> Error {
        Error::new(Code::Invalid, format!("{}={}: '{word}' is not {wanted}{way_out}", self.variable.name(), self.text))
    }
}

impl Variable {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Variable::Aspen => "ASPEN_DEVICE_SELECTOR",
            Variable::OneApi => "ONEAPI_DEVICE_SELECTOR",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits_cpu(text: &str) -> bool {
        Selector::parse(Variable::Aspen, text).expect(text).admits(BackendKind::NativeCpu, DeviceType::Cpu, 0)
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
            assert_eq!(Selector::parse(Variable::Aspen, text).expect(text).admits_some(BackendKind::OpenCl), admits, "{text}");
        }
    }

    #[test]
    fn nonsense_is_named() {
        for (text, word) in [
            ("cpuu:*", "did you mean '*:cpu'?"),
            ("cpu:0", "did you mean '*:cpu'?"),
            ("opencll:0", "did you mean 'opencl'?"),
            ("open_cl", "did you mean 'opencl'?"),
            ("native_cpu:gpuu", "did you mean 'gpu'?"),
            ("cpuu", "cpuu"),
            ("native_cpu:warp", "warp"),
            ("native_cpu:*;openclx:0", "openclx"),
            ("!gpuu", "gpuu"),
            ("native_cpu:", "''"),
            ("native_cpu:-1", "-1"),
        ] {
            let error = Selector::parse(Variable::Aspen, text).expect_err(text);
            assert_eq!(error.code(), Code::Invalid);
            assert!(error.message().contains(word) && error.message().contains("ASPEN_DEVICE_SELECTOR="), "{error}");
        }
    }

    #[test]
    fn what_is_written_for_other_implementations() {
        for (text, admits, elsewhere) in [
            ("*:cpu", true, false),
            ("native_cpu:cpu", true, false),
            ("level_zero:gpu", false, true),
            ("level_zero:*;*:cpu", true, false),
            ("!level_zero:*", true, false),
            ("opencl:fpga", false, false),
            ("!opencl:*;!*:fpga", true, false),
            ("*:acc", false, false),
        ] {
            let selector = Selector::parse(Variable::OneApi, text).expect(text);
            let admitted = selector.admits(BackendKind::NativeCpu, DeviceType::Cpu, 0);
            assert_eq!((admitted, selector.wants_what_is_elsewhere()), (admits, elsewhere), "{text}");
        }
        for (text, word) in [("level_zero:0.1", "parts of devices"), ("*:cpuu", "did you mean 'cpu'?"), ("levl_zero:gpu", "levl_zero")] {
            let error = Selector::parse(Variable::OneApi, text).expect_err(text);
            assert!(error.message().contains(word) && error.message().starts_with("ONEAPI_DEVICE_SELECTOR="), "{error}");
        }
    }
}
