//! What the user reads: aspect warnings of all passes once, errors of the user's code once and as clang shows them.

use crate::common::{Session, TWO_KERNELS};

const DECORATED: &str = "\
#include <sycl/sycl.hpp>
[[sycl::device_has(sycl::aspect::fp16)]] void f() { volatile float a = 1; volatile double d = a; }
class k;
void host(sycl::queue &q) { q.single_task<k>([=]() { f(); }); }
";

#[test]
fn the_warning_in_all_formats() {
    let session = Session::new(&[("w.cpp", DECORATED)]);
    let text = session.ok("aspen++ -c w.cpp -o w.o").stderr;
    let line = DECORATED.lines().nth(1).expect("two lines");
    let expected = format!(
        "w.cpp:2:91: warning: function 'f' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]\n    2 | {line}\n      | {}^\n\
         use is from this call chain:\n  f()\nw.cpp:2:3: note: aspects of 'f' are declared here\n    2 | {line}\n      |   ^\n      | {}, sycl::aspect::fp64\n",
        " ".repeat(90),
        " ".repeat(37)
    );
    assert_eq!(text, expected);
    let json: serde_json::Value =
        serde_json::from_str(&session.ok("aspen++ -fdiagnostics-format=json -c w.cpp -o w.o").stderr).expect("JSON");
    assert_eq!(json["diagnostics"][0]["place"], serde_json::json!({ "file": "w.cpp", "line": 2, "column": 91 }));
    let sarif: serde_json::Value =
        serde_json::from_str(&session.ok("aspen++ -fdiagnostics-format=sarif -c w.cpp -o w.o").stderr).expect("SARIF");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "sycl-aspects");
    assert_eq!(session.ok("aspen++ -Wno-sycl-aspects -c w.cpp -o w.o").stderr, "");
    session.bad(1, "aspen++ -Werror -c w.cpp -o no.o", &["error: function 'f' uses aspect 'fp64'", "[-Werror,-Wsycl-aspects]"]);
    assert!(!session.exists("no.o"));
}

#[test]
fn deep_errors_of_the_users_code_are_shown_once() {
    let host = TWO_KERNELS.replace("p[0] = 7", "p[0] = nothing_known");
    let device = TWO_KERNELS.replace("p[0] = 7;", "\n#ifdef __SYCL_DEVICE_ONLY__\n  only_device;\n#endif\n");
    let session = Session::new(&[("host.cpp", &host), ("device.cpp", &device), ("warn.cpp", "int f() { int unused; return 0; }\n")]);
    for (file, place) in
        [("host", "host.cpp:7:39: error: use of undeclared identifier 'nothing_known'"), ("device", "device.cpp:9:3: error: ")]
    {
        let said = session.bad(1, &format!("aspen++ -c {file}.cpp -o no.o"), &[place]);
        assert_eq!(said.stderr.matches(": error:").count(), 1, "{}", said.stderr);
    }
    assert!(!session.exists("no.o"));
    let said = session.ok("aspen++ -Wall -c warn.cpp");
    assert_eq!(said.stderr.matches("warn.cpp:1:15: warning: unused variable 'unused'").count(), 1, "{}", said.stderr);
    session.bad(1, "aspen++ -Wall -Werror -c warn.cpp -o no.o", &["[-Werror,-Wunused-variable]"]);
    // With several sources all are looked at.
    session.bad(1, "aspen++ -c host.cpp device.cpp", &["host.cpp:7:39", "device.cpp:9:3"]);
}

#[test]
fn host_and_device_that_do_not_agree() {
    let split = TWO_KERNELS.replace("p[0] = 7;", "\n#ifdef __SYCL_DEVICE_ONLY__\n  p[0] = 7;\n#else\n  p[0] = 7; (void)q2;\n#endif\n");
    let split = split.replace("sycl::queue q;", "sycl::queue q; long q2 = 1;");
    let session = Session::new(&[("split.cpp", &split)]);
    let needles = [
        "split.cpp:7:24: error: kernel 'plain' of 'split.cpp' has a closure of 16 bytes on the host but of 8 bytes on native_cpu, spir64; ",
        "__SYCL_DEVICE_ONLY__",
    ];
    session.bad(1, "aspen++ split.cpp -o no", &needles);
    assert!(!session.exists("no"));
}

/// What is said of a program whose `main` holds these lines, without the snippets.
fn said_of(lines: &str) -> Vec<String> {
    let session = Session::new(&[("u.cpp", &format!("#include <sycl/sycl.hpp>\nint main() {{\n{lines}\n}}\n"))]);
    let stderr = session.bad(1, "aspen++ -c u.cpp -o no.o", &[]).stderr;
    let said = stderr.lines().filter(|line| ["error: ", "warning: ", "note: "].iter().any(|word| line.contains(word)));
    said.map(str::to_owned).collect()
}

#[test]
fn errors_inside_the_headers_are_the_users() {
    let asserts = "error: static assertion failed";
    are_the_users(&[
        ("sycl::queue q;\nq.single_task([=](int) {});", &[("4:3: ", asserts), ("handler.hpp", "note: ")]),
        ("sycl::buffer<int, 4> b{sycl::range<3>(1, 1, 1)};", &[("3:22: ", asserts), ("buffer.hpp", "note: ")]),
        // Clang names neither the name nor the first kernel.
        (
            "sycl::queue q;\nstruct F { void operator()() const {} };\nq.single_task<class twice>(F{});\nq.single_task<class twice>([=] {});",
            &[
                ("6:3: ", "error: two kernels of this file have the name 'twice'; each needs a name"),
                ("4:8: ", "note: the other one is here"),
            ],
        ),
    ]);
}

#[test]
fn deep_errors_inside_the_headers_are_the_users() {
    let asserts = "error: static assertion failed";
    are_the_users(&[
        (
            "sycl::queue q;\nq.parallel_for(sycl::range(8, 8), [=](sycl::id<1>) {});\nq.parallel_for(sycl::nd_range<1>(8, 8), [](sycl::id<2>) {});",
            &[("4:3: ", asserts), ("handler.hpp", "note: "), ("5:3: ", asserts), ("handler.hpp", "note: ")],
        ),
        // What follows from an assertion, and what is said twice of one place, is not shown.
        (
            "float f = sycl::bit_cast<float>(1.0);\nfloat g = sycl::bit_cast<float>(1l);",
            &[("3:17: ", asserts), ("bit_cast.hpp", "note: "), ("4:17: ", asserts), ("bit_cast.hpp", "note: ")],
        ),
        (
            "sycl::queue q;\nq.parallel_for<class again>(sycl::range(8), [=](sycl::id<1>) {});\n\
             q.parallel_for<class again>(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1>) {});",
            &[
                ("5:3: ", "error: two kernels of this file have the name 'again'; each needs a name"),
                ("4:45: ", "note: the other one is here"),
            ],
        ),
        // Of one function object, once with properties.
        (
            "sycl::queue q;\nstruct F { void operator()(sycl::nd_item<1>) const {} };\nq.parallel_for<class twice>(sycl::nd_range<1>(8, 4), F{});\n\
             namespace ex = sycl::ext::oneapi::experimental;\n\
             q.parallel_for<class twice>(sycl::nd_range<1>(8, 4), ex::properties{ex::sub_group_size<8>}, F{});",
            &[
                ("7:3: ", "error: two kernels of this file have the name 'twice'; each needs a name"),
                ("4:8: ", "note: the other one is here"),
            ],
        ),
        // The innermost of the user's places; the others follow.
        (
            "struct one { one &operator=(const one &) = delete; one(const one &) = default; int v; };\n\
             auto make = [](auto x) { return sycl::vec<decltype(x), 2>(x); };\nmake(one{1});",
            &[
                ("4:33: ", "error: overload resolution selected deleted operator '='"),
                ("vec.hpp", "note: "),
                ("5:5: ", "note: in instantiation of"),
                ("3:19: ", "note: candidate function has been explicitly deleted"),
            ],
        ),
    ]);
}

/// Each text must be refused by these errors and notes, and no others; places that end in a space are the text's.
fn are_the_users(rows: &[(&str, &[(&str, &str)])]) {
    for &(lines, expected) in rows {
        let said = said_of(lines);
        let holds = said.len() == expected.len()
            && said.iter().zip(expected).all(|(said, (place, words))| {
                let is_users = place.ends_with(' ');
                said.contains(words) && if is_users { said.starts_with(&format!("u.cpp:{place}")) } else { said.contains(place) }
            });
        assert!(holds, "{lines}\nsaid:     {said:#?}\nexpected: {expected:#?}");
    }
}

#[test]
fn deep_documents_have_clangs_findings_too() {
    let session = Session::new(&[
        ("u.cpp", "#include <sycl/sycl.hpp>\nint main() { int unused; }\n"),
        ("e.cpp", "#include <sycl/sycl.hpp>\nint main() { return x; }\n"),
        ("h.hpp", "#pragma once\n#include <sycl/sycl.hpp>\ninline void f(sycl::queue q) { q.single_task([] {}); }\n"),
    ]);
    let document = |said: crate::common::Said| serde_json::from_str::<serde_json::Value>(&said.stderr).expect("one document");
    let json = document(session.ok("aspen++ -Wall -fdiagnostics-format=json -c u.cpp"));
    let found = &json["diagnostics"];
    assert_eq!((&found[0]["group"], &found[0]["place"]["line"]), (&"unused-variable".into(), &2.into()));
    assert!(found[1].is_null());
    let sarif = document(session.bad(1, "aspen++ -fdiagnostics-format=sarif -c e.cpp", &[]));
    let results = &sarif["runs"][0]["results"];
    assert_eq!((&results[0]["level"], &results[0]["message"]["text"]), (&"error".into(), &"use of undeclared identifier 'x'".into()));
    // Words of the linker stand before the document, which says that it failed.
    let said =
        session.bad(1, "echo 'int g(); int main() { return g(); }' | aspen++ -fdiagnostics-format=json -x c++ - -o no", &["undefined"]);
    let last: serde_json::Value = serde_json::from_str(said.stderr.lines().last().unwrap_or_default()).expect("a document");
    assert_eq!(last["diagnostics"][0]["severity"], "error");
    // A header that is only looked at is read as sources are, without any word.
    assert_eq!(session.ok("aspen++ -fsyntax-only h.hpp").stderr, "");
}
