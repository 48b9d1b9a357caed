//! The plugin in every kind of clang run: what it reports, what it leaves alone, and how it fails. Source: ARCHITECTURE "The plugin's
//! arguments", DESIGN §4, §8.

use std::fs;

use crate::support::{Clang, Pass, plugin};

const WARNS: &str = "using sycl::aspect;
class K;
void boo(int *p) { double d = *p; *p = (int)(d * 2); }
[[sycl::device_has(aspect::fp16)]] void foo(int *p) {
  boo(p);
}
void host(int *p) { launch<K>([=]() { foo(p); }); }
";

#[test]
fn findings_without_a_report_are_text() {
    let outcome = Clang::new(Pass::Analysis).run(WARNS).good();
    let expected = "t.cpp:4:27: warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  foo()
  boo() t.cpp:6:3
t.cpp:5:3: note: aspects of 'foo' are declared here
";
    assert_eq!(outcome.stderr, expected);
    let host = Clang::new(Pass::Host).run(WARNS).good();
    assert_eq!(host.stderr, "");
}

#[test]
fn findings_with_a_report_are_in_it() {
    let outcome = Clang::new(Pass::Analysis).argument("report=report").run(WARNS).good();
    assert_eq!(outcome.stderr, "");
    let report = outcome.report.expect("a report");
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].function, "foo");
    let left: Vec<String> = fs::read_dir(outcome.folder.path())
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(left.iter().all(|name| !name.ends_with(".tmp")), "{left:?}");
}

#[test]
fn presumed_names_and_absolute_paths() {
    let outcome = Clang::new(Pass::Analysis).run(&WARNS.replacen("class K;", "class K;\n#line 100 \"generated.y\"", 1)).good();
    assert!(outcome.stderr.starts_with("generated.y:100:27: warning:"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("boo() generated.y:102:3\ngenerated.y:101:3: note:"), "{}", outcome.stderr);

    // Debug info splits a path that begins like the working directory; people see it whole.
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("part.hpp"), WARNS).expect("writable");
    let header = folder.path().join("part.hpp");
    let outcome = Clang::new(Pass::Analysis).run_in(folder, &format!("#include \"mini.hpp\"\n#include \"{}\"\n", header.display())).good();
    assert!(outcome.stderr.starts_with(&format!("{}:3:27: warning:", header.display())), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(&format!("boo() {}:5:3", header.display())), "{}\n{}", outcome.stderr, outcome.facts["files"]);
}

#[test]
fn pragmas_control_the_warning() {
    let function = |name: &str| format!("[[sycl::device_has()]] void {name}(int *p) {{ double d = *p; *p = (int)(d * 2); }}\n");
    let source = format!(
        "{}#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wsycl-aspects\"\n{}#pragma GCC diagnostic push\n\
         #pragma GCC diagnostic warning \"-Wsycl-aspects\"\n{}#pragma GCC diagnostic pop\n{}#pragma clang diagnostic pop\n{}\
         class K; void host(int *p) {{ launch<K>([=]() {{ before(p); quiet(p); loud(p); quiet_again(p); after(p); }}); }}\n",
        function("before"),
        function("quiet"),
        function("loud"),
        function("quiet_again"),
        function("after")
    );
    let warned = |outcome: &crate::support::Outcome| {
        let lines = outcome.stderr.lines().filter(|line| line.contains("warning: "));
        lines.map(|line| line.split('\'').nth(1).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(warned(&Clang::new(Pass::Analysis).run(&source).good()), ["before", "loud", "after"]);
    let host = Clang::new(Pass::Host).flag("-Wextra").run(&source).good();
    assert_eq!(host.stderr, "", "clang does not call the group unknown");
    // In a header, the state of the place of inclusion holds, and what a header changes lasts.
    let clang = Clang::new(Pass::Analysis).file("f.hpp", &function("inner"));
    let source = "#pragma clang diagnostic ignored \"-Wsycl-aspects\"\n#include \"f.hpp\"\nclass K; void host(int *p) { launch<K>([=]() { inner(p); }); }\n";
    assert_eq!(clang.run(source).good().stderr, "");
    let all = "#pragma clang diagnostic ignored \"-Weverything\"\n";
    assert_eq!(Clang::new(Pass::Analysis).run(&format!("{all}{WARNS}")).good().stderr, "");
    let error = Clang::new(Pass::Analysis).run(&format!("#pragma clang diagnostic error \"-Wsycl-aspects\"\n{WARNS}"));
    assert!(!error.success && error.stderr.contains("error: function 'foo' uses aspect 'fp64'"), "{}", error.stderr);
}

#[test]
fn other_pragmas_work_as_ever() {
    let source = "#pragma clang diagnostic push
#pragma clang diagnostic ignored \"-Wunused-variable\"
void f() { int quiet; }
#pragma clang diagnostic pop
void g() { int loud; }
#pragma clang diagnostic ignored \"-Wno-such-group\"
#pragma clang diagnostic nonsense
#pragma clang diagnostic pop
#pragma clang diagnostic error \"-Wunused-variable\"
void h() { int bad; }
";
    let with = Clang::new(Pass::Host).run(source);
    let without = Clang::new(Pass::Host).without_plugin().run(source);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().filter(|line| line.starts_with("t.cpp")).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&with.stderr), sorted(&without.stderr));
    assert_eq!(sorted(&with.stderr).len(), 5, "{}", with.stderr);
}

/// Uses much of the standard library, and constructs that the token stage must not mistake for ours.
const PLAIN: &str = "#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <thread>
#include <vector>
#pragma pack(push, 1)
struct packed { char c; int i; };
#pragma pack(pop)
[[nodiscard]] [[gnu::noinline]] static int f(int x) noexcept { if (x > 1) [[likely]] return x; return 0; }
struct S { explicit operator bool() const { return true; } int operator()(int i) const { return i; } };
template <class... T> auto sum(T... t) { return (t + ...); }
int array[3] = {1, 2, 3};
int main(int argc, char **argv) {
  std::map<std::string, std::vector<int>> m;
  std::regex r(\"a+\");
  auto l = [=](int i) mutable -> int { return i + argc; };
  m[argv[0]].push_back(array[([&] { return l(1) > 0; })()]);
#pragma clang loop unroll(disable)
  for (int i = 0; i < argc; ++i) std::cout << f(i) << sum(i, 2, 3) << sizeof(packed) << S()(i) << '\\n';
  std::thread([&] { std::sort(std::begin(array), std::end(array)); }).join();
}
";

#[test]
fn plain_cpp_is_untouched() {
    for flags in [["-O0", "-g"], ["-O2", "-fopenmp"]] {
        let with = Clang::new(Pass::Host).flags(&flags).run_exactly(PLAIN).good();
        let without = Clang::new(Pass::Host).flags(&flags).without_plugin().run_exactly(PLAIN).good();
        assert_eq!(with.stderr, without.stderr);
        // The working directory is a new one each time.
        let neutral = |outcome: &crate::support::Outcome| outcome.ir.replace(&outcome.folder.path().display().to_string(), "DIR");
        assert!(neutral(&with) == neutral(&without), "the host IR differs");
        assert!(with.ir.len() > 100_000);
    }
}

#[test]
fn annotations_of_others_stay() {
    let source = "[[clang::annotate(\"mine\", 7), sycl::device_has(sycl::aspect::gpu)]] int f() { return 1; }\n";
    for pass in [Pass::Host, Pass::Code] {
        let ir = Clang::new(pass)
            .flags(if pass == Pass::Code { &["-DE=[[clang::sycl_external]]"] } else { &["-DE="] })
            .run(&format!("E {source}"))
            .good()
            .ir;
        assert!(ir.contains("@llvm.global.annotations = appending global [1 x") && ir.contains("c\"mine\\00\""), "{ir}");
        assert!(!ir.contains("aspen"), "{ir}");
    }
    // What is no device code takes its annotations with it.
    let ir =
        Clang::new(Pass::Code).run("struct S { virtual int f(); };\n[[clang::annotate(\"mine\")]] int S::f() { return 1; }\n").good().ir;
    assert!(!ir.contains("mine") && !ir.contains("annotations"), "{ir}");
}

#[test]
fn runs_without_code_generation() {
    for output in [["-fsyntax-only"].as_slice(), &["-E", "-o", "out.ii"], &["-M", "-MF", "out.d"]] {
        for pass in [Pass::Host, Pass::Analysis, Pass::Code] {
            let outcome = Clang::new(pass).argument("report=report").output(output).run(WARNS).good();
            assert_eq!(outcome.stderr, "");
            assert_eq!(outcome.report.map(|report| report.launches.len()), (output[0] == "-fsyntax-only").then_some(1));
        }
    }
}

#[test]
fn runs_at_every_level_and_without_passes() {
    for flags in [["-O0", "-g"].as_slice(), &["-O3"], &["-Xclang", "-disable-llvm-passes"]] {
        let outcome = Clang::new(Pass::Analysis).flags(flags).run(WARNS).good();
        assert!(outcome.stderr.contains("function 'foo' uses aspect 'fp64'"), "{flags:?}: {}", outcome.stderr);
        assert!(outcome.ir.contains("!intel_used_aspects"), "{flags:?}");
    }
    let outcome = Clang::new(Pass::Analysis).argument("dialect=dpcpp").run(WARNS).good();
    assert!(outcome.ir.contains("!sycl_used_aspects") && !outcome.ir.contains("!intel_"), "{}", outcome.ir);
}

#[test]
fn precompiled_headers() {
    // clang's driver makes no precompiled header for SPIR-V.
    for pass in [Pass::Host, Pass::Code] {
        let header = format!("#include \"mini.hpp\"\n{}", WARNS.replace("void host", "inline void from_header"));
        let make = Clang::new(pass).file("pre.hpp", &header).input("pre.hpp").output(&["-x", "c++-header", "-o", "t.pch"]);
        let made = make.run("").good();
        let source = "class L; void host(int *p) { launch<L>([=]() [[sycl::device_has()]] { boo(p); }); from_header(p); }\n";
        let used = Clang::new(pass).flags(&["-include-pch", "t.pch"]).argument("report=report").run_in(made.folder, source).good();
        let report = used.report.expect("a report");
        let mut names: Vec<&str> = report.launches.iter().map(|launch| launch.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["K", "L"]);
    }
}

#[test]
fn modules() {
    let module = "module;\n#include <cstddef>\nexport module m;\nexport inline std::size_t twice(std::size_t x) { return 2 * x; }\n";
    let make = Clang::new(Pass::Host).flag("-std=c++20").file("m.cppm", module).input("m.cppm").output(&["--precompile", "-o", "m.pcm"]);
    let made = make.run("").good();
    let source =
        "import m;\nint use() { return twice(2); }\n[[sycl::device_has()]] void f() {}\nvoid g() { []() [[sycl::device_has()]] {}(); }\n";
    let used = Clang::new(Pass::Host).flags(&["-std=c++20", "-fmodule-file=m=m.pcm"]).run_in(made.folder, source).good();
    assert_eq!(used.stderr, "");
}

/// Attributes are edited in a module's own file, too, behind its declarations, and an `import` that is none is no obstacle to the rest.
#[test]
fn attributes_of_module_units() {
    let source = "module;\n#include <cstddef>\nexport module m;\nint import = 3;\n\
                  export void g() [[sycl::device_has()]];\ntemplate <int... N> [[sycl::reqd_work_group_size(N...)]] void h() {}\n";
    for pass in [Pass::Host, Pass::Analysis, Pass::Code] {
        let made =
            Clang::new(pass).flag("-std=c++20").file("m.cppm", source).input("m.cppm").output(&["--precompile", "-o", "m.pcm"]).run("");
        assert!(made.success, "{}", made.stderr);
    }
}

#[test]
fn wrong_arguments_and_lost_reports_stop_the_compile() {
    let outcome = Clang::new(Pass::Host).argument("pass=device").run("");
    assert!(!outcome.success && outcome.stderr.contains("invalid argument 'pass=device' to the plugin 'aspen'"), "{}", outcome.stderr);
    for pass in [Pass::Host, Pass::Analysis, Pass::Code] {
        let outcome = Clang::new(pass).argument("report=nowhere/report").run(WARNS);
        assert!(!outcome.success, "a report that cannot be written is an error");
        assert!(outcome.stderr.contains("error: cannot write the report 'nowhere/report': "), "{}", outcome.stderr);
        assert_eq!(outcome.ir, "", "no output is left");
    }
    assert!(plugin().is_file());
}
