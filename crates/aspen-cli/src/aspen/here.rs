//! The devices of this machine for `aspen check`: what libaspen.so says of them, and what their compilers say to images.
//!
//! Both are asked in workers: the first driver that is loaded starts threads, and some crash.

use std::path::PathBuf;
use std::time::Duration;

use aspen_contract::{Aspect, BackendKind, Capabilities, Offers};
use serde_json::{Value, json};

use crate::Failure;
use crate::program::Image;
use crate::runtime::{Device, Number, Runtime, Text};
use crate::workers::{self, Outcome, Work};

/// Drivers compile large images for minutes.
const PATIENCE: Duration = Duration::from_secs(600);

/// A device as programs find it.
pub struct Local {
    /// `opencl:0`.
    pub selector: String,
    /// The device's own name.
    pub name: String,
    pub backend: BackendKind,
    pub capabilities: Capabilities,
}

/// Whether this names a device of this machine, as `ASPEN_DEVICE_SELECTOR` does, and no target.
pub fn is_selector(name: &str) -> bool {
    let backend = name.split_once(':').map(|(backend, _)| backend);
    backend.is_some_and(|backend| BackendKind::ALL.iter().any(|kind| kind.name() == backend))
}

/// libaspen.so of this installation.
pub fn runtime() -> Result<Runtime, Failure> {
    let executable = std::env::current_exe().map_err(|error| Failure::Input(format!("cannot find this program's own file: {error}")))?;
    let folder: PathBuf = aspen_driver::runtime_folder(&executable).map_err(|error| Failure::Input(error.to_string()))?;
    Runtime::load(&folder.join("libaspen.so")).map_err(Failure::Input)
}

/// All devices that the environment admits.
///
/// # Errors
/// What the runtime says.
pub fn devices() -> Result<Vec<Local>, Failure> {
    let start = || -> Work<'_> { Box::new(|_| described().to_string()) };
    let outcome = workers::run(1, 1, PATIENCE, "devices", &start).map_err(|error| Failure::Input(format!("cannot fork: {error}")))?;
    let said = match outcome.first() {
        Some(Outcome::Answer(text)) => text,
        Some(Outcome::Died(how)) => return Err(Failure::Input(format!("a driver crashed when it was asked for its devices: {how}"))),
        None => return Ok(Vec::new()),
    };
    let said: Value = serde_json::from_str(said).map_err(|error| Failure::Input(error.to_string()))?;
    if let Some(why) = said["error"].as_str() {
        return Err(Failure::Input(why.to_owned()));
    }
    Ok(said["devices"].as_array().into_iter().flatten().filter_map(local).collect())
}

fn described() -> Value {
    let asked = || -> Result<Value, Failure> {
        let runtime = runtime()?;
        let devices = runtime.devices().map_err(Failure::Input)?;
        Ok(json!({ "devices": devices.iter().map(|device| facts(&runtime, *device)).collect::<Vec<_>>() }))
    };
    asked().unwrap_or_else(|failure| match failure {
        Failure::Input(why) | Failure::Diagnostic(why) | Failure::Machine(why) | Failure::Usage(why) => json!({ "error": why }),
    })
}

fn facts(runtime: &Runtime, device: Device) -> Value {
    let sizes = [Number::MaxWorkItemSize0, Number::MaxWorkItemSize1, Number::MaxWorkItemSize2];
    json!({
        "selector": runtime.string(device, Text::Selector),
        "name": runtime.string(device, Text::Name),
        "backend": runtime.backend(device),
        "aspects": runtime.aspects(device),
        "sub_group_sizes": runtime.sub_group_sizes(device),
        "max_work_group_size": runtime.number(device, Number::MaxWorkGroupSize),
        "max_work_item_sizes": sizes.map(|what| runtime.number(device, what)),
    })
}

fn local(said: &Value) -> Option<Local> {
    let text = |key: &str| said[key].as_str().map(str::to_owned);
    let numbers = |key: &str| -> Vec<u64> { said[key].as_array().into_iter().flatten().filter_map(Value::as_u64).collect() };
    let small = |key: &str| -> Vec<u32> { numbers(key).into_iter().filter_map(|number| u32::try_from(number).ok()).collect() };
    let backend = BackendKind::ALL.into_iter().find(|kind| Some(kind.name()) == said["backend"].as_str())?;
    Some(Local {
        selector: text("selector")?,
        name: text("name")?,
        backend,
        capabilities: Capabilities {
            aspects: small("aspects").into_iter().map(Aspect::from_number).collect(),
            may_support_other_aspects: false,
            sub_group_sizes: Some(small("sub_group_sizes")),
            max_work_group_size: said["max_work_group_size"].as_u64(),
            max_work_item_sizes: numbers("max_work_item_sizes").try_into().ok(),
            offers: Offers::Aspen(Some(backend)),
        },
    })
}

impl Local {
    /// Whether the device may take the image at all, by its target alone. The runtime looks no further either, before the check.
    pub fn takes(&self, image: &Image) -> bool {
        let has = |aspect: &str| Aspect::from_name(aspect).is_some_and(|aspect| self.capabilities.aspects.contains(&aspect));
        let (target, ours) = (image.target.as_str(), image.wrapped.is_none());
        match self.backend {
            // Of an object's bitcode the link makes SPIR-V.
            BackendKind::OpenCl if target == "spir64" || target == "spirv64" => image.format == "spirv" || image.summary.is_some(),
            // Which GPU it was made for the driver knows.
            BackendKind::OpenCl if target == "spir64_gen" || target.starts_with("intel_gpu_") => has("gpu"),
            BackendKind::OpenCl => !ours && has("cpu") && ["spir64_x86_64", "x86_64"].contains(&target),
            BackendKind::NativeCpu => ours && (target == "native_cpu" || target.contains("x86_64")),
            BackendKind::Hip => target.starts_with("amd_gpu_") || target.starts_with("amdgcn"),
            BackendKind::Cuda => target.starts_with("nvidia_gpu_") || target.starts_with("nvptx64"),
        }
    }
}

/// What a device's compiler says to an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Compiled {
    /// It takes it.
    Taken,
    /// It does not, and why.
    Refused(String),
    /// It was not asked, and why.
    NotTried(String),
}

impl Compiled {
    /// As a worker answers: a letter, and why.
    fn to_answer(&self) -> String {
        match self {
            Compiled::Taken => "t".into(),
            Compiled::Refused(why) => format!("r{why}"),
            Compiled::NotTried(why) => format!("n{why}"),
        }
    }

    fn of_answer(answer: &str) -> Compiled {
        match answer.split_at_checked(1) {
            Some(("r", why)) => Compiled::Refused(why.to_owned()),
            Some(("n", why)) => Compiled::NotTried(why.to_owned()),
            _ => Compiled::Taken,
        }
    }
}

/// Has the device compile images, given as OffloadBinary blobs by their number: what it says to each. Blobs that cannot be had are not
/// tried.
///
/// # Errors
/// If no process can be had.
pub fn compile(device: &str, count: usize, blobs: &dyn Fn(usize) -> Result<Vec<u8>, String>) -> Result<Vec<Outcome<Compiled>>, Failure> {
    let start = || -> Work<'_> {
        // What is compiled here is for nobody, and a result that is kept already would not ask the compiler.
        // SAFETY: a worker has one thread until it loads the runtime.
        unsafe { std::env::set_var("ASPEN_CACHE", "0") };
        let runtime = runtime().and_then(|runtime| {
            let devices = runtime.devices().map_err(Failure::Input)?;
            let found = devices.into_iter().find(|one| runtime.string(*one, Text::Selector) == device);
            found.map(|found| (runtime, found)).ok_or_else(|| Failure::Input(format!("the device {device} is gone")))
        });
        Box::new(move |task| {
            let compiled = match &runtime {
                Ok((runtime, device)) => blobs(task as usize).map_or_else(Compiled::NotTried, |blobs| {
                    runtime.compile(*device, &blobs).map_or_else(Compiled::Refused, |()| Compiled::Taken)
                }),
                Err(Failure::Input(why) | Failure::Diagnostic(why) | Failure::Machine(why) | Failure::Usage(why)) => {
                    Compiled::NotTried(why.clone())
                }
            };
            compiled.to_answer()
        })
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let outcomes = workers::run(count, workers, PATIENCE, &format!("compiling for {device}"), &start)
        .map_err(|error| Failure::Input(format!("cannot fork: {error}")))?;
    Ok(outcomes.into_iter().map(|outcome| outcome.map(|answer| Compiled::of_answer(&answer))).collect())
}
