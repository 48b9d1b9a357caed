//! What a driver answers about a device, as data.

use aspen_runtime::backend::DeviceType;

use crate::sys::{self, Api, cl_bitfield, cl_bool, cl_device_id, cl_int, cl_platform_id, cl_uint, cl_ulong, error_name};

/// The answers that capabilities and facts follow from. What a driver does not know is 0 or empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answers {
    /// `CL_DEVICE_NAME`.
    pub name: String,
    /// `CL_DEVICE_VENDOR`.
    pub vendor: String,
    /// `CL_DRIVER_VERSION`.
    pub driver_version: String,
    /// `CL_DEVICE_VERSION`.
    pub version: String,
    /// `CL_DEVICE_TYPE`.
    pub device_type: u64,
    /// `CL_DEVICE_EXTENSIONS`, the words.
    pub extensions: Vec<String>,
    /// `CL_DEVICE_IL_VERSION`: `SPIR-V_1.4 SPIR-V_1.3` or the like.
    pub il_version: String,
    /// Whether a tool is there that turns SPIR-V into what the driver takes; no answer of the driver's.
    pub translated: bool,
    /// `CL_DEVICE_DOUBLE_FP_CONFIG`.
    pub double_fp_config: u64,
    /// `CL_DEVICE_IMAGE_SUPPORT`.
    pub image_support: bool,
    /// `CL_DEVICE_AVAILABLE`.
    pub available: bool,
    /// `CL_DEVICE_COMPILER_AVAILABLE`.
    pub compiler_available: bool,
    /// `CL_DEVICE_LINKER_AVAILABLE`.
    pub linker_available: bool,
    /// `CL_DEVICE_QUEUE_ON_HOST_PROPERTIES`.
    pub queue_properties: u64,
    /// `CL_DEVICE_SVM_CAPABILITIES`.
    pub svm: u64,
    /// `CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL`.
    pub usm_host: u64,
    /// `CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL`.
    pub usm_device: u64,
    /// `CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL`.
    pub usm_shared: u64,
    /// `CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL`.
    pub usm_system: u64,
    /// `CL_DEVICE_SUB_GROUP_SIZES_INTEL`.
    pub sub_group_sizes: Vec<usize>,
    /// `CL_DEVICE_MAX_NUM_SUB_GROUPS`.
    pub max_sub_groups: u32,
    /// `CL_DEVICE_MAX_WORK_GROUP_SIZE`.
    pub max_work_group_size: usize,
    /// `CL_DEVICE_MAX_WORK_ITEM_SIZES`, in OpenCL's order.
    pub max_work_item_sizes: Vec<usize>,
    /// `CL_DEVICE_VENDOR_ID`.
    pub vendor_id: u32,
    /// `CL_DEVICE_IP_VERSION_INTEL`, of the extension `cl_intel_device_attribute_query`.
    pub ip_version: u32,
    /// `CL_DEVICE_MAX_COMPUTE_UNITS`.
    pub max_compute_units: u32,
    /// `CL_DEVICE_MAX_CLOCK_FREQUENCY` in MHz.
    pub max_clock_frequency: u32,
    /// `CL_DEVICE_ADDRESS_BITS`.
    pub address_bits: u32,
    /// `CL_DEVICE_MAX_MEM_ALLOC_SIZE`.
    pub max_mem_alloc_size: u64,
    /// `CL_DEVICE_MAX_PARAMETER_SIZE`.
    pub max_parameter_size: usize,
    /// `CL_DEVICE_MEM_BASE_ADDR_ALIGN` in bits.
    pub mem_base_addr_align: u32,
    /// `CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE`.
    pub cache_line_size: u32,
    /// `CL_DEVICE_GLOBAL_MEM_CACHE_SIZE`.
    pub cache_size: u64,
    /// `CL_DEVICE_GLOBAL_MEM_SIZE`.
    pub global_mem_size: u64,
    /// `CL_DEVICE_LOCAL_MEM_SIZE`.
    pub local_mem_size: u64,
    /// `CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE`: 0 where programs have no variables that outlast kernels.
    pub max_global_variable_size: usize,
    /// `CL_DEVICE_PROFILING_TIMER_RESOLUTION` in nanoseconds.
    pub profiling_timer_resolution: usize,
}

impl Answers {
    /// Whether the device has the extension.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|extension| extension == name)
    }

    /// Whether it takes SPIR-V of any version, itself or through a tool.
    pub fn takes_spirv(&self) -> bool {
        self.compiler_available && (self.translated || self.knows_spirv())
    }

    /// Whether it could take SPIR-V if that was made bitcode first. Source: `cl_khr_spir`.
    pub(crate) fn wants_bitcode(&self) -> bool {
        self.compiler_available && !self.knows_spirv() && self.has_extension("cl_khr_spir")
    }

    fn knows_spirv(&self) -> bool {
        self.il_version.split_whitespace().any(|version| version.starts_with("SPIR-V_"))
    }

    /// Whether it has any USM allocations.
    pub fn has_usm(&self) -> bool {
        (self.usm_device | self.usm_host | self.usm_shared) & sys::CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL != 0
    }

    /// Whether it has SVM allocations, which are used where there is no USM.
    pub fn has_svm(&self) -> bool {
        self.svm & (sys::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | sys::CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0
    }

    /// Whether SVM stands for USM, and has all these capabilities.
    pub fn has_svm_instead(&self, capabilities: u64) -> bool {
        !self.has_usm() && self.has_svm() && self.svm & capabilities == capabilities
    }

    /// Whether kernels reach all memory of the host. Where USM and SVM disagree (the FPGA emulator), the more careful answer counts.
    pub fn has_system_memory(&self) -> bool {
        if self.has_usm() {
            return self.usm_system & sys::CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL != 0;
        }
        self.svm & sys::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0
    }

    /// Its type; the more special one where a driver gives several.
    pub fn device_type(&self) -> DeviceType {
        match self.device_type {
            bits if bits & sys::CL_DEVICE_TYPE_ACCELERATOR != 0 => DeviceType::Accelerator,
            bits if bits & sys::CL_DEVICE_TYPE_GPU != 0 => DeviceType::Gpu,
            bits if bits & sys::CL_DEVICE_TYPE_CPU != 0 => DeviceType::Cpu,
            _ => DeviceType::Custom,
        }
    }

    /// Asks the driver. `usm`: whether its platform has the functions of USM.
    ///
    /// # Errors
    /// The name of OpenCL's error if the driver does not even tell the device's type.
    pub(crate) fn ask(api: &Api, device: cl_device_id, usm: bool) -> Result<Answers, &'static str> {
        let ask = Questions { api, device };
        let device_type = ask.scalar::<cl_bitfield>(sys::CL_DEVICE_TYPE).map_err(error_name)?;
        let number = |what| ask.scalar::<cl_uint>(what).unwrap_or(0);
        let long = |what| ask.scalar::<cl_ulong>(what).unwrap_or(0);
        let size = |what| ask.scalar::<usize>(what).unwrap_or(0);
        let truth = |what| ask.scalar::<cl_bool>(what).unwrap_or(0) != 0;
        let extensions: Vec<String> = ask.text(sys::CL_DEVICE_EXTENSIONS).split_whitespace().map(str::to_owned).collect();
        let has = |name: &str| extensions.iter().any(|extension| extension == name);
        // Older drivers list a preview of the extension, or nothing: whoever has the functions and answers has USM.
        let usm = |what| if usm { long(what) } else { 0 };
        let sub_group_sizes =
            if has("cl_intel_required_subgroup_size") { ask.list::<usize>(sys::CL_DEVICE_SUB_GROUP_SIZES_INTEL) } else { Vec::new() };
        Ok(Answers {
            name: ask.text(sys::CL_DEVICE_NAME),
            vendor: ask.text(sys::CL_DEVICE_VENDOR),
            driver_version: ask.text(sys::CL_DRIVER_VERSION),
            version: ask.text(sys::CL_DEVICE_VERSION),
            device_type,
            il_version: ask.text(sys::CL_DEVICE_IL_VERSION),
            translated: false,
            double_fp_config: long(sys::CL_DEVICE_DOUBLE_FP_CONFIG),
            image_support: truth(sys::CL_DEVICE_IMAGE_SUPPORT),
            available: truth(sys::CL_DEVICE_AVAILABLE),
            compiler_available: truth(sys::CL_DEVICE_COMPILER_AVAILABLE),
            linker_available: truth(sys::CL_DEVICE_LINKER_AVAILABLE),
            queue_properties: long(sys::CL_DEVICE_QUEUE_ON_HOST_PROPERTIES),
            svm: long(sys::CL_DEVICE_SVM_CAPABILITIES),
            usm_host: usm(sys::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL),
            usm_device: usm(sys::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL),
            usm_shared: usm(sys::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL),
            usm_system: usm(sys::CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL),
            sub_group_sizes,
            max_sub_groups: number(sys::CL_DEVICE_MAX_NUM_SUB_GROUPS),
            max_work_group_size: size(sys::CL_DEVICE_MAX_WORK_GROUP_SIZE),
            max_work_item_sizes: ask.list(sys::CL_DEVICE_MAX_WORK_ITEM_SIZES),
            vendor_id: number(sys::CL_DEVICE_VENDOR_ID),
            ip_version: if has("cl_intel_device_attribute_query") { number(sys::CL_DEVICE_IP_VERSION_INTEL) } else { 0 },
            max_compute_units: number(sys::CL_DEVICE_MAX_COMPUTE_UNITS),
            max_clock_frequency: number(sys::CL_DEVICE_MAX_CLOCK_FREQUENCY),
            address_bits: number(sys::CL_DEVICE_ADDRESS_BITS),
            max_mem_alloc_size: long(sys::CL_DEVICE_MAX_MEM_ALLOC_SIZE),
            max_parameter_size: size(sys::CL_DEVICE_MAX_PARAMETER_SIZE),
            mem_base_addr_align: number(sys::CL_DEVICE_MEM_BASE_ADDR_ALIGN),
            cache_line_size: number(sys::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE),
            cache_size: long(sys::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
            global_mem_size: long(sys::CL_DEVICE_GLOBAL_MEM_SIZE),
            local_mem_size: long(sys::CL_DEVICE_LOCAL_MEM_SIZE),
            max_global_variable_size: size(sys::CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE),
            profiling_timer_resolution: size(sys::CL_DEVICE_PROFILING_TIMER_RESOLUTION),
            extensions,
        })
    }
}

struct Questions<'a> {
    api: &'a Api,
    device: cl_device_id,
}

impl Questions<'_> {
    fn scalar<T: Default>(&self, what: cl_uint) -> Result<T, cl_int> {
        let mut value = T::default();
        let into = std::ptr::from_mut(&mut value).cast();
        // SAFETY: a device of this loader, and room for one value of a plain type.
        let error = unsafe { (self.api.clGetDeviceInfo)(self.device, what, size_of::<T>(), into, std::ptr::null_mut()) };
        if error == sys::CL_SUCCESS { Ok(value) } else { Err(error) }
    }

    fn list<T: Copy + Default>(&self, what: cl_uint) -> Vec<T> {
        // SAFETY: a device of this loader.
        let bytes = bytes(|size, into, needed| unsafe { (self.api.clGetDeviceInfo)(self.device, what, size, into, needed) });
        bytes
            .chunks_exact(size_of::<T>())
            .map(|chunk| {
                let mut value = T::default();
                // SAFETY: as many bytes as a `T`, a plain number, has.
                unsafe { std::ptr::copy_nonoverlapping(chunk.as_ptr(), std::ptr::from_mut(&mut value).cast(), chunk.len()) };
                value
            })
            .collect()
    }

    fn text(&self, what: cl_uint) -> String {
        // SAFETY: a device of this loader.
        text(bytes(|size, into, needed| unsafe { (self.api.clGetDeviceInfo)(self.device, what, size, into, needed) }))
    }
}

/// A text about a platform.
pub(crate) fn platform_text(api: &Api, platform: cl_platform_id, what: cl_uint) -> String {
    // SAFETY: a platform of this loader.
    text(bytes(|size, into, needed| unsafe { (api.clGetPlatformInfo)(platform, what, size, into, needed) }))
}

/// The answer to one of OpenCL's questions of unknown length; empty if the driver does not answer.
pub(crate) fn bytes(mut ask: impl FnMut(usize, *mut std::ffi::c_void, *mut usize) -> cl_int) -> Vec<u8> {
    let mut needed = 0;
    if ask(0, std::ptr::null_mut(), &mut needed) != sys::CL_SUCCESS || needed == 0 {
        return Vec::new();
    }
    let mut bytes = vec![0_u8; needed];
    if ask(needed, bytes.as_mut_ptr().cast(), std::ptr::null_mut()) == sys::CL_SUCCESS { bytes } else { Vec::new() }
}

/// A C string as drivers give it, sometimes with blanks around it.
pub(crate) fn text(bytes: Vec<u8>) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}
