//! Accessors whose type promises something of their memory: those that promise nothing, which they are in every other way, and the promises.
//! Source: sycl_ext_oneapi_accessor_properties.
#pragma once
#include <sycl/accessor.hpp>

namespace sycl {

template <class T, int D, access_mode Mode, target Target, access::placeholder Placeholder, class First, class... Rest>
class accessor<T, D, Mode, Target, Placeholder, ext::oneapi::accessor_property_list<First, Rest...>>
    : public accessor<T, D, Mode, Target, Placeholder> {
  using base = accessor<T, D, Mode, Target, Placeholder>;
  using promises = ext::oneapi::accessor_property_list<First, Rest...>;
  static_assert(detail::is_promise<First> && (detail::is_promise<Rest> && ...), "properties of the running program are no part of an accessor's type");

public:
  using base::base;
  using base::operator=;
  /// The same promises in another order.
  template <class... Others, std::enable_if_t<detail::same_promises<promises, ext::oneapi::accessor_property_list<Others...>> &&
                                                  !std::is_same_v<promises, ext::oneapi::accessor_property_list<Others...>>,
                                              int> = 0>
  accessor(const accessor<T, D, Mode, Target, Placeholder, ext::oneapi::accessor_property_list<Others...>> &other)
      : base(static_cast<const base &>(other)) {}

  template <class P, std::enable_if_t<ext::oneapi::is_compile_time_property<P>::value, int> = 0> static constexpr bool has_property() noexcept {
    return promises::template has_property<P>();
  }
  template <class P, std::enable_if_t<!ext::oneapi::is_compile_time_property<P>::value, int> = 0> bool has_property() const noexcept {
    return base::template has_property<P>();
  }
  template <class P, std::enable_if_t<ext::oneapi::is_compile_time_property<P>::value, int> = 0> static constexpr auto get_property() {
    return promises::template get_property<P>();
  }
  template <class P, std::enable_if_t<!ext::oneapi::is_compile_time_property<P>::value, int> = 0> P get_property() const {
    return base::template get_property<P>();
  }
};

} // namespace sycl
