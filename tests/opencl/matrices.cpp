// Joint matrices on an OpenCL driver with sub-groups: the program of tests/headers.
//# also: ../headers/check.hpp
//# also: ../headers/run_ext_matrix.cpp
//# run: aspen++ -O2 -fsycl-targets=spir64 -DONE_SIZE run_ext_matrix.cpp -o matrices
//# run: ./matrices
//# deep: every size of sub-groups, which take the driver a minute
//# run: aspen++ -O2 -fsycl-targets=spir64 run_ext_matrix.cpp -o matrices
//# run: ./matrices
