// Every command is printed, and names of files may be as long as clang++ takes them. What is made of a source does not depend on the
// environment, a link does know its device file. Source: DESIGN §2, §6, §7.29.
//# run: aspen++ -### -fsycl-targets=native_cpu,intel_gpu_skl,nvidia_gpu_sm_90 main.cpp -o a.out
//# stderr~: ^ ocloc compile .*-device skl
//# stderr~: ^ \S*ptxas\S* -arch=sm_90
//# stderr~: ^ \S*clang\+\+-22 -shared -fPIC
//# stderr~: ^ \S*clang\+\+-22 .*registration.o .*-laspen .*-o a.out
//# absent: a.out
//# run: aspen++ -v -fsycl-targets=native_cpu main.cpp -o a.out
//# stderr~: ^ \S*clang\+\+-22 -shared -fPIC image0.o
//# stderr~: ^ \S*clang\+\+-22 .*-laspen
//# stderr~: ^#include <...> search starts here:$
//# stderr~: ^ "\S*ld" .*-laspen
//# run: env ASPEN_DEVICE_SELECTOR=Native_CPU:CPU ./a.out
//# stdout: ran
// 244 characters.
//# copy: main.cpp nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.cpp
//# run: aspen++ nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.cpp -o long.out
//# run: aspen++ -c nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.cpp
//# exists: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.o
// A device file of the environment.
//# sh: printf 'own:\n  aspects: [gpu]\n' > own.yaml
//# run: env ASPEN_DEVICE_CONFIG_FILE=own.yaml aspen++ -c main.cpp -o main.o
//# stderr~: ^aspen\+\+: warning: ASPEN_DEVICE_CONFIG_FILE is not used to compile, .*'-fsycl-device-config-file'$
//# run: env ASPEN_DEVICE_CONFIG_FILE=own.yaml aspen++ -c main.cpp -fsycl-device-config-file=own.yaml -o main.o
//# stderr!~: .
//# run: env ASPEN_DEVICE_CONFIG_FILE=own.yaml aspen++ -c -DDOUBLE main.cpp -w -o main.o
//# run: env ASPEN_DEVICE_CONFIG_FILE=own.yaml aspen++ main.o -fsycl-fixed-targets=own -o b.out
//# stderr~: warning: kernel 'k' cannot run on fixed target 'own': needs aspect fp64
//# run: env ASPEN_DEVICE_CONFIG_FILE=own.yaml aspen check b.out --device own
//# exit: 1
//# run: env ASPEN_DEVICE_CONFIG_FILE=own.yaml aspen targets own
//# run: aspen targets own
//# exit: 1
//# file: main.cpp
#include <cstdio>
#include <sycl/sycl.hpp>
class k;
int main() {
  sycl::queue q;
#ifdef DOUBLE
  q.single_task<k>([p = (double *)nullptr] { *p = *p + 1; });
#else
  q.single_task<k>([] {}).wait();
#endif
  std::puts("ran");
}
