// Virtual functions in kernels, by function pointers in SPIR-V, on an OpenCL driver that has them: the program of tests/headers.
//# also: ../headers/check.hpp
//# also: ../headers/run_ext_virtual_functions.cpp
//# run: aspen++ -O2 run_ext_virtual_functions.cpp -o virtual-functions
//# run: ./virtual-functions
