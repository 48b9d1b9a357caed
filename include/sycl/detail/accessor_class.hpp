//! Declares `sycl::accessor`, for headers that name it before it is there: its last argument has a default, and that is said once.
//! Source: SYCL 2020 §4.7.6.9; sycl_ext_oneapi_accessor_properties.
#pragma once
#include <sycl/access.hpp>

namespace sycl {

namespace ext::oneapi {
template <class... Properties> class accessor_property_list;
} // namespace ext::oneapi

template <class T, int D = 1, access_mode Mode = detail::default_mode<T>, target Target = target::device,
          access::placeholder Placeholder = access::placeholder::false_t, class Promises = ext::oneapi::accessor_property_list<>>
class accessor;

} // namespace sycl
