# find_package(IntelSYCL) for CMake: what DPC++'s package of that name offers to projects that were written for it, with Aspen behind it.
# Source: Intel oneAPI DPC++/C++ Compiler Developer Guide, "Use CMake with the Compiler".
#
# add_sycl_to_target(TARGET target SOURCES source…)   the target is compiled and linked by aspen++ (AspenConfig.cmake)
# IntelSYCL::SYCL_CXX                                 the same for targets that link it, where CMAKE_CXX_COMPILER is aspen++
# SYCL_LANGUAGE_VERSION, SYCL_INCLUDE_DIR, SYCL_FLAGS
include("${CMAKE_CURRENT_LIST_DIR}/../Aspen/AspenConfig.cmake")
if(NOT EXISTS "${Aspen_CXX_COMPILER}")
  set(IntelSYCL_FOUND FALSE)
  set(IntelSYCL_NOT_FOUND_MESSAGE "${Aspen_NOT_FOUND_MESSAGE}")
  return()
endif()
set(SYCL_LANGUAGE_VERSION 202012)
set(SYCL_INCLUDE_DIR "${_aspen_prefix}/include")
set(SYCL_IMPLEMENTATION_ID "Aspen")
set(SYCL_FLAGS "")
if(CMAKE_CXX_COMPILER MATCHES "aspen\\+\\+$")
  set(SYCL_FLAGS "-fsycl")
endif()
if(NOT TARGET IntelSYCL::SYCL_CXX)
  add_library(IntelSYCL::SYCL_CXX INTERFACE IMPORTED)
  # Another compiler learns of aspen++ by add_sycl_to_target only, and does not know the option.
  set_target_properties(IntelSYCL::SYCL_CXX PROPERTIES
    INTERFACE_COMPILE_OPTIONS "${SYCL_FLAGS}"
    INTERFACE_LINK_OPTIONS "${SYCL_FLAGS}")
endif()
