//! What programs use without including it, because the header of every SYCL brings it.
#include <sycl/sycl.hpp>

static_assert(INT_MAX > 0 && CHAR_BIT == 8 && std::numeric_limits<float>::is_iec559);

// OpenCL's own names, beside those of `sycl`.
static_assert(std::is_same_v<::cl_int, sycl::opencl::cl_int> && std::is_same_v<::cl_ulong, sycl::cl_ulong>);
static_assert(std::is_same_v<::cl_bool, std::uint32_t> && std::is_pointer_v<cl_context> && std::is_pointer_v<cl_device_id>);
namespace both_open {
using namespace sycl;
cl_float from_either = 1.0f;
} // namespace both_open

int sum_of_all(const std::vector<int> &of) {
  std::array<int, 3> some = {3, 1, 2};
  std::sort(some.begin(), some.end());
  std::unordered_map<std::string, int> by_name = {{"first", some[0]}};
  auto shared = std::make_shared<int>(*std::max_element(of.begin(), of.end()));
  auto own = std::make_unique<std::tuple<int, double>>(1, std::sqrt(4.0));
  std::optional<int> none;
  std::mutex lock;
  std::lock_guard<std::mutex> held(lock);
  std::function<int(int)> twice = [](int n) { return 2 * n; };
  std::stringstream both;
  both << "backend " << sycl::backend::opencl;
  char text[8];
  std::memset(text, 0, sizeof text);
  assert(text[0] == 0);
  std::copy(of.begin(), of.end(), std::ostream_iterator<int>(std::cout, " "));
  std::cerr << sycl::backend::native_cpu << std::int64_t{1} << std::abs(-1) << std::endl;
  return std::accumulate(of.begin(), of.end(), 0) + *shared + std::get<0>(*own) + none.value_or(0) + twice(by_name["first"]);
}
