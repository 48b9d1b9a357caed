//! Accessors of zero dimensions: an accessor to the first element of a buffer of one dimension, which reads and is assigned as that element.
//! Source: SYCL 2020 §4.7.6.9 to §4.7.6.11.
#pragma once
#include <sycl/accessor.hpp>

namespace sycl {

namespace detail {

/// What they have in common; `A` is the accessor with one dimension.
template <class A> class accessor_of_one {
public:
  using value_type = typename A::value_type;
  using reference = typename A::reference;
  using const_reference = typename A::const_reference;
  using iterator = typename A::iterator;
  using const_iterator = typename A::const_iterator;
  using reverse_iterator = typename A::reverse_iterator;
  using const_reverse_iterator = typename A::const_reverse_iterator;
  using difference_type = typename A::difference_type;
  using size_type = typename A::size_type;
  static constexpr int dimensions = 0;

  size_t byte_size() const noexcept { return one_.byte_size(); }
  size_t size() const noexcept { return one_.size(); }
  size_t max_size() const noexcept { return one_.max_size(); }
  bool empty() const noexcept { return one_.empty(); }
  size_t get_size() const { return byte_size(); }
  size_t get_count() const { return size(); }
  operator reference() const { return one_[0]; }

  auto get_pointer() const noexcept { return one_.get_pointer(); }
  iterator begin() const noexcept { return one_.begin(); }
  iterator end() const noexcept { return one_.end(); }
  const_iterator cbegin() const noexcept { return one_.cbegin(); }
  const_iterator cend() const noexcept { return one_.cend(); }
  reverse_iterator rbegin() const noexcept { return one_.rbegin(); }
  reverse_iterator rend() const noexcept { return one_.rend(); }
  const_reverse_iterator crbegin() const noexcept { return one_.crbegin(); }
  const_reverse_iterator crend() const noexcept { return one_.crend(); }

  template <class P> bool has_property() const noexcept { return one_.template has_property<P>(); }
  template <class P> P get_property() const { return one_.template get_property<P>(); }

  friend bool operator==(const accessor_of_one &a, const accessor_of_one &b) { return a.one_ == b.one_; }
#if __cplusplus < 202002L
  friend bool operator!=(const accessor_of_one &a, const accessor_of_one &b) { return !(a == b); }
#endif

  /// For the library: the accessor with one dimension.
  const A &aspen_one() const { return one_; }

protected:
  accessor_of_one() = default;
  explicit accessor_of_one(const A &one) : one_(one) {}
  template <class B> static range<1> extent(const B &of) { return range<1>(of.size() == 0 ? 0 : 1); }
  A one_;
};

/// Assignment to the element, and what programs may ask of one accessor but not of another.
#define __ASPEN_OF_ONE(name)                                                                                                              \
  const name &operator=(const std::conditional_t<std::is_const_v<value_type>, detail::unavailable, value_type> &value) const {             \
    this->one_[0] = value;                                                                                                                 \
    return *this;                                                                                                                          \
  }                                                                                                                                        \
  void swap(name &other) { std::swap(*this, other); }

} // namespace detail

template <class T, access_mode Mode, target Target, access::placeholder Placeholder>
class accessor<T, 0, Mode, Target, Placeholder> : public detail::accessor_of_one<accessor<T, 1, Mode, Target, Placeholder>> {
  using one = accessor<T, 1, Mode, Target, Placeholder>;
  using base = detail::accessor_of_one<one>;

public:
  using typename base::value_type;
  template <access::decorated Decorated> using accessor_ptr = typename one::template accessor_ptr<Decorated>;
  static constexpr access_mode mode = Mode;

  accessor() = default;
  template <class U, class A, class... Arguments, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  accessor(buffer<U, 1, A> &of, handler &command, Arguments... arguments) : base(one(of, command, base::extent(of), arguments...)) {}
  // Properties in braces fit no pack.
  template <class U, class A, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  accessor(buffer<U, 1, A> &of, handler &command, const property_list &properties) : base(one(of, command, base::extent(of), properties)) {}
  template <class U, class A, class Tag, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  accessor(buffer<U, 1, A> &of, handler &command, Tag tag, const property_list &properties)
      : base(one(of, command, base::extent(of), tag, properties)) {}
  template <class U, class A, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  accessor(buffer<U, 1, A> &of, const property_list &properties) : base(one(of, base::extent(of), properties)) {}
  template <class U, class A, class... Arguments,
            std::enable_if_t<detail::reads_from<U, value_type> && (!std::is_same_v<Arguments, handler> && ...), int> = 0>
  accessor(buffer<U, 1, A> &of, Arguments... arguments) : base(one(of, base::extent(of), arguments...)) {}
  template <class U, access_mode M,
            std::enable_if_t<std::is_constructible_v<one, const accessor<U, 1, M, Target, Placeholder> &> &&
                                 !std::is_same_v<accessor, accessor<U, 0, M, Target, Placeholder>>,
                             int> = 0>
  accessor(const accessor<U, 0, M, Target, Placeholder> &other) : base(one(other.aspen_one())) {}

  bool is_placeholder() const { return this->one_.is_placeholder(); }
  template <access::decorated Decorated = access::decorated::no> accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    return this->one_.template get_multi_ptr<Decorated>();
  }
  __ASPEN_OF_ONE(accessor)

  /// For the library.
  detail::buffer_state *aspen_buffer() const { return this->one_.aspen_buffer(); }
  size_t aspen_start() const { return this->one_.aspen_start(); }
  size_t aspen_memory_size() const { return this->one_.aspen_memory_size(); }

private:
  friend handler;
  void require(handler &command) const { command.require(this->one_); }
};

template <class T> class local_accessor<T, 0> : public detail::accessor_of_one<local_accessor<T, 1>> {
  using base = detail::accessor_of_one<local_accessor<T, 1>>;

public:
  using typename base::value_type;
  template <access::decorated Decorated> using accessor_ptr = typename local_accessor<T, 1>::template accessor_ptr<Decorated>;

  local_accessor() = default;
  explicit local_accessor(handler &command, const property_list &properties = {})
      : base(local_accessor<T, 1>(range<1>(1), command, properties)) {}
  template <class U, std::enable_if_t<std::is_same_v<const U, T> && !std::is_const_v<U>, int> = 0>
  local_accessor(const local_accessor<U, 0> &other) : base(local_accessor<T, 1>(other.aspen_one())) {}

  template <access::decorated Decorated = access::decorated::no> accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    return this->one_.template get_multi_ptr<Decorated>();
  }
  __ASPEN_OF_ONE(local_accessor)

  /// For the library.
  size_t aspen_offset() const { return this->one_.aspen_offset(); }
};

template <class T, access_mode Mode> class host_accessor<T, 0, Mode> : public detail::accessor_of_one<host_accessor<T, 1, Mode>> {
  using one = host_accessor<T, 1, Mode>;
  using base = detail::accessor_of_one<one>;

public:
  using typename base::value_type;

  host_accessor() = default;
  template <class U, class A, class... Arguments,
            std::enable_if_t<detail::reads_from<U, value_type> && (!std::is_same_v<Arguments, handler> && ...), int> = 0>
  host_accessor(buffer<U, 1, A> &of, Arguments... arguments) : base(one(of, base::extent(of), arguments...)) {}
  template <class U, class A, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  host_accessor(buffer<U, 1, A> &of, const property_list &properties) : base(one(of, base::extent(of), properties)) {}
  template <class U, class A, class Tag, std::enable_if_t<detail::reads_from<U, value_type> && !std::is_same_v<Tag, handler>, int> = 0>
  host_accessor(buffer<U, 1, A> &of, Tag tag, const property_list &properties) : base(one(of, base::extent(of), tag, properties)) {}
  template <class U, class A, class... Arguments, std::enable_if_t<detail::reads_from<U, value_type>, int> = 0>
  host_accessor(buffer<U, 1, A> &of, handler &command, Arguments... arguments) : base(one(of, command, base::extent(of), arguments...)) {}
  template <class U, access_mode M,
            std::enable_if_t<std::is_constructible_v<one, const host_accessor<U, 1, M> &> && !std::is_same_v<host_accessor, host_accessor<U, 0, M>>,
                             int> = 0>
  host_accessor(const host_accessor<U, 0, M> &other) : base(one(other.aspen_one())) {}
  __ASPEN_OF_ONE(host_accessor)

  /// For the library.
  const detail::host_access *aspen_access() const { return this->one_.aspen_access(); }
};
#undef __ASPEN_OF_ONE

} // namespace sycl
