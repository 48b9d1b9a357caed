//! `submit_profiling_tag`: the time at which a queue comes to a place. Source: sycl_ext_oneapi_profiling_tag.
#pragma once
#include <sycl/queue.hpp>

#define SYCL_EXT_ONEAPI_PROFILING_TAG 1

namespace sycl::ext::oneapi::experimental {

/// An event of all commands of the queue so far, whose times are all that at which these were complete. Without enable_profiling the device
/// must have the aspect ext_oneapi_queue_profiling_tag; then another queue looks at the clock.
inline event submit_profiling_tag(queue q) {
  const bool own = q.has_property<sycl::property::queue::enable_profiling>();
  if (!own && !q.get_device().has(aspect::ext_oneapi_queue_profiling_tag))
    sycl::detail::fail(errc::invalid, "submit_profiling_tag: on this device the queue needs property::queue::enable_profiling");
  event made = q.ext_oneapi_submit_barrier();
  if (!own)
    made = queue(q.get_context(), q.get_device(), sycl::property::queue::enable_profiling()).ext_oneapi_submit_barrier({made});
  made.aspen_make_tag();
  return made;
}

} // namespace sycl::ext::oneapi::experimental
