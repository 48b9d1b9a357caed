// A shared library that another version of Aspen linked: its kernels are refused with both versions, those of the program run.
//# run: aspen++ -fsycl-targets=native_cpu -fPIC -shared library.cpp -o library.so
//# run: python3 patch.py library.so
//# run: aspen++ -fsycl-targets=native_cpu main.cpp -o a.out
//# run: ./a.out
//# stdout: own 1
//# stdout: library: no device image holds the kernel 'of_library' (the module was linked by 'aspen++ 0.1.0' with ABI version 99, libaspen.so has 3: its kernels are not registered; link it again)
//# stdout: own 2
//# stderr~: ^aspen: the module was linked by 'aspen\+\+ 0\.1\.0' with ABI version 99, libaspen\.so has 3:
//# file: patch.py
import struct, subprocess, sys
def words(*command):
    return [line.split() for line in subprocess.check_output(command, text=True).splitlines()]
address = next(int(line[0], 16) for line in words('nm', sys.argv[1]) if line[-1] == 'aspen_record')
data = bytearray(open(sys.argv[1], 'rb').read())
# The segment that holds it: LOAD offset address …
at = next(int(l[1], 16) + address - int(l[2], 16) for l in words('readelf', '-lW', sys.argv[1])
          if l[:1] == ['LOAD'] and int(l[2], 16) <= address < int(l[2], 16) + int(l[4], 16))
# The record begins with the ABI version and its own size.
assert data[at:at + 8] == struct.pack('<II', 3, 40)
data[at:at + 4] = struct.pack('<I', 99)
open(sys.argv[1], 'wb').write(data)
//# file: library.cpp
#include <sycl/sycl.hpp>
class of_library;
extern "C" void launch(sycl::queue *q, int *out) { q->single_task<of_library>([=] { *out = 7; }).wait(); }
//# file: main.cpp
#include <sycl/sycl.hpp>
#include <cstdio>
#include <dlfcn.h>
#include <string>
int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *out = 1; }).wait();
  std::printf("own %d\n", *out);
  auto launch = (void (*)(sycl::queue *, int *))dlsym(dlopen("./library.so", RTLD_NOW), "launch");
  try {
    launch(&q, out);
  } catch (const sycl::exception &e) {
    std::string text = e.what();
    std::printf("library: %s\n", text.substr(0, text.find("; the images are")).c_str());
  }
  q.single_task([=] { *out = 2; }).wait();
  std::printf("own %d\n", *out);
}
