// The built-in targets: what Aspen knows of devices before it meets them. Source: S2 "High-Level Design".
//
// `cargo xtask generate` runs aspen-tblgen on this file and writes the table that crate aspen-devices embeds; a test holds the two
// together. For C++: `aspen-tblgen -gen-dynamic-tables -I data data/devices.td -o device_config_file.inc`, included after
//
//     struct TargetInfo {
//       std::vector<std::string> aspects;
//       bool maySupportOtherAspects;
//       std::vector<unsigned> subGroupSizes;
//       std::string aotToolchain, aotToolchainOptions;
//     };
//
// S2's own text does not compile as printed; what differs: its struct has the members in another order than its table, a semicolon and
// the field TargetName are missing (DESIGN §7.21). `spir64` and `spir64_gen` stand for any device and so have no entry (S3).

include "DynamicTable.td"
include "Aspects.td"

def TargetTable : DynamicTable {
  let FilterClass = "TargetInfo";
  let Fields = ["TargetName", "aspects", "maySupportOtherAspects", "subGroupSizes", "aotToolchain", "aotToolchainOptions"];
  let RustFields = Fields # ["aliasOf"];
  string TypeOf_aspects = "list<Aspect>";
  string TypeOf_subGroupSizes = "list<int>";
}

// A target. No sub-group sizes: they are not known. No toolchain: Aspen makes the image itself.
class TargetInfo<string name, list<Aspect> aspectList, bit otherAspects, list<int> listSubGroupSizes, string toolchain = "",
                 string options = ""> {
  string TargetName = name;
  list<Aspect> aspects = aspectList;
  bits<1> maySupportOtherAspects = otherAspects;
  list<int> subGroupSizes = listSubGroupSizes;
  string aotToolchain = toolchain;
  string aotToolchainOptions = options;
  // The target that this is another name of.
  string aliasOf = "";
}

// Another name of a target, with all that the target has. S4 and the public table have them.
class TargetAlias<string name, TargetInfo target>
    : TargetInfo<name, target.aspects, target.maySupportOtherAspects{0}, target.subGroupSizes, target.aotToolchain,
                 target.aotToolchainOptions> {
  let aliasOf = target.TargetName;
}

// ---------------------------------------------------------------------------------------------------------------------------------------
// Intel GPUs. fp16, fp64, atomic64, ext_intel_esimd, ext_oneapi_fragment/chunk/tangle and the sub-group sizes are the rows of the public
// device table of the DPC++ compiler; a test compares them with a copy. Its authors say that the lists are incomplete ("gpu" itself is
// missing), so that a kernel which only declares what every one of these devices has would be refused. Each addition has its source here.

defvar EveryIntelGpu = [
  // The public device table.
  AspectFp16, AspectAtomic64, AspectExt_intel_esimd, AspectExt_oneapi_fragment, AspectExt_oneapi_chunk, AspectExt_oneapi_tangle,
  // They are GPUs.
  AspectGpu,
  // The driver contains its compiler (IGC) on all of them: CL_DEVICE_COMPILER_AVAILABLE and CL_DEVICE_LINKER_AVAILABLE are true, and
  // full-profile OpenCL requires them to be (OpenCL API specification, table of device queries).
  AspectOnline_compiler, AspectOnline_linker,
  // Required of every OpenCL and Level Zero queue (CL_QUEUE_PROFILING_ENABLE is core).
  AspectQueue_profiling,
  // Intel's compute runtime (NEO) lists cl_intel_unified_shared_memory for Gen8 and later, with these three kinds. System allocations and
  // cross-device atomics it does not promise in general, so they are absent.
  AspectUsm_device_allocations, AspectUsm_host_allocations, AspectUsm_shared_allocations,
  // The SYCL extension "Intel device information descriptors" documents these queries for all Intel GPUs; the driver answers them through
  // cl_intel_device_attribute_query, cl_khr_pci_bus_info and Level Zero's device properties. Queries that need system management or the
  // memory's clock (free memory, bandwidth, fans, power) depend on the machine and are absent.
  AspectExt_intel_device_id, AspectExt_intel_device_info_uuid, AspectExt_intel_pci_address, AspectExt_intel_gpu_eu_count,
  AspectExt_intel_gpu_eu_simd_width, AspectExt_intel_gpu_slices, AspectExt_intel_gpu_subslices_per_slice,
  AspectExt_intel_gpu_eu_count_per_subslice, AspectExt_intel_gpu_hw_threads_per_eu];

// The public device table.
defvar Fp64 = [AspectFp64];

// CL_DEVICE_IMAGE_SUPPORT: the public hardware tables of NEO say yes for Gen8 to Xe-HPG and no for Xe-HPC (pvc), which has no sampler.
defvar Images = [AspectImage, AspectExt_intel_legacy_image];

// All but the cards dg1, acm_*, bmg_* and pvc are parts of a processor (Intel's product pages).
defvar Integrated = [AspectExt_oneapi_is_integrated_gpu];

// Xe-HPG, Xe-HPC, Xe2 and Xe3 have matrix engines (XMX); the SYCL matrix extension lists the families.
defvar Matrix = [AspectExt_intel_matrix];

defvar From8 = [8, 16, 32];
defvar From16 = [16, 32];

// S2's auto-detection, written out: `intel_gpu_X` is compiled by ocloc with `-device X`, where ocloc writes X with dashes.
class IntelGpu<string device, list<Aspect> more, list<int> sizes, string oclocDevice = !subst("_", "-", device)>
    : TargetInfo<"intel_gpu_" # device, EveryIntelGpu # more, 0, sizes, "ocloc", "-device " # oclocDevice>;

// Those that S4 names have an aspect of their own.
class NamedGpu<string device, list<Aspect> more, list<int> sizes, string oclocDevice = !subst("_", "-", device)>
    : IntelGpu<device, more # [!cast<Aspect>("AspectExt_intel_gpu_" # device)], sizes, oclocDevice>;

def Bdw : NamedGpu<"bdw", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_8_0_0", Bdw>;
def Skl : NamedGpu<"skl", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_9_0_9", Skl>;
def Kbl : NamedGpu<"kbl", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_9_1_9", Kbl>;
def Cfl : NamedGpu<"cfl", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_9_2_9", Cfl>;
def Apl : NamedGpu<"apl", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_bxt", Apl>;
def : TargetAlias<"intel_gpu_9_3_0", Apl>;
def Glk : NamedGpu<"glk", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_9_4_0", Glk>;
def Whl : NamedGpu<"whl", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_9_5_0", Whl>;
def Aml : NamedGpu<"aml", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_9_6_0", Aml>;
def Cml : NamedGpu<"cml", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_9_7_0", Cml>;
def Icllp : NamedGpu<"icllp", Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_icl", Icllp>;
def : TargetAlias<"intel_gpu_11_0_0", Icllp>;
def Ehl : NamedGpu<"ehl", Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_jsl", Ehl>;
def : TargetAlias<"intel_gpu_11_2_0", Ehl>;
def Tgllp : NamedGpu<"tgllp", Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_tgl", Tgllp>;
def : TargetAlias<"intel_gpu_12_0_0", Tgllp>;
def Rkl : NamedGpu<"rkl", Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_12_1_0", Rkl>;
def AdlS : NamedGpu<"adl_s", Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_12_2_0", AdlS>;
// The public table makes rpl_s another name of adl_s; S4 gives it a macro and an aspect of its own, so it is a target of its own. The
// processor graphics are the same, and ocloc has no other name for them.
def RplS : NamedGpu<"rpl_s", Images # Integrated, From8, "adl-s">;
def AdlP : NamedGpu<"adl_p", Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_12_3_0", AdlP>;
def AdlN : NamedGpu<"adl_n", Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_12_4_0", AdlN>;
def Dg1 : NamedGpu<"dg1", Images, From8>;
def : TargetAlias<"intel_gpu_12_10_0", Dg1>;
def AcmG10 : NamedGpu<"acm_g10", Images # Matrix, From8>;
def : TargetAlias<"intel_gpu_dg2_g10", AcmG10>;
def : TargetAlias<"intel_gpu_12_55_8", AcmG10>;
def AcmG11 : NamedGpu<"acm_g11", Images # Matrix, From8>;
def : TargetAlias<"intel_gpu_dg2_g11", AcmG11>;
def : TargetAlias<"intel_gpu_12_56_5", AcmG11>;
def AcmG12 : NamedGpu<"acm_g12", Images # Matrix, From8>;
def : TargetAlias<"intel_gpu_dg2_g12", AcmG12>;
def : TargetAlias<"intel_gpu_12_57_0", AcmG12>;
def Pvc : NamedGpu<"pvc", Fp64 # Matrix, From16>;
def : TargetAlias<"intel_gpu_12_60_7", Pvc>;

// Intel GPUs that S4 does not name, after the same rows and rules. Their architectures have no aspects of their own. What is not public
// is left out: matrix engines only where the SYCL matrix extension lists the family, images not for cri. dg2, mtl, bmg and ptl name
// families.
def Cri : IntelGpu<"cri", Fp64, From16>;
def : TargetAlias<"intel_gpu_35_11_0", Cri>;
def NvlP : IntelGpu<"nvl_p", Fp64 # Images # Integrated, From16>;
def : TargetAlias<"intel_gpu_35_10_0", NvlP>;
def NvlU : IntelGpu<"nvl_u", Fp64 # Images # Integrated, From16>;
def : TargetAlias<"intel_gpu_nvl_h", NvlU>;
def : TargetAlias<"intel_gpu_30_5_0", NvlU>;
def NvlS : IntelGpu<"nvl_s", Fp64 # Images # Integrated, From16>;
def : TargetAlias<"intel_gpu_nvl_hx", NvlS>;
def : TargetAlias<"intel_gpu_nvl_ul", NvlS>;
def : TargetAlias<"intel_gpu_30_4_0", NvlS>;
def Wcl : IntelGpu<"wcl", Fp64 # Images # Integrated, From16>;
def : TargetAlias<"intel_gpu_30_3_0", Wcl>;
def Ptl : IntelGpu<"ptl", Fp64 # Images # Integrated # Matrix, From16>;
def PtlU : IntelGpu<"ptl_u", Fp64 # Images # Integrated # Matrix, From16>;
def : TargetAlias<"intel_gpu_30_1_1", PtlU>;
def PtlH : IntelGpu<"ptl_h", Fp64 # Images # Integrated # Matrix, From16>;
def : TargetAlias<"intel_gpu_30_0_4", PtlH>;
def Bmg : IntelGpu<"bmg", Fp64 # Images # Matrix, From16>;
def LnlM : IntelGpu<"lnl_m", Fp64 # Images # Integrated # Matrix, From16>;
def : TargetAlias<"intel_gpu_20_4_4", LnlM>;
def BmgG31 : IntelGpu<"bmg_g31", Fp64 # Images # Matrix, From16>;
def : TargetAlias<"intel_gpu_20_2_0", BmgG31>;
def BmgG21 : IntelGpu<"bmg_g21", Fp64 # Images # Matrix, From16>;
def : TargetAlias<"intel_gpu_20_1_4", BmgG21>;
def ArlH : IntelGpu<"arl_h", Fp64 # Images # Integrated # Matrix, From8>;
def : TargetAlias<"intel_gpu_12_74_4", ArlH>;
def Mtl : IntelGpu<"mtl", Fp64 # Images # Integrated, From8>;
def MtlH : IntelGpu<"mtl_h", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_12_71_4", MtlH>;
def MtlU : IntelGpu<"mtl_u", Fp64 # Images # Integrated, From8>;
def : TargetAlias<"intel_gpu_mtl_s", MtlU>;
def : TargetAlias<"intel_gpu_arl_u", MtlU>;
def : TargetAlias<"intel_gpu_arl_s", MtlU>;
def : TargetAlias<"intel_gpu_12_70_4", MtlU>;
def PvcVg : IntelGpu<"pvc_vg", Fp64 # Matrix, From16>;
def : TargetAlias<"intel_gpu_12_61_7", PvcVg>;
def Dg2 : IntelGpu<"dg2", Images # Matrix, From8>;

// ---------------------------------------------------------------------------------------------------------------------------------------
// Processors

// The embedded CPU device: exactly what it has. `aspen devices` shows the same, and a test compares. ASPEN_CPU_SUB_GROUP_SIZE=64 adds that
// size when a program runs, so kernels that require it are compiled.
class EmbeddedCpu<string name> : TargetInfo<name, [
  AspectCpu, AspectFp16, AspectFp64, AspectAtomic64, AspectImage, AspectExt_intel_legacy_image, AspectOnline_compiler, AspectOnline_linker,
  AspectQueue_profiling, AspectHost_debuggable, AspectUsm_device_allocations, AspectUsm_host_allocations, AspectUsm_shared_allocations,
  AspectUsm_system_allocations, AspectUsm_atomic_host_allocations, AspectUsm_atomic_shared_allocations, AspectExt_oneapi_fragment,
  AspectExt_oneapi_chunk, AspectExt_intel_matrix, AspectExt_oneapi_graph, AspectExt_oneapi_limited_graph,
  AspectExt_oneapi_virtual_mem, AspectExt_oneapi_async_memory_alloc, AspectExt_oneapi_clock_sub_group, AspectExt_oneapi_clock_work_group, AspectExt_oneapi_clock_device], 0, [4, 8, 16, 32]>;
def NativeCpu : EmbeddedCpu<"native_cpu">;
// The same device where the processor has a level of the x86-64 psABI: its images are taken before those of native_cpu.
foreach level = ["v2", "v3", "v4"] in
  def : EmbeddedCpu<"x86_64_" # level>;

// Any x86-64 processor through OpenCL. The list is that of the public table without its queries about GPUs, and with image, which its
// ext_intel_legacy_image implies (CL_DEVICE_IMAGE_SUPPORT is both); newer processors and drivers have more, so the targets are open.
defvar X86 = [
  AspectCpu, AspectImage, AspectFp16, AspectFp64, AspectQueue_profiling, AspectAtomic64, AspectExt_oneapi_srgb, AspectExt_oneapi_native_assert,
  AspectExt_intel_legacy_image, AspectExt_oneapi_fragment, AspectExt_oneapi_chunk, AspectExt_oneapi_tangle,
  AspectExt_oneapi_private_alloca, AspectOnline_compiler, AspectOnline_linker, AspectExt_intel_device_id,
  AspectExt_oneapi_virtual_functions, AspectUsm_device_allocations, AspectUsm_host_allocations, AspectUsm_shared_allocations,
  AspectUsm_system_allocations, AspectUsm_atomic_host_allocations, AspectUsm_atomic_shared_allocations];

class Processor<string name, list<Aspect> more = []> : TargetInfo<name, X86 # more, 1, [4, 8, 16, 32, 64]>;

// ext_intel_x86_64 is S4's.
def : Processor<"spir64_x86_64", [AspectExt_intel_x86_64]>;
foreach name = ["x86_64", "intel_cpu_spr", "intel_cpu_gnr"] in
  def : Processor<name>;

// ---------------------------------------------------------------------------------------------------------------------------------------
// CUDA: the rows of the public table. Later hardware and drivers may have more, so the targets are open.

defvar EveryNvidiaGpu = [
  AspectGpu, AspectFp64, AspectOnline_compiler, AspectOnline_linker, AspectQueue_profiling, AspectUsm_device_allocations,
  AspectUsm_host_allocations, AspectUsm_shared_allocations, AspectExt_intel_pci_address, AspectExt_intel_device_info_uuid,
  AspectExt_oneapi_native_assert, AspectExt_intel_free_memory, AspectExt_intel_device_id, AspectExt_intel_memory_clock_rate,
  AspectExt_intel_memory_bus_width, AspectExt_oneapi_bindless_images, AspectExt_oneapi_bindless_images_shared_usm,
  AspectExt_oneapi_bindless_images_1d_usm, AspectExt_oneapi_bindless_images_2d_usm, AspectExt_oneapi_external_memory_import,
  AspectExt_oneapi_external_semaphore_import, AspectExt_oneapi_mipmap, AspectExt_oneapi_mipmap_anisotropy,
  AspectExt_oneapi_mipmap_level_reference, AspectExt_oneapi_fragment, AspectExt_oneapi_chunk, AspectExt_oneapi_graph,
  AspectExt_oneapi_limited_graph, AspectExt_oneapi_cubemap, AspectExt_oneapi_cubemap_seamless_filtering,
  AspectExt_oneapi_image_array, AspectExt_oneapi_unique_addressing_per_dim, AspectExt_oneapi_bindless_images_sample_2d_usm];

defvar Sm60 = [AspectFp16, AspectAtomic64];
defvar Sm80 = Sm60 # [AspectExt_oneapi_cuda_async_barrier];
// The public row of sm_90 also has usm_system_allocations and usm_atomic_host_allocations. These belong to the machine: where processor and
// GPU share page tables (GH200) both are there; an H200 behind PCI Express answers no to both (docs/CUDA.md). The targets are open.
defvar Sm90 = Sm80 # [AspectExt_oneapi_cuda_cluster_group, AspectUsm_atomic_shared_allocations];

class NvidiaGpu<string version, list<Aspect> more> : TargetInfo<"nvidia_gpu_sm_" # version, EveryNvidiaGpu # more, 1, [32]>;

foreach version = ["50", "52"] in
  def : NvidiaGpu<version, []>;
def : NvidiaGpu<"53", [AspectFp16]>;
foreach version = ["60", "61", "62", "70", "72", "75"] in
  def : NvidiaGpu<version, Sm60>;
foreach version = ["80", "86", "87", "89"] in
  def : NvidiaGpu<version, Sm80>;
foreach version = ["90", "90a"] in
  def : NvidiaGpu<version, Sm90>;

// ---------------------------------------------------------------------------------------------------------------------------------------
// HIP: the rows of the public table.

defvar EveryAmdGpu = [
  AspectGpu, AspectFp16, AspectFp64, AspectOnline_compiler, AspectOnline_linker, AspectQueue_profiling, AspectExt_intel_pci_address,
  AspectExt_intel_device_id, AspectExt_intel_memory_clock_rate, AspectExt_intel_memory_bus_width];
defvar FreeMemory = [AspectExt_intel_free_memory];
defvar Usm = [AspectUsm_device_allocations, AspectUsm_host_allocations, AspectUsm_shared_allocations, AspectUsm_atomic_host_allocations,
              AspectUsm_atomic_shared_allocations];
defvar Graphs = [AspectExt_intel_device_info_uuid, AspectExt_oneapi_graph, AspectExt_oneapi_limited_graph];

class AmdGpu<string version, list<Aspect> more, int size> : TargetInfo<"amd_gpu_gfx" # version, EveryAmdGpu # more, 0, [size]>;

foreach version = ["908", "940", "941", "942"] in
  def : AmdGpu<version, FreeMemory # Usm # Graphs, 64>;
def : AmdGpu<"90a", FreeMemory # Usm # Graphs # [AspectAtomic64, AspectExt_oneapi_native_assert], 64>;
def : AmdGpu<"1030", FreeMemory # Usm # Graphs # [AspectAtomic64], 32>;
def : AmdGpu<"1100", FreeMemory # Usm # Graphs, 32>;
foreach version = ["906", "90c"] in
  def : AmdGpu<version, FreeMemory # Usm, 64>;
foreach version = ["700", "701", "702", "703", "704", "705", "801", "802", "803", "805", "810"] in
  def : AmdGpu<version, FreeMemory, 16>;
foreach version = ["900", "902", "904", "909"] in
  def : AmdGpu<version, FreeMemory, 64>;
foreach version = ["1010", "1011", "1012", "1013", "1032", "1033", "1034", "1035", "1036", "1101", "1102", "1103", "1150", "1151"] in
  def : AmdGpu<version, FreeMemory # Usm, 32>;
def : AmdGpu<"1031", Usm, 32>;

// The public table says of these only that they exist.
foreach version = ["1200", "1201"] in
  def : TargetInfo<"amd_gpu_gfx" # version, [], 0, []>;
