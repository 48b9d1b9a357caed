//! Architectures of devices: the host asks a device for its own, a kernel runs code by it. Source: sycl_ext_oneapi_device_architecture.
#pragma once
#include <sycl/device.hpp>
#include <sycl/ext/oneapi/device_if.hpp>

#define SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE 1

namespace sycl::ext::oneapi::experimental {

/// Of one maker from old to new, so that `<` compares generations.
enum class architecture : std::uint32_t {
  unknown,
  // clang-format off
  x86_64, intel_cpu_spr, intel_cpu_gnr, intel_cpu_dmr,
  intel_gpu_unknown,
  intel_gpu_bdw, intel_gpu_skl, intel_gpu_kbl, intel_gpu_cfl, intel_gpu_apl, intel_gpu_glk, intel_gpu_whl, intel_gpu_aml, intel_gpu_cml,
  intel_gpu_icllp, intel_gpu_ehl, intel_gpu_tgllp, intel_gpu_rkl, intel_gpu_adl_s, intel_gpu_rpl_s, intel_gpu_adl_p, intel_gpu_adl_n,
  intel_gpu_dg1, intel_gpu_acm_g10, intel_gpu_acm_g11, intel_gpu_acm_g12, intel_gpu_pvc, intel_gpu_pvc_vg, intel_gpu_mtl_u,
  intel_gpu_mtl_h, intel_gpu_arl_h, intel_gpu_bmg_g21, intel_gpu_bmg_g31, intel_gpu_lnl_m, intel_gpu_ptl_h, intel_gpu_ptl_u,
  intel_gpu_wcl, intel_gpu_nvl_s, intel_gpu_nvl_u, intel_gpu_nvl_p, intel_gpu_cri,
  nvidia_gpu_unknown,
  nvidia_gpu_sm_50, nvidia_gpu_sm_52, nvidia_gpu_sm_53, nvidia_gpu_sm_60, nvidia_gpu_sm_61, nvidia_gpu_sm_62, nvidia_gpu_sm_70,
  nvidia_gpu_sm_72, nvidia_gpu_sm_75, nvidia_gpu_sm_80, nvidia_gpu_sm_86, nvidia_gpu_sm_87, nvidia_gpu_sm_89, nvidia_gpu_sm_90,
  nvidia_gpu_sm_90a, nvidia_gpu_sm_100, nvidia_gpu_sm_100a, nvidia_gpu_sm_101, nvidia_gpu_sm_101a, nvidia_gpu_sm_103, nvidia_gpu_sm_103a,
  nvidia_gpu_sm_120, nvidia_gpu_sm_120a, nvidia_gpu_sm_121, nvidia_gpu_sm_121a,
  amd_gpu_unknown,
  amd_gpu_gfx600, amd_gpu_gfx601, amd_gpu_gfx602, amd_gpu_gfx700, amd_gpu_gfx701, amd_gpu_gfx702, amd_gpu_gfx703, amd_gpu_gfx704,
  amd_gpu_gfx705, amd_gpu_gfx801, amd_gpu_gfx802, amd_gpu_gfx803, amd_gpu_gfx805, amd_gpu_gfx810, amd_gpu_gfx900, amd_gpu_gfx902,
  amd_gpu_gfx904, amd_gpu_gfx906, amd_gpu_gfx908, amd_gpu_gfx909, amd_gpu_gfx90a, amd_gpu_gfx90c, amd_gpu_gfx940, amd_gpu_gfx941,
  amd_gpu_gfx942, amd_gpu_gfx950, amd_gpu_gfx1010, amd_gpu_gfx1011, amd_gpu_gfx1012, amd_gpu_gfx1013, amd_gpu_gfx1030, amd_gpu_gfx1031,
  amd_gpu_gfx1032, amd_gpu_gfx1033, amd_gpu_gfx1034, amd_gpu_gfx1035, amd_gpu_gfx1036, amd_gpu_gfx1100, amd_gpu_gfx1101, amd_gpu_gfx1102,
  amd_gpu_gfx1103, amd_gpu_gfx1150, amd_gpu_gfx1151, amd_gpu_gfx1152, amd_gpu_gfx1153, amd_gpu_gfx1200, amd_gpu_gfx1201,
  // Other names of these.
  intel_gpu_8_0_0 = intel_gpu_bdw, intel_gpu_9_0_9 = intel_gpu_skl, intel_gpu_9_1_9 = intel_gpu_kbl, intel_gpu_9_2_9 = intel_gpu_cfl,
  intel_gpu_9_3_0 = intel_gpu_apl, intel_gpu_bxt = intel_gpu_apl, intel_gpu_9_4_0 = intel_gpu_glk, intel_gpu_9_5_0 = intel_gpu_whl,
  intel_gpu_9_6_0 = intel_gpu_aml, intel_gpu_9_7_0 = intel_gpu_cml, intel_gpu_11_0_0 = intel_gpu_icllp, intel_gpu_icl = intel_gpu_icllp,
  intel_gpu_11_2_0 = intel_gpu_ehl, intel_gpu_jsl = intel_gpu_ehl, intel_gpu_12_0_0 = intel_gpu_tgllp, intel_gpu_tgl = intel_gpu_tgllp,
  intel_gpu_12_1_0 = intel_gpu_rkl, intel_gpu_12_2_0 = intel_gpu_adl_s, intel_gpu_12_3_0 = intel_gpu_adl_p,
  intel_gpu_12_4_0 = intel_gpu_adl_n, intel_gpu_12_10_0 = intel_gpu_dg1, intel_gpu_12_55_8 = intel_gpu_acm_g10,
  intel_gpu_dg2_g10 = intel_gpu_acm_g10, intel_gpu_12_56_5 = intel_gpu_acm_g11, intel_gpu_dg2_g11 = intel_gpu_acm_g11,
  intel_gpu_12_57_0 = intel_gpu_acm_g12, intel_gpu_dg2_g12 = intel_gpu_acm_g12, intel_gpu_12_60_7 = intel_gpu_pvc,
  intel_gpu_12_61_7 = intel_gpu_pvc_vg, intel_gpu_12_70_4 = intel_gpu_mtl_u, intel_gpu_mtl_s = intel_gpu_mtl_u,
  intel_gpu_arl_u = intel_gpu_mtl_u, intel_gpu_arl_s = intel_gpu_mtl_u, intel_gpu_12_71_4 = intel_gpu_mtl_h,
  intel_gpu_12_74_4 = intel_gpu_arl_h, intel_gpu_20_1_4 = intel_gpu_bmg_g21, intel_gpu_20_2_0 = intel_gpu_bmg_g31,
  intel_gpu_20_4_4 = intel_gpu_lnl_m, intel_gpu_30_0_4 = intel_gpu_ptl_h, intel_gpu_30_1_1 = intel_gpu_ptl_u,
  intel_gpu_30_3_0 = intel_gpu_wcl, intel_gpu_30_4_0 = intel_gpu_nvl_s, intel_gpu_nvl_hx = intel_gpu_nvl_s,
  intel_gpu_nvl_ul = intel_gpu_nvl_s, intel_gpu_30_5_0 = intel_gpu_nvl_u, intel_gpu_nvl_h = intel_gpu_nvl_u,
  intel_gpu_35_10_0 = intel_gpu_nvl_p, intel_gpu_35_11_0 = intel_gpu_cri,
  // clang-format on
};

/// Who made it.
enum class arch_category { intel_gpu, nvidia_gpu, amd_gpu };

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

using ext::oneapi::experimental::arch_category, ext::oneapi::experimental::architecture;

/// The aspect that stands for an architecture in the device database; `unknown` where none does.
#define __ASPEN_ARCHITECTURES(AS)                                                                                                         \
  AS(intel_gpu_bdw) AS(intel_gpu_skl) AS(intel_gpu_kbl) AS(intel_gpu_cfl) AS(intel_gpu_apl) AS(intel_gpu_glk) AS(intel_gpu_whl)           \
  AS(intel_gpu_aml) AS(intel_gpu_cml) AS(intel_gpu_icllp) AS(intel_gpu_ehl) AS(intel_gpu_tgllp) AS(intel_gpu_rkl) AS(intel_gpu_adl_s)     \
  AS(intel_gpu_rpl_s) AS(intel_gpu_adl_p) AS(intel_gpu_adl_n) AS(intel_gpu_dg1) AS(intel_gpu_acm_g10) AS(intel_gpu_acm_g11)               \
  AS(intel_gpu_acm_g12) AS(intel_gpu_pvc)
constexpr bool has_aspect(architecture which) {
  switch (which) {
#define __ASPEN_AS(name) case architecture::name:
    __ASPEN_ARCHITECTURES(__ASPEN_AS)
#undef __ASPEN_AS
  case architecture::x86_64:
    return true;
  default:
    return false;
  }
}
constexpr aspect aspect_of(architecture which) {
  switch (which) {
#define __ASPEN_AS(name)                                                                                                                  \
  case architecture::name:                                                                                                                 \
    return aspect::ext_##name;
    __ASPEN_ARCHITECTURES(__ASPEN_AS)
#undef __ASPEN_AS
  default:
    // That of the host: devices that are CPUs run on it. AMD's that are asked for are the target's own.
    return which == architecture::x86_64 ? aspect::cpu : aspect::gpu;
  }
}

/// Of AMD's name of a processor, `gfx90a`.
constexpr architecture amd_architecture(const char *processor) {
  const auto is = [processor](const char *name) {
    size_t i = 0;
    while (name[i] != 0 && name[i] == processor[i])
      ++i;
    return name[i] == processor[i];
  };
#define __ASPEN_GFX(n)                                                                                                                    \
  if (is("gfx" #n))                                                                                                                        \
    return architecture::amd_gpu_gfx##n;
  __ASPEN_GFX(700) __ASPEN_GFX(701) __ASPEN_GFX(702) __ASPEN_GFX(703) __ASPEN_GFX(704) __ASPEN_GFX(705) __ASPEN_GFX(801) __ASPEN_GFX(802)
  __ASPEN_GFX(803) __ASPEN_GFX(805) __ASPEN_GFX(810) __ASPEN_GFX(900) __ASPEN_GFX(902) __ASPEN_GFX(904) __ASPEN_GFX(906) __ASPEN_GFX(908)
  __ASPEN_GFX(909) __ASPEN_GFX(90a) __ASPEN_GFX(90c) __ASPEN_GFX(940) __ASPEN_GFX(941) __ASPEN_GFX(942) __ASPEN_GFX(950) __ASPEN_GFX(1010)
  __ASPEN_GFX(1011) __ASPEN_GFX(1012) __ASPEN_GFX(1013) __ASPEN_GFX(1030) __ASPEN_GFX(1031) __ASPEN_GFX(1032) __ASPEN_GFX(1033)
  __ASPEN_GFX(1034) __ASPEN_GFX(1035) __ASPEN_GFX(1036) __ASPEN_GFX(1100) __ASPEN_GFX(1101) __ASPEN_GFX(1102) __ASPEN_GFX(1103)
  __ASPEN_GFX(1150) __ASPEN_GFX(1151) __ASPEN_GFX(1152) __ASPEN_GFX(1153) __ASPEN_GFX(1200) __ASPEN_GFX(1201)
#undef __ASPEN_GFX
  return architecture::amd_gpu_unknown;
}

inline architecture architecture_of(const device &of) {
#define __ASPEN_AS(name)                                                                                                                  \
  if (of.has(aspect::ext_##name))                                                                                                          \
    return architecture::name;
  __ASPEN_ARCHITECTURES(__ASPEN_AS)
#undef __ASPEN_AS
  if (of.get_backend() == backend::cuda) {
    // "9.0": the compute capability.
    const char *version = aspen_device_string(of.aspen_handle(), ASPEN_DEVICE_VERSION);
    unsigned number = 0;
    for (; *version; ++version)
      if (*version >= '0' && *version <= '9')
        number = number * 10 + static_cast<unsigned>(*version - '0');
    switch (number) {
#define __ASPEN_SM(n)                                                                                                                     \
  case n:                                                                                                                                  \
    return architecture::nvidia_gpu_sm_##n;
      __ASPEN_SM(50) __ASPEN_SM(52) __ASPEN_SM(53) __ASPEN_SM(60) __ASPEN_SM(61) __ASPEN_SM(62) __ASPEN_SM(70) __ASPEN_SM(72) __ASPEN_SM(75)
      __ASPEN_SM(80) __ASPEN_SM(86) __ASPEN_SM(87) __ASPEN_SM(89) __ASPEN_SM(90) __ASPEN_SM(100) __ASPEN_SM(101) __ASPEN_SM(103)
      __ASPEN_SM(120) __ASPEN_SM(121)
#undef __ASPEN_SM
    }
    return architecture::nvidia_gpu_unknown;
  }
  if (of.get_backend() == backend::ext_oneapi_hip)
    return amd_architecture(aspen_device_string(of.aspen_handle(), ASPEN_DEVICE_VERSION));
  if (of.is_gpu() && aspen_device_number(of.aspen_handle(), ASPEN_DEVICE_VENDOR_ID) == 0x8086)
    return architecture::intel_gpu_unknown;
#if defined(__x86_64__)
  if (of.has(aspect::cpu))
    return architecture::x86_64;
#endif
  return architecture::unknown;
}
#undef __ASPEN_ARCHITECTURES

constexpr bool is_of(architecture which, arch_category category) {
  const auto between = [&](architecture first, architecture last) { return which >= first && which <= last; };
  switch (category) {
  case arch_category::intel_gpu:
    return between(architecture::intel_gpu_unknown, architecture::intel_gpu_cri);
  case arch_category::nvidia_gpu:
    return between(architecture::nvidia_gpu_unknown, architecture::nvidia_gpu_sm_121a);
  default:
    return between(architecture::amd_gpu_unknown, architecture::amd_gpu_gfx1201);
  }
}

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

namespace info::device {
struct architecture {
  using return_type = experimental::architecture;
  static return_type get(const sycl::device &of) { return sycl::detail::architecture_of(of); }
};
} // namespace info::device

/// What `device::ext_oneapi_architecture_is` answers.
inline bool aspen_architecture_is(const device &asked, architecture wanted) { return sycl::detail::architecture_of(asked) == wanted; }
inline bool aspen_architecture_is(const device &asked, arch_category wanted) {
  return sycl::detail::is_of(sycl::detail::architecture_of(asked), wanted);
}

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

/// Code for NVIDIA's GPUs is translated where it runs, so it cannot know which of them that is.
template <architecture Wanted> constexpr bool can_be_known() {
#ifdef __ASPEN_PTX__
  return !is_of(Wanted, arch_category::nvidia_gpu);
#else
  return true;
#endif
}

/// Whether the device can be asked for it. A target that is known and is not said to be a CPU is none.
template <architecture Wanted> constexpr bool can_be_asked() {
#if defined(__ASPEN_AMDGCN__)
  if (is_of(Wanted, arch_category::amd_gpu))
    return Wanted == amd_architecture(__amdgcn_processor__);
#endif
#if defined(__SYCL_DEVICE_ONLY__) && defined(__ASPEN_TARGET_ASPECTS__)
  if (Wanted == architecture::x86_64)
    return device_has_one(aspect::cpu) == device_answer::yes;
#endif
  return has_aspect(Wanted);
}

/// Adds a clause for each architecture to those before; the functions run where one of them is the device's.
template <architecture First, architecture... Rest, class Clauses, class F, class... Args>
auto add_architectures(Clauses before, F f, Args... args) {
  static_assert(can_be_known<First>(), "Aspen has sycl_ext_oneapi_device_architecture in kernels for Intel's and AMD's GPUs and x86-64 only: the driver "
                                             "translates code for NVIDIA's GPUs. Ask device::ext_oneapi_architecture_is on the host");
  if constexpr (!can_be_asked<First>()) {
    using callable [[maybe_unused]] = decltype(f(args...));
    if constexpr (sizeof...(Rest) == 0)
      return before;
    else
      return add_architectures<Rest...>(before, f, args...);
  } else {
    auto after = before.template else_if_device_has<aspect_of(First)>(f, args...);
    if constexpr (sizeof...(Rest) == 0)
      return after;
    else
      return add_architectures<Rest...>(after, f, args...);
  }
}

/// The same for a maker: whose code it is, the target says.
template <arch_category First, arch_category... Rest, class Clauses, class F, class... Args>
auto add_makers(Clauses before, F f, Args... args) {
#if defined(__ASPEN_PTX__)
  constexpr arch_category ours = arch_category::nvidia_gpu;
#elif defined(__ASPEN_AMDGCN__)
  constexpr arch_category ours = arch_category::amd_gpu;
#else
  constexpr arch_category ours = arch_category::intel_gpu;
#endif
  if constexpr (First == ours || ((Rest == ours) || ...)) {
    return before.template else_if_device_has<aspect::gpu>(f, args...);
  } else {
    using callable [[maybe_unused]] = decltype(f(args...));
    return before;
  }
}

/// What is asked of an architecture of the same maker as `Of`, or as both.
enum class architecture_order { less, at_most, greater, at_least };
template <architecture Of, architecture_order Order> struct compared_architecture {
  static constexpr bool holds(architecture one) {
    switch (Order) {
    case architecture_order::less:
      return one < Of;
    case architecture_order::at_most:
      return one <= Of;
    case architecture_order::greater:
      return one > Of;
    default:
      return one >= Of;
    }
  }
};
template <architecture Least, architecture Most> struct architecture_between {
  static constexpr bool holds(architecture one) { return one >= Least && one <= Most; }
};
/// The first and the last of the same maker, those that nobody knows left out.
constexpr architecture first_beside(architecture one) {
  return is_of(one, arch_category::intel_gpu)    ? architecture::intel_gpu_bdw
         : is_of(one, arch_category::nvidia_gpu) ? architecture::nvidia_gpu_sm_50
         : is_of(one, arch_category::amd_gpu)    ? architecture::amd_gpu_gfx600
                                                 : architecture::x86_64;
}
constexpr architecture last_beside(architecture one) {
  return is_of(one, arch_category::intel_gpu)    ? architecture::intel_gpu_cri
         : is_of(one, arch_category::nvidia_gpu) ? architecture::nvidia_gpu_sm_121a
         : is_of(one, arch_category::amd_gpu)    ? architecture::amd_gpu_gfx1201
                                                 : architecture::intel_cpu_dmr;
}
/// A clause for each architecture from `First` to `Last` of which the test holds.
template <class Test, architecture First, architecture Last, class Clauses, class F, class... Args>
auto add_those(Clauses before, F f, Args... args) {
  constexpr architecture next = static_cast<architecture>(static_cast<std::uint32_t>(First) + 1);
  if constexpr (First > Last) {
    using callable [[maybe_unused]] = decltype(f(args...));
    return before;
  } else if constexpr (Test::holds(First)) {
    return add_those<Test, next, Last>(add_architectures<First>(before, f, args...), f, args...);
  } else {
    return add_those<Test, next, Last>(before, f, args...);
  }
}

/// What `if_architecture_is` returns.
template <class Clauses> class architecture_clauses {
public:
  explicit architecture_clauses(Clauses before) : before_(before) {}
  template <architecture... Wanted, class F, class... Args> auto else_if_architecture_is(F f, Args... args) {
    auto after = add_architectures<Wanted...>(before_, f, args...);
    return architecture_clauses<decltype(after)>(after);
  }
  template <arch_category... Wanted, class F, class... Args> auto else_if_architecture_is(F f, Args... args) {
    auto after = add_makers<Wanted...>(before_, f, args...);
    return architecture_clauses<decltype(after)>(after);
  }
#define __ASPEN_COMPARED(name, order)                                                                                                     \
  template <architecture Wanted, class F, class... Args> auto else_if_architecture_is_##name(F f, Args... args) {                          \
    return those<compared_architecture<Wanted, architecture_order::order>, Wanted>(f, args...);                                            \
  }
  __ASPEN_COMPARED(lt, less)
  __ASPEN_COMPARED(le, at_most)
  __ASPEN_COMPARED(gt, greater)
  __ASPEN_COMPARED(ge, at_least)
#undef __ASPEN_COMPARED
  template <architecture Least, architecture Most, class F, class... Args> auto else_if_architecture_is_between(F f, Args... args) {
    static_assert(first_beside(Least) == first_beside(Most), "the two architectures are of different makers");
    return those<architecture_between<Least, Most>, Least>(f, args...);
  }
  template <class F, class... Args> void otherwise(F f, Args... args) { before_.else_device(f, args...); }

private:
  template <class Test, architecture Beside, class F, class... Args> auto those(F f, Args... args) {
    auto after = add_those<Test, first_beside(Beside), last_beside(Beside)>(before_, f, args...);
    return architecture_clauses<decltype(after)>(after);
  }
  Clauses before_;
};
/// Of nothing yet.
inline auto no_architecture() {
#if defined(__ASPEN_ASKS_LOADED_DEVICE__)
  undecided_if_device_has<> none(true);
#else
  if_device_has_helper<true> none;
#endif
  return architecture_clauses<decltype(none)>(none);
}

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

/// Calls `f` on devices whose architecture is one of these.
template <architecture... Wanted, class F, class... Args> auto if_architecture_is(F f, Args... args) {
  return sycl::detail::no_architecture().template else_if_architecture_is<Wanted...>(f, args...);
}
/// On devices of these makers.
template <arch_category... Wanted, class F, class... Args> auto if_architecture_is(F f, Args... args) {
  return sycl::detail::no_architecture().template else_if_architecture_is<Wanted...>(f, args...);
}
/// On devices whose architecture is of the same maker as this one, and older, no newer, newer, or no older.
#define __ASPEN_COMPARED(name)                                                                                                            \
  template <architecture Wanted, class F, class... Args> auto if_architecture_is_##name(F f, Args... args) {                               \
    return sycl::detail::no_architecture().template else_if_architecture_is_##name<Wanted>(f, args...);                                    \
  }
__ASPEN_COMPARED(lt)
__ASPEN_COMPARED(le)
__ASPEN_COMPARED(gt)
__ASPEN_COMPARED(ge)
#undef __ASPEN_COMPARED
/// No older than the one and no newer than the other.
template <architecture Least, architecture Most, class F, class... Args> auto if_architecture_is_between(F f, Args... args) {
  return sycl::detail::no_architecture().template else_if_architecture_is_between<Least, Most>(f, args...);
}

} // namespace sycl::ext::oneapi::experimental
