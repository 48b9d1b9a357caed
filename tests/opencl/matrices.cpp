// Joint matrices on an OpenCL driver with sub-groups: the program of tests/headers.
//# also: ../headers/check.hpp
//# also: ../headers/run_ext_matrix.cpp
//# run: aspen++ -O2 run_ext_matrix.cpp -o matrices
//# run: ./matrices
