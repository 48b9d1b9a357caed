//! Launches of kernels that a backend's own interface made, and their arguments. Source: SYCL 2020 §4.9.4.3, §C.6.6.
#pragma once
#include <cstring>
#include <sycl/access.hpp>
#include <sycl/detail/list.hpp>
#include <sycl/exception.hpp>
#include <sycl/range.hpp>
#include <type_traits>

namespace sycl {

template <class T, int D, access_mode Mode, target Target, access::placeholder Placeholder> class accessor;
template <class T, int D> class local_accessor;
namespace ext::oneapi::experimental {
template <class T, class Properties> class work_group_memory;
}

namespace detail {

template <class T, class = void> inline constexpr bool carries_values = false;
template <class T> inline constexpr bool carries_values<T, std::void_t<typename T::aspen_transferred>> = true;

/// The arguments that a command group has set. Source: SYCL 2020 table 130.
class native_arguments {
public:
  /// Memory of the accessor's whole buffer, as kernels of OpenCL have it.
  template <class T, int D, access_mode M, target P, access::placeholder H> void set(int index, const accessor<T, D, M, P, H> &a) {
    if constexpr (P == target::device || static_cast<int>(P) == static_cast<int>(target::constant_buffer)) {
      aspen_native_argument_t &made = add(index, ASPEN_ARGUMENT_BUFFER);
      made.buffer = a.aspen_buffer()->handle;
      made.offset = a.aspen_start();
      made.size = a.aspen_memory_size();
    } else {
      fail(errc::kernel_argument, "set_arg: kernels reach buffers by accessors for the device only");
    }
  }
  template <class T, int D> void set(int index, const local_accessor<T, D> &a) { add(index, ASPEN_ARGUMENT_LOCAL).size = a.byte_size(); }
  template <class T, class P> void set(int index, const ext::oneapi::experimental::work_group_memory<T, P> &m) {
    add(index, ASPEN_ARGUMENT_LOCAL).size = m.aspen_size();
  }
  template <class T> void set(int index, T *pointer) { add(index, ASPEN_ARGUMENT_POINTER).data = pointer; }
  template <class T> void set(int index, const T &value) {
    static_assert(!carries_values<T>, "set_arg takes accessors of buffers, local_accessors, pointers of USM and plain values");
    static_assert(std::is_trivially_copyable_v<T>, "an argument of a kernel is a plain value");
    aspen_native_argument_t &made = add(index, ASPEN_ARGUMENT_BYTES);
    made.offset = bytes_.size(); // until prepare
    made.size = sizeof(T);
    unsigned char raw[sizeof(T)];
    std::memcpy(raw, __builtin_addressof(value), sizeof(T));
    for (unsigned char byte : raw)
      bytes_.add(byte);
  }

  template <class... T> void set_all(const T &...arguments) {
    int index = 0;
    (set(index++, arguments), ...);
  }

  /// A kernel object brings no function and no arguments of a SYCL kernel. Source: SYCL 2020 §4.9.4.2.
  template <class Kernel, int D>
  aspen_prepared_t *prepare(aspen_queue_t *on, const Kernel &what, bool in_graph, const range<D> &global, const range<D> *local,
                            const id<D> &offset) {
    if (!what.aspen_native())
      fail(errc::invalid, "a kernel object can be launched only if a backend's own interface made it; give the kernel's function");
    if (in_graph)
      fail(errc::invalid, "kernels of a backend's own interface cannot be parts of a graph");
    aspen_native_launch_t l = {};
    l.struct_size = sizeof l;
    l.dimensions = D;
    l.kernel = what.aspen_native()->handle;
    for (int d = 0; d < D; ++d) {
      if (local && (*local)[d] == 0)
        fail(errc::nd_range, "a work-group has at least one work-item in each dimension");
      l.global[d] = global[d];
      l.local[d] = local ? (*local)[d] : 0;
      l.offset[d] = offset[d];
    }
    for (size_t i = 0; i < all_.size(); ++i)
      if (all_.data()[i].kind == ASPEN_ARGUMENT_BYTES)
        all_.data()[i].data = bytes_.data() + all_.data()[i].offset;
    l.arguments = all_.data();
    l.argument_count = all_.size();
    aspen_prepared_t *out = nullptr;
    check(aspen_prepare_native_kernel(on, &l, &out));
    return out;
  }

private:
  aspen_native_argument_t &add(int index, int kind) {
    if (index < 0)
      fail(errc::invalid, "set_arg: arguments are counted from 0");
    aspen_native_argument_t made = {};
    made.index = static_cast<std::uint32_t>(index);
    made.kind = kind;
    all_.add(made);
    return all_.data()[all_.size() - 1];
  }
  list<aspen_native_argument_t> all_;
  list<unsigned char> bytes_; // of values, one behind the other
};

} // namespace detail
} // namespace sycl
