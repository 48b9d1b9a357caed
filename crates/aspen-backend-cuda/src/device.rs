//! A device: its context, its streams, and who watches them.

use std::sync::{Arc, Mutex, OnceLock};

use aspen_contract::Capabilities;
use aspen_runtime::backend::{Facts, Native};
use aspen_runtime::{Code, Error};

use crate::answers::Answers;
use crate::capabilities::{capabilities, facts};
use crate::driver::{Context, Driver, Made, Stream, Tried, lock, stay_entered};
use crate::fill;
use crate::lanes::Lanes;
use crate::launcher::Launcher;
use crate::submitted::Given;
use crate::sys::{self, CUcontext, CUdevice, CUstream};
use crate::watch::Watch;

/// A device.
pub(crate) struct Device {
    driver: Driver,
    id: CUdevice,
    answers: Answers,
    capabilities: Capabilities,
    facts: Facts,
    /// Made when the first command needs it: most programs only look at a device, and a context takes a second and much memory.
    context: Made<Context>,
    /// What fills memory with patterns that the driver has no function for.
    fill: Made<fill::Kernel>,
    /// The stream of programs that use the driver beside SYCL.
    native: Made<Stream>,
    /// Streams that nobody uses at the moment, for what is waited for at once.
    streams: Mutex<Vec<Stream>>,
    /// Those of all other work.
    lanes: Lanes,
    watch: Arc<Watch>,
    launcher: Arc<Launcher<Given>>,
    /// What was in flight when the context was found lost.
    suspects: OnceLock<Vec<String>>,
}

impl Device {
    /// A device of the driver.
    pub(crate) fn new(driver: Driver, id: CUdevice) -> Tried<Device> {
        let answers = Answers::ask(driver, id)?;
        Ok(Device {
            driver,
            id,
            capabilities: capabilities(&answers),
            facts: facts(&answers),
            answers,
            context: Made::default(),
            fill: Made::default(),
            native: Made::default(),
            streams: Mutex::default(),
            lanes: Lanes::default(),
            watch: Arc::default(),
            launcher: Arc::default(),
            suspects: OnceLock::new(),
        })
    }

    pub(crate) fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(crate) fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    pub(crate) fn watch(&self) -> &Arc<Watch> {
        &self.watch
    }

    /// Who puts jobs into streams for those who submit many.
    pub(crate) fn launcher(&self) -> &Arc<Launcher<Given>> {
        &self.launcher
    }

    /// The kernel that fills memory, in the current context.
    pub(crate) fn fill_kernel(&self) -> Tried<fill::Kernel> {
        self.fill.get_or_make(fill::Kernel::load).copied()
    }

    /// Devices that may reach this one's memory.
    pub(crate) fn peers(&self) -> Vec<CUdevice> {
        let others = self.driver.devices().unwrap_or_default();
        others.into_iter().filter(|other| *other != self.id && self.driver.reaches(*other, self.id)).collect()
    }

    /// Whether its kernels reach another one's memory: that of pools, to which peers have access.
    pub(crate) fn reaches(&self, other: CUdevice) -> bool {
        other != self.id && self.answers.memory_pools && self.driver.reaches(self.id, other)
    }

    /// The jobs of which one has lost the context. Once it is lost, every call fails.
    pub(crate) fn suspects(&self) -> &[String] {
        self.suspects.get_or_init(|| self.watch.names())
    }

    pub(crate) fn name(&self) -> &str {
        &self.facts.name
    }

    pub(crate) fn answers(&self) -> &Answers {
        &self.answers
    }

    /// An error that names the device.
    pub(crate) fn error(&self, code: Code, failure: impl std::fmt::Display) -> Error {
        Error::new(code, format!("{} device '{}': {failure}", sys::NAME, self.name()))
    }

    /// Calls the driver in this device's context.
    pub(crate) fn enter<T>(&self, call: impl FnOnce() -> Tried<T>) -> Tried<T> {
        self.context()?.enter(call)
    }

    /// From now on the calling thread, which is ours, is in this device's context unless it enters another.
    pub(crate) fn stay_entered(&self) {
        if let Ok(context) = self.context() {
            stay_entered(context.raw());
        }
    }

    fn context(&self) -> Tried<&Context> {
        self.context.get_or_make(|| Context::retain(self.driver, self.id))
    }

    /// An object of the driver's that programs may use beside SYCL.
    pub(crate) fn native(&self, what: Native) -> Tried<Option<usize>> {
        Ok(match what {
            Native::Platform => None,
            Native::Device => usize::try_from(self.id).ok(),
            Native::Context => Some(self.context()?.raw().expose_provenance()),
            Native::Queue => Some(self.native_stream()?.expose_provenance()),
            Native::Event | Native::Memory | Native::Program | Native::Kernel => None,
        })
    }

    /// The stream of programs that use the driver beside SYCL.
    pub(crate) fn native_stream(&self) -> Tried<CUstream> {
        self.native.get_or_make(|| self.enter(Stream::create)).map(|stream| stream.0)
    }

    /// Its primary context, in which kernels run.
    pub(crate) fn primary(&self) -> Tried<CUcontext> {
        self.context().map(Context::raw)
    }

    pub(crate) fn id(&self) -> CUdevice {
        self.id
    }

    /// Submits to a stream of its own and returns when all of that is done.
    pub(crate) fn on_stream(&self, submit: impl FnOnce(CUstream) -> Tried<()>) -> Tried<()> {
        self.enter(|| {
            let spare = lock(&self.streams).pop();
            let stream = spare.map_or_else(Stream::create, Ok)?;
            submit(stream.0)?;
            stream.finish()?;
            lock(&self.streams).push(stream);
            Ok(())
        })
    }
}
