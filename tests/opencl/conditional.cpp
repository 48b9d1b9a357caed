// Kernels of different needs in one SPIR-V module: after specialisation it builds on every driver and for every profile, what cannot run is
// refused before the driver sees anything, and both modes say the same.
//# run: aspen++ -O2 {self} -o split.out
//# run: aspen++ -O2 -fsycl-optional-features=conditional -save-temps=temps {self} -o conditional.out
//# sh: aspen inspect conditional.out | grep -c ' spir64 '
//# stdout: 1
//# sh: for p in '' intel_gpu_dg1 intel_gpu_skl intel_gpu_pvc; do echo "$p"; ASPEN_DEVICE_PROFILE=$p ./split.out || exit 1; done > split.txt
//# sh: for p in '' intel_gpu_dg1 intel_gpu_skl intel_gpu_pvc; do echo "$p"; ASPEN_DEVICE_PROFILE=$p ASPEN_SAVE_DIR=saved$p ./conditional.out || exit 1; done > conditional.txt
//# sh: cmp split.txt conditional.txt
//# sh: ! grep -v -E '^$|intel_gpu|: ran, right$|: refused' split.txt
//# sh: grep -c 'plain: ran, right' split.txt
//# stdout: 4
//# sh: for m in saved*/*.spv; do spirv-val --target-env spv1.4 $m || exit 1; done
//# sh: spirv-dis savedintel_gpu_dg1/*.spv | grep -c -E 'Float64|OpTypeFloat 64'; spirv-dis savedintel_gpu_pvc/*.spv | grep -c 'SubgroupSize 8$'; true
//# count: 2 stdout ^0$
// Whole, it does not build on every driver: that of 2022 refuses modules with half, whichever kernel is wanted; PoCL takes no SPIR-V itself.
//# sh: python3 whole.py temps/conditional_0.spir64.spv
//# stdout~: ^(2022.* fails|202[346].* (fails|builds)|3\.1.* fails)$
// What the driver built is kept by what it was given, and so by the values of all constants: devices of one kind share it, others do not.
//# sh: export ASPEN_CACHE_DIR=$PWD/cache; for p in skl skl kbl dg1 tgllp skl; do ASPEN_DEVICE_PROFILE=intel_gpu_$p ./conditional.out > one.txt || exit 1; aspen cache stat | grep -o 'jit: [0-9]*'; done | paste -sd' '
//# stdout: jit: 1 jit: 1 jit: 1 jit: 2 jit: 2 jit: 2
#include <sycl/sycl.hpp>
#include <cstdio>

class plain;
class k_fp64;
class k_fp16;
class k_both;
class k_atomic64;
class k_sg8;
class k_sg16;
class k_wg;

/// Shared by kernels of different needs.
[[clang::noinline]] static float half_of(float f) { return f / 2; }
[[clang::noinline]] static double precise(double d) { return d * half_of(3); }

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(32, q);
  long long *wide = sycl::malloc_shared<long long>(1, q);
  auto attempt = [&](const char *name, int expected, auto submit) {
    p[1] = 0;
    p[0] = 3;
    *wide = 3;
    try {
      submit();
      q.wait();
      std::printf("%s: ran, %s\n", name, p[1] == expected ? "right" : "wrong");
    } catch (const sycl::exception &error) {
      std::printf("%s: %s\n", name, error.code() == sycl::errc::kernel_not_supported ? "refused" : "failed");
      for (const char *c = error.what(); *c; ++c)
        std::putchar(*c == '\n' ? ' ' : *c);
      std::printf(": refused\n");
    }
  };
  attempt("plain", 3, [&] { q.single_task<plain>([=] { p[1] = int(half_of(float(2 * p[0]))); }); });
  attempt("fp64", 4, [&] { q.single_task<k_fp64>([=] { p[1] = int(precise(p[0])); }); });
  attempt("fp16", 6, [&] {
    q.single_task<k_fp16>([=] {
      sycl::half h = sycl::half(float(p[0]));
      p[1] = int(float(h + h));
    });
  });
  attempt("both", 7, [&] {
    q.single_task<k_both>([=] {
      sycl::half h = sycl::half(float(p[0]));
      p[1] = int(precise(double(float(h)))) + 3;
    });
  });
  attempt("atomic64", 8, [&] {
    q.single_task<k_atomic64>([=] {
      sycl::atomic_ref<long long, sycl::memory_order::relaxed, sycl::memory_scope::device> a(*wide);
      p[1] = int(a.fetch_add(5)) + 5;
    });
  });
  attempt("sub-group 8", 8, [&] {
    q.parallel_for<k_sg8>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] {
      if (it.get_local_id(0) == 0)
        p[1] = it.get_sub_group().get_max_local_range()[0];
    });
  });
  attempt("sub-group 16", 16, [&] {
    q.parallel_for<k_sg16>(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(16)]] {
      if (it.get_local_id(0) == 0)
        p[1] = it.get_sub_group().get_max_local_range()[0];
    });
  });
  attempt("work-group", 8, [&] {
    q.parallel_for<k_wg>(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> it) [[sycl::reqd_work_group_size(8)]] {
      if (it.get_local_id(0) == 7)
        p[1] = 8;
    });
  });
}
//# file: whole.py
"""Builds a conditional module as it is, without the tokens that no driver knows; prints the driver's version and what came of it."""
import ctypes, struct, sys

words = struct.unpack('<%dI' % (len(code := open(sys.argv[1], 'rb').read()) // 4), code)
left, at = list(words[:5]), 5
while at < len(words):
    instruction = words[at:at + (words[at] >> 16)]
    opcode = instruction[0] & 0xffff
    extension = opcode == 10 and struct.pack('<7I', *instruction[1:8]).startswith(b'SPV_INTEL_function_variants')
    if not (extension or (opcode == 17 and instruction[1] == 6245) or (opcode == 71 and instruction[2] == 6247)):
        left += instruction
    at += len(instruction)
code = struct.pack('<%dI' % len(left), *left)
cl, error = ctypes.CDLL('libOpenCL.so.1'), ctypes.c_int()
pointer = ctypes.c_void_p
for name in 'clCreateContext', 'clCreateProgramWithIL':
    getattr(cl, name).restype = pointer
platform, device, version = (pointer * 1)(), (pointer * 1)(), ctypes.create_string_buffer(100)
cl.clGetPlatformIDs(1, platform, None)
cl.clGetDeviceIDs(pointer(platform[0]), ctypes.c_ulong(0xffffffff), 1, device, None)
cl.clGetDeviceInfo(pointer(device[0]), 0x102d, ctypes.c_size_t(100), version, None)
context = cl.clCreateContext(None, 1, device, None, None, ctypes.byref(error))
program = cl.clCreateProgramWithIL(pointer(context), code, ctypes.c_size_t(len(code)), ctypes.byref(error))
fails = not program or cl.clBuildProgram(pointer(program), 0, None, None, None, None) != 0
print(version.value.decode(), 'fails' if fails else 'builds')
