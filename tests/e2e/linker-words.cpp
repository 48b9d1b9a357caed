// Words that build systems say to the linker and the preprocessor: maps, files of dependencies, response files; archives with members of one name.
//# run: aspen++ -O1 -c main.cpp -o main.o
//# run: aspen++ -O1 -c one/util.cpp -o one/util.o
//# run: aspen++ -O1 -c two/util.cpp -o two/util.o
//# sh: ar qc libown.a one/util.o two/util.o
// Only the second of both members is linked.
//# run: aspen++ main.o libown.a -o a.out
//# stderr!~: .
//# run: ./a.out
//# stdout: 2
// Libraries are said in more ways than one.
//# run: aspen++ main.o -Wl,-L. -Wl,-lown -o h.out
//# run: ./h.out
//# stdout: 2
//# run: aspen++ main.o -Wl,libown.a -o i.out
//# run: ./i.out
//# stdout: 2
//# run: aspen++ main.o -Xlinker --library-path=. -Xlinker --library=own -o j.out
//# run: ./j.out
//# stdout: 2
// What an option names is no input: the library of before.
//# run: aspen++ -O1 -fPIC -shared exported.cpp -Wl,-soname,libexported.so -o libexported.so
//# run: aspen++ -O1 -fPIC -shared exported.cpp -Wl,-soname,libexported.so -o libexported.so
//# stderr!~: .
// What the linker prints is no list of files.
//# run: aspen++ main.o libown.a -Wl,-M,--cref -Wl,--verbose -o b.out
//# stdout~: Archive member included
//# run: ./b.out
//# stdout: 2
// CMake 3.27 and later ask for this, and link again if what it says is not so.
//# run: aspen++ main.o libown.a -Wl,--dependency-file=link.d -o c.out
//# sh: grep -q '^c.out:' link.d && grep -q libown.a link.d && ! grep -q 'aspen-\|registration' link.d
//# run: aspen++ -c main.cpp -MD -MF - -o d.o
//# stdout~: ^d.o: \\$
//# run: aspen++ -c main.cpp -Wp,-MMD,e.d -o e.o
//# sh: grep -q '^e.o:' e.d && grep -q main.cpp e.d
//# sh: aspen++ -fsyntax-only main.cpp -MD -MF - >/dev/full 2>full.txt; test $? = 1 && grep -q 'cannot write' full.txt
//# sh: aspen++ -no-such-option main.cpp 2>/dev/full; test $? = 1
//# sh: cp main.cpp 'a: b.cpp' && aspen++ -fsyntax-only -MMD -MF h.d 'a: b.cpp' && sed 1d h.d
//# stdout~: ^  a:\\ b.cpp \\$
//# stdout~: ^  own.hpp$
//# count: 2 stdout pp
// Assembler that is not preprocessed has no headers, and clang writes nothing of it.
//# run: aspen++ -c plain.s -MD -MF f.d -o f.o
//# sh: grep -q '^f.o:' f.d && grep -q plain.s f.d
//# run: aspen++ -M -MP main.cpp
//# stdout~: ^own.hpp:$
//# sh: printf '%s' "-c '-DTEXT=\"it\\'s\"' main.cpp -o g.o" > words.rsp
//# run: aspen++ @words.rsp
//# stderr!~: .
//# run: aspen++ -print-search-dirs -B/nowhere/else
//# stdout~: /nowhere/else
//# file: main.cpp
#include "own.hpp"
int main() { std::printf("%d\n", two()); }
//# file: own.hpp
#include <cstdio>
int one();
int two();
//# file: one/util.cpp
#include <sycl/sycl.hpp>
int one() {
  sycl::queue q;
  int *const p = sycl::malloc_shared<int>(1, q);
  q.single_task<class first>([=] { *p = 1; }).wait();
  return *p;
}
//# file: two/util.cpp
#include <sycl/sycl.hpp>
int two() {
  sycl::queue q;
  int *const p = sycl::malloc_shared<int>(1, q);
  q.single_task<class second>([=] { *p = 2; }).wait();
  return *p;
}
//# file: exported.cpp
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int twice(int x) { return 2 * x; }
//# file: plain.s
	.text
	.globl plain
plain:
	ret
