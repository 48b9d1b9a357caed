// Twenty units through icecream: a scheduler, two iceccd that compile, and the client's own, which compiles nothing. The compiler travels in
// the tarball that `aspen icecc-env` makes, and runs in a folder that has nothing else.
//# needs-root: iceccd compiles in a folder made its root
//# also: distcc/project.sh
//# also: icecc/icecc.sh
//# sh: sh project.sh
//# run: aspen icecc-env
//# stdout~: /aspen-[0-9a-f]{32}.tar.gz$
//# sh: sh icecc.sh unit1.o unit2.o unit3.o unit4.o unit5.o unit6.o unit7.o unit8.o unit9.o unit10.o 2>&1
//# count: 10 stdout unit.hpp:\d+:.*: warning: function 'less' uses aspect 'fp64' not listed
//# stdout~: ^10 compiled elsewhere, each had some$
//# sh: sh icecc.sh program 2>&1
//# count: 9 stdout unit.hpp:\d+:.*: warning: function 'less' uses aspect 'fp64' not listed
//# count: 1 stdout main.cpp:3:.*: warning: unused variable
//# stdout~: ^10 compiled elsewhere, each had some$
//# run: ./program
//# stdout: sum 399
//# run: aspen icecc-env -o none
//# exit: 1
//# stderr~: cannot write into 'none': No such file
//# sh: FLAGS='-O1 -fsycl-targets=native_cpu' sh project.sh equal unit1 unit2 unit3 unit4 unit5 unit6 unit7 unit8 unit9 unit10
//# stdout: 10 equal
//# sh: FLAGS='-O1 -fsycl-targets=native_cpu' sh project.sh equal unit11 unit12 unit13 unit14 unit15 unit16 unit17 unit18 unit19 main
//# stdout: 10 equal
