//! Wrong attributes are errors at their place, once, in the host pass already. Source: DESIGN §2, §7.9, §7.19, §8 "open ends".

use crate::support::{Clang, Pass};

/// The errors of a source whose second line is `line`: exactly these, `line:column: message`, with notes where a case lists them.
fn check(line: &str, expected: &[&str]) {
    check_in(Pass::Host, line, expected);
}

fn check_in(pass: Pass, line: &str, expected: &[&str]) {
    let outcome = Clang::new(pass).run(line);
    assert_eq!(outcome.success, expected.iter().all(|text| !text.contains("error:")), "{line}\n{}", outcome.stderr);
    let said = outcome.stderr.lines().filter(|line| ["error: ", "warning: ", "note: "].iter().any(|word| line.contains(word)));
    let said: Vec<&str> = said.map(|line| line.strip_prefix("t.cpp:").unwrap_or(line)).collect();
    assert_eq!(said.len(), expected.len(), "{line}\n{}", outcome.stderr);
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.starts_with(expected), "{line}\nsaid:     {said}\nexpected: {expected}");
    }
    if !expected.is_empty() {
        assert!(outcome.stderr.contains('^'), "a caret: {}", outcome.stderr);
    }
    assert!(!outcome.stderr.contains("scratch space"), "{}", outcome.stderr);
}

#[test]
fn aspects() {
    check("[[sycl::device_has(sycl::aspect::quux)]] void f();", &["2:34: error: no member named 'quux' in 'sycl::aspect'"]);
    check(
        "int n; [[sycl::device_has((sycl::aspect)n)]] void f();",
        &[
            "2:27: error: 'sycl::device_has' attribute requires parameter 1 to be a constant expression",
            "2:41: note: read of non-const variable 'n'",
            "2:5: note: declared here",
        ],
    );
    check(
        "[[sycl::device_has(\"fp16\")]] void f();",
        &["2:20: error: 'sycl::device_has' attribute takes values of type 'sycl::aspect', not"],
    );
    check(
        "[[sycl::device_has(6)]] void f();",
        &["2:20: error: 'sycl::device_has' attribute takes values of type 'sycl::aspect', not 'int'"],
    );
    check("struct Z {}; [[sycl::device_has(Z{})]] void f();", &["2:33: error: 'sycl::device_has' attribute takes values of type"]);
    check(
        "enum class aspect { a }; [[sycl::device_has(aspect::a)]] void f();",
        &["2:45: error: 'sycl::device_has' attribute takes values"],
    );
    check(
        "[[sycl::device_has((sycl::aspect)-1)]] void f();",
        &["2:20: error: 'sycl::device_has' attribute takes aspects, which are never"],
    );
    check("[[sycl::device_has]] void f();", &["2:3: error: 'sycl::device_has' attribute needs a list of aspects in parentheses"]);
    check("auto l = []() [[sycl::requires]] {};", &["2:17: error: 'sycl::requires' attribute needs a list of aspects in parentheses"]);
    check("[[sycl::device_has(sycl::aspect::fp16]] void f();", &["2:38: error: expected ')'"]);
    check("[[sycl::device_has()]] void f();", &[]);
}

#[test]
fn only_the_aspects_of_sycl_itself() {
    let other = |enumeration: &str, name: &str| {
        check_at(
            &format!("{enumeration} [[sycl::device_has({name}::fp64)]] void f();"),
            &[(
                &format!("{name}::fp64"),
                &format!("error: 'sycl::device_has' attribute takes values of type 'sycl::aspect', not '{name}'"),
            )],
        );
        check_at(
            &format!("{enumeration} struct [[sycl_detail::uses_aspects({name}::fp64)]] S {{}};"),
            &[(
                &format!("{name}::fp64"),
                &format!("error: 'sycl_detail::uses_aspects' attribute takes values of type 'sycl::aspect', not '{name}'"),
            )],
        );
    };
    other("namespace my { namespace sycl { enum class aspect { fp64 = 6 }; } }", "my::sycl::aspect");
    other("namespace my { namespace sycl { inline namespace v1 { enum aspect { fp64 = 6 }; } } }", "my::sycl::aspect");
    other("namespace my { struct sycl { enum class aspect { fp64 = 6 }; }; }", "my::sycl::aspect");
    other("namespace sycl { namespace other { enum class aspect { fp64 = 6 }; } }", "sycl::other::aspect");
    for name in ["aspect", "::sycl::v1::aspect", "s::aspect", "alias"] {
        let line = "using namespace sycl; namespace s = sycl; using alias = sycl::aspect; namespace my { namespace sycl { enum class aspect { a }; } }";
        check(&format!("{line} [[sycl::device_has({name}::fp64)]] void f();"), &[]);
    }
}

#[test]
fn required_sizes_have_the_dimensions_of_the_range() {
    let kernel =
        |size: &str, launch: &str| format!("auto k = [](auto) [[sycl::reqd_work_group_size({size})]] {{}}; void g() {{ {launch}(k); }}");
    let wrong = |own: &str, range: &str| {
        format!("error: the required work-group size has {own}, but the kernel is launched over a range of {range}")
    };
    let here = ("launch_range<", "note: the kernel is launched here");
    check_at(&kernel("8", "launch_range<class K, 2>"), &[("sycl::reqd", &wrong("1 dimension", "2")), here]);
    check_at(&kernel("8, 1", "launch_range<class K, 1>"), &[("sycl::reqd", &wrong("2 dimensions", "1")), here]);
    check(&kernel("8", "launch_range<class K, 1>"), &[]);
    check(&kernel("8, 1, 2", "launch_range<class K, 3>"), &[]);
    check_at(&kernel("8", "launch_nd_range<class K, 2>"), &[("sycl::reqd", &wrong("1 dimension", "2")), ("launch_nd_range<", here.1)]);
    check_at(&kernel("8, 1", "launch_nd_range<class K, 1>"), &[("sycl::reqd", &wrong("2 dimensions", "1")), ("launch_nd_range<", here.1)]);
    check(&kernel("8, 1", "launch_nd_range<class K, 2>"), &[]);
    // The run time looks at other launches, and at functors with several functions.
    check(&kernel("8, 1", "launch_items<class K>"), &[]);
    check(
        "struct F { [[sycl::reqd_work_group_size(8)]] void operator()(sycl::nd_item<1>) const {} void operator()(sycl::nd_item<2>) const {} }; \
         void g() { launch_range<class K, 2>(F{}); }",
        &[],
    );
}

#[test]
fn sizes() {
    check(
        "[[sycl::reqd_sub_group_size(8, 16)]] void f();",
        &["2:3: error: 'sycl::reqd_sub_group_size' attribute takes one argument, not 2"],
    );
    check(
        "[[sycl::reqd_work_group_size(1, 2, 3, 4)]] void f();",
        &["2:3: error: 'sycl::reqd_work_group_size' attribute takes 1 to 3 arguments, not 4"],
    );
    check(
        "[[sycl::reqd_work_group_size()]] void f();",
        &["2:3: error: 'sycl::reqd_work_group_size' attribute takes 1 to 3 arguments, not 0"],
    );
    check(
        "[[sycl::reqd_work_group_size]] void f();",
        &["2:3: error: 'sycl::reqd_work_group_size' attribute takes 1 to 3 arguments, not 0"],
    );
    check(
        "[[sycl::reqd_work_group_size(4, 0)]] void f();",
        &["2:33: error: 'sycl::reqd_work_group_size' attribute takes sizes greater than zero, not 0"],
    );
    check(
        "[[sycl::reqd_sub_group_size(-8)]] void f();",
        &["2:29: error: 'sycl::reqd_sub_group_size' attribute takes sizes greater than zero, not -8"],
    );
    check(
        "[[sycl::reqd_sub_group_size(1ul << 32)]] void f();",
        &["2:29: error: 'sycl::reqd_sub_group_size' attribute: 4294967296 is too large"],
    );
    check(
        "[[sycl::reqd_work_group_size(1.5)]] void f();",
        &["2:30: error: 'sycl::reqd_work_group_size' attribute takes integers, not 'double'"],
    );
    check(
        "[[intel::named_sub_group_size(big)]] void f();",
        &["2:31: error: 'intel::named_sub_group_size' attribute takes 'automatic' or 'primary'"],
    );
    check(
        "[[intel::named_sub_group_size(8)]] void f();",
        &["2:31: error: 'intel::named_sub_group_size' attribute takes 'automatic' or 'primary'"],
    );
    check("[[intel::named_sub_group_size(automatic), sycl::vec_type_hint(float)]] void f();", &[]);
}

#[test]
fn subjects() {
    let on_functions = "error: 'sycl::device_has' attribute only applies to functions";
    let has = "[[sycl::device_has(sycl::aspect::fp16)]]";
    check(&format!("{has} int v = 0;"), &[&format!("2:3: {on_functions}")]);
    check(&format!("void f(int x {has});"), &[&format!("2:16: {on_functions}")]);
    check(&format!("void f() {{ {has} return; }}"), &[&format!("2:14: {on_functions}")]);
    check(&format!("void f() {{ {has} {{ }} }}"), &[&format!("2:14: {on_functions}")]);
    check(&format!("struct {has} Z {{ int v; }};"), &[&format!("2:10: {on_functions}; a type takes '[[sycl_detail::uses_aspects(...)]]'")]);
    check(&format!("using Z {has} = int;"), &[&format!("2:11: {on_functions}; a type takes")]);
    let uses = "[[sycl_detail::uses_aspects(sycl::aspect::fp16)]]";
    check(
        &format!("enum {uses} E {{ e }};"),
        &["2:8: error: 'sycl_detail::uses_aspects' attribute only applies to functions, classes and aliases of classes"],
    );
    check(
        &format!("using h {uses} = int;"),
        &["2:11: error: 'sycl_detail::uses_aspects' attribute on an alias of 'int' would be lost in templates"],
    );
    check(
        &format!("template <class T> struct v {{}}; template <class T> using a {uses} = v<T>;"),
        &["2:62: error: 'sycl_detail::uses_aspects' attribute on an alias of the dependent type 'v<T>' would be lost; put it on the class"],
    );
    check(
        "struct [[sycl::reqd_sub_group_size(8)]] Z {};",
        &["2:10: error: 'sycl::reqd_sub_group_size' attribute only applies to functions"],
    );
    let lost = "error: 'sycl_detail::uses_aspects' attribute on an alias would be lost, because its aspects depend on template arguments";
    check(
        "struct P {}; template <sycl::aspect A> using a [[sycl_detail::uses_aspects(A)]] = P;",
        &[&format!("2:50: {lost}; put it on the class")],
    );
}

/// A pack changes nothing about where an attribute may stand.
#[test]
fn wrong_subjects_of_packs() {
    let in_template = |rest: &str, expected: &str| {
        let at = if rest.contains("device_has") { "sycl::device_has" } else { "sycl_detail" };
        check_at(&format!("struct P {{}}; template <sycl::aspect... A> {rest}"), &[(at, expected)]);
    };
    let on_functions = "error: 'sycl::device_has' attribute only applies to functions";
    in_template("struct [[sycl::device_has(A...)]] S {};", &format!("{on_functions}; a type takes '[[sycl_detail::uses_aspects(...)]]'"));
    in_template("struct S { [[sycl::device_has(A...)]] int m; };", on_functions);
    in_template("[[sycl::device_has(A...)]] int v = 0;", on_functions);
    in_template("void f() { [[sycl::device_has(A...)]] { } }", on_functions);
    let on_types = "error: 'sycl_detail::uses_aspects' attribute only applies to functions, classes and aliases of classes";
    in_template("struct S { [[sycl_detail::uses_aspects(A...)]] int m; };", on_types);
    in_template("struct S { enum [[sycl_detail::uses_aspects(A...)]] E { e }; };", on_types);
    let lost = "error: 'sycl_detail::uses_aspects' attribute on an alias would be lost, because its aspects depend on template arguments";
    in_template("struct S { using a [[sycl_detail::uses_aspects(A...)]] = P; };", lost);
    in_template("void f() { using a [[sycl_detail::uses_aspects(A...)]] = P; }", lost);
    in_template("using a [[sycl_detail::uses_aspects(A...)]] = P;", lost);
    check(
        "template <int... N> struct [[sycl::reqd_work_group_size(N...)]] Z {};",
        &["2:30: error: 'sycl::reqd_work_group_size' attribute only applies to functions"],
    );
    check(
        "template <class... T> struct [[sycl_detail::uses_aspects(sizeof(T)...)]] Z {}; Z<int> z;",
        &["2:58: error: 'sycl_detail::uses_aspects' attribute takes values of type 'sycl::aspect', not"],
    );
}

#[test]
fn foreign_attributes_are_clangs() {
    check("[[device_has(sycl::aspect::fp16)]] void f();", &["2:3: warning: unknown attribute 'device_has' ignored"]);
    check("[[foo::device_has(sycl::aspect::fp16)]] void f();", &["2:3: warning: unknown attribute 'foo::device_has' ignored"]);
    check("[[using sycl: device_has(), foo]] void f();", &["2:29: warning: unknown attribute 'sycl::foo' ignored"]);
}

#[test]
fn instantiations() {
    check(
        "template <int N> [[sycl::reqd_sub_group_size(N)]] void f() {} void g() { f<0>(); f<0>(); f<8>(); f<-1>(); }",
        &[
            "2:46: error: 'sycl::reqd_sub_group_size' attribute takes sizes greater than zero, not 0",
            "2:74: note: in instantiation of 'f<0>'",
        ],
    );
    check(
        "template <auto A> [[sycl::device_has(A)]] void f() {} void g() { f<1>(); f<sycl::aspect::fp16>(); }",
        &[
            "2:38: error: 'sycl::device_has' attribute takes values of type 'sycl::aspect', not 'int'",
            "2:66: note: in instantiation of 'f<1>'",
        ],
    );
    check(
        "template <int... N> [[sycl::reqd_work_group_size(N...)]] void f() {} void g() { f<1, 2, 3>(); f<>(); }",
        &["2:23: error: 'sycl::reqd_work_group_size' attribute takes 1 to 3 arguments, not 0", "2:95: note: in instantiation of 'f<>'"],
    );
    check(
        "template <class T> void f(T) { launch([=]() [[sycl::reqd_sub_group_size(sizeof(T) - 4)]] {}); } void g() { f(1); f(1.0); }",
        &[
            "2:73: error: 'sycl::reqd_sub_group_size' attribute takes sizes greater than zero, not 0",
            "2:108: note: in instantiation of 'f<int>'",
        ],
    );
    check(
        "template <auto A> struct [[sycl_detail::uses_aspects(A)]] S {}; S<sycl::aspect::gpu> good; S<1> bad;",
        &["2:54: error: 'sycl_detail::uses_aspects' attribute takes values of type 'sycl::aspect', not 'int'"],
    );
}

#[test]
fn contradictions() {
    check(
        "[[sycl::device_has(sycl::aspect::fp16)]] void f(); [[sycl::device_has(sycl::aspect::fp64)]] void f() {}",
        &[
            "2:54: error: 'sycl::device_has' attribute contradicts an earlier declaration of 'f'",
            "2:3: note: the earlier attribute is here",
        ],
    );
    check("[[sycl::device_has(sycl::aspect::fp16)]] void f(); [[sycl::requires(has(sycl::aspect::fp16))]] void f() {}", &[]);
    check(
        "[[sycl::reqd_sub_group_size(8), intel::reqd_sub_group_size(16)]] void f() {}",
        &["2:33: error: 'intel::reqd_sub_group_size' attribute contradicts another one on the same declaration", "2:3: note: the other"],
    );
}

/// They show when the values of a template's arguments are known: in a function, a functor and a kernel's lambda.
#[test]
fn contradictions_in_templates() {
    let contradicts = "error: 'sycl::reqd_work_group_size' attribute contradicts another one on the same declaration";
    let attributes = "[[sycl::reqd_work_group_size(S), sycl::reqd_work_group_size(8)]]";
    let expected = |at: &'static str, name: &str| {
        let other = ("sycl::reqd_work_group_size(S)", "note: the other attribute is here".to_owned());
        [
            ("sycl::reqd_work_group_size(8)", contradicts.to_owned()),
            other,
            (at, format!("note: in instantiation of '{name}' requested here")),
        ]
    };
    let check = |line: &str, at: &'static str, name: &str| {
        let expected = expected(at, name);
        check_at(line, &expected.each_ref().map(|(at, text)| (*at, text.as_str())));
    };
    check(&format!("template <int S> {attributes} void f() {{}} void g() {{ f<8>(); f<4>(); f<4>(); f<2>(); }}"), "f<4>", "f<4>");
    check(
        &format!("template <int S> struct F {{ {attributes} void operator()() const {{}} }}; void g() {{ F<8>{{}}(); F<4>{{}}(); }}"),
        "(); }",
        "operator()",
    );
    check(&format!("template <int S> void f() {{ launch([=]() {attributes} {{}}); }} void g() {{ f<8>(); f<4>(); }}"), "f<4>", "f<4>");
    check_at(
        "template <int S> [[sycl::reqd_sub_group_size(S), intel::reqd_sub_group_size(16)]] void f() {} void g() { f<16>(); f<8>(); }",
        &[
            ("intel::", "error: 'intel::reqd_sub_group_size' attribute contradicts another one on the same declaration"),
            ("sycl::", "note: the other attribute is here"),
            ("f<8>", "note: in instantiation of 'f<8>' requested here"),
        ],
    );
}

#[test]
fn reference_captures() {
    check(
        "void g() { int x = 0; launch<class A>([&x]() { (void)x; }); launch<class B>([=]() { (void)x; }); }",
        &["2:41: error: the kernel captures 'x' by reference, but a device cannot reach it", "2:39: note: the kernel is this lambda"],
    );
    check(
        "void g() { int x = 0; launch<class A>([&]() { x = 1; }); }",
        &["2:47: error: the kernel captures 'x' by reference, but a device cannot reach it", "2:39: note: the kernel is this lambda"],
    );
    check(
        "template <class F> struct W { F f; void operator()() const { f(); } }; void g() { int x = 0; auto l = [&] { (void)x; }; launch(W<decltype(l)>{l}); }",
        &["2:115: error: the kernel captures 'x' by reference", "2:103: note: the kernel is this lambda"],
    );
}

/// Of a device pass, as [`check_in`], with places as the text that stands there first. A class may have a reference on the host alone.
fn check_at(line: &str, expected: &[(&str, &str)]) {
    let expected: Vec<String> = expected
        .iter()
        .map(|(at, message)| format!("2:{}: {message}", line.find(at).unwrap_or_else(|| panic!("'{at}' in {line}")) + 1))
        .collect();
    check_in(Pass::Code, line, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn reference_members() {
    check("struct F { int &r; void operator()() const {} }; void g() { int x = 0; launch(F{x}); }", &[]);
    let holds = |member: &str| format!("error: the kernel holds '{member}' by reference, but a device cannot reach it; hold");
    let (r, t, f) = (holds("r"), holds("t"), holds("f"));
    check_at("struct F { int &r; void operator()() const {} }; void g() { int x = 0; launch(F{x}); }", &[("r;", &r)]);
    check_at(
        "struct F { int n; const int &r; int &&s; void operator()() const {} }; void g() { int x = 0; launch<class K>(F{x, x, 1}); }",
        &[("r;", &r), ("s;", &holds("s"))],
    );
    check_at(
        "struct I { int &r; }; struct A { I i[2]; }; struct F : A { void operator()() const {} }; void g(F x) { launch(x); }",
        &[("r;", &r)],
    );
    check_at(
        "template <class T> struct B { T t; }; struct F { B<int &> b; void operator()() const {} }; void g(F x) { launch(x); }",
        &[("t;", &t)],
    );
    check_at("struct F { void (&f)(); void operator()() const {} }; void h(); void g() { launch(F{h}); }", &[("f)", &f)]);
    // Shown once, whoever holds it.
    check_at(
        "struct I { int &r; }; void g(I i) { launch<class K>([=] { (void)i; }); launch<class L>([=] { (void)i.r; }); }",
        &[("r;", &r)],
    );
    // What stands in a library is shown where the user's code holds it.
    let library = "namespace std { template <class T> struct tuple { T t; }; template <class T> struct wrapper { T *t; }; }";
    let inside = "which holds a reference, but a device cannot reach what that refers to";
    let member = format!("error: the kernel holds 'x' of type 'std::tuple<int &>', {inside}");
    check_at(
        &format!("{library} struct F {{ std::tuple<int &> x; void operator()() const {{}} }}; void g(F f) {{ launch(f); }}"),
        &[("x;", &member)],
    );
    check_at(
        &format!("{library} void g(std::tuple<int &> x) {{ launch<class K>([=] {{ (void)x; }}); launch<class L>([x] {{ (void)x; }}); }}"),
        &[("x; })", &member), ("[=]", "note: the kernel is this lambda"), ("x] {", &member), ("[x]", "note: the kernel is this lambda")],
    );
    check_at(
        &format!("{library} struct F : std::tuple<std::tuple<int &>> {{ void operator()() const {{}} }}; void g(F f) {{ launch(f); }}"),
        &[("std::tuple<std", &format!("error: the kernel holds a 'std::tuple<std::tuple<int &>>', {inside}"))],
    );
    check_at(
        &format!(
            "{library} struct F {{ std::wrapper<int> t; int *p; int (*f)(int &); static int &s; void operator()() const {{}} }}; void g(F f) {{ launch(f); }}"
        ),
        &[],
    );
    check_at(
        "struct I { int &r; }; void g(I *i, void (*f)(I)) { launch<class K>([=] { (void)i; (void)f; }); auto l = [i] { (void)i->r; }; l(); }",
        &[],
    );
}

#[test]
fn references_in_what_is_transferred() {
    let library = "namespace sycl { template <class T> struct buffer { using aspen_transferred = T; T *p; char bytes[sizeof(T)]; }; } namespace std { template <class T> \
                   struct tuple { T t; }; }";
    let holds = "error: a buffer or accessor holds 'r' by reference, but a device cannot reach it; hold";
    check_at(&format!("{library} struct E {{ int n; int &r; }}; sycl::buffer<E> b;"), &[("r; }; s", holds)]);
    check_at(
        &format!("{library} struct E {{ struct {{ int &r; }} in; }}; void g(sycl::buffer<E> b) {{ (void)b.p; }}"),
        &[("r; } in", holds)],
    );
    check_at(&format!("{library} struct E {{ int &r; }}; void g(sycl::buffer<E *> b, sycl::buffer<E> &) {{ (void)b.p; }}"), &[]);
    check_at(
        &format!("{library} sycl::buffer<std::tuple<int &>> b;"),
        &[("b;", "error: a buffer or accessor holds a 'std::tuple<int &>', which holds a reference")],
    );
}

/// The trait as a SYCL header has it.
const TRAIT: &str = "namespace sycl { inline namespace v1 { template <bool B> struct flag { static constexpr bool value = B; }; \
    template <class T> struct is_device_copyable : flag<__is_trivially_copyable(T)> {}; \
    template <class T> struct is_device_copyable<const T> : is_device_copyable<T> {}; } } \
    struct deep { int v = 0; deep() = default; deep(const deep &o) : v(o.v) {} }; struct allowed : deep {}; \
    template <class T> struct box { T v; box() = default; box(const box &o) : v(o.v) {} }; \
    template <> struct sycl::is_device_copyable<allowed> : flag<true> {}; \
    template <class T> struct sycl::is_device_copyable<box<T>> : sycl::is_device_copyable<T> {};";

#[test]
fn captures_must_be_device_copyable() {
    let on_host = |line: &str, expected: &[&str]| check(&format!("{TRAIT}\n{line}"), expected);
    let check = |line: &str, expected: &[&str]| check_in(Pass::Code, &format!("{TRAIT}\n{line}"), expected);
    let why = "it is neither trivially copyable nor is 'sycl::is_device_copyable' true for it";
    check(
        "void g() { deep x; launch<class A>([=] { (void)x.v; }); }",
        &[
            &format!("3:48: error: the kernel captures 'x' of type 'deep', which is not device-copyable: {why}"),
            "3:36: note: the kernel is this",
        ],
    );
    check(
        "void g() { deep x[2]; launch<class A>([x] { (void)x; }); }",
        &["3:40: error: the kernel captures 'x' of type 'deep'", "3:39: note: "],
    );
    check(
        "void g() { launch<class A>([x = box<deep>()] { (void)x; }); }",
        &["3:29: error: the kernel captures 'x' of type 'box<deep>'", "3:28: note: "],
    );
    check(
        "struct S : deep { void g() { launch<class A>([*this] { (void)v; }); } };",
        &["3:47: error: the kernel captures '*this'", "3:46: note: "],
    );
    check(
        "struct F { int n; deep x; void operator()() const {} }; void g() { launch(F{}); }",
        &[&format!("3:24: error: the kernel's member 'x' of type 'deep' is not device-copyable: {why}")],
    );
    check(
        "template <class F> struct W { F f; void operator()() const { f(); } }; void g() { deep x; auto l = [=] { (void)x; }; launch(W<decltype(l)>{l}); }",
        &["3:112: error: the kernel captures 'x' of type 'deep'", "3:100: note: the kernel is this lambda"],
    );
    check("void g() { allowed x, y[3]; const allowed z; launch<class A>([=] { (void)x; (void)y; (void)z; }); }", &[]);
    check("void g() { box<box<int>> x; launch<class A>([=] { (void)x; }); }", &[]);
    check("struct F { allowed x; void operator()() const {} }; void g() { launch(F{}); }", &[]);
    check(
        "struct F { deep x; void operator()() const {} }; template <> struct sycl::is_device_copyable<F> : flag<true> {}; void g() { launch(F{}); }",
        &[],
    );
    // Who specialises the trait answers for references too.
    check(
        "struct R { int &r; }; template <> struct sycl::is_device_copyable<R> : flag<true> {}; void g(R r) { launch<class A>([=] { (void)r; }); }",
        &[],
    );
    check(
        "struct R { int &r; }; template <> struct sycl::is_device_copyable<R> : flag<false> {}; void g(R r) { launch<class A>([=] { (void)r; }); }",
        &["3:17: error: the kernel holds 'r' by reference"],
    );
    // Assignment is no copy; nothing of the class runs when its bytes are copied.
    check(
        "struct P { int v; P &operator=(const P &o) { v = o.v; return *this; } }; void g() { P x{}; launch<class A>([=] { (void)x; }); }",
        &[],
    );
    // The device's class counts: on the host an accessor of a library over SYCL may keep accounts.
    let accounts = "struct S { int v; S() = default; S(const S &o) : v(o.v) {} }; void g() { S x; launch<class A>([=] { (void)x; }); }";
    check(accounts, &["3:107: error: the kernel captures 'x' of type 'S'", "3:95: note: "]);
    on_host(accounts, &[]);
    // What only the host runs may capture anything.
    check("void g() { deep x; auto l = [=] { (void)x; }; l(); }", &[]);
}

#[test]
fn without_the_trait_only_trivial_captures_are_copyable() {
    check_in(
        Pass::Code,
        "struct deep { deep(); deep(const deep &); }; void g() { deep x; launch<class A>([=] { (void)x; }); }",
        &["2:93: error: the kernel captures 'x' of type 'deep'", "2:81: note: "],
    );
}

/// The errors and notes of the analysis pass, and that no other pass repeats them.
fn check_variables(line: &str, expected: &[&str]) {
    let outcome = Clang::new(Pass::Analysis).file("system.hpp", "#pragma GCC system_header\nextern int systems;\n").run(line);
    let said: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("error: ") || line.contains("note: ")).collect();
    assert_eq!((outcome.success, said.len()), (expected.is_empty(), expected.len()), "{line}\n{}", outcome.stderr);
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.starts_with(&format!("t.cpp:{expected}")), "{line}\nsaid:     {said}\nexpected: {expected}");
    }
    for pass in [Pass::Host, Pass::Code] {
        Clang::new(pass).file("system.hpp", "#pragma GCC system_header\nextern int systems;\n").run(line).good();
    }
}

#[test]
fn mutable_variables_in_device_code() {
    check_variables(
        "int g; void h(int *p) { launch<class A>([=] { (void)sizeof(g); *p = g; }); }",
        &[
            "2:69: error: device code uses the variable 'g', which is neither const nor constexpr: a device has no access to the host's variables; \
             capture a copy or pass a pointer",
            "2:5: note: 'g' is declared here",
        ],
    );
    check_variables(
        "static int g[4]; void f() { g[1] = 2; } void h() { launch<class A>([] { f(); }); }",
        &["2:29: error: ", "2:12: note: "],
    );
    check_variables("extern int g; void h() { launch<class A>([] { g = 1; }); }", &["2:47: error: ", "2:12: note: "]);
    check_variables("namespace { int g; } void h() { launch<class A>([] { g = 1; }); }", &["2:54: error: ", "2:17: note: "]);
    check_variables("struct S { static int g; }; int S::g; void h() { S s; launch<class A>([=] { s.g = 1; }); }", &["2:79: error: ", "2:"]);
    check_variables(
        "int f() { static int n = 0; return ++n; } void h() { launch<class A>([] { f(); }); }",
        &["2:38: error: ", "2:22: note: "],
    );
    check_variables("const char *g = \"x\"; void h() { launch<class A>([] { (void)*g; }); }", &["2:61: error: ", "2:13: note: "]);
    check_variables(
        "int g; template <class T> T f(T x) { return x + g; } void h() { launch<class A>([] { f(1); f(1l); }); }",
        &["2:49: error: ", "2:5: note: "],
    );
    check_variables("int g; int f(int x = g) { return x; } void h() { launch<class A>([] { f(); }); }", &["2:22: error: ", "2:5: note: "]);
    check_variables(
        "int g; struct S { int v; S() : v(g) {} }; void h() { launch<class A>([] { S s; (void)s; }); }",
        &["2:34: error: ", "2:5: note: "],
    );
    check_variables("int g; int &r = g; void h() { launch<class A>([] { r = 1; }); }", &["2:"; 2]);
    check_variables("int g; SYCL_EXTERNAL void f() { g = 1; }", &["2:33: error: ", "2:5: note: "]);
}

#[test]
fn variables_that_device_code_may_use() {
    let silent = |line: &str| check_variables(line, &[]);
    silent(
        "const int g = 1; constexpr int k[] = {1, 2}; void h(int *p) { launch<class A>([=] { *p = g + k[*p]; const int &r = g; p[1] = r; }); }",
    );
    silent("static const int t[2][2] = {{1, 2}, {3, 4}}; void h(int *p) { launch<class A>([=] { *p = t[p[1]][p[2]]; }); }");
    silent("void h(int *p) { launch<class A>([=] { static const int t[] = {1, 2}; static constexpr int k = 3; *p = t[*p] + k; }); }");
    silent("struct S { static constexpr int k[] = {1, 2}; }; void h(int *p) { launch<class A>([=] { *p = S::k[*p]; }); }");
    silent("int g; void h(int *p) { launch<class A>([=] { *p = sizeof(g) + alignof(decltype(g)) + noexcept(g = 1); }); }");
    silent("int g; void h(int *p) { launch<class A>([=] { if constexpr (sizeof(int) == 3) g = 1; else *p = 1; }); }");
    silent("int g; void f() { g = 1; } void h() { launch<class A>([] {}); g = 2; f(); }");
    silent("void h(const char **p) { launch<class A>([=] { *p = \"text\"; }); }");
    silent("extern \"C\" int printf(const char *, ...); void h() { launch<class A>([] { printf(\"%d\\n\", 1); }); }");
    silent("struct V { virtual int f() { return 1; } }; void h(int *p) { launch<class A>([=] { V v; V &r = v; *p = r.f(); }); }");
    silent("__attribute__((opencl_local)) extern int shared[4]; void h(int *p) { launch<class A>([=] { shared[0] = *p; }); }");
    silent("struct E { int f() const { return 1; } }; E e, all[2]; void h(int *p) { launch<class A>([=] { *p = e.f() + all[1].f(); }); }");
    silent("#include \"system.hpp\"\nvoid h(int *p) { launch<class A>([=] { *p = systems; }); }".trim_start());
}

#[test]
fn device_passes_repeat_an_error_but_no_warning() {
    let source = "class K; void host(int *p) { launch<K>([=]() { int unused; int *q = p; if (q = p) *q = 1; }); }\n";
    let host = Clang::new(Pass::Host).run(source).good();
    assert!(host.stderr.contains("warning: unused variable 'unused'") && host.stderr.contains("-Wparentheses"), "{}", host.stderr);
    for pass in [Pass::Analysis, Pass::Code] {
        assert_eq!(Clang::new(pass).flags(&["-Wall", "-Werror"]).run(source).good().stderr, "");
        let outcome = Clang::new(pass).flag("-Wall").run("[[sycl::device_has(1)]] void f();\n");
        assert!(!outcome.success && outcome.stderr.contains("t.cpp:2:20: error:"), "{}", outcome.stderr);
    }
}
