//! Launches of kernel objects that have arguments: of kernels that a backend's own interface made, and of kernels that are functions.
//! Source: SYCL 2020 §4.9.4.3, §C.6.6; sycl_ext_oneapi_free_function_kernels.
#pragma once
#include <cstring>
#include <sycl/access.hpp>
#include <sycl/detail/accessor_class.hpp>
#include <sycl/detail/kernel_properties.hpp>
#include <sycl/detail/launch.hpp>
#include <sycl/detail/list.hpp>
#include <sycl/detail/owner_classes.hpp>
#include <sycl/detail/recorded.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/raw_kernel_arg.hpp>
#include <type_traits>

namespace sycl {

template <class T, int D> class local_accessor;
namespace ext::oneapi::experimental {
template <class T, class Properties> class work_group_memory;
template <class T> class dynamic_parameter;
}

namespace detail {

template <class T, class = void> inline constexpr bool carries_values = false;
template <class T> inline constexpr bool carries_values<T, std::void_t<typename T::aspen_transferred>> = true;

/// What an argument is. One may become another where both are pointers, or whole numbers.
struct argument_type {
  enum kinds { own, pointer, whole_number, raw };
  size_t size;
  kinds kind;
  const char *text; // which ends with the type's name: "... [T = int]"
  bool is_signed = false;
};
template <class T> constexpr const char *argument_text() { return __PRETTY_FUNCTION__; }
template <class T>
inline constexpr argument_type argument_type_of = {
    sizeof(T),
    std::is_pointer_v<T>                              ? argument_type::pointer
    : std::is_integral_v<T> && !std::is_same_v<T, bool> ? argument_type::whole_number
                                                      : argument_type::own,
    argument_text<T>(), std::is_signed_v<T>};

template <class Arguments> shared<kept_by_node> keep_arguments(const Arguments &set, const function_launcher &function);

/// The arguments that a command group has set. Source: SYCL 2020 table 130.
class native_arguments {
public:
  scratch_place scratch; // of the launch's work-groups

  /// Memory of the accessor's whole buffer, as kernels of OpenCL have it.
  template <class T, int D, access_mode M, target P, access::placeholder H> void set(int index, const accessor<T, D, M, P, H> &a) {
    if constexpr (P == target::device || static_cast<int>(P) == static_cast<int>(target::constant_buffer)) {
      const bool is_bound = a.aspen_buffer(); // of no buffer: the kernel gets a null pointer
      aspen_native_argument_t &made = add(index, is_bound ? ASPEN_ARGUMENT_BUFFER : ASPEN_ARGUMENT_POINTER);
      if (is_bound) {
        made.buffer = a.aspen_buffer()->handle;
        made.offset = a.aspen_start();
        made.size = a.aspen_memory_size();
      }
      keep(index, a);
    } else {
      fail(errc::kernel_argument, "set_arg: kernels reach buffers by accessors for the device only");
    }
  }
  template <class T, int D> void set(int index, const local_accessor<T, D> &a) {
    add(index, ASPEN_ARGUMENT_LOCAL).size = a.byte_size();
    keep(index, a);
  }
  template <class T, class P> void set(int index, const ext::oneapi::experimental::work_group_memory<T, P> &m) {
    add(index, ASPEN_ARGUMENT_LOCAL).size = m.aspen_size();
    keep(index, m);
  }
  template <class T, std::enable_if_t<std::is_pointer_v<T>, int> = 0> void set(int index, const T &pointer) {
    add(index, ASPEN_ARGUMENT_POINTER).data = pointer;
    keep(index, pointer);
  }
  void set(int index, const ext::oneapi::raw_kernel_arg &bytes) {
    aspen_native_argument_t &made = add(index, bytes.is_pointer_ ? ASPEN_ARGUMENT_POINTER : ASPEN_ARGUMENT_BYTES);
    if (bytes.is_pointer_) {
      std::memcpy(&made.data, bytes.bytes_, sizeof made.data);
    } else {
      made.offset = bytes_.size(); // until prepare
      made.size = bytes.count_;
    }
    keep(index, {bytes.count_, argument_type::raw, "[T = raw_kernel_arg]"}, bytes.bytes_);
  }
  /// An array is the bytes that it is.
  template <class T, size_t N> void set(int index, const T (&array)[N]) { set(index, ext::oneapi::raw_kernel_arg(array, sizeof array)); }
  /// The value that it has now; a graph's node may be told another one.
  template <class T> void set(int index, const ext::oneapi::experimental::dynamic_parameter<T> &parameter) {
    set(index, parameter.aspen_value());
    dynamic_.add({index, parameter.aspen_argument()});
  }
  void set(int index, std::nullptr_t) { set(index, static_cast<void *>(nullptr)); }
  /// Objects of classes that hold accessors are for functions alone, whose parameter decides whether they may be.
  template <class T, std::enable_if_t<!std::is_pointer_v<T> && !std::is_array_v<T>, int> = 0> void set(int index, const T &value) {
    static_assert(!carries_values<T>, "set_arg takes accessors of buffers, local_accessors, pointers of USM and plain values");
    static_assert(!owns_memory<T>, "set_arg takes values that are device-copyable: strings, vectors and smart pointers own memory of the host");
    has_objects_ = has_objects_ || !std::is_trivially_copyable_v<T>;
    aspen_native_argument_t &made = add(index, ASPEN_ARGUMENT_BYTES);
    made.offset = bytes_.size(); // until prepare
    made.size = sizeof(T);
    keep(index, value);
  }

  template <class... T> void set_all(const T &...arguments) {
    int index = 0;
    (set(index++, arguments), ...);
  }

  /// The buffer of the accessor that was set last with that number, and how many arguments are of it.
  const aspen_buffer_t *buffer_of(int index) const {
    const aspen_buffer_t *found = nullptr;
    for (const aspen_native_argument_t &one : all_)
      if (one.index == static_cast<std::uint32_t>(index) && one.kind == ASPEN_ARGUMENT_BUFFER)
        found = one.buffer;
    return found;
  }
  int uses_of(const aspen_buffer_t *buffer) const {
    int count = 0;
    for (const aspen_native_argument_t &one : all_)
      if (one.kind == ASPEN_ARGUMENT_BUFFER && one.buffer == buffer && buffer_of(static_cast<int>(one.index)) == buffer)
        ++count;
    return count;
  }

  /// The argument that was set last with that number, if its type fits.
  template <class T> T get(int index) const {
    const kept &given = find(index, argument_type_of<T>);
    if constexpr (argument_type_of<T>.kind == argument_type::whole_number)
      if (given.type.kind == argument_type::whole_number && given.type.size != sizeof(T))
        return static_cast<T>(convert(index, given, argument_type_of<T>));
    alignas(T) unsigned char raw[sizeof(T)];
    std::memcpy(raw, bytes_.data() + given.at, sizeof(T));
    return *std::launder(reinterpret_cast<T *>(raw));
  }

  /// An error if one can be updated and the command becomes no node `by_function`, or is no kernel. Source: sycl_ext_oneapi_graph, set_arg.
  void are_of_node(bool by_function, bool is_kernel) const {
    if (dynamic_.size() && !by_function)
      fail(errc::invalid, "set_arg: dynamic parameters are arguments of nodes that command_graph::add makes, and of no queue's commands");
    if (dynamic_.size() && !is_kernel)
      fail(errc::invalid, "set_arg: dynamic parameters are arguments of kernels, and this command is none");
  }

  /// Launches a kernel that is a function. What the extension leaves undefined is an error: another kind of launch (errc::invalid),
  /// arguments that are missing, too many or of other types (errc::kernel_argument).
  template <class Kernel, class Queue, int D>
  void launch_function(handler &command, const Queue &on, const shared<recording> &node, int kind, const Kernel &what, const range<D> &global, const range<D> *local,
                       const id<D> &offset) const {
    const function_launcher &function = *what.aspen_id().aspen_identity().function;
    if (!(what.get_context() == on.context))
      fail(errc::invalid, "the kernel object and the queue have different contexts");
    if (function.mark != (kind == ASPEN_LAUNCH_SINGLE_TASK ? 4 : kind == ASPEN_LAUNCH_ND_RANGE ? D : 0))
      fail(errc::invalid, function.mark == 4 ? "the kernel is a single task: launch it by single_task"
                                             : "the kernel is one over an nd_range, with as many dimensions as it was declared with");
    for (const kept &one : kept_)
      if (static_cast<std::uint32_t>(one.index) >= function.parameters)
        wrong(one.index, "was set, but the kernel has fewer parameters");
    aspen_launch_t shape = {};
    set_shape(shape, global, local, offset);
    function.launch(command, *this, shape);
    are_of_node(on.of_graph, true);
    if (dynamic_.size())
      node->arguments = detail::keep_arguments(*this, function);
    for (const dynamic &one : dynamic_)
      one.argument->used_by(node, one.index);
  }

  /// A kernel object brings no function and no arguments of a SYCL kernel. Source: SYCL 2020 §4.9.4.2.
  template <class Kernel, int D>
  aspen_prepared_t *prepare(aspen_queue_t *on, const Kernel &what, bool in_graph, const range<D> &global, const range<D> *local,
                            const id<D> &offset) {
    if (!what.aspen_native())
      fail(errc::invalid, "a kernel object can be launched only if a backend's own interface made it, or if its kernel is a function by "
                          "which it, or its id, was asked for; else give the kernel's function");
    if (in_graph)
      fail(errc::invalid, "kernels of a backend's own interface cannot be parts of a graph");
    if (scratch.aspen_scratch != scratch_place::none)
      fail(errc::feature_not_supported, "work_group_scratch_size: kernels of a backend's own interface take no local memory but their arguments'");
    if (has_objects_)
      fail(errc::kernel_argument, "kernels of a backend's own interface take plain values only, and an object with a copy constructor was set");
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
  struct dynamic {
    int index;
    shared<dynamic_argument> argument;
  };
  aspen_native_argument_t &add(int index, int kind) {
    if (index < 0)
      fail(errc::invalid, "set_arg: arguments are counted from 0");
    aspen_native_argument_t made = {};
    made.index = static_cast<std::uint32_t>(index);
    made.kind = kind;
    all_.add(made);
    return all_.data()[all_.size() - 1];
  }
  struct kept {
    int index;
    argument_type type;
    size_t at; // in bytes_
  };
  template <class T> void keep(int index, const T &value) { keep(index, argument_type_of<T>, __builtin_addressof(value)); }
  void keep(int index, const argument_type &type, const void *value) {
    kept_.add({index, type, bytes_.size()});
    for (size_t i = 0; i < type.size; ++i)
      bytes_.add(static_cast<const unsigned char *>(value)[i]);
  }
  // Templates, since few programs need them.
  template <class Text> [[noreturn]] static void wrong(int index, const Text &what) {
    fail(errc::kernel_argument, ("argument " + std::to_string(index) + " " + what).c_str());
  }
  template <class Type> static std::string name_of(const Type &type) {
    const std::string text = type.text;
    const size_t first = text.find("[T = ") + 5;
    return "'" + text.substr(first, text.size() - first - 1) + "'";
  }
  template <class Type> const kept &find(int index, const Type &wanted) const {
    const kept *last = nullptr;
    for (const kept &one : kept_)
      if (one.index == index)
        last = &one;
    if (!last)
      wrong(index, "of the kernel, a " + name_of(wanted) + ", was not set");
    const bool same_kind = last->type.kind == argument_type::raw || (wanted.kind != argument_type::own && last->type.kind == wanted.kind);
    constexpr size_t most = sizeof(std::uint64_t);
    const bool converts = wanted.kind == argument_type::whole_number && last->type.size <= most && wanted.size <= most;
    const bool alike = same_kind && (last->type.size == wanted.size || (converts && last->type.kind == wanted.kind));
    if (!alike && std::strcmp(last->type.text, wanted.text) != 0)
      wrong(index, "of the kernel is a " + name_of(wanted) + ", and a " + name_of(last->type) + " was set");
    return *last;
  }
  /// A whole number of another size, as a call of the function would convert it: hosts count in 64 bits what kernels count in 32. One that
  /// loses something is an error.
  template <class Type> std::uint64_t convert(int index, const kept &given, const Type &wanted) const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + given.at, given.type.size);
    const auto above = [&](size_t size) { return size < sizeof value ? ~std::uint64_t(0) << 8 * size : 0; };
    if (given.type.is_signed && value >> (8 * given.type.size - 1) & 1)
      value |= above(given.type.size);
    const std::uint64_t lost = value & above(wanted.size);
    if (lost != 0 && lost != above(wanted.size))
      wrong(index, "of the kernel is a " + name_of(wanted) + ", which has no room for the " + name_of(given.type) + " that was set");
    return value;
  }
  list<aspen_native_argument_t> all_;
  list<kept> kept_;
  list<unsigned char> bytes_; // of them, one behind the other
  list<dynamic> dynamic_;
  bool has_objects_ = false;
};

/// The arguments of a node's kernel, which is a function.
struct kept_arguments final : kept_by_node {
  kept_arguments(const native_arguments &s, const function_launcher &f) : set(s), function(f) {}
  native_arguments set;
  const function_launcher &function;
};
template <class Arguments> shared<kept_by_node> keep_arguments(const Arguments &set, const function_launcher &function) {
  return shared<kept_by_node>(new kept_arguments(set, function));
}

} // namespace detail
} // namespace sycl
