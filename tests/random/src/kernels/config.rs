//! How programs are compiled and run.

/// How a program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Whole work-groups, where the compiler could make them.
    Groups,
    /// The same, made for x86-64 of this level at most.
    Level(u32),
    /// Every item by itself.
    Items,
    /// The first OpenCL device (`OCL_ICD_VENDORS` and the like say which): by hand only.
    OpenCl,
}

impl Way {
    pub fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Way::Groups => &[("ASPEN_DEVICE_SELECTOR", "native_cpu")],
            Way::Level(1) => &[("ASPEN_DEVICE_SELECTOR", "native_cpu"), ("ASPEN_CPU_LEVEL", "1")],
            Way::Level(_) => &[("ASPEN_DEVICE_SELECTOR", "native_cpu"), ("ASPEN_CPU_LEVEL", "3")],
            Way::Items => &[("ASPEN_DEVICE_SELECTOR", "native_cpu"), ("ASPEN_CPU_GROUPS", "items")],
            Way::OpenCl => &[("ASPEN_DEVICE_SELECTOR", "opencl:*")],
        }
    }

    /// As one types it before the program's name.
    pub fn shown(self) -> String {
        self.environment().iter().map(|(name, value)| format!("{name}={value} ")).collect()
    }
}

pub struct Config {
    pub name: &'static str,
    pub options: &'static [&'static str],
    pub ways: &'static [Way],
    /// Taken without being asked for.
    pub usual: bool,
}

const BOTH: &[Way] = &[Way::Groups, Way::Items];
const ALL: &[Way] = &[Way::Groups, Way::Level(1), Way::Level(3), Way::Items];
const CPU: &str = "-fsycl-targets=native_cpu";

/// Every optimisation level, level of x86-64, way of splitting, and mode.
pub const CONFIGS: [Config; 13] = [
    Config { name: "O0", options: &["-O0", CPU], ways: ALL, usual: true },
    Config { name: "O1", options: &["-O1", CPU], ways: ALL, usual: true },
    Config { name: "O2", options: &["-O2", CPU], ways: ALL, usual: true },
    Config { name: "O3", options: &["-O3", CPU], ways: ALL, usual: true },
    Config { name: "v2", options: &["-O2", "-fsycl-targets=x86_64_v2"], ways: BOTH, usual: true },
    Config { name: "v3", options: &["-O1", "-fsycl-targets=x86_64_v3"], ways: BOTH, usual: true },
    Config { name: "v3v4", options: &["-O3", "-fsycl-targets=x86_64_v3,x86_64_v4"], ways: BOTH, usual: true },
    Config {
        name: "conditional",
        options: &["-O2", "-fsycl-optional-features=conditional", "-fsycl-targets=native_cpu,spir64"],
        ways: &[Way::Groups],
        usual: true,
    },
    Config { name: "per_kernel", options: &["-O2", "-fsycl-device-code-split=per_kernel", CPU], ways: &[Way::Groups], usual: true },
    Config { name: "off", options: &["-O2", "-fsycl-device-code-split=off", CPU], ways: &[Way::Groups], usual: true },
    Config { name: "opencl-O2", options: &["-O2", "-fsycl-targets=spir64"], ways: &[Way::OpenCl], usual: false },
    Config { name: "opencl-O0", options: &["-O0", "-fsycl-targets=spir64"], ways: &[Way::OpenCl], usual: false },
    Config {
        name: "opencl-conditional",
        options: &["-O1", "-fsycl-optional-features=conditional", "-fsycl-targets=spir64"],
        ways: &[Way::OpenCl],
        usual: false,
    },
];
