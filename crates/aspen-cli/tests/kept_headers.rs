//! SYCL's header is precompiled by itself, and nobody can tell but by the clock.

mod common;

use std::collections::BTreeSet;

use common::Session;

const UNIT: &str = "\
// A comment.
#include <iostream>
#include <sys/time.h>
#define HOW_MANY_OF_THEM 4
#include <sycl/sycl.hpp>
#include <thread>
[[sycl::device_has(sycl::aspect::fp16)]] void uses_double(double *p) { *p = 2 * *p; }
int main() {
  sycl::queue q;
  auto *p = sycl::malloc_shared<double>(HOW_MANY_OF_THEM, q);
  q.parallel_for(HOW_MANY_OF_THEM, [=](auto i) { uses_double(p + i); });
  q.parallel_for(HOW_MANY_OF_THEM, [=](auto i) { p[i] += sycl::half(float(i)); });
  q.wait();
  std::cout << p[0] << std::endl;
}
";

/// A session with a cache of its own.
fn session(files: &[(&str, &str)]) -> Session {
    let mut session = Session::new(files);
    session.environment.push(("ASPEN_CACHE_DIR", session.path("cache").display().to_string()));
    session
}

/// How many passes of a command line read the header precompiled.
fn kept_by(session: &Session, line: &str) -> usize {
    session.ok(&format!("{line} -v")).stderr.matches("-Xclang -include-pch -Xclang ").count()
}

/// Compiles until the header is kept; what `-c` said and made, as text and with the header kept.
fn both(session: &Session, line: &str) -> [(String, Vec<u8>); 2] {
    let run = || (session.ok(line).stderr, session.read("a.o"));
    let first = run();
    for _ in 0..3 {
        run();
    }
    [first, run()]
}

#[test]
fn objects_are_the_same_byte_for_byte() {
    for options in ["-fsycl-targets=native_cpu,intel_gpu_pvc", "-O1 -gline-tables-only -DHOW_MANY_OTHERS=1 -Wall -std=c++20"] {
        let session = session(&[("a.cpp", UNIT)]);
        let line = format!("aspen++ -c a.cpp -MD {options}");
        let [text, kept] = both(&session, &line);
        assert!(text.0.contains("uses aspect 'fp64' not listed"), "{}", text.0);
        assert_eq!(text.0, kept.0);
        assert!(text.1 == kept.1, "{options}: the objects differ");
        assert!(kept_by(&session, &line) >= 3, "{options}");
        let dependencies = String::from_utf8(session.read("a.d")).expect("text");
        assert!(dependencies.contains("sycl/sycl.hpp") && !dependencies.contains("cache/"), "{dependencies}");
        assert_eq!(kept_by(&session, &format!("{line} -fno-sycl-auto-pch")), 0);
    }
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
        ("d.cpp", "#include \"own/vector\"\n#include <sycl/sycl.hpp>\n"),
    ]);
    session.ok("mkdir own empty; mv vector own");
    both(&session, "aspen++ -c a.cpp");
    assert_eq!(kept_by(&session, "aspen++ -c a.cpp"), 3);
    assert_eq!(kept_by(&session, "aspen++ -c a.cpp -DUNHEARD_OF=1 -Wextra -Iempty"), 3);
    for line in [
        "aspen++ -c b.cpp -Iown",
        "CPATH=own aspen++ -c b.cpp",
        "aspen++ -c c.cpp",
        "aspen++ -c d.cpp",
        "aspen++ -c a.cpp -DNDEBUG",
        "aspen++ -c a.cpp -D NDEBUG",
        "aspen++ -c a.cpp -include own/vector",
        "ASPEN_CACHE=0 aspen++ -c a.cpp",
        "aspen++ -c -g a.cpp",
        "aspen++ -fsyntax-only a.cpp",
        "aspen++ -c -x c++ - < a.cpp",
    ] {
        assert_eq!(kept_by(&session, line), 0, "{line}");
    }
}

#[test]
fn errors_and_changes() {
    let session =
        session(&[("a.cpp", "#include <sycl/sycl.hpp>\n"), ("bad.cpp", "\n#include <sycl/sycl.hpp>\nstd::vector<int &> v(1);\n")]);
    // Clang repeats how it came to a header where that is another file than before.
    let errors =
        |said: &str| said.lines().filter(|line| !line.starts_with("In file included from /")).map(str::to_owned).collect::<BTreeSet<_>>();
    let text = errors(&session.bad(1, "aspen++ -c bad.cpp", &["In file included from bad.cpp:2:\n"]).stderr);
    both(&session, "aspen++ -c a.cpp");
    assert_eq!(kept_by(&session, "aspen++ -c a.cpp"), 3);
    let kept = session.bad(1, "aspen++ -c bad.cpp", &["In file included from bad.cpp:2:\n"]).stderr;
    assert_eq!(errors(&kept), text);
    assert!(!kept.contains("cache/headers"), "{kept}");
    // A file that the header was made of is another one now.
    let touched = session.ok("for f in cache/headers/*.inputs; do sed -i '1s/^/1/' $f; done; ls cache/headers/*.inputs | wc -l");
    assert_eq!(touched.stdout.trim(), "3");
    assert_eq!(kept_by(&session, "aspen++ -c a.cpp"), 3, "made again at once, since it was asked for often enough");
    // A folder that others may write to is not trusted.
    session.ok("chmod 777 cache/headers");
    assert_eq!(kept_by(&session, "aspen++ -c a.cpp"), 0);
    let stat = session.ok("chmod 700 cache/headers; aspen cache stat; aspen cache clear; ls cache/headers");
    assert!(stat.stdout.contains("  headers: 3 entries, "), "{}", stat.stdout);
    assert!(stat.stdout.contains("removed 3 entries"), "{}", stat.stdout);
}
