// tests/e2e/stress.cpp on OpenCL drivers: 1000 threads, destroyed queues, host tasks that throw, memory exhausted, 50 000 launches.
// (Some drivers take 60 microseconds for one.)
//# also: ../e2e/stress.cpp
//# run: aspen++ -O2 -fsycl-targets=spir64 -DLAUNCHES=50000 main.cpp -pthread -o a.out
//# run: ./a.out
//# stdout: one queue 1000000
//# stdout: many queues 1000000
//# stdout: destroyed 200 of 200
//# stdout: thrown 100, run 100, odd 1
//# stdout: exhausted: no memory, errc 9, then 5
//# stdout: launches 50000, memory flat
//# file: main.cpp
#include "stress.cpp"
