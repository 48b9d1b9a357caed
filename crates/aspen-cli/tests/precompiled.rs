//! Precompiled headers through `aspen++`.

mod common;

use common::Session;

const HEADER: &str = "\
#pragma once
#include <sycl/sycl.hpp>
[[sycl::device_has(sycl::aspect::fp16)]] inline void from_header(float f) { double d = f; (void)d; }
namespace { class local; }
inline int value() { return VALUE; }
static int run() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<local>([=]() { p[0] = value(); }).wait();
  return p[0];
}
";

#[test]
fn attributes_and_kernels_survive() {
    let kernel = "class k;\nvoid host(sycl::queue &q) { q.single_task<k>([=]() { from_header(2); }); }\n";
    let main = "int other();\nint main() { return run() == VALUE && other() == VALUE ? 0 : 1; }\n";
    let session = Session::new(&[("pre.h", HEADER), ("a.cpp", &format!("{kernel}{main}")), ("b.cpp", "int other() { return run(); }\n")]);
    let made = session.ok("aspen++ -DVALUE=3 -Wall -x c++-header pre.h -o pre.pch");
    assert!(made.stderr.matches("warning:").count() <= 1, "{}", made.stderr);
    for option in ["-include-pch pre.pch", "-Xclang -include-pch -Xclang pre.pch"] {
        // Both units have a kernel of internal linkage of one name: their tags differ.
        let said = session.ok(&format!("aspen++ -DVALUE=3 -fsycl-targets=native_cpu {option} a.cpp b.cpp -o program && ./program"));
        assert!(
            said.stderr.contains("warning: function 'from_header' uses aspect 'fp64' not listed in 'sycl::device_has'"),
            "{}",
            said.stderr
        );
        assert_eq!(session.ok("aspen explain program | sort").stdout.matches("local").count(), 2);
    }
}

#[test]
fn what_cannot_work_says_so() {
    let session = Session::new(&[("pre.h", "#pragma once\nint x = undeclared;\n"), ("good.h", "int f();\n"), ("a.cpp", "int main() {}\n")]);
    session.bad(1, "aspen++ -x c++-header pre.h -o pre.pch", &["pre.h:2:9: error: use of undeclared identifier"]);
    assert!(!session.exists("pre.pch"));
    session.ok("clang++-22 -x c++-header good.h -o clangs.pch");
    session.bad(1, "aspen++ -include-pch clangs.pch -c a.cpp", &["'clangs.pch' is no precompiled header of aspen++", "-x c++-header"]);
    session.bad(1, "aspen++ good.h a.cpp -c", &["precompiled alone"]);
    session.ok("aspen++ good.h && test -f good.h.pch");
}
