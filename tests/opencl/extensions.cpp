// Extensions of queues, graphs and numbers on an OpenCL driver: the programs of tests/headers that need no sub-groups.
//# also: ../headers/check.hpp
//# also: ../headers/run_ext_queues.cpp
//# also: ../headers/run_ext_graphs.cpp
//# also: ../headers/run_ext_complex.cpp
//# run: aspen++ -O2 run_ext_queues.cpp -o queues
//# run: ./queues
//# run: aspen++ -O2 run_ext_graphs.cpp -o graphs
//# run: ./graphs
//# deep: further extensions
//# run: aspen++ -O2 run_ext_complex.cpp -o complex
//# run: ./complex
