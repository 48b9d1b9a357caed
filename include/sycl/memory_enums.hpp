//! memory_order, memory_scope, address spaces and atomic_fence. Source: SYCL 2020 §3.8.3, §4.15.2.
#pragma once
#include <sycl/detail/work_item.hpp>

namespace sycl {

enum class memory_order : int { relaxed = 0, acquire = 1, release = 2, acq_rel = 3, seq_cst = 4 };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;

enum class memory_scope : int { work_item = 0, sub_group = 1, work_group = 2, device = 3, system = 4 };
inline constexpr memory_scope memory_scope_work_item = memory_scope::work_item;
inline constexpr memory_scope memory_scope_sub_group = memory_scope::sub_group;
inline constexpr memory_scope memory_scope_work_group = memory_scope::work_group;
inline constexpr memory_scope memory_scope_device = memory_scope::device;
inline constexpr memory_scope memory_scope_system = memory_scope::system;

namespace access {
enum class address_space : int {
  global_space = 0,
  local_space = 1,
  constant_space = 2,
  private_space = 3,
  generic_space = 4,
  /// Source: sycl_ext_intel_usm_address_spaces; see ext/intel/usm_pointers.hpp.
  ext_intel_global_device_space = global_space,
  ext_intel_global_host_space = global_space,
  ext_intel_host_device_space = ext_intel_global_host_space ///< DPC++'s first name of it
};
enum class decorated : int { no = 0, yes = 1, legacy = 2 };
enum class fence_space : char { local_space, global_space, global_and_local };
} // namespace access
using addrspace = access::address_space;
inline constexpr addrspace addrspace_global = addrspace::global_space;
inline constexpr addrspace addrspace_local = addrspace::local_space;
inline constexpr addrspace addrspace_private = addrspace::private_space;
inline constexpr addrspace addrspace_generic = addrspace::generic_space;

namespace detail::spirv {
/// SPIR-V numbers scopes from the widest to the narrowest.
constexpr unsigned scope_of(memory_scope scope) { return 4u - static_cast<unsigned>(scope); }
constexpr unsigned semantics_of(memory_order order) {
  switch (order) {
  case memory_order::relaxed:
    return 0;
  case memory_order::acquire:
    return 0x2 | work_group_memory | global_memory;
  case memory_order::release:
    return 0x4 | work_group_memory | global_memory;
  case memory_order::acq_rel:
    return 0x8 | work_group_memory | global_memory;
  default:
    return 0x10 | work_group_memory | global_memory;
  }
}
} // namespace detail::spirv

/// Orders this work-item's memory accesses as the others in `scope` see them.
inline void atomic_fence(memory_order order, memory_scope scope = memory_scope::work_group) {
#if defined(__ASPEN_SPIRV__)
  __spirv_MemoryBarrier(detail::spirv::scope_of(scope), detail::spirv::semantics_of(order));
#elif defined(__ASPEN_PTX__)
  if (order != memory_order::relaxed)
    detail::ptx::fence(scope == memory_scope::system ? 0 : scope == memory_scope::device ? 1 : 2, order == memory_order::seq_cst);
#elif defined(__ASPEN_AMDGCN__)
  if (order == memory_order::relaxed)
    return;
  if (scope == memory_scope::system)
    order == memory_order::seq_cst ? __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "") : __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "");
  else if (scope == memory_scope::device)
    order == memory_order::seq_cst ? __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent") : __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
  else
    order == memory_order::seq_cst ? __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup") : __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
#else
  (void)scope;
  switch (order) {
  case memory_order::relaxed:
    break;
  case memory_order::acquire:
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    break;
  case memory_order::release:
    __atomic_thread_fence(__ATOMIC_RELEASE);
    break;
  case memory_order::acq_rel:
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    break;
  default:
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
#endif
}

} // namespace sycl
