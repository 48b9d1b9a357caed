//! `sycl::buffer`. Source: SYCL 2020 §4.7.2.
#pragma once
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <sycl/access.hpp>
#include <sycl/detail/accessor_class.hpp>
#include <sycl/detail/buffer_users.hpp>
#include <sycl/detail/counted.hpp>
#include <sycl/detail/owner_classes.hpp>
#include <sycl/property_list.hpp>
#include <sycl/range.hpp>
#include <string> // for std::data, std::iterator_traits and the allocator; <iterator> would bring streams
#include <vector>

namespace sycl {

/// Kept for signatures that name it: the runtime owns the memory of buffers.
template <class T> using buffer_allocator = std::allocator<T>;

namespace detail {

/// Where a buffer's content goes when the last copy of the buffer is destroyed.
struct final_data {
  virtual ~final_data() = default;
  virtual void write(const void *from) = 0;
  size_t offset = 0; // of what it is for, in the buffer: that of a sub-buffer
};

/// Assigns, or copies the bytes of what cannot be assigned.
template <class To, class T> inline void write_back(To &&to, const T &value) {
  if constexpr (std::is_assignable_v<To, const T &> || !std::is_same_v<std::remove_reference_t<To>, T>)
    to = value;
  else
    std::memcpy(const_cast<void *>(static_cast<const volatile void *>(std::addressof(to))), std::addressof(value), sizeof value);
}

template <class C, class = void> inline constexpr bool is_contiguous_container = false;
template <class C>
inline constexpr bool is_contiguous_container<
    C, std::void_t<decltype(std::data(std::declval<C &>())), decltype(std::size(std::declval<C &>())), typename C::value_type>> = true;
/// Whose elements a buffer of `T` takes: an array of C, too.
template <class C, class T, class = void> inline constexpr bool contains = false;
template <class C, class T>
inline constexpr bool contains<C, T, std::void_t<decltype(std::data(std::declval<C &>())), decltype(std::size(std::declval<C &>()))>> =
    std::is_convertible_v<decltype(std::data(std::declval<C &>())), const T *>;
/// Nothing converts to it: a parameter of what a class does not take.
class unavailable {
  unavailable() = delete;

public:
  operator void *() const { return nullptr; }
  bool operator!=(std::nullptr_t) const { return false; }
};
/// A pointer to elements that a buffer writes; of a buffer of const ones there is none.
template <class T> using to_write = std::conditional_t<std::is_const_v<T>, unavailable, T *>;
/// Where the elements begin that a smart pointer leads to: it may own what holds them (a std::array).
template <class T, class P> inline auto *first_of(P *to) {
  if constexpr (is_contiguous_container<P> && !std::is_same_v<P, T> && !std::is_assignable_v<P &, const T &>)
    return std::data(*to);
  else
    return to;
}

template <class T, class Destination> struct final_data_at final : final_data {
  final_data_at(Destination to, size_t count) : to_(std::move(to)), count_(count) {}
  void write(const void *from) override {
    Destination to = to_;
    const T *begin = static_cast<const T *>(from);
    for (size_t i = 0; i < count_; ++i, ++to)
      write_back(*to, begin[i]);
  }

private:
  Destination to_;
  size_t count_;
};

/// A destination that may be gone by then (std::weak_ptr).
template <class T, class Weak> struct final_data_if_alive final : final_data {
  final_data_if_alive(Weak to, size_t count) : to_(std::move(to)), count_(count) {}
  void write(const void *from) override {
    if (auto alive = to_.lock()) {
      auto *to = first_of<T>(alive.get());
      const T *begin = static_cast<const T *>(from);
      for (size_t i = 0; i < count_; ++i)
        write_back(to[i], begin[i]);
    }
  }

private:
  Weak to_;
  size_t count_;
};

/// Memory that a std::shared_ptr keeps.
template <class T, class Shared> struct final_data_owned final : final_data {
  final_data_owned(Shared to, size_t count) : to_(std::move(to)), count_(count) {}
  void write(const void *from) override {
    auto *to = first_of<T>(to_.get());
    const T *begin = static_cast<const T *>(from);
    for (size_t i = 0; i < count_; ++i)
      write_back(to[i], begin[i]);
  }

private:
  Shared to_;
  size_t count_;
};

/// A destination behind a mutex (property::buffer::use_mutex).
struct final_data_locked final : final_data {
  final_data_locked(final_data *to, std::mutex *mutex) : to_(to), mutex_(mutex) {}
  ~final_data_locked() override { delete to_; }
  void write(const void *from) override {
    const std::lock_guard<std::mutex> locked(*mutex_);
    to_->write(from);
  }

private:
  final_data *to_;
  std::mutex *mutex_;
};

struct buffer_state : counted {
  /// `use_host`: as of aspen_buffer_create.
  [[gnu::noinline]] buffer_state(size_t bytes, size_t alignment, void *host, int use_host)
      : size(bytes), used(use_host ? host : nullptr), in_place(use_host), exactly(use_host == 2), at_home(use_host), write_back(use_host) {
    check(aspen_buffer_create(bytes ? bytes : 1, alignment, host, use_host, &handle));
  }
  /// One that make_buffer was given.
  buffer_state(aspen_buffer_t *adopted, final_data *to) : handle(adopted), destination(to), write_back(true) {}
  /// Whether the content goes to the program's memory in the end, once it is written.
  bool goes_back() const { return write_back && (at_home || destination); }
  /// Waits for what uses memory of the program, unless that said that nothing is to go back. Source: SYCL 2020 §4.7.2.3, §4.7.4.3.
  [[gnu::noinline]] ~buffer_state() {
    const bool goes = goes_back() && aspen_buffer_written(handle);
    // Nobody may look at memory that is put back.
    if (restores)
      aspen_buffer_wait(handle);
    if (goes) {
      void *content = nullptr;
      if (aspen_error_t *error = aspen_buffer_host_access_begin(handle, ASPEN_ACCESS_READ, &content)) {
        std::fprintf(stderr, "a buffer's content could not be written back: %s\n", aspen_error_message(error));
        aspen_error_delete(error);
      } else {
        if (restores && !at_home)
          content = aspen_buffer_restore_host(handle);
        if (destination)
          destination->write(static_cast<const char *>(content) + destination->offset);
        else if (!in_place)
          std::memcpy(used, content, size);
        aspen_buffer_host_access_end(handle, ASPEN_ACCESS_READ);
      }
    } else if (restores) {
      aspen_buffer_restore_host(handle);
    }
    // Behind the access, which waits for a writer only, and brings the content meanwhile.
    if (in_place || attached || updated || goes)
      aspen_buffer_wait(handle);
    delete destination;
    aspen_buffer_release(handle);
    delete owner;
  }
  /// The content goes nowhere, to another place, or to the memory that the buffer works on (`home`).
  void set_destination(final_data *to, bool home) {
    delete destination;
    destination = to;
    at_home = home;
    set_write_back(to || home);
  }
  void set_write_back(bool wanted) {
    write_back = wanted;
    attached = attached && wanted;
    if (!in_place || exactly || restores || (wanted && at_home))
      return;
    leave();
  }
  /// The buffer is to be used as elements of such an alignment. The program's memory need not have it, unless it has to be used.
  void align(size_t alignment, size_t offset) {
    if (in_place && !exactly && !restores && (reinterpret_cast<std::uintptr_t>(used) + offset) % alignment != 0) {
      leave();
      attached = true;
    }
  }
  /// Where handler::update_host writes, if anywhere. Whoever asks is going to: the buffer lasts until that is done.
  void *updated_place() const {
    updated = updated || origin;
    return origin ? origin : used;
  }
  /// Has the program's memory be as it is now afterwards, unless the content goes there.
  void leave() {
    int how = 0;
    check(aspen_buffer_spare_host(handle, &how));
    restores = how == 2;
    if (how == 1) {
      in_place = false;
      origin = used;
    }
  }

  aspen_buffer_t *handle = nullptr;
  final_data *destination = nullptr; // null: nowhere, or the host memory that the buffer works on
  struct held {
    virtual ~held() = default;
  };
  held *owner = nullptr; // of the host memory, whatever becomes of the destination
  /// For handler::update_host: the host memory that the buffer was made from, unless it works there or may not write there.
  void *origin = nullptr;
  mutable bool updated = false; // that is written, for which the buffer has to last
  size_t size = 0; // bytes
  mutable buffer_users users;
  std::mutex *mutex = nullptr;
  void *const used = nullptr; // the host memory that the buffer was made to work on
  bool in_place = false;      // it does
  bool exactly = false;       // and nowhere else
  bool attached = false;      // it was made of memory of the program on which it does not work, a constant or behind a mutex
  bool at_home = false;       // that memory is where the content goes
  bool restores = false;      // what was there before goes back, unless the content stays
  bool write_back;
};

/// The size of so many elements; what no memory can hold is refused.
template <int D> size_t buffer_bytes(const range<D> &extent, size_t element) {
  const size_t bytes = saturated_bytes(extent, element);
  if (bytes == ~size_t(0))
    fail(errc::memory_allocation, "a buffer of more bytes than there are addresses");
  return bytes;
}

/// Once a unit, whatever the elements are.
[[gnu::noinline]] inline buffer_state *new_buffer_state(size_t bytes, size_t alignment, const property_list &properties, void *host, bool use_host) {
  std::unique_lock<std::mutex> locked;
  if (host && properties.has_property<ext::oneapi::property::buffer::use_pinned_host_memory>())
    fail(errc::invalid, "use_pinned_host_memory is for buffers without memory of the program");
  if (host && properties.has_property<property::buffer::use_mutex>())
    locked = std::unique_lock<std::mutex>(*properties.get_property<property::buffer::use_mutex>().get_mutex_ptr());
  const int how = !use_host ? 0 : properties.has_property<property::buffer::use_host_ptr>() ? 2 : 1;
  return new buffer_state(bytes, alignment, host, how);
}

constexpr aspen_access_t access_of(access_mode mode) {
  return mode == access_mode::read                                              ? ASPEN_ACCESS_READ
         : mode == access_mode::write || mode == access_mode::discard_write ? ASPEN_ACCESS_WRITE
                                                                                : ASPEN_ACCESS_READ_WRITE;
}

} // namespace detail

template <class T, int D, access_mode Mode> class host_accessor;

template <class T, int D = 1, class Allocator = buffer_allocator<std::remove_const_t<T>>> class buffer {
  static_assert(detail::valid_dimensions<D>, "buffers have one to three dimensions");
  static_assert(!std::is_reference_v<T> && !std::is_volatile_v<T>, "a buffer's element is a plain type");
  static_assert(!detail::owns_memory<std::remove_const_t<T>>,
                "the elements of a buffer are device-copyable (SYCL 2020 §4.7.2): strings, vectors and smart pointers own memory of the host");
  using element = std::remove_const_t<T>;

public:
  using value_type = T;
  using aspen_transferred = T; // the compiler's plugin looks for references in it
  using reference = T &;
  using const_reference = const T &;
  using allocator_type = Allocator;
  static constexpr int dimensions = D;

  buffer(const range<D> &extent, const property_list &properties = {}) : buffer(extent, Allocator(), properties) {}
  buffer(const range<D> &extent, Allocator allocator, const property_list &properties = {})
      : buffer(extent, properties, nullptr, false, allocator) {}
  /// Works on `host` until the buffer is destroyed. No template, since what converts to a pointer is one.
  buffer(detail::to_write<T> host, const range<D> &extent, const property_list &properties = {}) : buffer(host, extent, Allocator(), properties) {}
  buffer(detail::to_write<T> host, const range<D> &extent, Allocator allocator, const property_list &properties = {})
      : buffer(extent, properties, host, host != nullptr && works_there(properties), allocator) {
    if (host != nullptr && !state_->in_place) {
      set_final_data(host);
      remember(host);
      state_->attached = true;
    }
  }
  /// Copies from `host`; nothing is written back.
  buffer(const T *host, const range<D> &extent, const property_list &properties = {}) : buffer(host, extent, Allocator(), properties) {}
  buffer(const T *host, const range<D> &extent, Allocator allocator, const property_list &properties = {})
      : buffer(extent, properties, const_cast<element *>(host), has_to_work_there<const T>(host, properties), allocator) {
    state_->attached = host != nullptr;
  }
  buffer(std::nullptr_t, const range<D> &extent, const property_list &properties = {}) : buffer(extent, Allocator(), properties) {}
  buffer(std::nullptr_t, const range<D> &extent, Allocator allocator, const property_list &properties = {})
      : buffer(extent, allocator, properties) {}
  template <class P, std::enable_if_t<detail::is_shared_pointer<P>, int> = 0>
  buffer(const P &host, const range<D> &extent, const property_list &properties = {}) : buffer(host, extent, Allocator(), properties) {}
  template <class P, std::enable_if_t<detail::is_shared_pointer<P>, int> = 0>
  buffer(const P &host, const range<D> &extent, Allocator allocator, const property_list &properties = {})
      : buffer(extent, properties, const_cast<element *>(host.get()), has_to_work_there<decltype(*host.get())>(host, properties), allocator) {
    keep(P(host));
  }
  template <class P, std::enable_if_t<detail::is_unique_pointer<P>, int> = 0>
  buffer(P &&host, const range<D> &extent, const property_list &properties = {})
      : buffer(std::move(host), extent, Allocator(), properties) {}
  template <class P, std::enable_if_t<detail::is_unique_pointer<P>, int> = 0>
  buffer(P &&host, const range<D> &extent, Allocator allocator, const property_list &properties = {})
      : buffer(extent, properties, const_cast<element *>(host.get()), has_to_work_there<decltype(*host.get())>(host, properties), allocator) {
    keep(std::move(host));
  }
  /// On the elements of a contiguous container, which must outlive the buffer; a const one is copied from.
  template <class C, int N = D, std::enable_if_t<N == 1 && detail::contains<C, T>, int> = 0>
  buffer(C &container, const property_list &properties = {}) : buffer(container, Allocator(), properties) {}
  template <class C, int N = D, std::enable_if_t<N == 1 && detail::contains<C, T>, int> = 0>
  buffer(C &container, Allocator allocator, const property_list &properties = {})
      : buffer(std::data(container), range<1>(std::size(container)), allocator, properties) {}
  /// Copies a sequence.
  template <class I, int N = D, std::enable_if_t<N == 1, int> = 0, class = typename std::iterator_traits<I>::iterator_category>
  buffer(I first, I last, const property_list &properties = {}) : buffer(first, last, Allocator(), properties) {}
  template <class I, int N = D, std::enable_if_t<N == 1, int> = 0, class = typename std::iterator_traits<I>::iterator_category>
  buffer(I first, I last, Allocator allocator, const property_list &properties = {})
      : buffer(std::vector<stored>(first, last), properties, allocator, 0) {}
  /// A part of another buffer, which is none itself, from `base` on: elements that lie side by side.
  buffer(buffer &whole, const id<D> &base, const range<D> &part)
      : state_(whole.state_), extent_(part), offset_(whole.offset_ + detail::linear_id(base, whole.extent_) * sizeof(T)), part_(true),
        allocator_(whole.allocator_) {
    if (whole.part_)
      detail::fail(errc::invalid, "a sub-buffer cannot be made of a sub-buffer; make it of the whole buffer");
    bool one = true; // so far: one plane, or one row
    for (int d = 0; d < D; ++d) {
      if (base[d] > whole.extent_[d] || part[d] > whole.extent_[d] - base[d])
        detail::fail(errc::invalid, "a sub-buffer must lie inside its buffer");
      if (!one && part[d] != whole.extent_[d])
        detail::fail(errc::invalid, "a sub-buffer must be a contiguous part of its buffer");
      one = one && part[d] == 1;
    }
  }

  range<D> get_range() const { return extent_; }
  size_t size() const noexcept { return extent_.size(); }
  size_t get_count() const { return size(); }
  size_t byte_size() const noexcept { return size() * sizeof(T); }
  size_t get_size() const { return byte_size(); }
  Allocator get_allocator() const { return allocator_; }
  bool is_sub_buffer() const { return part_; }
  template <class P> bool has_property() const noexcept { return properties_.template has_property<P>(); }
  template <class P> P get_property() const { return properties_.template get_property<P>(); }

  /// An output iterator, a pointer, a weak_ptr, or null for nowhere. A pointer to no type is one to elements, as in SYCL 1.2.1.
  template <class Destination = std::nullptr_t> void set_final_data(Destination to = nullptr) {
    detail::final_data *made = nullptr;
    if constexpr (std::is_pointer_v<Destination>)
      if (to && to == state_->used)
        return state_->set_destination(nullptr, true);
    if constexpr (std::is_same_v<Destination, void *>)
      made = to ? new detail::final_data_at<T, element *>(static_cast<element *>(to), size()) : nullptr;
    else if constexpr (detail::is_weak_pointer<Destination>)
      made = new detail::final_data_if_alive<T, Destination>(std::move(to), size());
    else if constexpr (detail::is_shared_pointer<Destination>)
      made = to ? new detail::final_data_owned<T, Destination>(std::move(to), size()) : nullptr;
    else if constexpr (std::is_pointer_v<Destination>)
      made = to ? new detail::final_data_at<T, Destination>(to, size()) : nullptr;
    else if constexpr (!std::is_same_v<Destination, std::nullptr_t>)
      made = new detail::final_data_at<T, Destination>(std::move(to), size());
    if (made) {
      made = locked(made);
      made->offset = offset_;
    }
    state_->set_destination(made, false);
  }
  /// Without final data the host memory that the buffer was made of is as it was before when the buffer is gone, if this is said before commands
  /// have written the buffer, or it has at most 16 KiB, and `use_host_ptr` was not given. Source: SYCL 2020 §4.7.4.
  void set_write_back(bool wanted = true) { state_->set_write_back(wanted); }

  /// The same memory as elements of another type.
  template <class U, int E> auto reinterpret(const range<E> &extent) const {
    if (extent.size() * sizeof(U) != byte_size())
      detail::fail(errc::invalid, "reinterpret: both buffers must have the same size in bytes");
    using other_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<std::remove_const_t<U>>;
    if constexpr (alignof(U) > alignof(T))
      state_->align(alignof(U), offset_);
    return buffer<U, E, other_allocator>(state_, extent, offset_, part_, properties_, other_allocator(allocator_));
  }
  template <class U, int E = D, std::enable_if_t<E == 1 || (E == D && sizeof(U) == sizeof(T)), int> = 0> auto reinterpret() const {
    if constexpr (sizeof(U) == sizeof(T) && E == D)
      return reinterpret<U, E>(extent_);
    else
      return reinterpret<U, 1>(range<1>(byte_size() / sizeof(U)));
  }

  template <access_mode Mode = access_mode::read_write, target Target = target::device, class Handler, class... Rest,
            std::enable_if_t<std::is_same_v<Handler, handler>, int> = 0>
  auto get_access(Handler &handler, Rest... rest) {
    using tags = detail::tags_of<Mode, Rest...>;
    constexpr target place = Target == target::device ? tags::place : Target;
    return accessor<T, D, tags::mode, place, access::placeholder::false_t>(*this, handler, rest...);
  }
  /// The same where a range is written in braces, which no pack takes.
  template <access_mode Mode = access_mode::read_write, target Target = target::device, class Handler,
            std::enable_if_t<std::is_same_v<Handler, handler>, int> = 0>
  auto get_access(Handler &handler, const range<D> &part, const id<D> &offset = {}) {
    return accessor<T, D, Mode, Target, access::placeholder::false_t>(*this, handler, part, offset);
  }
  /// A placeholder, as the accessor's constructor makes of these arguments. Source: SYCL 2020 §4.7.2.1.
  template <class... Rest, std::enable_if_t<(!std::is_same_v<std::decay_t<Rest>, handler> && ...), int> = 0> auto get_access(Rest... rest) {
    using tags = detail::tags_of<detail::default_mode<T>, Rest...>;
    return accessor<T, D, tags::mode, tags::place, access::placeholder::true_t>(*this, rest...);
  }
  /// SYCL 1.2.1's spelling of a host accessor, with perhaps a range and an offset; SYCL 1.2's said the target, too.
  template <access_mode Mode, target Target = target::host_buffer, std::enable_if_t<Target == target::host_buffer, int> = 0> auto get_access() {
    return accessor<T, D, Mode, target::host_buffer, access::placeholder::false_t>(*this);
  }
  template <access_mode Mode, target Target = target::host_buffer, std::enable_if_t<Target == target::host_buffer, int> = 0>
  auto get_access(const range<D> &part, const id<D> &offset = {}) {
    return accessor<T, D, Mode, target::host_buffer, access::placeholder::false_t>(*this, part, offset);
  }
  template <class... Rest> auto get_host_access(Rest &&...rest) {
    return host_accessor<T, D, detail::tags_of<detail::default_mode<T>, std::decay_t<Rest>...>::mode>(*this, rest...);
  }

  /// An order of owners. Source: sycl_ext_oneapi_weak_object.
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept { return aspen_owner_before(*this, other); }

  friend bool operator==(const buffer &a, const buffer &b) {
    return a.state_ == b.state_ && a.offset_ == b.offset_ && a.extent_ == b.extent_;
  }
#if __cplusplus < 202002L
  friend bool operator!=(const buffer &a, const buffer &b) { return !(a == b); }
#endif

  /// For the library.
  template <class S, std::enable_if_t<std::is_same_v<S, detail::buffer_state>, int> = 0> // not of nullptr, which is memory of the host
  buffer(S *made, const range<D> &extent) : state_(made), extent_(extent), allocator_() {}
  detail::buffer_state *aspen_state() const { return state_.get(); }
  aspen_buffer_t *aspen_handle() const { return state_->handle; }
  size_t aspen_offset() const { return offset_; }

private:
  friend struct detail::weak_access;
  template <class, int, class> friend class buffer;
  buffer(const range<D> &extent, const property_list &properties, element *host, bool use_host, const Allocator &allocator)
      : state_(detail::new_buffer_state(detail::buffer_bytes(extent, sizeof(T)), alignof(T), properties, host, use_host)), extent_(extent), properties_(properties), allocator_(allocator) {}
  /// In a vector whose elements lie side by side: those of a vector of bool do not.
  using stored = std::conditional_t<std::is_same_v<element, bool>, unsigned char, element>;
  buffer(const std::vector<stored> &content, const property_list &properties, const Allocator &allocator, int)
      : buffer(range<1>(content.size()), properties, reinterpret_cast<element *>(const_cast<stored *>(content.data())), false, allocator) {}
  buffer(const detail::shared<detail::buffer_state> &state, const range<D> &extent, size_t offset, bool part, const property_list &props,
         Allocator allocator)
      : state_(state), extent_(extent), offset_(offset), part_(part), properties_(props), allocator_(allocator) {}
  /// With a mutex the program may write there meanwhile, which only `use_host_ptr` lets it do.
  static bool works_there(const property_list &properties) {
    return !properties.has_property<property::buffer::use_mutex>() || properties.has_property<property::buffer::use_host_ptr>();
  }

  /// Where commands may write constants, a copy has to do. Source: SYCL 2020 §4.7.2.2, "use_host_ptr".
  template <class Pointee, class P> static bool has_to_work_there(const P &host, const property_list &properties) {
    constexpr bool may = std::is_const_v<T> || !std::is_const_v<std::remove_reference_t<Pointee>>;
    return may && host && properties.has_property<property::buffer::use_host_ptr>();
  }

  /// For handler::update_host.
  void remember(element *host) {
    state_->origin = host;
    if (properties_.template has_property<property::buffer::use_mutex>())
      state_->mutex = properties_.template get_property<property::buffer::use_mutex>().get_mutex_ptr();
  }
  /// A destination behind the mutex that the buffer was given, if it was.
  detail::final_data *locked(detail::final_data *to) const {
    if (!properties_.template has_property<property::buffer::use_mutex>())
      return to;
    return new detail::final_data_locked(to, properties_.template get_property<property::buffer::use_mutex>().get_mutex_ptr());
  }

  /// Writes back to what `host` points to, if that is not constant, and keeps it alive in any case. One that is empty is none.
  template <class P> void keep(P &&host) {
    if (!host)
      return;
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(*host.get())>>)
      if (!state_->in_place) {
        state_->destination = locked(new detail::final_data_at<T, T *>(host.get(), extent_.size()));
        remember(host.get());
      }
    state_->write_back = state_->in_place || state_->destination;
    struct owner final : detail::buffer_state::held {
      explicit owner(P &&p) : pointer(std::move(p)) {}
      P pointer;
    };
    state_->owner = new owner(std::move(host));
  }

  detail::shared<detail::buffer_state> state_;
  range<D> extent_;
  size_t offset_ = 0; // bytes, of a sub-buffer
  bool part_ = false;
  property_list properties_;
  Allocator allocator_; // for who asks for it: memory comes from the runtime
};

namespace detail {
/// What is no property_list and allocates.
template <class A> using allocator_of = std::enable_if_t<!std::is_same_v<A, property_list> && (sizeof(typename A::value_type) > 0), A>;
template <class I> using iterated = typename std::iterator_traits<I>::value_type;
} // namespace detail

template <class T, int D> buffer(T *, range<D>, property_list = {}) -> buffer<T, D>;
template <class T, int D> buffer(const T *, range<D>, property_list = {}) -> buffer<T, D>;
template <class T, int D, class A> buffer(T *, range<D>, A, property_list = {}) -> buffer<T, D, detail::allocator_of<A>>;
template <class T, int D, class A> buffer(const T *, range<D>, A, property_list = {}) -> buffer<T, D, detail::allocator_of<A>>;
template <class P, int D, class = std::enable_if_t<detail::is_shared_pointer<P>>>
buffer(const P &, range<D>, property_list = {}) -> buffer<typename P::element_type, D>;
template <class P, int D, class A, class = std::enable_if_t<detail::is_shared_pointer<P>>>
buffer(const P &, range<D>, A, property_list = {}) -> buffer<typename P::element_type, D, detail::allocator_of<A>>;
template <class C, class = std::enable_if_t<detail::is_contiguous_container<C>>>
buffer(C &, property_list = {}) -> buffer<typename C::value_type, 1>;
template <class C, class A, class = std::enable_if_t<detail::is_contiguous_container<C>>>
buffer(C &, A, property_list = {}) -> buffer<typename C::value_type, 1, detail::allocator_of<A>>;
template <class T, size_t N> buffer(T (&)[N], property_list = {}) -> buffer<T, 1>;
template <class I, class = typename std::iterator_traits<I>::iterator_category>
buffer(I, I, property_list = {}) -> buffer<detail::iterated<I>, 1>;
template <class I, class A, class = typename std::iterator_traits<I>::iterator_category>
buffer(I, I, A, property_list = {}) -> buffer<detail::iterated<I>, 1, detail::allocator_of<A>>;

} // namespace sycl

template <class T, int D, class A> struct std::hash<sycl::buffer<T, D, A>> {
  std::size_t operator()(const sycl::buffer<T, D, A> &b) const noexcept {
    return reinterpret_cast<std::size_t>(b.aspen_handle()) + b.aspen_offset();
  }
};
