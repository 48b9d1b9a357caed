// find_package(Aspen): g++ stays the project's compiler, and targets with SYCL are made by aspen++. What links a static library with device
// code in it is linked by aspen++ unasked; other launchers stay; options that only g++ knows are left out with a warning.
//# sh: mkdir -p sources/user && cp {self} kernels.cpp main.cpp plain.cpp CMakeLists.txt sources && cp user.txt sources/user/CMakeLists.txt
//# sh: CCACHE_DIR=$PWD/cache cmake -S sources -B build -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_COMPILER_LAUNCHER=ccache > configured 2>&1 || { cat configured; false; }
//# sh: CCACHE_DIR=$PWD/cache cmake --build build > said 2>&1 || { cat said; false; }; cat said
//# stdout~: aspen\+\+: warning: '-fipa-pta' is for g\+\+ and left out: clang does not know it
//# run: build/whole
//# stdout: 42 by clang
//# run: build/user/program
//# stdout: 42 by gcc
//# run: build/user/elsewhere
//# stdout: 42 by gcc
//# run: build/plain
//# stdout: by gcc
//# sh: CCACHE_DIR=$PWD/cache ccache --print-stats | awk '$1 == "cache_miss" && $2 >= 4 { print "cached" }'
//# stdout: cached
//# sh: for program in of_objects by_archive by_expression optimized; do build/$program; done; build/not_by_expression
//# stdout: 42 by gcc
//# count: 4 stdout 42 by gcc
//# stdout: by gcc
//# sh: grep 'INTERPROCEDURAL_OPTIMIZATION is off' configured
//# stdout~: off for 'optimized'
//# stdout~: off for 'optimized_too'
//# deep: installed libraries, versions, an editor, pkg-config
//# sh: cmake --install build --prefix $PWD/installed > said && mkdir -p importing/below && cp main.cpp cmake-package.cpp importing/below && cp importing.txt importing/CMakeLists.txt && cp below.txt importing/below/CMakeLists.txt
//# sh: { cmake -S importing -B imported -DCMAKE_CXX_COMPILER=g++ -DCMAKE_PREFIX_PATH=$PWD/installed && cmake --build imported; } > said 2>&1 || { cat said; false; }; imported/below/program
//# stdout: 42 by gcc
//# sh: readelf -d build/plain build/not_by_expression | grep -c libaspen
//# exit: 1
//# sh: for v in 0.1 0 0.1.0 0.1...0.9 "0.1.0;EXACT"; do cmake -S sources -B versions "-DASK=$v" > said 2>&1 || { cat said; exit 1; }; done
//# sh: for v in 0.0 0.2 1 0.1.0.1 0.2...0.9; do cmake -S sources -B versions "-DASK=$v" > said 2>&1 && echo "$v is found"; done; grep -o 'version: 0.1.0' said
//# stdout: version: 0.1.0
//# count: 0 stdout found
//# sh: grep -q cmake-package.cpp build/compile_commands.json && aspen clangd-config > .clangd && clangd-22 --compile-commands-dir=build --check=sources/cmake-package.cpp 2>&1 | grep -E '^E[^ ]+ \[|All checks'
//# stdout~: All checks completed
//# count: 0 stdout ^E
//# sh: cmake -S sources -B ours -DCMAKE_CXX_COMPILER=aspen++ > said 2>&1 && cmake --build ours > said 2>&1 || { cat said; false; }; ours/user/program
//# stdout: 42 by clang
//# sh: export PKG_CONFIG_PATH=$(dirname $(command -v aspen++))/../lib/pkgconfig; $(pkg-config --variable=cxx aspen) -fsycl-targets=native_cpu {self} -o piped && ./piped
//# stdout: 42 by clang
//# sh: export PKG_CONFIG_PATH=$(dirname $(command -v aspen++))/../lib/pkgconfig; g++ bare.cpp $(pkg-config --cflags --libs aspen) -o bare && ./bare
//# stdout~: ^ABI [1-9]
//# run: make
//# run: ./made
//# stdout: 42 by clang
#include <cstdio>
int answer();
int main() {
#ifdef __clang__
  std::printf("%d by clang\n", answer());
#else
  std::printf("%d by gcc\n", answer());
#endif
}
#if defined(WHOLE) || !defined(PARTS)
#include "kernels.cpp"
#endif
//# file: kernels.cpp
#include <sycl/sycl.hpp>
int answer() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *out = 42; }).wait();
  const int answer = *out;
  sycl::free(out, q);
  return answer;
}
//# file: main.cpp
#define PARTS 1
#include "cmake-package.cpp"
//# file: plain.cpp
#include <cstdio>
int main() {
#ifndef __clang__
  std::puts("by gcc");
#endif
}
//# file: CMakeLists.txt
cmake_minimum_required(VERSION 3.21)
project(program LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_package(Aspen ${ASK} REQUIRED)
add_subdirectory(user) # before the library is there
add_library(kernels STATIC kernels.cpp)
add_sycl_to_target(TARGET kernels SOURCES kernels.cpp)
target_compile_options(kernels PRIVATE -fsycl-targets=native_cpu $<$<CXX_COMPILER_ID:GNU>:-fipa-pta>)
add_library(wrapped STATIC plain.cpp)
target_link_libraries(wrapped PRIVATE kernels)
add_executable(whole cmake-package.cpp)
target_compile_definitions(whole PRIVATE WHOLE=1)
aspen_sycl(whole)
add_executable(plain plain.cpp)
install(TARGETS kernels EXPORT kernels)
install(EXPORT kernels NAMESPACE kernels:: DESTINATION lib/cmake/kernels FILE kernelsConfig.cmake)
add_library(objects OBJECT kernels.cpp)
aspen_sycl(objects)
target_compile_options(objects PRIVATE -fsycl-targets=native_cpu)
add_executable(of_objects main.cpp $<TARGET_OBJECTS:objects>)
add_library(archive STATIC $<TARGET_OBJECTS:objects>)
add_executable(by_archive main.cpp)
target_link_libraries(by_archive PRIVATE archive)
add_executable(by_expression main.cpp)
target_link_libraries(by_expression PRIVATE $<$<BOOL:1>:kernels>)
add_executable(not_by_expression plain.cpp)
target_link_libraries(not_by_expression PRIVATE $<$<BOOL:0>:kernels>)
add_library(optimized_too STATIC plain.cpp)
add_executable(optimized main.cpp)
target_link_libraries(optimized PRIVATE kernels optimized_too)
set_target_properties(optimized optimized_too PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
//# file: user.txt
add_executable(program ../main.cpp)
target_link_libraries(program PRIVATE kernels)
add_library(middle INTERFACE)
target_link_libraries(middle INTERFACE kernels)
add_library(also::middle ALIAS middle)
add_executable(elsewhere ../main.cpp)
target_link_libraries(elsewhere PRIVATE also::middle)
//# file: importing.txt
cmake_minimum_required(VERSION 3.21)
project(importing LANGUAGES CXX)
find_package(Aspen REQUIRED)
add_subdirectory(below)
//# file: below.txt
find_package(kernels REQUIRED) # its targets are this folder's
add_executable(program main.cpp)
target_link_libraries(program PRIVATE kernels::kernels)
//# file: bare.cpp
#include <aspen/aspen.h>
#include <cstdio>
int main() { std::printf("ABI %u\n", static_cast<unsigned>(aspen_abi_version())); }
//# file: Makefile
CXX = aspen++
CXXFLAGS = -O2 -fsycl-targets=native_cpu
made: made.o
	$(CXX) $(CXXFLAGS) $^ -o $@
made.o: cmake-package.cpp
	$(CXX) $(CXXFLAGS) -MD -c $< -o $@
-include made.d
