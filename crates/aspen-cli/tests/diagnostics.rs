//! What the user reads: aspect warnings of all passes once, errors of the user's code once and as clang shows them.

mod common;

use common::{Session, TWO_KERNELS};

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
fn errors_of_the_users_code_are_shown_once() {
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
        "split.cpp:7:24: kernel 'plain' of 'split.cpp' has a closure of 16 bytes on the host but of 8 bytes on spir64",
        "__SYCL_DEVICE_ONLY__",
    ];
    session.bad(1, "aspen++ split.cpp -o no", &needles);
    assert!(!session.exists("no"));
}
