//! `weak_object`: a reference to a SYCL object that does not keep it alive, and an order of what objects and such references refer to. Of
//! devices, platforms, contexts, queues and buffers; events and accessors cannot be watched here, so there is no macro of the extension.
//! Source: sycl_ext_oneapi_weak_object.
#pragma once
#include <functional>
#include <optional>
#include <sycl/buffer.hpp>
#include <sycl/queue.hpp>

namespace sycl {

namespace ext::oneapi {
template <class Object> class weak_object;
}

namespace detail {

template <class T> inline constexpr bool has_counted_state = false;
template <> inline constexpr bool has_counted_state<context> = true;
template <> inline constexpr bool has_counted_state<queue> = true;
template <class T, int D, class A> inline constexpr bool has_counted_state<buffer<T, D, A>> = true;

struct weak_access {
  /// What stands for all copies of an object in the order: of a state what outlasts it, so that no other gets its place while it counts.
  template <class T> static const void *owner(const T &of) noexcept {
    if constexpr (has_counted_state<T>)
      return of.state_->link();
    else
      return of.aspen_handle();
  }
  template <class T> static const void *owner(const ext::oneapi::weak_object<T> &of) noexcept { return of.aspen_owner(); }
  template <class T> static auto &state(T &of) noexcept { return of.state_; }
};

/// An object without its state, and the state's address: nothing is read there but by leave of the link.
template <class T, bool HasState = has_counted_state<T>> class weak_reference {
  using state_type = std::remove_pointer_t<decltype(weak_access::state(std::declval<T &>()).get())>;

public:
  weak_reference(const T &of) noexcept : rest_(of), state_(weak_access::state(rest_).get()), link_(state_->link()) {
    link_->retain();
    weak_access::state(rest_) = {};
  }
  weak_reference(const weak_reference &other) noexcept : rest_(other.rest_), state_(other.state_), link_(other.link_) { link_->retain(); }
  weak_reference &operator=(weak_reference other) noexcept {
    std::swap(rest_, other.rest_);
    std::swap(state_, other.state_);
    std::swap(link_, other.link_);
    return *this;
  }
  ~weak_reference() { link_->release(); }
  bool is_alive() const noexcept { return link_->is_alive(); }
  std::optional<T> lock() const noexcept {
    if (!link_->revive(*state_))
      return std::nullopt;
    std::optional<T> out(rest_);
    weak_access::state(*out) = shared<state_type>(state_);
    return out;
  }
  const void *owner() const noexcept { return link_; }

private:
  T rest_;
  state_type *state_;
  weak_link *link_;
};
/// What lives as long as the process.
template <class T> class weak_reference<T, false> {
  static_assert(std::is_same_v<T, device> || std::is_same_v<T, platform>,
                "Aspen has weak_object of devices, platforms, contexts, queues and buffers alone");

public:
  weak_reference(const T &of) noexcept : object_(of) {}
  bool is_alive() const noexcept { return true; }
  std::optional<T> lock() const noexcept { return object_; }
  const void *owner() const noexcept { return object_.aspen_handle(); }

private:
  T object_;
};

} // namespace detail

namespace ext::oneapi {

template <class Object> class weak_object {
public:
  using object_type = Object;

  constexpr weak_object() noexcept = default;
  weak_object(const Object &of) noexcept : reference_(of) {}
  weak_object(const weak_object &) noexcept = default;
  weak_object(weak_object &&) noexcept = default;
  weak_object &operator=(const Object &of) noexcept {
    reference_.emplace(of);
    return *this;
  }
  weak_object &operator=(const weak_object &) noexcept = default;
  weak_object &operator=(weak_object &&) noexcept = default;

  void reset() noexcept { reference_.reset(); }
  void swap(weak_object &other) noexcept { std::swap(reference_, other.reference_); }
  bool expired() const noexcept { return !reference_ || !reference_->is_alive(); }
  std::optional<Object> try_lock() const noexcept { return reference_ ? reference_->lock() : std::nullopt; }
  /// Not `noexcept` as the document has it, since it says too that this throws.
  Object lock() const {
    std::optional<Object> out = try_lock();
    if (!out)
      sycl::detail::fail(errc::invalid, "weak_object: the object is gone, or there was none");
    return *std::move(out);
  }
  bool owner_before(const weak_object &other) const noexcept;
  bool owner_before(const Object &other) const noexcept;

  /// For the library.
  const void *aspen_owner() const noexcept { return reference_ ? reference_->owner() : nullptr; }

private:
  std::optional<sycl::detail::weak_reference<Object>> reference_;
};

} // namespace ext::oneapi

/// For the library: of objects and weak references to such.
template <class A, class B> bool aspen_owner_before(const A &a, const B &b) noexcept {
  return std::less<const void *>()(detail::weak_access::owner(a), detail::weak_access::owner(b));
}

namespace ext::oneapi {

template <class Object> bool weak_object<Object>::owner_before(const weak_object &other) const noexcept {
  return aspen_owner_before(*this, other);
}
template <class Object> bool weak_object<Object>::owner_before(const Object &other) const noexcept {
  return aspen_owner_before(*this, other);
}

template <class Object> struct owner_less {
  bool operator()(const Object &a, const Object &b) const noexcept { return aspen_owner_before(a, b); }
  bool operator()(const weak_object<Object> &a, const weak_object<Object> &b) const noexcept { return aspen_owner_before(a, b); }
  bool operator()(const Object &a, const weak_object<Object> &b) const noexcept { return aspen_owner_before(a, b); }
  bool operator()(const weak_object<Object> &a, const Object &b) const noexcept { return aspen_owner_before(a, b); }
};

} // namespace ext::oneapi
} // namespace sycl
