//! Platforms and devices as programs see them: what the backends found, admitted by the selector, presented by the profile.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread;

use aspen_contract::{Aspect, AspectSet, Capabilities, Need, Requirements, Verdict, check};

use crate::backend::{Backend, BackendKind, DeviceType, Native, PlatformFacts, RawDevice};
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::native::Interop;
use crate::partition::{Parts, Whole};
use crate::pool::Pool;
use crate::profile::Profile;
use crate::selector::Variable;

/// The aspects that a kernel cannot execute without, whatever a profile says. Source: DESIGN §6.
const EXECUTING: [&str; 8] = [
    "fp16",
    "fp64",
    "atomic64",
    "image",
    "usm_device_allocations",
    "usm_host_allocations",
    "usm_shared_allocations",
    "usm_system_allocations",
];

/// Everything a process has of the runtime. It lives as long as the process.
#[derive(Debug)]
pub struct System {
    platforms: Vec<&'static Platform>,
    pool: Arc<Pool>,
}

/// A platform: the devices of a backend that the selector admits.
#[derive(Debug)]
pub struct Platform {
    backend: BackendKind,
    facts: PlatformFacts,
    devices: OnceLock<Vec<&'static Device>>,
}

/// A device, as the active profile presents it.
pub struct Device {
    platform: &'static Platform,
    real: Arc<dyn RawDevice>,
    selector_name: String,
    profile: Option<Profile>,
    /// What `has`, `sub_group_sizes` and the like answer. Everything is known.
    presented: Capabilities,
    /// The same without the aspects that the real device cannot execute: what guards ask, and what is under them needs.
    effective: Capabilities,
    save_dir: Option<PathBuf>,
    /// Of a device that is a part of another one.
    part_of: Option<Whole>,
    parts: Parts,
}

impl System {
    /// Finds the devices. The result is never freed, since devices live as long as the process.
    ///
    /// # Errors
    /// If a variable of the environment makes no sense; the message names it.
    pub fn start(backends: &[Box<dyn Backend>], environment: Environment) -> Result<&'static System> {
        let selector = environment.devices()?;
        let profile = Profile::load(environment.profile.as_deref(), environment.config_file.as_deref())?;
        let threads = environment.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
        let mut platforms = Vec::new();
        // Devices are counted within their backend, through all its platforms.
        let mut counts = BackendKind::ALL.map(|_| 0..);
        for backend in backends {
            let numbers = &mut counts[backend.kind() as usize];
            let admitted: Vec<(Arc<dyn RawDevice>, usize)> = (backend.devices().into_iter().zip(numbers))
                .filter(|(device, number)| selector.admits(backend.kind(), device.device_type(), *number))
                .collect();
            if admitted.is_empty() {
                continue;
            }
            let platform: &'static Platform =
                Box::leak(Box::new(Platform { backend: backend.kind(), facts: backend.platform(), devices: OnceLock::new() }));
            platform.devices.get_or_init(|| {
                admitted
                    .into_iter()
                    .map(|(real, number)| {
                        let device = Device::new(platform, real, number, profile.clone(), environment.save_dir.clone());
                        let profile = profile.as_ref().map_or("none", |profile| profile.name.as_str());
                        tracing::info!(device = device.selector_name(), name = device.real.facts().name, profile, "admitted");
                        &*Box::leak(Box::new(device))
                    })
                    .collect()
            });
            platforms.push(platform);
        }
        if let Some((variable @ Variable::OneApi, text)) = environment.selector.as_ref().filter(|_| platforms.is_empty()) {
            // Set for another implementation, perhaps long ago and elsewhere, so that a program that finds nothing says little.
            let why = if selector.wants_what_is_elsewhere() {
                "; its backends are none of Aspen's, where GPUs are opencl:gpu or cuda:gpu"
            } else {
                ""
            };
            let other = Variable::Aspen.name();
            eprintln!(
                "aspen: {}={text} admits no device here{why}; {other} comes before it, and `aspen devices` lists those it admits",
                variable.name()
            );
        }
        Ok(Box::leak(Box::new(System { platforms, pool: Pool::new(threads) })))
    }

    /// The platforms with at least one admitted device.
    pub fn platforms(&self) -> &[&'static Platform] {
        &self.platforms
    }

    /// The threads that run commands.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }
}

impl Platform {
    /// Its backend.
    pub fn backend(&self) -> BackendKind {
        self.backend
    }

    /// Its facts.
    pub fn facts(&self) -> &PlatformFacts {
        &self.facts
    }

    /// Its admitted devices.
    pub fn devices(&self) -> &[&'static Device] {
        self.devices.get().map_or(&[], Vec::as_slice)
    }
}

impl Device {
    fn new(
        platform: &'static Platform,
        real: Arc<dyn RawDevice>,
        number: usize,
        profile: Option<Profile>,
        save_dir: Option<PathBuf>,
    ) -> Device {
        let presented = presented(real.capabilities(), profile.as_ref());
        let effective = effective(&presented, real.capabilities());
        let selector_name = format!("{}:{number}", platform.backend.name());
        Device { platform, real, selector_name, profile, presented, effective, save_dir, part_of: None, parts: Parts::default() }
    }

    /// The interface of its backend's own.
    ///
    /// # Errors
    /// [`Code::FeatureNotSupported`] if that has none.
    pub fn interop(&self) -> Result<&dyn Interop> {
        self.real().interop().ok_or_else(|| {
            let text = format!("'{}' has no interface of its own that programs could use beside SYCL", self.real().facts().name);
            Error::new(Code::FeatureNotSupported, text)
        })
    }

    /// The number under which the runtime knows a context: 0 for its own.
    ///
    /// # Errors
    /// What the driver says.
    pub fn native_context(&self, context: usize) -> Result<usize> {
        let own = if context == 0 { None } else { self.real().native(Native::Context, false)? };
        Ok(if own == Some(context) { 0 } else { context })
    }

    /// A part of it, which can do what it can.
    pub(crate) fn as_part(&self, real: Arc<dyn RawDevice>, part_of: Whole) -> Device {
        Device {
            platform: self.platform,
            real,
            selector_name: self.selector_name.clone(),
            profile: self.profile.clone(),
            presented: self.presented.clone(),
            effective: self.effective.clone(),
            save_dir: self.save_dir.clone(),
            part_of: Some(part_of),
            parts: Parts::default(),
        }
    }

    pub(crate) fn part_of(&self) -> Option<&Whole> {
        self.part_of.as_ref()
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Its platform.
    pub fn platform(&self) -> &'static Platform {
        self.platform
    }

    /// The device behind the profile.
    pub fn real(&self) -> &dyn RawDevice {
        &*self.real
    }

    /// `native_cpu:0`.
    pub fn selector_name(&self) -> &str {
        &self.selector_name
    }

    /// What it can do, as the profile presents it; nothing is unknown.
    pub fn capabilities(&self) -> &Capabilities {
        &self.presented
    }

    pub(crate) fn save_dir(&self) -> Option<&PathBuf> {
        self.save_dir.as_ref()
    }

    /// What kind of device it is, as the profile presents it: a program that looks for a GPU finds the one that the device stands for.
    pub fn device_type(&self) -> DeviceType {
        let presented = self.profile.as_ref().and_then(|profile| kind_among(&profile.capabilities.aspects));
        presented.unwrap_or_else(|| self.real.device_type())
    }

    /// Whether it has the aspect, and Aspen offers what that stands for.
    pub fn has(&self, aspect: Aspect) -> bool {
        self.presented.has(&Need::Aspect(aspect)) == Some(true)
    }

    /// What of the requirements it lacks, profile and real device taken together, in the order of [`Requirements::needs`].
    pub fn unmet(&self, requirements: &Requirements) -> Vec<Need> {
        let mut unmet = surely_unmet(check(requirements, &self.effective));
        if self.profile.is_some() {
            unmet.extend(surely_unmet(check(&executing(requirements), &self.executable(requirements))));
        }
        requirements.needs().filter(|need| unmet.contains(need)).collect()
    }

    /// Who refuses these needs, and what that can do instead: the profile if it lacks one of them, else the device itself. What the profile
    /// leaves open is the device's own.
    pub fn refuser(&self, unmet: &[Need]) -> (&str, &Capabilities) {
        let real = self.real.capabilities();
        let is_lacking = |profile: &Profile, need: &Need| {
            self.presented.has(need) != Some(true) && (profile.capabilities.has(need) == Some(false) || real.has(need) == Some(true))
        };
        match &self.profile {
            Some(profile) if unmet.iter().any(|need| is_lacking(profile, need)) => (&profile.name, &self.presented),
            _ => (&self.real.facts().name, real),
        }
    }

    /// The sub-group size the profile suggests for kernels that require none: the device's own or the next smaller one that it lists.
    pub fn suggested_sub_group_size(&self) -> Option<u32> {
        let sizes = self.profile.as_ref()?.capabilities.sub_group_sizes.as_ref()?;
        let runnable = || sizes.iter().copied().filter(|size| self.real.runs_sub_group_size(*size));
        let own = self.real.default_sub_group_size().unwrap_or(COMMON_SUB_GROUP_SIZE);
        runnable().filter(|size| *size <= own).max().or_else(|| runnable().min())
    }

    /// The sub-group size that a kernel gets which requires this one, or none; `None` if whoever compiles it chooses.
    pub fn sub_group_size_of(&self, required: Option<u32>) -> Option<u32> {
        required.or_else(|| self.suggested_sub_group_size()).or_else(|| self.real.default_sub_group_size())
    }

    /// What the real device executes, with the sub-group size in question added if it runs it without listing it.
    fn executable(&self, requirements: &Requirements) -> Capabilities {
        let mut capabilities = self.real.capabilities().clone();
        if let (Some(size), Some(sizes)) = (requirements.reqd_sub_group_size, &mut capabilities.sub_group_sizes)
            && self.real.runs_sub_group_size(size)
        {
            sizes.push(size);
        }
        capabilities
    }
}

/// What ported code assumes most often.
const COMMON_SUB_GROUP_SIZE: u32 = 32;

/// The part of the requirements that executing needs.
fn executing(requirements: &Requirements) -> Requirements {
    // Which guards hold, and what is needed under them, [`effective`] says: a profile decides other bodies than the device would.
    let aspects = requirements.aspects.iter().copied().filter(|aspect| is_executing(*aspect)).collect();
    Requirements { aspects, guarded: BTreeMap::new(), ..requirements.clone() }
}

fn is_executing(aspect: Aspect) -> bool {
    EXECUTING.iter().any(|name| Aspect::from_name(name) == Some(aspect))
}

/// What is presented, without the aspects that the real device cannot execute.
fn effective(presented: &Capabilities, real: &Capabilities) -> Capabilities {
    let runs = |aspect: &Aspect| !is_executing(*aspect) || real.has(&Need::Aspect(*aspect)) == Some(true);
    Capabilities { aspects: presented.aspects.iter().copied().filter(runs).collect(), ..presented.clone() }
}

/// At run time nothing is unknown, so what is not known is not there. Source: DESIGN §1.
fn surely_unmet(verdict: Verdict) -> Vec<Need> {
    match verdict {
        Verdict::Met => Vec::new(),
        Verdict::Unmet(needs) | Verdict::Unknown(needs) => needs,
    }
}

/// The kind of device that is among aspects.
fn kind_among(aspects: &AspectSet) -> Option<DeviceType> {
    DeviceType::ALL.into_iter().find(|kind| Aspect::from_name(kind.name()).is_some_and(|aspect| aspects.contains(&aspect)))
}

/// The profile's answers; where the target's entry leaves something open, the device's own.
fn presented(real: &Capabilities, profile: Option<&Profile>) -> Capabilities {
    let Some(Profile { name, capabilities: profile }) = profile else { return real.clone() };
    let mut aspects = profile.aspects.clone();
    // Which device it stands for is an aspect, too, where there is one for it. Source: S4.
    aspects.extend(Aspect::from_name(&format!("ext_{name}")));
    if profile.may_support_other_aspects {
        // It is of one kind.
        let kinds = kind_among(&profile.aspects).map_or([].as_slice(), |_| &DeviceType::ALL);
        let is_other_kind = |aspect: &Aspect| kinds.iter().any(|kind| Aspect::from_name(kind.name()) == Some(*aspect));
        aspects.extend(real.aspects.iter().copied().filter(|aspect| !is_other_kind(aspect)));
    }
    Capabilities {
        aspects,
        may_support_other_aspects: false,
        sub_group_sizes: profile.sub_group_sizes.clone().or_else(|| real.sub_group_sizes.clone()),
        max_work_group_size: profile.max_work_group_size.or(real.max_work_group_size),
        max_work_item_sizes: profile.max_work_item_sizes.or(real.max_work_item_sizes),
        offers: profile.offers,
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("selector_name", &self.selector_name).finish_non_exhaustive()
    }
}
