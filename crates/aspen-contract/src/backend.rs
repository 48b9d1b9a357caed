//! What runs device code: the backends of the runtime, by which offers and devices differ.

/// The backends the C ABI numbers (`aspen_backend_t`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum BackendKind {
    /// The embedded CPU.
    NativeCpu = 0,
    /// OpenCL drivers.
    OpenCl = 1,
    /// CUDA drivers.
    Cuda = 2,
    /// HIP runtimes.
    Hip = 3,
}

impl BackendKind {
    /// Every backend that `ASPEN_DEVICE_SELECTOR` knows, whether or not it has devices here.
    pub const ALL: [BackendKind; 4] = [BackendKind::NativeCpu, BackendKind::OpenCl, BackendKind::Cuda, BackendKind::Hip];

    /// Its name in `ASPEN_DEVICE_SELECTOR`.
    pub fn name(self) -> &'static str {
        match self {
            BackendKind::NativeCpu => "native_cpu",
            BackendKind::OpenCl => "opencl",
            BackendKind::Cuda => "cuda",
            BackendKind::Hip => "hip",
        }
    }
}
