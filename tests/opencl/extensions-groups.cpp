// Extensions of groups, and properties of kernels, on an OpenCL driver with sub-groups: the programs of tests/headers.
//# also: ../headers/check.hpp
//# also: ../headers/run_ext_groups.cpp
//# also: ../headers/run_ext_properties.cpp
//# also: ../headers/run_ext_algorithms.cpp
//# also: ../headers/run_ext_non_uniform_groups.cpp
//# also: ../headers/run_ext_root_group.cpp
//# run: aspen++ -O2 run_ext_groups.cpp -o groups
//# run: ./groups
//# run: aspen++ -O2 run_ext_properties.cpp -o properties
//# run: ./properties
//# deep: further extensions
//# run: aspen++ -O2 run_ext_algorithms.cpp -o algorithms
//# run: ./algorithms
//# run: aspen++ -O2 run_ext_non_uniform_groups.cpp -o non-uniform
//# run: ./non-uniform
//# run: aspen++ -O2 run_ext_root_group.cpp -o root
//# run: ./root
