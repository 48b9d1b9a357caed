//! Programs that go on by Level Zero where their device is of it compile, and everything that asks for a handle says that there is none. Exit
//! status 0: all right.
#include <sycl/ext/oneapi/backend/level_zero.hpp>

#include "check.hpp"

constexpr auto level_zero = sycl::backend::ext_oneapi_level_zero;
using sycl::ext::oneapi::level_zero::ownership;

int main() {
  sycl::queue q;
  const sycl::device d = q.get_device();
  const sycl::context c = q.get_context();
  const auto mismatch = [](auto ask) { CHECK(throws(sycl::errc::backend_mismatch, ask)); };
  mismatch([&] { [[maybe_unused]] _ze_driver_handle_t *const got = sycl::get_native<level_zero>(d.get_platform()); });
  mismatch([&] { [[maybe_unused]] _ze_device_handle_t *const got = sycl::get_native<level_zero>(d); });
  mismatch([&] { [[maybe_unused]] _ze_context_handle_t *const got = sycl::get_native<level_zero>(c); });
  mismatch([&] {
    const auto got = sycl::get_native<level_zero>(q);
    [[maybe_unused]] _ze_command_list_handle_t *const immediate = std::get<_ze_command_list_handle_t *>(got);
  });
  const auto finds_none = [](auto make) { CHECK(throws(sycl::errc::invalid, make) || throws(sycl::errc::backend_mismatch, make)); };
  finds_none([&] { sycl::make_platform<level_zero>(nullptr); });
  finds_none([&] { sycl::make_device<level_zero>(nullptr); });
  finds_none([&] {
    const sycl::backend_input_t<level_zero, sycl::context> in{nullptr, {d}, ownership::keep};
    sycl::make_context<level_zero>(in);
  });
  finds_none([&] { sycl::make_queue<level_zero>({static_cast<_ze_command_queue_handle_t *>(nullptr), d}, c); });
  finds_none([&] { sycl::make_event<level_zero>({nullptr, ownership::keep}, c); });
  finds_none([&] { sycl::make_kernel_bundle<level_zero, sycl::bundle_state::executable>({nullptr, ownership::keep}, c); });
  finds_none([&] { sycl::make_buffer<level_zero, int>({nullptr}, c); });
  bool is_level_zero = true;
  q.submit([&](sycl::handler &h) {
     h.host_task([&](const sycl::interop_handle &of) {
       is_level_zero = of.get_backend() == level_zero;
       if (is_level_zero) {
         [[maybe_unused]] const auto queue = of.get_native_queue<level_zero>();
         [[maybe_unused]] const auto context = of.get_native_context<level_zero>();
         [[maybe_unused]] const auto device = of.get_native_device<level_zero>();
       }
     });
   }).wait();
  CHECK(!is_level_zero);
  return failures;
}
