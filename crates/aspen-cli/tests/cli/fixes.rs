//! Where warnings stay silent, and what they offer to insert.

use crate::common::Session;

/// A user's function is warned about wherever the use lies; a system header's own attribute only on request. Source: DESIGN §4.
#[test]
fn system_headers_are_silent_unless_asked() {
    let header = "inline void lib_double(float f) { double d = f; (void)d; }\n\
                  [[sycl::device_has(sycl::aspect::fp16)]] inline void lib_wrong(float f) { double d = f; (void)d; }\n";
    let source = "#include <sycl/sycl.hpp>\n#include <lib.h>\n\
                  [[sycl::device_has(sycl::aspect::gpu)]] void user() { lib_double(1); }\n\
                  class k;\nvoid host(sycl::queue &q) { q.single_task<k>([=]() { user(); lib_wrong(2); }); }\n";
    let session = Session::new(&[("use.cpp", source)]);
    session.ok("mkdir inc");
    std::fs::write(session.path("inc/lib.h"), header).expect("writable");
    let warned = |flags: &str| {
        let said = session.ok(&format!("aspen++ {flags} -c use.cpp")).stderr;
        ["user", "lib_wrong"].map(|name| said.matches(&format!("warning: function '{name}' uses aspect 'fp64'")).count())
    };
    assert_eq!(warned("-isystem inc"), [1, 0]);
    assert_eq!(warned("-isystem inc -Wsystem-headers"), [1, 1]);
    assert_eq!(warned("-I inc"), [1, 1]);
}

/// Text, JSON and SARIF offer the same; a macro's text is not touched.
#[test]
fn the_missing_aspect_is_offered() {
    let source = "#include <sycl/sycl.hpp>\n#define DOUBLE(x) double d = x\nvoid boo(float f) { DOUBLE(f); }\n\
                  [[sycl::device_has(sycl::aspect::fp16,\n                   sycl::aspect::gpu)]]\nvoid foo() { boo(1); }\n\
                  #define HAS [[sycl::device_has()]]\nHAS void m() { boo(2); }\n\
                  class k;\nvoid host(sycl::queue &q) { q.single_task<k>([=]() { foo(); m(); }); }\n";
    let session = Session::new(&[("a.cpp", source)]);
    let text = session.ok("aspen++ -c a.cpp").stderr;
    let expected = "\
a.cpp:3:21: warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
    3 | void boo(float f) { DOUBLE(f); }
      |                     ^
use is from this call chain:
  foo()
  boo() a.cpp:6:14
a.cpp:4:3: note: aspects of 'foo' are declared here
    4 | [[sycl::device_has(sycl::aspect::fp16,
      |   ^
    5 |                    sycl::aspect::gpu)]]
      |                                     , sycl::aspect::fp64
a.cpp:3:21: warning: function 'm' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
    3 | void boo(float f) { DOUBLE(f); }
      |                     ^
use is from this call chain:
  m()
  boo() a.cpp:8:16
a.cpp:8:1: note: aspects of 'm' are declared here
    8 | HAS void m() { boo(2); }
      | ^
";
    assert_eq!(text, expected);
    let read = |format: &str| -> serde_json::Value {
        let said = session.ok(&format!("aspen++ -fdiagnostics-format={format} -c a.cpp")).stderr;
        serde_json::from_str(&said).expect("one document")
    };
    let json = read("json");
    let fix = serde_json::json!({ "file": "a.cpp", "line": 5, "column": 37, "insert": ", sycl::aspect::fp64" });
    assert_eq!((&json["diagnostics"][0]["fix"], &json["diagnostics"][1]["fix"]), (&fix, &serde_json::Value::Null));
    let results = &read("sarif")["runs"][0]["results"];
    let replacement = &results[0]["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], ", sycl::aspect::fp64");
    let region = serde_json::json!({ "startLine": 5, "startColumn": 37, "endLine": 5, "endColumn": 37 });
    assert_eq!((&replacement["deletedRegion"], &results[1]["fixes"]), (&region, &serde_json::Value::Null));
}
