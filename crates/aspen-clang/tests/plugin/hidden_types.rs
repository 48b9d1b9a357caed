//! Marked classes that a module's layout hides: what holds one by value needs what it needs, at any nesting. Source: DESIGN §7.2.

use crate::support::{Clang, Pass};

/// Marked classes, each with an aspect of its own, and classes that hold them.
const TYPES: &str = "template <sycl::aspect A> struct [[sycl_detail::uses_aspects(A)]] marked { void go() const; };
using gpu = marked<sycl::aspect::gpu>;
struct [[sycl_detail::uses_aspects(sycl::aspect::fp16)]] full { int v; };
struct [[sycl_detail::uses_aspects(sycl::aspect::cpu)]] deep { int v; deep(const deep &); deep(); };
struct member { int x; gpu e; };
struct base : gpu { int x; };
struct second : member { int y; };
struct virtually : virtual base { int y; };
template <class T> struct box { [[no_unique_address]] T held; int x; };
union choice { gpu e; full f; long long words[4]; };
struct anonymous { union { int x; gpu e; }; };
struct array { gpu e[3]; int x; };
struct outer { box<box<choice>> inner; };
struct pointers { gpu *p; gpu &r; gpu **q; gpu (*f)(gpu); gpu base::*m; int x; static gpu s; static inline full t; };
struct nothing { int x; };
SYCL_EXTERNAL void keep(const void *);
inline void *operator new(decltype(sizeof 0), void *p) { return p; }
";

/// What the body of a decorated function with these parameters is warned about: `column: aspect`, in source order.
fn check(parameters: &str, body: &str, expected: &[&str]) {
    let line = format!("{body} }}");
    let source = format!("{TYPES}[[sycl::device_has()]] SYCL_EXTERNAL void tested({parameters})\n{{ {line}\n");
    let outcome = Clang::new(Pass::Analysis).argument("report=report").run(&source).good();
    let findings = outcome.report.expect("a report").findings;
    let mut found: Vec<String> = findings
        .iter()
        .filter(|finding| finding.function == "tested")
        .map(|finding| {
            let place = finding.place.as_ref().expect("a place");
            let line = source.lines().nth(place.line as usize - 2).expect("a line of the source");
            format!("{} at {}", finding.aspect, &line[place.column as usize - 1..])
        })
        .collect();
    found.sort();
    let holds = found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected));
    assert!(holds, "({parameters}) {body}\nfound:    {found:#?}\nexpected: {expected:#?}");
}

#[test]
fn variables_of_types_that_hold_a_marked_one() {
    for (held, aspects) in [
        ("gpu", &["gpu"][..]),
        ("member", &["gpu"]),
        ("base", &["gpu"]),
        ("second", &["gpu"]),
        ("virtually", &["gpu"]),
        ("box<gpu>", &["gpu"]),
        ("box<const gpu>", &["gpu"]),
        ("box<member>", &["gpu"]),
        ("choice", &["fp16", "gpu"]),
        ("anonymous", &["gpu"]),
        ("array", &["gpu"]),
        ("outer", &["fp16", "gpu"]),
        ("box<full>", &["fp16"]),
        ("nothing", &[]),
        ("box<nothing>", &[]),
        ("box<gpu *>", &[]),
        ("box<void (*)(gpu)>", &[]),
    ] {
        let expected: Vec<String> = aspects.iter().map(|aspect| format!("{aspect} at variable")).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check("", &format!("{held} variable{{}}; keep(&variable);"), &expected);
        check("", &format!("{held} variable[2][2]{{}}; keep(&variable);"), &expected);
    }
}

#[test]
fn parameters_and_results() {
    check("member x", "", &["gpu at x)"]);
    check("outer x", "", &["fp16 at x)", "gpu at x)"]);
    check("deep x", "", &["cpu at x)"]);
    check("box<deep> x", "", &["cpu at x)"]);
    check("member *x, gpu &y, const choice *z, gpu (*f)(member)", "keep(x), keep(&y), keep(z);", &[]);
    check("", "extern member make(); keep(&(const member &)make());", &["gpu at make()"]);
    check("", "extern void take(member); take(member{});", &["gpu at "]);
}

#[test]
fn accesses_that_leave_no_type() {
    check("member &x", "x.e.go();", &["gpu at e.go()"]);
    check("member &x", "keep(&x.e);", &["gpu at e)"]);
    check("member &x", "x.x = 1;", &["gpu at x = 1"]);
    check("choice &x", "keep(&x.words);", &["fp16 at words", "gpu at words"]);
    check("anonymous &x", "x.x = 1;", &["gpu at x = 1"]);
    check("outer &x", "x.inner.held.x = 1;", &["fp16 at inner", "gpu at inner"]);
    check("gpu &x, gpu &y", "x = y;", &["gpu at = y"]);
    check("full &x, full &y", "x = y;", &["fp16 at = y"]);
    check("choice *x, choice *y", "*x = *y;", &["fp16 at = *y", "gpu at = *y"]);
    check("void *p", "new (p) member;", &["gpu at new"]);
    check("void *p", "new (p) member *;", &[]);
    check("member *x, base *y, virtually &z", "keep(x + 1), keep((gpu *)y), keep(&z);", &["gpu at + 1"]);
    check("member *x", "keep(*&x), keep(&*x);", &[]);
    check("pointers &x", "keep(x.p), keep(&x.r), x.x = 1;", &[]);
}

#[test]
fn closures() {
    check("", "gpu e; [e] { e.go(); }();", &["gpu at e;"]);
    let inner = |lambda: &str, expected: &[&str]| {
        let source = format!("{TYPES}class K; void h(int *p, gpu e, choice c) {{\nlaunch<K>(\n{lambda}); }}\n");
        let outcome = Clang::new(Pass::Analysis).argument("report=report").run(&source).good();
        let used = outcome.used("K");
        let findings = outcome.report.expect("a report").findings;
        let found: Vec<&str> =
            findings.iter().map(|finding| &lambda[finding.place.as_ref().expect("a place").column as usize - 1..]).collect();
        let holds = found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected));
        assert!(holds, "{lambda}\nfound:    {found:#?}\nexpected: {expected:#?}");
        used
    };
    assert_eq!(inner("[=]() [[sycl::device_has()]] { e.go(); }", &["e.go()"]), [2]);
    assert_eq!(inner("[=]() [[sycl::device_has()]] { *p = 1; e.go(); }", &["p = 1"]), [2]);
    assert_eq!(inner("[=]() [[sycl::device_has()]] { *p = sizeof(e); }", &[]), [0_u32; 0]);
    assert_eq!(inner("[=]() [[sycl::device_has()]] { [=] { e.go(); }(); }", &["[=] {"]), [2]);
    assert_eq!(inner("[e]() {}", &[]), [2]);
    assert_eq!(inner("[c]() {}", &[]), [2, 5]);
    assert_eq!(inner("[q = &e]() { q->go(); }", &[]), [0_u32; 0]);
}

#[test]
fn what_is_not_evaluated_or_not_emitted_is_no_use() {
    for body in [
        "(void)(sizeof(x.e) + sizeof(member) + alignof(member));",
        "decltype(x.e) *p = nullptr; keep(p);",
        "(void)noexcept(x.e.go());",
        "if constexpr (sizeof(int) == 3) x.e.go();",
        "if (false) x.e.go();",
        "if (sizeof(int) == 4) return; else x.e.go();",
        "false ? x.e.go() : keep(&x);",
        "(void)(false && (x.e.go(), true)); (void)(true || (x.e.go(), true));",
        "return; x.e.go();",
        "struct local { gpu e; void f() { e.go(); } }; auto lambda = [](member &y) { y.e.go(); }; (void)sizeof lambda;",
    ] {
        check("member &x", body, &[]);
    }
    check("member &x", "goto in; if (false) { in: x.e.go(); }", &["gpu at e.go()"]);
    check("member &x", "if (true) { x.e.go(); }", &["gpu at e.go()"]);
}

#[test]
fn constructors_make_what_their_class_holds() {
    let source = "struct holder { gpu e; [[sycl::device_has()]] holder() : e() {} }; SYCL_EXTERNAL void f() { holder h; keep(&h); }\n";
    let outcome = Clang::new(Pass::Analysis).run(&format!("{TYPES}{source}")).good();
    assert!(outcome.stderr.contains("warning: function 'holder::holder' uses aspect 'gpu'"), "{}", outcome.stderr);
}

#[test]
fn the_module_tells_other_tools() {
    let outcome = Clang::new(Pass::Analysis).run(&format!("{TYPES}SYCL_EXTERNAL void f(outer, box<full>) {{}}\n")).good();
    for (name, shown) in [("struct.outer", false), ("union.choice", true), ("struct.box.1", false)] {
        let listed = outcome.ir.lines().any(|line| line.contains(&format!("!{{!\"{name}\", i32")));
        assert_eq!(listed, shown, "{name}: only what hides something is listed\n{}", outcome.ir);
    }
}
