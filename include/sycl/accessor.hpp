//! `sycl::accessor`: a command's view of a buffer. Source: SYCL 2020 §4.7.6.9.
#pragma once
#include <sycl/buffer.hpp>
#include <sycl/detail/element.hpp>
#include <sycl/detail/range_iterator.hpp>
#include <sycl/detail/recorded_buffers.hpp>
#include <sycl/ext/oneapi/accessor_property_list.hpp>
#include <sycl/handler.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {

namespace detail {
/// The address of a buffer on the default device: what a placeholder shows until it is required.
inline void *placeholder_address(aspen_buffer_t *buffer) {
  void *address = nullptr;
  check(aspen_buffer_address(buffer, device().aspen_handle(), &address));
  return address;
}
/// Whether the content of before may be lost. Source: SYCL 2020 §4.7.6.4 "property::no_init".
inline bool takes_no_init(access_mode mode, const property_list &properties) {
  const bool taken = properties.has_property<property::no_init>();
  if (taken && mode == access_mode::read)
    fail(errc::invalid, "an accessor that only reads cannot have the property no_init");
  return taken;
}
// What accessors do on the host, once a unit and not once a type of elements.

/// How many bytes behind the start of the buffer's memory an accessor's first element is. Fails if it covers more than there is.
template <int D>
[[gnu::noinline]] inline size_t start_of_part(size_t start, size_t element, const range<D> &extent, const range<D> &memory, const id<D> &offset) {
  for (int d = 0; d < D; ++d)
    if (offset[d] > memory[d] || extent[d] > memory[d] - offset[d])
      fail(errc::invalid, "an accessor's range and offset must lie inside the buffer");
  return start + linear_id(offset, memory) * element;
}
/// The command uses the buffer; its address where the command runs.
[[gnu::noinline]] inline void *require_buffer(handler &command, const buffer_place &place, access_mode mode, bool on_host) {
  void *const address = command.aspen_use(*place.buffer, access_of(mode), on_host);
  if (place.placeholder())
    command.aspen_holds({place.buffer, reinterpret_cast<std::uintptr_t>(address),
                         reinterpret_cast<std::uintptr_t>(placeholder_address(place.buffer->handle)), place.buffer->size});
  return address;
}
[[gnu::noinline]] inline void *hold_buffer(buffer_place &place) {
  place.hold();
  return placeholder_address(place.buffer->handle);
}
[[gnu::noinline]] inline std::uint64_t place_bits(access_mode mode, const property_list &properties) {
  return takes_no_init(mode, properties) ? buffer_place::no_init : 0;
}
/// Whether an accessor to elements `V` may be made of a buffer of `U`: the types are the same but for const, which stays.
template <class U, class V>
inline constexpr bool reads_from = std::is_same_v<std::remove_const_t<U>, std::remove_const_t<V>> && (std::is_const_v<V> || !std::is_const_v<U>);
/// Gives what follows a buffer to `take`, one after the other. Numbers are a range, then an offset, of one dimension.
template <int D, bool HasRange, class Take> void take_each(const Take &) {}
template <int D, bool HasRange, class Take, class First, class... Rest> void take_each(const Take &take, const First &first, const Rest &...rest) {
  if constexpr (D == 1 && std::is_integral_v<First> && HasRange)
    take(id<D>(static_cast<size_t>(first)));
  else if constexpr (D == 1 && std::is_integral_v<First>)
    take(range<D>(static_cast<size_t>(first)));
  else
    take(first);
  take_each<D, HasRange || std::is_integral_v<First> || std::is_same_v<First, range<D>>>(take, rest...);
}
} // namespace detail

/// With any promises but those of none: in detail/promising_accessor.hpp.
template <class T, int D, access_mode Mode, target Target, access::placeholder Placeholder, class Promises> class accessor {
  using element = std::remove_const_t<T>;
  static constexpr bool read_only_ = Mode == access_mode::read || std::is_const_v<T>;

public:
  using value_type = std::conditional_t<read_only_, const element, element>;
  using aspen_transferred = element; // the compiler's plugin looks for references in it
  using reference = value_type &;
  using const_reference = const element &;
  using iterator = detail::iterator_of<value_type, D>;
  using const_iterator = detail::iterator_of<const element, D>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using difference_type = std::ptrdiff_t;
  using size_type = size_t;
  template <access::decorated Decorated> using accessor_ptr = multi_ptr<value_type, access::address_space::global_space, Decorated>;
  static constexpr int dimensions = D;
  static constexpr access_mode mode = Mode;

  /// Refers to nothing.
  accessor() = default;
  /// `arguments`: any of range, id (offset), tags, properties, in the specification's order.
  template <class U, class A, class... Arguments, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  accessor(buffer<U, D, A> &of, handler &command, Arguments... arguments) : accessor(whole(), of) {
    take_all(arguments...);
    require(command);
  }
  // The same for lists in braces, which have no type of their own.
  template <class U, class A, class... Arguments, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  accessor(buffer<U, D, A> &of, handler &command, range<D> extent, Arguments... arguments) : accessor(whole(), of) {
    take_all(extent, arguments...);
    require(command);
  }
  template <class U, class A, class... Arguments, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  accessor(buffer<U, D, A> &of, handler &command, range<D> extent, id<D> offset, Arguments... arguments) : accessor(whole(), of) {
    take_all(extent, offset, arguments...);
    require(command);
  }
  // Properties in braces, behind any of the other arguments.
#define __ASPEN_LIST(...) __VA_ARGS__
#define __ASPEN_WITH_PROPERTIES(parameters, arguments)                                                                                    \
  template <class U, class A, class Tag = mode_tag_t<Mode>,                                                                                \
            std::enable_if_t<detail::reads_from<U, value_type> && detail::is_access_tag<Tag>, int> = 0>                                    \
  accessor(buffer<U, D, A> &of, handler &command, __ASPEN_LIST parameters const property_list &properties) : accessor(whole(), of) {       \
    take_all(__ASPEN_LIST arguments properties);                                                                                           \
    require(command);                                                                                                                      \
  }
#define __ASPEN_PLACE_WITH_PROPERTIES(parameters, arguments)                                                                              \
  template <class U, class A, class Tag = mode_tag_t<Mode>,                                                                                \
            std::enable_if_t<detail::reads_from<U, value_type> && detail::is_access_tag<Tag>, int> = 0>                                    \
  accessor(buffer<U, D, A> &of, __ASPEN_LIST parameters const property_list &properties) : accessor(whole(), of) {                         \
    take_all(__ASPEN_LIST arguments properties);                                                                                           \
    hold_place();                                                                                                                          \
  }
#define __ASPEN_BEFORE_PROPERTIES(each)                                                                                                   \
  each((Tag tag, ), (tag, )) each((range<D> extent, ), (extent, )) each((range<D> extent, Tag tag, ), (extent, tag, ))                     \
      each((range<D> extent, id<D> offset, ), (extent, offset, )) each((range<D> extent, id<D> offset, Tag tag, ), (extent, offset, tag, ))
  __ASPEN_WITH_PROPERTIES((), ())
  __ASPEN_BEFORE_PROPERTIES(__ASPEN_WITH_PROPERTIES)
  __ASPEN_BEFORE_PROPERTIES(__ASPEN_PLACE_WITH_PROPERTIES)
#undef __ASPEN_WITH_PROPERTIES
#undef __ASPEN_PLACE_WITH_PROPERTIES
  /// A placeholder: pass it to `handler::require` before the kernel's lambda is made.
  template <class U, class A, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  accessor(buffer<U, D, A> &of, const property_list &properties = {}) : accessor(whole(), of) {
    take(properties);
    hold_place();
  }
  template <class U, class A, class First, class... Arguments,
            std::enable_if_t<detail::reads_from<U, value_type> && !std::is_convertible_v<First, const property_list &> &&
                                 !std::is_same_v<First, handler>,
                             int> = 0>
  accessor(buffer<U, D, A> &of, First first, Arguments... arguments) : accessor(whole(), of) {
    take_all(first, arguments...);
    hold_place();
  }
  template <class U, class A, class... Arguments, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  accessor(buffer<U, D, A> &of, range<D> extent, Arguments... arguments) : accessor(whole(), of) {
    take_all(extent, arguments...);
    hold_place();
  }
  template <class U, class A, class... Arguments, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  accessor(buffer<U, D, A> &of, range<D> extent, id<D> offset, Arguments... arguments) : accessor(whole(), of) {
    take_all(extent, offset, arguments...);
    hold_place();
  }
  /// Mode and target of another accessor to the same buffer, read-only for example.
  template <class U, access_mode M,
            std::enable_if_t<std::is_same_v<std::remove_const_t<U>, element> && read_only_ && !std::is_same_v<accessor, accessor<U, D, M, Target, Placeholder>>, int> = 0>
  accessor(const accessor<U, D, M, Target, Placeholder> &other)
      : data_(other.data_), place_(other.place_), extent_(other.extent_), memory_(other.memory_), offset_(other.offset_),
        start_(other.start_) {}

  /// Of what is one or none, whatever the type says. Source: SYCL 2020 §4.7.6.9, "IsPlaceholder".
  template <access::placeholder Other, std::enable_if_t<Other != Placeholder, int> = 0>
  accessor(const accessor<T, D, Mode, Target, Other, Promises> &other)
      : data_(other.data_), place_(other.place_), extent_(other.extent_), memory_(other.memory_), offset_(other.offset_),
        start_(other.start_) {}

  bool is_placeholder() const { return place_.placeholder(); }
  template <class P, std::enable_if_t<!ext::oneapi::is_compile_time_property<P>::value, int> = 0> bool has_property() const noexcept {
    return std::is_same_v<P, property::no_init> && (place_.what & detail::buffer_place::no_init) != 0;
  }
  template <class P, std::enable_if_t<ext::oneapi::is_compile_time_property<P>::value, int> = 0> static constexpr bool has_property() noexcept {
    return false;
  }
  template <class P> P get_property() const {
    static_assert(is_property_of_v<P, accessor>, "accessors have no such property");
    if (!has_property<P>())
      detail::fail(errc::invalid, "get_property: the accessor was not given this property");
    return P{};
  }
  size_t byte_size() const noexcept { return size() * sizeof(element); }
  size_t get_size() const { return byte_size(); }
  size_t size() const noexcept { return extent_.size(); }
  size_t get_count() const { return size(); }
  size_t max_size() const noexcept { return empty() ? 0 : ~size_t(0) / sizeof(element); }
  bool empty() const noexcept { return size() == 0; }
  range<D> get_range() const { return extent_; }
  id<D> get_offset() const { return offset_; }

  reference operator[](const id<D> &at) const { return data_[detail::linear_id(at, memory_)]; }
  template <class I, std::enable_if_t<detail::is_plain_index<I, D> && D == 1, int> = 0> reference operator[](I at) const {
    return data_[static_cast<size_t>(at)];
  }
  template <class I, std::enable_if_t<std::is_convertible_v<I, size_t> && (D > 1), int> = 0> auto operator[](I at) const {
    return detail::element_row<value_type, D, D>(data_, memory_)[static_cast<size_t>(at)];
  }

  /// The first byte of the buffer, whatever the accessor's offset.
  auto get_pointer() const noexcept {
    if constexpr (Target == target::host_task)
      return allocation();
    else if constexpr (Target == target::constant_buffer)
      return constant_ptr<element>(const_cast<element *>(allocation()));
    else
      return global_ptr<value_type>(allocation());
  }
  template <access::decorated Decorated = access::decorated::no> accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    return accessor_ptr<Decorated>(allocation());
  }
  iterator begin() const noexcept { return detail::iterator_at<value_type>(data_, extent_, memory_, 0); }
  iterator end() const noexcept { return detail::iterator_at<value_type>(data_, extent_, memory_, size()); }
  const_iterator cbegin() const noexcept { return detail::iterator_at<const element>(data_, extent_, memory_, 0); }
  const_iterator cend() const noexcept { return detail::iterator_at<const element>(data_, extent_, memory_, size()); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }
  void swap(accessor &other) { std::swap(*this, other); }

  friend bool operator==(const accessor &a, const accessor &b) {
    return a.place_.buffer == b.place_.buffer && a.extent_ == b.extent_ && a.offset_ == b.offset_ && a.start_ == b.start_;
  }
#if __cplusplus < 202002L
  friend bool operator!=(const accessor &a, const accessor &b) { return !(a == b); }
#endif

  /// For the library.
  detail::buffer_state *aspen_buffer() const { return place_.buffer; }
  /// The same: where the memory of its buffer, or sub-buffer, begins and how large it is, in bytes.
  size_t aspen_start() const { return start_; }
  size_t aspen_memory_size() const { return memory_.size() * sizeof(element); }

private:
  template <class, int, access_mode, target, access::placeholder, class> friend class accessor;
  friend handler;

  struct whole {};
  template <class U, class A>
  accessor(whole, buffer<U, D, A> &of)
      : place_{of.aspen_state()}, extent_(of.get_range()), memory_(of.get_range()), start_(of.aspen_offset()) {}

  template <class... Arguments> void take_all(const Arguments &...arguments) {
    detail::take_each<D, false>([this](const auto &argument) { take(argument); }, arguments...);
  }
  void take(const range<D> &extent) { extent_ = extent; }
  void take(const id<D> &offset) { offset_ = offset; }
  template <access_mode M> void take(mode_tag_t<M>) {
    static_assert(detail::tag_fits<Mode, M>, "the tag names another mode than the accessor's type");
  }
  template <access_mode M, target P> void take(mode_target_tag_t<M, P>) {
    static_assert(detail::tag_fits<Mode, M> && P == Target, "the tag names another mode or target than the accessor's type");
  }
  void take(const property_list &properties) { place_.what |= detail::place_bits(Mode, properties); }

  void hold_place() { show(detail::hold_buffer(place_)); }
  void require(handler &command) const { show(detail::require_buffer(command, place_, Mode, Target == target::host_task)); }
  void show(void *address) const {
    data_ = reinterpret_cast<element *>(static_cast<char *>(address) +
                                        detail::start_of_part(start_, sizeof(element), extent_, memory_, offset_));
  }
  value_type *allocation() const { return data_ - detail::linear_id(offset_, memory_); }

  // Side by side: see buffer_place::bind_required.
  mutable element *data_ = nullptr; // the element at `offset_`; mutable as `handler::require` fills it
  detail::buffer_place place_;
  range<D> extent_;
  range<D> memory_;
  id<D> offset_;
  size_t start_ = 0; // bytes, of a sub-buffer
};

template <class T, int D, class A, class... Arguments>
accessor(buffer<T, D, A> &, handler &, Arguments...)
    -> accessor<T, D, detail::tags_of<detail::default_mode<T>, Arguments...>::mode,
                detail::tags_of<detail::default_mode<T>, Arguments...>::place, access::placeholder::false_t, detail::promises<Arguments...>>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &) -> accessor<T, D, detail::default_mode<T>, target::device, access::placeholder::true_t>;
template <class T, int D, class A, class First, class... Arguments, class = std::enable_if_t<!std::is_same_v<First, handler>>>
accessor(buffer<T, D, A> &, First, Arguments...)
    -> accessor<T, D, detail::tags_of<detail::default_mode<T>, First, Arguments...>::mode,
                detail::tags_of<detail::default_mode<T>, First, Arguments...>::place, access::placeholder::true_t,
                detail::promises<First, Arguments...>>;

// For what is in braces.
#define __ASPEN_GUIDE(parameters, arguments)                                                                                              \
  template <class T, int D, class A, class Tag = mode_tag_t<detail::default_mode<T>>, class = std::enable_if_t<detail::is_access_tag<Tag>>> \
  accessor(buffer<T, D, A> &, handler &, __ASPEN_LIST parameters const property_list &)                                                    \
      -> accessor<T, D, detail::tags_of<access_mode::read, Tag>::mode, detail::tags_of<access_mode::read, Tag>::place,                     \
                  access::placeholder::false_t>;                                                                                           \
  template <class T, int D, class A, class Tag = mode_tag_t<detail::default_mode<T>>, class = std::enable_if_t<detail::is_access_tag<Tag>>> \
  accessor(buffer<T, D, A> &, __ASPEN_LIST parameters const property_list &)                                                               \
      -> accessor<T, D, detail::tags_of<access_mode::read, Tag>::mode, detail::tags_of<access_mode::read, Tag>::place,                     \
                  access::placeholder::true_t>;
__ASPEN_GUIDE((), ())
__ASPEN_BEFORE_PROPERTIES(__ASPEN_GUIDE)
#undef __ASPEN_GUIDE
template <class T, int D, class A, class... Rest>
accessor(buffer<T, D, A> &, handler &, range<D>, Rest...)
    -> accessor<T, D, detail::tags_of<detail::default_mode<T>, Rest...>::mode, detail::tags_of<detail::default_mode<T>, Rest...>::place,
                access::placeholder::false_t, detail::promises<Rest...>>;
template <class T, int D, class A, class... Rest>
accessor(buffer<T, D, A> &, handler &, range<D>, id<D>, Rest...)
    -> accessor<T, D, detail::tags_of<detail::default_mode<T>, Rest...>::mode, detail::tags_of<detail::default_mode<T>, Rest...>::place,
                access::placeholder::false_t, detail::promises<Rest...>>;
template <class T, int D, class A, class... Rest>
accessor(buffer<T, D, A> &, range<D>, Rest...)
    -> accessor<T, D, detail::tags_of<detail::default_mode<T>, Rest...>::mode, detail::tags_of<detail::default_mode<T>, Rest...>::place,
                access::placeholder::true_t, detail::promises<Rest...>>;
template <class T, int D, class A, class... Rest>
accessor(buffer<T, D, A> &, range<D>, id<D>, Rest...)
    -> accessor<T, D, detail::tags_of<detail::default_mode<T>, Rest...>::mode, detail::tags_of<detail::default_mode<T>, Rest...>::place,
                access::placeholder::true_t, detail::promises<Rest...>>;

template <class T, int D, access_mode M, target P, access::placeholder H> inline void handler::require(const accessor<T, D, M, P, H> &a) {
  if (a.is_placeholder())
    a.require(*this);
}

namespace detail {
template <class T> inline constexpr bool is_accessor = false;
template <class T, int D, access_mode M, target P, access::placeholder H, class L>
inline constexpr bool is_accessor<accessor<T, D, M, P, H, L>> = true;
} // namespace detail

/// Memory that the work-items of one work-group share. Source: SYCL 2020 §4.7.6.11.
template <class T, int D = 1> class local_accessor {
public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  // Not those of `accessor`: programs name kernels by them.
  using iterator = multi_ptr<T, access::address_space::local_space, access::decorated::no>;
  using const_iterator = multi_ptr<const T, access::address_space::local_space, access::decorated::no>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using difference_type = std::ptrdiff_t;
  using size_type = size_t;
  template <access::decorated Decorated> using accessor_ptr = multi_ptr<T, access::address_space::local_space, Decorated>;
  static constexpr int dimensions = D;

  local_accessor() = default;
  local_accessor(const range<D> &extent, handler &command, const property_list & = {})
      : place_{static_cast<std::uint32_t>(command.aspen_local_memory(detail::saturated_bytes(extent, sizeof(T)), alignment, alignof(T))), detail::local_place::is_local},
        aspen_extent(extent) {}
  /// Reads what the other writes.
  template <class U, std::enable_if_t<std::is_same_v<const U, T> && !std::is_const_v<U>, int> = 0>
  local_accessor(const local_accessor<U, D> &other) : place_(other.place_), aspen_extent(other.aspen_extent) {}

  size_t byte_size() const noexcept { return size() * sizeof(T); }
  size_t size() const noexcept { return aspen_extent.size(); }
  size_t get_count() const { return size(); }
  size_t max_size() const noexcept { return empty() ? 0 : ~size_t(0) / sizeof(T); }
  bool empty() const noexcept { return size() == 0; }
  range<D> get_range() const { return aspen_extent; }

  reference operator[](const id<D> &at) const { return first()[detail::linear_id(at, aspen_extent)]; }
  template <class I, std::enable_if_t<detail::is_plain_index<I, D> && D == 1, int> = 0> reference operator[](I at) const {
    return first()[static_cast<size_t>(at)];
  }
  template <class I, std::enable_if_t<std::is_convertible_v<I, size_t> && (D > 1), int> = 0> auto operator[](I at) const {
    return detail::element_row<T, D, D>(first(), aspen_extent)[static_cast<size_t>(at)];
  }
  auto get_pointer() const noexcept { return local_ptr<T>(first()); }
  template <access::decorated Decorated = access::decorated::no> accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    return accessor_ptr<Decorated>(first());
  }
  iterator begin() const noexcept { return iterator(first()); }
  iterator end() const noexcept { return iterator(first() + size()); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }
  void swap(local_accessor &other) { std::swap(*this, other); }
  /// Local accessors have no properties.
  template <class P> bool has_property() const noexcept { return false; }
  template <class P> P get_property() const { return property_list().template get_property<P>(); }

  friend bool operator==(const local_accessor &a, const local_accessor &b) { return a.aspen_offset() == b.aspen_offset() && a.aspen_extent == b.aspen_extent; }
#if __cplusplus < 202002L
  friend bool operator!=(const local_accessor &a, const local_accessor &b) { return !(a == b); }
#endif
  /// For the library.
  size_t aspen_offset() const { return place_.offset; }
  local_accessor(const detail::local_place &place, const range<D> &extent) : place_(place), aspen_extent(extent) {}

private:
  template <class, int> friend class local_accessor;
  // So that what lies side by side in narrower types may be loaded at once.
  static constexpr size_t alignment = alignof(T) > 16 ? alignof(T) : 16;
  T *first() const {
    char *const memory = detail::local_memory() + place_.offset;
#if defined(__ASPEN_GPU__)
    return reinterpret_cast<T *>(__builtin_assume_aligned(memory, alignment));
#else // where it begins is the driver's affair
    return reinterpret_cast<T *>(memory);
#endif
  }
  detail::local_place place_;
  /// The compiler knows it by this name (-fsycl-known-local-ranges).
  range<D> aspen_extent;
};

namespace detail {
/// Holds back conflicting commands as long as a host accessor or one of its copies lives.
struct host_access : counted {
  [[gnu::noinline]] host_access(aspen_buffer_t *of, aspen_access_t how) : buffer(of), access(how) {
    recorded_buffers::check_host_access(of);
    check(aspen_buffer_host_access_begin(of, how, &address));
    aspen_buffer_retain(of);
  }
  [[gnu::noinline]] ~host_access() {
    aspen_buffer_host_access_end(buffer, access);
    aspen_buffer_release(buffer);
  }
  aspen_buffer_t *buffer;
  aspen_access_t access;
  void *address = nullptr;
};
} // namespace detail

/// The host's view of a buffer; waits for the commands that use it. Source: SYCL 2020 §4.7.6.10.
template <class T, int D = 1, access_mode Mode = detail::default_mode<T>> class host_accessor {
  using element = std::remove_const_t<T>;
  static constexpr bool read_only_ = Mode == access_mode::read || std::is_const_v<T>;

public:
  using value_type = std::conditional_t<read_only_, const element, element>;
  using reference = value_type &;
  using const_reference = const element &;
  using iterator = detail::iterator_of<value_type, D>;
  using const_iterator = detail::iterator_of<const element, D>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using difference_type = std::ptrdiff_t;
  using size_type = size_t;
  static constexpr int dimensions = D;

  host_accessor() = default;
  template <class U, class A, class... Arguments,
            std::enable_if_t<detail::reads_from<U, value_type> && (!std::is_same_v<Arguments, handler> && ...), int> = 0>
  host_accessor(buffer<U, D, A> &of, Arguments... arguments) : extent_(of.get_range()), memory_(of.get_range()) {
    detail::take_each<D, false>([this](const auto &argument) { take(argument); }, arguments...);
    open(of);
  }
  /// The same for lists in braces, which have no type of their own.
  template <class U, class A, class... Arguments, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  host_accessor(buffer<U, D, A> &of, range<D> extent, id<D> offset, Arguments... arguments) : extent_(of.get_range()), memory_(of.get_range()) {
    detail::take_each<D, false>([this](const auto &argument) { take(argument); }, extent, offset, arguments...);
    open(of);
  }
#define __ASPEN_WITH_PROPERTIES(parameters, arguments)                                                                                    \
  template <class U, class A, class Tag = mode_tag_t<Mode>,                                                                                \
            std::enable_if_t<detail::reads_from<U, value_type> && detail::is_access_tag<Tag>, int> = 0>                                    \
  host_accessor(buffer<U, D, A> &of, __ASPEN_LIST parameters const property_list &properties)                                              \
      : extent_(of.get_range()), memory_(of.get_range()) {                                                                                 \
    detail::take_each<D, false>([this](const auto &argument) { take(argument); }, __ASPEN_LIST arguments properties);                      \
    open(of);                                                                                                                              \
  }
  __ASPEN_WITH_PROPERTIES((), ())
  __ASPEN_BEFORE_PROPERTIES(__ASPEN_WITH_PROPERTIES)
#undef __ASPEN_WITH_PROPERTIES
  template <class U, class A, class... Arguments, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  host_accessor(buffer<U, D, A> &of, range<D> extent, Arguments... arguments) : extent_(of.get_range()), memory_(of.get_range()) {
    detail::take_each<D, false>([this](const auto &argument) { take(argument); }, extent, arguments...);
    open(of);
  }
  /// For a host task: nothing waits here, the command does, as with DPC++.
  template <class U, class A, class... Arguments, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  host_accessor(buffer<U, D, A> &of, handler &command, Arguments... arguments) : extent_(of.get_range()), memory_(of.get_range()) {
    detail::take_each<D, false>([this](const auto &argument) { take(argument); }, arguments...);
    show(of, detail::require_buffer(command, {of.aspen_state()}, Mode, true));
  }
  /// Reads what another accessor of the same type may write.
  template <class U, access_mode M,
            std::enable_if_t<detail::reads_from<U, value_type> && read_only_ && !std::is_same_v<host_accessor, host_accessor<U, D, M>>, int> = 0>
  host_accessor(const host_accessor<U, D, M> &other)
      : data_(other.data_), held_(other.held_), extent_(other.extent_), memory_(other.memory_), offset_(other.offset_), no_init_(other.no_init_) {}

  template <class P> bool has_property() const noexcept { return std::is_same_v<P, property::no_init> && no_init_; }
  template <class P> P get_property() const {
    static_assert(is_property_of_v<P, host_accessor>, "host accessors have no such property");
    if (!has_property<P>())
      detail::fail(errc::invalid, "get_property: the accessor was not given this property");
    return P{};
  }
  size_t byte_size() const noexcept { return size() * sizeof(element); }
  size_t size() const noexcept { return extent_.size(); }
  size_t get_count() const { return size(); }
  size_t max_size() const noexcept { return empty() ? 0 : ~size_t(0) / sizeof(element); }
  bool empty() const noexcept { return size() == 0; }
  range<D> get_range() const { return extent_; }
  id<D> get_offset() const { return offset_; }
  reference operator[](const id<D> &at) const { return data_[detail::linear_id(at, memory_)]; }
  template <class I, std::enable_if_t<detail::is_plain_index<I, D> && D == 1, int> = 0> reference operator[](I at) const {
    return data_[static_cast<size_t>(at)];
  }
  template <class I, std::enable_if_t<std::is_convertible_v<I, size_t> && (D > 1), int> = 0> auto operator[](I at) const {
    return detail::element_row<value_type, D, D>(data_, memory_)[static_cast<size_t>(at)];
  }
  value_type *get_pointer() const noexcept { return data_ - detail::linear_id(offset_, memory_); }
  /// As an accessor has it, which a host_accessor is with DPC++.
  template <access::decorated Decorated = access::decorated::no> auto get_multi_ptr() const noexcept {
    return multi_ptr<value_type, access::address_space::global_space, Decorated>(get_pointer());
  }
  iterator begin() const noexcept { return detail::iterator_at<value_type>(data_, extent_, memory_, 0); }
  iterator end() const noexcept { return detail::iterator_at<value_type>(data_, extent_, memory_, size()); }
  const_iterator cbegin() const noexcept { return detail::iterator_at<const element>(data_, extent_, memory_, 0); }
  const_iterator cend() const noexcept { return detail::iterator_at<const element>(data_, extent_, memory_, size()); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }
  void swap(host_accessor &other) { std::swap(*this, other); }

  friend bool operator==(const host_accessor &a, const host_accessor &b) {
    return a.held_ == b.held_ && a.data_ == b.data_ && a.extent_ == b.extent_ && a.offset_ == b.offset_;
  }
#if __cplusplus < 202002L
  friend bool operator!=(const host_accessor &a, const host_accessor &b) { return !(a == b); }
#endif
  /// For the library.
  const detail::host_access *aspen_access() const { return held_.get(); }

private:
  void take(const range<D> &extent) { extent_ = extent; }
  void take(const id<D> &offset) { offset_ = offset; }
  template <access_mode M> void take(mode_tag_t<M>) {
    static_assert(detail::tag_fits<Mode, M>, "the tag names another mode than the accessor's type");
  }
  void take(const property_list &properties) { no_init_ = detail::takes_no_init(Mode, properties); }
  template <class B> void open(B &of) {
    const size_t start = detail::start_of_part(of.aspen_offset(), sizeof(element), extent_, memory_, offset_);
    held_ = detail::shared<detail::host_access>(new detail::host_access(of.aspen_handle(), detail::access_of(Mode)));
    data_ = reinterpret_cast<element *>(static_cast<char *>(held_->address) + start);
  }
  template <class B> void show(const B &of, void *address) {
    data_ = reinterpret_cast<element *>(static_cast<char *>(address) +
                                        detail::start_of_part(of.aspen_offset(), sizeof(element), extent_, memory_, offset_));
  }

  template <class, int, access_mode> friend class host_accessor;
  element *data_ = nullptr;
  detail::shared<detail::host_access> held_;
  range<D> extent_;
  range<D> memory_;
  id<D> offset_;
  bool no_init_ = false;
};

template <class T, int D, class A, class... Arguments>
host_accessor(buffer<T, D, A> &, handler &, Arguments...) -> host_accessor<T, D, detail::tags_of<detail::default_mode<T>, Arguments...>::mode>;
template <class T, int D, class A, class... Arguments, class = std::enable_if_t<(!std::is_same_v<Arguments, handler> && ...)>>
host_accessor(buffer<T, D, A> &, Arguments...) -> host_accessor<T, D, detail::tags_of<detail::default_mode<T>, Arguments...>::mode>;
// For what is in braces.
#define __ASPEN_GUIDE(parameters, arguments)                                                                                              \
  template <class T, int D, class A, class Tag = mode_tag_t<detail::default_mode<T>>, class = std::enable_if_t<detail::is_access_tag<Tag>>> \
  host_accessor(buffer<T, D, A> &, __ASPEN_LIST parameters const property_list &)                                                          \
      -> host_accessor<T, D, detail::tags_of<access_mode::read, Tag>::mode>;
__ASPEN_GUIDE((), ())
__ASPEN_BEFORE_PROPERTIES(__ASPEN_GUIDE)
#undef __ASPEN_GUIDE
#undef __ASPEN_BEFORE_PROPERTIES
#undef __ASPEN_LIST
template <class T, int D, class A, class... Rest>
host_accessor(buffer<T, D, A> &, range<D>, Rest...) -> host_accessor<T, D, detail::tags_of<detail::default_mode<T>, Rest...>::mode>;
template <class T, int D, class A, class... Rest>
host_accessor(buffer<T, D, A> &, range<D>, id<D>, Rest...) -> host_accessor<T, D, detail::tags_of<detail::default_mode<T>, Rest...>::mode>;

} // namespace sycl

#include <sycl/detail/accessor_of_one.hpp>
#include <sycl/detail/legacy_accessors.hpp>
#include <sycl/detail/promising_accessor.hpp>

template <class T, int D, sycl::access_mode M, sycl::target P, sycl::access::placeholder H, class L>
struct std::hash<sycl::accessor<T, D, M, P, H, L>> {
  std::size_t operator()(const sycl::accessor<T, D, M, P, H, L> &a) const noexcept {
    if constexpr (P == sycl::target::local)
      return std::hash<sycl::local_accessor<T, D>>()(a);
    else if constexpr (P == sycl::target::host_buffer)
      return std::hash<sycl::host_accessor<T, D, M>>()(a);
    else
      return reinterpret_cast<std::size_t>(a.aspen_buffer()) + a.size();
  }
};
template <class T, int D> struct std::hash<sycl::local_accessor<T, D>> {
  std::size_t operator()(const sycl::local_accessor<T, D> &a) const noexcept { return a.aspen_offset() + a.size(); }
};
template <class T, int D, sycl::access_mode M> struct std::hash<sycl::host_accessor<T, D, M>> {
  std::size_t operator()(const sycl::host_accessor<T, D, M> &a) const noexcept {
    return reinterpret_cast<std::size_t>(a.aspen_access()) + a.size();
  }
};
