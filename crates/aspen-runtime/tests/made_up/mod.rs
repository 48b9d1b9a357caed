//! Made-up devices: what they are asked to load is written down.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use aspen_contract::{Aspect, Capabilities, Offers};
use aspen_runtime::backend::{
    Backend, BackendKind, DeviceImage, DeviceType, Facts, Fit, Kernel, Launch, Part, PlatformFacts, Program, RawDevice, Task, UsmKind,
};
use aspen_runtime::registry::{KernelKey, ModuleRecord, Registry};
use aspen_runtime::system::{Device, System};
use aspen_runtime::{Code, Environment, Error, Result};

/// What devices were asked to load: their names, and bytes.
pub type Modules = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// What else happens while a device loads, and while a program goes.
#[derive(Clone, Default)]
pub struct Beside(pub Option<fn()>);

impl Beside {
    pub fn happens(&self) {
        self.0.unwrap_or(|| {})();
    }
}

/// A device without fp64 that takes `jit`, `aot` and, better, `exact`; and `broken`, best of all, which cannot be loaded.
pub struct Made {
    pub facts: Facts,
    pub capabilities: Capabilities,
    pub loads: Arc<Mutex<Vec<String>>>,
    pub modules: Modules,
    pub beside: Beside,
}

impl RawDevice for Made {
    fn device_type(&self) -> DeviceType {
        DeviceType::Gpu
    }
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }
    fn facts(&self) -> &Facts {
        &self.facts
    }
    fn fit(&self, image: &DeviceImage<'_>) -> Option<Fit> {
        match image.target() {
            "jit" => Some(Fit::JustInTime),
            "aot" => Some(Fit::AheadOfTime { level: 0 }),
            "exact" => Some(Fit::AheadOfTime { level: 1 }),
            "broken" => Some(Fit::AheadOfTime { level: 2 }),
            _ => None,
        }
    }
    fn runs_sub_group_size(&self, size: u32) -> bool {
        size == 8
    }
    fn load(&self, parts: &[Part<'_>]) -> Result<Arc<dyn Program>> {
        self.beside.happens();
        let part = |part: &Part<'_>| {
            let imports: String = part.imports.iter().map(|(symbol, from)| format!(" {symbol}<-{from}")).collect();
            format!("{}{imports}", part.image.name().unwrap_or_default())
        };
        let text = parts.iter().map(part).collect::<Vec<_>>().join(" + ");
        self.loads.lock().expect("no test panics in here").push(text);
        let modules = parts.iter().map(|part| (self.facts.name.clone(), part.image.bytes().to_vec()));
        self.modules.lock().expect("no test panics in here").extend(modules);
        if parts[0].image.target() == "broken" {
            return Err(Error::new(Code::Build, "the driver is too old"));
        }
        Ok(Arc::new(Loaded(self.beside.clone())))
    }
    fn allocate(&self, _: UsmKind, _: Layout) -> Result<NonNull<u8>> {
        Err(Error::new(Code::MemoryAllocation, "there is none"))
    }
    unsafe fn free(&self, _: NonNull<u8>, _: Layout) {}
    fn shares_host_memory(&self) -> bool {
        true
    }
    unsafe fn copy(&self, _: *mut u8, _: *const u8, _: usize) -> Result<()> {
        Ok(())
    }
    unsafe fn fill(&self, _: *mut u8, _: &[u8], _: usize) -> Result<()> {
        Ok(())
    }
}

pub struct Loaded(Beside);

impl Drop for Loaded {
    fn drop(&mut self) {
        self.0.happens();
    }
}

impl Program for Loaded {
    fn kernel(&self, _: &str) -> Result<Arc<dyn Kernel>> {
        Ok(Arc::new(Loaded(self.0.clone())))
    }
}

impl Kernel for Loaded {
    fn prepare(&self, _: Launch, _: usize) -> Result<Task> {
        Err(Error::new(Code::Runtime, "nothing runs here"))
    }
}

/// Made-up devices: names and aspects; and what they were asked to load: images' names, and their bytes by device.
#[derive(Clone, Default)]
pub struct Maker {
    pub devices: Vec<(&'static str, &'static [&'static str])>,
    pub loads: Arc<Mutex<Vec<String>>>,
    pub modules: Modules,
    pub beside: Beside,
}

impl Backend for Maker {
    fn kind(&self) -> BackendKind {
        BackendKind::OpenCl
    }
    fn platform(&self) -> PlatformFacts {
        PlatformFacts::default()
    }
    fn devices(&self) -> Vec<Arc<dyn RawDevice>> {
        let device = |(name, aspects): &(&'static str, &[&str])| -> Arc<dyn RawDevice> {
            let capabilities = Capabilities {
                aspects: aspects.iter().filter_map(|name| Aspect::from_name(name)).collect(),
                may_support_other_aspects: false,
                sub_group_sizes: Some(vec![8]),
                max_work_group_size: Some(64),
                max_work_item_sizes: Some([64; 3]),
                offers: Offers::Aspen(Some(BackendKind::OpenCl)),
            };
            let facts = Facts { name: (*name).into(), ..Facts::default() };
            Arc::new(Made {
                facts,
                capabilities,
                loads: Arc::clone(&self.loads),
                modules: Arc::clone(&self.modules),
                beside: self.beside.clone(),
            })
        };
        self.devices.iter().map(device).collect()
    }
}

/// A registry with a device, modules in the order they were loaded, and what the device loaded.
pub struct World {
    pub registry: Registry,
    pub device: &'static Device,
    pub loads: Arc<Mutex<Vec<String>>>,
}

/// The kernel that tests launch, from the first module.
pub const KERNEL: KernelKey<'static> = KernelKey { module: 1, tag: "", symbol: "K" };

pub fn started(maker: &Maker) -> &'static [&'static Device] {
    started_as(maker, None)
}

pub fn started_as(maker: &Maker, profile: Option<&str>) -> &'static [&'static Device] {
    let backends: Vec<Box<dyn Backend>> = vec![Box::new(maker.clone())];
    let environment = Environment { profile: profile.map(str::to_owned), ..Environment::default() };
    System::start(&backends, environment).expect("a sound environment").platforms()[0].devices()
}

impl World {
    pub fn new() -> World {
        let maker = Maker { devices: vec![("made up", &["gpu", "fp16"])], ..Maker::default() };
        World { registry: Registry::new(), device: started(&maker)[0], loads: maker.loads }
    }

    /// Registers images as a module of that anchor, forever.
    pub fn module(&self, anchor: usize, images: &[Vec<u8>]) {
        let bytes: &'static [u8] = images.concat().leak();
        let record = ModuleRecord { record: anchor, anchor, images: bytes.as_ptr(), images_size: bytes.len() };
        // SAFETY: leaked.
        unsafe { self.registry.register(record) };
    }

    /// What the check and then a launch say; then what was loaded since the last call.
    pub fn launch(&self) -> String {
        let checked = self.registry.check(self.device, KERNEL);
        let supported = self.registry.is_supported(self.device, KERNEL);
        assert!(self.loads.lock().expect("unpoisoned").is_empty(), "the check loads nothing");
        let loaded = self.registry.load(self.device, KERNEL);
        let again = self.registry.load(self.device, KERNEL);
        assert_eq!(loaded, again);
        assert_eq!(supported, Some(checked.is_ok()));
        let loads = std::mem::take(&mut *self.loads.lock().expect("unpoisoned")).join("; ");
        match (checked, loaded) {
            (Ok(()), Ok(_)) => format!("ok: {loads}"),
            (Ok(()), Err(error)) => format!("build {:?}: {error}: {loads}", error.code()),
            (Err(error), other) => {
                assert!(loads.is_empty() && other.err().as_ref() == Some(&error), "a refused kernel is not loaded");
                format!("{:?}: {error}", error.code())
            }
        }
    }
}
