//! SYCL's header is kept precompiled in the cache: the objects are the same byte for byte.

use std::collections::BTreeSet;

use crate::common::Session;

const UNIT: &str = "\
// A comment.
#include <cmath>
#include <iostream>
#include <sys/time.h>
#define HOW_MANY_OF_THEM 4
#include <sycl/sycl.hpp>
#include <map>
[[sycl::device_has(sycl::aspect::fp16)]] void uses_double(double *p) { *p = 2 * *p; }
int main() {
  sycl::queue q;
  auto *p = sycl::malloc_shared<double>(HOW_MANY_OF_THEM, q);
  q.parallel_for(HOW_MANY_OF_THEM, [=](auto i) { uses_double(p + i); });
#if __cpp_exceptions
  q.parallel_for(HOW_MANY_OF_THEM, [=](auto i) { p[i] += sycl::half(float(i)); });
#endif
  q.wait();
  std::cout << p[0] << std::endl;
}
";

const AUTO: &str = "aspen++ -fsycl-targets=native_cpu";

/// A session with a cache of its own.
fn session(files: &[(&str, &str)]) -> Session {
    let mut session = Session::new(files);
    session.environment.push(("ASPEN_CACHE_DIR", session.path("cache").display().to_string()));
    session
}

/// How many passes of a command line read the header precompiled.
fn kept_by(session: &Session, line: &str) -> usize {
    session.ok(&format!("{line} -###")).stderr.matches("-Xclang -include-pch -Xclang ").count()
}

/// Compiles until the header is kept; what was said and made, as text and with the header kept.
fn both(session: &Session, line: &str) -> [(String, Vec<u8>); 2] {
    let run = || (session.ok(line).stderr, session.read("a.o"));
    let first = run();
    run();
    [first, run()]
}

#[test]
fn deep_objects_are_the_same() {
    let options = "-DHOW_MANY_OTHERS=1 -Wall -std=c++20 -march=native";
    let session = session(&[("a.cpp", UNIT)]);
    let line = format!("{AUTO} -c a.cpp -MD {options}");
    let [text, kept] = both(&session, &line);
    assert!(text.0.contains("uses aspect 'fp64' not listed"), "{}", text.0);
    assert_eq!(text.0, kept.0);
    assert!(text.1 == kept.1, "{options}: another object");
    assert_eq!(kept_by(&session, &line), 3, "{options}");
    let dependencies = String::from_utf8(session.read("a.d")).expect("text");
    assert!(dependencies.starts_with("a.o: \\\n  a.cpp \\\n"), "the source is not the first: {dependencies}");
    assert!(dependencies.contains("sycl/sycl.hpp") && !dependencies.contains("cache/"), "{dependencies}");
    session.ok(&format!("{AUTO} {options} a.cpp -o program && ./program"));
}

#[test]
fn who_minds_reads_the_text() {
    let own = "#define FROM_OWN 1\n#include_next <vector>\n";
    let needs_own = "#include <sycl/sycl.hpp>\n#ifndef FROM_OWN\n#error own header not found\n#endif\n";
    let renames = "#define errc other\n#include <sycl/sycl.hpp>\n#undef errc\n";
    let session = session(&[
        ("a.cpp", "#include <sycl/sycl.hpp>\n"),
        ("vector", own),
        ("b.cpp", needs_own),
        ("c.cpp", renames),
        ("pasted.cpp", "#define mint3 mint4\n#include <sycl/sycl.hpp>\n"), // sycl.hpp makes that name with ##
        ("d.cpp", "#include \"own/vector\"\n#include <sycl/sycl.hpp>\n"),
        ("e.cpp", "// not a line of its own \\\n#include <sycl/sycl.hpp>\n"),
        ("unit.cpp", &format!("#include \"first.hpp\"\n{}", UNIT.replace("double", "scalar"))),
        (
            "first.hpp",
            "#ifndef FIRST_HPP\n#define FIRST_HPP\n#include <cmath>\n#include \"scalar.hpp\"\nusing scalar = scalar_of<8>;\n#endif\n",
        ),
        (
            "scalar.hpp",
            "#pragma once\n#include \"sycl/sycl.hpp\"\ntemplate <int> struct of;\ntemplate <> struct of<8> { using type = double; };\ntemplate <int N> using scalar_of = typename of<N>::type;\n",
        ),
    ]);
    session.ok("mkdir -p own empty getopt tbb/tbb; mv vector own; touch getopt/getopt.h");
    both(&session, &format!("{AUTO} -c a.cpp"));
    assert_eq!(kept_by(&session, &format!("{AUTO} -c a.cpp")), 3);
    assert_eq!(kept_by(&session, &format!("{AUTO} -c a.cpp -DUNHEARD_OF=1 -Wextra -Iempty")), 3);
    assert_eq!(kept_by(&session, &format!("{AUTO} -c a.cpp -pipe -Qunused-arguments --gcc-toolchain=")), 3, "as makefiles say it");
    assert_eq!(kept_by(&session, &format!("{AUTO} -fsyntax-only a.cpp")), 3, "what only looks");
    session.ok("mkdir lib; mv scalar.hpp lib");
    let line = format!("{AUTO} -c unit.cpp -o a.o -Ilib");
    assert_eq!(kept_by(&session, &line), 3, "what its own headers include");
    let made = |line: &str| (session.ok(line).stderr, session.read("a.o"));
    let (kept, text) = (made(&line), made(&format!("{line} -fno-sycl-auto-pch")));
    assert!(text.0.contains("unit.cpp:9:") && text.0.contains("uses aspect 'fp64' not listed"), "{}", text.0);
    assert_eq!(text.0, kept.0);
    assert!(text.1 == kept.1, "another object");
    for words in [
        "-c b.cpp -Iown",
        "-c c.cpp",
        "-c d.cpp",
        "-c pasted.cpp",
        "-c e.cpp",
        "-c unit.cpp -Ilib -DFIRST_HPP",
        "-c unit.cpp -Iempty",
        "-c a.cpp -DNDEBUG",
        "-c a.cpp -D NDEBUG",
        "-c a.cpp '-DNDEBUG 1'",
        "-c a.cpp -Wp,-DNDEBUG",
        "-c a.cpp -Xclang -DNDEBUG",
        "-c a.cpp -Igetopt",
        "-c a.cpp -Itbb", // libstdc++ asks whether <tbb/tbb.h> is there
        "-c a.cpp -include own/vector",
        "-c -g -O2 a.cpp",
        "-c -g3 -O0 a.cpp",
        "-c -gline-tables-only a.cpp", // a class has the place of its first declaration
        "-c -fsanitize=undefined a.cpp",
        "-c -Wsystem-headers a.cpp",
        "-c -Dmint3=int a.cpp",
        "-c -x c++ - < a.cpp",
        "-c a.cpp -fno-sycl-auto-pch",
    ] {
        assert_eq!(kept_by(&session, &format!("{AUTO} {words}")), 0, "{words}");
    }
    for variable in ["CPATH=own", "ASPEN_CACHE=0"] {
        assert_eq!(kept_by(&session, &format!("{variable} {AUTO} -c a.cpp")), 0, "{variable}");
    }
}

/// What is built to be debugged is built often. Its code is the same; debugging information tells less of what nobody uses.
#[test]
fn deep_builds_for_debugging_keep_it() {
    let session = session(&[("a.cpp", UNIT)]);
    let line = "aspen++ -g -fsycl-targets=native_cpu -c a.cpp";
    let code =
        |object: &str| session.ok(&format!("objcopy --only-section=.text --strip-debug -O binary {object} code; cksum < code")).stdout;
    both(&session, line);
    assert_eq!(kept_by(&session, line), 3);
    session.ok(&format!("{line} -fno-sycl-auto-pch -o text.o"));
    assert!(session.ok("objdump -h a.o").stdout.contains(".debug_line"));
    assert_eq!(code("a.o"), code("text.o"));
}

/// The order of SYCL's and C++'s headers says nothing about a unit; that of a library's tokens does.
#[test]
fn deep_units_that_a_library_makes_different_have_tags_of_their_own() {
    let library = "\
namespace { int run() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = FIRST - SECOND; }).wait();
  return *p;
} }
template <int A, int B> struct result { static int get() { return run(); } };
template struct result<FIRST, SECOND>;
";
    let unit = "#include <sycl/sycl.hpp>\n#include <lib.hpp>\n";
    let main = "#include <cstdio>\ntemplate <int, int> struct result { static int get(); };\n\
                int main() { std::printf(\"%d %d\", result<1, 2>::get(), result<2, 1>::get()); }\n";
    let session = session(&[("lib.hpp", library), ("unit.cpp", unit), ("main.cpp", main)]);
    session.ok("mkdir system; mv lib.hpp system");
    for (name, first, second) in [("first", "1", "2"), ("second", "2", "1")] {
        session.ok(&format!("{AUTO} -isystem system -DFIRST={first} -DSECOND={second} -c unit.cpp -o {name}.o"));
    }
    assert_eq!(session.ok(&format!("{AUTO} main.cpp first.o second.o -o program && ./program")).stdout, "-1 1");
}

#[test]
fn errors_and_changes() {
    let session =
        session(&[("a.cpp", "#include <sycl/sycl.hpp>\n"), ("bad.cpp", "\n#include <sycl/sycl.hpp>\nstd::vector<int &> v(1);\n")]);
    let bad = format!("{AUTO} -c bad.cpp");
    let good = format!("{AUTO} -c a.cpp");
    let text = session.bad(1, &bad, &["In file included from bad.cpp:2:\n"]).stderr;
    both(&session, &good);
    assert_eq!(kept_by(&session, &good), 3);
    assert_eq!(session.bad(1, &bad, &[]).stderr, text);
    assert_eq!(session.bad(1, &format!("{AUTO} -fsyntax-only bad.cpp"), &[]).stderr, text);
    // Who uses it notes that: what was not used for longest goes first.
    session.ok("for f in cache/headers/*.inputs; do touch -d '2 days ago' ${f%.inputs}; done");
    session.ok(&good);
    let used = session.ok("for f in cache/headers/*.inputs; do find ${f%.inputs} -mtime -1; done | wc -l");
    assert_eq!(used.stdout.trim(), "3");
    // A file that the header was made of is another one now.
    let touched = session.ok("for f in cache/headers/*.inputs; do sed -i.as-it-was '1s/^/1/' $f; done; ls cache/headers/*.inputs | wc -l");
    assert_eq!(touched.stdout.trim(), "3");
    assert_eq!(kept_by(&session, &good), 0);
    // What is kept is damaged: the text is read.
    session.ok("for f in cache/headers/*.inputs; do mv $f.as-it-was $f; echo damaged > ${f%.inputs}; done");
    assert_eq!(kept_by(&session, &good), 3);
    session.ok(&good);
    // A folder that others may write to is not trusted.
    session.ok("chmod 777 cache/headers");
    assert_eq!(kept_by(&session, &good), 0);
    let names: BTreeSet<String> = session
        .ok("chmod 700 cache/headers; aspen cache stat; aspen cache clear")
        .stdout
        .lines()
        .map(|line| line.trim().to_owned())
        .collect();
    assert!(names.iter().any(|line| line.starts_with("headers: 3 entries, ")), "{names:?}");
    assert!(names.iter().any(|line| line.contains("removed 3 entries")), "{names:?}");
}
