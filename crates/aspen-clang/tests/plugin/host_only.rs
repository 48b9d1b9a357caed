//! Exceptions and host libraries in device code are errors at the user's line. Source: DESIGN §7.28; SYCL 2020 §5.4.

use crate::support::{Clang, Pass};

/// A library whose functions have no bodies, throw, or call the user.
const SYSTEM: &str = "#pragma GCC system_header
namespace lib {
struct error { error(int); };
void absent(int);
void quiet(int) noexcept;
inline void deep(int x) { absent(x); }
inline int checked(int x) { if (x > 3) deep(x); return x; }
inline int throwing(int x) { if (x > 3) throw error(x); return x; }
template <class F> void each(F f) { f(1); }
struct holder { ~holder() { absent(1); } };
}
namespace std { struct type_info { bool operator==(const type_info &) const noexcept { return true; } }; }
extern \"C\" { int puts(const char *); int printf(const char *, ...); }
void *operator new(decltype(sizeof(0)));
";

/// The errors and notes of both device passes: for SPIR-V, and for the embedded CPU; and of the latter where the host's libraries, which it
/// has, are allowed.
fn check(line: &str, spirv: &[&str], cpu: &[&str], allowed: &[&str]) {
    for (pass, host, expected) in [(Pass::Analysis, "host=no", spirv), (Pass::Code, "host=no", cpu), (Pass::Code, "host=yes", allowed)] {
        let clang = Clang::new(pass).argument(host).flags(&["-gline-tables-only", "-fno-exceptions"]);
        let outcome = clang.file("lib.hpp", SYSTEM).run(&format!("#include \"lib.hpp\"\n{line}"));
        // What lies between an entry and the functor is no system header here.
        let said =
            outcome.stderr.lines().filter(|line| (line.contains("error: ") || line.contains("note: ")) && !line.contains("/mini.hpp:"));
        let said: Vec<&str> = said.collect();
        assert_eq!((outcome.success, said.len()), (expected.is_empty(), expected.len()), "{line}\n{}", outcome.stderr);
        for (said, expected) in said.iter().zip(expected) {
            assert!(said.contains(expected), "{line}\nsaid:     {said}\nexpected: {expected}");
        }
    }
    Clang::new(Pass::Host).file("lib.hpp", SYSTEM).run(&format!("#include \"lib.hpp\"\n{line}")).good();
}

#[test]
fn exceptions() {
    let all = |line: &str, expected: &[&str]| check(line, expected, expected, expected);
    all("void h() { launch<class A>([] { throw 1; }); }", &["t.cpp:3:33: error: device code cannot throw exceptions, but 'A' does"]);
    all(
        "void f(int x) { if (x) throw x; } void h(int *p) { launch<class A>([=] { f(*p); }); }",
        &["t.cpp:3:24: error: device code cannot throw exceptions, but 'f' does", "t.cpp:3:74: note: 'A' calls 'f' here"],
    );
    all(
        "void f() { throw lib::error(lib::throwing(1)); } SYCL_EXTERNAL void g() { f(); }",
        &["t.cpp:3:12: error: device code cannot throw", "t.cpp:3:75: note: 'g' calls 'f' here"],
    );
    all("SYCL_EXTERNAL void g() { throw; }", &["t.cpp:3:26: error: device code cannot throw exceptions, but 'g' does"]);
    all(
        "constexpr int f(int x) { return x ? x : throw 1; } SYCL_EXTERNAL int g(int x) { return f(x); }",
        &["t.cpp:3:41: error: ", "note: "],
    );
    all(
        "SYCL_EXTERNAL void g(int *p) { try { *p = 1; } catch (int) { *p = 2; } }",
        &["t.cpp:3:32: error: device code cannot handle exceptions, but 'g' has a 'try' block"],
    );
    all(
        "struct S { int v; S(int x) try : v(x) {} catch (...) {} }; SYCL_EXTERNAL int g(int x) { return S(x).v; }",
        &[
            "t.cpp:3:28: error: device code cannot handle exceptions, but 'S::S' has a 'try' block",
            "t.cpp:3:96: note: 'g' calls 'S::S' here",
        ],
    );
    all(
        "template <class T> T f(T x) { if (x) throw x; return x; } SYCL_EXTERNAL void g() { f(1); f(1l); }",
        &["t.cpp:3:38: error: ", "note: "],
    );
    all(
        "struct V { virtual void f(); }; void V::f() { throw 1; } SYCL_EXTERNAL void g(V *p) { V v; p->f(); }",
        &["t.cpp:3:47: error: ", "note: ", "note: "],
    );
}

/// A virtual function that no device code calls may do what only the host can do, in classes of which kernels make objects.
#[test]
fn virtual_functions_of_the_host() {
    let silent = |line: &str| check(line, &[], &[], &[]);
    silent("struct V { virtual void f(); }; void V::f() { throw 1; } SYCL_EXTERNAL void g(V *p) { V v; *p = v; }");
    silent("struct V { virtual void f() { lib::deep(1); } virtual void g() { f(); } }; SYCL_EXTERNAL void g(V *p) { V v; *p = v; }");
    silent(
        "struct V { virtual void f() {} }; struct W : V { void f() override { throw 1; } }; SYCL_EXTERNAL void g(V *p) { W w; *p = w; }",
    );
    let all = |line: &str, expected: &[&str]| check(line, expected, expected, expected);
    // What calls it: by its own name, by that of a function that it overrides, by a pointer, through another virtual function, without one.
    let class = "struct V { virtual void f() {} virtual void h() { f(); } }; struct W : V { void f() override { throw 1; } };";
    for body in ["W w; V *p = &w; p->f();", "W w; (q->*(&V::f))();", "W w; q->h();", "W w; w.f();", "W w; w.W::f();"] {
        let error = "t.cpp:3:96: error: device code cannot throw exceptions, but 'W::f' does";
        let line = format!("{class} SYCL_EXTERNAL void g(V *q) {{ {body} }}");
        let calls = usize::from(!body.starts_with("W w; w."));
        all(&line, &[&[error][..], &["note: "; 2][..1 + calls]].concat());
    }
    // What only `delete` calls frees memory of the host's.
    let class = "struct V { virtual ~V() {} int x; }; SYCL_EXTERNAL V v();";
    for (body, frees) in [("new (q) V;", false), ("new (q) V; delete q;", true)] {
        let line = format!(
            "{class} inline void *operator new(decltype(sizeof(0)), void *p) {{ return p; }} \
             SYCL_EXTERNAL void g(V *q) {{ {body} }}"
        );
        assert_eq!(Clang::new(Pass::Code).run(&line).good().ir.contains("_ZN1VD0Ev"), frees, "{body}");
    }
}

#[test]
fn libraries() {
    let all = |line: &str, expected: &[&str]| check(line, expected, expected, expected);
    all(
        "SYCL_EXTERNAL void g(int x) { lib::absent(x); }",
        &["t.cpp:3:31: error: device code cannot call 'lib::absent', which is for the host only"],
    );
    all(
        "int f(int x) { return lib::checked(x); } SYCL_EXTERNAL int g(int x) { return f(x); }",
        &[
            "t.cpp:3:23: error: device code cannot call 'lib::checked': it comes to 'lib::absent', which is for the host only",
            "lib.hpp:7:40: note: 'lib::checked' calls 'lib::deep' here",
            "lib.hpp:6:27: note: 'lib::deep' calls 'lib::absent' here",
            "t.cpp:3:78: note: 'g' calls 'f' here",
        ],
    );
    all(
        "SYCL_EXTERNAL int g(int x) { return lib::throwing(x); }",
        &[
            "t.cpp:3:37: error: device code cannot call 'lib::throwing': it throws an exception",
            "lib.hpp:8:41: note: 'lib::throwing' throws here",
        ],
    );
    all(
        "SYCL_EXTERNAL void g() { lib::each([](int x) { throw x; }); }",
        &[
            "t.cpp:3:48: error: device code cannot throw exceptions, but 'lambda at t.cpp:3:36' does",
            "lib.hpp:9:37: note: 'lib::each<",
            "t.cpp:3:26: note: 'g' calls 'lib::each<",
        ],
    );
    // The class with such a member is the user's, its destructor is nobody's.
    all(
        "struct S { lib::holder h; }; SYCL_EXTERNAL void g() { S s; }",
        &["t.cpp:3:60: error: device code cannot call 'S::~S': it comes to 'lib::absent'", "t.cpp:3:8: note: ", "lib.hpp:10:"],
    );
    let unless_allowed = |line: &str, place: &str, what: &str| {
        let expected = format!("t.cpp:3:{place}: error: device code cannot {what}");
        check(line, &[&expected], &[&format!("{expected} [-Wsycl-strict]")], &[]);
    };
    unless_allowed("SYCL_EXTERNAL int *g() { return new int; }", "33", "call 'operator new', which is for the host only");
    unless_allowed("SYCL_EXTERNAL void g() { puts(\"\"); }", "26", "call 'puts', which is for the host only");
    unless_allowed("SYCL_EXTERNAL void g() { lib::quiet(1); }", "26", "call 'lib::quiet', which is for the host only");
    unless_allowed(
        "struct A { virtual ~A(); }; struct B : A {}; SYCL_EXTERNAL bool g(A *a) { return dynamic_cast<B *>(a); }",
        "82",
        "use what needs '__dynamic_cast' of the C++ runtime, which is for the host only",
    );
    unless_allowed(
        "struct A { virtual ~A(); }; SYCL_EXTERNAL bool g(A &a) { return typeid(a) == typeid(A); }",
        "65",
        "ask for types at run time, but 'g' uses 'typeid' of a polymorphic value",
    );
    unless_allowed(
        "SYCL_EXTERNAL int g(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); return 0; }",
        "56",
        "take variable arguments, but 'g' does",
    );
}

#[test]
fn assembly() {
    let line = "int f() { asm(\"nop\"); return 1; } SYCL_EXTERNAL int g() { return f(); }";
    check(
        line,
        &["t.cpp:3:11: error: device code for SPIR-V has no inline assembly, but 'f' uses it", "t.cpp:3:66: note: 'g' calls 'f' here"],
        &[],
        &[],
    );
}

#[test]
fn what_spirv_has_no_form_for() {
    let spirv = |line: &str, expected: &[&str]| check(line, expected, &[], &[]);
    spirv(
        "void h(int *p) { launch<class A>([=] { int n = *p; int a[n]; a[0] = 1; *p = a[n - 1]; }); }",
        &[
            "t.cpp:3:52: error: device code for SPIR-V has no private memory of variable size, but 'A' uses it; give the array a constant size",
        ],
    );
    spirv(
        "void f(int *p) { p[0] = *(char *)__builtin_alloca(p[1]); } SYCL_EXTERNAL void g(int *p) { f(p); }",
        &["t.cpp:3:34: error: device code for SPIR-V has no private memory of variable size, but 'f' uses it", "note: 'g' calls 'f' here"],
    );
    spirv(
        "SYCL_EXTERNAL double g(long double *p) { return p[1]; }",
        &["t.cpp:3:49: error: device code for SPIR-V has no 'long double', but 'g' uses it; the widest type is 'double'"],
    );
    spirv(
        "float f(float x) { return x * (__float128)2; } SYCL_EXTERNAL float g(float *p) { return f(p[1]); }",
        &[
            "t.cpp:3:27: error: device code for SPIR-V has no '__float128', but 'f' uses it; the widest type is 'double'",
            "note: 'g' calls 'f' here",
        ],
    );
    spirv("SYCL_EXTERNAL float g(float x) { return x * (float)(__float128)2 + sizeof(__float128); }", &[]);
    // A constant is converted, and nothing of it is stored.
    spirv("SYCL_EXTERNAL double g(double x) { return x * 2.0L + sizeof(long double); }", &[]);
    spirv("SYCL_EXTERNAL int g(int x) { static_assert(sizeof(int) == 4, \"a text has no type\"); return x; }", &[]);
}

/// What the C library declares and the user calls as the standard library's has that name.
#[test]
fn names_are_those_of_the_source() {
    let line = "extern \"C\" { __attribute__((nothrow)) int rand(); } namespace std { using ::rand; }";
    let outcome = Clang::new(Pass::Analysis)
        .flags(&["-gline-tables-only", "-fno-exceptions"])
        .file("c.hpp", &format!("#pragma GCC system_header\n{line}\n"))
        .run("#include \"c.hpp\"\nSYCL_EXTERNAL int f() { return std::rand(); }\nSYCL_EXTERNAL int g() { return rand(); }\n");
    assert!(!outcome.success);
    for expected in ["3:32: error: device code cannot call 'std::rand', which", "4:32: error: device code cannot call 'rand', which"] {
        assert!(outcome.stderr.contains(expected), "{expected}\n{}", outcome.stderr);
    }
}

#[test]
fn nothing_is_said() {
    let silent = |line: &str| check(line, &[], &[], &[]);
    silent(
        "template <int N> int f(int x) { if constexpr (N == 1) throw 1; else return x; } SYCL_EXTERNAL int g(int x) { return f<2>(x); }",
    );
    silent("constexpr int f(int x) { return x == 3 ? x : throw 1; } SYCL_EXTERNAL int g() { constexpr int v = f(3); return v; }");
    silent("SYCL_EXTERNAL void g() { if (false) throw 1; if (sizeof(int) == 8) { try { lib::absent(1); } catch (...) {} } }");
    silent("SYCL_EXTERNAL bool g() { return noexcept(throw 1) + sizeof(lib::throwing(1)) > 1; }");
    silent("void f() { throw 1; } void h() { launch<class A>([] {}); f(); lib::throwing(1); }");
    silent(
        "struct V { virtual void f(); }; void V::f() { try { throw 1; } catch (int) {} } void h() { launch<class A>([] {}); V v; v.f(); }",
    );
    // Constructing an object names its virtual functions, and nobody calls them.
    silent(
        "struct B { virtual ~B() {} virtual int f() = 0; }; struct D : B { int f() override { return 1; } }; \
         SYCL_EXTERNAL int g() { D d; return d.D::f(); }",
    );
    silent(
        "struct A { virtual ~A(); }; \
         SYCL_EXTERNAL bool g(A &a) { return typeid(A) == typeid(int) || (sizeof(int) == 8 && typeid(a) == typeid(A)); }",
    );
    silent("SYCL_EXTERNAL int sum(int n, ...); SYCL_EXTERNAL int g() { return sum(1, 2); }");
    silent("SYCL_EXTERNAL void elsewhere(); SYCL_EXTERNAL void g() { elsewhere(); }");
    silent("void users(); SYCL_EXTERNAL void g() { users(); }");
    silent("SYCL_EXTERNAL void g() { printf(\"%d\", 1); }");
}
