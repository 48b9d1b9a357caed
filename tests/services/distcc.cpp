// Twenty units through distcc on two servers of this machine, never on the client: device code, warnings at their lines, dependencies, and
// objects that are equal to those compiled here.
//# needs-root: distccd gives its rights up, which root alone has
//# also: distcc/project.sh
//# also: distcc/distcc.sh
//# sh: sh project.sh
//# sh: sh distcc.sh 2>&1
//# count: 19 stdout unit.hpp:10:.*: warning: function 'less' uses aspect 'fp64' not listed
//# count: 1 stdout main.cpp:3:.*: warning: unused variable
//# stdout~: ^20 units: 20 compiled by servers, each had some$
//# stdout~: ^sum 399$
//# stdout~: ^a unit of bad code: .*bad.cpp:2:.*: error: 
//# stdout~: ^not allowed: 
//# sh: FLAGS='-O1 -fsycl-targets=native_cpu' sh project.sh equal unit1 unit2 unit3 unit4 unit5 unit6 unit7 unit8 unit9 unit10
//# stdout: 10 equal
//# sh: FLAGS='-O1 -fsycl-targets=native_cpu' sh project.sh equal unit11 unit12 unit13 unit14 unit15 unit16 unit17 unit18 unit19 main
//# stdout: 10 equal
