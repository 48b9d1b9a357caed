//! Properties that promise something of an accessor's memory: taken, and nothing is made of them. The list is no part of an accessor's
//! type, as the extension has it, so there is no macro of it, and whether an accessor has them is known when the program runs.
//! Source: sycl_ext_oneapi_accessor_properties.
#pragma once
#include <sycl/accessor.hpp>

namespace sycl {

namespace ext::oneapi {

/// The accessor has no offset.
inline constexpr property::no_offset no_offset{};
/// What the accessor reaches is changed through it alone while the kernel runs.
inline constexpr property::no_alias no_alias{};

/// Properties of accessors, also those above.
template <class... Properties> class accessor_property_list : public property_list {
public:
  accessor_property_list(Properties... properties) : property_list(properties...) {}
  template <class P> static constexpr bool has_property() noexcept { return (std::is_same_v<P, Properties> || ...); }
};
template <class... Properties> accessor_property_list(Properties...) -> accessor_property_list<Properties...>;

template <class P> struct is_compile_time_property : std::false_type {};
template <> struct is_compile_time_property<property::no_offset> : std::true_type {};
template <> struct is_compile_time_property<property::no_alias> : std::true_type {};

} // namespace ext::oneapi

template <class T, int D, access_mode M, target P, access::placeholder H>
struct is_property_of<ext::oneapi::property::no_offset, accessor<T, D, M, P, H>> : std::true_type {};
template <class T, int D, access_mode M, target P, access::placeholder H>
struct is_property_of<ext::oneapi::property::no_alias, accessor<T, D, M, P, H>> : std::true_type {};

} // namespace sycl
