# Which programs a category of SYCL-CTS has, and of which files: what the suite's own CMake files say, asked without a build. Run as
#   cmake -D SUITE=… -D CATEGORY=… -D OUT=… -D PYTHON_EXECUTABLE=… [-D SYCL_CTS_ENABLE_…=…] -P cts-programs.cmake
# in the category's folder, since that is where globs look. Files that the suite generates are written to OUT, and the programs to
# OUT/programs: a line `program NAME`, then a line for each of its files.

# Without this, a script has the policies of old: no IN_LIST.
cmake_minimum_required(VERSION 3.18)

set(CMAKE_CURRENT_SOURCE_DIR "${SUITE}/tests")
set(CMAKE_CURRENT_BINARY_DIR "${OUT}")
file(WRITE "${OUT}/programs" "")

# The suite's commands that describe a build. A program is written down; what it is linked with is xtask's affair.
function(add_sycl_executable)
  cmake_parse_arguments(ASPEN "" "NAME;OBJECT_LIBRARY" "TESTS" ${ARGN})
  file(APPEND "${OUT}/programs" "program ${ASPEN_NAME}\n")
  foreach(test IN LISTS ASPEN_TESTS)
    file(APPEND "${OUT}/programs" "${test}\n")
  endforeach()
endfunction()
foreach(command add_subdirectory add_custom_target add_dependencies add_test target_include_directories target_compile_definitions
        target_compile_options target_link_libraries)
  cmake_language(EVAL CODE "function(${command})\nendfunction()")
endforeach()
function(set_property)
endfunction()

# A rule is followed at once, unless its result is newer than what it is made from.
function(add_custom_command)
  cmake_parse_arguments(ASPEN "" "WORKING_DIRECTORY;COMMENT" "OUTPUT;COMMAND;DEPENDS" ${ARGN})
  set(make FALSE)
  foreach(output IN LISTS ASPEN_OUTPUT)
    if(NOT EXISTS "${output}")
      set(make TRUE)
    endif()
    foreach(input IN LISTS ASPEN_DEPENDS)
      if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${input}")
        set(input "${CMAKE_CURRENT_SOURCE_DIR}/${input}")
      endif()
      if("${input}" IS_NEWER_THAN "${output}")
        set(make TRUE)
      endif()
    endforeach()
  endforeach()
  if(make)
    execute_process(COMMAND ${ASPEN_COMMAND} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  endif()
endfunction()

# Scripts have no build folder, so relative names would lie in the suite.
function(configure_file from to)
  _configure_file("${CMAKE_CURRENT_SOURCE_DIR}/${from}" "${CMAKE_CURRENT_BINARY_DIR}/${to}")
endfunction()

include("${SUITE}/tests/CMakeLists.txt")
set(CMAKE_CURRENT_SOURCE_DIR "${SUITE}/tests/${CATEGORY}")
include("${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt")
