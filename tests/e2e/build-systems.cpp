// Projects that were written for DPC++ build with what stands in their files: find_package(IntelSYCL), add_sycl_to_target, -lsycl.
// Meson takes aspen++ for the clang it is.
//# sh: mkdir sources && cp {self} sources/program.cpp && cp CMakeLists.txt sources
//# sh: cmake -S sources -B ours -DCMAKE_CXX_COMPILER=aspen++ > said 2>&1 && cmake --build ours >> said 2>&1 || { cat said; false; }
//# run: ours/called
//# stdout: 42
//# run: ours/linked
//# stdout: 42
//# deep: the same by clang++, without a target, and under Meson
//# sh: cmake -S sources -B theirs -DCMAKE_CXX_COMPILER=clang++-22 > said 2>&1 && cmake --build theirs --target called >> said 2>&1 || { cat said; false; }
//# run: theirs/called
//# stdout: 42
//# sh: cmake -S sources -B none -DCMAKE_CXX_COMPILER=aspen++ -DNO_TARGET=1
//# exit: 1
//# stderr~: add_sycl_to_target: name the target after TARGET
//# sh: cp meson.build sources && CXX=aspen++ meson setup sources meson > said 2>&1 && ninja -C meson >> said 2>&1 || { cat said; false; }
//# run: meson/program
//# stdout: 42
//# run: aspen++ -fsycl -fsycl-targets=native_cpu {self} -lsycl -o program
//# count: 0 stderr .
//# run: ./program
//# stdout: 42
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *out = 42; }).wait();
  std::printf("%d\n", *out);
  sycl::free(out, q);
}
//# file: CMakeLists.txt
cmake_minimum_required(VERSION 3.21)
project(program LANGUAGES CXX)
set(CMAKE_CXX_FLAGS "-fsycl-targets=native_cpu")
# CMake reads the folders of libraries out of what `aspen++ -v` says; without them it finds none of Debian's.
find_library(LIBRARY_OF_DEBIAN dl REQUIRED)
find_package(IntelSYCL REQUIRED)
if(NO_TARGET)
  add_sycl_to_target(SOURCES program.cpp)
endif()
add_executable(called program.cpp)
add_sycl_to_target(TARGET called SOURCES program.cpp)
add_executable(linked program.cpp)
target_link_libraries(linked PRIVATE IntelSYCL::SYCL_CXX)
//# file: meson.build
project('program', 'cpp', default_options: ['cpp_std=c++20'])
executable('program', 'program.cpp', cpp_args: ['-fsycl-targets=native_cpu'], link_args: ['-fsycl-targets=native_cpu'])
