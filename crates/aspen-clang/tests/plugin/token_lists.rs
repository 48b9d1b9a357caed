//! Only the surroundings of our attributes go through a list of tokens (plugin/Tokens.cpp), so attributes must be found wherever and in
//! whatever way they are written, and parsing must not notice where a list begins, also in the middle of what the parser reads twice.

use crate::support::{Clang, Outcome, Pass, declared};

fn compile(source: &str) -> Outcome {
    Clang::new(Pass::Analysis).argument("report=report").run(source)
}

fn comment(length: usize) -> String {
    format!("/*{}*/\n", ".".repeat(length))
}

/// Far from everything that a search of the text could hold on to.
#[test]
fn attributes_that_macros_make_are_found() {
    let far = comment(20_000);
    let mut cases: Vec<(String, Clang)> = [
        format!("#define NEEDS [[sycl::device_has(sycl::aspect::fp64)]]\n{far}SYCL_EXTERNAL void f() NEEDS {{}}"),
        format!("#define NEEDS(a) [[sycl::device_has(sycl::aspect::a)]]\n{far}SYCL_EXTERNAL void f() NEEDS(fp64) {{}}"),
        format!("#define A B\n#define B C(fp64)\n#define C(a) [[sycl::device_has(sycl::aspect::a)]]\n{far}SYCL_EXTERNAL void f() A {{}}"),
        format!("#define C(a) [[sycl::device_has(sycl::aspect::a)]]\n#define B C(fp64)\n#define A B\n{far}SYCL_EXTERNAL void f() A {{}}"),
        format!("#define ATTRIBUTE(x) [[sycl::x(sycl::aspect::fp64)]]\n{far}SYCL_EXTERNAL void f() ATTRIBUTE(device_has) {{}}"),
        format!("#define HAS device_has\n{far}SYCL_EXTERNAL void f() [[sycl::HAS(sycl::aspect::fp64)]] {{}}"),
        format!("#define REQ requires\n{far}SYCL_EXTERNAL void f() [[sycl::requires(sycl::aspect::fp64)]] {{}}"),
        format!("{far}SYCL_EXTERNAL void f() [[using sycl: reqd_sub_group_size(8), requires(sycl::aspect::fp64)]] {{}}"),
        format!("{far}SYCL_EXTERNAL void f() [[sycl:: /* so */ requires(sycl::aspect::fp64)]] {{}}"),
        format!("{far}SYCL_EXTERNAL void f() [[__sycl__::__requires__(sycl::aspect::fp64)]] {{}}"),
        // The arguments of a macro come out together, and in another order.
        format!("#define SAY(...) __VA_ARGS__\n#define BACK(b, a) a b\n{far}SAY({far} BACK([[sycl::device_has(sycl::aspect::fp64)]] {{}}, SYCL_EXTERNAL void f()))"),
        format!("#define SAY(...) __VA_ARGS__\n{far}SAY({far} SYCL_EXTERNAL void g(int x) {{ }} {far} SYCL_EXTERNAL void f() [[sycl::device_has(sycl::aspect::fp64)]] {{}})"),
        // Directives, files and other lists on the way.
        format!("SYCL_EXTERNAL void f()\n#if 1\n#pragma clang diagnostic push\n#pragma clang diagnostic pop\n#define X\n[[sycl::device_has(sycl::aspect::fp64)]]\n#endif\n{far}{{}}"),
        format!("{far}SYCL_EXTERNAL void f(int, {}) [[sycl::device_has(sycl::aspect::fp64)]] {{}}", vec!["int"; 500].join(", ")),
    ]
    .map(|source| (source, Clang::new(Pass::Analysis)))
    .into_iter()
    .collect();
    let with_file = |name: &str, content: &str| Clang::new(Pass::Analysis).file(name, content);
    cases.extend([
        (
            format!("#include \"m.hpp\"\n{far}SYCL_EXTERNAL void f() NEEDS {{}}"),
            with_file("m.hpp", "#define NEEDS [[sycl::device_has(sycl::aspect::fp64)]]\n"),
        ),
        (format!("{far}#include \"f.hpp\"\n"), with_file("f.hpp", "SYCL_EXTERNAL void f() [[sycl::device_has(sycl::aspect::fp64)]] {}")),
        (
            format!("{far}SYCL_EXTERNAL void f() GIVEN {{}}"),
            Clang::new(Pass::Analysis).flag("-DGIVEN=[[sycl::device_has(sycl::aspect::fp64)]]"),
        ),
        (
            format!("{far}SYCL_EXTERNAL void f() NEEDS {{}}"),
            with_file("forced.hpp", "#define NEEDS [[sycl::device_has(sycl::aspect::fp64)]]\n").flags(&["-include", "forced.hpp"]),
        ),
    ]);
    for (source, clang) in cases {
        let shown = source.replace(&far, "/* far */ ");
        let outcome = clang.argument("report=report").run(&source);
        assert!(outcome.success, "{shown}\n{}", outcome.stderr);
        assert_eq!(declared(outcome.function("f")).as_deref(), Some([6].as_slice()), "{shown}");
    }
}

/// Nothing is lost silently.
#[test]
fn attributes_that_no_search_finds_are_errors() {
    let far = comment(20_000);
    for source in [
        // The parser has read the parameter list when the attribute comes into sight.
        "SYCL_EXTERNAL void f()\n#include \"m.hpp\"\nNEEDS {}",
        "#define JOIN(a, b) a##b\n#define HAS(x) [[sycl::JOIN(device, _has)(x)]]\n/*far*/SYCL_EXTERNAL HAS((sycl::aspect::fp64)) void f() {}",
        "/*far*/[[sycl::device\\\n_has((sycl::aspect::fp64))]] SYCL_EXTERNAL void f() {}",
        "/*far*/SYCL_EXTERNAL void f() [[sycl::device\\\n_has(sycl::aspect::fp64)]] {}",
    ] {
        let clang = Clang::new(Pass::Analysis).file("m.hpp", "#define NEEDS [[sycl::device_has(sycl::aspect::fp64)]]\n");
        let outcome = clang.run(&source.replace("/*far*/", &far));
        assert!(!outcome.success && outcome.stderr.contains("error:"), "{source}\n{}", outcome.stderr);
    }
}

/// The parser tries what it reads as one thing, goes back and reads it as another, and looks ahead. Wherever in that a list begins, the
/// code means the same.
#[test]
fn a_list_may_begin_anywhere() {
    let code = "template <class T> struct B { template <class U> static T m(U u) { return (T)u; } T v; };
template <class T> T twice(T a, T b) { T (c)(a); T(d) = b; B<T> e{c}; return e.template m<int>(c < d ? (c) : (T)(d)) + [](auto x) { return x; }(a); }
SYCL_EXTERNAL int use(int a) { int (*p)(int, int) = &twice<int>; B<B<int>> n{{a}}; if (int b(a); b > (a)) a = b; for (int i(0); i < (a); ++i) a >>= 1;
return p(a, n.v.v) + B<int>::m<long>(3L) + sizeof(int(*)[3]) + (int)(a) - (a) * (a); }\n";
    let expected = compile(&format!("{code}SYCL_EXTERNAL void f(int) {{}}")).good();
    let ir = |outcome: &Outcome| {
        let lines =
            outcome.ir.lines().filter(|line| line.trim_start().starts_with(['%', 'r', 'b', 's', 'c']) && !line.starts_with("source"));
        lines.map(|line| line.split(", !dbg").next().unwrap_or(line).to_owned()).collect::<Vec<String>>()
    };
    // A list begins 4096 bytes before the name of the attribute.
    for back in (0..code.len() + 40).step_by(7) {
        let source = format!("{code}{}SYCL_EXTERNAL void f(int) [[sycl::device_has(sycl::aspect::fp64)]] {{}}", comment(4096 - 40 - back));
        let outcome = compile(&source);
        assert!(outcome.success, "{back} bytes back\n{}", outcome.stderr);
        assert_eq!(declared(outcome.function("_Z1fi")).as_deref(), Some([6].as_slice()), "{back} bytes back");
        assert_eq!(ir(&outcome), ir(&expected), "{back} bytes back");
    }
}
