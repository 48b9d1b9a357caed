// Extensions of queues, graphs and numbers on an OpenCL driver: the programs of tests/headers that need no sub-groups.
//# also: ../headers/check.hpp
//# also: ../headers/run_ext_queues.cpp
//# also: ../headers/run_ext_graphs.cpp
//# also: ../headers/run_ext_complex.cpp
//# also: ../headers/run_ext_hints.cpp
//# also: ../headers/run_accessor_promises.cpp
//# also: ../headers/run_intel_math.cpp
//# run: aspen++ -O2 run_ext_queues.cpp -o queues
//# run: ./queues
//# run: aspen++ -O2 run_ext_graphs.cpp -o graphs
//# run: ./graphs
//# deep: further extensions
//# run: aspen++ -O2 run_ext_complex.cpp -o complex
//# run: ./complex
//# run: aspen++ -O2 run_ext_hints.cpp -o hints
//# run: ./hints
//# run: aspen++ -O2 run_accessor_promises.cpp -o promises
//# run: ./promises
//# run: aspen++ -O2 run_intel_math.cpp -o math
//# run: ./math
