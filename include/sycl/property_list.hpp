//! Properties and property_list. Source: SYCL 2020 §4.5.4.
#pragma once
#include <sycl/detail/config.hpp>
#include <sycl/exception.hpp>
#include <type_traits>

namespace sycl {

namespace detail {
/// Every property of this library is one bit without a value.
template <std::uint32_t Bit> struct flag_property {
  static constexpr std::uint32_t bit = Bit;
};
template <class P, class = void> struct has_property_bit : std::false_type {};
template <class P> struct has_property_bit<P, std::enable_if_t<std::is_base_of_v<flag_property<P::bit>, P>>> : std::true_type {};
} // namespace detail

template <class P> struct is_property : detail::has_property_bit<P> {};
template <class P> inline constexpr bool is_property_v = is_property<P>::value;

namespace property {
namespace queue {
class in_order : public detail::flag_property<1u> {};
class enable_profiling : public detail::flag_property<2u> {};
} // namespace queue
class no_init : public detail::flag_property<4u> {};
namespace buffer {
class use_host_ptr : public detail::flag_property<8u> {};
} // namespace buffer
} // namespace property

inline constexpr property::no_init no_init{};

enum class access_mode : int;
enum class target : int;
namespace access {
enum class placeholder : int;
}
class queue;
template <class T, int D, class Allocator> class buffer;
template <class T, int D, access_mode Mode, target Target, access::placeholder Placeholder> class accessor;
template <class T, int D, access_mode Mode> class host_accessor;

/// Whether objects of a class take the property.
template <class P, class Object> struct is_property_of : std::false_type {};
template <> struct is_property_of<property::queue::in_order, queue> : std::true_type {};
template <> struct is_property_of<property::queue::enable_profiling, queue> : std::true_type {};
template <class T, int D, class A> struct is_property_of<property::buffer::use_host_ptr, buffer<T, D, A>> : std::true_type {};
template <class T, int D, access_mode M, target P, access::placeholder H>
struct is_property_of<property::no_init, accessor<T, D, M, P, H>> : std::true_type {};
template <class T, int D, access_mode M> struct is_property_of<property::no_init, host_accessor<T, D, M>> : std::true_type {};
template <class P, class Object> inline constexpr bool is_property_of_v = is_property_of<P, Object>::value;

class property_list {
public:
  template <class... P, class = std::enable_if_t<(is_property_v<P> && ...)>> property_list(P...) : bits_((0u | ... | P::bit)) {}
  template <class P> bool has_property() const noexcept {
    static_assert(is_property_v<P>, "has_property asks for a SYCL property");
    return (bits_ & P::bit) != 0;
  }
  template <class P> P get_property() const {
    if (!has_property<P>())
      detail::fail(errc::invalid, "get_property: the object was not given this property");
    return P{};
  }

private:
  std::uint32_t bits_;
};

} // namespace sycl
