//! Wrong attributes are errors at their place, once, in the host pass already. Source: DESIGN §2, §7.9, §7.19, §8 "open ends".

mod support;

use support::{Clang, Pass};

/// The errors of a source whose second line is `line`: exactly these, `line:column: message`, with notes where a case lists them.
fn check(line: &str, expected: &[&str]) {
    let outcome = Clang::new(Pass::Host).run(line);
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
        &["2:73: error: 'sycl::reqd_sub_group_size' attribute takes sizes greater than zero, not 0"],
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
