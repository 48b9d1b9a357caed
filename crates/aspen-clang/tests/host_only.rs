//! Exceptions and host libraries in device code are errors at the user's line. Source: DESIGN §7.28; SYCL 2020 §5.4.

mod support;

use support::{Clang, Pass};

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
extern \"C\" { int puts(const char *); int printf(const char *, ...); }
void *operator new(decltype(sizeof(0)));
";

/// The errors and notes of both device passes: for SPIR-V, and for the embedded CPU, which has the host's libraries.
fn check(line: &str, spirv: &[&str], cpu: &[&str]) {
    for (pass, flags, expected) in [(Pass::Analysis, [].as_slice(), spirv), (Pass::Code, &["-gline-tables-only"], cpu)] {
        let flags = [flags, &["-fno-exceptions"]].concat();
        let outcome = Clang::new(pass).flags(&flags).file("lib.hpp", SYSTEM).run(&format!("#include \"lib.hpp\"\n{line}"));
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
    let both = |line: &str, expected: &[&str]| check(line, expected, expected);
    both("void h() { launch<class A>([] { throw 1; }); }", &["t.cpp:3:33: error: device code cannot throw exceptions, but 'A' does"]);
    both(
        "void f(int x) { if (x) throw x; } void h(int *p) { launch<class A>([=] { f(*p); }); }",
        &["t.cpp:3:24: error: device code cannot throw exceptions, but 'f' does", "t.cpp:3:74: note: 'A' calls 'f' here"],
    );
    both(
        "void f() { throw lib::error(lib::throwing(1)); } SYCL_EXTERNAL void g() { f(); }",
        &["t.cpp:3:12: error: device code cannot throw", "t.cpp:3:75: note: 'g' calls 'f' here"],
    );
    both("SYCL_EXTERNAL void g() { throw; }", &["t.cpp:3:26: error: device code cannot throw exceptions, but 'g' does"]);
    both(
        "constexpr int f(int x) { return x ? x : throw 1; } SYCL_EXTERNAL int g(int x) { return f(x); }",
        &["t.cpp:3:41: error: ", "note: "],
    );
    both(
        "SYCL_EXTERNAL void g(int *p) { try { *p = 1; } catch (int) { *p = 2; } }",
        &["t.cpp:3:32: error: device code cannot handle exceptions, but 'g' has a 'try' block"],
    );
    both(
        "struct S { int v; S(int x) try : v(x) {} catch (...) {} }; SYCL_EXTERNAL int g(int x) { return S(x).v; }",
        &[
            "t.cpp:3:28: error: device code cannot handle exceptions, but 'S::S' has a 'try' block",
            "t.cpp:3:96: note: 'g' calls 'S::S' here",
        ],
    );
    both(
        "template <class T> T f(T x) { if (x) throw x; return x; } SYCL_EXTERNAL void g() { f(1); f(1l); }",
        &["t.cpp:3:38: error: ", "note: "],
    );
    both(
        "struct V { virtual void f(); }; void V::f() { throw 1; } SYCL_EXTERNAL void g(V *p) { V v; p->f(); }",
        &["t.cpp:3:47: error: ", "note: ", "note: "],
    );
}

#[test]
fn libraries() {
    let both = |line: &str, expected: &[&str]| check(line, expected, expected);
    both(
        "SYCL_EXTERNAL void g(int x) { lib::absent(x); }",
        &["t.cpp:3:31: error: device code cannot call 'lib::absent', which is for the host only"],
    );
    both(
        "int f(int x) { return lib::checked(x); } SYCL_EXTERNAL int g(int x) { return f(x); }",
        &[
            "t.cpp:3:23: error: device code cannot call 'lib::checked': it comes to 'lib::absent', which is for the host only",
            "lib.hpp:7:40: note: 'lib::checked' calls 'lib::deep' here",
            "lib.hpp:6:27: note: 'lib::deep' calls 'lib::absent' here",
            "t.cpp:3:78: note: 'g' calls 'f' here",
        ],
    );
    both(
        "SYCL_EXTERNAL int g(int x) { return lib::throwing(x); }",
        &[
            "t.cpp:3:37: error: device code cannot call 'lib::throwing': it throws an exception",
            "lib.hpp:8:41: note: 'lib::throwing' throws here",
        ],
    );
    both(
        "SYCL_EXTERNAL void g() { lib::each([](int x) { throw x; }); }",
        &[
            "t.cpp:3:48: error: device code cannot throw exceptions, but 'lambda at t.cpp:3:36' does",
            "lib.hpp:9:37: note: 'lib::each<",
            "t.cpp:3:26: note: 'g' calls 'lib::each<",
        ],
    );
    // The class with such a member is the user's, its destructor is nobody's.
    both(
        "struct S { lib::holder h; }; SYCL_EXTERNAL void g() { S s; }",
        &["t.cpp:3:60: error: device code cannot call 'S::~S': it comes to 'lib::absent'", "t.cpp:3:8: note: ", "lib.hpp:10:"],
    );
    check("SYCL_EXTERNAL int *g() { return new int; }", &["t.cpp:3:33: error: device code cannot call 'operator new', which"], &[]);
    check("SYCL_EXTERNAL void g() { puts(\"\"); }", &["t.cpp:3:26: error: device code cannot call 'puts'"], &[]);
    check("SYCL_EXTERNAL void g() { lib::quiet(1); }", &["t.cpp:3:26: error: device code cannot call 'lib::quiet'"], &[]);
}

#[test]
fn nothing_is_said() {
    let silent = |line: &str| check(line, &[], &[]);
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
    silent("SYCL_EXTERNAL void elsewhere(); SYCL_EXTERNAL void g() { elsewhere(); }");
    silent("void users(); SYCL_EXTERNAL void g() { users(); }");
    silent("SYCL_EXTERNAL void g() { printf(\"%d\", 1); }");
}
