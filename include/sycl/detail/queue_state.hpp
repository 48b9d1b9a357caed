//! What all copies of a queue share, and what its events and handlers need of it.
#pragma once
#include <cstdio>
#include <sycl/context.hpp>
#include <sycl/detail/counted.hpp>

namespace sycl::detail {

struct queue_state : counted {
  queue_state(const sycl::context &in, const device &on, async_handler errors, const property_list &props)
      : context(in), device(on), handler(std::move(errors)), properties(props) {
    std::uint32_t flags = 0;
    if (props.has_property<property::queue::in_order>())
      flags |= ASPEN_QUEUE_IN_ORDER;
    if (props.has_property<property::queue::enable_profiling>())
      flags |= ASPEN_QUEUE_PROFILING;
    check(aspen_queue_create(on.aspen_handle(), flags, &handle));
  }
  ~queue_state() {
    if (handle)
      aspen_queue_release(handle);
  }

  /// Hands the errors nobody has seen yet to the queue's handler, else the context's, else ends the program.
  /// Source: SYCL 2020 §4.13.1.
  void throw_asynchronous() {
#ifndef __SYCL_DEVICE_ONLY__
    list<std::exception_ptr> errors;
    while (aspen_error_t *error = aspen_queue_take_async_error(handle))
      errors.add(std::make_exception_ptr(to_exception(error)));
    if (errors.size() == 0)
      return;
    if (const async_handler &own = handler ? handler : context.aspen_state().handler) {
      own(exception_list(std::move(errors)));
      return;
    }
    for (const std::exception_ptr &error : errors) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception &e) {
        std::fprintf(stderr, "asynchronous SYCL error without an async_handler: %s\n", e.what());
      }
    }
    std::terminate();
#endif
  }

  aspen_queue_t *handle = nullptr;
  sycl::context context;
  sycl::device device;
  async_handler handler;
  property_list properties;
};

} // namespace sycl::detail
