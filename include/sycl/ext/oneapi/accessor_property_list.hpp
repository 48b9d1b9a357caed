//! Properties that promise something of an accessor's memory while programs are compiled: they are part of its type and can be asked for in
//! constant expressions; nothing is made of the promises. Source: sycl_ext_oneapi_accessor_properties, SYCL_INTEL_buffer_location.
#pragma once
#include <sycl/detail/accessor_class.hpp>
#include <sycl/property_list.hpp>

#define SYCL_EXT_ONEAPI_ACCESSOR_PROPERTIES 1
#define SYCL_EXT_INTEL_BUFFER_LOCATION 1

namespace sycl {

namespace ext::oneapi::property {
/// The accessor has no offset.
struct no_offset : sycl::detail::flag_property<33554432u> {
  template <bool = true> using instance = no_offset;
};
/// What the accessor reaches is changed through it alone while the kernel runs.
struct no_alias : sycl::detail::flag_property<67108864u> {
  template <bool = true> using instance = no_alias;
};
inline constexpr bool operator==(const no_offset &, const no_offset &) { return true; }
inline constexpr bool operator!=(const no_offset &, const no_offset &) { return false; }
inline constexpr bool operator==(const no_alias &, const no_alias &) { return true; }
inline constexpr bool operator!=(const no_alias &, const no_alias &) { return false; }
} // namespace ext::oneapi::property

/// In which of an FPGA's memories the accessor's lies: ignored elsewhere.
namespace ext::intel::property {
struct buffer_location : sycl::detail::flag_property<268435456u> {
  template <int Location> struct instance : sycl::detail::flag_property<268435456u> {
    using aspen_property = buffer_location;
    template <int Other> constexpr bool operator==(const instance<Other> &) const { return Other == Location; }
    template <int Other> constexpr bool operator!=(const instance<Other> &) const { return Other != Location; }
  };
};
} // namespace ext::intel::property
namespace ext::intel {
template <int Location> inline constexpr property::buffer_location::instance<Location> buffer_location{};
} // namespace ext::intel

namespace ext::oneapi {
inline constexpr property::no_offset no_offset{};
inline constexpr property::no_alias no_alias{};

/// Whether a property is part of an accessor's type.
template <class P> struct is_compile_time_property : std::false_type {};
template <> struct is_compile_time_property<property::no_offset> : std::true_type {};
template <> struct is_compile_time_property<property::no_alias> : std::true_type {};
template <> struct is_compile_time_property<intel::property::buffer_location> : std::true_type {};
} // namespace ext::oneapi

namespace detail {
/// The property that an object in a list is of.
template <class I, class = void> struct promise_of_instance {
  using type = I;
};
template <class I> struct promise_of_instance<I, std::void_t<typename I::aspen_property>> {
  using type = typename I::aspen_property;
};
template <class I> using promised_by = typename promise_of_instance<I>::type;
template <class I> inline constexpr bool is_promise = ext::oneapi::is_compile_time_property<promised_by<I>>::value;
/// The object in a list that is of the property.
template <class P, class... Instances> struct instance_of {
  static_assert(sizeof...(Instances) != 0 && sizeof(P) == 0, "the list does not have the property");
};
template <class P, class First, class... Rest>
struct instance_of<P, First, Rest...> : std::conditional_t<std::is_same_v<P, promised_by<First>>, std::enable_if<true, First>, instance_of<P, Rest...>> {};
} // namespace detail

namespace ext::oneapi {
/// Properties of accessors, those above and those of property_list.
template <class... Properties> class accessor_property_list : public property_list {
public:
  accessor_property_list(Properties... properties) : property_list(properties...) {}
  template <class P, std::enable_if_t<is_compile_time_property<P>::value, int> = 0> static constexpr bool has_property() noexcept {
    return (std::is_same_v<P, sycl::detail::promised_by<Properties>> || ...);
  }
  template <class P, std::enable_if_t<!is_compile_time_property<P>::value, int> = 0> bool has_property() const noexcept {
    return property_list::has_property<P>();
  }
  template <class P, std::enable_if_t<is_compile_time_property<P>::value, int> = 0> static constexpr auto get_property() {
    return typename sycl::detail::instance_of<P, Properties...>::type{};
  }
  template <class P, std::enable_if_t<!is_compile_time_property<P>::value, int> = 0> P get_property() const {
    return property_list::get_property<P>();
  }
};
template <class... Properties> accessor_property_list(Properties...) -> accessor_property_list<Properties...>;
} // namespace ext::oneapi

namespace detail {
template <class Kept, class... Instances> struct promises_among {
  using type = Kept;
};
template <class... Kept, class First, class... Rest>
struct promises_among<ext::oneapi::accessor_property_list<Kept...>, First, Rest...>
    : promises_among<std::conditional_t<is_promise<First>, ext::oneapi::accessor_property_list<Kept..., First>, ext::oneapi::accessor_property_list<Kept...>>, Rest...> {};
template <class... Arguments> struct promises_of {
  using type = ext::oneapi::accessor_property_list<>;
};
template <class First, class... Rest> struct promises_of<First, Rest...> : promises_of<Rest...> {};
template <class... Instances, class... Rest>
struct promises_of<ext::oneapi::accessor_property_list<Instances...>, Rest...> : promises_among<ext::oneapi::accessor_property_list<>, Instances...> {};
/// What constructor arguments say about an accessor's last template argument: the list among them without properties of the running program.
template <class... Arguments> using promises = typename promises_of<Arguments...>::type;
template <class A, class... B> inline constexpr bool is_promised_among = (std::is_same_v<A, B> || ...);
/// Whether two such lists say the same, in any order.
template <class A, class B> inline constexpr bool same_promises = false;
template <class... A, class... B>
inline constexpr bool same_promises<ext::oneapi::accessor_property_list<A...>, ext::oneapi::accessor_property_list<B...>> =
    sizeof...(A) == sizeof...(B) && (is_promised_among<A, B...> && ...);
} // namespace detail

template <class T, int D, access_mode M, target P, access::placeholder H, class L>
struct is_property_of<ext::oneapi::property::no_offset, accessor<T, D, M, P, H, L>> : std::true_type {};
template <class T, int D, access_mode M, target P, access::placeholder H, class L>
struct is_property_of<ext::oneapi::property::no_alias, accessor<T, D, M, P, H, L>> : std::true_type {};
template <class T, int D, access_mode M, target P, access::placeholder H, class L>
struct is_property_of<ext::intel::property::buffer_location, accessor<T, D, M, P, H, L>> : std::true_type {};

} // namespace sycl
