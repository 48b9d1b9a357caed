//! How an FPGA's units for loads and stores are built; the accesses are plain ones. Source: sycl_ext_intel_fpga_lsu.
#pragma once
#include <cstdint>
#include <sycl/multi_ptr.hpp>

namespace sycl::ext::intel {

// Of `lsu`; each tells about hardware alone.
template <bool> struct burst_coalesce {};
template <std::int32_t> struct cache {};
template <bool> struct prefetch {};
template <bool> struct statically_coalesce {};

template <class... Properties> class lsu {
public:
  lsu() = delete;
  template <class T, access::address_space Space, access::decorated D> static std::remove_const_t<T> load(multi_ptr<T, Space, D> from) {
    return *from;
  }
  template <class T> static std::remove_const_t<T> load(T *from) { return *from; }
  template <class T, access::address_space Space, access::decorated D, class Value> static void store(multi_ptr<T, Space, D> to, Value value) {
    *to = value;
  }
  template <class T, class Value> static void store(T *to, Value value) { *to = value; }
};

} // namespace sycl::ext::intel
