//! The rules of S0 and S1's compile time half, one test a rule, named after the heading that sets it (`s0_…`, `s1_…`): a source, and what
//! the tools say of it. Each table holds for every image of the object, so for every target. Source: S0, S1; DESIGN §4, §7.

use crate::common::rules::{check, check_with, kernels, line, said, units};

/// Functions called transitively, and recursion of any shape.
#[test]
fn s0_a_kernels_static_call_graph() {
    check_with(
        "-fsycl-targets=native_cpu,spir64,nvidia_gpu_sm_90 -Wno-sycl-strict",
        "\
void leaf(int *p) { double d = *p; *p = (int)(d / 3); }
void middle(int *p) { leaf(p); }
void even(int *p, int n); void odd(int *p, int n) { if (n) even(p, n - 1); }
void even(int *p, int n) { if (n) odd(p, n - 1); else { sycl::half h = *p; *p = h; } }
void never_called(int *p) { leaf(p); }
class direct; class cycle; class none;
void host(int *p) {
  launch<direct>([=] { middle(p); });
  launch<cycle>([=] { odd(p, *p); });
  launch<none>([=] { *p = 1; });
}",
        "cycle: fp16\ndirect: fp64\nnone:\n",
        "",
    );
}

/// Each call site adds its possible targets: those of its type whose address is taken. (Virtual calls: seed_rules_ir.rs.)
/// Source: S0 "A kernel's static call graph"; DESIGN §7.5.
#[test]
fn s0_a_kernels_static_call_graph_indirect_calls() {
    check_with(
        "-fsycl-targets=native_cpu,spir64,nvidia_gpu_sm_90 -Wno-sycl-strict",
        "\
void by_double(int *p) { double d = *p; *p = (int)(d / 3); }
void by_half(int *p) { sycl::half h = *p; *p = h; }
void not_taken(int *p) [[sycl::device_has(aspect::gpu)]] { *p = 1; }
void other_type(int *p, int) [[sycl::device_has(aspect::cpu)]] { *p = 1; }
class pointer; class direct;
void host(int *p) {
  launch<pointer>([=] { void (*f)(int *) = *p ? by_double : by_half; void (*g)(int *, int) = other_type; *p = g != nullptr; f(p); });
  launch<direct>([=] { not_taken(p); other_type(p, 1); });
}",
        "direct: cpu gpu\npointer: fp16 fp64\n",
        "",
    );
}

/// No diagnostic merely because an optional feature is used, in ahead-of-time mode neither.
#[test]
fn s0_diagnostics_from_the_fe_compiler_none_without_the_attribute() {
    let source = "\
void boo(int *p) { double d = *p; sycl::half h = (float)d; *p = (int)(float)h; }
class k;
void host(int *p) { launch<k>([=] { boo(p); }); }";
    for targets in ["native_cpu,spir64", "spir64,spir64_x86_64"] {
        check_with(&format!("-fsycl-targets={targets} -Wall -Wextra"), source, "k: fp16 fp64\n", "");
    }
}

/// The attribute asserts that nothing else is used: on a kernel, on a function, and with an empty list.
#[test]
fn s0_diagnostics_from_the_fe_compiler_what_the_attribute_does_not_list() {
    check(
        "\
[[sycl::device_has(aspect::fp64)]] void fine(int *p) { double d = *p; *p = (int)(d / 3); }
[[sycl::device_has()]] void empty(int *p) { fine(p); }
class wrong; class right; class calls;
void host(int *p) {
  launch<wrong>([=] [[sycl::device_has(aspect::fp16)]] { fine(p); });
  launch<right>([=] [[sycl::device_has(aspect::fp16, aspect::fp64)]] { fine(p); });
  launch<calls>([=] { empty(p); });
}",
        "calls: fp64\nright: fp16 fp64\nwrong: fp16 fp64\n",
        "\
t.cpp:5:58: warning: function 'wrong' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  wrong()
  fine() t.cpp:5:58
t.cpp:5:23: note: aspects of 'wrong' are declared here
t.cpp:2:45: warning: function 'empty' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  empty()
  fine() t.cpp:2:45
t.cpp:2:3: note: aspects of 'empty' are declared here
",
    );
}

/// A use in a `SYCL_EXTERNAL` function of another unit is not the compiler's to see; the link finds it, for the kernel's requirement too.
/// Source: S0 "Diagnostics from the FE compiler", "Runtime exception if device doesn't support feature"; DESIGN §7.6.
#[test]
fn s0_runtime_exception_uses_of_other_translation_units_count() {
    let caller = "\
SYCL_EXTERNAL void undecorated(int *p);
[[sycl::device_has(aspect::fp16)]] SYCL_EXTERNAL void decorated(int *p);
[[sycl::device_has()]] void nothing(int *p) { undecorated(p); }
class k; class d;
void host(int *p) { launch<k>([=] { nothing(p); }); launch<d>([=] { decorated(p); }); }
int main() {}";
    let callee = "\
SYCL_EXTERNAL void undecorated(int *p) { double d = *p; *p = (int)(d / 3); }
[[sycl::device_has(aspect::fp16)]] SYCL_EXTERNAL void decorated(int *p) { *p = 1; }";
    let session = units(&[("a.cpp", caller), ("b.cpp", callee)]);
    assert_eq!(session.ok("aspen++ -fsycl-targets=native_cpu,spir64 -c a.cpp b.cpp").stderr, "");
    for (target, found) in kernels(&session, "a.o") {
        assert_eq!(found, "d: fp16\nk:\n", "{target}: what the declarations say");
    }
    let linked = session.ok("aspen++ -fsycl-targets=native_cpu,spir64 a.o b.o -o ab");
    assert_eq!(linked.stderr, "", "a declaration without the attribute promises nothing");
    for (target, found) in kernels(&session, "ab") {
        assert_eq!(found, "d: fp16\nk: fp64\n", "{target}: what the definitions use");
    }
}

/// What is declared is required although nothing uses it, and although no feature belongs to the aspect; sizes are required too.
#[test]
fn s0_runtime_exception_if_device_doesnt_support_feature() {
    check(
        "\
[[sycl::device_has(aspect::gpu)]] void function(int *p) { *p = 1; }
class declared; class called; class group; class lanes; class both;
void host(int *p) {
  launch<declared>([=] [[sycl::device_has(aspect::fp16, aspect::host_debuggable)]] { *p = 1; });
  launch<called>([=] { function(p); });
  launch_items<group>([=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(8)]] { *p = 1; });
  launch_items<lanes>([=](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(4)]] { *p = 1; });
  launch_items<both>([=](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(8), sycl::reqd_work_group_size(8)]] { double d = *p; *p = d; });
}",
        "both: fp64 wg=8 sg=8\ncalled: gpu\ndeclared: fp16 host_debuggable\ngroup: wg=8\nlanes: sg=4\n",
        "",
    );
}

/// `uses_aspects` on an alias, a class, a function and a partial specialisation; lists of aspects; the implicit fp64 of `double`.
#[test]
fn s0_changes_to_dpcpp_headers() {
    check(
        "\
namespace impl { struct bits { short b; }; template <int> struct sized { int v; }; }
using small [[__sycl_detail__::__uses_aspects__(aspect::fp16)]] = impl::bits;
class [[__sycl_detail__::__uses_aspects__(aspect::gpu, aspect::image)]] amx_type { public: int v; };
[[__sycl_detail__::__uses_aspects__(aspect::accelerator)]] inline void amx_multiply() {}
template <int S> struct only { int v; };
template <> struct [[__sycl_detail__::__uses_aspects__(aspect::atomic64)]] only<8> { int v; };
class alias; class type; class function; class spec4; class spec8; class dbl; class constant; class flt; class hlf;
void host(int *p, float *f) {
  launch<alias>([=] { small s{1}; *p = s.b; });
  launch<type>([=] { amx_type a{*p}; *p = a.v; });
  launch<function>([=] { amx_multiply(); });
  launch<spec4>([=] { only<4> o{*p}; *p = o.v; });
  launch<spec8>([=] { only<8> o{*p}; *p = o.v; });
  launch<dbl>([=] { double d = *p; *p = d; });
  launch<constant>([=] { *f = *f * 3.0; });
  launch<flt>([=] { *f = *f * 3.0f; });
  launch<hlf>([=] { sycl::half h = *f; *f = h; });
}",
        "alias: fp16\nconstant: fp64\ndbl: fp64\nflt:\nfunction: accelerator\nhlf: fp16\nspec4:\nspec8: atomic64\ntype: gpu image\n",
        "",
    );
}

/// A function that says it uses what it does not declare: the attributes are the place, with debug information and without.
#[test]
fn a_function_against_its_own_attribute() {
    for flags in ["", " -g0"] {
        let session = units(&[(
            "t.cpp",
            "[[sycl::device_has(aspect::fp16),\nsycl_detail::uses_aspects(aspect::fp64)]] SYCL_EXTERNAL void f(int *p) { *p = 1; }\n",
        )]);
        let out = session.ok(&format!("aspen++{flags} -c t.cpp -o t.o"));
        assert_eq!(
            said(&out.stderr),
            "\
t.cpp:1:3: warning: function 'f' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  f()
t.cpp:1:3: note: aspects of 'f' are declared here
"
        );
    }
}

/// A result's type is used where the result is made, however that is written and passed; without such a line, where the function is named.
#[test]
fn a_result_has_a_place() {
    let results = [
        ("sycl::half f(float x) { return sycl::half(x); }", 32),
        ("sycl::half f(float x) { return x; }", 32),
        ("sycl::half f(float x) { return {}; }", 32),
        ("sycl::half f(float x) { if (x > 3) return sycl::half(x); return sycl::half(-x); }", 43),
        ("sycl::half f(float x) { return g(x); }", 32),
        ("pair f(float x) { return pair(); }", 26),
        ("pair f(float x) { return {1, 2}; }", 26),
        ("pair f(float x) { pair one; return one; }", 24),
        ("pair f(float) { for (;;); }", 6),
    ];
    // All in one unit, each with a name of its own.
    let mut source =
        "struct [[sycl_detail::uses_aspects(aspect::fp16)]] pair { int a, b; };\nSYCL_EXTERNAL sycl::half g(float);\n".to_owned();
    let mut expected = String::new();
    for ((f, column), name) in results.iter().zip('h'..) {
        let line = source.lines().count() + 1;
        source += &format!("[[sycl::device_has()]] SYCL_EXTERNAL\n{}\n", f.replacen(" f(", &format!(" {name}("), 1));
        expected += &format!(
            "\
t.cpp:{}:{column}: warning: function '{name}' uses aspect 'fp16' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  {name}()
t.cpp:{line}:3: note: aspects of '{name}' are declared here
",
            line + 1
        );
    }
    for targets in ["spir64", "native_cpu", "nvidia_gpu_sm_90"] {
        let session = units(&[("t.cpp", &source)]);
        let out = session.ok(&format!("aspen++ -fsycl-targets={targets} -c t.cpp -o t.o"));
        assert_eq!(said(&out.stderr), expected, "{targets}");
    }
}

/// Uses and declarations become metadata of the definition: the warning tells them apart. A function that only uses is never warned about.
#[test]
fn s0_changes_to_the_dpcpp_front_end() {
    check(
        "\
[[sycl_detail::uses_aspects(aspect::gpu)]] void uses(int *p) { double d = *p; *p = d; }
[[sycl::device_has(aspect::gpu)]] void declares(int *p) { uses(p); }
class k;
void host(int *p) { launch<k>([=] { declares(p); }); }",
        "k: gpu fp64\n",
        "\
t.cpp:1:71: warning: function 'declares' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  declares()
  uses() t.cpp:2:59
t.cpp:2:3: note: aspects of 'declares' are declared here
",
    );
}

/// The seed's own example: `foo` calls `bar` calls `boo`, with places; the attribute in the user's spelling.
#[test]
fn s0_new_llvm_ir_pass_the_call_chain() {
    check(
        "\
void boo(int *p) {
  double d = *p;
  *p = d;
}
void bar(int *p) { boo(p); }
template <class T> [[sycl::requires(has(aspect::fp16))]] void foo(T *p) {
  *p += 1;
  bar(p);
}
class k;
void host(int *p) { launch<k>([=] { foo(p); }); }",
        "k: fp16 fp64\n",
        "\
t.cpp:2:10: warning: function 'foo<int>' uses aspect 'fp64' not listed in 'sycl::requires' [-Wsycl-aspects]
use is from this call chain:
  foo<int>()
  bar() t.cpp:8:3
  boo() t.cpp:5:20
t.cpp:6:22: note: aspects of 'foo<int>' are declared here
",
    );
}

/// Types count in any instruction and at any nesting; one that is only pointed to does not.
#[test]
fn s0_new_llvm_ir_pass_references_to_types() {
    check(
        "\
struct [[sycl_detail::uses_aspects(aspect::gpu)]] mark { int v; };
struct outer { int a; mark m[2]; };
struct base : mark {};
struct holds { mark *m; double *d; };
class local; class nested; class derived; class pointed; class loaded; class vector; class compared;
void host(int *p, mark *m, double *d) {
  launch<local>([=] { mark x{1}; *p = x.v; });
  launch<nested>([=] { outer x{}; *p = x.a; });
  launch<derived>([=] { base x{}; *p = x.v; });
  launch<pointed>([=] { holds x{m, d}; *p = x.m != nullptr && x.d != nullptr; });
  launch<loaded>([=] { *p = (int)d[1]; });
  launch<vector>([=] { typedef double d2 __attribute__((vector_size(16))); d2 v = {}; *p = (int)v[0]; });
  launch<compared>([=] { *p = d[0] > d[1]; });
}",
        "compared: fp64\nderived: gpu\nloaded: fp64\nlocal: gpu\nnested: gpu\npointed:\nvector: fp64\n",
        "",
    );
}

/// A temporary has no name: it is used where it is made, not in the call that takes it.
#[test]
fn s0_new_llvm_ir_pass_temporaries() {
    check(
        "\
struct [[sycl_detail::uses_aspects(aspect::gpu)]] mark { int v; mark(int v) : v(v) {} int f() const { return v; } };
struct [[sycl_detail::uses_aspects(aspect::cpu)]] plain { int v; int f() const { return v; } };
int taken(const mark &m);
inline int taken(const mark &m) { return m.v; }
class made; class member; class zero; class bound; class named;
void host(int *p) {
  launch<made>([=]() [[sycl::device_has()]] { *p = mark(1).f(); });
  launch<member>([=]() [[sycl::device_has()]] { *p = 2 + mark{1}.v; });
  launch<zero>([=]() [[sycl::device_has()]] { *p = plain().f(); });
  launch<bound>([=]() [[sycl::device_has()]] { *p = taken(3); });
  launch<named>([=]() [[sycl::device_has()]] { const mark &m = mark(4); *p = m.v; });
}",
        "bound: gpu\nmade: gpu\nmember: gpu\nnamed: gpu\nzero: cpu\n",
        "\
t.cpp:7:52: warning: function 'made' uses aspect 'gpu' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  made()
t.cpp:7:24: note: aspects of 'made' are declared here
t.cpp:8:58: warning: function 'member' uses aspect 'gpu' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  member()
t.cpp:8:26: note: aspects of 'member' are declared here
t.cpp:9:52: warning: function 'zero' uses aspect 'cpu' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  zero()
t.cpp:9:24: note: aspects of 'zero' are declared here
t.cpp:10:59: warning: function 'bound' uses aspect 'gpu' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  bound()
t.cpp:10:25: note: aspects of 'bound' are declared here
t.cpp:11:64: warning: function 'named' uses aspect 'gpu' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  named()
t.cpp:11:25: note: aspects of 'named' are declared here
",
    );
}

/// The pass runs before all others: what `-O3` inlines, folds or deletes counts, and the warnings stay as they are.
#[test]
fn s0_new_llvm_ir_pass_runs_first() {
    runs_first(&["-O0", "-O2 -g"]);
}

#[test]
fn deep_s0_new_llvm_ir_pass_runs_first_at_other_levels() {
    runs_first(&["-O2", "-O3", "-O2 -g0"]);
}

fn runs_first(levels: &[&str]) {
    for level in levels {
        check_with(
            &format!("-fsycl-targets=native_cpu,spir64 {level}"),
            "\
static inline void dead(int *p) { double d = *p; (void)d; }
static inline float folded(float f) { return f * 3.0; }
[[sycl::device_has()]] static inline void inlined(int *p) { dead(p); }
class k; class f;
void host(int *p, float *q) { launch<k>([=] { inlined(p); }); launch<f>([=] { *q = folded(*q); }); }",
            "f: fp64\nk: fp64\n",
            "\
t.cpp:1:42: warning: function 'inlined' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  inlined()
  dead() t.cpp:3:61
t.cpp:3:3: note: aspects of 'inlined' are declared here
",
        );
    }
}

/// Kernels share an image exactly if aspects and numeric sizes are equal; a named sub-group size is no numeric one.
#[test]
fn s0_changes_to_the_device_code_split_algorithm() {
    let source = "\
class a1; class a2; class b; class g; class s; class named; class plain;
void host(int *p) {
  launch<a1>([=] { double d = *p; *p = d; });
  launch<a2>([=] [[sycl::device_has(aspect::fp64)]] { *p = 1; });
  launch<b>([=] { double d = *p; *p = d; sycl::half h = 1.0f; *p = (int)(float)h; });
  launch_items<g>([=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(8)]] { *p = 1; });
  launch_items<s>([=](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(8)]] { *p = 1; });
  launch_items<named>([=](sycl::nd_item<1>) [[intel::named_sub_group_size(primary)]] { *p = 1; });
  launch<plain>([=] { *p = 1; });
}
int main() {}";
    let session = units(&[("t.cpp", source)]);
    session.ok("aspen++ -fsycl-targets=native_cpu,spir64 t.cpp -o t");
    let inspected = session.json("aspen inspect t");
    for target in ["native_cpu", "spir64"] {
        let images = inspected["images"].as_array().expect("images").iter().filter(|image| image["target"] == target);
        let mut found: Vec<String> = images
            .map(|image| {
                let names = image["kernels"].as_array().expect("kernels").iter().map(|kernel| kernel["name"].as_str().expect("a name"));
                let mut names: Vec<&str> = names.collect();
                names.sort_unstable();
                line(&names.join(" "), &image["requirements"])
            })
            .collect();
        found.sort();
        assert_eq!(found, ["a1 a2: fp64\n", "b: fp16 fp64\n", "g: wg=8\n", "named plain:\n", "s: sg=8\n"], "{target}");
    }
}

/// Only references to types of 8 bytes need atomic64.
#[test]
fn s0_appendix_adding_an_attribute_to_8_byte_atomic_ref() {
    check(
        "\
template <class T> using ref = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device>;
class a_int; class a_float; class a_long; class a_double; class a_size;
void host(int *i, float *f, long *l, double *d) {
  launch<a_int>([=] { ref<int>(*i).fetch_add(1); });
  launch<a_float>([=] { ref<float>(*f).fetch_add(1.0f); });
  launch<a_long>([=] { ref<long>(*l).fetch_add(1); });
  launch<a_double>([=] { ref<double>(*d).fetch_add(1.0); });
  launch<a_size>([=] { *i = sizeof(ref<long>); });
}",
        "a_double: fp64 atomic64\na_float:\na_int:\na_long: atomic64\na_size:\n",
        "",
    );
}

/// A variable, a parameter or a result of the type uses its aspects, qualified or not; `sizeof`, `decltype` and `noexcept` do not.
#[test]
fn s1_changes_to_dpcpp_headers() {
    check(
        "\
namespace impl { struct bits { short b; bits() : b(1) {} }; }
using small [[sycl::requires(has(aspect::fp16))]] = impl::bits;
template <class T> class [[sycl::requires(has(aspect::atomic64))]] cell { public: T v; };
[[sycl::requires(has(aspect::gpu))]] inline void multiply() {}
int takes(const cell<int> c) { return c.v; }
cell<int> returns(int v) { return {v}; }
class variable; class qualified; class parameter; class result; class function; class size; class type; class except;
void host(int *p) {
  launch<variable>([=] { small s; *p = s.b; });
  launch<qualified>([=] { const volatile cell<int> c{1}; *p = c.v; });
  launch<parameter>([=] { *p = takes({1}); });
  launch<result>([=] { *p = returns(1).v; });
  launch<function>([=] { multiply(); });
  launch<size>([=] { *p = sizeof(small) + sizeof(cell<long>); });
  launch<type>([=] { decltype(small().b) s = 1; *p = s; });
  launch<except>([=] { *p = noexcept(returns(1)); });
}",
        "except:\nfunction: gpu\nparameter: atomic64\nqualified: atomic64\nresult: atomic64\nsize:\ntype:\nvariable: fp16\n",
        "",
    );
}

/// Used beyond Allowed: with the attribute's place and that of the call; a `SYCL_EXTERNAL` declaration is enough.
#[test]
fn s1_implementing_diagnostics_in_the_dpcpp_front_end() {
    check(
        "\
[[sycl::requires(has(aspect::fp64, aspect::fp16))]] SYCL_EXTERNAL void elsewhere(int *p);
[[sycl::requires(has(aspect::fp16))]]
void kernel_part(int *p) {
  elsewhere(p);
}
class k;
void host(int *p) { launch<k>([=] { kernel_part(p); }); }",
        "k: fp16 fp64\n",
        "\
t.cpp:4:3: warning: function 'kernel_part' uses aspect 'fp64' not listed in 'sycl::requires' [-Wsycl-aspects]
use is from this call chain:
  kernel_part()
  elsewhere() t.cpp:4:3
t.cpp:2:3: note: aspects of 'kernel_part' are declared here
",
    );
}
