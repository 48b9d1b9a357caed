//! Precompiled headers through `aspen++`: each pass has its own, and everything is as if the header were text.

use crate::common::Session;

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
fn deep_attributes_and_kernels_survive() {
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

/// How many passes of a command line take a precompiled header.
fn passes_with(session: &Session, line: &str) -> usize {
    session.ok(&format!("aspen++ -### {line}")).stderr.matches("-Xclang -include-pch -Xclang ").count()
}

#[test]
fn every_form_of_use_is_found_by_every_pass() {
    let session = Session::new(&[
        ("pre.h", "#pragma once\n#include <sycl/sycl.hpp>\ninline int value() { return 3; }\n"),
        (
            "a.cpp",
            "class k;\nint main() {\n  sycl::queue q;\n  int *p = sycl::malloc_shared<int>(1, q);\n  \
                   q.single_task<k>([=]() { *p = value(); }).wait();\n  return *p == 3 ? 0 : 1;\n}\n",
        ),
        ("empty.cxx", "/* CMake's */\n"),
    ]);
    session.ok("aspen++ -O1 -fPIC -MD -MF pre.d -MT pre.h.pch -x c++-header pre.h -o pre.h.pch");
    let dependencies = String::from_utf8(session.read("pre.d")).expect("text");
    assert!(dependencies.starts_with("pre.h.pch:") && dependencies.contains("sycl/sycl.hpp"), "{dependencies}");
    // Host, analysis (which is the code of spir64, too) and the embedded CPU.
    for used in ["-include pre.h", "-include-pch pre.h.pch", "-Xclang -include-pch -Xclang pre.h.pch -Xclang -include -Xclang pre.h"] {
        let line = format!("-O1 -fPIC {used} -Winvalid-pch -I. -Wall -MMD");
        assert_eq!(passes_with(&session, &format!("{line} -c a.cpp")), 3, "{used}");
        assert_eq!(session.ok(&format!("aspen++ {line} -fsyntax-only a.cpp")).stderr, "", "{used}");
    }
    session.ok("aspen++ -O1 -fPIC -include pre.h -Winvalid-pch a.cpp -o program && ./program");
    // What CMake's target_precompile_headers writes.
    session
        .ok("aspen++ -g -std=gnu++17 -Winvalid-pch -fpch-instantiate-templates -Xclang -emit-pch -Xclang -include -Xclang pre.h -x c++-header -o c.pch -c empty.cxx");
    let line = "-g -std=gnu++17 -Winvalid-pch -Xclang -include-pch -Xclang c.pch -Xclang -include -Xclang pre.h";
    assert_eq!(passes_with(&session, &format!("{line} -c a.cpp")), 3);
    assert_eq!(session.ok(&format!("aspen++ {line} a.cpp -o program && ./program")).stderr, "");
    // Other options: as text, with a warning; without the folder, or preprocessed, as text.
    let said = session.ok("aspen++ -O2 -include pre.h a.cpp -o program && ./program");
    assert_eq!(said.stderr.matches("'pre.h.pch' was made with other options").count(), 1, "{}", said.stderr);
    assert_eq!(session.ok("aspen++ -O2 -Wno-invalid-pch -include pre.h -c a.cpp").stderr, "");
    assert!(session.ok("aspen++ -O1 -fPIC -E -include pre.h a.cpp").stdout.contains("int value()"));
    session.ok("rm -r pre.h.pch.passes");
    assert_eq!(session.ok("aspen++ -O1 -fPIC -include pre.h a.cpp -o program && ./program").stderr, "");
}

#[test]
fn deep_units_of_one_precompiled_header_have_tags_of_their_own() {
    let kernel = "static int run(sycl::queue q) {\n  int *p = sycl::malloc_shared<int>(1, q);\n  q.single_task([=]() { *p = VALUE; }).wait();\n  \
                  return *p;\n}\n";
    let header = |value: u32| format!("#pragma once\n#include <sycl/sycl.hpp>\n#define VALUE {value}\n{kernel}");
    // The units say the same; only their headers differ.
    let unit = "int FUNCTION() { return run(sycl::queue()); }\n";
    let session = Session::new(&[
        ("one.h", &header(1)),
        ("two.h", &header(2)),
        ("one.cpp", &unit.replace("FUNCTION", "first")),
        ("two.cpp", &unit.replace("FUNCTION", "second")),
        ("main.cpp", "int first(); int second(); int main() { return first() == 1 && second() == 2 ? 0 : 1; }\n"),
    ]);
    for name in ["one", "two"] {
        session.ok(&format!("aspen++ -fsycl-targets=native_cpu {name}.h && test -d {name}.h.pch.passes"));
        session.ok(&format!("aspen++ -fsycl-targets=native_cpu -include {name}.h -c {name}.cpp"));
    }
    session.ok("aspen++ -fsycl-targets=native_cpu main.cpp one.o two.o -o program && ./program");
}

#[test]
fn deep_pragmas_of_the_header_hold() {
    let header = "\
#pragma once
#include <sycl/sycl.hpp>
#pragma clang diagnostic push
#pragma clang diagnostic ignored \"-Wsycl-aspects\"
[[sycl::device_has(sycl::aspect::fp16)]] inline void quiet(float f) { double d = f; (void)d; }
#pragma clang diagnostic pop
";
    let session =
        Session::new(&[("pre.h", header), ("a.cpp", "class k;\nvoid host(sycl::queue &q) { q.single_task<k>([=]() { quiet(2); }); }\n")]);
    session.ok("aspen++ pre.h");
    assert_eq!(session.ok("aspen++ -include pre.h -c a.cpp").stderr, "");
}

#[test]
fn a_changed_header_is_told() {
    let session =
        Session::new(&[("pre.h", "#pragma once\ninline int value() { return 3; }\n"), ("a.cpp", "int main() { return value(); }\n")]);
    session.ok("aspen++ pre.h && echo 'inline int more() { return 4; }' >> pre.h");
    session.bad(
        1,
        "aspen++ -include pre.h a.cpp -o program",
        &["pre.h' has been modified since the precompiled header 'pre.h.pch' was built", "rebuild precompiled file 'pre.h.pch'\n"],
    );
    session.ok("aspen++ pre.h && aspen++ -include pre.h a.cpp -o program");
}

#[test]
fn what_cannot_work_says_so() {
    let session = Session::new(&[("pre.h", "#pragma once\nint x = undeclared;\n"), ("good.h", "int f();\n"), ("a.cpp", "int main() {}\n")]);
    session.bad(1, "aspen++ -x c++-header pre.h -o pre.pch", &["pre.h:2:9: error: use of undeclared identifier"]);
    assert!(!session.exists("pre.pch"));
    session.ok("clang++-22 -x c++-header good.h -o clangs.pch");
    session.bad(1, "aspen++ -include-pch clangs.pch -c a.cpp", &["'clangs.pch' is no precompiled header of aspen++", "-x c++-header"]);
    // Beside the header: for one pass of clang's, so it is left alone.
    session.ok("mv clangs.pch good.h.pch && aspen++ -include good.h -c a.cpp && rm good.h.pch");
    session.bad(1, "aspen++ good.h a.cpp -c", &["precompiled alone"]);
    session.ok("aspen++ good.h && test -f good.h.pch && aspen++ -x c++-header good.h -o /dev/null");
}
