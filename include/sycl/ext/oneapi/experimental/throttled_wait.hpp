//! Waits that sleep between looks at the command, for who would rather have the processor free than know at once. No part of
//! <sycl/sycl.hpp>. Source: sycl_ext_oneapi_throttled_wait.
#pragma once
#include <chrono>
#include <sycl/event.hpp>
#include <thread>

#define SYCL_EXT_ONEAPI_THROTTLED_WAIT 1

namespace sycl::ext::oneapi::experimental {

template <class Rep, class Period> void ext_oneapi_throttled_wait(event &e, const std::chrono::duration<Rep, Period> &sleep) {
  using status = sycl::info::event_command_status;
  const auto is = [&] { return e.get_info<sycl::info::event::command_execution_status>(); };
  while (is() != status::complete)
    std::this_thread::sleep_for(sleep);
  e.wait();
}
template <class Rep, class Period>
void ext_oneapi_throttled_wait(std::vector<event> &events, const std::chrono::duration<Rep, Period> &sleep) {
  for (event &e : events)
    experimental::ext_oneapi_throttled_wait(e, sleep);
}
template <class Rep, class Period> void ext_oneapi_throttled_wait_and_throw(event &e, const std::chrono::duration<Rep, Period> &sleep) {
  experimental::ext_oneapi_throttled_wait(e, sleep);
  e.wait_and_throw();
}
template <class Rep, class Period>
void ext_oneapi_throttled_wait_and_throw(std::vector<event> &events, const std::chrono::duration<Rep, Period> &sleep) {
  experimental::ext_oneapi_throttled_wait(events, sleep);
  event::wait_and_throw(events);
}

} // namespace sycl::ext::oneapi::experimental
