# find_package(Aspen) for CMake. Either configure with -DCMAKE_CXX_COMPILER=PREFIX/bin/aspen++, or keep another clang or gcc and call
# aspen_sycl(TARGET) for every target that contains SYCL sources or links libraries that do: it is then compiled and linked by aspen++.
#
# Aspen_CXX_COMPILER  the full path of aspen++
# Aspen::aspen        libaspen.so with the headers, for programs in C or other languages on the C ABI (aspen/aspen.h)
cmake_minimum_required(VERSION 3.21)
get_filename_component(_aspen_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Aspen_CXX_COMPILER "${_aspen_prefix}/bin/aspen++")
if(NOT EXISTS "${Aspen_CXX_COMPILER}")
  set(Aspen_FOUND FALSE)
  set(Aspen_NOT_FOUND_MESSAGE "this installation of Aspen has no ${Aspen_CXX_COMPILER}")
  return()
endif()
if(NOT TARGET Aspen::aspen)
  add_library(Aspen::aspen SHARED IMPORTED)
  set_target_properties(Aspen::aspen PROPERTIES
    IMPORTED_LOCATION "${_aspen_prefix}/lib/libaspen.so"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${_aspen_prefix}/include")
endif()
set(_aspen_instead "${_aspen_prefix}/share/aspen/aspen-instead")
function(aspen_sycl target)
  # A launcher gets the usual compiler's command line; ours leaves the compiler out and runs aspen++ with the rest.
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${_aspen_instead}" CXX_LINKER_LAUNCHER "${_aspen_instead}")
endfunction()
