//! The tables. Source: the documentation of DPC++'s attributes and of Intel's FPGA extensions; OpenCL C 6.7.2.

#include "OlderSpellings.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace aspen {
namespace {

constexpr const char *NotEnforced = "'%0' attribute is not enforced: the kernel is launched with larger work-groups, too";
constexpr const char *NotExported = "'%0' attribute has no effect: declare the function SYCL_EXTERNAL, and see -Wsycl-strict for calls through pointers";

constexpr IdleAttribute Idle[] = {
    // Promises about launches, which a valid program keeps by itself.
    {"max_work_group_size", NotEnforced},
    {"max_global_work_dim", "'%0' attribute is not enforced: the kernel is launched over ranges of more dimensions, too"},
    {"no_global_work_offset", nullptr},
    {"device_indirectly_callable", NotExported},
    // Advice to optimisers.
    {"kernel_args_restrict", nullptr},
    {"num_simd_work_items", nullptr},
    {"min_work_groups_per_cu", nullptr},
    {"max_work_groups_per_mp", nullptr},
    {"unroll", nullptr},
    {"loop_fuse", nullptr},
    {"loop_fuse_independent", nullptr},
    {"loop_coalesce", nullptr},
    {"loop_count", nullptr},
    {"loop_count_avg", nullptr},
    {"loop_count_max", nullptr},
    {"loop_count_min", nullptr},
    {"ivdep", nullptr},
    {"ii", nullptr},
    {"initiation_interval", nullptr},
    {"max_concurrency", nullptr},
    {"max_interleaving", nullptr},
    {"max_reinvocation_delay", nullptr},
    {"speculated_iterations", nullptr},
    {"disable_loop_pipelining", nullptr},
    {"enable_loop_pipelining", nullptr},
    {"nofusion", nullptr},
    {"prefer_dsp", nullptr},
    {"prefer_softlogic", nullptr},
    {"propagate_dsp_preference", nullptr},
    {"scheduler_target_fmax_mhz", nullptr},
    {"use_stall_enable_clusters", nullptr},
    {"stall_enable", nullptr},
    {"stall_free", nullptr},
    {"stall_free_return", nullptr},
    {"fpga_cluster", nullptr},
    {"fpga_pipeline", nullptr},
    {"parallel_copies", nullptr},
    // Memories of FPGAs.
    {"fpga_memory", nullptr},
    {"fpga_register", nullptr},
    {"memory", nullptr},
    {"register", nullptr},
    {"bank_bits", nullptr},
    {"bankwidth", nullptr},
    {"numbanks", nullptr},
    {"private_copies", nullptr},
    {"max_private_copies", nullptr},
    {"max_replicates", nullptr},
    {"merge", nullptr},
    {"singlepump", nullptr},
    {"doublepump", nullptr},
    {"simple_dual_port", nullptr},
    {"force_pow2_depth", nullptr},
    {"max_depth", nullptr},
    {"doublebuffer", nullptr},
    {"buffer_location", nullptr},
    {"io_pipe_id", nullptr},
};

constexpr IdleAttribute Unscoped = {"vec_type_hint", nullptr};

constexpr GnuAttribute Gnu[] = {
    {"reqd_work_group_size", "aspen.cl_reqd_work_group_size"},
    {"work_group_size_hint", "aspen.work_group_size_hint"},
    {"intel_reqd_sub_group_size", "aspen.intel_reqd_sub_group_size"},
    {"vec_type_hint", nullptr},
};

StringRef plain(StringRef Name) {
  return Name.size() > 4 && Name.starts_with("__") && Name.ends_with("__") ? Name.drop_front(2).drop_back(2) : Name;
}

} // namespace

const IdleAttribute *findIdleAttribute(StringRef Scope, StringRef Name) {
  if (Scope.empty()) // SYCL 1.2.1 has it in `cl`, and programs also without
    return plain(Name) == Unscoped.Name ? &Unscoped : nullptr;
  if (plain(Scope) != "intel" && plain(Scope) != "intelfpga")
    return nullptr;
  const auto *Found = llvm::find_if(Idle, [&](const IdleAttribute &A) { return plain(Name) == A.Name; });
  return Found == std::end(Idle) ? nullptr : Found;
}

const GnuAttribute *findGnuAttribute(StringRef Name) {
  const auto *Found = llvm::find_if(Gnu, [&](const GnuAttribute &A) { return plain(Name) == A.Name; });
  return Found == std::end(Gnu) ? nullptr : Found;
}

} // namespace aspen
