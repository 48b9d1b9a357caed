// Programs of the other tests: stress with fewer launches (how memory grows is not looked at: the sanitizer's own does), what the headers
// promise, kernels in the destructors of globals.
//# also: ../e2e/stress.cpp
//# also: ../e2e/kernels-at-exit.cpp
//# also: ../headers/run_bundles.cpp
//# also: ../headers/run_conformance.cpp
//# also: ../headers/run_groups.cpp
//# also: ../headers/run_memory.cpp
//# also: ../headers/run_reductions.cpp
//# also: ../headers/run_stream.cpp
//# run: aspen++ -O1 -g -fsanitize=thread -fsycl-targets=native_cpu -DLAUNCHES=20000 stress.cpp -pthread -o stress
//# run: ./stress
//# stdout: one queue 1000000
//# stdout: many queues 1000000
//# stdout: destroyed 200 of 200
//# stdout: thrown 100, run 100, odd 1
//# stdout: exhausted: no memory, errc 9, then 5
//# stdout~: ^launches 20000, memory
//# run: ASPEN_CPU_THREADS=8 ./stress
//# stdout~: ^launches 20000, memory
//# run: aspen++ -O1 -g -fsanitize=thread -fsycl-targets=native_cpu kernels-at-exit.cpp -o at-exit
//# run: ./at-exit
//# stdout~: ^global 4096
//# sh: for n in bundles conformance groups memory reductions stream; do aspen++ -w -O1 -g -fsanitize=thread -fsycl-targets=native_cpu run_$n.cpp -pthread -o $n || exit 1; done
//# sh: for n in bundles conformance groups memory reductions stream; do ./$n > said.$n || exit 1; done
//# sh: for n in bundles conformance groups memory reductions stream; do ASPEN_CPU_THREADS=8 ASPEN_CPU_GROUPS=items ./$n > said.$n || exit 1; done
