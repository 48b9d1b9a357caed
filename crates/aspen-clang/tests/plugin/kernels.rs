//! Kernel entries: names, linkage, layouts, bodies, and that host and device agree about them. Source: DESIGN §7.15 to §7.18.

use crate::support::{Clang, Pass, place, text};
use aspen_analysis::PassReport;

/// The report of a pass over the source.
fn report(pass: Pass, source: &str) -> PassReport {
    Clang::new(pass).argument("report=report").run(source).good().report.expect("a report")
}

const KERNELS: &str =
    "namespace ns { template <class T, int N> class matmul; struct functor { int *p; char c; void operator()() const { *p = c; } }; }
class Plain;
namespace { class Hidden; struct Local {}; }
template <class T> void generic(int *p) { launch([=]() { *p = sizeof(T); }); }
static void internal(int *p) { launch([=]() { *p = 1; }); class K; launch<K>([=]() { *p = 5; }); }
inline void shared(int *p) { launch([=]() { *p = 2; }); }
void host(int *p, double d, short s) {
  launch<Plain>([=]() { *p = (int)d; });
  launch<ns::matmul<double, 4>>([=]() { *p = s; });
  launch<Hidden>([=]() { *p = 1; });
  launch(ns::functor{p, 'c'});
  launch([=]() { *p = 3; });
  class InFunction;
  launch<InFunction>([=]() { *p = 4; });
  launch<ns::matmul<Local, 1>>([=]() { *p = 6; });
  generic<int>(p); generic<Local>(p); internal(p); shared(p);
}
";

#[test]
fn host_and_device_agree() {
    let host = report(Pass::Host, KERNELS);
    assert_eq!(host.launches.len(), 12);
    for pass in [Pass::Analysis, Pass::Code] {
        let device = report(pass, KERNELS);
        assert_eq!(device.launches, host.launches);
        assert_eq!(device.tag, None);
        assert_eq!(device.summary.is_some(), pass == Pass::Analysis);
    }
    assert!(host.summary.is_none() && host.tag.is_some());
}

#[test]
fn names_places_and_linkage() {
    let host = report(Pass::Host, KERNELS);
    let found: Vec<(&str, String, bool)> = host
        .launches
        .iter()
        .map(|launch| (launch.name.as_str(), launch.place.as_ref().map_or(String::new(), ToString::to_string), launch.internal))
        .collect();
    let mut expected = [
        ("Plain", "t.cpp:9:17", false),
        ("ns::matmul<double, 4>", "t.cpp:10:33", false),
        ("(anonymous namespace)::Hidden", "t.cpp:11:18", true),
        ("ns::functor", "t.cpp:2:63", false),
        ("lambda at t.cpp:13:10", "t.cpp:13:10", false),
        ("InFunction", "t.cpp:15:22", false),
        ("ns::matmul<(anonymous namespace)::Local, 1>", "t.cpp:16:32", true),
        ("lambda at t.cpp:5:50", "t.cpp:5:50", false),
        ("lambda at t.cpp:5:50", "t.cpp:5:50", true),
        ("lambda at t.cpp:6:39", "t.cpp:6:39", true),
        ("K", "t.cpp:6:78", true),
        ("lambda at t.cpp:7:37", "t.cpp:7:37", false),
    ]
    .map(|(name, place, internal)| (name, place.to_owned(), internal));
    let mut found = found;
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn entries_merge_unless_internal() {
    for pass in [Pass::Analysis, Pass::Code] {
        let outcome = Clang::new(pass).run(KERNELS).good();
        let defined = |symbol: &str| {
            let line = outcome.ir.lines().find(|line| line.starts_with("define") && line.contains(&format!("@{symbol}(")));
            line.unwrap_or_else(|| panic!("no definition of {symbol} in\n{}", outcome.ir))
        };
        for kernel in outcome.facts["kernels"].as_array().expect("a list") {
            let line = defined(text(kernel, "symbol"));
            let internal = kernel["internal"].as_bool().expect("a bool");
            assert_eq!(line.starts_with("define weak_odr"), !internal, "{line}");
        }
    }
}

#[test]
fn sizes_and_layouts() {
    let of = |source: &str| {
        let report =
            report(Pass::Host, &format!("class K; void host(int *p, int i, unsigned u, short s, double d, float f) {{ {source} }}\n"));
        (report.launches[0].closure_size, report.launches[0].layout)
    };
    let capture = |list: &str| of(&format!("launch<K>([{list}]() {{ }});"));
    assert_eq!(capture("p, i").0, 16);
    assert_eq!(capture("p, i"), capture("q = p, k = i + 1"), "names do not matter");
    let base = capture("p, i");
    for other in ["i, p", "p, u", "p, f", "p, s", "p, i, u", "p, d"] {
        assert_ne!(base.1, capture(other).1, "[{other}]");
    }
    let one = of("struct A { int a; }; struct B : A { int b[2]; void operator()() const {} }; launch<K>(B{});");
    let two = of("struct A { int a; }; struct B : A { int b[3]; void operator()() const {} }; launch<K>(B{});");
    let three = of("struct A { float a; }; struct B : A { int b[2]; void operator()() const {} }; launch<K>(B{});");
    assert!(one.1 != two.1 && one.1 != three.1 && two.1 != three.1);
    assert_eq!((one.0, two.0), (12, 16));
}

#[test]
fn the_body_is_the_functors_operator() {
    let outcome = Clang::new(Pass::Analysis)
        .run(
            "struct Other { int operator()() const { return 1; } };
struct Both { int *p; int operator()(int) const { return 2; } [[sycl::device_has(sycl::aspect::gpu)]] void operator()() const { Other o; *p = o() + (*this)(1); } };
class Generic; class Nested;
void host(int *p) {
  launch(Both{p});
  launch_items<Generic>([=](auto item) { *p = item.id; });
  launch<Nested>([=]() { [=]() { *p = 1; }(); });
}",
        )
        .good();
    assert_eq!(outcome.kernel("Both")["body"], "_ZNK4BothclEv");
    assert_eq!(outcome.kernel("Generic")["body"], "_ZZ4hostPiENKUlT_E_clIN4sycl2v17nd_itemILi1EEEEEDaS0_");
    assert_eq!(text(outcome.body("Nested"), "name"), "Nested", "the kernel's lambda has the kernel's name");
    assert_eq!(place(outcome.kernel("Nested")), "t.cpp:8:18");
    assert_eq!(text(outcome.function("ENKUlvE_clEvENKUlvE_clEv"), "name"), "lambda at t.cpp:8:26", "another lambda has its own");
    assert_eq!(text(outcome.function("_ZNK4BothclEi"), "name"), "Both::operator()");
}

#[test]
fn the_tag_is_the_content() {
    let source = "const char *tag() { return __ASPEN_OBJECT_TAG__; }\nconst char *file() { return __FILE__; }\n";
    let compile = |clang: Clang, source: &str| {
        let outcome = clang.argument("report=report").run(source).good();
        let tag = outcome.report.and_then(|report| report.tag).expect("a host report has a tag");
        assert!(tag.len() == 16 && tag.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)), "{tag}");
        assert!(outcome.ir.contains(&format!("c\"{tag}\\00\"")), "the expression has the tag's value:\n{}", outcome.ir);
        tag
    };
    let tag = compile(Clang::new(Pass::Host), source);
    assert_eq!(tag, compile(Clang::new(Pass::Host), &format!("\n// a comment\n{source}")), "neither lines nor comments matter");
    assert_eq!(tag, compile(Clang::new(Pass::Host).flag("-fmacro-prefix-map=t.cpp=elsewhere/t.cpp"), source), "nor paths");
    assert_ne!(tag, compile(Clang::new(Pass::Host), &format!("{source}int x = 1;\n")));
    assert_ne!(
        compile(Clang::new(Pass::Host).flag("-DX=1"), &format!("{source}int x = X;")),
        compile(Clang::new(Pass::Host).flag("-DX=2"), &format!("{source}int x = X;"))
    );
    assert!(Clang::new(Pass::Analysis).run(source).success, "device passes know the name too");
    let without = Clang::new(Pass::Host).without_plugin().run(source);
    assert!(!without.success && without.stderr.contains("'__ASPEN_OBJECT_TAG__'"), "{}", without.stderr);
}

#[test]
fn a_functor_of_several_names_has_the_first_of_the_source() {
    let named = |launches: &str| {
        let source = format!(
            "class A; class B; class C; struct F {{ int *p; [[sycl::device_has()]] void operator()() const {{ *p = (int)(*p * 1.5); }} }};
template <class N> struct deep {{ static void run(F f) {{ launch<N>(f); }} }};
template <class N> void deeper(F f) {{ deep<N>::run(f); }}
void host(F f) {{ {launches} }}"
        );
        let outcome = Clang::new(Pass::Analysis).argument("report=report").run(&source).good();
        let report = outcome.report.expect("a report");
        assert_eq!(report.findings.len(), 1, "{launches}");
        let launches: Vec<String> = report.launches.iter().map(|launch| launch.name.clone()).collect();
        (report.findings[0].function.clone(), launches.concat())
    };
    for (launches, first, all) in [
        ("launch<A>(f); launch<B>(f);", "A", "AB"),
        ("launch<B>(f); launch<A>(f);", "B", "BA"),
        ("deeper<B>(f); launch<A>(f); deep<C>::run(f);", "B", "BAC"),
        ("launch<C>(f); deeper<B>(f); launch<A>(f);", "C", "CBA"),
        ("[&] { deep<C>::run(f); }(); launch<A>(f);", "C", "CA"),
        ("auto later = [=](auto x) { launch<C>(x); }; launch<B>(f); later(f);", "C", "CB"),
    ] {
        assert_eq!(named(launches), (first.to_owned(), all.to_owned()), "{launches}");
    }
}
