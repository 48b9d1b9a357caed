// Tools that some drivers need are looked for when a program runs; where they are missing, kernels are refused with their names, and the device
// is the last that selectors choose.
//# run: aspen++ -fsycl-targets=spir64 -O2 {self} -o a.out
//# run: ./a.out
//# stdout: ran 7
//# sh: PATH=/nonexistent ./a.out
//# stdout~: ^(ran 7|kernel 'adds' cannot run on 'pthread.*': its driver takes no SPIR-V but LLVM's bitcode, and llvm-spirv-15, which makes that, is not in PATH)$
//# sh: aspen=$(command -v aspen); export PATH=/nonexistent; listed=$($aspen devices); case "$(./a.out) $listed" in ran*) echo told ;; *"kernels          none: its driver takes no SPIR-V"*) echo told ;; esac
//# stdout: told
//# sh: aspen=$(command -v aspen); export PATH=/nonexistent; listed=$($aspen devices --format json); case "$(./a.out) $listed" in ran*) echo told ;; *'"runs_nothing": "its driver takes no SPIR-V'*) echo told ;; esac
//# stdout: told
#include <sycl/sycl.hpp>
#include <algorithm>
#include <cstdio>
#include <string>

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  *p = 6;
  const sycl::device d = q.get_device();
  const bool is_chosen = sycl::default_selector_v(d) > 0, is_available = d.get_info<sycl::info::device::is_available>();
  try {
    q.single_task<class adds>([=] { *p += 1; }).wait();
    std::printf("%sran %d\n", is_chosen && is_available ? "" : "not chosen, ", *p);
  } catch (const sycl::exception &e) {
    std::string text = e.what();
    text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());
    text.replace(text.find(":  "), 3, ": ");
    std::printf("%s%s%s\n", is_chosen || is_available ? "chosen: " : "", e.code() == sycl::errc::kernel_not_supported ? "" : "another code: ", text.c_str());
  }
  sycl::free(p, q);
}
